//! The shape of a prescribed velocity over an opening's nodes.

use std::cmp::Ordering::Equal;
use std::path::Path;

use hematite_case::OpeningNode;
use hematite_config::{Fault, Result};
use hematite_engine::columns::Table;
use hematite_units::number::{as_given, with_unit};

/// The names of coordinates.
const AXES: [&str; 3] = ["x", "y", "z"];

/// Points that a scattered profile is interpolated from.
const NEAREST: usize = 4;

/// Developed flow of mean speed `speed` along `normal`, one vector a node.
pub(crate) fn developed(nodes: &[OpeningNode], normal: [f64; 3], speed: f64) -> Vec<[f64; 3]> {
    nodes.iter().map(|node| normal.map(|n| n * speed * f64::from(node.developed))).collect()
}

/// Refuses columns that give the velocity twice: along the normal, and by its components.
fn refuse_two_velocities(file: &Path, table: &Table) -> Result<()> {
    match ["ux", "uy", "uz"].into_iter().find(|name| table.has("speed") && table.has(name)) {
        None => Ok(()),
        Some(component) => Err(Fault::usage(format!(
            "{}: its columns \"speed\" and \"{component}\" both give the velocity: leave \"speed\" out, or \"ux\", \"uy\" \
             and \"uz\"",
            file.display()
        ))),
    }
}

/// A velocity profile read from a file.
#[derive(Clone, Debug)]
pub(crate) struct Tabulated {
    /// Which coordinates the file gives.
    axes: Vec<usize>,
    /// (coordinates along `axes`, velocity), SI.
    rows: Vec<(Vec<f64>, [f64; 3])>,
}

impl Tabulated {
    /// Reads a profile; `speed` columns go along `normal`.
    pub fn read(file: &Path, normal: [f64; 3], dimension: usize) -> Result<Self> {
        let table = Table::open(file)?;
        let axes: Vec<usize> = (0..dimension).filter(|&axis| table.has(AXES[axis])).collect();
        let coordinates = axes.iter().map(|&axis| table.column(AXES[axis])).collect::<Result<Vec<_>>>()?;
        refuse_two_velocities(file, &table)?;
        let velocities: Vec<[f64; 3]> = if table.has("speed") {
            table.column("speed")?.into_iter().map(|speed| normal.map(|n| n * speed)).collect()
        } else {
            let (ux, uy) = (table.column("ux")?, table.column("uy")?);
            let uz = if table.has("uz") { table.column("uz")? } else { vec![0.0; ux.len()] };
            ux.into_iter().zip(uy).zip(uz).map(|((x, y), z)| [x, y, z]).collect()
        };
        let mut rows: Vec<(Vec<f64>, [f64; 3])> = velocities
            .into_iter()
            .enumerate()
            .map(|(row, velocity)| (coordinates.iter().map(|column| column[row]).collect(), velocity))
            .collect();
        if axes.is_empty() || rows.is_empty() {
            return Err(Fault::usage(format!(
                "{}: needs a coordinate column (\"x [um]\", ...) and rows",
                file.display()
            )));
        }
        if let [axis] = axes[..]
            && normal[axis].abs() > 0.999
        {
            return Err(Fault::usage(format!(
                "{}: its only coordinate, {}, lies along the normal of the opening, so that all nodes would get the same velocity: \
                 give the coordinate across the opening",
                file.display(),
                AXES[axis]
            )));
        }
        if axes.len() == 1 {
            rows.sort_by(|a, b| a.0[0].total_cmp(&b.0[0]));
        }
        let profile = Self { axes, rows };
        match profile.contradiction() {
            None => Ok(profile),
            Some(text) => Err(Fault::usage(format!("{}: {text}: leave one of the rows out", file.display()))),
        }
    }

    /// Tells of two rows at one point with different velocities, if there are some.
    fn contradiction(&self) -> Option<String> {
        let mut rows: Vec<&(Vec<f64>, [f64; 3])> = self.rows.iter().collect();
        rows.sort_by(|a, b| a.0.iter().zip(&b.0).map(|(a, b)| a.total_cmp(b)).find(|by| by.is_ne()).unwrap_or(Equal));
        let pair = rows.windows(2).find(|pair| pair[0].0 == pair[1].0 && pair[0].1 != pair[1].1)?;
        let (a, b) = (pair[0], pair[1]);
        let place = self.axes.iter().zip(&a.0).map(|(&axis, &x)| format!("{} {}", AXES[axis], as_given(x, "m")));
        let [one, other] = [a.1, b.1].map(|u| u.map(|u| with_unit(u, "m/s")).join(", "));
        let place = place.collect::<Vec<_>>().join(", ");
        Some(format!("the velocity at {place} is ({one}) in one row and ({other}) in another"))
    }

    /// Its numbers, row after row.
    pub fn numbers(&self) -> Vec<f64> {
        self.rows.iter().flat_map(|(at, velocity)| at.iter().chain(velocity)).copied().collect()
    }

