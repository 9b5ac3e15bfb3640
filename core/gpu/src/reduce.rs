//! Sums and extremes on the device.

use hematite_config::Result;
use minijinja::context;

use crate::{Binding, Bound, Buffer, Gpu, Kernel, Recorder, Template, WORKGROUP, render};

/// Workgroups that share the values: enough to keep any device busy.
const GROUPS: u32 = 2048;
/// Values an invocation takes at least, where there are enough.
const LEAST: u32 = 16;

/// What many numbers come to. All of these are exact, so that no order matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// The sum of u32, as u64: the low word, then the high word. Of none: 0.
    SumU32,
    /// The sum of i32, as i64: the low word, then the high word. Of none: 0.
    SumI32,
    /// The least u32. Of none: the largest there is.
    MinU32,
    /// The largest u32. Of none: 0.
    MaxU32,
    /// The least i32. Of none: the largest there is.
    MinI32,
    /// The largest i32. Of none: the least there is.
    MaxI32,
    /// The least f32, -0 before 0, with NaN above infinity. Of none: NaN.
    MinF32,
    /// The largest f32, 0 after -0, NaN if there is any. Of none: minus infinity.
    MaxF32,
}

impl Reduction {
    #[cfg(test)]
    const ALL: [Self; 8] = [
        Self::SumU32,
        Self::SumI32,
        Self::MinU32,
        Self::MaxU32,
        Self::MinI32,
        Self::MaxI32,
        Self::MinF32,
        Self::MaxF32,
    ];

    /// The type of the numbers in WGSL.
    fn number(self) -> &'static str {
        match self {
            Self::SumU32 | Self::MinU32 | Self::MaxU32 => "u32",
            Self::SumI32 | Self::MinI32 | Self::MaxI32 => "i32",
            Self::MinF32 | Self::MaxF32 => "f32",
        }
    }

    fn sums(self) -> bool {
        matches!(self, Self::SumU32 | Self::SumI32)
    }

    /// Words of the result.
    fn words(self) -> u64 {
        1 + u64::from(self.sums())
    }

    /// The share of no number.
    fn nothing(self) -> u32 {
        // Nothing ranks below minus infinity.
        if self == Self::MaxF32 { !f32::NEG_INFINITY.to_bits() } else { 0 }
    }

    fn bindings(self, parts: bool) -> Vec<Binding> {
        let shares = if self.sums() { "array<vec2<u32>>" } else { "array<u32>" };
        if parts {
            vec![Binding::read("parts", shares), Binding::write("result", "array<u32>")]
        } else {
            vec![Binding::read("values", "array<vec4<u32>>"), Binding::write("parts", shares)]
        }
    }

    fn wgsl(self, parts: bool) -> String {
        let context = context! {
            parts,
            workgroup => WORKGROUP,
            declarations => Binding::declare(&self.bindings(parts)),
            number => self.number(),
            sum => self.sums(),
            least => matches!(self, Self::MinU32 | Self::MinI32 | Self::MinF32),
            nothing => format!("{}u", self.nothing()),
        };
        render(Template { name: "reduce.wgsl", text: include_str!("reduce.wgsl") }, &[], &context)
    }
}

/// A [`Reduction`] of a buffer into a place of another one: by workgroups first, then by one workgroup.
#[derive(Debug)]
pub struct Reduce {
    values: Kernel,
    values_bound: Bound,
    parts: Kernel,
    parts_bound: Bound,
    most: usize,
    place: u32,
}

impl Reduce {
    /// For up to `most` of `values`, an array of the reduction's type. The result goes to word `place` of `result`, sums to
    /// that and the next.
    ///
    /// # Errors
    /// Where the device has no room for some thousand words, or refuses the kernels.
    ///
    /// # Panics
    /// When `values` or `result` is too small: a fault of the program.
    pub fn new(
        gpu: &Gpu,
        reduction: Reduction,
        values: &Buffer,
        most: usize,
        result: &Buffer,
        place: usize,
    ) -> Result<Self> {
        assert!(values.bytes() / 4 >= most as u64, "{} bytes of values, {most} to reduce", values.bytes());
        assert!(result.bytes() / 4 >= place as u64 + reduction.words(), "no word {place} for {reduction:?}");
        let partial = gpu.buffer("parts of a reduction", 4 * reduction.words() * u64::from(GROUPS))?;
        let label = format!("{reduction:?}");
        let kernel = |parts: bool, immediates: u32| {
            Kernel::new(gpu, &label, &reduction.wgsl(parts), reduction.bindings(parts), immediates)
        };
        let (first, last) = (kernel(false, 4)?, kernel(true, 8)?);
        Ok(Self {
            values_bound: first.bind(gpu, &[("values", values), ("parts", &partial)]),
            values: first,
            parts_bound: last.bind(gpu, &[("parts", &partial), ("result", result)]),
            parts: last,
            most,
            place: place as u32,
        })
    }

