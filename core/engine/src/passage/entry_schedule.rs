//! The times at which members that wait behind an opening come in: once a period, with the flow.

/// The entries of a waiting member. An entry is due once a period of the flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EntrySchedule {
    /// Distance to the place of its first entry, lattice units.
    pub way: f64,
    /// Local speed of the fluid into the domain, over the mean speed.
    pub share: f64,
    /// How many times it has come in.
    pub entered: u64,
}

impl EntrySchedule {
    /// Whether it belongs to the share `keep` of members that come in this period; `number` identifies the member.
    pub fn is_kept(&self, number: u64, keep: f64) -> bool {
        // A function of member and period only: the same on every rank and after a restart.
        unit(number << 32 ^ self.entered) <= keep
    }

    /// Distance beyond the place of its next entry, lattice units, when the flow has gone `travelled` lattice units at
    /// mean speed; negative before the entry is due. `length`: of a period.
    pub fn beyond(&self, travelled: f64, length: f64) -> f64 {
        self.share * travelled - (self.way + self.entered as f64 * length)
    }

    /// Number of entries that are due and have not taken place.
    pub fn late(&self, travelled: f64, length: f64) -> u64 {
        let beyond = self.beyond(travelled, length);
        if beyond >= 0.0 { (beyond / length) as u64 + 1 } else { 0 }
    }

    /// Skips the entries that are due.
    pub fn pass(&mut self, travelled: f64, length: f64) {
        self.entered += self.late(travelled, length);
    }
}

/// A pseudo-random number from 0 to 1 for `key`, by SplitMix64.
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
