//! Summary of a trace: how busy devices are, how much of the exchange lies under interior work, the time of each phase.
//!
//! A message of kind K is on its way from the end of the device's phase "pack K" until the end of the host's next
//! "exchange K", in that step or a later one. Where a kernel that does more packs and sends the message, there is no
//! such phase: the message is on its way during that "exchange K". Interior work is the device's phase "interior".

mod colours;
pub mod drawing;
pub mod tables;
pub mod window;

use std::collections::{BTreeMap, VecDeque};

use hematite_dump::{RankTrace, Trace, TraceEvent};
use serde::Serialize;

/// The device's phase during which messages are meant to travel.
const INTERIOR: &str = "interior";
const PACK: &str = "pack ";
const EXCHANGE: &str = "exchange ";

/// Summary of a trace.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// The first time step.
    pub first_step: u64,
    /// The step after the last.
    pub end_step: u64,
    /// Summary of each rank.
    pub ranks: Vec<RankSummary>,
}

/// Summary of the trace of one rank.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RankSummary {
    /// The rank.
    pub rank: usize,
    /// Its device.
    pub device: String,
    /// Uncertainty of the host's clock against that of rank 0, in microseconds.
    pub clock_uncertainty_us: f64,
    /// Uncertainty of the device's times against those of the host, in microseconds; `None` without timestamps.
    pub device_uncertainty_us: Option<f64>,
    /// Time from the first event to the end of the last, in milliseconds.
    pub wall_ms: f64,
    /// `wall_ms` over the number of time steps.
    pub ms_per_step: f64,
    /// Share of `wall_ms` in which the device is at work; `None` without timestamps.
    pub device_busy: Option<f64>,
    /// Overlap of messages with work, by kind of message.
    pub exchange: BTreeMap<String, Overlap>,
    /// Phases of the host, then of the device, each from the longest to the shortest.
    pub phases: Vec<Phase>,
}

/// How messages of one kind overlap with work of the device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Overlap {
    /// Number of messages.
    pub messages: usize,
    /// Total time from packed to arrived, in milliseconds.
    pub ms: f64,
    /// The part of `ms` during which the device is at work on the interior.
    pub under_interior_ms: f64,
    /// `under_interior_ms` over `ms`.
    pub under_interior: f64,
    /// Share of `ms` during which the device is at work on anything.
    pub under_device: f64,
}

/// One phase of one thread.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Phase {
    /// "host" or "device".
    pub thread: &'static str,
    /// Its name.
    pub name: String,
    /// Number of events.
    pub events: usize,
    /// Total time in milliseconds, without nested phases.
    pub total_ms: f64,
    /// `total_ms` over the number of time steps.
    pub ms_per_step: f64,
    /// Share of the wall-clock time.
    pub share: f64,
}

/// A message on its way, in nanoseconds of the trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// What it carries.
    pub kind: String,
    /// The time step after which it was packed.
    pub step: u64,
    /// When it was packed.
    pub begin: i64,
    /// When it had arrived.
    pub end: i64,
}

/// Summarises a trace.
pub fn summary(trace: &Trace) -> Summary {
    let steps = trace.end.saturating_sub(trace.first).max(1) as f64;
    let ranks = trace.ranks.iter().enumerate().map(|(number, rank)| rank_summary(number, rank, steps)).collect();
    Summary { first_step: trace.first, end_step: trace.end, ranks }
}

