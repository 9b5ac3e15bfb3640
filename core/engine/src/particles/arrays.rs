//! The arrays of a rank's particles, and the kernels that sort and list particles in them.

use hematite_config::Result;
use hematite_gpu::{Bound, Buffer, CountingSort, Gpu, Kernel, Recorder, Scan};

use super::bins::Bins;
use super::moves::Moves;
use super::neighbours::Neighbours;
use super::shaders::{Shader, Variant};
use super::tiles::Tiles;
use super::{Declaration, GONE, ID, POSITION, Properties};
use crate::sites::SiteMap;

/// Arrays with room for a fixed number of particles, and kernels bound to them.
pub(super) struct Arrays {
    pub properties: Properties,
    pub neighbours: Neighbours,
    /// The sort of particles. First come those in own tiles, by tile, with tiles that others see last; then those in
    /// tiles of no rank; then those in tiles of neighbours, by neighbour; then those that are gone.
    pub home: CountingSort,
    /// `array<u32>`: the end of each neighbour's part of `list`. The last word is the last end plus the number of
    /// particles that are gone, which are listed with those that leave.
    pub places: Buffer,
    ends: Scan,
    /// `array<u32>`: the particles for each neighbour, by neighbour.
    pub list: Buffer,
    /// Ghosts by tile.
    bins: Bins,
    lists: Kernel,
    /// Buffer for properties while they are reordered.
    ordered: Buffer,
    kernels: Vec<(Shader, Kernel, Bound)>,
    map: SiteMap,
    /// Whether the rank may have ghosts.
    has_ghosts: bool,
}

/// Which particles are listed for each neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Listed {
    /// Particles in its tiles. After those of all neighbours come particles that are gone.
    Leaving,
    /// Particles that it sees.
    Seen,
}

/// The room for particles is a multiple of this: each component of a property begins at a boundary of memory
/// transactions.
const TOGETHER: u32 = 32;

/// Mean number of neighbours for each particle for which `list` has room.
const SEEN_BY: u64 = 4;

impl Arrays {
    /// Arrays for `room` particles. Lists have as much room for each particle as those `before`.
    ///
    /// # Errors
    /// Where the device has no room.
    pub fn new(
        gpu: &Gpu,
        variant: &Variant,
        map: &SiteMap,
        tiles: &Tiles,
        declared: &[Declaration],
        (room, before): (u32, Option<&Neighbours>),
    ) -> Result<Self> {
        let stride = room.max(1).next_multiple_of(TOGETHER);
        let words = |count: u64| 4 * count * u64::from(stride);
        let properties = Properties::new(gpu, variant.precision, declared, stride)?;
        let neighbours = Neighbours::new(gpu, stride, before)?;
        let keys = gpu.buffer("keys of particles", words(1))?;
        let ties = properties.get(ID.name);
        let home = CountingSort::new(gpu, &keys, Some(ties), stride as usize, variant.gone() as usize + 1)?;
        let bins = Bins::new(gpu, variant, &keys, stride)?;
        let lists = Shader::Neighbours.kernel(gpu, variant)?;
        let ordered = gpu.buffer("particles in order", words(Moves::words(&properties)))?;
        let places = gpu.buffer("how many for whom", 4 * (u64::from(variant.neighbours) + 2))?;
        let ends = Scan::new(gpu, &places, variant.neighbours as usize + 1)?;
        let list = gpu.buffer("which for whom", words(SEEN_BY))?;
        let seen_by = gpu.buffer("who sees particles", words(1))?;
        let mut kernels = Vec::new();
        for shader in Shader::OF_ONE_TABLE {
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
                ("seen_by", &seen_by),
            ];
            let kernel = shader.kernel(gpu, variant)?;
            let bound = kernel.bind(gpu, &buffers);
            kernels.push((shader, kernel, bound));
        }
        Ok(Self {
            properties,
            neighbours,
            home,
            places,
            ends,
            list,
            bins,
            lists,
            ordered,
            kernels,
            map: map.clone(),
            has_ghosts: variant.neighbours > 0,
        })
    }

    /// Number of particles for which `list` has room.
    pub fn list_room(&self) -> u64 {
        self.list.bytes() / 4
    }

    /// Writes particles from number `first` on; each is given by the raw words of its properties.
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
                let at = (c * self.properties.stride as usize + first as usize) * width;
                gpu.upload(&property.buffer, at, &words)?;
            }
        }
        Ok(())
    }

    /// Records that the first `count` particles are sorted by `home`, and all properties put in that order.
    pub fn record_home(&self, gpu: &Gpu, recorder: &mut Recorder, moves: &Moves, count: u32) {
        self.record(recorder, Shader::Keys, count);
        self.home.record(recorder, count);
        moves.record(gpu, recorder, &self.properties, (&self.home.order, &self.ordered), count);
    }

    /// Records that the particles `which` among the first `count` are listed for each neighbour.
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

    /// Records lists of neighbours of the first `own` particles, which [`Arrays::record_home`] has sorted, among `held`
    /// particles; the others are ghosts.
    pub fn record_neighbours(&self, recorder: &mut Recorder, own: u32, held: u32) {
        let properties = &self.properties;
        let (position, gone) = (properties.get(POSITION.name), properties.get(GONE.name));
        if self.has_ghosts {
            let table = [("position", position), ("gone", gone), ("directory", &self.map.directory)];
            self.bins.record(recorder, &table, &self.words([held - own, own], held));
        }
        let table = [
            ("position", position),
            ("directory", &self.map.directory),
            ("starts", &self.home.starts),
            ("bin_starts", &self.bins.sort.starts),
            ("bin_order", &self.bins.sort.order),
            ("neighbours", &self.neighbours.list),
            ("neighbour_count", &self.neighbours.count),
            ("crowd", &self.neighbours.crowd),
        ];
        let bound = self.lists.bind(recorder.gpu(), &table);
        recorder.dispatch(&self.lists, &bound, own, &self.words([own, 0], held));
    }

    /// Records a kernel on the first `count` particles.
    pub fn record(&self, recorder: &mut Recorder, shader: Shader, count: u32) {
        if let Some((_, kernel, bound)) = self.kernels.iter().find(|(of, ..)| *of == shader) {
            recorder.dispatch(kernel, bound, count, &self.words([count, 0], count));
        }
    }

    /// The immediate data of kernels (`span.wgsl`) on `count` particles from `first` on, among `held`.
    pub fn words(&self, [count, first]: [u32; 2], held: u32) -> [u32; 12] {
        let stride = self.properties.stride;
        words(&self.map, [count, first, stride, stride, held, self.neighbours.room])
    }
}

/// The words of a `Span`: the given ones, then those of the map.
pub(super) fn words(map: &SiteMap, [count, first, stride, other_stride, held, room]: [u32; 6]) -> [u32; 12] {
    let [a, b, c, d, e, f] = map.words();
    [count, first, stride, other_stride, held, room, a, b, c, d, e, f]
}
