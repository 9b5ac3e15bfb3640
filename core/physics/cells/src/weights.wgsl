// Along each axis the kernel's sites s, places k in the directory and places l in the block, and weights w, which follow
// from the position's fraction alone: the same wherever the vertex is.
#for axis in axes
    let p${axis.name} = position[${axis.index}u * span.stride + v];
#if points == 3
    // Roma, Peskin and Berger 1999: the middle weight by its formula, the others by their sum and first moment.
    let up${axis.name} = bitcast<u32>(p${axis.name}.y) >> 31u;
    let r${axis.name} = fraction(p${axis.name}.y) - real(up${axis.name});
    let w${axis.name}1 = (real(1.0) + sqrt(real(1.0) - real(3.0) * r${axis.name} * r${axis.name})) * real(${third});
    let w${axis.name}0 = real(0.5) * (real(1.0) - w${axis.name}1 - r${axis.name});
    let w${axis.name}2 = real(0.5) * (real(1.0) - w${axis.name}1 + r${axis.name});
    let s${axis.name}0 = wrapped_${axis.name}(p${axis.name}.x + i32(up${axis.name}) - 1);
#else
    let f${axis.name} = fraction(p${axis.name}.y);
#if points == 2
    let w${axis.name}0 = real(1.0) - f${axis.name};
    let w${axis.name}1 = f${axis.name};
    let s${axis.name}0 = wrapped_${axis.name}(p${axis.name}.x);
#else
    // Peskin 2002, eq. 6.27.
    let q${axis.name} = sqrt(real(1.0) + real(4.0) * f${axis.name} * (real(1.0) - f${axis.name}));
    let w${axis.name}0 = (real(3.0) - real(2.0) * f${axis.name} - q${axis.name}) * real(0.125);
    let w${axis.name}1 = (real(3.0) - real(2.0) * f${axis.name} + q${axis.name}) * real(0.125);
    let w${axis.name}2 = (real(1.0) + real(2.0) * f${axis.name} + q${axis.name}) * real(0.125);
    let w${axis.name}3 = (real(1.0) + real(2.0) * f${axis.name} - q${axis.name}) * real(0.125);
    let s${axis.name}0 = wrapped_${axis.name}(p${axis.name}.x - 1);
#endif
#endif
#for i in range(1, points)
    let s${axis.name}${i} = after_${axis.name}(s${axis.name}${i - 1});
#endfor
#for i in range(points)
    let k${axis.name}${i} = place_${axis.name}(s${axis.name}${i});
    let l${axis.name}${i} = u32(s${axis.name}${i} & 7) << ${3 * axis.index}u;
#endfor
#endfor

// What is at each site, and the weights of fluid sites summed up to it; the last sum is the weight of all fluid around.
    var place = 0u;
    var block = 0u;
    var mapped = true;
#for site in stencil
    if (${site.place} != place) {
        place = ${site.place};
        block = directory[place] << ${block_bits}u;
    }
    mapped = mapped && block != 0u;
    let n${site.index} = sites[block | ${site.local}];
    let w${site.index} = select(real(0.0), ${site.weight}, n${site.index} != SOLID);
    let sum${site.index} = ${site.sum_before}w${site.index};
#endfor
    let around = sum${stencil | length - 1};
    if (around < real(${least})) {
        // In the wall. Where blocks are missing, another rank knows better.
        if (mapped) {
            atomicMin(&broken[slot], span.step << ${damage.bits}u | ${damage.wall}u);
        }
        refuse(v);
        return;
    }
