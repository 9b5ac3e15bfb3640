//! What a run fixes for its rigid bodies, in lattice units.

use hematite_config::{Fault, Result};
use hematite_engine::particles::{Setting, largest_tile, shortest_period};
use hematite_engine::sites::Tiling;
use hematite_engine::{Precision, SurfaceContact};

use super::gay_berne::{GayBerne, Shape};
use super::wall::Wall;

/// The fastest that a body may move, lattice units a step; beyond it is broken.
pub const FASTEST: f64 = 0.1;

/// How far a body may go before bodies are sorted, handed over and listed anew, lattice units; as much more or less as makes lists reach as far as tiles
/// do, where that is within these limits.
const SKIN: f64 = 0.5;
const LEAST_SKIN: f64 = 0.35;
const LARGEST_SKIN: f64 = 0.65;

/// Bodies leave each so many steps.
pub const LEAVE: u64 = 8;

/// Steps between two looks of the host at the bodies' health.
pub const LOOK: u64 = 64;

/// The same where bodies come in: looks further apart leave gaps at inlets, into which others move before the next come.
pub const LOOK_WITH_FEEDERS: u64 = 16;

/// Steps for which lists of points near bodies are good.
pub(super) const LISTED_STEPS: u64 = 2;

/// The shortest half width of a region: two nodes along each axis.
pub const LEAST_HALF_WIDTH: f64 = 1.0;

/// The longest one: that of the widest region of the largest body. Each site within takes memory.
const MOST_HALF_WIDTH: f64 = 56.0;

/// The share of a region's weights that must be in the fluid.
pub const LEAST_WEIGHT: f64 = 0.1;

/// The largest share of a body's velocity relative to the fluid that the fluid may take over in a step.
pub const LARGEST_DRAG: f64 = 4.0;

/// The farthest that lists of neighbours reach, lattice units: two of the largest tiles.
const FARTHEST: f64 = 16.0;

/// Variance of the kernel along an axis, in squared half widths.
pub(super) const VARIANCE: f64 = 0.131;

/// A kind of bodies.
#[derive(Clone, Debug, PartialEq)]
pub struct Kind {
    /// Its population's name.
    pub name: String,
    /// For pairs.
    pub shape: Shape,
    /// Half widths of the region in which it meets the fluid, along its axes.
    pub half_widths: [f64; 3],
    /// Frictions along its axes.
    pub gamma_t: [f64; 3],
    /// Rotational frictions about its axes.
    pub gamma_r: [f64; 3],
    /// Its mass, over that of the fluid at a node.
    pub mass: f64,
    /// Its moments of inertia.
    pub inertia: [f64; 3],
    /// Jeffery's coefficients; zero where strain exerts no torque.
    pub lambda: [f64; 3],
    /// Constant force on each, in space: its weight less buoyancy, or what drags it.
    pub force: [f64; 3],
    /// Constant torque on each, in space.
    pub torque: [f64; 3],
    /// Bodies in the case.
    pub seeded: u64,
}

/// The bodies of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// Arithmetic.
    pub precision: Precision,
    /// Whether a fluid is around them.
    pub in_fluid: bool,
    /// The populations.
    pub kinds: Vec<Kind>,
    /// Between bodies.
    pub pairs: GayBerne,
    /// Between bodies and walls, where there are any.
    pub wall: Option<Wall>,
    /// Between bodies and soft surfaces, where there are any.
    pub surface: Option<SurfaceContact>,
    /// Sites of the domain along each axis.
    pub extent: [usize; 3],
    /// Directions in which it wraps.
    pub periodic: [bool; 3],
    /// Lattice spacing, m.
    pub spacing: f64,
    /// Corner of the domain, m.
    pub origin: [f64; 3],
    /// How many invocations share the rows of a body's region; as many as the device bears where none is given. No result depends
    /// on it.
    pub sharing: Option<u32>,
}

impl Kind {
    /// Radius of the sphere around it.
    pub fn radius(&self) -> f64 {
        self.shape.axes.into_iter().fold(0.0, f64::max)
    }

