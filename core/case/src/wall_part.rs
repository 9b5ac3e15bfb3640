//! Named parts of the wall: which links of fluid nodes lead into each.

use hematite_config::{Fault, Result};
use hematite_geometry::{Domain, OpeningKind};
use rayon::prelude::*;

use crate::{Lattice, NodeId, VelocitySet};

/// A named part of the wall.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WallPart {
    /// Its name, by which the run asks for the force on it.
    pub name: String,
    /// The nodes with links into it, ascending.
    pub sites: Vec<WallPartSite>,
}

/// One node at a named part of the wall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WallPartSite {
    /// The node.
    pub node: NodeId,
    /// Bit i is set when c_i leads into the part.
    pub links: u32,
}

/// Whether `c_i` leads off beside an opening: a diagonal one of whose parts along the axes leads into it, as `opens` says of
/// directions. Such links into the wall are of the opening's rim, and what the fluid gives there is a share of the pressure at the
/// opening, so that forces on walls leave them out.
pub fn at_rim(set: VelocitySet, i: usize, opens: impl Fn(usize) -> bool) -> bool {
    let c = set.velocities();
    let axis_parts = (0..3).filter(|&axis| c[i][axis] != 0).count();
    let part_of = |a: &usize| {
        let along = (0..3).filter(|&axis| c[*a][axis] != 0).collect::<Vec<_>>();
        matches!(along[..], [axis] if c[*a][axis] == c[i][axis])
    };
    axis_parts > 1 && (1..set.q()).filter(part_of).any(opens)
}

/// The links into each part of the wall that `domain` names, but for those [`at_rim`] of openings.
///
/// # Errors
/// A usage fault for a part that no link leads into.
pub(crate) fn find(lattice: &Lattice, domain: &Domain) -> Result<Vec<WallPart>> {
    if domain.wall_parts.is_empty() {
        return Ok(Vec::new());
    }
    let c = lattice.set.velocities();
    let opens = |n: usize, i: usize| {
        let opening = lattice.links[i - 1][n].opening();
        opening.is_some_and(|k| lattice.openings[k].kind != OpeningKind::Wall)
    };
    let into = |n: usize, i: usize| {
        if at_rim(lattice.set, i, |i| opens(n, i)) {
            return None;
        }
        let at = lattice.position[n].map(|x| x as usize);
        let to = lattice.links[i - 1][n].is_wall().then(|| domain.neighbour(at, c[i])).flatten()?;
        domain.sites[domain.index(to)].as_wall_part()
    };
    // (part, node, bit of a direction), nodes ascending.
    let found: Vec<(usize, u64, u32)> = (0..lattice.nodes())
        .into_par_iter()
        .flat_map_iter(|n| (1..lattice.set.q()).filter_map(move |i| Some((into(n, i)?, n as u64, 1 << i))))
        .collect();
    let mut parts: Vec<WallPart> =
        domain.wall_parts.iter().map(|name| WallPart { name: name.clone(), sites: Vec::new() }).collect();
    for (part, node, bit) in found {
        let sites = &mut parts[part].sites;
        match sites.last_mut().filter(|site| site.node.0 == node) {
            Some(site) => site.links |= bit,
            None => sites.push(WallPartSite { node: NodeId(node), links: bit }),
        }
    }
    match parts.iter().find(|part| part.sites.is_empty()) {
        Some(part) => Err(Fault::usage(format!(
            "wall_parts: \"{}\": no fluid node is beside it: move its box or label to where the wall meets fluid",
            part.name
        ))),
        None => Ok(parts),
    }
}

#[cfg(test)]
mod tests {
    use hematite_geometry::Site;

    use super::*;
    use crate::fixture;

    /// A block of two by one sites in a channel.
    fn block() -> Domain {
        let mut domain = fixture::channel(12, 9);
        domain.wall_parts = vec!["block".into(), "floor".into()];
        (5..7).for_each(|x| fixture::set(&mut domain, [x, 5, 0], Site::wall_part(0)));
        (3..9).for_each(|x| fixture::set(&mut domain, [x, 0, 0], Site::wall_part(1)));
        domain
    }

    #[test]
    fn links_lead_into_the_part_and_nowhere_else() {
        let lattice = Lattice::build(&block()).expect("builds");
        let [block, floor] = &lattice.wall_parts[..] else { panic!("two parts") };
        // Around two sites stand ten nodes; each site has eight links, two of which lead to the other.
        let links = |part: &WallPart| part.sites.iter().map(|site| site.links.count_ones()).sum::<u32>();
        assert_eq!((block.sites.len(), links(block)), (10, 14));
        // Six sites below a flat row: three links each.
        assert_eq!((floor.sites.len(), links(floor)), (8, 18));
        let c = lattice.set.velocities();
        for site in &block.sites {
            let at = lattice.position[site.node.0 as usize];
            for i in (1..9).filter(|i| site.links >> i & 1 == 1) {
                assert!((5..7).contains(&(at[0] + c[i][0])) && at[1] + c[i][1] == 5);
                assert!(lattice.links[i - 1][site.node.0 as usize].is_wall());
            }
        }
    }

    #[test]
    fn links_of_the_rims_of_openings_do_not_count() {
        let mut domain = fixture::channel(6, 4);
        domain.wall_parts = vec!["floor".into()];
        // The whole row below, with the corners, where a channel of `mkcase` has wall.
        (0..8).for_each(|x| fixture::set(&mut domain, [x, 0, 0], Site::wall_part(0)));
        let lattice = Lattice::build(&domain).expect("builds");
        let links: Vec<u32> = lattice.wall_parts[0].sites.iter().map(|site| site.links.count_ones()).collect();
        assert_eq!(links, [2, 3, 3, 3, 3, 2]);
        let mut moving = domain.clone();
        moving.openings.iter_mut().for_each(|opening| opening.kind = OpeningKind::Wall);
        let lattice = Lattice::build(&moving).expect("builds");
        assert!(lattice.wall_parts[0].sites.iter().all(|site| site.links.count_ones() == 3), "walls that move");
    }

    #[test]
    fn a_part_beside_no_fluid_is_refused() {
        let mut domain = block();
        domain.wall_parts.push("lost".into());
        let fault = Lattice::build(&domain).expect_err("nowhere");
        assert!(fault.message.contains("\"lost\""), "{fault}");
    }
}
