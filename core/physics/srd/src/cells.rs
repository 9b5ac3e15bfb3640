//! The collision cells that a rank knows: where walls cut them, who uses them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use hematite_comm::{Comm, Route, agree, all_to_all};
use hematite_config::{Fault, Result};
use hematite_engine::sites::{FLUID, SOLID, SiteMap, SiteMapBuilder};
use hematite_engine::{Ground, moving_wall_sites};
use hematite_gpu::{Buffer, Gpu};
use rayon::prelude::*;

use crate::parameters::Parameters;

/// Bits of a cell's kind: see lookup.wgsl.
const COUNTED: u32 = 1 << 8;
const WALL: u32 = 9;
const OWNER: u32 = 16;
const MOST_OWNERS: u32 = 0xffff;

/// Most moving walls.
pub const MOST_WALLS: usize = 127;

/// The cells that a rank knows, in the order of blocks of sites; those near other ranks come last.
pub struct Cells {
    /// From sites to cells.
    pub map: SiteMap,
    /// How many there are.
    pub count: u32,
    /// From this cell on, a particle may get from a cell into one that other ranks use within a step.
    pub first_near: u32,
    /// `array<u32>`: the kind of each, see lookup.wgsl.
    pub kind: Buffer,
    /// `array<vec2<u32>>`: where each lies in the domain: x and y in one word, z in the other.
    pub place: Buffer,
    /// The cell over each own node.
    pub of_node: Vec<u32>,
    /// What this rank and others have to tell each other, by rank.
    pub shared: Vec<Shared>,
}

/// What this rank and another one share.
#[derive(Clone, Debug)]
pub struct Shared {
    /// The other rank.
    pub rank: usize,
    /// Cells of its sites that particles of this rank may be in.
    pub theirs: Vec<u32>,
    /// Cells of this rank's sites that particles of the other may be in.
    pub ours: Vec<u32>,
    /// Own sites beside sites of the other rank, and sites of the other beside this rank's, by its own count.
    pub faces: [u32; 2],
}

/// The sites around a rank, while its cells are found.
struct Surroundings<'s> {
    map: &'s SiteMapBuilder,
    /// Who owns fluid sites of other ranks.
    owners: &'s HashMap<[i32; 3], usize>,
    dimension: usize,
}

/// A site's owner.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Site {
    Wall,
    Own,
    Of(usize),
}

impl Surroundings<'_> {
    fn at(&self, site: [i32; 3]) -> Site {
        match self.map.at(site) {
            None | Some(SOLID) => Site::Wall,
            Some(FLUID) => self.owners.get(&self.map.wrapped(site)).map_or(Site::Wall, |&rank| Site::Of(rank)),
            Some(_) => Site::Own,
        }
    }

    /// The sites of a cell: site k is the cell's own along axis a where bit a of k is set, else the one before.
    fn sites(&self, cell: [i32; 3]) -> impl Iterator<Item = [i32; 3]> + use<> {
        let dimension = self.dimension;
        let site =
            move |k: i32| [0, 1, 2].map(|a| if a < dimension && (k >> a) & 1 == 0 { cell[a] - 1 } else { cell[a] });
        (0..1 << dimension).map(site)
    }

    /// The sites from `low` to `high` before and after a site along each axis.
    fn around(&self, site: [i32; 3], low: i32, high: i32) -> impl Iterator<Item = [i32; 3]> + use<> {
        let along = |a: usize| if a < self.dimension { site[a] + low..=site[a] + high } else { site[a]..=site[a] };
        let [xs, ys, zs] = [0, 1, 2].map(along);
        zs.flat_map(move |z| {
            let xs = xs.clone();
            ys.clone().flat_map(move |y| xs.clone().map(move |x| [x, y, z]))
        })
    }
}

