//! Maps sites to nodes on the device: blocks of sites near a rank's own nodes, found through a dense directory.
//!
//! A block holds 8 sites along each axis, x fastest; only blocks near own nodes exist. The directory holds the number
//! of each block in their bounding box and a rim of one block around it. Number 0 stands for all blocks that do not
//! exist; its sites are solid. So kernels clamp into the directory and look up without branches.

use std::collections::HashMap;
use std::ops::Range;

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
        let size = 1 << (3 * self.dimension);
        let is_solid = |&entry: &u32| entry == SOLID || (entry < FLUID && !fluid(entry));
        let solid: Vec<u8> = self.sites.par_iter().map(|entry| u8::from(is_solid(entry))).collect();
        let mut marks = vec![0; self.sites.len()];
        marks.par_chunks_mut(size).zip(&blocks).for_each(|(to, block)| {
            if let Some(block) = block {
                self.mark_walls(*block, &solid, &open, to);
            }
        });
        // No wall farther off counts.
        let rim = (reach + thickening + 0.5).ceil() as usize;
        let mut distance = vec![reach as f32; self.sites.len()];
        distance.par_chunks_mut(size).zip(&blocks).for_each(|(to, block)| {
            if let Some(block) = block {
                Surround::of(self, *block, rim, &marks).distances(reach, thickening, to);
            }
        });
        distance
    }

    /// Gives each site of a block its bits [`AT_WALL`] to [`WALL`]; `solid` is 1 where sites are not fluid.
    fn mark_walls(&self, block: [i32; 3], solid: &[u8], open: impl Fn([i32; 3]) -> bool, marks: &mut [u8]) {
        const NOWHERE: u8 = 2;
        let around = Around::of(self, block, 1);
        let kind = around.gather(self, solid, NOWHERE);
        let strides = [1, around.edge[0], around.edge[0] * around.edge[1]];
        let near: Vec<usize> = around.sites([0, 1, 2].map(|a| 0..2 * around.rim[a] + 1)).collect();
        for (at, mark) in around.inner().zip(marks) {
            // The first of the sites around it is one before it along each axis.
            let first = at - (0..self.dimension).map(|a| strides[a]).sum::<usize>();
            let beside = |other: u8| near.iter().any(|offset| kind[first + offset] == other);
            if kind[at] == 0 {
                *mark = if beside(1) { AT_WALL } else { 0 };
            } else if !open(around.place(at)) {
                let thin = (0..self.dimension).any(|a| kind[at - strides[a]] == 0 && kind[at + strides[a]] == 0);
                *mark = WALL | if beside(0) { AT_FLUID } else { 0 } | if thin { THIN } else { 0 };
            }
        }
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

/// Marks a fluid site next to one that is not.
const AT_WALL: u8 = 1;
/// Marks a site of the wall next to fluid.
const AT_FLUID: u8 = 2;
/// Marks a site of the wall between two fluid sites along an axis.
const THIN: u8 = 4;
/// Marks what is neither fluid nor open.
const WALL: u8 = 8;

/// The sites of a block and those around it, x fastest.
struct Around {
    /// The first site.
    corner: [i32; 3],
    /// Number of sites beyond the block on each side along each axis.
    rim: [usize; 3],
    edge: [usize; 3],
}

impl Around {
    fn of(map: &SiteMapBuilder, block: [i32; 3], steps: usize) -> Self {
        let rim = [0, 1, 2].map(|a| if a < map.dimension { steps } else { 0 });
        let edge = [0, 1, 2].map(|a| if a < map.dimension { EDGE as usize + 2 * rim[a] } else { 1 });
        Self { corner: [0, 1, 2].map(|a| EDGE * block[a] - rim[a] as i32), rim, edge }
    }

    /// What `from`, in the order of the map's sites, holds of each of the sites; `missing` where the map has no block.
    fn gather(&self, map: &SiteMapBuilder, from: &[u8], missing: u8) -> Vec<u8> {
        let mut gathered = Vec::with_capacity(self.edge.iter().product());
        for z in 0..self.edge[2] {
            for y in 0..self.edge[1] {
                let end = gathered.len() + self.edge[0];
                while gathered.len() < end {
                    let x = self.edge[0] - (end - gathered.len());
                    let site = map.wrapped([0, 1, 2].map(|a| self.corner[a] + [x, y, z][a] as i32));
                    // Successive sites along x lie in the same block up to its end, or that of the period.
                    let last =
                        (EDGE * (block(site[0]) + 1)).min(if map.periodic[0] { map.extent[0] } else { i32::MAX });
                    let count = ((last - site[0]) as usize).min(end - gathered.len());
                    match map.numbers.get(&site.map(block)) {
                        Some(&number) => {
                            let first = map.entry(number, site);
                            gathered.extend_from_slice(&from[first..first + count]);
                        }
                        None => gathered.resize(gathered.len() + count, missing),
                    }
                }
            }
        }
        gathered
    }

    /// The site with an index.
    fn place(&self, at: usize) -> [i32; 3] {
        let [nx, ny, _] = self.edge;
        let steps = [at % nx, at / nx % ny, at / (nx * ny)];
        [0, 1, 2].map(|a| self.corner[a] + steps[a] as i32)
    }

    /// Indices of the sites in `ranges` along the axes.
    fn sites(&self, [xs, ys, zs]: [Range<usize>; 3]) -> impl Iterator<Item = usize> + use<> {
        let [nx, ny, _] = self.edge;
        zs.flat_map(move |z| {
            let xs = xs.clone();
            ys.clone().flat_map(move |y| xs.clone().map(move |x| (z * ny + y) * nx + x))
        })
    }

    /// Indices of the block's own sites, in the order of the block.
    fn inner(&self) -> impl Iterator<Item = usize> + use<> {
        self.sites([0, 1, 2].map(|a| self.rim[a]..self.edge[a] - self.rim[a]))
    }
}

/// Marks of the sites of a block and around it, for distances from walls.
struct Surround {
    around: Around,
    marks: Vec<u8>,
    /// Of the block's own sites, in the order of the block.
    own: Vec<u8>,
}

/// A number for each site of a block along x.
type Row = [u32; EDGE as usize];

impl Surround {
    fn of(map: &SiteMapBuilder, block: [i32; 3], rim: usize, marks: &[u8]) -> Self {
        let around = Around::of(map, block, rim);
        let marks = around.gather(map, marks, 0);
        let own = around.inner().map(|at| marks[at]).collect();
        Self { around, marks, own }
    }

    /// Distances from the wall of the block's sites, in the order of the block.
    fn distances(&self, reach: f64, thickening: f64, to: &mut [f32]) {
        let own = |bit: u8| self.own.iter().any(|mark| mark & bit != 0);
        let has_fluid = self.own.iter().any(|mark| mark & WALL == 0);
        let from_fluid = own(WALL).then(|| self.squares(AT_WALL)).flatten();
        let from_wall = has_fluid.then(|| self.squares(AT_FLUID)).flatten();
        let from_thin = has_fluid.then(|| self.squares(THIN)).flatten();
        let apart = |squares: &Option<Vec<Row>>, k: usize| {
            let of = |rows: &Vec<Row>| f64::from(rows[k / EDGE as usize][k % EDGE as usize]).sqrt() - 0.5;
            squares.as_ref().map_or(f64::INFINITY, of)
        };
        for (k, (to, mark)) in to.iter_mut().zip(&self.own).enumerate() {
            *to = if mark & WALL != 0 {
                let thickening = if mark & THIN != 0 { thickening } else { 0.0 };
                -(apart(&from_fluid, k) + thickening).min(reach) as f32
            } else {
                apart(&from_wall, k).min(apart(&from_thin, k) - thickening).min(reach) as f32
            };
        }
    }

    /// Squared distance of each of the block's sites to the nearest one with `bit`, axis by axis (Saito and Toriwaki,
    /// Pattern Recognit. 27, 1551, 1994), by rows along x; `None` where there is none.
    fn squares(&self, bit: u8) -> Option<Vec<Row>> {
        const FAR: u32 = 1 << 20;
        if self.marks.iter().all(|mark| mark & bit == 0) {
            return None;
        }
        let ([rx, ry, rz], [nx, ny, nz]) = (self.around.rim, self.around.edge);
        let along_x: Vec<Row> = (self.marks.chunks_exact(nx))
            .map(|marks| least(rx, |step| std::array::from_fn(|x| if marks[step + x] & bit != 0 { 0 } else { FAR })))
            .collect();
        let rows = ny - 2 * ry;
        let along_y: Vec<Row> =
            (0..nz * rows).map(|k| least(ry, |step| along_x[k / rows * ny + k % rows + step])).collect();
        Some((0..(nz - 2 * rz) * rows).map(|k| least(rz, |step| along_y[k + step * rows])).collect())
    }
}

/// The least of `row(step)` and the square of its distance from the middle, over the steps up to `rim` from the middle.
fn least(rim: usize, row: impl Fn(usize) -> Row) -> Row {
    let mut least = [u32::MAX; EDGE as usize];
    for step in 0..=2 * rim {
        let (row, apart) = (row(step), (step.abs_diff(rim) as u32).pow(2));
        least = std::array::from_fn(|x| least[x].min(row[x] + apart));
    }
    least
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
