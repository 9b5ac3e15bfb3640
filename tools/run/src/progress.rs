//! Shows the progress of a run: a bar on a terminal, plain lines elsewhere.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use hematite_config::note;
use hematite_dump::DumpStep;
use hematite_engine::End;
use indicatif::{HumanDuration, ProgressBar, ProgressStyle};

/// Seconds between plain lines.
const INTERVAL: f64 = 10.0;

/// Parts of the bar of a run of given duration.
const PARTS: u64 = 1000;

/// Progress of the time loop, on rank 0.
pub struct Progress {
    bar: Option<ProgressBar>,
    plain: bool,
    nodes: u64,
    /// Where the loop began.
    first: DumpStep,
    end: End,
    start: Instant,
    said: Instant,
    /// The largest speed of the fluid at the last check, m/s.
    speed: Option<f64>,
}

impl Progress {
    /// Progress from `first` to `end` over `nodes` nodes; shown only if `told`.
    pub fn new(told: bool, nodes: u64, end: End, first: DumpStep) -> Self {
        let terminal = told && std::io::stderr().is_terminal();
        let bar = terminal.then(|| {
            let (length, template) = match end {
                End::Step(last) => (last - first.step, "{bar:30} {pos}/{len} steps  {msg}  {eta} left"),
                End::Time(_) => (PARTS, "{bar:30} {msg}  {eta} left"),
            };
            let bar = ProgressBar::new(length);
            bar.set_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar
        });
        let now = Instant::now();
        Self { bar, plain: told && !terminal, nodes, first, end, start: now, said: now, speed: None }
    }

    /// Million lattice-node updates a second up to `step`.
    pub fn mlups(&self, step: u64) -> f64 {
        let seconds = self.start.elapsed().as_secs_f64();
        if seconds > 0.0 { (step - self.first.step) as f64 * self.nodes as f64 / seconds / 1e6 } else { 0.0 }
    }

    /// Sets the largest speed of the fluid, m/s.
    pub fn is_fast(&mut self, speed: f64) {
        self.speed = Some(speed);
    }

    /// Shows that the run has reached `now`.
    pub fn at(&mut self, now: DumpStep) {
        let step = now.step;
        let speed = self.speed.map(|speed| format!(", largest speed {speed:.2e} m/s")).unwrap_or_default();
        if let Some(bar) = &self.bar {
            let (position, place) = match self.end {
                End::Step(_) => (step - self.first.step, String::new()),
                End::Time(time) => {
                    ((self.done(now) * PARTS as f64) as u64, format!("step {step}, {:.3e} of {time:.3e} s  ", now.time))
                }
            };
            bar.set_position(position);
            bar.set_message(format!("{place}{:.1} MLUPS{speed}", self.mlups(step)));
        } else if self.plain && self.said.elapsed().as_secs_f64() > INTERVAL {
            self.said = Instant::now();
            let done = self.done(now).clamp(1e-12, 1.0);
            let left = Duration::from_secs_f64(self.start.elapsed().as_secs_f64() * (1.0 - done) / done);
            let mlups = self.mlups(step);
            let place = match self.end {
                End::Step(last) => format!("step {step} of {last}"),
                End::Time(time) => format!("step {step}, {:.3e} of {time:.3e} s", now.time),
            };
            note(&format!("{place}, {mlups:.1} MLUPS{speed}, {} left", HumanDuration(left)));
        }
    }

    /// The share of the loop that is done.
    fn done(&self, now: DumpStep) -> f64 {
        match self.end {
            End::Step(last) => (now.step - self.first.step) as f64 / (last - self.first.step).max(1) as f64,
            End::Time(time) => (now.time - self.first.time) / (time - self.first.time),
        }
    }

    /// Ends the display.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
