//! What a run that fails leaves behind: its last state, and what went wrong where.

use hematite_case::Case;
use hematite_comm::{Comm, gather_all};
use hematite_config::{Fault, Result};
use hematite_dump::{
    CellWriter, Checkpoint, DumpStep, Field, RunRecord, rank_file, write_body_index, write_cell_index, write_index,
};
use hematite_engine::Precision;
use hematite_units::groups;
use physics_lattice_boltzmann::config::Collision;
use physics_lattice_boltzmann::{Fluid, LARGEST_DEVIATION, LARGEST_SPEED, Moment};

use crate::bodies;
use crate::cells::{frame, kinds};
use crate::config::{BODIES, CELLS, DumpConfig};
use crate::field_dump::FieldDump;
use crate::openings::Openings;
use crate::output::{index, open_bodies};
use crate::ranks::together;
use crate::setup::Setup;
use crate::suspended::Suspended;

/// Nodes between a place and what is said to be near it, at most.
const NEAR: f64 = 10.0;
/// Between a place and a cell.
const TOUCHING: f64 = 3.0;

/// Below this a relaxation time is close to 1/2.
const CLOSE: f64 = 0.55;

/// Writes the fluid as it is, and cells or bodies, into a folder of its own in the run folder: files as those of dumps.
/// Collective.
///
/// # Errors
/// When a file cannot be written, or the device or a rank is lost.
pub fn dump(comm: &dyn Comm, setup: &Setup, fluid: &mut Fluid, suspended: &Suspended) -> Result<()> {
    let folder = setup.folder.join(RunRecord::FAILED);
    let (rank, ranks, step) = (comm.rank(), comm.size(), fluid.step());
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
        at: vec![step],
        fields: Field::ALL.to_vec(),
        region: Default::default(),
    };
    let mut fields = FieldDump::open(comm, setup, &folder, &all, false, 0)?;
    fields.write(comm, setup, fluid, DumpStep { step, time: step as f64 * setup.plan.units.dt })?;
    index(comm, &folder, &all.name, write_index)?;
    match suspended {
        Suspended::Nothing => Ok(()),
        Suspended::Cells(cells) => {
            let (dimension, spacing) = (setup.header.set.dimension(), setup.header.spacing);
            together(comm, || {
                let path = rank_file(&folder, CELLS, rank, ranks);
                let mut writer = CellWriter::create(&path, &kinds(setup), dimension, spacing)?;
                writer.append(&frame(setup, &cells.snapshot(step)?, step))
            })?;
            index(comm, &folder, CELLS, write_cell_index)
        }
        Suspended::Bodies(rigid) => {
            together(comm, || {
                let mut writer = open_bodies(comm, setup, &folder, false, 0)?;
                writer.append(&bodies::frame(setup, &rigid.parameters().kinds, &rigid.states()?, step))
            })?;
            index(comm, &folder, BODIES, write_body_index)
        }
    }
}

/// The node where the fluid is nearest to the limits of the method, or farthest beyond.
#[derive(Clone, Copy, Debug, Default)]
pub struct Worst {
    step: u64,
    /// Speed and density deviation over their limits; infinite where they are no numbers.
    pub badness: f64,
    id: u64,
    site: [i32; 3],
    speed: f64,
    deviation: f64,
}

/// The worst node of all ranks, the first of equals. Collective.
///
/// # Errors
/// When the device or a rank is lost.
pub fn locate(comm: &dyn Comm, setup: &Setup, fluid: &mut Fluid) -> Result<Worst> {
    let own = together(comm, || worst(setup, fluid))?;
    let bits = [own.badness, own.speed, own.deviation].map(f64::to_bits);
    let site = own.site.map(|c| u64::from(c as u32));
    let all = gather_all(comm, bytemuck::cast_slice(&[&[own.id], &bits[..], &site[..]].concat()))?;
    let of = |bytes: &Vec<u8>| {
        let words: Vec<u64> = bytemuck::pod_collect_to_vec(bytes);
        let [badness, speed, deviation] = [1, 2, 3].map(|k| f64::from_bits(words[k]));
        let site = [4, 5, 6].map(|k| words[k] as u32 as i32);
        Worst { step: own.step, badness, id: words[0], site, speed, deviation }
    };
    let first = all.iter().map(of).min_by(|a, b| b.badness.total_cmp(&a.badness).then(a.id.cmp(&b.id)));
    Ok(first.unwrap_or_default())
}

