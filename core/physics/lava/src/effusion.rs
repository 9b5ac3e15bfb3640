//! Volume that comes out of a vent as a function of time.

use std::f64::consts::PI;
use std::path::Path;

use hematite_config::{Fault, Result, sibling};
use hematite_engine::columns;
use hematite_units::quantity::{FlowRate, Time};

use crate::config::{BellConfig, EffusionConfig};

/// Rows of a bell.
const ROWS: usize = 128;

/// A rate that is linear between rows, and 0 before the first and after the last one.
#[derive(Clone, Debug, PartialEq)]
pub struct Effusion {
    /// Time, s; rate, m3/s; volume up to then, m3.
    rows: Vec<[f64; 3]>,
}

impl Effusion {
    /// The effusion of a config at `path`.
    ///
    /// # Errors
    /// A usage fault where rates are negative, times do not ascend, or the file cannot be read.
    pub fn new(path: &Path, config: &EffusionConfig) -> Result<Self> {
        let rows = match config {
            EffusionConfig::Rate(FlowRate(rate)) => vec![[0.0, *rate], [f64::MAX, *rate]],
            EffusionConfig::File(file) => read(&sibling(path, file))?,
            EffusionConfig::Rows(rows) => rows.iter().map(|(Time(time), FlowRate(rate))| [*time, *rate]).collect(),
            EffusionConfig::Bell(bell) => of_bell(bell)?,
        };
        Self::of(&rows)
    }

    fn of(rows: &[[f64; 2]]) -> Result<Self> {
        if rows.len() < 2 {
            return Err(Fault::usage(format!("has {} rows of time and rate, at least 2 are needed", rows.len())));
        }
        if let Some(row) = rows.iter().find(|row| row[1] < 0.0) {
            return Err(Fault::usage(format!("at {} s its rate {} m3/s is negative", row[0], row[1])));
        }
        if let Some(pair) = rows.windows(2).find(|pair| pair[1][0] < pair[0][0]) {
            return Err(Fault::usage(format!(
                "its times must ascend, and {} s follows {} s: sort its rows; two rows of one time make a step",
                pair[1][0], pair[0][0]
            )));
        }
        if rows.iter().all(|row| row[1] == 0.0) {
            return Err(Fault::usage(
                "its rates are all 0, so that nothing comes out: take the vent out, or give a rate",
            ));
        }
        let mut volume = 0.0;
        let mut before = [rows[0][0], 0.0];
        let row = |&[time, rate]: &[f64; 2]| {
            volume += 0.5 * (before[1] + rate) * (time - before[0]);
            before = [time, rate];
            [time, rate, volume]
        };
        Ok(Self { rows: rows.iter().map(row).collect() })
    }

    /// The row before a time and the next one.
    fn around(&self, time: f64) -> Option<([f64; 3], [f64; 3])> {
        let after = self.rows.partition_point(|row| row[0] <= time);
        Some((*self.rows.get(after.checked_sub(1)?)?, *self.rows.get(after)?))
    }

    /// The rate at a time, m3/s.
    pub fn rate(&self, time: f64) -> f64 {
        self.around(time).map_or(0.0, |(a, b)| a[1] + (b[1] - a[1]) * ((time - a[0]) / (b[0] - a[0])))
    }

    /// The volume from time 0 up to a time, m3.
    pub fn volume(&self, time: f64) -> f64 {
        self.up_to(time) - self.up_to(0.0)
    }

    fn up_to(&self, time: f64) -> f64 {
        match self.around(time) {
            Some((a, _)) => a[2] + 0.5 * (a[1] + self.rate(time)) * (time - a[0]),
            None if time < self.rows[0][0] => 0.0,
            None => self.rows[self.rows.len() - 1][2],
        }
    }

    /// The largest rate between two times, m3/s.
    pub fn largest(&self, from: f64, to: f64) -> f64 {
        let within = self.rows.iter().filter(|row| (from..=to).contains(&row[0])).map(|row| row[1]);
        within.fold(self.rate(from).max(self.rate(to)), f64::max)
    }

    /// Time at which it ends, s; `None` if it does not.
    pub fn end(&self) -> Option<f64> {
        self.rows.last().map(|row| row[0]).filter(|&time| time < f64::MAX)
    }

    /// Its rows as one list: time in s and rate in m3/s of each.
    pub fn table(&self) -> Vec<f64> {
        self.rows.iter().flat_map(|row| [row[0], row[1]]).collect()
    }
}

fn read(file: &Path) -> Result<Vec<[f64; 2]>> {
    let read = columns::read(file, &["time", "rate"])?;
    Ok(read[0].iter().zip(&read[1]).map(|(&time, &rate)| [time, rate]).collect())
}

fn of_bell(bell: &BellConfig) -> Result<Vec<[f64; 2]>> {
    let (Time(duration), FlowRate(peak)) = (bell.duration, bell.peak);
    if duration <= 0.0 {
        return Err(Fault::usage(format!("duration {} must be above 0", bell.duration)));
    }
    let row = |i: usize| {
        let share = i as f64 / ROWS as f64;
        [share * duration, peak * (PI * share).sin().powi(2)]
    };
    Ok((0..=ROWS).map(row).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn volumes_are_integrals_of_rates() {
        let effusion = Effusion::of(&[[-10.0, 4.0], [10.0, 0.0], [20.0, 6.0], [30.0, 6.0]]).expect("valid");
        assert_eq!((effusion.rate(0.0), effusion.rate(15.0), effusion.rate(31.0)), (2.0, 3.0, 0.0));
        assert_eq!(effusion.volume(10.0), 10.0);
        assert_eq!(effusion.volume(15.0), 10.0 + 7.5);
        assert_eq!(effusion.volume(1000.0), 10.0 + 30.0 + 60.0);
        assert_eq!(effusion.largest(0.0, 40.0), 6.0);
        assert_eq!(effusion.largest(0.0, 5.0), 2.0);
        let later = Effusion::of(&[[100.0, 1.0], [200.0, 1.0]]).expect("valid");
        assert_eq!(
            (later.rate(50.0), later.volume(50.0), later.volume(150.0), later.volume(250.0)),
            (0.0, 0.0, 50.0, 100.0)
        );
        let steps = Effusion::of(&[[0.0, 1.0], [10.0, 1.0], [10.0, 3.0], [20.0, 3.0]]).expect("valid");
        assert_eq!((steps.rate(9.0), steps.rate(10.0), steps.volume(10.0), steps.volume(15.0)), (1.0, 3.0, 10.0, 25.0));
        let always = Effusion::of(&[[0.0, 3.0], [f64::MAX, 3.0]]).expect("valid");
        assert_eq!((always.rate(1e7), always.volume(1e7), always.end()), (3.0, 3e7, None));
        // The mean of the square of a sine is a half.
        let bell = BellConfig { peak: FlowRate(30.0), duration: Time(1000.0) };
        let bell = Effusion::of(&of_bell(&bell).expect("valid")).expect("valid");
        assert!((bell.volume(1000.0) / 15_000.0 - 1.0).abs() < 1e-9);
    }

    #[test]
    fn what_cannot_be_an_effusion_is_refused() {
        for (rows, named) in [
            (vec![[0.0, 1.0]], "at least 2"),
            (vec![[0.0, 1.0], [1.0, -1.0]], "negative"),
            (vec![[1.0, 1.0], [0.0, 1.0]], "ascend"),
            (vec![[0.0, 0.0], [1.0, 0.0]], "all 0"),
        ] {
            let fault = Effusion::of(&rows).expect_err("refused");
            assert!(fault.message.contains(named), "{}", fault.message);
        }
    }
}
