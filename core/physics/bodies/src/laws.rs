//! The WGSL of the laws, to be included by kernels.

use hematite_gpu::Template;

/// Every piece. `gay_berne.wgsl` and `wall.wgsl` need `symmetric.wgsl` and `wca.wgsl` before them; contexts have `real`
/// and what each law's `context` gives.
pub const LAWS: [Template; 6] = [
    Template { name: "symmetric.wgsl", text: include_str!("symmetric.wgsl") },
    Template { name: "wca.wgsl", text: include_str!("wca.wgsl") },
    Template { name: "gay_berne.wgsl", text: include_str!("gay_berne.wgsl") },
    Template { name: "wall.wgsl", text: include_str!("wall.wgsl") },
    Template { name: "surface.wgsl", text: include_str!("surface.wgsl") },
    Template { name: "rotation.wgsl", text: include_str!("rotation.wgsl") },
];

#[cfg(test)]
mod tests {
    use hematite_gpu::render;
    use minijinja::context;

    use super::super::gay_berne::{GayBerne, Shape};
    use super::super::{surface, wall::Wall, wca};
    use super::*;
    use hematite_engine::{Precision, SurfaceContact};

    const ALL: Template =
        Template { name: "all", text: "alias real = ${real};\n#for law in laws\n#include law\n#endfor\n" };

    /// Where the members of the struct `Shape` begin and the struct ends, in units of a number.
    fn offsets(wgsl: &str, bytes: usize) -> Vec<usize> {
        let wgsl_checks::Layout { members, size } = wgsl_checks::layout(wgsl, "Shape");
        members.iter().map(|&(_, offset)| offset).chain([size]).map(|offset| offset / bytes).collect()
    }

    #[test]
    fn every_permutation_is_valid_wgsl() {
        let laws: Vec<&str> = LAWS.iter().map(|law| law.name).collect();
        for k in 0..2 * 2 * 4 * 3 {
            let precision = [Precision::F32, Precision::F64][k % 2];
            let depths = [[1.0; 3], [1.0, 1.0, 0.2]][k / 2 % 2];
            let (upsilon, mu) = ((k / 4 % 4) as u32, (k / 16 + 1) as u32);
            let law = GayBerne { epsilon: 1e-3, sigma: 2.0, gamma: 1.0, mu, upsilon, largest: 0.1 };
            let context = context! {
                real => precision.real(),
                laws,
                wca => wca::context(),
                gay_berne => law.context(&[Shape { axes: [4.0, 4.0, 1.3], depths }]),
                wall => Wall { epsilon: 1e-3, sigma: 2.0, largest: 0.1 }.context(),
                surface => surface::context(&SurfaceContact { range: 1.0, pressure: 0.1, fastest: 0.4, support: 2.0 }),
            };
            let source = render(ALL, &LAWS, &context);
            wgsl_checks::validate("laws", &source);
            assert_eq!(offsets(&source, precision.real_bytes()), [0, 3, 4, 7, 8]);
        }
    }
}
