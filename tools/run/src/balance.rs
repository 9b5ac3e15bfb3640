//! Load balancing: makes new parts when ranks take unequal times, by the measured times (a posteriori, after Rustico,
//! GPUSPH). No result depends on which rank owns a node.

use hematite_case::{Part, Partition, loads_of, measured_loads};
use hematite_comm::{Comm, gather_all};
use hematite_config::Result;
use hematite_gpu::Gpu;

use crate::kept::{Arriving, Kept};
use crate::ranks::together;
use crate::setup::Setup;
use crate::system::System;

/// The time that each rank has worked.
pub struct Pace {
    /// Own work of each rank, s.
    seconds: Vec<f64>,
}

impl Pace {
    /// Gathers the time that each rank has worked; `seconds`: of this rank. Collective.
    ///
    /// # Errors
    /// When a rank is lost.
    pub fn of(comm: &dyn Comm, seconds: f64) -> Result<Self> {
        let all = gather_all(comm, &seconds.to_ne_bytes())?;
        Ok(Self { seconds: all.iter().flat_map(|bytes| bytemuck::pod_collect_to_vec(bytes)).collect() })
    }

    /// Time of the slowest rank over the mean, less 1.
    pub fn excess(&self) -> f64 {
        let mean = self.seconds.iter().sum::<f64>() / self.seconds.len() as f64;
        let most = self.seconds.iter().copied().fold(0.0, f64::max);
        if mean > 0.0 { most / mean - 1.0 } else { 0.0 }
    }
}

/// Makes parts that would have taken equal times and moves the state to them, at a step at which it can be saved.
/// Returns the new system and the number of nodes that changed ranks. Collective.
///
/// # Errors
/// When the device lacks room; when it or a rank is lost.
pub fn divide(comm: &dyn Comm, gpu: &Gpu, setup: &mut Setup, pace: &Pace, system: System) -> Result<(System, usize)> {
    let mut kept = Kept::members(comm, setup, &system)?;
    let owner = owners(comm, setup)?;
    let (part, moved) = together(comm, || new_part(comm, setup, pace, &system, &kept, &owner))?;
    drop(owner);
    if moved == 0 {
        return Ok((system, moved));
    }
    kept.take_nodes(comm, setup, &system)?;
    // The device may lack room for the old and the new system.
    drop(system);
    setup.ground.part = part;
    for planned in &mut setup.planned {
        planned.divide(comm, &setup.ground)?;
    }
    let arriving = Arriving::new(comm, kept, setup.ground.own_ids())?;
    Ok((System::build(gpu, comm, setup, Some(&arriving))?, moved))
}

/// The rank of each node of the lattice, on every rank.
fn owners(comm: &dyn Comm, setup: &Setup) -> Result<Vec<u32>> {
    let own: Vec<u32> = setup.ground.own_ids().iter().map(|id| id.0 as u32).collect();
    let all = gather_all(comm, bytemuck::cast_slice(&own))?;
    let mut owner = vec![0; all.iter().map(Vec::len).sum::<usize>() / size_of::<u32>()];
    for (rank, ids) in (0..).zip(&all) {
        ids.chunks_exact(size_of::<u32>())
            .for_each(|id| owner[bytemuck::pod_read_unaligned::<u32>(id) as usize] = rank);
    }
    Ok(owner)
}

/// This rank's part of a new partition by the time of each rank, and the number of nodes that change ranks. All ranks
/// find the same partition.
fn new_part(
    comm: &dyn Comm,
    setup: &Setup,
    pace: &Pace,
    system: &System,
    kept: &Kept,
    owner: &[u32],
) -> Result<(Part, usize)> {
    let lattice = setup.ground.lattice()?;
    let mut points = Vec::new();
    for (_, members) in system.members() {
        for (own, &k) in members.populations().iter().enumerate() {
            for words in kept.words(&setup.ground.populations[k].name) {
                let nearest = members.points(own, words).into_iter().map(|at| at.map(|x| x.round() as i32));
                points.extend(nearest.map(|at| (at, members.load())));
            }
        }
    }
    let loads = loads_of(&lattice, setup.ground.header.nodes, points);
    let loads = measured_loads(&loads, owner, &pace.seconds);
    let partition = Partition::make_again(&lattice, &loads, comm.size(), owner)?;
    let moved = partition.owners().iter().zip(owner).filter(|(new, old)| new != old).count();
    Ok((Part::of(&lattice, &partition, comm.rank())?, moved))
}
