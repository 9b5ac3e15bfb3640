//! The openings of a case and the fluid near them, for members that come in and leave.

use std::collections::{HashMap, HashSet};

use hematite_case::{Case, Opening};
use hematite_config::Result;
use hematite_geometry::OpeningKind;

/// The openings of a case.
pub struct Openings {
    /// The openings.
    pub list: Vec<Opening>,
    /// Positions of the nodes of each opening.
    pub sites: Vec<Vec<[i32; 3]>>,
}

impl Openings {
    /// Reads the openings of `case`.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn read(case: &Case) -> Result<Self> {
        let list = case.openings()?;
        let mut sites: Vec<Vec<[i32; 3]>> = vec![Vec::new(); list.len()];
        let mut first = 0;
        case.each_position(|positions| {
            for (sites, opening) in sites.iter_mut().zip(&list) {
                let from = opening.nodes.partition_point(|node| (node.node.0 as usize) < first);
                let to = opening.nodes.partition_point(|node| (node.node.0 as usize) < first + positions.len());
                sites.extend(opening.nodes[from..to].iter().map(|node| positions[node.node.0 as usize - first]));
            }
            first += positions.len();
        })?;
        Ok(Self { list, sites })
    }

    /// Positions of the fluid nodes of `case` in the bounding boxes, widened by `far` sites, of the openings for whose
    /// name `wanted` is true.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn fluid_near(&self, case: &Case, far: i32, wanted: impl Fn(&str) -> bool) -> Result<HashSet<[i32; 3]>> {
        let boxes: Vec<[[i32; 2]; 3]> = self
            .list
            .iter()
            .zip(&self.sites)
            .filter(|(opening, _)| wanted(&opening.name))
            .map(|(_, sites)| {
                [0, 1, 2].map(|axis| {
                    let along = || sites.iter().map(|site| site[axis]);
                    [along().min().unwrap_or(0).saturating_sub(far), along().max().unwrap_or(0).saturating_add(far)]
                })
            })
            .collect();
        let mut near = HashSet::new();
        if !boxes.is_empty() {
            let within =
                |site: &[i32; 3], of: &[[i32; 2]; 3]| (0..3).all(|a| of[a][0] <= site[a] && site[a] <= of[a][1]);
            case.each_position(|positions| {
                near.extend(positions.iter().filter(|site| boxes.iter().any(|of| within(site, of))).copied());
            })?;
        }
        Ok(near)
    }

    /// The sites next to the nodes of openings on their outer side, except moving walls.
    pub fn sites_behind(&self) -> HashSet<[i32; 3]> {
        // A site of several openings counts for the last.
        let mut behind: HashMap<[i32; 3], OpeningKind> = HashMap::new();
        for (opening, sites) in self.list.iter().zip(&self.sites) {
            for site in sites {
                for c in 0..27 {
                    let step = [c % 3 - 1, c / 3 % 3 - 1, c / 9 - 1];
                    if (0..3).map(|a| opening.normal[a] * f64::from(step[a])).sum::<f64>() < -0.5 {
                        behind.insert([0, 1, 2].map(|a| site[a] + step[a]), opening.kind);
                    }
                }
            }
        }
        behind.into_iter().filter(|(_, kind)| *kind != OpeningKind::Wall).map(|(site, _)| site).collect()
    }
}
