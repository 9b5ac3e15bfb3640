//! The WGSL of every kernel, made from its template for a velocity set, a precision and the flags of a run.

use hematite_case::VelocitySet;
use hematite_engine::{CONTRASTS, FORCE_SCALE, Precision};
use hematite_gpu::{GpuInfo, MAIN, Template, WORKGROUP, literal, render};
use minijinja::{Value, context};

use super::boundary::Entry;
use super::checks::CHECK_EVERY;
use super::links;
use super::moment::{MASS_QUANTUM, Moment, Monitor, Passing, QUANTA};
use super::wall_points::WALL_FORCE_SCALE;
use super::walls::WallEntry;

const SHARED: [Template; 18] = [
    Template { name: "prelude.wgsl", text: include_str!("prelude.wgsl") },
    MAIN,
    Template { name: "state.wgsl", text: include_str!("state.wgsl") },
    Template { name: "populations.wgsl", text: include_str!("populations.wgsl") },
    Template { name: "link_tables.wgsl", text: include_str!("link_tables.wgsl") },
    Template { name: "forces.wgsl", text: include_str!("forces.wgsl") },
    Template { name: "contrast.wgsl", text: include_str!("contrast.wgsl") },
    Template { name: "entry.wgsl", text: Entry::WGSL },
    Template { name: "wall_entry.wgsl", text: WallEntry::WGSL },
    Template { name: "crossing.wgsl", text: include_str!("crossing.wgsl") },
    Template { name: "links.wgsl", text: include_str!("links.wgsl") },
    Template { name: "upstream.wgsl", text: include_str!("upstream.wgsl") },
    Template { name: "gather_apart.wgsl", text: include_str!("gather_apart.wgsl") },
    Template { name: "gather.wgsl", text: include_str!("gather.wgsl") },
    Template { name: "rates.wgsl", text: include_str!("rates.wgsl") },
    Template { name: "pairs.wgsl", text: include_str!("pairs.wgsl") },
    Template { name: "moments_of_pairs.wgsl", text: include_str!("moments_of_pairs.wgsl") },
    Template { name: "count.wgsl", text: include_str!("count.wgsl") },
];

/// The kernels of the fluid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shader {
    /// Gather, collide, scatter; where bodies are in the fluid, what crosses into the message.
    Step,
    /// What pressure openings will send back after a step.
    Pressure,
    /// Openings and moving walls.
    Openings,
    /// Walls off half-way.
    Walls,
    /// Momentum that populations give to walls.
    WallForces,
    /// Velocity near the points of immersed walls.
    WallVelocity,
    /// A field for a dump.
    Moments(Moment),
    /// Mass, largest speed, health.
    Monitor,
    /// Largest speed and density deviation, in the midst of steps.
    Check,
    /// Velocity through openings.
    Passing,
    /// Crossing populations into the message.
    Pack,
    /// The message into crossing populations.
    Unpack,
}

/// What a kernel is specialised for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Variant {
    /// The velocity set.
    pub set: VelocitySet,
    /// Storage and arithmetic.
    pub precision: Precision,
    /// Relaxation rate of the even parts, 1 / tau.
    pub omega_plus: f64,
    /// Relaxation rate of the odd parts.
    pub omega_minus: f64,
    /// Whether a body force acts.
    pub force: bool,
    /// Whether cells stand in the fluid.
    pub immersed: Option<Immersed>,
    /// Whether the points of immersed walls hold the fluid.
    pub held: bool,
    /// Number of openings of the case.
    pub openings: usize,
    /// Factors of each in a row.
    pub terms: usize,
    /// How the step is done.
    pub tuning: Tuning,
    /// Whether kernels that pack messages can send them, and those that unpack wait for them, by themselves.
    pub signals: bool,
}

