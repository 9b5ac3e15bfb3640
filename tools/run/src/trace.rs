//! `run --trace`: records the work of host and device of every rank in some time steps, in `trace.json`.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use hematite_comm::{ClockOffset, Comm, align_clocks};
use hematite_config::{Fault, Result};
use hematite_dump::{RankTrace, Trace, TraceEvent};
use hematite_gpu::{Event, Gpu, Timeline, Tracing, now};

use crate::ranks::together;

/// Default number of steps that are traced.
pub const STEPS: u64 = 200;
/// Steps at a time before the first traced step, unless the run has less than four times as many. They are repeated for
/// some time if enough steps remain to trace: idle GPUs need that time to reach full speed.
const WARM_UP: u64 = 64;
const WARM: Duration = Duration::from_millis(1500);
/// Most events of all ranks, so that the file stays below 25 MB.
const EVENTS: usize = 200_000;

/// A trace: planned, in progress, or done.
pub struct Recording {
    first: u64,
    end: u64,
    /// The last step at which it can begin without being cut short.
    latest: u64,
    made: Instant,
    gpu: Gpu,
    devices: Vec<String>,
    folder: PathBuf,
    running: Option<(Tracing, ClockOffset)>,
}

impl Recording {
    /// Plans a trace of `steps` steps of a run, after a warm-up, to be written into `folder`. `run`: first and last
    /// step of the run. Rank 0 has the names of the `devices` of all ranks.
    pub fn new(steps: u64, run: [u64; 2], gpu: &Gpu, devices: Vec<String>, folder: &Path) -> Self {
        let [first, end] = window(steps, run);
        let latest = run[1].saturating_sub(steps);
        let made = Instant::now();
        Self { first, end, latest, made, gpu: gpu.clone(), devices, folder: folder.to_owned(), running: None }
    }

    /// The step after `step` at which the trace begins or ends.
    pub fn next(&self, step: u64) -> Option<u64> {
        [self.first, self.end].into_iter().find(|&at| at > step)
    }

    /// Begins the trace, or ends and writes it, if that is due at `step` or the run `ends`. When it is written, returns
    /// its first step and the step after its last. Collective.
    ///
    /// # Errors
    /// When the device or a rank is lost, or the file cannot be written.
    pub fn advance(&mut self, comm: &dyn Comm, step: u64, ends: bool) -> Result<Option<[u64; 2]>> {
        if step == self.first && step < self.latest && !ends && comm.any(self.made.elapsed() < WARM)? {
            let later = WARM_UP.min(self.latest - step);
            self.first += later;
            self.end += later;
        }
        if step == self.first && step < self.end && !ends {
            let room = EVENTS / comm.size();
            self.gpu.begin_step(step);
            let tracing = together(comm, || self.gpu.trace(room))?;
            self.running = Some((tracing, align_clocks(comm, now)?));
        }
        let Some((tracing, clock)) = self.running.take_if(|_| ends || step == self.end) else { return Ok(None) };
        let timeline = together(comm, || self.gpu.end_trace(tracing))?;
        let bytes = serde_json::to_vec(&(timeline.full, rank_trace(timeline, clock))).map_err(fault)?;
        let all = comm.gather(&bytes)?;
        together(comm, || {
            let Some(all) = all else { return Ok(Some([self.first, step])) };
            let trace = assemble(self.first, step, &all, &self.devices)?;
            trace.write(&self.folder)?;
            Ok(Some([trace.first, trace.end]))
        })
    }
}

/// The first step to trace, and the step after the last.
fn window(steps: u64, [from, last]: [u64; 2]) -> [u64; 2] {
    let first = from + WARM_UP.min(last.saturating_sub(from) / 4);
    [first, first.saturating_add(steps).min(last)]
}

fn fault(error: serde_json::Error) -> Fault {
    Fault::io(format!("trace.json: {error}"))
}

/// Events of this rank in the clock of rank 0.
fn rank_trace(timeline: Timeline, clock: ClockOffset) -> RankTrace {
    let event = |event: Event| {
        let (begin, end) = (event.begin + clock.add, event.end + clock.add);
        TraceEvent { name: event.name.to_owned(), step: event.step, begin, end }
    };
    RankTrace {
        device_name: String::new(),
        clock_uncertainty: clock.uncertainty,
        device_uncertainty: timeline.uncertainty,
        host: timeline.host.into_iter().map(event).collect(),
        device: timeline.device.into_iter().map(event).collect(),
    }
}

/// The trace of all ranks, up to the last step for which all ranks had room, with times from the first event on.
fn assemble(first: u64, end: u64, all: &[Vec<u8>], devices: &[String]) -> Result<Trace> {
    let read = |bytes: &Vec<u8>| serde_json::from_slice(bytes).map_err(fault);
    let all = all.iter().map(read).collect::<Result<Vec<(Option<u64>, RankTrace)>>>()?;
    let full = all.iter().filter_map(|(full, _)| *full).min();
    let mut ranks: Vec<RankTrace> = all.into_iter().map(|(_, rank)| rank).collect();
    let threads = |rank: &mut RankTrace| [std::mem::take(&mut rank.host), std::mem::take(&mut rank.device)];
    let mut origin = i64::MAX;
    for (rank, name) in ranks.iter_mut().zip(devices) {
        let [mut host, mut device] = threads(rank);
        for events in [&mut host, &mut device] {
            events.retain(|event| full.is_none_or(|full| event.step < full));
            origin = events.iter().map(|event| event.begin).fold(origin, i64::min);
        }
        (rank.host, rank.device, rank.device_name) = (host, device, name.clone());
    }
    for rank in &mut ranks {
        for event in rank.host.iter_mut().chain(&mut rank.device) {
            event.begin -= origin;
            event.end -= origin;
        }
    }
    Ok(Trace { first, end: full.map_or(end, |full| full.clamp(first, end)), ranks })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_run_is_traced_after_a_quarter() {
        assert_eq!(window(200, [0, 10_000]), [64, 264]);
        assert_eq!(window(200, [1000, 1100]), [1025, 1100]);
        assert_eq!(window(u64::MAX, [0, 300]), [64, 300]);
        assert_eq!(window(200, [7, 7]), [7, 7], "no step");
    }

    #[test]
    fn ranks_are_cut_alike_and_begin_at_zero() {
        let events = |at: i64, steps: std::ops::Range<u64>| -> Vec<TraceEvent> {
            let event =
                |step| TraceEvent { name: "a".to_owned(), step, begin: at + step as i64, end: at + step as i64 };
            steps.map(event).collect()
        };
        let rank = |at, steps| RankTrace { device: events(at, steps), ..RankTrace::default() };
        let all: Vec<Vec<u8>> = [(None, rank(100, 3..9)), (Some(6), rank(90, 3..7))]
            .iter()
            .map(|rank| serde_json::to_vec(rank).expect("JSON"))
            .collect();
        let trace = assemble(3, 9, &all, &["one".to_owned(), "two".to_owned()]).expect("assembles");
        assert_eq!((trace.first, trace.end), (3, 6));
        assert_eq!(trace.ranks[0].device, events(7, 3..6));
        assert_eq!(trace.ranks[1].device, events(-3, 3..6));
        assert_eq!(trace.ranks[1].device_name, "two");
    }
}
