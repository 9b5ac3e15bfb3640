//! Openings as the picture shows them.

use hematite_case::{Lattice, Opening};
use hematite_geometry::OpeningKind;
use hematite_units::number::{Prefix, short, with_unit};

/// An opening: its middle, its direction, and what it is called.
pub struct Mouth {
    /// Its number in the order of the config, which stands for it where its label has no room.
    pub number: usize,
    /// Its number, its name, and its area or width.
    pub label: String,
    /// Its colour, that of its kind.
    pub colour: [u8; 3],
    /// The middle of its face, in sites.
    pub centre: [f64; 3],
    /// Unit normal into the fluid.
    pub normal: [f64; 3],
}

impl Mouth {
    /// Those of a lattice.
    pub fn all(lattice: &Lattice) -> Vec<Self> {
        lattice.openings.iter().enumerate().map(|(number, opening)| Self::new(lattice, number, opening)).collect()
    }

    fn new(lattice: &Lattice, number: usize, opening: &Opening) -> Self {
        let (nodes, spacing) = (opening.nodes.len().max(1) as f64, lattice.spacing);
        let sum = |axis: usize| {
            let along = opening.nodes.iter().map(|site| f64::from(lattice.position[site.node.0 as usize][axis]));
            along.sum::<f64>() / nodes + 0.5 - 0.5 * opening.normal[axis]
        };
        let size = match lattice.set.dimension() {
            2 => with_unit(opening.area * spacing, "m"),
            _ => square(opening.area * spacing * spacing),
        };
        Self {
            number,
            label: format!("{number}: {}, {size}", opening.name),
            colour: of_kind(opening.kind),
            centre: [0, 1, 2].map(sum),
            normal: opening.normal,
        }
    }
}

/// The colour of a kind of opening.
pub fn of_kind(kind: OpeningKind) -> [u8; 3] {
    match kind {
        OpeningKind::Velocity => [0x1f, 0x5f, 0xa8],
        OpeningKind::Pressure => [0x1b, 0x7a, 0x3b],
        OpeningKind::Wall => [0x7a, 0x4a, 0x22],
    }
}

/// An area with the prefix that suits its side.
fn square(area: f64) -> String {
    let prefix = Prefix::of(area.sqrt());
    format!("{} {}m\u{b2}", short(area * prefix.factor * prefix.factor), prefix.symbol)
}

#[cfg(test)]
mod tests {
    use super::square;

    #[test]
    fn areas_have_the_prefix_of_their_side() {
        assert_eq!(square(4e-12), "4 \u{b5}m\u{b2}");
        assert_eq!(square(2.5e-4), "250 mm\u{b2}");
        assert_eq!(square(3.0), "3 m\u{b2}");
    }
}
