//! The state of cells and bodies as numbers, the same on all ranks whoever had them: into checkpoints and out of them, and from one
//! partition to the next.

use hematite_case::Population;
use hematite_comm::{Comm, gather_all};
use hematite_config::{Fault, Result};
use hematite_dump::PopulationState;
use hematite_engine::passage::Tally;
use physics_bodies::State;
use physics_cells::Record;

use crate::output::count;
use crate::ranks::together;
use crate::setup::Setup;
use crate::suspended::Suspended;

/// The state of all cells and bodies.
pub struct Saved {
    /// Number of steps done.
    pub step: u64,
    /// The cells: population, number, state.
    pub cells: Vec<(usize, u64, Record)>,
    /// The rigid bodies.
    pub bodies: Vec<State>,
    /// How many cells of each population there were.
    pub populations: Vec<PopulationState>,
    /// How far the feeders had come, see [`CheckpointMeta::entered`](hematite_dump::CheckpointMeta::entered).
    pub entered: Vec<u64>,
}

/// The cells or bodies of one population that a rank answers for.
pub struct Records {
    /// Their numbers.
    pub ids: Vec<u64>,
    /// Words of each.
    pub width: usize,
    /// The words, one after the other.
    pub words: Vec<i64>,
}

impl Saved {
    /// A state after `step` steps, without a cell so far.
    pub fn new(step: u64, populations: Vec<PopulationState>, entered: Vec<u64>) -> Self {
        Self { step, cells: Vec::new(), bodies: Vec::new(), populations, entered }
    }

    /// Adds a cell or body of population `k`; `None` where the words are not those of one.
    pub fn add(&mut self, setup: &Setup, k: usize, id: u64, words: &[i64]) -> Option<()> {
        let population = &setup.populations[k];
        if population.rigid.is_some() {
            self.bodies.push(State::from_record(u32::try_from(id).ok()?, k as u32, words)?);
            return Some(());
        }
        let width = Record::width(setup.header.set.dimension(), population.surface.vertices.len());
        let record = Record::from_words(words).filter(|_| words.len() == width)?;
        self.cells.push((k, id, record));
        Some(())
    }

    /// What all ranks hold after `step` steps. Collective.
    ///
    /// # Errors
    /// When the device or a rank is lost.
    pub fn gather(comm: &dyn Comm, setup: &Setup, step: u64, suspended: &Suspended) -> Result<Self> {
        let mut saved = Self::new(step, counts(comm, setup, suspended)?, suspended.entered());
        for (k, Records { ids, width, words }) in together(comm, || suspended.records(setup))?.into_iter().enumerate() {
            let all = gather_all(comm, bytemuck::cast_slice(&ids))?;
            let of_all = gather_all(comm, bytemuck::cast_slice(&words))?;
            for (ids, words) in all.iter().zip(&of_all) {
                let ids: Vec<u64> = bytemuck::pod_collect_to_vec(ids);
                let words: Vec<i64> = bytemuck::pod_collect_to_vec(words);
                for (&id, words) in ids.iter().zip(words.chunks(width)) {
                    let damaged =
                        || Fault::lost_rank(format!("number {id} of {} arrived damaged", setup.populations[k].name));
                    saved.add(setup, k, id, words).ok_or_else(damaged)?;
                }
            }
        }
        Ok(saved)
    }
}

impl Suspended {
    /// The cells or bodies of each population that this rank answers for.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn records(&self, setup: &Setup) -> Result<Vec<Records>> {
        match self {
            Self::Nothing => Ok(Vec::new()),
            Self::Cells(cells) => {
                let of_population = |(k, population): (usize, &Population)| {
                    let (ids, records): (Vec<u64>, Vec<Record>) = cells.records(k)?.into_iter().unzip();
                    let width = Record::width(setup.header.set.dimension(), population.surface.vertices.len());
                    Ok(Records { ids, width, words: records.iter().flat_map(Record::words).collect() })
                };
                setup.populations.iter().enumerate().map(of_population).collect()
            }
            Self::Bodies(bodies) => {
                let states = bodies.states()?;
                let of_population = |k: usize| {
                    let own: Vec<&State> = states.iter().filter(|state| state.kind as usize == k).collect();
                    Records {
                        ids: own.iter().map(|state| u64::from(state.id)).collect(),
                        width: State::RECORD,
                        words: own.iter().flat_map(|state| state.record()).collect(),
                    }
                };
                Ok((0..setup.populations.len()).map(of_population).collect())
            }
        }
    }

    /// How far the feeders have come.
    pub fn entered(&self) -> Vec<u64> {
        match self {
            Self::Nothing => Vec::new(),
            Self::Cells(cells) => cells.entered(),
            Self::Bodies(bodies) => bodies.entered(),
        }
    }
}

/// How many cells or bodies of each population there are and were. Collective.
///
/// # Errors
/// When the device or a rank is lost.
pub fn counts(comm: &dyn Comm, setup: &Setup, suspended: &Suspended) -> Result<Vec<PopulationState>> {
    let state = |(population, tally): (&Population, &Tally)| PopulationState {
        name: population.name.clone(),
        count: count(tally),
    };
    Ok(setup.populations.iter().zip(&suspended.tally(comm)?).map(state).collect())
}
