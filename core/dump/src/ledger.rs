//! `ledger.csv`: mass inside, mass that came in through each opening, other measured quantities, cells of each
//! population.
//!
//! ```text
//! step,time_s,inside_kg,in_kg:OPENING..,QUANTITY_UNIT..,QUANTITY_UNIT:PLACE..,cells_seeded:POPULATION,cells_inserted:..
//! ```
//!
//! The run chooses the measured quantities ([`Column`]); readers keep columns that they do not know.

mod column;

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use hematite_config::{Fault, Result, publish};
use serde::{Deserialize, Serialize};

use crate::Written;
use crate::h5::writing;

pub use column::Column;

const OPENING: &str = "in_kg:";
const CELLS: [&str; 4] = ["cells_seeded:", "cells_inserted:", "cells_inside:", "cells_left:"];

/// Numbers of cells or bodies of a population, counted since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CellCount {
    /// Seeded in the case.
    pub seeded: u64,
    /// Came in through openings.
    pub inserted: u64,
    /// Inside the domain now.
    pub inside: u64,
    /// Left through openings.
    pub left: u64,
}

impl CellCount {
    /// Whether none is lost or doubled: seeded + inserted = inside + left.
    pub fn balances(&self) -> bool {
        let sum = |numbers: &[u64]| numbers.iter().map(|&number| u128::from(number)).sum::<u128>();
        sum(&[self.seeded, self.inserted]) == sum(&[self.inside, self.left])
    }

    /// The counts in the order of the columns.
    pub(crate) fn numbers(&self) -> [u64; 4] {
        [self.seeded, self.inserted, self.inside, self.left]
    }

    fn of([seeded, inserted, inside, left]: [u64; 4]) -> Self {
        Self { seeded, inserted, inside, left }
    }
}

/// One line of the ledger.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LedgerRow {
    /// Time steps done.
    pub step: u64,
    /// Time in seconds.
    pub time: f64,
    /// Mass inside, kg.
    pub inside: f64,
    /// Net mass that came in through each opening since the start, kg; negative where more went out.
    pub through: Vec<f64>,
    /// Measured quantities, one number for each of [`Ledger::columns`].
    pub values: Vec<f64>,
    /// Counts of the cells or bodies of each population; empty in a run without populations.
    pub cells: Vec<CellCount>,
}

/// The ledger of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Ledger {
    /// Names of the openings.
    pub openings: Vec<String>,
    /// Columns of measured quantities.
    pub columns: Vec<Column>,
    /// Names of the populations of cells or bodies.
    pub populations: Vec<String>,
    /// Its lines.
    pub rows: Vec<LedgerRow>,
}

/// The columns of a ledger after the first three.
#[derive(Clone, Debug, Default, PartialEq)]
struct Names {
    openings: Vec<String>,
    columns: Vec<Column>,
    populations: Vec<String>,
}

impl Ledger {
    /// Name of the file in a run folder.
    pub const FILE: &str = "ledger.csv";

    /// Whether a run folder holds a ledger.
    pub fn is_in(run: &Path) -> bool {
        run.join(Self::FILE).is_file()
    }

    /// Its lines up to a time step; `None` for none.
    pub(crate) fn written(&self, through_step: u64) -> Result<Option<Written>> {
        let mut written = None;
        for row in self.rows.iter().filter(|row| row.step <= through_step) {
            let text = line(Path::new(Self::FILE), cells(row))?;
            written = Some(Written::with_line(written.as_ref(), row.step, &text));
        }
        Ok(written)
    }

