//! Sorts items into buckets on the device.

use hematite_config::Result;
use minijinja::context;

use crate::{Bound, Buffer, Gpu, Kernel, MAIN, Recorder, Scan, Template, WORKGROUP, render};

/// Sorts items into buckets, one for each key. Counts the items of each bucket, then puts each item into its own.
///
/// With ties, items of a bucket ascend by tie, then number: each bucket is ordered by chunks in workgroup memory, then
/// by search in the other chunks. Meant for buckets of some ten items; beyond 256, time grows with the square of the
/// largest bucket. Without ties, buckets may have any size, and their order differs from run to run.
#[derive(Debug)]
pub struct CountingSort {
    /// `array<u32>`: the item at each place, ascending by key.
    pub order: Buffer,
    /// `array<u32>`: the first place of each bucket, then the total number of items.
    pub starts: Buffer,
    clear: Step,
    count: Step,
    scan: Scan,
    /// What puts items into buckets and orders them, step after step.
    place: Vec<Step>,
    most: usize,
    buckets: usize,
}

#[derive(Debug)]
struct Step {
    kernel: Kernel,
    bound: Bound,
}

/// The kernels in order.
#[derive(Clone, Copy, Debug)]
enum Stage {
    Clear,
    Count,
    /// Without ties the only one after the count.
    Place,
    Scatter,
    Chunks,
    Merge,
}

impl Stage {
    fn template(self) -> Template {
        match self {
            Self::Clear => Template { name: "sort_clear.wgsl", text: include_str!("sort_clear.wgsl") },
            Self::Count => Template { name: "sort_count.wgsl", text: include_str!("sort_count.wgsl") },
            Self::Place => Template { name: "sort_place.wgsl", text: include_str!("sort_place.wgsl") },
            Self::Scatter => Template { name: "sort_scatter.wgsl", text: include_str!("sort_scatter.wgsl") },
            Self::Chunks => Template { name: "sort_chunks.wgsl", text: include_str!("sort_chunks.wgsl") },
            Self::Merge => Template { name: "sort_merge.wgsl", text: include_str!("sort_merge.wgsl") },
        }
    }

    fn wgsl(self) -> String {
        // Steps of a binary search: a chunk is halved down to one item.
        let reaches: Vec<u32> = (0..=WORKGROUP.ilog2()).rev().map(|bits| 1 << bits).collect();
        let chunk = Template { name: "sort_chunk.wgsl", text: include_str!("sort_chunk.wgsl") };
        render(self.template(), &[MAIN, chunk], &context! { workgroup => WORKGROUP, reaches })
    }
}

impl Step {
    fn new(gpu: &Gpu, stage: Stage, buffers: &[(&str, &Buffer)]) -> Result<Self> {
        let kernel = Kernel::new(gpu, stage.template().name, &stage.wgsl(), 4)?;
        let bound = kernel.bind(gpu, buffers);
        Ok(Self { kernel, bound })
    }

    fn record(&self, recorder: &mut Recorder, count: u32) {
        recorder.dispatch(&self.kernel, &self.bound, count, &[count]);
    }
}

impl CountingSort {
    /// A sort of up to `most` items with `keys` below `buckets`, and with `ties` where order within buckets matters, both
    /// `array<u32>`. If ties are distinct within buckets, the order does not depend on the numbers of items.
    ///
    /// # Errors
    /// Where the device has no room for three words an item, two without ties, and one a bucket, or refuses the kernels.
    ///
    /// # Panics
    /// When `keys` or `ties` is too small, which is a bug of the program.
    pub fn new(gpu: &Gpu, keys: &Buffer, ties: Option<&Buffer>, most: usize, buckets: usize) -> Result<Self> {
        let words = ties.map_or(keys.bytes(), |ties| keys.bytes().min(ties.bytes())) / 4;
        assert!(words >= most as u64, "{words} words of keys and ties, {most} items to sort");
        let order = gpu.buffer("sorted items", 4 * most as u64)?;
        let starts = gpu.buffer("starts of buckets", 4 * (buckets as u64 + 1))?;
        let scattered = match ties {
            Some(_) => gpu.buffer("items in buckets", 8 * most as u64)?,
            None => gpu.buffer("items counted before", 4 * most as u64)?,
        };
        // With ties, items are scattered before they are ordered, so that counts may lie where the order comes.
        let before = if ties.is_some() { &order } else { &scattered };
        let buffers = [
            ("keys", keys),
            ("ties", ties.unwrap_or(keys)),
            ("before", before),
            ("order", &order),
            ("scattered", &scattered),
            ("starts", &starts),
        ];
        let step = |stage: Stage| Step::new(gpu, stage, &buffers);
        let place = match ties {
            Some(_) => vec![step(Stage::Scatter)?, step(Stage::Chunks)?, step(Stage::Merge)?],
            None => vec![step(Stage::Place)?],
        };
        let (clear, count) = (step(Stage::Clear)?, step(Stage::Count)?);
        let scan = Scan::new(gpu, &starts, buckets)?;
        Ok(Self { clear, count, scan, place, most, buckets, order, starts })
    }

