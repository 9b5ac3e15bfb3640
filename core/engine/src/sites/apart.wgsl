alias Axes = vec${dimension}<real>;

#for axis in axes
// The whole number nearest to zero that `whole` stands for along ${axis.name}.
fn nearest_${axis.name}(whole: i32) -> i32 {
#if axis.periodic
    return whole - i32(round(f32(whole) * ${axis.inverse_extent})) * ${axis.extent};
#else
    return whole;
#endif
}

// To position p along ${axis.name} from the vertex at `at`, or its nearest image: rounded once, so exactly the negative of
// the way back.
fn apart_${axis.name}(p: vec2<i32>, at: u32) -> real {
    let sites = nearest_${axis.name}(p.x - position[at].x);
    let q = bitcast<u32>(position[at].y);
    let part = bitcast<u32>(p.y) - q;
    let borrow = i32(bitcast<u32>(p.y) < q);
    return real(sites - borrow + i32(part >> 31u)) + real(bitcast<i32>(part)) * real(${fraction_32});
}
#endfor
