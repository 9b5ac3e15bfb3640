//! The WGSL of the suspension's kernels, made from its templates for a dimension, a precision and a domain.

use hematite_config::Result;
use hematite_engine::sites::{FLUID, PIECES, SOLID, SiteMap};
use hematite_engine::{ADD_FORCE, DRIFT_SCALE, FORCE_SCALE, Precision, Support, sites, surface_push};
use hematite_gpu::{Gpu, Kernel, MAIN, Template, WORKGROUP, literal, render};
use hematite_membrane::{
    Damage, FASTEST, LARGEST_FORCE, LARGEST_NODE_FORCE, LEAST_WEIGHT, NONE, NOWHERE, WHICH, Which,
};
use minijinja::{Value, context};

use super::contact_parameters::{ContactParameters, LARGEST_PUSH, SCALE};
use super::listing::Listing;
use super::wall_distance::{self, FASTEST_AT_WALL, FLAT, LEAST, RETURN, SLIP, SLOW};

const OWN: [Template; 11] = [
    MAIN,
    ADD_FORCE,
    WHICH,
    Template { name: "join.wgsl", text: include_str!("join.wgsl") },
    Template { name: "first_link.wgsl", text: include_str!("first_link.wgsl") },
    Template { name: "may_touch.wgsl", text: include_str!("may_touch.wgsl") },
    Template { name: "prelude.wgsl", text: include_str!("prelude.wgsl") },
    Template { name: "wall_hold.wgsl", text: include_str!("wall_hold.wgsl") },
    Template { name: "weights.wgsl", text: include_str!("weights.wgsl") },
    Template { name: "repulsion.wgsl", text: include_str!("repulsion.wgsl") },
    Template { name: "morse.wgsl", text: include_str!("morse.wgsl") },
];

/// The kernels between vertices, nodes and tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shader {
    /// Velocities from nodes to vertices.
    Interpolate,
    /// Vertices along their velocities.
    Advance,
    /// Forces from vertices to nodes.
    Spread,
    /// One value all over an array.
    Fill,
    /// Zero in what vertices add to.
    Clear,
    /// Whether lists of neighbours still hold.
    Due,
    /// Vertices into the lists of tiles.
    Bin,
    /// The vertices that may come into contact.
    Neighbours,
    /// Forces between cells and from walls; with [`Variant::splits`] without those of `FewContacts`.
    Contact,
    /// Forces between cells, on vertices with few neighbours and no wall near.
    FewContacts,
    /// The box around each cell.
    Bounds,
    /// Cells that other ranks than before may have to hold.
    Strays,
    /// How many cells are broken.
    Broken,
    /// Nodes inside cells.
    Inside,
    /// Constant forces on vertices.
    Pull,
    /// The largest force on a vertex while cells grow.
    Cap,
}

/// What kernels are specialised for.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// 2 or 3.
    pub dimension: usize,
    /// Arithmetic.
    pub precision: Precision,
    /// Sites of the domain along each axis.
    pub extent: [i32; 3],
    /// Directions in which it wraps.
    pub periodic: [bool; 3],
    /// The kernel between vertices and nodes.
    pub support: Support,
    /// Contact and the lists for it; the kernels of contact alone need it.
    pub contact: Option<(ContactParameters, Listing)>,
    /// Whether contact has a kernel of its own for vertices with few neighbours and no wall near: faster on devices that
    /// go by lanes, see [`Gpu::goes_by_lanes`]; elsewhere a kernel more costs more.
    pub splits: bool,
    /// Whether others push vertices.
    pub pushed: bool,
    /// Whether workgroups join what their vertices spread.
    pub joins: bool,
    /// Whether forces on nodes are wide, see [`hematite_engine::NodeForces`].
    pub wide: bool,
}

impl Variant {
    /// For kernels that care for the dimension alone.
    pub(super) fn of_dimension(dimension: usize) -> Self {
        Self {
            dimension,
            precision: Precision::F32,
            extent: [1; 3],
            periodic: [false; 3],
            support: Support::Two,
            contact: None,
            splits: false,
            pushed: false,
            joins: false,
            wide: false,
        }
    }
}

/// Marks vertices near a wall among those that may come into contact; the bits below are for the tiles around, those above
/// count neighbours.
const WALL_BIT: u32 = 1 << 27;