fn rank_summary(number: usize, rank: &RankTrace, steps: f64) -> RankSummary {
    let all = || rank.host.iter().chain(&rank.device);
    let first = all().map(|event| event.begin).min().unwrap_or(0);
    let wall = all().map(|event| event.end).max().unwrap_or(0) - first;
    let share = |nanos: i64| nanos as f64 / wall.max(1) as f64;
    let phases = |thread: &'static str, totals: BTreeMap<&str, (usize, i64)>| {
        let phase = |(name, (events, nanos)): (&str, (usize, i64))| Phase {
            thread,
            name: name.to_owned(),
            events,
            total_ms: ms(nanos),
            ms_per_step: ms(nanos) / steps,
            share: share(nanos),
        };
        let mut phases: Vec<Phase> = totals.into_iter().map(phase).collect();
        phases.sort_by(|a, b| b.total_ms.total_cmp(&a.total_ms));
        phases
    };
    let busy = rank.device.iter().map(|event| event.end - event.begin).sum();
    RankSummary {
        rank: number,
        device: rank.device_name.clone(),
        clock_uncertainty_us: 1e-3 * rank.clock_uncertainty as f64,
        device_uncertainty_us: rank.device_uncertainty.map(|nanos| 1e-3 * nanos as f64),
        wall_ms: ms(wall),
        ms_per_step: ms(wall) / steps,
        device_busy: rank.device_uncertainty.map(|_| share(busy)),
        exchange: overlaps(rank),
        phases: [phases("host", own_times(&rank.host)), phases("device", own_times(&rank.device))].concat(),
    }
}

fn ms(nanos: i64) -> f64 {
    1e-6 * nanos as f64
}

/// Number and nanoseconds of the events of each name, without nested events.
fn own_times(events: &[TraceEvent]) -> BTreeMap<&str, (usize, i64)> {
    let mut totals: BTreeMap<&str, (usize, i64)> = BTreeMap::new();
    let mut open: Vec<&TraceEvent> = Vec::new();
    for event in events {
        let length = event.end - event.begin;
        open.retain(|outer| outer.end > event.begin || outer.begin == event.begin && outer.end >= event.end);
        if let Some(outer) = open.last() {
            totals.entry(&outer.name).or_default().1 -= length;
        }
        let total = totals.entry(&event.name).or_default();
        *total = (total.0 + 1, total.1 + length);
        open.push(event);
    }
    totals
}

/// The messages of a rank, by the time they arrived.
pub fn messages(rank: &RankTrace) -> Vec<Message> {
    let mut packed: BTreeMap<&str, VecDeque<(u64, i64)>> = BTreeMap::new();
    for event in &rank.device {
        if let Some(kind) = event.name.strip_prefix(PACK) {
            packed.entry(kind).or_default().push_back((event.step, event.end));
        }
    }
    let mut messages = Vec::new();
    for event in &rank.host {
        let Some(kind) = event.name.strip_prefix(EXCHANGE) else { continue };
        let waiting =
            packed.get_mut(kind).filter(|waiting| waiting.front().is_some_and(|&(step, _)| step <= event.step));
        let packed = waiting.and_then(VecDeque::pop_front);
        // The host begins the exchange after the packing, or seemingly before it where clocks differ a little.
        let (step, begin) = packed.map_or((event.step, event.begin), |(step, packed)| (step, packed.min(event.begin)));
        messages.push(Message { kind: kind.to_owned(), step, begin, end: event.end });
    }
    messages
}

fn overlaps(rank: &RankTrace) -> BTreeMap<String, Overlap> {
    let mut nanos: BTreeMap<String, (usize, [i64; 3])> = BTreeMap::new();
    for message in messages(rank) {
        let [all, interior] = [false, true].map(|interior| under(rank, message.begin, message.end, interior));
        let (messages, sums) = nanos.entry(message.kind).or_default();
        *messages += 1;
        for (sum, part) in sums.iter_mut().zip([message.end - message.begin, interior, all]) {
            *sum += part;
        }
    }
    let overlap = |(messages, [length, interior, all]): (usize, [i64; 3])| Overlap {
        messages,
        ms: ms(length),
        under_interior_ms: ms(interior),
        under_interior: interior as f64 / length.max(1) as f64,
        under_device: all as f64 / length.max(1) as f64,
    };
    nanos.into_iter().map(|(kind, sums)| (kind, overlap(sums))).collect()
}