/// Ways to do a step: the same numbers, at other speeds on other devices.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tuning {
    /// Whether odd steps see to populations at walls apart from the others, and read links once more for their stores: faster on GPUs in
    /// f32, slower in f16 and on software devices.
    pub apart: bool,
    /// Whether odd steps go from the last nodes to the first, so that they begin with what the step before left in the cache: faster on
    /// GPUs.
    pub backwards: bool,
}

impl Tuning {
    /// What is fastest on a device.
    pub fn of(device: &GpuInfo, precision: Precision) -> Self {
        Self { apart: !device.software && precision != Precision::F16, backwards: !device.software }
    }
}

/// What a step packs by itself, see crossing.wgsl.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packing {
    /// The first workgroup that packs what crosses of its nodes.
    from: u32,
    /// The number of the message, where the kernel sends it.
    sent: Option<u32>,
}

impl Packing {
    /// Words among a step's immediates.
    pub const WORDS: usize = 3;

    /// No message.
    pub const NONE: Self = Self { from: u32::MAX, sent: None };

    /// Workgroups from number `from` on pack, and send message number `sent` where there is one.
    pub fn from(from: u32, sent: Option<u32>) -> Self {
        Self { from, sent }
    }

    /// As the step's kernel takes it.
    pub fn words(self) -> [u32; Self::WORDS] {
        [self.from, u32::from(self.sent.is_some()), self.sent.unwrap_or_default()]
    }
}

/// What cells ask of the fluid: forces at nodes, velocities for their vertices.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Immersed {
    /// Relaxation rates inside cells, even and odd parts, where they differ from those outside: of the cells that set bit k of the
    /// nodes' marks, at k. Where a node has several bits, the last counts.
    pub inside: [Option<[f64; 2]>; CONTRASTS],
}

impl Immersed {
    /// Cells of so many viscosities, [`CONTRASTS`] at most, by the relaxation rates inside.
    pub fn with(inside: &[[f64; 2]]) -> Self {
        Self { inside: std::array::from_fn(|k| inside.get(k).copied()) }
    }
}

/// Names of the pair arrays, `f_1` and so on.
pub(crate) fn pair_names(set: VelocitySet) -> Vec<String> {
    (1..=set.q() / 2).map(|k| format!("f_{k}")).collect()
}

/// Nodes side by side that an invocation of a kernel has. An even step touches no node but its own, and fewer, wider loads
/// and stores are faster: of 16 bytes a lane in f16, of 8 in f32.
pub(crate) fn width(shader: Shader, precision: Precision, odd: bool) -> u32 {
    match precision {
        _ if shader != Shader::Step || odd => 1,
        Precision::F16 => 4,
        Precision::F32 => 2,
        Precision::F64 => 1,
    }
}

/// The largest [`width`] of any kernel: dispatches of a step begin at multiples of it.
pub(crate) const LARGEST_WIDTH: u32 = 4;

/// Link tables that are bound once more, and by which names.
pub(crate) const AGAIN: [(&str, &str); 2] = [("marks_again", "marks"), ("distances_again", "distances")];

/// Rows whose distances are loaded at once.
fn row_width(set: VelocitySet) -> u32 {
    links::rows(set).len().min(4) as u32
}

/// The WGSL type of `width` values of `scalar`.
fn side_by_side(scalar: &str, width: u32) -> String {
    if width == 1 { scalar.to_owned() } else { format!("vec{width}<{scalar}>") }
}

