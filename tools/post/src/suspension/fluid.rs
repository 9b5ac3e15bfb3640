//! The fluid around suspended members.

use hematite_config::Result;
use hematite_dump::{Field, FieldReader, RunRecord};
use hematite_stats::lookup::{Nodes, fits};
use hematite_stats::suspension::bins::Bins;
use hematite_stats::suspension::straight::Straight;
use hematite_stats::suspension::wall_distance::wall_distances;
use hematite_stats::wall::WallSite;

use crate::walls::Surroundings;

/// The fluid of a run, from a dump of fields.
pub struct Fluid<'a> {
    fields: Option<&'a FieldReader>,
    /// All fluid nodes of the case; `None` if no dump of fields holds them.
    pub nodes: Option<Nodes<'a>>,
    /// The sites beside walls; empty if the case cannot be read.
    pub walls: Vec<WallSite>,
}

impl<'a> Fluid<'a> {
    /// Reads the fluid. `lost`: the statistics that need all fluid nodes, for `left_out`.
    ///
    /// # Errors
    /// A usage fault when the nodes of the dump are no lattice.
    pub fn new(
        record: &RunRecord,
        fields: Option<&'a FieldReader>,
        lost: &str,
        left_out: &mut Vec<String>,
    ) -> Result<Self> {
        let unknown = Self { fields, nodes: None, walls: Vec::new() };
        let Some(grid) = fields.map(FieldReader::grid) else { return Ok(unknown) };
        let (held, all) = (grid.position.len() as u64, record.nodes);
        if held != all {
            left_out.push(format!(
                "{lost}: the dump of fields holds {held} of {all} fluid nodes; dump velocity at all of them (no \
                 \"region\") and run again"
            ));
            return Ok(unknown);
        }
        let nodes = Nodes::new(grid)?;
        match Surroundings::read(record, grid) {
            Ok(around) => Ok(Self { nodes: Some(around.wrap(nodes)), walls: around.walls, ..unknown }),
            Err(fault) => {
                left_out.push(format!("walls and periodic faces: {fault}"));
                Ok(Self { nodes: Some(nodes), ..unknown })
            }
        }
    }

    /// Bins across a straight vessel, and by the distance from the wall, as far as known.
    pub fn bins(&self, straight: Option<&Straight>) -> Vec<Bins> {
        let Some(nodes) = &self.nodes else { return Vec::new() };
        let across = straight.and_then(|straight| Bins::across(nodes, straight));
        let distance = wall_distances(nodes, &self.walls);
        let by_wall = (!distance.is_empty()).then(|| Bins::by_wall(nodes, &distance));
        across.into_iter().chain(by_wall).collect()
    }

    /// The velocity of all nodes at a time step, x, y, z a node, m/s; `None` if no dump holds it.
    ///
    /// # Errors
    /// A usage fault when the dump is damaged.
    pub fn velocity(&self, step: u64) -> Result<Option<Vec<f64>>> {
        let (Some(fields), Some(nodes)) = (self.fields, &self.nodes) else { return Ok(None) };
        let Some(dump) = fields.steps().iter().position(|dump| dump.step == step) else { return Ok(None) };
        let velocity = fields.read(dump, Field::VELOCITY)?.to_f64();
        fits(nodes.grid(), "velocity", &velocity, 3)?;
        Ok(Some(velocity))
    }
}
