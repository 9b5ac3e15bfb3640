//! The particle engine: arrays of properties that a physics declares for its particles, sorted by tiles of the sparse
//! domain, distributed over ranks.
//!
//! A rank owns the particles in its own tiles. Behind them it holds ghosts: its copies of other ranks' particles that
//! it sees. [`Particles::rebuild`], called every few steps, sorts particles by tile, migrates particles that left to
//! their new rank, and makes ghosts and lists of neighbours again. In between, messages have fixed sizes.
//! [`Particles::update_ghosts`] sends properties from owners to ghosts. [`Particles::add_to_owners`] sends sums that
//! kernels made for ghosts to the owners, as whole numbers, so that no sum depends on its order. A message is on its way
//! until [`Particles::receive`].
//!
//! [`Pairs`] applies a [`Law`] to the pairs of particles within a set, [`Between`] to pairs of two sets.

mod arrays;
mod between;
mod bins;
mod exchange;
mod insert;
mod messages;
mod moves;
mod neighbours;
mod pairs;
mod properties;
mod rebuild;
mod shaders;
mod tiles;
mod vicinity;

use hematite_comm::Comm;
use hematite_config::Result;
use hematite_gpu::{Buffer, Channel, Elements, Gpu};

pub use between::Between;
pub use exchange::Pending;
pub use neighbours::MOST_NEIGHBOURS;
pub use pairs::{Fixed, Law, OVERFLOW, Pairs, Set};
pub use properties::{Declaration, Element, Properties};
pub use rebuild::Lost;

use crate::Precision;
use crate::sites::{SiteMap, Tiling};
use arrays::Arrays;
use exchange::Messaging;
use moves::Moves;
use shaders::Variant;
use tiles::Tiles;

/// Longest edge of a tile, in sites. For longer reaches more tiles are searched.
const LARGEST_TILE: f64 = 8.0;

/// The property with the position: three coordinates.
pub const POSITION: Declaration = Declaration::kept("position", Element::Coordinate, 3);

/// The property with the global number.
pub const ID: Declaration = Declaration::kept("id", Element::Word, 1);

/// The property that is 0, or the reason why the particle leaves the domain with the next [`Particles::rebuild`].
pub const GONE: Declaration = Declaration::kept("gone", Element::Word, 1);

/// Fewest sites of a periodic axis for lists of neighbours up to `reach` lattice units.
///
/// # Errors
/// A usage fault where the reach is too long for any period.
pub fn shortest_period(reach: f64) -> Result<i32> {
    let tiling = Tiling::reaching(reach.min(LARGEST_TILE))?;
    Ok((2 * tiling.steps(reach) as i32 + 1) * tiling.edge())
}

/// Sites along the longest edge of a tile for `reach` lattice units. The last tile of a period may be nearly twice as
/// long as others.
pub fn largest_tile(reach: f64) -> i32 {
    Tiling::reaching(reach.min(LARGEST_TILE)).map_or(1, |tiling| 2 * tiling.edge() - 1)
}

/// The domain of particles and the range of their interactions.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// 2 or 3.
    pub dimension: usize,
    /// Arithmetic of properties.
    pub precision: Precision,
    /// Sites of the domain along each axis.
    pub extent: [i32; 3],
    /// Periodic axes.
    pub periodic: [bool; 3],
    /// Reach of lists of neighbours, lattice units: the range of forces plus the largest approach of two particles
    /// until the next [`Particles::rebuild`].
    pub reach: f64,
    /// Distance from its nodes up to which a rank must see particles, lattice units: the distance at which a particle
    /// acts on nodes plus its largest displacement until the next [`Particles::rebuild`].
    pub sight: f64,
}

/// The particles of one rank.
pub struct Particles {
    gpu: Gpu,
    map: SiteMap,
    tiles: Tiles,
    variant: Variant,
    declared: Vec<Declaration>,
    arrays: Arrays,
    moves: Moves,
    messaging: Messaging,
    /// Brings from the device how many particles are listed for each neighbour.
    counts: Channel,
    own: u32,
    ghosts: u32,
    enlarged: u32,
    /// Whether lists of neighbours were made before.
    listed: bool,
    gone: Vec<u32>,
}

