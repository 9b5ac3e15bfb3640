//! Columns of a CSV file whose header gives units: `time [ms],factor`.

use std::path::Path;

use hematite_config::{Fault, Result};
use hematite_units::{Dimension, parse};

/// Physical dimension of the column called `name`.
fn dimension(name: &str) -> Dimension {
    match name {
        "time" => Dimension::new(0, 0, 1),
        "x" | "y" | "z" => Dimension::new(1, 0, 0),
        "speed" | "ux" | "uy" | "uz" => Dimension::new(1, 0, -1),
        "rate" => Dimension::new(3, 0, -1),
        _ => Dimension::default(),
    }
}

/// Reads the named columns in SI; all must be there.
///
/// # Errors
/// A usage fault that names the file and what is missing or wrong in it.
pub fn read(file: &Path, names: &[&str]) -> Result<Vec<Vec<f64>>> {
    let table = Table::open(file)?;
    names.iter().map(|name| table.column(name)).collect()
}

/// A CSV file in memory.
pub struct Table {
    file: String,
    header: Vec<String>,
    rows: Vec<csv::StringRecord>,
}

impl Table {
    /// Reads `file`.
    pub fn open(file: &Path) -> Result<Self> {
        let name = file.display().to_string();
        let fault = |error: csv::Error| Fault::usage(format!("cannot read {name}: {error}"));
        let mut reader =
            csv::ReaderBuilder::new().trim(csv::Trim::All).comment(Some(b'#')).from_path(file).map_err(fault)?;
        let header = reader.headers().map_err(fault)?.iter().map(str::to_owned).collect();
        let rows = reader.records().collect::<std::result::Result<_, _>>().map_err(fault)?;
        Ok(Self { file: name, header, rows })
    }

    /// Whether there is a column called `name`.
    pub fn has(&self, name: &str) -> bool {
        self.header.iter().any(|title| title.split('[').next().unwrap_or("").trim() == name)
    }

    /// The column called `name`, in SI.
    pub fn column(&self, name: &str) -> Result<Vec<f64>> {
        let titled = |title: &&String| title.split('[').next().unwrap_or("").trim() == name;
        let at = self.header.iter().position(|title| titled(&title)).ok_or_else(|| {
            Fault::usage(format!("{}: no column \"{name} [UNIT]\"; it has {}", self.file, self.header.join(", ")))
        })?;
        let unit = self.header[at].split_once('[').map_or("", |(_, unit)| unit.trim_end_matches(']'));
        let wrong = |why: String| Fault::usage(format!("{}: column \"{}\": {why}", self.file, self.header[at]));
        let (size, of) = parse(&format!("1 {unit}")).map_err(|error| wrong(error.to_string()))?;
        if of != dimension(name) {
            return Err(wrong(format!("its unit is {of}, wanted {}", dimension(name))));
        }
        let number = |row: &csv::StringRecord| {
            let text = row.get(at).unwrap_or("");
            let value = text.parse::<f64>().ok().filter(|v| v.is_finite());
            value.map(|v| v * size).ok_or_else(|| wrong(format!("\"{text}\" is not a number")))
        };
        self.rows.iter().map(number).collect()
    }
}
