//! The cells of a run as a physics with members.

use hematite_case::VERTEX_LOAD;
use hematite_cells::{ROUGH, Surface, roughness};
use hematite_comm::Comm;
use hematite_config::Result;
use hematite_dump::{CellFrame, CellKind, DumpStep, MemberFrame, MemberKinds};
use hematite_engine::passage::Tally;
use hematite_engine::{Alarm, Fed, Medium, Members, Physics, Records, Space};
use hematite_gpu::Recorder;
use rayon::prelude::*;
use serde_json::{Value, json};

use crate::{LOOK, Record, Snapshot, Suspension};

/// Above this share of cells with creases, what a population does is not that of its membranes any more.
const CREASED: f64 = 0.02;

/// The cells of a run.
pub struct Cells {
    suspension: Suspension,
    /// Which of the case's populations they are.
    numbers: Vec<usize>,
    medium: Medium,
    space: Space,
}

impl Cells {
    /// Cells that are the case's populations of these `numbers`.
    pub(crate) fn new(suspension: Suspension, numbers: Vec<usize>, medium: Medium, space: Space) -> Self {
        Self { suspension, numbers, medium, space }
    }

    /// The last step at which the flow still starts: ramps rise, or cells grow and are let go.
    fn settles(&self) -> u64 {
        self.medium.rises_until.max(self.suspension.parameters.capped_until().unwrap_or(0))
    }

    fn surface(&self, kind: usize) -> &Surface {
        &self.suspension.parameters.kinds[kind].surface
    }

    /// A snapshot in SI, its cells moved by whole periods so that their centroids lie in the domain.
    fn in_si(&self, snapshot: Snapshot, at: DumpStep) -> CellFrame {
        let Snapshot { id, kind, mut position, velocity, force } = snapshot;
        let (units, space) = (&self.medium.units, &self.space);
        let mut rest = &mut position[..];
        let mut cells = Vec::with_capacity(id.len());
        for &kind in &kind {
            let (cell, others) = rest.split_at_mut(self.surface(kind as usize).vertices.len());
            cells.push(cell);
            rest = others;
        }
        let place = |cell: &mut [[f64; 3]]| {
            let mean = |axis: usize| cell.iter().map(|x| x[axis]).sum::<f64>() / cell.len() as f64;
            let image = space.image([0, 1, 2].map(mean));
            cell.iter_mut().for_each(|x| *x = space.place(*x, image));
            image
        };
        CellFrame {
            step: at.step,
            time: at.time,
            image: cells.into_par_iter().map(place).collect(),
            id,
            kind,
            position,
            velocity: velocity.par_iter().map(|u| u.map(|u| (u * units.velocity()) as f32)).collect(),
            force: force.par_iter().map(|f| f.map(|f| (f * units.force()) as f32)).collect(),
        }
    }

    /// Of each population how many cells there are in all ranks' frames together, and how many of them are rough.
    /// Collective.
    fn rough(&self, comm: &dyn Comm, frame: &CellFrame) -> Result<Vec<[i64; 2]>> {
        let sides = |kind: usize| -> Vec<[usize; 2]> {
            self.surface(kind).edges().into_iter().map(|side| side.map(|v| v as usize)).collect()
        };
        let sides: Vec<Vec<[usize; 2]>> = (0..self.numbers.len()).map(sides).collect();
        let mut cells = Vec::with_capacity(frame.kind.len());
        let mut rest = &frame.position[..];
        for kind in frame.kind.iter().map(|&kind| kind as usize) {
            let (cell, others) = rest.split_at(self.surface(kind).vertices.len());
            cells.push((kind, cell));
            rest = others;
        }
        let is_rough: Vec<bool> = cells.par_iter().map(|&(kind, cell)| roughness(cell, &sides[kind]) > ROUGH).collect();
        let mut counts = vec![0; 2 * sides.len()];
        for ((kind, _), is_rough) in cells.into_iter().zip(is_rough) {
            counts[2 * kind] += 1;
            counts[2 * kind + 1] += i64::from(is_rough);
        }
        comm.sum(&mut counts)?;
        Ok(counts.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect())
    }
}

impl Members for Cells {
    fn populations(&self) -> &[usize] {
        &self.numbers
    }

