//! Finds the rank that owns each tile, and the other ranks that see particles in it.
//!
//! A particle belongs to the rank that owns its tile: the rank with the most nodes there, the lowest among equals.
//! Tiles without nodes belong to no rank. A rank sees the tiles within some reach of tiles with own nodes.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use hematite_comm::{Comm, gather_all};
use hematite_config::{Fault, Result};
use hematite_gpu::{Buffer, Gpu};

use super::vicinity::Vicinity;
use crate::sites::{SiteMap, Tiling};

/// Marks a tile of this rank.
pub(super) const OWN: u32 = u32::MAX - 1;
/// Marks a tile of no rank.
pub(super) const NOBODY: u32 = u32::MAX;

/// Most neighbours of a rank: the bits of a word.
const MOST_NEIGHBOURS: usize = 32;

/// The tiles in the map of a rank.
pub(super) struct Tiles {
    /// `array<u32>` by tile: `OWN`, `NOBODY` or the index of the neighbour that owns the tile.
    pub owners: Buffer,
    /// `array<u32>` by own tile: bits of the neighbours that may see particles in it; `seen.wgsl` decides for each
    /// particle. The last word, for no tile, is 0.
    pub seen: Buffer,
    /// Whether each tile belongs to this rank.
    own: Vec<bool>,
    /// Ranks of the neighbours, ascending.
    pub neighbours: Vec<usize>,
    /// Number of tiles.
    pub count: u32,
}

impl Tiles {
    /// Finds owners of tiles, in agreement with the other ranks. `own`: positions of this rank's nodes. `sight`: how
    /// far a rank sees beyond the tiles that hold its nodes, in sites. Collective.
    ///
    /// # Errors
    /// A usage fault for more neighbours than a word has bits; when a rank is lost or the device has no room.
    pub fn new(
        gpu: &Gpu,
        comm: &dyn Comm,
        map: &SiteMap,
        tiling: Tiling,
        own: &[[i32; 3]],
        sight: f64,
    ) -> Result<Self> {
        let ranks = ranks_by_tile(comm, map, tiling, own)?;
        let me = comm.rank() as i32;
        // Most tiles are far from nodes of others, and only this rank sees them.
        let others = |held: &[(i32, i32)]| held.iter().any(|&(rank, _)| rank != me);
        let theirs = ranks.iter().filter(|(_, held)| others(held)).map(|(&tile, _)| tile);
        // The last tile of a period may be nearly twice as long.
        let steps = tiling.steps(sight) as i32;
        let reach_of_tiles = (steps + 1) * tiling.edge();
        let near = Vicinity::of((map.extent, map.periodic), reach_of_tiles, theirs);
        // Ranks are neighbours if either sees tiles of the other.
        let mut pairs = BTreeSet::new();
        let mut seen: BTreeMap<[i32; 3], BTreeSet<i32>> = BTreeMap::new();
        for (&tile, held) in &ranks {
            if near.holds(tile) && owner(held) == me {
                let mut others = BTreeSet::new();
                around(map, tiling, tile, steps, |tile| {
                    let held = ranks.get(&tile).into_iter().flatten().map(|&(rank, _)| rank);
                    others.extend(held.filter(|&rank| rank != me));
                });
                pairs.extend(others.iter().copied());
                seen.insert(tile, others);
            }
        }
        let neighbours = symmetric(comm, &pairs)?;
        if neighbours.len() > MOST_NEIGHBOURS {
            return Err(Fault::usage(format!(
                "a rank's part meets {} others, at most {MOST_NEIGHBOURS} are possible: use another number of ranks",
                neighbours.len()
            )));
        }
        let number = |rank: i32| neighbours.iter().position(|&other| other == rank as usize);
        let count = tiling.tiles(map);
        let (mut owners, mut bits) = (vec![NOBODY; count as usize], vec![0_u32; count as usize + 1]);
        for (&tile, held) in &ranks {
            let Some(at) = tiling.tile(map, tile) else { continue };
            owners[at as usize] = match owner(held) {
                rank if rank == me => OWN,
                rank => number(rank).map_or(NOBODY, |k| k as u32),
            };
            for k in seen.get(&tile).into_iter().flatten().filter_map(|&rank| number(rank)) {
                bits[at as usize] |= 1 << k;
            }
        }
        let tiles = Self {
            owners: gpu.buffer("owners of tiles", 4 * u64::from(count))?,
            seen: gpu.buffer("who sees tiles", 4 * (u64::from(count) + 1))?,
            own: owners.iter().map(|&owner| owner == OWN).collect(),
            neighbours,
            count,
        };
        gpu.upload(&tiles.owners, 0, &owners)?;
        gpu.upload(&tiles.seen, 0, &bits)?;
        Ok(tiles)
    }

