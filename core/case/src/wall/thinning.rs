//! The wall's points in 3-D: its faces are covered densely with samples, which are put on the smoothed wall and thinned.
//!
//! Samples are taken in a random order, each unless an earlier one nearby was: that is blue noise, no two points close and
//! no gap wide. Each point has the area of the samples that are nearest to it.

use std::ops::Range;

use hematite_cells::vector::dot;
use rayon::prelude::*;

use super::{Index, WallPoint, directions};

/// The least distance of two points over the spacing: a random dense packing has an area of about 1.44 of its squares a
/// point.
const LEAST: f64 = 0.83;

/// The largest distance between samples over the spacing.
const SAMPLES: f64 = 0.45;

/// A place on the smoothed wall.
#[derive(Clone, Copy)]
struct Sample {
    place: [f64; 3],
    normal: [f32; 3],
    area: f32,
}

/// Points about `spacing` apart.
pub fn points(index: &Index, spacing: f64) -> Vec<WallPoint> {
    let samples = samples(index, (1.0 / (SAMPLES * spacing)).ceil() as usize);
    let tiles = Tiles::new(index, &samples, LEAST * spacing);
    let chosen = choose(&tiles, &samples);
    let nearest: Vec<Option<usize>> = (0..samples.len())
        .into_par_iter()
        .map(|k| {
            let near = tiles.near(&samples[k].place).filter(|&other| chosen[other] == State::In);
            near.map(|other| (tiles.distance_2(&samples[k].place, &samples[other].place), other))
                .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)))
                .map(|(_, other)| other)
        })
        .collect();
    let mut area = vec![0.0; samples.len()];
    for (sample, point) in samples.iter().zip(nearest) {
        if let Some(point) = point {
            area[point] += f64::from(sample.area);
        }
    }
    let point = |k: usize| {
        let Sample { place, normal, .. } = samples[k];
        WallPoint { position: place, normal, area: area[k] as f32 }
    };
    (0..samples.len()).filter(|&k| chosen[k] == State::In).map(point).collect()
}

/// `fine` times `fine` samples a face, on the plane of the smoothed wall there.
fn samples(index: &Index, fine: usize) -> Vec<Sample> {
    let of_face = |site: &super::WallSite, i: usize| {
        let at = site.at;
        let facing = index.c[i].map(|component| -component);
        let from = index.c[i].map(|component| 0.5 * component);
        let (normal, distance) = index.fit(site, from);
        let across = [1, 2].map(|turn| [0, 1, 2].map(|axis: usize| index.c[i][(axis + turn) % 3]));
        let area = dot(normal, facing).max(0.0) / (fine * fine) as f64;
        let place = move |k: usize| {
            let beside = [k % fine, k / fine].map(|n| (n as f64 + 0.5) / fine as f64 - 0.5);
            let beside = [0, 1, 2].map(|axis| beside[0] * across[0][axis] + beside[1] * across[1][axis]);
            let height = distance + dot(beside, normal);
            [0, 1, 2].map(|axis| f64::from(at[axis]) + from[axis] + beside[axis] - height * normal[axis])
        };
        let normal = normal.map(|component| component as f32);
        (0..fine * fine).map(move |k| Sample { place: place(k), normal, area: area as f32 })
    };
    let of_site =
        |site: &super::WallSite| directions(site.faces).flat_map(move |i| of_face(site, i)).collect::<Vec<_>>();
    // Faces that the smoothed wall turns its back on have no share in it.
    index.sites.par_iter().flat_map_iter(of_site).filter(|sample| sample.area > 0.0).collect()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    In,
    Out,
}

