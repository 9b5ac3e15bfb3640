// Finds the final places of items whose bucket lies in several chunks: the place of an item is the number of smaller
// items in all of these chunks.
#include "sort_chunk.wgsl"
#include "main.wgsl"

var<storage, read> scattered: array<vec2<u32>>;
var<storage, read_write> order: array<u32>;

fn work_on(place: u32) {
    // A bucket in several chunks has the first or the last place of each of them.
    let first = place / CHUNK * CHUNK;
    let end = min(first + CHUNK, span.count);
    var bucket = bucket_of(scattered[first]);
    if (place >= bucket.y) {
        bucket = bucket_of(scattered[end - 1u]);
    }
    if (place < bucket.x || (bucket.x >= first && bucket.y <= end)) {
        return;
    }
    let own = scattered[place];
    var sorted = bucket.x;
    for (var chunk = bucket.x / CHUNK * CHUNK; chunk < bucket.y; chunk += CHUNK) {
        let low = max(chunk, bucket.x);
        let high = min(chunk + CHUNK, bucket.y);
        // No loop, since some devices end loops after 65535 iterations.
        var k = low;
#for reach in reaches
        if (k + ${reach}u <= high && less(scattered[min(k + ${reach - 1}u, high - 1u)], own)) {
            k += ${reach}u;
        }
#endfor
        sorted += k - low;
    }
    order[sorted] = own.y;
}
