//! What templates are told, part by part.

use hematite_engine::{FORCE_SCALE, Precision};
use hematite_gpu::{WORKGROUP, literal};
use minijinja::{Value, context};

use super::pairs::{k_with, pair, row_width, signed_sum};
use super::{Delivery, Shader, Variant, width};
use crate::checks::CHECK_EVERY;
use crate::links;
use crate::moment::{MASS_QUANTUM, Monitor, Passing, QUANTA};
use crate::schedule::Row;
use crate::wall_points::WALL_FORCE_SCALE;

const NAMES: [&str; 3] = ["x", "y", "z"];

/// Types and numbers of a kernel that has one node an invocation, or several side by side.
pub(super) fn types(shader: Shader, variant: &Variant, odd: bool) -> Value {
    let (set, precision) = (variant.set, variant.precision);
    let axes = &NAMES[..set.dimension()];
    let width = width(shader, precision, odd);
    // Of each of the nodes side by side.
    let velocity = |lane: usize| {
        let lane = if width == 1 { "" } else { [".x", ".y", ".z", ".w"][lane] };
        let along =
            |a: usize| axes.get(a).map_or_else(|| format!("{}(0.0)", precision.real()), |a| format!("u{a}{lane}"));
        let components = (0..set.dimension().next_power_of_two()).map(along).collect::<Vec<_>>().join(", ");
        format!("{}({components})", precision.vector(set.dimension()))
    };
    context! {
        half => precision == Precision::F16,
        real => side_by_side(precision.real(), width),
        stored => if variant.tuning.joined && width == 2 { "u64".to_owned() } else { side_by_side(precision.stored(), width) },
        joined => variant.tuning.joined,
        bits => side_by_side("u32", width),
        ints => side_by_side("i32", width),
        number => precision.real(),
        number_stored => precision.stored(),
        storage_scale => literal(precision.storage_scale()),
        vector => precision.vector(set.dimension()),
        velocities => (0..width as usize).map(velocity).collect::<Vec<_>>(),
        width,
        odd,
        workgroup => WORKGROUP,
        moment => match shader {
            Shader::Moments(moment) => moment.name(),
            _ => "",
        },
    }
}

/// The WGSL type of `width` values of `scalar`.
fn side_by_side(scalar: &str, width: u32) -> String {
    if width == 1 { scalar.to_owned() } else { format!("vec{width}<{scalar}>") }
}

/// How a node finds its populations.
pub(super) fn streaming(variant: &Variant) -> Value {
    let set = variant.set;
    context! {
        q => set.q(),
        row => side_by_side("u32", row_width(set)),
        row_loads => links::rows(set).len() as u32 / row_width(set),
        group => links::GROUP,
        lists => links::LISTS,
        listed => 1_u32 << (set.q() - 1),
        walls => (1_u32 << (set.q() - 1)) - 1,
        apart => variant.tuning.apart,
        backwards => variant.tuning.backwards,
        again => "",
    }
}

/// Weights and rates of the collision.
pub(super) fn collision(variant: &Variant) -> Value {
    let set = variant.set;
    context! {
        w0 => literal(set.weight(0)),
        weights => [literal(set.weight(1)), literal(set.weight(set.q() - 1))],
        omega_plus => literal(variant.omega_plus),
        omega_minus => literal(variant.omega_minus),
        contrast => variant.contrast(),
        insides => variant.insides().map(|(k, _)| context! { k, bit => 1_u32 << k }).collect::<Vec<_>>(),
        local_omegas => ["plus", "minus"].iter().enumerate().map(|(part, name)| {
            let outside = format!("OMEGA_{}", name.to_uppercase());
            let value = variant.insides().fold(outside, |others, (k, rates)| {
                format!("select({others}, real({}), within{k})", literal(rates[part]))
            });
            context! { name, value }
        }).collect::<Vec<_>>(),
    }
}

/// Which forces act, and where they come from.
pub(super) fn forces(variant: &Variant, shader: Shader) -> Value {
    let dimension = variant.set.dimension();
    context! {
        body_force => variant.force,
        immediate_force => variant.immediate_force(shader),
        immersed => variant.immersed.is_some(),
        wide => variant.tuning.wide,
        z => if dimension == 3 { ", z" } else { "" },
        pushed => NAMES[..dimension].iter().map(|axis| format!("pushed.{axis} != 0")).collect::<Vec<_>>().join(" || "),
        held => variant.acts(shader),
        force => variant.force || variant.immersed.is_some() || variant.acts(shader),
        forces => force(variant, shader),
        force_scale => literal(FORCE_SCALE),
        wall_force_scale => literal(WALL_FORCE_SCALE),
        row_of_schedule => Row::len(variant.openings, variant.terms),
        terms => variant.terms,
        several_terms => variant.terms > 1,
    }
}

