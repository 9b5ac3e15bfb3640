//! Parts as slices across an axis: where a lattice is long, flat cuts are shorter than those around blocks.

use rayon::prelude::*;

use crate::Lattice;

/// The division into slices that cuts the fewest links, and how many those are, each counted from both its ends. Slices lie one behind the
/// other along one axis and have equal loads, as nearly as whole nodes allow. `None` where every axis leaves a part empty.
pub(crate) fn best(lattice: &Lattice, loads: Option<&[u32]>, parts: usize) -> Option<(Vec<u32>, usize)> {
    let along = |axis: usize| across(lattice, loads, parts, axis).map(|owner| (cut_links(lattice, &owner), owner));
    let (cut, owner) = (0..lattice.set.dimension()).filter_map(along).min_by_key(|(cut, _)| *cut)?;
    Some((owner, cut))
}

/// Links that lead to another part.
pub(crate) fn cut_links(lattice: &Lattice, owner: &[u32]) -> usize {
    let crossing = |n: usize| lattice.neighbours(n).filter(|&m| owner[m as usize] != owner[n]).count();
    (0..owner.len()).into_par_iter().map(crossing).sum()
}

/// The part of each node, in slices across `axis`; none where one would be empty. A
/// layer of sites that is cut itself is cut in scan order.
fn across(lattice: &Lattice, loads: Option<&[u32]>, parts: usize, axis: usize) -> Option<Vec<u32>> {
    let load = |n: usize| loads.map_or(1, |loads| u64::from(loads[n]));
    let along = || lattice.position.iter().map(|at| at[axis]);
    let (first, last) = (along().min()?, along().max()?);
    let layer = |n: usize| (lattice.position[n][axis] - first) as usize;
    // For each layer the load before its next node.
    let layers = (last - first) as usize + 1;
    let mut before = vec![0_u64; layers + 1];
    (0..lattice.nodes()).for_each(|n| before[layer(n) + 1] += load(n));
    (1..=layers).for_each(|layer| before[layer] += before[layer - 1]);
    let all = before[layers];
    let mut empty = vec![true; parts];
    let owner = (0..lattice.nodes()).map(|n| {
        let (before, load) = (&mut before[layer(n)], load(n));
        // The slice in which the middle of the node's load falls.
        let part = (u128::from(2 * *before + load) * parts as u128 / u128::from(2 * all)) as usize;
        *before += load;
        empty[part] = false;
        part as u32
    });
    let owner = owner.collect();
    (!empty.contains(&true)).then_some(owner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn a_channel_is_sliced_across_its_length() {
        let lattice = Lattice::build(&fixture::channel(40, 7)).expect("builds");
        let (owner, cut) = best(&lattice, None, 4).expect("four slices");
        for (at, &part) in lattice.position.iter().zip(&owner) {
            assert_eq!(part as i32, (at[0] - 1) / 10, "{at:?}");
        }
        // Three cuts of 7 straight links and 12 diagonal ones.
        assert_eq!(cut, 2 * 3 * 19);
    }

    #[test]
    fn loads_are_shared_out() {
        let lattice = Lattice::build(&fixture::channel(40, 7)).expect("builds");
        let loads: Vec<u32> = lattice.position.iter().map(|at| if at[0] <= 10 { 30 } else { 10 }).collect();
        let (owner, _) = best(&lattice, Some(&loads), 5).expect("five slices");
        let mut sums = [0; 5];
        owner.iter().zip(&loads).for_each(|(&part, &load)| sums[part as usize] += load);
        assert!(sums.iter().all(|&sum| sum.abs_diff(7 * 60 * 10 / 5) <= 30), "{sums:?}");
    }

    #[test]
    fn no_slice_is_empty() {
        let lattice = Lattice::build(&fixture::channel(4, 1)).expect("builds");
        assert!(best(&lattice, None, 4).is_some());
        // One node is heavier than two slices.
        assert_eq!(best(&lattice, Some(&[100, 1, 1, 1]), 4), None);
    }
}
