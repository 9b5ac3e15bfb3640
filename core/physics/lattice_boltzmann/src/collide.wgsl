        // The even and the odd part of pair p after the collision: f_i* is their sum, f_j* their difference.
        // Two relaxation times: Ginzburg, Verhaeghe and d'Humieres, Commun. Comput. Phys. 3 (2008) 427.
        // Force: Guo, Zheng and Shi, Phys. Rev. E 65 (2002) 046308.
        // Equilibrium with rho_0 = 1: He and Luo, J. Stat. Phys. 88 (1997) 927.
        let cu = ${p.c_dot_u};
        let e_plus = W${p.shell} * (drho + real(4.5) * cu * cu - uu);
        let e_minus = W${p.shell} * real(3.0) * cu;
        let f_plus = real(0.5) * sum${p.k};
        let f_minus = real(0.5) * difference${p.k};
#if force
        let cF = ${p.c_dot_f};
        let S_plus = (real(1.0) - real(0.5) * omega_plus) * W${p.shell} * (real(9.0) * cu * cF - real(3.0) * uF);
        let S_minus = (real(1.0) - real(0.5) * omega_minus) * W${p.shell} * real(3.0) * cF;
        let after_plus = f_plus - omega_plus * (f_plus - e_plus) + S_plus;
        let after_minus = f_minus - omega_minus * (f_minus - e_minus) + S_minus;
#else
        let after_plus = f_plus - omega_plus * (f_plus - e_plus);
        let after_minus = f_minus - omega_minus * (f_minus - e_minus);
#endif
