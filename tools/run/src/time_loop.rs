//! The time loop: steps between events, and the events.

use std::time::Instant;

use hematite_comm::{Comm, Waiting};
use hematite_config::{Exit, Result};
use hematite_dump::Trace;
use hematite_gpu::Gpu;
use hematite_solver::Immersion;
use hematite_solver::lattice_boltzmann::{Fluid, Phases};
use serde_json::json;

use crate::balance::{Pace, divide};
use crate::checkpoint;
use crate::cli::{Cli, Traced};
use crate::forces;
use crate::output::Output;
use crate::progress::Progress;
use crate::setup::Setup;
use crate::start::Start;
use crate::stop::Stop;
use crate::suspended::Suspended;
use crate::trace::Recording;

/// Seconds of steps between two looks at signals, clock and progress.
const LOOK: f64 = 0.25;
/// Ledger lines of a long run whose config does not say how many.
const LEDGER_LINES: u64 = 100;
/// Fewest steps between ledger lines of such a run: a line costs about as much as a step.
const LEDGER_EVERY: u64 = 100;

/// A run in time.
pub struct TimeLoop<'c> {
    comm: &'c dyn Comm,
    setup: Setup,
    case_sha256: String,
    gpu: Gpu,
    trace: Option<Recording>,
    fluid: Fluid,
    suspended: Suspended,
    output: Output,
    stop: Stop,
    told: bool,
    first: u64,
    /// Seconds of this rank's own work since its nodes were last looked at.
    busy: f64,
    /// Phases of the fluids before this one.
    earlier: Phases,
}

impl<'c> TimeLoop<'c> {
    /// Puts the fluid on the device, at the start or from a checkpoint, and opens the run folder.
    pub fn new(cli: &Cli, comm: &'c dyn Comm, mut setup: Setup) -> Result<Self> {
        let stop = Stop::watch(cli.walltime)?;
        let Start { case_sha256, gpu, devices, fluid, suspended, resumed } = Start::new(cli, comm, &mut setup)?;
        let told = !cli.quiet && comm.rank() == 0;
        let output = Output::open(comm, &setup, &case_sha256, devices.clone(), resumed)?;
        let (first, last) = (resumed.unwrap_or(0), setup.plan.steps);
        let trace = match cli.trace {
            Some(Traced::Steps(steps)) => Some(Recording::new(steps, [first, last], &gpu, devices, &setup.folder)),
            _ => None,
        };
        let (busy, earlier) = (0.0, Phases::default());
        Ok(Self { comm, setup, case_sha256, gpu, trace, fluid, suspended, output, stop, told, first, busy, earlier })
    }

    /// Steps to the end, or to a stop.
    pub fn run(mut self) -> Result<Exit> {
        let start = Instant::now();
        let last = self.setup.plan.steps;
        let mut progress = Progress::new(self.told, self.setup.header.nodes as u64, self.first, last);
        self.output.log(&json!({"event": "start", "step": self.first, "ranks": self.comm.size()}))?;
        if let Some((step, force)) = self.setup.immersion.as_ref().and_then(Immersion::growth) {
            self.output.log(&json!({"event": "growth", "capped_until_step": step, "force_cap_N": force}))?;
        }
        let mut seconds_a_step: f64 = 0.0;
        for event in forces::events(&self.setup.header, &self.setup.forces) {
            self.output.log(&event)?;
        }
        let exit = loop {
            let step = self.fluid.step();
            self.trace(false)?;
            self.events(&progress)?;
            if step >= last {
                break Exit::Done;
            }
            if self.stops()? {
                self.save_soon(&progress)?;
                break Exit::Stopped;
            }
            self = self.balanced()?;
            let steps = self.agreed_batch(seconds_a_step, self.next_event().min(last) - step)?;
            let began = Instant::now();
            self.advance(steps)?;
            seconds_a_step = began.elapsed().as_secs_f64() / steps as f64;
            progress.at(self.fluid.step());
        };
        self.trace(true)?;
        progress.done();
        let (step, wall) = (self.fluid.step(), start.elapsed().as_secs_f64());
        self.output.timing(self.comm, &self.setup, self.earlier + self.fluid.phases(), step - self.first, wall)?;
        let mlups = progress.mlups(step);
        self.output.log(&json!({"event": "end", "step": step, "wall_s": wall, "mlups": mlups, "exit": exit as u8}))?;
        if self.told {
            let how = if exit == Exit::Done { "done" } else { "stopped with a checkpoint" };
            eprintln!("{how}: step {step}, {wall:.1} s, {mlups:.1} MLUPS, {}", self.setup.folder.display());
        }
        Ok(exit)
    }

    /// Whatever is due at the current step.
    fn events(&mut self, progress: &Progress) -> Result<()> {
        let step = self.fluid.step();
        let span = self.gpu.span("look");
        self.suspended.check_sound(self.comm)?;
        drop(span);
        let every = self.monitor_every();
        if step.is_multiple_of(every) || step == self.setup.plan.steps {
            // A restart finds the ledger's line of its first step there.
            if step > self.first || self.first == 0 {
                let _span = self.gpu.span("ledger");
                let mlups = progress.mlups(step);
                self.output.monitor(self.comm, &self.setup, &mut self.fluid, &self.suspended, mlups)?;
            }
        }
        let span = self.gpu.span("dump");
        self.output.dump(self.comm, &self.setup, &mut self.fluid, &self.suspended)?;
        drop(span);
        if step > self.first && self.setup.config.checkpoint.due(step, self.period()) {
            self.save()?;
        }
        Ok(())
    }

