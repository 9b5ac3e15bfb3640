//! Trajectories of members of a suspension: displacements, velocities, dispersion.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::Serialize;

/// The positions of one member at the dumps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Track {
    /// Its global number.
    pub id: u64,
    /// Number of its population.
    pub kind: usize,
    /// Indices of the frames that hold the member, ascending.
    pub frame: Vec<usize>,
    /// Centroid in each of these frames, unwrapped across periodic faces, m.
    pub position: Vec<[f64; 3]>,
}

/// The tracks, ascending by id. Frames hold (id, population, unwrapped centroid in m) of each member.
pub fn tracks<F: IntoIterator<Item = (u64, usize, [f64; 3])>>(frames: impl IntoIterator<Item = F>) -> Vec<Track> {
    let mut found = BTreeMap::<u64, Track>::new();
    for (number, frame) in frames.into_iter().enumerate() {
        for (id, kind, position) in frame {
            let track = found.entry(id).or_insert_with(|| Track { id, kind, ..Track::default() });
            track.frame.push(number);
            track.position.push(position);
        }
    }
    found.into_values().collect()
}

impl Track {
    /// Mean velocity, m/s: the displacement from the first frame of the track to the last over the time between them.
    /// `None` for a single position. `time` holds the times of all frames, s.
    pub fn mean_velocity(&self, time: &[f64]) -> Option<[f64; 3]> {
        let last = self.frame.len().checked_sub(1).filter(|&last| last > 0)?;
        let dt = time[self.frame[last]] - time[self.frame[0]];
        Some(std::array::from_fn(|a| (self.position[last][a] - self.position[0][a]) / dt))
    }

    /// Pairs of frames that hold the member.
    pub fn pairs(&self) -> usize {
        self.frame.len() * self.frame.len().saturating_sub(1) / 2
    }

    /// Velocity at each frame of the track, m/s, from differences between the frames next to it. `None` for a single
    /// position. `time` holds the times of all frames, s.
    pub fn velocities(&self, time: &[f64]) -> Option<Vec<[f64; 3]>> {
        let last = self.frame.len().checked_sub(1).filter(|&last| last > 0)?;
        let velocity = |i: usize| {
            let (before, after) = (i.saturating_sub(1), (i + 1).min(last));
            let dt = time[self.frame[after]] - time[self.frame[before]];
            std::array::from_fn(|a| (self.position[after][a] - self.position[before][a]) / dt)
        };
        Some((0..=last).map(velocity).collect())
    }
}

/// Statistics of displacements over one time lag.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Displacement {
    /// The lag, s: the mean over its pairs.
    pub lag_s: f64,
    /// Number of pairs of frames of a member in the means.
    pub pairs: usize,
    /// Mean displacement along x, y, z, m.
    pub mean_m: [f64; 3],
    /// Mean square displacement along x, y, z, m2.
    pub mean_square_m2: [f64; 3],
    /// `<(d - u t)^2> / (2 lag)` along x, y, z, m2/s, with t the time between the frames of a pair and u = `<d> / <t>`:
    /// the dispersion about the mean motion.
    pub dispersion_m2_per_s: [f64; 3],
}

/// Most lags that [`displacements`] tries.
const LAGS: usize = 40;
/// Most pairs of frames by which lags are chosen.
const LOOKED_AT: usize = 4_000_000;
/// Of so many spacings of frames one may be shorter than the unit of lags.
const SHORT: usize = 20;
/// Spacings of frames that count as equal to the shortest of them, as shares of it.
const EQUAL: std::ops::Range<f64> = 0.9..1.5;

/// Displacements of the tracks over lags that grow from one frame to three quarters of the run.
///
/// A pair of frames belongs to the multiple of a unit of time that is nearest to the time between them. The unit is the
/// shortest spacing of frames, but for one in twenty. Where spacings differ by rounding it is their mean. Among
/// neighbouring lags those count that most pairs of frames have; a lag has all its pairs.
pub fn displacements(tracks: &[&Track], time: &[f64]) -> Vec<Displacement> {
    let Some(unit) = unit(time) else { return Vec::new() };
    lags(time, unit).into_iter().filter_map(|lag| displacement(tracks, time, unit, lag)).collect()
}

/// The unit of lags, s; `None` for a single frame.
fn unit(time: &[f64]) -> Option<f64> {
    let mut spacings: Vec<f64> = time.windows(2).map(|pair| pair[1] - pair[0]).filter(|&apart| apart > 0.0).collect();
    spacings.sort_by(f64::total_cmp);
    let last = spacings.len().checked_sub(1)?;
    let shortest = spacings[spacings.len().div_ceil(SHORT).min(last)];
    let equal = || spacings.iter().filter(|&&spacing| EQUAL.contains(&(spacing / shortest)));
    Some(equal().sum::<f64>() / equal().count() as f64)
}

