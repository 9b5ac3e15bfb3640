// All forces on bead i after `k` sub-steps.
#if harmonic
#include "harmonic.wgsl"
#endif
#if fene
#include "fene.wgsl"
#endif
#if bends
#include "bending.wgsl"
#endif
#if pairs
#include "lennard_jones.wgsl"
// Neighbours of each bead in ascending order, and their numbers.
var<storage, read> near: array<u32>;
var<storage, read> near_count: array<u32>;
#endif

// A bond that is nearly half a period long is noted: beyond that, beads would see another image of their neighbour.
fn bond(k: u32, i: u32, at: vec3<i32>, neighbour: u32, kind: Kind) -> vec3<f32> {
    let d = apart(at, position_after(k, neighbour));
#for axis in axes
#if axis.periodic
    if (abs(d.${axis.name}) > ${axis.longest}) {
        atomicMax(&health[4], i + 1u);
    }
#endif
#endfor
#if harmonic and fene
    if (kind.extension > 0.0) {
        return fene(i, d, kind);
    }
    return harmonic(d, kind);
#elif fene
    return fene(i, d, kind);
#else
    return harmonic(d, kind);
#endif
}

fn force(k: u32, i: u32, at: vec3<i32>, link: Link, kind: Kind) -> vec3<f32> {
    var f = vec3<f32>(0.0);
    if (link.before != NONE) {
        f += bond(k, i, at, link.before, kind);
    }
    if (link.after != NONE) {
        f += bond(k, i, at, link.after, kind);
    }
#if bends
    if (kind.kappa > 0.0) {
        f += bending(k, i, at, link, kind.kappa);
    }
#endif
#if pairs
    for (var n = 0u; n < near_count[i]; n++) {
        let j = near[n * BEADS + i];
        f += lennard_jones(apart(at, position_after(k, j)), kind, kinds[links[j].kind]);
    }
#endif
    return f;
}
