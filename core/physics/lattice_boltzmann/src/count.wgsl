    // Mass that came in, in units of MASS_QUANTUM: a node's share of a step stays far below the 2 that a word holds. 64-bit
    // count in two words.
    let mass = i32(round(came_in * real(${mass_scale})));
    let low = ledger[2u * k];
    let sum = low + bitcast<u32>(mass);
    let carry = select(0u, 1u, sum < low);
    ledger[2u * k] = sum;
    ledger[2u * k + 1u] += carry + select(0u, 0xffffffffu, mass < 0);
