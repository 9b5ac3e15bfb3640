    // The flows between cell n and each cell around it: calls the kernel's exchange(giver, gives, weight, per_distance, found),
    // `gives` where cell n gives. Both cells of a pair find the same numbers.
#for d in directions
    let k${d.i} = beside_${d.kind}[${d.place}u * span.own + n];
    let is${d.i} = k${d.i} != ${absent}u;
    let lava${d.i} = around(n, here, k${d.i});
#endfor
#for d in directions
    {
        let drop = (here.Z - lava${d.i}.Z) + (here.h - lava${d.i}.h);
        let gives = drop > 0.0;
        var giver = lava${d.i};
        if (gives) {
            giver = here;
        }
#if isotropic
        let top = max(here.Z + here.h, lava${d.i}.Z + lava${d.i}.h);
        let is_a = counts(is${d.a}, lava${d.a}, top);
        let is_b = counts(is${d.b}, lava${d.b}, top);
#endif
#if isotropic and d.kind == "axial"
        let is_c = counts(is${d.c}, lava${d.c}, top);
        let is_d = counts(is${d.d}, lava${d.d}, top);
        let sides = difference(lava${d.a}, is_a, lava${d.b}, is_b) + difference(lava${d.c}, is_c, lava${d.d}, is_d);
        let across = sides.xy * (${half_per_dx} / max(sides.z, 1.0));
        // Without cells beside the pair, all that flows goes along the axis.
        let missing = select(1.0, 0.0, is_a) + select(1.0, 0.0, is_b) + select(1.0, 0.0, is_c) + select(1.0, 0.0, is_d);
        let weight = ${axial} + missing * ${per_missing};
#elif isotropic
        let sides = difference(lava${d.a}, is_a, lava${d.b}, is_b);
        let across = sides.xy * ${per_diagonal};
        let weight = ${diagonal};
#else
        let across = vec2<f32>();
        let weight = 1.0;
#endif
        let slopes = Slopes(abs(drop) * ${d.per_distance}, (here.Z - lava${d.i}.Z) * ${d.per_distance}, across);
        if (is${d.i} && drop != 0.0 && giver.h > 0.0) {
            exchange(giver, gives, weight, ${d.per_distance}, flow(giver, slopes));
        }
    }
#endfor
