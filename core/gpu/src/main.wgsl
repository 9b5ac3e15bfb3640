// Entry point with one invocation an item: calls the kernel's work_on(k) for each k below span.count. Options of the
// context:
// - `last_first`: workgroups go from the last items to the first, so that the kernel begins with what a kernel before
//   it over the same arrays left in the cache.
// - `numbered`: the kernel's `number_at(place)` returns the number of the workgroup that starts as the one at `place`.
// - `joins`: workgroups call the kernel's `open(lane)` before they work and its `close(lane)` after. Barriers for the
//   memory of the workgroup separate the three.
// - `packs_after`: workgroups for which the kernel's `packing(number)` is true then call its `pack(number, lane)`.
// - `sends`: the last of the sending workgroups to finish signals to the host that the message is written. All
//   workgroups send, or the `sending` workgroups for which `sends_if` is true.
// - `awaits`: workgroups wait for the host's answer before they work.
#if sends is defined and sends
var<storage, read_write> arrived: atomic<u32>;
var<storage, read_write> sent: atomic<u32>;
#endif
#if awaits is defined and awaits
var<storage, read_write> answered: atomic<u32>;
#endif

@compute @workgroup_size(${workgroup})
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
#if last_first is defined and last_first
    let number = groups.x * groups.y - 1u - (group.y * groups.x + group.x);
#elif numbered is defined and numbered
    let number = number_at(group.y * groups.x + group.x);
#else
    let number = group.y * groups.x + group.x;
#endif
#if awaits is defined and awaits
    if (lane == 0u) {
        loop {
            // Answered up to this round; rounds wrap around after 2^32.
            if (atomicLoad(&answered) - span.round < 0x80000000u) {
                break;
            }
        }
    }
    storageBarrier();
#endif
    let k = number * ${workgroup}u + lane;
#if joins is defined and joins
    open(lane);
    workgroupBarrier();
#endif
    if (k < span.count) {
        work_on(k);
    }
#if joins is defined and joins
    workgroupBarrier();
    close(lane);
#endif
#if packs_after is defined and packs_after
    if (packing(number)) {
        storageBarrier();
        pack(number, lane);
    }
#endif
#if sends is defined and sends
    // All writes of a workgroup come before its arrival is counted, and all arrivals before the signal to the host.
    let sending = ${sending | default("groups.x * groups.y")};
    if (${sends_if | default("true")}) {
        storageBarrier();
        var last = false;
        if (lane == 0u) {
            last = atomicAdd(&arrived, 1u) + 1u == sending;
        }
        storageBarrier();
        if (last) {
            atomicStore(&arrived, 0u);
            atomicStore(&sent, span.round);
        }
    }
#endif
}
