//! Reasons to stop early, a signal or the end of the wall-clock time, and checkpoints by wall-clock time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use hematite_config::{Fault, Result};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGXFSZ};

/// Share of the wall-clock time that is reserved for the last checkpoint before any was written.
const RESERVE: f64 = 0.01;

/// Time reserved for the last checkpoint over the time of the slowest one.
const MARGIN: f64 = 1.5;

/// Whether a signal asked the run to stop.
#[derive(Clone, Debug, Default)]
pub struct Signals(Arc<AtomicBool>);

impl Signals {
    /// Notes the signals TERM, INT, HUP and USR1 from now on; they no longer end the process. XFSZ no longer does so
    /// either: when a file grows beyond the limit of the process (`ulimit -f`), writing fails.
    ///
    /// # Errors
    /// When the system does not allow it.
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

/// Watches signals and the wall-clock time.
pub struct Stop {
    signals: Signals,
    started: Instant,
    /// Limit of the wall-clock time from the start of the program, s, if any.
    walltime: Option<f64>,
    /// Time reserved for the last checkpoint.
    reserve: Duration,
    /// Wall-clock time between checkpoints, s, if any.
    every: Option<f64>,
    /// When the last checkpoint was written, or the time loop began.
    saved: Instant,
}

impl Stop {
    /// Watches signals, the limit `walltime` in seconds from the start of the program, if any, and the period `every`
    /// of checkpoints in seconds, if any.
    pub fn new(signals: Signals, walltime: Option<f64>, started: Instant, every: Option<f64>) -> Self {
        let reserve = Duration::from_secs_f64(RESERVE * walltime.unwrap_or(0.0));
        Self { signals, started, walltime, reserve, every, saved: Instant::now() }
    }

    /// Refuses a wall-clock time that is already over. A job script that submits itself again after each stop would do
    /// so for ever.
    ///
    /// # Errors
    /// A usage fault with the time that is needed.
    pub fn check_time(&self) -> Result<()> {
        let Some(walltime) = self.walltime.filter(|_| self.is_over()) else { return Ok(()) };
        let (taken, kept) = (self.started.elapsed().as_secs_f64(), self.reserve.as_secs_f64());
        let least = (taken / (1.0 - RESERVE)).ceil() + 1.0;
        Err(Fault::usage(format!(
            "--walltime {walltime} s leaves no time for a step: the start took {taken:.1} s, and {kept:.1} s are kept for the last \
             checkpoint: give {least} s or more, or leave --walltime out"
        )))
    }

    /// Reserves time for another checkpoint, by the time `took` of the one just written.
    pub fn keep(&mut self, took: Duration) {
        self.reserve = self.reserve.max(took.mul_f64(MARGIN));
        self.saved = Instant::now();
    }

    /// Whether a checkpoint is due by wall-clock time.
    pub fn checkpoint_is_due(&self) -> bool {
        self.every.is_some_and(|every| self.saved.elapsed().as_secs_f64() >= every)
    }

    /// Whether this rank has a reason to stop. The end of the wall-clock time counts only if a step was done since the
    /// start, so that each call makes progress.
    pub fn wanted(&self, stepped: bool) -> bool {
        self.signals.0.load(Ordering::Relaxed) || stepped && self.is_over()
    }

    /// Whether the rest of the wall-clock time is needed for the last checkpoint.
    fn is_over(&self) -> bool {
        let left = |walltime: f64| walltime - self.started.elapsed().as_secs_f64();
        self.walltime.is_some_and(|walltime| left(walltime) <= self.reserve.as_secs_f64())
    }
}