/// Neighbours that a vertex's list holds in 2-D and 3-D; with more, the tiles around are walked.
pub(super) const MOST_NEIGHBOURS: [u32; 2] = [8, 14];

/// The count of a vertex with too many neighbours.
const WALK: u32 = 15;

/// Nodes for which a workgroup joins what its vertices spread. 256 vertices of a red cell, one spacing apart, spread to some
/// 500 nodes; more places leave less memory for other workgroups (docs/experiments.md, "Spreading").
const PLACES: u32 = 512;

/// Places that are tried for a node before its force is added without being joined.
const TRIES: u32 = 4;

/// Smaller forces are weak: the load of a node is without them.
const STRONG: f64 = 1.0 / 1024.0;

/// The unit of a node's load is that of forces times two to this power: 1/256 lattice units.
const LOAD_SHIFT: u32 = 22;

/// Bytes of the immediate data of kernels with the span of `prelude.wgsl`.
const IMMEDIATES: u32 = 64;

/// What a dispatch works on, see `prelude.wgsl`; zero where a kernel does not care.
#[derive(Clone, Copy, Default)]
pub(super) struct Span {
    pub stride: u32,
    pub node_stride: u32,
    pub step: u32,
    pub steps: u32,
    pub first: u32,
    pub vertices: u32,
    pub faces: u32,
    pub mark: u32,
    pub which: Which,
}

impl Span {
    /// The immediate data of a dispatch over `count` items.
    pub fn words(self, count: u32, map: Option<&SiteMap>) -> Vec<u32> {
        let Self { stride, node_stride, step, steps, first, vertices, faces, mark, which } = self;
        let map = map.map_or([0; 6], SiteMap::words);
        let which = which.code();
        [[count, stride, node_stride, step, steps, first, vertices, faces, mark, which].as_slice(), &map].concat()
    }
}

/// Compiles a kernel.
pub(super) fn kernel(gpu: &Gpu, shader: Shader, variant: &Variant) -> Result<Kernel> {
    let immediates = match shader {
        Shader::Fill => 12,
        Shader::Clear => 8,
        Shader::Strays => 8,
        Shader::Broken => 4,
        _ => IMMEDIATES,
    };
    Kernel::new(gpu, &format!("{shader:?}"), &wgsl(shader, variant), immediates)
}