/// Where the fluid is farthest beyond the method, or, where it holds no numbers there any more, where it was last nearest to its
/// limits if that is known; what is near, and what would help. Collective.
///
/// # Errors
/// When the device or a rank is lost.
pub fn explain(
    comm: &dyn Comm,
    setup: &Setup,
    fluid: &mut Fluid,
    suspended: &Suspended,
    suspect: Option<Worst>,
) -> Result<String> {
    let now = locate(comm, setup, fluid)?;
    let (worst, is, by) = match suspect {
        Some(before) if now.badness.is_infinite() => (before, "was", ", before it held no numbers any more,"),
        _ => (now, "is", ""),
    };
    let openings = together(comm, || Openings::read(&Case::open(&setup.case)?))?;
    let opening = nearest_opening(&openings, worst.site);
    let cell = nearest_cell(comm, setup, suspended, worst.site, fluid.step())?;
    let wall = together(comm, || at_wall(setup, worst.site))?;
    let place: Vec<String> = (0..setup.header.set.dimension())
        .map(|axis| {
            format!("{:.4e}", setup.header.origin[axis] + (f64::from(worst.site[axis]) + 0.5) * setup.header.spacing)
        })
        .collect();
    let mut text = format!(
        "At step {}{by} it {is} worst at node {} at ({}) m: speed {:.2e}, density deviation {:.2e} in lattice units",
        worst.step,
        worst.id,
        place.join(", "),
        worst.speed,
        worst.deviation
    );
    let kind = |k: usize| format!("{:?}", openings.list[k].kind).to_lowercase();
    if let Some((k, far)) = opening {
        text += &format!(", {far:.0} spacings from {} opening \"{}\"", kind(k), openings.list[k].name);
    } else if let Some((id, population, far)) = &cell {
        text += &format!(", {far:.1} spacings from cell {id} of \"{population}\"");
    } else if wall {
        text += ", at a wall";
    }
    let at_opening = opening.map(|(k, _)| kind(k));
    Ok(text + ". " + &advice(setup, worst.speed, at_opening.as_deref(), opening.is_none() && cell.is_some()))
}

/// What would help, by what is near the place and by how the run is set up.
fn advice(setup: &Setup, speed: f64, opening: Option<&str>, cell: bool) -> String {
    let plan = &setup.plan;
    let mut remedies = Vec::new();
    match opening {
        Some("pressure") => remedies.push(
            "fluid should leave a pressure opening straight and from within (see backflow_share in ledger.csv): lengthen the vessel \
             in front of it, or let flow and pressure rise by \"ramp\""
                .to_owned(),
        ),
        Some(_) => remedies.push("let what is prescribed at the opening rise by \"ramp\"".to_owned()),
        None if cell => remedies.push("take softer mechanics or contact, or a slower flow".to_owned()),
        None => {}
    }
    let expected = setup.expected.as_ref().map(|expected| expected.speed);
    if let Some(mach) = expected.map(groups::mach).filter(|&mach| mach > 0.1) {
        let remedy = match plan.tau < CLOSE {
            true => "take a slower flow, or a finer lattice and a shorter time step".to_owned(),
            false => format!("take a shorter time step than {:.3e} s", plan.units.dt),
        };
        remedies.push(format!("what is prescribed is Mach {mach:.2} already: {remedy}"));
    }
    if plan.tau < CLOSE {
        remedies.push(format!(
            "tau {:.4} is close to 0.5, and a shorter time step brings it closer: take a finer lattice or a slower flow",
            plan.tau
        ));
    } else if plan.tau > 2.0 {
        remedies.push(format!("tau {:.2} is large: take a shorter time step", plan.tau));
    }
    if setup.config.fluid.collision == Collision::Bgk {
        remedies.push("take \"collision\": \"trt\"".to_owned());
    }
    if plan.precision() == Precision::F16 {
        remedies.push("take \"precision\": \"f32\"".to_owned());
    }
    if remedies.is_empty() {
        let times = expected.filter(|&expected| expected > 0.0 && speed.is_finite()).map(|expected| speed / expected);
        remedies.push(match times {
            Some(times) if times > 10.0 => format!(
                "the speed is {times:.0} times what is prescribed, so that a shorter time step alone will not do: look at geometry \
                 and openings there, or take a finer lattice"
            ),
            _ => format!("take a shorter time step than {:.3e} s, a slower flow or a finer lattice", plan.units.dt),
        });
    }
    let mut text = remedies.join("; ");
    if let Some(first) = text.get(..1) {
        text = first.to_uppercase() + &text[1..];
    }
    text
}

