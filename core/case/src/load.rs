//! What a step costs, node by node, so that parts take equally long: by what nodes, openings and cells cost in the mean, and by what a
//! run has measured.

use hematite_geometry::OpeningKind;

use crate::{Lattice, Population};

/// What a vertex of a cell costs, in nodes: its kernels took 9.6 (2-D) and 10.0 (3-D) times as long as a node's on a GPU, and 10.8 times
/// on software Vulkan (docs/performance.md, "Cells").
pub const VERTEX_LOAD: u32 = 10;
/// What a rigid body costs, in nodes (docs/experiments.md, "Gather and spread": 2.2 ns against 59 ps).
pub const BODY_LOAD: u32 = 37;
/// What a node of an opening costs besides, in nodes, where a velocity and where a pressure is prescribed (docs/experiments.md,
/// "Ghosts in the kernels of own bodies": 1.0 and 3.3 ns on an H200, where openings lie across the rows of nodes).
const VELOCITY_LOAD: u32 = 18;
const PRESSURE_LOAD: u32 = 60;
/// All loads together stay below this: METIS sums them in 32 bits.
const MOST: u64 = 1 << 30;
/// Steps between loads of 1 and 2 where they are measured.
const FINE: f64 = 64.0;
/// How much slower, or faster, than the mean a part's nodes are taken to be at most.
const FACTOR: f64 = 4.0;

/// The load of each node, at least 1; none where all have the same. Openings count at their nodes, cells where they are seeded: at the fluid
/// nodes nearest to their vertices, or to their centres where they are rigid. The first `fluid` nodes of the lattice stand in scan order.
pub fn loads(lattice: &Lattice, fluid: usize, populations: &[Population]) -> Option<Vec<u32>> {
    if lattice.openings.is_empty() && populations.iter().all(|population| population.cells.is_empty()) {
        return None;
    }
    let site =
        |at: [f64; 3]| [0, 1, 2].map(|axis| ((at[axis] - lattice.origin[axis]) / lattice.spacing).floor() as i32);
    let of_cells = |population: &Population| -> Vec<([i32; 3], u32)> {
        let cells = population.cells.iter();
        match population.rigid {
            Some(_) => cells.map(|cell| (site(cell.centre), BODY_LOAD)).collect(),
            None => cells
                .flat_map(|cell| cell.vertices(&population.surface))
                .map(|vertex| (site(vertex), VERTEX_LOAD))
                .collect(),
        }
    };
    Some(within_bounds(&loads_of(lattice, fluid, populations.iter().flat_map(of_cells)), |_, load| f64::from(load)))
}

/// The load of each node, at least 1, with openings and what is `suspended` near it: sites, which may lie periods away, and loads there. The
/// first `fluid` nodes of the lattice stand in scan order.
pub fn loads_of(lattice: &Lattice, fluid: usize, suspended: impl IntoIterator<Item = ([i32; 3], u32)>) -> Vec<u32> {
    let mut loads = vec![1_u32; lattice.nodes()];
    for opening in &lattice.openings {
        let load = match opening.kind {
            OpeningKind::Pressure => PRESSURE_LOAD,
            OpeningKind::Velocity | OpeningKind::Wall => VELOCITY_LOAD,
        };
        opening.nodes.iter().for_each(|site| loads[site.node.0 as usize] += load);
    }
    let scan = |[x, y, z]: [i32; 3]| [z, y, x];
    for (site, load) in suspended {
        let site = [0, 1, 2].map(|axis| match lattice.periodic[axis] {
            true => site[axis].rem_euclid(lattice.extent[axis] as i32),
            false if axis < lattice.set.dimension() => site[axis],
            false => 0,
        });
        if let Ok(n) = lattice.position[..fluid].binary_search_by_key(&scan(site), |&node| scan(node)) {
            loads[n] = loads[n].saturating_add(load);
        }
    }
    loads
}

/// Loads after a measurement: those of a part's nodes times what a unit of load took there, in units of the mean. `owner` says
/// whose each node is, `seconds` how long each part took.
pub fn measured_loads(loads: &[u32], owner: &[u32], seconds: &[f64]) -> Vec<u32> {
    let mut of_part = vec![0.0; seconds.len()];
    loads.iter().zip(owner).for_each(|(&load, &part)| of_part[part as usize] += f64::from(load));
    let mean = seconds.iter().sum::<f64>() / of_part.iter().sum::<f64>();
    let factor = |(&seconds, &load): (&f64, &f64)| (seconds / load / mean).clamp(1.0 / FACTOR, FACTOR);
    let factors: Vec<f64> = seconds.iter().zip(&of_part).map(factor).collect();
    within_bounds(loads, |n, load| FINE * f64::from(load) * factors[owner[n] as usize])
}

