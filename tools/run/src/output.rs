//! The output of a run: field dumps, ledger, log, `run.json`, `timing.json`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use hematite_comm::Comm;
use hematite_config::{Exit, Fault, Provenance, Result, note};
use hematite_dump::{
    CellCount, ChangeRecord, Column, DumpStep, EndRecord, EndState, FieldWriter, Ledger, LedgerRow, LedgerWriter, Log,
    MemberFile, MemberWriter, PhaseTimes, RestartRecord, RunRecord, Timing, TrackBox, TrackFrame, TrackReader,
    TrackWriter, WarningRecord, Written, clear_other_ranks, cut_back, dump_file, rank_file, write_index,
};
use hematite_engine::{Alarm, Clock, End, Mass, Measured, Members, Phases};
use serde_json::{Value, json};

use crate::cadence::StepsOrTime;
use crate::checkpoint::Resumed;
use crate::cli::Cli;
use crate::config::{MEMBERS, RunConfig};
use crate::field_dump::FieldDump;
use crate::folder::{self, Taken};
use crate::lock::Lock;
use crate::ranks::together;
use crate::setup::Setup;
use crate::system::System;

/// Where a run comes from.
pub struct Origin<'o> {
    /// SHA-256 of the case file.
    pub case_sha256: &'o str,
    /// Name and driver of each rank's device, on rank 0.
    pub devices: Vec<String>,
    /// The checkpoint from which it restarts.
    pub resumed: Option<Resumed>,
    /// Changes of the config since the checkpoint.
    pub changed: Vec<ChangeRecord>,
}

