//! The WGSL of the kernels of rigid bodies.

use hematite_config::Result;
use hematite_engine::particles::{Fixed, Law};
use hematite_engine::sites::{self, Coordinate, FLUID, PIECES};
use hematite_engine::{ADD_FORCE, FORCE_SCALE, SurfaceContact, surface_push};
use hematite_gpu::{Gpu, Kernel, MAIN, Template, WORKGROUP, literal, render};
use minijinja::{Value, context};

use super::lists::{SPEEDS, SPEEDS_APART};
use super::parameters::{FASTEST, LEAST_WEIGHT, Parameters, VARIANCE};
use super::{Damage, LAWS, surface, wca};

/// Invocations side by side that share a body's region when it answers.
pub(super) const ABREAST: u32 = 2;

/// What a body's region sums up to, in numbers: one and seven vectors.
pub(super) const SUMS: u32 = 22;

/// Bytes of a `Span` of prelude.wgsl.
const SPAN_BYTES: u32 = 48;

const KIND: Template = Template { name: "kind.wgsl", text: include_str!("kind.wgsl") };
const MEMBERS: Template = Template { name: "members.wgsl", text: include_str!("members.wgsl") };

/// Forces and torques of contact as integers. A torque is at most the force times the body's length; two dozen of
/// them fit.
pub(super) fn contact_numbers(parameters: &Parameters) -> Fixed {
    let largest = parameters.pairs.largest.max(parameters.wall.map_or(0.0, |wall| wall.largest));
    let longest = parameters.kinds.iter().map(|kind| kind.radius()).fold(1.0, f64::max);
    Fixed::fitting(2.0 * largest * longest, 24.0)
}

/// What bodies do to each other, which [`hematite_engine::particles::Pairs`] takes.
pub(super) fn contact(parameters: &Parameters) -> Law {
    let fixed = contact_numbers(parameters);
    Law {
        template: Template { name: "contact.wgsl", text: include_str!("contact.wgsl") },
        pieces: [LAWS.as_slice(), &[KIND, MEMBERS]].concat(),
        context: context! { wca => wca::context(), gay_berne => gay_berne(parameters), moving => false, turning => false },
        range: parameters.range(),
        force: fixed,
        others: Some((3, fixed)),
    }
}

/// What bodies and points of soft surfaces do to each other, which [`hematite_engine::particles::Between`] takes.
pub(super) fn touch(parameters: &Parameters, contact: &SurfaceContact) -> Law {
    let range = parameters.surface_range(contact);
    Law {
        template: Template { name: "touch.wgsl", text: include_str!("touch.wgsl") },
        pieces: [LAWS.as_slice(), &[KIND]].concat(),
        context: context! {
            wca => wca::context(),
            gay_berne => gay_berne(parameters),
            surface => surface::context(contact),
        },
        range,
        force: surface_push(),
        others: Some((3, surface::torques(range))),
    }
}

fn gay_berne(parameters: &Parameters) -> Value {
    let shapes: Vec<_> = parameters.kinds.iter().map(|kind| kind.shape).collect();
    parameters.pairs.context(&shapes)
}

/// The sums of what others do to bodies, and what a unit of them is as force and as torque.
fn actions(parameters: &Parameters) -> Vec<Value> {
    let of_bodies = contact_numbers(parameters).scale;
    let contact = context! { name => "contact", force => literal(1.0 / of_bodies), torque => literal(1.0 / of_bodies) };
    let push = parameters.surface.map(|contact| {
        let torques = surface::torques(parameters.surface_range(&contact)).scale;
        context! { name => "push", force => literal(1.0 / surface_push().scale), torque => literal(1.0 / torques) }
    });
    std::iter::once(contact).chain(push).collect()
}

/// The kernels of rigid bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shader {
    /// What the fluid does in a body's region.
    Gather,
    /// Forces from walls.
    Walls,
    /// Drag, and momenta kicked by all forces.
    Kick,
    /// Reactions to the fluid.
    Spread,
    /// Bodies along their velocities.
    Drift,
    /// Bodies that leave through openings.
    Leave,
}

impl Shader {
    /// Those of a run.
    pub(super) fn of(parameters: &Parameters) -> impl Iterator<Item = Self> {
        let (walls, in_fluid) = (parameters.wall.is_some(), parameters.in_fluid);
        Self::ALL.into_iter().filter(move |shader| match shader {
            Self::Walls => walls,
            Self::Gather | Self::Spread => in_fluid,
            _ => true,
        })
    }

    /// All of them.
    pub const ALL: [Self; 6] = [Self::Gather, Self::Walls, Self::Kick, Self::Spread, Self::Drift, Self::Leave];

    fn template(self) -> Template {
        match self {
            Self::Gather => Template { name: "gather.wgsl", text: include_str!("gather.wgsl") },
            Self::Walls => Template { name: "walls.wgsl", text: include_str!("walls.wgsl") },
            Self::Kick => Template { name: "kick.wgsl", text: include_str!("kick.wgsl") },
            Self::Spread => Template { name: "spread.wgsl", text: include_str!("spread.wgsl") },
            Self::Drift => Template { name: "drift.wgsl", text: include_str!("drift.wgsl") },
            Self::Leave => Template { name: "leave.wgsl", text: include_str!("leave.wgsl") },
        }
    }

