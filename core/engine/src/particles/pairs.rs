//! The loop over pairs of particles, within a set or between two; laws say what two particles do to each other.

use hematite_config::Result;
use hematite_gpu::{Bound, Buffer, Gpu, Kernel, MAIN, Recorder, Template, literal, render};
use minijinja::value::merge_maps;
use minijinja::{Value, context};

use super::neighbours::Neighbours;
use super::shaders::{SPAN, SPAN_BYTES, Variant};
use super::{ID, LARGEST_TILE, MOST_NEIGHBOURS, Particles, Setting};
use crate::sites::{PIECES, Tiling};

/// What a sum is that does not fit: what a law adds up at a particle is beyond what integers hold.
pub const OVERFLOW: i32 = i32::MIN;

/// The largest number that a pair adds, as an integer: two dozen of them fit into a sum.
const LARGEST: f64 = (1_u64 << 31) as f64 / 24.0;

/// Last bits that coarse sums leave out: so coarse ones of [`MOST_NEIGHBOURS`] of the largest numbers fit.
const COARSE_BITS: u32 = 8;

/// Coarse sums from which whole ones may not fit, by what each number's last bits add to them.
const COARSE_LIMIT: i32 = (1 << (31 - COARSE_BITS)) - 2 * MOST_NEIGHBOURS as i32;

/// Neighbours in range that the loop collects at a time.
const CLOSE: u32 = 32;

/// How real numbers become integers, to be summed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fixed {
    /// Numbers beyond it, either way, are taken for it.
    pub largest: f64,
    /// What they are multiplied by.
    pub scale: f64,
}

impl Fixed {
    /// The largest power of two for a scale by which `together` of the `largest` numbers, at least 24, still fit into
    /// a sum.
    pub fn fitting(largest: f64, together: f64) -> Self {
        Self { largest, scale: (2.0_f64.powi(31) / (together * largest)).log2().floor().exp2() }
    }

    fn context(self) -> Value {
        context! { largest => literal(self.largest), scale => literal(self.scale) }
    }
}

/// What two particles do to each other, in WGSL.
///
/// Within a set it gives
/// - `struct Member`, what it knows of a particle, and `fn member(i: u32) -> Member`;
/// - `fn pair(one: Member, two: Member, r: Axes) -> Action`, for particle two at r from particle one, which has the
///   lower number.
///
/// Between two sets it gives
/// - `struct First` and `fn first(i: u32) -> First` for those of the one set, `struct Second` and
///   `fn second(j: u32) -> Second` for those of the other;
/// - `fn pair(one: First, two: Second, r: Axes) -> Action`.
///
/// `Action` is in `pairs.wgsl`. The law declares the buffers that it needs. Component a of number i is at
/// `a * span.stride + i`, between sets at `at_first(a, i)` or `at_second(a, j)`.
#[derive(Clone, Debug)]
pub struct Law {
    /// Its file.
    pub template: Template,
    /// What that includes.
    pub pieces: Vec<Template>,
    /// What these know.
    pub context: Value,
    /// How far apart two particles may be that do something to each other, lattice units.
    pub range: f64,
    /// Forces as integers.
    pub force: Fixed,
    /// How many other numbers add up at each particle, and how they are integers.
    pub others: Option<(u32, Fixed)>,
}

impl Law {
    /// The loop by this law within a set in the domain of `setting`: WGSL to be checked where no device is.
    ///
    /// # Errors
    /// A usage fault where no tile is large enough.
    pub fn wgsl(&self, setting: &Setting) -> Result<String> {
        let tiling = Tiling::reaching(setting.reach.min(LARGEST_TILE))?;
        Ok(Side::Within.wgsl(&Variant::new(setting, tiling, 1, 0), self))
    }

    /// The same for the two sides of a law between two sets.
    ///
    /// # Errors
    /// A usage fault where no tile is large enough.
    pub fn wgsl_between(&self, setting: &Setting) -> Result<[String; 2]> {
        let tiling = Tiling::reaching(setting.reach.min(LARGEST_TILE))?;
        Ok([Side::First, Side::Second].map(|side| side.wgsl(&Variant::new(setting, tiling, 1, 0), self)))
    }
}

/// A set of particles, or of points of whatever kind, as another set meets it.
#[derive(Clone, Debug)]
pub struct Set {
    /// `array<vec2<i32>>`, see [`Coordinate`](crate::sites::Coordinate): component a of number i is at
    /// `a * stride + i`.
    pub position: Buffer,
    /// `array<u32>`: not 0 where a number is not there.
    pub gone: Buffer,
    /// Distance between components.
    pub stride: u32,
    /// The first so many are told what others do to them.
    pub own: u32,
    /// So many there are, ghosts included: these act on others.
    pub held: u32,
}

/// Whom a kernel tells what whom does to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// Particles of a set, each other.
    Within,
    /// Those of the first set, what the second does.
    First,
    /// Those of the second set, what the first does.
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

/// The kernel of a law on one side of pairs.
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

    /// Binds it to what lists hold of one set and to another set, and to what the law declares.
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
    /// The loop of `law` over `particles`; bind it next.
    ///
    /// # Errors
    /// Where the device refuses the kernel.
    ///
    /// # Panics
    /// Where two dozen of the law's largest numbers do not fit into a sum: a fault of the program.
    pub fn new(gpu: &Gpu, particles: &Particles, law: &Law) -> Result<Self> {
        Ok(Self(Loop::new(gpu, &particles.variant, law, Side::Within)?))
    }

    /// Binds it to the arrays of `particles`, anew whenever [`Particles::enlarged`] says so, and to `buffers`: those
    /// that the law declares and `actions`, `array<i32>`, where sums go: forces, then others.
    pub fn bind(&mut self, particles: &Particles, buffers: &[(&str, &Buffer)]) {
        let (set, properties) = (particles.set(), particles.properties());
        let id = ("id", properties.get(ID.name));
        let buffers = buffers.iter().copied().chain([id]);
        self.0.bind(&particles.gpu, (&set, &set), &particles.arrays.neighbours, buffers);
    }

    /// What all own particles of `particles` get; a sum that does not fit is [`OVERFLOW`].
    pub fn record(&self, recorder: &mut Recorder, particles: &Particles) {
        self.0.record(recorder, &particles.arrays.words([particles.own(), 0], particles.held()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Precision;
    use crate::sites::Tiling;

    /// A spring, within a set and between two.
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
        // A whole sum is that many times the coarse one, and as much again as last bits add.
        assert!(i64::from(COARSE_LIMIT) * bits + (bits - 1) * most < 1 << 31);
        // The coarse sum itself fits.
        assert!((LARGEST as i64 / bits + 1) * most <= 1 << 31);
        let fixed = Fixed::fitting(0.3, 24.0);
        assert!(24.0 * 0.3 * fixed.scale <= 2.0_f64.powi(31) && 48.0 * 0.3 * fixed.scale > 2.0_f64.powi(31));
    }
}
