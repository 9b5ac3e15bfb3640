//! What is known of a population of chains.

use std::ops::Range;

use serde::Serialize;

use super::correlation::{self, Correlation, Relaxation};
use super::snapshot::{Bonds, Snapshot};
use crate::suspension::blocks::{Estimate, estimate};
use crate::suspension::tracks::{Displacement, Track, displacements};

/// Largest difference from 1 of the power of time with which displacements grow, where they are in proportion to time.
const EVEN: f64 = 0.1;

/// The same for single beads that have forgotten their velocities.
const DIFFUSIVE: f64 = 0.05;

/// The standard error of what `of` makes of all samples: by leaving out each in turn (Efron, The Jackknife, 1982). `None` for
/// fewer than two samples.
fn jackknife(samples: &[Bonds], of: fn(&Bonds) -> Option<f64>) -> Option<f64> {
    let all = samples.iter().fold(Bonds::default(), |sum, &of| sum.and(of));
    let without = samples.iter().map(|&sample| of(&all.without(sample))).collect::<Option<Vec<f64>>>()?;
    error_of_all(&without)
}

/// The standard error of what is known from all samples, by what is known without each in turn; `None` for fewer than two.
fn error_of_all(without: &[f64]) -> Option<f64> {
    let number = without.len() as f64;
    let mean = without.iter().sum::<f64>() / number;
    let squares = without.iter().map(|x| (x - mean).powi(2)).sum::<f64>();
    (without.len() > 1).then(|| (squares * (number - 1.0) / number).sqrt())
}

/// The chains of a population at consecutive times.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// Number of beads of each chain.
    pub beads: usize,
    /// 2 or 3.
    pub dimension: usize,
    /// Periodic axes: along others walls end all motion.
    pub periodic: [bool; 3],
    /// Times, s, evenly spaced.
    pub times: Vec<f64>,
    /// Of each chain a snapshot at each time.
    pub chains: Vec<Vec<Snapshot>>,
}

/// How the centres of chains diffuse, m2/s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Diffusion {
    /// The mean over the periodic axes; `None` without any.
    #[serde(rename = "diffusion_m2_per_s")]
    pub mean: Option<Estimate>,
    /// Along x, y, z, in 2-D along x, y.
    #[serde(rename = "diffusion_along_m2_per_s")]
    pub along: [Option<Estimate>; 3],
    /// The lags, s, between which displacements count; `None` where nothing is known of diffusion.
    #[serde(rename = "diffusion_lags_s")]
    pub lags_s: Option<[f64; 2]>,
    /// Whether both are beyond the time in which chains relax; else displacements in them grow as time does.
    #[serde(rename = "diffusion_beyond_relaxation")]
    pub relaxed: bool,
}

/// Means over chains and times, SI, with standard errors from blocks of times.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Summary {
    /// Number of chains.
    pub chains: usize,
    /// Number of beads of each.
    pub beads: usize,
    /// Number of times.
    pub frames: usize,
    /// <Rg^2>, m2.
    pub squared_radius_of_gyration_m2: Option<Estimate>,
    /// The parts of it along x, y, z, m2.
    pub squared_radii_of_gyration_m2: [Option<Estimate>; 3],
    /// R_h = 1 / <1 / R_h>, m: the radius of a sphere that diffuses as a chain through which the fluid does not pass, in 3-D.
    pub hydrodynamic_radius_m: Option<f64>,
    /// <R^2> of ends, or of opposite beads of rings, m2.
    pub squared_end_to_end_m2: Option<Estimate>,
    /// Relative shape anisotropy.
    pub anisotropy: Option<Estimate>,
    /// Mean square of the cosine between the end-to-end vector and the x axis.
    pub alignment_with_x: Option<Estimate>,
    /// Mean length of bonds, m.
    pub bond_m: f64,
    /// Its standard error over chains, of a single chain over blocks of times, m.
    pub bond_error_m: Option<f64>,
    /// Standard deviation of the length of bonds, m.
    pub bond_spread_m: f64,
    /// Mean cosine between bonds that follow each other.
    pub bend_cosine: Option<f64>,
    /// Its standard error, like that of bonds.
    pub bend_cosine_error: Option<f64>,
    /// Persistence length, m: that of a worm-like chain with this cosine, `-b / ln <cos>`.
    pub persistence_length_m: Option<f64>,
    /// Its standard error, like that of bonds, m.
    pub persistence_length_error_m: Option<f64>,
    /// How fast the end-to-end vector forgets its direction; `None` for single beads.
    #[serde(skip)]
    pub relaxation: Option<Relaxation>,
    /// Time in which the end-to-end vector forgets its direction, s.
    pub relaxation_time_s: Option<f64>,
    /// Its standard error over chains, s; `None` for a single chain, and where there is no such time without some chain.
    pub relaxation_time_error_s: Option<f64>,
    /// How many relaxation times the frames span.
    pub relaxations: Option<f64>,
    /// Diffusion of the centres: by their mean square displacement about the mean motion of all chains.
    #[serde(flatten)]
    pub diffusion: Diffusion,
    /// The same by the integral of the centres' velocity correlation, where frames are dense enough.
    pub diffusion_by_velocity_m2_per_s: Option<f64>,
}

