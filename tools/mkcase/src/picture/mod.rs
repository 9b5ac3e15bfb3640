//! The picture of a case: what is fluid, where it opens, what is in it, before anything runs.
//!
//! [`page`] puts the panels together: [`flat`] draws sections along the lattice's axes (in 2-D the case itself), [`view`]
//! the fluid as a solid seen from outside, [`members`] cells and bodies, [`openings`] where they open,
//! [`label`] what these are called, [`terrain`] what the ground looks like. All work
//! from the sparse lattice. Sites become pixels; what stands upon them, text and shapes.

mod depth;
mod flat;
mod label;
mod layout;
mod members;
mod mouth;
mod openings;
mod page;
mod scene;
mod shade;
mod terrain;
mod view;

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use hematite_case::{Lattice, Partition, Population};
use hematite_config::{Fault, Result};
use hematite_drawing::page::{files, is_by};

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
    /// Draws it into `stem`.svg and `stem`.png.
    ///
    /// # Errors
    /// An I/O fault that names the file.
    pub fn write(&self, stem: &Path) -> Result<()> {
        page::draw(&Scene::new(self)).write(stem, &self.name, TOOL)
    }
}

/// The tool that draws pictures of cases, as they name it.
const TOOL: &str = "mkcase";

/// Where the two files of the picture of the case at `output` go, without their ends: beside it, with .svg and .png for .h5;
/// where one of them is a file that the case is made from, or a picture by another program, with -picture before these ends.
///
/// # Errors
/// A usage fault where that is taken, too.
pub fn place(output: &Path, sources: &[PathBuf]) -> Result<PathBuf> {
    let stem = output.file_stem().unwrap_or_default().to_string_lossy();
    let places = ["", "-picture"].map(|end| output.with_file_name(format!("{stem}{end}")));
    let taken = |place: &Path| files(place).into_iter().find(|file| !is_free(file, sources));
    match (taken(&places[0]), taken(&places[1])) {
        (None, _) => Ok(places[0].clone()),
        (_, None) => Ok(places[1].clone()),
        (_, Some(file)) => Err(Fault::usage(format!(
            "{} is there already and is no picture by mkcase: move it away, or leave the picture out by --picture none",
            file.display()
        ))),
    }
}

/// Whether nothing is there but, maybe, an older picture by this tool.
fn is_free(place: &Path, sources: &[PathBuf]) -> bool {
    let is = |source: &PathBuf| source.canonicalize().ok().zip(place.canonicalize().ok()).is_some_and(|(a, b)| a == b);
    place.symlink_metadata().is_err() || (!sources.iter().any(is) && is_by(place, TOOL))
}
