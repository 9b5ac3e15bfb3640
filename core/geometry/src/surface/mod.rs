//! Surfaces of triangles to the domain within them.
//!
//! Files are read, mended or refused ([`mend`]), and brought to metres; every row of sites along x counts how often it
//! goes into the surface and out of it ([`crossings`]). The surface stays with the domain: walls have their exact
//! distances from it.

mod crossings;
mod edges;
mod ends;
mod flat;
mod mend;
mod mesh;
mod nearest;
mod rays;
mod read;
mod rims;
mod shells;
mod voxels;
mod weld;

use std::path::{Path, PathBuf};

use hematite_config::{Fault, Result, sibling};
use hematite_units::number::as_given;
use hematite_units::quantity::Length;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::end::{End, EndsConfig};
use mend::{Mended, Short, place};
pub(crate) use mend::{count, metres};
use mesh::Mesh;
pub use mesh::Vector;
pub use nearest::Foot;
pub use voxels::Cuts;
pub(crate) use voxels::fill;

/// Triangles that are tried for crossing others.
const TRIED: usize = 200_000;

/// The surface of a vessel, a mesh of triangles, e.g. {"file": "aorta.stl", "unit": "1 mm"}. Fluid is within it: where a
/// line from outside has gone into it more often than out. So shells that overlap are one vessel, and a shell within
/// another is a hole. Which way triangles look does not matter. Flat open rims across a vessel are closed and are its
/// ends, small holes are closed, what has no thickness goes; `mkcase` tells all of it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub struct SurfaceConfig {
    /// The file (.stl .ply .obj), binary or text.
    pub file: PathBuf,
    /// What 1 in the files is, e.g. "1 mm". Such files do not tell it.
    #[serde(default)]
    pub unit: Option<Length>,
    /// Further files of the same unit and place: bodies within the vessel, e.g. ["stent.stl"]. Their insides are wall.
    #[serde(default)]
    pub bodies: Vec<PathBuf>,
    /// Makes openings of all ends of the vessel, e.g. {"largest": "velocity", "others": "pressure"}: "end-0", "end-1"
    /// and so on, the largest first, as `mkcase --check` lists them. Default: only those that `openings` name by `end`.
    #[serde(default)]
    pub ends: Option<EndsConfig>,
}

impl SurfaceConfig {
    /// Its files.
    pub fn files(&self, config_path: &Path) -> Vec<PathBuf> {
        std::iter::once(&self.file).chain(&self.bodies).map(|file| sibling(config_path, file)).collect()
    }
}

/// Closed surfaces with the fluid behind their triangles.
#[derive(Clone, Debug)]
pub struct Surface {
    mesh: Mesh,
    /// The first triangle of each body, and their number; those before are the vessel's.
    bodies: Vec<usize>,
    /// Which surfaces have no fronts and backs, the vessel's first.
    parity: Vec<bool>,
    tree: nearest::Tree,
}

/// A surface in metres, before it has a lattice.
pub(crate) struct Loaded {
    mesh: Mesh,
    bodies: Vec<usize>,
    /// The files of the bodies.
    names: Vec<String>,
    parity: Vec<bool>,
    /// The ends of the vessel, in metres.
    pub ends: Vec<End>,
    /// What there is to say of it, a sentence each.
    pub notes: Vec<String>,
    /// What the user should look at.
    pub warnings: Vec<String>,
}

/// Reads and mends the files of a config.
///
/// # Errors
/// A usage fault that names the file, what is wrong and what to do; without a unit one that tells the file's extents.
pub(crate) fn load(config_path: &Path, config: &SurfaceConfig) -> Result<Loaded> {
    let files = config.files(config_path);
    let mut loaded = Loaded {
        mesh: Mesh::default(),
        bodies: Vec::new(),
        names: Vec::new(),
        parity: Vec::new(),
        ends: Vec::new(),
        notes: Vec::new(),
        warnings: Vec::new(),
    };
    for (k, file) in files.iter().enumerate() {
        let within = |fault: Fault| fault.within(file.display());
        let read = read::mesh(file)?;
        let unit = unit(config, &read).map_err(within)?;
        let mut mended = mend::mend(read, unit).map_err(within)?;
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        loaded.notes.extend(mended.notes.drain(..).map(|note| format!("{name}: {note}")));
        if k == 0 {
            loaded.notes.push(format!("{name}: 1 of its lengths is {}", as_given(unit, "m")));
        }
        loaded.warnings.extend(mended.warnings.drain(..).map(|warning| format!("{name}: {warning}")));
        loaded.warnings.extend(crossing(&mended.mesh).map(|warning| format!("{name}: {warning}")));
        mended.mesh.points.iter_mut().flatten().for_each(|x| *x *= unit);
        if k == 0 {
            let found = ends::ends(&mended);
            loaded.ends = found.ends;
            loaded.notes.extend(found.notes.into_iter().map(|note| format!("{name}: {note}")));
            loaded.warnings.extend(found.warnings.into_iter().map(|warning| format!("{name}: {warning}")));
        } else {
            loaded.warnings.extend(plug(&mended).map(|warning| format!("{name}: {warning}")));
            loaded.names.push(file.display().to_string());
            // Fluid is in front of a body's triangles: turned, it is behind them as it is behind the vessel's.
            (0..mended.mesh.triangles.len()).for_each(|t| mended.mesh.flip(t));
            loaded.bodies.push(loaded.mesh.triangles.len());
        }
        loaded.take(mended);
    }
    Ok(loaded)
}

