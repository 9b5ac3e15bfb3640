//! Whether cells are sound, and what is said of one that is not.

use hematite_comm::{Comm, agree};
use hematite_config::{Fault, Result};
use hematite_engine::DRIFT_SCALE;
use hematite_membrane::{Damage, diagnosis};

use super::kind::Kind;
use super::parameters::KindParameters;
use super::record::Record;
use super::roster::Held;
use super::suspension::Suspension;

impl Suspension {
    /// Refuses to go on with a broken cell. Collective.
    ///
    /// # Errors
    /// A numerical failure that names the cell, its place and the step; when the device or a rank is lost.
    pub fn check_sound(&self, comm: &dyn Comm) -> Result<()> {
        agree(comm, self.watch.broken(&self.gpu).and_then(|broken| self.check(broken)))
    }

    /// The fault of the first of so many `broken` cells, if any.
    pub(super) fn check(&self, broken: u32) -> Result<()> {
        if broken == 0 {
            return Ok(());
        }
        let broken: Vec<u32> = self.gpu.download(&self.vertices.broken, 0, self.vertices.slots as usize)?;
        let damage = |kind: &Kind, held: &Held| Damage::read(broken[(kind.range.first_slot + held.slot) as usize]);
        let first = self
            .kinds
            .iter()
            .enumerate()
            .flat_map(|(k, kind)| kind.cells.by_slot().map(move |(id, held)| (damage(kind, held), id, k, held)))
            .filter_map(|(damage, id, k, held)| damage.map(|(step, why)| (step, why, id, k, held)))
            .min_by_key(|&(step, _, id, ..)| (step, id));
        let Some((step, why, id, k, held)) = first else { return Ok(()) };
        let kind = &self.kinds[k];
        let bounds = self.watch.boxes.read(&self.gpu)?[(kind.range.first_slot + held.slot) as usize];
        let at: Vec<String> = (0..self.parameters.dimension)
            .map(|axis| {
                let middle = 0.5 * (f64::from(bounds.low[axis]) + f64::from(bounds.high[axis])) + 0.5;
                format!("{:.4e}", self.parameters.origin[axis] + middle * self.parameters.spacing)
            })
            .collect();
        let (force, speed) = self.extremes(kind, held)?;
        let (state, cause) = match self.take(&[(k, id)])?.first() {
            Some(record) => (self.deformation(k, record, step), self.cause(why, k, held, record, step)?),
            None => Default::default(),
        };
        Err(Fault::numerical(format!(
            "cell {id} of population \"{}\" broke at step {step} near ({}) m: {why}. A little later its largest speed is \
             {speed:.1e} and force {force:.1e} in lattice units; {state}. {cause}",
            kind.name,
            at.join(", ")
        )))
    }

    /// How a cell is deformed, and by what.
    fn deformation(&self, kind: usize, record: &Record, step: u32) -> String {
        let dimension = self.parameters.dimension;
        let KindParameters { surface, mechanics, .. } = &self.parameters.kinds[kind];
        let scale = self.parameters.scale(record.seeded_scale, u64::from(step));
        diagnosis(dimension, surface, mechanics, &record.points(dimension), scale)
    }

    /// The largest components of force and velocity of a cell's vertices, lattice units.
    pub(super) fn extremes(&self, kind: &Kind, held: &Held) -> Result<(f64, f64)> {
        let (first, count) = (kind.first_vertex(held.slot) as usize, kind.range.vertices as usize);
        let width = self.parameters.precision.real_bytes();
        let (mut largest, mut fastest) = (0.0_f64, 0.0_f64);
        for axis in 0..self.parameters.dimension {
            let at = axis * self.vertices.stride as usize + first;
            let force: Vec<u8> = self.gpu.download(&self.vertices.force, at * width, count * width)?;
            let drift: Vec<i32> = self.gpu.download(&self.vertices.drift, at, count)?;
            let force = self.parameters.precision.unpack_real(&force);
            // NaN is the largest of all.
            largest = force.into_iter().fold(largest, |a, f| if f.abs() <= a { a } else { f.abs() });
            fastest = drift.into_iter().fold(fastest, |a, u| a.max((f64::from(u) / DRIFT_SCALE).abs()));
        }
        Ok((largest, fastest))
    }
}
