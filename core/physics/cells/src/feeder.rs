//! What comes in through an opening: a column of cells upstream of it, period after period.
//!
//! The column goes as a whole, so that its cells keep apart. Its speed follows the fluid that comes in. A cell is put into the fluid
//! once all of it is behind the opening's plane. Its column then carries it on until the cells behind it have room, and lets it
//! go. A carried cell keeps its shape; its forces act on other cells, which it pushes, but not on the fluid. Where other cells are
//! in its place it is tried again a little deeper. One that finds no room before the column would let it go is lost.
//!
//! At the start of a run the column reaches into the vessel as far as it carries cells, and takes the place of what the case holds there.

use hematite_engine::DRIFT_SCALE;
use hematite_engine::passage::unit;
use hematite_engine::sites::Coordinate;
use hematite_membrane::FASTEST;

use super::look::LOOK;
use super::record::{Carried, Record};

/// How deep behind the opening's nodes a cell comes in, lattice units: these nodes are never inside it.
pub const ENTRY: f64 = 2.0;

/// A column takes so many looks to make up for what it lags behind the fluid: what comes in swings with sound.
const LAG: f64 = 4.0;

/// The fastest that a column goes, lattice units a step.
const FASTEST_COLUMN: f64 = 0.8 * FASTEST;

/// A column has begun when it has gone so many times as far as it carries cells.
const BEGINNING: f64 = 3.0;

/// A cell whose place is taken is tried again each time its column has gone on by this, lattice units.
const TRIED_EACH: f64 = 0.25;

/// Cells that come in, period after period.
#[derive(Clone, Debug)]
pub struct Feeder {
    /// Length of a period, lattice units.
    pub length: f64,
    /// Its cross-section, lattice units: that of the opening seen along the column.
    pub area: f64,
    /// Unit vector along which it goes: the vessel's direction behind the opening.
    pub direction: [f64; 3],
    /// How far the column goes while the fluid goes one lattice unit at mean speed.
    pub pace: f64,
    /// Its cells in the order in which they are tried.
    pub cells: Vec<Waiting>,
    /// Where it is.
    pub progress: Progress,
}

/// A cell of a column.
#[derive(Clone, Debug)]
pub struct Waiting {
    /// Its population.
    pub kind: usize,
    /// Its state where it is put into the fluid.
    pub record: Record,
    /// How far the column goes before this cell is there for the first time, lattice units.
    pub way: f64,
    /// How far the column carries it from there, lattice units.
    pub carried: f64,
    /// Share of periods in which it comes in.
    pub keep: f64,
}

/// How far a column has come.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// How far it will have gone at the next look, lattice units.
    pub gone: f64,
    /// Its velocity until then.
    pub speed: f64,
    /// Cells that came in.
    pub came: u64,
    /// Cells that found no room since the column has begun.
    pub lost: u64,
    /// Whether it has begun to go.
    pub begun: bool,
    /// Of each cell: the last period in which it was due.
    pub periods: Vec<i64>,
}

/// What becomes of a cell of a column at a look.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Entry {
    /// Nothing.
    Wait,
    /// It is put into the fluid so far beyond its first place, where there is room.
    Try(f64),
    /// It does not come in this time.
    Pass,
    /// It has found no room.
    Lost,
}

impl Feeder {
    /// A column at its start.
    pub fn new(length: f64, area: f64, direction: [f64; 3], pace: f64, cells: Vec<Waiting>) -> Self {
        let progress = Progress { periods: vec![-1; cells.len()], ..Progress::default() };
        Self { length, area, direction, pace, cells, progress }
    }

    /// How far the column went since the look before.
    pub fn step(&self) -> f64 {
        LOOK as f64 * self.progress.speed
    }

    /// How far into the vessel it reaches at the start: as far as it carries cells.
    pub fn reach(&self) -> f64 {
        self.cells.iter().map(|cell| cell.carried).fold(0.0, f64::max)
    }

    /// Whether cells that the case holds at the opening may still be in the way.
    pub fn begins(&self) -> bool {
        self.progress.gone < BEGINNING * self.reach()
    }

    /// Begins as the run does.
    pub fn start(&mut self) {
        self.progress.gone = self.reach();
        self.progress.begun = true;
    }

