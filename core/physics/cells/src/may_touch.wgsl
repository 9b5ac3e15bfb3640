// Whether vertices v and u may touch. Vertices of different cells may. In 2-D so may vertices of one ring with more than `beside`
// sides between them, which keeps the two sides of a thin or folded cell apart. `own` are the first and last vertex of v's cell.
fn may_touch(v: u32, u: u32, own: vec2<u32>, beside: u32) -> bool {
    if (u < own.x || u > own.y) {
        return true;
    }
#if dimension == 2
    let apart = max(u, v) - min(u, v);
    return min(apart, own.y - own.x + 1u - apart) > beside;
#else
    return false;
#endif
}