/// The WGSL of a kernel.
pub fn wgsl(shader: Shader, variant: &Variant) -> String {
    let template = match shader {
        Shader::Interpolate => Template { name: "interpolate.wgsl", text: include_str!("interpolate.wgsl") },
        Shader::Advance => Template { name: "advance.wgsl", text: include_str!("advance.wgsl") },
        Shader::Spread => Template { name: "spread.wgsl", text: include_str!("spread.wgsl") },
        Shader::Fill => Template { name: "fill.wgsl", text: include_str!("fill.wgsl") },
        Shader::Clear => Template { name: "clear.wgsl", text: include_str!("clear.wgsl") },
        Shader::Due => Template { name: "due.wgsl", text: include_str!("due.wgsl") },
        Shader::Neighbours => Template { name: "neighbours.wgsl", text: include_str!("neighbours.wgsl") },
        Shader::Bin => Template { name: "bin.wgsl", text: include_str!("bin.wgsl") },
        Shader::FewContacts | Shader::Contact => Template { name: "contact.wgsl", text: include_str!("contact.wgsl") },
        Shader::Bounds => Template { name: "bounds.wgsl", text: include_str!("bounds.wgsl") },
        Shader::Strays => Template { name: "strays.wgsl", text: include_str!("strays.wgsl") },
        Shader::Broken => Template { name: "broken.wgsl", text: include_str!("broken.wgsl") },
        Shader::Inside => Template { name: "inside.wgsl", text: include_str!("inside.wgsl") },
        Shader::Pull => Template { name: "pull.wgsl", text: include_str!("pull.wgsl") },
        Shader::Cap => Template { name: "cap.wgsl", text: include_str!("cap.wgsl") },
    };
    let axes: Vec<Value> = (0..variant.dimension).map(|a| axis(variant, a)).collect();
    let context = context! {
        real => variant.precision.real(),
        workgroup => WORKGROUP,
        dimension => variant.dimension,
        vector => variant.precision.vector(variant.dimension),
        empty => NONE,
        numbered => shader == Shader::Advance,
        nowhere => NOWHERE,
        fluid => FLUID,
        solid => SOLID,
        axes,
        damage => context! {
            bits => Damage::BITS,
            speed => Damage::Speed.code(),
            contact => Damage::Contact.code(),
            wall => Damage::Wall.code(),
            crowd => Damage::Crowd.code(),
        },
        positions => names(variant.dimension, |axis| format!("p{axis}")),
        declared_positions => names(variant.dimension, |axis| format!("p{axis}: vec2<i32>")),
        block_bits => 3 * variant.dimension,
        points => variant.support.points(),
        stencil => stencil(variant.dimension, variant.support.points()),
        corners => stencil(variant.dimension, 2),
        third => literal(1.0 / 3.0),
        drift_scale => literal(DRIFT_SCALE),
        position_quantum => literal(0.5 / DRIFT_SCALE),
        force_scale => literal(FORCE_SCALE),
        force_limit => (LARGEST_FORCE as f32).to_bits(),
        strong => (STRONG as f32).to_bits(),
        pushed => variant.pushed,
        joins => shader == Shader::Spread && variant.joins,
        wide => variant.wide,
        places => PLACES,
        tries => TRIES,
        push_quantum => literal(1.0 / surface_push().scale),
        load_shift => LOAD_SHIFT,
        half_load_unit => 1 << (LOAD_SHIFT - 1),
        largest_load => (LARGEST_NODE_FORCE * FORCE_SCALE) as i32 >> LOAD_SHIFT,
        least => literal(LEAST_WEIGHT),
        fastest => (FASTEST * DRIFT_SCALE) as i32,
        wall => context! {
            slow => literal(SLOW),
            slip => literal(SLIP),
            least => literal(LEAST),
            return => literal(RETURN),
            fastest => literal(FASTEST_AT_WALL),
            flat => literal(FLAT),
            hold_near => literal(wall_distance::hold_near(variant.dimension, variant.support)),
        },
        tile => variant.contact.as_ref().map(|(_, listing)| listing.tiling.context(variant.dimension)),
        splits => variant.splits,
        few => shader == Shader::FewContacts,
        walls => shader == Shader::Contact
            && variant.contact.as_ref().is_some_and(|(parameters, _)| parameters.wall_strength > 0.0),
        contact => variant.contact.as_ref().map(|(parameters, listing)| contact_context(variant, parameters, listing)),
        ..sites::fractions(),
    };
    render(template, &[OWN.as_slice(), &PIECES].concat(), &context)
}

const NAMES: [&str; 3] = ["x", "y", "z"];

fn axis(variant: &Variant, a: usize) -> Value {
    context! {
        last_tiled => variant.contact.as_ref().map(|(_, listing)| listing.tiling.last_whole(variant.extent[a])),
        tile_digit => [" % 3u", " / 3u % 3u", " / 9u"][a],
        ..sites::axis(a, variant.extent[a], variant.periodic[a])
    }
}

/// What `name` gives for each axis, as a list of arguments.
fn names(dimension: usize, name: impl Fn(&str) -> String) -> String {
    NAMES[..dimension].iter().map(|axis| name(axis)).collect::<Vec<_>>().join(", ")
}

/// The sites of the kernel, x fastest: what templates call their place, their place in the block, their weight.
fn stencil(dimension: usize, points: usize) -> Vec<Value> {
    let site = |index: usize| {
        let along = |stem: &str, a: usize| format!("{stem}{}{}", NAMES[a], index / points.pow(a as u32) % points);
        let joined = |stem: &str, by: &str| (0..dimension).map(|a| along(stem, a)).collect::<Vec<_>>().join(by);
        context! {
            index,
            place => joined("k", " + "),
            local => joined("l", " | "),
            weight => joined("w", " * "),
            sum_before => if index == 0 { String::new() } else { format!("sum{} + ", index - 1) },
        }
    };
    (0..points.pow(dimension as u32)).map(site).collect()
}

