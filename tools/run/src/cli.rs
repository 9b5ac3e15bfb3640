//! The command line of `run`.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{Parser, ValueEnum};

use crate::stop::Signals;
use crate::trace::STEPS;

/// Run a case: fields, ledger and log into a run folder.
#[derive(Clone, Debug, Parser)]
#[command(
    version,
    about = "Run a case: from a RUN.json and the case it names to dumps in a run folder",
    after_help = "Examples:
  run runs/aneurysm.json                     on one GPU, into runs/aneurysm/
  mpirun -n 4 run runs/aneurysm.json         on four ranks, one GPU each
  run runs/aneurysm.json --threads 2         on two ranks in one process
  run runs/aneurysm.json --restart           go on from the latest checkpoint
  run --check runs/aneurysm.json             what would be done, how the run will go, how long it will take
  run --bench runs/aneurysm.json             how fast it steps on this machine, phase by phase
  run runs/slit.json --ensemble 20           20 runs with other random numbers, for post ensemble
  run runs/aneurysm.json --trace             when host and device did what, for ui.perfetto.dev and post timeline
  run --schema > run.schema.json             the JSON Schema of RUN.json

Exit codes: 0 done, 2 bad usage or config, 3 stopped early with a checkpoint (submit again with --restart),
4 numerical failure (the last state is in failed/ of the run folder), 5 no usable GPU, 6 I/O, 7 lost rank,
70 internal error.

Signals TERM, INT, HUP and USR1 stop the run after a checkpoint (exit code 3)."
)]
pub struct Cli {
    /// The run's config
    #[arg(value_name = "RUN.json", required_unless_present_any = ["list_gpus", "schema", "restart", "trace"])]
    pub config: Option<PathBuf>,

    /// Run folder [default: RUN.json without its extension]
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,

    /// Number of time steps, in place of that in the config
    #[arg(long, value_name = "N")]
    pub steps: Option<u64>,

    /// Go on from a checkpoint: the newest sound one of the run folder, or the one at PATH. Without one yet, the run
    /// begins. A run that is already done is left as it is
    #[arg(long, value_name = "latest|PATH", num_args = 0..=1, default_missing_value = "latest")]
    pub restart: Option<String>,

    /// Let --restart go on with physics that differ from those of the checkpoint, or although output files have lost
    /// what the run had written; `run.json` lists both
    #[arg(long)]
    pub allow_changes: bool,

    /// Replace the run that the run folder holds
    #[arg(long, conflicts_with = "restart")]
    pub force: bool,

    /// Write a checkpoint every N time steps, in place of the period in the config
    #[arg(long, value_name = "N")]
    pub checkpoint_every: Option<u64>,

    /// Write a checkpoint every M minutes of wall-clock time, in place of the minutes in the config, by default 30; 0
    /// for none
    #[arg(long, value_name = "M")]
    pub checkpoint_minutes: Option<f64>,

    /// Stop with a checkpoint before this much wall-clock time has passed since the program's start
    #[arg(long, value_name = "HH:MM:SS", value_parser = seconds)]
    pub walltime: Option<f64>,

    /// When the program started.
    #[arg(skip = Instant::now())]
    pub started: Instant,

    /// The signals that stop a run.
    #[arg(skip)]
    pub signals: Signals,

    /// Check config, case, device, checkpoint and run folder, say what would be done, and stop. On stdout a table tells how the run
    /// will go: dimensionless groups, spacings across vessels, what is prescribed, memory, disk, and the time that it will take, by a
    /// few time steps; "quick" takes none
    #[arg(long, value_name = "HOW", value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "full")]
    pub check: Option<Check>,

    /// Print the table of --check as JSON: an array of objects with name, of, value, unit (SI), note, advice
    #[arg(long, requires = "check", conflicts_with = "bench")]
    pub json: bool,

    /// Measure the speed of the run on this machine and the time of each phase; write no dumps [FORMAT: text or json]
    #[arg(long, value_name = "FORMAT", num_args = 0..=1, require_equals = true, default_missing_value = "text")]
    #[arg(conflicts_with = "check")]
    pub bench: Option<Format>,

