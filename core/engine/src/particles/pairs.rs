//! The loop over pairs of particles, within a set or between two. Laws compute the interaction of two particles.

use hematite_config::Result;
use hematite_gpu::{Bound, Buffer, Gpu, Kernel, MAIN, Recorder, Template, literal, render};
use minijinja::value::merge_maps;
use minijinja::{Value, context};

use super::neighbours::Neighbours;
use super::shaders::{SPAN, SPAN_BYTES, Variant};
use super::{ID, LARGEST_TILE, MOST_NEIGHBOURS, Particles, Setting};
use crate::sites::{PIECES, Tiling};

/// Marks a sum that overflowed: the contributions of a law to a particle are beyond what integers hold.
pub const OVERFLOW: i32 = i32::MIN;

/// Largest integer that a pair may add: two dozen of them fit into a sum.
const LARGEST: f64 = (1_u64 << 31) as f64 / 24.0;

/// Number of last bits that coarse sums leave out, so that [`MOST_NEIGHBOURS`] of the largest integers fit.
const COARSE_BITS: u32 = 8;

/// Coarse sums above this may mean that whole sums overflow, given the last bits of each number.
const COARSE_LIMIT: i32 = (1 << (31 - COARSE_BITS)) - 2 * MOST_NEIGHBOURS as i32;

/// Number of neighbours in range that the loop collects at a time.
const CLOSE: u32 = 32;

/// Conversion of real numbers to integers for exact sums.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fixed {
    /// Largest magnitude; larger numbers are clamped to it.
    pub largest: f64,
    /// Factor from numbers to integers.
    pub scale: f64,
}

impl Fixed {
    /// The conversion with the largest scale, a power of two, for which `together` of the `largest` numbers, at least
    /// 24, fit into a sum.
    pub fn fitting(largest: f64, together: f64) -> Self {
        Self { largest, scale: (2.0_f64.powi(31) / (together * largest)).log2().floor().exp2() }
    }

    fn context(self) -> Value {
        context! { largest => literal(self.largest), scale => literal(self.scale) }
    }
}

/// The interaction of two particles, in WGSL.
///
/// Within a set it defines
/// - `struct Member`, the data of a particle, and `fn member(i: u32) -> Member`;
/// - `fn pair(one: Member, two: Member, r: Axes) -> Action`, for particle two at r from particle one, which has the
///   lower number.
///
/// Between two sets it defines
/// - `struct First` and `fn first(i: u32) -> First` for particles of the one set, `struct Second` and
///   `fn second(j: u32) -> Second` for particles of the other;
/// - `fn pair(one: First, two: Second, r: Axes) -> Action`.
///
/// `Action` is in `pairs.wgsl`. The law declares the buffers that it needs. Component a of number i is at
/// `a * span.stride + i`, between sets at `at_first(a, i)` or `at_second(a, j)`.
#[derive(Clone, Debug)]
pub struct Law {
    /// The file of the law.
    pub template: Template,
    /// The files that it includes.
    pub pieces: Vec<Template>,
    /// The context of these templates.
    pub context: Value,
    /// Largest distance of interacting particles, lattice units.
    pub range: f64,
    /// Conversion of forces to integers.
    pub force: Fixed,
    /// How many other numbers are summed at each particle, and their conversion to integers.
    pub others: Option<(u32, Fixed)>,
}

impl Law {
    /// The WGSL of the loop with this law within a set in the domain of `setting`, for checks without a device.
    ///
    /// # Errors
    /// A usage fault where no tile is large enough.
    pub fn wgsl(&self, setting: &Setting) -> Result<String> {
        let tiling = Tiling::reaching(setting.reach.min(LARGEST_TILE))?;
        Ok(Side::Within.wgsl(&Variant::new(setting, tiling, 1, 0), self))
    }