impl History {
    /// Seconds between frames.
    pub fn interval(&self) -> f64 {
        match self.times.len() {
            0 | 1 => 0.0,
            frames => (self.times[frames - 1] - self.times[0]) / (frames - 1) as f64,
        }
    }

    /// The mean over chains at each time.
    pub fn means(&self, of: impl Fn(&Snapshot) -> f64) -> Vec<f64> {
        let number = self.chains.len() as f64;
        (0..self.times.len()).map(|t| self.chains.iter().map(|chain| of(&chain[t])).sum::<f64>() / number).collect()
    }

    fn series(&self, of: impl Fn(&Snapshot) -> [f64; 3]) -> Vec<Vec<[f64; 3]>> {
        self.chains.iter().map(|chain| chain.iter().map(&of).collect()).collect()
    }

    /// The correlation of end-to-end vectors.
    pub fn end_to_end(&self) -> Correlation {
        correlation::normalized(&self.series(|at| at.end_to_end))
    }

    /// The correlation of the mode with number `p`, from 1, and <X_p^2>.
    pub fn mode(&self, p: usize) -> (Correlation, f64) {
        let found = correlation::products(&self.series(|at| at.modes[p - 1]));
        let square = found.first().map_or(0.0, |&(_, value)| value);
        (found.into_iter().map(|(lag, value)| (lag, value / square)).collect(), square)
    }

    /// Number of modes.
    pub fn modes(&self) -> usize {
        self.chains.first().and_then(|chain| chain.first()).map_or(0, |at| at.modes.len())
    }

    /// The correlation of the centres' velocities about their mean over all chains and times, m2/s2.
    pub fn velocities(&self) -> Correlation {
        self.velocities_along(|_| true)
    }

    /// The same of the components along some axes.
    fn velocities_along(&self, counts: impl Fn(usize) -> bool) -> Correlation {
        let number = (self.chains.len() * self.times.len()) as f64;
        let mean: [f64; 3] =
            std::array::from_fn(|a| self.chains.iter().flatten().map(|at| at.velocity[a]).sum::<f64>() / number);
        let off = |at: &Snapshot, a: usize| if counts(a) { at.velocity[a] - mean[a] } else { 0.0 };
        correlation::products(&self.series(|at| std::array::from_fn(|a| off(at, a))))
    }

    /// Displacements of the centres over lags.
    pub fn displacements(&self) -> Vec<Displacement> {
        let tracks = self.tracks();
        displacements(&tracks.iter().collect::<Vec<_>>(), &self.times)
    }

    fn tracks(&self) -> Vec<Track> {
        let track = |(id, chain): (usize, &Vec<Snapshot>)| Track {
            id: id as u64,
            kind: 0,
            frame: (0..self.times.len()).collect(),
            position: chain.iter().map(|at| at.centre).collect(),
        };
        self.chains.iter().enumerate().map(track).collect()
    }

