//! Measures times on the device: timestamps between commands mark the beginning and end of each phase of a submission.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use hematite_config::{Fault, Result};

use crate::Gpu;
use crate::timeline::Event;

/// Timestamps in a query set.
const SHEET: usize = 1024;

/// Features that a device needs to be timed.
pub(crate) const TIMESTAMPS: wgpu::Features = wgpu::Features::TIMESTAMP_QUERY
    .union(wgpu::Features::TIMESTAMP_QUERY_INSIDE_ENCODERS)
    .union(wgpu::Features::TIMESTAMP_QUERY_INSIDE_PASSES);

/// Whether times are measured, and the marks so far.
#[derive(Debug, Default)]
pub(crate) struct Stopwatch {
    /// Whether submissions write timestamps.
    pub timing: AtomicBool,
    /// Whether the host records spans, and submissions write timestamps for each time step.
    pub tracing: AtomicBool,
    /// The time step at work.
    pub step: AtomicU64,
    records: Mutex<Records>,
}

#[derive(Debug, Default)]
pub(crate) struct Records {
    sheets: Vec<wgpu::QuerySet>,
    used: usize,
    /// Marks of each submission.
    laps: Vec<Vec<Mark>>,
    pub spans: Vec<Event>,
    /// Number of events for which the trace still has room.
    pub room: usize,
    /// The step at which the room ran out.
    pub full: Option<u64>,
}

/// The beginning of a phase. The last mark of a submission is the end of the phase before.
#[derive(Clone, Copy, Debug)]
struct Mark {
    phase: &'static str,
    step: u64,
    timestamp: usize,
}

/// A phase of one submission, in ticks of the device's clock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lap {
    pub phase: &'static str,
    pub step: u64,
    pub ticks: [u64; 2],
}

/// The phases of the submission that is being recorded.
pub(crate) struct Marks {
    marks: Vec<Mark>,
}

impl Stopwatch {
    pub fn records(&self) -> MutexGuard<'_, Records> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes room for `events` events of the trace. Ends the trace if there is not enough.
    pub fn take_room(&self, records: &mut Records, events: usize) {
        if !self.tracing.load(Ordering::Relaxed) {
            return;
        }
        if events > records.room {
            records.full = Some(self.step.load(Ordering::Relaxed));
            self.tracing.store(false, Ordering::Relaxed);
            self.timing.store(false, Ordering::Relaxed);
        }
        records.room -= events.min(records.room);
    }
}

impl Records {
    /// Drops marks and spans; query sets are reused.
    pub fn clear(&mut self) {
        self.used = 0;
        self.laps.clear();
        self.spans.clear();
        self.full = None;
    }
}

impl Gpu {
    /// Switches timing of submissions on or off. A device without timestamps measures nothing.
    pub fn time_phases(&self, on: bool) {
        self.stopwatch.timing.store(on && self.has_timestamps(), Ordering::Relaxed);
    }

    /// Seconds that the device spent in each phase ([`crate::Recorder::phase`]) since the last call, in order of first
    /// appearance.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn take_phases(&self) -> Result<Vec<(&'static str, f64)>> {
        let tick = 1e-9 * f64::from(self.queue.get_timestamp_period());
        let mut phases: Vec<(&'static str, f64)> = Vec::new();
        for Lap { phase, ticks: [begin, end], .. } in self.take_laps()? {
            let spent = end.saturating_sub(begin) as f64 * tick;
            match phases.iter_mut().find(|(name, _)| *name == phase) {
                Some((_, seconds)) => *seconds += spent,
                None => phases.push((phase, spent)),
            }
        }
        Ok(phases)
    }

    pub(crate) fn has_timestamps(&self) -> bool {
        self.device.features().contains(TIMESTAMPS)
    }

