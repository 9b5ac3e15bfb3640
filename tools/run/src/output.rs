//! What a run writes: field dumps, ledger, log, `run.json`, `timing.json`.

use std::path::{Path, PathBuf};
use std::time::Instant;

use hematite_comm::Comm;
use hematite_config::{Fault, Provenance, Result};
use hematite_dump::{
    BodyWriter, CellCount, CellWriter, ChangeRecord, Column, DumpStep, EndRecord, FieldWriter, Ledger, LedgerRow,
    LedgerWriter, Log, OpeningRecord, PhaseTimes, RestartRecord, RunRecord, Timing, TrackBox, TrackFrame, TrackWriter,
    WarningRecord, clear_other_ranks, cut_back, dump_file, rank_file, write_body_index, write_cell_index, write_index,
};
use hematite_engine::passage::Tally;
use hematite_engine::{Phases, Precision};
use physics_lattice_boltzmann::{Fluid, MASS_QUANTUM, Monitor, WALLS, WallMethod};
use serde_json::json;

use crate::alarm::{self, Alarm};
use crate::cells::{frame, kinds, rough};
use crate::cli::Cli;
use crate::config::{BODIES, CELLS, RunConfig};
use crate::field_dump::FieldDump;
use crate::lock::Lock;
use crate::measured::{self, Look, measured};
use crate::ranks::together;
use crate::setup::Setup;
use crate::suspended::Suspended;
use crate::{bodies, folder};

/// The open files of a run.
pub struct Output {
    folder: PathBuf,
    /// Whether the folder's run goes on, rather than one that begins there.
    pub goes_on: bool,
    dumps: Vec<FieldDump>,
    /// Where there are cells.
    cells: Option<CellWriter>,
    /// Where there are rigid bodies.
    bodies: Option<BodyWriter>,
    /// Where there are cells or bodies, on rank 0.
    tracks: Option<TrackWriter>,
    /// On rank 0.
    ledger: Option<LedgerWriter>,
    /// On rank 0.
    log: Option<Log>,
    /// On rank 0.
    record: Option<RunRecord>,
    /// Seconds spent on output.
    pub seconds: f64,
    /// On rank 0.
    _lock: Option<Lock>,
}

impl Output {
    /// Opens the files of a run that begins, or goes on from step `resumed`.
    pub fn open(
        cli: &Cli,
        comm: &dyn Comm,
        setup: &Setup,
        case_sha256: &str,
        devices: Vec<String>,
        resumed: Option<u64>,
        changed: Vec<ChangeRecord>,
    ) -> Result<Self> {
        let (lock, goes_on) = folder::take(cli, comm, setup, resumed)?;
        let step = resumed.unwrap_or(0);
        if goes_on {
            // A later call may name again what this one leaves out.
            let names: Vec<&str> =
                setup.config.dumps.iter().map(|dump| dump.name.as_str()).chain([CELLS, BODIES]).collect();
            together(comm, || if comm.rank() == 0 { cut_back(&setup.folder, &names, step) } else { Ok(()) })?;
        }
        let open = |dump| FieldDump::open(comm, setup, &setup.folder, dump, goes_on, step);
        let dumps = setup.config.dumps.iter().map(open).collect::<Result<Vec<_>>>()?;
        for dump in &setup.config.dumps {
            index(comm, &setup.folder, &dump.name, write_index)?;
        }
        let cells = match &setup.immersion {
            Some(_) => Some(together(comm, || open_cells(comm, setup, goes_on, step))?),
            None => None,
        };
        if cells.is_some() {
            index(comm, &setup.folder, CELLS, write_cell_index)?;
        }
        let bodies = match &setup.rigid {
            Some(_) => Some(together(comm, || open_bodies(comm, setup, &setup.folder, goes_on, step))?),
            None => None,
        };
        if bodies.is_some() {
            index(comm, &setup.folder, BODIES, write_body_index)?;
        }
        let (mut ledger, mut log, mut tracks, mut resolved) = (None, None, None, None);
        together(comm, || {
            if comm.rank() > 0 {
                return Ok(());
            }
            let (names, columns) = (ledger_names(setup), measured::columns(setup));
            let before = if goes_on { Some(RunRecord::read(&setup.folder)?) } else { None };
            ledger = Some(if let Some(before) = &before {
                let extra = line_of_end(setup, before);
                LedgerWriter::reopen(&setup.folder, |line| line <= step && Some(line) != extra)?
            } else {
                let populations: Vec<String> = setup.populations.iter().map(|p| p.name.clone()).collect();
                LedgerWriter::create(&setup.folder, &names, &columns, &populations)?
            });
            if setup.immersion.is_some() || setup.rigid.is_some() {
                tracks = Some(open_tracks(setup, goes_on, step)?);
            }
            log = Some(if goes_on { Log::append(&setup.folder)? } else { Log::create(&setup.folder)? });
            let mut record = record(setup, comm.size(), case_sha256, devices)?;
            if let Some(before) = before {
                (record.warnings, record.restarts) = (before.warnings, before.restarts);
                record.warnings.retain(|warning| warning.step <= step);
                record.restarts.retain(|restart| restart.step <= step);
            }
            if resumed.is_some() {
                record.restarts.push(RestartRecord { step, ranks: comm.size(), changed });
            }
            record.write(&setup.folder)?;
            resolved = Some(record);
            Ok(())
        })?;
        let folder = setup.folder.clone();
        Ok(Self {
            folder,
            goes_on,
            dumps,
            cells,
            bodies,
            tracks,
            ledger,
            log,
            record: resolved,
            seconds: 0.0,
            _lock: lock,
        })
    }

