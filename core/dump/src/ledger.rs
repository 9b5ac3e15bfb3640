//! `ledger.csv`: the mass inside, and what has come in through each opening.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use hematite_config::{Fault, Result, publish};

use crate::h5::writing;

const FILE: &str = "ledger.csv";
const OPENING: &str = "in_kg:";

/// One line of the ledger.
#[derive(Clone, Debug, PartialEq)]
pub struct LedgerRow {
    /// Time steps done.
    pub step: u64,
    /// Time in seconds.
    pub time: f64,
    /// Mass inside, kg.
    pub inside: f64,
    /// Mass that has come in through each opening since the start, kg; negative went out.
    pub through: Vec<f64>,
}

/// The ledger of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Ledger {
    /// Names of the openings.
    pub openings: Vec<String>,
    /// Its lines.
    pub rows: Vec<LedgerRow>,
}

impl Ledger {
    /// Reads that of a run folder. A last line that a killed run left unfinished does not count.
    ///
    /// # Errors
    /// A usage fault that names file and line.
    pub fn read(run: &Path) -> Result<Self> {
        let path = run.join(FILE);
        let fault = |what: String| Fault::usage(format!("{}: {what}", path.display()));
        let text = std::fs::read_to_string(&path)
            .map_err(|error| Fault::usage(format!("cannot read {}: {error}", path.display())))?;
        let whole = text.rfind('\n').map_or("", |end| &text[..=end]);
        let mut reader = csv::Reader::from_reader(whole.as_bytes());
        let header = reader.headers().map_err(|error| fault(error.to_string()))?.clone();
        let names = header.iter().skip(3).map(|name| name.strip_prefix(OPENING).map(str::to_owned));
        let openings = names.collect::<Option<Vec<_>>>();
        let Some(openings) = openings.filter(|_| header.iter().take(3).eq(["step", "time_s", "inside_kg"])) else {
            return Err(fault("its header is not step,time_s,inside_kg,in_kg:OPENING..".into()));
        };
        let mut rows = Vec::new();
        for record in reader.records() {
            let record = record.map_err(|error| fault(error.to_string()))?;
            let line = record.position().map_or(0, csv::Position::line);
            rows.push(row(&record).ok_or_else(|| fault(format!("line {line} holds something that is no number")))?);
        }
        Ok(Self { openings, rows })
    }
}

fn row(record: &csv::StringRecord) -> Option<LedgerRow> {
    let step = record.get(0)?.parse().ok()?;
    let numbers = record.iter().skip(1).map(|text| text.parse().ok()).collect::<Option<Vec<f64>>>()?;
    let (&time, &inside) = (numbers.first()?, numbers.get(1)?);
    Some(LedgerRow { step, time, inside, through: numbers[2..].to_vec() })
}

/// Adds lines to the ledger of a run.
pub struct LedgerWriter {
    path: PathBuf,
    file: File,
    openings: usize,
}

impl LedgerWriter {
    /// Begins the ledger of a run folder; an earlier one is replaced.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn create(run: &Path, openings: &[String]) -> Result<Self> {
        Self::start(run, &Ledger { openings: openings.to_vec(), rows: Vec::new() })
    }

    /// Goes on with the ledger of a run folder; lines after time step `keep_through_step` are dropped.
    ///
    /// # Errors
    /// When the ledger is missing or damaged, or cannot be written.
    pub fn reopen(run: &Path, keep_through_step: u64) -> Result<Self> {
        let mut ledger = Ledger::read(run)?;
        ledger.rows.retain(|row| row.step <= keep_through_step);
        Self::start(run, &ledger)
    }

    fn start(run: &Path, ledger: &Ledger) -> Result<Self> {
        let path = run.join(FILE);
        let names = ledger.openings.iter().map(|name| format!("{OPENING}{name}"));
        let header = ["step", "time_s", "inside_kg"].map(str::to_owned).into_iter().chain(names);
        let mut text = line(&path, header.collect())?;
        for row in &ledger.rows {
            text.extend(line(&path, cells(row))?);
        }
        publish(&path, |temporary| std::fs::write(temporary, &text).map_err(writing(&path)))?;
        let file = OpenOptions::new().append(true).open(&path).map_err(writing(&path))?;
        Ok(Self { path, file, openings: ledger.openings.len() })
    }

    /// Adds a line.
    ///
    /// # Errors
    /// When the row has not one value an opening, or the file cannot be written.
    pub fn append(&mut self, row: &LedgerRow) -> Result<()> {
        if row.through.len() != self.openings {
            let (got, wanted) = (row.through.len(), self.openings);
            return Err(Fault::io(format!("{}: a row of {got} openings in a ledger of {wanted}", self.path.display())));
        }
        self.file.write_all(&line(&self.path, cells(row))?).map_err(writing(&self.path))
    }
}

