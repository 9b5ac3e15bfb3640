//! Openings through which members come in and leave.

mod entry_schedule;
mod fluid_sites;
mod numbering;
mod opening_plane;
mod openings;

use hematite_case::Header;
use hematite_config::{Fault, Result, nearest};
use hematite_geometry::OpeningKind;

pub use entry_schedule::{EntrySchedule, unit};
pub use fluid_sites::FluidSites;
pub use numbering::Numbering;
pub use opening_plane::OpeningPlane;
pub use openings::Openings;

/// Counts of a population: seeded + inserted = inside + left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Members of the case.
    pub seeded: u64,
    /// Members that came in through openings.
    pub inserted: u64,
    /// Members in the domain now.
    pub inside: u64,
    /// Members that left through openings.
    pub left: u64,
}

/// Checks that the names under `key` of the config are openings of the case through which members can come in.
///
/// # Errors
/// A usage fault with the possible names.
pub fn known_openings<'a>(key: &str, mut inflow: impl Iterator<Item = &'a String>, header: &Header) -> Result<()> {
    let open = |name: &str| header.openings.iter().any(|known| known.name == name && known.kind != OpeningKind::Wall);
    let Some(unknown) = inflow.find(|name| !open(name)) else { return Ok(()) };
    if header.openings.iter().any(|known| known.name == *unknown) {
        return Err(Fault::usage(format!(
            "{key}.{unknown}: this opening is a moving wall; what comes in does so through openings of kind \"velocity\" or \
             \"pressure\""
        )));
    }
    let names: Vec<&str> = header.openings.iter().map(|opening| opening.name.as_str()).collect();
    let hint =
        nearest(unknown, names.iter().copied()).map(|near| format!("; did you mean \"{near}\"?")).unwrap_or_default();
    let known = if names.is_empty() { "no openings".to_owned() } else { names.join(", ") };
    Err(Fault::usage(format!("{key}.{unknown}: the case has no such opening, but {known}{hint}")))
}
