//! The time loop: steps, and the events between them.

use std::time::Instant;

use hematite_comm::{Comm, Waiting};
use hematite_config::{Exit, Fault, Result, note};
use hematite_dump::{EndRecord, EndState, Trace};
use hematite_engine::Phases;
use hematite_gpu::Gpu;
use serde_json::json;

use crate::balance::{Pace, divide};
use crate::cadence::StepsOrTime;
use crate::cli::{Cli, Traced};
use crate::config::RunConfig;
use crate::output::{Origin, Output};
use crate::progress::Progress;
use crate::ranks::together;
use crate::setup::Setup;
use crate::start::Start;
use crate::stop::Stop;
use crate::system::System;
use crate::trace::Recording;
use crate::{alarm, checkpoint, failure};

/// Time of steps between two looks at signals, clock and progress, s.
const LOOK: f64 = 0.25;

/// What must be done at the next step at which the state can be saved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Asked {
    /// A checkpoint.
    checkpoint: bool,
    /// A stop after it.
    stop: bool,
    /// A look at the times of ranks.
    balance: bool,
}

/// The time loop of a run.
pub struct TimeLoop<'c> {
    comm: &'c dyn Comm,
    setup: Setup,
    case_sha256: String,
    gpu: Gpu,
    trace: Option<Recording>,
    system: System,
    output: Output,
    stop: Stop,
    told: bool,
    first: u64,
    /// Requests on which ranks have agreed.
    asked: Asked,
    /// This rank's own work since the last look at the times of ranks, s.
    busy: f64,
    /// Times of phases before the last change of the partition.
    earlier: Phases,
}

impl<'c> TimeLoop<'c> {
    /// Starts the physics on the device, from their initial state or from a checkpoint, and opens the run folder.
    pub fn new(cli: &Cli, comm: &'c dyn Comm, mut setup: Setup) -> Result<Self> {
        let stop = Stop::new(cli.signals.clone(), cli.walltime, cli.started, setup.config.checkpoint.seconds());
        let Start { case_sha256, gpu, devices, system, resumed, changed, damaged } = Start::new(cli, comm, &mut setup)?;
        let told = !cli.quiet && comm.rank() == 0;
        let first = resumed.as_ref().map_or(0, |from| from.step);
        let last = setup.end.expected(system.clock(), first, system.whole_every());
        together(comm, || if first < last { stop.check_time() } else { Ok(()) })?;
        let origin = Origin { case_sha256: &case_sha256, devices: devices.clone(), resumed, changed };
        let mut output = Output::open(cli, comm, &setup, &system, origin)?;
        damaged.iter().for_each(|what| output.say(first, alarm::of_checkpoint(what, first), comm.rank() == 0));
        let lost = std::mem::take(&mut output.lost);
        lost.iter().for_each(|what| output.say(first, alarm::of_loss(what, first), comm.rank() == 0));
        let trace = match cli.trace {
            Some(Traced::Steps(steps)) => Some(Recording::new(steps, [first, last], &gpu, devices, &setup.folder)),
            _ => None,
        };
        let (busy, earlier) = (0.0, Phases::default());
        Ok(Self {
            comm,
            setup,
            case_sha256,
            gpu,
            trace,
            system,
            output,
            stop,
            told,
            first,
            asked: Asked::default(),
            busy,
            earlier,
        })
    }

