//! The plane of an opening, and the straight column of cells that comes in through it.
//!
//! A column lies along x with its cross-section in y and z (2-D: y). In the domain, its x is along the normal of the
//! opening, its y and z lie in the plane of the opening. The three are right-handed, so that cells are rotated, not
//! mirrored.

use hematite_cells::vector::{cross, dot};

/// Largest distance in the plane, lattice units, of a fluid site of the cross-section from a node of the opening. So
/// openings normal to an axis have exactly the sites of their nodes, and oblique ones have no gaps between rows of
/// nodes.
const NEAR: f64 = 0.7;

/// The plane through an opening's nodes.
#[derive(Clone, Copy, Debug)]
pub struct OpeningPlane {
    normal: [f64; 3],
    /// Unit vectors in the plane.
    along: [[f64; 3]; 2],
    /// Position of the plane along the normal.
    at: f64,
    /// Coordinates of site (1, 1) of the cross-section along `along`.
    first: [f64; 2],
}

impl OpeningPlane {
    /// The plane through `sites` with the unit `normal` into the fluid, in 2 or 3 dimensions.
    pub fn new(dimension: usize, normal: [f64; 3], sites: &[[i32; 3]]) -> Self {
        let along = match dimension {
            2 => [[-normal[1], normal[0], 0.0], [0.0, 0.0, 1.0]],
            _ => {
                let flattest = (0..3).fold(0, |best, a| if normal[a].abs() < normal[best].abs() { a } else { best });
                let across = [0, 1, 2].map(|a| f64::from(a == flattest) - normal[flattest] * normal[a]);
                let size = dot(across, across).sqrt();
                let first = across.map(|x| x / size);
                [first, cross(normal, first)]
            }
        };
        let at = sites.iter().map(|site| dot(site.map(f64::from), normal)).sum::<f64>() / sites.len().max(1) as f64;
        let lowest = |unit: [f64; 3]| sites.iter().map(|site| dot(site.map(f64::from), unit)).fold(f64::MAX, f64::min);
        Self { normal, along, at, first: along.map(lowest) }
    }

    /// The direction of the column.
    pub fn normal(&self) -> [f64; 3] {
        self.normal
    }

    /// The cross-section of a column as wide as the opening: its fluid sites, with coordinates from 1 on (2-D: the
    /// second is 0).
    pub fn section(&self, dimension: usize, sites: &[[i32; 3]]) -> Vec<[usize; 2]> {
        let mut section: Vec<[usize; 2]> = Vec::new();
        for site in sites {
            let [u, v] = [0, 1].map(|k| dot(site.map(f64::from), self.along[k]) - self.first[k] + 1.0);
            let around = |x: f64| [x.floor(), x.floor() + 1.0];
            for y in around(u) {
                for z in if dimension == 2 { vec![0.0] } else { around(v).to_vec() } {
                    let beside = if dimension == 2 { 0.0 } else { z - v };
                    if y >= 1.0 && (dimension == 2 || z >= 1.0) && (y - u).hypot(beside) < NEAR {
                        section.push([y as usize, z as usize]);
                    }
                }
            }
        }
        section.sort_unstable();
        section.dedup();
        section
    }

    /// The point of the domain at y, z of the cross-section, `depth` behind the plane, lattice units.
    pub fn point(&self, depth: f64, [y, z]: [f64; 2]) -> [f64; 3] {
        let [u, v] = [self.first[0] + y - 1.0, self.first[1] + z - 1.0];
        [0, 1, 2].map(|a| (self.at + depth) * self.normal[a] + u * self.along[0][a] + v * self.along[1][a])
    }
}