/// Loads as `of` has them, whole numbers from 1 on whose sum METIS holds.
fn within_bounds(loads: &[u32], of: impl Fn(usize, u32) -> f64) -> Vec<u32> {
    let of = |(n, &load): (usize, &u32)| of(n, load);
    let all: f64 = loads.iter().enumerate().map(of).sum();
    let share = (MOST as f64 / all).min(1.0);
    loads.iter().enumerate().map(|load| ((of(load) * share) as u32).max(1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Partition, fixture};

    #[test]
    fn what_is_suspended_counts_where_it_is() {
        let mut domain = fixture::solid(2, [8, 5, 1], [true, false, false]);
        (0..8).for_each(|x| (1..4).for_each(|y| fixture::set(&mut domain, [x, y, 0], hematite_geometry::Site::FLUID)));
        let lattice = Lattice::build(&domain).expect("builds");
        let at = |site| lattice.position.iter().position(|&at| at == site).expect("a node");
        let suspended = [([-1, 2, 0], 10), ([9, 1, 0], 55), ([1, 1, 0], 10), ([3, 0, 0], 10)];
        let loads = loads_of(&lattice, lattice.nodes(), suspended);
        assert_eq!((loads[at([7, 2, 0])], loads[at([1, 1, 0])]), (11, 66), "a period away; two at one node");
        assert_eq!(loads.iter().sum::<u32>(), 24 + 75, "in the wall nothing counts");
    }

    #[test]
    fn openings_count_at_their_nodes() {
        let mut domain = fixture::channel(40, 7);
        domain.openings[1].kind = OpeningKind::Pressure;
        let lattice = Lattice::build(&domain).expect("builds");
        let loads = loads(&lattice, lattice.nodes(), &[]).expect("not all the same");
        let of = |x: i32| -> Vec<u32> {
            let there = lattice.position.iter().zip(&loads).filter(|(at, _)| at[0] == x);
            there.map(|(_, &load)| load).collect()
        };
        let (first, last) =
            (lattice.position.iter().map(|at| at[0]).min(), lattice.position.iter().map(|at| at[0]).max());
        assert_eq!(first.map(of), Some(vec![1 + VELOCITY_LOAD; 7]));
        assert_eq!(last.map(of), Some(vec![1 + PRESSURE_LOAD; 7]));
        assert_eq!(of(20), [1; 7]);
        let mut closed = fixture::solid(2, [8, 5, 1], [true, false, false]);
        (0..8).for_each(|x| fixture::set(&mut closed, [x, 2, 0], hematite_geometry::Site::FLUID));
        let lattice = Lattice::build(&closed).expect("builds");
        assert_eq!(super::loads(&lattice, lattice.nodes(), &[]), None, "all the same");
    }

    #[test]
    fn slow_parts_get_less() {
        let lattice = Lattice::build(&fixture::channel(400, 20)).expect("builds");
        let mut owner = Partition::make(&lattice, 3).expect("divides").owners();
        // What a node takes where it is now: on the whole three units for the others' one.
        let pace = [3.0, 1.0, 1.0];
        let seconds = |owner: &[u32]| {
            let mut seconds = [0.0; 3];
            owner.iter().for_each(|&part| seconds[part as usize] += pace[part as usize]);
            seconds
        };
        for _ in 0..3 {
            let loads = measured_loads(&vec![1; owner.len()], &owner, &seconds(&owner));
            owner = Partition::make_again(&lattice, &loads, 3, &owner).expect("divides").owners();
        }
        let seconds = seconds(&owner);
        let (mean, most) = (seconds.iter().sum::<f64>() / 3.0, seconds.iter().copied().fold(0.0, f64::max));
        assert!(most < 1.05 * mean, "{seconds:?}");
        let sizes = [0, 1, 2].map(|part| owner.iter().filter(|&&owner| owner == part).count());
        assert!((0.8..1.25).contains(&(3.0 * sizes[0] as f64 / sizes[1] as f64)), "{sizes:?}");
    }

    #[test]
    fn sums_stay_within_what_metis_holds() {
        let loads = vec![1_u32 << 30; 8];
        let all = |loads: &[u32]| loads.iter().map(|&load| u64::from(load)).sum::<u64>();
        assert!(all(&within_bounds(&loads, |_, load| f64::from(load))) <= MOST);
        let measured = measured_loads(&[1, 1 << 20, 1 << 28, 1 << 28], &[0, 0, 1, 1], &[1.0, 2.0]);
        assert!(all(&measured) <= MOST && measured.iter().all(|&load| load > 0), "{measured:?}");
    }
}