    /// Runs to the end, or to a stop.
    pub fn run(mut self) -> Result<Exit> {
        let start = Instant::now();
        let nodes = self.setup.ground.header.nodes as u64;
        let mut progress = Progress::new(self.told, nodes, self.setup.end, self.system.now());
        self.output.log(&json!({"event": "start", "step": self.first, "ranks": self.comm.size()}));
        let mut seconds_a_step: f64 = 0.0;
        for event in self.setup.planned.iter().flat_map(|physics| physics.events()) {
            self.output.log(&event);
        }
        let exit = loop {
            let done = match self.at_step(&mut progress) {
                Ok(done) => done,
                Err(fault) => return Err(self.failed(fault, &progress)),
            };
            if let Some(exit) = done {
                break exit;
            }
            self = self.balanced()?;
            if let Err(fault) = self.batch(&mut progress, &mut seconds_a_step) {
                return Err(self.failed(fault, &progress));
            }
        };
        let wall = match self.finish(exit, start, &mut progress) {
            Ok(wall) => wall,
            Err(fault) => return Err(self.failed(fault, &progress)),
        };
        if self.told {
            let (step, output, mlups) = (self.system.step(), self.output.seconds, progress.mlups(self.system.step()));
            let how = match exit {
                Exit::Done => "done",
                _ if step == self.first => "stopped with a checkpoint, no step was done",
                _ => "stopped with a checkpoint",
            };
            let folder = self.setup.folder.display();
            note(&format!(
                "{how}: step {step}, {wall:.1} s, of which {output:.1} s for dumps, ledger and checkpoints, {mlups:.1} MLUPS, {folder}"
            ));
        }
        Ok(exit)
    }

    /// Writes what belongs to the end of a run. Returns how long it took, s.
    fn finish(&mut self, exit: Exit, start: Instant, progress: &mut Progress) -> Result<f64> {
        self.trace(true)?;
        progress.finish();
        if exit == Exit::Done {
            let never = alarm::of_dumps(&self.setup, &self.system);
            never.into_iter().for_each(|alarm| self.output.warn(self.system.step(), alarm, self.told));
        }
        let (step, wall) = (self.system.step(), start.elapsed().as_secs_f64());
        self.output.timing(self.comm, &self.setup, self.earlier + self.system.phases(), step - self.first, wall)?;
        let (mlups, output) = (progress.mlups(step), self.output.seconds);
        self.output.log(&json!({
            "event": "end", "step": step, "wall_s": wall, "output_s": output, "mlups": mlups, "exit": exit as u8
        }));
        let state = if exit == Exit::Done { EndState::Done } else { EndState::Stopped };
        self.output.end(EndRecord { state, step, exit: exit as u8, reason: None });
        self.output.settle(self.comm)?;
        Ok(wall)
    }

    /// Does what is due between two batches. Returns the exit code if the run ends.
    fn at_step(&mut self, progress: &mut Progress) -> Result<Option<Exit>> {
        self.trace(false)?;
        self.ask()?;
        let saved = self.events(progress)?;
        self.output.settle(self.comm)?;
        if self.has_ended() {
            return Ok(Some(Exit::Done));
        }
        let stops = self.asked.stop && saved;
        if saved {
            (self.asked.checkpoint, self.asked.stop) = (false, false);
        }
        Ok(stops.then_some(Exit::Stopped))
    }

    /// Does the steps to the next event, or as many as take about [`LOOK`].
    fn batch(&mut self, progress: &mut Progress, seconds_a_step: &mut f64) -> Result<()> {
        let holds = self.system.renew(self.comm, self.setup.longest)?;
        let limit = (self.next_event().min(self.end()) - self.system.step()).min(holds);
        let steps = self.agreed_batch(*seconds_a_step, limit)?;
        let began = Instant::now();
        self.advance(steps)?;
        *seconds_a_step = began.elapsed().as_secs_f64() / steps as f64;
        self.system.watch(self.comm, &self.setup.ground)?;
        self.warn(progress);
        progress.at(self.system.now());
        Ok(())
    }

    /// The last step, if the length of steps does not change.
    fn end(&self) -> u64 {
        self.setup.end.expected(self.system.clock(), self.system.step(), self.period())
    }

    fn has_ended(&self) -> bool {
        self.system.step() >= self.end()
    }

    /// Gives the warnings of physics, and shows the largest speed.
    fn warn(&mut self, progress: &mut Progress) {
        if let Some(speed) = self.system.speed() {
            progress.is_fast(speed);
        }
        let alarms = self.system.take_alarms();
        alarms.into_iter().for_each(|(step, alarm)| self.output.warn(step, alarm, self.told));
    }

    /// Records that the run failed, with its last state, and says where the last sound state is.
    fn failed(&mut self, fault: Fault, progress: &Progress) -> Fault {
        progress.finish();
        // After other faults, other ranks may be lost.
        let fault = if fault.exit == Exit::Numerical { self.explained(fault) } else { fault };
        self.output.fail(self.system.step(), &fault);
        fault
    }

