// The message to other ranks, beside its records: the sums of this rank's particles in cells that others use, and how many
// records there are.
struct Span {
    count: u32,
    neighbours: u32,
}
var<immediate> span: Span;

#include "shared_words.wgsl"
var<storage, read> sums: array<u32>;
// Where the number of each neighbour's records goes.
var<storage, read> headers: array<u32>;
var<storage, read_write> leaving: array<u32>;
var<storage, read_write> outbox: array<u32>;
#include "main.wgsl"

fn work_on(k: u32) {
    if (k < span.neighbours) {
        outbox[headers[k]] = leaving[k];
        leaving[k] = 0u;
    } else {
        let entry = shared_words[k - span.neighbours];
        outbox[entry.word] = sums[entry.sum];
    }
}
