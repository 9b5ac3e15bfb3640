    // What the collisions of all pairs share.
    let uu = real(1.5) * (${squares});
#if force
    let uF = ${u_dot_f};
#endif
