//! Walls: for each fluid node at a wall, the smoothed wall's normal and distance.
//!
//! Every node at the wall carries a piece of it: the vector `-sum w_i c_i` over its links into the wall, which is a whole
//! face for a flat wall, at the mean of the places where those links are cut. Around a node, the pieces within [`REACH`]
//! are averaged with a smooth kernel: that is the gradient of the smoothed solid indicator, along which the normal is.
//! Links into openings do not count, and a node that has some keeps only its axis links, so a flat wall stays flat up to
//! where it meets an opening.
//!
//! The distance is that of the faces between fluid and wall sites, each weighted by its area as seen along the normal: the
//! surface that leaves as much fluid behind it as the sites do. Away from the foot of the normal a curved wall bends off
//! with the square of the distance from it; a line through the heights over these squares takes that out.
//!
//! Where the lattice was made of a surface, normal and distance of a node that has it within a link are those of its
//! nearest place, exactly.

mod contour;
mod cuts;
mod points;
mod thinning;

use hematite_cells::vector::{dot, minus, plus};
use rayon::prelude::*;

use crate::opening::{outward, unit};
use crate::{Lattice, NodeId};

pub use cuts::{WallCuts, wall_cuts};
pub use points::{WallPoint, wall_points};

/// A fluid node with a link into the wall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WallNode {
    /// The node.
    pub node: NodeId,
    /// Unit normal of the smoothed wall, from the wall into the fluid.
    pub normal: [f32; 3],
    /// Distance to the smoothed wall in lattice units; 0.5 at a flat wall along an axis.
    pub distance: f32,
}

/// Radius of the kernel, in lattice units.
const REACH: f64 = 5.5;

/// Every node with a link into the wall, ascending.
pub fn walls(lattice: &Lattice) -> Vec<WallNode> {
    let sites = sites(lattice);
    let index = Index::new(lattice, &sites);
    let wall_node = |site: &WallSite| {
        let (normal, distance) = on_surface(lattice, site.at).unwrap_or_else(|| index.fit(site, [0.0; 3]));
        WallNode {
            node: NodeId(u64::from(site.node)),
            normal: normal.map(|component| component as f32),
            distance: distance.max(0.0) as f32,
        }
    };
    sites.par_iter().map(wall_node).collect()
}

/// The area of the walls beside `walls`, square metres; in 2-D their length, metres: each face between a node and a wall site
/// counts as seen along the normal of the wall, so that stairs are no larger than the slope that they stand for.
pub fn wall_area(lattice: &Lattice, walls: &[WallNode]) -> f64 {
    let dimension = lattice.set.dimension();
    let faces = |wall: &WallNode| -> f64 {
        // The first directions are those along axes.
        let closed = (1..=2 * dimension).filter(|&i| lattice.links[i - 1][wall.node.0 as usize].is_wall());
        let velocities = lattice.set.velocities();
        closed.map(|i| (0..3).map(|a| f64::from(velocities[i][a]) * f64::from(wall.normal[a])).sum::<f64>().abs()).sum()
    };
    walls.iter().map(faces).sum::<f64>() * lattice.spacing.powi(dimension as i32 - 1)
}

/// A node is at most as far from a wall that cuts one of its links.
const LINK: f64 = std::f64::consts::SQRT_2;

/// Normal and distance of the surface as seen from a node, where it is within a link of it.
fn on_surface(lattice: &Lattice, at: [i32; 3]) -> Option<([f64; 3], f64)> {
    let surface = lattice.surface.as_ref()?;
    let at = at.map(f64::from);
    let foot = surface.nearest(at).filter(|foot| foot.distance <= LINK)?;
    // Too near to tell the direction from the distance, the triangle's own normal does.
    let apart = minus(at, foot.place);
    let towards = unit(apart).filter(|_| foot.distance > 1e-6);
    Some((towards.unwrap_or_else(|| surface.normal(&foot)), foot.distance))
}

/// A node at the wall and its piece of it.
struct WallSite {
    node: u32,
    at: [i32; 3],
    /// Into the fluid, as long as the piece is large.
    piece: [f64; 3],
    /// The middle of the piece, from the node.
    middle: [f64; 3],
    /// Bit i is set when c_i, along an axis, leads into the wall.
    faces: u32,
    /// Some direction from the wall into the fluid.
    any: [f64; 3],
}

fn sites(lattice: &Lattice) -> Vec<WallSite> {
    let c = lattice.set.velocities();
    let axes = (1 << (2 * lattice.set.dimension() + 1)) - 1;
    let site = |n: usize| {
        let (mut walls, mut openings) = (0_u32, 0_u32);
        for (i, direction) in lattice.links.iter().enumerate() {
            walls |= u32::from(direction[n].is_wall()) << (i + 1);
            openings |= u32::from(direction[n].opening().is_some()) << (i + 1);
        }
        let counted = if openings == 0 { walls } else { walls & axes };
        let weight: f64 = (1..lattice.set.q()).filter(|i| counted >> i & 1 == 1).map(|i| lattice.set.weight(i)).sum();
        let outward = outward(lattice.set, counted);
        (walls != 0).then(|| WallSite {
            node: n as u32,
            at: lattice.position[n],
            piece: outward.map(|component| -component),
            middle: outward.map(|component| if weight > 0.0 { 0.5 * component / weight } else { 0.0 }),
            faces: walls & axes,
            any: c[walls.trailing_zeros() as usize].map(|component| -f64::from(component)),
        })
    };
    (0..lattice.nodes()).into_par_iter().filter_map(site).collect()
}

