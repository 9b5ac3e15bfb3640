//! When members that wait behind an opening come in: period after period, with the flow.

/// When a member that waits comes in. It is due once a period of the flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EntrySchedule {
    /// Distance to the place where it first comes in, lattice units.
    pub way: f64,
    /// Speed into the domain where it is, for a mean speed of 1.
    pub share: f64,
    /// How often it has come in.
    pub entered: u64,
}

impl EntrySchedule {
    /// Whether it is among the share `keep` of members that come in this period; `number` tells it from others.
    pub fn is_kept(&self, number: u64, keep: f64) -> bool {
        // A function of member and period: the same on every rank and after a restart.
        unit(number << 32 ^ self.entered) <= keep
    }

    /// How far it would be beyond the place of its next entry when the flow has gone `travelled` lattice units at mean
    /// speed and periods are `length` long; negative before it is due.
    pub fn beyond(&self, travelled: f64, length: f64) -> f64 {
        self.share * travelled - (self.way + self.entered as f64 * length)
    }

    /// How many of its entries were due and have not taken place.
    pub fn late(&self, travelled: f64, length: f64) -> u64 {
        let beyond = self.beyond(travelled, length);
        if beyond >= 0.0 { (beyond / length) as u64 + 1 } else { 0 }
    }

    /// Gives up the entries that are due.
    pub fn pass(&mut self, travelled: f64, length: f64) {
        self.entered += self.late(travelled, length);
    }
}

/// A number from 0 to 1 by SplitMix64, the same for the same key.
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
    fn an_entry_is_due_once_a_period() {
        let mut schedule = EntrySchedule { way: 5.0, share: 0.5, entered: 0 };
        assert_eq!([9.9, 10.0, 12.0].map(|travelled| schedule.beyond(travelled, 20.0) >= 0.0), [false, true, true]);
        schedule.entered = 1;
        assert_eq!([49.0, 50.0, 51.0].map(|travelled| schedule.beyond(travelled, 20.0)), [-0.5, 0.0, 0.5]);
        assert_eq!([49.0, 50.0, 91.0].map(|travelled| schedule.late(travelled, 20.0)), [0, 1, 2]);
        schedule.pass(91.0, 20.0);
        assert_eq!((schedule.entered, schedule.beyond(91.0, 20.0) < 0.0), (3, true));
        let kept = (0..1000).filter(|&number| schedule.is_kept(number, 0.3)).count();
        assert!((250..350).contains(&kept) && schedule.is_kept(1, 1.0), "{kept}");
    }
}
