// s_i of openings.wgsl: how much of the population that goes back along link `out` is that which arrives at the node.
fn share_of_node(entry: Entry, out: u32) -> real {
    let half = select(real(0.0), real(0.5), (entry.between & (1u << out)) != 0u);
    return select(half, real(1.0), (entry.at_node & (1u << out)) != 0u);
}
