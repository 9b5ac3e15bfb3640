// Share of the contact pressure at distance r, with a = 1 - r / range: a^2 between cells, zero with its slope from the range on;
// a^2 (1 + 2 a^2) at walls, which sharp corners press into membranes.
fn repulsion(r: real) -> real {
    let a = max(real(1.0) - r * real(${contact.inverse_range}), real(0.0));
    return a * a;
}

fn repulsion_of_wall(r: real) -> real {
    let square = repulsion(r);
    return square + real(2.0) * square * square;
}
