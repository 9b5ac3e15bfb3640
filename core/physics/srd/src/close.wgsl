// Counts slots and holes after particles have come in.
struct Span {
    count: u32,
}
var<immediate> span: Span;

#include "senders.wgsl"
var<storage, read_write> tally: array<u32>;
#include "main.wgsl"

fn work_on(k: u32) {
    var came = 0u;
    for (var s = 0u; s < arrayLength(&senders); s++) {
        came += min(inbox[senders[s].header], senders[s].most);
    }
    let filled = min(came, tally[1]);
    tally[1] -= filled;
    tally[0] += came - filled;
}
