//! How long the device spends in each phase of a submission, by timestamps between compute passes.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use hematite_config::{Fault, Result};

use crate::Gpu;

/// Phases that one submission times; what comes after counts to the last of them.
const MOST: u32 = wgpu::QUERY_SET_MAX_QUERIES / 2;

/// Seconds by phase since the last look, and what has not been read yet.
#[derive(Debug, Default)]
pub(crate) struct Stopwatch {
    on: AtomicBool,
    laps: Mutex<Laps>,
}

#[derive(Debug, Default)]
struct Laps {
    seconds: Vec<(&'static str, f64)>,
    waiting: Vec<(Vec<&'static str>, wgpu::Buffer)>,
}

/// The phases of one submission in the making.
pub(crate) struct Lap {
    queries: wgpu::QuerySet,
    phases: Vec<&'static str>,
}

impl Stopwatch {
    fn laps(&self) -> MutexGuard<'_, Laps> {
        self.laps.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Gpu {
    /// Whether submissions are timed from now on; a device without timestamps stays silent.
    pub fn time_phases(&self, on: bool) {
        let able = self.device.features().contains(wgpu::Features::TIMESTAMP_QUERY);
        self.stopwatch.on.store(on && able, Ordering::Relaxed);
    }

    /// Seconds the device spent in each phase ([`crate::Recorder::phase`]) since the last call, in order of first appearance.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn take_phases(&self) -> Result<Vec<(&'static str, f64)>> {
        self.read_laps()?;
        Ok(std::mem::take(&mut self.stopwatch.laps().seconds))
    }

    pub(crate) fn begin_lap(&self) -> Option<Lap> {
        if !self.stopwatch.on.load(Ordering::Relaxed) {
            return None;
        }
        let queries = self.device.create_query_set(&wgpu::QuerySetDescriptor {
            label: Some("phases"),
            ty: wgpu::QueryType::Timestamp,
            count: 2 * MOST,
        });
        Some(Lap { queries, phases: Vec::new() })
    }

    pub(crate) fn end_lap(&self, lap: Lap, encoder: &mut wgpu::CommandEncoder) {
        if lap.phases.is_empty() {
            return;
        }
        let buffer = |usage| {
            let size = 16 * lap.phases.len() as u64;
            self.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("phases"),
                size,
                usage,
                mapped_at_creation: false,
            })
        };
        let resolved = buffer(wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC);
        let readable = buffer(wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST);
        encoder.resolve_query_set(&lap.queries, 0..2 * lap.phases.len() as u32, &resolved, 0);
        encoder.copy_buffer_to_buffer(&resolved, 0, &readable, 0, readable.size());
        self.stopwatch.laps().waiting.push((lap.phases, readable));
    }

    /// Adds up what submissions that are done have left.
    pub(crate) fn read_laps(&self) -> Result<()> {
        let waiting = std::mem::take(&mut self.stopwatch.laps().waiting);
        let period = f64::from(self.queue.get_timestamp_period()) * 1e-9;
        for (phases, readable) in waiting {
            readable.map_async(wgpu::MapMode::Read, .., |_| ());
            self.poll(wgpu::PollType::wait_indefinitely())?;
            let lost = |error: wgpu::MapRangeError| Fault::io(format!("{}: {error}", self.info().name));
            let bytes = readable.get_mapped_range(..).map_err(lost)?;
            let ticks: Vec<[u64; 2]> = bytemuck::pod_collect_to_vec(&bytes);
            let mut laps = self.stopwatch.laps();
            for (phase, [begin, end]) in phases.into_iter().zip(ticks) {
                let spent = end.saturating_sub(begin) as f64 * period;
                match laps.seconds.iter_mut().find(|(name, _)| *name == phase) {
                    Some((_, seconds)) => *seconds += spent,
                    None => laps.seconds.push((phase, spent)),
                }
            }
        }
        Ok(())
    }
}

impl Lap {
    /// Whether `phase` is not the last one so far.
    pub fn turns_to(&self, phase: &'static str) -> bool {
        self.phases.last() != Some(&phase) && (self.phases.len() as u32) < MOST
    }

    /// Where a compute pass of `phase` that begins now leaves its times.
    pub fn writes(&mut self, phase: &'static str) -> Option<wgpu::ComputePassTimestampWrites<'_>> {
        let at = 2 * self.phases.len() as u32;
        if at >= 2 * MOST {
            return None;
        }
        self.phases.push(phase);
        Some(wgpu::ComputePassTimestampWrites {
            query_set: &self.queries,
            beginning_of_pass_write_index: Some(at),
            end_of_pass_write_index: Some(at + 1),
        })
    }
}
