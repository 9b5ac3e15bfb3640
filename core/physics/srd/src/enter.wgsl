// Particles that come from other ranks, into holes first, then behind the last particle. An invocation for each place of a
// record.
#include "prelude.wgsl"
#include "main.wgsl"
#include "lookup.wgsl"
#include "particles.wgsl"

#include "senders.wgsl"
#include "near.wgsl"
var<storage, read> tally: array<u32>;
var<storage, read> holes: array<u32>;
var<storage, read_write> label: array<u32>;
var<storage, read_write> home: array<u32>;
var<storage, read_write> health: array<atomic<u32>>;

fn work_on(k: u32) {
    // Those of the senders before come first.
    var before = 0u;
    var s = 0u;
    while (s + 1u < arrayLength(&senders) && k >= senders[s + 1u].first) {
        before += min(inbox[senders[s].header], senders[s].most);
        s += 1u;
    }
    let sender = senders[s];
    let mine = k - sender.first;
    let sent = inbox[sender.header];
    if (mine == 0u) {
        atomicMax(&health[3], (sent * 1024u) / sender.most);
    }
    if (mine >= min(sent, sender.most)) {
        return;
    }
    let number = before + mine;
    let slot = slot_of(number);
    if (slot >= span.room) {
        atomicMax(&health[4], slot + 1u);
        return;
    }
    let record = sender.records + mine * ${record}u;
    var at = vec3<i32>(0);
    var v = vec3<f32>(0.0);
#for axis in axes
    at.${axis.name} = bitcast<i32>(inbox[record + ${axis.index}u]);
    v.${axis.name} = bitcast<f32>(inbox[record + ${dimension + axis.index}u]);
#endfor
    put(slot, at, v);
    label[slot] = inbox[record + ${2 * dimension}u];
    home[slot] = cell_at((at + shift()) >> BITS);
    mark(slot, span.step);
}

fn slot_of(number: u32) -> u32 {
    let free = tally[1];
    if (number < free) {
        return holes[free - 1u - number];
    }
    return tally[0] + number - free;
}