    /// Its WGSL; `wide`: whether forces on nodes are, see [`hematite_engine::NodeForces`].
    pub fn wgsl(self, parameters: &Parameters, wide: bool) -> String {
        let axes: Vec<Value> =
            (0..3).map(|a| sites::axis(a, parameters.extent[a] as i32, parameters.periodic[a])).collect();
        let corner = |index: usize| {
            let along = |stem: &str, a: usize| format!("{stem}{}{}", ["x", "y", "z"][a], index >> a & 1);
            let joined = |stem: &str, by: &str| (0..3).map(|a| along(stem, a)).collect::<Vec<_>>().join(by);
            context! { index, place => joined("k", " + "), local => joined("l", " | ") }
        };
        let context = context! {
            real => parameters.precision.real(),
            workgroup => WORKGROUP,
            vector => parameters.precision.vector(3),
            dimension => 3,
            wide,
            axes,
            fluid => FLUID,
            block_bits => 9,
            abreast => ABREAST,
            sharing => parameters.lanes(),
            in_fluid => parameters.in_fluid,
            turning => matches!(self, Self::Kick | Self::Drift),
            moving => matches!(self, Self::Kick | Self::Drift | Self::Leave),
            breaking => self == Self::Kick,
            at_wall => self == Self::Walls,
            corners => (0..8).map(corner).collect::<Vec<Value>>(),
            reach => parameters.pairs.reach().max(parameters.wall.map_or(0.0, |wall| wall.reach())),
            wca => wca::context(),
            gay_berne => gay_berne(parameters),
            wall => parameters.wall.map(|wall| wall.context()),
            sums => ["Wd", "Ws", "Wo", "Wu", "Wxd", "Wyd", "Wzd"]
                .iter()
                .enumerate()
                .map(|(k, name)| context! { name, first => 1 + 3 * k })
                .collect::<Vec<Value>>(),
            fastest_squared => literal(FASTEST * FASTEST),
            least_weight => literal(LEAST_WEIGHT),
            variance => literal(VARIANCE),
            contact => {
                let Fixed { largest, scale } = contact_numbers(parameters);
                context! { largest => literal(largest), scale => literal(scale) }
            },
            actions => actions(parameters),
            largest_answer => literal(0.25),
            scale => context! {
                weight => literal(parameters.weight_scale()),
                velocity => literal(2.0 * parameters.weight_scale()),
                force => literal(FORCE_SCALE),
                way => literal(Coordinate::PER_UNIT),
            },
            speeds => context! { count => SPEEDS, apart => SPEEDS_APART },
            damage => context! {
                bits => Damage::BITS,
                speed => Damage::Speed as u32,
                wall => Damage::Wall as u32,
                crowd => Damage::Crowd as u32,
            },
            ..sites::fractions()
        };
        let own = [
            Template { name: "prelude.wgsl", text: include_str!("prelude.wgsl") },
            KIND,
            MEMBERS,
            Template { name: "region.wgsl", text: include_str!("region.wgsl") },
            Template { name: "whole.wgsl", text: include_str!("whole.wgsl") },
            Template { name: "kernel.wgsl", text: include_str!("kernel.wgsl") },
            Template { name: "flow_fit.wgsl", text: include_str!("flow_fit.wgsl") },
            Template { name: "drag.wgsl", text: include_str!("drag.wgsl") },
        ];
        render(self.template(), &[[MAIN, ADD_FORCE].as_slice(), &own, &PIECES, &LAWS].concat(), &context)
    }

    pub(super) fn kernel(self, gpu: &Gpu, parameters: &Parameters, wide: bool) -> Result<Kernel> {
        Kernel::new(gpu, &format!("{self:?} of rigid bodies"), &self.wgsl(parameters, wide), SPAN_BYTES)
    }
}

#[cfg(test)]
mod tests {
    use super::super::gay_berne::{GayBerne, Shape};
    use super::super::parameters::Kind;
    use super::super::wall::Wall;
    use super::*;
    use hematite_engine::Precision;

    const SURFACE: SurfaceContact = SurfaceContact { range: 1.0, pressure: 0.02, fastest: 0.4, support: 2.0 };

    #[test]
    fn every_permutation_is_valid_wgsl() {
        for k in 0..16 {
            let kind = Kind {
                name: "red".into(),
                shape: Shape::new([1.5, 1.5, 0.5]),
                half_widths: [3.0, 3.0, 1.0],
                gamma_t: [1.0; 3],
                gamma_r: [1.0; 3],
                mass: 5.0,
                inertia: [1.0; 3],
                lambda: [-0.8, 0.8, 0.0],
                force: [0.0; 3],
                torque: [0.0; 3],
                seeded: 1,
            };
            let parameters = Parameters {
                precision: [Precision::F32, Precision::F64][k % 2],
                kinds: vec![kind],
                pairs: GayBerne { epsilon: 1e-3, sigma: 0.3, gamma: 1.0, mu: 0, upsilon: 0, largest: 0.1 },
                wall: (k / 2 % 2 == 1).then_some(Wall { epsilon: 1e-3, sigma: 0.3, largest: 0.1 }),
                surface: (k % 3 == 1).then_some(SURFACE),
                extent: [40, 41, 64],
                periodic: [k >= 4, false, true],
                spacing: 1.0,
                origin: [0.0; 3],
                in_fluid: k < 8,
                sharing: Some([1, 64][k / 2 % 2]),
            };
            for shader in Shader::of(&parameters) {
                for wide in [false, true] {
                    wgsl_checks::validate((shader, wide), &shader.wgsl(&parameters, wide));
                }
            }
            let contact = contact(&parameters).wgsl(&parameters.setting()).expect("tiles that are large enough");
            wgsl_checks::validate("contact", &contact);
            let touch = touch(&parameters, &SURFACE).wgsl_between(&parameters.setting());
            for side in touch.expect("tiles that are large enough") {
                wgsl_checks::validate("touch", &side);
            }
        }
    }
}
