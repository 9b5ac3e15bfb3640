//! Waveforms: the factor of a prescribed value as a function of time.

use std::f64::consts::TAU;
use std::path::{Path, PathBuf};

use hematite_config::{Fault, Result, sibling};
use hematite_units::quantity::{Frequency, Time};
use num_complex::Complex64;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most harmonics of a table that have profiles of their own.
const MOST_HARMONICS: usize = 12;
/// Steps in a period that follow a waveform well.
const FOLLOWED: f64 = 20.0;
/// Samples of a period for harmonics.
const SAMPLES: usize = 4096;

/// The factor of a prescribed value as a function of time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum WaveformConfig {
    /// 1 at all times.
    #[default]
    Constant,
    /// `mean + amplitude sin(2 pi frequency t + phase)`.
    Sine(Sine),
    /// From a table, linear between its rows.
    Table(Table),
}

/// A sine around a mean.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sine {
    /// Its frequency, e.g. "1.2 Hz".
    pub frequency: Frequency,
    /// The mean factor.
    #[serde(default = "one")]
    pub mean: f64,
    /// The amplitude of the factor.
    #[serde(default = "one")]
    pub amplitude: f64,
    /// Phase at t = 0 in degrees; 90 makes it a cosine.
    #[serde(default)]
    pub phase: f64,
}

fn one() -> f64 {
    1.0
}

/// A tabulated factor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// A CSV file with the columns `time [UNIT]` and `factor` and no others, times ascending.
    pub file: PathBuf,
    /// Repeat with this period; without it the last factor stays.
    #[serde(default)]
    pub period: Option<Time>,
}

/// A waveform that can be evaluated.
#[derive(Clone, Debug, PartialEq)]
pub struct Waveform {
    form: Form,
    ramp: f64,
}

#[derive(Clone, Debug, PartialEq)]
enum Form {
    Constant,
    Sine { frequency: f64, mean: f64, amplitude: f64, phase: f64 },
    Table { rows: Vec<(f64, f64)>, period: Option<f64> },
}

impl Waveform {
    /// Reads the tables of `waveform`, whose paths are relative to the file `config`. The factor rises smoothly from 0
    /// over the time `ramp`.
    ///
    /// # Errors
    /// A usage fault for a bad table, or a frequency, period or ramp out of range.
    pub fn new(config: &Path, waveform: &WaveformConfig, ramp: Option<Time>) -> Result<Self> {
        let ramp = ramp.map_or(0.0, Time::si);
        if ramp < 0.0 {
            return Err(Fault::usage(format!("ramp {ramp} s is negative")));
        }
        let form = match waveform {
            WaveformConfig::Constant => Form::Constant,
            WaveformConfig::Sine(sine) => Form::Sine {
                frequency: sine.frequency.si(),
                mean: sine.mean,
                amplitude: sine.amplitude,
                phase: sine.phase.to_radians(),
            },
            WaveformConfig::Table(table) => {
                let file = sibling(config, &table.file);
                let rows = read_table(&file)?;
                let period = table.period.map(Time::si);
                let last = rows.last().map_or(0.0, |row| row.0);
                if let Some(period) = period
                    && (period <= 0.0 || period < last)
                {
                    return Err(Fault::usage(format!(
                        "{}: its last time {last} s lies beyond the period {period} s: lengthen \"period\"",
                        file.display()
                    )));
                }
                Form::Table { rows, period }
            }
        };
        Ok(Self { form, ramp })
    }

    /// The factor at time `t` in seconds.
    pub fn at(&self, t: f64) -> f64 {
        let factor = match &self.form {
            Form::Constant => 1.0,
            Form::Sine { frequency, mean, amplitude, phase } => mean + amplitude * (TAU * frequency * t + phase).sin(),
            Form::Table { rows, period } => table_at(rows, *period, t),
        };
        factor * self.risen(t)
    }

    /// The rows of its table as one list: time in seconds and factor of each row; `None` without a table.
    pub fn table(&self) -> Option<Vec<f64>> {
        let Form::Table { rows, .. } = &self.form else { return None };
        Some(rows.iter().flat_map(|&(time, factor)| [time, factor]).collect())
    }

    /// Duration of the rise from 0, in seconds.
    pub fn rise(&self) -> f64 {
        self.ramp
    }

    /// The share of the rise from 0 that is done at time `t` in seconds.
    pub fn risen(&self, t: f64) -> f64 {
        if t < self.ramp { 0.5 * (1.0 - (0.5 * TAU * t / self.ramp).cos()) } else { 1.0 }
    }

    /// Harmonics of the factor after the rise, if it is periodic: the angular frequency of the first in rad/s, and c_1,
    /// c_2, .. of `mean + sum Re(c_k e^(i k omega t))`, at most `MOST_HARMONICS`.
    pub fn harmonics(&self) -> Option<(f64, Vec<Complex64>)> {
        match &self.form {
            Form::Sine { frequency, amplitude, phase, .. } if *frequency > 0.0 => {
                Some((TAU * frequency, vec![Complex64::from_polar(*amplitude, phase - 0.25 * TAU)]))
            }
            Form::Table { rows, period: Some(period) } => {
                let omega = TAU / period;
                let harmonic = |k: usize| -> Complex64 {
                    let samples = (0..SAMPLES).map(|j| {
                        let phase = TAU * (k * j % SAMPLES) as f64 / SAMPLES as f64;
                        let t = j as f64 * period / SAMPLES as f64;
                        table_at(rows, Some(*period), t) * Complex64::from_polar(2.0 / SAMPLES as f64, -phase)
                    });
                    samples.sum()
                };
                Some((omega, (1..=MOST_HARMONICS).map(harmonic).collect()))
            }
            _ => None,
        }
    }

