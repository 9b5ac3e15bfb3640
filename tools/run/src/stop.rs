//! Reasons to stop early: a signal, or the end of the wall-clock time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use hematite_config::{Fault, Result};
use signal_hook::consts::{SIGINT, SIGTERM, SIGUSR1};

/// Share of the wall-clock time that is kept for the last checkpoint before any was written.
const RESERVE: f64 = 0.01;

/// What is kept for the last checkpoint over what the slowest one took.
const MARGIN: f64 = 1.5;

/// Watches for reasons to stop.
pub struct Stop {
    signalled: Arc<AtomicBool>,
    until: Option<Instant>,
    /// Kept for the last checkpoint.
    reserve: Duration,
}

impl Stop {
    /// Watches signals and, where given, `walltime` seconds from the program's start.
    pub fn watch(walltime: Option<f64>, started: Instant) -> Result<Self> {
        let signalled = Arc::new(AtomicBool::new(false));
        for signal in [SIGTERM, SIGINT, SIGUSR1] {
            signal_hook::flag::register(signal, Arc::clone(&signalled))
                .map_err(|error| Fault::io(format!("cannot watch signal {signal}: {error}")))?;
        }
        let seconds = walltime.unwrap_or(0.0);
        let until = walltime.map(|_| started + Duration::from_secs_f64(seconds));
        Ok(Self { signalled, until, reserve: Duration::from_secs_f64(RESERVE * seconds) })
    }

    /// Keeps time for another checkpoint that takes as long as one that `took` so long.
    pub fn keep(&mut self, took: Duration) {
        self.reserve = self.reserve.max(took.mul_f64(MARGIN));
    }

    /// Whether this rank has a reason to stop.
    pub fn wanted(&self) -> bool {
        self.signalled.load(Ordering::Relaxed) || self.until.is_some_and(|until| Instant::now() + self.reserve >= until)
    }
}
