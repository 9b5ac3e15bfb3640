//! Generates the WGSL of a population's kernel for its laws.

use hematite_cells::{Bending, InPlane, Rest};
use hematite_engine::sites::Coordinate;
use hematite_engine::{DRIFT_SCALE, Precision};
use hematite_gpu::{Template, WORKGROUP, literal, render};
use minijinja::context;

use super::damage::{CAPPED_LIMIT, SOUND};
use super::model::Model;
use super::{fairing, hardening, kantor_nelson, ring_bending, viscosity, wlc_power};
use crate::{Damage, NOWHERE, WHICH};

/// Bytes of a kernel's immediate data.
pub(crate) const IMMEDIATES: u32 = 32;

const PIECES: [Template; 15] = [
    WHICH,
    Template { name: "prelude.wgsl", text: include_str!("prelude.wgsl") },
    Template { name: "local_area.wgsl", text: include_str!("local_area.wgsl") },
    Template { name: "quadratic.wgsl", text: include_str!("quadratic.wgsl") },
    Template { name: "viscosity.wgsl", text: include_str!("viscosity.wgsl") },
    Template { name: "linear.wgsl", text: include_str!("linear.wgsl") },
    Template { name: "hardening.wgsl", text: include_str!("hardening.wgsl") },
    Template { name: "ring_bending.wgsl", text: include_str!("ring_bending.wgsl") },
    Template { name: "fairing.wgsl", text: include_str!("fairing.wgsl") },
    Template { name: "wlc_power.wgsl", text: include_str!("wlc_power.wgsl") },
    Template { name: "triangle.wgsl", text: include_str!("triangle.wgsl") },
    Template { name: "skalak.wgsl", text: include_str!("skalak.wgsl") },
    Template { name: "neo_hookean.wgsl", text: include_str!("neo_hookean.wgsl") },
    Template { name: "kantor_nelson.wgsl", text: include_str!("kantor_nelson.wgsl") },
    Template { name: "gompper_kroll.wgsl", text: include_str!("gompper_kroll.wgsl") },
];

/// The parts of a kernel that a membrane needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Flags {
    /// Springs on edges (3-D).
    pub springs: bool,
    /// Strained triangles (3-D).
    pub strains: bool,
    pub local_area: bool,
    pub kantor_nelson: bool,
    pub gompper_kroll: bool,
    /// Bending with a reference that is not flat.
    pub curved: bool,
}

/// Indices of the quantities in the reference table of a mesh, and their number.
pub(crate) struct Quantities {
    pub length: usize,
    pub metric: usize,
    pub area: usize,
    pub spoke: usize,
    pub rim: usize,
    pub count: usize,
}

impl Flags {
    pub(crate) fn of(model: &Model) -> Self {
        let mechanics = &model.mechanics;
        Self {
            springs: matches!(mechanics.in_plane, Some(InPlane::WlcPower { .. })),
            strains: matches!(mechanics.in_plane, Some(InPlane::Skalak { .. } | InPlane::NeoHookean { .. })),
            local_area: mechanics.local_area > 0.0,
            kantor_nelson: matches!(mechanics.bending, Some(Bending::KantorNelson { .. })),
            gompper_kroll: matches!(mechanics.bending, Some(Bending::GompperKroll { .. })),
            curved: matches!(
                mechanics.bending,
                Some(Bending::Ring { rest: Rest::Shape, .. } | Bending::KantorNelson { rest: Rest::Shape, .. })
            ),
        }
    }

    pub(crate) fn quantities(&self) -> Quantities {
        let mut count = 0;
        let mut take = |wanted: bool, n: usize| {
            let first = count;
            count += if wanted { n } else { 0 };
            first
        };
        let length = take(self.springs, 1);
        let metric = take(self.strains, 2);
        let area = take(self.strains || self.local_area, 1);
        let spoke = take(self.kantor_nelson && self.curved, 1);
        let rim = take(self.kantor_nelson && self.curved, 1);
        Quantities { length, metric, area, spoke, rim, count }
    }
}

/// Number of invocations for each cell, and of cells in a workgroup.
pub(crate) fn teams(vertices: usize) -> (u32, u32) {
    let team = WORKGROUP.min(vertices as u32);
    (team, WORKGROUP / team)
}

