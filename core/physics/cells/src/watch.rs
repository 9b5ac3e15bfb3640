//! What the host has to know of cells at a look: the device finds those few that it has to do something about.

use hematite_config::Result;
use hematite_engine::CameIn;
use hematite_engine::sites::Bounds;
use hematite_gpu::{Bound, Buffer, Elements, Gpu, Kernel, Recorder, Writes};
use hematite_membrane::Vertices;

use super::bounds::{BoundingBoxes, bounds_in};
use super::holders::Steady;
use super::shaders::{Shader, Variant, kernel};

/// Strays that are read in one wait with their number.
const SOME: usize = 256;

/// A cell whose holders may be others than before: its slot, and the box around it.
pub type Stray = (u32, Bounds);

/// What a look sees of cells.
pub struct Seen {
    /// The strays, ascending by slot.
    pub strays: Vec<Stray>,
    /// How many cells are broken.
    pub broken: u32,
    /// The largest way of a vertex in a step since the last look, lattice spacings.
    pub pace: f64,
    /// The box around the cell in each slot, where they were asked for; that of an empty slot means nothing.
    pub boxes: Vec<Bounds>,
    /// This rank's counts of what came in through each opening, where they were asked for.
    pub came_in: Vec<i64>,
}

/// What a look asks for.
pub struct Wanted<'a> {
    /// Sites by which boxes are widened before strays are sought, where it wants strays.
    pub margin: Option<i32>,
    /// Whether it wants the boxes of all cells.
    pub boxes: bool,
    /// Counts of what came in.
    pub came_in: Option<&'a CameIn>,
}

/// The kernels that find what a look has to know.
pub struct Watch {
    dimension: usize,
    /// The boxes around cells.
    pub boxes: BoundingBoxes,
    arrays: Arrays,
    list: (Kernel, Bound),
    count_broken: (Kernel, Bound),
}

/// Arrays of the device beside the boxes.
struct Arrays {
    /// `array<vec4<i32>>[slots * D]`: the range of boxes with the same holders, see strays.wgsl.
    steady: Buffer,
    /// `array<u32>[2]`: number of strays, number of broken cells.
    counts: Buffer,
    /// `array<i32>[slots * (1 + 2 D)]`: slot and box of each stray.
    strays: Buffer,
    slots: u32,
}

impl Arrays {
    fn new(gpu: &Gpu, dimension: usize, vertices: &Vertices) -> Result<Self> {
        let (slots, dimension) = (vertices.slots, dimension as u64);
        Ok(Self {
            steady: gpu.buffer("boxes with the same holders", 16 * dimension * u64::from(slots))?,
            counts: gpu.buffer("numbers of strays and of broken cells", 8)?,
            strays: gpu.buffer("strays", 4 * (1 + 2 * dimension) * u64::from(slots))?,
            slots,
        })
    }

    fn bind(&self, gpu: &Gpu, kernel: &Kernel, vertices: &Vertices, boxes: &BoundingBoxes) -> Bound {
        let mut buffers = vertices.table();
        let own = [("steady", &self.steady), ("counts", &self.counts), ("strays", &self.strays)];
        buffers.extend(own.into_iter().chain([("boxes", boxes.buffer())]));
        kernel.bind(gpu, &buffers)
    }
}

impl Watch {
    /// Kernels for `vertices`.
    ///
    /// # Errors
    /// Where the device lacks room or refuses a kernel.
    pub fn new(gpu: &Gpu, dimension: usize, vertices: &Vertices) -> Result<Self> {
        let variant = Variant::of_dimension(dimension);
        let boxes = BoundingBoxes::new(gpu, dimension, vertices)?;
        let arrays = Arrays::new(gpu, dimension, vertices)?;
        let made = |shader: Shader| -> Result<(Kernel, Bound)> {
            let kernel = kernel(gpu, shader, &variant)?;
            let bound = arrays.bind(gpu, &kernel, vertices, &boxes);
            Ok((kernel, bound))
        };
        let (list, count_broken) = (made(Shader::Strays)?, made(Shader::Broken)?);
        Ok(Self { dimension, boxes, arrays, list, count_broken })
    }

    /// Takes other arrays of vertices. [`Watch::hold`] has to be called anew for each cell.
    ///
    /// # Errors
    /// Where the device lacks room.
    pub fn rebind(&mut self, gpu: &Gpu, vertices: &Vertices) -> Result<()> {
        self.boxes.rebind(gpu, vertices)?;
        self.arrays = Arrays::new(gpu, self.dimension, vertices)?;
        for (kernel, bound) in [&mut self.list, &mut self.count_broken] {
            *bound = self.arrays.bind(gpu, kernel, vertices, &self.boxes);
        }
        Ok(())
    }