    /// The first step after `step` at which a dump is due.
    pub fn next_dump(&self, setup: &Setup, step: u64) -> Option<u64> {
        let suspended = self.cells.is_some() || self.bodies.is_some();
        let cells = suspended.then(|| setup.config.cell_dumps.as_ref()?.next(step)).flatten();
        let tracks = suspended.then(|| step - step % tracks_every(setup) + tracks_every(setup));
        self.dumps.iter().filter_map(|dump| dump.config.next(step)).chain(cells).chain(tracks).min()
    }

    /// Whether a dump of fields, or of cells or bodies, is due at `step`.
    pub fn dumps_at(&self, setup: &Setup, step: u64) -> bool {
        let suspended = self.cells.is_some() || self.bodies.is_some();
        let whole = suspended && setup.config.cell_dumps.as_ref().is_some_and(|times| times.due(step));
        whole || self.dumps.iter().any(|dump| dump.config.due(step) && dump.lacks(step))
    }

    /// The step of the last dump, if there is one.
    pub fn last_dump(&self) -> Option<u64> {
        let steps = [self.cells.as_ref().map(CellWriter::steps), self.bodies.as_ref().map(BodyWriter::steps)];
        let suspended = steps.into_iter().flatten().filter_map(|steps| steps.last().map(|last| last.step));
        self.dumps.iter().filter_map(FieldDump::last).chain(suspended).max()
    }