/// Whether each sample is a point. In each round those that come before all open ones nearby are chosen, and what is near
/// them is not: the outcome of taking them one after the other.
fn choose(tiles: &Tiles, samples: &[Sample]) -> Vec<State> {
    let before = |a: usize, b: usize| (shuffled(a), a) < (shuffled(b), b);
    let mut states = vec![State::Open; samples.len()];
    let mut open: Vec<usize> = (0..samples.len()).collect();
    while !open.is_empty() {
        let near = |k: usize| {
            let place = &samples[k].place;
            tiles
                .near(place)
                .filter(move |&other| other != k && tiles.distance_2(place, &samples[other].place) < tiles.least_2)
        };
        let state = |&k: &usize| {
            if near(k).any(|other| states[other] == State::In) {
                State::Out
            } else if near(k).all(|other| states[other] == State::Out || before(k, other)) {
                State::In
            } else {
                State::Open
            }
        };
        let found: Vec<State> = open.par_iter().map(state).collect();
        open.iter().zip(&found).for_each(|(&k, &state)| states[k] = state);
        open.retain(|&k| states[k] == State::Open);
    }
    states
}

/// A number without order, the same for the same `k`.
fn shuffled(k: usize) -> u64 {
    let mut x = (k as u64).wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

/// Samples by tile: whatever is within the least distance of a place is in its tile or one beside it.
struct Tiles {
    /// Samples by tile.
    order: Vec<u32>,
    /// The tiles with samples, ascending, z before y before x, and where their samples begin; one behind the last.
    tiles: Vec<[i32; 3]>,
    starts: Vec<u32>,
    /// Tiles along each axis that wraps, and the length of a tile.
    count: [Option<i32>; 3],
    size: [f64; 3],
    period: [f64; 3],
    least_2: f64,
}

impl Tiles {
    fn new(index: &Index, samples: &[Sample], least: f64) -> Self {
        let period = index.lattice.extent.map(|n| n as f64);
        let wraps = index.lattice.periodic;
        let count = [0, 1, 2].map(|axis| wraps[axis].then(|| ((period[axis] / least).floor() as i32).max(1)));
        let size = [0, 1, 2].map(|axis| count[axis].map_or(least, |n| period[axis] / f64::from(n)));
        let mut tiles = Self {
            order: Vec::new(),
            tiles: Vec::new(),
            starts: Vec::new(),
            count,
            size,
            period,
            least_2: least * least,
        };
        let mut keyed: Vec<([i32; 3], u32)> =
            samples.par_iter().zip(0..samples.len() as u32).map(|(s, k)| (tiles.tile(&s.place), k)).collect();
        keyed.par_sort_unstable();
        for (place, &(tile, _)) in keyed.iter().enumerate() {
            if tiles.tiles.last() != Some(&tile) {
                tiles.tiles.push(tile);
                tiles.starts.push(place as u32);
            }
        }
        tiles.starts.push(keyed.len() as u32);
        tiles.order = keyed.into_iter().map(|(_, k)| k).collect();
        tiles
    }

    /// The tile of a place, as (z, y, x).
    fn tile(&self, place: &[f64; 3]) -> [i32; 3] {
        [2, 1, 0].map(|axis| {
            let tile = (place[axis] / self.size[axis]).floor() as i32;
            self.count[axis].map_or(tile, |n| tile.rem_euclid(n))
        })
    }

    /// The samples in the tiles around a place, some maybe twice where an axis has fewer than three tiles.
    fn near(&self, place: &[f64; 3]) -> impl Iterator<Item = usize> + '_ {
        let [z, y, x] = self.tile(place);
        let around =
            move |axis: usize, at: i32| [-1, 0, 1].map(|d| self.count[axis].map_or(at + d, |n| (at + d).rem_euclid(n)));
        let rows = around(2, z).into_iter().flat_map(move |z| around(1, y).map(|y| (z, y)));
        rows.flat_map(move |(z, y)| around(0, x).into_iter().map(move |x| [z, y, x]))
            .flat_map(|tile| self.samples_of(tile))
            .map(|place| self.order[place] as usize)
    }

    fn samples_of(&self, tile: [i32; 3]) -> Range<usize> {
        match self.tiles.binary_search(&tile) {
            Ok(k) => self.starts[k] as usize..self.starts[k + 1] as usize,
            Err(_) => 0..0,
        }
    }

    fn distance_2(&self, a: &[f64; 3], b: &[f64; 3]) -> f64 {
        let along = |axis: usize| {
            let d = a[axis] - b[axis];
            if self.count[axis].is_some() { d - self.period[axis] * (d / self.period[axis]).round() } else { d }
        };
        (0..3).map(|axis| along(axis) * along(axis)).sum()
    }
}
