//! The points of immersed walls near one rank's nodes: where they stand, their kernels, and how hard they push.
//!
//! # Where they stand
//! A kernel smears the force that stops the fluid, and so the kink of its velocity at the wall: interpolated with the
//! same kernel it vanishes at the points, while the profile outside, carried on, vanishes some way in front of them.
//! The points therefore stand behind the wall by `e` along its normal n, such that it vanishes at the wall:
//!
//! ```text
//! e (1 - e / d) = m + (1/4 - 2/3 L) q
//! m = 1/2 sum_ij w_i w_j |n . (x_i - x_j)|
//! q = sum_a n_a^2 sum_i w_a(x_i)^2
//! ```
//!
//! over the sites of the kernel w (w_a its factor along axis a). m is what the kink loses in a kernel at its place; the
//! second term is how the lattice answers to a force that varies from site to site (L the magic number, from the exact
//! recurrence equations of the two-relaxation-time scheme: nu d2u = -F + (2/3 L - 1/4) d2F for shear along an axis,
//! d'Humieres and Ginzburg, Comput. Math. Appl. 58, 823, 2009); the factor on the left is the backflow in a layer of
//! depth d. For flat walls along an axis this is exact up to terms of second order; for others it takes the sites
//! around each point for those around all, which leaves a small error of first order. That points be set back is known
//! from Breugem, J. Comput. Phys. 231, 4469, 2012.
//!
//! # How hard they push
//! The force of point k on the fluid is `F_k = -2 u_k / sum_l sum_x w_k(x) w_l(x)`, u_k the velocity at it without that
//! force, after Uhlmann, J. Comput. Phys. 209, 448, 2005, with half the force in the velocity of the same step as in
//! Guo's scheme. The sum over all points l makes a velocity that is the same along the wall vanish at once, and lets no
//! velocity grow: the matrix of the sums, its rows divided by their sums, has eigenvalues from 0 to 1.

use std::collections::{HashMap, HashSet};

use hematite_case::{Layer, WallPoint};
use hematite_comm::Comm;
use hematite_config::{Fault, Result};
use hematite_engine::Support;

/// Fixed point of the force of walls on a node: 2^28 for one lattice unit, so that sums stay below the 8 that a word
/// holds.
pub(crate) const WALL_FORCE_SCALE: f64 = 268_435_456.0;

/// Depth of the layer beyond the walls, up to where it ends half-way.
const DEPTH: f64 = Layer::DEPTH as f64;
/// Rounds of the fixed-point iteration for the set-back; each halves its error at least.
const ROUNDS: usize = 40;
/// Points so far from any own node act on none, nor on points that do.
const NEAR: i32 = 10;
/// Sites along the edge of the blocks by which near points are found.
const BLOCK: i32 = 8;

/// In [`HeldPoints::at`]: not one of this rank's own nodes.
pub const ELSEWHERE: u32 = u32::MAX;

/// The points of immersed walls whose kernels meet own nodes of a rank.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeldPoints {
    /// Local numbers of the own nodes in their kernels, ascending.
    pub nodes: Vec<u32>,
    /// Where each site of a kernel is in `nodes`, or [`ELSEWHERE`]: site i of point k at `i * points + k`.
    pub at: Vec<u32>,
    /// In the same order, the weights of the kernel's sites summed up to this one, over the sum of all.
    pub upto: Vec<f64>,
    /// Minus the force of each point over the velocity there.
    pub gain: Vec<f64>,
    /// Other ranks, ascending, and the points that they hold too, in an order that both agree on.
    pub shared: Vec<(usize, Vec<u32>)>,
}

impl HeldPoints {
    /// Number of points.
    pub fn len(&self) -> usize {
        self.gain.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.gain.is_empty()
    }
}

/// The lattice around the points.
#[derive(Clone, Copy, Debug)]
pub struct Around {
    /// 2 or 3.
    pub dimension: usize,
    /// Sites of the domain along x, y, z.
    pub extent: [usize; 3],
    /// Directions in which it wraps.
    pub periodic: [bool; 3],
    /// The kernel between points and nodes.
    pub support: Support,
    /// The magic number of the collision.
    pub magic: f64,
}

/// [`HeldPoints`] in the making.
pub struct HeldPointsBuilder {
    around: Around,
    /// Number in the case and place of the points near own nodes, ascending.
    points: Vec<(u32, [f64; 3])>,
    sites: HashMap<[i32; 3], Site>,
}

/// What is at a site.
#[derive(Clone, Copy)]
enum Node {
    Own(u32),
    Other,
    None,
}

/// A site in some kernel.
#[derive(Clone, Copy)]
struct Site {
    node: Node,
    /// Sum of the weights that all points give it.
    weight: f64,
}

