// Beads. Positions, in 1 / ONE from the lowest corner, are in two arrays, from one to the other in each sub-step. `links`: of
// each bead the one before it and the one after it along its chain, and its population.
struct Link {
    before: u32,
    after: u32,
    kind: u32,
}

// Of a population: m, l, k, R (0: harmonic bonds), kappa, epsilon, sigma, cutoff in sigma.
struct Kind {
    m: f32,
    l: f32,
    k: f32,
    extension: f32,
    kappa: f32,
    epsilon: f32,
    sigma: f32,
    cutoff: f32,
}

var<storage, read_write> position: array<i32>;
var<storage, read_write> moved: array<i32>;
var<storage, read> links: array<Link>;
var<storage, read> kinds: array<Kind>;

// The position of bead i after `k` sub-steps.
fn position_after(k: u32, i: u32) -> vec3<i32> {
    var at = vec3<i32>(0);
    if ((k & 1u) == 0u) {
#for axis in axes
        at.${axis.name} = position[${axis.index}u * BEADS + i];
#endfor
    } else {
#for axis in axes
        at.${axis.name} = moved[${axis.index}u * BEADS + i];
#endfor
    }
    return at;
}

// The nearest image of `there` seen from `here`, lattice units. Exactly the opposite seen from there.
fn apart(here: vec3<i32>, there: vec3<i32>) -> vec3<f32> {
    var d = there - here;
#for axis in axes
#if axis.periodic
    d.${axis.name} += select(0, ${axis.period}, d.${axis.name} < -${axis.half}) - select(0, ${axis.period}, d.${axis.name} > ${axis.half});
#endif
#endfor
    return vec3<f32>(d) * ${per_one};
}
