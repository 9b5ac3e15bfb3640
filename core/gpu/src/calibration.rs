//! Calibrates the clock of the device against that of the host.

use hematite_config::Result;

use crate::Gpu;
use crate::timeline::now;

/// Submissions in a calibration.
const ROUNDS: usize = 32;

/// Bounds of the difference of host and device clock in nanoseconds, from submissions of one timestamp each. The device
/// writes a timestamp after the host begins to submit it and before the host learns that it is done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Calibration {
    /// The first timestamp, from which ticks count.
    first: u64,
    /// Nanoseconds a tick.
    period: f64,
    /// The clock of the host at the first timestamp.
    at: i64,
    low: i64,
    high: i64,
}

impl Calibration {
    /// Measures the bounds.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn measure(gpu: &Gpu) -> Result<Self> {
        let period = f64::from(gpu.queue.get_timestamp_period());
        let queries = gpu.query_set(ROUNDS as u32);
        let mut around = [[0; 2]; ROUNDS];
        for (round, around) in around.iter_mut().enumerate() {
            let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            encoder.write_timestamp(&queries, round as u32);
            let commands = encoder.finish();
            let before = now();
            gpu.queue.submit([commands]);
            gpu.wait()?;
            *around = [before, now()];
        }
        let ticks = gpu.timestamps(&queries, ROUNDS as u32)?;
        Ok(Self::of(&ticks, &around, period))
    }

    fn of(ticks: &[u64], around: &[[i64; 2]], period: f64) -> Self {
        let first = ticks[0];
        let (mut low, mut high) = (i64::MIN, i64::MAX);
        for (tick, [before, after]) in ticks.iter().zip(around) {
            let device = since(first, *tick, period);
            low = low.max(before - device);
            high = high.min(after - device);
        }
        Self { first, period, at: around[0][0], low: low.min(high), high: high.max(low) }
    }

    /// The conversion of ticks between this calibration and a later one to nanoseconds of the host's clock, and its
    /// largest error in nanoseconds. It adds one constant offset if that fits both calibrations, else an offset with a
    /// linear drift.
    pub fn with(self, later: Self) -> (impl Fn(u64) -> i64, i64) {
        let shift = since(self.first, later.first, self.period);
        let [low, high] = [later.low - shift, later.high - shift];
        let common = [self.low.max(low), self.high.min(high)];
        let (from, to, uncertainty) = if common[0] <= common[1] {
            let middle = (common[0] + common[1]) / 2;
            (middle, middle, (common[1] - common[0] + 1) / 2)
        } else {
            let widest = (self.high - self.low).max(high - low);
            ((self.low + self.high) / 2, (low + high) / 2, (widest + 1) / 2)
        };
        let span = (later.at - self.at).max(1) as f64;
        let to_host = move |tick: u64| {
            let device = since(self.first, tick, self.period);
            let drift = (to - from) as f64 * (device as f64 / span).clamp(0.0, 1.0);
            device + from + drift.round() as i64
        };
        (to_host, uncertainty)
    }
}

/// Nanoseconds from tick `first` to `tick`; negative if `tick` is earlier.
fn since(first: u64, tick: u64, period: f64) -> i64 {
    (tick.wrapping_sub(first) as i64 as f64 * period).round() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A calibration with a device that runs `offset` ns behind the host and `rate` times as fast, in ticks of `period`
    /// ns. The host's bounds of each timestamp are up to `slack` ns apart from it.
    fn seen(from: i64, offset: i64, rate: f64, period: f64, slack: i64) -> Calibration {
        let moments: Vec<i64> = (0..20).map(|k| from + 1_000_000 * k).collect();
        let ticks: Vec<u64> =
            moments.iter().map(|&m| ((1e18 + rate * (m - offset) as f64) / period).round() as u64).collect();
        let around: Vec<[i64; 2]> =
            moments.iter().zip(1..).map(|(&m, k)| [m - slack * (k % 7 + 1) / 7, m + slack * (k % 5 + 1) / 5]).collect();
        Calibration::of(&ticks, &around, period)
    }

    #[test]
    fn one_offset_fits_both_ends() {
        let (before, after) = (seen(5_000, 777_000, 1.0, 2.0, 35_000), seen(900_000_000, 777_000, 1.0, 2.0, 70_000));
        let (to_host, uncertainty) = before.with(after);
        assert!(uncertainty <= 10_000, "tighter than any bracket: {uncertainty}");
        for moment in [5_000, 400_000_000_i64, 900_000_000] {
            let tick = ((1e18 + (moment - 777_000) as f64) / 2.0).round() as u64;
            let off = (to_host(tick) - moment).abs();
            assert!(off <= uncertainty + 200, "{off} ns off at {moment}, {uncertainty} claimed");
        }
    }

    #[test]
    fn a_clock_that_drifts_is_followed() {
        let rate = 1.0 + 1e-4;
        let (before, after) = (seen(0, 0, rate, 1.0, 1_000), seen(2_000_000_000, 0, rate, 1.0, 1_000));
        let (to_host, uncertainty) = before.with(after);
        let tick = (1e18 + rate * 1e9).round() as u64;
        assert!((to_host(tick) - 1_000_000_000).abs() <= uncertainty + 5_000, "{}", to_host(tick));
    }
}
