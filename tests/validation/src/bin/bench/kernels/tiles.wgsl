// What a step on ten moments a node in place of populations would read and write, and no more: tiles of 8 x 8 x 8 sites, each with its
// moments and, for each of its faces, five populations a site that leave through it, which the tile beside reads in the next step.
#include "head.wgsl"

const FACES: u32 = 6u * 5u * 64u;

fn load(value: ${stored}) -> f32 { return f32(value) * (1.0 / SCALE); }
fn store(f: f32) -> ${stored} { return ${stored}(f * SCALE); }

@compute @workgroup_size(${workgroup})
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let tile = group.y * groups.x + group.x;
    if (512u * tile >= span.stride) {
        return;
    }
    let tiles = span.stride / 512u;
    let beside = array(1u, tiles - 1u, 40u, tiles - 40u, 1600u, tiles - 1600u);
#for s in range(512 // workgroup)
    let n${s} = 512u * tile + ${s * workgroup}u + lane;
#for m in range(10)
    let m${m}_${s} = load(m_${m}[n${s}]);
#endfor
#endfor
#for s in range(2048 // workgroup)
    let face${s} = ${s * workgroup}u + lane;
    var in${s} = 0.0;
    if (face${s} < FACES) {
        in${s} = load(ghosts[#{% if odd %}FACES * tiles + #{% endif %}FACES * ((tile + beside[face${s} / 320u]) % tiles) + face${s}]);
    }
#endfor
#for s in range(512 // workgroup)
#for m in range(10)
    m_${m}[n${s}] = store(m${m}_${s} + OMEGA_PLUS);
#endfor
#endfor
#for s in range(2048 // workgroup)
    if (face${s} < FACES) {
        ghosts[#{% if not odd %}FACES * tiles + #{% endif %}FACES * tile + face${s}] = store(in${s} + OMEGA_PLUS);
    }
#endfor
}
