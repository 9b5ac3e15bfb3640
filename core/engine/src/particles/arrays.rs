//! The arrays of a rank's particles, and the kernels bound to them that sort particles and list them.

use hematite_config::Result;
use hematite_gpu::{Bound, Buffer, CountingSort, Gpu, Kernel, Recorder, Scan};

use super::moves::Moves;
use super::shaders::{Shader, Variant};
use super::tiles::Tiles;
use super::{Declaration, GONE, ID, MOST_NEIGHBOURS, POSITION, Properties};
use crate::sites::SiteMap;

/// Arrays with room for some number of particles.
pub(super) struct Arrays {
    pub properties: Properties,
    pub neighbours: Buffer,
    pub neighbour_count: Buffer,
    /// The sort of particles: by own tile, tiles that others see last; then those in nobody's tile; then by the
    /// neighbour that owns the tile; then those that are gone.
    pub home: CountingSort,
    /// `array<u32>`: where each neighbour's part of `list` ends; then the same end plus the number of those that are
    /// gone, or that others may see, which are counted but not listed.
    pub places: Buffer,
    ends: Scan,
    /// `array<u32>`: the particles for each neighbour, neighbour by neighbour.
    pub list: Buffer,
    /// `array<u32>` by particle: its first place in the `list` of those that neighbours see, counted from 1; 0 where
    /// none sees it.
    pub first_place: Buffer,
    /// `array<u32>` by place in that list: the same particle's next place; 0 after the last.
    pub next_place: Buffer,
    /// Ghosts by tile.
    bins: CountingSort,
    /// Where properties are put on the way into another order.
    ordered: Buffer,
    kernels: Vec<(Shader, Kernel, Bound)>,
    span: [u32; 7],
    /// Whether there may be ghosts.
    has_ghosts: bool,
}

/// Particles that concern a neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Listed {
    /// Particles in its tiles; after those of all neighbours, particles that are gone are counted.
    Leaving,
    /// Particles that it sees; after those of all neighbours, particles in tiles that others see, or in none, are
    /// counted.
    Seen,
}

/// The room for particles is a multiple of this, so that each component of a property begins at a boundary of memory
/// transactions.
const TOGETHER: u32 = 32;

/// `list` has room for so many neighbours a particle, on the mean.
const SEEN_BY: u64 = 4;

impl Arrays {
    /// # Errors
    /// Where the device has no room.
    pub fn new(
        gpu: &Gpu,
        variant: &Variant,
        map: &SiteMap,
        tiles: &Tiles,
        declared: &[Declaration],
        room: u32,
    ) -> Result<Self> {
        let stride = room.max(1).next_multiple_of(TOGETHER);
        let words = |count: u64| 4 * count * u64::from(stride);
        let properties = Properties::new(gpu, variant.precision, declared, stride)?;
        let (neighbours, neighbour_count) =
            (gpu.buffer("neighbours", words(u64::from(MOST_NEIGHBOURS)))?, gpu.buffer("neighbour_count", words(1))?);
        let keys = gpu.buffer("keys of particles", words(1))?;
        let ties = properties.get(ID.name);
        let home = CountingSort::new(gpu, &keys, ties, stride as usize, variant.gone() as usize + 1)?;
        // The order of ghosts does not matter.
        let bins = CountingSort::new(gpu, &keys, &keys, stride as usize, variant.tiles as usize + 1)?;
        let ordered = gpu.buffer("particles in order", words(Moves::words(&properties)))?;
        let places = gpu.buffer("how many for whom", 4 * (u64::from(variant.neighbours) + 2))?;
        let ends = Scan::new(gpu, &places, variant.neighbours as usize + 1)?;
        let list = gpu.buffer("which for whom", words(SEEN_BY))?;
        let first_place = gpu.buffer("first places of particles", words(1))?;
        let next_place = gpu.buffer("next places of particles", words(SEEN_BY))?;
        let mut kernels = Vec::new();
        for shader in Shader::ALL {
            let buffers = [
                ("position", properties.get(POSITION.name)),
                ("gone", properties.get(GONE.name)),
                ("directory", &map.directory),
                ("sites", &map.sites),
                ("owners", &tiles.owners),
                ("seen", &tiles.seen),
                ("keys", &keys),
                ("places", &places),
                ("list", &list),
                ("first_place", &first_place),
                ("next_place", &next_place),
                ("starts", &home.starts),
                ("copy_starts", &bins.starts),
                ("copy_order", &bins.order),
                ("neighbours", &neighbours),
                ("neighbour_count", &neighbour_count),
            ];
            let kernel = shader.kernel(gpu, variant)?;
            let bound = kernel.bind(gpu, &buffers);
            kernels.push((shader, kernel, bound));
        }
        let [a, b, c, d, e, f] = map.words();
        let span = [stride, a, b, c, d, e, f];
        Ok(Self {
            properties,
            neighbours,
            neighbour_count,
            home,
            places,
            ends,
            list,
            first_place,
            next_place,
            bins,
            ordered,
            kernels,
            span,
            has_ghosts: variant.neighbours > 0,
        })
    }

