//! When those that wait behind an opening come in: period after period, with the flow.

/// The turn of one that waits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turn {
    /// How far it has to go to get where it comes in first, lattice units.
    pub way: f64,
    /// Speed into the domain where it is, for a mean speed of 1.
    pub share: f64,
    /// How often it has come in.
    pub entered: u64,
}

impl Turn {
    /// Whether it is among the share `keep` that comes in, this time; `number` tells it from others.
    pub fn is_kept(&self, number: u64, keep: f64) -> bool {
        // Of who and when: the same on every rank and after a restart.
        unit(number << 32 ^ self.entered) <= keep
    }

    /// How far it would be beyond the place where it comes in once more, when the flow has gone `travelled` lattice units at
    /// mean speed and periods are `length` long; negative before its turn.
    pub fn beyond(&self, travelled: f64, length: f64) -> f64 {
        self.share * travelled - (self.way + self.entered as f64 * length)
    }

    /// How many of its turns have come in which it did not come in.
    pub fn late(&self, travelled: f64, length: f64) -> u64 {
        let beyond = self.beyond(travelled, length);
        if beyond >= 0.0 { (beyond / length) as u64 + 1 } else { 0 }
    }

    /// Lets pass whatever turns it should have had up to now.
    pub fn pass(&mut self, travelled: f64, length: f64) {
        self.entered += self.late(travelled, length);
    }
}

/// A number from 0 to 1, the same for the same key: SplitMix64.
pub fn unit(key: u64) -> f64 {
    let mut x = key.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((x ^ (x >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_comes_once_a_period() {
        let mut turn = Turn { way: 5.0, share: 0.5, entered: 0 };
        assert_eq!([9.9, 10.0, 12.0].map(|travelled| turn.beyond(travelled, 20.0) >= 0.0), [false, true, true]);
        turn.entered = 1;
        assert_eq!([49.0, 50.0, 51.0].map(|travelled| turn.beyond(travelled, 20.0)), [-0.5, 0.0, 0.5]);
        assert_eq!([49.0, 50.0, 91.0].map(|travelled| turn.late(travelled, 20.0)), [0, 1, 2]);
        turn.pass(91.0, 20.0);
        assert_eq!((turn.entered, turn.beyond(91.0, 20.0) < 0.0), (3, true));
        let kept = (0..1000).filter(|&number| turn.is_kept(number, 0.3)).count();
        assert!((250..350).contains(&kept) && turn.is_kept(1, 1.0), "{kept}");
    }
}
