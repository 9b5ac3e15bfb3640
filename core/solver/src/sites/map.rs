//! From sites to nodes on the device: blocks of sites near a rank's own nodes, found through a dense directory.
//!
//! A block holds 8 sites along each axis, x fastest; only blocks near own nodes exist. The directory covers their
//! bounding box and a rim of one block around it, and gives each block's number. Number 0 stands for all blocks that do
//! not exist: its sites are solid, so that kernels clamp into the directory and look up without branches.

use std::collections::HashMap;

use hematite_config::{Fault, Result};
use hematite_gpu::{Buffer, Gpu};

/// A site in the wall or outside of the domain.
pub const SOLID: u32 = u32::MAX;

/// A site of fluid whose node another rank owns.
pub const FLUID: u32 = u32::MAX - 1;

/// Sites along the edge of a block.
pub(crate) const EDGE: i32 = 8;

/// Where the sites around a rank's own nodes are on the device.
#[derive(Clone, Debug)]
pub struct SiteMap {
    /// `array<u32>`: number of the block at each place of the directory, x fastest.
    pub(crate) directory: Buffer,
    /// `array<u32>`: own node, `FLUID` or `SOLID` of each site, block after block.
    pub(crate) sites: Buffer,
    pub(crate) dimension: usize,
    pub(crate) extent: [i32; 3],
    pub(crate) periodic: [bool; 3],
    /// Block coordinates of the directory's first place.
    pub(crate) corner: [i32; 3],
    /// Places of the directory along each axis.
    pub(crate) places: [u32; 3],
    /// Number of each block by its coordinates.
    pub(crate) numbers: HashMap<[i32; 3], u32>,
}

/// A [`SiteMap`] in the making.
pub struct SiteMapBuilder {
    dimension: usize,
    extent: [i32; 3],
    periodic: [bool; 3],
    numbers: HashMap<[i32; 3], u32>,
    sites: Vec<u32>,
}

impl SiteMap {
    /// A map of all sites within `margin` sites along each axis of `own`, the positions of a rank's own nodes in order
    /// of their local numbers; `extent` sites make the domain, its padding included.
    pub fn builder(
        dimension: usize,
        own: &[[i32; 3]],
        margin: i32,
        extent: [usize; 3],
        periodic: [bool; 3],
    ) -> SiteMapBuilder {
        let mut builder = SiteMapBuilder {
            dimension,
            extent: extent.map(|n| n as i32),
            periodic,
            numbers: HashMap::new(),
            sites: vec![SOLID; 1 << (3 * dimension)],
        };
        for block in builder.blocks_around(own, margin) {
            let next = builder.numbers.len() as u32 + 1;
            builder.numbers.insert(block, next);
        }
        builder.sites.resize((builder.numbers.len() + 1) << (3 * dimension), SOLID);
        builder.mark(own, |site, node| *site = node);
        builder
    }

    /// Whether the map holds `site`, which may lie periods outside of the domain.
    pub fn covers(&self, site: [i32; 3]) -> bool {
        self.numbers.contains_key(&self.wrapped(site).map(block))
    }

    /// Number of blocks, that of blocks that do not exist included.
    pub(crate) fn blocks(&self) -> u32 {
        self.numbers.len() as u32 + 1
    }

    /// The site in the domain that `site` stands for.
    pub(crate) fn wrapped(&self, site: [i32; 3]) -> [i32; 3] {
        [0, 1, 2].map(|a| if self.periodic[a] { site[a].rem_euclid(self.extent[a]) } else { site[a] })
    }

    /// What kernels that look sites up take as immediate data.
    pub(crate) fn words(&self) -> [u32; 6] {
        let [x, y, z] = self.corner.map(|c| c as u32);
        [x, y, z, self.places[0], self.places[1], self.places[2]]
    }
}

impl SiteMapBuilder {
    /// Marks sites of fluid; call it with the positions of all nodes of the case, in any number of pieces.
    pub fn add_fluid(&mut self, positions: &[[i32; 3]]) {
        self.mark(positions, |site, _| *site = (*site).min(FLUID));
    }

