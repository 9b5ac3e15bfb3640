    // Density and velocity of f1, f2, and so on.
#for p in pairs
    let sum${p.k} = f${p.i} + f${p.j};
    let difference${p.k} = f${p.i} - f${p.j};
#endfor
    let drho = f0${sum_of_pairs};
#for a in axes
    let u${a.name} = ${a.momentum} + 0.5 * span.force_${a.index + 1};
#endfor
    let uu = 1.5 * (${squares});
    let uF = ${u_dot_f};
    var rest = drho;