impl HeldPoints {
    /// The points among all `points` of a case that act on the nodes at `own`, a rank's own nodes in order of their
    /// local numbers.
    pub fn builder(around: Around, points: &[WallPoint], own: &[[i32; 3]]) -> HeldPointsBuilder {
        let blocks: HashSet<[i32; 3]> = own.iter().map(|at| at.map(|x| x.div_euclid(BLOCK))).collect();
        let near =
            |point: &&(u32, &WallPoint)| around.blocks_near(point.1.position).any(|block| blocks.contains(&block));
        let all: Vec<(u32, &WallPoint)> = (0..).zip(points).collect();
        let points: Vec<(u32, [f64; 3])> =
            all.iter().filter(near).map(|&(id, point)| (id, around.set_back(point))).collect();
        let mut sites = HashMap::new();
        for (_, at) in &points {
            around.kernel(*at, |site, _| _ = sites.insert(site, Site { node: Node::None, weight: 0.0 }));
        }
        for (at, n) in own.iter().zip(0..) {
            if let Some(site) = sites.get_mut(at) {
                site.node = Node::Own(n);
            }
        }
        HeldPointsBuilder { around, points, sites }
    }
}

impl HeldPointsBuilder {
    /// Marks sites that have nodes; call it with the positions of all nodes of the lattice, in any number of pieces.
    pub fn add_nodes(&mut self, positions: &[[i32; 3]]) {
        for at in positions {
            if let Some(site) = self.sites.get_mut(at).filter(|site| matches!(site.node, Node::None)) {
                site.node = Node::Other;
            }
        }
    }

    /// The points. Collective.
    ///
    /// # Errors
    /// When a rank is lost.
    pub fn build(mut self, comm: &dyn Comm) -> Result<HeldPoints> {
        let around = self.around;
        for (_, at) in &self.points {
            for (site, weight) in weights(&around, &self.sites, *at) {
                if let Some(site) = self.sites.get_mut(&site) {
                    site.weight += weight;
                }
            }
        }
        let node = |site: &[i32; 3]| self.sites.get(site).map_or(Node::None, |site| site.node);
        let kernel = |at: [f64; 3]| weights(&around, &self.sites, at);
        let own = |site: &[i32; 3]| if let Node::Own(n) = node(site) { Some(n) } else { None };
        let held: Vec<&(u32, [f64; 3])> =
            self.points.iter().filter(|(_, at)| kernel(*at).iter().any(|(site, _)| own(site).is_some())).collect();
        let mut nodes: Vec<u32> =
            held.iter().flat_map(|(_, at)| kernel(*at)).filter_map(|(site, _)| own(&site)).collect();
        nodes.sort_unstable();
        nodes.dedup();

        let count = held.len();
        let sites = around.support.points().pow(around.dimension as u32);
        let mut points = HeldPoints {
            at: vec![ELSEWHERE; sites * count],
            upto: vec![0.0; sites * count],
            gain: vec![0.0; count],
            nodes,
            shared: Vec::new(),
        };
        for (k, (_, at)) in held.iter().enumerate() {
            let (mut upto, mut overlap) = (0.0, 0.0);
            let kernel = kernel(*at);
            for (i, (site, weight)) in kernel.iter().enumerate() {
                upto += weight;
                overlap += weight * self.sites.get(site).map_or(0.0, |site| site.weight);
                points.upto[i * count + k] = if i + 1 == sites { 1.0 } else { upto.min(1.0) };
                if let Some(place) = own(site).and_then(|n| points.nodes.binary_search(&n).ok()) {
                    points.at[i * count + k] = place as u32;
                }
            }
            points.gain[k] = 2.0 / overlap;
        }
        points.shared = shared(comm, &held.iter().map(|(id, _)| *id).collect::<Vec<u32>>())?;
        Ok(points)
    }
}

/// The sites of the kernel around `at` with their weights, over those of sites that have nodes; none where no site has.
fn weights(around: &Around, sites: &HashMap<[i32; 3], Site>, at: [f64; 3]) -> Vec<([i32; 3], f64)> {
    let mut kernel = Vec::with_capacity(64);
    around.kernel(at, |site, weight| {
        let solid = sites.get(&site).is_none_or(|site| matches!(site.node, Node::None));
        kernel.push((site, if solid { 0.0 } else { weight }));
    });
    let sum: f64 = kernel.iter().map(|(_, weight)| weight).sum();
    if sum < 1e-3 {
        return Vec::new();
    }
    kernel.iter_mut().for_each(|(_, weight)| *weight /= sum);
    kernel
}

/// Which of the points `ids`, ascending, other ranks hold too.
fn shared(comm: &dyn Comm, ids: &[u32]) -> Result<Vec<(usize, Vec<u32>)>> {
    let cut = || Fault::lost_rank("the points of the walls arrived cut off");
    let mut all = Vec::new();
    if let Some(by_rank) = comm.gather(bytemuck::cast_slice(ids))? {
        for ids in by_rank {
            all.extend((ids.len() as u64).to_le_bytes());
            all.extend(ids);
        }
    }
    comm.broadcast(&mut all)?;
    let mut rest = all.as_slice();
    let mut shared = Vec::new();
    for rank in 0..comm.size() {
        let (head, tail) = rest.split_first_chunk().ok_or_else(cut)?;
        let (theirs, tail) = tail.split_at_checked(u64::from_le_bytes(*head) as usize).ok_or_else(cut)?;
        rest = tail;
        if rank == comm.rank() {
            continue;
        }
        let theirs: HashSet<u32> = bytemuck::pod_collect_to_vec::<u8, u32>(theirs).into_iter().collect();
        let both: Vec<u32> = (0..).zip(ids).filter(|(_, id)| theirs.contains(id)).map(|(k, _)| k).collect();
        if !both.is_empty() {
            shared.push((rank, both));
        }
    }
    Ok(shared)
}