    /// How many particles `list` holds.
    pub fn list_room(&self) -> u64 {
        self.list.bytes() / 4
    }

    /// Writes particles, given by the raw words of each property, from number `first` on.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn put(&self, gpu: &Gpu, first: u32, particles: &[Vec<Vec<u32>>]) -> Result<()> {
        for (k, property) in self.properties.list().iter().enumerate() {
            let width = property.width as usize;
            for c in 0..property.declared.components as usize {
                let component = c * width..(c + 1) * width;
                let words: Vec<u32> =
                    particles.iter().flat_map(|words| words[k][component.clone()].iter().copied()).collect();
                gpu.upload(&property.buffer, (c * self.properties.stride as usize + first as usize) * width, &words)?;
            }
        }
        Ok(())
    }

    /// Sorts the first `count` particles as `home` says, and puts all properties in that order.
    pub fn record_home(&self, gpu: &Gpu, recorder: &mut Recorder, moves: &Moves, count: u32) {
        self.record(recorder, Shader::Keys, count);
        self.home.record(recorder, count);
        moves.record(gpu, recorder, &self.properties, (&self.home.order, &self.ordered), count);
    }

    /// Lists for each neighbour the particles of the first `count` that concern it by `which`.
    pub fn record_list(&self, recorder: &mut Recorder, which: Listed, count: u32) {
        let (counts, lists) = match which {
            Listed::Leaving => (Shader::CountLeaving, Shader::ListLeaving),
            Listed::Seen => (Shader::CountSeen, Shader::ListSeen),
        };
        self.record(recorder, Shader::Keys, count);
        recorder.clear(&self.places);
        self.record(recorder, counts, count);
        self.ends.record(recorder, (self.places.bytes() / 4) as u32 - 1);
        self.record(recorder, lists, count);
    }

    /// Lists the neighbours of the first `own` of `held` particles, which [`Arrays::record_home`] has sorted; the
    /// others are ghosts.
    pub fn record_neighbours(&self, recorder: &mut Recorder, own: u32, held: u32) {
        if self.has_ghosts {
            self.record_from(recorder, Shader::Bins, own, held - own);
            self.bins.record(recorder, held - own);
        }
        self.record(recorder, Shader::Neighbours, own);
    }

    /// Runs a kernel on the first `count` particles.
    pub fn record(&self, recorder: &mut Recorder, shader: Shader, count: u32) {
        self.record_from(recorder, shader, 0, count);
    }

    fn record_from(&self, recorder: &mut Recorder, shader: Shader, first: u32, count: u32) {
        if let Some((_, kernel, bound)) = self.kernels.iter().find(|(of, ..)| *of == shader) {
            let words: Vec<u32> = [count, first].into_iter().chain(self.span).collect();
            recorder.dispatch(kernel, bound, count, &words);
        }
    }
}
