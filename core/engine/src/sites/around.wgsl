// Along each axis, the tile before that of site s (0), the tile of site s (1) and the tile after it (2): places k in
// the directory and places l in the block. The tile of site s begins at site `low` and ends before site `end`.
#for axis in axes
    let t${axis.name} = tiled_${axis.name}(s${axis.name});
    let low${axis.name} = t${axis.name} & ~${tile.edge - 1};
    let end${axis.name} = end_${axis.name}(low${axis.name});
    let t${axis.name}0 = tiled_${axis.name}(before_${axis.name}(low${axis.name}));
    let t${axis.name}2 = after_${axis.name}(end${axis.name} - 1);
    let k${axis.name} = vec3(place_${axis.name}(t${axis.name}0), place_${axis.name}(t${axis.name}), place_${axis.name}(t${axis.name}2));
    let l${axis.name} = vec3(local_${axis.name}(t${axis.name}0), local_${axis.name}(t${axis.name}), local_${axis.name}(t${axis.name}2));
#endfor
