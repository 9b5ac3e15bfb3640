//! Cells whose places the user gives, as a CSV file whose header carries units.

use std::path::Path;

use hematite_config::{Fault, Result, refuse_doubles};
use hematite_units::{Dimension, parse};

use super::Placed;
use super::turn::unit;

/// Reads the cells of a file for a case of 2 or 3 dimensions.
///
/// # Errors
/// A usage fault that names the file and what is missing or wrong in it.
pub(super) fn read(file: &Path, dimension: usize) -> Result<Vec<Placed>> {
    let table = Table::open(file)?;
    let mut known = vec!["x", "y"];
    known.extend::<&[&str]>(if dimension == 3 { &["z", "qw", "qx", "qy", "qz"] } else { &["angle"] });
    table.refuse_others(&known)?;
    let centres = table.columns(&known[..dimension])?;
    let turned = if dimension == 3 { &known[3..] } else { &known[2..] };
    let turns = if turned.iter().any(|name| table.has(name)) { Some(table.columns(turned)?) } else { None };
    (0..table.rows.len())
        .map(|row| {
            let mut centre = [0.0; 3];
            centre.iter_mut().zip(&centres).for_each(|(to, column)| *to = column[row]);
            let orientation = match &turns {
                None => [1.0, 0.0, 0.0, 0.0],
                Some(angle) if dimension == 2 => {
                    let (sine, cosine) = (0.5 * angle[0][row]).sin_cos();
                    [cosine, 0.0, 0.0, sine]
                }
                Some(q) => {
                    let q = [0, 1, 2, 3].map(|k| q[k][row]);
                    if q.iter().all(|&x| x == 0.0) {
                        return Err(Fault::usage(format!(
                            "{}: row {}: the quaternion is 0; no turn is 1, 0, 0, 0",
                            table.file,
                            row + 1
                        )));
                    }
                    unit(q)
                }
            };
            Ok(Placed { centre, orientation, scale: 1.0 })
        })
        .collect()
}

/// A CSV file in memory.
struct Table {
    file: String,
    header: Vec<String>,
    rows: Vec<csv::StringRecord>,
}

impl Table {
    fn open(file: &Path) -> Result<Self> {
        let name = file.display().to_string();
        let fault = |error: csv::Error| Fault::usage(format!("cannot read {name}: {error}"));
        let mut reader =
            csv::ReaderBuilder::new().trim(csv::Trim::All).comment(Some(b'#')).from_path(file).map_err(fault)?;
        let header = reader.headers().map_err(fault)?.iter().map(str::to_owned).collect();
        let rows: Vec<_> = reader.records().collect::<std::result::Result<_, _>>().map_err(fault)?;
        if rows.is_empty() {
            return Err(Fault::usage(format!("{name} holds no row: give one for each cell or body")));
        }
        let table = Self { file: name, header, rows };
        refuse_doubles(&table.file, table.names())?;
        Ok(table)
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.header.iter().map(|title| title.split('[').next().unwrap_or("").trim())
    }

    fn has(&self, name: &str) -> bool {
        self.names().any(|title| title == name)
    }

    fn refuse_others(&self, known: &[&str]) -> Result<()> {
        match self.names().find(|title| !known.contains(title)) {
            Some(title) => Err(Fault::usage(format!(
                "{}: unknown column \"{title}\"; the columns are {}",
                self.file,
                known.join(", ")
            ))),
            None => Ok(()),
        }
    }

    fn columns(&self, names: &[&str]) -> Result<Vec<Vec<f64>>> {
        names.iter().map(|name| self.column(name)).collect()
    }

    /// A column in SI, angles in radians.
    fn column(&self, name: &str) -> Result<Vec<f64>> {
        let at = self.names().position(|title| title == name).ok_or_else(|| {
            Fault::usage(format!("{}: no column \"{name}\"; it has {}", self.file, self.header.join(", ")))
        })?;
        let wrong = |why: String| Fault::usage(format!("{}: column \"{}\": {why}", self.file, self.header[at]));
        let unit = self.header[at].split_once('[').map(|(_, unit)| unit.trim_end_matches(']').trim());
        let size = match (name, unit) {
            ("angle", Some("deg")) => 1.0_f64.to_radians(),
            ("angle", Some("rad")) => 1.0,
            ("angle", _) => return Err(wrong("its unit is \"deg\" or \"rad\": write \"angle [deg]\"".into())),
            ("x" | "y" | "z", unit) => {
                let (size, of) = parse(&format!("1 {}", unit.unwrap_or(""))).map_err(|e| wrong(e.to_string()))?;
                if of != Dimension::new(1, 0, 0) {
                    return Err(wrong(format!("its unit is {of}, wanted a length: write \"{name} [um]\"")));
                }
                size
            }
            _ => 1.0,
        };
        let number = |(k, row): (usize, &csv::StringRecord)| {
            let text = row.get(at).unwrap_or("");
            let value = text.parse::<f64>().ok().filter(|v| v.is_finite());
            value.map(|v| v * size).ok_or_else(|| wrong(format!("row {}: \"{text}\" is not a number", k + 1)))
        };
        self.rows.iter().enumerate().map(number).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str, dimension: usize) -> Result<Vec<Placed>> {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("cells.csv");
        std::fs::write(&file, text).expect("writes");
        read(&file, dimension)
    }

    #[test]
    fn units_and_turns_are_read() {
        let cells = read_text("# two\nx [um], y [mm], angle [deg]\n1.5, 2, 90\n3, 4, 0\n", 2).expect("reads");
        assert_eq!(cells.len(), 2);
        assert!((cells[0].centre[0] - 1.5e-6).abs() < 1e-18 && (cells[0].centre[1] - 2e-3).abs() < 1e-15);
        assert!((cells[0].orientation[3] - 0.5_f64.sqrt()).abs() < 1e-15);
        let cells = read_text("x [um],y [um],z [um],qw,qx,qy,qz\n1,2,3,2,0,0,0\n", 3).expect("reads");
        assert_eq!(cells[0].orientation, [1.0, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, dimension, said) in [
            ("x [um],y [um]\n1,a\n", 2, "row 1: \"a\""),
            ("x [um],y [s]\n1,2\n", 2, "wanted a length"),
            ("x [um],y [um]\n1,2\n", 3, "no column \"z\""),
            ("x [um],y [um],w\n1,2,3\n", 2, "unknown column \"w\""),
            ("x [um],y [um],x [mm]\n1,2,3\n", 2, "column \"x\" is there twice"),
            ("x [um],y [um],angle\n1,2,3\n", 2, "angle [deg]"),
            ("x [um],y [um],z [um],qw,qx,qy,qz\n1,2,3,0,0,0,0\n", 3, "quaternion is 0"),
            ("x [um],y [um]\n", 2, "no row"),
        ] {
            let message = read_text(text, dimension).expect_err(said).message;
            assert!(message.contains(said) && message.contains("cells.csv"), "{message}");
        }
    }
}
