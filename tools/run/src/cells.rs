//! The cells of a run: from the case or a checkpoint into the fluid, and from there into dumps.

use hematite_case::{Case, Header};
use hematite_cells::{ROUGH, roughness};
use hematite_comm::Comm;
use hematite_config::Result;
use hematite_dump::{CellFrame, CellKind};
use hematite_engine::sites::SiteMap;
use hematite_gpu::Gpu;
use physics_cells::{Immersion, Snapshot, Surroundings, Suspension, THICKENING};
use physics_lattice_boltzmann::Fluid;

use crate::bodies::{open_sites, within_walls};
use crate::ranks::together;
use crate::setup::Setup;
use crate::state::Saved;

/// Puts the cells into the fluid, at the start or as saved.
pub fn immerse(
    gpu: &Gpu,
    comm: &dyn Comm,
    setup: &Setup,
    immersion: &Immersion,
    fluid: &Fluid,
    saved: Option<Saved>,
) -> Result<Suspension> {
    let parameters = immersion.parameters.clone();
    let around = together(comm, || surroundings(gpu, setup, immersion))?;
    let shared = fluid.shared();
    let suspension = match saved {
        Some(saved) => {
            let mut suspension = Suspension::new(gpu, comm, parameters, shared, around, saved.step, saved.cells)?;
            let counts = saved.populations.iter().map(|state| [state.count.inserted, state.count.left]);
            suspension.restore_counts(&counts.collect::<Vec<_>>(), &saved.entered);
            suspension
        }
        None => Suspension::new(gpu, comm, parameters, shared, around, 0, immersion.at_start(&setup.populations))?,
    };
    Ok(suspension)
}

fn surroundings(gpu: &Gpu, setup: &Setup, immersion: &Immersion) -> Result<Surroundings> {
    let case = Case::open(&setup.case)?;
    let own = setup.part.position[..setup.part.own].to_vec();
    let parameters = &immersion.parameters;
    let mut builder =
        SiteMap::builder(parameters.dimension, &own, parameters.map_margin(), parameters.extent, parameters.periodic);
    case.each_position(|positions| builder.add_fluid(positions))?;
    let wall_distance = builder.distances(parameters.wall_reach(), THICKENING, within_walls(setup), open_sites(setup));
    // Beyond immersed walls the fluid goes on, so that kernels of vertices near them are whole.
    setup.layer.iter().for_each(|layer| builder.add_fluid(&layer.position));
    Ok(Surroundings { own, map: builder.build(gpu)?, wall_distance, gates: setup.gates.clone() })
}

/// The populations as dumps know them.
pub fn kinds(setup: &Setup) -> Vec<CellKind> {
    let kind = |population: &hematite_case::Population| CellKind {
        name: population.name.clone(),
        vertices: population.surface.vertices.len(),
        triangles: population.surface.triangles.clone(),
    };
    setup.populations.iter().map(kind).collect()
}

/// Of each population how many cells there are in all `frame`s together, and how many of them are rough. Collective.
///
/// # Errors
/// When a rank is lost.
pub fn rough(comm: &dyn Comm, setup: &Setup, frame: &CellFrame) -> Result<Vec<[i64; 2]>> {
    let sides: Vec<Vec<[usize; 2]>> = setup
        .populations
        .iter()
        .map(|population| population.surface.edges().into_iter().map(|side| side.map(|v| v as usize)).collect())
        .collect();
    let mut counts = vec![0; 2 * sides.len()];
    let mut rest = &frame.position[..];
    for kind in frame.kind.iter().map(|&kind| kind as usize) {
        let (cell, others) = rest.split_at(setup.populations[kind].surface.vertices.len());
        rest = others;
        counts[2 * kind] += 1;
        counts[2 * kind + 1] += i64::from(roughness(cell, &sides[kind]) > ROUGH);
    }
    comm.sum(&mut counts)?;
    Ok(counts.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect())
}

/// A snapshot in SI, its cells moved by whole periods so that their centroids lie in the domain.
pub fn frame(setup: &Setup, snapshot: &Snapshot, step: u64) -> CellFrame {
    let units = &setup.plan.units;
    let header = &setup.header;
    let mut frame = CellFrame {
        step,
        time: step as f64 * units.dt,
        id: snapshot.id.clone(),
        kind: snapshot.kind.clone(),
        position: Vec::with_capacity(snapshot.position.len()),
        velocity: snapshot.velocity.iter().map(|u| u.map(|u| (u * units.velocity()) as f32)).collect(),
        force: snapshot.force.iter().map(|f| f.map(|f| (f * units.force()) as f32)).collect(),
        image: Vec::with_capacity(snapshot.id.len()),
    };
    let mut first = 0;
    for &kind in &snapshot.kind {
        let last = first + setup.populations[kind as usize].surface.vertices.len();
        let image = image(header, &snapshot.position[first..last]);
        frame.image.push(image);
        frame.position.extend(snapshot.position[first..last].iter().map(|x| {
            std::array::from_fn(|axis| {
                if axis >= header.set.dimension() {
                    return 0.0;
                }
                let wrapped = x[axis] - f64::from(image[axis]) * header.extent[axis] as f64;
                header.origin[axis] + (wrapped + 0.5) * header.spacing
            })
        }));
        first = last;
    }
    frame
}

/// How many periods a cell's centroid lies outside of the domain.
fn image(header: &Header, position: &[[f64; 3]]) -> [i32; 3] {
    std::array::from_fn(|axis| {
        if !header.periodic[axis] || axis >= header.set.dimension() {
            return 0;
        }
        let middle = position.iter().map(|x| x[axis]).sum::<f64>() / position.len() as f64;
        ((middle + 0.5) / header.extent[axis] as f64).floor() as i32
    })
}
