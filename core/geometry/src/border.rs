//! Ends of vessels that the border of a picture or a volume cuts.
//!
//! Each connected patch of fluid sites at the border is an end. Which way the vessel runs there is told by its sections
//! (`vessel.rs`), not by the border. The opening is cut across the vessel, as far inside as it takes for the section to
//! be whole.

use std::collections::HashSet;

use crate::components::Components;
use crate::domain::{Domain, Site};
use crate::end::{End, number};
use crate::vessel::{Patch, Tracer, around};

/// The ends at the border of a domain that wraps in no direction, numbered; those of the largest connected piece of the
/// fluid alone, where `of_largest`.
pub fn ends(domain: &Domain, of_largest: bool) -> Vec<End> {
    let mut tracer = Tracer::new(domain);
    let mut found = Vec::new();
    let mut patches = patches(domain);
    if of_largest && !patches.is_empty() {
        let pieces = Components::find(&domain.sites, domain.extent, domain.periodic, domain.dimension);
        let largest = pieces.largest();
        patches.retain(|patch| pieces.at(tracer.place(patch.sites[0])) == largest);
    }
    for patch in patches {
        tracer.follow(&patch, None, &mut found);
    }
    for end in found.iter_mut().filter(|end| end.odd.is_none()) {
        end.is_sure = end.is_sure && tracer.is_even(end);
    }
    number(&mut found, domain.size());
    found
}

/// The connected patches of fluid at the border.
fn patches(domain: &Domain) -> Vec<Patch> {
    let [nx, ny, _] = domain.extent;
    let place = |i: usize| [i % nx, i / nx % ny, i / (nx * ny)];
    // Faces as (axis, layer, inward component).
    let faces: Vec<(usize, usize, f64)> =
        (0..domain.dimension).flat_map(|axis| [(axis, 1, 1.0), (axis, domain.extent[axis] - 2, -1.0)]).collect();
    let is_border = |at: [usize; 3]| faces.iter().any(|&(axis, layer, _)| at[axis] == layer);
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for &(axis, layer, _) in &faces {
        let range = |other: usize| if other == axis { layer..layer + 1 } else { 0..domain.extent[other] };
        for z in range(2) {
            for (y, x) in range(1).flat_map(|y| range(0).map(move |x| (y, x))) {
                let seed = domain.index([x, y, z]);
                if domain.sites[seed] != Site::FLUID || !seen.insert(seed) {
                    continue;
                }
                let mut patch = Patch { sites: vec![seed], inward: [0.0; 3] };
                let mut next = 0;
                while next < patch.sites.len() {
                    let at = place(patch.sites[next]);
                    next += 1;
                    for &(axis, layer, sign) in &faces {
                        patch.inward[axis] += if at[axis] == layer { sign } else { 0.0 };
                    }
                    for there in around(domain, at) {
                        let index = domain.index(there);
                        if is_border(there) && domain.sites[index] == Site::FLUID && seen.insert(index) {
                            patch.sites.push(index);
                        }
                    }
                }
                found.push(patch);
            }
        }
    }
    found
}
