// The grid in which neighbours are found. Its cells have numbers along each axis; a cell's beads are in one bucket, which other
// cells may share.
fn grid_cell(at: vec3<i32>) -> vec3<i32> {
    var cell = vec3<i32>(0);
#for axis in axes
    cell.${axis.name} = i32(floor(f32(at.${axis.name}) * ${axis.per_edge}));
#if axis.periodic
    cell.${axis.name} = min(cell.${axis.name}, ${axis.cells - 1});
#endif
#endfor
    return cell;
}

fn bucket_of(cell: vec3<i32>) -> u32 {
    let mixed = (u32(cell.x) * 73856093u) ^ (u32(cell.y) * 19349663u) ^ (u32(cell.z) * 83492791u);
    return (mixed ^ (mixed >> 15u)) & ${buckets - 1}u;
}
