// What the map holds of a site, which may lie beyond periodic faces.
fn entry_of(site: vec3<i32>) -> u32 {
    var block = 0u;
    var local = 0u;
#for axis in axes
    let ${axis.name} = wrapped_${axis.name}(site.${axis.name});
    block += place_${axis.name}(${axis.name});
    local |= u32(${axis.name} & 7) << ${3 * axis.index}u;
#endfor
    return sites[(directory[block] << ${3 * dimension}u) + local];
}
