// One time step in place by esoteric pull: Lehmann, Computation 10 (2022) 92. Each pair of opposite directions has two arrays, near and
// far. A node finds the population that comes from behind in its own slot of near, the one that comes from ahead in the slot of far
// of the node there; what goes ahead is stored where the latter was, what goes back where the former was. Then near
// and far change places. What a wall sends back is stored in the other array of the two, where the next step looks for it: at the
// node where the wall is behind, in a slot beyond those of all nodes where it is ahead.
#include "head.wgsl"

#if wide > 1
alias stored = vec${wide}<${stored}>;
#else
alias stored = ${stored};
#endif
fn load(value: ${stored}) -> f32 { return f32(value) * (1.0 / SCALE); }
fn store(f: f32) -> ${stored} { return ${stored}(f * SCALE); }

@compute @workgroup_size(${workgroup})
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let first = (group.y * groups.x + group.x) * ${workgroup}u + lane;
    if (first < span.count) {
        work_on(first);
    }
}

fn work_on(first: u32) {
    var rest_slot = f_0[first];
#for p in pairs
    #{% if wide > 1 %}var#{% else %}let#{% endif %} near${p.k} = ${p.near}[first];
#endfor
#for s in range(wide)
#{% with t = "_" ~ s, c = ("." ~ "xyzw"[s]) if wide > 1 else "" %}
    let n${t} = ${wide}u * first + ${s}u;
    let group${t} = groups[n${t} >> 5u];
    let lane${t} = n${t} & 31u;
    let beside${t} = distances[group${t}.y + countOneBits(group${t}.x & ((2u << lane${t}) - 1u))];
    // Bits of walls, then whether links are listed; the slot for what comes from walls ahead.
    let special${t} = (group${t}.w & 0x7fffffffu) + countOneBits(group${t}.z & ((1u << lane${t}) - 1u));
    let word${t} = select(0u, specials[special${t}], (group${t}.z >> lane${t} & 1u) != 0u);
#for p in pairs
    var at${p.k}${t} = n${t} ${p.upstream_ahead}#{% if p.beside_ahead %} + beside${t}${p.beside_ahead[1] if row_components | length > 1 else ""}#{% endif %};
#endfor
    if (group${t}.w >= 0x80000000u && (word${t} & ${listed_bit}u) != 0u) {
        let list = ${pairs | length}u * beside${t}#{% if row_components | length > 1 %}.x#{% endif %};
#for p in pairs
        at${p.k}${t} = n${t} + lists[list + ${p.k - 1}u];
#endfor
    }
#for p in pairs
    at${p.k}${t} = select(at${p.k}${t}, span.stride + special${t}, (word${t} & ${p.bit_ahead}u) != 0u);
    let far${p.k}${t} = load(${p.far}[at${p.k}${t}]);
#endfor
#{% endwith %}
#endfor
#for s in range(wide)
#{% with t = "_" ~ s, c = ("." ~ "xyzw"[s]) if wide > 1 else "" %}
    {
    let f0 = load(rest_slot${c});
#for p in pairs
    let f${p.behind} = load(near${p.k}${c});
    let f${p.ahead} = far${p.k}${t};
#endfor
#include "moments.wgsl"
#for p in pairs
    {
#include "collide.wgsl"
        let forward = store(to_#{% if p.ahead == p.i %}i#{% else %}j#{% endif %});
        let back = store(to_#{% if p.ahead == p.i %}j#{% else %}i#{% endif %});
        if ((word${t} & ${p.bit_ahead}u) == 0u) {
            ${p.far}[at${p.k}${t}] = forward;
        } else {
            ${p.near}[#{% if wide > 1 %}at${p.k}${t} / ${wide}u][at${p.k}${t} % ${wide}u#{% else %}at${p.k}${t}#{% endif %}] = forward;
        }
#if wide > 1
        if ((word${t} & ${p.bit_behind}u) != 0u) {
            ${p.far}[n${t}] = back;
        }
        near${p.k}${c} = back;
#else
        if ((word${t} & ${p.bit_behind}u) == 0u) {
            ${p.near}[n${t}] = back;
        } else {
            ${p.far}[n${t}] = back;
        }
#endif
    }
#endfor
    rest_slot${c} = store(rest);
    }
#{% endwith %}
#endfor
    f_0[first] = rest_slot;
#if wide > 1
#for p in pairs
    ${p.near}[first] = near${p.k};
#endfor
#endif
}
