//! The rigid bodies of a run: from the case or a checkpoint into the fluid, and from there into dumps.

use std::collections::HashMap;

use hematite_case::{Case, Opening, Population};
use hematite_comm::Comm;
use hematite_config::Result;
use hematite_dump::{BodyFrame, BodyKind, CellCount};
use hematite_engine::sites::{Coordinate, SiteMap};
use hematite_geometry::OpeningKind;
use hematite_gpu::Gpu;
use physics_bodies::{Kind, Rigid, RigidBodies, State, Surroundings};
use physics_lattice_boltzmann::Fluid;

use crate::ranks::together;
use crate::setup::Setup;
use crate::state::Saved;

/// Puts the bodies into the fluid, at the start or as saved.
pub fn immerse(
    gpu: &Gpu,
    comm: &dyn Comm,
    setup: &Setup,
    rigid: &Rigid,
    fluid: &Fluid,
    saved: Option<Saved>,
) -> Result<RigidBodies> {
    let parameters = rigid.parameters.clone();
    let around = together(comm, || surroundings(gpu, setup, rigid))?;
    let shared = Some(fluid.shared());
    let Some(saved) = saved else {
        return RigidBodies::new(gpu, comm, parameters, shared, around, 0, rigid.at_start(&setup.populations));
    };
    let mut bodies = RigidBodies::new(gpu, comm, parameters, shared, around, saved.step, saved.bodies)?;
    let counts = |of: fn(&CellCount) -> u64| saved.populations.iter().map(|state| of(&state.count)).collect::<Vec<_>>();
    if comm.rank() == 0 {
        bodies.restore_left(&counts(|count| count.left));
    }
    bodies.restore_inserted(&counts(|count| count.inserted), &saved.entered);
    Ok(bodies)
}

fn surroundings(gpu: &Gpu, setup: &Setup, rigid: &Rigid) -> Result<Surroundings> {
    let case = Case::open(&setup.case)?;
    let own = setup.part.position[..setup.part.own].to_vec();
    let parameters = &rigid.parameters;
    let mut builder = SiteMap::builder(3, &own, parameters.map_margin(), parameters.extent, parameters.periodic);
    case.each_position(|positions| builder.add_fluid(positions))?;
    let wall_distance = Some(builder.distances(parameters.wall_reach(), 0.0, within_walls(setup), open_sites(setup)));
    Ok(Surroundings { own, map: builder.build(gpu)?, wall_distance, gates: rigid.gates.clone() })
}

/// Whether an own node is of the fluid, not of the layer beyond immersed walls.
pub fn within_walls(setup: &Setup) -> impl Fn(u32) -> bool + Sync {
    |node| (setup.part.id[node as usize].0 as usize) < setup.header.nodes
}

/// Whether a site next to fluid is in an opening, not in the wall.
pub fn open_sites(setup: &Setup) -> impl Fn([i32; 3]) -> bool + Sync + use<> {
    let (openings, sites) = match &setup.openings {
        Some(openings) => (openings.list.as_slice(), openings.sites.as_slice()),
        None => Default::default(),
    };
    let mut beyond = beyond(openings, sites);
    beyond.retain(|_, opening| openings[*opening].kind != OpeningKind::Wall);
    move |site| beyond.contains_key(&site)
}

/// The sites next to the nodes of openings on their outer side, and the opening's number.
fn beyond(openings: &[Opening], sites: &[Vec<[i32; 3]>]) -> HashMap<[i32; 3], usize> {
    let mut beyond = HashMap::new();
    for (k, (opening, sites)) in openings.iter().zip(sites).enumerate() {
        for site in sites {
            for c in 0..27 {
                let step = [c % 3 - 1, c / 3 % 3 - 1, c / 9 - 1];
                if (0..3).map(|a| opening.normal[a] * f64::from(step[a])).sum::<f64>() < -0.5 {
                    beyond.insert([0, 1, 2].map(|a| site[a] + step[a]), k);
                }
            }
        }
    }
    beyond
}

/// The populations as dumps know them.
pub fn kinds(setup: &Setup) -> Vec<BodyKind> {
    let kind = |population: &Population| BodyKind {
        name: population.name.clone(),
        semi_axes: population.rigid.map_or([0.0; 3], |body| body.semi_axes),
    };
    setup.populations.iter().map(kind).collect()
}

/// Bodies in SI, moved by whole periods so that their centres lie in the domain.
pub fn frame(setup: &Setup, kinds: &[Kind], states: &[State], step: u64) -> BodyFrame {
    let (units, header) = (&setup.plan.units, &setup.header);
    let mut frame = BodyFrame { step, time: step as f64 * units.dt, ..BodyFrame::default() };
    let single = |v: [f64; 3], unit: f64| v.map(|x| (x * unit) as f32);
    for state in states {
        let kind = &kinds[state.kind as usize];
        let at = state.position.map(Coordinate::value);
        let image = [0, 1, 2].map(|axis| {
            let sites = header.extent[axis] as f64;
            if header.periodic[axis] { ((at[axis] + 0.5) / sites).floor() as i32 } else { 0 }
        });
        frame.id.push(u64::from(state.id));
        frame.kind.push(state.kind);
        frame.position.push([0, 1, 2].map(|axis| {
            let wrapped = at[axis] - f64::from(image[axis]) * header.extent[axis] as f64;
            header.origin[axis] + (wrapped + 0.5) * header.spacing
        }));
        frame.image.push(image);
        frame.orientation.push(state.orientation.map(|q| q as f32));
        frame.velocity.push(single(kind.velocity(state), units.velocity()));
        frame.angular_velocity.push(single(kind.angular_velocity(state), 1.0 / units.dt));
        frame.force.push(single(state.force, units.force()));
        frame.torque.push(single(state.torque, units.force() * units.dx));
    }
    frame
}