    /// Write trace.json: when host and device of each rank did what in N time steps [default: 200]. A warm-up precedes
    /// them: 64 steps, repeated for 1.5 s, or a quarter of a shorter run. At most 200000 events of all ranks, 25 MB.
    /// Results stay the same
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "200", value_parser = traced)]
    #[arg(conflicts_with_all = ["check", "bench"])]
    pub trace: Option<Traced>,

    /// List the GPUs in the order in which ranks take them, and stop; HEMATITE_GPUS=1,0 in the environment chooses by
    /// number
    #[arg(long)]
    pub list_gpus: bool,

    /// Print the JSON Schema of RUN.json and stop
    #[arg(long)]
    pub schema: bool,

    /// Run N ranks as threads of one process
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub threads: Option<u32>,

    /// Do N runs that differ in their random numbers alone: member k adds k - 1 to the seed, and has the folder member-000k in
    /// the run folder. Each rank, of MPI or by --threads, does whole members, one after the other. With --restart, members that
    /// are done are left as they are, so that a larger N adds members
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=9999))]
    #[arg(conflicts_with_all = ["bench", "trace"])]
    pub ensemble: Option<u32>,

    /// Which member of an ensemble the run is.
    #[arg(skip)]
    pub member: Option<u32>,

    /// Keep wgpu's checks of bounds and loops in every kernel (slower; to find faults in kernels)
    #[arg(long)]
    pub gpu_checks: bool,

    /// Print errors only
    #[arg(long)]
    pub quiet: bool,
}

/// What follows `--trace`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Traced {
    /// The number of time steps.
    Steps(u64),
    /// The config of the run: `--trace RUN.json` gives no number.
    Config(PathBuf),
}

/// How a run is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Check {
    /// With a few time steps, which tell how long it will take.
    Full,
    /// Without.
    Quick,
}

/// Format of printed results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    Text,
    /// For programs.
    Json,
}

impl Cli {
    /// Reads the command line. `--restart RUN.json` and `--trace RUN.json` name the config.
    pub fn read() -> Self {
        let mut cli = Self::parse();
        if let Some(Traced::Config(config)) = cli.trace.clone() {
            cli.trace = Some(Traced::Steps(STEPS));
            cli.config.get_or_insert(config);
        }
        if cli.config.is_none()
            && let Some(config) = cli.restart.take_if(|path| path.ends_with(".json"))
        {
            cli.config = Some(config.into());
            cli.restart = Some("latest".to_owned());
        }
        cli
    }

    /// The run folder, for a config at `path`.
    pub fn folder(&self, path: &Path) -> PathBuf {
        self.output.clone().unwrap_or_else(|| path.with_extension(""))
    }

    /// Whether it asks for a run, with results in a run folder.
    pub fn is_a_run(&self) -> bool {
        !self.schema && !self.list_gpus && self.check.is_none() && self.bench.is_none()
    }
}

/// `HH:MM:SS`, `MM:SS` or seconds.
/// Longest wall-clock time, s: some thirty years.
const LONGEST: f64 = 1e9;

fn seconds(text: &str) -> Result<f64, String> {
    let parts: Result<Vec<f64>, _> = text.split(':').map(str::parse::<f64>).collect();
    match parts {
        Ok(parts) if parts.len() <= 3 && parts.iter().all(|part| (0.0..=LONGEST).contains(part)) => {
            Ok(parts.iter().fold(0.0, |s, part| 60.0 * s + part))
        }
        _ => Err("write HH:MM:SS, or seconds, of at most 1e9".to_owned()),
    }
}

/// A number of time steps from 1 on, or the path of a config.
fn traced(text: &str) -> Result<Traced, String> {
    match text.parse::<u64>() {
        Ok(steps) if steps > 0 => Ok(Traced::Steps(steps)),
        _ if text.ends_with(".json") => Ok(Traced::Config(text.into())),
        _ => Err("write how many time steps to trace, 1 or more, or nothing for 200".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_has_steps_or_none() {
        let trace =
            |arguments: &[&str]| Cli::try_parse_from([&["run", "r.json"], arguments].concat()).map(|cli| cli.trace);
        assert_eq!(trace(&[]).expect("parses"), None);
        assert_eq!(trace(&["--trace"]).expect("parses"), Some(Traced::Steps(STEPS)));
        assert_eq!(trace(&["--trace", "7"]).expect("parses"), Some(Traced::Steps(7)));
        assert_eq!(traced("a/r.json"), Ok(Traced::Config("a/r.json".into())));
        for bad in [&["--trace", "0"][..], &["--trace", "soon"], &["--trace", "--check"], &["--trace", "--bench"]] {
            assert!(trace(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn wall_times_are_read() {
        assert_eq!(seconds("01:02:03"), Ok(3723.0));
        assert_eq!(seconds("90"), Ok(90.0));
        assert!(seconds("inf").is_err() && seconds("NaN").is_err() && seconds("1e300").is_err());
        assert!(seconds("1:2:3:4").is_err() && seconds("-1").is_err() && seconds("soon").is_err());
    }
}
