//! Members of a physics: cells, bodies or particles, which are counted, dumped and saved individually.

use hematite_comm::Comm;
use hematite_config::Result;
use hematite_dump::{DumpStep, MemberFrame, MemberKinds};

use crate::{Alarm, passage::Tally};

/// The members of a physics, by population.
pub trait Members {
    /// The numbers of the populations in the case.
    fn populations(&self) -> &[usize];

    /// Descriptions of the populations for dumps.
    fn kinds(&self) -> MemberKinds;

    /// The members of which this rank is in charge, in SI, moved by whole periods into the domain.
    ///
    /// # Errors
    /// When the device is lost.
    fn frame(&self, at: DumpStep) -> Result<MemberFrame>;

    /// The same members for tracks, which need their places alone: velocities and forces may be missing.
    ///
    /// # Errors
    /// When the device is lost.
    fn places(&self, at: DumpStep) -> Result<MemberFrame> {
        self.frame(at)
    }

    /// Warnings about the members in a frame. Collective.
    ///
    /// # Errors
    /// When a rank is lost.
    fn alarms(&self, _comm: &dyn Comm, _step: u64, _frame: &MemberFrame) -> Result<Vec<Alarm>> {
        Ok(Vec::new())
    }

    /// Counts of each population on all ranks. Collective.
    ///
    /// # Errors
    /// When the device or a rank is lost.
    fn tally(&self, comm: &dyn Comm) -> Result<Vec<Tally>>;

    /// Refuses to go on with a broken member. Collective.
    ///
    /// # Errors
    /// A numerical failure that names it; when the device or a rank is lost.
    fn check_sound(&self, comm: &dyn Comm) -> Result<()>;

    /// Counts for each opening through which members come in.
    fn feeders(&self) -> Vec<Fed> {
        Vec::new()
    }

    /// The states of the members of which this rank is in charge, by population.
    ///
    /// # Errors
    /// When the device is lost.
    fn records(&self) -> Result<Vec<Records>>;

    /// Positions of the vertices, or of the centre, of the member with the record `words`, lattice units. They are
    /// loads for a partition.
    fn points(&self, population: usize, words: &[i64]) -> Vec<[f64; 3]>;

    /// The load of one of these positions, in the units of [`loads_of`](hematite_case::loads_of).
    fn load(&self) -> u32;

    /// Number of vertices of all members at the start of the run; 0 for members without vertices.
    fn vertices(&self) -> u64;
}

/// Count of members that came in through an opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fed {
    /// Number of the opening.
    pub opening: usize,
    /// How many came in.
    pub came: u64,
    /// How many times a member that was due found no room.
    pub late: u64,
}

/// The states of the members of one population of which a rank is in charge, as words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Records {
    /// Their numbers.
    pub ids: Vec<u64>,
    /// Number of words of each member.
    pub width: usize,
    /// The words, member after member.
    pub words: Vec<i64>,
}