/// The wall's nodes by row (y, z) of the domain.
struct Index<'a> {
    lattice: &'a Lattice,
    sites: &'a [WallSite],
    /// The velocities.
    c: Vec<[f64; 3]>,
    /// First wall node of each row, and their number behind the last.
    starts: Vec<u32>,
}

impl<'a> Index<'a> {
    fn new(lattice: &'a Lattice, sites: &'a [WallSite]) -> Self {
        let [_, ny, nz] = lattice.extent;
        let mut starts = vec![0; ny * nz + 1];
        for site in sites {
            starts[site.at[2] as usize * ny + site.at[1] as usize + 1] += 1;
        }
        for row in 0..ny * nz {
            starts[row + 1] += starts[row];
        }
        let c = lattice.set.velocities().into_iter().map(|c| c.map(f64::from)).collect();
        Self { lattice, sites, c, starts }
    }

    /// Calls `visit(offset, site)` for every wall node within the reach of `at` along each axis.
    fn around(&self, at: [i32; 3], mut visit: impl FnMut([i32; 3], &WallSite)) {
        let reach = REACH.floor() as i32;
        let [nx, ny, nz] = self.lattice.extent.map(|n| n as i32);
        let [wraps_x, wraps_y, wraps_z] = self.lattice.periodic;
        let depth = if self.lattice.set.dimension() == 3 { reach } else { 0 };
        for dz in -depth..=depth {
            let Some(z) = wrap(at[2] + dz, nz, wraps_z) else { continue };
            for dy in -reach..=reach {
                let Some(y) = wrap(at[1] + dy, ny, wraps_y) else { continue };
                let row = z * ny as usize + y;
                let row = &self.sites[self.starts[row] as usize..self.starts[row + 1] as usize];
                let (low, high) = (at[0] - reach, at[0] + reach);
                let images = if wraps_x { low.div_euclid(nx)..=high.div_euclid(nx) } else { 0..=0 };
                for shift in images.map(|image| image * nx) {
                    let from = row.partition_point(|site| site.at[0] + shift < low);
                    for site in row[from..].iter().take_while(|site| site.at[0] + shift <= high) {
                        visit([site.at[0] + shift - at[0], dy, dz], site);
                    }
                }
            }
        }
    }

    /// The smoothed wall as seen from `from` away from the node of `site`: its unit normal into the fluid and how far
    /// behind that point it is.
    fn fit(&self, site: &WallSite, from: [f64; 3]) -> ([f64; 3], f64) {
        let mut faces: Vec<([f64; 3], [f64; 3])> = Vec::with_capacity(128);
        let mut sum = [0.0; 3];
        self.around(site.at, |offset, other| {
            let place = [0, 1, 2].map(|axis| f64::from(offset[axis]) - from[axis]);
            let weight = kernel(plus(place, other.middle));
            sum = plus(sum, other.piece.map(|component| weight * component));
            for c in directions(other.faces).map(|i| self.c[i]) {
                let middle = plus(place, c.map(|component| 0.5 * component));
                let weight = kernel(middle);
                if weight > 0.0 {
                    faces.push((middle, c.map(|component| -weight * component)));
                }
            }
        });
        // Where opposite walls cancel, the node's own links decide; in a pore of one node any side will do.
        let normal = unit(sum).or_else(|| unit(site.piece)).or_else(|| unit(site.any)).unwrap_or([0.0; 3]);
        // Only faces that look the same way: the far side of a narrow channel is another wall.
        let mut heights = Heights::default();
        for (middle, face) in faces {
            heights.add(dot(face, normal).max(0.0), -dot(middle, normal), dot(middle, middle));
        }
        (normal, heights.at_foot().unwrap_or(0.5))
    }
}

/// The smooth kernel at a place.
fn kernel(place: [f64; 3]) -> f64 {
    (1.0 - dot(place, place) / (REACH * REACH)).max(0.0).powi(2)
}

/// The directions whose bits are set.
fn directions(bits: u32) -> impl Iterator<Item = usize> {
    (1..32).filter(move |i| bits >> i & 1 == 1)
}

/// Heights of faces over the plane through a point, by the squares of their distances from its foot.
#[derive(Default)]
struct Heights {
    weight: f64,
    height: f64,
    square: f64,
    square_square: f64,
    height_square: f64,
}

impl Heights {
    fn add(&mut self, weight: f64, height: f64, distance_2: f64) {
        let square = distance_2 - height * height;
        self.weight += weight;
        self.height += weight * height;
        self.square += weight * square;
        self.square_square += weight * square * square;
        self.height_square += weight * height * square;
    }

