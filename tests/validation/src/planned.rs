//! A fluid as a run's config prescribes it, by way of a case file.

use std::collections::BTreeMap;
use std::path::Path;

use hematite_case::{Case, Header, ImmersedWalls, Lattice, Partition, Population, Suspended, write};
use hematite_config::{Fault, Provenance, Result};
use hematite_geometry::Domain;
use physics_lattice_boltzmann::config::{FluidSection, OpeningCondition};
use physics_lattice_boltzmann::{Parameters, Plan};
use serde_json::Value;
use tempfile::TempDir;

use crate::{Context, Flow, Inside};

/// Puts a domain on the device with the "fluid", "time", "openings" and "drive" of a run's config; `tables` are the
/// files (name, content) that it names.
///
/// # Errors
/// Those of the case file and of the config.
pub fn planned(
    context: &Context,
    (inside, domain): &(Inside, Domain),
    config: &Value,
    tables: &[(&str, String)],
) -> Result<(Flow, Plan)> {
    let (folder, case) = filed(&Lattice::build(domain)?, &[])?;
    for (name, content) in tables {
        std::fs::write(folder.path().join(name), content).map_err(|error| Fault::io(format!("{name}: {error}")))?;
    }
    let part = case.part(1, 0)?;
    let mut plan = plan(config, folder.path(), case.header())?;
    plan.find_profiles(&case)?;
    let parameters = plan.parameters(case.header(), &part)?;
    let walls = plan.walls(&case, &part)?;
    let parameters = Parameters { precision: context.precision(parameters.precision), walls, ..parameters };
    let rows = plan.clone();
    let flow = Flow::of_part(context, *inside, part, &parameters, move |t| rows.row(t))?;
    Ok((flow, plan))
}

/// A case file in a folder that goes with the first value.
///
/// # Errors
/// Those of the file.
pub fn filed(lattice: &Lattice, populations: &[Population]) -> Result<(TempDir, Case)> {
    let folder = tempfile::tempdir().map_err(|error| Fault::io(format!("cannot make a temporary folder: {error}")))?;
    let path = folder.path().join("case.h5");
    let partition = Partition::make(lattice, 1)?;
    let provenance = Provenance::of("validation", &[])?;
    let (suspended, walls) = (Suspended::cells(populations), ImmersedWalls::default());
    turns::alone(|| write(&path, lattice, suspended, &walls, &[partition], &provenance, &Value::Null))?;
    let case = Case::open(&path)?;
    Ok((folder, case))
}

/// The physics of a run's config, whose files are in `folder`.
///
/// # Errors
/// Those of the config.
pub fn plan(config: &Value, folder: &Path, header: &Header) -> Result<Plan> {
    let openings: BTreeMap<String, OpeningCondition> = section(config, "openings")?.unwrap_or_default();
    let missing = |key: &str| Fault::usage(format!("\"{key}\" is missing"));
    let fluid = section::<FluidSection>(config, "fluid")?.and_then(|fluid| fluid.lattice_boltzmann);
    let fluid = fluid.ok_or_else(|| missing("fluid"))?;
    let time = section(config, "time")?.ok_or_else(|| missing("time"))?;
    let drive = section(config, "drive")?.unwrap_or_default();
    Plan::new(&folder.join("run.json"), &fluid, &time, &openings, &drive, header)
}

/// One section of a config, where it is there.
///
/// # Errors
/// A usage fault that names it.
pub fn section<T: serde::de::DeserializeOwned>(config: &Value, key: &str) -> Result<Option<T>> {
    let read = |value: &Value| serde_json::from_value(value.clone()).map_err(|e| Fault::usage(format!("{key}: {e}")));
    config.get(key).map(read).transpose()
}