    /// The WGSL of the loops for the two sides of this law between two sets, for checks without a device.
    ///
    /// # Errors
    /// A usage fault where no tile is large enough.
    pub fn wgsl_between(&self, setting: &Setting) -> Result<[String; 2]> {
        let tiling = Tiling::reaching(setting.reach.min(LARGEST_TILE))?;
        Ok([Side::First, Side::Second].map(|side| side.wgsl(&Variant::new(setting, tiling, 1, 0), self)))
    }
}

/// A set of particles, or of other points, for interactions with another set.
#[derive(Clone, Debug)]
pub struct Set {
    /// `array<vec2<i32>>`, see [`Coordinate`](crate::sites::Coordinate): component a of number i is at
    /// `a * stride + i`.
    pub position: Buffer,
    /// `array<u32>`: not 0 for a number without a particle.
    pub gone: Buffer,
    /// Distance between components.
    pub stride: u32,
    /// Number of own particles, the first ones, on which actions are computed.
    pub own: u32,
    /// Number of particles, ghosts included, which act on others.
    pub held: u32,
}

/// Which particles a kernel computes actions on, and by which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// On the particles of a set, by those of the same set.
    Within,
    /// On the first set, by the second.
    First,
    /// On the second set, by the first.
    Second,
}

impl Side {
    fn wgsl(self, variant: &Variant, law: &Law) -> String {
        let between = self != Self::Within;
        let (first_stride, second_stride) = match self {
            Self::Second => ("span.other_stride", "span.stride"),
            _ => ("span.stride", "span.other_stride"),
        };
        let (own_member, other_member) = match self {
            Self::Within => ("member", "member"),
            Self::First => ("first", "second"),
            Self::Second => ("second", "first"),
        };
        let (others, other) = law.others.map_or((0, law.force), |others| others);
        let context = context! {
            between,
            first_side => self == Self::First,
            first_stride,
            second_stride,
            own_member,
            other_member,
            own_position => if between { "own_position" } else { "position" },
            own_gone => if between { "own_gone" } else { "gone" },
            another => if between { "" } else { "(j != i) & " },
            law => law.template.name,
            range_squared => literal(law.range * law.range),
            force => law.force.context(),
            others,
            other => other.context(),
            close => CLOSE,
            coarse_bits => COARSE_BITS,
            coarse_limit => COARSE_LIMIT,
            overflow => OVERFLOW,
            ..merge_maps([variant.context(), law.context.clone()])
        };
        let pairs = Template { name: "pairs.wgsl", text: include_str!("pairs.wgsl") };
        render(pairs, &[[MAIN, SPAN, law.template].as_slice(), &PIECES, &law.pieces].concat(), &context)
    }
}

/// The kernel of a law for one side.
pub(super) struct Loop {
    kernel: Kernel,
    bound: Option<Bound>,
}

impl Loop {
    pub fn new(gpu: &Gpu, variant: &Variant, law: &Law, side: Side) -> Result<Self> {
        let fixed = law.others.map(|(_, fixed)| fixed).into_iter().chain([law.force]);
        for fixed in fixed {
            assert!(fixed.largest * fixed.scale <= LARGEST, "{}: {fixed:?} is too fine", law.template.name);
        }
        let label = format!("pairs by {}", law.template.name);
        let kernel = Kernel::new(gpu, &label, &side.wgsl(variant, law), SPAN_BYTES)?;
        Ok(Self { kernel, bound: None })
    }

    /// Binds the kernel to a set with its `lists`, to the other set, and to the buffers that the law declares.
    pub fn bind<'b>(
        &mut self,
        gpu: &Gpu,
        (own, other): (&'b Set, &'b Set),
        lists: &'b Neighbours,
        buffers: impl IntoIterator<Item = (&'b str, &'b Buffer)>,
    ) {
        let table: Vec<(&str, &Buffer)> = [
            ("position", &other.position),
            ("gone", &other.gone),
            ("own_position", &own.position),
            ("own_gone", &own.gone),
            ("neighbours", &lists.list),
            ("neighbour_count", &lists.count),
        ]
        .into_iter()
        .chain(buffers)
        .collect();
        self.bound = Some(self.kernel.bind(gpu, &table));
    }

    pub fn record(&self, recorder: &mut Recorder, words: &[u32; 12]) {
        if let Some(bound) = &self.bound {
            recorder.dispatch(&self.kernel, bound, words[0], words);
        }
    }
}

