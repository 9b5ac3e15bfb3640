//! Reduces the dumps of bodies, in one pass.

use hematite_cells::vector::{length, unit};
use hematite_config::Result;
use hematite_dump::BodyReader;
use hematite_stats::bodies::order::{Nematic, nematic};
use hematite_stats::bodies::profile::{Across, Place, across, node_of, order};
use hematite_stats::bodies::{Body, bodies};
use hematite_stats::lookup::Nodes;
use hematite_stats::map::speeds;
use hematite_stats::suspension::wall_distance::Walls;

use crate::suspension::{self, Dump, Setup, mean};

/// The reduced dumps, in their order.
pub struct Series {
    pub common: suspension::Series<Population>,
    /// The bodies of the last dump.
    pub last: Vec<Body>,
    /// The speed of the fluid at the last dump, at all nodes, m/s.
    pub speed: Option<Vec<f64>>,
}

/// One population in one dump. Means over its bodies; NaN where unknown.
#[derive(Clone, Copy, Debug)]
pub struct Population {
    pub bodies: usize,
    pub hematocrit: f64,
    /// Speed, m/s.
    pub speed: f64,
    /// Magnitude of the angular velocity, rad/s.
    pub spin: f64,
    pub nematic: Option<Nematic>,
    /// Alignment with the normal of the nearest wall.
    pub wall_order: f64,
    /// Alignment with the flow.
    pub flow_order: f64,
}

impl Population {
    /// The order parameter of the axes; NaN without axes.
    pub fn nematic_order(&self) -> f64 {
        self.nematic.map_or(f64::NAN, |nematic| nematic.order)
    }
}

/// Reduces the dumps. Adds to `left_out` what they lack.
pub fn reduce(setup: &Setup, source: &BodyReader, left_out: &mut Vec<String>) -> Result<Series> {
    let kinds = source.kinds();
    let mut series = Series { common: suspension::Series::new(setup), last: Vec::new(), speed: None };
    let walls = setup.fluid.nodes.as_ref().filter(|_| !setup.fluid.walls.is_empty());
    let walls = walls.map(|nodes| Walls::new(nodes, &setup.fluid.walls));
    let mut without = 0;
    for (number, &at) in source.steps().iter().enumerate() {
        let all = bodies(kinds, &source.frame(number)?)?;
        let velocity = setup.fluid.velocity(at.step)?;
        without += usize::from(setup.fluid.nodes.is_some() && velocity.is_none());
        let places: Vec<Place> = match &setup.fluid.nodes {
            Some(nodes) => all.iter().map(|body| place(nodes, walls.as_ref(), velocity.as_deref(), body)).collect(),
            None => all.iter().map(|body| Place { flow: unit(body.velocity), ..Place::default() }).collect(),
        };
        let averaged = at.time >= setup.average_from;
        let populations = (0..kinds.len()).map(|kind| population(setup, kind, &all, &places)).collect();
        series.common.dumps.push(Dump { at, averaged, populations, all: () });
        if averaged {
            series.common.sample(setup, &all, |bins| {
                let Across { density, wall_order, flow_order, speed, spin } =
                    across(bins, setup.record.dx, &all, &places);
                vec![density, wall_order, flow_order, speed, spin]
            });
        }
        series.last = all;
        series.speed = velocity.as_deref().map(speeds);
    }
    if without > 0 {
        let dumps = series.common.dumps.len();
        left_out.push(format!(
            "the fluid's direction in {without} of {dumps} dumps: no dump of velocity of the same step; the bodies' own stands \
             for it"
        ));
    }
    if setup.fluid.nodes.is_some() && series.speed.is_none() {
        left_out.push("sections: no dump of velocity at the step of the last dump of bodies".to_owned());
    }
    Ok(series)
}

/// The surroundings of a body. The direction of flow is that at the node in whose cube the centre lies, or else that of
/// the body's own motion.
fn place(nodes: &Nodes, walls: Option<&Walls>, velocity: Option<&[f64]>, body: &Body) -> Place {
    let node = node_of(nodes, body.position);
    let wall = walls.and_then(|walls| walls.nearest(nodes.coordinate(body.position)));
    let fluid = node.zip(velocity).map(|(n, u)| [0, 1, 2].map(|a| u[3 * n + a]));
    Place { node, wall: wall.map(|(_, normal)| normal), flow: unit(fluid.unwrap_or(body.velocity)) }
}

fn population(setup: &Setup, kind: usize, all: &[Body], places: &[Place]) -> Population {
    let lumen = setup.record.nodes as f64 * setup.record.dx.powi(3);
    let own = || all.iter().zip(places).filter(|(body, _)| body.kind == kind);
    Population {
        bodies: own().count(),
        hematocrit: own().map(|(body, _)| body.volume()).sum::<f64>() / lumen,
        speed: mean(own().map(|(body, _)| length(body.velocity))),
        spin: mean(own().map(|(body, _)| length(body.angular_velocity))),
        nematic: nematic(own().filter_map(|(body, _)| body.symmetry_axis())),
        wall_order: mean(own().filter_map(|(body, place)| order(body, place.wall))),
        flow_order: mean(own().filter_map(|(body, place)| order(body, place.flow))),
    }
}
