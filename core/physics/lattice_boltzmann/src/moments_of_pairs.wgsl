    // drho = sum f - 1,  u = sum c f + F / 2  (rho_0 = 1).
    let drho = f0${sum_of_pairs};
#if force
#if immersed
    let pushed = node_force_on(n);
#endif
#for a in axes
    let F${a.name} = ${forces[a.index]};
    let u${a.name} = ${a.momentum} + real(0.5) * F${a.name};
#endfor
#else
#for a in axes
    let u${a.name} = ${a.momentum};
#endfor
#endif
