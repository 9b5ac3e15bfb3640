//! When the host looks at cells.

use hematite_config::{Fault, Result};
use hematite_membrane::FASTEST;

/// Fewest time steps from one look at health, holders and exits to the next. The state after a multiple of it is whole:
/// positions, drifts, sizes and the marks of nodes tell the rest.
pub const LOOK: u64 = 16;
/// Most time steps from one look to the next on several ranks, a multiple of [`LOOK`],
const LONGEST: u64 = 64;
/// and on one, where looks are for health alone.
const LONGEST_ALONE: u64 = 128;
/// The farthest that a vertex may go from one look to the next, lattice spacings.
pub(super) const WAY: f64 = FASTEST * LOOK as f64;
/// How far it may go at least where looks are more than [`LOOK`] steps apart.
const LEAST_WAY: f64 = 2.0;
/// Until the next look vertices may become so many times faster.
const RISE: f64 = 4.0;

/// The looks of a run. Where no cell comes in or goes out no result depends on when they are.
pub(super) struct Looks {
    /// The step of the next one; 0: the next multiple of [`LOOK`].
    next: u64,
    /// Steps from the last look to the next.
    apart: u64,
    /// How far a vertex may go until then.
    way: f64,
}

impl Looks {
    /// Those of a run that begins, or goes on.
    pub fn new() -> Self {
        Self { next: 0, apart: LOOK, way: WAY }
    }

    /// Steps from `step` to the next look.
    pub fn until(&self, step: u64) -> u64 {
        if self.next > step { self.next - step } else { LOOK - step % LOOK }
    }

    /// Whether a look is due after `step` steps.
    pub fn is_due(&self, step: u64) -> bool {
        step >= self.next && step.is_multiple_of(LOOK)
    }

    /// How far a vertex may go until the next look, lattice spacings: ranks hold cells that come so near.
    pub fn way(&self) -> f64 {
        self.way
    }

    /// Plans the look after the one at `step`. On several ranks it is due before vertices have gone [`WAY`], even if they
    /// become [`RISE`] times faster than `pace`, their largest way in a step since the last look, and ranks hold cells that
    /// come as near as they get then. `None`: one rank holds all cells. `often`: cells grow, or come in and go out.
    ///
    /// # Errors
    /// A numerical failure where vertices have gone farther than that: a rank may have missed a cell that came near.
    pub fn plan(&mut self, step: u64, pace: Option<f64>, often: bool) -> Result<()> {
        if let Some(pace) = pace.filter(|pace| pace * self.apart as f64 > self.way && self.apart > LOOK) {
            return Err(Fault::numerical(format!(
                "vertices of cells moved by up to {pace:.1e} lattice spacings a step in the {} steps up to step {step}, more than \
                 {RISE} times as far as in those before, so that ranks may have missed cells that came near: take a shorter time \
                 step, or a \"ramp\" where the flow starts",
                self.apart
            )));
        }
        let most = match pace {
            _ if often => LOOK,
            None => LONGEST_ALONE,
            Some(pace) => ((WAY / (RISE * pace)).min(LONGEST as f64) as u64).min(2 * self.apart),
        };
        self.apart = (most / LOOK * LOOK).max(LOOK);
        self.way = match pace {
            Some(pace) if self.apart > LOOK => (RISE * pace * self.apart as f64).clamp(LEAST_WAY, WAY),
            _ => WAY,
        };
        self.next = step + self.apart;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_are_as_far_apart_as_vertices_are_slow() {
        let mut looks = Looks::new();
        assert_eq!([0, 1, 15, 16, 37].map(|step| looks.until(step)), [16, 15, 1, 16, 11]);
        let mut step = 48;
        for (pace, apart) in
            [(0.0, 32), (0.0, 64), (1e-3, 64), (0.0157, 48), (0.03, 32), (0.04, 16), (0.25, 16), (0.0, 32)]
        {
            assert!(looks.is_due(step) && !looks.is_due(step + 1));
            looks.plan(step, Some(pace), false).expect("slow enough");
            assert_eq!((looks.until(step), looks.until(step + 5)), (apart, apart - 5), "{pace}");
            assert!(!looks.is_due(step + apart - LOOK) || apart == LOOK);
            step += apart;
        }
        looks.plan(step, Some(0.0), true).expect("slow");
        assert_eq!(looks.until(step), LOOK);
        looks.plan(step, None, false).expect("one rank");
        assert_eq!(looks.until(step), LONGEST_ALONE);
    }

    #[test]
    fn vertices_that_outrun_a_look_are_told() {
        let mut looks = Looks::new();
        looks.plan(16, Some(0.001), false).expect("slow");
        looks.plan(48, Some(0.062), false).expect("just within the way");
        let mut looks = Looks::new();
        looks.plan(16, Some(0.001), false).expect("slow");
        let fault = looks.plan(48, Some(0.063), false).expect_err("too fast").to_string();
        assert!(fault.contains("6.3e-2") && fault.contains("the 32 steps up to step 48"), "{fault}");
    }
}