    /// The time after which it repeats, in seconds, if it does.
    pub fn period(&self) -> Option<f64> {
        match &self.form {
            Form::Sine { frequency, .. } if *frequency != 0.0 => Some(1.0 / frequency.abs()),
            Form::Table { period, .. } => *period,
            _ => None,
        }
    }

    /// The shortest time between two rows of its table, in seconds, if it has one of several.
    pub fn shortest_gap(&self) -> Option<f64> {
        let Form::Table { rows, .. } = &self.form else { return None };
        rows.windows(2).map(|pair| pair[1].0 - pair[0].0).reduce(f64::min)
    }

    /// Whether the factor is 1 at all times, apart from the ramp.
    pub fn is_constant(&self) -> bool {
        self.form == Form::Constant
    }

    /// Checks that steps of `dt` s follow it.
    ///
    /// # Errors
    /// A usage fault where a period has fewer than two steps.
    pub fn resolved(&self, dt: f64) -> Result<()> {
        match self.period() {
            Some(period) if period < 2.0 * dt => Err(Fault::usage(format!(
                "the waveform's period, {period:.3e} s, is shorter than two time steps of {dt:.3e} s, so that the run would see \
                 another waveform: take a longer period, or a time step of {:.1e} s or less, which makes {FOLLOWED} a period",
                period / FOLLOWED
            ))),
            _ => Ok(()),
        }
    }

    /// What to say of the waveform of `what` where steps of `dt` s hardly follow it.
    pub fn advice(&self, what: &str, dt: f64) -> Option<String> {
        let steps = self.period().map(|period| period / dt).filter(|&steps| steps < FOLLOWED);
        let gap = self.shortest_gap().filter(|&gap| gap < dt);
        match (steps, gap) {
            (Some(steps), _) => Some(format!(
                "{what}: its waveform has {steps:.1} time steps a period, and {FOLLOWED} follow one well: take a shorter time step"
            )),
            (None, Some(gap)) => Some(format!(
                "{what}: rows of its waveform's table are {gap:.1e} s apart, less than a time step of {dt:.1e} s, so that steps \
                 miss some: leave rows out, or take a shorter time step"
            )),
            _ => None,
        }
    }

    /// The largest magnitude of the factor.
    pub fn largest(&self) -> f64 {
        match &self.form {
            Form::Constant => 1.0,
            Form::Sine { mean, amplitude, .. } => mean.abs() + amplitude.abs(),
            Form::Table { rows, .. } => rows.iter().fold(0.0, |most, row| most.max(row.1.abs())),
        }
    }
}

/// The factor of a table at time `t` in seconds: linear between rows; with a period, also from the last row to the
/// first row a period later.
fn table_at(rows: &[(f64, f64)], period: Option<f64>, t: f64) -> f64 {
    let (first, last) = (rows[0], rows[rows.len() - 1]);
    let t = period.map_or(t, |period| (t - first.0).rem_euclid(period) + first.0);
    let after = rows.partition_point(|row| row.0 <= t);
    let (a, b) = match (after, period) {
        (0, _) => return first.1,
        (n, None) if n == rows.len() => return last.1,
        (n, Some(period)) if n == rows.len() => (last, (first.0 + period, first.1)),
        (n, _) => (rows[n - 1], rows[n]),
    };
    if b.0 > a.0 { a.1 + (b.1 - a.1) * (t - a.0) / (b.0 - a.0) } else { a.1 }
}

fn read_table(file: &Path) -> Result<Vec<(f64, f64)>> {
    let columns = crate::columns::read(file, &["time", "factor"])?;
    let rows: Vec<(f64, f64)> = columns[0].iter().copied().zip(columns[1].iter().copied()).collect();
    if rows.is_empty() || rows.windows(2).any(|pair| pair[1].0 <= pair[0].0) {
        return Err(Fault::usage(format!("{}: needs rows with ascending times", file.display())));
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_repeats_and_interpolates() {
        let rows = [(0.0, 1.0), (1.0, 3.0), (3.0, 0.0)];
        for (t, expected) in [(0.0, 1.0), (0.5, 2.0), (2.0, 1.5), (3.5, 0.5), (4.0, 1.0), (5.0, 3.0), (-1.0, 0.0)] {
            assert!((table_at(&rows, Some(4.0), t) - expected).abs() < 1e-12, "{t}");
        }
        assert_eq!(table_at(&rows, None, 9.0), 0.0);
        assert_eq!(table_at(&rows, None, -9.0), 1.0);
    }

    #[test]
    fn a_ramp_starts_from_rest() {
        let wave = Waveform::new(Path::new("."), &WaveformConfig::Constant, Some(Time(2.0))).expect("valid");
        assert_eq!(wave.at(0.0), 0.0);
        assert!((wave.at(1.0) - 0.5).abs() < 1e-12);
        assert_eq!(wave.at(3.0), 1.0);
    }
}