    /// The numbers of a column, one a line; `None` if the ledger lacks the column.
    pub fn values<'a>(&'a self, column: &Column) -> Option<impl Iterator<Item = f64> + 'a> {
        let k = self.columns.iter().position(|known| known == column)?;
        Some(self.rows.iter().map(move |row| row.values[k]))
    }

    /// Reads the ledger of a run folder. Ignores an incomplete last line, which a killed run leaves.
    ///
    /// # Errors
    /// A usage fault that names file and line.
    pub fn read(run: &Path) -> Result<Self> {
        let path = run.join(Ledger::FILE);
        let fault = |what: String| Fault::usage(format!("{}: {what}", path.display()));
        let text = std::fs::read_to_string(&path)
            .map_err(|error| Fault::usage(format!("cannot read {}: {error}", path.display())))?;
        let whole = text.rfind('\n').map_or("", |end| &text[..=end]);
        let mut reader = csv::Reader::from_reader(whole.as_bytes());
        let header = reader.headers().map_err(|error| fault(error.to_string()))?.clone();
        let Some(Names { openings, columns, populations }) = names(&header) else {
            let cells = CELLS.map(|column| format!("{column}POPULATION")).join(",");
            return Err(fault(format!(
                "its header is not step,time_s,inside_kg,{OPENING}OPENING..,QUANTITY_UNIT:PLACE..,{cells}.."
            )));
        };
        let mut rows = Vec::new();
        for record in reader.records() {
            let record = record.map_err(|error| fault(error.to_string()))?;
            let line = record.position().map_or(0, csv::Position::line);
            let row = row(&record, openings.len(), columns.len());
            let row = row.ok_or_else(|| fault(format!("line {line} holds something that is no number")))?;
            if let Some(k) = row.cells.iter().position(|cells| !cells.balances()) {
                let (name, [seeded, inserted, inside, left]) = (&populations[k], row.cells[k].numbers());
                return Err(fault(format!(
                    "line {line}: population {name}: {seeded} cells seeded and {inserted} inserted are not the {inside} \
                     inside and {left} left: it is damaged"
                )));
            }
            rows.push(row);
        }
        Ok(Self { openings, columns, populations, rows })
    }
}

/// The names in a header; `None` if the record is no header.
fn names(header: &csv::StringRecord) -> Option<Names> {
    let all: Vec<&str> = header.iter().collect();
    let rest = all.strip_prefix(["step", "time_s", "inside_kg"].as_slice())?;
    let openings: Vec<String> = rest.iter().map_while(|name| name.strip_prefix(OPENING)).map(str::to_owned).collect();
    let rest = &rest[openings.len()..];
    let columns: Vec<Column> = rest.iter().map_while(|name| Column::read(name)).collect();
    let twice = |k: usize| columns[..k].contains(&columns[k]);
    let (counts, unpaired) = rest[columns.len()..].as_chunks::<{ CELLS.len() }>();
    let population = |columns: &[&str; CELLS.len()]| {
        let name = columns[0].strip_prefix(CELLS[0])?;
        let same = columns.iter().zip(CELLS).all(|(column, prefix)| column.strip_prefix(prefix) == Some(name));
        same.then(|| name.to_owned())
    };
    let populations = counts.iter().map(population).collect::<Option<_>>()?;
    let whole = unpaired.is_empty() && !(0..columns.len()).any(twice);
    whole.then_some(Names { openings, columns, populations })
}

fn row(record: &csv::StringRecord, openings: usize, columns: usize) -> Option<LedgerRow> {
    let cells: Vec<&str> = record.iter().collect();
    let (&step, rest) = cells.split_first()?;
    let (numbers, counts) = rest.split_at_checked(2 + openings + columns)?;
    let numbers = numbers.iter().map(|text| text.parse().ok()).collect::<Option<Vec<f64>>>()?;
    let counts = counts.iter().map(|text| text.parse().ok()).collect::<Option<Vec<u64>>>()?;
    let (masses, values) = numbers.split_at(2 + openings);
    Some(LedgerRow {
        step: step.parse().ok()?,
        time: masses[0],
        inside: masses[1],
        through: masses[2..].to_vec(),
        values: values.to_vec(),
        cells: counts.as_chunks::<{ CELLS.len() }>().0.iter().map(|&numbers| CellCount::of(numbers)).collect(),
    })
}

/// Adds lines to the ledger of a run.
pub struct LedgerWriter {
    path: PathBuf,
    file: File,
    openings: usize,
    columns: usize,
    populations: usize,
    /// Its lines.
    written: Option<Written>,
    /// Its lines but for the last one.
    before: Option<Written>,
}

