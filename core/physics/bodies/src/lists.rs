//! How long tiles, owners, ghosts and lists of neighbours stay valid: until a body may have moved as far as they allow.
//!
//! Bodies move at most [`FASTEST`] a step, mostly far less. Drift records the largest speed since lists were made. Every few
//! steps the host reads it, before the next drift, while the device does the rest of that step and the fluid's next one. The
//! host then knows for how many steps the lists stay valid whatever happens.

use hematite_comm::Comm;
use hematite_config::Result;
use hematite_gpu::{Buffer, Channel, Gpu, Recorder};

use super::parameters::FASTEST;

/// Speeds that drift keeps, each the largest of many bodies, and words from one to the next: each has a sector of memory to itself.
pub(super) const SPEEDS: u32 = 32;
pub(super) const SPEEDS_APART: u32 = 8;

/// Bytes of all speeds.
const BYTES: u64 = 4 * (SPEEDS * SPEEDS_APART) as u64;

/// Steps that lists must still be good for, not to be made anew: looks cost something too.
const FEWEST: u64 = 2;

/// Rounding of f32, for a bound, and of a step's way along three axes to the unit of positions, lattice units.
const ROUNDED: f64 = 1.0 + 1e-6;
const STEP_ROUNDED: f64 = 1e-9;

/// How far bodies may have gone since lists were made.
pub(super) struct Lists {
    /// How far they may go, lattice units.
    skin: f64,
    /// Squares of speeds, as drift keeps them, and their way to the host.
    channel: Channel,
    /// Steps done when they were made.
    made: u64,
    /// Steps to which they are good, whatever happens.
    good_until: u64,
    /// Whether speeds are on their way.
    told: bool,
}

/// Steps to which lists are good that were made after `made` steps, where speeds up to step number `told` were at most `speed`.
fn good_until(skin: f64, made: u64, told: u64, speed: f64) -> u64 {
    let gone = (told - made) as f64 * (speed * ROUNDED + STEP_ROUNDED);
    // NaN, and whatever went too far, make 0.
    told + ((skin - gone) / FASTEST) as u64
}

impl Lists {
    /// For bodies that may go `skin` lattice units far.
    ///
    /// # Errors
    /// Where the device has no room.
    pub fn new(gpu: &Gpu, skin: f64) -> Result<Self> {
        Ok(Self { skin, channel: gpu.channel("speeds of bodies", BYTES, 4)?, made: 0, good_until: 0, told: false })
    }

    /// `array<atomic<u32>>`, what drift keeps: one in [`SPEEDS_APART`] words is used.
    pub fn speeds(&self) -> &Buffer {
        self.channel.send_buffer()
    }

    /// They are made after `step` steps, with what `recorder` holds.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn begin(&mut self, recorder: &mut Recorder, step: u64) -> Result<()> {
        if std::mem::take(&mut self.told) {
            recorder.receive(&self.channel, &mut [])?;
        }
        recorder.clear(self.speeds());
        self.made = step;
        self.good_until = good_until(self.skin, step, step, 0.0);
        Ok(())
    }

    /// After drift in step number `step`: sends off speeds where the next look is at these.
    pub fn record_look(&mut self, recorder: &mut Recorder, step: u64) {
        if step == self.good_until {
            recorder.send(&self.channel, BYTES);
            self.told = true;
        }
    }

    /// Whether lists are not good for long enough any more, after `step` steps. Collective.
    ///
    /// # Errors
    /// When the device or a rank is lost.
    pub fn outlived(&mut self, comm: &dyn Comm, recorder: &mut Recorder, step: u64) -> Result<bool> {
        if step < self.good_until {
            return Ok(false);
        }
        if !std::mem::take(&mut self.told) {
            return Ok(true);
        }
        let mut squares = [0_f32; (SPEEDS * SPEEDS_APART) as usize];
        recorder.receive(&self.channel, bytemuck::cast_slice_mut(&mut squares))?;
        let nan = squares.iter().any(|square| square.is_nan());
        let largest = squares.iter().copied().fold(0.0, f32::max);
        let mut speed = [if nan { f64::NAN } else { f64::from(largest).sqrt() }];
        comm.max(&mut speed)?;
        self.good_until = good_until(self.skin, self.made, step, speed[0]);
        Ok(self.good_until < step + FEWEST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SKIN: f64 = 0.5;

    /// Steps between rebuilds, and how many looks there are, where bodies have these speeds.
    fn run(speed: impl Fn(u64) -> f64) -> (u64, u32) {
        let (mut until, mut looks) = (good_until(SKIN, 0, 0, 0.0), 0);
        let way = |steps: u64| (0..steps).map(&speed).sum::<f64>();
        loop {
            assert!(way(until) <= SKIN * ROUNDED, "{} after {until} steps", way(until));
            looks += 1;
            let step = until;
            let largest = (0..step).map(&speed).fold(0.0, f64::max);
            until = good_until(SKIN, 0, step, largest);
            if until < step + FEWEST {
                return (step, looks);
            }
            assert!(looks < 1_000_000, "no end");
        }
    }

    #[test]
    fn no_body_goes_farther_than_lists_allow_for() {
        assert_eq!(run(|_| FASTEST).0, 5);
        // Slow for long, then as fast as can be.
        for slow in 0..400 {
            for speed in [0.0, 1e-4, 3e-3, 0.02, 0.05] {
                run(|step| if step < slow { speed } else { FASTEST });
            }
        }
    }

    #[test]
    fn lists_of_slow_bodies_are_good_for_long() {
        for (speed, steps, most) in [(0.05, 7, 2), (0.01, 30, 10), (0.001, 300, 110)] {
            let (found, looks) = run(|_| speed);
            assert!(found >= steps && looks <= most, "{speed}: {found} steps, {looks} looks");
        }
    }

    #[test]
    fn what_is_not_a_number_ends_lists() {
        assert_eq!(good_until(SKIN, 3, 7, f64::NAN), 7);
        assert_eq!(good_until(SKIN, 3, 7, 1e30), 7);
        assert_eq!(good_until(SKIN, 3, 3, 0.0), 8);
    }
}