    /// The line of least squares where the square is 0; none without faces.
    fn at_foot(&self) -> Option<f64> {
        if self.weight < 1e-9 {
            return None;
        }
        let [height, square, square_square, height_square] =
            [self.height, self.square, self.square_square, self.height_square].map(|sum| sum / self.weight);
        let spread = square_square - square * square;
        let slope = if spread > 1e-9 { (height_square - height * square) / spread } else { 0.0 };
        Some(height - slope * square)
    }
}

fn wrap(i: i32, n: i32, periodic: bool) -> Option<usize> {
    if periodic { Some(i.rem_euclid(n) as usize) } else { (0..n).contains(&i).then_some(i as usize) }
}

#[cfg(test)]
mod tests {
    use hematite_geometry::{Domain, Site};

    use super::*;
    use crate::fixture;

    #[test]
    fn a_flat_wall_is_exact_up_to_its_openings() {
        let lattice = Lattice::build(&fixture::channel(12, 9)).expect("builds");
        let nodes = walls(&lattice);
        assert_eq!(nodes.len(), 24);
        for wall in nodes {
            let up = if lattice.position[wall.node.0 as usize][1] == 1 { 1.0 } else { -1.0 };
            assert_eq!((wall.normal, wall.distance), ([0.0, up, 0.0], 0.5));
        }
    }

    #[test]
    fn narrow_channels_keep_their_sides() {
        for height in 2..6 {
            let lattice = Lattice::build(&fixture::channel(8, height)).expect("builds");
            for wall in walls(&lattice) {
                let up = if lattice.position[wall.node.0 as usize][1] == 1 { 1.0 } else { -1.0 };
                assert_eq!((wall.normal, wall.distance), ([0.0, up, 0.0], 0.5));
            }
        }
        let pore = Lattice::build(&fixture::channel(8, 1)).expect("builds");
        assert!(walls(&pore).iter().all(|wall| wall.normal[1].abs() == 1.0));
    }

    #[test]
    fn walls_have_the_area_of_what_they_stand_for() {
        let area = |domain: &Domain| {
            let lattice = Lattice::build(domain).expect("builds");
            wall_area(&lattice, &walls(&lattice)) / domain.spacing
        };
        assert!((area(&fixture::channel(12, 9)) - 24.0).abs() < 1e-9);
        for radius in [12.0, 13.4, 15.0] {
            let mut domain = fixture::solid(2, [40, 40, 1], [false; 3]);
            for (x, y) in (0..40).flat_map(|x| (0..40).map(move |y| (x, y))) {
                if (x as f64 - 20.2).hypot(y as f64 - 19.7) < radius {
                    fixture::set(&mut domain, [x, y, 0], Site::FLUID);
                }
            }
            let share = area(&domain) / (2.0 * std::f64::consts::PI * radius);
            assert!((share - 1.0).abs() < 0.03, "radius {radius}: {share}");
        }
    }

    #[test]
    fn a_circle_points_at_its_centre() {
        for (cx, cy) in [(20.0, 20.0), (20.3, 19.6)] {
            let mut domain = fixture::solid(2, [40, 40, 1], [false; 3]);
            let radius = |x: f64, y: f64| (x - cx).hypot(y - cy);
            for (x, y) in (0..40).flat_map(|x| (0..40).map(move |y| (x, y))) {
                if radius(x as f64, y as f64) < 15.0 {
                    fixture::set(&mut domain, [x, y, 0], Site::FLUID);
                }
            }
            let lattice = Lattice::build(&domain).expect("builds");
            let (mut worst, mut sum, nodes): (f64, f64, _) = (0.0, 0.0, walls(&lattice));
            let count = nodes.len() as f64;
            for wall in nodes {
                let [x, y, _] = lattice.position[wall.node.0 as usize].map(f64::from);
                let r = radius(x, y);
                let cosine = (f64::from(wall.normal[0]) * (cx - x) + f64::from(wall.normal[1]) * (cy - y)) / r;
                worst = worst.max(cosine.min(1.0).acos().to_degrees());
                let error = f64::from(wall.distance) - (15.0 - r);
                assert!(error.abs() < 0.6, "({x}, {y}): {} {}", wall.distance, 15.0 - r);
                sum += error;
            }
            // Where the centre is a node, sites at exactly the radius are all in the wall.
            let bias = if cx == 20.0 { 0.12 } else { 0.03 };
            assert!((sum / count).abs() < bias, "off by {} in the mean", sum / count);
            assert!(worst < 5.0, "{worst} degrees");
        }
    }

    #[test]
    fn a_periodic_wall_does_not_see_the_seam() {
        let mut domain = fixture::solid(3, [4, 6, 8], [true, false, true]);
        for (x, z) in (0..4).flat_map(|x| (0..8).map(move |z| (x, z))) {
            (1..5).for_each(|y| fixture::set(&mut domain, [x, y, z], Site::FLUID));
        }
        let lattice = Lattice::build(&domain).expect("builds");
        let nodes = walls(&lattice);
        assert_eq!(nodes.len(), 64);
        for wall in nodes {
            assert_eq!((wall.normal[1].abs(), wall.distance), (1.0, 0.5));
        }
    }
}
