//! What dumps, ledger and checkpoints ask of the cells.

use hematite_comm::Comm;
use hematite_config::Result;
use hematite_engine::DRIFT_SCALE;
use hematite_engine::passage::Tally;
use hematite_engine::sites::Coordinate;
use hematite_gpu::Recorder;
use hematite_membrane::Which;
use rayon::prelude::*;

use super::kind::Kind;
use super::record::Record;
use super::suspension::Suspension;

/// Vertices of the cells that this rank answers for, ascending by number within each population. Velocities and
/// forces are empty in [`Suspension::places`].
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// Global number of each cell.
    pub id: Vec<u64>,
    /// Population of each cell.
    pub kind: Vec<u32>,
    /// Positions of vertices, cell after cell; nodes at whole numbers, not wrapped.
    pub position: Vec<[f64; 3]>,
    /// Velocities in the last move.
    pub velocity: Vec<[f64; 3]>,
    /// Forces of the membranes.
    pub force: Vec<[f64; 3]>,
}

impl Suspension {
    /// How many cells of each population there are and were, on all ranks. Collective.
    ///
    /// # Errors
    /// When a rank is lost.
    pub fn tally(&self, comm: &dyn Comm) -> Result<Vec<Tally>> {
        let answers =
            |kind: &Kind| kind.cells.by_slot().filter(|(_, held)| held.holders.first() == Some(&self.rank)).count();
        let own = self.kinds.iter().flat_map(|kind| [kind.inserted, answers(kind) as i64, kind.left]);
        let mut counts: Vec<i64> = own.collect();
        comm.sum(&mut counts)?;
        let tally = |(kind, count): (&Kind, &[i64])| Tally {
            seeded: kind.seeded,
            inserted: count[0] as u64,
            inside: count[1] as u64,
            left: count[2] as u64,
        };
        Ok(self.kinds.iter().zip(counts.chunks(3)).map(tally).collect())
    }

    /// Puts back how many cells of each population came in and left before a restart, and what
    /// [`Suspension::entered`] gave. Where that was of other feeders, those of now go on as if theirs had come in so
    /// far.
    pub fn restore_counts(&mut self, counts: &[[u64; 2]], entered: &[u64]) {
        for (kind, &[inserted, left]) in self.kinds.iter_mut().zip(counts) {
            self.numbering.count(inserted);
            if self.rank == 0 {
                (kind.inserted, kind.left) = (inserted as i64, left as i64);
            }
        }
        self.anew = entered.len() != self.entered().len();
        if self.anew {
            return;
        }
        let mut rest = entered;
        for feeder in self.gates.iter_mut().filter_map(|gate| gate.feeder.as_mut()) {
            rest = feeder.progress.restore(rest).unwrap_or_default();
        }
        self.write_column_speeds();
    }

    /// How far the columns of the feeders have come, as words.
    pub fn entered(&self) -> Vec<u64> {
        let feeders = self.gates.iter().filter_map(|gate| gate.feeder.as_ref());
        feeders.flat_map(|feeder| feeder.progress.words()).collect()
    }

    /// The cells that this rank answers for, after `step` steps.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn snapshot(&self, step: u64) -> Result<Snapshot> {
        let drift: Vec<i32> = self.gpu.download(&self.vertices.drift, 0, self.values_of_vertices())?;
        let force = self.membrane_forces(step)?;
        let rows = self.rows();
        Ok(Snapshot {
            velocity: self.of_vertices(&rows, |at| f64::from(drift[at]) / DRIFT_SCALE),
            force: self.of_vertices(&rows, |at| force[at]),
            ..self.places()?
        })
    }

    /// The cells that this rank answers for, without velocities and forces.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn places(&self) -> Result<Snapshot> {
        let position: Vec<Coordinate> = self.gpu.download(&self.vertices.position, 0, self.values_of_vertices())?;
        let (id, kind) = self.answered().map(|(id, kind, _)| (id, kind as u32)).unzip();
        let position = self.of_vertices(&self.rows(), |at| position[at].value());
        Ok(Snapshot { id, kind, position, ..Snapshot::default() })
    }

    /// Number of values of an array with a vector for each vertex.
    fn values_of_vertices(&self) -> usize {
        self.parameters.dimension * self.vertices.stride as usize
    }

    /// Number, population and first vertex of each cell that this rank answers for, in the order of a snapshot.
    fn answered(&self) -> impl Iterator<Item = (u64, usize, usize)> {
        self.kinds.iter().enumerate().flat_map(|(k, kind)| {
            let own = kind.cells.by_number().filter(|(_, held)| held.holders.first() == Some(&self.rank));
            own.map(move |(id, held)| (id, k, kind.first_vertex(held.slot) as usize))
        })
    }

    /// Indices of the vertices of these cells in arrays on the device.
    fn rows(&self) -> Vec<usize> {
        let vertices = |(_, kind, first): (_, usize, usize)| first..first + self.kinds[kind].range.vertices as usize;
        self.answered().flat_map(vertices).collect()
    }

    /// The vectors of an array at these vertices; `value` reads the array.
    fn of_vertices(&self, rows: &[usize], value: impl Fn(usize) -> f64 + Sync) -> Vec<[f64; 3]> {
        let (dimension, stride) = (self.parameters.dimension, self.vertices.stride as usize);
        let component = |v, axis| if axis < dimension { value(axis * stride + v) } else { 0.0 };
        rows.par_iter().map(|&v| [0, 1, 2].map(|axis| component(v, axis))).collect()
    }

    /// Forces of the membranes alone, not capped. Those of contact are whole only on vertices near this rank's nodes;
    /// they are put aside and back.
    pub(super) fn membrane_forces(&self, step: u64) -> Result<Vec<f64>> {
        let force = &self.vertices.force;
        let aside = self.gpu.buffer("forces put aside", force.bytes())?;
        let mut recorder = Recorder::new(&self.gpu);
        recorder.copy(force, &aside, force.bytes());
        self.record_membranes(&mut recorder, Which::All, step);
        recorder.submit();
        let membranes: Vec<u8> = self.gpu.download(force, 0, force.bytes() as usize)?;
        let mut recorder = Recorder::new(&self.gpu);
        recorder.copy(&aside, force, force.bytes());
        recorder.submit();
        Ok(self.parameters.precision.unpack_real(&membranes))
    }

    /// The states of the cells of one population that this rank answers for, ascending by number.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn records(&self, kind: usize) -> Result<Vec<(u64, Record)>> {
        let answers: Vec<u64> = self.kinds[kind]
            .cells
            .by_number()
            .filter(|(_, held)| held.holders.first() == Some(&self.rank))
            .map(|(id, _)| id)
            .collect();
        let records = self.take(&answers.iter().map(|&id| (kind, id)).collect::<Vec<_>>())?;
        Ok(answers.into_iter().zip(records).collect())
    }
}
