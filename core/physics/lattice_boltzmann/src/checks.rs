//! How far the fluid is from the limits of the method: looked at on the device every [`CHECK_EVERY`] steps, read by the host
//! while the next steps are done.

use hematite_config::{Fault, Result};
use hematite_engine::LONGEST_BATCH;
use hematite_gpu::{Buffer, Gpu, Recorder, Staging, Ticket};

/// Time steps from one check to the next; even, so that nodes hold their own populations.
pub const CHECK_EVERY: u64 = 100;

/// The largest speed in lattice units, Mach 0.69, above which the equilibrium's expansion in it means nothing.
pub const LARGEST_SPEED: f64 = 0.4;

/// The largest magnitude of `rho - 1`; above 1 the density is negative somewhere or pressures are beyond any meaning.
pub const LARGEST_DEVIATION: f64 = 0.9;

/// Checks of one batch at most.
const SLOTS: usize = (LONGEST_BATCH / CHECK_EVERY) as usize + 1;

/// The largest speed and density deviation of the fluid's nodes after a step, lattice units; infinite where some node's
/// is no number.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Extremes {
    /// Time steps done.
    pub step: u64,
    /// Largest speed.
    pub speed: f64,
    /// Largest magnitude of `rho - 1`.
    pub deviation: f64,
}

impl Extremes {
    /// Whether the state is beyond the method.
    pub fn beyond(&self) -> bool {
        // No number is beyond too.
        !(self.speed <= LARGEST_SPEED && self.deviation <= LARGEST_DEVIATION)
    }

    /// The fault of a state that is beyond the method.
    pub fn fault(&self) -> Fault {
        let step = self.step;
        let shown = |x: f64| if x.is_finite() { format!("{x:.2e}") } else { "no number".to_owned() };
        let [speed, deviation] = [self.speed, self.deviation].map(shown);
        Fault::numerical(format!(
            "the fluid diverged: at step {step} its largest speed is {speed} in lattice units, the limit is {LARGEST_SPEED}, and \
             its largest density deviation {deviation}, the limit is {LARGEST_DEVIATION}"
        ))
    }
}

/// The checks of a part.
pub(crate) struct Checks {
    words: Buffer,
    /// Where two batches bring theirs in next: one is read while the other is at work.
    staging: [Staging; 2],
    next: usize,
    /// Step and slot of each check of the batch in the making.
    recorded: Vec<(u64, usize)>,
    /// What was handed over and not read yet.
    travelling: Option<Travelling>,
    /// What nobody has taken yet, of all ranks.
    pub found: Vec<Extremes>,
}

/// The checks of a batch on the way to the host.
pub(crate) struct Travelling {
    ticket: Ticket,
    staging: Staging,
    checks: Vec<(u64, usize)>,
}

impl Checks {
    /// The checks that kernels leave in `words`.
    pub fn new(gpu: &Gpu, words: Buffer) -> Result<Self> {
        let staging = || gpu.staging("checked", words.bytes());
        let staging = [staging()?, staging()?];
        Ok(Self { words, staging, next: 0, recorded: Vec::new(), travelling: None, found: Vec::new() })
    }

    /// Bytes that kernels need.
    pub const BYTES: u64 = 8 * SLOTS as u64;

    /// Notes that a check of the state after `step` steps was recorded, whose force is that of `row`.
    pub fn note(&mut self, step: u64, row: u32) {
        self.recorded.push((step, row as usize / CHECK_EVERY as usize));
    }

    /// Brings the checks of the batch, if any, to where the host reads them, at its end.
    pub fn bring(&mut self, recorder: &mut Recorder) {
        if !self.recorded.is_empty() {
            recorder.copy_out(&self.words, 0, (&self.staging[self.next], 0), self.words.bytes());
            recorder.clear(&self.words);
        }
    }

    /// The batch is handed over as `ticket`: gives the checks of the one before, if any.
    pub fn handed_over(&mut self, ticket: &Ticket) -> Option<Travelling> {
        let checks = std::mem::take(&mut self.recorded);
        let now = (!checks.is_empty()).then(|| {
            let staging = self.staging[self.next].clone();
            self.next = 1 - self.next;
            Travelling { ticket: ticket.clone(), staging, checks }
        });
        std::mem::replace(&mut self.travelling, now)
    }

    /// The checks that nobody has read yet, at the end of all batches.
    pub fn last(&mut self) -> Option<Travelling> {
        self.travelling.take()
    }
}

impl Travelling {
    /// Waits for the batch and reads this rank's checks.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn read(self, gpu: &Gpu) -> Result<Vec<Extremes>> {
        let words: Vec<u32> = gpu.read(&self.staging, &self.ticket, bytemuck::pod_collect_to_vec)?;
        // The largest over ranks would pass over NaN.
        let number = |word: u32| Some(f64::from(f32::from_bits(word))).filter(|x| !x.is_nan()).unwrap_or(f64::INFINITY);
        let extremes = |&(step, slot): &(u64, usize)| Extremes {
            step,
            speed: number(words[2 * slot]).sqrt(),
            deviation: number(words[2 * slot + 1]),
        };
        Ok(self.checks.iter().map(extremes).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_is_beyond() {
        let sound = Extremes { step: 1, speed: 0.1, deviation: 0.05 };
        assert!(!sound.beyond());
        for extremes in [
            Extremes { speed: f64::NAN, ..sound },
            Extremes { deviation: f64::NAN, ..sound },
            Extremes { speed: f64::INFINITY, ..sound },
            Extremes { speed: 0.41, ..sound },
            Extremes { deviation: 0.91, ..sound },
        ] {
            assert!(extremes.beyond(), "{extremes:?}");
        }
    }
}