    /// Has `writes` tell the device the range of boxes in which the holders of the cell in `slot` stay the same.
    ///
    /// # Errors
    /// Where the device lacks room or is lost.
    pub fn hold(&self, gpu: &Gpu, writes: &mut Writes, slot: u32, steady: &Steady) -> Result<()> {
        let words = steady.words(self.dimension);
        writes.put(gpu, &self.arrays.steady, slot as usize * words.len(), &words)
    }

    /// Finds and reads what a look has to know.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn look(&self, gpu: &Gpu, vertices: &Vertices, wanted: &Wanted) -> Result<Seen> {
        let mut recorder = Recorder::new(gpu);
        self.boxes.record(&mut recorder);
        self.record_counts(&mut recorder);
        if let Some(margin) = wanted.margin {
            self.record_list(&mut recorder, margin);
        }
        recorder.submit();
        let some = if wanted.margin.is_some() { SOME.min(self.arrays.slots as usize) } else { 0 };
        let mut ranges = vec![
            Elements { buffer: &self.arrays.counts, at: 0, count: 2 },
            Elements { buffer: &self.arrays.strays, at: 0, count: some * self.width() },
            Elements { buffer: &vertices.pace, at: Vertices::PACE_OF_LOOK, count: 1 },
        ];
        if wanted.boxes {
            ranges.push(self.boxes.elements());
        }
        ranges.extend(wanted.came_in.map(CameIn::words));
        // One wait for the device.
        let read: Vec<i32> = gpu.download_all(&ranges)?;
        let mut rest = read.as_slice();
        let mut parts = ranges.iter().map(|range| {
            let (part, after) = rest.split_at(range.count);
            rest = after;
            part
        });
        let mut part = || parts.next().unwrap_or_default();
        let (counts, strays, pace) = (part(), part(), part());
        let boxes = if wanted.boxes { self.boxes.boxes_in(part()) } else { Vec::new() };
        let came_in = wanted.came_in.map(|came_in| came_in.counts(part())).unwrap_or_default();
        Ok(Seen {
            strays: self.strays(gpu, counts[0] as usize, strays)?,
            broken: counts[1] as u32,
            pace: f32::from_bits(pace[0] as u32).into(),
            boxes,
            came_in,
        })
    }

    /// The strays where the boxes of the last look are widened by another margin.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn widened(&self, gpu: &Gpu, margin: i32) -> Result<Vec<Stray>> {
        let mut recorder = Recorder::new(gpu);
        recorder.clear(&self.arrays.counts);
        self.record_list(&mut recorder, margin);
        recorder.submit();
        let number = gpu.download::<u32>(&self.arrays.counts, 0, 1)?[0];
        self.strays(gpu, number as usize, &[])
    }

    /// How many cells are broken.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn broken(&self, gpu: &Gpu) -> Result<u32> {
        let mut recorder = Recorder::new(gpu);
        self.record_counts(&mut recorder);
        recorder.submit();
        Ok(gpu.download::<u32>(&self.arrays.counts, 1, 1)?[0])
    }

    /// Counts broken cells, and sets the number of strays to zero.
    fn record_counts(&self, recorder: &mut Recorder) {
        let (slots, (kernel, bound)) = (self.arrays.slots, &self.count_broken);
        recorder.clear(&self.arrays.counts);
        recorder.dispatch(kernel, bound, slots, &[slots]);
    }

    fn record_list(&self, recorder: &mut Recorder, margin: i32) {
        let (slots, (kernel, bound)) = (self.arrays.slots, &self.list);
        recorder.dispatch(kernel, bound, slots, &[slots, margin as u32]);
    }

    /// Words of a stray.
    fn width(&self) -> usize {
        1 + 2 * self.dimension
    }

    /// All `number` strays, of which `first` were read.
    fn strays(&self, gpu: &Gpu, number: usize, first: &[i32]) -> Result<Vec<Stray>> {
        let wanted = number * self.width();
        let mut words = first[..wanted.min(first.len())].to_vec();
        let at = words.len();
        if at < wanted {
            words.extend(gpu.download::<i32>(&self.arrays.strays, at, wanted - at)?);
        }
        let stray = |words: &[i32]| (words[0] as u32, bounds_in(&words[1..]));
        let mut strays: Vec<Stray> = words.chunks(self.width()).map(stray).collect();
        strays.sort_unstable_by_key(|&(slot, _)| slot);
        Ok(strays)
    }
}

