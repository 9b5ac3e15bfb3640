//! What the statistics of the bodies of a run are taken over.

use hematite_config::Result;
use hematite_dump::{FieldReader, RunRecord};
use hematite_stats::cells::bins::Bins;
use hematite_stats::cells::straight::Straight;

use super::BodySource;
use crate::config::BodiesConfig;
use crate::suspension::{Fluid, average_from};

/// A run's geometry and the choices made for it.
pub struct Setup<'a> {
    pub record: &'a RunRecord,
    pub fluid: Fluid<'a>,
    pub bins: Vec<Bins>,
    /// Time from which means are taken, s.
    pub average_from: f64,
    pub names: Vec<String>,
    /// Numbers of the populations that are rigid.
    pub rigid: Vec<usize>,
}

impl<'a> Setup<'a> {
    /// # Errors
    /// A usage fault that names the key.
    pub fn new(
        record: &'a RunRecord,
        config: &BodiesConfig,
        source: &BodySource,
        fields: Option<&'a FieldReader>,
        left_out: &mut Vec<String>,
    ) -> Result<Self> {
        let fluid = Fluid::new(record, fields, "profiles, sections and alignment", left_out)?;
        let straight = match &fluid.nodes {
            Some(nodes) => main_axis(record, config, source)?.and_then(|axis| Straight::find(nodes, axis)),
            None => None,
        };
        let bins = fluid.bins(straight.as_ref());
        let average_from = average_from("bodies", config.average_from, source.reader.steps())?;
        Ok(Self { record, fluid, bins, average_from, names: source.names(), rigid: source.rigid() })
    }

    /// Volume of the fluid nodes, m3.
    pub fn lumen(&self) -> f64 {
        self.record.nodes as f64 * self.record.dx.powi(3)
    }
}

/// The axis of the vessel: that of the config, or of the pressure drop, or along which bodies move fastest at the last dump.
fn main_axis(record: &RunRecord, config: &BodiesConfig, source: &BodySource) -> Result<Option<usize>> {
    let largest = |v: [f64; 3]| (0..3).max_by(|&a, &b| v[a].abs().total_cmp(&v[b].abs())).filter(|&a| v[a] != 0.0);
    if let Some(axis) = config.axis {
        return Ok(Some(axis as usize));
    }
    if let Some(axis) = largest(record.pressure_drop) {
        return Ok(Some(axis));
    }
    let frame = source.reader.frame(source.reader.steps().len() - 1)?;
    let sum = frame.velocity.iter().fold([0.0; 3], |sum, u| [0, 1, 2].map(|a| sum[a] + f64::from(u[a])));
    Ok(largest(sum))
}
