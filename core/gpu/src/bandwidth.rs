//! Measures the copy bandwidth of the device, which bounds memory-bound kernels.

use std::time::Instant;

use hematite_config::Result;

use crate::copy::copy_kernel;
use crate::{Gpu, Recorder};

/// Bytes of each of the two buffers, unless the device binds less: far more than caches can hold.
const BYTES: u64 = 1 << 30;
/// Bytes of each buffer on software devices, whose memory is that of the host.
const BYTES_SOFTWARE: u64 = 1 << 26;
/// Copies in one measurement.
const COPIES: u32 = 16;
/// Number of measurements, of which the best counts.
const REPEATS: usize = 5;

impl Gpu {
    /// Bytes read and written a second in copies between two buffers: the fastest of several measurements.
    ///
    /// # Errors
    /// Where the device has no room or is lost.
    pub fn copy_bandwidth(&self) -> Result<f64> {
        let wanted = if self.info().software { BYTES_SOFTWARE } else { BYTES };
        let bytes = wanted.min(self.limits.max_storage_buffer_binding_size / 16 * 16);
        let [values, to] = [self.buffer("copied", bytes)?, self.buffer("copy", bytes)?];
        let (kernel, bound) = copy_kernel(self, &values, &to)?;
        let mut best = 0.0_f64;
        for _ in 0..REPEATS {
            let start = Instant::now();
            let mut recorder = Recorder::new(self);
            for _ in 0..COPIES {
                let count = (bytes / 16) as u32;
                recorder.dispatch(&kernel, &bound, count, &[count]);
            }
            recorder.submit();
            self.wait()?;
            best = best.max(2.0 * bytes as f64 * f64::from(COPIES) / start.elapsed().as_secs_f64());
        }
        Ok(best)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Needs;

    #[test]
    fn a_copy_takes_some_time_and_gives_a_rate() {
        let gpu = Gpu::open(0, Needs { checks: true, ..Needs::default() }).expect("a device");
        let rate = gpu.copy_bandwidth().expect("measured");
        assert!(rate > 1e8 && rate < 1e14, "{rate} bytes/s");
    }
}
