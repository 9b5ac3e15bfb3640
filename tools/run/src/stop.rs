//! Reasons to stop early, a signal or the end of the wall-clock time, and checkpoints that the clock asks for.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use hematite_config::{Fault, Result};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGXFSZ};

/// Share of the wall-clock time that is kept for the last checkpoint before any was written.
const RESERVE: f64 = 0.01;

/// What is kept for the last checkpoint over what the slowest one took.
const MARGIN: f64 = 1.5;

/// Whether a signal asked the run to stop.
#[derive(Clone, Debug, Default)]
pub struct Signals(Arc<AtomicBool>);

impl Signals {
    /// Takes down TERM, INT, HUP and USR1 from now on, in place of ending the process. Where a file grows beyond the limit of the
    /// process (`ulimit -f`), writing fails, in place of ending the process by XFSZ.
    ///
    /// # Errors
    /// When the system does not let it.
    pub fn watch(&self) -> Result<()> {
        let unread = Arc::new(AtomicBool::new(false));
        let stops = [SIGTERM, SIGINT, SIGHUP, SIGUSR1].map(|signal| (signal, &self.0));
        stops.into_iter().chain([(SIGXFSZ, &unread)]).try_for_each(|(signal, flag)| {
            signal_hook::flag::register(signal, Arc::clone(flag))
                .map(drop)
                .map_err(|error| Fault::io(format!("cannot watch signal {signal}: {error}")))
        })
    }
}

/// Watches signals and the clock.
pub struct Stop {
    signals: Signals,
    started: Instant,
    /// Seconds from the program's start, where they are limited.
    walltime: Option<f64>,
    /// Kept for the last checkpoint.
    reserve: Duration,
    /// Seconds from one checkpoint to the next, where the clock decides.
    every: Option<f64>,
    /// When the last one was written, or the time loop began.
    saved: Instant,
}

impl Stop {
    /// Heeds signals and, where given, `walltime` seconds from the program's start, and `every` so many seconds for checkpoints.
    pub fn new(signals: Signals, walltime: Option<f64>, started: Instant, every: Option<f64>) -> Self {
        let reserve = Duration::from_secs_f64(RESERVE * walltime.unwrap_or(0.0));
        Self { signals, started, walltime, reserve, every, saved: Instant::now() }
    }

    /// Refuses a wall-clock time that is over already. A job script that submits itself again after each stop would do so for ever.
    ///
    /// # Errors
    /// A usage fault with the time that it takes.
    pub fn check_time(&self) -> Result<()> {
        let Some(walltime) = self.walltime.filter(|_| self.is_over()) else { return Ok(()) };
        let (taken, kept) = (self.started.elapsed().as_secs_f64(), self.reserve.as_secs_f64());
        let least = (taken / (1.0 - RESERVE)).ceil() + 1.0;
        Err(Fault::usage(format!(
            "--walltime {walltime} s leaves no time for a step: the start took {taken:.1} s, and {kept:.1} s are kept for the last \
             checkpoint: give {least} s or more, or leave --walltime out"
        )))
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

    /// Whether this rank has a reason to stop. The end of the wall-clock time is one only where a step was done since the start, so
    /// that each call comes further.
    pub fn wanted(&self, stepped: bool) -> bool {
        self.signals.0.load(Ordering::Relaxed) || stepped && self.is_over()
    }

    /// Whether what is left of the wall-clock time is needed for the last checkpoint.
    fn is_over(&self) -> bool {
        let left = |walltime: f64| walltime - self.started.elapsed().as_secs_f64();
        self.walltime.is_some_and(|walltime| left(walltime) <= self.reserve.as_secs_f64())
    }
}
