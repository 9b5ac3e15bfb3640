//! Maps sites to nodes on the device: blocks of sites near a rank's own nodes, found through a dense directory.
//!
//! A block holds 8 sites along each axis, x fastest; only blocks near own nodes exist. The directory holds the number
//! of each block in their bounding box and a rim of one block around it. Number 0 stands for all blocks that do not
//! exist; its sites are solid. So kernels clamp into the directory and look up without branches.

use std::collections::HashMap;

use hematite_config::{Fault, Result};
use hematite_gpu::{Buffer, Gpu};
use rayon::prelude::*;

/// Marks a site in the wall or outside of the domain.
pub const SOLID: u32 = u32::MAX;

/// Marks a fluid site whose node another rank owns.
pub const FLUID: u32 = u32::MAX - 1;

/// Sites along the edge of a block.
pub const EDGE: i32 = 8;

/// The map of the sites around a rank's own nodes.
#[derive(Clone, Debug)]
pub struct SiteMap {
    /// `array<u32>`: the number of the block at each place of the directory, x fastest.
    pub directory: Buffer,
    /// `array<u32>`: for each site its own node, `FLUID` or `SOLID`, block after block.
    pub sites: Buffer,
    /// 2 or 3.
    pub dimension: usize,
    /// Sites of the domain along x, y, z.
    pub extent: [i32; 3],
    /// Periodic axes.
    pub periodic: [bool; 3],
    /// Block coordinates of the directory's first place.
    pub corner: [i32; 3],
    /// Places of the directory along each axis.
    pub places: [u32; 3],
    /// The number of each block by its coordinates.
    pub numbers: HashMap<[i32; 3], u32>,
}

/// Builds a [`SiteMap`].
pub struct SiteMapBuilder {
    dimension: usize,
    extent: [i32; 3],
    periodic: [bool; 3],
    numbers: HashMap<[i32; 3], u32>,
    sites: Vec<u32>,
}

impl SiteMap {
    /// A builder of the map of all sites within `margin` sites along each axis of `own`, the positions of a rank's own
    /// nodes by local number. `extent`: sites of the domain, its padding included.
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

    /// The index in `sites` of `site`, which may lie periods outside of the domain; `None` if the map has no block
    /// there.
    pub fn entry(&self, site: [i32; 3]) -> Option<usize> {
        let site = self.wrapped(site);
        let number = *self.numbers.get(&site.map(block))?;
        Some(((number as usize) << (3 * self.dimension)) + local(site))
    }

    /// Number of blocks, including block 0.
    pub fn blocks(&self) -> u32 {
        self.numbers.len() as u32 + 1
    }

    /// The site in the domain of which `site` is an image.
    pub fn wrapped(&self, site: [i32; 3]) -> [i32; 3] {
        [0, 1, 2].map(|a| if self.periodic[a] { site[a].rem_euclid(self.extent[a]) } else { site[a] })
    }

    /// Immediate data of kernels that look up sites.
    pub fn words(&self) -> [u32; 6] {
        let [x, y, z] = self.corner.map(|c| c as u32);
        [x, y, z, self.places[0], self.places[1], self.places[2]]
    }
}

impl SiteMapBuilder {
    /// Marks fluid sites. Call it with the positions of all nodes of the case, in any number of pieces.
    pub fn add_fluid(&mut self, positions: &[[i32; 3]]) {
        self.mark(positions, |site, _| *site = (*site).min(FLUID));
    }

    /// What the map holds of `site`, which may lie periods outside of the domain: its own node, [`FLUID`] or [`SOLID`];
    /// `None` if the map has no block there.
    pub fn at(&self, site: [i32; 3]) -> Option<u32> {
        let site = self.wrapped(site);
        self.numbers.get(&site.map(block)).map(|&number| self.sites[self.entry(number, site)])
    }

