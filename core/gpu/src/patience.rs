//! How the host waits for the device.

use std::thread;
use std::time::{Duration, Instant};

use hematite_config::{Fault, Result};

use crate::Gpu;

/// How the host waits for a message: it polls without a pause until `spin`, yields between looks until `yields`, and
/// sleeps between them after that.
pub(crate) struct Patience {
    spin: Duration,
    yields: Duration,
}

impl Patience {
    /// Polls for the time of small kernels.
    pub const GPU: Self = Self { spin: Duration::from_micros(200), yields: Duration::from_millis(2) };

    /// Soon leaves the core to the kernels that make the message.
    const SOFTWARE: Self = Self { spin: Duration::from_micros(10), yields: Duration::from_micros(100) };

    /// Lets some time pass after a wait of `waited`.
    pub fn pause(&self, waited: Duration) {
        if waited < self.spin {
            std::hint::spin_loop();
        } else if waited < self.yields {
            thread::yield_now();
        } else {
            thread::sleep(NAP);
        }
    }

    /// Whether a wait of `waited` is long.
    pub fn is_over(&self, waited: Duration) -> bool {
        waited >= self.yields
    }
}

const NAP: Duration = Duration::from_micros(20);

/// Waits until `done` returns true. `never`, called before each call of `done`, returns a fault if that cannot happen
/// any more.
pub(crate) fn wait_until(
    gpu: &Gpu,
    mut done: impl FnMut() -> Result<bool>,
    mut never: impl FnMut() -> Result<Option<Fault>>,
) -> Result<()> {
    let _span = gpu.span("wait");
    let patience = if gpu.info().software { Patience::SOFTWARE } else { Patience::GPU };
    let start = Instant::now();
    loop {
        let waited = start.elapsed();
        let fault = if patience.is_over(waited) { never()? } else { None };
        if done()? {
            return Ok(());
        } else if let Some(fault) = fault {
            return Err(fault);
        }
        patience.pause(waited);
    }
}