/// The WGSL of a kernel.
pub fn wgsl(shader: Shader, variant: &Variant, odd: bool) -> String {
    let template = match shader {
        Shader::Step => Template { name: "step.wgsl", text: include_str!("step.wgsl") },
        Shader::Pressure => Template { name: "pressure.wgsl", text: include_str!("pressure.wgsl") },
        Shader::Walls => Template { name: "walls.wgsl", text: include_str!("walls.wgsl") },
        Shader::WallForces => Template { name: "wall_forces.wgsl", text: include_str!("wall_forces.wgsl") },
        Shader::WallVelocity => Template { name: "wall_velocity.wgsl", text: include_str!("wall_velocity.wgsl") },
        Shader::Openings => Template { name: "openings.wgsl", text: include_str!("openings.wgsl") },
        Shader::Moments(_) => Template { name: "moments.wgsl", text: include_str!("moments.wgsl") },
        Shader::Monitor => Template { name: "monitor.wgsl", text: include_str!("monitor.wgsl") },
        Shader::Check => Template { name: "check.wgsl", text: include_str!("check.wgsl") },
        Shader::Passing => Template { name: "passing.wgsl", text: include_str!("passing.wgsl") },
        Shader::Pack | Shader::Unpack => Template { name: "pack.wgsl", text: include_str!("pack.wgsl") },
    };
    let moment = match shader {
        Shader::Moments(moment) => moment.name(),
        _ => "",
    };
    let (set, precision) = (variant.set, variant.precision);
    let axes = &["x", "y", "z"][..set.dimension()];
    let c = set.velocities();
    let body_force_alone = variant.immediate_force(shader) && variant.immersed.is_none() && !variant.acts(shader);
    let pairs: Vec<Value> = (1..=set.q() / 2).map(|k| pair(set, &c, k, body_force_alone)).collect();
    let width = width(shader, precision, odd);
    // Of each of the nodes side by side.
    let velocity = |lane: usize| {
        let lane = if width == 1 { "" } else { [".x", ".y", ".z", ".w"][lane] };
        let along =
            |a: usize| axes.get(a).map_or_else(|| format!("{}(0.0)", precision.real()), |a| format!("u{a}{lane}"));
        let components = (0..set.dimension().next_power_of_two()).map(along).collect::<Vec<_>>().join(", ");
        format!("{}({components})", precision.vector(set.dimension()))
    };
    let context = context! {
        half => precision == Precision::F16,
        real => side_by_side(precision.real(), width),
        stored => side_by_side(precision.stored(), width),
        bits => side_by_side("u32", width),
        ints => side_by_side("i32", width),
        number => precision.real(),
        number_stored => precision.stored(),
        vector => precision.vector(set.dimension()),
        row => side_by_side("u32", row_width(set)),
        row_of_schedule => super::Row::len(variant.openings, variant.terms),
        terms => variant.terms,
        check_every => CHECK_EVERY,
        group => links::GROUP,
        lists => links::LISTS,
        q => set.q(),
        row_loads => links::rows(set).len() as u32 / row_width(set),
        listed => 1_u32 << (set.q() - 1),
        walls => (1_u32 << (set.q() - 1)) - 1,
        apart => variant.tuning.apart,
        backwards => variant.tuning.backwards,
        again => "",
        coarse_scale => literal(1.0 / QUANTA[0]),
        fine_scale => literal(1.0 / QUANTA[1]),
        insane => format!("{:#010x}", Monitor::INSANE.to_bits()),
        mass_scale => literal(1.0 / MASS_QUANTUM),
        passing_scale => literal(1.0 / Passing::QUANTUM),
        storage_scale => literal(precision.storage_scale()),
        workgroup => WORKGROUP,
        w0 => literal(set.weight(0)),
        weights => [literal(set.weight(1)), literal(set.weight(set.q() - 1))],
        omega_plus => literal(variant.omega_plus),
        omega_minus => literal(variant.omega_minus),
        contrast => variant.contrast(),
        insides => variant.insides().map(|(k, _)| context! { k, bit => 1_u32 << k }).collect::<Vec<_>>(),
        local_omegas => ["plus", "minus"].iter().enumerate().map(|(part, name)| {
            let outside = format!("OMEGA_{}", name.to_uppercase());
            let value = variant.insides().fold(outside, |others, (k, rates)| {
                format!("select({others}, real({}), within{k})", literal(rates[part]))
            });
            context! { name, value }
        }).collect::<Vec<_>>(),
        odd,
        moment,
        width,
        velocities => (0..width as usize).map(velocity).collect::<Vec<_>>(),
        body_force => variant.force,
        several_terms => variant.terms > 1,
        immediate_force => variant.immediate_force(shader),
        force => variant.force || variant.immersed.is_some() || variant.acts(shader),
        immersed => variant.immersed.is_some(),
        held => variant.acts(shader),
        wall_force_scale => literal(WALL_FORCE_SCALE),
        forces => force(variant, shader),
        force_scale => literal(FORCE_SCALE),
        unpack => shader == Shader::Unpack,
        packs_after => variant.packs(shader),
        sends => variant.signals && (shader == Shader::Pack || variant.packs(shader)),
        awaits => variant.signals && shader == Shader::Unpack,
        row_or_round => if variant.signals && matches!(shader, Shader::Pack | Shader::Unpack) { "round" } else { "row" },
        pairs,
        axes => axes.iter().enumerate().map(|(a, name)| context! {
            name,
            index => a,
            momentum => signed_sum(k_with(&c, |c| c[a]), "difference"),
        }).collect::<Vec<_>>(),
        sum_of_pairs => (1..=set.q() / 2).map(|k| format!(" + sum{k}")).collect::<String>(),
        squares => axes.iter().map(|a| format!("u{a} * u{a}")).collect::<Vec<_>>().join(" + "),
        u_dot_f => axes.iter().map(|a| format!("u{a} * F{a}")).collect::<Vec<_>>().join(" + "),
        stresses => [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2)].iter().enumerate().map(|(index, &(a, b))| context! {
            index,
            a => ["x", "y", "z"][a],
            b => ["x", "y", "z"][b],
            sum => signed_sum(k_with(&c, |c| c[a] * c[b]), "rest"),
        }).collect::<Vec<_>>(),
        ..sending(variant, shader),
    };
    render(template, &SHARED, &context)
}

