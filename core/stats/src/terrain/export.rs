//! Values of cells as rasters that geographic software reads: ESRI ASCII grids and GeoTIFF.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use hematite_config::{Fault, Result, publish};
use tiff::encoder::{TiffEncoder, colortype};
use tiff::tags::Tag;

use crate::lookup::Nodes;

/// Stands for no value in files.
const NO_DATA: f32 = -9999.0;

/// Where a map lies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Georeference {
    /// Name of the reference system, e.g. "EPSG:32633"; `None` where it is not known.
    pub system: Option<String>,
}

impl Georeference {
    /// The number of an EPSG system.
    fn epsg(&self) -> Option<u16> {
        self.system.as_ref()?.strip_prefix("EPSG:")?.parse().ok()
    }
}

/// Values row by row, the uppermost first, with [`NO_DATA`] where there is none; and columns, rows, the lower left corner in m.
struct Dense {
    values: Vec<f32>,
    size: [usize; 2],
    corner: [f64; 2],
    spacing: f64,
}

impl Dense {
    fn new(nodes: &Nodes, values: &[Option<f64>]) -> Self {
        let (grid, low, high) = (nodes.grid(), nodes.low(), nodes.high());
        let size = [0, 1].map(|a| (high[a] - low[a]) as usize + 1);
        let mut dense = vec![NO_DATA; size[0] * size[1]];
        for (p, value) in grid.position.iter().zip(values) {
            let [x, y] = [0, 1].map(|a| (i64::from(p[a]) - low[a]) as usize);
            if let Some(value) = value {
                dense[(size[1] - 1 - y) * size[0] + x] = *value as f32;
            }
        }
        let corner = [0, 1].map(|a| grid.origin[a] + low[a] as f64 * grid.spacing);
        Self { values: dense, size, corner, spacing: grid.spacing }
    }
}

/// Writes the values of cells as an ESRI ASCII grid.
///
/// # Errors
/// An I/O fault that names the file.
pub fn write_ascii(path: &Path, nodes: &Nodes, values: &[Option<f64>]) -> Result<()> {
    let Dense { values, size: [columns, rows], corner: [x, y], spacing } = Dense::new(nodes, values);
    let write = |temporary: &Path| -> std::io::Result<()> {
        let mut out = BufWriter::new(File::create(temporary)?);
        writeln!(out, "ncols {columns}\nnrows {rows}\nxllcorner {x}\nyllcorner {y}\ncellsize {spacing}")?;
        writeln!(out, "NODATA_value {NO_DATA}")?;
        for row in values.chunks(columns) {
            let texts: Vec<String> = row.iter().map(f32::to_string).collect();
            writeln!(out, "{}", texts.join(" "))?;
        }
        out.flush()
    };
    publish(path, |temporary| write(temporary).map_err(|error| fault(path, error)))
}

fn fault(path: &Path, error: impl std::fmt::Display) -> Fault {
    Fault::io(format!("cannot write {}: {error}", path.display()))
}

// Tags and keys of GeoTIFF 1.1 (OGC 19-008r4), and GDAL's tag for cells without data.
const MODEL_PIXEL_SCALE: u16 = 33_550;
const MODEL_TIEPOINT: u16 = 33_922;
const GEO_KEY_DIRECTORY: u16 = 34_735;
const GDAL_NO_DATA: u16 = 42_113;
const GT_MODEL_TYPE: u16 = 1024;
const GT_RASTER_TYPE: u16 = 1025;
const PROJECTED_CS_TYPE: u16 = 3072;
const LINEAR_UNITS: u16 = 3076;
const METRE: u16 = 9001;

/// The keys of a map in metres.
fn keys(georeference: &Georeference) -> Vec<u16> {
    // Projected; pixels are areas. Each key: its number, no tag, one value, the value.
    let mut keys = vec![[GT_MODEL_TYPE, 1], [GT_RASTER_TYPE, 1]];
    keys.extend(georeference.epsg().map(|epsg| [PROJECTED_CS_TYPE, epsg]));
    keys.push([LINEAR_UNITS, METRE]);
    let head = [1, 1, 0, keys.len() as u16];
    head.into_iter().chain(keys.into_iter().flat_map(|[key, value]| [key, 0, 1, value])).collect()
}

