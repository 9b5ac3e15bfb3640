//! Tables as CSV and as aligned text, values as JSON; files appear whole or not at all.

use std::path::Path;

use hematite_config::{Fault, Result, publish};
use hematite_units::number::exact;
use serde::Serialize;

/// A difference of times, s, without the noise of their rounding: to twelve digits.
pub fn lag(seconds: f64) -> String {
    exact(format!("{seconds:.11e}").parse().unwrap_or(seconds))
}

/// A table of text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// Column names, with units where a column has one: `speed_m_per_s`.
    pub header: Vec<String>,
    /// The rows, each as long as the header.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// A table without rows.
    pub fn new(header: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { header: header.into_iter().map(Into::into).collect(), rows: Vec::new() }
    }

    /// Adds a row.
    pub fn push(&mut self, row: impl IntoIterator<Item = impl Into<String>>) {
        self.rows.push(row.into_iter().map(Into::into).collect());
    }

    /// Reads a table from CSV.
    ///
    /// # Errors
    /// An I/O fault that names the file.
    pub fn read_csv(path: &Path) -> Result<Self> {
        let fault = |error: csv::Error| Fault::io(format!("cannot read {}: {error}", path.display()));
        let mut reader = csv::Reader::from_path(path).map_err(fault)?;
        let mut table = Self::new(reader.headers().map_err(fault)?.iter());
        for row in reader.records() {
            table.push(row.map_err(fault)?.iter());
        }
        Ok(table)
    }

    /// Writes it as CSV.
    ///
    /// # Errors
    /// An I/O fault that names the file.
    pub fn write_csv(&self, path: &Path) -> Result<()> {
        publish(path, |temporary| {
            let fault = |error: csv::Error| Fault::io(format!("cannot write {}: {error}", path.display()));
            let mut writer = csv::Writer::from_path(temporary).map_err(fault)?;
            writer.write_record(&self.header).map_err(fault)?;
            for row in &self.rows {
                writer.write_record(row).map_err(fault)?;
            }
            writer.flush().map_err(|error| fault(error.into()))
        })
    }

    /// Text for a terminal: the first column aligned to the left, the others to the right.
    pub fn aligned(&self) -> String {
        let lines = || std::iter::once(&self.header).chain(&self.rows);
        let width = |column: usize| {
            lines().map(|row| row.get(column).map_or(0, |cell| cell.chars().count())).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.header.len()).map(width).collect();
        let mut text = String::new();
        for row in lines() {
            let cells: Vec<String> = row
                .iter()
                .zip(&widths)
                .enumerate()
                .map(|(column, (cell, &w))| if column == 0 { format!("{cell:<w$}") } else { format!("{cell:>w$}") })
                .collect();
            text.push_str(cells.join("  ").trim_end());
            text.push('\n');
        }
        text
    }
}

/// Writes a value as pretty JSON.
///
/// # Errors
/// An I/O fault that names the file.
pub fn write_json<T: Serialize>(path: &Path, value: &T) -> Result<()> {
    publish(path, |temporary| {
        let fault = |error: std::io::Error| Fault::io(format!("cannot write {}: {error}", path.display()));
        let mut text = serde_json::to_string_pretty(value).map_err(|error| fault(error.into()))?;
        text.push('\n');
        std::fs::write(temporary, text).map_err(fault)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_quotes_and_text_aligns() {
        let mut table = Table::new(["name", "q"]);
        table.push(["in, left", "10.5"]);
        table.push(["out", "3"]);
        assert_eq!(table.aligned(), "name         q\nin, left  10.5\nout          3\n");
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("t.csv");
        table.write_csv(&path).expect("writes");
        assert_eq!(std::fs::read_to_string(path).expect("reads"), "name,q\n\"in, left\",10.5\nout,3\n");
    }
}