impl Cells {
    /// The cells that particles on this rank's sites may get into within a step, and those around them. Collective.
    ///
    /// # Errors
    /// A usage fault where the case is damaged; when the device lacks room; when a rank is lost.
    pub fn new(gpu: &Gpu, comm: &dyn Comm, ground: &Ground, parameters: &Parameters) -> Result<Self> {
        let (dimension, reach) = (parameters.dimension, parameters.reach());
        let own = ground.own_positions();
        let case = agree(comm, ground.file())?;
        let mut map = SiteMap::builder(dimension, own, reach + 2, parameters.extent, parameters.periodic);
        let moving = agree(comm, moving_wall_sites(&case))?;
        let (mut foreign, mut next) = (Vec::new(), 0_u64);
        let near = case.each_position(|positions| {
            for (&site, id) in positions.iter().zip(next..) {
                if map.at(site) == Some(SOLID) {
                    foreign.push((site, id));
                }
            }
            map.add_fluid(positions);
            next += positions.len() as u64;
        });
        agree(comm, near)?;
        let held: Vec<u64> = ground.own_ids().iter().map(|id| id.0).collect();
        let wanted: Vec<u64> = foreign.iter().map(|&(_, id)| id).collect();
        let owners = Route::find(comm, &held, &wanted)?.holders();
        let owners: HashMap<[i32; 3], usize> = foreign.into_iter().map(|(site, _)| site).zip(owners).collect();
        let around = Surroundings { map: &map, owners: &owners, dimension };

        let mut listed = map.covered();
        let is_fluid = |site: [i32; 3]| around.at(site) != Site::Wall;
        let beside: Vec<bool> = listed.par_iter().map(|&cell| around.around(cell, -1, 1).any(is_fluid)).collect();
        let mut keep = beside.into_iter();
        listed.retain(|_| keep.next() == Some(true));

        let mut shared = agree_on_shared(comm, &around, &listed, reach, own)?;
        let first_near = put_near_last(&map, &around, &mut listed, &mut shared, reach);
        let number: HashMap<usize, u32> = shared.iter().map(|shared| shared.rank).zip(1..).collect();
        let kind = |&cell: &[i32; 3]| {
            let sites: Vec<Site> = around.sites(cell).map(|site| around.at(site)).collect();
            let mask: u32 = sites.iter().zip(0..).map(|(&site, k)| u32::from(site == Site::Wall) << k).sum();
            let first = sites.iter().find(|&&site| site != Site::Wall);
            let counted = if first == Some(&Site::Own) { COUNTED } else { 0 };
            let owner = match around.at(cell) {
                Site::Of(rank) => number.get(&rank).copied().unwrap_or(MOST_OWNERS),
                _ => 0,
            };
            let wall = moving.get(&map.wrapped(cell)).copied().unwrap_or(0);
            mask | counted | wall << WALL | owner << OWNER
        };
        let kinds: Vec<u32> = listed.par_iter().map(kind).collect();
        let place = |&[x, y, z]: &[i32; 3]| [x as u32 & 0xffff | (y as u32) << 16, z as u32];
        let places: Vec<[u32; 2]> = listed.iter().map(place).collect();
        map.number(&listed);
        let of_node = own.iter().map(|&site| map.at(site).unwrap_or(SOLID)).collect();
        let count = listed.len() as u32;
        let make = || {
            let kind = gpu.buffer("kinds of cells", 4 * u64::from(count.max(1)))?;
            let place = gpu.buffer("places of cells", 8 * u64::from(count.max(1)))?;
            gpu.upload(&kind, 0, &kinds)?;
            gpu.upload(&place, 0, &places)?;
            Ok((map.build(gpu)?, kind, place))
        };
        let (map, kind, place) = agree(comm, make())?;
        Ok(Self { map, count, first_near, kind, place, of_node, shared })
    }
}

/// The cells from which a particle may get into one that other ranks use within a step, by its flight and by a new shift.
fn near_others(
    map: &SiteMapBuilder,
    around: &Surroundings,
    listed: &[[i32; 3]],
    shared: &[Shared],
    reach: i32,
) -> BTreeSet<usize> {
    if shared.is_empty() {
        return BTreeSet::new();
    }
    let numbers: HashMap<[i32; 3], usize> = listed.iter().map(|&cell| map.wrapped(cell)).zip(0..).collect();
    shared
        .par_iter()
        .flat_map(|shared| &shared.theirs)
        .flat_map_iter(|&cell| around.around(listed[cell as usize], -reach - 1, reach + 1))
        .filter_map(|place| numbers.get(&map.wrapped(place)).copied())
        .collect()
}

