//! One pass over the dumps of bodies.

use hematite_config::Result;
use hematite_dump::DumpStep;
use hematite_stats::bodies::occupancy::occupancy;
use hematite_stats::bodies::order::{Nematic, nematic};
use hematite_stats::bodies::profile::{Across, Place, across, node_of, order, size};
use hematite_stats::bodies::{Body, bodies};
use hematite_stats::cells::wall_distance::Walls;
use hematite_stats::lookup::Nodes;
use hematite_stats::map::speeds;

use super::BodySource;
use super::setup::Setup;
use crate::suspension::mean;
use crate::suspension::profile::Hematocrit;

/// What the dumps say, one after the other.
pub struct Series {
    pub dumps: Vec<Dump>,
    /// For each of the setup's bins.
    pub profiles: Vec<ProfileSeries>,
    /// The bodies of the last dump.
    pub last: Vec<Body>,
    /// The speed of the fluid at the last dump, at all nodes, m/s.
    pub speed: Option<Vec<f64>>,
    /// Largest share of the bodies' volume that lay outside the fluid nodes.
    pub outside: f64,
}

/// One dump.
pub struct Dump {
    pub at: DumpStep,
    /// Whether means are taken over it.
    pub averaged: bool,
    /// For each population.
    pub populations: Vec<Population>,
}

/// One population in one dump. Means over its bodies, not a number where nothing is known.
#[derive(Clone, Copy, Debug)]
pub struct Population {
    pub bodies: usize,
    pub hematocrit: f64,
    /// m/s.
    pub speed: f64,
    /// rad/s.
    pub spin: f64,
    pub nematic: Option<Nematic>,
    /// Alignment with the normal of the nearest wall.
    pub wall_order: f64,
    /// Alignment with the flow.
    pub flow_order: f64,
}

/// Samples of a profile: dump after dump, bin after bin.
pub struct ProfileSeries {
    pub hematocrit: Hematocrit,
    pub across: Vec<Across>,
}

/// Goes through the dumps.
pub fn reduce(setup: &Setup, source: &BodySource, left_out: &mut Vec<String>) -> Result<Series> {
    let kinds = source.reader.kinds();
    let empty = || ProfileSeries { hematocrit: Hematocrit::new(kinds.len()), across: Vec::new() };
    let mut series = Series {
        dumps: Vec::new(),
        profiles: setup.bins.iter().map(|_| empty()).collect(),
        last: Vec::new(),
        speed: None,
        outside: 0.0,
    };
    let walls = setup.fluid.nodes.as_ref().filter(|_| !setup.fluid.walls.is_empty());
    let walls = walls.map(|nodes| Walls::new(nodes, &setup.fluid.walls));
    let mut without = 0;
    for (number, &at) in source.reader.steps().iter().enumerate() {
        let all = bodies(kinds, &source.reader.frame(number)?)?;
        let velocity = setup.fluid.velocity(at.step)?;
        without += usize::from(setup.fluid.nodes.is_some() && velocity.is_none());
        let places: Vec<Place> = match &setup.fluid.nodes {
            Some(nodes) => all.iter().map(|body| place(nodes, walls.as_ref(), velocity.as_deref(), body)).collect(),
            None => all.iter().map(|body| Place { flow: direction(body.velocity), ..Place::default() }).collect(),
        };
        let averaged = at.time >= setup.average_from;
        series.dumps.push(Dump {
            at,
            averaged,
            populations: (0..kinds.len()).map(|kind| population(setup, kind, &all, &places)).collect(),
        });
        if averaged && let Some(nodes) = &setup.fluid.nodes {
            let filled = occupancy(nodes, &all, kinds.len());
            series.outside = series.outside.max(filled.outside);
            for (bins, profile) in setup.bins.iter().zip(&mut series.profiles) {
                profile.hematocrit.push(bins, &filled);
                profile.across.push(across(bins, nodes.grid().spacing, &all, &places));
            }
        }
        series.last = all;
        series.speed = velocity.as_deref().map(speeds);
    }
    if without > 0 {
        let dumps = series.dumps.len();
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

/// The surroundings of a body. The flow is that of the node in whose cube its centre lies, or else its own motion.
fn place(nodes: &Nodes, walls: Option<&Walls>, velocity: Option<&[f64]>, body: &Body) -> Place {
    let node = node_of(nodes, body.position);
    let wall = walls.and_then(|walls| walls.nearest(nodes.coordinate(body.position)));
    let fluid = node.zip(velocity).map(|(n, u)| [0, 1, 2].map(|a| u[3 * n + a]));
    Place { node, wall: wall.map(|(_, normal)| normal), flow: direction(fluid.unwrap_or(body.velocity)) }
}

fn direction(v: [f64; 3]) -> Option<[f64; 3]> {
    let length = size(v);
    (length > 0.0 && length.is_finite()).then(|| v.map(|x| x / length))
}

fn population(setup: &Setup, kind: usize, all: &[Body], places: &[Place]) -> Population {
    let own = || all.iter().zip(places).filter(|(body, _)| body.kind == kind);
    Population {
        bodies: own().count(),
        hematocrit: own().map(|(body, _)| body.volume()).sum::<f64>() / setup.lumen(),
        speed: mean(own().map(|(body, _)| size(body.velocity))),
        spin: mean(own().map(|(body, _)| size(body.angular_velocity))),
        nematic: nematic(own().filter_map(|(body, _)| body.symmetry_axis())),
        wall_order: mean(own().filter_map(|(body, place)| order(body, place.wall))),
        flow_order: mean(own().filter_map(|(body, place)| order(body, place.flow))),
    }
}
