//! The command line of `mkcase`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Parser;

use crate::picture::PictureOf;

const EXAMPLES: &str = "\
Examples:
  mkcase cases/aneurysm.json                       writes cases/aneurysm.h5, draws cases/aneurysm.{png,svg}
  mkcase cases/aneurysm.json -o /tmp/a.h5          writes there
  mkcase cases/aneurysm.json --parts 1,4,16        stores partitions for 1, 4 and 16 ranks
  mkcase cases/aneurysm.json --picture parts       draws its parts, too
  mkcase cases/aneurysm.json --check               says what it would make, writes nothing
  mkcase cases/aneurysm.json --check --picture     the same, and draws it
  mkcase --schema > case.schema.json               what CASE.json may hold

A run on a number of ranks for which no partition is stored makes one, with the same result.

Exit codes:
  0   done
  2   bad usage, config or geometry; nothing was written
  6   writing failed; nothing was written
  70  internal error: please report it";

/// Makes a case from geometry: a sparse lattice, its openings, its cells and its partitions, in one HDF5 file.
///
/// CASE.json names an image, a voxel volume or the surface of a vessel, the lattice spacing, the openings and the
/// cells to seed; paths in it are relative to it. The case says where fluid is; pressures, velocities and viscosity
/// come with the run.
#[derive(Debug, Parser)]
#[command(name = "mkcase", version, after_help = EXAMPLES)]
pub struct Arguments {
    /// The config of the case, JSON.
    #[arg(value_name = "CASE.json", required_unless_present = "schema")]
    pub config: Option<PathBuf>,

    /// The case file to write [default: CASE.json with .h5 for .json]. A case that is there is replaced, any other
    /// file is not.
    #[arg(short, long, value_name = "CASE.h5")]
    pub output: Option<PathBuf>,

    /// Numbers of ranks to store partitions for, in place of those of the config.
    #[arg(long, value_name = "N[,N..]", value_delimiter = ',')]
    pub parts: Option<Vec<NonZeroUsize>>,

    /// What is drawn beside the case, into CASE.png and CASE.svg [default: case, with --check none]. Where one of these is a file
    /// that the case is made from, or another's picture, the picture goes into CASE-picture.png and CASE-picture.svg
    #[arg(long, value_name = "WHAT", value_enum, num_args = 0..=1, default_missing_value = "case")]
    pub picture: Option<PictureOf>,

    /// Reads and checks everything, says what would be made and where vessels end, writes nothing but the picture that --picture
    /// asks for. Cells are counted and tried against the walls, not placed.
    #[arg(long)]
    pub check: bool,

    /// Prints the JSON Schema of CASE.json and ends.
    #[arg(long, exclusive = true)]
    pub schema: bool,

    /// No progress on stderr; the report on stdout and errors stay.
    #[arg(long)]
    pub quiet: bool,
}