impl Around {
    /// Calls `visit(site, weight)` for each site of the kernel around `at`, x fastest.
    fn kernel(&self, at: [f64; 3], mut visit: impl FnMut([i32; 3], f64)) {
        let along = [0, 1, 2].map(|axis| if axis < self.dimension { factors(self.support, at[axis]) } else { flat() });
        let points = |axis: usize| if axis < self.dimension { self.support.points() } else { 1 };
        for (z, y, x) in
            (0..points(2)).flat_map(|z| (0..points(1)).flat_map(move |y| (0..points(0)).map(move |x| (z, y, x))))
        {
            let site = [along[0].0 + x as i32, along[1].0 + y as i32, along[2].0 + z as i32];
            visit(self.wrapped(site), along[0].1[x] * along[1].1[y] * along[2].1[z]);
        }
    }

    /// Where a point of the wall stands.
    fn set_back(&self, point: &WallPoint) -> [f64; 3] {
        let normal = point.normal.map(f64::from);
        let behind = |e: f64| [0, 1, 2].map(|axis| point.position[axis] - e * normal[axis]);
        let mut e = 0.0;
        for _ in 0..ROUNDS {
            let wanted = self.lost(behind(e), normal) / (1.0 - e / DEPTH);
            e = (0.5 * (e + wanted)).clamp(0.0, 0.5 * DEPTH);
        }
        behind(e)
    }

    /// `m + (1/4 - 2/3 L) q` of a kernel around `at`.
    fn lost(&self, at: [f64; 3], normal: [f64; 3]) -> f64 {
        let mut sites: Vec<(f64, f64)> = Vec::with_capacity(64);
        let unwrapped = Self { periodic: [false; 3], ..*self };
        unwrapped.kernel(at, |site, weight| {
            sites.push(((0..3).map(|axis| normal[axis] * f64::from(site[axis])).sum(), weight));
        });
        sites.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let (mut m, mut weight, mut moment) = (0.0, 0.0, 0.0);
        for (height, w) in sites {
            m += w * (height * weight - moment);
            weight += w;
            moment += w * height;
        }
        let square = |axis: usize| factors(self.support, at[axis]).1.iter().map(|w| w * w).sum::<f64>();
        let q: f64 = (0..self.dimension).map(|axis| normal[axis].powi(2) * square(axis)).sum();
        m + (0.25 - self.magic / 1.5) * q
    }

    fn wrapped(&self, site: [i32; 3]) -> [i32; 3] {
        [0, 1, 2].map(|a| if self.periodic[a] { site[a].rem_euclid(self.extent[a] as i32) } else { site[a] })
    }

    /// The blocks that sites within [`NEAR`] of a place lie in.
    fn blocks_near(&self, at: [f64; 3]) -> impl Iterator<Item = [i32; 3]> {
        let [xs, ys, zs] = [0, 1, 2].map(|axis| {
            if axis >= self.dimension {
                return vec![0];
            }
            let near = |d: i32| self.wrapped([at[axis].floor() as i32 + d; 3])[axis].div_euclid(BLOCK);
            let mut blocks: Vec<i32> = (-NEAR..=NEAR).map(near).collect();
            blocks.sort_unstable();
            blocks.dedup();
            blocks
        });
        zs.into_iter().flat_map(move |z| {
            let xs = xs.clone();
            ys.clone().into_iter().flat_map(move |y| xs.clone().into_iter().map(move |x| [x, y, z]))
        })
    }
}

/// The first site of the kernel along an axis, and the weights of its sites.
fn factors(support: Support, x: f64) -> (i32, [f64; 4]) {
    let below = x.floor();
    let f = x - below;
    match support {
        Support::Two => (below as i32, [1.0 - f, f, 0.0, 0.0]),
        Support::Three => {
            let nearest = (x + 0.5).floor();
            let r = x - nearest;
            let middle = (1.0 + (1.0 - 3.0 * r * r).sqrt()) / 3.0;
            (nearest as i32 - 1, [0.5 * (1.0 - middle - r), middle, 0.5 * (1.0 - middle + r), 0.0])
        }
        Support::Four => {
            let root = (1.0 + 4.0 * f * (1.0 - f)).sqrt();
            let weights = [3.0 - 2.0 * f - root, 3.0 - 2.0 * f + root, 1.0 + 2.0 * f + root, 1.0 + 2.0 * f - root];
            (below as i32 - 1, weights.map(|w| w / 8.0))
        }
    }
}

/// The kernel along an axis that is none of the lattice's.
fn flat() -> (i32, [f64; 4]) {
    (0, [1.0, 0.0, 0.0, 0.0])
}