    /// How far from its centre it meets nodes.
    pub fn touches(&self) -> f64 {
        self.half_widths.iter().map(|xi| xi * xi).sum::<f64>().sqrt()
    }

    /// Drag over a step: the share of the velocity relative to the fluid that the fluid would take over, and of the angular
    /// one, if it did not give way; at most `LARGEST_DRAG`.
    pub fn drag(&self) -> [f64; 2] {
        let inertia = |k: usize| {
            let [b, c] = [self.half_widths[(k + 1) % 3], self.half_widths[(k + 2) % 3]];
            VARIANCE * (b * b + c * c)
        };
        let moved = self.gamma_t.iter().map(|g| self.response() * g);
        let turned = (0..3).map(|k| self.response() / inertia(k) * self.gamma_r[k]);
        [moved.fold(0.0, f64::max), turned.fold(0.0, f64::max)]
    }

    /// At least the mean square of the way, along any direction, from the site below a body's centre to its region's nodes.
    fn second_moment(&self) -> f64 {
        self.half_widths.iter().map(|xi| VARIANCE * xi * xi).fold(0.0, f64::max) + 1.0
    }

    /// The larger of the two.
    fn strongest_drag(&self) -> f64 {
        let [moved, turned] = self.drag();
        moved.max(turned)
    }

    /// What a unit of force changes the mean velocity of the region by: sums of squares of the kernel's weights are 0.75 / xi along
    /// each axis (0.375 for xi = 2).
    fn response(&self) -> f64 {
        self.half_widths.iter().map(|xi| 0.75 / xi).product()
    }

    /// The numbers of a `Kind` in WGSL, in its order; `pressure` is that on soft surfaces.
    pub(super) fn words(&self, pairs: &GayBerne, pressure: f64) -> Vec<f64> {
        let xi = self.half_widths;
        let volume: f64 = xi.iter().product();
        // A region half of which is in the wall still has a gradient.
        let least = 0.02 * xi.iter().map(|xi| VARIANCE * xi * xi).product::<f64>();
        let four = |v: [f64; 3], last: f64| [v[0], v[1], v[2], last];
        let mut words = self.shape.words(pairs).to_vec();
        // Each factor of the kernel, which sums up to xi / 2 on the mean, comes times 8.
        words.extend(four(xi, 1.0 / (64.0 * volume)));
        words.extend(four(self.gamma_t, self.mass));
        words.extend(four(self.gamma_r, least));
        words.extend(four(self.inertia, self.radius()));
        words.extend(four(self.lambda, self.response()));
        words.extend(four(self.force, pressure));
        words.extend(four(self.torque, 0.0));
        words
    }
}

impl Parameters {
    /// Chooses how many invocations share a region, unless that is given: one where bodies are so many that they fill the device by
    /// themselves. Where they are few, the region of a body would keep one invocation busy while the rest of the device waits.
    pub(super) fn share(&mut self, software: bool) {
        const MOST: u32 = 1024;
        // Invocations that fill a device.
        let full: u64 = if software { 64 } else { 1 << 17 };
        // A region that is turned in the least favourable way.
        let rows = self.kinds.iter().map(|kind| (2.0 * kind.touches() + 1.0).powi(2)).fold(1.0, f64::max);
        let bodies = self.kinds.iter().map(|kind| kind.seeded).sum::<u64>().max(1);
        let fitting = 1 << (full / bodies).max(1).ilog2();
        self.sharing.get_or_insert((rows as u32).min(MOST).next_power_of_two().min(fitting));
    }

    /// How many invocations share a region.
    pub(super) fn lanes(&self) -> u32 {
        self.sharing.unwrap_or(1)
    }

    /// Radius of the sphere around the largest body.
    pub fn radius(&self) -> f64 {
        self.kinds.iter().map(Kind::radius).fold(0.0, f64::max)
    }

    /// Where they live, as particles of the engine.
    pub fn setting(&self) -> Setting {
        Setting {
            dimension: 3,
            precision: self.precision,
            extent: self.extent.map(|n| n as i32),
            periodic: self.periodic,
            reach: self.reach(),
            sight: self.sight(),
        }
    }

