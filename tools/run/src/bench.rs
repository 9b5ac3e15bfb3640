//! `run --bench`: measures the speed of a run on this machine, and the time of each phase.

use std::time::Instant;

use hematite_comm::{Comm, agree};
use hematite_config::{Exit, Fault, Result, print_line};
use serde::{Deserialize, Serialize};

use crate::cli::{Cli, Format};
use crate::setup::Setup;
use crate::start::Start;
use crate::system::System;

/// Steps at a time before the first measurement, repeated for some seconds: idle GPUs need that time to reach full
/// speed.
const WARM_UP: u64 = 32;
const WARM: f64 = 1.5;
/// Number of measurements of the speed.
const REPEATS: usize = 3;
/// Duration of a measurement, s, unless the number of steps is given.
const LENGTH: f64 = 3.0;

/// Speed and phases of a run.
#[derive(Clone, Debug, Serialize)]
struct Bench {
    /// Devices of the ranks.
    devices: Vec<String>,
    /// Number of ranks.
    ranks: usize,
    /// Fluid nodes.
    nodes: u64,
    /// Cells or bodies in the domain.
    cells: u64,
    /// Vertices of the cells; 0 for rigid bodies.
    vertices: u64,
    /// Time steps of each measurement.
    steps: u64,
    /// Million lattice-node updates a second, ascending.
    mlups: Vec<f64>,
    /// Bytes that the kernel of the fluid moves for one update of a node.
    bytes_per_update: f64,
    /// Bandwidth of these updates at the median speed, over `copy_bandwidth`.
    share_of_copy: f64,
    /// Bandwidth of plain copies on the devices of all ranks, bytes a second.
    copy_bandwidth: f64,
    /// Steps of cells or bodies a second, ascending; empty without any.
    cell_steps: Vec<f64>,
    /// What steps update beside nodes.
    updates: Vec<Updates>,
    /// The rank whose device works longest: `phases`, `idle` and `host` are its.
    rank: usize,
    /// Time of its device in each phase. With `idle` they add up to `whole`.
    phases: Vec<Phase>,
    /// Milliseconds a step in which its device waits: for its host, or for other ranks.
    idle: f64,
    /// Work of its host beside steps. It takes place while the device works or waits.
    host: Vec<Phase>,
    /// Mean over all ranks of the time that devices work, over that of `rank`.
    balance: f64,
    /// Milliseconds a step in the measurement of phases, which timestamps slow down.
    whole: f64,
}

/// What steps update beside nodes, such as particles.
#[derive(Clone, Debug, Serialize)]
struct Updates {
    /// What they are.
    name: &'static str,
    /// How many there are at the end.
    count: u64,
    /// How many are updated a second, ascending.
    rate: Vec<f64>,
}

/// What a rank does in the measurement of phases.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Work {
    device: Vec<Phase>,
    host: Vec<Phase>,
}

/// A phase of the time step.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Phase {
    name: String,
    /// Milliseconds a step.
    ms: f64,
}

/// Measures and prints; writes no files.
pub fn bench(cli: &Cli, comm: &dyn Comm, mut setup: Setup, format: Format) -> Result<Exit> {
    let Start { gpu, devices, mut system, .. } = Start::new(cli, comm, &mut setup)?;
    let advance = |system: &mut System, steps: u64| -> Result<f64> {
        let (start, end) = (Instant::now(), system.step() + steps);
        while system.step() < end {
            let holds = system.renew(comm, setup.longest)?;
            system.advance(comm, holds.min(end - system.step()))?;
        }
        system.finish(comm)?;
        let mut slowest = [start.elapsed().as_secs_f64()];
        comm.max(&mut slowest)?;
        Ok(slowest[0])
    };
    let (mut warm, mut taken) = (0.0, 0.0);
    while warm < WARM {
        taken = advance(&mut system, WARM_UP)?;
        warm += taken;
    }
    let fitting = ((LENGTH * WARM_UP as f64 / taken) as u64).min(1 << 20);
    let steps = cli.steps.unwrap_or(fitting).max(1);
    let mut seconds = [0.0; REPEATS];
    for taken in &mut seconds {
        *taken = advance(&mut system, steps)?;
    }
    seconds.sort_by(|a, b| b.total_cmp(a));
    gpu.time_phases(true);
    let timed = steps.min(256);
    let per_step = |(name, seconds): (&str, f64)| Phase { name: name.to_owned(), ms: 1e3 * seconds / timed as f64 };
    let before = host_phases(&system);
    let whole = 1e3 * advance(&mut system, timed)? / timed as f64;
    gpu.time_phases(false);
    let after = host_phases(&system).into_iter().zip(before);
    let mine = Work {
        device: gpu.take_phases()?.into_iter().map(per_step).collect(),
        host: after.map(|((name, after), (_, before))| per_step((name, after - before))).collect(),
    };
    let counts = system.counts(comm, &setup.ground)?;
    let inside: u64 = counts.iter().map(|population| population.count.inside).sum();
    let moved = system.physics.iter().map(|physics| physics.bytes_per_step()).sum::<f64>() as i64;
    let mut totals = [moved, gpu.copy_bandwidth()? as i64];
    comm.sum(&mut totals)?;
    let [bytes_per_update, copy_bandwidth] = [totals[0] as f64 / setup.ground.header.nodes as f64, totals[1] as f64];
    let mut updated = Vec::new();
    for physics in &system.physics {
        if let Some((name, count)) = agree(comm, physics.updated())? {
            let mut count = [count as i64];
            comm.sum(&mut count)?;
            updated.push((name, count[0] as u64));
        }
    }
    let Some(works) = gathered(comm, &mine)? else { return Ok(Exit::Done) };
    let busy: Vec<f64> = works.iter().map(|work| work.device.iter().map(|phase| phase.ms).sum()).collect();
    let rank = (0..busy.len()).max_by(|&a, &b| busy[a].total_cmp(&busy[b])).unwrap_or_default();
    let Work { device: phases, host } = works[rank].clone();
    let rate = |per_step: f64| -> Vec<f64> { seconds.iter().map(|s| per_step * steps as f64 / s).collect() };
    let nodes = setup.ground.header.nodes as u64;
    let updates = updated.into_iter().map(|(name, count)| Updates { name, count, rate: rate(count as f64) }).collect();
    let vertices = system.members().map(|(_, members)| members.vertices()).sum();
    let bench = Bench {
        devices,
        ranks: comm.size(),
        nodes,
        cells: inside,
        vertices,
        steps,
        share_of_copy: middle(&rate(nodes as f64)) * bytes_per_update / copy_bandwidth,
        mlups: rate(nodes as f64 / 1e6),
        bytes_per_update,
        copy_bandwidth,
        cell_steps: if inside > 0 { rate(inside as f64) } else { Vec::new() },
        updates,
        rank,
        phases,
        idle: whole - busy[rank],
        host,
        balance: if busy[rank] > 0.0 { busy.iter().sum::<f64>() / busy.len() as f64 / busy[rank] } else { 1.0 },
        whole,
    };
    match format {
        Format::Text => print_line(bench.text().trim_end())?,
        Format::Json => {
            print_line(&serde_json::to_string_pretty(&bench).map_err(|error| Fault::io(error.to_string()))?)?;
        }
    }
    Ok(Exit::Done)
}