    /// Whether `site`, which may lie periods outside of the domain, is in a tile of this rank.
    pub fn holds(&self, map: &SiteMap, tiling: Tiling, site: [i32; 3]) -> bool {
        let site = map.wrapped(site);
        let first = [0, 1, 2].map(|axis| first(map, tiling, axis, site[axis]));
        tiling.tile(map, first).is_some_and(|tile| self.own[tile as usize])
    }
}

/// For each tile, by its first site: ranks, ascending, and their numbers of nodes in the tile.
type Shares = HashMap<[i32; 3], Vec<(i32, i32)>>;

/// The rank with the most nodes, the lowest among equals; `held` ascends by rank.
fn owner(held: &[(i32, i32)]) -> i32 {
    held.iter().fold((-1, 0), |best, &(rank, nodes)| if nodes > best.1 { (rank, nodes) } else { best }).0
}

/// The ranks with nodes in each tile. Collective.
fn ranks_by_tile(comm: &dyn Comm, map: &SiteMap, tiling: Tiling, own: &[[i32; 3]]) -> Result<Shares> {
    let tile = |site: &[i32; 3]| [0, 1, 2].map(|axis| first(map, tiling, axis, site[axis]));
    // Nodes follow each other along x, so a row stands for several nodes.
    let mut rows: Vec<[i32; 4]> = Vec::new();
    for [x, y, z] in own.iter().map(tile) {
        match rows.last_mut() {
            Some([a, b, c, nodes]) if [*a, *b, *c] == [x, y, z] => *nodes += 1,
            _ => rows.push([x, y, z, 1]),
        }
    }
    rows.sort_unstable();
    rows.dedup_by(|row, kept| {
        let same = row[..3] == kept[..3];
        kept[3] += if same { row[3] } else { 0 };
        same
    });
    let mut ranks = Shares::new();
    for (rank, bytes) in gather_all(comm, bytemuck::cast_slice(&rows))?.into_iter().enumerate() {
        for [x, y, z, nodes] in bytemuck::pod_collect_to_vec::<u8, [i32; 4]>(&bytes) {
            ranks.entry([x, y, z]).or_default().push((rank as i32, nodes));
        }
    }
    Ok(ranks)
}

fn first(map: &SiteMap, tiling: Tiling, axis: usize, site: i32) -> i32 {
    if axis < map.dimension { tiling.first(map, axis, site) } else { 0 }
}

/// Calls `take` with the first site of each tile up to `steps` tiles away along each axis from the tile with the first
/// site `tile`, including this tile.
fn around(map: &SiteMap, tiling: Tiling, tile: [i32; 3], steps: i32, mut take: impl FnMut([i32; 3])) {
    let along = |axis: usize| {
        let mut found = vec![tile[axis]];
        let (mut below, mut above) = (tile[axis], tile[axis]);
        for _ in 0..steps {
            let [before, _, _] = tiling.around(map, axis, below);
            let [_, _, after] = tiling.around(map, axis, above);
            found.extend(before.into_iter().chain(after));
            (below, above) = (before.unwrap_or(below), after.unwrap_or(above));
        }
        // In a short period, a tile is reached from both sides.
        found.sort_unstable();
        found.dedup();
        found
    };
    let [xs, ys, zs] = [along(0), along(1), along(2)];
    for &x in &xs {
        for &y in &ys {
            for &z in &zs {
                take([x, y, z]);
            }
        }
    }
}

/// The ranks that this one names and those that name it, ascending. Collective.
fn symmetric(comm: &dyn Comm, named: &BTreeSet<i32>) -> Result<Vec<usize>> {
    let list: Vec<i32> = named.iter().copied().collect();
    let me = comm.rank();
    let mut neighbours: BTreeSet<usize> = named.iter().map(|&rank| rank as usize).collect();
    for (rank, bytes) in gather_all(comm, bytemuck::cast_slice(&list))?.into_iter().enumerate() {
        if bytemuck::pod_collect_to_vec::<u8, i32>(&bytes).contains(&(me as i32)) {
            neighbours.insert(rank);
        }
    }
    Ok(neighbours.into_iter().collect())
}
