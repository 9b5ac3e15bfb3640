//! GeoTIFFs: where they lie, in which units, and what is refused.

use std::fs::File;
use std::path::Path;

use serde_json::{Value, json};
use tiff::encoder::{TiffEncoder, colortype};
use tiff::tags::Tag;

use super::{cell, land, refused, rows};

/// What a GeoTIFF says of itself; 4 x 3 cells.
#[derive(Clone, Default)]
struct Geo {
    keys: Vec<(u16, u16)>,
    scale: Vec<f64>,
    ties: Vec<f64>,
    matrix: Vec<f64>,
    missing: Option<&'static str>,
}

/// UTM zone 33 north, upper-left corner at (500000, 4170030), cells of 10 m, heights in metres.
fn utm() -> Geo {
    Geo {
        keys: vec![(1024, 1), (1025, 1), (3072, 32633), (3076, 9001), (4099, 9001)],
        scale: vec![10.0, 10.0, 0.0],
        ties: vec![0.0, 0.0, 0.0, 500_000.0, 4_170_030.0, 0.0],
        ..Geo::default()
    }
}

impl Geo {
    fn with(mut self, key: u16, value: u16) -> Self {
        self.keys.retain(|(known, _)| *known != key);
        self.keys.push((key, value));
        self
    }

    fn without(mut self, key: u16) -> Self {
        self.keys.retain(|(known, _)| *known != key);
        self
    }

    /// Writes the heights of `rows`, then a page of another size, as overviews are.
    fn write(&self, path: &Path) {
        let mut encoder = TiffEncoder::new(File::create(path).expect("creates")).expect("begins");
        let mut image = encoder.new_image::<colortype::Gray32Float>(4, 3).expect("a page");
        let tags = image.encoder();
        for (tag, numbers) in [
            (Tag::ModelPixelScaleTag, &self.scale),
            (Tag::ModelTiepointTag, &self.ties),
            (Tag::ModelTransformationTag, &self.matrix),
        ] {
            if !numbers.is_empty() {
                tags.write_tag(tag, &numbers[..]).expect("a tag");
            }
        }
        if !self.keys.is_empty() {
            let mut words = vec![1, 1, 0, self.keys.len() as u16];
            self.keys.iter().for_each(|&(key, value)| words.extend([key, 0, 1, value]));
            tags.write_tag(Tag::GeoKeyDirectoryTag, &words[..]).expect("a tag");
        }
        if let Some(missing) = self.missing {
            tags.write_tag(Tag::GdalNodata, missing).expect("a tag");
        }
        let values: Vec<f32> = rows(4, 3).map(|z| z as f32).collect();
        image.write_data(&values).expect("writes");
        encoder.write_image::<colortype::Gray32Float>(2, 1, &[1.0, 2.0]).expect("writes");
    }
}

fn geometry(keys: Value) -> Value {
    let mut terrain = json!({"file": "land.tif"});
    keys.as_object().expect("keys").iter().for_each(|(key, value)| terrain[key] = value.clone());
    json!({"terrain": terrain})
}

#[test]
fn a_file_tells_its_place_its_units_and_its_system() {
    let folder = tempfile::tempdir().expect("a folder");
    let by_matrix = Geo {
        scale: Vec::new(),
        ties: Vec::new(),
        matrix: [[10.0, 0.0, 0.0, 500_000.0], [0.0, -10.0, 0.0, 4_170_030.0], [0.0; 4], [0.0, 0.0, 0.0, 1.0]].concat(),
        ..utm()
    };
    let by_middle = Geo { ties: vec![2.0, 1.0, 0.0, 500_020.0, 4_170_020.0, 0.0], ..utm() };
    let of_points = Geo { ties: vec![0.0, 0.0, 0.0, 500_005.0, 4_170_025.0, 0.0], ..utm() }.with(1025, 2);
    for geo in [utm(), by_matrix, by_middle, of_points, utm().without(3076), utm().without(1025)] {
        geo.write(&folder.path().join("land.tif"));
        let land = land(folder.path(), geometry(json!({})), json!([])).expect("builds");
        assert_eq!((land.domain.spacing, land.domain.extent), (10.0, [6, 5, 1]));
        assert_eq!(land.domain.origin, [499_990.0, 4_169_990.0, 0.0]);
        assert_eq!(land.domain.report.reference_system.as_deref(), Some("EPSG:32633"));
        let wanted: Vec<f64> = (0..3).flat_map(|y| (0..4).map(move |x| cell(x, y))).collect();
        assert_eq!(land.elevation, wanted);
    }
    // Feet of the map and of heights; a value that stands for none.
    let feet = Geo { missing: Some("103"), ..utm().with(3076, 9002).with(4099, 9003).with(3072, 32767) };
    feet.write(&folder.path().join("land.tif"));
    let feet = land(folder.path(), geometry(json!({"missing": 106})), json!([])).expect("builds");
    assert!((feet.domain.spacing - 3.048).abs() < 1e-12);
    assert!((feet.domain.origin[0] - (152_400.0 - 3.048)).abs() < 1e-6);
    assert_eq!((feet.elevation.len(), feet.domain.report.reference_system), (10, None));
    assert!((feet.elevation[0] - 100.0 * 1200.0 / 3937.0).abs() < 1e-12);
    // The config's unit of heights goes before the file's.
    utm().write(&folder.path().join("land.tif"));
    let tenths = land(folder.path(), geometry(json!({"unit": "0.1 m", "offset": "-5 m"})), json!([])).expect("builds");
    assert!((tenths.elevation[0] - 5.0).abs() < 1e-12);
    assert!(tenths.domain.report.terrain.join("\n").contains("0.1 m by \"unit\", in place of 1 m"));
}

