// The forces on nodes, which moments_of_pairs.wgsl adds to the momentum.
#if immersed
var<storage, read> node_force: array<${ints}>;
#endif
#if held
var<storage, read> wall_force: array<${ints}>;
#endif
#if body_force and not immediate_force
var<storage, read> schedule: array<${number}>;
#endif
