//! Columns of a CSV file whose header gives units: `time [ms],factor`.

use std::path::Path;

use hematite_config::{Fault, Result, refuse_doubles};
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

/// Reads the named columns in SI; all must be there, and no other.
///
/// # Errors
/// A usage fault that names the file and what is missing or wrong in it.
pub fn read(file: &Path, names: &[&str]) -> Result<Vec<Vec<f64>>> {
    let table = Table::open(file)?;
    if let Some(other) = table.names().find(|name| !names.contains(name)) {
        return Err(Fault::usage(format!(
            "{}: unknown column \"{other}\": take it out; the columns are {}",
            table.file,
            names.join(", ")
        )));
    }
    names.iter().map(|name| table.column(name)).collect()
}

/// A CSV file in memory.
pub struct Table {
    file: String,
    header: Vec<String>,
    rows: Vec<csv::StringRecord>,
}

impl Table {
    /// Reads `file`. Refuses two columns of one name.
    pub fn open(file: &Path) -> Result<Self> {
        let name = file.display().to_string();
        let fault = |error: csv::Error| Fault::usage(format!("cannot read {name}: {error}"));
        let mut reader =
            csv::ReaderBuilder::new().trim(csv::Trim::All).comment(Some(b'#')).from_path(file).map_err(fault)?;
        let header = reader.headers().map_err(fault)?.iter().map(str::to_owned).collect();
        let rows = reader.records().collect::<std::result::Result<_, _>>().map_err(fault)?;
        let table = Self { file: name, header, rows };
        refuse_doubles(&table.file, table.names())?;
        Ok(table)
    }

    /// The names in the header, without units.
    fn names(&self) -> impl Iterator<Item = &str> {
        self.header.iter().map(|title| title.split('[').next().unwrap_or("").trim())
    }

    /// Whether there is a column called `name`.
    pub fn has(&self, name: &str) -> bool {
        self.names().any(|title| title == name)
    }

    /// The column called `name`, in SI.
    pub fn column(&self, name: &str) -> Result<Vec<f64>> {
        let at = self.names().position(|title| title == name).ok_or_else(|| {
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
