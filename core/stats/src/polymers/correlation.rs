//! How long chains remember.

/// Most lags, which grow like powers.
const LAGS: usize = 80;
/// Most time origins for each series and lag.
const ORIGINS: usize = 4000;

/// A correlation function: pairs of lag in frames and value.
pub type Correlation = Vec<(usize, f64)>;

/// Lags from 0 to half of so many frames.
fn lags(frames: usize) -> Vec<usize> {
    let most = (frames / 2).max(1) as f64;
    let grow = |i: usize| most.powf(i as f64 / (LAGS - 1) as f64).round() as usize;
    let mut lags: Vec<usize> = std::iter::once(0).chain((0..LAGS).map(grow)).filter(|&lag| lag < frames).collect();
    lags.dedup();
    lags
}

/// <a(0) . a(t)> over all series and time origins, not divided by its value at 0. All series have the same frames.
pub fn products(series: &[Vec<[f64; 3]>]) -> Correlation {
    let frames = series.first().map_or(0, Vec::len);
    let at = |lag: usize| {
        let step = (frames - lag).div_ceil(ORIGINS).max(1);
        let (mut sum, mut number) = (0.0, 0_usize);
        for of in series {
            for i in (0..frames - lag).step_by(step) {
                sum += of[i].iter().zip(of[i + lag]).map(|(a, b)| a * b).sum::<f64>();
                number += 1;
            }
        }
        (lag, sum / number as f64)
    };
    lags(frames).into_iter().map(at).collect()
}

/// The same over its value at lag 0.
pub fn normalized(series: &[Vec<[f64; 3]>]) -> Correlation {
    let found = products(series);
    let first = found.first().map_or(1.0, |&(_, value)| value);
    found.into_iter().map(|(lag, value)| (lag, value / first)).collect()
}

/// How fast a normalized correlation falls.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Relaxation {
    /// By a factor e in so many frames.
    Frames(f64),
    /// Not far enough in all frames.
    Slow,
    /// Within too few frames for a time: after so many it is gone.
    Fast(usize),
}

impl Relaxation {
    /// The relaxation time in frames, if it is known.
    pub fn frames(self) -> Option<f64> {
        match self {
            Self::Frames(frames) => Some(frames),
            Self::Slow | Self::Fast(_) => None,
        }
    }
}

/// The time in which a normalized correlation falls by a factor e: by a fit of its logarithm from 0.8 to 0.2.
pub fn relaxation(correlation: &[(usize, f64)]) -> Relaxation {
    let Some(end) = correlation.iter().position(|&(_, c)| c < 0.2) else { return Relaxation::Slow };
    let fitted: Vec<(f64, f64)> = correlation[..end]
        .iter()
        .filter(|&&(lag, c)| lag > 0 && c < 0.8)
        .map(|&(lag, c)| (lag as f64, c.ln()))
        .collect();
    if fitted.len() < 3 {
        return Relaxation::Fast(correlation[end].0.max(1));
    }
    let number = fitted.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| fitted.iter().map(of).sum::<f64>() / number;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let (above, below) =
        fitted.iter().fold((0.0, 0.0), |(above, below), p| (above + (p.0 - x) * (p.1 - y), below + (p.0 - x).powi(2)));
    let slope = above / below;
    if slope < 0.0 { Relaxation::Frames(-1.0 / slope) } else { Relaxation::Slow }
}

/// The integral of a correlation over lags of so many seconds a frame, by trapezoids, up to its first value that is not
/// positive.
pub fn integral(correlation: &[(usize, f64)], seconds: f64) -> f64 {
    let mut sum = 0.0;
    for pair in correlation.windows(2) {
        let width = (pair[1].0 - pair[0].0) as f64 * seconds;
        if pair[1].1 <= 0.0 {
            break;
        }
        sum += 0.5 * width * (pair[0].1 + pair[1].1);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Uniform numbers from -1 to 1.
    struct Random(u64);

    impl Random {
        fn next(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        }
    }

    #[test]
    fn a_process_that_forgets_has_its_relaxation_time() {
        let mut random = Random(1);
        // a(t + 1) = c a(t) + noise: a relaxation time of -1 / ln c frames.
        let c = (-1.0_f64 / 25.0).exp();
        let series: Vec<Vec<[f64; 3]>> = (0..20)
            .map(|_| {
                let mut a = [0.0; 3];
                let mut step = || {
                    a = a.map(|x| c * x + random.next());
                    a
                };
                (0..200).for_each(|_| _ = step());
                (0..4000).map(|_| step()).collect()
            })
            .collect();
        let found = normalized(&series);
        assert_eq!(found[0], (0, 1.0));
        let time = relaxation(&found).frames().expect("it falls");
        assert!((time / 25.0 - 1.0).abs() < 0.05, "{time}");
        let integral = integral(&found, 1.0);
        assert!((integral / 25.0 - 1.0).abs() < 0.15, "{integral}");
        // Too short, too coarse.
        let short = normalized(&series.iter().map(|s| s[..20].to_vec()).collect::<Vec<_>>());
        assert_eq!(relaxation(&short), Relaxation::Slow);
        let coarse: Vec<Vec<[f64; 3]>> = series.iter().map(|s| s.iter().step_by(100).copied().collect()).collect();
        assert_eq!(relaxation(&normalized(&coarse)), Relaxation::Fast(1));
    }
}
