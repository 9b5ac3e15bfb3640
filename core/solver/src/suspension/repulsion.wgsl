// Share of the contact pressure at distance r: (1 - r / range)^2, zero with its slope from the range on. Behind a wall,
// at r < 0, it goes on rising along its tangent, up to 3.
fn repulsion(r: real) -> real {
    let gap = max(real(1.0) - r * real(${contact.inverse_range}), real(0.0));
    return min(select(gap * gap, real(2.0) * gap - real(1.0), r < real(0.0)), real(3.0));
}