impl LedgerWriter {
    /// Begins the ledger of a run folder; an earlier one is replaced.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn create(run: &Path, openings: &[String], columns: &[Column], populations: &[String]) -> Result<Self> {
        let (openings, columns, populations) = (openings.to_vec(), columns.to_vec(), populations.to_vec());
        Self::start(run, &Ledger { openings, columns, populations, rows: Vec::new() })
    }

    /// Continues the ledger of a run folder. Drops lines of time steps for which `keep` is false.
    ///
    /// # Errors
    /// When the ledger is missing or damaged, or cannot be written.
    pub fn reopen(run: &Path, keep: impl Fn(u64) -> bool) -> Result<Self> {
        let mut ledger = Ledger::read(run)?;
        ledger.rows.retain(|row| keep(row.step));
        Self::start(run, &ledger)
    }

    fn start(run: &Path, ledger: &Ledger) -> Result<Self> {
        let path = run.join(Ledger::FILE);
        let names = ledger.openings.iter().map(|name| format!("{OPENING}{name}"));
        let counts = ledger.populations.iter().flat_map(|name| CELLS.map(|column| format!("{column}{name}")));
        let measured = ledger.columns.iter().map(Column::to_string);
        let first = ["step", "time_s", "inside_kg"].map(str::to_owned);
        let header = first.into_iter().chain(names).chain(measured).chain(counts);
        let mut text = line(&path, header.collect())?;
        let (mut written, mut before) = (None, None);
        for row in &ledger.rows {
            let line = line(&path, cells(row))?;
            let next = Written::with_line(written.as_ref(), row.step, &line);
            before = written.replace(next);
            text.extend(line);
        }
        publish(&path, |temporary| std::fs::write(temporary, &text).map_err(writing(&path)))?;
        let file = OpenOptions::new().append(true).open(&path).map_err(writing(&path))?;
        let [openings, columns, populations] = [ledger.openings.len(), ledger.columns.len(), ledger.populations.len()];
        Ok(Self { path, file, openings, columns, populations, written, before })
    }

    /// Its lines; without the last one, if that is of time step `but`.
    pub fn written(&self, but: Option<u64>) -> Option<&Written> {
        let written = self.written.as_ref();
        let is_last = but.is_some() && but == written.map(|written| written.last);
        if is_last { self.before.as_ref() } else { written }
    }

    /// Adds a line.
    ///
    /// # Errors
    /// When the row does not have one number for each opening and column and one count for each population, or the file
    /// cannot be written.
    pub fn append(&mut self, row: &LedgerRow) -> Result<()> {
        let got = [row.through.len(), row.values.len(), row.cells.len()];
        let wanted = [self.openings, self.columns, self.populations];
        if got != wanted {
            return Err(Fault::io(format!(
                "{}: a row of {got:?} openings, columns and populations in a ledger of {wanted:?}",
                self.path.display()
            )));
        }
        let line = line(&self.path, cells(row))?;
        self.file.write_all(&line).map_err(writing(&self.path))?;
        let next = Written::with_line(self.written.as_ref(), row.step, &line);
        self.before = self.written.replace(next);
        Ok(())
    }
}

