//! GeoTIFF: the first page of a TIFF, and the tags that say where it lies on a map.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use hematite_config::{Fault, Result};
use tiff::decoder::Decoder;
use tiff::tags::Tag;

use super::grid::{Grid, MapPlace, is_square, no_squares};
use super::tiff::first_page;
use super::tiff_claims::fault;

/// Keys of the directory of a GeoTIFF.
const MODEL: u16 = 1024;
const RASTER: u16 = 1025;
const PROJECTED_SYSTEM: u16 = 3072;
const MAP_UNIT: u16 = 3076;
const HEIGHT_UNIT: u16 = 4099;

/// Values of these keys.
const PROJECTED: u16 = 1;
const GEOGRAPHIC: u16 = 2;
const GEOCENTRIC: u16 = 3;
const PIXEL_IS_POINT: u16 = 2;

pub(super) fn read(path: &Path) -> Result<Grid> {
    let (mut volume, mut decoder) = first_page(path)?;
    volume.values.flip_rows(volume.shape[0]);
    let keys = Keys::of(&mut decoder)?;
    let rows = volume.shape[1];
    let raster = raster(&mut decoder, keys.get(RASTER) == Some(PIXEL_IS_POINT))?;
    keys.check_model(raster.as_ref())?;
    let place = raster.map(|raster| raster.place(rows, &keys)).transpose()?;
    let height_unit = keys.get(HEIGHT_UNIT).and_then(metres);
    Ok(Grid { volume, place, missing: missing(&mut decoder)?, height_unit })
}

/// The value of GDAL's tag for none.
fn missing(decoder: &mut Decoder<BufReader<File>>) -> Result<Option<f64>> {
    let Some(value) = decoder.find_tag(Tag::GdalNodata).map_err(fault)? else { return Ok(None) };
    let text = value.into_string().map_err(fault)?;
    let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\0');
    let number = text.parse().map_err(|_| {
        Fault::usage(format!(
            "its tag 42113 says that \"{text:.40}\" stands for none, which is no number: take the tag out, e.g. by \
             `gdal_edit.py -unsetnodata`, and give \"missing\""
        ))
    })?;
    Ok(Some(number))
}

/// The keys of a GeoTIFF whose values stand in the directory itself.
struct Keys(Vec<(u16, u16)>);

impl Keys {
    fn of(decoder: &mut Decoder<BufReader<File>>) -> Result<Self> {
        let Some(value) = decoder.find_tag(Tag::GeoKeyDirectoryTag).map_err(fault)? else {
            return Ok(Self(Vec::new()));
        };
        let words = value.into_u16_vec().map_err(fault)?;
        // A header of four words; a key, where its value is (0: here), how many there are, the value.
        let entries = words.get(4..).unwrap_or_default().chunks_exact(4);
        Ok(Self(entries.filter(|entry| entry[1] == 0).map(|entry| (entry[0], entry[3])).collect()))
    }

    fn get(&self, key: u16) -> Option<u16> {
        self.0.iter().find(|(known, _)| *known == key).map(|&(_, value)| value)
    }

    /// The number of its projected system, where it has one: 0 and 32767 say that it is none of EPSG's.
    fn projected(&self) -> Option<u16> {
        self.get(PROJECTED_SYSTEM).filter(|&code| code != 0 && code != 32767)
    }

    /// Refuses coordinates that are no lengths.
    fn check_model(&self, raster: Option<&Raster>) -> Result<()> {
        let what = match self.get(MODEL) {
            Some(GEOGRAPHIC) => "degrees of longitude and latitude",
            Some(GEOCENTRIC) => "places from the middle of the earth",
            _ => return Ok(()),
        };
        let zone = raster.and_then(Raster::zone).filter(|_| self.get(MODEL) == Some(GEOGRAPHIC));
        let code = zone.map_or("326xx".to_owned(), |code| code.to_string());
        Err(Fault::usage(format!(
            "its coordinates are {what}, and a lattice needs metres: project it, e.g. by `gdalwarp -t_srs EPSG:{code} -r bilinear \
             IN OUT`{}",
            if zone.is_none() { " with the UTM zone of the place for xx" } else { "" }
        )))
    }

