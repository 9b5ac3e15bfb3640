//! What a step costs, node by node, so that parts take equally long.

use crate::{Lattice, Population};

/// What a vertex of a cell costs, in nodes: its kernels took 9.6 (2-D) and 10.0 (3-D) times as long as a node's on a GPU, and 10.8 times
/// on software Vulkan (docs/performance.md, "Cells").
const VERTEX: u32 = 10;
/// What a rigid body costs, in nodes (docs/performance.md, "Rigid bodies": 3.2 ns against 58 ps).
const BODY: u32 = 55;
/// All loads together stay below this: METIS sums them in 32 bits.
const MOST: u64 = 1 << 30;

/// The load of each node, at least 1; none where all have the same. Cells count where they are seeded: at the fluid nodes nearest
/// to their vertices, or to their centres where they are rigid. The first `fluid` nodes of the lattice stand in scan order.
pub fn loads(lattice: &Lattice, fluid: usize, populations: &[Population]) -> Option<Vec<u32>> {
    if populations.iter().all(|population| population.cells.is_empty()) {
        return None;
    }
    let mut loads = vec![1_u32; lattice.nodes()];
    let scan = |[x, y, z]: [i32; 3]| [z, y, x];
    let mut add = |at: [f64; 3], load: u32| {
        let site = [0, 1, 2].map(|axis| {
            let site = ((at[axis] - lattice.origin[axis]) / lattice.spacing).floor() as i32;
            match lattice.periodic[axis] {
                true => site.rem_euclid(lattice.extent[axis] as i32),
                false if axis < lattice.set.dimension() => site,
                false => 0,
            }
        });
        if let Ok(n) = lattice.position[..fluid].binary_search_by_key(&scan(site), |&node| scan(node)) {
            loads[n] = loads[n].saturating_add(load);
        }
    };
    for population in populations {
        for cell in &population.cells {
            match population.rigid {
                Some(_) => add(cell.centre, BODY),
                None => cell.vertices(&population.surface).for_each(|at| add(at, VERTEX)),
            }
        }
    }
    let all: u64 = loads.iter().map(|&load| u64::from(load)).sum();
    if all > MOST {
        let share = MOST as f64 / all as f64;
        loads.iter_mut().for_each(|load| *load = ((f64::from(*load) * share) as u32).max(1));
    }
    Some(loads)
}