    /// Reduces the first `count` values.
    ///
    /// # Panics
    /// When `count` exceeds the most there can be: a fault of the program.
    pub fn record(&self, recorder: &mut Recorder, count: u32) {
        assert!(count as usize <= self.most, "{count} values to reduce, at most {} were announced", self.most);
        let groups = count.div_ceil(LEAST * WORKGROUP).min(GROUPS);
        recorder.dispatch(&self.values, &self.values_bound, groups * WORKGROUP, &[count]);
        recorder.dispatch(&self.parts, &self.parts_bound, WORKGROUP, &[groups, self.place]);
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use proptest::prelude::*;

    use super::*;
    use crate::testing::{SIZES, check_wgsl, checked, random};

    /// Every reduction of one buffer, each into a place of its own, and words between that must stay.
    struct Bench {
        gpu: Gpu,
        values: Buffer,
        result: Buffer,
        all: Vec<Reduce>,
    }

    const BETWEEN: u32 = 77;

    impl Bench {
        fn new(most: usize) -> Self {
            let gpu = checked();
            let values = gpu.buffer("values", 4 * most as u64).expect("room");
            let result = gpu.buffer("results", 4 * 3 * Reduction::ALL.len() as u64).expect("room");
            let reduce = |(k, reduction)| Reduce::new(&gpu, reduction, &values, most, &result, 3 * k).expect("made");
            let all = Reduction::ALL.into_iter().enumerate().map(reduce).collect();
            Self { gpu, values, result, all }
        }

        fn reduced(&self, values: &[u32]) -> Vec<u32> {
            self.gpu.write(&self.values, 0, values);
            self.gpu.write(&self.result, 0, &[BETWEEN; 3 * Reduction::ALL.len()]);
            let mut recorder = Recorder::new(&self.gpu);
            for reduce in &self.all {
                reduce.record(&mut recorder, values.len() as u32);
            }
            recorder.submit();
            self.gpu.download(&self.result, 0, 3 * Reduction::ALL.len()).expect("downloaded")
        }
    }

    /// Like `f32::total_cmp`, with every NaN as the same, largest number.
    fn largest_nan(a: &f32, b: &f32) -> Ordering {
        a.is_nan().cmp(&b.is_nan()).then_with(|| if a.is_nan() { Ordering::Equal } else { a.total_cmp(b) })
    }

    fn oracle(values: &[u32]) -> Vec<u32> {
        let unsigned = || values.iter().copied();
        let signed = || unsigned().map(|value| value as i32);
        let real = || unsigned().map(f32::from_bits);
        let wide = |sum: u64| [sum as u32, (sum >> 32) as u32, BETWEEN];
        let one = |number: u32| [number, BETWEEN, BETWEEN];
        // The device gives every NaN with the same bits.
        let bits = |number: f32| if number.is_nan() { i32::MAX as u32 } else { number.to_bits() };
        [
            wide(unsigned().map(u64::from).sum()),
            wide(signed().map(i64::from).sum::<i64>() as u64),
            one(unsigned().min().unwrap_or(u32::MAX)),
            one(unsigned().max().unwrap_or(0)),
            one(signed().min().unwrap_or(i32::MAX) as u32),
            one(signed().max().unwrap_or(i32::MIN) as u32),
            one(bits(real().min_by(largest_nan).unwrap_or(f32::NAN))),
            one(bits(real().max_by(largest_nan).unwrap_or(f32::NEG_INFINITY))),
        ]
        .concat()
    }

    #[test]
    fn every_kernel_is_valid_wgsl() {
        for reduction in Reduction::ALL {
            check_wgsl(&reduction.wgsl(false));
            check_wgsl(&reduction.wgsl(true));
        }
    }

    #[test]
    fn results_are_those_of_the_host() {
        let bench = Bench::new(10_000_000);
        for (count, seed) in SIZES.into_iter().chain([10_000_000]).zip(0..) {
            let values = random(seed, count);
            let right = oracle(&values);
            assert_eq!(bench.reduced(&values), right, "{count} values");
            assert_eq!(bench.reduced(&values), right, "{count} values, again");
        }
    }

    #[test]
    fn numbers_at_the_ends_of_their_ranges_keep_their_order() {
        let bench = Bench::new(8);
        let ends =
            [0.0, -0.0, f32::MIN_POSITIVE / 2.0, -1.0, f32::MAX, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, -f32::NAN];
        let ends: Vec<u32> =
            ends.into_iter().map(f32::to_bits).chain([1, u32::MAX, 1 << 31, i32::MAX as u32]).collect();
        proptest!(|(values in prop::collection::vec(prop::sample::select(ends), 0..8))| {
            prop_assert_eq!(bench.reduced(&values), oracle(&values));
        });
    }

    #[test]
    fn large_sums_carry() {
        let bench = Bench::new(100_000);
        for value in [u32::MAX, 1 << 31, i32::MAX as u32] {
            assert_eq!(bench.reduced(&vec![value; 100_000]), oracle(&vec![value; 100_000]));
        }
    }

    #[test]
    fn any_numbers_are_reduced() {
        let bench = Bench::new(20_000);
        proptest!(ProptestConfig::with_cases(40), |(count in 0_usize..20_000, shift in 0_u32..32, seed in any::<u64>())| {
            let values: Vec<u32> = random(seed, count).into_iter().map(|value| value >> shift).collect();
            prop_assert_eq!(bench.reduced(&values), oracle(&values));
        });
    }
}