/// The lag of two frames in units.
fn lag_of(apart: f64, unit: f64) -> usize {
    (apart / unit).round() as usize
}

/// The lags in units: of each of the stretches in which lags grow by the same factor, that which most pairs of frames
/// have.
fn lags(time: &[f64], unit: f64) -> Vec<usize> {
    let frames = time.len();
    let mut pairs = BTreeMap::<usize, usize>::new();
    for i in (0..frames).step_by((frames * frames / 2).div_ceil(LOOKED_AT).max(1)) {
        for later in &time[i + 1..] {
            *pairs.entry(lag_of(later - time[i], unit)).or_default() += 1;
        }
    }
    let all = lag_of(time[frames - 1] - time[0], unit) + 1;
    let mut starts: Vec<usize> =
        (0..LAGS).map(|i| (0.75 * all as f64).powf(i as f64 / (LAGS - 1) as f64).round() as usize).collect();
    starts.dedup();
    // The last stretch is a tenth long.
    let ends = starts.iter().skip(1).copied().chain(starts.last().map(|last| last + last.div_ceil(10)));
    let most = |(&start, end): (&usize, usize)| {
        pairs.range(start..end).max_by_key(|&(&lag, &number)| (number, Reverse(lag))).map(|(&lag, _)| lag)
    };
    starts.iter().zip(ends).filter_map(most).collect()
}

/// Sums over the pairs of a lag.
#[derive(Default)]
struct Sums {
    pairs: usize,
    /// Of the times between frames, and their squares.
    time: [f64; 2],
    moved: [f64; 3],
    square: [f64; 3],
    /// Of displacements times the times between frames.
    product: [f64; 3],
}

impl Sums {
    fn add(&mut self, apart: f64, from: [f64; 3], to: [f64; 3]) {
        self.pairs += 1;
        self.time[0] += apart;
        self.time[1] += apart * apart;
        for a in 0..3 {
            let d = to[a] - from[a];
            self.moved[a] += d;
            self.square[a] += d * d;
            self.product[a] += d * apart;
        }
    }
}

