//! Drag, lift and torque of each part of the wall over time, from the columns of the ledger.

use hematite_cells::vector::{dot, minus, times, unit};
use hematite_dump::{Column, Ledger};
use serde::Serialize;

use crate::chart::{Axis, Chart, Curve, Style};
use crate::plane::AXES;
use crate::table::Table;
use hematite_units::number::exact;

/// The directions of drag and lift, unit vectors.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Directions {
    /// Direction of drag.
    pub drag: [f64; 3],
    /// Direction of lift.
    pub lift: [f64; 3],
}

impl Directions {
    /// Drag is along `along`, lift normal to it. In 2-D, lift is to the left of drag. In 3-D it is along `across`, by
    /// default y (z where drag is along y), without the component along the drag. `None` where `along`, or what is left
    /// for the lift, has no direction.
    pub fn of(dimension: usize, along: [f64; 3], across: Option<[f64; 3]>) -> Option<Self> {
        let drag = unit(along)?;
        if dimension == 2 {
            return Some(Self { drag, lift: [-drag[1], drag[0], 0.0] });
        }
        let across = across.unwrap_or(if drag[1].abs() < 0.999 { [0.0, 1.0, 0.0] } else { [0.0, 0.0, 1.0] });
        let across = unit(across)?;
        let rest = minus(across, times(dot(across, drag), drag));
        (dot(rest, rest) > 1e-6).then(|| unit(rest)).flatten().map(|lift| Self { drag, lift })
    }
}

/// The force on one part of the wall over time, in N and N m; in 2-D of a metre of depth.
#[derive(Clone, Debug, PartialEq)]
pub struct PartForces {
    /// The part.
    pub part: String,
    /// Its rows.
    pub rows: Vec<ForceRow>,
}

/// The force at one line of the ledger.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ForceRow {
    /// Time steps done.
    pub step: u64,
    /// Time, s.
    pub time: f64,
    /// Force of the fluid on the part.
    pub force: [f64; 3],
    /// Torque about the part's point.
    pub torque: [f64; 3],
    /// Force along the direction of drag.
    pub drag: f64,
    /// Force along the direction of lift.
    pub lift: f64,
}

/// Statistics of drag and lift of a part over the later half of the ledger's lines.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ForceSummary {
    /// The part.
    pub part: String,
    /// Unit of the numbers: N, or N/m in 2-D.
    pub unit: &'static str,
    /// Time of the first line, s.
    pub from_s: f64,
    /// Mean, smallest and largest drag.
    pub drag: [f64; 3],
    /// Mean, smallest and largest lift.
    pub lift: [f64; 3],
}

/// The forces on every part that has columns in the ledger. Leaves out the line of step 0, which has no forces.
pub fn forces(ledger: &Ledger, dimension: usize, directions: &Directions) -> Vec<PartForces> {
    let [force_unit, torque_unit] = if dimension == 2 { ["N_per_m", "N_m_per_m"] } else { ["N", "N_m"] };
    let first = format!("force_x_{force_unit}");
    let parts = ledger.columns.iter().filter(|column| column.quantity() == first).filter_map(Column::place);
    let of_part = |part: &str| {
        let place = |what: &str, axis: &str, unit: &str| {
            let wanted = Column::of(format!("{what}_{axis}_{unit}"), part);
            ledger.columns.iter().position(|column| *column == wanted)
        };
        let force = AXES.map(|axis| place("force", axis, force_unit));
        let torque = AXES.map(|axis| place("torque", axis, torque_unit));
        let rows = ledger.rows.iter().filter(|row| row.step > 0).map(|row| {
            let read = |places: [Option<usize>; 3]| places.map(|place| place.map_or(0.0, |place| row.values[place]));
            let (force, torque) = (read(force), read(torque));
            let (drag, lift) = (dot(force, directions.drag), dot(force, directions.lift));
            ForceRow { step: row.step, time: row.time, force, torque, drag, lift }
        });
        PartForces { part: part.to_owned(), rows: rows.collect() }
    };
    parts.map(of_part).collect()
}