/// The row as text: each number as the shortest text that reads back as the same bits.
fn cells(row: &LedgerRow) -> Vec<String> {
    let numbers = [row.time, row.inside].into_iter().chain(row.through.iter().chain(&row.values).copied());
    let counts = row.cells.iter().flat_map(CellCount::numbers).map(|count| count.to_string());
    std::iter::once(row.step.to_string()).chain(numbers.map(|number| format!("{number:?}"))).chain(counts).collect()
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
        let mut writer = LedgerWriter::create(run, openings, &[], &[]).expect("makes it");
        rows.iter().for_each(|row| writer.append(row).expect("writes"));
    }

    proptest! {
        #[test]
        fn every_bit_survives(values in prop::collection::vec(any::<[f64; 4]>(), 1..5)) {
            let run = tempfile::tempdir().expect("a folder");
            let openings = ["in".to_owned(), "left, \"upper\"".to_owned()];
            let rows: Vec<_> = (0..)
                .zip(&values)
                .map(|(step, &[time, inside, a, b])| LedgerRow { step, time, inside, through: vec![a, b], ..LedgerRow::default() })
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
        let row = |step| LedgerRow { step, time: 0.1 * step as f64, inside: 1.0, ..LedgerRow::default() };
        write(run.path(), &[], &[row(1), row(2), row(3)]);
        let path = run.path().join(Ledger::FILE);
        let text = std::fs::read_to_string(&path).expect("reads");
        std::fs::write(&path, text + "4,0.4,1").expect("writes");
        assert_eq!(Ledger::read(run.path()).expect("reads").rows.len(), 3);
        let mut writer = LedgerWriter::reopen(run.path(), |step| step <= 2).expect("goes on");
        writer.append(&row(5)).expect("writes");
        let steps: Vec<_> = Ledger::read(run.path()).expect("reads").rows.iter().map(|row| row.step).collect();
        assert_eq!(steps, [1, 2, 5]);
        assert!(writer.append(&LedgerRow { through: vec![1.0], ..row(6) }).is_err());
    }

    #[test]
    fn what_was_written_is_known_when_read_back() {
        let run = tempfile::tempdir().expect("a folder");
        let row = |step| LedgerRow { step, time: 0.1 * step as f64, inside: 1.0, ..LedgerRow::default() };
        let mut writer = LedgerWriter::create(run.path(), &[], &[], &[]).expect("makes it");
        assert_eq!((writer.written(None), writer.written(Some(1))), (None, None));
        [1, 2].iter().for_each(|&step| writer.append(&row(step)).expect("writes"));
        let noted = writer.written(None).cloned().expect("two lines");
        let shorter = writer.written(Some(2)).cloned().expect("one line");
        assert_eq!((noted.count, noted.last, shorter.count, shorter.last), (2, 2, 1, 1));
        writer.append(&row(3)).expect("writes");
        assert_eq!(
            (noted.lost(run.path(), Ledger::FILE), shorter.lost(run.path(), Ledger::FILE)),
            (Ok(None), Ok(None))
        );
        let writer = LedgerWriter::reopen(run.path(), |step| step != 2).expect("goes on");
        assert_eq!(writer.written(Some(3)), Some(&shorter));
        let lost = noted.lost(run.path(), Ledger::FILE).expect("reads").expect("a line is lost");
        assert!(lost.contains("ledger.csv: of lines up to step 2 it holds 1"), "{lost}");
    }

    #[test]
    fn cells_are_counted_and_must_balance() {
        let run = tempfile::tempdir().expect("a folder");
        let names = ["red".to_owned(), "in_kg:odd, \"name\"".to_owned()];
        let columns = [Column::new("largest_speed_m_per_s"), Column::of("flow_m3_per_s", "in")];
        let mut writer = LedgerWriter::create(run.path(), &["in".to_owned()], &columns, &names).expect("makes it");
        let count = |inside| CellCount { seeded: 9, inserted: u64::MAX - 2, inside, left: u64::MAX };
        let row = |step, inside| LedgerRow {
            step,
            through: vec![0.5],
            values: vec![0.25, -3e-9],
            cells: vec![CellCount::default(), count(inside)],
            ..LedgerRow::default()
        };
        writer.append(&row(1, 7)).expect("writes");
        assert!(writer.append(&LedgerRow { cells: vec![count(7)], ..row(2, 7) }).is_err());
        assert!(writer.append(&LedgerRow { values: vec![0.25], ..row(2, 7) }).is_err());
        drop(LedgerWriter::reopen(run.path(), |step| step <= 1).expect("goes on"));
        let ledger = Ledger::read(run.path()).expect("reads");
        assert_eq!(ledger.columns, columns);
        assert_eq!(ledger.values(&columns[1]).map(Iterator::collect::<Vec<_>>), Some(vec![-3e-9]));
        assert!(ledger.values(&Column::of("flow_m3_per_s", "out")).is_none());
        assert_eq!((ledger.populations.as_slice(), &ledger.rows), (names.as_slice(), &vec![row(1, 7)]));
        let mut writer = LedgerWriter::reopen(run.path(), |step| step <= 1).expect("goes on");
        writer.append(&row(2, 8)).expect("writes");
        let fault = Ledger::read(run.path()).expect_err("one too many");
        assert!(
            fault.message.contains("line 3: population in_kg:odd") && fault.message.contains("the 8 inside"),
            "{fault}"
        );
    }

    #[test]
    fn damage_is_a_fault() {
        let run = tempfile::tempdir().expect("a folder");
        for text in [
            "",
            "step\n",
            "step,time_s,inside_kg,x\n",
            "step,time_s,inside_kg,x_m,x_m\n",
            "step,time_s,inside_kg,x_m\n1,2,3,4,5\n",
            "step,time_s,inside_kg,x_m\n1,2,3\n",
            "step,time_s,inside_kg\n1,2\n",
            "step,time_s,inside_kg\n1,b,3\n",
            "step,time_s,inside_kg,cells_seeded:a,cells_inserted:a,cells_inside:a\n",
            "step,time_s,inside_kg,cells_seeded:a,cells_inserted:a,cells_inside:a,cells_left:b\n",
            "step,time_s,inside_kg,cells_seeded:a,cells_inserted:a,cells_inside:a,cells_left:a\n1,2,3,1,1,2,0.5\n",
        ] {
            std::fs::write(run.path().join(Ledger::FILE), text).expect("writes");
            assert!(Ledger::read(run.path()).is_err(), "{text:?}");
        }
    }
}
