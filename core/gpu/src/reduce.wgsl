#if parts
// What the results of all workgroups come to, by one workgroup; into its place.
#else
// What values come to, one result a workgroup.
#endif
const WORKGROUP: u32 = ${workgroup}u;

#if sum
// The low word, then the high word.
alias Share = vec2<u32>;

fn joined(a: Share, b: Share) -> Share {
    let low = a.x + b.x;
    return Share(low, a.y + b.y + u32(low < a.x));
}
#else
// A number in its order among all numbers, upside down for the least.
alias Share = u32;

fn joined(a: Share, b: Share) -> Share {
    return max(a, b);
}
#endif

struct Span {
    count: u32,
#if parts
    place: u32,
#endif
}
var<immediate> span: Span;

${declarations}
var<workgroup> shares: array<Share, WORKGROUP>;

#if parts
#if not sum
// The number that has this rank: the inverse of share_of.
fn number_of(share: u32) -> u32 {
#if least
    let rank = ~share;
#else
    let rank = share;
#endif
#if number == "u32"
    return rank;
#elif number == "i32"
    return rank ^ 0x80000000u;
#else
    return select(~rank, rank ^ 0x80000000u, rank >= 0x80000000u);
#endif
}
#endif
#else
fn share_of(bits: u32) -> Share {
#if sum and number == "u32"
    return Share(bits, 0u);
#elif sum
    return Share(bits, select(0u, 0xffffffffu, bits >= 0x80000000u));
#else
#if number == "u32"
    let rank = bits;
#elif number == "i32"
    let rank = bits ^ 0x80000000u;
#else
    // Negative numbers descend with their bits; what is above infinity without the sign is NaN.
    let ordered = select(bits ^ 0x80000000u, ~bits, bits >= 0x80000000u);
    let rank = select(ordered, 0xffffffffu, (bits & 0x7fffffffu) > 0x7f800000u);
#endif
#if least
    return ~rank;
#else
    return rank;
#endif
#endif
}
#endif

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    var share = Share(${nothing});
#if parts
    for (var k = lane; k < span.count; k += WORKGROUP) {
        share = joined(share, parts[k]);
    }
#else
    let stride = groups.x * WORKGROUP;
    let whole = span.count / 4u;
    let first = group.x * WORKGROUP + lane;
    for (var k = first; k < whole; k += stride) {
        let v = values[k];
        share = joined(share, joined(joined(share_of(v.x), share_of(v.y)), joined(share_of(v.z), share_of(v.w))));
    }
    if (first < span.count % 4u) {
        share = joined(share, share_of(values[whole][first]));
    }
#endif
    shares[lane] = share;
    for (var reach = WORKGROUP / 2u; reach > 0u; reach /= 2u) {
        workgroupBarrier();
        if (lane < reach) {
            shares[lane] = joined(shares[lane], shares[lane + reach]);
        }
    }
    if (lane == 0u) {
#if not parts
        parts[group.x] = shares[0];
#elif sum
        result[span.place] = shares[0].x;
        result[span.place + 1u] = shares[0].y;
#else
        result[span.place] = number_of(shares[0]);
#endif
    }
}
