    // Relaxation rates of node n.
#if contrast
    let marks_of_cells = inside[n];
#for i in insides
    let within${i.k} = (marks_of_cells & bits(${i.bit}u)) != bits(0u);
#endfor
#for omega in local_omegas
    let omega_${omega.name} = ${omega.value};
#endfor
#else
    let omega_plus = OMEGA_PLUS;
    let omega_minus = OMEGA_MINUS;
#endif
