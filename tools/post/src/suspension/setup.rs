//! The domain and the choices for the statistics of a run's members.

use hematite_config::{Fault, Result};
use hematite_dump::{Kind, Reader, RunRecord};
use hematite_stats::suspension::bins::Bins;
use hematite_stats::suspension::straight::Straight;
use hematite_units::quantity::Time;

use super::Fluid;

/// A run's geometry and the choices made for it.
pub struct Setup<'a> {
    pub record: &'a RunRecord,
    pub fluid: Fluid<'a>,
    /// The vessel, if it is straight along its axis.
    pub straight: Option<Straight>,
    pub bins: Vec<Bins>,
    /// Time from which means are taken, s.
    pub average_from: f64,
    /// Names of all populations of the run.
    pub names: Vec<String>,
    /// Numbers of the populations with members of this kind.
    pub populations: Vec<usize>,
}

impl<'a> Setup<'a> {
    /// Means are over the dumps from `average_from` on, by default the later half of the time that dumps span.
    ///
    /// # Errors
    /// A usage fault when `average_from` is after the last dump.
    pub fn new<K: Kind>(
        record: &'a RunRecord,
        members: &Reader<K>,
        populations: Vec<usize>,
        fluid: Fluid<'a>,
        axis: Option<usize>,
        average_from: Option<Time>,
    ) -> Result<Self> {
        let straight = fluid.nodes.as_ref().zip(axis).and_then(|(nodes, axis)| Straight::find(nodes, axis));
        let bins = fluid.bins(straight.as_ref());
        let (what, steps) = (K::FORM.what, members.steps());
        let (first, last) = (steps[0].time, steps[steps.len() - 1].time);
        let average_from = average_from.map_or(0.5 * (first + last), |time| time.si());
        if average_from > last {
            return Err(Fault::usage(format!(
                "key \"{what}.average_from\": {average_from} s is after the last dump of {what}, at {last} s; begin earlier"
            )));
        }
        Ok(Self { record, fluid, straight, bins, average_from, names: members.names(), populations })
    }
}