    /// Says a warning that was not said before: in the log, in `run.json` and, where anybody is `told`, on stderr.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn warn(&mut self, step: u64, alarm: Alarm, told: bool) -> Result<()> {
        let known = |record: &RunRecord| record.warnings.iter().any(|known| known.kind == alarm.kind);
        if self.record.as_ref().is_some_and(known) { Ok(()) } else { self.say(step, alarm, told) }
    }

    /// Says a warning, also one of a kind that was said before.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn say(&mut self, step: u64, alarm: Alarm, told: bool) -> Result<()> {
        let (Some(record), Some(log)) = (&mut self.record, &mut self.log) else { return Ok(()) };
        log.write(&json!({"event": "warning", "kind": alarm.kind, "step": step, "text": alarm.text}))?;
        if told {
            eprintln!("run: warning: {}", alarm.text);
        }
        record.warnings.push(WarningRecord { kind: alarm.kind, step, text: alarm.text });
        record.write(&self.folder)
    }

    /// Writes into `run.json` how the run ended.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn end(&mut self, end: EndRecord) -> Result<()> {
        let Some(record) = &mut self.record else { return Ok(()) };
        record.end = Some(end);
        record.write(&self.folder)
    }

    /// Writes the dumps that are due now. Gives what there is to say of the membranes in them.
    pub fn dump(
        &mut self,
        comm: &dyn Comm,
        setup: &Setup,
        fluid: &mut Fluid,
        suspended: &Suspended,
    ) -> Result<Vec<Alarm>> {
        let start = Instant::now();
        let step = fluid.step();
        let at = DumpStep { step, time: step as f64 * setup.plan.units.dt };
        for dump in self.dumps.iter_mut().filter(|dump| dump.config.due(step)) {
            // A restart from this very step finds its dump already there.
            if !dump.lacks(step) {
                continue;
            }
            dump.write(comm, setup, fluid, at)?;
            index(comm, &self.folder, &dump.config.name, write_index)?;
            if let Some(log) = &mut self.log {
                log.write(&json!({"event": "dump", "name": dump.config.name, "step": step, "time_s": at.time}))?;
            }
        }
        let alarms = self.dump_suspended(comm, setup, suspended, at)?;
        self.seconds += start.elapsed().as_secs_f64();
        Ok(alarms)
    }

    /// Writes the surfaces of cells, or bodies, and their centroids where they are due.
    fn dump_suspended(
        &mut self,
        comm: &dyn Comm,
        setup: &Setup,
        suspended: &Suspended,
        at: DumpStep,
    ) -> Result<Vec<Alarm>> {
        let mut alarms = Vec::new();
        let whole = setup.config.cell_dumps.as_ref().is_some_and(|times| times.due(at.step));
        let tracks = at.step.is_multiple_of(tracks_every(setup));
        if !whole && !tracks {
            return Ok(alarms);
        }
        let missing = |last: Option<&DumpStep>| last.is_none_or(|last| last.step < at.step);
        let (name, written, own) = match (suspended, &mut self.cells, &mut self.bodies) {
            (Suspended::Cells(cells), Some(writer), _) => {
                let frame = together(comm, || Ok(frame(setup, &cells.snapshot(at.step)?, at.step)))?;
                alarms = alarm::of_membranes(setup, at.step, &rough(comm, setup, &frame)?);
                let written = whole && missing(writer.steps().last());
                if written {
                    together(comm, || writer.append(&frame))?;
                    index(comm, &self.folder, CELLS, write_cell_index)?;
                }
                (CELLS, written, TrackFrame::of(&frame, &kinds(setup), setup.header.set.dimension()))
            }
            (Suspended::Bodies(rigid), _, Some(writer)) => {
                let kinds = &rigid.parameters().kinds;
                let frame = together(comm, || Ok(bodies::frame(setup, kinds, &rigid.states()?, at.step)))?;
                let written = whole && missing(writer.steps().last());
                if written {
                    together(comm, || writer.append(&frame))?;
                    index(comm, &self.folder, BODIES, write_body_index)?;
                }
                (BODIES, written, TrackFrame::of_bodies(&frame, &bodies::kinds(setup)))
            }
            _ => return Ok(alarms),
        };
        if let Some(log) = self.log.as_mut().filter(|_| written) {
            log.write(&json!({"event": "dump", "name": name, "step": at.step, "time_s": at.time}))?;
        }
        if tracks {
            let all = comm.gather(&own.to_bytes())?;
            together(comm, || match (&mut self.tracks, all) {
                (Some(tracks), Some(all)) if missing(tracks.steps().last()) => tracks.append(&TrackFrame::merge(&all)?),
                _ => Ok(()),
            })?;
        }
        Ok(alarms)
    }

    /// Takes down mass, flow and speed as they were found. Gives the mass that came in through each opening since the start, and
    /// that at walls which give or take some, lattice units.
    pub fn monitor(
        &mut self,
        comm: &dyn Comm,
        setup: &Setup,
        fluid: &Fluid,
        suspended: &Suspended,
        look: &Look,
        mlups: f64,
    ) -> Result<LedgerRow> {
        let start = Instant::now();
        let step = look.step;
        let mut exact: Vec<i64> = together(comm, || fluid.ledger())?.iter().map(|nodes| nodes.iter().sum()).collect();
        if setup.plan.wall_method() == WallMethod::Interpolated {
            exact.push(together(comm, || fluid.wall_ledger())?.iter().sum());
        }
        comm.sum(&mut exact)?;
        let tally = suspended.tally(comm)?;

        let units = &setup.plan.units;
        let mut came_in: Vec<f64> = exact.iter().map(|&count| count as f64 * MASS_QUANTUM).collect();
        if setup.plan.wall_method() == WallMethod::Immersed {
            // What is not beyond the walls any more has come in.
            let Monitor { coarse_mass, fine_mass, .. } = look.beyond_walls;
            let walls = Monitor { coarse_mass: -coarse_mass, fine_mass: -fine_mass, ..Monitor::default() };
            came_in.push(walls.mass_deviation());
        }
        let ledger_row = LedgerRow {
            step,
            time: step as f64 * units.dt,
            inside: (setup.header.nodes as f64 + look.fluid.mass_deviation()) * units.mass(),
            through: came_in.iter().map(|mass| mass * units.mass()).collect(),
            values: measured(setup, look).into_iter().map(|(_, value)| value).collect(),
            cells: tally.iter().map(count).collect(),
        };
        if let Some((k, tally)) = tally.iter().enumerate().find(|(_, tally)| !count(tally).balances()) {
            return Err(Fault::numerical(format!(
                "at step {step} cells of population \"{}\" are lost or doubled: {tally:?}",
                setup.populations[k].name
            )));
        }
        if let (Some(ledger), Some(log)) = (&mut self.ledger, &mut self.log) {
            ledger.append(&ledger_row)?;
            log.write(&json!({
                "event": "monitor", "step": step, "time_s": ledger_row.time, "mass_kg": ledger_row.inside,
                "speed_max_m_per_s": look.fluid.speed * units.velocity(),
                "density_deviation_kg_per_m3": look.fluid.deviation * units.rho0, "mlups": mlups,
            }))?;
        }
        self.seconds += start.elapsed().as_secs_f64();
        Ok(ledger_row)
    }

    /// Adds an event to the log.
    pub fn log(&mut self, event: &serde_json::Value) -> Result<()> {
        self.log.as_mut().map_or(Ok(()), |log| log.write(event))
    }

    /// Goes on after nodes have changed ranks. Collective.
    ///
    /// # Errors
    /// When a file cannot be read or a rank is lost.
    pub fn divide(&mut self, comm: &dyn Comm, setup: &Setup) -> Result<()> {
        self.dumps.iter_mut().try_for_each(|dump| dump.divide(comm, setup))
    }

    /// Writes where the time went: `phases` of this rank, output left out.
    pub fn timing(&self, comm: &dyn Comm, setup: &Setup, phases: Phases, steps: u64, wall: f64) -> Result<()> {
        let mine = PhaseTimes {
            compute: phases.compute,
            communication: phases.communication,
            packing: phases.packing,
            output: self.seconds,
        };
        let text = serde_json::to_vec(&mine).map_err(|error| Fault::io(error.to_string()))?;
        let Some(all) = comm.gather(&text)? else { return Ok(()) };
        let read = |text: &Vec<u8>| serde_json::from_slice(text).map_err(|error| Fault::io(error.to_string()));
        let all = all.iter().map(read).collect::<Result<Vec<PhaseTimes>>>()?;
        Timing {
            ranks: comm.size(),
            nodes: setup.header.nodes as u64,
            steps,
            wall,
            mlups: steps as f64 * setup.header.nodes as f64 / wall / 1e6,
            subsystems: [("fluid".to_owned(), all)].into(),
        }
        .write(&self.folder)
    }
}