/// The WGSL of the kernel.
pub(crate) fn wgsl(model: &Model, precision: Precision) -> String {
    let mechanics = &model.mechanics;
    let flags = Flags::of(model);
    let place = flags.quantities();
    let (team, teams) = teams(model.surface.vertices.len());
    let law = match mechanics.in_plane {
        None => "",
        Some(InPlane::Linear { .. }) => "linear.wgsl",
        Some(InPlane::Hardening { .. }) => "hardening.wgsl",
        Some(InPlane::WlcPower { .. }) => "wlc_power.wgsl",
        Some(InPlane::Skalak { .. }) => "skalak.wgsl",
        Some(InPlane::NeoHookean { .. }) => "neo_hookean.wgsl",
    };
    let in_plane = match mechanics.in_plane {
        None => context! {},
        Some(InPlane::Linear { k }) => context! { k => literal(k) },
        Some(InPlane::Hardening { k, limit }) => context! {
            k => literal(k),
            largest => literal(hardening::largest_stretch(limit)),
            per_reach => literal(1.0 / (limit - 1.0)),
            largest_pressed => literal(hardening::largest_press()),
            per_pressed => literal(1.0 / hardening::PRESSED),
        },
        Some(InPlane::WlcPower { .. }) => {
            let spring = model.spring().expect("the law has springs");
            context! {
                x0 => literal(spring.x0),
                largest => literal(wlc_power::LARGEST_SHARE),
                slope => literal(wlc_power::slope(wlc_power::LARGEST_SHARE)),
                repulsion => literal(spring.repulsion),
                b => literal(spring.strength),
                inverse_power => vec!["inverse"; spring.power as usize].join(" * "),
            }
        }
        Some(InPlane::Skalak { g, c }) => context! { g => literal(g), c => literal(c) },
        Some(InPlane::NeoHookean { g }) => context! { g => literal(g) },
    };
    let bending = match mechanics.bending {
        None => context! {},
        Some(Bending::Ring { kappa, .. }) => context! { kappa => literal(kappa), open => literal(ring_bending::OPEN) },
        Some(Bending::GompperKroll { kappa }) => context! { kappa => literal(kappa) },
        Some(Bending::KantorNelson { kappa, .. }) => context! { kb => literal(kantor_nelson::modulus(kappa)) },
    };
    let modulus = |k: f64| if k > 0.0 { literal(k) } else { String::new() };
    let context = context! {
        real => precision.real(),
        dimension => model.dimension,
        axes => (0..model.dimension).collect::<Vec<_>>(),
        workgroup => WORKGROUP,
        vertices => model.surface.vertices.len(),
        team,
        teams,
        nowhere => NOWHERE,
        area => literal(model.rest[0]),
        volume => literal(model.rest[1]),
        least_side => literal(ring_bending::LEAST_SIDE * model.side),
        damage_bits => Damage::BITS,
        damage => Damage::Membrane.code(),
        torn => Damage::Shape.code(),
        sound => SOUND.map(|bounds| bounds.map(literal)),
        capped => (CAPPED_LIMIT as f32).to_bits(),
        fraction => literal(1.0 / Coordinate::PER_UNIT),
        drift => literal(1.0 / DRIFT_SCALE),
        in_plane,
        bending,
        fairing => modulus(model.fairing()),
        fair => literal(fairing::FAIR * model.side),
        xyz => if model.dimension == 2 { "" } else { ".xyz" },
        global_area => modulus(mechanics.global_area),
        keeps_volume => modulus(mechanics.volume),
        local_area => modulus(mechanics.local_area),
        viscosity => mechanics.viscosity > 0.0,
        eta => literal(mechanics.viscosity),
        gamma => literal(viscosity::dashpot(mechanics.viscosity)),
        stretch => if model.dimension == 2 { law } else { "" },
        bends => mechanics.bending.is_some(),
        curved => flags.curved,
        springs => flags.springs,
        strains => if flags.strains { law } else { "" },
        kantor_nelson => flags.kantor_nelson,
        gompper_kroll => flags.gompper_kroll,
        triangles => model.surface.triangles.len(),
        valence => model.links.as_ref().map_or(0, super::links::Links::valence),
        rest => context! {
            length => place.length,
            metric => place.metric,
            area => place.area,
            spoke => place.spoke,
            rim => place.rim,
        },
    };
    let template = match model.dimension {
        2 => Template { name: "ring.wgsl", text: include_str!("ring.wgsl") },
        _ => Template { name: "mesh.wgsl", text: include_str!("mesh.wgsl") },
    };
    render(template, &PIECES, &context)
}

#[cfg(test)]
mod tests {
    use hematite_cells::{Mechanics, Surface};

    use super::*;

    fn triangle_ring() -> Surface {
        let vertices = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        Surface { dimension: 2, vertices, triangles: Vec::new() }
    }

    fn tetrahedron() -> Surface {
        let vertices = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let triangles = vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
        Surface { dimension: 3, vertices, triangles }
    }

    fn validate(model: &Model, precision: Precision) {
        let source = wgsl(model, precision);
        wgsl_checks::validate((&model.mechanics, precision), &source);
        assert_eq!(wgsl_checks::layout(&source, "Span").size, IMMEDIATES as usize);
    }

    #[test]
    fn every_permutation_is_valid_wgsl() {
        let plane = [None, Some(InPlane::Linear { k: 1e-3 }), Some(InPlane::Hardening { k: 2.0, limit: 1.2 })];
        let space = [
            None,
            Some(InPlane::WlcPower { mu: 1.0, x0: 1.0 / 2.2, power: 2.0 }),
            Some(InPlane::Skalak { g: 1.0, c: 10.0 }),
            Some(InPlane::NeoHookean { g: 1.0 }),
        ];
        let (kappa, flat, shape) = (1e-20, Rest::Flat, Rest::Shape);
        let ring = [None, Some(Bending::Ring { kappa, rest: flat }), Some(Bending::Ring { kappa, rest: shape })];
        let mesh = [
            None,
            Some(Bending::KantorNelson { kappa, rest: flat }),
            Some(Bending::KantorNelson { kappa, rest: shape }),
            Some(Bending::GompperKroll { kappa }),
        ];
        for (dimension, surface, in_planes, bendings) in
            [(2, triangle_ring(), &plane[..], &ring[..]), (3, tetrahedron(), &space[..], &mesh[..])]
        {
            for (&in_plane, &bending) in in_planes.iter().flat_map(|p| bendings.iter().map(move |b| (p, b))) {
                for choice in 0..32 {
                    let on = |bit: i32| f64::from(choice >> bit & 1);
                    let mechanics = Mechanics {
                        in_plane,
                        bending,
                        local_area: if dimension == 2 { 0.0 } else { on(0) },
                        global_area: on(1),
                        volume: on(2),
                        volume_share: 1.0,
                        viscosity: on(3),
                        fairing: on(4),
                        contrast: 1.0,
                    };
                    let model = Model::new(dimension, &surface, &mechanics).expect("sound");
                    for precision in [Precision::F32, Precision::F64] {
                        validate(&model, precision);
                    }
                }
            }
        }
    }
}
