// Adds to the force on a node. `span.node_stride` is the length of the arrays over nodes.
#if wide
// x and y of each node. Memory takes both in one addition.
var<storage, read_write> node_force: array<atomic<u64>>;
#else
var<storage, read_write> node_force: array<atomic<i32>>;
#endif
#if dimension == 3
var<storage, read_write> node_force_z: array<atomic<i32>>;
#endif

fn add_force(node: u32, f: vec${dimension}<i32>) {
#if wide
    // As a number of 64 bits, a negative x borrows one from y.
    let y = f.y + (f.x >> 31u);
    atomicAdd(&node_force[node], u64(bitcast<u32>(y)) << 32u | u64(bitcast<u32>(f.x)));
#else
    atomicAdd(&node_force[2u * node], f.x);
    atomicAdd(&node_force[2u * node + 1u], f.y);
#endif
#if dimension == 3
    atomicAdd(&node_force_z[2u * span.node_stride + node], f.z);
#endif
}
