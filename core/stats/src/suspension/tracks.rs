//! Trajectories of members of a suspension: displacements, velocities, dispersion.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::cells::rotation::slope;

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
    /// Mean velocity, m/s, from the slopes of straight lines through the positions. `None` for a single position.
    /// `time` holds the times of all frames, s.
    pub fn mean_velocity(&self, time: &[f64]) -> Option<[f64; 3]> {
        let t: Vec<f64> = self.frame.iter().map(|&f| time[f]).collect();
        (t.len() > 1)
            .then(|| std::array::from_fn(|a| slope(&t, &self.position.iter().map(|p| p[a]).collect::<Vec<_>>())))
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
    /// The lag, s.
    pub lag_s: f64,
    /// Number of pairs of frames of a member in the means.
    pub pairs: usize,
    /// Mean displacement along x, y, z, m.
    pub mean_m: [f64; 3],
    /// Mean square displacement along x, y, z, m2.
    pub mean_square_m2: [f64; 3],
    /// `(<d^2> - <d>^2) / (2 lag)` along x, y, z, m2/s: the dispersion about the mean motion.
    pub dispersion_m2_per_s: [f64; 3],
}

/// Most lags that [`displacements`] tries.
const LAGS: usize = 40;
/// Most time origins for each track and lag.
const ORIGINS: usize = 64;

/// Displacements of the tracks over lags that grow from one frame to three quarters of the run. A lag counts every pair
/// of frames of a member whose distance in time is the lag to within a thousandth.
pub fn displacements(tracks: &[&Track], time: &[f64]) -> Vec<Displacement> {
    let frames = time.len();
    let mut lags: Vec<usize> = (0..LAGS)
        .map(|i| ((0.75 * frames as f64).powf(i as f64 / (LAGS - 1) as f64)).round() as usize)
        .filter(|&lag| lag >= 1 && lag < frames)
        .collect();
    lags.dedup();
    lags.iter().filter_map(|&lag| displacement(tracks, time, lag)).collect()
}

fn displacement(tracks: &[&Track], time: &[f64], lag: usize) -> Option<Displacement> {
    let wanted = time[lag] - time[0];
    let (mut pairs, mut sum, mut square) = (0_usize, [0.0; 3], [0.0; 3]);
    for track in tracks {
        let stride = (track.frame.len().saturating_sub(lag)).div_ceil(ORIGINS).max(1);
        for i in (0..track.frame.len().saturating_sub(lag)).step_by(stride) {
            let j = i + lag;
            let apart = time[track.frame[j]] - time[track.frame[i]];
            if (apart - wanted).abs() > 1e-3 * wanted {
                continue;
            }
            pairs += 1;
            for a in 0..3 {
                let d = track.position[j][a] - track.position[i][a];
                sum[a] += d;
                square[a] += d * d;
            }
        }
    }
    let number = pairs as f64;
    let (mean, square) = (sum.map(|v| v / number), square.map(|v| v / number));
    let dispersion = std::array::from_fn(|a| (square[a] - mean[a] * mean[a]).max(0.0) / (2.0 * wanted));
    (pairs > 0 && wanted > 0.0).then_some(Displacement {
        lag_s: wanted,
        pairs,
        mean_m: mean,
        mean_square_m2: square,
        dispersion_m2_per_s: dispersion,
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
        assert!(all.len() > 10 && all[0].lag_s == time[1]);
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
}
