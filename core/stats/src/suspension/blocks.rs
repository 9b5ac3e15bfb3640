//! Means over time with their standard errors.

use serde::Serialize;

/// A mean over time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// Standard error, from the means of consecutive blocks. `None` for a single sample.
    pub standard_error: Option<f64>,
    /// Samples.
    pub samples: usize,
    /// Blocks, each of the same number of samples.
    pub blocks: usize,
}

/// Number of blocks of a series that is long enough.
const BLOCKS: usize = 8;

/// The mean of the finite samples of a series, with the standard error of the means of up to eight consecutive blocks.
/// Blocks longer than the time over which samples are correlated make the error independent of the sampling interval.
/// `None` without samples.
///
/// Blocks are of equal length; first samples that fill no block are left out of the error.
pub fn estimate(series: impl IntoIterator<Item = f64>) -> Option<Estimate> {
    let samples: Vec<f64> = series.into_iter().filter(|v| v.is_finite()).collect();
    let number = samples.len();
    if number == 0 {
        return None;
    }
    let blocks = number.min(BLOCKS);
    let length = number / blocks;
    let means: Vec<f64> = samples[number - blocks * length..].chunks_exact(length).map(mean).collect();
    let centre = mean(&means);
    let variance = means.iter().map(|m| (m - centre).powi(2)).sum::<f64>() / (blocks.max(2) - 1) as f64;
    let standard_error = (blocks > 1).then(|| (variance / blocks as f64).sqrt());
    Some(Estimate { mean: mean(&samples), standard_error, samples: number, blocks })
}

impl Estimate {
    /// `factor * self`.
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        Self { mean: factor * self.mean, standard_error: self.standard_error.map(|e| (factor * e).abs()), ..self }
    }

    /// `numerator / self`, with the error of `self` propagated.
    #[must_use]
    pub fn under(self, numerator: f64) -> Self {
        let mean = numerator / self.mean;
        Self { mean, standard_error: self.standard_error.map(|e| (mean * e / self.mean).abs()), ..self }
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_series() {
        assert_eq!(estimate([]), None);
        assert_eq!(estimate([f64::NAN]), None);
        let one = estimate([3.0]).expect("a sample");
        assert_eq!((one.mean, one.standard_error), (3.0, None));
        let two = estimate([1.0, 3.0]).expect("samples");
        assert_eq!((two.mean, two.standard_error), (2.0, Some(1.0)));
        // Eight blocks of two samples, whose means alternate between 0 and 1: variance 2/7, error 1/sqrt 28.
        let blocks = (0..16).map(|i| f64::from(i / 2 % 2));
        let sixteen = estimate(blocks).expect("samples");
        assert!((sixteen.standard_error.expect("many") - (1.0f64 / 28.0).sqrt()).abs() < 1e-15);
        // Fluctuations faster than a block leave no error.
        let fast = estimate((0..80).map(|i| f64::from(i % 10))).expect("samples");
        assert_eq!((fast.mean, fast.standard_error), (4.5, Some(0.0)));
        assert_eq!(fast.under(9.0).mean, 2.0);
        assert_eq!((two.times(-3.0).mean, two.times(-3.0).standard_error), (-6.0, Some(3.0)));
    }
}