    /// Mean square displacements along x, y, z over `lag` frames within the frames `range`. With several chains their common
    /// motion does not count.
    fn moved(&self, range: &Range<usize>, lag: usize) -> [f64; 3] {
        let (mut square, mut number) = ([0.0; 3], 0.0);
        for i in range.start..range.end - lag {
            let moved = |chain: &Vec<Snapshot>| -> [f64; 3] {
                std::array::from_fn(|a| chain[i + lag].centre[a] - chain[i].centre[a])
            };
            let all: Vec<[f64; 3]> = self.chains.iter().map(moved).collect();
            let many = all.len() as f64;
            for (a, square) in square.iter_mut().enumerate() {
                let common = if all.len() > 1 { all.iter().map(|d| d[a]).sum::<f64>() / many } else { 0.0 };
                *square += all.iter().map(|d| (d[a] - common).powi(2)).sum::<f64>() / (many - 1.0).max(1.0);
            }
            number += 1.0;
        }
        square.map(|square| square / number)
    }

    /// The axes whose mean is taken.
    fn free_axes(&self) -> impl Iterator<Item = usize> + Clone {
        let periodic = self.periodic;
        (0..self.dimension).filter(move |&a| periodic[a])
    }

    /// D = (MSD(t2) - MSD(t1)) / (2 (t2 - t1)) along each axis, with t2 = 2 t1, and t1 a relaxation time or more, by each of up to
    /// eight consecutive parts of the run. For single beads t1 is the time after which they have forgotten their velocities.
    /// Where the run is too short for that, t1 is a sixteenth of it, if displacements grow in proportion to time there; else
    /// `None`.
    fn diffusion(&self, relaxation: Option<Relaxation>) -> Option<Diffusion> {
        let frames = self.times.len();
        // Before they have relaxed, chains move otherwise than later.
        let least = match relaxation {
            None => Some(self.forgotten() as f64),
            Some(Relaxation::Frames(frames)) => Some(frames),
            Some(Relaxation::Fast(frames)) => Some(frames as f64),
            Some(Relaxation::Slow) => None,
        };
        let parts = |first: usize| (frames / (4 * first)).clamp(1, 8);
        let relaxed =
            least.map(|least| (least.ceil() as usize).max(1)).filter(|&first| frames / parts(first) >= 3 * first);
        let first = match relaxed {
            Some(first) => first,
            None => self.even_growth()?,
        };
        let (parts, seconds) = (parts(first), first as f64 * self.interval());
        let length = frames / parts;
        let of_part = |part: usize| -> [f64; 3] {
            let range = part * length..(part + 1) * length;
            let [short, long] = [first, 2 * first].map(|lag| self.moved(&range, lag));
            std::array::from_fn(|a| (long[a] - short[a]) / (2.0 * seconds))
        };
        let found: Vec<[f64; 3]> = (0..parts).map(of_part).collect();
        let free = self.free_axes();
        let number = free.clone().count() as f64;
        let mean = |along: &[f64; 3]| free.clone().map(|a| along[a]).sum::<f64>() / number;
        Some(Diffusion {
            // Without such axes the means are no numbers, and there is no estimate.
            mean: estimate(found.iter().map(mean)),
            along: [0, 1, 2].map(|a| if a < self.dimension { estimate(found.iter().map(|of| of[a])) } else { None }),
            lags_s: Some([seconds, 2.0 * seconds]),
            relaxed: relaxed.is_some(),
        })
    }

    /// Frames, a power of two and at most a sixteenth of all, from which on displacements of single beads grow in proportion
    /// to time.
    fn forgotten(&self) -> usize {
        let most = (self.times.len() / 16).max(1);
        let lags = std::iter::successors(Some(1), |lag| Some(2 * lag)).take_while(|&lag| lag < most);
        lags.into_iter().find(|&lag| (self.power(lag) - 1.0).abs() < DIFFUSIVE).unwrap_or(most)
    }

    /// The power of time with which mean square displacements grow from a lag to twice that.
    fn power(&self, lag: usize) -> f64 {
        let (frames, free) = (self.times.len(), self.free_axes());
        let axes: Vec<usize> = if free.clone().count() > 0 { free.collect() } else { (0..self.dimension).collect() };
        let square = |lag: usize| {
            let moved = self.moved(&(0..frames), lag);
            axes.iter().map(|&a| moved[a]).sum::<f64>()
        };
        (square(2 * lag) / square(lag)).log2()
    }

