//! The WGSL of every kernel, made from its template for a velocity set, a precision and the flags of a run.

mod context;
mod packing;
mod pairs;
mod variant;

use hematite_engine::Precision;
use hematite_gpu::{MAIN, PUT, TAKE, Template, render};
use minijinja::value::merge_maps;

use super::boundary::Entry;
use super::moment::Moment;
use super::walls::WallEntry;
use context::{collision, directions, forces, messages, streaming, sums, types};

pub(crate) use packing::Packing;
pub(crate) use pairs::{immediate_words, pair_names};

pub use variant::{Delivery, Immersed, Tuning, Variant};

const SHARED: [Template; 23] = [
    Template { name: "prelude.wgsl", text: include_str!("../prelude.wgsl") },
    MAIN,
    PUT,
    TAKE,
    Template { name: "state.wgsl", text: include_str!("../state.wgsl") },
    Template { name: "populations.wgsl", text: include_str!("../populations.wgsl") },
    Template { name: "link_tables.wgsl", text: include_str!("../link_tables.wgsl") },
    Template { name: "forces.wgsl", text: include_str!("../forces.wgsl") },
    Template { name: "contrast.wgsl", text: include_str!("../contrast.wgsl") },
    Template { name: "entry.wgsl", text: Entry::WGSL },
    Template { name: "wall_entry.wgsl", text: WallEntry::WGSL },
    Template { name: "crossing.wgsl", text: include_str!("../crossing.wgsl") },
    Template { name: "links.wgsl", text: include_str!("../links.wgsl") },
    Template { name: "upstream.wgsl", text: include_str!("../upstream.wgsl") },
    Template { name: "gather_apart.wgsl", text: include_str!("../gather_apart.wgsl") },
    Template { name: "gather.wgsl", text: include_str!("../gather.wgsl") },
    Template { name: "rates.wgsl", text: include_str!("../rates.wgsl") },
    Template { name: "share_of_node.wgsl", text: include_str!("../share_of_node.wgsl") },
    Template { name: "speeds.wgsl", text: include_str!("../speeds.wgsl") },
    Template { name: "collide.wgsl", text: include_str!("../collide.wgsl") },
    Template { name: "pairs.wgsl", text: include_str!("../pairs.wgsl") },
    Template { name: "moments_of_pairs.wgsl", text: include_str!("../moments_of_pairs.wgsl") },
    Template { name: "count.wgsl", text: include_str!("../count.wgsl") },
];

/// The kernels of the fluid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shader {
    /// Gather, collide, scatter; where bodies are in the fluid, what crosses into the message.
    Step,
    /// What pressure openings take from the state before a step.
    Pressure,
    /// By how much more arrives at openings than left.
    Excess,
    /// Openings and moving walls.
    Openings,
    /// Walls off half-way.
    Walls,
    /// Momentum that populations give to walls.
    WallForces,
    /// Velocity near the points of immersed walls.
    WallVelocity,
    /// A field for a dump.
    Moments(Moment),
    /// Mass, largest speed, health.
    Monitor,
    /// Largest speed and density deviation, in the midst of steps.
    Check,
    /// Velocity through openings.
    Passing,
    /// Crossing populations into the message.
    Pack,
    /// The message into crossing populations.
    Unpack,
}

/// Nodes side by side that an invocation of a kernel has. An even step touches no node but its own, and fewer, wider loads
/// and stores are faster: of 16 bytes a lane in f16, of 8 in f32.
pub(crate) fn width(shader: Shader, precision: Precision, odd: bool) -> u32 {
    match precision {
        _ if shader != Shader::Step || odd => 1,
        Precision::F16 => 4,
        Precision::F32 => 2,
        Precision::F64 => 1,
    }
}

/// The largest [`width`] of any kernel: dispatches of a step begin at multiples of it.
pub(crate) const LARGEST_WIDTH: u32 = 4;

/// Buffers that are bound once more, and by which names.
pub(crate) const AGAIN: [(&str, &str); 3] =
    [("marks_again", "marks"), ("distances_again", "distances"), ("node_force_z", "node_force")];

/// The WGSL of a kernel.
pub fn wgsl(shader: Shader, variant: &Variant, odd: bool) -> String {
    let template = match shader {
        Shader::Step => Template { name: "step.wgsl", text: include_str!("../step.wgsl") },
        Shader::Pressure => Template { name: "pressure.wgsl", text: include_str!("../pressure.wgsl") },
        Shader::Walls => Template { name: "walls.wgsl", text: include_str!("../walls.wgsl") },
        Shader::WallForces => Template { name: "wall_forces.wgsl", text: include_str!("../wall_forces.wgsl") },
        Shader::WallVelocity => Template { name: "wall_velocity.wgsl", text: include_str!("../wall_velocity.wgsl") },
        Shader::Excess => Template { name: "excess.wgsl", text: include_str!("../excess.wgsl") },
        Shader::Openings => Template { name: "openings.wgsl", text: include_str!("../openings.wgsl") },
        Shader::Moments(_) => Template { name: "moments.wgsl", text: include_str!("../moments.wgsl") },
        Shader::Monitor => Template { name: "monitor.wgsl", text: include_str!("../monitor.wgsl") },
        Shader::Check => Template { name: "check.wgsl", text: include_str!("../check.wgsl") },
        Shader::Passing => Template { name: "passing.wgsl", text: include_str!("../passing.wgsl") },
        Shader::Pack | Shader::Unpack => Template { name: "pack.wgsl", text: include_str!("../pack.wgsl") },
    };
    let parts = [
        types(shader, variant, odd),
        streaming(variant),
        collision(variant),
        forces(variant, shader),
        sums(),
        messages(shader, variant),
        directions(shader, variant),
    ];
    render(template, &SHARED, &merge_maps(parts))
}

