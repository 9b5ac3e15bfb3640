//! Models of terrain, written by the tests, as the geometry of a case.

mod ascii;
mod geo_tiff;
mod lattice;
mod regions;

use std::collections::BTreeMap;
use std::path::Path;

use hematite_config::{Exit, Fault, from_value};
use hematite_geometry::{Domain, ELEVATION, RegionNodes, Site, build_marked};
use serde_json::{Value, json};

/// A domain of terrain with what is marked in it.
pub struct Land {
    /// The domain.
    pub domain: Domain,
    /// The sites of its nodes.
    pub positions: Vec<[i32; 3]>,
    /// The nodes of its regions.
    pub regions: Vec<RegionNodes>,
    /// Heights at the nodes.
    pub elevation: Vec<f64>,
}

impl Land {
    /// The place of a node, metres.
    pub fn place(&self, node: usize) -> [f64; 2] {
        let along = |axis: usize| {
            self.domain.origin[axis] + (f64::from(self.positions[node][axis]) + 0.5) * self.domain.spacing
        };
        [along(0), along(1)]
    }

    /// The height at the node whose centre is at a place.
    pub fn height(&self, x: f64, y: f64) -> Option<f64> {
        let is_here = |&n: &usize| (0..2).all(|axis| (self.place(n)[axis] - [x, y][axis]).abs() < 1e-6);
        (0..self.positions.len()).find(is_here).map(|n| self.elevation[n])
    }
}

/// The land of a `geometry` with `regions`, in a folder.
pub fn land(folder: &Path, geometry: Value, regions: Value) -> Result<Land, Fault> {
    let geometry = from_value("geometry", geometry)?;
    let regions: Vec<_> = from_value("regions", regions)?;
    let (domain, marking) = build_marked(&folder.join("CASE.json"), &geometry, &[], &[], &regions, &BTreeMap::new())?;
    let [nx, ny, _] = domain.extent;
    let fluid = (0..domain.sites.len()).filter(|&i| domain.sites[i] == Site::FLUID);
    let positions: Vec<[i32; 3]> = fluid.map(|i| [i % nx, i / nx % ny, i / (nx * ny)].map(|k| k as i32)).collect();
    let regions = marking.regions(&positions)?;
    let fields = marking.fields(&positions, &regions)?;
    let [field] = &fields[..] else { panic!("one field") };
    assert_eq!((field.name.as_str(), field.unit.as_str()), (ELEVATION, "m"));
    Ok(Land { domain, positions, regions, elevation: field.values.clone() })
}

/// Expects that a geometry is refused, with these pieces in the message.
pub fn refused(folder: &Path, geometry: Value, regions: Value, pieces: &[&str]) {
    let what = format!("{geometry} {regions}");
    let fault = land(folder, geometry, regions).err().unwrap_or_else(|| panic!("{what} is not refused"));
    assert_eq!(fault.exit, Exit::Usage, "{what}: {fault}");
    for piece in pieces {
        assert!(fault.message.contains(piece), "{what}: {piece:?} is not in: {fault}");
    }
}

/// The height of cell (x, y), y up, in whole numbers.
pub fn cell(x: usize, y: usize) -> f64 {
    (100 + 3 * x + 7 * y + (x * y) % 5) as f64
}

/// Heights, the northern row first, as files have them.
pub fn rows(nx: usize, ny: usize) -> impl Iterator<Item = f64> {
    (0..ny).rev().flat_map(move |y| (0..nx).map(move |x| cell(x, y)))
}

/// An ESRI ASCII grid of 8 x 6 cells of 10 at (500000, 4170000), without data at the cells in `missing`.
pub fn write_asc(folder: &Path, missing: &[[usize; 2]]) {
    let mut text =
        "ncols 8\nnrows 6\nxllcorner 500000\nyllcorner 4170000\ncellsize 10\nNODATA_value -9999\n".to_owned();
    for y in (0..6).rev() {
        let height = |x: usize| if missing.contains(&[x, y]) { -9999.0 } else { cell(x, y) };
        text += &(0..8).map(|x| height(x).to_string()).collect::<Vec<_>>().join(" ");
        text += "\n";
    }
    std::fs::write(folder.join("land.asc"), text).expect("writes");
}

/// The geometry of that file.
pub fn of_asc() -> Value {
    json!({"terrain": {"file": "land.asc", "unit": "1 m", "cell_unit": "1 m"}})
}