impl Variant {
    /// Whether the viscosity inside cells differs.
    pub fn contrast(&self) -> bool {
        self.insides().next().is_some()
    }

    /// Which bits mark nodes inside cells, and the relaxation rates there.
    fn insides(&self) -> impl Iterator<Item = (usize, [f64; 2])> {
        let inside = self.immersed.unwrap_or_default().inside;
        inside.into_iter().enumerate().filter_map(|(k, rates)| Some((k, rates?)))
    }

    /// Whether a kernel puts what crosses to other parts into the message by itself: the step's, where bodies ask for a message every step.
    pub(crate) fn packs(&self, shader: Shader) -> bool {
        shader == Shader::Step && self.immersed.is_some()
    }

    /// Nodes that a workgroup of a step has.
    pub(crate) fn nodes_of_workgroup(&self, odd: bool) -> u32 {
        width(Shader::Step, self.precision, odd) * WORKGROUP
    }

    /// Whether the body force comes with the dispatch: numbers that all invocations share need no registers there.
    pub(crate) fn immediate_force(&self, shader: Shader) -> bool {
        self.force && shader == Shader::Step && self.precision != Precision::F64
    }

    /// Whether the force of walls is part of the force in a kernel.
    fn acts(&self, shader: Shader) -> bool {
        self.held && shader != Shader::WallVelocity
    }
}

/// Which workgroups send, where not all do.
fn sending(variant: &Variant, shader: Shader) -> Value {
    match variant.packs(shader) {
        true => context! {
            sending => "groups_of_nodes() - span.packs",
            sends_if => "span.sends != 0u && packing(number)",
        },
        false => context! {},
    }
}

/// The force on node n along each axis: that of the schedule, that of the cells and that of the walls.
fn force(variant: &Variant, shader: Shader) -> Vec<String> {
    let along = |a: usize| {
        let body = variant.force.then(|| match variant.immediate_force(shader) {
            true => format!("span.force_{}", a + 1),
            false => format!("schedule[span.row * ROW + {a}u]"),
        });
        let cells = variant.immersed.map(|_| format!("real(node_force[{a}u * span.stride + n]) * FORCE_QUANTUM"));
        let walls =
            variant.acts(shader).then(|| format!("real(wall_force[{a}u * span.stride + n]) * WALL_FORCE_QUANTUM"));
        [body, cells, walls].into_iter().flatten().collect::<Vec<_>>().join(" + ")
    };
    (0..variant.set.dimension()).map(along).collect()
}