impl Loaded {
    fn take(&mut self, mended: Mended) {
        let first = self.mesh.points.len() as u32;
        self.mesh.points.extend(mended.mesh.points);
        self.mesh.triangles.extend(mended.mesh.triangles.into_iter().map(|corners| corners.map(|k| k + first)));
        self.parity.push(mended.parity);
    }

    /// The surface in units of sites, whose centres are at whole numbers.
    pub fn on_lattice(self, origin: Vector, spacing: f64) -> Surface {
        let mut mesh = self.mesh;
        for point in &mut mesh.points {
            *point = [0, 1, 2].map(|axis| (point[axis] - origin[axis]) / spacing - 0.5);
        }
        let tree = nearest::Tree::of(&mesh, 0..mesh.triangles.len());
        Surface { mesh, bodies: self.bodies, parity: self.parity, tree }
    }

    /// Its lowest and highest coordinates, metres.
    pub fn extents(&self) -> Option<[Vector; 2]> {
        self.mesh.extents()
    }

    /// Those of the vessel, then of each body.
    fn boxes(&self) -> Vec<[Vector; 2]> {
        let all = self.mesh.triangles.len();
        let starts = std::iter::once(0).chain(self.bodies.iter().copied());
        let ends = self.bodies.iter().copied().chain(std::iter::once(all));
        let of = |triangles: std::ops::Range<usize>| {
            let points = triangles.flat_map(|t| self.mesh.corners(t));
            points.fold([[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]], |[low, high], point| {
                [[0, 1, 2].map(|a| low[a].min(point[a])), [0, 1, 2].map(|a| high[a].max(point[a]))]
            })
        };
        starts.zip(ends).map(|(start, end)| of(start..end)).collect()
    }
}

/// What to say of a body, in metres, whose open rims were capped.
fn plug(body: &Mended) -> Option<String> {
    let cap = body.caps.first()?;
    let at = body.mesh.corners(cap.start)[0].map(|x| format!("{x:.4e}")).join(", ");
    Some(format!(
        "the body has {}, the first at ({at}) m, which were capped: an open sleeve is a solid plug so, and nothing flows \
         through it; give its wall an inner and an outer side where it is hollow",
        count(body.caps.len(), "open rim")
    ))
}

fn unit(config: &SurfaceConfig, mesh: &Mesh) -> Result<f64> {
    let [low, high] = mesh.extents().unwrap_or_default();
    let sizes = [0, 1, 2].map(|axis| high[axis] - low[axis]);
    match config.unit.map(Length::si) {
        Some(unit) if (1e-15..=1e6).contains(&unit) => Ok(unit),
        Some(unit) => {
            Err(Fault::usage(format!("geometry.surface.unit: {unit:e} m must be from 1e-15 to 1e6 m, e.g. \"1 mm\"")))
        }
        None => Err(Fault::usage(format!(
            "geometry.surface: needs \"unit\", what 1 in the file is, e.g. \"1 mm\"; the mesh goes from {} to {}, so with \
             \"1 mm\" it is {} mm by {} mm by {} mm",
            place(low),
            place(high),
            Short(sizes[0]),
            Short(sizes[1]),
            Short(sizes[2])
        ))),
    }
}

/// What to say of triangles that cross others.
fn crossing(mesh: &Mesh) -> Option<String> {
    let tree = nearest::Tree::of(mesh, 0..mesh.triangles.len());
    let step = mesh.triangles.len().div_ceil(TRIED);
    let pairs = tree.pierced(mesh, step);
    let &[first, _] = pairs.first()?;
    let tried = if step == 1 { String::new() } else { format!(", one in {step} tried") };
    Some(format!(
        "{} of triangles cross each other{tried}, the first near {}: where shells or folds overlap all of it is fluid; look \
         at the place",
        count(pairs.len(), "pair"),
        place(mesh.corners(first as usize)[0])
    ))
}
