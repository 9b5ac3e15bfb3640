//! Surfaces and shapes for tests.

use std::collections::HashMap;

use hematite_cells::{Bending, InPlane, Mechanics, Rest, Surface};

use crate::lab::representable;

/// A sphere of unit radius: an icosahedron whose triangles are split into four `times` times.
pub fn icosphere(times: usize) -> Surface {
    let t = 0.5 * (1.0 + 5f64.sqrt());
    let mut vertices: Vec<[f64; 3]> = Vec::new();
    for (a, b) in [(-1.0, t), (1.0, t), (-1.0, -t), (1.0, -t)] {
        vertices.extend([[a, b, 0.0], [0.0, a, b], [b, 0.0, a]]);
    }
    let near = |v: [f64; 3], w: [f64; 3]| ((0..3).map(|k| (v[k] - w[k]).powi(2)).sum::<f64>() - 4.0).abs() < 1e-9;
    let mut triangles: Vec<[u32; 3]> = Vec::new();
    for a in 0..12 {
        for b in a + 1..12 {
            for c in b + 1..12 {
                let [p, q, r] = [a, b, c].map(|k| vertices[k]);
                if near(p, q) && near(q, r) && near(r, p) {
                    let out = p[0] * (q[1] * r[2] - q[2] * r[1])
                        + p[1] * (q[2] * r[0] - q[0] * r[2])
                        + p[2] * (q[0] * r[1] - q[1] * r[0]);
                    let [a, b, c] = [a, b, c].map(|k| k as u32);
                    triangles.push(if out > 0.0 { [a, b, c] } else { [a, c, b] });
                }
            }
        }
    }
    for _ in 0..times {
        let mut middles = HashMap::new();
        let mut middle = |a: u32, b: u32| {
            *middles.entry((a.min(b), a.max(b))).or_insert_with(|| {
                let [p, q] = [a, b].map(|k| vertices[k as usize]);
                vertices.push([0, 1, 2].map(|k| 0.5 * (p[k] + q[k])));
                vertices.len() as u32 - 1
            })
        };
        let split = |&[a, b, c]: &[u32; 3]| {
            let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
            [[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]
        };
        triangles = triangles.iter().flat_map(split).collect();
        for v in &mut vertices {
            let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
            *v = v.map(|x| x / length);
        }
    }
    Surface { dimension: 3, vertices, triangles }
}

/// Evans and Fung's discocyte of radius `radius`.
pub fn discocyte(times: usize, radius: f64) -> Surface {
    let mut surface = icosphere(times);
    for v in &mut surface.vertices {
        let q = (v[0] * v[0] + v[1] * v[1]).min(1.0);
        let half = 0.5 * v[2].abs() * (0.207_161 + 2.002_558 * q - 1.122_762 * q * q);
        *v = [radius * v[0], radius * v[1], radius * half.copysign(v[2])];
    }
    surface
}

/// A biconcave ring of `count` vertices.
pub fn ring(count: usize, radius: f64) -> Surface {
    let vertex = |k: usize| {
        let angle = std::f64::consts::TAU * k as f64 / count as f64;
        let q = angle.cos().powi(2);
        let half = 0.5 * angle.sin() * (0.4 + 2.0 * q - 1.1 * q * q);
        [radius * angle.cos(), radius * half, 0.0]
    };
    Surface { dimension: 2, vertices: (0..count).map(vertex).collect(), triangles: Vec::new() }
}

/// Numbers between -1 and 1 that follow from `seed` (a linear congruential generator).
pub fn noise(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// The vertices of `surface`, scaled by `scale`, sheared, shifted, and each moved by up to `by` along each axis.
pub fn perturbed(surface: &Surface, scale: f64, by: f64, seed: u64) -> Vec<[f64; 3]> {
    let mut random = noise(seed);
    let place = [7.3 + random(), -4.1 + random(), 11.9 + random()];
    let shear = [0.08 * random(), 0.08 * random()];
    let axes = surface.dimension;
    surface
        .vertices
        .iter()
        .map(|v| {
            let v = v.map(|x| scale * x);
            let mut moved = [v[0] + shear[0] * v[1], v[1] + shear[1] * v[2], v[2]];
            for axis in 0..axes {
                moved[axis] += place[axis] + by * random();
            }
            representable(moved)
        })
        .collect()
}

/// A membrane without any law.
fn nothing() -> Mechanics {
    Mechanics { volume_share: 1.0, contrast: 1.0, ..Mechanics::default() }
}

/// Membranes by name, with one law each and with all, for rings or meshes with sides of about 1.
pub fn membranes(dimension: usize) -> Vec<(&'static str, Mechanics)> {
    let none = nothing();
    let (kappa, flat, shape) = (2e-3, Rest::Flat, Rest::Shape);
    let global = Mechanics { global_area: 3e-3, volume: 2e-3, volume_share: 0.9, ..none.clone() };
    let with = |in_plane, bending, base: &Mechanics| Mechanics { in_plane, bending, ..base.clone() };
    if dimension == 2 {
        let linear = Some(InPlane::Linear { k: 1e-3 });
        let hardening = Some(InPlane::Hardening { k: 1e-3, limit: 1.8 });
        let curved = Some(Bending::Ring { kappa, rest: shape });
        return vec![
            ("linear", with(linear, None, &none)),
            ("hardening", with(hardening, None, &none)),
            ("ring, flat", with(None, Some(Bending::Ring { kappa, rest: flat }), &none)),
            ("ring, shape", with(None, curved, &none)),
            ("perimeter", Mechanics { volume: 0.0, ..global.clone() }),
            ("area", Mechanics { global_area: 0.0, ..global.clone() }),
            ("fairing", Mechanics { fairing: 2e-3, ..none.clone() }),
            ("all", with(hardening, curved, &Mechanics { fairing: 1e-3, ..global })),
        ];
    }
    let springs = |power| Some(InPlane::WlcPower { mu: 1e-3, x0: 1.0 / 2.2, power });
    let skalak = Some(InPlane::Skalak { g: 1e-3, c: 10.0 });
    let neo_hookean = Some(InPlane::NeoHookean { g: 1e-3 });
    let curved = Some(Bending::KantorNelson { kappa, rest: shape });
    let helfrich = Some(Bending::GompperKroll { kappa });
    let areas = Mechanics { local_area: 2e-3, ..global.clone() };
    vec![
        ("springs, 1", with(springs(1.0), None, &none)),
        ("springs, 2", with(springs(2.0), None, &none)),
        ("Skalak", with(skalak, None, &none)),
        ("neo-Hookean", with(neo_hookean, None, &none)),
        ("Kantor-Nelson, flat", with(None, Some(Bending::KantorNelson { kappa, rest: flat }), &none)),
        ("Kantor-Nelson, shape", with(None, curved, &none)),
        ("Gompper-Kroll", with(None, helfrich, &none)),
        ("local area", Mechanics { local_area: 2e-3, ..none.clone() }),
        ("global area", Mechanics { volume: 0.0, ..global.clone() }),
        ("volume", Mechanics { global_area: 0.0, ..global.clone() }),
        ("springs and angles", with(springs(2.0), curved, &areas)),
        ("fairing", Mechanics { fairing: 2e-3, ..none.clone() }),
        ("springs, angles, fairing", with(springs(2.0), curved, &Mechanics { fairing: 1e-3, ..areas.clone() })),
        ("strains and curvature", with(skalak, helfrich, &areas)),
    ]
}

/// The membrane with viscosity added.
pub fn viscous(mechanics: &Mechanics) -> Mechanics {
    Mechanics { viscosity: 0.05, ..mechanics.clone() }
}