    /// Distance of each site from the wall, lattice units, in the order of `sites`: to the nearest site that is neither fluid nor
    /// `open`, less half a unit; at most `reach`. Sites of the wall have what is nearest to them of the fluid, negative. Call it
    /// when all fluid is marked.
    pub fn distances(&self, reach: f64, open: impl Fn([i32; 3]) -> bool) -> Vec<f32> {
        let steps = reach.ceil() as i32;
        let mut distance: Vec<f32> =
            self.sites.iter().map(|&site| if site == SOLID { -reach } else { reach } as f32).collect();
        let mut at_walls = Vec::new();
        for (&block, &number) in &self.numbers {
            for place in 0..1_usize << (3 * self.dimension) {
                let corner = [place & 7, place >> 3 & 7, place >> 6].map(|x| x as i32);
                let site = [0, 1, 2].map(|a| EDGE * block[a] + corner[a]);
                let solid = self.sites[((number as usize) << (3 * self.dimension)) + place] == SOLID;
                let other = |near: [i32; 3]| self.at(near).is_some_and(|at| (self.sites[at] == SOLID) != solid);
                if self.around(site, 1).any(other) && !(solid && open(site)) {
                    at_walls.push((site, solid));
                }
            }
        }
        at_walls.sort_unstable();
        for (site, solid) in at_walls {
            for near in self.around(site, steps) {
                let Some(at) = self.at(near) else { continue };
                if (self.sites[at] == SOLID) != solid {
                    let away = (0..3).map(|a| f64::from(near[a] - site[a]).powi(2)).sum::<f64>().sqrt() - 0.5;
                    let (now, away) = (&mut distance[at], if solid { away } else { -away } as f32);
                    *now = if solid { now.min(away) } else { now.max(away) };
                }
            }
        }
        distance
    }

    /// The sites of the cube around `site` that reaches `steps` sites to each side.
    fn around(&self, site: [i32; 3], steps: i32) -> impl Iterator<Item = [i32; 3]> + use<> {
        let deep = if self.dimension == 3 { steps } else { 0 };
        (-deep..=deep).flat_map(move |z| {
            (-steps..=steps).flat_map(move |y| (-steps..=steps).map(move |x| [site[0] + x, site[1] + y, site[2] + z]))
        })
    }

    /// Where the entry of a site is; none where the map has no block there.
    fn at(&self, site: [i32; 3]) -> Option<usize> {
        let site = [0, 1, 2].map(|a| if self.periodic[a] { site[a].rem_euclid(self.extent[a]) } else { site[a] });
        let number = self.numbers.get(&site.map(block))?;
        Some(((*number as usize) << (3 * self.dimension)) + local(site))
    }

    /// The map on the device.
    ///
    /// # Errors
    /// A usage fault where the device lacks room.
    pub fn build(self, gpu: &Gpu) -> Result<SiteMap> {
        let rim = [0, 1, 2].map(|a| i32::from(a < self.dimension));
        let (lowest, highest) = (self.extreme(i32::MAX, i32::min), self.extreme(i32::MIN, i32::max));
        let low = [0, 1, 2].map(|a| lowest[a] - rim[a]);
        let high = [0, 1, 2].map(|a| highest[a] + rim[a]);
        let places = [0, 1, 2].map(|a| (high[a] - low[a] + 1) as u32);
        let count = places.iter().map(|&n| u64::from(n)).product::<u64>();
        if count > u64::from(u32::MAX) {
            return Err(Fault::usage(format!(
                "the nodes of one rank spread over {} x {} x {} blocks of {EDGE} sites: use another number of ranks",
                places[0], places[1], places[2]
            )));
        }
        let mut directory = vec![0_u32; count as usize];
        for (block, &number) in &self.numbers {
            let [x, y, z] = [0, 1, 2].map(|a| (block[a] - low[a]) as usize);
            directory[(z * places[1] as usize + y) * places[0] as usize + x] = number;
        }
        let map = SiteMap {
            directory: gpu.buffer("directory of sites", 4 * count)?,
            sites: gpu.buffer("sites", 4 * self.sites.len() as u64)?,
            dimension: self.dimension,
            extent: self.extent,
            periodic: self.periodic,
            corner: low,
            places,
            numbers: self.numbers,
        };
        gpu.upload(&map.directory, 0, &directory)?;
        gpu.upload(&map.sites, 0, &self.sites)?;
        Ok(map)
    }

