    // What gather.wgsl and pairs.wgsl do on odd steps, but populations that come from walls, which stand apart from those of the
    // nodes beside, are fetched after the others: where a warp has none, they cost nothing.
#include "upstream.wgsl"
    let f0 = load(f_rest[n]);
#for p in pairs
    var f${p.i} = load(f_${p.k}[span.stride + upstream${p.i}]);
    var f${p.j} = load(f_${p.k}[upstream${p.j}]);
#endfor
    if ((word & ${walls}u) != 0u) {
#for p in pairs
#for way in [p.ij, p.ji]
        if ((word & ${way.bit}u) != 0u) {
            f${way.out} = load(f_${p.k}[${way.slot}]);
        }
#endfor
#endfor
    }
#for p in pairs
    let sum${p.k} = f${p.i} + f${p.j};
    let difference${p.k} = f${p.i} - f${p.j};
#endfor
