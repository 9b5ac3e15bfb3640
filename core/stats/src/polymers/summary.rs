//! What is known of a population of chains.

use serde::Serialize;

use super::correlation::{self, Correlation};
use super::snapshot::{Bonds, Snapshot};
use crate::suspension::blocks::{Estimate, estimate};
use crate::suspension::tracks::{Displacement, Track, displacements};

/// The chains of a population at consecutive times.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// Number of beads of each chain.
    pub beads: usize,
    /// 2 or 3.
    pub dimension: usize,
    /// Times, s, evenly spaced.
    pub times: Vec<f64>,
    /// Of each chain a snapshot at each time.
    pub chains: Vec<Vec<Snapshot>>,
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
    /// Standard deviation of the length of bonds, m.
    pub bond_spread_m: f64,
    /// Mean cosine between bonds that follow each other.
    pub bend_cosine: Option<f64>,
    /// Persistence length, m: that of a worm-like chain with this cosine, `-b / ln <cos>`.
    pub persistence_length_m: Option<f64>,
    /// Time in which the end-to-end vector forgets its direction, s.
    pub relaxation_time_s: Option<f64>,
    /// How many relaxation times the frames span.
    pub relaxations: Option<f64>,
    /// Diffusion coefficient of the centres, m2/s: by their mean square displacement about the mean motion of all chains.
    pub diffusion_m2_per_s: Option<Estimate>,
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
        let number = (self.chains.len() * self.times.len()) as f64;
        let mean: [f64; 3] =
            std::array::from_fn(|a| self.chains.iter().flatten().map(|at| at.velocity[a]).sum::<f64>() / number);
        correlation::products(&self.series(|at| std::array::from_fn(|a| at.velocity[a] - mean[a])))
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

    /// D = (MSD(t2) - MSD(t1)) / (2 d (t2 - t1)) with t2 = 2 t1, and t1 a relaxation time or more, by each of up to eight
    /// consecutive parts of the run. `None` where the run is too short, or where chains have no relaxation time.
    fn diffusion(&self, relaxation: Option<f64>) -> Option<Estimate> {
        let frames = self.times.len();
        // Before they have relaxed, chains move otherwise than later.
        let least = if self.beads > 1 { relaxation? } else { 1.0 };
        let first = (least.ceil() as usize).max(1);
        let parts = (frames / (4 * first)).clamp(1, 8);
        let length = frames / parts;
        if length < 3 * first {
            return None;
        }
        let of_part = |part: usize| {
            let at = |lag: usize| {
                let (mut square, mut number) = (0.0, 0.0);
                for i in part * length..(part + 1) * length - lag {
                    let moved = |chain: &[Snapshot]| -> [f64; 3] {
                        std::array::from_fn(|a| chain[i + lag].centre[a] - chain[i].centre[a])
                    };
                    // With several chains their common motion does not count.
                    let all: Vec<[f64; 3]> = self.chains.iter().map(|chain| moved(chain)).collect();
                    let common: [f64; 3] = match all.len() {
                        1 => [0.0; 3],
                        many => std::array::from_fn(|a| all.iter().map(|d| d[a]).sum::<f64>() / many as f64),
                    };
                    let freedom = if all.len() > 1 { all.len() as f64 - 1.0 } else { 1.0 };
                    let off = |d: &[f64; 3]| (0..3).map(|a| (d[a] - common[a]).powi(2)).sum::<f64>();
                    square += all.iter().map(off).sum::<f64>() / freedom;
                    number += 1.0;
                }
                square / number
            };
            let seconds = first as f64 * self.interval();
            (at(2 * first) - at(first)) / (2.0 * self.dimension as f64 * seconds)
        };
        estimate((0..parts).map(of_part))
    }

    /// All that is known of the population.
    pub fn summary(&self) -> Summary {
        let bonds = self.chains.iter().flatten().fold(Bonds::default(), |sum, at| sum.and(at.bonds));
        let number = bonds.number.max(1) as f64;
        let bond = bonds.length / number;
        let cosine = (bonds.bends > 0).then(|| bonds.cosine / bonds.bends as f64);
        let aligned = |at: &Snapshot| {
            let squared: f64 = at.end_to_end.iter().map(|x| x * x).sum();
            if squared > 0.0 { at.end_to_end[0].powi(2) / squared } else { f64::NAN }
        };
        let relaxation = if self.beads > 1 { correlation::relaxation(&self.end_to_end()) } else { None };
        let velocities = self.velocities();
        let snapshots = (self.chains.len() * self.times.len()) as f64;
        let inverse = self.chains.iter().flatten().map(|at| at.inverse_hydrodynamic_radius).sum::<f64>() / snapshots;
        // Dense frames resolve how velocities are forgotten.
        let dense = velocities.len() > 3 && velocities[1].1 > 0.5 * velocities[0].1;
        Summary {
            chains: self.chains.len(),
            beads: self.beads,
            frames: self.times.len(),
            squared_radius_of_gyration_m2: estimate(self.means(|at| at.squared_radius)),
            hydrodynamic_radius_m: (self.dimension == 3 && self.beads > 1).then(|| 1.0 / inverse),
            squared_end_to_end_m2: estimate(self.means(|at| at.end_to_end.iter().map(|x| x * x).sum())),
            anisotropy: estimate(self.means(|at| at.anisotropy)),
            alignment_with_x: estimate(self.means(aligned)),
            bond_m: bond,
            bond_spread_m: (bonds.squared / number - bond * bond).max(0.0).sqrt(),
            bend_cosine: cosine,
            persistence_length_m: cosine.filter(|c| *c > 0.0 && *c < 1.0).map(|c| -bond / c.ln()),
            relaxation_time_s: relaxation.map(|frames| frames * self.interval()),
            relaxations: relaxation.map(|frames| self.times.len() as f64 / frames),
            diffusion_m2_per_s: self.diffusion(relaxation),
            diffusion_by_velocity_m2_per_s: dense
                .then(|| correlation::integral(&velocities, self.interval()) / self.dimension as f64),
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
        let summary = History { beads: 1, dimension: 2, times, chains }.summary();
        let found = summary.diffusion_m2_per_s.expect("long enough");
        // <d^2> = 2 D t along each axis.
        let wanted = step * step / (2.0 * 0.5);
        assert!((found.mean / wanted - 1.0).abs() < 0.06, "{found:?}, wanted {wanted}");
        assert_eq!((summary.relaxation_time_s, summary.diffusion_by_velocity_m2_per_s), (None, None));
    }
}