/// Writes the values of cells as a GeoTIFF of 32-bit numbers.
///
/// # Errors
/// An I/O fault that names the file.
pub fn write_geotiff(path: &Path, nodes: &Nodes, values: &[Option<f64>], georeference: &Georeference) -> Result<()> {
    let Dense { values, size, corner: [x, y], spacing } = Dense::new(nodes, values);
    let [columns, rows] = size;
    let write = |temporary: &Path| -> std::result::Result<(), tiff::TiffError> {
        let mut encoder = TiffEncoder::new(BufWriter::new(File::create(temporary)?))?;
        let mut image = encoder.new_image::<colortype::Gray32Float>(columns as u32, rows as u32)?;
        let directory = image.encoder();
        directory.write_tag(Tag::Unknown(MODEL_PIXEL_SCALE), &[spacing, spacing, 0.0][..])?;
        // The upper left corner of the first pixel.
        let top = y + rows as f64 * spacing;
        directory.write_tag(Tag::Unknown(MODEL_TIEPOINT), &[0.0, 0.0, 0.0, x, top, 0.0][..])?;
        directory.write_tag(Tag::Unknown(GEO_KEY_DIRECTORY), &keys(georeference)[..])?;
        directory.write_tag(Tag::Unknown(GDAL_NO_DATA), &*NO_DATA.to_string())?;
        image.write_data(&values)
    };
    publish(path, |temporary| write(temporary).map_err(|error| fault(path, error)))
}

#[cfg(test)]
mod tests {
    use tiff::decoder::{Decoder, DecodingResult};

    use super::*;
    use crate::testing::grid_of;

    fn values() -> (hematite_dump::Grid, Vec<Option<f64>>) {
        // A cell is missing, one has no value.
        let grid = grid_of(2, 5.0, [[2, 3, 0], [3, 3, 0], [2, 4, 0]].into_iter());
        (grid, vec![Some(1.5), None, Some(-0.25)])
    }

    #[test]
    fn an_ascii_grid_has_its_north_row_first() {
        let (grid, values) = values();
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("lava.asc");
        write_ascii(&path, &Nodes::new(&grid).expect("nodes"), &values).expect("writes");
        let text = std::fs::read_to_string(&path).expect("reads");
        let [x, y] = [0, 1].map(|a| grid.origin[a] + [10.0, 15.0][a]);
        let head = format!("ncols 2\nnrows 2\nxllcorner {x}\nyllcorner {y}\ncellsize 5\nNODATA_value -9999\n");
        assert_eq!(text, head + "-0.25 -9999\n1.5 -9999\n");
    }

    #[test]
    fn a_geotiff_says_where_it_lies() {
        let (grid, values) = values();
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("lava.tif");
        let georeference = Georeference { system: Some("EPSG:32633".into()) };
        write_geotiff(&path, &Nodes::new(&grid).expect("nodes"), &values, &georeference).expect("writes");
        let mut decoder = Decoder::new(File::open(&path).expect("opens")).expect("a TIFF");
        assert_eq!(decoder.dimensions().expect("a size"), (2, 2));
        let numbers = |decoder: &mut Decoder<File>, tag| decoder.get_tag_f64_vec(Tag::Unknown(tag)).expect("numbers");
        assert_eq!(numbers(&mut decoder, MODEL_PIXEL_SCALE), [5.0, 5.0, 0.0]);
        let corner = numbers(&mut decoder, MODEL_TIEPOINT);
        assert_eq!(corner[3..5], [grid.origin[0] + 10.0, grid.origin[1] + 25.0]);
        let keys = decoder.get_tag_u16_vec(Tag::Unknown(GEO_KEY_DIRECTORY)).expect("keys");
        assert_eq!(keys[..8], [1, 1, 0, 4, GT_MODEL_TYPE, 0, 1, 1]);
        assert!(keys.chunks(4).any(|key| key == [PROJECTED_CS_TYPE, 0, 1, 32_633]));
        let DecodingResult::F32(found) = decoder.read_image().expect("pixels") else { panic!("32-bit numbers") };
        assert_eq!(found, [-0.25, NO_DATA, 1.5, NO_DATA]);
    }
}
