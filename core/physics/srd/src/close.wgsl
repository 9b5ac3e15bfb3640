// After particles have come in: counts slots and holes, and says how many workgroups the next step needs. Its list of blocks is
// complete, and the list of the step after is empty.
struct Span {
    count: u32,
    step: u32,
}
var<immediate> span: Span;

#include "senders.wgsl"
var<storage, read_write> tally: array<u32>;
var<storage, read_write> lengths: array<u32, 2>;
// Numbers of workgroups along x, y and z: for listed blocks, then for all slots in use.
var<storage, read_write> arguments: array<u32>;
#include "main.wgsl"

fn work_on(k: u32) {
    var came = 0u;
    for (var s = 0u; s < arrayLength(&senders); s++) {
        came += min(inbox[senders[s].header], senders[s].most);
    }
    let filled = min(came, tally[1]);
    tally[1] -= filled;
    tally[0] += came - filled;

    ask_for(0u, lengths[span.step & 1u]);
    ask_for(1u, (tally[0] + ${workgroup - 1}u) / ${workgroup}u);
    lengths[(span.step + 1u) & 1u] = 0u;
}

fn ask_for(entry: u32, groups: u32) {
    let rows = max((groups + ${most_groups - 1}u) / ${most_groups}u, 1u);
    arguments[3u * entry] = (groups + rows - 1u) / rows;
    arguments[3u * entry + 1u] = rows;
    arguments[3u * entry + 2u] = 1u;
}
