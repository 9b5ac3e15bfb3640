    // Relaxation rates of node n.
#if contrast
    let within = (inside[n] & bits(1u)) != bits(0u);
    let omega_plus = select(OMEGA_PLUS, OMEGA_PLUS_INSIDE, within);
    let omega_minus = select(OMEGA_MINUS, OMEGA_MINUS_INSIDE, within);
#else
    let omega_plus = OMEGA_PLUS;
    let omega_minus = OMEGA_MINUS;
#endif
