// Items by bucket, as pairs of tie and item.
const CHUNK: u32 = ${workgroup}u;

struct Span {
    count: u32,
}
var<immediate> span: Span;

var<storage, read> keys: array<u32>;
var<storage, read> starts: array<u32>;

// The first place of the item's bucket, and the place after its last.
fn bucket_of(pair: vec2<u32>) -> vec2<u32> {
    let key = keys[pair.y];
    return vec2<u32>(starts[key], starts[key + 1u]);
}

fn less(a: vec2<u32>, b: vec2<u32>) -> bool {
    return a.x < b.x || (a.x == b.x && a.y < b.y);
}
