// The forces on nodes, which moments_of_pairs.wgsl adds to the momentum.
#if immersed
#if joined and width == 1
var<storage, read> node_force: array<u64>;
#elif joined
var<storage, read> node_force: array<vec2<u64>>;
#elif width == 1
var<storage, read> node_force: array<vec2<i32>>;
#else
var<storage, read> node_force: array<vec4<i32>>;
#endif
#if axes | length == 3
#if joined and width == 2
var<storage, read> node_force_z: array<u64>;
#else
var<storage, read> node_force_z: array<${ints}>;
#endif
#endif

// Force on a node, or on several side by side, in fixed point. x and y of each node are next to each other.
struct NodeForce {
#for a in axes
    ${a.name}: ${ints},
#endfor
}

fn node_force_on(n: u32) -> NodeForce {
#if joined and width == 1
    let pair = bitcast<vec2<i32>>(split(node_force[n]));
    let x = pair.x;
    let y = pair.y;
#elif joined
    let pairs = node_force[n];
    let first = bitcast<vec2<i32>>(split(pairs.x));
    let last = bitcast<vec2<i32>>(split(pairs.y));
    let x = vec2(first.x, last.x);
    let y = vec2(first.y, last.y);
#elif width == 1
    let pair = node_force[n];
    let x = pair.x;
    let y = pair.y;
#elif width == 2
    let pairs = node_force[n];
    let x = pairs.xz;
    let y = pairs.yw;
#else
    let first = node_force[2u * n];
    let last = node_force[2u * n + 1u];
    let x = ${ints}(first.xz, last.xz);
    let y = ${ints}(first.yw, last.yw);
#endif
#if axes | length == 3 and joined and width == 2
    let z = bitcast<vec2<i32>>(split(node_force_z[2u * span.stride + n]));
#elif axes | length == 3
    let z = node_force_z[2u * span.stride + n];
#endif
#if wide
    // Both are one integer of 64 bits, in which a negative x has borrowed one from y.
    return NodeForce(x, y - (x >> ${bits}(31u))${z});
#else
    return NodeForce(x, y${z});
#endif
}
#endif
#if held
var<storage, read> wall_force: array<${ints}>;
#endif
#if body_force and not immediate_force
var<storage, read> schedule: array<${number}>;
#endif
