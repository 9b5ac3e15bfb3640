//! Random charges in small domains, and sums over all their pairs in f64.

use std::thread;

use hematite_comm::{Comm, Threads, threads};
use hematite_config::Result;
use hematite_engine::Precision;
use hematite_engine::particles::{
    Declaration, Element, Fixed, GONE, ID, Law, POSITION, Particles, Setting, largest_tile,
};
use hematite_engine::sites::{Coordinate, SiteMap};
use hematite_gpu::{Gpu, Needs, Recorder, Template, literal};
use minijinja::context;

/// Range of the law and of lists.
pub const RANGE: f64 = 3.0;
pub const REACH: f64 = 3.4;

/// Numbers that the law sums beside forces.
pub const OTHERS: usize = 2;

/// The properties of a new ghost.
const CARRIED: [&str; 4] = ["position", "id", "gone", "charge"];

/// A box of fluid, divided along x for ranks.
#[derive(Clone, Copy)]
pub struct Lab {
    pub dimension: usize,
    pub extent: [usize; 3],
    pub periodic: [bool; 3],
    pub precision: Precision,
}

/// A charge.
#[derive(Clone, Copy, Debug)]
pub struct Charge {
    pub id: u32,
    pub position: [Coordinate; 3],
    pub charge: f32,
}

/// The sums at a charge: forces, then others.
pub type Sums = Vec<i32>;

/// The domains of the tests.
pub fn labs() -> [Lab; 5] {
    let lab = |dimension, extent, periodic, precision| Lab { dimension, extent, periodic, precision };
    [
        lab(2, [40, 26, 1], [false; 3], Precision::F32),
        lab(2, [40, 25, 1], [true, true, false], Precision::F32),
        lab(3, [27, 16, 18], [false; 3], Precision::F32),
        lab(3, [27, 16, 18], [true; 3], Precision::F32),
        lab(3, [27, 16, 18], [true, false, true], Precision::F64),
    ]
}

impl Lab {
    pub fn setting(&self) -> Setting {
        Setting {
            dimension: self.dimension,
            precision: self.precision,
            extent: self.extent.map(|n| n as i32),
            periodic: self.periodic,
            reach: REACH,
            sight: 1.0,
        }
    }

    /// The toy law, with numbers up to `largest`.
    pub fn law(&self, between: bool, largest: f64) -> Law {
        let fixed = Fixed::fitting(largest, 24.0);
        Law {
            template: Template { name: "toy.wgsl", text: include_str!("toy.wgsl") },
            pieces: Vec::new(),
            context: context! { between, per_square => literal(1.0 / (RANGE * RANGE)) },
            range: RANGE,
            force: fixed,
            others: Some((OTHERS as u32, fixed)),
        }
    }

    fn sites(&self) -> Vec<[i32; 3]> {
        let [nx, ny, nz] = self.extent.map(|n| n as i32);
        (0..nz).flat_map(|z| (0..ny).flat_map(move |y| (0..nx).map(move |x| [x, y, z]))).collect()
    }

    /// Nodes of a rank: a slab.
    fn own(&self, comm: &dyn Comm) -> Vec<[i32; 3]> {
        let cut = |rank: usize| (rank * self.extent[0] / comm.size()) as i32;
        let slab = cut(comm.rank())..cut(comm.rank() + 1);
        self.sites().into_iter().filter(|site| slab.contains(&site[0])).collect()
    }

    pub fn map(&self, gpu: &Gpu, comm: &dyn Comm) -> Result<SiteMap> {
        let margin = largest_tile(REACH) - 1 + (REACH + 1.0) as i32;
        let mut builder = SiteMap::builder(self.dimension, &self.own(comm), margin, self.extent, self.periodic);
        builder.add_fluid(&self.sites());
        builder.build(gpu)
    }

    /// The charges of this rank, sorted, with lists of neighbours.
    pub fn particles(&self, gpu: &Gpu, comm: &dyn Comm, charges: &[Charge]) -> Result<Particles> {
        let sums = Declaration::passing("actions", Element::Integer, (self.dimension + OTHERS) as u32);
        let declared = [POSITION, ID, GONE, Declaration::kept("charge", Element::Real, 1), sums];
        let map = self.map(gpu, comm)?;
        let words = charges.iter().map(|charge| self.words(charge));
        let mut particles = Particles::new(gpu, comm, self.setting(), map, &self.own(comm), &declared, words)?;
        rebuild(gpu, comm, &mut particles)?;
        Ok(particles)
    }

    /// The raw words of a charge.
    pub fn words(&self, charge: &Charge) -> Vec<Vec<u32>> {
        let position = charge.position.iter().flat_map(|x| [x.site as u32, x.fraction]).collect();
        let real = bytemuck::pod_collect_to_vec::<u8, u32>(&self.precision.pack_real(&[f64::from(charge.charge)]));
        vec![position, vec![charge.id], vec![0], real, vec![0; self.dimension + OTHERS]]
    }

