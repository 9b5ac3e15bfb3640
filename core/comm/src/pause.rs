//! Pauses of a rank that waits for another without MPI.

use std::thread;
use std::time::{Duration, Instant};

/// How long a rank polls without a pause: the typical delay between ranks with equal work.
const SPIN: Duration = Duration::from_micros(20);

/// How long after that a rank yields between looks, before it sleeps between them.
const YIELD: Duration = Duration::from_millis(2);

/// The longest sleep. Each sleep is a fiftieth of the wait so far.
const NAP: Duration = Duration::from_millis(1);

/// A wait under way.
pub(crate) struct Pause(Instant);

impl Pause {
    /// A wait that begins now.
    pub fn new() -> Self {
        Self(Instant::now())
    }

    /// Pauses between two looks. Calls `meanwhile` if it yields or sleeps.
    pub fn once(&self, meanwhile: impl FnOnce()) {
        let waited = self.0.elapsed();
        if waited < SPIN {
            std::hint::spin_loop();
            return;
        }
        meanwhile();
        if waited < YIELD {
            thread::yield_now();
        } else {
            thread::sleep((waited / 50).min(NAP));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_waits_take_few_looks() {
        let (pause, start) = (Pause::new(), Instant::now());
        let (mut early, mut late) = (0, 0);
        while start.elapsed() < Duration::from_millis(220) {
            *(if start.elapsed() < Duration::from_millis(20) { &mut early } else { &mut late }) += 1;
            pause.once(|| ());
        }
        assert!(early > 0, "{early}");
        assert!((1..=500).contains(&late), "{late}");
    }
}
