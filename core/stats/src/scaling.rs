//! Strong scaling: several runs of one case on different rank counts.

use std::collections::{BTreeMap, BTreeSet};

use hematite_config::{Fault, Result};
use hematite_dump::{PhaseTimes, Timing};
use serde::Serialize;

use crate::table::Table;
use hematite_units::number::{exact, short};

/// A run to compare.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Name in tables: the folder of the run.
    pub label: String,
    /// SHA-256 of its case file.
    pub case_sha256: String,
    /// Its times, by phase.
    pub timing: Timing,
}

/// A run compared with the base: the fastest run on the fewest ranks.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The run.
    pub run: String,
    /// Number of ranks.
    pub ranks: usize,
    /// Fluid nodes in all.
    pub nodes: u64,
    /// Time steps.
    pub steps: u64,
    /// Wall-clock seconds of the time loop.
    pub wall_s: f64,
    /// Million lattice-node updates a second.
    pub mlups: f64,
    /// Speed-up over the base, `T_base / T`.
    pub speed_up: f64,
    /// Efficiency: speed-up over `p`, the ratio of rank counts.
    pub efficiency: f64,
    /// Karp-Flatt serial fraction `(1/S - 1/p) / (1 - 1/p)`; `None` on the base's rank count.
    pub serial_fraction: Option<f64>,
    /// Times of each subsystem, in seconds.
    pub subsystems: BTreeMap<String, Spread>,
}

/// Statistics of phase times over the ranks of a run, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Spread {
    /// Mean over ranks.
    pub mean: PhaseTimes,
    /// Largest over ranks, phase by phase.
    pub max: PhaseTimes,
}

/// The runs by rank count, each compared with the base.
///
/// # Errors
/// A usage fault when there are no runs, when they differ in case, nodes or steps, or when one took no time.
pub fn scaling(runs: &[Run]) -> Result<Vec<Row>> {
    let mut runs: Vec<&Run> = runs.iter().collect();
    runs.sort_by(|a, b| a.timing.ranks.cmp(&b.timing.ranks).then(a.timing.wall.total_cmp(&b.timing.wall)));
    let base = *runs.first().ok_or_else(|| Fault::usage("no runs to compare"))?;
    for run in &runs {
        alike(base, run)?;
    }
    Ok(runs.into_iter().map(|run| row(base, run)).collect())
}

fn alike(base: &Run, run: &Run) -> Result<()> {
    let (a, b) = (&base.timing, &run.timing);
    if !(b.wall > 0.0 && b.wall.is_finite()) || b.ranks == 0 {
        return Err(Fault::usage(format!(
            "{}: its timing has {} s on {} ranks; a scaling table needs a finished run with time and ranks above 0",
            run.label, b.wall, b.ranks
        )));
    }
    let unlike = |what: &str, one: &dyn std::fmt::Display, other: &dyn std::fmt::Display| {
        Err(Fault::usage(format!(
            "{} and {} cannot be compared: their {what} differ ({one} and {other}); \
             speed-up needs the same case and steps",
            base.label, run.label
        )))
    };
    if a.nodes != b.nodes {
        return unlike("fluid nodes", &a.nodes, &b.nodes);
    }
    if base.case_sha256 != run.case_sha256 {
        return unlike("case files", &brief(&base.case_sha256), &brief(&run.case_sha256));
    }
    if a.steps != b.steps {
        return unlike("steps", &a.steps, &b.steps);
    }
    Ok(())
}

/// The first letters of a hash.
fn brief(hash: &str) -> String {
    hash.chars().take(12).collect()
}

fn row(base: &Run, run: &Run) -> Row {
    let (b, t) = (&base.timing, &run.timing);
    let speed_up = b.wall / t.wall;
    let p = t.ranks as f64 / b.ranks as f64;
    Row {
        run: run.label.clone(),
        ranks: t.ranks,
        nodes: t.nodes,
        steps: t.steps,
        wall_s: t.wall,
        mlups: t.mlups,
        speed_up,
        efficiency: speed_up / p,
        serial_fraction: (t.ranks > b.ranks).then(|| (1.0 / speed_up - 1.0 / p) / (1.0 - 1.0 / p)),
        subsystems: t.subsystems.iter().map(|(name, ranks)| (name.clone(), spread(ranks))).collect(),
    }
}

fn spread(ranks: &[PhaseTimes]) -> Spread {
    let over = |merge: fn(f64, f64) -> f64, scale: f64| {
        ranks.iter().fold(PhaseTimes::default(), |all, one| PhaseTimes {
            compute: merge(all.compute, one.compute * scale),
            communication: merge(all.communication, one.communication * scale),
            packing: merge(all.packing, one.packing * scale),
            output: merge(all.output, one.output * scale),
        })
    };
    Spread { mean: over(|a, b| a + b, 1.0 / ranks.len().max(1) as f64), max: over(f64::max, 1.0) }
}

const PHASES: [&str; 4] = ["compute", "communication", "packing", "output"];

fn phases(times: &PhaseTimes) -> [f64; 4] {
    [times.compute, times.communication, times.packing, times.output]
}

