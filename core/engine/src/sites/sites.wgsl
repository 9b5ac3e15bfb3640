#for axis in axes
// The site of the domain of which s is an image along ${axis.name}.
fn wrapped_${axis.name}(s: i32) -> i32 {
#if axis.periodic
    let rest = s - i32(floor(f32(s) * ${axis.inverse_extent})) * ${axis.extent};
    // Rounding may have missed the period by one.
    return rest + select(0, ${axis.extent}, rest < 0) - select(0, ${axis.extent}, rest >= ${axis.extent});
#else
    return s;
#endif
}

// The site after site s.
fn after_${axis.name}(s: i32) -> i32 {
#if axis.periodic
    return select(s + 1, 0, s + 1 == ${axis.extent});
#else
    return s + 1;
#endif
}

// The term of site s in the place of its block in the directory.
fn place_${axis.name}(s: i32) -> u32 {
    let place = clamp((s >> 3u) - span.corner_${axis.name}, 0, span.places_${axis.name} - 1);
    return u32(place${axis.places_before});
}
#endfor
