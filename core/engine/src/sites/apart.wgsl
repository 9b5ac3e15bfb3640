alias Axes = vec${dimension}<real>;

#for axis in axes
// The periodic image of the distance `whole` along ${axis.name} that is nearest to zero.
fn nearest_${axis.name}(whole: i32) -> i32 {
#if axis.periodic
    return whole - i32(round(f32(whole) * ${axis.inverse_extent})) * ${axis.extent};
#else
    return whole;
#endif
}

// The distance along ${axis.name} to position p from the nearest image of the vertex at `at`. It is rounded once, so it
// is exactly the negative of the distance back.
fn apart_${axis.name}(p: vec2<i32>, at: u32) -> real {
    let sites = nearest_${axis.name}(p.x - position[at].x);
    let q = bitcast<u32>(position[at].y);
    let part = bitcast<u32>(p.y) - q;
    let borrow = i32(bitcast<u32>(p.y) < q);
    return real(sites - borrow + i32(part >> 31u)) + real(bitcast<i32>(part)) * real(${fraction_32});
}
#endfor
