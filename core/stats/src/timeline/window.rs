//! The part of a trace that is drawn.

use std::collections::BTreeMap;

use hematite_dump::{RankTrace, Trace};

/// Number of steps drawn by default.
const FEW: u64 = 3;

/// Some time steps of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The first step.
    pub first: u64,
    /// The last one.
    pub last: u64,
}

impl Window {
    /// A few successive steps of median length on rank 0, mostly without rare events.
    pub fn typical(trace: &Trace) -> Self {
        let starts = trace.ranks.first().map(step_starts).unwrap_or_default();
        let few = FEW.min(trace.end.saturating_sub(trace.first)).max(1);
        let length = |&first: &u64| Some((starts.get(&(first + few))? - starts.get(&first)?, first));
        let mut lengths: Vec<(i64, u64)> = (trace.first..trace.end).filter_map(|first| length(&first)).collect();
        lengths.sort_unstable();
        let first = lengths.get(lengths.len() / 2).map_or(trace.first, |(_, first)| *first);
        Self { first, last: first + few - 1 }
    }

    /// All steps.
    pub fn whole(trace: &Trace) -> Self {
        Self { first: trace.first, last: trace.end.saturating_sub(1).max(trace.first) }
    }

    /// Beginning of the first step and end of the last on `ranks`, in nanoseconds.
    pub fn span(&self, ranks: &[&RankTrace]) -> [i64; 2] {
        let (mut begin, mut end) = (i64::MAX, i64::MIN);
        for rank in ranks {
            let starts = step_starts(rank);
            begin = starts.range(self.first..=self.last).map(|(_, &start)| start).fold(begin, i64::min);
            let last = thread(rank).iter().filter(|event| event.step <= self.last).map(|event| event.end).max();
            let next = starts.range(self.last + 1..).next().map(|(_, &start)| start);
            end = end.max(next.or(last).unwrap_or(i64::MIN));
        }
        if begin < end { [begin, end] } else { [0, 1] }
    }
}

/// When each step begins, in nanoseconds: on the device, or on the host where the device has no timestamps.
pub fn step_starts(rank: &RankTrace) -> BTreeMap<u64, i64> {
    let mut starts = BTreeMap::new();
    for event in thread(rank) {
        starts.entry(event.step).or_insert(event.begin);
    }
    starts
}

fn thread(rank: &RankTrace) -> &[hematite_dump::TraceEvent] {
    if rank.device.is_empty() { &rank.host } else { &rank.device }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline::tests::synthetic;

    #[test]
    fn the_typical_steps_leave_out_what_is_rare() {
        let mut trace = synthetic(1, 20);
        for event in trace.ranks[0].device.iter_mut().filter(|event| event.step > 12) {
            (event.begin, event.end) = (event.begin + 9_000_000, event.end + 9_000_000);
        }
        let window = Window::typical(&trace);
        assert!(window.first > 12 && window.last == window.first + 2, "{window:?}");
        assert_eq!(window.span(&[&trace.ranks[0]]).map(|t| t / 1000 % 100), [5, 5], "from start to start");
        assert_eq!(Window::whole(&trace), Window { first: 10, last: 29 });
        let last = Window { first: 29, last: 29 };
        assert_eq!(last.span(&[&trace.ranks[0]]).map(|t| t / 1000), [10_905, 10_995]);
        assert_eq!(Window::typical(&synthetic(1, 1)), Window { first: 10, last: 10 });
        assert_eq!(Window::typical(&Trace::default()).span(&[]), [0, 1], "nothing at all");
    }
}
