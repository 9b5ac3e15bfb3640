//! The WGSL of a prototype.

use hematite_case::VelocitySet;
use hematite_gpu::{Template, render};
use minijinja::{Value, context};
use physics_lattice_boltzmann::links;

use super::directions;
use super::variants::{Links, Variant};

/// Links that are bound once more, and by which names.
pub const AGAIN: [(&str, &str); 2] = [("groups_again", "groups"), ("distances_again", "distances")];

/// Moments of a node: density, momentum, stress.
pub const MOMENTS: usize = 10;

const COMPONENTS: [&str; 4] = ["x", "y", "z", "w"];

/// Of each pair of opposite directions the one that comes from a node further on in memory.
pub fn from_ahead(set: VelocitySet) -> Vec<usize> {
    let c = set.velocities();
    let backwards = |i: &usize| [c[*i][2], c[*i][1], c[*i][0]] < [0, 0, 0];
    (1..set.q()).filter(backwards).collect()
}

/// Nodes of an invocation in even or odd steps: side by side, and a workgroup apart.
pub fn nodes(variant: Variant, odd: bool) -> (u32, u32) {
    match (variant.links, odd) {
        (Links::Esoteric, _) => (variant.wide, 1),
        (_, true) => (1, variant.many),
        (_, false) => (variant.wide, 1),
    }
}

/// Names of the arrays of pair `k`: of the population that is at the node, and of the one beside, for esoteric pull.
fn near_and_far(k: usize, odd: bool) -> [String; 2] {
    let [a, b] = [format!("a_{k}"), format!("b_{k}")];
    if odd { [b, a] } else { [a, b] }
}

fn side_by_side(scalar: &str, width: usize) -> String {
    if width == 1 { scalar.to_owned() } else { format!("vec{width}<{scalar}>") }
}

/// Neighbouring rows, and how many of their distances are loaded at once.
fn rows(set: VelocitySet, variant: Variant) -> (Vec<[i32; 2]>, usize) {
    let rows = match variant.links {
        Links::Esoteric => links::rows_along(set, &from_ahead(set)),
        _ => links::rows(set),
    };
    let width = rows.len().min(4);
    (rows, width)
}

/// The WGSL of a prototype for even or odd steps.
pub fn wgsl(set: VelocitySet, variant: Variant, odd: bool) -> String {
    let c = set.velocities();
    let (wide, many) = nodes(variant, odd);
    let (rows, row_width) = rows(set, variant);
    let signed = |factor: &dyn Fn([i32; 3]) -> i32, stem: &str| -> String {
        let terms = (1..=set.q() / 2).filter_map(|k| match factor(c[2 * k - 1]) {
            0 => None,
            sign => Some(format!(" {} {stem}{k}", if sign > 0 { '+' } else { '-' })),
        });
        format!("(0.0{})", terms.collect::<String>())
    };
    let axes = (0..set.dimension())
        .map(|a| context! { name => COMPONENTS[a], index => a, momentum => signed(&|c| c[a], "difference") })
        .collect::<Vec<_>>();
    let all_walls = (1_u32 << (set.q() - 1)) - 1;
    let context = context! {
        stored => if variant.half { "f16" } else { "f32" },
        odd, wide, many, all_walls, axes,
        shift => if let Links::Fixed(shift) = variant.links { shift } else { 0 },
        squares => ["ux * ux", "uy * uy", "uz * uz"][..set.dimension()].join(" + "),
        u_dot_f => ["ux * span.force_1", "uy * span.force_2", "uz * span.force_3"][..set.dimension()].join(" + "),
        copy => variant.copy,
        links => variant.links.name(),
        split => variant.links == Links::Split,
        apart => variant.apart,
        reread => variant.reread,
        workgroup => variant.workgroup,
        directions => set.q() - 1,
        direction_loads => directions::row(set) / 4,
        row_loads => rows.len() / row_width,
        listed_bit => 1_u32 << (set.q() - 1),
        row_components => &"xyzw"[..row_width],
        w0 => format!("{:?}", set.weight(0)),
        weights => [format!("{:?}", set.weight(1)), format!("{:?}", set.weight(set.q() - 1))],
        pairs => (1..=set.q() / 2).map(|k| pair(set, &rows, k, odd)).collect::<Vec<_>>(),
        sum_of_pairs => (1..=set.q() / 2).map(|k| format!(" + sum{k}")).collect::<String>(),
        moments => MOMENTS,
        row => side_by_side("u32", row_width),
        stored_wide => side_by_side(if variant.half { "f16" } else { "f32" }, wide as usize),
    };
    let shared = [
        Template { name: "head.wgsl", text: include_str!("head.wgsl") },
        Template { name: "upstream.wgsl", text: include_str!("upstream.wgsl") },
        Template { name: "moments.wgsl", text: include_str!("moments.wgsl") },
        Template { name: "collide.wgsl", text: include_str!("collide.wgsl") },
    ];
    let template = match variant.links {
        Links::Tiles => Template { name: "tiles.wgsl", text: include_str!("tiles.wgsl") },
        Links::Esoteric => Template { name: "esoteric.wgsl", text: include_str!("esoteric.wgsl") },
        _ => Template { name: "step.wgsl", text: include_str!("step.wgsl") },
    };
    render(template, &shared, &context)
}

/// What templates know of pair `k`.
fn pair(set: VelocitySet, rows: &[[i32; 2]], k: usize, odd: bool) -> Value {
    let c = set.velocities();
    let (i, j) = (2 * k - 1, 2 * k);
    let width = rows.len().min(4);
    let dot = ["x", "y", "z"].iter().zip(c[i]).filter(|&(_, sign)| sign != 0);
    let dot = dot.map(|(axis, sign)| format!("{} u{axis}", if sign > 0 { '+' } else { '-' }));
    let step_back = |c: [i32; 3]| ["- 1u", "", "+ 1u"][(1 - c[0]) as usize];
    let beside = |c: [i32; 3]| {
        let row = rows.iter().position(|&row| row == [-c[1], -c[2]]);
        let component = |row: usize| if width == 1 { String::new() } else { format!(".{}", COMPONENTS[row % width]) };
        row.map(|row| [(row / width).to_string(), component(row)])
    };
    // Of the two, the one that comes from a node further on in memory, and its opposite.
    let ahead = from_ahead(set)[k - 1];
    let behind = VelocitySet::opposite(ahead);
    let [near, far] = near_and_far(k, odd);
    context! {
        k, i, j, ahead, behind, near, far,
        shell => if set.weight(i) == set.weight(1) { 1 } else { 2 },
        c_dot_u => format!("(0.0{})", dot.collect::<String>()),
        upstream_i => step_back(c[i]), upstream_j => step_back(c[j]), upstream_ahead => step_back(c[ahead]),
        beside_i => beside(c[i]), beside_j => beside(c[j]), beside_ahead => beside(c[ahead]),
        bit_i => 1_u32 << (i - 1),
        bit_j => 1_u32 << (j - 1),
        bit_ahead => 1_u32 << (ahead - 1),
        bit_behind => 1_u32 << (behind - 1),
        row_i => (i - 1) / 4, at_i => (i - 1) % 4,
        row_j => (j - 1) / 4, at_j => (j - 1) % 4,
    }
}
