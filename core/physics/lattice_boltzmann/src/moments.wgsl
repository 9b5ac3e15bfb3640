// Moments of the populations, for dumps: one field of `span.count` nodes from `span.first` on, into `moments`.
#include "prelude.wgsl"
#{% with access = "read" %}
#include "state.wgsl"
#{% endwith %}
#include "forces.wgsl"
#if moment == "stress"
#include "contrast.wgsl"
#endif
var<storage, read_write> moments: array<real>;
#include "main.wgsl"

fn work_on(k: u32) {
    let n = span.first + k;

#include "gather.wgsl"
#include "pairs.wgsl"

#include "moments_of_pairs.wgsl"

#if moment == "density"
    moments[k] = drho;
#elif moment == "velocity"
#for a in axes
    moments[3u * k + ${a.index}u] = u${a.name};
#endfor
#if axes | length == 2
    moments[3u * k + 2u] = real(0.0);
#endif
#else
    // sigma = -(1 - omega+ / 2) (sum c c (f - e) + (u F + F u) / 2).
    let uu = real(1.5) * (${squares});
#for p in pairs
    let cu${p.k} = ${p.c_dot_u};
    let rest${p.k} = sum${p.k} - real(2.0) * W${p.shell} * (drho + real(4.5) * cu${p.k} * cu${p.k} - uu);
#endfor
#include "rates.wgsl"
    let factor = real(0.5) * omega_plus - real(1.0);
#for s in stresses
#if s.sum == ""
    moments[6u * k + ${s.index}u] = real(0.0);
#elif force
    moments[6u * k + ${s.index}u] = factor * (${s.sum} + real(0.5) * (u${s.a} * F${s.b} + F${s.a} * u${s.b}));
#else
    moments[6u * k + ${s.index}u] = factor * (${s.sum});
#endif
#endfor
#endif
}
