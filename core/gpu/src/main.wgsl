// One invocation an item, as the recorder spreads them: the kernel's work_on(k) for each k below span.count; with `last_first`, from the
// last workgroup's items to the first's: a kernel that follows another over the same arrays so begins with what that one left in the cache.
// Else with `turns`, `turn(place)` is the number of the workgroup at that place among those that begin. With `packs_after`, workgroups of which
// `packing(number)` holds then `pack(number, lane)` what they wrote. With `posts`, the last workgroup that is done tells the host that its message,
// number `posted_round`, is written: of the first `posting` workgroups, where only those write it, or of those of which `posts_if` holds, which are
// so many. With `awaits`, all wait for the host's answer, or those of which `awaiting` holds.
#if posts is defined and posts
var<storage, read_write> arrived: atomic<u32>;
var<storage, read_write> posted: atomic<u32>;
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
#elif turns is defined and turns
    let number = turn(group.y * groups.x + group.x);
#else
    let number = group.y * groups.x + group.x;
#endif
#if awaits is defined and awaits
    if (${awaiting | default("true")}) {
        if (lane == 0u) {
            loop {
                // Not behind: rounds begin anew after 2^32.
                if (atomicLoad(&answered) - span.round < 0x80000000u) {
                    break;
                }
            }
        }
        storageBarrier();
    }
#endif
    let k = number * ${workgroup}u + lane;
    if (k < span.count) {
        work_on(k);
    }
#if packs_after is defined and packs_after
    if (packing(number)) {
        storageBarrier();
        pack(number, lane);
    }
#endif
#if posts is defined and posts
    // What all of a workgroup wrote comes before its arrival, and all arrivals before the host is told.
    let posting = ${posting | default("groups.x * groups.y")};
    if (${posts_if | default("number < posting")}) {
        storageBarrier();
        var last = false;
        if (lane == 0u) {
            last = atomicAdd(&arrived, 1u) + 1u == posting;
        }
        storageBarrier();
        if (last) {
            atomicStore(&arrived, 0u);
            atomicStore(&posted, ${posted_round | default("span.round")});
        }
    }
#endif
}
