//! Aligns the clocks of ranks.

use hematite_config::Result;

use crate::Comm;

/// How often each rank asks rank 0 for its time.
const ROUNDS: usize = 64;

/// Conversion from the clock of this rank to that of rank 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClockOffset {
    /// Difference to add to this rank's time, in the unit of the clock.
    pub add: i64,
    /// The largest error of the sum.
    pub uncertainty: i64,
}

/// Compares the clock `now` of each rank with that of rank 0. Every rank asks rank 0 for its time many times; that time
/// lies between the question and the answer. All answers together bound the offset at least as well as the shortest
/// round trip. Collective.
///
/// # Errors
/// A lost-rank fault when a rank is gone.
pub fn align_clocks(comm: &dyn Comm, now: impl Fn() -> i64) -> Result<ClockOffset> {
    if comm.rank() == 0 {
        for peer in 1..comm.size() {
            for _ in 0..ROUNDS {
                let mut question = [0; 8];
                comm.exchange(&[], &mut [(peer, &mut question)])?;
                comm.exchange(&[(peer, &now().to_le_bytes())], &mut [])?;
            }
        }
        return Ok(ClockOffset::default());
    }
    let (mut low, mut high) = (i64::MIN, i64::MAX);
    for _ in 0..ROUNDS {
        let mut answer = [0; 8];
        let asked = now();
        comm.exchange(&[(0, &[0; 8])], &mut [])?;
        comm.exchange(&[], &mut [(0, &mut answer)])?;
        let heard = now();
        let there = i64::from_le_bytes(answer);
        (low, high) = (low.max(there - heard), high.min(there - asked));
    }
    // Where a clock jumps, low exceeds high, and the difference is its error.
    Ok(ClockOffset { add: low + (high - low) / 2, uncertainty: ((high - low).abs() + 1) / 2 })
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::{Solo, threads};

    #[test]
    fn clocks_that_differ_are_aligned() {
        let start = Instant::now();
        let clock = |rank: usize| start.elapsed().as_nanos() as i64 - 1_000_000_000 * rank as i64;
        let offsets: Vec<ClockOffset> = std::thread::scope(|scope| {
            let rank = |comm: crate::Threads| move || align_clocks(&comm, || clock(comm.rank())).expect("aligns");
            let ranks: Vec<_> = threads(3).into_iter().map(|comm| scope.spawn(rank(comm))).collect();
            ranks.into_iter().map(|rank| rank.join().expect("a rank")).collect()
        });
        assert_eq!(offsets[0], ClockOffset::default());
        for (offset, rank) in offsets.iter().zip(0..) {
            assert!((offset.add - 1_000_000_000 * rank).abs() <= offset.uncertainty, "{offset:?}");
            assert!(offset.uncertainty < 10_000_000, "{offset:?}");
        }
        assert_eq!(align_clocks(&Solo, || 5), Ok(ClockOffset::default()));
    }
}