    /// The sites of all blocks, block after block, x fastest, without those beyond the end of a period.
    pub fn covered(&self) -> Vec<[i32; 3]> {
        let mut blocks: Vec<[i32; 3]> = self.numbers.keys().copied().collect();
        blocks.sort_unstable_by_key(|&[x, y, z]| [z, y, x]);
        let exists = |site: &[i32; 3]| (0..3).all(|a| !self.periodic[a] || site[a] < self.extent[a]);
        let along =
            |a: usize, block: [i32; 3]| if a < self.dimension { EDGE * block[a]..EDGE * (block[a] + 1) } else { 0..1 };
        let mut sites = Vec::new();
        for block in blocks {
            for z in along(2, block) {
                for y in along(1, block) {
                    sites.extend(along(0, block).map(|x| [x, y, z]).filter(exists));
                }
            }
        }
        sites
    }

    /// Gives site k of `listed` the entry k, and all others [`SOLID`].
    pub fn number(&mut self, listed: &[[i32; 3]]) {
        self.sites.fill(SOLID);
        self.mark(listed, |site, n| *site = n);
    }

    /// Gives each of `listed` its number, and all others [`SOLID`].
    pub fn number_as(&mut self, listed: &[([i32; 3], u32)]) {
        self.sites.fill(SOLID);
        let places: Vec<[i32; 3]> = listed.iter().map(|&(site, _)| site).collect();
        self.mark(&places, |site, k| *site = listed[k as usize].1);
    }

    /// Distance of each site from the wall, lattice units, in the order of `sites`. For a fluid site it is the distance
    /// to the nearest site next to fluid that is neither fluid nor `open`, less half a unit, at most `reach`. For a
    /// site of the wall it is the negative distance to the nearest fluid. Walls one site thin count as `thickening`
    /// units thicker on all sides. Own nodes that are not `fluid` are in the wall. Call it when all fluid is marked.
    pub fn distances(
        &self,
        reach: f64,
        thickening: f64,
        fluid: impl Fn(u32) -> bool + Sync,
        open: impl Fn([i32; 3]) -> bool + Sync,
    ) -> Vec<f32> {
        let mut blocks = vec![None; self.numbers.len() + 1];
        for (&block, &number) in &self.numbers {
            blocks[number as usize] = Some(block);
        }
        let mut distance = vec![reach as f32; self.sites.len()];
        let by_block = distance.par_chunks_mut(1 << (3 * self.dimension)).zip(blocks);
        by_block.for_each(|(to, block)| {
            if let Some(block) = block {
                to.copy_from_slice(&Surround::of(self, block, [reach, thickening], &fluid, &open).distances());
            }
        });
        distance
    }

    /// The site in the domain of which `site`, which may lie periods outside, is an image.
    pub fn wrapped(&self, site: [i32; 3]) -> [i32; 3] {
        [0, 1, 2].map(|a| if self.periodic[a] { site[a].rem_euclid(self.extent[a]) } else { site[a] })
    }

    /// The index in `sites` of a site of the domain in block `number`.
    fn entry(&self, number: u32, site: [i32; 3]) -> usize {
        ((number as usize) << (3 * self.dimension)) + local(site)
    }

    /// Makes the map on the device.
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

    /// The blocks of the sites from `low` to `high` along an axis. Beyond an edge that does not wrap there are blocks
    /// too, since vertices there are in a wall.
    fn blocks_along(&self, axis: usize, low: i32, high: i32) -> Vec<i32> {
        let extent = self.extent[axis];
        let mut blocks: Vec<i32> = match (axis < self.dimension, self.periodic[axis]) {
            (false, _) => vec![0],
            (true, false) => (block(low)..=block(high)).collect(),
            (true, true) => (low..=high.min(low + extent - 1)).map(|site| block(site.rem_euclid(extent))).collect(),
        };
        // Sites of the last, thinner block of a period may belong to a tile of the block before.
        if axis < self.dimension && self.periodic[axis] && extent > EDGE && blocks.contains(&block(extent - 1)) {
            blocks.push(block(extent - 1) - 1);
        }
        blocks.sort_unstable();
        blocks.dedup();
        blocks
    }