    /// The same for bodies and the points of a soft surface, which meet in tiles of their own.
    pub(super) fn setting_of_surface(&self, contact: &SurfaceContact) -> Setting {
        Setting { reach: self.surface_reach(contact), ..self.setting() }
    }

    /// How far from a body's centre a point can be and still be touched.
    pub(super) fn surface_range(&self, contact: &SurfaceContact) -> f64 {
        self.radius() + contact.range
    }

    /// The same, and what both may come nearer while lists are good.
    fn surface_reach(&self, contact: &SurfaceContact) -> f64 {
        self.surface_range(contact) + LISTED_STEPS as f64 * (FASTEST + contact.fastest)
    }

    /// How far two bodies' centres can be apart and still touch.
    pub fn range(&self) -> f64 {
        let of =
            |one: &Kind| self.kinds.iter().map(|other| self.pairs.range(&one.shape, &other.shape)).fold(0.0, f64::max);
        self.kinds.iter().map(of).fold(0.0, f64::max)
    }

    /// The same, and what they may come nearer before the next rebuild.
    pub fn reach(&self) -> f64 {
        self.range() + 2.0 * self.skin()
    }

    /// How far a body may go before the next rebuild.
    pub(super) fn skin(&self) -> f64 {
        let range = self.range();
        let fits = |skin: &f64| (LEAST_SKIN..=LARGEST_SKIN).contains(skin);
        // Less by what rounding may add.
        Tiling::edges().map(|edge| 0.5 * (f64::from(edge) - range) - 1e-9).find(fits).unwrap_or(SKIN)
    }

    /// How far from its centre a body touches nodes, or a point that hands its forces to them, and its way before the next rebuild.
    pub fn sight(&self) -> f64 {
        let surface = self.surface.as_ref().map_or(0.0, |contact| self.surface_range(contact) + contact.support);
        self.kinds.iter().map(Kind::touches).fold(surface, f64::max) + self.skin()
    }

    /// Sites around own nodes that a rank's map must hold.
    pub fn map_margin(&self) -> i32 {
        let touches = self.kinds.iter().map(|kind| kind.touches().max(kind.radius() + 2.0)).fold(0.0, f64::max);
        // An own body may be a tile away from the nearest own node, and its neighbours as far again as lists reach.
        let lists = largest_tile(self.reach()) - 1 + (self.reach() + 1.0).floor() as i32;
        let surface = self.surface.as_ref().map_or(0.0, |contact| self.surface_reach(contact) + self.skin() + 1.0);
        let lists = lists.max(largest_tile(self.reach()) - 1 + surface.ceil() as i32);
        lists.max((touches + self.skin()).ceil() as i32 + 2)
    }

    /// How far from walls bodies feel them.
    pub fn wall_reach(&self) -> f64 {
        self.kinds.iter().map(Kind::radius).fold(0.0, f64::max) + self.pairs.reach().max(1.0) + 3.0
    }

    /// Where a site is, for messages: its centre in metres.
    pub(super) fn place(&self, site: [f64; 3]) -> String {
        let metres = [0, 1, 2].map(|a| format!("{:.4e}", self.origin[a] + (site[a] + 0.5) * self.spacing));
        format!("({}) m", metres.join(", "))
    }

    /// What weights are multiplied by to be summed over regions as integers: a power of two such that sums of weights, and of
    /// weights times distances or two of them, stay below 2^31. All are at most twice [`Kind::second_moment`], see the test.
    /// Velocities, at most 1/2, are multiplied by twice as much.
    pub(super) fn weight_scale(&self) -> f64 {
        let largest = self.kinds.iter().map(Kind::second_moment).fold(1.0, f64::max);
        (2.0_f64.powi(30) / largest).log2().floor().exp2()
    }

