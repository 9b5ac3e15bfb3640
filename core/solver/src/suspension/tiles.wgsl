#for axis in axes
// A site of the tile that holds site s of the domain: what the last whole tile of a period leaves belongs to it.
fn tiled_${axis.name}(s: i32) -> i32 {
#if axis.periodic
    return min(s, ${axis.last_tiled});
#else
    return s;
#endif
}
#endfor