/// A law between the particles of a set.
pub struct Pairs(Loop);

impl Pairs {
    /// The loop of `law` over `particles`. Then call [`Pairs::bind`].
    ///
    /// # Errors
    /// Where the device refuses the kernel.
    ///
    /// # Panics
    /// When two dozen of the law's largest numbers do not fit into a sum, which is a bug of the program.
    pub fn new(gpu: &Gpu, particles: &Particles, law: &Law) -> Result<Self> {
        Ok(Self(Loop::new(gpu, &particles.variant, law, Side::Within)?))
    }

    /// Binds the loop to the arrays of `particles`, again whenever [`Particles::enlarged`] changes, and to `buffers`:
    /// those that the law declares and `actions`, an `array<i32>` for the sums: forces, then others.
    pub fn bind(&mut self, particles: &Particles, buffers: &[(&str, &Buffer)]) {
        let (set, properties) = (particles.set(), particles.properties());
        let id = ("id", properties.get(ID.name));
        let buffers = buffers.iter().copied().chain([id]);
        self.0.bind(&particles.gpu, (&set, &set), &particles.arrays.neighbours, buffers);
    }

    /// Records the actions on all own particles of `particles`. A sum that does not fit is [`OVERFLOW`].
    pub fn record(&self, recorder: &mut Recorder, particles: &Particles) {
        self.0.record(recorder, &particles.arrays.words([particles.own(), 0], particles.held()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Precision;
    use crate::sites::Tiling;

    /// A spring law, within a set and between two.
    const SPRING: Template = Template {
        name: "spring.wgsl",
        text: "
#if between
alias First = Member;
alias Second = Member;
fn first(i: u32) -> First { return member(at_first(0u, i)); }
fn second(i: u32) -> Second { return member(at_second(0u, i)); }
#endif
struct Member { k: real }
fn member(i: u32) -> Member { return Member(real(i)); }
fn pair(one: Member, two: Member, r: Axes) -> Action {
    var action: Action;
    action.F = one.k * two.k * r;
    return action;
}
",
    };

    #[test]
    fn every_permutation_is_valid_wgsl() {
        for k in 0..48 {
            let side = [Side::Within, Side::First, Side::Second][k % 3];
            let variant = Variant {
                precision: [Precision::F32, Precision::F64][k / 3 % 2],
                dimension: 2 + k / 6 % 2,
                extent: [40, 41, 64],
                periodic: [k / 12 % 2 == 1, false, true],
                tiling: Tiling::reaching(4.0).expect("tiles"),
                tiles: 100,
                neighbours: 3,
                reach: 3.5,
                sight: 3.4,
            };
            let others = (k >= 24).then_some((3, Fixed::fitting(2.0, 24.0)));
            let (range, force) = (3.0, Fixed::fitting(1e-3, 24.0));
            let law = Law { template: SPRING, pieces: Vec::new(), context: context! {}, range, force, others };
            wgsl_checks::validate((side, &variant), &side.wgsl(&variant, &law));
        }
    }

    #[test]
    fn sums_that_are_called_whole_fit() {
        let (bits, most) = (1_i64 << COARSE_BITS, i64::from(MOST_NEIGHBOURS));
        // A whole sum is 2^COARSE_BITS times the coarse one, plus the last bits.
        assert!(i64::from(COARSE_LIMIT) * bits + (bits - 1) * most < 1 << 31);
        // Coarse sums fit.
        assert!((LARGEST as i64 / bits + 1) * most <= 1 << 31);
        let fixed = Fixed::fitting(0.3, 24.0);
        assert!(24.0 * 0.3 * fixed.scale <= 2.0_f64.powi(31) && 48.0 * 0.3 * fixed.scale > 2.0_f64.powi(31));
    }
}