fn contact_context(variant: &Variant, parameters: &ContactParameters, listing: &Listing) -> Value {
    let join = |term: &dyn Fn(&str) -> String, by: &str| {
        NAMES[..variant.dimension].iter().map(|axis| term(axis)).collect::<Vec<_>>().join(by)
    };
    context! {
        tile => listing.tiling.context(variant.dimension),
        tiles => (0..3_usize.pow(variant.dimension as u32)).map(|index| tile(variant.dimension, index)).collect::<Vec<_>>(),
        chosen_place => join(&|axis| format!("k{axis}[i{axis}]"), " + "),
        chosen_local => join(&|axis| format!("l{axis}[i{axis}]"), " | "),
        pairs => parameters.strength > 0.0 || parameters.morse.is_some(),
        inverse_range => literal(1.0 / parameters.range),
        reach_squared => literal(parameters.range().powi(2)),
        // A little more, against rounding.
        list_reach_squared => literal((1.00001 * (parameters.range() + listing.skin)).powi(2)),
        margin => literal(0.5 * listing.skin),
        most => MOST_NEIGHBOURS[variant.dimension - 2],
        walk => WALK,
        count_shift => WALL_BIT.trailing_zeros() + 1,
        wall_bit => WALL_BIT,
        tile_mask => WALL_BIT - 1,
        strength => literal(parameters.strength),
        wall_strength => literal(parameters.wall_strength),
        wall_near => literal(wall_distance::push_near(variant.dimension, parameters.range)),
        walls => parameters.wall_strength > 0.0,
        morse => parameters.morse.map(|morse| context! {
            stiffness => literal(2.0 * morse.energy / morse.width),
            inverse_width => literal(1.0 / morse.width),
            distance => literal(morse.distance),
            cut => literal(morse.cut()),
            inverse_fade => literal(1.0 / (morse.cut() - morse.fades())),
        }),
        alike => parameters.alike,
        scale => literal(SCALE),
        quantum => literal(1.0 / SCALE),
        largest => literal(LARGEST_PUSH),
        most_load => SCALE as u32,
    }
}

/// A tile around that of a vertex: what the template calls its distance, place and place in the block.
fn tile(dimension: usize, index: usize) -> Value {
    let along = |stem: &str, a: usize| format!("{stem}{}.{}", NAMES[a], NAMES[index / 3_usize.pow(a as u32) % 3]);
    let joined = |stem: &str, by: &str| (0..dimension).map(|a| along(stem, a)).collect::<Vec<_>>().join(by);
    context! { index, distance => joined("d", " + "), place => joined("k", " + "), local => joined("l", " | ") }
}

#[cfg(test)]
mod tests {
    use super::super::contact_parameters::Morse;
    use super::*;

    #[test]
    fn every_permutation_is_valid_wgsl() {
        let shaders = [
            Shader::Interpolate,
            Shader::Advance,
            Shader::Spread,
            Shader::Fill,
            Shader::Clear,
            Shader::Due,
            Shader::Bin,
            Shader::Neighbours,
            Shader::Contact,
            Shader::FewContacts,
            Shader::Bounds,
            Shader::Strays,
            Shader::Broken,
            Shader::Inside,
            Shader::Pull,
            Shader::Cap,
        ];
        let morse = Some(Morse { energy: 1e-3, distance: 0.6, width: 0.2 });
        let contacts = [
            (1.0, 1e-2, 1e-2, None, [false; 3]),
            (1.7, 1e-2, 0.0, None, [true; 3]),
            (0.5, 1e-2, 1e-2, morse, [true, false, true]),
            (0.5, 0.0, 1e-2, morse, [false, true, false]),
            (3.5, 0.0, 1e-2, None, [true; 3]),
            (6.0, 1e-2, 0.0, morse, [false, true, true]),
        ];
        for k in 0..2 * 3 * 3 * contacts.len() {
            let (range, strength, wall_strength, morse, periodic) = contacts[k / 18];
            let contact = ContactParameters { range, strength, wall_strength, morse, alike: k % 7 < 3 };
            let variant = Variant {
                dimension: 2 + k % 2,
                precision: [Precision::F32, Precision::F16, Precision::F64][k / 2 % 3],
                extent: [40, 41, 64],
                periodic,
                support: [Support::Two, Support::Three, Support::Four][k / 6 % 3],
                contact: Some((contact, Listing::reaching(contact.range()).expect("short"))),
                splits: k % 11 < 6,
                pushed: k % 5 == 0,
                joins: k % 4 < 2,
                wide: k % 8 < 4,
            };
            for shader in shaders {
                let source = wgsl(shader, &variant);
                wgsl_checks::validate((shader, &variant), &source);
            }
        }
    }
}