    /// What becomes of cell `c` now, the `first` time or later, and in which period.
    pub fn entry(&self, c: usize, first: bool) -> (Entry, i64) {
        let (cell, last) = (&self.cells[c], self.progress.periods[c]);
        let beyond = self.progress.gone - cell.way;
        let period = (beyond / self.length).floor();
        let (beyond, period) = (beyond - period * self.length, period as i64);
        // A column that goes back takes its cells out again, and they come in once more.
        if period < last {
            return (Entry::Pass, period);
        }
        if period == last {
            return (Entry::Wait, period);
        }
        // Of who and when: the same on every rank and after a restart.
        if unit((c as u64) << 32 ^ period as u64) > cell.keep {
            return (Entry::Pass, period);
        }
        if beyond >= cell.carried {
            return (Entry::Lost, period);
        }
        let part = |x: f64| (x / TRIED_EACH).floor();
        match first || part(beyond) > part(beyond - self.step()) {
            true => (Entry::Try(beyond), period),
            false => (Entry::Wait, period),
        }
    }

    /// How far beyond its first place cell `c` is, which is negative before that, where it is the next to come in or may still; none where
    /// it is farther off than it is carried, or stays away.
    pub fn awaited(&self, c: usize) -> Option<f64> {
        let (cell, last) = (&self.cells[c], self.progress.periods[c]);
        let beyond = self.progress.gone - cell.way;
        let period = (beyond / self.length).floor();
        let beyond = beyond - period * self.length;
        let waits = period as i64 > last && beyond < cell.carried;
        let (beyond, period) = if waits { (beyond, period) } else { (beyond - self.length, period + 1.0) };
        let comes = unit((c as u64) << 32 ^ (period as i64) as u64) <= cell.keep;
        (comes && beyond > -cell.carried).then_some(beyond)
    }

    /// Goes on after what the fluid has, `travelled` lattice units at mean speed in all.
    pub fn follow(&mut self, travelled: f64) {
        let wanted = self.reach() + self.pace * travelled;
        let Progress { gone, speed, .. } = &mut self.progress;
        let wanted = (wanted - *gone) / (LAG * LOOK as f64);
        let bounded = wanted.clamp(-FASTEST_COLUMN, FASTEST_COLUMN);
        *speed = (bounded * DRIFT_SCALE).round() / DRIFT_SCALE;
        *gone += LOOK as f64 * *speed;
    }

    /// Begins where the column would be by now; what is in the fluid has come in already.
    pub fn begin(&mut self, travelled: f64) {
        let gone = self.reach() + self.pace * travelled;
        let period = |cell: &Waiting| ((gone - cell.way) / self.length).floor() as i64;
        let periods = self.cells.iter().map(period).collect();
        self.progress = Progress { gone, periods, begun: true, ..Progress::default() };
    }
}

impl Waiting {
    /// Its state `beyond` its first place, carried by the column of `gate` along `direction`.
    pub fn at(&self, beyond: f64, gate: usize, direction: [f64; 3], dimension: usize) -> Record {
        let mut record = self.record.clone();
        let vertices = record.position.len() / dimension;
        for (axis, coordinates) in record.position.chunks_mut(vertices).enumerate() {
            coordinates.iter_mut().for_each(|x| *x = Coordinate::of(x.value() + beyond * direction[axis]));
        }
        record.carried = Some(Carried { gate: gate as u32, gone: beyond, until: self.carried });
        record
    }
}

