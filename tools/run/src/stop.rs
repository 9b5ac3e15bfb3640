//! Reasons to stop early: a signal, or the end of the wall-clock time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use hematite_config::{Fault, Result};
use signal_hook::consts::{SIGINT, SIGTERM, SIGUSR1};

/// Share of the wall-clock time kept for the last checkpoint.
const RESERVE: f64 = 0.01;

/// Watches for reasons to stop.
pub struct Stop {
    signalled: Arc<AtomicBool>,
    until: Option<Instant>,
}

impl Stop {
    /// Watches signals and, where given, `walltime` seconds from now.
    pub fn watch(walltime: Option<f64>) -> Result<Self> {
        let signalled = Arc::new(AtomicBool::new(false));
        for signal in [SIGTERM, SIGINT, SIGUSR1] {
            signal_hook::flag::register(signal, Arc::clone(&signalled))
                .map_err(|error| Fault::io(format!("cannot watch signal {signal}: {error}")))?;
        }
        let until = walltime.map(|seconds| Instant::now() + Duration::from_secs_f64(seconds * (1.0 - RESERVE)));
        Ok(Self { signalled, until })
    }

    /// Whether this rank has a reason to stop.
    pub fn wanted(&self) -> bool {
        self.signalled.load(Ordering::Relaxed) || self.until.is_some_and(|until| Instant::now() >= until)
    }
}
