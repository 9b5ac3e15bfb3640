// Whether the position `at` is on a fluid site of this rank. Elsewhere the directory may give a cell that lies at another place.
var<storage, read> place: array<vec2<u32>>;

fn is_here(at: vec3<i32>) -> bool {
    let site = at >> BITS;
    let cell = cell_at(site);
    if (cell == SOLID) {
        return false;
    }
    let of_site = vec2<u32>((u32(site.x) & 0xffffu) | (u32(site.y) << 16u), u32(site.z));
    return all(place[cell] == of_site) && (kind[cell] & SITE_IS_WALL) == 0u && owner_of(cell) == 0u;
}