    /// Checks that the engine can hold these bodies.
    ///
    /// # Errors
    /// A usage fault with population, value, limit and remedy.
    pub fn check(&self) -> Result<()> {
        for kind in &self.kinds {
            let within = |fault: Fault| fault.within(format!("population \"{}\"", kind.name));
            for xi in kind.half_widths {
                if xi < LEAST_HALF_WIDTH {
                    return Err(within(Fault::usage(format!(
                        "its region reaches {xi:.3} lattice spacings along one of its axes, at least {LEAST_HALF_WIDTH} are \
                         needed: take a finer lattice, a rounder shape, or a larger bodies.region"
                    ))));
                }
                if xi > MOST_HALF_WIDTH {
                    return Err(within(Fault::usage(format!(
                        "its region reaches {xi:.3} lattice spacings along one of its axes, at most {MOST_HALF_WIDTH} can be: take a \
                         coarser lattice, or smaller bodies.region or half_widths"
                    ))));
                }
            }
        }
        let strongest = self.kinds.iter().max_by(|a, b| a.strongest_drag().total_cmp(&b.strongest_drag()));
        if let Some(kind) = strongest.filter(|kind| kind.strongest_drag() > LARGEST_DRAG) {
            let [moved, turned] = kind.drag();
            let shorter = (100.0 * kind.strongest_drag() / LARGEST_DRAG).ceil() / 100.0;
            return Err(Fault::usage(format!(
                "population \"{}\": its drag is too strong for the time step: the fluid takes over {moved:.2} of a relative \
                 velocity and {turned:.2} of a relative spin in a step, at most {LARGEST_DRAG} can be: take a step {shorter:.2} \
                 times shorter, a lower friction, or a larger region",
                kind.name
            )));
        }
        if self.reach() > FARTHEST {
            let radius = self.kinds.iter().map(Kind::radius).fold(0.0, f64::max);
            return Err(Fault::usage(format!(
                "the largest body is {:.2} lattice spacings long; at most {:.2} can be, so that those that touch are at most {FARTHEST} \
                 apart: take a coarser lattice or smaller bodies",
                2.0 * radius,
                2.0 * radius + FARTHEST - self.reach()
            )));
        }
        self.check_periods()
    }

