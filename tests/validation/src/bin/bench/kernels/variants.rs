//! The prototypes.

/// A prototype. All compute the same flow, but for those that say so.
#[derive(Clone, Copy, Debug)]
pub struct Variant {
    pub name: &'static str,
    pub links: Links,
    /// Whether populations are stored as f16.
    pub half: bool,
    pub workgroup: u32,
    /// Nodes side by side that an invocation has in even steps; with esoteric pull, in all.
    pub wide: u32,
    /// Nodes a workgroup apart that an invocation has in odd steps.
    pub many: u32,
    /// Whether populations are only read and written.
    pub copy: bool,
    /// Whether odd steps see to populations at walls after all others.
    pub apart: bool,
    /// Whether odd steps read links once more for their stores; where `apart`, stores at walls then come after all others, too.
    pub reread: bool,
    /// Whether all distances are zero: no flow, but shows what reading links costs.
    pub flat: bool,
}

/// Where populations are, and how a step knows it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Links {
    /// AA pattern, an index a link.
    Table,
    /// AA pattern, a word a node, a distance a direction for runs of nodes.
    Directions,
    /// The same, and an array for each direction in place of one for each pair.
    Split,
    /// As the solver does: AA pattern, a distance for each neighbouring row; which nodes begin a run is a bit a node.
    Groups,
    /// Esoteric pull: of each pair of directions one population is at the node and one beside, in all steps. Links by groups.
    Esoteric,
    /// Tiles of sites with ten moments each: only read and written, which shows what they cost at most.
    Tiles,
    /// AA pattern, the same distances for all nodes, multiples of 64 but for this: no flow, but shows what populations cost.
    Fixed(u32),
}

impl Links {
    /// Its name in the template.
    pub fn name(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::Directions => "directions",
            Self::Split => "split",
            Self::Groups => "groups",
            Self::Esoteric => "esoteric",
            Self::Tiles => "tiles",
            Self::Fixed(_) => "fixed",
        }
    }

    /// Whether each direction has an array of its own.
    pub fn splits(self) -> bool {
        matches!(self, Self::Split | Self::Esoteric)
    }
}

const BASE: Variant = Variant {
    name: "",
    links: Links::Groups,
    half: false,
    workgroup: 256,
    wide: 1,
    many: 1,
    copy: false,
    apart: false,
    reread: false,
    flat: false,
};
/// What the solver does on a GPU, in f32 and in f16.
const BEST: Variant = Variant { wide: 2, apart: true, reread: true, ..BASE };
const HALF: Variant = Variant { wide: 4, half: true, ..BASE };
/// What was there before, with one distance a direction.
const BEFORE: Variant = Variant { wide: 2, links: Links::Directions, ..BASE };
const HALF_BEFORE: Variant = Variant { wide: 4, half: true, ..BEFORE };
const ESOTERIC: Variant = Variant { links: Links::Esoteric, ..BASE };

pub const VARIANTS: &[Variant] = &[
    Variant { name: "copy, fixed distances", links: Links::Fixed(0), copy: true, ..BASE },
    Variant { name: "copy, groups", copy: true, ..BASE },
    Variant { name: "fixed distances", links: Links::Fixed(0), ..BASE },
    Variant { name: "fixed distances, off by 8", links: Links::Fixed(8), ..BASE },
    Variant { name: "fixed distances, off by 1", links: Links::Fixed(1), ..BASE },
    Variant { name: "link tables", links: Links::Table, ..BASE },
    Variant { name: "directions, even 1 node", wide: 1, ..BEFORE },
    Variant { name: "directions", ..BEFORE },
    Variant { name: "directions, even 4 nodes", wide: 4, ..BEFORE },
    Variant { name: "directions, workgroups of 64", workgroup: 64, ..BEFORE },
    Variant { name: "directions, workgroups of 128", workgroup: 128, ..BEFORE },
    Variant { name: "directions, workgroups of 512", workgroup: 512, ..BEFORE },
    Variant { name: "directions, an array each", links: Links::Split, ..BEFORE },
    Variant { name: "directions, odd 2 nodes at once", many: 2, ..BEFORE },
    Variant { name: "groups", apart: false, reread: false, ..BEST },
    Variant { name: "groups, reread", apart: false, ..BEST },
    Variant { name: "groups, walls apart, reread", ..BEST },
    Variant { name: "groups, workgroups of 192", workgroup: 192, ..BEST },
    Variant { name: "groups, flat", flat: true, ..BEST },
    Variant { name: "esoteric", ..ESOTERIC },
    Variant { name: "esoteric, workgroups of 128", workgroup: 128, ..ESOTERIC },
    Variant { name: "esoteric, 2 nodes, workgroups of 128", wide: 2, workgroup: 128, ..ESOTERIC },
    Variant { name: "esoteric, flat", flat: true, ..ESOTERIC },
    Variant { name: "esoteric, copy", copy: true, ..ESOTERIC },
    Variant { name: "tiles of moments, copy", links: Links::Tiles, ..BASE },
    Variant { name: "f16 copy, fixed distances", links: Links::Fixed(0), half: true, copy: true, ..BASE },
    Variant { name: "f16 fixed distances, off by 1", links: Links::Fixed(1), half: true, ..BASE },
    Variant { name: "f16 link tables", links: Links::Table, half: true, ..BASE },
    Variant { name: "f16 directions, even 1 node", wide: 1, ..HALF_BEFORE },
    Variant { name: "f16 directions, even 2 nodes", wide: 2, ..HALF_BEFORE },
    Variant { name: "f16 directions", ..HALF_BEFORE },
    Variant { name: "f16 directions, an array each", links: Links::Split, ..HALF_BEFORE },
    Variant { name: "f16 directions, odd 2 at once", many: 2, ..HALF_BEFORE },
    Variant { name: "f16 groups", ..HALF },
    Variant { name: "f16 groups, reread", reread: true, ..HALF },
    Variant { name: "f16 groups, walls apart, reread", apart: true, reread: true, ..HALF },
    Variant { name: "f16 esoteric", half: true, ..ESOTERIC },
    Variant { name: "f16 esoteric, 2 nodes", half: true, wide: 2, ..ESOTERIC },
    Variant { name: "f16 tiles of moments, copy", links: Links::Tiles, half: true, ..BASE },
];