#[test]
fn what_does_not_fit_a_lattice_is_refused_with_a_remedy() {
    let folder = tempfile::tempdir().expect("a folder");
    let degrees = Geo { scale: vec![1e-4, 1e-4, 0.0], ties: vec![0.0, 0.0, 0.0, 15.004, 37.75, 0.0], ..utm() };
    let south = Geo { ties: vec![0.0, 0.0, 0.0, -71.9, -39.4, 0.0], ..degrees.clone() };
    let turned = [[10.0, 1.0, 0.0, 5e5], [1.0, -10.0, 0.0, 4e6], [0.0; 4], [0.0, 0.0, 0.0, 1.0]].concat();
    let no_scale = Geo { scale: Vec::new(), ..utm() };
    for (geo, keys, pieces) in [
        (degrees.with(1024, 2), json!({}), &["degrees", "gdalwarp -t_srs EPSG:32633"][..]),
        (south.with(1024, 2), json!({}), &["degrees", "gdalwarp -t_srs EPSG:32719"]),
        (utm().with(1024, 3), json!({}), &["middle of the earth", "EPSG:326xx"]),
        (Geo { matrix: turned, ..no_scale.clone() }, json!({}), &["west to east", "gdalwarp"]),
        (no_scale.clone(), json!({}), &["no size of a pixel", "gdalwarp"]),
        (Geo { ties: Vec::new(), ..utm() }, json!({}), &["33922"]),
        (Geo { scale: vec![10.0, 20.0, 0.0], ..utm() }, json!({}), &["10 x 20", "gdalwarp -tr 10 10"]),
        (Geo { scale: vec![10.0, -10.0, 0.0], ..utm() }, json!({}), &["above 0"]),
        (Geo { scale: vec![10.0, f64::NAN, 0.0], ..utm() }, json!({}), &["above 0"]),
        (utm().without(4099), json!({}), &["\"unit\""]),
        (utm().with(3072, 2056).without(3076), json!({}), &["\"cell_unit\""]),
        (utm(), json!({"cell_unit": "1 km"}), &["cell_unit", "contradicts the file"]),
        (Geo { missing: Some("none"), ..utm() }, json!({}), &["42113", "\"none\""]),
        (Geo::default(), json!({"unit": "1 m"}), &["\"spacing\""]),
        (Geo::default(), json!({"unit": "1 m", "cell_unit": "1 m"}), &["\"cell_unit\" has no meaning"]),
    ] {
        geo.write(&folder.path().join("land.tif"));
        refused(folder.path(), geometry(keys), json!([]), &[&["land.tif"], pieces].concat());
    }
}

#[test]
fn plain_images_need_a_spacing_and_a_scale() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let wide: Vec<u16> = rows(5, 4).map(|z| 100 * z as u16).collect();
    image::ImageBuffer::<image::Luma<u16>, _>::from_raw(5, 4, wide)
        .expect("a picture")
        .save(path("a.png"))
        .expect("saves");
    let narrow: Vec<u8> = rows(5, 4).map(|z| z as u8).collect();
    image::GrayImage::from_raw(5, 4, narrow).expect("a picture").save(path("b.png")).expect("saves");
    Geo::default().write(&path("c.tif"));
    for (name, unit, size) in [("a.png", "0.01 m", [5, 4]), ("b.png", "1 m", [5, 4]), ("c.tif", "1 m", [4, 3])] {
        let geometry = json!({"terrain": {"file": name, "unit": unit}, "spacing": "2 m"});
        let land = land(folder.path(), geometry, json!([])).expect("builds");
        assert_eq!((land.domain.spacing, land.domain.origin), (2.0, [-2.0, -2.0, 0.0]), "{name}");
        let wanted = (0..size[1]).flat_map(|y| (0..size[0]).map(move |x| cell(x, y)));
        assert!(land.elevation.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-9), "{name} {:?}", land.elevation);
    }
    refused(folder.path(), json!({"terrain": {"file": "a.png", "unit": "1 m"}}), json!([]), &["a.png", "\"spacing\""]);
    refused(folder.path(), json!({"terrain": {"file": "a.png"}, "spacing": "2 m"}), json!([]), &["a.png", "\"unit\""]);
    image::RgbImage::new(3, 3).save(path("d.png")).expect("saves");
    let colours = json!({"terrain": {"file": "d.png", "unit": "1 m"}, "spacing": "2 m"});
    refused(folder.path(), colours, json!([]), &["d.png", "colours"]);
}

#[test]
fn damaged_files_are_refused_or_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("land.tif");
    Geo { missing: Some("103"), ..utm() }.write(&path);
    let whole = std::fs::read(&path).expect("reads");
    let mut damaged = whole.clone();
    for i in 0..whole.len() {
        for mask in [0x01, 0x10, 0xff] {
            damaged[i] ^= mask;
            std::fs::write(&path, &damaged).expect("writes");
            if let Err(fault) = land(folder.path(), geometry(json!({})), json!([])) {
                assert_eq!(fault.exit, hematite_config::Exit::Usage, "damaged at {i}: {fault}");
            }
            damaged[i] = whole[i];
        }
        std::fs::write(&path, &whole[..i]).expect("writes");
        if let Err(fault) = land(folder.path(), geometry(json!({})), json!([])) {
            assert_eq!(fault.exit, hematite_config::Exit::Usage, "cut at {i}: {fault}");
        }
    }
}
