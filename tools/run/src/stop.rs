//! Reasons to stop early, a signal or the end of the wall-clock time, and checkpoints that the clock asks for.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use hematite_config::{Fault, Result};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1};

/// Share of the wall-clock time that is kept for the last checkpoint before any was written.
const RESERVE: f64 = 0.01;

/// What is kept for the last checkpoint over what the slowest one took.
const MARGIN: f64 = 1.5;

/// Watches signals and the clock.
pub struct Stop {
    signalled: Arc<AtomicBool>,
    until: Option<Instant>,
    /// Kept for the last checkpoint.
    reserve: Duration,
    /// Seconds from one checkpoint to the next, where the clock decides.
    every: Option<f64>,
    /// When the last one was written, or the time loop began.
    saved: Instant,
}

impl Stop {
    /// Watches signals and, where given, `walltime` seconds from the program's start, and `every` so many seconds for checkpoints.
    pub fn watch(walltime: Option<f64>, started: Instant, every: Option<f64>) -> Result<Self> {
        let signalled = Arc::new(AtomicBool::new(false));
        for signal in [SIGTERM, SIGINT, SIGHUP, SIGUSR1] {
            signal_hook::flag::register(signal, Arc::clone(&signalled))
                .map_err(|error| Fault::io(format!("cannot watch signal {signal}: {error}")))?;
        }
        let seconds = walltime.unwrap_or(0.0);
        let until = walltime.map(|_| started + Duration::from_secs_f64(seconds));
        let (reserve, saved) = (Duration::from_secs_f64(RESERVE * seconds), Instant::now());
        Ok(Self { signalled, until, reserve, every, saved })
    }

    /// Keeps time for another checkpoint that takes as long as the one that was written now and `took` so long.
    pub fn keep(&mut self, took: Duration) {
        self.reserve = self.reserve.max(took.mul_f64(MARGIN));
        self.saved = Instant::now();
    }

    /// Whether the last checkpoint is so long ago that another is due.
    pub fn checkpoint_is_due(&self) -> bool {
        self.every.is_some_and(|every| self.saved.elapsed().as_secs_f64() >= every)
    }

    /// Whether this rank has a reason to stop.
    pub fn wanted(&self) -> bool {
        self.signalled.load(Ordering::Relaxed) || self.until.is_some_and(|until| Instant::now() + self.reserve >= until)
    }
}
