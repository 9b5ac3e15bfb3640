// Velocities of moving walls, three numbers each; number 0 is at rest.
var<storage, read> walls: array<f32>;

// The velocity of the wall at a site.
fn wall_velocity(site: vec3<i32>) -> vec3<f32> {
    let cell = cell_at(site);
    if (cell == SOLID) {
        return vec3<f32>(0.0);
    }
    let number = 3u * ((kind[cell] >> 9u) & 127u);
    return vec3<f32>(walls[number], walls[number + 1u], walls[number + 2u]);
}