impl Progress {
    /// As words, for checkpoints.
    pub fn words(&self) -> impl Iterator<Item = u64> + '_ {
        let first = [self.gone.to_bits(), self.speed.to_bits(), self.came, self.lost, u64::from(self.begun)];
        first.into_iter().chain(self.periods.iter().map(|&period| period as u64))
    }

    /// Puts back what [`Progress::words`] gave, of a column of as many cells; gives what is left of `words`, none where there are too
    /// few.
    pub fn restore<'a>(&mut self, words: &'a [u64]) -> Option<&'a [u64]> {
        let ([gone, speed, came, lost, begun], rest) = words.split_first_chunk()?;
        let (periods, rest) = rest.split_at_checked(self.periods.len())?;
        *self = Self {
            gone: f64::from_bits(*gone),
            speed: f64::from_bits(*speed),
            came: *came,
            lost: *lost,
            begun: *begun != 0,
            periods: periods.iter().map(|&period| period as i64).collect(),
        };
        Some(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feeder(keep: f64) -> Feeder {
        let record =
            Record { seeded_scale: 1.0, carried: None, position: vec![Coordinate::of(7.0); 2], drift: vec![0; 2] };
        let cell = |way: f64| Waiting { kind: 0, record: record.clone(), way, carried: 8.0, keep };
        Feeder::new(40.0, 100.0, [1.0, 0.0, 0.0], 1.25, vec![cell(40.0), cell(15.0)])
    }

    /// Cells that came in while the fluid goes as `speed` says, where each finds room or none does.
    fn came(feeder: &mut Feeder, looks: u64, room: bool, speed: impl Fn(u64) -> f64) -> [u64; 2] {
        let (mut travelled, mut came) = (0.0, [0, 0]);
        feeder.start();
        for look in 0..looks {
            for (c, came) in came.iter_mut().enumerate() {
                let (entry, period) = feeder.entry(c, look == 0);
                match entry {
                    Entry::Try(beyond) => {
                        assert!((0.0..8.0).contains(&beyond));
                        if room {
                            *came += 1;
                            feeder.progress.periods[c] = period;
                        }
                    }
                    Entry::Pass | Entry::Lost => feeder.progress.periods[c] = period,
                    Entry::Wait => {}
                }
            }
            feeder.follow(travelled);
            travelled += LOOK as f64 * speed(look);
        }
        came
    }

    #[test]
    fn each_cell_comes_in_once_a_period() {
        let mut column = feeder(1.0);
        // 10 000 looks at 0.01 take the fluid 1600 and the column 2000 lattice units: 50 periods, and the reach at the start.
        assert_eq!(came(&mut column, 10_000, true, |_| 0.01), [50, 50]);
        assert!((column.progress.gone - 2008.0).abs() < 1.0, "{}", column.progress.gone);
    }

    #[test]
    fn cells_that_come_in_soon_are_awaited() {
        let mut column = feeder(1.0);
        column.start();
        // The second is first there when the column has gone 15, then 40 later; either is carried on for 8.
        for (gone, expected) in
            [(6.0, None), (8.0, Some(-7.0)), (15.0, Some(0.0)), (22.0, Some(7.0)), (24.0, None), (48.0, Some(-7.0))]
        {
            column.progress.gone = gone;
            assert_eq!(column.awaited(1), expected, "{gone}");
        }
        // One that came in is awaited no more, until it comes again.
        column.progress.gone = 20.0;
        column.progress.periods[1] = 0;
        assert_eq!(column.awaited(1), None);
        column.progress.gone = 50.0;
        assert_eq!(column.awaited(1), Some(-5.0));
        assert_eq!(feeder(0.0).awaited(1), None);
    }

    #[test]
    fn a_share_of_turns_is_kept() {
        let [first, second] = came(&mut feeder(0.3), 200_000, true, |_| 0.01);
        assert!((250..350).contains(&first) && (250..350).contains(&second), "{first} {second}");
    }

    #[test]
    fn what_finds_no_room_is_lost_and_tried_a_few_times() {
        let mut column = feeder(1.0);
        assert_eq!(came(&mut column, 1000, false, |_| 0.01), [0, 0]);
        assert_eq!(column.progress.periods, [3, 4]);
    }

    #[test]
    fn a_column_that_goes_to_and_fro_brings_each_cell_again() {
        // Forward by 160 and back by 144 each cycle of 2000 looks, both paced by 1.25.
        let mut column = feeder(1.0);
        let speed = |look: u64| if look % 2000 < 1000 { 0.01 } else { -0.009 };
        let [first, second] = came(&mut column, 8000, true, speed);
        let out_and_in_again = [first, second];
        assert!(out_and_in_again.iter().all(|&n| n >= 4 * 4), "{out_and_in_again:?}");
        assert!(column.progress.gone < 200.0);
    }

    #[test]
    fn words_put_it_back() {
        let mut column = feeder(1.0);
        came(&mut column, 321, true, |look| 1e-4 * look as f64);
        let words: Vec<u64> = column.progress.words().chain([7]).collect();
        let mut other = feeder(1.0);
        assert_eq!(other.progress.restore(&words), Some([7].as_slice()));
        assert_eq!(other.progress, column.progress);
        assert_eq!(other.progress.restore(&words[..5]), None);
    }
}