/// Nanoseconds from `begin` to `end` in which the device is at work, on the interior or on anything.
fn under(rank: &RankTrace, begin: i64, end: i64, interior: bool) -> i64 {
    let first = rank.device.partition_point(|event| event.end <= begin);
    let near = rank.device[first..].iter().take_while(|event| event.begin < end);
    let chosen = near.filter(|event| !interior || event.name == INTERIOR);
    chosen.map(|event| event.end.min(end) - event.begin.max(begin)).sum()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub fn event(name: &str, step: u64, begin: i64, end: i64) -> TraceEvent {
        TraceEvent { name: name.to_owned(), step, begin: 1000 * begin, end: 1000 * end }
    }

    /// Steps of 100 us: packed at 20, interior 25 to 65, arrived at 75; so 40 of 55 us lie under interior work.
    pub fn synthetic(ranks: usize, steps: u64) -> Trace {
        let rank = |number: usize| {
            let mut rank = RankTrace {
                device_name: format!("device {number}"),
                clock_uncertainty: 2000,
                device_uncertainty: Some(5000),
                ..RankTrace::default()
            };
            for step in 0..steps {
                let t = 100 * step as i64;
                let host = [
                    ("record", 0, 90),
                    ("submit", 5, 10),
                    ("wait", 10, 30),
                    ("exchange halo", 30, 75),
                    ("copy", 70, 75),
                ];
                let device =
                    [("interface", 5, 15), ("pack halo", 15, 20), ("interior", 25, 65), ("unpack halo", 80, 95)];
                rank.host.extend(host.map(|(name, begin, end)| event(name, 10 + step, t + begin, t + end)));
                rank.device.extend(device.map(|(name, begin, end)| event(name, 10 + step, t + begin, t + end)));
            }
            rank
        };
        Trace { first: 10, end: 10 + steps, ranks: (0..ranks).map(rank).collect() }
    }

    #[test]
    fn overlap_and_shares_of_a_known_trace() {
        let summary = summary(&synthetic(2, 4));
        assert_eq!((summary.first_step, summary.end_step, summary.ranks.len()), (10, 14, 2));
        let rank = &summary.ranks[1];
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a}, not {b}");
        near(rank.wall_ms, 0.395);
        near(rank.device_busy.expect("timed"), 4.0 * 70.0 / 395.0);
        let halo = rank.exchange["halo"];
        assert_eq!(halo.messages, 4);
        near(halo.ms, 4.0 * 0.055);
        near(halo.under_interior, 40.0 / 55.0);
        near(halo.under_device, 40.0 / 55.0);
        let of = |name: &str| rank.phases.iter().find(|phase| phase.name == name).expect("there");
        near(of("record").total_ms, 4.0 * (0.090 - 0.005 - 0.020 - 0.045));
        near(of("exchange halo").ms_per_step, 0.040);
        near(of("copy").ms_per_step, 0.005);
        near(of("interior").share, 160.0 / 395.0);
        assert_eq!((of("interior").thread, of("wait").thread, of("wait").events), ("device", "host", 4));
    }

    #[test]
    fn messages_of_one_step_keep_their_order() {
        let mut trace = synthetic(1, 1);
        let rank = &mut trace.ranks[0];
        rank.device =
            vec![event("pack shares", 10, 0, 10), event("interior", 10, 10, 30), event("pack shares", 10, 30, 50)];
        rank.host = vec![
            event("exchange shares", 10, 20, 30),
            event("exchange shares", 10, 45, 60),
            event("exchange walls", 10, 70, 80),
        ];
        let found: Vec<_> = messages(rank).into_iter().map(|m| (m.begin / 1000, m.end / 1000)).collect();
        assert_eq!(found, [(10, 30), (45, 60), (70, 80)], "packed, clocks off, never seen to be packed");
        assert_eq!(summary(&trace).ranks[0].exchange["walls"].under_device, 0.0);
    }

    #[test]
    fn without_timestamps_only_the_host_is_known() {
        let mut trace = synthetic(1, 2);
        (trace.ranks[0].device, trace.ranks[0].device_uncertainty) = (Vec::new(), None);
        let summary = summary(&trace);
        let rank = &summary.ranks[0];
        assert_eq!((rank.device_busy, rank.exchange["halo"].under_interior), (None, 0.0));
        assert!(rank.phases.iter().all(|phase| phase.thread == "host"));
    }
}