    /// Adds to a numerical fault where and why it occurred, what helps, and where the last states are. Writes the
    /// broken state. Collective.
    fn explained(&mut self, fault: Fault) -> Fault {
        let (comm, setup) = (self.comm, &self.setup);
        let dumped = failure::dump(comm, setup, &mut self.system);
        let mut message = fault.message.trim_end_matches('.').to_owned();
        if let Ok(text) = failure::explain(comm, setup, &mut self.system)
            && !text.is_empty()
        {
            message += &format!(". {text}");
        }
        let left = failure::left(setup, &dumped, self.output.last_dump(), self.output.warnings());
        Fault::numerical(format!("{}. {left}", message.trim_end_matches('.')))
    }

    /// Does what is due at the current step, with a check of the state before output. Returns whether a checkpoint was
    /// written.
    fn events(&mut self, progress: &mut Progress) -> Result<bool> {
        let step = self.system.step();
        let span = self.gpu.span("look");
        self.system.check_sound(self.comm)?;
        drop(span);
        let clock = *self.system.clock();
        let line = step == 0 || self.monitor_every().ends_at(&clock, step) || self.has_ended();
        // After a restart, the ledger already has the line of its first step.
        let line = line && (step > self.first || self.first == 0 && !self.output.goes_on);
        // What is due waits until the state can be saved.
        self.asked.checkpoint |= step > self.first && self.setup.config.checkpoint.cadence().due(&clock, step);
        self.asked.balance |=
            self.comm.size() > 1 && step > self.first && self.setup.config.balance.cadence().due(&clock, step);
        let checkpoint = self.saves_at(step);
        if line || checkpoint || self.output.dumps_at(&self.setup, &clock, step) {
            self.look(line, progress)?;
        }
        let span = self.gpu.span("dump");
        let alarms = self.output.dump(self.comm, &self.setup, &mut self.system)?;
        drop(span);
        alarms.into_iter().for_each(|alarm| self.output.warn(step, alarm, self.told));
        if checkpoint {
            self.save()?;
        }
        Ok(checkpoint)
    }

    /// Whether a checkpoint must be written at `step`.
    fn saves_at(&self, step: u64) -> bool {
        let period = self.period();
        let last = self.setup.config.checkpoint.last(self.end(), period) == Some(step);
        step > self.first && last || self.asked.checkpoint && step.is_multiple_of(period)
    }

    /// Checks that the whole state is within the limits of the methods. If `line`, adds a line to the ledger.
    fn look(&mut self, line: bool, progress: &mut Progress) -> Result<()> {
        let (comm, step) = (self.comm, self.system.step());
        let gpu = self.gpu.clone();
        let _span = gpu.span("ledger");
        self.system.finish(comm)?;
        let start = Instant::now();
        self.system.inspect(comm, &self.setup.ground)?;
        self.output.seconds += start.elapsed().as_secs_f64();
        let mut alarms = alarm::of_feeders(&self.setup, &self.system);
        if line {
            let mass = self.output.monitor(comm, &self.setup, &mut self.system, progress.mlups(step))?;
            alarms.extend(alarm::of_outflow(&self.setup, &self.system, &mass));
        }
        self.warn(progress);
        alarms.into_iter().for_each(|alarm| self.output.warn(step, alarm, self.told));
        Ok(())
    }

    /// Makes new parts if a look at ranks is due and some take longer than tolerated.
    fn balanced(mut self) -> Result<Self> {
        let (step, balance) = (self.system.step(), self.setup.config.balance);
        if self.comm.size() == 1 || !self.asked.balance || !step.is_multiple_of(self.period()) {
            return Ok(self);
        }
        self.asked.balance = false;
        let start = Instant::now();
        let _span = self.gpu.span("balance");
        let pace = Pace::of(self.comm, std::mem::take(&mut self.busy))?;
        let mut moved = 0;
        if pace.excess() > balance.tolerance {
            let phases = self.system.phases();
            let divided = divide(self.comm, &self.gpu, &mut self.setup, &pace, self.system).and_then(|divided| {
                if divided.1 > 0 {
                    self.earlier = self.earlier + phases;
                    self.output.divide(self.comm, &self.setup)?;
                }
                Ok(divided)
            });
            (self.system, moved) = divided.inspect_err(|fault| self.output.fail(step, fault))?;
        }
        self.output.log(&json!({
            "event": "balance", "step": step, "slowest_over_mean": 1.0 + pace.excess(), "moved_nodes": moved,
            "wall_s": start.elapsed().as_secs_f64(),
        }));
        Ok(self)
    }

