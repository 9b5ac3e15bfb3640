// What a particle adds to the sums of its cell for the conservation of angular momentum. `r` is its place from the middle of
// the cell. In 3-D: r, then xx, yy, zz, xy, yz, xz of r r, then r v row by row (of Andersen's collision r x (v - v_ran)). In
// 2-D: r, r r, then r x v and r v (r x (v - v_ran)).
const LENGTH_SCALE: f32 = ${length_scale};
const SPIN: u32 = ${first_of_spin}u;

fn length_of(x: f32) -> i32 {
    return i32(round(x * LENGTH_SCALE));
}

// The place in its cell of a particle at `at`, from the middle, for cells with shift `s`.
fn place_in_cell(at: vec3<i32>, s: vec3<i32>) -> vec3<f32> {
    var r = vec3<f32>(0.0);
#for axis in axes
    r.${axis.name} = f32((at.${axis.name} + s.${axis.name}) & ${one_less}) / ONE - 0.5;
#endfor
    return r;
}

// The product of each component by itself is rounded, so that no compiler rounds it otherwise in another kernel.
fn add_spin(cell: u32, r: vec3<f32>, v: vec3<f32>) {
    let at = cell * WIDTH + SPIN;
#for axis in axes
    atomicAdd(&sums[at + ${axis.index}u], length_of(r.${axis.name}));
#endfor
#if dimension == 2
    atomicAdd(&sums[at + 2u], length_of(r.x * r.x) + length_of(r.y * r.y));
    atomicAdd(&sums[at + 3u], momentum_of(r.x * v.y) - momentum_of(r.y * v.x));
#if not andersen
    atomicAdd(&sums[at + 4u], momentum_of(r.x * v.x) + momentum_of(r.y * v.y));
#endif
#else
    atomicAdd(&sums[at + 3u], length_of(r.x * r.x));
    atomicAdd(&sums[at + 4u], length_of(r.y * r.y));
    atomicAdd(&sums[at + 5u], length_of(r.z * r.z));
    atomicAdd(&sums[at + 6u], length_of(r.x * r.y));
    atomicAdd(&sums[at + 7u], length_of(r.y * r.z));
    atomicAdd(&sums[at + 8u], length_of(r.x * r.z));
#if andersen
    atomicAdd(&sums[at + 9u], momentum_of(r.y * v.z) - momentum_of(r.z * v.y));
    atomicAdd(&sums[at + 10u], momentum_of(r.z * v.x) - momentum_of(r.x * v.z));
    atomicAdd(&sums[at + 11u], momentum_of(r.x * v.y) - momentum_of(r.y * v.x));
#else
#for row in axes
#for column in axes
    atomicAdd(&sums[at + ${9 + 3 * row.index + column.index}u], momentum_of(r.${row.name} * v.${column.name}));
#endfor
#endfor
#endif
#endif
}