/// That of this rank's nodes.
fn worst(setup: &Setup, fluid: &mut Fluid) -> Result<Worst> {
    let row = setup.plan.row(fluid.step());
    let density = fluid.whole_moment(Moment::Density, &row)?;
    let step = fluid.step();
    let mut worst = Worst { step, id: u64::MAX, badness: -1.0, ..Worst::default() };
    fluid.moment(Moment::Velocity, &row, |first, numbers| {
        for (k, u) in numbers.chunks(3).enumerate() {
            let (n, speed) = (first + k, u.iter().map(|c| c * c).sum::<f64>().sqrt());
            let over = (speed / LARGEST_SPEED).max(density[n].abs() / LARGEST_DEVIATION);
            let sane = speed.is_finite() && density[n].is_finite();
            let (badness, id) = (if sane { over } else { f64::INFINITY }, setup.part.id[n].0);
            if badness > worst.badness || badness == worst.badness && id < worst.id {
                worst = Worst { step, badness, id, site: setup.part.position[n], speed, deviation: density[n] };
            }
        }
        Ok(())
    })?;
    Ok(worst)
}

fn distance(a: [i32; 3], b: [i32; 3]) -> f64 {
    (0..3).map(|k| f64::from(a[k] - b[k]).powi(2)).sum::<f64>().sqrt()
}

/// The opening with a node near a site, and how far that is.
fn nearest_opening(openings: &Openings, site: [i32; 3]) -> Option<(usize, f64)> {
    let far = |sites: &Vec<[i32; 3]>| sites.iter().map(|&other| distance(site, other)).fold(f64::MAX, f64::min);
    let all = openings.sites.iter().map(far).enumerate();
    all.min_by(|(_, a), (_, b)| a.total_cmp(b)).filter(|&(_, far)| far <= NEAR)
}

/// Whether a site next to this one is no fluid.
fn at_wall(setup: &Setup, site: [i32; 3]) -> Result<bool> {
    let mut around = 0;
    Case::open(&setup.case)?.each_position(|positions| {
        around += positions.iter().filter(|&&other| (distance(site, other) - 1.0).abs() < 0.1).count();
    })?;
    Ok(around < 2 * setup.header.set.dimension())
}

/// Number and population of the cell with a vertex that touches a site, and how far that is. Collective.
fn nearest_cell(
    comm: &dyn Comm,
    setup: &Setup,
    suspended: &Suspended,
    site: [i32; 3],
    step: u64,
) -> Result<Option<(u64, String, f64)>> {
    let Suspended::Cells(cells) = suspended else { return Ok(None) };
    let frame = together(comm, || Ok(frame(setup, &cells.snapshot(step)?, step)))?;
    let header = &setup.header;
    let far = |at: &[f64; 3]| {
        let along = |axis: usize| (at[axis] - header.origin[axis]) / header.spacing - 0.5 - f64::from(site[axis]);
        (0..header.set.dimension()).map(|axis| along(axis).powi(2)).sum::<f64>().sqrt()
    };
    let mut own = [TOUCHING.to_bits(), u64::MAX, 0];
    for (k, vertices) in frame.vertices(&kinds(setup)).into_iter().enumerate() {
        let nearest = frame.position[vertices].iter().map(far).fold(f64::MAX, f64::min);
        // Distances are not negative: their bits are in their order.
        own = own.min([nearest.to_bits(), frame.id[k], u64::from(frame.kind[k])]);
    }
    let all = gather_all(comm, bytemuck::cast_slice(&own))?;
    let first = all.iter().map(|bytes| bytemuck::pod_collect_to_vec::<u8, u64>(bytes)).min();
    let near = first.filter(|near| near[1] != u64::MAX);
    Ok(near.map(|near| (near[1], setup.populations[near[2] as usize].name.clone(), f64::from_bits(near[0]))))
}

/// What a run that failed leaves: where its last state is, and from where to go on.
pub fn left(setup: &Setup, dumped: &Result<()>, last_dump: Option<u64>) -> String {
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
    text
}