/// The force on node n along each axis: that of the schedule, that of the cells and that of the walls.
fn force(variant: &Variant, shader: Shader) -> Vec<String> {
    let along = |a: usize| {
        let body = variant.force.then(|| match variant.immediate_force(shader) {
            true => format!("span.force_{}", a + 1),
            false => format!("schedule[span.row * ROW + {a}u]"),
        });
        let cells = variant.immersed.map(|_| format!("real(pushed.{}) * FORCE_QUANTUM", NAMES[a]));
        let walls =
            variant.acts(shader).then(|| format!("real(wall_force[{a}u * span.stride + n]) * WALL_FORCE_QUANTUM"));
        [body, cells, walls].into_iter().flatten().collect::<Vec<_>>().join(" + ")
    };
    (0..variant.set.dimension()).map(along).collect()
}

/// Units of what is added up as integers, and limits of what is checked.
pub(super) fn sums() -> Value {
    context! {
        check_every => CHECK_EVERY,
        coarse_scale => literal(1.0 / QUANTA[0]),
        fine_scale => literal(1.0 / QUANTA[1]),
        mass_scale => literal(1.0 / MASS_QUANTUM),
        passing_scale => literal(1.0 / Passing::QUANTUM),
        insane => format!("{:#010x}", Monitor::INSANE.to_bits()),
    }
}

/// Which kernels pack, send and await messages.
pub(super) fn messages(shader: Shader, variant: &Variant) -> Value {
    let by_message = matches!(shader, Shader::Pack | Shader::Unpack);
    context! {
        unpack => shader == Shader::Unpack,
        packs_after => variant.packs(shader),
        word => variant.precision.stored(),
        linked => variant.delivery == Delivery::Link,
        sends => variant.delivery == Delivery::Signals && (shader == Shader::Pack || variant.packs(shader)),
        awaits => variant.delivery == Delivery::Signals && shader == Shader::Unpack,
        row_or_round => if variant.delivery != Delivery::Host && by_message { "round" } else { "row" },
        ..sending(variant, shader),
    }
}

/// Which workgroups send, where not all do.
fn sending(variant: &Variant, shader: Shader) -> Value {
    match variant.packs(shader) {
        true => context! {
            sending => "groups_of_nodes() - span.packs",
            sends_if => "span.sends != 0u && packing(number)",
        },
        false => context! {},
    }
}

/// Whether `across`, a mask of links, holds all that go one way along another axis than `a`, and no others.
fn across_others(c: &[[i32; 3]], a: usize, axes: usize) -> String {
    let others = (0..axes).filter(|&other| other != a).flat_map(|other| [(other, -1), (other, 1)]);
    let links = |(axis, way)| (1..c.len()).filter(|&i| c[i][axis] == way).map(|i| 1_u32 << i).sum::<u32>();
    others.map(|face| format!("across == {}u", links(face))).collect::<Vec<_>>().join(" || ")
}

/// Sums over directions, written out.
pub(super) fn directions(shader: Shader, variant: &Variant) -> Value {
    let set = variant.set;
    let axes = &["x", "y", "z"][..set.dimension()];
    let c = set.velocities();
    let body_force_alone = variant.immediate_force(shader) && variant.immersed.is_none() && !variant.acts(shader);
    context! {
        pairs => (1..=set.q() / 2).map(|k| pair(set, &c, k, body_force_alone)).collect::<Vec<_>>(),
        axes => axes.iter().enumerate().map(|(a, name)| context! {
            name,
            index => a,
            momentum => signed_sum(k_with(&c, |c| c[a]), "difference"),
            across_others => across_others(&c, a, axes.len()),
        }).collect::<Vec<_>>(),
        sum_of_pairs => (1..=set.q() / 2).map(|k| format!(" + sum{k}")).collect::<String>(),
        squares => axes.iter().map(|a| format!("u{a} * u{a}")).collect::<Vec<_>>().join(" + "),
        u_dot_f => axes.iter().map(|a| format!("u{a} * F{a}")).collect::<Vec<_>>().join(" + "),
        stresses => [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2)].iter().enumerate().map(|(index, &(a, b))| context! {
            index,
            a => ["x", "y", "z"][a],
            b => ["x", "y", "z"][b],
            sum => signed_sum(k_with(&c, |c| c[a] * c[b]), "rest"),
        }).collect::<Vec<_>>(),
    }
}