/// Numbers as the shortest text that reads back as the same bits.
fn cells(row: &LedgerRow) -> Vec<String> {
    let numbers = [row.time, row.inside].into_iter().chain(row.through.iter().copied());
    std::iter::once(row.step.to_string()).chain(numbers.map(|number| format!("{number:?}"))).collect()
}

fn line(path: &Path, cells: Vec<String>) -> Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(cells).map_err(writing(path))?;
    writer.into_inner().map_err(writing(path))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn write(run: &Path, openings: &[String], rows: &[LedgerRow]) {
        let mut writer = LedgerWriter::create(run, openings).expect("makes it");
        rows.iter().for_each(|row| writer.append(row).expect("writes"));
    }

    proptest! {
        #[test]
        fn every_bit_survives(values in prop::collection::vec(any::<[f64; 4]>(), 1..5)) {
            let run = tempfile::tempdir().expect("a folder");
            let openings = ["in".to_owned(), "left, \"upper\"".to_owned()];
            let rows: Vec<_> = (0..)
                .zip(&values)
                .map(|(step, &[time, inside, a, b])| LedgerRow { step, time, inside, through: vec![a, b] })
                .collect();
            write(run.path(), &openings, &rows);
            let ledger = Ledger::read(run.path()).expect("reads");
            prop_assert_eq!(&ledger.openings, &openings);
            for (row, expected) in ledger.rows.iter().zip(&values) {
                let got = [row.time, row.inside, row.through[0], row.through[1]];
                prop_assert!(got.iter().zip(expected).all(|(a, b)| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()));
            }
        }
    }

    #[test]
    fn going_on_drops_later_lines_and_a_broken_one() {
        let run = tempfile::tempdir().expect("a folder");
        let row = |step| LedgerRow { step, time: 0.1 * step as f64, inside: 1.0, through: vec![] };
        write(run.path(), &[], &[row(1), row(2), row(3)]);
        let path = run.path().join(FILE);
        let text = std::fs::read_to_string(&path).expect("reads");
        std::fs::write(&path, text + "4,0.4,1").expect("writes");
        assert_eq!(Ledger::read(run.path()).expect("reads").rows.len(), 3);
        let mut writer = LedgerWriter::reopen(run.path(), 2).expect("goes on");
        writer.append(&row(5)).expect("writes");
        let steps: Vec<_> = Ledger::read(run.path()).expect("reads").rows.iter().map(|row| row.step).collect();
        assert_eq!(steps, [1, 2, 5]);
        assert!(writer.append(&LedgerRow { through: vec![1.0], ..row(6) }).is_err());
    }

    #[test]
    fn damage_is_a_fault() {
        let run = tempfile::tempdir().expect("a folder");
        for text in [
            "",
            "step\n",
            "step,time_s,inside_kg,x\n",
            "step,time_s,inside_kg\n1,2\n",
            "step,time_s,inside_kg\n1,b,3\n",
        ] {
            std::fs::write(run.path().join(FILE), text).expect("writes");
            assert!(Ledger::read(run.path()).is_err(), "{text:?}");
        }
    }
}