/// The whole table, for CSV.
pub fn table(rows: &[Row]) -> Table {
    let subsystems: BTreeSet<&String> = rows.iter().flat_map(|row| row.subsystems.keys()).collect();
    let mut header: Vec<String> =
        ["run", "ranks", "nodes", "steps", "wall_s", "mlups", "speed_up", "efficiency", "serial_fraction"]
            .map(str::to_owned)
            .into();
    for name in &subsystems {
        header.extend(PHASES.iter().flat_map(|phase| ["mean", "max"].map(|what| format!("{name}_{phase}_{what}_s"))));
    }
    let mut table = Table::new(header);
    for row in rows {
        let mut cells = vec![row.run.clone(), row.ranks.to_string(), row.nodes.to_string(), row.steps.to_string()];
        cells.extend([row.wall_s, row.mlups, row.speed_up, row.efficiency].map(exact));
        cells.push(row.serial_fraction.map(exact).unwrap_or_default());
        for name in &subsystems {
            match row.subsystems.get(*name) {
                Some(spread) => cells.extend(
                    phases(&spread.mean).into_iter().zip(phases(&spread.max)).flat_map(|(a, b)| [exact(a), exact(b)]),
                ),
                None => cells.extend(std::iter::repeat_n(String::new(), 2 * PHASES.len())),
            }
        }
        table.push(cells);
    }
    table
}

/// A short table for a terminal: four digits; times of phases are means over ranks, summed over subsystems.
pub fn brief_table(rows: &[Row]) -> Table {
    let mut header = vec!["run", "ranks", "wall s", "MLUPS", "speed-up", "efficiency", "serial"];
    header.extend(PHASES.map(|phase| if phase == "communication" { "comm s" } else { phase }));
    let mut table = Table::new(header);
    for row in rows {
        let mut cells = vec![row.run.clone(), row.ranks.to_string()];
        cells.extend([row.wall_s, row.mlups, row.speed_up].map(short));
        cells.push(format!("{:.1} %", 100.0 * row.efficiency));
        cells.push(row.serial_fraction.map_or_else(|| "-".to_owned(), |e| format!("{e:.4}")));
        let sums = row.subsystems.values().fold([0.0; 4], |mut sums, spread| {
            sums.iter_mut().zip(phases(&spread.mean)).for_each(|(sum, time)| *sum += time);
            sums
        });
        cells.extend(sums.map(short));
        table.push(cells);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(ranks: usize, wall: f64) -> Run {
        let times =
            (0..ranks).map(|r| PhaseTimes { compute: 1.0 + r as f64, communication: 0.5, ..Default::default() });
        let subsystems = BTreeMap::from([("fluid".to_owned(), times.collect())]);
        Run {
            label: format!("run{ranks}"),
            case_sha256: "c0ffee".into(),
            timing: Timing { ranks, nodes: 1000, steps: 50, wall, mlups: 0.05 / wall, subsystems },
        }
    }

    #[test]
    fn amdahl_gives_its_serial_fraction_back() {
        let serial = 0.07;
        let time = |p: f64| 120.0 * (serial + (1.0 - serial) / p);
        let runs: Vec<Run> = [8, 1, 4, 2, 64].map(|p| run(p, time(p as f64))).into();
        let rows = scaling(&runs).expect("alike");
        assert_eq!(rows.iter().map(|row| row.ranks).collect::<Vec<_>>(), [1, 2, 4, 8, 64]);
        assert_eq!((rows[0].speed_up, rows[0].efficiency, rows[0].serial_fraction), (1.0, 1.0, None));
        for row in &rows[1..] {
            assert!((row.serial_fraction.expect("several ranks") - serial).abs() < 1e-12, "{row:?}");
            assert!((row.speed_up - 1.0 / (serial + (1.0 - serial) / row.ranks as f64)).abs() < 1e-9);
        }
    }

    #[test]
    fn relative_to_a_base_of_several_ranks() {
        let rows = scaling(&[run(4, 10.0), run(8, 5.0)]).expect("alike");
        assert_eq!((rows[1].speed_up, rows[1].efficiency, rows[1].serial_fraction), (2.0, 1.0, Some(0.0)));
    }

    #[test]
    fn phases_over_ranks_reach_the_table() {
        let rows = scaling(&[run(1, 10.0), run(4, 5.0)]).expect("alike");
        let spread = rows[1].subsystems["fluid"];
        assert_eq!((spread.mean.compute, spread.max.compute, spread.mean.communication), (2.5, 4.0, 0.5));
        let table = table(&rows);
        assert!(table.rows.iter().all(|row| row.len() == table.header.len()));
        let column = table.header.iter().position(|name| name == "fluid_compute_max_s").expect("a column");
        assert_eq!(table.rows[1][column], "4");
        assert!(brief_table(&rows).aligned().contains("50.0 %"));
    }

    #[test]
    fn unlike_runs_are_refused() {
        let mut other = run(2, 5.0);
        other.timing.steps = 51;
        let message = scaling(&[run(1, 10.0), other]).expect_err("unlike").message;
        assert!(message.contains("steps") && message.contains("run2") && message.contains("51"), "{message}");
        let mut other = run(2, 5.0);
        other.case_sha256 = "decaf".into();
        assert!(scaling(&[run(1, 10.0), other]).expect_err("unlike").message.contains("case"));
        assert!(scaling(&[run(1, 0.0)]).is_err());
        assert!(scaling(&[]).is_err());
    }
}