/// The body force `force` as a dispatch takes it, see [`Variant::immediate_force`]: along the first velocity of each pair.
pub(crate) fn immediate_words(set: VelocitySet, force: [f64; 3]) -> impl Iterator<Item = u32> {
    let c = set.velocities();
    (1..=set.q() / 2).map(move |k| {
        let along: f64 = c[2 * k - 1].iter().zip(force).map(|(&c, force)| f64::from(c) * force).sum();
        (along as f32).to_bits()
    })
}

/// What templates know of pair `k`, whose directions are `i` and `j = -i`; `body_force_alone` says that no other force acts than
/// that of the dispatch.
fn pair(set: VelocitySet, c: &[[i32; 3]], k: usize, body_force_alone: bool) -> Value {
    let (i, j) = (2 * k - 1, 2 * k);
    let slots = ["n", "span.stride + n"];
    let dot = |stem: &str| {
        let factors = c[i].iter().zip(["x", "y", "z"]);
        signed_sum(factors.map(|(&sign, axis)| (axis.to_owned(), sign)).collect(), stem)
    };
    let rows = links::rows(set);
    let upstream = |i: usize| {
        let row = rows.iter().position(|&row| row == [-c[i][1], -c[i][2]]);
        let width = row_width(set) as usize;
        let beside = row.map(|row| format!("+ rows{}.{} ", row / width, ["x", "y", "z", "w"][row % width]));
        beside.unwrap_or_default() + ["+ 1u", "", "- 1u"][(1 + c[i][0]) as usize]
    };
    let bit = |i: usize| 1_u32 << (i - 1);
    // The axes along which a direction leads, and which way.
    let along = |i: usize| -> Vec<Value> {
        let terms = c[i].iter().zip(["x", "y", "z"]).filter(|(c, _)| **c != 0);
        terms.map(|(&c, axis)| context! { axis, sign => if c > 0 { "+" } else { "-" } }).collect()
    };
    // The pair of the other diagonal of the plane, itself for a pair along an axis.
    let mirrored = |d: &[i32; 3]| d.iter().zip(c[i]).all(|(a, b)| a.abs() == b.abs()) && *d != c[i] && *d != c[j];
    let mirror = c.iter().position(mirrored).map_or(k, |d| d.div_ceil(2));
    context! {
        k, i, j, mirror,
        shell => if set.weight(i) == set.weight(1) { 1 } else { 2 },
        c_dot_u => dot("u"),
        c_dot_f => if body_force_alone { format!("span.force_{k}") } else { dot("F") },
        ij => context! {
            out => i, back => j, sign => "-", plus => "+", slot => slots[0], slot_back => slots[1],
            upstream => upstream(i), bit => bit(i), along => along(i),
        },
        ji => context! {
            out => j, back => i, sign => "", plus => "-", slot => slots[1], slot_back => slots[0],
            upstream => upstream(j), bit => bit(j), along => along(j),
        },
    }
}

/// (pair number, integer factor) of every pair, by a product of components of its first velocity.
fn k_with(c: &[[i32; 3]], factor: impl Fn([i32; 3]) -> i32) -> Vec<(String, i32)> {
    (1..=c.len() / 2).map(|k| (k.to_string(), factor(c[2 * k - 1]))).collect()
}