/// A table of all parts: one row for each line of the ledger and part.
pub fn table(parts: &[PartForces], dimension: usize) -> Table {
    let [force_unit, torque_unit] = if dimension == 2 { ["N_per_m", "N_m_per_m"] } else { ["N", "N_m"] };
    let turns = if dimension == 2 { 2..3 } else { 0..3 };
    let mut header = vec!["part".to_owned(), "step".to_owned(), "time_s".to_owned()];
    header.extend([format!("drag_{force_unit}"), format!("lift_{force_unit}")]);
    header.extend(AXES[..dimension].iter().map(|axis| format!("force_{axis}_{force_unit}")));
    header.extend(AXES[turns.clone()].iter().map(|axis| format!("torque_{axis}_{torque_unit}")));
    let mut table = Table::new(header);
    for part in parts {
        for row in &part.rows {
            let start = [part.part.clone(), row.step.to_string(), exact(row.time), exact(row.drag), exact(row.lift)];
            let numbers = row.force[..dimension].iter().chain(&row.torque[turns.clone()]).map(|&v| exact(v));
            table.push(start.into_iter().chain(numbers));
        }
    }
    table
}

/// Drag and lift of all parts over time.
pub fn chart(parts: &[PartForces], dimension: usize) -> Chart {
    let curve = |(k, part): (usize, &PartForces)| {
        let along = |value: fn(&ForceRow) -> f64| part.rows.iter().map(|row| [row.time, value(row)]).collect();
        [
            Curve::new(format!("{}: drag", part.part), along(|row| row.drag), Style::Line, k),
            Curve::new(format!("{}: lift", part.part), along(|row| row.lift), Style::Dashed, k),
        ]
    };
    let y = Axis::new("force", if dimension == 2 { "N/m" } else { "N" }).from_zero();
    let curves = parts.iter().enumerate().flat_map(curve).collect();
    Chart::new("force of the fluid on walls", Axis::new("time", "s"), y, curves)
}

/// The statistics of each part that has lines.
pub fn summary(parts: &[PartForces], dimension: usize) -> Vec<ForceSummary> {
    let of_part = |part: &PartForces| {
        let rows = &part.rows[part.rows.len() / 2..];
        let numbers = |value: fn(&ForceRow) -> f64| {
            let values = || rows.iter().map(value);
            [
                values().sum::<f64>() / rows.len() as f64,
                values().fold(f64::INFINITY, f64::min),
                values().fold(f64::NEG_INFINITY, f64::max),
            ]
        };
        Some(ForceSummary {
            part: part.part.clone(),
            unit: if dimension == 2 { "N/m" } else { "N" },
            from_s: rows.first()?.time,
            drag: numbers(|row| row.drag),
            lift: numbers(|row| row.lift),
        })
    };
    parts.iter().filter_map(of_part).collect()
}

#[cfg(test)]
mod tests {
    use hematite_dump::LedgerRow;

    use super::*;

    #[test]
    fn drag_and_lift_are_along_their_directions() {
        let columns = ["force_x_N_per_m", "force_y_N_per_m", "torque_z_N_m_per_m"];
        let row = |step: u64, values: [f64; 3]| LedgerRow {
            step,
            time: 0.5 * step as f64,
            values: [&[7.0][..], &values].concat(),
            ..LedgerRow::default()
        };
        let mut named = vec![Column::new("largest_speed_m_per_s")];
        named.extend(columns.map(|column| Column::of(column, "rod")));
        let ledger = Ledger {
            openings: Vec::new(),
            columns: named,
            populations: Vec::new(),
            rows: vec![row(0, [0.0; 3]), row(1, [9.0, 9.0, 9.0]), row(2, [3.0, 4.0, 0.5])],
        };
        let directions = Directions::of(2, [0.0, 2.0, 0.0], None).expect("a direction");
        let parts = forces(&ledger, 2, &directions);
        let rod = &parts[0].rows;
        assert_eq!((parts.len(), rod.len(), rod[1].drag, rod[1].lift), (1, 2, 4.0, -3.0));
        assert_eq!((rod[1].torque, rod[1].time), ([0.0, 0.0, 0.5], 1.0));
        assert_eq!(summary(&parts, 2)[0].drag, [4.0; 3]);
        assert_eq!(table(&parts, 2).rows[1], ["rod", "2", "1", "4", "-3", "3", "4", "0.5"]);
        assert_eq!(chart(&parts, 2).curves.len(), 2);
        assert!(forces(&ledger, 3, &directions).is_empty(), "other units");
    }

    #[test]
    fn directions_without_sense_are_none() {
        assert_eq!(Directions::of(2, [0.0; 3], None), None);
        assert_eq!(Directions::of(3, [1.0, 0.0, 0.0], Some([-2.0, 0.0, 0.0])), None);
        let along_y = Directions::of(3, [0.0, 3.0, 0.0], None).expect("a direction");
        assert_eq!(along_y.lift, [0.0, 0.0, 1.0]);
        let given = Directions::of(3, [1.0, 0.0, 0.0], Some([5.0, 0.0, -1.0])).expect("a direction");
        assert_eq!(given.lift, [0.0, 0.0, -1.0]);
    }
}
