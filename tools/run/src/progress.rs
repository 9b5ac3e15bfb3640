//! What the user sees while a run goes on: a bar on a terminal, plain lines elsewhere.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressStyle};

/// Seconds between plain lines.
const INTERVAL: f64 = 10.0;

/// Progress of the time loop, on rank 0.
pub struct Progress {
    bar: Option<ProgressBar>,
    plain: bool,
    nodes: u64,
    first: u64,
    last: u64,
    start: Instant,
    said: Instant,
    /// The fluid's largest speed when it was last looked at, m/s.
    speed: Option<f64>,
}

impl Progress {
    /// Progress from step `first` to `last` over `nodes` nodes; says nothing when not `told` to.
    pub fn new(told: bool, nodes: u64, first: u64, last: u64) -> Self {
        let terminal = told && std::io::stderr().is_terminal();
        let bar = terminal.then(|| {
            let bar = ProgressBar::new(last - first);
            let template = "{bar:30} {pos}/{len} steps  {msg}  {eta} left";
            bar.set_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar
        });
        let now = Instant::now();
        Self { bar, plain: told && !terminal, nodes, first, last, start: now, said: now, speed: None }
    }

    /// Million lattice-node updates a second up to `step`.
    pub fn mlups(&self, step: u64) -> f64 {
        let seconds = self.start.elapsed().as_secs_f64();
        if seconds > 0.0 { (step - self.first) as f64 * self.nodes as f64 / seconds / 1e6 } else { 0.0 }
    }

    /// The fluid's largest speed is `speed`, m/s.
    pub fn is_fast(&mut self, speed: f64) {
        self.speed = Some(speed);
    }

    /// `step` steps are done.
    pub fn at(&mut self, step: u64) {
        let speed = self.speed.map(|speed| format!(", largest speed {speed:.2e} m/s")).unwrap_or_default();
        if let Some(bar) = &self.bar {
            bar.set_position(step - self.first);
            bar.set_message(format!("{:.1} MLUPS{speed}", self.mlups(step)));
        } else if self.plain && self.said.elapsed().as_secs_f64() > INTERVAL {
            self.said = Instant::now();
            let rate = (step - self.first).max(1) as f64 / self.start.elapsed().as_secs_f64();
            let left = Duration::from_secs_f64((self.last - step) as f64 / rate);
            let mlups = self.mlups(step);
            eprintln!("step {step} of {}, {mlups:.1} MLUPS{speed}, {} left", self.last, HumanDuration(left));
        }
    }

    /// The loop has ended.
    pub fn done(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