    /// The phases of all submissions, in their order.
    pub(crate) fn take_laps(&self) -> Result<Vec<Lap>> {
        self.wait()?;
        let (laps, sheets) = {
            let mut records = self.stopwatch.records();
            (std::mem::take(&mut records.laps), records.sheets[..records.used.div_ceil(SHEET)].to_vec())
        };
        let mut ticks = Vec::with_capacity(SHEET * sheets.len());
        for sheet in &sheets {
            ticks.extend(self.timestamps(sheet, SHEET as u32)?);
        }
        self.stopwatch.records().used = 0;
        let lap = |pair: &[Mark]| {
            let ticks = [ticks[pair[0].timestamp], ticks[pair[1].timestamp]];
            Lap { phase: pair[0].phase, step: pair[0].step, ticks }
        };
        Ok(laps.iter().flat_map(|marks| marks.windows(2).map(lap)).collect())
    }

    pub(crate) fn query_set(&self, count: u32) -> wgpu::QuerySet {
        let ty = wgpu::QueryType::Timestamp;
        self.device.create_query_set(&wgpu::QuerySetDescriptor { label: Some("timestamps"), ty, count })
    }

    /// The first `count` timestamps of `queries`; zero for those not written.
    pub(crate) fn timestamps(&self, queries: &wgpu::QuerySet, count: u32) -> Result<Vec<u64>> {
        let buffer = |usage| {
            let size = 8 * u64::from(count);
            let label = Some("timestamps");
            self.device.create_buffer(&wgpu::BufferDescriptor { label, size, usage, mapped_at_creation: false })
        };
        let resolved = buffer(wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC);
        let readable = buffer(wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST);
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        encoder.resolve_query_set(queries, 0..count, &resolved, 0);
        encoder.copy_buffer_to_buffer(&resolved, 0, &readable, 0, readable.size());
        self.queue.submit([encoder.finish()]);
        readable.map_async(wgpu::MapMode::Read, .., |_| ());
        self.wait()?;
        let lost = |error: wgpu::MapRangeError| Fault::io(format!("{}: {error}", self.info().name));
        let bytes = readable.get_mapped_range(..).map_err(lost)?;
        Ok(bytemuck::pod_collect_to_vec(&bytes))
    }

    pub(crate) fn begin_marks(&self) -> Option<Marks> {
        self.stopwatch.timing.load(Ordering::Relaxed).then(|| Marks { marks: Vec::new() })
    }
}

impl Marks {
    /// The query for a timestamp before a command of `phase`; `None` within a phase.
    pub fn enter(&mut self, gpu: &Gpu, phase: &'static str) -> Option<(wgpu::QuerySet, u32)> {
        let step = match gpu.stopwatch.tracing.load(Ordering::Relaxed) {
            true => gpu.stopwatch.step.load(Ordering::Relaxed),
            false => 0,
        };
        if self.marks.last().is_some_and(|last| last.phase == phase && last.step == step) {
            return None;
        }
        Some(self.mark(gpu, phase, step))
    }

    fn mark(&mut self, gpu: &Gpu, phase: &'static str, step: u64) -> (wgpu::QuerySet, u32) {
        let mut records = gpu.stopwatch.records();
        let timestamp = records.used;
        records.used += 1;
        let sheet = timestamp / SHEET;
        if sheet == records.sheets.len() {
            records.sheets.push(gpu.query_set(SHEET as u32));
        }
        self.marks.push(Mark { phase, step, timestamp });
        (records.sheets[sheet].clone(), (timestamp % SHEET) as u32)
    }

    /// The query for the timestamp at the end of the submission; `None` if no phase began.
    pub fn end(mut self, gpu: &Gpu) -> Option<(wgpu::QuerySet, u32)> {
        if self.marks.is_empty() {
            return None;
        }
        let end = self.mark(gpu, "end", 0);
        let mut records = gpu.stopwatch.records();
        gpu.stopwatch.take_room(&mut records, self.marks.len() - 1);
        records.laps.push(self.marks);
        Some(end)
    }
}