    /// `count` random charges, and `clump` more close to one place, with numbers in random order.
    pub fn charges(&self, seed: u64, count: usize, clump: usize) -> Vec<Charge> {
        let mut draws = Draws(seed);
        let middle = [0.37, 0.52, 0.61];
        let mut charges: Vec<Charge> = (0..count + clump)
            .map(|k| {
                let position = [0, 1, 2].map(|a| {
                    if a >= self.dimension {
                        return Coordinate::default();
                    }
                    let last = self.extent[a] as f64 - if self.periodic[a] { 0.0 } else { 1.0 };
                    let x = if k < count { draws.unit() * last } else { middle[a] * last + 2.0 * draws.unit() };
                    Coordinate::of(x)
                });
                Charge { id: 0, position, charge: (draws.unit() - 0.3) as f32 }
            })
            .collect();
        let mut numbers: Vec<u32> = (0..charges.len() as u32).collect();
        for k in (1..numbers.len()).rev() {
            numbers.swap(k, (draws.unit() * (k + 1) as f64) as usize);
        }
        charges.iter_mut().zip(numbers).for_each(|(charge, id)| charge.id = id);
        charges
    }

    /// The vector from `from` to the nearest image of `to`.
    fn way(&self, from: &Charge, to: &Charge) -> [f64; 3] {
        [0, 1, 2].map(|a| {
            let (r, period) = (to.position[a].value() - from.position[a].value(), self.extent[a] as f64);
            if self.periodic[a] { r - period * (r / period).round() } else { r }
        })
    }

    /// Checks the sums at `charge` from its pairs with `others`, in which it is the first where `is_first` is true.
    /// Returns how many are in range.
    pub fn check(
        &self,
        charge: &Charge,
        others: &[Charge],
        is_first: impl Fn(&Charge) -> bool,
        sums: &Sums,
        largest: f64,
    ) -> usize {
        let scale = self.law(false, largest).force.scale;
        let mut expected = vec![0.0; self.dimension + OTHERS];
        let (mut sizes, mut near) = (0.0, 0);
        for other in others {
            let away = self.way(charge, other);
            let square: f64 = away.iter().map(|x| x * x).sum();
            if square >= RANGE * RANGE {
                continue;
            }
            near += 1;
            let weight = 1.0 - square / (RANGE * RANGE);
            let (q, p) = (f64::from(charge.charge), f64::from(other.charge));
            // The force on the second points away from the first.
            (0..self.dimension).for_each(|a| expected[a] -= q * p * weight * away[a]);
            let (mixed, counted) = if is_first(other) { (q + 2.0 * p, 1.0) } else { (p - 3.0 * q, -1.0) };
            expected[self.dimension] += mixed * weight;
            expected[self.dimension + 1] += counted * weight;
            sizes += 4.0;
        }
        let epsilon = if self.precision == Precision::F64 { 1e-9 } else { 1e-6 };
        let allowed = sizes * epsilon + near as f64 / scale;
        for (k, (&sum, expected)) in sums.iter().zip(expected).enumerate() {
            let off = (f64::from(sum) / scale - expected).abs();
            assert!(off <= allowed, "{charge:?}, number {k}: off by {off:e} of {expected}, {allowed:e} is allowed");
        }
        near
    }
}

/// Sorts charges and makes lists again.
pub fn rebuild(gpu: &Gpu, comm: &dyn Comm, particles: &mut Particles) -> Result<()> {
    let mut recorder = Recorder::new(gpu);
    particles.rebuild(comm, &mut recorder, &CARRIED)?;
    recorder.flush()?;
    Ok(())
}

/// The sums at own charges, by number.
pub fn sums(particles: &Particles) -> Result<Vec<(u32, Sums)>> {
    let own = particles.own() as usize;
    let [words, id] = particles.words(["actions", "id"])?;
    let of = |i: usize| words[i..].iter().step_by(own).map(|&word| word as i32).collect();
    Ok(id.into_iter().enumerate().map(|(i, id)| (id, of(i))).collect())
}

/// Runs `work` on `ranks` ranks, each with its own device. Returns the joint results, ascending.
pub fn on_ranks<T: Ord + Send>(
    ranks: usize,
    precision: Precision,
    work: impl Fn(&Gpu, &Threads) -> Result<Vec<T>> + Sync,
) -> Vec<T> {
    let rank = |comm: &Threads| -> Result<Vec<T>> {
        let needs = Needs { f64: precision == Precision::F64, checks: true, ..Needs::default() };
        work(&Gpu::open(0, needs)?.shared_by_ranks()?, comm)
    };
    let mut found: Vec<T> = thread::scope(|scope| {
        let handles: Vec<_> = threads(ranks)
            .into_iter()
            .map(|comm| {
                scope.spawn({
                    let rank = &rank;
                    move || rank(&comm)
                })
            })
            .collect();
        let join = |handle: thread::ScopedJoinHandle<'_, Result<Vec<T>>>| {
            handle.join().expect("no panic").unwrap_or_else(|fault| panic!("{fault}"))
        };
        handles.into_iter().flat_map(join).collect()
    });
    found.sort();
    found
}

/// Pseudo-random numbers by SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
struct Draws(u64);

impl Draws {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ z >> 31) >> 11) as f64 / (1_u64 << 53) as f64
    }
}
