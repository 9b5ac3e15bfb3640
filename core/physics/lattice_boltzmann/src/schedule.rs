//! What changes with time: one row of numbers a step, which kernels read.

/// The prescribed values of one time step, lattice units.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// Body force a volume at the beginning of the step.
    pub force: [f64; 3],
    /// For each opening, the factor of its shape (velocity, wall) or the density deviation (pressure), at the middle
    /// of the step, when populations are at the wall; as many for each opening, those it lacks 0, as the one with the
    /// most shapes has.
    pub openings: Vec<f64>,
}

impl Row {
    /// Numbers in a row of a case with `openings` openings, `terms` factors each.
    pub(crate) fn len(openings: usize, terms: usize) -> usize {
        3 + openings * terms
    }

    /// Appends the row's numbers in the order that kernels read.
    pub(crate) fn append(&self, to: &mut Vec<f64>) {
        to.extend(self.force);
        to.extend(&self.openings);
    }
}
