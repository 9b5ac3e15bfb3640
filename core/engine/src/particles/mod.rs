//! The particle engine: arrays of whatever a kind of body keeps of its particles, sorted by tiles over the sparse domain,
//! spread over ranks.
//!
//! A rank has the particles in its own tiles, then copies of those of other ranks that it sees. Every so many steps
//! [`Particles::rebuild`] finds tiles anew: particles that left go to their new rank, copies are made anew, and so are lists of
//! neighbours. In between, messages have fixed sizes: [`Particles::forward`] gives copies what their owners know,
//! [`Particles::reverse`] takes to them what kernels collect for copies, as integers, so that no sum depends on who adds; both are under way
//! until [`Particles::arrive`] or a kernel of the body's own takes them in.

mod arrays;
mod exchange;
mod insert;
mod messages;
mod moves;
mod properties;
mod rebuild;
mod shaders;
mod tiles;
mod vicinity;

use hematite_comm::Comm;
use hematite_config::Result;
use hematite_gpu::{Buffer, Gpu, Mailbox};

pub use exchange::{Letter, Parcel};
pub use properties::{Declaration, Element, Properties};
pub use rebuild::Lost;

use crate::Precision;
use crate::sites::{SiteMap, Tiling};
use arrays::Arrays;
use exchange::Post;
use moves::Moves;
use shaders::Variant;
use tiles::Tiles;

/// Neighbours a particle's list holds.
pub const MOST_NEIGHBOURS: u32 = 96;

/// The longest edge of a tile; what reaches farther looks at more tiles.
const LARGEST_TILE: f64 = 8.0;

/// The property that positions are in: three coordinates.
pub const POSITION: Declaration = Declaration::kept("position", Element::Coordinate, 3);

/// The property that global numbers are in.
pub const ID: Declaration = Declaration::kept("id", Element::Word, 1);

/// The property that says, where it is not zero, that a particle leaves the domain with the next [`Particles::rebuild`], and why.
pub const GONE: Declaration = Declaration::kept("gone", Element::Word, 1);

/// Sites that a periodic axis must have for lists of neighbours that reach so far.
///
/// # Errors
/// A usage fault where none is long enough.
pub fn shortest_period(reach: f64) -> Result<i32> {
    let tiling = Tiling::reaching(reach.min(LARGEST_TILE))?;
    Ok((2 * tiling.steps(reach) as i32 + 1) * tiling.edge())
}

/// Sites along the longest edge of a tile where lists of neighbours reach so far: the last one of a period may be nearly twice as long as others.
pub fn largest_tile(reach: f64) -> i32 {
    Tiling::reaching(reach.min(LARGEST_TILE)).map_or(1, |tiling| 2 * tiling.edge() - 1)
}

/// Where particles live and how far they act.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// 2 or 3.
    pub dimension: usize,
    /// Arithmetic of their properties.
    pub precision: Precision,
    /// Sites of the domain along each axis.
    pub extent: [i32; 3],
    /// Directions in which it wraps.
    pub periodic: [bool; 3],
    /// How far lists of neighbours reach: that of forces and what two particles may come nearer before the next
    /// [`Particles::rebuild`], lattice units.
    pub reach: f64,
    /// How far beyond its nodes a rank must see particles: how far from them these touch nodes, and their way until then, lattice units.
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
    post: Post,
    /// How many particles are for whom, from the device.
    counts: Mailbox,
    own: u32,
    copies: u32,
    frontier: u32,
    enlarged: u32,
    gone: Vec<u32>,
}

impl Particles {
    /// Takes in `particles` by the raw words of each property of `declared` (in that order, a particle's components one after
    /// the other): of all those given, the ones in this rank's tiles. [`POSITION`],
    /// [`ID`] and [`GONE`] must be declared. Then call
    /// [`Particles::rebuild`]. `own` are the positions of this rank's nodes. Collective.
    ///
    /// # Errors
    /// Usage faults where periods are too short for the reach or a rank has too many neighbours; when the device has no room.
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
        let variant = Variant {
            precision: setting.precision,
            dimension: setting.dimension,
            extent: setting.extent,
            periodic: setting.periodic,
            tiling,
            tiles: tiles.count,
            neighbours: tiles.neighbours.len() as u32,
            reach: setting.reach,
            sight: setting.sight,
        };
        let at = declared.iter().position(|property| *property == POSITION).unwrap_or_default();
        let held: Vec<Vec<Vec<u32>>> =
            particles.into_iter().filter(|particle| tiles.holds(&map, tiling, site(&particle[at]))).collect();
        let room = if comm.size() > 1 { held.len() + held.len() / 2 + 256 } else { held.len() };
        let arrays = Arrays::new(gpu, &variant, &map, &tiles, declared, room as u32)?;
        arrays.put(gpu, 0, &held)?;
        let counts = gpu.mailbox("how many for whom", arrays.places.bytes(), 4)?;
        Ok(Self {
            gpu: gpu.clone(),
            map,
            tiles,
            variant,
            declared: declared.to_vec(),
            arrays,
            moves: Moves::new(gpu, setting.precision, declared)?,
            post: Post::default(),
            counts,
            own: held.len() as u32,
            copies: 0,
            frontier: 0,
            enlarged: 0,
            gone: Vec::new(),
        })
    }

    /// Particles of this rank's own; they come first.
    pub fn own(&self) -> u32 {
        self.own
    }

    /// Particles this rank holds, copies of others' included.
    pub fn held(&self) -> u32 {
        self.own + self.copies
    }

    /// The last so many of the own particles are those that others may have copies of: of the ones before there are none.
    pub fn frontier(&self) -> u32 {
        self.frontier
    }

    /// The arrays of all properties.
    pub fn properties(&self) -> &Properties {
        &self.arrays.properties
    }

    /// Names and arrays to bind kernels to: properties, `neighbours` (`array<u32>`, neighbour n of particle i at
    /// `n * stride + i`), `neighbour_count` (how many there are, which may be more than lists hold), the map's, and, both `array<u32>`,
    /// `first_place` (an own particle's first place in messages to and from copies, counted from 1; 0 where it has no copy) and `next_place` (the next
    /// one of the particle that has this place, likewise).
    pub fn table(&self) -> Vec<(&str, &Buffer)> {
        let mut table = self.arrays.properties.table();
        table.extend([
            ("neighbours", &self.arrays.neighbours),
            ("neighbour_count", &self.arrays.neighbour_count),
            ("directory", &self.map.directory),
            ("sites", &self.map.sites),
            ("first_place", &self.arrays.first_place),
            ("next_place", &self.arrays.next_place),
        ]);
        table
    }

    /// Where sites are.
    pub fn map(&self) -> &SiteMap {
        &self.map
    }

    /// How often the arrays were made anew so far, larger: kernels then must be bound again.
    pub fn enlarged(&self) -> u32 {
        self.enlarged
    }

    /// The raw words of a property of the own particles, component after component.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn words(&self, name: &str) -> Result<Vec<u32>> {
        let property = self.arrays.properties.property(name);
        let (own, width) = (self.own as usize, property.width as usize);
        let mut words = Vec::with_capacity(own * property.words() as usize);
        for c in 0..property.declared.components as usize {
            let first = c * self.arrays.properties.stride as usize * width;
            words.extend(self.gpu.download::<u32>(&property.buffer, first, own * width)?);
        }
        Ok(words)
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