    /// Along periodic axes neither lists of neighbours nor regions reach a body's own images.
    fn check_periods(&self) -> Result<()> {
        let widest = self.kinds.iter().flat_map(|kind| kind.half_widths).fold(0.0, f64::max);
        let surface = self.surface.as_ref().map(|contact| shortest_period(self.surface_reach(contact))).transpose()?;
        let needed = shortest_period(self.reach())?.max((2.0 * widest).ceil() as i32).max(surface.unwrap_or(0));
        for (axis, name) in ["x", "y", "z"].iter().enumerate() {
            if self.periodic[axis] && self.extent[axis] < needed as usize {
                return Err(Fault::usage(format!(
                    "the domain is periodic along {name} over {} sites; bodies and their regions reach so far that it must be at \
                     least {needed}: take a longer domain, smaller bodies or smaller regions",
                    self.extent[axis]
                )));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::region::weight;
    use super::super::rotation::axes_of;
    use super::*;

    fn of_bodies(axes: [f64; 3], half_widths: [f64; 3]) -> Parameters {
        let kind = Kind {
            name: "red".to_owned(),
            shape: Shape::new(axes),
            half_widths,
            gamma_t: [0.0; 3],
            gamma_r: [0.0; 3],
            mass: 1.0,
            inertia: [1.0; 3],
            lambda: [0.0; 3],
            force: [0.0; 3],
            torque: [0.0; 3],
            seeded: 1,
        };
        Parameters {
            precision: Precision::F32,
            in_fluid: true,
            sharing: None,
            kinds: vec![kind],
            pairs: GayBerne { epsilon: 1e-3, sigma: 1.0, gamma: 1.0, mu: 0, upsilon: 0, largest: 0.1 },
            wall: None,
            surface: None,
            extent: [100; 3],
            periodic: [false; 3],
            spacing: 1e-6,
            origin: [0.0; 3],
        }
    }

    #[test]
    fn bodies_whose_lists_would_reach_too_far_are_refused() {
        assert_eq!(of_bodies([7.0; 3], [7.0; 3]).check(), Ok(()));
        let refused = of_bodies([7.5, 2.0, 2.0], [7.5, 2.0, 2.0]).check().expect_err("too long").to_string();
        for piece in ["15.00 lattice spacings long", "at most 14.", "coarser lattice or smaller bodies"] {
            assert!(refused.contains(piece), "{piece} is missing: {refused}");
        }
    }

    #[test]
    fn lists_reach_as_far_as_tiles_where_they_can() {
        let mut fitted = 0;
        for k in 0..200 {
            let parameters = of_bodies([0.5 + 0.03 * f64::from(k); 3], [1.0; 3]);
            let (skin, reach) = (parameters.skin(), parameters.reach());
            assert!((LEAST_SKIN - 1e-6..=LARGEST_SKIN).contains(&skin), "{skin}");
            let fits = Tiling::edges().any(|edge| (f64::from(edge) - reach).abs() < 1e-6 && reach <= f64::from(edge));
            assert!(fits || skin == SKIN, "{skin}, {reach}");
            fitted += u32::from(fits);
        }
        assert!((20..100).contains(&fitted), "{fitted}");
    }

    #[test]
    fn invocations_share_regions_of_few_bodies() {
        let of = |half_width: f64, seeded: u64, software: bool| {
            let mut parameters = of_bodies([1.0; 3], [half_width; 3]);
            parameters.kinds[0].seeded = seeded;
            parameters.share(software);
            parameters.lanes()
        };
        // 20, 93, 335, 824 and 4938 rows.
        assert_eq!([1.0, 2.5, 5.0, 8.0, 20.0].map(|half_width| of(half_width, 1, false)), [32, 128, 512, 1024, 1024]);
        let many = [0, 100, 1000, 5000, 1 << 16, 1 << 17, 1 << 40];
        assert_eq!(many.map(|seeded| of(8.0, seeded, false)), [1024, 1024, 128, 16, 2, 1, 1]);
        assert_eq!([1, 4, 100].map(|seeded| of(8.0, seeded, true)), [64, 16, 1]);
    }

    #[test]
    fn sums_over_regions_stay_within_their_bound() {
        let mut state = 1_u32;
        let mut draw = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f64::from(state >> 8) / f64::from(1 << 24)
        };
        for half_widths in
            [[1.0; 3], [1.0, 1.0, 3.0], [1.0, 3.0, 3.0], [2.0, 2.0, 1.0], [2.0; 3], [2.0, 3.0, 6.0], [5.0; 3]]
        {
            let kind = &of_bodies([1.0; 3], half_widths).kinds[0];
            for turned in 0..200 {
                let q = if turned == 0 { [1.0, 0.0, 0.0, 0.0] } else { [0; 4].map(|_| draw() - 0.5) };
                let norm = q.iter().map(|q| q * q).sum::<f64>().sqrt();
                let axes = axes_of(q.map(|q| q / norm));
                let centre = [0; 3].map(|_| draw());
                let reach = kind.touches().ceil() as i32 + 1;
                let along = || -reach..=reach;
                // 1, |d_a| and |d_a d_b|
                let mut sums = [0.0; 10];
                for d in along().flat_map(|z| along().flat_map(move |y| along().map(move |x| [x, y, z]))) {
                    let r = [0, 1, 2].map(|a| f64::from(d[a]) - centre[a]);
                    let y = [0, 1, 2].map(|k| (0..3).map(|a| axes[k][a] * r[a]).sum::<f64>());
                    let w: f64 = (0..3).map(|k| weight(y[k], half_widths[k])).product();
                    let [x, y, z] = d.map(|d| f64::from(d.abs()));
                    let terms = [1.0, x, y, z, x * x, y * y, z * z, x * y, y * z, z * x];
                    (0..10).for_each(|k| sums[k] += w * terms[k]);
                }
                let bound = 2.0 * kind.second_moment();
                assert!(
                    sums.iter().all(|&sum| sum < 0.99 * bound),
                    "{half_widths:?} {q:?} {centre:?}: {sums:?} for {bound}"
                );
            }
        }
    }
}