    /// Goes on with other parts, where it is time to look at them and some ranks take longer than is tolerated.
    fn balanced(mut self) -> Result<Self> {
        let (step, balance) = (self.fluid.step(), self.setup.config.balance);
        let due = step > self.first && balance.cadence().due(step, self.period());
        if self.comm.size() == 1 || !due {
            return Ok(self);
        }
        let start = Instant::now();
        let _span = self.gpu.span("balance");
        let pace = Pace::of(self.comm, std::mem::take(&mut self.busy))?;
        let mut moved = 0;
        if pace.excess() > balance.tolerance {
            let phases = self.fluid.phases();
            let divided = divide(self.comm, &self.gpu, &mut self.setup, &pace, self.fluid, self.suspended)?;
            (self.fluid, self.suspended, moved) = (divided.fluid, divided.suspended, divided.moved);
            if moved > 0 {
                self.earlier = self.earlier + phases;
                self.output.divide(self.comm, &self.setup)?;
            }
        }
        self.output.log(&json!({
            "event": "balance", "step": step, "slowest_over_mean": 1.0 + pace.excess(), "moved_nodes": moved,
            "wall_s": start.elapsed().as_secs_f64(),
        }))?;
        Ok(self)
    }

    /// Begins the trace, or ends and writes it, where that is due or the run `ends`.
    fn trace(&mut self, ends: bool) -> Result<()> {
        let Some(trace) = &mut self.trace else { return Ok(()) };
        let start = Instant::now();
        if let Some([first, end]) = trace.turn(self.comm, self.fluid.step(), ends)? {
            self.output.log(&json!({"event": "trace", "first_step": first, "end_step": end}))?;
            if self.told {
                let path = self.setup.folder.join(Trace::FILE);
                let cut = if end < self.fluid.step() { ", for more events there is no room" } else { "" };
                eprintln!("trace     steps {first} to {}{cut}: {}", end.saturating_sub(1), path.display());
            }
        }
        self.output.seconds += start.elapsed().as_secs_f64();
        Ok(())
    }

    /// Whether any rank has a reason to stop.
    fn stops(&self) -> Result<bool> {
        let _span = self.gpu.span("agree");
        self.comm.any(self.stop.wanted())
    }

    fn advance(&mut self, steps: u64) -> Result<()> {
        let (start, comm, plan) = (Instant::now(), Waiting::new(self.comm), &self.setup.plan);
        let after = self.fluid.step() + steps;
        if after.is_multiple_of(self.monitor_every()) || after == plan.steps {
            self.fluid.weigh_after(after);
        }
        self.suspended.advance(&mut self.fluid, &comm, steps, |t| plan.row(t))?;
        self.busy += start.elapsed().as_secs_f64() - comm.seconds();
        Ok(())
    }

    /// Checkpoints, and new parts, may be made at multiples of this many steps, and what is due in between waits for the next: each node
    /// holds its own populations after even steps only, and the state of cells is whole when membranes (and marks of their insides) are due.
    fn period(&self) -> u64 {
        let every = self.setup.immersion.as_ref().map_or(1, |immersion| immersion.parameters.period());
        if every.is_multiple_of(2) { every } else { 2 * every }
    }

    /// The next step at which something is due.
    fn next_event(&self) -> u64 {
        let step = self.fluid.step();
        let monitored = (step / self.monitor_every() + 1) * self.monitor_every();
        let config = &self.setup.config;
        let whole = [config.checkpoint, config.balance.cadence()].map(|cadence| cadence.next(step, self.period()));
        let trace = self.trace.as_ref().and_then(|trace| trace.next(step));
        let dump = self.output.next_dump(&self.setup, step);
        whole.into_iter().chain([dump, trace]).flatten().fold(monitored, u64::min)
    }

    fn monitor_every(&self) -> u64 {
        self.setup.config.monitor.every.unwrap_or((self.setup.plan.steps / LEDGER_LINES).max(LEDGER_EVERY))
    }

    /// A number of steps that takes about [`LOOK`] seconds, at most `limit`, the same on every rank.
    fn agreed_batch(&self, seconds_a_step: f64, limit: u64) -> Result<u64> {
        let _span = self.gpu.span("agree");
        let fitting = if seconds_a_step > 0.0 { (LOOK / seconds_a_step) as u64 } else { 1 };
        let mut bytes = fitting.to_le_bytes().to_vec();
        self.comm.broadcast(&mut bytes)?;
        let agreed = bytes.try_into().map_or(1, u64::from_le_bytes);
        Ok(agreed.clamp(1, limit))
    }

    fn save(&mut self) -> Result<()> {
        let start = Instant::now();
        let _span = self.gpu.span("checkpoint");
        checkpoint::save(self.comm, &self.setup, &self.case_sha256, &self.fluid, &self.suspended)?;
        self.output.seconds += start.elapsed().as_secs_f64();
        self.output.log(&json!({"event": "checkpoint", "step": self.fluid.step()}))
    }

    fn save_soon(&mut self, progress: &Progress) -> Result<()> {
        while !self.fluid.step().is_multiple_of(self.period()) {
            self.advance(1)?;
            self.events(progress)?;
        }
        self.save()
    }
}