    /// Metres in a unit of the map.
    fn map_unit(&self) -> Option<f64> {
        match self.get(MAP_UNIT) {
            Some(code) => metres(code),
            None if self.get(MODEL) == Some(PROJECTED) => self.projected().filter(|&code| is_utm(code)).map(|_| 1.0),
            None => None,
        }
    }
}

/// Whether a projected system is one of UTM's zones by WGS 84 or ETRS89, whose unit is the metre.
fn is_utm(code: u16) -> bool {
    matches!(code, 32601..=32660 | 32701..=32760 | 25828..=25838)
}

/// Metres in a unit of length by its number; none of others.
fn metres(code: u16) -> Option<f64> {
    match code {
        9001 => Some(1.0),
        9002 => Some(0.3048),
        9003 => Some(1200.0 / 3937.0),
        _ => None,
    }
}

/// How pixels lie on the map: the upper-left corner, and the edges of a pixel to the east and the south.
struct Raster {
    corner: [f64; 2],
    edges: [f64; 2],
}

/// Where a page lies, by its scale and a tie point or by its transformation; none where it has none of these.
fn raster(decoder: &mut Decoder<BufReader<File>>, is_of_points: bool) -> Result<Option<Raster>> {
    let mut numbers = |tag: Tag| {
        let value = decoder.find_tag(tag).map_err(fault)?;
        value.map(|value| value.into_f64_vec().map_err(fault)).transpose()
    };
    let [scale, ties, matrix] =
        [numbers(Tag::ModelPixelScaleTag)?, numbers(Tag::ModelTiepointTag)?, numbers(Tag::ModelTransformationTag)?];
    let (mut corner, edges) = match (scale.as_deref(), ties.as_deref(), matrix.as_deref()) {
        (Some(&[sx, sy, ..]), Some(&[i, j, _, x, y, _, ..]), _) => ([x - i * sx, y + j * sy], [sx, sy]),
        (_, _, Some(&[a, b, _, x, d, e, _, y, ..])) => {
            if b != 0.0 || d != 0.0 {
                return Err(Fault::usage(
                    "its rows do not run from west to east: turn it upright, e.g. by `gdalwarp -r bilinear IN OUT`",
                ));
            }
            ([x, y], [a, -e])
        }
        (_, Some(_), _) => {
            return Err(Fault::usage(
                "has points of the map and no size of a pixel: warp it onto the map, e.g. by `gdalwarp -r bilinear IN OUT`",
            ));
        }
        (Some(_), None, _) => {
            return Err(Fault::usage("has a size of a pixel and no point of the map: its tag 33922 is missing"));
        }
        _ => return Ok(None),
    };
    if !(edges[0] > 0.0 && edges[1] > 0.0 && edges.iter().chain(&corner).all(|x| x.is_finite())) {
        return Err(Fault::usage(format!(
            "its pixels are {} to the east and {} to the south: both must be above 0, as `gdalwarp IN OUT` makes them",
            edges[0], edges[1]
        )));
    }
    if is_of_points {
        corner = [corner[0] - 0.5 * edges[0], corner[1] + 0.5 * edges[1]];
    }
    Ok(Some(Raster { corner, edges }))
}

impl Raster {
    /// The place of a grid of so many rows.
    fn place(&self, rows: usize, keys: &Keys) -> Result<MapPlace> {
        let ([x, y], [dx, dy]) = (self.corner, self.edges);
        if !is_square(dx, dy) {
            return Err(Fault::usage(no_squares(dx, dy)));
        }
        let system = keys.projected().map(|code| format!("EPSG:{code}"));
        Ok(MapPlace { corner: [x, y - rows as f64 * dy], cell: dx, unit: keys.map_unit(), system })
    }

    /// The number of the UTM zone of its corner in degrees.
    fn zone(&self) -> Option<u32> {
        let [longitude, latitude] = self.corner;
        let is_place = (-180.0..180.0).contains(&longitude) && (-90.0..=90.0).contains(&latitude);
        let first = if latitude < 0.0 { 32701 } else { 32601 };
        is_place.then(|| first + ((longitude + 180.0) / 6.0) as u32)
    }
}