/// Where mass comes in: the openings, and the walls where they give some.
fn ledger_names(setup: &Setup) -> Vec<String> {
    let openings = setup.header.openings.iter().map(|opening| opening.name.clone());
    openings.chain(setup.plan.walls_give_mass().then(|| WALLS.to_owned())).collect()
}

/// The step whose line is in the ledger only because the run that goes on had its end there, and has no longer.
fn line_of_end(setup: &Setup, before: &RunRecord) -> Option<u64> {
    let last = before.steps;
    let was = RunConfig::ledger_every(before.config["monitor"]["every"].as_u64(), last);
    let is = RunConfig::ledger_every(setup.config.monitor.every, setup.plan.steps);
    (last != setup.plan.steps && !last.is_multiple_of(was) && !last.is_multiple_of(is)).then_some(last)
}

/// Whether a run may go on with the files of its folder, as far as can be told without changing them. On rank 0.
///
/// # Errors
/// Those of [`Output::open`].
pub fn check(setup: &Setup) -> Result<()> {
    let f64s = setup.config.fluid.precision == Precision::F64;
    for dump in &setup.config.dumps {
        FieldWriter::check((&setup.folder, &dump.name), &dump.fields, f64s)?;
    }
    same_columns(&setup.folder, &ledger_names(setup), &measured::columns(setup))
}

/// Refuses to go on with a ledger of other columns.
fn same_columns(folder: &Path, names: &[String], columns: &[Column]) -> Result<()> {
    let before = Ledger::read(folder)?;
    let refusal = |what: &str, before: &[String], now: &[String], remedy: &str| {
        let (before, now) = (before.join(", "), now.join(", "));
        Fault::usage(format!("{}: its ledger {what} [{before}], this run [{now}]: {remedy}", folder.display()))
    };
    if before.openings != names {
        let remedy = "restart with the same \"fluid.walls\", or into another folder with -o";
        return Err(refusal("counts what came in at", &before.openings, names, remedy));
    }
    if before.columns != columns {
        let text = |columns: &[Column]| columns.iter().map(Column::to_string).collect::<Vec<_>>();
        let remedy = "restart with the version and the config that wrote it, or into another folder with -o";
        return Err(refusal("holds the columns", &text(&before.columns), &text(columns), remedy));
    }
    Ok(())
}

