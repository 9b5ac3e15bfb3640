//! A fluid as a run's config prescribes it, by way of a case file.

use std::collections::BTreeMap;

use hematite_case::{Case, Lattice, Partition, write};
use hematite_config::{Fault, Provenance, Result};
use hematite_geometry::Domain;
use hematite_solver::Plan;
use hematite_solver::config::OpeningCondition;
use serde_json::Value;

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
    let folder = tempfile::tempdir().map_err(|error| Fault::io(format!("cannot make a temporary folder: {error}")))?;
    for (name, content) in tables {
        std::fs::write(folder.path().join(name), content).map_err(|error| Fault::io(format!("{name}: {error}")))?;
    }
    let path = folder.path().join("case.h5");
    let lattice = Lattice::build(domain)?;
    let partition = Partition::make(&lattice, 1)?;
    write(&path, &lattice, &[], &[], &[partition], &Provenance::of("validation", &[])?, &Value::Null)?;
    let case = Case::open(&path)?;
    let part = case.part(1, 0)?;

    let openings: BTreeMap<String, OpeningCondition> = section(config, "openings")?.unwrap_or_default();
    let missing = |key: &str| Fault::usage(format!("\"{key}\" is missing"));
    let fluid = section(config, "fluid")?.ok_or_else(|| missing("fluid"))?;
    let time = section(config, "time")?.ok_or_else(|| missing("time"))?;
    let drive = section(config, "drive")?.unwrap_or_default();
    let plan = Plan::new(&folder.path().join("run.json"), &fluid, &time, &openings, &drive, case.header())?;
    let parameters = plan.parameters(case.header(), &part)?;
    let rows = plan.clone();
    let flow = Flow::of_part(context, *inside, part, &parameters, move |t| rows.row(t))?;
    Ok((flow, plan))
}

fn section<T: serde::de::DeserializeOwned>(config: &Value, key: &str) -> Result<Option<T>> {
    let read = |value: &Value| serde_json::from_value(value.clone()).map_err(|e| Fault::usage(format!("{key}: {e}")));
    config.get(key).map(read).transpose()
}
