//! Global numbers of members that come in.

use hematite_case::Population;

/// Numbers members that come in after those of the case. In a run with cells and rigid bodies, each kind takes every
/// other number, so that it need not know how many of the other kind came in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbering {
    next: u64,
    apart: u64,
}

impl Numbering {
    /// Numbers for the rigid bodies of a case with these `populations`, or for its cells.
    pub fn new(populations: &[Population], rigid: bool) -> Self {
        let members = populations.iter().map(|population| population.cells.len() as u64).sum();
        let kinds = [true, false].map(|of| populations.iter().any(|population| population.rigid.is_some() == of));
        match kinds {
            [true, true] => Self { next: members + u64::from(rigid), apart: 2 },
            _ => Self { next: members, apart: 1 },
        }
    }

    /// Numbers from `first` on, for a run with one kind of members.
    pub fn after(first: u64) -> Self {
        Self { next: first, apart: 1 }
    }

    /// The number of the next member that comes in.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Counts `came` members that came in.
    pub fn count(&mut self, came: u64) {
        self.next += came * self.apart;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hematite_case::Placed;
    use hematite_cells::{RigidShape, ShapeConfig, Surface};

    fn population(cells: usize, rigid: bool) -> Population {
        let placed = Placed { centre: [0.0; 3], orientation: [1.0, 0.0, 0.0, 0.0], scale: 1.0 };
        Population {
            name: "some".into(),
            shape: ShapeConfig::Sphere { radius: "1 um".parse().expect("a length"), vertices: None },
            surface: Surface { dimension: 3, vertices: Vec::new(), triangles: Vec::new() },
            rigid: rigid.then_some(RigidShape { semi_axes: [1e-6; 3] }),
            mechanics: Default::default(),
            first: 0,
            cells: vec![placed; cells],
            report: Default::default(),
        }
    }

    #[test]
    fn no_two_members_have_one_number() {
        let both = [population(3, false), population(4, true), population(2, false)];
        let mut found = Vec::new();
        for rigid in [true, false] {
            let mut numbering = Numbering::new(&both, rigid);
            for _ in 0..5 {
                found.push(numbering.next());
                numbering.count(1);
            }
            // As after a restart.
            let mut again = Numbering::new(&both, rigid);
            again.count(5);
            assert_eq!(again, numbering);
        }
        found.sort_unstable();
        assert!(found[0] == 9 && found.is_sorted_by(|a, b| a < b), "{found:?}");
        for rigid in [true, false] {
            assert_eq!(Numbering::new(&[population(3, rigid)], rigid), Numbering::after(3));
        }
    }
}