    /// Records the sort of the first `count` items into [`order`](Self::order) and [`starts`](Self::starts).
    ///
    /// # Panics
    /// When `count` exceeds `most`, which is a bug of the program.
    pub fn record(&self, recorder: &mut Recorder, count: u32) {
        assert!(count as usize <= self.most, "{count} items to sort, at most {} were announced", self.most);
        let buckets = self.buckets as u32;
        self.clear.record(recorder, buckets);
        self.count.record(recorder, count);
        self.scan.record(recorder, buckets);
        for step in &self.place {
            step.record(recorder, count);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::{SIZES, checked, random};

    /// A sort and its input on the device.
    struct Bench {
        gpu: Gpu,
        keys: Buffer,
        ties: Buffer,
        sort: CountingSort,
    }

    impl Bench {
        fn new(most: usize, buckets: usize) -> Self {
            let gpu = checked();
            let buffer = || gpu.buffer("words", 4 * most as u64).expect("room");
            let (keys, ties) = (buffer(), buffer());
            let sort = CountingSort::new(&gpu, &keys, Some(&ties), most, buckets).expect("made");
            Self { gpu, keys, ties, sort }
        }

        /// Order and starts from the device.
        fn sorted(&self, keys: &[u32], ties: &[u32]) -> [Vec<u32>; 2] {
            self.gpu.write(&self.keys, 0, keys);
            self.gpu.write(&self.ties, 0, ties);
            let mut recorder = Recorder::new(&self.gpu);
            self.sort.record(&mut recorder, keys.len() as u32);
            recorder.submit();
            let read = |buffer: &Buffer, count: usize| self.gpu.download(buffer, 0, count).expect("downloaded");
            [read(&self.sort.order, keys.len()), read(&self.sort.starts, self.sort.buckets + 1)]
        }

        fn oracle(&self, keys: &[u32], ties: &[u32]) -> [Vec<u32>; 2] {
            let mut order: Vec<u32> = (0..keys.len() as u32).collect();
            order.sort_by_key(|&item| (keys[item as usize], ties[item as usize]));
            [order, self.starts(keys)]
        }

        fn starts(&self, keys: &[u32]) -> Vec<u32> {
            let mut starts = vec![0; self.sort.buckets + 1];
            for key in keys {
                starts[*key as usize + 1] += 1;
            }
            for bucket in 0..self.sort.buckets {
                starts[bucket + 1] += starts[bucket];
            }
            starts
        }

        /// Whether the device sorts as the host does, twice.
        fn agrees(&self, keys: &[u32], ties: &[u32]) -> bool {
            let right = self.oracle(keys, ties);
            self.sorted(keys, ties) == right && self.sorted(keys, ties) == right
        }
    }

    /// The numbers below `count` in random order.
    fn shuffled(seed: u64, count: usize) -> Vec<u32> {
        let by = random(seed, count);
        let mut numbers: Vec<u32> = (0..count as u32).collect();
        numbers.sort_by_key(|&number| by[number as usize]);
        numbers
    }

    fn below(limit: usize, seed: u64, count: usize) -> Vec<u32> {
        random(seed, count).into_iter().map(|number| number % limit as u32).collect()
    }

    #[test]
    fn every_kernel_is_valid_wgsl() {
        for stage in [Stage::Clear, Stage::Count, Stage::Place, Stage::Scatter, Stage::Chunks, Stage::Merge] {
            wgsl_checks::validate("sort", &stage.wgsl());
        }
    }

    #[test]
    fn items_come_in_the_order_of_the_host() {
        let bench = Bench::new((1 << 20) + 1, 100_000);
        for (count, seed) in SIZES.into_iter().zip(0..) {
            let (keys, ties) = (below(100_000, seed, count), shuffled(seed + 100, count));
            assert!(bench.agrees(&keys, &ties), "{count} items");
        }
    }

    #[test]
    fn any_keys_and_ties_are_sorted() {
        for buckets in [1, 7, 5000] {
            let bench = Bench::new(3000, buckets);
            // Equal ties leave the order to the numbers of items.
            let input = (0_usize..3000, 1..=buckets, 1_usize..4000, any::<u64>());
            proptest!(ProptestConfig::with_cases(20), |((count, used, different, seed) in input)| {
                let keys = below(used, seed, count);
                prop_assert!(bench.agrees(&keys, &shuffled(!seed, count)));
                prop_assert!(bench.agrees(&keys, &below(different, !seed, count)));
            });
        }
    }

    /// More with `HEMATITE_FULL`.
    fn is_full() -> bool {
        std::env::var_os("HEMATITE_FULL").is_some()
    }

    #[test]
    fn buckets_may_hold_many_items() {
        let count = if is_full() { 100_000 } else { 30_000 };
        let bench = Bench::new(count, 10);
        let ties = shuffled(1, count);
        assert!(bench.agrees(&vec![4; count], &ties), "one bucket");
        assert!(bench.agrees(&below(10, 2, count), &ties), "ten buckets");
        let mostly: Vec<u32> = below(1000, 3, count).into_iter().map(|key| if key < 10 { key } else { 6 }).collect();
        assert!(bench.sorted(&mostly, &ties) == bench.oracle(&mostly, &ties), "one large, others small");
        assert!(bench.agrees(&[9; 10_000], &[5; 10_000]), "nothing but numbers to sort by");
    }

    #[test]
    fn without_ties_each_bucket_holds_its_items() {
        let count = 100_000;
        let bench = Bench::new(count, 5000);
        let gpu = &bench.gpu;
        let sort = CountingSort::new(gpu, &bench.keys, None, count, 5000).expect("made");
        let mostly: Vec<u32> =
            below(20_000, 3, count).into_iter().map(|key| if key < 5000 { key } else { 77 }).collect();
        for keys in [below(5000, 1, count), vec![4999; count], mostly, below(7, 2, 1), Vec::new()] {
            gpu.write(&bench.keys, 0, &keys);
            let mut recorder = Recorder::new(gpu);
            sort.record(&mut recorder, keys.len() as u32);
            recorder.submit();
            let starts: Vec<u32> = gpu.download(&sort.starts, 0, 5001).expect("downloaded");
            assert!(starts == bench.starts(&keys), "{} items", keys.len());
            let mut order: Vec<u32> = gpu.download(&sort.order, 0, keys.len()).expect("downloaded");
            for range in starts.windows(2) {
                order[range[0] as usize..range[1] as usize].sort_unstable();
            }
            assert!(order == bench.oracle(&keys, &vec![0; keys.len()])[0], "{} items", keys.len());
        }
    }

    #[test]
    fn millions_of_items_are_sorted() {
        let (count, buckets) = if is_full() { (10_000_000, 1_000_000) } else { (2_000_000, 300_000) };
        let bench = Bench::new(count, buckets);
        // An odd factor permutes the 32-bit numbers.
        let ties: Vec<u32> = (0..count as u32).map(|item| item.wrapping_mul(0x9E37_79B1)).collect();
        let keys = below(buckets, 1, count);
        let [order, starts] = bench.sorted(&keys, &ties);
        let rank = |item: u32| (keys[item as usize], ties[item as usize]);
        assert!(order.windows(2).all(|pair| rank(pair[0]) < rank(pair[1])));
        assert!(starts == bench.starts(&keys));
    }
}