    /// A sixteenth of the frames, if displacements grow in proportion to time from there to twice that.
    fn even_growth(&self) -> Option<usize> {
        let frames = self.times.len();
        let first = (frames / 16).max(1);
        (frames >= 8 && (self.power(first) - 1.0).abs() < EVEN).then_some(first)
    }

    /// The bonds of each chain at all times; of a single chain those in each of up to eight parts of the run.
    fn samples_of_bonds(&self) -> Vec<Bonds> {
        let sum = |part: &[Snapshot]| part.iter().fold(Bonds::default(), |sum, at| sum.and(at.bonds));
        match self.chains.as_slice() {
            [single] => single.chunks(single.len().div_ceil(8).max(1)).map(sum).collect(),
            many => many.iter().map(|chain| sum(chain)).collect(),
        }
    }

    /// The standard error of the relaxation time over chains, frames.
    fn relaxation_error(&self) -> Option<f64> {
        let chains = self.series(|at| at.end_to_end);
        let each: Vec<Correlation> = chains.chunks(1).map(correlation::products).collect();
        let mut all = each.first()?.iter().map(|&(lag, _)| (lag, 0.0)).collect::<Correlation>();
        for chain in &each {
            all.iter_mut().zip(chain).for_each(|(sum, (_, value))| sum.1 += value);
        }
        let without = |chain: &Correlation| {
            let rest: Correlation = all.iter().zip(chain).map(|(&(lag, sum), (_, value))| (lag, sum - value)).collect();
            let first = rest[0].1;
            let rest: Correlation = rest.into_iter().map(|(lag, value)| (lag, value / first)).collect();
            correlation::relaxation(&rest).frames()
        };
        error_of_all(&each.iter().map(without).collect::<Option<Vec<f64>>>()?)
    }

