// Gathers words of an array into a message, or adds a message to words of the array, stretch by stretch.
struct Span {
    count: u32,
    round: u32,
}
var<immediate> span: Span;

#if add
var<storage, read_write> words: array<atomic<i32>>;
#include "take.wgsl"
#else
var<storage, read> words: array<i32>;
#include "put.wgsl"
#endif
#include "stretches.wgsl"
#include "main.wgsl"

fn work_on(k: u32) {
    let stretch = stretches[k / ${longest}u];
    let n = k % ${longest}u;
    if (n >= stretch.count) {
        return;
    }
#if add
    // Several neighbours may send sums for the same word.
    atomicAdd(&words[stretch.first + n], take(stretch.to + n));
#else
    put(stretch.to + n, words[stretch.first + n]);
#endif
}
