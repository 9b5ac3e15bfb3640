// Motion of beads by velocity Verlet (Swope et al., J. Chem. Phys. 76, 637 (1982)): in each sub-step a kick by the forces, half
// a one at the first and after the last, then the way with the new velocity. A workgroup moves a group of beads. Where it does
// several sub-steps, nothing outside the group acts on its beads.
#include "prelude.wgsl"
// Worst of beads: speed beyond the limit, as bits; [2] number of a bead with a bond that is too long; [3] more neighbours than
// there is room for; [4] number of a bead with a bond that is nearly half a period long.
var<storage, read_write> health: array<atomic<u32>>;
#include "beads.wgsl"
#include "force.wgsl"
#include "motion.wgsl"

// Largest velocity along an axis: lists of neighbours hold for no more.
const FASTEST: f32 = ${fastest};
const LAST: u32 = ${sub_steps}u;

// First bead of each group and the end.
var<storage, read> groups: array<vec2<u32>>;
var<storage, read_write> velocity: array<f32>;
var<storage, read_write> image: array<i32>;

@compute @workgroup_size(${workgroup})
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) size: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let number = group.y * size.x + group.x;
    var beads = vec2<u32>(0u);
    if (number < span.count) {
        beads = groups[number];
    }
    for (var k = span.begin; k < span.end; k++) {
        for (var i = beads.x + lane; i < beads.y; i += ${workgroup}u) {
            sub_step(k, i);
        }
        storageBarrier();
    }
}

fn sub_step(k: u32, i: u32) {
    let at = position_after(k, i);
    let link = links[i];
    let kind = kinds[link.kind];
    var v = vec3<f32>(0.0);
#for axis in axes
    v.${axis.name} = velocity[${axis.index}u * BEADS + i];
#endfor
    let h = select(${h}, 0.5 * ${h}, k == 0u || k == LAST);
    v = slowed(v + (h / kind.m) * force(k, i, at, link, kind));
    if (k < LAST) {
        let next = motion(at, v);
        v = next.v;
        if ((k & 1u) == 0u) {
#for axis in axes
            moved[${axis.index}u * BEADS + i] = next.at.${axis.name};
#endfor
        } else {
#for axis in axes
            position[${axis.index}u * BEADS + i] = next.at.${axis.name};
#endfor
        }
#for axis in axes
#if axis.periodic
        image[${axis.index}u * BEADS + i] += next.image.${axis.name};
#endif
#endfor
    }
#for axis in axes
    velocity[${axis.index}u * BEADS + i] = v.${axis.name};
#endfor
}

// `v`, but no faster than FASTEST along any axis; that it was, or is no number, is noted where steps are strict.
fn slowed(v: vec3<f32>) -> vec3<f32> {
    let speed = max(abs(v.x), max(abs(v.y), abs(v.z)));
    if (speed <= FASTEST) {
        return v;
    }
    if (span.strict == 1u) {
        atomicMax(&health[0], bitcast<u32>(speed));
    }
    return clamp(v, vec3<f32>(-FASTEST), vec3<f32>(FASTEST));
}