fn displacement(tracks: &[&Track], time: &[f64], unit: f64, lag: usize) -> Option<Displacement> {
    let mut sums = Sums::default();
    for track in tracks {
        let apart = |i: usize, j: usize| time[track.frame[j]] - time[track.frame[i]];
        let mut first = 0;
        for i in 0..track.frame.len() {
            first = first.max(i + 1);
            while first < track.frame.len() && lag_of(apart(i, first), unit) < lag {
                first += 1;
            }
            let equal = (first..track.frame.len()).take_while(|&j| lag_of(apart(i, j), unit) == lag);
            equal.for_each(|j| sums.add(apart(i, j), track.position[i], track.position[j]));
        }
    }
    let number = sums.pairs as f64;
    let lag_s = sums.time[0] / number;
    let spread = |a: usize| {
        let u = sums.moved[a] / sums.time[0];
        (sums.square[a] - 2.0 * u * sums.product[a] + u * u * sums.time[1]).max(0.0) / number
    };
    (sums.pairs > 0).then(|| Displacement {
        lag_s,
        pairs: sums.pairs,
        mean_m: sums.moved.map(|v| v / number),
        mean_square_m2: sums.square.map(|v| v / number),
        dispersion_m2_per_s: std::array::from_fn(|a| spread(a) / (2.0 * lag_s)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn straight_flight_is_ballistic() {
        let time: Vec<f64> = (0..50).map(|i| 0.1 * f64::from(i)).collect();
        let at = |id: u64, t: f64| [id as f64 + 2.0 * t, -t, 0.0];
        // Cell 2 enters late.
        let frames = time.iter().enumerate().map(|(i, &t)| {
            (1..=2).filter(move |&id| id == 1 || i >= 20).map(move |id| (id, 0, at(id, t))).collect::<Vec<_>>()
        });
        let found = tracks(frames);
        assert_eq!((found.len(), found[1].frame[0], found[1].position.len()), (2, 20, 30));
        for track in &found {
            let u = track.mean_velocity(&time).expect("moves");
            assert!((u[0] - 2.0).abs() < 1e-9 && (u[1] + 1.0).abs() < 1e-9);
            assert!(track.velocities(&time).expect("moves").iter().all(|v| (v[0] - 2.0).abs() < 1e-9));
        }
        let all = displacements(&found.iter().collect::<Vec<_>>(), &time);
        assert!(all.len() > 10 && (all[0].lag_s / time[1] - 1.0).abs() < 1e-12);
        for d in all {
            assert!((d.mean_square_m2[0] / (2.0 * d.lag_s).powi(2) - 1.0).abs() < 1e-9);
            assert!(d.dispersion_m2_per_s[0] < 1e-9);
        }
    }

    #[test]
    fn opposite_walks_disperse_without_a_mean() {
        // Four cells step +1 or -1 along y in all ways of two steps: <d^2> = number of steps.
        let ways = [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]];
        let found = tracks((0..3).map(|f| {
            ways.iter()
                .enumerate()
                .map(move |(id, way)| (id as u64, 0, [0.0, way[..f].iter().sum(), 0.0]))
                .collect::<Vec<_>>()
        }));
        let all = displacements(&found.iter().collect::<Vec<_>>(), &[0.0, 0.5, 1.0]);
        assert_eq!((all[0].pairs, all[0].mean_square_m2[1], all[0].dispersion_m2_per_s[1]), (8, 1.0, 1.0));
        assert_eq!(all[1].mean_square_m2[1], 2.0);
    }

    /// A track of one member at x = `x(time)`.
    fn along(time: &[f64], x: impl Fn(f64) -> f64) -> Track {
        let position = time.iter().map(|&t| [x(t), 0.0, 0.0]).collect();
        Track { frame: (0..time.len()).collect(), position, ..Track::default() }
    }

    #[test]
    fn mean_velocity_is_displacement_over_time() {
        let time = [0.0, 1.0, 2.0, 4.0];
        let track = Track { frame: vec![1, 2, 3], ..along(&time[1..], |t| t * t) };
        // From 1 to 16 in 3 s; a straight line by least squares has the slope 5.14.
        assert_eq!(track.mean_velocity(&time), Some([5.0, 0.0, 0.0]));
        assert_eq!(along(&time[..1], |t| t).mean_velocity(&time), None);
        assert_eq!((track.pairs(), Track::default().pairs()), (3, 0));
    }

    #[test]
    fn frames_at_rounded_steps_lose_no_pairs() {
        // Every 28.1 steps.
        let time: Vec<f64> = (0..400).map(|i| (28.1 * f64::from(i)).round()).collect();
        let track = along(&time, |t| 2.0 * t);
        let all = displacements(&[&track], &time);
        assert!(all.len() > 25);
        for d in &all {
            let frames = (d.lag_s / 28.1).round() as usize;
            assert_eq!(d.pairs, 400 - frames, "{d:?}");
            assert!((d.lag_s / (28.1 * frames as f64) - 1.0).abs() < 2e-3, "{d:?}");
            assert!((d.mean_square_m2[0] / (2.0 * d.lag_s).powi(2) - 1.0).abs() < 1e-3, "{d:?}");
            assert!(d.dispersion_m2_per_s[0] < 1e-6, "{d:?}");
        }
        assert_eq!(all[0].pairs, 399);
    }

    #[test]
    fn a_change_of_the_spacing_loses_no_pairs_of_a_lag() {
        // Every 10 steps up to 280, then every 32 from 288 on.
        let time: Vec<f64> =
            (0..=28).map(|i| 10.0 * f64::from(i)).chain((9..=18).map(|i| 32.0 * f64::from(i))).collect();
        let all = displacements(&[&along(&time, |t| t)], &time);
        let pairs = |low: f64, high: f64| {
            let later = |&t: &f64| time.iter().filter(|&&of| (low..high).contains(&(of - t))).count();
            time.iter().map(later).sum::<usize>()
        };
        for d in &all {
            let lag = 10.0 * (d.lag_s / 10.0).round();
            assert_eq!(d.pairs, pairs(lag - 5.0, lag + 5.0), "{d:?}");
        }
        assert!(all.len() > 15 && all.iter().any(|d| d.lag_s > 300.0), "{all:?}");
    }

    #[test]
    fn lags_of_either_spacing_have_most_pairs() {
        // Every step, then every 1000.
        let time: Vec<f64> = (0..20).map(f64::from).chain((1..=100).map(|i| 19.0 + 1000.0 * f64::from(i))).collect();
        let all = displacements(&[&along(&time, |t| t)], &time);
        let found = |lag: f64| all.iter().find(|d| d.lag_s == lag).map(|d| d.pairs);
        assert_eq!((found(1.0), found(1000.0), found(3000.0)), (Some(19), Some(100), Some(98)));
        assert_eq!(all.last().map(|d| d.pairs), Some(25));
        // A last frame right after another does not make the unit small.
        let time: Vec<f64> = (0..20).map(|i| 1000.0 * f64::from(i)).chain([19_001.0]).collect();
        let all = displacements(&[&along(&time, |t| t)], &time);
        assert_eq!((all[0].pairs, all[0].lag_s), (20, (19.0 * 1000.0 + 1001.0) / 20.0));
    }
}
