        // Populations of pair p after the collision: to_i goes where f_i came from, so it is that of j, and the other way round.
#if copy
        let to_i = f${p.i} + OMEGA_PLUS;
        let to_j = f${p.j} + OMEGA_PLUS;
#else
        let cu = ${p.c_dot_u};
        let e_plus = W${p.shell} * (drho + 4.5 * cu * cu - uu);
        let e_minus = W${p.shell} * 3.0 * cu;
        let f_plus = 0.5 * sum${p.k};
        let f_minus = 0.5 * difference${p.k};
        let cF = span.force_${p.k};
        let S_plus = (1.0 - 0.5 * OMEGA_PLUS) * W${p.shell} * (9.0 * cu * cF - 3.0 * uF);
        let S_minus = (1.0 - 0.5 * OMEGA_MINUS) * W${p.shell} * 3.0 * cF;
        let after_plus = f_plus - OMEGA_PLUS * (f_plus - e_plus) + S_plus;
        let after_minus = f_minus - OMEGA_MINUS * (f_minus - e_minus) + S_minus;
        let to_i = after_plus - after_minus;
        let to_j = after_plus + after_minus;
        rest -= 2.0 * after_plus;
#endif