    /// Calls `change` with the entry of each of `positions` that lies in a block, and with its index in the list.
    fn mark(&mut self, positions: &[[i32; 3]], change: impl Fn(&mut u32, u32)) {
        let mut last = (None, None);
        for (site, n) in positions.iter().zip(0..) {
            let at = site.map(block);
            if last.0 != Some(at) {
                last = (Some(at), self.numbers.get(&at).copied());
            }
            let Some(number) = last.1 else { continue };
            let at = self.entry(number, *site);
            change(&mut self.sites[at], n);
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

/// The sites of a block and around it, for distances from walls.
struct Surround {
    reach: f64,
    thickening: f64,
    /// Number of sites beyond the block on each side along each axis.
    rim: [usize; 3],
    edge: [usize; 3],
    /// Whether each site is fluid next to the wall, and whether it is wall next to fluid.
    at_wall: [Vec<bool>; 2],
    /// Whether each site is wall between two fluid sites along an axis.
    thin: Vec<bool>,
    /// Whether each site of the block is in the wall; open sites count as fluid.
    solid: Vec<bool>,
}

impl Surround {
    fn of(
        map: &SiteMapBuilder,
        block: [i32; 3],
        [reach, thickening]: [f64; 2],
        fluid: &impl Fn(u32) -> bool,
        open: &impl Fn([i32; 3]) -> bool,
    ) -> Self {
        let is_solid = |entry: u32| entry == SOLID || (entry < FLUID && !fluid(entry));
        // Includes the neighbours of thin sites within reach.
        let steps = (reach + thickening + 0.5).ceil() as usize + 1;
        let rim = [0, 1, 2].map(|a| if a < map.dimension { steps } else { 0 });
        let edge = [0, 1, 2].map(|a| if a < map.dimension { EDGE as usize + 2 * rim[a] } else { 1 });
        let corner = [0, 1, 2].map(|a| EDGE * block[a] - rim[a] as i32);
        let count = edge.iter().product();
        let mut kind: Vec<Option<bool>> = Vec::with_capacity(count);
        // Successive sites along x mostly lie in the same block.
        let mut last = (block, map.numbers.get(&block));
        for z in 0..edge[2] {
            for y in 0..edge[1] {
                for x in 0..edge[0] {
                    let site = map.wrapped([corner[0] + x as i32, corner[1] + y as i32, corner[2] + z as i32]);
                    let of = site.map(self::block);
                    if of != last.0 {
                        last = (of, map.numbers.get(&of));
                    }
                    kind.push(last.1.map(|&number| is_solid(map.sites[map.entry(number, site)])));
                }
            }
        }
        let mut around = Self {
            reach,
            thickening,
            rim,
            edge,
            at_wall: [vec![false; count], vec![false; count]],
            thin: vec![false; count],
            solid: Vec::new(),
        };
        let strides = [1, edge[0], edge[0] * edge[1]];
        let between = |at: usize, site: [usize; 3]| {
            (0..map.dimension).any(|a| {
                (1..edge[a] - 1).contains(&site[a])
                    && kind[at - strides[a]] == Some(false)
                    && kind[at + strides[a]] == Some(false)
            })
        };
        let near = |x: usize, n: usize| x.saturating_sub(1)..(x + 2).min(n);
        let mixed = [true, false].iter().all(|&solid| kind.contains(&Some(solid)));
        for (at, &solid) in kind.iter().enumerate().filter(|_| mixed) {
            let Some(solid) = solid else { continue };
            let [x, y, z] = around.site(at);
            let mut others = near(z, edge[2])
                .flat_map(|z| near(y, edge[1]).flat_map(move |y| near(x, edge[0]).map(move |x| [x, y, z])))
                .map(|site| kind[around.place(site)]);
            if others.any(|other| other == Some(!solid)) {
                let at_site = [corner[0] + x as i32, corner[1] + y as i32, corner[2] + z as i32];
                around.at_wall[usize::from(solid)][at] = !(solid && open(at_site));
                around.thin[at] = solid && !open(at_site) && between(at, [x, y, z]);
            }
        }
        let inner = around.inner();
        let is_wall = |at: usize| {
            let [x, y, z] = around.site(at);
            let site = [corner[0] + x as i32, corner[1] + y as i32, corner[2] + z as i32];
            kind[at].unwrap_or(true) && !open(site)
        };
        around.solid = inner.map(is_wall).collect();
        around
    }

    fn site(&self, at: usize) -> [usize; 3] {
        [at % self.edge[0], at / self.edge[0] % self.edge[1], at / self.edge[0] / self.edge[1]]
    }

    fn place(&self, [x, y, z]: [usize; 3]) -> usize {
        (z * self.edge[1] + y) * self.edge[0] + x
    }

    /// Indices of the block's own sites, in the order of the block.
    fn inner(&self) -> impl Iterator<Item = usize> + use<> {
        let ([rx, ry, rz], [nx, ny, nz]) = (self.rim, self.edge);
        (rz..nz - rz)
            .flat_map(move |z| (ry..ny - ry).flat_map(move |y| (rx..nx - rx).map(move |x| (z * ny + y) * nx + x)))
    }

    /// Distances from the wall of the block's sites, in the order of the block.
    fn distances(&self) -> Vec<f32> {
        if self.at_wall[1].iter().all(|&at| !at) {
            let far = |&solid: &bool| if solid { -self.reach } else { self.reach } as f32;
            return self.solid.iter().map(far).collect();
        }
        let squares = [0, 1].map(|kind| self.squares(&self.at_wall[kind]));
        let of_thin = self.thin.contains(&true).then(|| self.squares(&self.thin));
        let apart = |squares: &[u32], at: usize| f64::from(squares[at]).sqrt() - 0.5;
        let distance = |(k, at): (usize, usize)| {
            if self.solid[k] {
                let thickening = if self.thin[at] { self.thickening } else { 0.0 };
                return -(apart(&squares[0], at) + thickening).min(self.reach) as f32;
            }
            let from_thin = of_thin.as_ref().map_or(self.reach, |squares| apart(squares, at) - self.thickening);
            apart(&squares[1], at).min(from_thin).min(self.reach) as f32
        };
        self.inner().enumerate().map(distance).collect()
    }

    /// Squared distance of each of the block's sites to the nearest `marked` site, axis by axis (Saito and Toriwaki,
    /// Pattern Recognit. 27, 1551, 1994). Each axis is computed only where the next one needs it.
    fn squares(&self, marked: &[bool]) -> Vec<u32> {
        const FAR: u32 = 1 << 20;
        let mut squares: Vec<u32> = marked.iter().map(|&at| if at { 0 } else { FAR }).collect();
        let mut stride = 1;
        for axis in 0..3 {
            let range = |a: usize| if a <= axis { self.rim[a]..self.edge[a] - self.rim[a] } else { 0..self.edge[a] };
            let (before, rim) = (squares.clone(), self.rim[axis]);
            for z in range(2) {
                for y in range(1) {
                    for x in range(0) {
                        let at = self.place([x, y, z]);
                        let along = before[at - rim * stride..].iter().step_by(stride).take(2 * rim + 1);
                        let apart = |step: usize| (step.abs_diff(rim) * step.abs_diff(rim)) as u32;
                        squares[at] = along.zip(0..).map(|(&square, step)| square + apart(step)).min().unwrap_or(FAR);
                    }
                }
            }
            stride *= self.edge[axis];
        }
        squares
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(map: &SiteMapBuilder, site: [i32; 3]) -> Option<usize> {
        let site = map.wrapped(site);
        map.numbers.get(&site.map(block)).map(|&number| map.entry(number, site))
    }

    /// A box that wraps along x, with a pillar and walls along y and z.
    fn is_fluid([x, y, z]: [i32; 3]) -> bool {
        (1..13).contains(&y) && (1..14).contains(&z) && (x - 9).pow(2) + (y - 6).pow(2) > 8
    }

    #[test]
    fn distances_are_those_to_the_nearest_wall() {
        let extent = [19, 14, 15];
        let mut fluid = Vec::new();
        for z in 0..extent[2] {
            for y in 0..extent[1] {
                fluid.extend((0..extent[0]).map(|x| [x, y, z]).filter(|&site| is_fluid(site)));
            }
        }
        let mut builder = SiteMap::builder(3, &fluid, 3, extent.map(|n| n as usize), [true, false, false]);
        builder.add_fluid(&fluid);
        let (reach, open) = (3.6, |[_, y, _]: [i32; 3]| y == 0);
        let found = builder.distances(reach, 0.0, |_| true, open);
        let nearest = |of: [i32; 3], wall: bool| {
            let mut least = f64::INFINITY;
            for z in -2..extent[2] + 2 {
                for y in -2..extent[1] + 2 {
                    for x in -extent[0]..2 * extent[0] {
                        let site = [x.rem_euclid(extent[0]), y, z];
                        let counts =
                            if wall { !is_fluid(site) && !open(site) && y != -1 && y != -2 } else { is_fluid(site) };
                        if counts {
                            let apart = [x - of[0], y - of[1], z - of[2]].map(|d| f64::from(d * d));
                            least = least.min(apart.iter().sum());
                        }
                    }
                }
            }
            least.sqrt() - 0.5
        };
        for &site in &fluid {
            let at = at(&builder, site).expect("mapped");
            let wanted = nearest(site, true).min(reach);
            assert!((f64::from(found[at]) - wanted).abs() < 1e-6, "{site:?}: {} for {wanted}", found[at]);
        }
        let inside = at(&builder, [9, 6, 7]).expect("mapped");
        assert!((f64::from(found[inside]) + nearest([9, 6, 7], false)).abs() < 1e-6);
    }

    #[test]
    fn thin_walls_count_as_thicker() {
        // A speck, a line along a diagonal, and a wall two sites thick.
        let thin = [[5, 5], [12, 4], [13, 5], [14, 6]];
        let thick = [[7, 12], [8, 12], [7, 13], [8, 13]];
        let (nx, ny, thickening, reach) = (20, 18, 0.4, 2.6);
        let sites = || (0..ny).flat_map(|y| (0..nx).map(move |x| [x, y]));
        let fluid: Vec<[i32; 3]> =
            sites().filter(|at| !thin.contains(at) && !thick.contains(at)).map(|[x, y]| [x, y, 0]).collect();
        let mut builder = SiteMap::builder(2, &fluid, 3, [nx as usize, ny as usize, 1], [true; 3]);
        builder.add_fluid(&fluid);
        let found = builder.distances(reach, thickening, |_| true, |_| false);
        let of = |site: [i32; 2]| f64::from(found[at(&builder, [site[0], site[1], 0]).expect("mapped")]);
        let apart = |a: [i32; 2], b: [i32; 2]| f64::from((a[0] - b[0]).pow(2) + (a[1] - b[1]).pow(2)).sqrt() - 0.5;
        for site in fluid.iter().map(|&[x, y, _]| [x, y]).filter(|&[x, y]| (3..17).contains(&x) && (3..15).contains(&y))
        {
            let from_thin = thin.iter().map(|&wall| apart(site, wall) - thickening);
            let wanted = from_thin.chain(thick.iter().map(|&wall| apart(site, wall))).fold(reach, f64::min);
            assert!((of(site) - wanted).abs() < 1e-6, "{site:?}: {} for {wanted}", of(site));
        }
        assert!((of([5, 5]) + 0.5 + thickening).abs() < 1e-6 && (of([7, 12]) + 0.5).abs() < 1e-6);
    }
}
