//! Traces: times of the work of host and device, in one clock.

use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use hematite_config::Result;

use crate::Gpu;
use crate::calibration::Calibration;
use crate::stopwatch::{Lap, Stopwatch};

/// A span of the host or a phase of the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its name.
    pub name: &'static str,
    /// The time step at work.
    pub step: u64,
    /// When it began, in nanoseconds of [`now`].
    pub begin: i64,
    /// When it ended, in nanoseconds of [`now`].
    pub end: i64,
}

/// Events of one rank, in order. Events of the host nest; events of the device follow each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timeline {
    /// Spans of the host.
    pub host: Vec<Event>,
    /// Phases of submissions; empty for a device without timestamps.
    pub device: Vec<Event>,
    /// The largest error of the device's times against the host's, in nanoseconds; `None` without timestamps.
    pub uncertainty: Option<i64>,
    /// The step at which the room for events ran out.
    pub full: Option<u64>,
}

/// A trace in progress.
#[derive(Debug)]
pub struct Tracing {
    before: Option<Calibration>,
}

/// Nanoseconds since the first call in this process.
pub fn now() -> i64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos() as i64
}

/// Work of the host that ends when this is dropped.
#[derive(Debug)]
#[must_use = "a span that is dropped at once lasts no time"]
pub struct Span(Option<(Arc<Stopwatch>, Event)>);

impl Drop for Span {
    fn drop(&mut self) {
        if let Some((stopwatch, event)) = self.0.take() {
            let mut records = stopwatch.records();
            stopwatch.take_room(&mut records, 1);
            records.spans.push(Event { end: now(), ..event });
        }
    }
}

impl Gpu {
    /// Begins a span of work of the host, for [`Gpu::trace`]. Spans of a thread nest.
    pub fn span(&self, name: &'static str) -> Span {
        if !self.stopwatch.tracing.load(Ordering::Relaxed) {
            return Span(None);
        }
        let step = self.stopwatch.step.load(Ordering::Relaxed);
        let begin = now();
        Span(Some((Arc::clone(&self.stopwatch), Event { name, step, begin, end: begin })))
    }

    /// Makes all that is recorded from now on belong to `step`.
    pub fn begin_step(&self, step: u64) {
        self.stopwatch.step.store(step, Ordering::Relaxed);
    }

    /// Begins a trace of up to `room` events, exceeded by at most those of one submission.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn trace(&self, room: usize) -> Result<Tracing> {
        self.wait()?;
        let before = self.has_timestamps().then(|| Calibration::measure(self)).transpose()?;
        let mut records = self.stopwatch.records();
        records.clear();
        records.room = room;
        drop(records);
        self.time_phases(true);
        self.stopwatch.tracing.store(true, Ordering::Relaxed);
        Ok(Tracing { before })
    }

    /// Ends a trace and returns its events.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn end_trace(&self, tracing: Tracing) -> Result<Timeline> {
        self.wait()?;
        self.time_phases(false);
        self.stopwatch.tracing.store(false, Ordering::Relaxed);
        let laps = self.take_laps()?;
        let mut records = self.stopwatch.records();
        let (mut host, full) = (std::mem::take(&mut records.spans), records.full);
        records.clear();
        drop(records);
        host.sort_by_key(|event| (event.begin, std::cmp::Reverse(event.end)));
        let Some(before) = tracing.before else { return Ok(Timeline { host, full, ..Timeline::default() }) };
        let (to_host, uncertainty) = before.with(Calibration::measure(self)?);
        let event = |Lap { phase, step, ticks }: Lap| {
            let [begin, end] = ticks.map(&to_host);
            Event { name: phase, step, begin, end: end.max(begin) }
        };
        Ok(Timeline { host, device: laps.into_iter().map(event).collect(), uncertainty: Some(uncertainty), full })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::checked;
    use crate::{Recorder, Scan};

    fn work(gpu: &Gpu, scan: &Scan, steps: u64) {
        for step in 0..steps {
            gpu.begin_step(step);
            let _recording = gpu.span("record");
            let mut recorder = Recorder::new(gpu);
            recorder.phase("first");
            scan.record(&mut recorder, 1 << 16);
            recorder.phase("second");
            scan.record(&mut recorder, 1 << 16);
            scan.record(&mut recorder, 1 << 16);
            let ticket = recorder.submit();
            gpu.wait_for(&ticket).expect("done");
        }
    }

    #[test]
    fn device_and_host_share_a_clock() {
        let gpu = checked();
        let buffer = gpu.buffer("values", 4 << 17).expect("room");
        let scan = Scan::new(&gpu, &buffer, 1 << 16).expect("made");
        work(&gpu, &scan, 2);
        let tracing = gpu.trace(1000).expect("begins");
        let begin = now();
        work(&gpu, &scan, 30);
        let end = now();
        let Timeline { host, device, uncertainty, full } = gpu.end_trace(tracing).expect("ends");
        let slack = uncertainty.expect("a device with timestamps");
        assert!((0..10_000_000).contains(&slack) && full.is_none(), "{slack} ns, {full:?}");
        let names: Vec<_> = device.iter().map(|event| (event.name, event.step)).collect();
        assert_eq!(names, (0..30).flat_map(|step| [("first", step), ("second", step)]).collect::<Vec<_>>());
        assert!(device.windows(2).all(|pair| pair[0].begin <= pair[0].end && pair[0].end <= pair[1].begin));
        assert!(begin - slack <= device[0].begin && device[59].end <= end + slack);
        for (step, pair) in device.chunks(2).enumerate() {
            let of = |name| host.iter().find(|event| event.name == name && event.step == step as u64).expect("there");
            let (recorded, waited) = (of("record"), of("wait"));
            assert!(recorded.begin <= waited.begin && waited.end <= recorded.end, "nested");
            assert!(recorded.begin - slack <= pair[0].begin && pair[1].end <= waited.end + slack, "{pair:?}");
        }
        work(&gpu, &scan, 2);
        assert_eq!(gpu.take_phases(), Ok(Vec::new()), "silent again");
    }

    #[test]
    fn a_trace_ends_where_it_is_full() {
        let gpu = checked();
        let buffer = gpu.buffer("values", 4 << 17).expect("room");
        let scan = Scan::new(&gpu, &buffer, 1 << 16).expect("made");
        let tracing = gpu.trace(20).expect("begins");
        work(&gpu, &scan, 30);
        let timeline = gpu.end_trace(tracing).expect("ends");
        let last = timeline.full.expect("full");
        assert!((1..29).contains(&last), "{last}");
        assert!(timeline.device.iter().chain(&timeline.host).all(|event| event.step <= last));
    }
}
