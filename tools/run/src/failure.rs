//! A run that fails: writes its last state, and says what went wrong where.

use hematite_comm::{Comm, gather_all};
use hematite_config::{Fault, Result};
use hematite_dump::{Checkpoint, MemberFrame, MemberWriter, RunRecord, WarningRecord, write_index};

use crate::cadence::StepsOrTime;
use crate::config::DumpConfig;
use crate::field_dump::FieldDump;
use crate::output::{index, member_file};
use crate::ranks::together;
use crate::setup::Setup;
use crate::system::System;

/// Largest distance of a vertex that is near a place, lattice units.
const TOUCHING: f64 = 3.0;

/// Writes the current state, fields if the physics have some, and members, as dumps into the folder [`RunRecord::FAILED`] of the run folder.
/// Collective.
///
/// # Errors
/// When a file cannot be written, or the device or a rank is lost.
pub fn dump(comm: &dyn Comm, setup: &Setup, system: &mut System) -> Result<()> {
    let folder = setup.folder.join(RunRecord::FAILED);
    let (rank, at) = (comm.rank(), system.now());
    together(comm, || {
        if rank > 0 {
            return Ok(());
        }
        let fault = |error: std::io::Error| Fault::io(format!("cannot prepare {}: {error}", folder.display()));
        if folder.exists() {
            std::fs::remove_dir_all(&folder).map_err(fault)?;
        }
        std::fs::create_dir_all(&folder).map_err(fault)
    })?;
    let all = DumpConfig {
        name: RunRecord::FAILED_FIELDS.to_owned(),
        every: None,
        at: vec![StepsOrTime::Steps(at.step)],
        fields: None,
        region: Default::default(),
    };
    if !setup.fields_of(&all)?.is_empty() {
        let mut fields = FieldDump::open(comm, setup, &folder, &all, false, 0)?;
        fields.write(comm, setup, system, at)?;
        index(comm, &folder, &all.name, write_index)?;
    }
    for (name, members) in system.members() {
        let kinds = members.kinds();
        together(comm, || {
            let mut writer = MemberWriter::create(member_file(comm, setup, &folder, name), &kinds)?;
            writer.append(&members.frame(at)?)
        })?;
        index(comm, &folder, name, |path, files| kinds.write_index(path, files))?;
    }
    Ok(())
}

/// A text from the physics that says where and why the state is beyond the limits of a method, and what would help.
/// Collective.
///
/// # Errors
/// When the device or a rank is lost.
pub fn explain(comm: &dyn Comm, setup: &Setup, system: &mut System) -> Result<String> {
    let at = system.now();
    let mut frames: Vec<(Vec<String>, MemberFrame)> = Vec::new();
    for (_, members) in system.members() {
        let names = members.populations().iter().map(|&k| setup.ground.populations[k].name.clone()).collect();
        frames.push((names, together(comm, || members.places(at))?));
    }
    let mut near = |site: [i32; 3]| nearest_cell(comm, setup, &frames, site);
    let mut texts = Vec::new();
    for physics in &mut system.physics {
        texts.extend(physics.explain(comm, &setup.ground, &mut near)?);
    }
    Ok(texts.join(". "))
}

/// A text on the nearest cell with a vertex near a site, and its distance; `None` if there is none. Collective.
fn nearest_cell(
    comm: &dyn Comm,
    setup: &Setup,
    frames: &[(Vec<String>, MemberFrame)],
    site: [i32; 3],
) -> Result<Option<String>> {
    let header = &setup.ground.header;
    let far = |at: &[f64; 3]| {
        let along = |axis: usize| (at[axis] - header.origin[axis]) / header.spacing - 0.5 - f64::from(site[axis]);
        (0..header.set.dimension()).map(|axis| along(axis).powi(2)).sum::<f64>().sqrt()
    };
    for (names, frame) in frames {
        let MemberFrame::Cells(frame) = frame else { continue };
        let vertices = |kind: u32| {
            let of = setup.ground.populations.iter().find(|population| population.name == names[kind as usize]);
            of.map_or(0, |population| population.surface.vertices.len())
        };
        let (mut own, mut first) = ([TOUCHING.to_bits(), u64::MAX, 0], 0);
        for (&id, &kind) in frame.id.iter().zip(&frame.kind) {
            let last = first + vertices(kind);
            let nearest = frame.position[first..last].iter().map(far).fold(f64::MAX, f64::min);
            // Distances are not negative, so their bits have the same order.
            own = own.min([nearest.to_bits(), id, u64::from(kind)]);
            first = last;
        }
        let all = gather_all(comm, bytemuck::cast_slice(&own))?;
        let nearest = all.iter().map(|bytes| bytemuck::pod_collect_to_vec::<u8, u64>(bytes)).min();
        if let Some(near) = nearest.filter(|near| near[1] != u64::MAX) {
            let (far, name) = (f64::from_bits(near[0]), &names[near[2] as usize]);
            return Ok(Some(format!("{far:.1} spacings from cell {} of \"{name}\"", near[1])));
        }
    }
    Ok(None)
}

/// A text that says where the last state of a failed run is, from where it can go on, and of what the run had warned.
pub fn left(setup: &Setup, dumped: &Result<()>, last_dump: Option<u64>, warnings: &[WarningRecord]) -> String {
    let mut text = match dumped {
        Ok(()) => format!("The last state is in {}/ of the run folder", RunRecord::FAILED),
        Err(fault) => format!("The last state could not be written: {fault}"),
    };
    let latest = Checkpoint::latest(&setup.folder).and_then(|path| Some(path.file_name()?.to_str()?.to_owned()));
    let dumps = last_dump.map(|step| format!("dumps up to step {step}"));
    let checkpoint = latest.as_ref().map(|name| format!("the last checkpoint, checkpoint/{name}"));
    let sound: Vec<String> = dumps.into_iter().chain(checkpoint).collect();
    text += &match sound.is_empty() {
        true => ". There is no earlier one".to_owned(),
        false => format!(". What was written before passed the checks: {}", sound.join(", and ")),
    };
    if latest.is_none() {
        text += "; \"checkpoint\": {\"every\": ..} keeps states to go on from";
    }
    let warned: Vec<String> = warnings.iter().map(|warning| format!("{} ({})", warning.kind, warning.step)).collect();
    if !warned.is_empty() {
        text += &format!(
            ". The cause may be what the run had warned of, here with the steps (texts in run.json): {}",
            warned.join(", ")
        );
    }
    text
}