/// `stem1 - stem3 + ...` over the terms with a factor of 1 or -1.
fn signed_sum(terms: Vec<(String, i32)>, stem: &str) -> String {
    let mut text = String::new();
    for (name, factor) in terms.into_iter().filter(|&(_, factor)| factor != 0) {
        let sign = match (text.is_empty(), factor > 0) {
            (true, true) => "",
            (true, false) => "-",
            (false, true) => " + ",
            (false, false) => " - ",
        };
        text += &format!("{sign}{stem}{name}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_permutation_is_valid_wgsl() {
        let shaders = [
            Shader::Step,
            Shader::Pressure,
            Shader::Openings,
            Shader::Walls,
            Shader::WallForces,
            Shader::WallVelocity,
            Shader::Moments(Moment::Density),
            Shader::Moments(Moment::Velocity),
            Shader::Moments(Moment::Stress),
            Shader::Monitor,
            Shader::Check,
            Shader::Passing,
            Shader::Pack,
            Shader::Unpack,
        ];
        for set in [VelocitySet::D2Q9, VelocitySet::D3Q19] {
            for precision in [Precision::F32, Precision::F16, Precision::F64] {
                let two = Immersed::with(&[[0.7, 1.1], [0.9, 1.2]]);
                let immersed = [None, Some(Immersed::default()), Some(Immersed::with(&[[0.7, 1.1]])), Some(two)];
                for (k, immersed) in (0..96).map(|k| (k, immersed[k / 24])) {
                    let (force, odd, held) = (k & 1 == 1, k & 2 == 2, k & 4 == 4);
                    // Software, GPUs in f16, GPUs in f32.
                    let way = k % 24 / 8;
                    let (tuning, signals) = (Tuning { apart: way == 2, backwards: way > 0 }, way > 0);
                    let variant = Variant {
                        set,
                        precision,
                        omega_plus: 1.3,
                        omega_minus: 0.9,
                        force,
                        immersed,
                        held,
                        openings: 2,
                        terms: if k % 2 == 0 { 1 } else { 3 },
                        tuning,
                        signals,
                    };
                    for shader in shaders {
                        let source = wgsl(shader, &variant, odd);
                        wgsl_checks::validate((shader, &variant, odd), &source);
                    }
                }
            }
        }
    }

    #[test]
    fn only_odd_steps_go_backwards_and_only_where_told() {
        let backwards = |shader, backwards, odd| {
            let variant = Variant {
                set: VelocitySet::D3Q19,
                precision: Precision::F32,
                omega_plus: 1.3,
                omega_minus: 0.9,
                force: true,
                immersed: None,
                held: false,
                openings: 0,
                terms: 1,
                tuning: Tuning { apart: true, backwards },
                signals: true,
            };
            wgsl(shader, &variant, odd).contains("groups.x * groups.y - 1u")
        };
        assert!(backwards(Shader::Step, true, true));
        for (shader, told, odd) in
            [(Shader::Step, true, false), (Shader::Step, false, true), (Shader::Monitor, true, true)]
        {
            assert!(!backwards(shader, told, odd), "{shader:?} {told} {odd}");
        }
    }

    #[test]
    fn the_entries_of_the_host_are_those_of_the_kernels() {
        let layout = |offsets: &[(&str, usize)], size| {
            let members = offsets.iter().map(|&(name, offset)| (name.to_owned(), offset)).collect();
            wgsl_checks::Layout { members, size }
        };
        let opening = [
            ("node", std::mem::offset_of!(Entry, node)),
            ("links", std::mem::offset_of!(Entry, links)),
            ("opening", std::mem::offset_of!(Entry, opening)),
            ("pressure", std::mem::offset_of!(Entry, pressure)),
        ];
        assert_eq!(wgsl_checks::layout(Entry::WGSL, "Entry"), layout(&opening, size_of::<Entry>()));
        let wall = [
            ("node", std::mem::offset_of!(WallEntry, node)),
            ("links", std::mem::offset_of!(WallEntry, links)),
            ("first", std::mem::offset_of!(WallEntry, first)),
        ];
        assert_eq!(wgsl_checks::layout(WallEntry::WGSL, "WallEntry"), layout(&wall, size_of::<WallEntry>()));
    }
}