#[cfg(test)]
mod tests {
    use hematite_case::VelocitySet;

    use super::*;

    /// Renders and validates all shaders of a set in every variant.
    fn every_permutation_is_valid(set: VelocitySet) {
        let shaders = [
            Shader::Step,
            Shader::Pressure,
            Shader::Excess,
            Shader::Openings,
            Shader::Walls,
            Shader::WallForces,
            Shader::WallVelocity,
            Shader::Moments(Moment::Density),
            Shader::Moments(Moment::Velocity),
            Shader::Moments(Moment::Stress),
            Shader::Monitor,
            Shader::Check,
            Shader::Passing,
            Shader::Pack,
            Shader::Unpack,
        ];
        for precision in [Precision::F32, Precision::F16, Precision::F64] {
            let two = Immersed::with(&[[0.7, 1.1], [0.9, 1.2]]);
            let immersed = [None, Some(Immersed::default()), Some(Immersed::with(&[[0.7, 1.1]])), Some(two)];
            for (k, immersed) in (0..96).map(|k| (k, immersed[k / 24])) {
                let (force, odd, held) = (k & 1 == 1, k & 2 == 2, k & 4 == 4);
                // Software, GPUs in f16, GPUs in f32.
                let way = k % 24 / 8;
                let joined = way == 0 && precision == Precision::F32;
                let (packs, wide) = (way > 0, way < 2);
                let tuning = Tuning { apart: way == 2, backwards: way > 0, wide, joined, packs };
                let variant = Variant {
                    set,
                    precision,
                    omega_plus: 1.3,
                    omega_minus: 0.9,
                    force,
                    immersed,
                    held,
                    openings: 2,
                    terms: if k % 2 == 0 { 1 } else { 3 },
                    tuning,
                    delivery: if way > 0 { Delivery::Signals } else { Delivery::Host },
                };
                for shader in shaders {
                    let source = wgsl(shader, &variant, odd);
                    wgsl_checks::validate((shader, &variant, odd), &source);
                }
                // Links carry words of 32 bits.
                let linked = Variant { delivery: Delivery::Link, ..variant };
                for shader in [Shader::Step, Shader::Pack, Shader::Unpack] {
                    if precision == Precision::F32 {
                        wgsl_checks::validate((shader, &linked, odd), &wgsl(shader, &linked, odd));
                    }
                }
            }
        }
    }

    #[test]
    fn every_permutation_is_valid_wgsl_in_2d() {
        every_permutation_is_valid(VelocitySet::D2Q9);
    }

    #[test]
    fn every_permutation_is_valid_wgsl_in_3d() {
        every_permutation_is_valid(VelocitySet::D3Q19);
    }

    #[test]
    fn only_odd_steps_go_backwards_and_only_where_told() {
        let backwards = |shader, backwards, odd| {
            let variant = Variant {
                set: VelocitySet::D3Q19,
                precision: Precision::F32,
                omega_plus: 1.3,
                omega_minus: 0.9,
                force: true,
                immersed: None,
                held: false,
                openings: 0,
                terms: 1,
                tuning: Tuning { apart: true, backwards, wide: true, joined: false, packs: true },
                delivery: Delivery::Signals,
            };
            wgsl(shader, &variant, odd).contains("groups.x * groups.y - 1u")
        };
        assert!(backwards(Shader::Step, true, true));
        for (shader, told, odd) in
            [(Shader::Step, true, false), (Shader::Step, false, true), (Shader::Monitor, true, true)]
        {
            assert!(!backwards(shader, told, odd), "{shader:?} {told} {odd}");
        }
    }

    #[test]
    fn the_entries_of_the_host_are_those_of_the_kernels() {
        let layout = |offsets: &[(&str, usize)], size| {
            let members = offsets.iter().map(|&(name, offset)| (name.to_owned(), offset)).collect();
            wgsl_checks::Layout { members, size }
        };
        let opening = [
            ("node", std::mem::offset_of!(Entry, node)),
            ("links", std::mem::offset_of!(Entry, links)),
            ("at_node", std::mem::offset_of!(Entry, at_node)),
            ("between", std::mem::offset_of!(Entry, between)),
            ("opening", std::mem::offset_of!(Entry, opening)),
            ("pressure", std::mem::offset_of!(Entry, pressure)),
        ];
        assert_eq!(wgsl_checks::layout(Entry::WGSL, "Entry"), layout(&opening, size_of::<Entry>()));
        let wall = [
            ("node", std::mem::offset_of!(WallEntry, node)),
            ("links", std::mem::offset_of!(WallEntry, links)),
            ("first", std::mem::offset_of!(WallEntry, first)),
        ];
        assert_eq!(wgsl_checks::layout(WallEntry::WGSL, "WallEntry"), layout(&wall, size_of::<WallEntry>()));
    }
}
