//! The picture of a case: what is fluid, where it opens, what is in it, before anything runs.
//!
//! [`page`] puts the panels together: [`flat`] draws sections along the lattice's axes (in 2-D the case itself), [`view`]
//! the fluid as a solid seen from outside, [`members`] cells and bodies, [`label`] what openings are called. All work
//! from the sparse lattice, straight into pixels.

mod depth;
mod flat;
mod label;
mod layout;
mod members;
mod mouth;
mod page;
mod scene;
mod shade;
mod view;

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use hematite_case::{Lattice, Partition, Population};
use hematite_config::{Fault, Result};
use hematite_drawing::png::{SOFTWARE, text_of, write_png};

use scene::Scene;

/// What `--picture` asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PictureOf {
    /// Fluid, walls, openings, cells.
    Case,
    /// The same, the fluid in the colours of the parts of the stored partition with most of them.
    Parts,
    /// No picture.
    None,
}

/// What is drawn.
pub struct Picture<'a> {
    /// The name of the case.
    pub name: String,
    /// Its lattice.
    pub lattice: &'a Lattice,
    /// Its cells and bodies.
    pub populations: &'a [Population],
    /// The partition whose parts are shown, if any.
    pub partition: Option<&'a Partition>,
}

impl Picture<'_> {
    /// Draws it into a file.
    ///
    /// # Errors
    /// An I/O fault that names the file.
    pub fn write(&self, path: &Path) -> Result<()> {
        let image = page::draw(&Scene::new(self));
        write_png(&image, path, &[("Title", &self.name), (SOFTWARE, &software())])
    }
}

/// What pictures say of the program that drew them.
fn software() -> String {
    format!("{}{}", software_prefix(), env!("CARGO_PKG_VERSION"))
}

fn software_prefix() -> &'static str {
    "Hematite mkcase "
}

/// Where the picture of the case at `output` goes: beside it, with .png for .h5; where that is one of the files that the case
/// is made from, or a picture by another program, with -picture.png.
///
/// # Errors
/// A usage fault where that is taken, too.
pub fn place(output: &Path, sources: &[PathBuf]) -> Result<PathBuf> {
    let stem = output.file_stem().unwrap_or_default().to_string_lossy();
    let places = [output.with_extension("png"), output.with_file_name(format!("{stem}-picture.png"))];
    let taken = &places[1];
    let free = places.iter().find(|place| is_free(place, sources));
    free.cloned().ok_or_else(|| {
        Fault::usage(format!(
            "{} is there already and is no picture by mkcase: move it away, or leave the picture out by --picture none",
            taken.display()
        ))
    })
}

/// Whether nothing is there but, maybe, an older picture by this tool.
fn is_free(place: &Path, sources: &[PathBuf]) -> bool {
    let is = |source: &PathBuf| source.canonicalize().ok().zip(place.canonicalize().ok()).is_some_and(|(a, b)| a == b);
    let is_own = || text_of(place, SOFTWARE).is_some_and(|text| text.starts_with(software_prefix()));
    place.symlink_metadata().is_err() || (!sources.iter().any(is) && is_own())
}