/// Seconds of the host's work beside steps so far.
fn host_phases(system: &System) -> Vec<(&'static str, f64)> {
    system.physics.iter().flat_map(|physics| physics.host_phases()).collect()
}

/// What each rank does, on rank 0.
fn gathered(comm: &dyn Comm, mine: &Work) -> Result<Option<Vec<Work>>> {
    let fault = |error: serde_json::Error| Fault::io(error.to_string());
    let Some(all) = comm.gather(&serde_json::to_vec(mine).map_err(fault)?)? else { return Ok(None) };
    all.iter().map(|text| serde_json::from_slice(text).map_err(fault)).collect::<Result<_>>().map(Some)
}

impl Bench {
    fn text(&self) -> String {
        let mut devices = self.devices.clone();
        devices.dedup();
        let mut text = format!("device      {} ({} ranks)\n", devices.join(", "), self.ranks);
        text += &format!("nodes       {}\n", self.nodes);
        if self.cells > 0 {
            text += &match self.vertices {
                0 => format!("bodies      {}\n", self.cells),
                vertices => format!("cells       {} ({vertices} vertices at the start)\n", self.cells),
            };
        }
        text += &format!("MLUPS       {} ({} steps)\n", range(&self.mlups), self.steps);
        text += &format!(
            "memory      {:.1} bytes an update: {:.1} % of the {:.1} GB/s of a copy\n",
            self.bytes_per_update,
            100.0 * self.share_of_copy,
            1e-9 * self.copy_bandwidth
        );
        if !self.cell_steps.is_empty() {
            let what = if self.vertices == 0 { "body-steps" } else { "cell-steps" };
            text += &format!("{what}  {} a second\n", range(&self.cell_steps));
        }
        for Updates { name, count, rate } in &self.updates {
            text += &format!("updates     {} million {name} a second, {count} at the end\n", range(&millions(rate)));
        }
        if self.ranks > 1 {
            let (rank, balance) = (self.rank, 100.0 * self.balance);
            text += &format!(
                "phases      of rank {rank}, whose device works longest; the mean of all is {balance:.1} % of that\n"
            );
        }
        let names = self.phases.iter().chain(&self.host).map(|phase| phase.name.len());
        let wide = names.chain(["whole step".len()]).max().unwrap_or_default() + 2;
        let line = |name: &str, ms: f64| format!("{name:<wide$}{ms:>10.4}{:>8.1}%\n", 100.0 * ms / self.whole);
        text += &format!("\n{:<wide$}{:>10}{:>9}\n", "phase", "ms a step", "share");
        for phase in &self.phases {
            text += &line(&phase.name, phase.ms);
        }
        text += &line("idle", self.idle);
        text += &line("whole step", self.whole);
        if !self.host.is_empty() {
            text += "\non the host meanwhile\n";
        }
        self.host.iter().fold(text, |text, phase| text + &line(&phase.name, phase.ms))
    }
}

fn millions(figures: &[f64]) -> Vec<f64> {
    figures.iter().map(|figure| 1e-6 * figure).collect()
}

/// The median of ascending numbers.
fn middle(figures: &[f64]) -> f64 {
    figures.get(figures.len() / 2).copied().unwrap_or_default()
}

/// Median, smallest and largest of ascending numbers, as text.
fn range(figures: &[f64]) -> String {
    let digits = |figure: f64| format!("{figure:.*}", (3 - figure.abs().log10().floor() as i32).clamp(0, 6) as usize);
    let [first, middle, last] =
        [0, figures.len() / 2, figures.len() - 1].map(|k| figures.get(k).map_or_else(String::new, |&f| digits(f)));
    format!("{middle} ({first} to {last})")
}
