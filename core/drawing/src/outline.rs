//! Cells and bodies by their outlines, in the colours of their populations.

use std::collections::BTreeMap;

use crate::colour::{of_population, outline_of};
use crate::shapes::{Look, Path, Shapes};

/// Smaller members have no line around them, and many of them are one element.
const LINED: f64 = 7.0;
/// So many.
const TOGETHER: usize = 1000;
/// Length of members over the width of the line around them.
const SLENDER: f64 = 22.0;
/// The widest such line.
const WIDEST: f64 = 3.0;

/// The outline of a member of a population.
pub struct Outline {
    /// Number of its population.
    pub population: usize,
    /// Closed loops, pixels.
    pub path: Path,
}

/// Draws outlines one after the other; `opacity` is that of what they enclose.
pub fn draw(shapes: &mut Shapes, outlines: &[Outline], opacity: f64) {
    let sizes = sizes(outlines);
    for group in outlines.chunk_by(|a, b| a.population == b.population) {
        let (fill, size) = (of_population(group[0].population), sizes[&group[0].population]);
        let look = Look::area(fill).opacity(opacity);
        if size < LINED {
            for some in group.chunks(TOGETHER) {
                let mut all = Path::default();
                some.iter().for_each(|outline| all.append(&outline.path));
                shapes.path(&all, &look);
            }
        } else {
            let look = look.outlined(outline_of(fill), (size / SLENDER).min(WIDEST));
            shapes.paths(group.iter().map(|outline| &outline.path), &look);
        }
    }
}

/// The median length of the members of each population.
fn sizes(outlines: &[Outline]) -> BTreeMap<usize, f64> {
    let mut sizes: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
    for outline in outlines {
        let [width, height] = outline.path.size();
        sizes.entry(outline.population).or_default().push(width.max(height));
    }
    let median = |(population, mut sizes): (usize, Vec<f64>)| {
        sizes.sort_unstable_by(f64::total_cmp);
        (population, sizes[sizes.len() / 2])
    };
    sizes.into_iter().map(median).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_members_have_lines_and_small_ones_are_joined() {
        let square = |population: usize, x: f64, side: f64| {
            let mut path = Path::through([[x, 0.0], [x + side, 0.0], [x + side, side]]);
            path.close();
            Outline { population, path }
        };
        let mut members: Vec<Outline> = (0..5).map(|i| square(0, f64::from(i) * 50.0, 44.0)).collect();
        members.extend((0..2500).map(|i| square(1, f64::from(i) * 0.1, 2.0)));
        let mut shapes = Shapes::default();
        draw(&mut shapes, &members, 0.9);
        let svg = shapes.svg();
        assert_eq!(svg.matches("<path").count(), 5 + 3);
        assert_eq!((svg.matches("stroke-width=\"2\"").count(), svg.matches("<g ").count()), (1, 4));
    }
}
