// Whether vertices v and u may touch, `own` the first and last vertex of v's cell: those of different cells, and in 2-D those
// of one ring that are more than `beside` vertices apart along it, which keeps the two sides of a thin or folded cell apart.
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
