//! Prefix sums on the device.

use hematite_config::Result;
use minijinja::context;

use crate::{Bound, Buffer, Gpu, Kernel, Recorder, Template, WORKGROUP, render};

/// Number of values that a workgroup sums.
const BLOCK: u32 = 16 * WORKGROUP;

/// Exclusive prefix sum over u32, in place and modulo 2^32. Blocks are summed, their sums are scanned in the same way,
/// then each block is scanned on top of the sum of the blocks before: two reads and one write for each value.
#[derive(Debug)]
pub struct Scan {
    blocks: Kernel,
    scan: Kernel,
    levels: Vec<Level>,
    most: usize,
}

/// A level: the values, or the sums of the blocks of the level before.
#[derive(Debug)]
struct Level {
    blocks: Bound,
    scan: Bound,
}

fn wgsl(scan: bool) -> String {
    let template = if scan {
        Template { name: "scan.wgsl", text: include_str!("scan.wgsl") }
    } else {
        Template { name: "scan_blocks.wgsl", text: include_str!("scan_blocks.wgsl") }
    };
    render(template, &[], &context! { workgroup => WORKGROUP })
}

impl Scan {
    /// A scan of `values`, an `array<u32>` with room for `most` + 1 words.
    ///
    /// # Errors
    /// Where the device has no room for one word a block of 4096, or refuses the kernels.
    ///
    /// # Panics
    /// When `values` is too small, which is a bug of the program.
    pub fn new(gpu: &Gpu, values: &Buffer, most: usize) -> Result<Self> {
        assert!(values.bytes() / 4 > most as u64, "a scan of {most} values needs one word more");
        let kernel = |scan: bool, label: &str| Kernel::new(gpu, label, &wgsl(scan), 4);
        let (blocks, scan) = (kernel(false, "sums of blocks")?, kernel(true, "scan")?);
        let (mut values, mut count) = (values.clone(), most);
        let mut levels = Vec::new();
        loop {
            let whole = count / BLOCK as usize;
            // The first word is always zero: the sum before the first block.
            let sums = gpu.buffer("sums of blocks", 4 * (whole as u64 + 1))?;
            let buffers = [("values", &values), ("before_block", &sums)];
            levels.push(Level { blocks: blocks.bind(gpu, &buffers), scan: scan.bind(gpu, &buffers) });
            if whole == 0 {
                return Ok(Self { blocks, scan, levels, most });
            }
            (values, count) = (sums, whole);
        }
    }

    /// Records the scan: `values[i]` becomes the sum of the first i values, for i from 0 to `count`. Later words do not
    /// change.
    ///
    /// # Panics
    /// When `count` exceeds `most`, which is a bug of the program.
    pub fn record(&self, recorder: &mut Recorder, count: u32) {
        assert!(count as usize <= self.most, "{count} values to scan, at most {} were announced", self.most);
        self.record_levels(recorder, &self.levels, count);
    }

    fn record_levels(&self, recorder: &mut Recorder, levels: &[Level], count: u32) {
        let Some((level, rest)) = levels.split_first() else { return };
        // The last block is never full: it includes index `count`, which is written but not read.
        let whole = count / BLOCK;
        if whole > 0 {
            recorder.dispatch(&self.blocks, &level.blocks, whole * WORKGROUP, &[whole]);
            self.record_levels(recorder, rest, whole);
        }
        recorder.dispatch(&self.scan, &level.scan, (whole + 1) * WORKGROUP, &[count]);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::{SIZES, checked, random};

    /// The device's scan of `values`, with the word for the total and one more word, which must not change.
    fn scanned(gpu: &Gpu, buffer: &Buffer, scan: &Scan, values: &[u32]) -> Vec<u32> {
        gpu.write(buffer, 0, values);
        gpu.write(buffer, values.len(), &[7_u32, 8]);
        let mut recorder = Recorder::new(gpu);
        scan.record(&mut recorder, values.len() as u32);
        recorder.submit();
        gpu.download(buffer, 0, values.len() + 2).expect("downloaded")
    }

    fn oracle(values: &[u32]) -> Vec<u32> {
        let mut sum = 0_u32;
        let mut sums = vec![0];
        sums.extend(values.iter().map(|value| {
            sum = sum.wrapping_add(*value);
            sum
        }));
        sums.push(8);
        sums
    }

    #[test]
    fn both_kernels_are_valid_wgsl() {
        [false, true].into_iter().for_each(|blocks| wgsl_checks::validate("scan", &wgsl(blocks)));
    }

    #[test]
    fn prefix_sums_are_those_of_the_host() {
        let gpu = checked();
        let most = 1 << 20 | 1;
        let buffer = gpu.buffer("values", 4 * (most + 2)).expect("room");
        let scan = Scan::new(&gpu, &buffer, most as usize).expect("made");
        for (count, seed) in SIZES.into_iter().zip(0..) {
            let values = random(seed, count);
            assert!(scanned(&gpu, &buffer, &scan, &values) == oracle(&values), "{count} values");
        }
        let few = |&value: &u32| value % 3;
        proptest!(ProptestConfig::with_cases(40), |(count in 0_usize..20_000, seed in any::<u64>())| {
            let values: Vec<u32> = random(seed, count).iter().map(few).collect();
            prop_assert!(scanned(&gpu, &buffer, &scan, &values) == oracle(&values));
        });
    }

    #[test]
    fn sums_of_sums_of_blocks_are_scanned_too() {
        let gpu = checked();
        let values = random(1, 17_000_000);
        let buffer = gpu.buffer("values", 4 * (values.len() as u64 + 2)).expect("room");
        let scan = Scan::new(&gpu, &buffer, values.len()).expect("made");
        assert_eq!(scan.levels.len(), 3);
        for count in [10_000_000, values.len()] {
            assert!(scanned(&gpu, &buffer, &scan, &values[..count]) == oracle(&values[..count]), "{count} values");
        }
        assert!(scanned(&gpu, &buffer, &scan, &values[..0]) == [0, 8], "none");
    }
}