#[cfg(test)]
mod tests {
    use hematite_engine::Precision;
    use hematite_engine::sites::Coordinate;
    use hematite_gpu::Needs;

    use super::*;

    /// Two vertices a cell, in each slot but every seventh.
    fn vertices(gpu: &Gpu, dimension: usize, places: &[[[i32; 2]; 3]]) -> Vertices {
        let stride = (2 * places.len()).next_multiple_of(64);
        let made = Vertices::new(gpu, dimension, Precision::F32, stride as u32, places.len() as u32).expect("fits");
        for (slot, ends) in places.iter().enumerate().filter(|(slot, _)| slot % 7 != 3) {
            gpu.upload(&made.slot_of, 2 * slot, &[slot as u32; 2]).expect("writes");
            for (axis, ends) in ends[..dimension].iter().enumerate() {
                let ends = ends.map(|end| Coordinate { site: end, fraction: 0 });
                gpu.upload(&made.position, axis * stride + 2 * slot, &ends).expect("writes");
            }
        }
        made
    }

    #[test]
    fn strays_are_the_cells_whose_boxes_are_not_steady() {
        let gpu = Gpu::open(0, Needs::default()).expect("a device");
        let mut state = 3_u32;
        let mut draw = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((state >> 8) % below) as i32
        };
        for dimension in [2, 3] {
            let places: Vec<[[i32; 2]; 3]> = (0..900)
                .map(|_| {
                    [0; 3].map(|_| {
                        let low = draw(200) - 100;
                        [low, low + draw(9)]
                    })
                })
                .collect();
            let vertices = vertices(&gpu, dimension, &places);
            let watch = Watch::new(&gpu, dimension, &vertices).expect("fits");
            let mut writes = Writes::new(&gpu).expect("made");
            // Ends of boxes widened by 3 sites, and ranges around most of them.
            let ends: Vec<[[i32; 2]; 3]> =
                places.iter().map(|ends| ends.map(|[low, high]| [low - 3, high + 3])).collect();
            let around = |end: i32, draw: &mut dyn FnMut(u32) -> i32| [end - draw(60) + 1, end + draw(60) - 1];
            let steady: Vec<Steady> = ends
                .iter()
                .map(|ends| Steady {
                    low: ends.map(|[low, _]| around(low, &mut draw)),
                    high: ends.map(|[_, high]| around(high, &mut draw)),
                })
                .collect();
            for (slot, steady) in steady.iter().enumerate() {
                watch.hold(&gpu, &mut writes, slot as u32, steady).expect("writes");
            }
            writes.flush(&gpu).expect("writes");
            let expected = |more: i32| -> Vec<Stray> {
                let strays = |&slot: &usize| {
                    let within = |x: i32, [first, last]: [i32; 2]| first <= x && x <= last;
                    let holds = |a: usize| {
                        within(ends[slot][a][0] - more, steady[slot].low[a])
                            && within(ends[slot][a][1] + more, steady[slot].high[a])
                    };
                    slot % 7 != 3 && !(0..dimension).all(holds)
                };
                let stray = |slot: usize| {
                    let mut bounds = Bounds::default();
                    for (a, &[low, high]) in places[slot][..dimension].iter().enumerate() {
                        (bounds.low[a], bounds.high[a]) = (low, high);
                    }
                    (slot as u32, bounds)
                };
                (0..places.len()).filter(strays).map(stray).collect()
            };
            gpu.upload(&vertices.broken, 5, &[70_u32, 80]).expect("writes");
            gpu.upload(&vertices.pace, Vertices::PACE_OF_LOOK, &[0.25_f32]).expect("writes");
            for wants_boxes in [false, true] {
                let wanted = Wanted { margin: Some(3), boxes: wants_boxes, came_in: None };
                let seen = watch.look(&gpu, &vertices, &wanted).expect("reads");
                assert_eq!((seen.broken, seen.pace, seen.boxes.len()), (2, 0.25, if wants_boxes { 900 } else { 0 }));
                assert_eq!(seen.strays, expected(0));
            }
            let [narrow, wide] = [expected(0), expected(25)].map(|strays| strays.len());
            assert!((50..SOME).contains(&narrow) && wide > 2 * SOME, "{narrow} and {wide} strays");
            assert_eq!(watch.widened(&gpu, 28).expect("reads"), expected(25));
            let look = |margin| {
                let wanted = Wanted { margin, boxes: false, came_in: None };
                watch.look(&gpu, &vertices, &wanted).expect("reads").strays
            };
            assert_eq!([look(Some(28)), look(None)], [expected(25), Vec::new()]);
            assert_eq!(watch.broken(&gpu), Ok(2));
        }
    }
}
