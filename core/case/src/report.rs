//! How good partitions are, for the user to choose by.

use serde::{Deserialize, Serialize};

use crate::partition::{HaloRange, PartRange};

/// Measures of one partition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PartitionReport {
    /// Number of parts.
    pub parts: usize,
    /// Nodes of the smallest part.
    pub nodes_min: usize,
    /// Nodes of a part in the mean.
    pub nodes_mean: f64,
    /// Nodes of the largest part.
    pub nodes_max: usize,
    /// Load of the most loaded part over the mean: what cells cost counts, too.
    #[serde(default = "even")]
    pub load_max: f64,
    /// Links between parts, each counted once for both its directions.
    pub cut: usize,
    /// Neighbouring parts of a part in the mean.
    pub neighbours_mean: f64,
    /// The most neighbouring parts a part has.
    pub neighbours_max: usize,
    /// Share of all nodes that link to another part.
    pub interface_share: f64,
}

/// The load of reports that say none.
fn even() -> f64 {
    1.0
}

impl PartitionReport {
    pub(crate) fn new(ranges: &[PartRange], loads: &[u64], halos: &[HaloRange], cut: usize) -> Self {
        let parts = ranges.len();
        let sizes = || ranges.iter().map(|range| range.end - range.start);
        let nodes: usize = sizes().sum();
        let mut neighbours = vec![0; parts];
        halos.iter().for_each(|halo| neighbours[halo.part] += 1);
        let interface: usize = ranges.iter().map(|range| range.end - range.interface).sum();
        Self {
            parts,
            nodes_min: sizes().min().unwrap_or(0),
            nodes_mean: nodes as f64 / parts as f64,
            nodes_max: sizes().max().unwrap_or(0),
            load_max: loads
                .iter()
                .max()
                .map_or(1.0, |&most| most as f64 * parts as f64 / loads.iter().sum::<u64>().max(1) as f64),
            cut,
            neighbours_mean: halos.len() as f64 / parts as f64,
            neighbours_max: neighbours.into_iter().max().unwrap_or(0),
            interface_share: interface as f64 / nodes as f64,
        }
    }

    /// Reports as a table of aligned text, one partition a line, without a newline at its end.
    pub fn table(reports: &[Self]) -> String {
        let mut lines = vec![
            ["parts", "nodes min", "mean", "max", "load max", "cut links", "neighbours mean", "max", "interface"]
                .map(String::from),
        ];
        lines.extend(reports.iter().map(|report| {
            [
                report.parts.to_string(),
                report.nodes_min.to_string(),
                format!("{:.1}", report.nodes_mean),
                report.nodes_max.to_string(),
                format!("{:+.1} %", 100.0 * (report.load_max - 1.0)),
                report.cut.to_string(),
                format!("{:.1}", report.neighbours_mean),
                report.neighbours_max.to_string(),
                format!("{:.2} %", 100.0 * report.interface_share),
            ]
        }));
        let width = |column: usize| lines.iter().map(|line| line[column].len()).max().unwrap_or(0);
        let widths = [0, 1, 2, 3, 4, 5, 6, 7, 8].map(width);
        let render = |line: &[String; 9]| {
            let cells: Vec<String> = line.iter().zip(widths).map(|(cell, width)| format!("{cell:>width$}")).collect();
            cells.join("  ")
        };
        lines.iter().map(render).collect::<Vec<_>>().join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_aligned() {
        let ranges =
            [PartRange { start: 0, interface: 9, end: 10 }, PartRange { start: 10, interface: 1009, end: 1010 }];
        let halos = [HaloRange { part: 0, owner: 1, range: 0..1 }, HaloRange { part: 1, owner: 0, range: 1..2 }];
        let report = PartitionReport::new(&ranges, &[10, 1010], &halos, 1);
        assert_eq!((report.nodes_min, report.nodes_max, report.neighbours_max), (10, 1000, 1));
        let table = PartitionReport::table(&[report.clone(), report]);
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines.len(), 3);
        assert!(lines.iter().all(|line| line.len() == lines[0].len()), "{table}");
    }
}
