//! What the statistics of the bodies of a run are taken over.

use hematite_config::{Fault, Result};
use hematite_dump::{FieldReader, RunRecord};
use hematite_stats::cells::bins::Bins;
use hematite_stats::cells::straight::Straight;
use hematite_stats::cells::wall_distance::wall_distances;
use hematite_stats::lookup::Nodes;
use hematite_stats::wss::WallSite;

use super::BodySource;
use crate::config::BodiesConfig;
use crate::walls::Surroundings;

/// A run's geometry and the choices made for it.
pub struct Setup<'a> {
    pub record: &'a RunRecord,
    pub fields: Option<&'a FieldReader>,
    /// All fluid nodes of the case; `None` where no dump of fields holds them.
    pub nodes: Option<Nodes<'a>>,
    pub walls: Vec<WallSite>,
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
        let (mut nodes, mut walls) = (None, Vec::new());
        if let Some(fields) = fields {
            if fields.grid().position.len() as u64 == record.nodes {
                let all = Nodes::new(fields.grid())?;
                nodes = Some(match Surroundings::read(record, fields.grid()) {
                    Ok(surroundings) => {
                        let all = surroundings.wrap(all);
                        walls = surroundings.walls;
                        all
                    }
                    Err(fault) => {
                        left_out.push(format!("walls and periodic faces: {fault}"));
                        all
                    }
                });
            } else {
                left_out.push("profiles, sections and alignment: no dump of fields holds all fluid nodes".to_owned());
            }
        }
        let mut bins = Vec::new();
        if let Some(nodes) = &nodes {
            let straight = main_axis(record, config, source)?.and_then(|axis| Straight::find(nodes, axis));
            bins.extend(straight.and_then(|straight| Bins::across(nodes, &straight)));
            let distance = wall_distances(nodes, &walls);
            if !distance.is_empty() {
                bins.push(Bins::by_wall(nodes, &distance));
            }
        }
        let steps = source.reader.steps();
        let (first, last) = (steps[0].time, steps[steps.len() - 1].time);
        let average_from = config.average_from.map_or(0.5 * (first + last), |time| time.si());
        if average_from > last {
            return Err(Fault::usage(format!(
                "key \"bodies.average_from\": {average_from} s is after the last dump of bodies, at {last} s; begin earlier"
            )));
        }
        Ok(Self { record, fields, nodes, walls, bins, average_from, names: source.names(), rigid: source.rigid() })
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