/// Reorders the cells: those near other ranks come last. Returns the first of these.
fn put_near_last(
    map: &SiteMapBuilder,
    around: &Surroundings,
    listed: &mut Vec<[i32; 3]>,
    shared: &mut [Shared],
    reach: i32,
) -> u32 {
    let near = near_others(map, around, listed, shared, reach);
    let (last, mut order): (Vec<usize>, Vec<usize>) = (0..listed.len()).partition(|cell| near.contains(cell));
    let first_near = order.len() as u32;
    order.extend(last);
    let mut number = vec![0; order.len()];
    for (&cell, new) in order.iter().zip(0..) {
        number[cell] = new;
    }
    for cell in shared.iter_mut().flat_map(|shared| shared.theirs.iter_mut().chain(&mut shared.ours)) {
        *cell = number[*cell as usize];
    }
    *listed = order.iter().map(|&cell| listed[cell]).collect();
    first_near
}

/// Finds with which ranks this one shares cells. Both sides get the same lists in the same order. Collective.
fn agree_on_shared(
    comm: &dyn Comm,
    around: &Surroundings,
    listed: &[[i32; 3]],
    reach: i32,
    own: &[[i32; 3]],
) -> Result<Vec<Shared>> {
    if comm.size() == 1 {
        return Ok(Vec::new());
    }
    let users = |cell: [i32; 3]| -> BTreeSet<usize> {
        around
            .sites(cell)
            .filter_map(|site| if let Site::Of(rank) = around.at(site) { Some(rank) } else { None })
            .collect()
    };
    let within = |cell: [i32; 3]| around.around(cell, -reach - 1, reach).any(|site| around.at(site) == Site::Own);
    let of_cells: Vec<BTreeSet<usize>> = listed
        .par_iter()
        .map(|&cell| {
            let users = users(cell);
            if users.is_empty() || !within(cell) { BTreeSet::new() } else { users }
        })
        .collect();
    let mut theirs: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
    for (users, cell) in of_cells.iter().zip(0..) {
        users.iter().for_each(|&rank| theirs.entry(rank).or_default().push(cell));
    }
    let beside = |&site: &[i32; 3]| -> BTreeSet<usize> {
        let of = |site| if let Site::Of(rank) = around.at(site) { Some(rank) } else { None };
        around.around(site, -1, 1).filter_map(of).collect()
    };
    let mut faces: BTreeMap<usize, u32> = BTreeMap::new();
    for ranks in own.par_iter().map(beside).collect::<Vec<_>>() {
        ranks.into_iter().for_each(|rank| *faces.entry(rank).or_default() += 1);
    }
    // Each rank learns the places of the cells in which others have particles for it.
    let mut out: Vec<Vec<i32>> = vec![Vec::new(); comm.size()];
    for (&rank, cells) in &theirs {
        out[rank].push(faces.get(&rank).copied().unwrap_or(0) as i32);
        out[rank].extend(cells.iter().flat_map(|&cell| listed[cell as usize]));
    }
    let come = all_to_all(comm, &out)?;
    let numbers: HashMap<[i32; 3], u32> = listed.iter().copied().zip(0..).collect();
    let ranks: BTreeSet<usize> =
        theirs.keys().copied().chain((0..comm.size()).filter(|&rank| !come[rank].is_empty())).collect();
    let mut with = |rank: usize| {
        let told = come[rank].split_first();
        let (faces_there, places) = told.map_or((0, &[][..]), |(&faces, places)| (faces as u32, places));
        let known = places.as_chunks::<3>().0.iter().map(|place| numbers.get(place).copied());
        let missing = || Fault::lost_rank(format!("rank {rank} tells of cells that this one does not know"));
        Ok(Shared {
            rank,
            theirs: theirs.remove(&rank).unwrap_or_default(),
            ours: known.collect::<Option<Vec<u32>>>().ok_or_else(missing)?,
            faces: [faces.get(&rank).copied().unwrap_or(0), faces_there],
        })
    };
    let shared = ranks.into_iter().map(&mut with).collect();
    agree(comm, shared)
}