    fn kinds(&self) -> MemberKinds {
        let kinds = self.suspension.parameters.kinds.iter().map(|kind| CellKind {
            name: kind.name.clone(),
            vertices: kind.surface.vertices.len(),
            triangles: kind.surface.triangles.clone(),
        });
        MemberKinds::Cells(kinds.collect())
    }

    fn frame(&self, at: DumpStep) -> Result<MemberFrame> {
        Ok(MemberFrame::Cells(self.in_si(self.suspension.snapshot(at.step)?, at)))
    }

    fn places(&self, at: DumpStep) -> Result<MemberFrame> {
        Ok(MemberFrame::Cells(self.in_si(self.suspension.places()?, at)))
    }

    fn alarms(&self, comm: &dyn Comm, step: u64, frame: &MemberFrame) -> Result<Vec<Alarm>> {
        let MemberFrame::Cells(frame) = frame else { return Ok(Vec::new()) };
        if step <= self.settles() {
            return Ok(Vec::new());
        }
        let rough = self.rough(comm, frame)?;
        let alarm = |(kind, &[cells, rough]): (&crate::KindParameters, &[i64; 2])| {
            let name = &kind.name;
            (rough > 0 && rough as f64 > CREASED * cells as f64).then(|| Alarm {
                kind: format!("creases:{name}"),
                text: format!(
                    "at step {step} {rough} of {cells} cells of \"{name}\" have creases that their meshes do not resolve (roughness \
                     above {ROUGH} in post cells): their stress and shape are not those of a membrane there; take a slower flow, more \
                     vertices on a finer lattice, or a larger \"fairing\" in cells.mechanics.{name}"
                ),
            })
        };
        Ok(self.suspension.parameters.kinds.iter().zip(&rough).filter_map(alarm).collect())
    }

    fn tally(&self, comm: &dyn Comm) -> Result<Vec<Tally>> {
        self.suspension.tally(comm)
    }

    fn check_sound(&self, comm: &dyn Comm) -> Result<()> {
        self.suspension.check_sound(comm)
    }

    fn feeders(&self) -> Vec<Fed> {
        self.suspension.feeders().map(|(opening, came, late)| Fed { opening, came, late }).collect()
    }

    fn records(&self) -> Result<Vec<Records>> {
        let of_kind = |k: usize| {
            let (ids, records): (Vec<u64>, Vec<Record>) = self.suspension.records(k)?.into_iter().unzip();
            let width = Record::width(self.space.dimension, self.surface(k).vertices.len());
            Ok(Records { ids, width, words: records.iter().flat_map(Record::words).collect() })
        };
        (0..self.numbers.len()).map(of_kind).collect()
    }

    fn points(&self, _: usize, words: &[i64]) -> Vec<[f64; 3]> {
        Record::from_words(words).map(|record| record.points(self.space.dimension)).unwrap_or_default()
    }

    fn load(&self) -> u32 {
        VERTEX_LOAD
    }

    fn vertices(&self) -> u64 {
        let of_kind = |kind: &crate::KindParameters| kind.seeded * kind.surface.vertices.len() as u64;
        self.suspension.parameters.kinds.iter().map(of_kind).sum()
    }
}

impl Physics for Cells {
    fn name(&self) -> &'static str {
        self.suspension.name()
    }

    fn until_look(&self, step: u64) -> u64 {
        self.suspension.until_look(step)
    }

    fn step<'g>(&mut self, comm: &'g dyn Comm, recorder: &mut Recorder<'g>, step: u64) -> Result<()> {
        self.suspension.step(comm, recorder, step)
    }

    fn complete<'g>(&mut self, comm: &'g dyn Comm, recorder: &mut Recorder<'g>, step: u64) -> Result<()> {
        self.suspension.complete(comm, recorder, step)
    }

    fn settle(&mut self, comm: &dyn Comm, step: u64) -> Result<()> {
        self.suspension.settle(comm, step)
    }

    fn look(&mut self, comm: &dyn Comm, step: u64) -> Result<()> {
        self.suspension.look(comm, step)
    }

    fn whole_every(&self) -> u64 {
        LOOK
    }

    fn note(&self) -> Value {
        json!(self.suspension.entered())
    }

    fn members(&self) -> Option<&dyn Members> {
        Some(self)
    }

    fn host_phases(&self) -> Vec<(&'static str, f64)> {
        vec![("migration", self.suspension.phases().migration)]
    }
}