    /// The largest share of `points`, in metres, that lie farther than `beside` beyond the file's coordinates along an axis:
    /// the share, the axis, the file's range there and that of the points.
    pub fn uncovered(&self, points: &[[f64; 3]], beside: f64) -> Option<(f64, usize, [f64; 2], [f64; 2])> {
        let range = |values: &mut dyn Iterator<Item = f64>| {
            values.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [low.min(x), high.max(x)])
        };
        let of = |(k, &axis): (usize, &usize)| {
            let given = range(&mut self.rows.iter().map(|row| row.0[k]));
            let is_beyond = |point: &&[f64; 3]| point[axis] < given[0] - beside || point[axis] > given[1] + beside;
            let share = points.iter().filter(is_beyond).count() as f64 / points.len().max(1) as f64;
            (share, axis, given, range(&mut points.iter().map(|point| point[axis])))
        };
        self.axes.iter().enumerate().map(of).filter(|found| found.0 > 0.0).max_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// Whether none of several rows lies where `points` are, in metres, or within `beside` of there, along some axis: the
    /// profile is then between two rows.
    pub fn is_coarse(&self, points: &[[f64; 3]], beside: f64) -> bool {
        let is_at = |k: usize, axis: usize| {
            let low = points.iter().map(|point| point[axis]).fold(f64::INFINITY, f64::min) - beside;
            let high = points.iter().map(|point| point[axis]).fold(f64::NEG_INFINITY, f64::max) + beside;
            self.rows.iter().any(|row| (low..=high).contains(&row.0[k]))
        };
        self.rows.len() > 2 && !self.axes.iter().enumerate().all(|(k, &axis)| is_at(k, axis))
    }

    /// The velocity at `point` in metres: linear between the two rows around it where the file has one coordinate,
    /// else weighted by inverse squared distance over the nearest rows.
    pub fn at(&self, point: [f64; 3]) -> [f64; 3] {
        let here: Vec<f64> = self.axes.iter().map(|&axis| point[axis]).collect();
        if let [x] = here[..] {
            let after = self.rows.partition_point(|row| row.0[0] <= x);
            if after == 0 || after == self.rows.len() {
                return self.rows[after.min(self.rows.len() - 1)].1;
            }
            let (a, b) = (&self.rows[after - 1], &self.rows[after]);
            let share = (x - a.0[0]) / (b.0[0] - a.0[0]);
            return std::array::from_fn(|k| a.1[k] + share * (b.1[k] - a.1[k]));
        }
        let squared = |row: &(Vec<f64>, _)| row.0.iter().zip(&here).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
        let mut near: Vec<(f64, [f64; 3])> = self.rows.iter().map(|row| (squared(row), row.1)).collect();
        near.sort_by(|a, b| a.0.total_cmp(&b.0));
        near.truncate(NEAREST);
        if near[0].0 == 0.0 {
            return near[0].1;
        }
        let total: f64 = near.iter().map(|(d, _)| 1.0 / d).sum();
        std::array::from_fn(|k| near.iter().map(|(d, u)| u[k] / d).sum::<f64>() / total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_coordinate_is_linear_and_two_meet_their_points() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("inlet.csv");
        std::fs::write(&file, "y [um],speed [mm/s]\n10,2\n0,0\n").expect("writes");
        let profile = Tabulated::read(&file, [1.0, 0.0, 0.0], 2).expect("reads");
        assert!((profile.at([0.0, 5e-6, 0.0])[0] - 1e-3).abs() < 1e-15);
        assert!((profile.at([0.0, 50e-6, 0.0])[0] - 2e-3).abs() < 1e-15);
        std::fs::write(&file, "y [um],z [um],ux [m/s],uy [m/s]\n0,0,1,2\n1,0,3,4\n0,1,5,6\n").expect("writes");
        let profile = Tabulated::read(&file, [1.0, 0.0, 0.0], 3).expect("reads");
        assert_eq!(profile.at([7.0, 1e-6, 0.0]), [3.0, 4.0, 0.0]);
    }

    #[test]
    fn one_point_has_one_velocity() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("inlet.csv");
        let read = |rows: &str| {
            std::fs::write(&file, format!("y [um],z [um],speed [mm/s]\n{rows}")).expect("writes");
            Tabulated::read(&file, [1.0, 0.0, 0.0], 3)
        };
        assert!(read("1,0,3\n0,1,5\n1,0,3\n").is_ok());
        let message = read("1,0,3\n0,1,5\n1,1,5\n1,0,4\n").expect_err("two speeds").message;
        for piece in ["inlet.csv", "at y 1 \u{b5}m, z 0 m is (3 mm/s", "and (4 mm/s", "leave one of the rows out"] {
            assert!(message.contains(piece), "{piece}: {message}");
        }
        assert!(read("1,0,nan\n").is_err());
    }
}
