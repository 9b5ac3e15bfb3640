//! Flow rates through openings and the balance of mass, from the ledger of a run.
//!
//! In 2-D the masses of a ledger are those of a slab one lattice spacing deep.

use hematite_dump::LedgerRow;
use hematite_units::LatticeUnits;
use serde::Serialize;

use crate::table::Table;
use hematite_units::number::exact;

/// A flow rate, positive into the domain (openings) or along the axis (planes).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FlowRate {
    /// "opening" or "plane".
    pub kind: &'static str,
    /// Name of the opening or plane.
    pub name: String,
    /// The rate is a mean over an interval that ends at this step, or the rate at this step.
    pub step: u64,
    /// Time of that step in seconds.
    pub time: f64,
    /// Length of the interval in seconds; 0 for a rate at one step.
    pub interval: f64,
    /// Flow rate in m3/s; in 2-D of a slab one lattice spacing deep.
    pub m3_per_s: f64,
    /// In 2-D, flow rate a depth, in m2/s.
    pub m2_per_s: Option<f64>,
}

/// What went in and out of the domain between the first and the last row of a ledger.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MassBalance {
    /// First step.
    pub from_step: u64,
    /// Last step.
    pub to_step: u64,
    /// Time between them, s.
    pub duration_s: f64,
    /// Time between the last two rows, s.
    pub last_interval_s: f64,
    /// Mass that went in, kg: the sum of all positive net masses over openings and intervals.
    pub in_kg: f64,
    /// Mass that went out, kg, as a positive number.
    pub out_kg: f64,
    /// Growth of the mass inside, kg.
    pub change_kg: f64,
    /// `in - out - change`, kg: 0 where nothing vanishes.
    pub defect_kg: f64,
    /// The defect relative to what went in; `None` where nothing did.
    pub relative_defect: Option<f64>,
    /// The defect relative to the mass inside at first; `None` where that is not positive.
    pub defect_to_inside: Option<f64>,
    /// The balance of each opening.
    pub openings: Vec<OpeningBalance>,
}

/// One opening's share of a [`MassBalance`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OpeningBalance {
    /// Its name.
    pub name: String,
    /// Net mass inwards, kg.
    pub net_in_kg: f64,
    /// Mean flow rate inwards, m3/s; in 2-D of a slab one lattice spacing deep.
    pub mean_m3_per_s: f64,
    /// In 2-D, mean flow rate inwards a depth, m2/s.
    pub mean_m2_per_s: Option<f64>,
    /// Mean flow rate inwards between the last two rows, m3/s; in 2-D of a slab one lattice spacing deep.
    pub last_m3_per_s: f64,
    /// In 2-D, mean flow rate inwards a depth between the last two rows, m2/s.
    pub last_m2_per_s: Option<f64>,
}

/// The flow rate `rate` (m3/s) through a plane at one step. `dx`: lattice spacing, m.
pub fn through_plane(name: &str, step: u64, time: f64, rate: f64, dimension: usize, dx: f64) -> FlowRate {
    let m2_per_s = per_depth(rate, dimension, dx);
    FlowRate { kind: "plane", name: name.to_owned(), step, time, interval: 0.0, m3_per_s: rate, m2_per_s }
}

/// Mean flow rates through every opening between successive rows: the mass that came in, over the density at rest and
/// the time between the rows. Skips rows that share a time.
pub fn through_openings(names: &[String], rows: &[LedgerRow], units: &LatticeUnits, dimension: usize) -> Vec<FlowRate> {
    let mut rates = Vec::new();
    for (before, after) in intervals(rows) {
        let interval = after.time - before.time;
        for (k, name) in names.iter().enumerate() {
            let rate = (entered(after, k) - entered(before, k)) / units.rho0 / interval;
            rates.push(FlowRate {
                kind: "opening",
                name: name.clone(),
                step: after.step,
                time: after.time,
                interval,
                m3_per_s: rate,
                m2_per_s: per_depth(rate, dimension, units.dx),
            });
        }
    }
    rates
}

/// The balance of mass between the first and the last row; `None` for fewer than two rows.
pub fn mass_balance(
    names: &[String],
    rows: &[LedgerRow],
    units: &LatticeUnits,
    dimension: usize,
) -> Option<MassBalance> {
    let (first, last) = (rows.first()?, rows.last()?);
    let duration = last.time - first.time;
    if duration <= 0.0 {
        return None;
    }
    let (before_last, _) = intervals(rows).last()?;
    let last_interval = last.time - before_last.time;
    let (mut into, mut out) = (0.0, 0.0);
    for (before, after) in intervals(rows) {
        for k in 0..names.len() {
            let net = entered(after, k) - entered(before, k);
            if net > 0.0 {
                into += net;
            } else {
                out -= net;
            }
        }
    }
    let change = last.inside - first.inside;
    let defect = into - out - change;
    let openings = names.iter().enumerate().map(|(k, name)| {
        let net = entered(last, k) - entered(first, k);
        let mean = net / units.rho0 / duration;
        let latest = (entered(last, k) - entered(before_last, k)) / units.rho0 / last_interval;
        OpeningBalance {
            name: name.clone(),
            net_in_kg: net,
            mean_m3_per_s: mean,
            mean_m2_per_s: per_depth(mean, dimension, units.dx),
            last_m3_per_s: latest,
            last_m2_per_s: per_depth(latest, dimension, units.dx),
        }
    });
    Some(MassBalance {
        from_step: first.step,
        to_step: last.step,
        duration_s: duration,
        last_interval_s: last_interval,
        in_kg: into,
        out_kg: out,
        change_kg: change,
        defect_kg: defect,
        relative_defect: (into > 0.0).then(|| defect / into),
        defect_to_inside: (first.inside > 0.0).then(|| defect / first.inside),
        openings: openings.collect(),
    })
}