/// A line of the ledger.
pub fn count(tally: &Tally) -> CellCount {
    let Tally { seeded, inserted, inside, left } = *tally;
    CellCount { seeded, inserted, inside, left, removed: 0 }
}

/// Frames of tracks in a run whose config does not say how often.
const TRACKS: u64 = 200;

/// Time steps from one line of the tracks to the next.
fn tracks_every(setup: &Setup) -> u64 {
    setup.config.tracks.every.unwrap_or((setup.plan.steps / TRACKS).max(1))
}

fn open_cells(comm: &dyn Comm, setup: &Setup, goes_on: bool, step: u64) -> Result<CellWriter> {
    let (rank, ranks) = (comm.rank(), comm.size());
    let (kinds, dimension, spacing) = (kinds(setup), setup.header.set.dimension(), setup.header.spacing);
    if goes_on {
        return CellWriter::go_on((&setup.folder, CELLS), (rank, ranks), &kinds, dimension, spacing, step);
    }
    CellWriter::create(&rank_file(&setup.folder, CELLS, rank, ranks), &kinds, dimension, spacing)
}

/// The dump of bodies in a folder, begun at step 0 or gone on with from another.
pub fn open_bodies(comm: &dyn Comm, setup: &Setup, folder: &Path, goes_on: bool, step: u64) -> Result<BodyWriter> {
    let (rank, ranks) = (comm.rank(), comm.size());
    let (kinds, spacing) = (bodies::kinds(setup), setup.header.spacing);
    if goes_on {
        return BodyWriter::go_on((folder, BODIES), (rank, ranks), &kinds, 3, spacing, step);
    }
    BodyWriter::create(&rank_file(folder, BODIES, rank, ranks), &kinds, 3, spacing)
}

fn open_tracks(setup: &Setup, goes_on: bool, step: u64) -> Result<TrackWriter> {
    let header = &setup.header;
    let kinds: Vec<String> = setup.populations.iter().map(|population| population.name.clone()).collect();
    let extent = header.extent.map(|sites| sites as f64 * header.spacing);
    let domain = TrackBox { dimension: header.set.dimension(), extent, periodic: header.periodic };
    match goes_on {
        true => TrackWriter::go_on(&setup.folder, &kinds, &domain, step),
        false => TrackWriter::create(&setup.folder, &kinds, &domain),
    }
}

/// Brings the file that people open up to date with the ranks' files. Collective.
///
/// # Errors
/// When a file cannot be read or written.
pub fn index(
    comm: &dyn Comm,
    folder: &Path,
    name: &str,
    write_index: impl Fn(&Path, &[PathBuf]) -> Result<()>,
) -> Result<()> {
    let ranks = comm.size();
    together(comm, || {
        if comm.rank() > 0 {
            return Ok(());
        }
        if ranks > 1 {
            let files: Vec<PathBuf> = (0..ranks).map(|rank| rank_file(folder, name, rank, ranks)).collect();
            write_index(&dump_file(folder, name), &files)?;
        }
        clear_other_ranks(folder, name, ranks)
    })
}

fn record(setup: &Setup, ranks: usize, case_sha256: &str, devices: Vec<String>) -> Result<RunRecord> {
    let plan = &setup.plan;
    Ok(RunRecord {
        schema: RunRecord::SCHEMA,
        config: serde_json::to_value(&setup.config).map_err(|error| Fault::io(error.to_string()))?,
        case: setup.case.display().to_string(),
        case_sha256: case_sha256.to_owned(),
        velocity_set: format!("{:?}", setup.header.set),
        nodes: setup.header.nodes as u64,
        dx: plan.units.dx,
        dt: plan.units.dt,
        rho0: plan.units.rho0,
        nu: plan.nu,
        tau: plan.tau,
        precision: setup.config.fluid.precision.name().to_owned(),
        steps: plan.steps,
        grown: setup.immersion.as_ref().and_then(|immersion| immersion.parameters.capped_until()),
        pressure_drop: plan.pressure_drop,
        openings: setup
            .header
            .openings
            .iter()
            .map(|opening| OpeningRecord {
                name: opening.name.clone(),
                kind: format!("{:?}", opening.kind).to_lowercase(),
            })
            .collect(),
        dumps: setup.config.dumps.iter().map(|dump| dump.name.clone()).collect(),
        ranks,
        devices,
        warnings: Vec::new(),
        restarts: Vec::new(),
        end: None,
        provenance: Provenance::of("run", &[&setup.path])?,
    })
}
