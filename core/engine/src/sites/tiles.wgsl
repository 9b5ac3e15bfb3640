#for axis in axes
// A site whose tile number is that of site s of the domain: sites after the last whole tile of a period belong to that
// tile.
fn tiled_${axis.name}(s: i32) -> i32 {
#if axis.periodic
    return min(s, ${axis.last_tiled});
#else
    return s;
#endif
}

// The site before site s.
fn before_${axis.name}(s: i32) -> i32 {
#if axis.periodic
    return select(s - 1, ${axis.extent - 1}, s == 0);
#else
    return s - 1;
#endif
}

// The end of the tile that begins at site `low`.
fn end_${axis.name}(low: i32) -> i32 {
#if axis.periodic
    return select(low + ${tile.edge}, ${axis.extent}, low + ${2 * tile.edge} > ${axis.extent});
#else
    return low + ${tile.edge};
#endif
}

// The place, within its block, of the tile that holds site s.
fn local_${axis.name}(s: i32) -> u32 {
    return u32((s & 7) >> ${tile.bits}u) << ${tile.axis_bits[axis.index]}u;
}
#endfor