    /// All that is known of the population.
    pub fn summary(&self) -> Summary {
        let samples = self.samples_of_bonds();
        let bonds = samples.iter().fold(Bonds::default(), |sum, &of| sum.and(of));
        let bond = bonds.mean().unwrap_or(0.0);
        let aligned = |at: &Snapshot| {
            let squared: f64 = at.end_to_end.iter().map(|x| x * x).sum();
            if squared > 0.0 { at.end_to_end[0].powi(2) / squared } else { f64::NAN }
        };
        let relaxation = (self.beads > 1).then(|| correlation::relaxation(&self.end_to_end()));
        let time = relaxation.and_then(Relaxation::frames);
        // Walls end the motion along other axes.
        let free = self.free_axes().count() as f64;
        let velocities = self.velocities_along(|a| self.periodic[a]);
        let snapshots = (self.chains.len() * self.times.len()) as f64;
        let inverse = self.chains.iter().flatten().map(|at| at.inverse_hydrodynamic_radius).sum::<f64>() / snapshots;
        // Dense frames resolve how velocities are forgotten.
        let dense = free > 0.0 && velocities.len() > 3 && velocities[1].1 > 0.5 * velocities[0].1;
        Summary {
            chains: self.chains.len(),
            beads: self.beads,
            frames: self.times.len(),
            squared_radius_of_gyration_m2: estimate(self.means(|at| at.squared_radius)),
            squared_radii_of_gyration_m2: [0, 1, 2]
                .map(|a| if a < self.dimension { estimate(self.means(|at| at.squared_radii[a])) } else { None }),
            hydrodynamic_radius_m: (self.dimension == 3 && self.beads > 1).then(|| 1.0 / inverse),
            squared_end_to_end_m2: estimate(self.means(|at| at.end_to_end.iter().map(|x| x * x).sum())),
            anisotropy: estimate(self.means(|at| at.anisotropy)),
            alignment_with_x: estimate(self.means(aligned)),
            bond_m: bond,
            bond_error_m: jackknife(&samples, Bonds::mean),
            bond_spread_m: (bonds.squared / bonds.number.max(1) as f64 - bond * bond).max(0.0).sqrt(),
            bend_cosine: bonds.bend_cosine(),
            bend_cosine_error: jackknife(&samples, Bonds::bend_cosine),
            persistence_length_m: bonds.persistence_length(),
            persistence_length_error_m: jackknife(&samples, Bonds::persistence_length),
            relaxation,
            relaxation_time_s: time.map(|frames| frames * self.interval()),
            relaxation_time_error_s: time.and_then(|_| Some(self.relaxation_error()? * self.interval())),
            relaxations: time.map(|frames| self.times.len() as f64 / frames),
            diffusion: self.diffusion(relaxation).unwrap_or_default(),
            diffusion_by_velocity_m2_per_s: dense.then(|| correlation::integral(&velocities, self.interval()) / free),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::modes;
    use super::*;

    struct Random(u64);

    impl Random {
        fn uniform(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 11) as f64 / (1_u64 << 53) as f64
        }

        /// A normal number: twelve uniform ones.
        fn normal(&mut self) -> f64 {
            (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
        }
    }

    #[test]
    fn ideal_chains_have_the_sizes_of_theory() {
        let (mut random, number) = (Random(3), 16_usize);
        let mut chain = |ring: bool| {
            let mut at = [0.0; 3];
            let mut beads: Vec<[f64; 3]> = Vec::new();
            for _ in 0..number {
                beads.push(at);
                at = at.map(|x| x + random.normal());
            }
            if ring {
                // A walk that comes back: what is left over is taken out evenly.
                for (i, bead) in beads.iter_mut().enumerate() {
                    *bead = std::array::from_fn(|a| bead[a] - at[a] * i as f64 / number as f64);
                }
            }
            Snapshot::of(&beads, &vec![[0.0; 3]; number], ring, 3)
        };
        let chains = |ring: bool, chain: &mut dyn FnMut(bool) -> Snapshot| {
            let history = History {
                beads: number,
                dimension: 3,
                periodic: [true; 3],
                times: vec![0.0],
                chains: (0..4000).map(|_| vec![chain(ring)]).collect(),
            };
            let mode = [1, 3, 8].map(|p| history.mode(p).1);
            (history.summary(), mode)
        };
        let n = number as f64;
        let (open, open_modes) = chains(false, &mut chain);
        let mean = |estimate: Option<Estimate>| estimate.expect("a mean").mean;
        // Bonds of three normal numbers: b^2 = 3.
        let near = |found: f64, wanted: f64, what: &str| {
            assert!((found / wanted - 1.0).abs() < 0.05, "{what}: {found}, {wanted}")
        };
        near(mean(open.squared_end_to_end_m2), 3.0 * (n - 1.0), "R^2");
        near(mean(open.squared_radius_of_gyration_m2), 3.0 * (n * n - 1.0) / (6.0 * n), "Rg^2");
        for (p, found) in [1, 3, 8].into_iter().zip(open_modes) {
            near(found, modes::of_ideal(3.0, number, p, false), "X_p^2");
        }
        // <1/r> of three normal numbers, each of k steps: sqrt(2 / (pi k)).
        let pairs: f64 =
            (1..number).map(|k| 2.0 * (n - k as f64) * (2.0 / (std::f64::consts::PI * k as f64)).sqrt()).sum();
        near(open.hydrodynamic_radius_m.expect("pairs"), n * n / pairs, "R_h");
        near(mean(open.alignment_with_x), 1.0 / 3.0, "alignment");
        assert!(open.bend_cosine.expect("bends").abs() < 0.02);
        let (ring, ring_modes) = chains(true, &mut chain);
        let squared = ring.bond_m.powi(2) + ring.bond_spread_m.powi(2);
        for (p, found) in [1, 3, 8].into_iter().zip(ring_modes) {
            near(found, modes::of_ideal(squared, number, p, true), "X_p^2 of rings");
        }
        near(mean(ring.squared_radius_of_gyration_m2), 3.0 * (n * n - 1.0) / (12.0 * n), "Rg^2 of rings");
    }

    #[test]
    fn free_centres_diffuse() {
        let (mut random, step, frames) = (Random(9), 0.3, 2000);
        let chains: Vec<Vec<Snapshot>> = (0..20)
            .map(|_| {
                let mut at = [0.0; 3];
                (0..frames)
                    .map(|_| {
                        // A common drift along x.
                        at = [at[0] + step * random.normal() + 2.0, at[1] + step * random.normal(), 0.0];
                        Snapshot::of(&[at], &[[0.0; 3]], false, 2)
                    })
                    .collect()
            })
            .collect();
        let times = (0..frames).map(|i| 0.5 * f64::from(i)).collect();
        let mut history = History { beads: 1, dimension: 2, periodic: [true, true, false], times, chains };
        let summary = history.summary();
        let found = summary.diffusion;
        // <d^2> = 2 D t along each axis.
        let wanted = step * step / (2.0 * 0.5);
        let near = |found: Option<Estimate>| (found.expect("an estimate").mean / wanted - 1.0).abs() < 0.09;
        assert!(near(found.mean) && near(found.along[0]) && near(found.along[1]), "{found:?}, wanted {wanted}");
        assert!(found.along[2].is_none() && found.relaxed);
        // Only periodic axes count in the mean.
        history.periodic = [false, true, false];
        assert_eq!(history.summary().diffusion.mean, found.along[1]);
        history.periodic = [false; 3];
        let closed = history.summary().diffusion;
        assert!(closed.mean.is_none() && closed.along[0].is_some());
        // Rods that never turn have no relaxation time, but move as evenly.
        history.periodic = [true, true, false];
        history.beads = 2;
        history.chains.iter_mut().flatten().for_each(|at| at.end_to_end = [1.0, 0.0, 0.0]);
        let rods = history.summary();
        assert_eq!(rods.relaxation, Some(Relaxation::Slow));
        let found = rods.diffusion;
        assert!(!found.relaxed && (found.mean.expect("an estimate").mean / wanted - 1.0).abs() < 0.5, "{found:?}");
        assert_eq!((summary.relaxation_time_s, summary.diffusion_by_velocity_m2_per_s), (None, None));
    }

    #[test]
    fn relaxation_times_have_the_errors_of_chains() {
        let mut random = Random(5);
        // End-to-end vectors that forget as exp(-t / 10 frames), with <R^2> of 1.
        let c = (-0.1_f64).exp();
        let mut history = |number: usize| {
            let mut chain = || {
                let mut at = [0.0; 3];
                let mut step = || {
                    at = at.map(|x| c * x + ((1.0 - c * c) / 3.0).sqrt() * random.normal());
                    Snapshot { end_to_end: at, ..Snapshot::of(&[[0.0; 3]; 2], &[[0.0; 3]; 2], false, 3) }
                };
                (0..100).for_each(|_| _ = step());
                (0..400).map(|_| step()).collect()
            };
            let chains = (0..number).map(|_| chain()).collect();
            let times = (0..400).map(|i| 0.5 * f64::from(i)).collect();
            History { beads: 2, dimension: 3, periodic: [true; 3], times, chains }
        };
        // Errors of ten ensembles of ten chains, and how much their times differ.
        let found: Vec<Summary> = (0..10).map(|_| history(10).summary()).collect();
        let times: Vec<f64> = found.iter().map(|of| of.relaxation_time_s.expect("a time")).collect();
        let mean = times.iter().sum::<f64>() / 10.0;
        let spread = (times.iter().map(|time| (time - mean).powi(2)).sum::<f64>() / 9.0).sqrt();
        let squares = found.iter().map(|of| of.relaxation_time_error_s.expect("an error").powi(2)).sum::<f64>();
        let told = (squares / 10.0).sqrt();
        assert!((mean / 5.0 - 1.0).abs() < 0.15, "{mean} s");
        assert!((0.4..2.5).contains(&(told / spread)), "{told} s is told, {spread} s is the spread");
        let single = history(1).summary();
        assert_eq!(single.relaxation_time_error_s, None);
    }

    #[test]
    fn errors_over_samples_are_those_of_means() {
        let bond = |length: f64| Bonds { number: 2, length: 2.0 * length, ..Bonds::default() };
        let found = jackknife(&[bond(1.0), bond(2.0), bond(6.0)], Bonds::mean).expect("three samples");
        // s^2 = 7, over 3.
        assert!((found - (7.0_f64 / 3.0).sqrt()).abs() < 1e-12, "{found}");
        assert_eq!(jackknife(&[bond(1.0)], Bonds::mean), None);
    }
}