/// The open files of a run.
pub struct Output {
    folder: PathBuf,
    /// Whether the run in the folder goes on; else a run begins there.
    pub goes_on: bool,
    /// On rank 0, what output files have lost since the checkpoint from which the run goes on.
    pub lost: Vec<String>,
    dumps: Vec<FieldDump>,
    /// Dumps of members, by the name of their physics.
    members: Vec<(&'static str, MemberWriter)>,
    /// On rank 0, if there are members.
    tracks: Option<TrackWriter>,
    /// On rank 0.
    ledger: Option<LedgerWriter>,
    /// On rank 0.
    log: Option<Log>,
    /// On rank 0.
    record: Option<RunRecord>,
    /// Why a file that rank 0 alone writes could not be written, until [`Output::settle`].
    unwritten: Option<Fault>,
    /// Seconds spent on dumps, the ledger and checkpoints.
    pub seconds: f64,
    /// On rank 0.
    _lock: Option<Lock>,
}

impl Output {
    /// Opens the files of a run that begins, or goes on.
    ///
    /// # Errors
    /// A usage fault where the folder holds something else; when a file cannot be written or a rank is lost.
    pub fn open(cli: &Cli, comm: &dyn Comm, setup: &Setup, system: &System, origin: Origin) -> Result<Self> {
        let Origin { case_sha256, devices, resumed, changed } = origin;
        let (lock, Taken { goes_on, lost }) = folder::take(cli, comm, setup, resumed.as_ref())?;
        let step = resumed.as_ref().map_or(0, |from| from.step);
        if goes_on {
            // Also cuts dumps that this run does not write: a later call may continue them.
            let names: Vec<&str> = setup.config.dumps.iter().map(|dump| dump.name.as_str()).chain(MEMBERS).collect();
            together(comm, || if comm.rank() == 0 { cut_back(&setup.folder, &names, step) } else { Ok(()) })?;
        }
        let open = |dump| FieldDump::open(comm, setup, &setup.folder, dump, goes_on, step);
        let dumps = setup.config.dumps.iter().map(open).collect::<Result<Vec<_>>>()?;
        for dump in &setup.config.dumps {
            index(comm, &setup.folder, &dump.name, write_index)?;
        }
        let mut members = Vec::new();
        for (name, of) in system.members() {
            let file = member_file(comm, setup, &setup.folder, name);
            let kinds = of.kinds();
            let writer = together(comm, || match goes_on {
                true => MemberWriter::go_on(file, &kinds, step),
                false => MemberWriter::create(file, &kinds),
            })?;
            index(comm, &setup.folder, name, |path, files| kinds.write_index(path, files))?;
            members.push((name, writer));
        }
        let (mut ledger, mut log, mut tracks, mut resolved) = (None, None, None, None);
        together(comm, || {
            if comm.rank() > 0 {
                return Ok(());
            }
            let (names, columns) = (setup.entries(), setup.columns());
            let before = if goes_on { Some(RunRecord::read(&setup.folder)?) } else { None };
            ledger = Some(match &before {
                Some(before) if Ledger::is_in(&setup.folder) => {
                    let extra = line_of_end(setup, system.now(), system.clock(), before);
                    LedgerWriter::reopen(&setup.folder, |line| line <= step && Some(line) != extra)?
                }
                _ => {
                    let populations: Vec<String> = setup.ground.populations.iter().map(|p| p.name.clone()).collect();
                    LedgerWriter::create(&setup.folder, &names, &columns, &populations)?
                }
            });
            if system.members().any(|(_, members)| !members.populations().is_empty()) {
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
            lost,
            dumps,
            members,
            tracks,
            ledger,
            log,
            record: resolved,
            unwritten: None,
            seconds: 0.0,
            _lock: lock,
        })
    }

    /// The first step after `step` at which a dump is due.
    pub fn next_dump(&self, setup: &Setup, clock: &Clock, step: u64) -> Option<u64> {
        let suspended = !self.members.is_empty();
        let cells = suspended.then(|| setup.config.cell_dumps.as_ref()?.next(clock, step)).flatten();
        let tracks = suspended.then(|| setup.config.tracks_every(setup.end).next_end(clock, step));
        self.dumps.iter().filter_map(|dump| dump.config.times().next(clock, step)).chain(cells).chain(tracks).min()
    }

    /// Whether a dump of fields, or of cells or bodies, is due at `step`.
    pub fn dumps_at(&self, setup: &Setup, clock: &Clock, step: u64) -> bool {
        let whole = !self.members.is_empty() && wholes_at(setup, clock, step);
        whole || self.dumps.iter().any(|dump| dump.config.times().due(clock, step, false) && dump.lacks(step))
    }

    /// What the output files hold, by name of the file; of the ledger without a line of time step `end`. Those that
    /// rank 0 alone writes are only known there.
    pub fn written(&self, end: Option<u64>) -> BTreeMap<String, Written> {
        let of = |name: &str, steps: &[DumpStep]| Some((file_of_dump(name), Written::of(steps)?));
        let fields = self.dumps.iter().filter_map(|dump| of(&dump.config.name, dump.steps()));
        let members = self.members.iter().filter_map(|(name, writer)| of(name, writer.steps()));
        let tracks = self.tracks.as_ref().and_then(|tracks| Written::of(tracks.steps()));
        let ledger = self.ledger.as_ref().and_then(|ledger| ledger.written(end).cloned());
        let alone = [(TrackReader::FILE, tracks), (Ledger::FILE, ledger)];
        let alone = alone.into_iter().filter_map(|(file, written)| Some((file.to_owned(), written?)));
        fields.chain(members).chain(alone).collect()
    }

    /// The step of the last dump, if there is one.
    pub fn last_dump(&self) -> Option<u64> {
        let suspended = self.members.iter().filter_map(|(_, writer)| writer.steps().last().map(|last| last.step));
        self.dumps.iter().filter_map(FieldDump::last).chain(suspended).max()
    }

    /// Writes files that rank 0 alone has. A fault is kept for [`Output::settle`]: here the other ranks would not learn of
    /// it, and would wait for rank 0.
    fn alone(&mut self, write: impl FnOnce(&mut Self) -> Result<()>) {
        if self.unwritten.is_none() {
            self.unwritten = write(self).err();
        }
    }

    /// Fails on all ranks if rank 0 could not write a file that it alone has. Collective.
    ///
    /// # Errors
    /// The fault of rank 0; when a rank is lost.
    pub fn settle(&mut self, comm: &dyn Comm) -> Result<()> {
        together(comm, || self.unwritten.take().map_or(Ok(()), Err))
    }

    /// Gives a warning if none of its kind was given before: in the log, in `run.json` and, if `told`, on stderr.
    pub fn warn(&mut self, step: u64, alarm: Alarm, told: bool) {
        let known = |record: &RunRecord| record.warnings.iter().any(|known| known.kind == alarm.kind);
        if !self.record.as_ref().is_some_and(known) {
            self.say(step, alarm, told);
        }
    }

    /// Gives a warning even if one of its kind was given before.
    pub fn say(&mut self, step: u64, alarm: Alarm, told: bool) {
        self.alone(|output| {
            let (Some(record), Some(log)) = (&mut output.record, &mut output.log) else { return Ok(()) };
            log.write(&json!({"event": "warning", "kind": alarm.kind, "step": step, "text": alarm.text}))?;
            if told {
                note(&format!("run: warning: {}", alarm.text));
            }
            record.warnings.push(WarningRecord { kind: alarm.kind, step, text: alarm.text });
            record.write(&output.folder)
        });
    }

    /// The warnings so far, on rank 0.
    pub fn warnings(&self) -> &[WarningRecord] {
        self.record.as_ref().map_or(&[], |record| &record.warnings)
    }

    /// Writes the end of the run into `run.json`.
    pub fn end(&mut self, end: EndRecord) {
        self.alone(|output| {
            let Some(record) = &mut output.record else { return Ok(()) };
            record.end = Some(end);
            record.write(&output.folder)
        });
    }

    /// Records that the run failed at `step`. Failures to record are ignored: the fault itself is more important.
    pub fn fail(&mut self, step: u64, fault: &Fault) {
        let (exit, reason) = (fault.exit as u8, Some(fault.message.clone()));
        self.unwritten = None;
        self.log(&json!({"event": "end", "step": step, "exit": exit, "reason": reason}));
        self.unwritten = None;
        self.end(EndRecord { state: EndState::Failed, step, exit, reason });
    }

    /// Writes the dumps that are due now. Returns warnings about the members in them.
    pub fn dump(&mut self, comm: &dyn Comm, setup: &Setup, system: &mut System) -> Result<Vec<Alarm>> {
        let start = Instant::now();
        let (at, clock) = (system.now(), *system.clock());
        let step = at.step;
        let mut written = Vec::new();
        for dump in self.dumps.iter_mut().filter(|dump| dump.config.times().due(&clock, step, false)) {
            // After a restart from this step, its dump already exists.
            if !dump.lacks(step) {
                continue;
            }
            dump.write(comm, setup, system, at)?;
            index(comm, &self.folder, &dump.config.name, write_index)?;
            written.push(dump.config.name.clone());
        }
        for name in written {
            self.log(&json!({"event": "dump", "name": name, "step": step, "time_s": at.time}));
        }
        let whole = wholes_at(setup, &clock, step);
        let tracks = step == 0 || setup.config.tracks_every(setup.end).ends_at(&clock, step);
        let mut alarms = Vec::new();
        if !self.members.is_empty() && (whole || tracks) {
            let mut frames = Vec::new();
            for (name, members) in system.members() {
                let (said, frame) = self.dump_members(comm, setup, (name, members), at, whole)?;
                alarms.extend(said);
                frames.push(frame);
            }
            if tracks {
                self.track(comm, &frames)?;
            }
        }
        self.seconds += start.elapsed().as_secs_f64();
        Ok(alarms)
    }

    /// Writes the dump of the members of a physics if `whole`. Returns warnings about the members, and their tracks.
    fn dump_members(
        &mut self,
        comm: &dyn Comm,
        setup: &Setup,
        (name, members): (&'static str, &dyn Members),
        at: DumpStep,
        whole: bool,
    ) -> Result<(Vec<Alarm>, TrackFrame)> {
        let frame = together(comm, || if whole { members.frame(at) } else { members.places(at) })?;
        let alarms = members.alarms(comm, at.step, &frame)?;
        let kinds = members.kinds();
        let writer = self.members.iter_mut().find(|(of, _)| *of == name);
        if let Some((_, writer)) = writer.filter(|(_, writer)| whole && lacks(writer.steps().last(), at.step)) {
            together(comm, || writer.append(&frame))?;
            index(comm, &self.folder, name, |path, files| kinds.write_index(path, files))?;
            self.log(&json!({"event": "dump", "name": name, "step": at.step, "time_s": at.time}));
        }
        let mut tracks = kinds.tracks(&frame, setup.ground.dimension());
        let numbers = members.populations();
        tracks.kind.iter_mut().for_each(|kind| *kind = numbers[*kind as usize] as u32);
        Ok((alarms, tracks))
    }

    /// Adds a frame of all members to the tracks. Collective.
    fn track(&mut self, comm: &dyn Comm, own: &[TrackFrame]) -> Result<()> {
        let mut all = Vec::new();
        for own in own {
            all.extend(comm.gather(&own.to_bytes())?.into_iter().flatten());
        }
        together(comm, || match &mut self.tracks {
            Some(tracks) => {
                let frame = TrackFrame::merge(&all)?;
                if lacks(tracks.steps().last(), frame.step) { tracks.append(&frame) } else { Ok(()) }
            }
            None => Ok(()),
        })
    }

    /// Adds a line to the ledger: measurements of physics, and counts of members. Gives the mass in it. Collective.
    pub fn monitor(&mut self, comm: &dyn Comm, setup: &Setup, system: &mut System, mlups: f64) -> Result<Mass> {
        let start = Instant::now();
        let at = system.now();
        let done = setup.end.share(system.clock(), at.step);
        let (mut mass, mut values, mut log) = (Mass::default(), Vec::new(), serde_json::Map::new());
        for (key, value) in [("event", json!("monitor")), ("step", json!(at.step)), ("time_s", json!(at.time))] {
            log.insert(key.to_owned(), value);
        }
        for physics in &mut system.physics {
            let Measured { mass: own, values: measured, log: said } = physics.measure(comm, done)?;
            let own = own.unwrap_or_default();
            mass.inside += own.inside;
            mass.through.extend(own.through);
            values.extend(measured);
            log.extend(said.into_iter().map(|(key, value)| (key.to_owned(), value)));
        }
        log.insert("mlups".to_owned(), json!(mlups));
        let cells: Vec<CellCount> =
            system.counts(comm, &setup.ground)?.into_iter().map(|population| population.count).collect();
        let Mass { inside, through } = mass.clone();
        let row = LedgerRow { step: at.step, time: at.time, inside, through, values, cells };
        self.alone(|output| output.ledger.as_mut().map_or(Ok(()), |ledger| ledger.append(&row)));
        self.log(&Value::Object(log));
        self.seconds += start.elapsed().as_secs_f64();
        Ok(mass)
    }

    /// Adds an event to the log.
    pub fn log(&mut self, event: &Value) {
        self.alone(|output| output.log.as_mut().map_or(Ok(()), |log| log.write(event)));
    }

    /// Adapts to nodes that have changed ranks. Collective.
    ///
    /// # Errors
    /// When a file cannot be read or a rank is lost.
    pub fn divide(&mut self, comm: &dyn Comm, setup: &Setup) -> Result<()> {
        self.dumps.iter_mut().try_for_each(|dump| dump.divide(comm, setup))
    }

    /// Writes `timing.json`. `phases`: times of this rank, without output. Collective.
    ///
    /// # Errors
    /// When a rank is lost.
    pub fn timing(&mut self, comm: &dyn Comm, setup: &Setup, phases: Phases, steps: u64, wall: f64) -> Result<()> {
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
        let timing = Timing {
            ranks: comm.size(),
            nodes: setup.ground.header.nodes as u64,
            steps,
            wall,
            mlups: steps as f64 * setup.ground.header.nodes as f64 / wall / 1e6,
            subsystems: [("fluid".to_owned(), all)].into(),
        };
        self.alone(|output| timing.write(&output.folder));
        Ok(())
    }
}

/// Whether the `last` dump is before `step`, or there is none.
fn lacks(last: Option<&DumpStep>, step: u64) -> bool {
    last.is_none_or(|last| last.step < step)
}

/// Whether dumps of members are due at `step`.
fn wholes_at(setup: &Setup, clock: &Clock, step: u64) -> bool {
    setup.config.cell_dumps.as_ref().is_some_and(|times| times.due(clock, step, true))
}

/// The step `now` of a restart, if it has a line in the ledger only because the earlier run ended there.
fn line_of_end(setup: &Setup, now: DumpStep, clock: &Clock, before: &RunRecord) -> Option<u64> {
    let last = before.steps.or_else(|| Some(before.end.as_ref()?.step)).filter(|&last| last == now.step)?;
    let was = serde_json::from_value(before.config["monitor"]["every"].clone()).ok().flatten();
    let was = RunConfig::ledger_every(was, before.steps.map_or(setup.end, End::Step));
    let is = RunConfig::ledger_every(setup.config.monitor.every, setup.end);
    let due = |every: StepsOrTime| every.ends_at(clock, last);
    (setup.end.step() != Some(last) && !due(was) && !due(is)).then_some(last)
}

/// Checks, without changing anything, that a run can continue the files of its folder. Returns what these have lost
/// since the checkpoint, if that is `allowed`. Call on rank 0.
///
/// # Errors
/// Those of [`Output::open`]; a usage fault where files have lost something and that is not allowed.
pub fn check(setup: &Setup, from: &Resumed, allowed: bool) -> Result<Vec<String>> {
    let f64s = setup.is_double();
    for dump in &setup.config.dumps {
        FieldWriter::check((&setup.folder, &dump.name), &setup.fields_of(dump)?, f64s)?;
    }
    let lost = lost(setup, from)?;
    if !lost.is_empty() && !allowed {
        let remedy = format!("{}, or go on here without by --allow-changes", put_back(from));
        return Err(Fault::usage(format!("{}: {remedy}", lost.join("; "))));
    }
    if Ledger::is_in(&setup.folder) {
        same_columns(&setup.folder, &setup.entries(), &setup.columns())?;
    }
    Ok(lost)
}

/// What the files that a run continues have lost since the checkpoint.
fn lost(setup: &Setup, from: &Resumed) -> Result<Vec<String>> {
    let names = setup.config.dumps.iter().map(|dump| dump.name.as_str()).chain(MEMBERS);
    let mut files: Vec<String> = names.map(file_of_dump).collect();
    files.extend([TrackReader::FILE, Ledger::FILE].map(str::to_owned));
    let mut lost = Vec::new();
    for (file, written) in from.outputs.iter().filter(|(file, _)| files.contains(file)) {
        let unreadable = |fault: Fault| match fault.exit {
            Exit::Usage => Fault::usage(format!("{}: {}", fault.message, put_back(from))),
            _ => fault,
        };
        lost.extend(written.lost(&setup.folder, file).map_err(unreadable)?);
    }
    if !from.outputs.contains_key(Ledger::FILE) && !Ledger::is_in(&setup.folder) {
        lost.push(format!("{} is missing", setup.folder.join(Ledger::FILE).display()));
    }
    Ok(lost)
}

/// What helps where a file of the run folder was lost.
fn put_back(from: &Resumed) -> String {
    format!("put back what the run wrote, or go on in another folder by -o and --restart {}", from.path.display())
}

/// The name of the file of a dump.
fn file_of_dump(name: &str) -> String {
    dump_file(Path::new(""), name).display().to_string()
}

/// Refuses to continue a ledger with other columns.
fn same_columns(folder: &Path, names: &[String], columns: &[Column]) -> Result<()> {
    let before = Ledger::read(folder)?;
    let refusal = |what: &str, before: &[String], now: &[String], remedy: &str| {
        let (before, now) = (before.join(", "), now.join(", "));
        Fault::usage(format!("{}: its ledger {what} [{before}], this run [{now}]: {remedy}", folder.display()))
    };
    if before.openings != names {
        let remedy =
            "restart with the same \"vents\" or \"fluid.lattice_boltzmann.walls\", or into another folder with -o";
        return Err(refusal("counts what came in at", &before.openings, names, remedy));
    }
    if before.columns != columns {
        let text = |columns: &[Column]| columns.iter().map(Column::to_string).collect::<Vec<_>>();
        let remedy = "restart with the version and the config that wrote it, or into another folder with -o";
        return Err(refusal("holds the columns", &text(&before.columns), &text(columns), remedy));
    }
    Ok(())
}

/// The file of the dump of the members of a physics in a folder.
pub fn member_file<'a>(comm: &dyn Comm, setup: &Setup, folder: &'a Path, name: &'a str) -> MemberFile<'a> {
    let (dimension, spacing) = (setup.ground.dimension(), setup.ground.header.spacing);
    MemberFile { folder, name, of: (comm.rank(), comm.size()), dimension, spacing }
}

fn open_tracks(setup: &Setup, goes_on: bool, step: u64) -> Result<TrackWriter> {
    let header = &setup.ground.header;
    let kinds: Vec<String> = setup.ground.populations.iter().map(|population| population.name.clone()).collect();
    let extent = header.extent.map(|sites| sites as f64 * header.spacing);
    let domain = TrackBox { dimension: header.set.dimension(), extent, periodic: header.periodic };
    match goes_on {
        true => TrackWriter::go_on(&setup.folder, &kinds, &domain, step),
        false => TrackWriter::create(&setup.folder, &kinds, &domain),
    }
}

/// Updates the file that users open, the index over the files of ranks. Collective.
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
    let mut record = RunRecord {
        schema: RunRecord::SCHEMA,
        config: setup.whole.clone(),
        case: setup.ground.case.display().to_string(),
        case_sha256: case_sha256.to_owned(),
        velocity_set: String::new(),
        nodes: setup.ground.header.nodes as u64,
        dx: setup.ground.header.spacing,
        dt: setup.clock.dt(),
        rho0: 0.0,
        nu: 0.0,
        tau: 0.0,
        precision: String::new(),
        steps: setup.end.step(),
        grown: setup.grown(),
        pressure_drop: [0.0; 3],
        openings: Vec::new(),
        dumps: setup.config.dumps.iter().map(|dump| dump.name.clone()).collect(),
        ranks,
        devices,
        warnings: Vec::new(),
        restarts: Vec::new(),
        end: None,
        provenance: Provenance::of("run", &[&setup.path])?,
    };
    setup.planned.iter().for_each(|physics| physics.write_down(&mut record));
    Ok(record)
}