    /// Begins the trace, or ends and writes it, if that is due or the run `ends`.
    fn trace(&mut self, ends: bool) -> Result<()> {
        let Some(trace) = &mut self.trace else { return Ok(()) };
        let start = Instant::now();
        if let Some([first, end]) = trace.advance(self.comm, self.system.step(), ends)? {
            self.output.log(&json!({"event": "trace", "first_step": first, "end_step": end}));
            if self.told {
                let path = self.setup.folder.join(Trace::FILE);
                let cut = if end < self.system.step() { ", no room for more events" } else { "" };
                note(&format!("trace     steps {first} to {}{cut}: {}", end.saturating_sub(1), path.display()));
            }
        }
        self.output.seconds += start.elapsed().as_secs_f64();
        Ok(())
    }

    /// Lets ranks agree on requests: any rank may stop the run, rank 0's clock decides when a checkpoint is due.
    fn ask(&mut self) -> Result<()> {
        let _span = self.gpu.span("agree");
        let stop = self.stop.wanted(self.system.step() > self.first);
        let checkpoint = stop || self.comm.rank() == 0 && self.stop.checkpoint_is_due();
        let mut asked = [stop, checkpoint].map(i64::from);
        self.comm.sum(&mut asked)?;
        let [stop, checkpoint] = asked.map(|ranks| ranks > 0);
        self.asked.checkpoint |= checkpoint;
        self.asked.stop |= stop;
        Ok(())
    }

    fn advance(&mut self, steps: u64) -> Result<()> {
        let (start, comm) = (Instant::now(), Waiting::new(self.comm));
        let after = self.system.step() + steps;
        if self.monitor_every().ends_at(self.system.clock(), after) || after == self.end() {
            self.system.physics.iter_mut().for_each(|physics| physics.measure_after(after));
        }
        self.system.advance(&comm, steps)?;
        self.busy += start.elapsed().as_secs_f64() - comm.seconds();
        Ok(())
    }

    /// The state can be saved at multiples of this number of steps. Checkpoints and new parts due in between wait for
    /// the next.
    fn period(&self) -> u64 {
        self.system.whole_every()
    }

    /// The next step at which something is due.
    fn next_event(&self) -> u64 {
        let step = self.system.step();
        let clock = self.system.clock();
        let monitored = self.monitor_every().next_end(clock, step);
        let config = &self.setup.config;
        let period = self.period();
        let whole = [config.checkpoint.cadence(), config.balance.cadence()].map(|cadence| cadence.next(clock, step));
        let last = config.checkpoint.last(self.end(), period).filter(|&last| last > step);
        let asked = (self.asked.checkpoint || self.asked.balance).then(|| step - step % period + period);
        let trace = self.trace.as_ref().and_then(|trace| trace.next(step));
        let dump = self.output.next_dump(&self.setup, clock, step);
        whole.into_iter().chain([last, asked, dump, trace]).flatten().fold(monitored, u64::min)
    }

    fn monitor_every(&self) -> StepsOrTime {
        RunConfig::ledger_every(self.setup.config.monitor.every, self.setup.end)
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
        // A run that goes on beyond its end may leave out the line of that.
        let end = self.has_ended().then(|| self.system.step());
        checkpoint::save(self.comm, &self.setup, &self.case_sha256, &self.system, self.output.written(end))?;
        self.stop.keep(start.elapsed());
        self.output.seconds += start.elapsed().as_secs_f64();
        self.output.log(&json!({"event": "checkpoint", "step": self.system.step()}));
        Ok(())
    }
}
