//! Parts made anew where ranks take unequally long, by what each has taken (a-posteriori load balancing, after Rustico, GPUSPH). No
//! result depends on who owns a node.

use hematite_case::{BODY_LOAD, NodeId, Part, Partition, VERTEX_LOAD, loads_of, measured_loads};
use hematite_comm::{Comm, gather_all};
use hematite_config::Result;
use hematite_gpu::Gpu;
use physics_lattice_boltzmann::Fluid;

use crate::checkpoint::{opening_ids, wall_ids};
use crate::ranks::{node_route, together};
use crate::setup::Setup;
use crate::start::immerse;
use crate::state::Saved;
use crate::suspended::Suspended;

/// What each rank has taken.
pub struct Pace {
    /// Seconds of its own work.
    seconds: Vec<f64>,
}

impl Pace {
    /// Brings together how many seconds each rank has worked. Collective.
    ///
    /// # Errors
    /// When a rank is lost.
    pub fn of(comm: &dyn Comm, seconds: f64) -> Result<Self> {
        let all = gather_all(comm, &seconds.to_ne_bytes())?;
        Ok(Self { seconds: all.iter().flat_map(|bytes| bytemuck::pod_collect_to_vec(bytes)).collect() })
    }

    /// By how much the slowest rank is over the mean, as a share of it.
    pub fn excess(&self) -> f64 {
        let mean = self.seconds.iter().sum::<f64>() / self.seconds.len() as f64;
        let most = self.seconds.iter().copied().fold(0.0, f64::max);
        if mean > 0.0 { most / mean - 1.0 } else { 0.0 }
    }
}

/// What has come of a new partition.
pub struct Divided {
    /// The fluid on its new part.
    pub fluid: Fluid,
    /// What is suspended there.
    pub suspended: Suspended,
    /// Nodes that have changed ranks.
    pub moved: usize,
}

/// Makes parts that would have taken equally long and goes on with them: after an even number of steps, when the state of cells is
/// whole. Collective.
///
/// # Errors
/// When the device lacks room; when it or a rank is lost.
pub fn divide(
    comm: &dyn Comm,
    gpu: &Gpu,
    setup: &mut Setup,
    pace: &Pace,
    fluid: Fluid,
    suspended: Suspended,
) -> Result<Divided> {
    let saved = Saved::gather(comm, setup, fluid.step(), &suspended)?;
    let owner = owners(comm, setup)?;
    let (part, moved) = together(comm, || new_part(comm, setup, pace, &saved, &owner))?;
    drop(owner);
    if moved == 0 {
        return Ok(Divided { fluid, suspended, moved });
    }
    let held = together(comm, || Held::take(setup, &fluid))?;
    // The device may lack room for both.
    drop((fluid, suspended));
    setup.divide(comm, part)?;
    let mut fluid = together(comm, || setup.fluid(gpu))?;
    held.put(comm, setup, saved.step, &mut fluid)?;
    let suspended = immerse(gpu, comm, setup, &mut fluid, Some(saved))?;
    Ok(Divided { fluid, suspended, moved })
}

/// The rank of each node of the lattice, on every rank.
fn owners(comm: &dyn Comm, setup: &Setup) -> Result<Vec<u32>> {
    let own: Vec<u32> = setup.own_ids().iter().map(|id| id.0 as u32).collect();
    let all = gather_all(comm, bytemuck::cast_slice(&own))?;
    let mut owner = vec![0; all.iter().map(Vec::len).sum::<usize>() / size_of::<u32>()];
    for (rank, ids) in (0..).zip(&all) {
        ids.chunks_exact(size_of::<u32>())
            .for_each(|id| owner[bytemuck::pod_read_unaligned::<u32>(id) as usize] = rank);
    }
    Ok(owner)
}

/// This rank's part of a partition by what each rank took, and how many nodes change ranks. All ranks find the same.
fn new_part(comm: &dyn Comm, setup: &Setup, pace: &Pace, saved: &Saved, owner: &[u32]) -> Result<(Part, usize)> {
    let lattice = setup.lattice()?;
    let dimension = setup.header.set.dimension();
    let nearest = |at: [f64; 3]| at.map(|x| x.round() as i32);
    let vertices = saved.cells.iter().flat_map(|(_, _, record)| record.points(dimension));
    let vertices = vertices.map(|at| (nearest(at), VERTEX_LOAD));
    let bodies = saved.bodies.iter().map(|body| (nearest(body.position.map(|x| x.value())), BODY_LOAD));
    let loads = loads_of(&lattice, setup.header.nodes, vertices.chain(bodies));
    let loads = measured_loads(&loads, owner, &pace.seconds);
    let partition = Partition::make_again(&lattice, &loads, comm.size(), owner)?;
    let moved = partition.owners().iter().zip(owner).filter(|(new, old)| new != old).count();
    Ok((Part::of(&lattice, &partition, comm.rank())?, moved))
}

/// The state of the fluid at the nodes of a part.
struct Held {
    nodes: Vec<NodeId>,
    /// Stored populations by direction.
    populations: Vec<Vec<u8>>,
    /// The ledgers' nodes, and what came in at each: of the openings, then of the walls.
    ledgers: Vec<(Vec<NodeId>, Vec<i64>)>,
    /// Marks of nodes inside cells, where there are any.
    marks: Option<Vec<u32>>,
}

impl Held {
    fn take(setup: &Setup, fluid: &Fluid) -> Result<Self> {
        let came_in = fluid.ledger()?.into_iter().enumerate();
        let mut ledgers: Vec<_> = came_in.map(|(k, came_in)| (opening_ids(setup, k), came_in)).collect();
        ledgers.push((wall_ids(setup, fluid), fluid.wall_ledger()?));
        let populations = (0..setup.header.set.q()).map(|i| fluid.populations(i)).collect::<Result<_>>()?;
        Ok(Self { nodes: setup.own_ids().to_vec(), populations, ledgers, marks: fluid.marks()? })
    }

    /// Brings it to the ranks that own the nodes now.
    fn put(self, comm: &dyn Comm, setup: &Setup, step: u64, fluid: &mut Fluid) -> Result<()> {
        let route = node_route(comm, &self.nodes, setup.own_ids())?;
        let width = setup.config.fluid.precision.stored_bytes();
        for (i, held) in self.populations.into_iter().enumerate() {
            let raw = route.bring(comm, &held, width)?;
            together(comm, || fluid.restore_populations(i, &raw))?;
        }
        if let Some(marks) = &self.marks {
            let raw = route.bring(comm, bytemuck::cast_slice(marks), size_of::<u32>())?;
            together(comm, || fluid.restore_marks(&bytemuck::pod_collect_to_vec::<u8, u32>(&raw)))?;
        }
        let openings = setup.part.openings.len();
        let mut ledgers = Vec::new();
        for (k, (nodes, came_in)) in self.ledgers.iter().enumerate() {
            let wanted = if k < openings { opening_ids(setup, k) } else { wall_ids(setup, fluid) };
            let raw = node_route(comm, nodes, &wanted)?.bring(comm, bytemuck::cast_slice(came_in), size_of::<i64>())?;
            ledgers.push(bytemuck::pod_collect_to_vec(&raw));
        }
        together(comm, || {
            fluid.restore_wall_ledger(&ledgers.pop().unwrap_or_default())?;
            fluid.restore_ledger(step, &ledgers)
        })
    }
}
