//! Pairs of particles of two sets: lists of neighbours in the other set, and interactions by a law.

use hematite_comm::{Comm, agree};
use hematite_config::Result;
use hematite_gpu::{Buffer, Gpu, Kernel, Recorder};

use super::arrays::words;
use super::bins::Bins;
use super::neighbours::Neighbours;
use super::pairs::{Law, Loop, Set, Side};
use super::shaders::{Shader, Variant};
use super::{LARGEST_TILE, Setting};
use crate::sites::{SiteMap, Tiling};

/// Two sets of particles in one domain, binned in the same tiles, and a law between them.
///
/// A rank computes the actions on its own particles of each set by all particles of the other set that it holds. So it
/// must hold all that are within reach.
pub struct Between {
    gpu: Gpu,
    map: SiteMap,
    variant: Variant,
    /// Kernel that lists particles of the other set within reach.
    near: Kernel,
    sides: [Meeting; 2],
}

/// Bins, lists and kernel of one of the two sets.
struct Meeting {
    bins: Bins,
    /// For each own particle, those of the other set within reach.
    lists: Neighbours,
    acts: Loop,
}

/// Bins and lists for a set of `stride` particles. Lists have as much room for each particle as those `before`.
fn room(gpu: &Gpu, variant: &Variant, stride: u32, before: Option<&Neighbours>) -> Result<(Bins, Neighbours)> {
    let stride = stride.max(1);
    let keys = gpu.buffer("keys of a set", 4 * u64::from(stride))?;
    Ok((Bins::new(gpu, variant, &keys, stride)?, Neighbours::new(gpu, stride, before)?))
}

impl Meeting {
    fn new(gpu: &Gpu, variant: &Variant, acts: Loop, stride: u32) -> Result<Self> {
        let (bins, lists) = room(gpu, variant, stride, None)?;
        Ok(Self { bins, lists, acts })
    }

    /// Makes room for sets with a longer stride.
    fn grow(&mut self, gpu: &Gpu, variant: &Variant, stride: u32) -> Result<()> {
        if stride > self.lists.stride {
            (self.bins, self.lists) = room(gpu, variant, stride, Some(&self.lists))?;
        }
        Ok(())
    }
}

impl Between {
    /// Prepares a law between two sets in the domain of `setting`. `map` holds the surroundings of this rank's
    /// particles. The `strides` of the sets may grow later. Then call [`Between::record_lists`].
    ///
    /// # Errors
    /// A usage fault where periods are too short for the reach; where the device has no room or refuses a kernel.
    ///
    /// # Panics
    /// When integers of the law are too large, see [`Pairs::new`](super::Pairs::new), which is a bug of the program.
    pub fn new(gpu: &Gpu, setting: &Setting, map: &SiteMap, law: &Law, strides: [u32; 2]) -> Result<Self> {
        let tiling = Tiling::reaching(setting.reach.min(LARGEST_TILE))?;
        tiling.check(map, tiling.steps(setting.reach))?;
        let variant = Variant::new(setting, tiling, tiling.tiles(map), 0);
        let side = |side: Side, stride: u32| Meeting::new(gpu, &variant, Loop::new(gpu, &variant, law, side)?, stride);
        let sides = [side(Side::First, strides[0])?, side(Side::Second, strides[1])?];
        let near = Shader::NeighboursBetween.kernel(gpu, &variant)?;
        Ok(Self { gpu: gpu.clone(), map: map.clone(), near, sides, variant })
    }

    /// Records, for each own particle of both sets, the list of particles of the other set within reach.
    ///
    /// # Errors
    /// When sets grew and the device has no room for them.
    pub fn record_lists(&mut self, recorder: &mut Recorder, sets: [&Set; 2]) -> Result<()> {
        for (side, set) in self.sides.iter_mut().zip(sets) {
            side.grow(&self.gpu, &self.variant, set.stride)?;
        }
        for (side, set) in self.sides.iter().zip(sets) {
            let table = [("position", &set.position), ("gone", &set.gone), ("directory", &self.map.directory)];
            side.bins.record(recorder, &table, &words(&self.map, [set.held, 0, set.stride, set.stride, set.held, 0]));
        }
        for k in 0..2 {
            let (own, other, lists) = (sets[k], sets[1 - k], &self.sides[k].lists);
            let bins = &self.sides[1 - k].bins.sort;
            let table = [
                ("position", &other.position),
                ("own_position", &own.position),
                ("own_gone", &own.gone),
                ("directory", &self.map.directory),
                ("bin_starts", &bins.starts),
                ("bin_order", &bins.order),
                ("neighbours", &lists.list),
                ("neighbour_count", &lists.count),
                ("crowd", &lists.crowd),
            ];
            let bound = self.near.bind(&self.gpu, &table);
            recorder.dispatch(&self.near, &bound, own.own, &self.words(k, own, other));
        }
        Ok(())
    }

    /// Makes room if lists were too short, or soon would be, on any rank. Returns whether it did; then lists must be
    /// made again. Until then loops walk all of the other set in place of a list that is too short: the results are the
    /// same, but slow. So call this every few steps. Collective.
    ///
    /// # Errors
    /// A numerical failure where a particle has more neighbours than [`MOST_NEIGHBOURS`](super::MOST_NEIGHBOURS); when
    /// a device has no room or is lost; when a rank is lost.
    pub fn make_room(&mut self, comm: &dyn Comm) -> Result<bool> {
        let mut grow = || -> Result<bool> {
            let [first, second] = &mut self.sides;
            Ok(first.lists.make_room(&self.gpu)? | second.lists.make_room(&self.gpu)?)
        };
        let grown = agree(comm, grow())?;
        comm.any(grown)
    }

    /// Records the actions on the own particles of both sets, by the last lists. They go to `actions`, an `array<i32>`
    /// for each set: forces, then others. A sum that does not fit is [`OVERFLOW`](super::OVERFLOW). `buffers` are those
    /// that the law declares.
    pub fn record(
        &mut self,
        recorder: &mut Recorder,
        sets: [&Set; 2],
        actions: [&Buffer; 2],
        buffers: &[(&str, &Buffer)],
    ) {
        for k in 0..2 {
            let (own, other) = (sets[k], sets[1 - k]);
            let words = self.words(k, own, other);
            let Meeting { lists, acts, .. } = &mut self.sides[k];
            let buffers = buffers.iter().copied().chain([("actions", actions[k])]);
            acts.bind(&self.gpu, (own, other), lists, buffers);
            acts.record(recorder, &words);
        }
    }

    fn words(&self, side: usize, own: &Set, other: &Set) -> [u32; 12] {
        words(&self.map, [own.own, 0, own.stride, other.stride, other.held, self.sides[side].lists.room])
    }
}