/// Flow rates as a table, one row each.
pub fn table(rates: &[FlowRate]) -> Table {
    let flat = rates.iter().any(|rate| rate.m2_per_s.is_some());
    let mut header = vec!["kind", "name", "step", "time_s", "interval_s", "flow_rate_m3_per_s"];
    if flat {
        header.push("flow_rate_per_depth_m2_per_s");
    }
    let mut table = Table::new(header);
    for rate in rates {
        let mut row = vec![
            rate.kind.to_owned(),
            rate.name.clone(),
            rate.step.to_string(),
            exact(rate.time),
            exact(rate.interval),
            exact(rate.m3_per_s),
        ];
        if flat {
            row.push(rate.m2_per_s.map(exact).unwrap_or_default());
        }
        table.push(row);
    }
    table
}

fn intervals(rows: &[LedgerRow]) -> impl Iterator<Item = (&LedgerRow, &LedgerRow)> {
    rows.windows(2).map(|pair| (&pair[0], &pair[1])).filter(|(before, after)| after.time > before.time)
}

fn entered(row: &LedgerRow, k: usize) -> f64 {
    row.through.get(k).copied().unwrap_or(0.0)
}

fn per_depth(rate: f64, dimension: usize, dx: f64) -> Option<f64> {
    (dimension == 2).then(|| rate / dx)
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNITS: LatticeUnits = LatticeUnits { dx: 1e-5, dt: 1e-6, rho0: 1000.0 };

    fn rows() -> Vec<LedgerRow> {
        // From row to row 4 kg go in at one opening, 3 kg out at the other, and 0.9 kg more are inside: 0.1 kg vanish a
        // second.
        (0..4)
            .map(|i| {
                let i = f64::from(i);
                LedgerRow {
                    step: 10 * i as u64,
                    time: i,
                    inside: 50.0 + 0.9 * i,
                    through: vec![4.0 * i, -3.0 * i],
                    ..LedgerRow::default()
                }
            })
            .collect()
    }

    #[test]
    fn a_defect_is_found() {
        let names = ["in".to_owned(), "out".to_owned()];
        let balance = mass_balance(&names, &rows(), &UNITS, 3).expect("rows");
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{a} {b}");
        close(balance.in_kg, 12.0);
        close(balance.out_kg, 9.0);
        close(balance.change_kg, 2.7);
        close(balance.defect_kg, 0.3);
        close(balance.relative_defect.expect("something came in"), 0.025);
        close(balance.defect_to_inside.expect("mass inside"), 0.006);
        close(balance.openings[1].mean_m3_per_s, -3e-3);
        close(balance.openings[1].last_m3_per_s, -3e-3);
        // The last second lets in twice as much.
        let mut faster = rows();
        faster[3].through[0] += 4.0;
        let faster = mass_balance(&names, &faster, &UNITS, 3).expect("rows");
        close(faster.openings[0].last_m3_per_s, 8e-3);
        close(faster.openings[0].mean_m3_per_s, 16e-3 / 3.0);
        close(faster.last_interval_s, 1.0);
        assert_eq!(balance.openings[1].mean_m2_per_s, None);
        assert_eq!(mass_balance(&names, &rows()[..1], &UNITS, 3), None);
    }

    #[test]
    fn rates_of_openings_in_2d_are_per_depth_too() {
        let names = ["in".to_owned(), "out".to_owned()];
        let rates = through_openings(&names, &rows(), &UNITS, 2);
        assert_eq!(rates.len(), 6);
        assert!((rates[0].m3_per_s - 4e-3).abs() < 1e-15);
        assert!((rates[0].m2_per_s.expect("2-D") - 400.0).abs() < 1e-9);
        let table = table(&rates);
        assert_eq!(table.header.len(), 7);
        assert_eq!(table.rows[5][..4], ["opening", "out", "30", "3"]);
    }

    #[test]
    fn a_pulse_that_turns_round_counts_both_ways() {
        let row = |time: f64, entered: f64| LedgerRow {
            step: time as u64,
            time,
            inside: entered,
            through: vec![entered],
            values: vec![],
            cells: vec![],
        };
        let rows = [row(0.0, 0.0), row(1.0, 5.0), row(2.0, 1.0)];
        let balance = mass_balance(&["both".to_owned()], &rows, &UNITS, 3).expect("rows");
        assert_eq!((balance.in_kg, balance.out_kg, balance.defect_kg), (5.0, 4.0, 0.0));
    }
}
