// Share of the contact pressure at distance r: (1 - r / range)^2, zero with its slope from the range on.
fn repulsion(r: real) -> real {
    let gap = max(real(1.0) - r * real(${contact.inverse_range}), real(0.0));
    return gap * gap;
}