impl Particles {
    /// Makes the arrays with those of `particles` that are in this rank's tiles. Each particle is given by the raw
    /// words of its properties in the order of `declared`, component by component. [`POSITION`], [`ID`] and [`GONE`]
    /// must be among these. `own` holds the positions of this rank's nodes. Then call [`Particles::rebuild`].
    /// Collective.
    ///
    /// # Errors
    /// Usage faults where periods are too short for the reach or a rank has too many neighbours; when the device has no
    /// room.
    pub fn new(
        gpu: &Gpu,
        comm: &dyn Comm,
        setting: Setting,
        map: SiteMap,
        own: &[[i32; 3]],
        declared: &[Declaration],
        particles: impl IntoIterator<Item = Vec<Vec<u32>>>,
    ) -> Result<Self> {
        let tiling = Tiling::reaching(setting.reach.min(LARGEST_TILE))?;
        tiling.check(&map, tiling.steps(setting.reach))?;
        let tiles = Tiles::new(gpu, comm, &map, tiling, own, setting.sight.max(setting.reach))?;
        let variant = Variant::new(&setting, tiling, tiles.count, tiles.neighbours.len() as u32);
        let at = declared.iter().position(|property| *property == POSITION).unwrap_or_default();
        let held: Vec<Vec<Vec<u32>>> =
            particles.into_iter().filter(|particle| tiles.holds(&map, tiling, site(&particle[at]))).collect();
        let room = if comm.size() > 1 { held.len() + held.len() / 2 + 256 } else { held.len() };
        let arrays = Arrays::new(gpu, &variant, &map, &tiles, declared, (room as u32, None))?;
        arrays.put(gpu, 0, &held)?;
        let counts = gpu.channel("how many for whom", arrays.places.bytes(), 4)?;
        Ok(Self {
            gpu: gpu.clone(),
            map,
            tiles,
            variant,
            declared: declared.to_vec(),
            arrays,
            moves: Moves::new(gpu, setting.precision, declared)?,
            messaging: Messaging::default(),
            counts,
            own: held.len() as u32,
            ghosts: 0,
            enlarged: 0,
            listed: false,
            gone: Vec::new(),
        })
    }

    /// Number of particles that this rank owns; they come first.
    pub fn own(&self) -> u32 {
        self.own
    }

    /// Number of particles that this rank holds, ghosts included.
    pub fn held(&self) -> u32 {
        self.own + self.ghosts
    }

    /// The arrays of all properties.
    pub fn properties(&self) -> &Properties {
        &self.arrays.properties
    }

    /// Names and buffers for kernels to bind: properties and arrays of the map.
    pub fn table(&self) -> Vec<(&str, &Buffer)> {
        let mut table = self.arrays.properties.table();
        table.extend([("directory", &self.map.directory), ("sites", &self.map.sites)]);
        table
    }

    /// The particles as a set for interactions with other sets.
    pub fn set(&self) -> Set {
        let properties = &self.arrays.properties;
        let (position, gone) = (properties.get(POSITION.name).clone(), properties.get(GONE.name).clone());
        Set { position, gone, stride: properties.stride, own: self.own, held: self.held() }
    }

    /// The map of sites.
    pub fn map(&self) -> &SiteMap {
        &self.map
    }

    /// How many times larger arrays were made so far. After each time, kernels and [`Pairs`] must be bound again.
    pub fn enlarged(&self) -> u32 {
        self.enlarged
    }

    /// The raw words of these properties of the own particles, each by component.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn words<const N: usize>(&self, names: [&str; N]) -> Result<[Vec<u32>; N]> {
        let properties = names.map(|name| self.arrays.properties.property(name));
        let (own, stride) = (self.own as usize, self.arrays.properties.stride as usize);
        let ranges: Vec<Elements> = properties.iter().flat_map(|property| property.of_first(own, stride)).collect();
        let mut words = self.gpu.download_all::<u32>(&ranges)?.into_iter();
        Ok(properties.map(|property| words.by_ref().take(own * property.words() as usize).collect()))
    }
}

/// The site nearest to a position given by its words.
fn site(words: &[u32]) -> [i32; 3] {
    let mut site = [0; 3];
    for (s, pair) in site.iter_mut().zip(words.chunks(2)) {
        *s = pair[0] as i32 + (pair[1] >> 31) as i32;
    }
    site
}