    /// The coordinates of the blocks within `margin` sites of the bounding box of each block's own nodes, ascending.
    fn blocks_around(&self, own: &[[i32; 3]], margin: i32) -> Vec<[i32; 3]> {
        let mut boxes: HashMap<[i32; 3], [[i32; 3]; 2]> = HashMap::new();
        for piece in own.chunk_by(|a, b| a.map(block) == b.map(block)) {
            for site in piece {
                let [low, high] = boxes.entry(piece[0].map(block)).or_insert([*site; 2]);
                *low = [0, 1, 2].map(|a| low[a].min(site[a]));
                *high = [0, 1, 2].map(|a| high[a].max(site[a]));
            }
        }
        let mut blocks = Vec::new();
        for [low, high] in boxes.into_values() {
            let [xs, ys, zs] = [0, 1, 2].map(|a| self.blocks_along(a, low[a] - margin, high[a] + margin));
            for &z in &zs {
                for &y in &ys {
                    blocks.extend(xs.iter().map(|&x| [x, y, z]));
                }
            }
        }
        blocks.sort_unstable();
        blocks.dedup();
        blocks
    }

    /// The blocks that sites from `low` to `high` along an axis lie in. Beyond an edge that does not wrap there are
    /// blocks too, for vertices there are in a wall.
    fn blocks_along(&self, axis: usize, low: i32, high: i32) -> Vec<i32> {
        let extent = self.extent[axis];
        let mut blocks: Vec<i32> = match (axis < self.dimension, self.periodic[axis]) {
            (false, _) => vec![0],
            (true, false) => (block(low)..=block(high)).collect(),
            (true, true) => (low..=high.min(low + extent - 1)).map(|site| block(site.rem_euclid(extent))).collect(),
        };
        // The last, thinner block of a period may belong to a tile of the one before.
        if axis < self.dimension && self.periodic[axis] && extent > EDGE && blocks.contains(&block(extent - 1)) {
            blocks.push(block(extent - 1) - 1);
        }
        blocks.sort_unstable();
        blocks.dedup();
        blocks
    }

    /// Gives `change` the entry of each of `positions` that lies in a block, and its place in the list.
    fn mark(&mut self, positions: &[[i32; 3]], change: impl Fn(&mut u32, u32)) {
        let mut last = (None, None);
        for (site, n) in positions.iter().zip(0..) {
            let at = site.map(block);
            if last.0 != Some(at) {
                last = (Some(at), self.numbers.get(&at).copied());
            }
            let Some(number) = last.1 else { continue };
            change(&mut self.sites[((number as usize) << (3 * self.dimension)) + local(*site)], n);
        }
    }

    fn extreme(&self, start: i32, of: impl Fn(i32, i32) -> i32) -> [i32; 3] {
        if self.numbers.is_empty() {
            return [0; 3];
        }
        self.numbers.keys().fold([start; 3], |so_far, block| [0, 1, 2].map(|a| of(so_far[a], block[a])))
    }
}

/// The block along an axis that holds site `s`.
fn block(s: i32) -> i32 {
    s.div_euclid(EDGE)
}

/// Place of a site in its block.
fn local(site: [i32; 3]) -> usize {
    let [x, y, z] = site.map(|s| s.rem_euclid(EDGE) as usize);
    (z * EDGE as usize + y) * EDGE as usize + x
}
