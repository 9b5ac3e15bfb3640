//! Summaries of traces as tables.

use super::{RankSummary, Summary};
use crate::table::Table;
use hematite_units::number::{exact, short};

/// All phases of all ranks, for CSV.
pub fn phases(summary: &Summary) -> Table {
    let mut table = Table::new(["rank", "thread", "phase", "events", "total_ms", "ms_per_step", "share"]);
    for rank in &summary.ranks {
        for phase in &rank.phases {
            table.push([
                rank.rank.to_string(),
                phase.thread.to_owned(),
                phase.name.clone(),
                phase.events.to_string(),
                exact(phase.total_ms),
                exact(phase.ms_per_step),
                exact(phase.share),
            ]);
        }
    }
    table
}

/// A row a rank and kind of message, for a terminal: how busy the device is, and how messages overlap with work.
pub fn ranks(summary: &Summary) -> Table {
    let header = ["rank", "ms a step", "device busy", "messages", "ms on the way", "under interior", "under any work"];
    let mut table = Table::new(header);
    let steps = summary.end_step.saturating_sub(summary.first_step).max(1) as f64;
    for rank in &summary.ranks {
        let busy = rank.device_busy.map_or_else(|| "-".to_owned(), percent);
        let mut front = [rank.rank.to_string(), short(rank.ms_per_step), busy];
        for (kind, overlap) in &rank.exchange {
            let shares = [overlap.under_interior, overlap.under_device].map(percent);
            let [interior, any] = if rank.device_busy.is_some() { shares } else { [(); 2].map(|()| "-".to_owned()) };
            table.push(front.iter().cloned().chain([kind.clone(), short(overlap.ms / steps), interior, any]));
            front = [(); 3].map(|()| String::new());
        }
        if rank.exchange.is_empty() {
            table.push(front.into_iter().chain(["none", "-", "-", "-"].map(str::to_owned)));
        }
    }
    table
}

/// A row a phase and thread, for a terminal: mean and largest time over ranks.
pub fn brief_phases(summary: &Summary) -> Table {
    let mut table = Table::new(["phase", "thread", "a step", "ms a step", "largest rank", "share"]);
    let steps = summary.end_step.saturating_sub(summary.first_step).max(1) as f64;
    let ranks = summary.ranks.len().max(1) as f64;
    let mut names: Vec<(&str, &str)> = Vec::new();
    for phase in summary.ranks.iter().flat_map(|rank| &rank.phases) {
        if !names.contains(&(phase.thread, &phase.name)) {
            names.push((phase.thread, &phase.name));
        }
    }
    let wall: f64 = summary.ranks.iter().map(|rank| rank.wall_ms).sum();
    let mut rows: Vec<(usize, f64, [String; 6])> = Vec::new();
    for (thread, name) in names {
        let of = |rank: &RankSummary| {
            let found = rank.phases.iter().find(|phase| phase.thread == thread && phase.name == name);
            found.map_or((0, 0.0), |phase| (phase.events, phase.total_ms))
        };
        let each: Vec<(usize, f64)> = summary.ranks.iter().map(of).collect();
        let total: f64 = each.iter().map(|(_, ms)| ms).sum();
        let events: usize = each.iter().map(|(events, _)| events).sum();
        let largest = each.iter().map(|(_, ms)| *ms).fold(0.0, f64::max);
        let figures = [events as f64 / steps / ranks, total / steps / ranks, largest / steps].map(short);
        let [often, mean, largest] = figures;
        let row = [name.to_owned(), thread.to_owned(), often, mean, largest, percent(total / wall.max(1e-300))];
        rows.push((usize::from(thread == "device"), total, row));
    }
    rows.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
    for (_, _, row) in rows {
        table.push(row);
    }
    table
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline::summary;
    use crate::timeline::tests::synthetic;

    #[test]
    fn every_rank_and_phase_has_its_line() {
        let summary = summary(&synthetic(2, 4));
        let csv = phases(&summary);
        assert_eq!(csv.rows.len(), 2 * (5 + 4));
        assert!(csv.rows.contains(
            &["1", "device", "interior", "4", "0.16", "0.04", &exact(160.0 / 395.0)].map(str::to_owned).into()
        ));
        let ranks = ranks(&summary).aligned();
        assert!(ranks.contains("72.7 %") && ranks.contains("halo"), "{ranks}");
        let brief = brief_phases(&summary).aligned();
        assert_eq!(brief.lines().count(), 1 + 5 + 4, "{brief}");
        assert!(brief.lines().nth(6).is_some_and(|line| line.contains("interior") && line.contains("0.04")), "{brief}");
    }
}
