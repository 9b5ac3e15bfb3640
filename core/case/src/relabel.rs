//! Parts of a new partition named after those of an old one.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Numbers the parts of `owner` such that nodes change theirs as seldom as can be seen at once: the pair of parts with the most
/// `loads` in common is matched first, then the next of those left.
pub(crate) fn relabel(owner: &mut [u32], before: &[u32], loads: &[u32], parts: usize) {
    let mut common: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    for ((&new, &old), &load) in owner.iter().zip(before).zip(loads) {
        *common.entry((new, old)).or_default() += u64::from(load);
    }
    let mut pairs: Vec<((u32, u32), u64)> = common.into_iter().collect();
    pairs.sort_unstable_by_key(|&(pair, load)| (Reverse(load), pair));
    let mut name: Vec<Option<u32>> = vec![None; parts];
    let mut free: BTreeSet<u32> = (0..parts as u32).collect();
    for ((new, old), _) in pairs {
        if name[new as usize].is_none() && free.remove(&old) {
            name[new as usize] = Some(old);
        }
    }
    for name in name.iter_mut().filter(|name| name.is_none()) {
        *name = free.pop_first();
    }
    owner.iter_mut().for_each(|part| *part = name[*part as usize].unwrap_or(*part));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_keep_their_names() {
        let before = [0, 0, 1, 1, 2, 2, 2];
        let mut owner = [2, 2, 2, 0, 1, 1, 1];
        relabel(&mut owner, &before, &[1; 7], 4);
        assert_eq!(owner, [0, 0, 0, 1, 2, 2, 2]);
        // A heavy node draws its part's name to it.
        let mut owner = [1, 1, 0, 0, 2, 2, 2];
        relabel(&mut owner, &[0, 1, 1, 1, 2, 2, 2], &[9, 1, 1, 1, 1, 1, 1], 3);
        assert_eq!(owner, [0, 0, 1, 1, 2, 2, 2]);
        // Parts that share nothing with any before take the names that are left.
        let mut owner = [0, 1, 2];
        relabel(&mut owner, &[2, 2, 2], &[1, 2, 1], 3);
        assert_eq!(owner, [0, 2, 1]);
    }
}
