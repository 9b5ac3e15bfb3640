//! ESRI ASCII grids: what is read, and what is refused.

use serde_json::{Value, json};

use super::{cell, land, of_asc, refused, rows, write_asc};

#[test]
fn every_cell_with_a_height_is_a_node_at_its_place_on_the_map() {
    let folder = tempfile::tempdir().expect("a folder");
    write_asc(folder.path(), &[[2, 3], [7, 0]]);
    let land = land(folder.path(), of_asc(), json!([])).expect("builds");
    let domain = &land.domain;
    assert_eq!((domain.dimension, domain.spacing, domain.extent), (2, 10.0, [10, 8, 1]));
    assert_eq!(domain.origin, [499_990.0, 4_169_990.0, 0.0]);
    assert_eq!(land.positions.len(), 46);
    for (x, y) in (0..8).flat_map(|x| (0..6).map(move |y| (x, y))) {
        let wanted = ![(2, 3), (7, 0)].contains(&(x, y));
        let found = land.height(500_005.0 + 10.0 * x as f64, 4_170_005.0 + 10.0 * y as f64);
        assert_eq!(found, wanted.then(|| cell(x, y)), "{x} {y}");
    }
    let said = domain.report.terrain.join("\n");
    for piece in ["8 x 6 cells of 10 m", "(500000, 4170000) m", "no reference system", "2 cells without data"] {
        assert!(said.contains(piece), "{said}");
    }
    assert_eq!((domain.report.read, &domain.report.reference_system), ([8, 6, 1], &None));
    assert!(domain.report.warnings.is_empty(), "{:?}", domain.report.warnings);
}

#[test]
fn headers_come_in_many_forms() {
    let folder = tempfile::tempdir().expect("a folder");
    let values: Vec<String> = rows(3, 2).map(|z| format!("{z:e}")).collect();
    for header in [
        "NCOLS 3\nNROWS 2\nXLLCENTER 1\nYLLCENTER 1\nCELLSIZE 2\n",
        "\u{feff}nrows   2\r\nncols 3\r\n\r\nyllcorner 0\r\nxllcorner 0.0\r\ndx 2\r\ndy 2.0\r\n",
        "ncols 3\nnrows 2\nxllcorner 0\nyllcenter 1e0\ncellsize 2\nnodata_value nan\n",
    ] {
        for layout in [
            values.join(" "),
            values.join("\n"),
            format!("  {}\n\t{}  ", values[..4].join(" "), values[4..].join("\t")),
        ] {
            std::fs::write(folder.path().join("land.asc"), format!("{header}{layout}")).expect("writes");
            let geometry =
                json!({"terrain": {"file": "land.asc", "unit": "0.1 m", "offset": "1 km", "cell_unit": "1 km"}});
            let land = land(folder.path(), geometry, json!([])).expect("builds");
            assert_eq!((land.domain.origin[..2].to_vec(), land.domain.spacing), (vec![-2000.0; 2], 2000.0), "{header}");
            let wanted = (0..2).flat_map(|y| (0..3).map(move |x| cell(x, y) * 0.1 + 1000.0));
            assert!(land.elevation.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-9), "{:?}", land.elevation);
        }
    }
}

#[test]
fn what_is_no_grid_is_refused_with_line_and_value() {
    let folder = tempfile::tempdir().expect("a folder");
    let head = "ncols 3\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 2\n";
    for (text, pieces) in [
        (format!("{head}1 2 3\n4 5\n"), &["holds 5 of the 6 values", "3 columns and 2 rows"][..]),
        (format!("{head}1 2 3\n4 5 6\n7\n"), &["goes on in line 8", "6 values"]),
        (format!("{head}1 2 3\n4 5,5 6\n"), &["line 7", "\"5,5\" is no number", "comma"]),
        (format!("{head}1 2 3\n4 x 6\n"), &["line 7", "\"x\" is no number"]),
        (head.replace("ncols 3", "ncols 3.5") + "1 2 3 4 5 6", &["ncols", "\"3.5\" is no whole number"]),
        (head.replace("ncols 3", "ncols 0") + "1 2 3 4 5 6", &["zero"]),
        (head.replace("ncols 3", "ncols 4000000000") + "1 2 3 4 5 6", &["limit"]),
        (head.replace("ncols 3", "ncols 30000") + "1 2 3 4 5 6", &["cannot hold the 60000 values"]),
        (head.replace("ncols 3\n", "") + "1 2 3 4 5 6", &["has no \"ncols\""]),
        (head.replace("cellsize 2", "cellsize 0") + "1 2 3 4 5 6", &["cellsize: 0 is not above 0"]),
        (head.replace("cellsize 2", "cellsize inf") + "1 2 3 4 5 6", &["cellsize", "not finite"]),
        (head.replace("cellsize 2", "cellsize 2,5") + "1 2 3 4 5 6", &["cellsize", "comma"]),
        (head.replace("cellsize 2", "dx 2\ndy 3") + "1 2 3 4 5 6", &["2 x 3", "gdalwarp -tr 2 2"]),
        (head.replace("cellsize 2", "dx 2") + "1 2 3 4 5 6", &["has no \"dy\""]),
        (head.replace("cellsize 2", "cellsize 2\ncellsize 3") + "1 2 3 4 5 6", &["\"cellsize\" twice"]),
        (head.replace("cellsize 2", "cellsize 2\nxllcenter 3") + "1 2 3 4 5 6", &["xllcorner and xllcenter"]),
        (head.replace("cellsize 2", "cellsize") + "1 2 3 4 5 6", &["line 5", "needs one number"]),
        (head.replace("cellsize", "north:") + "1 2 3 4 5 6", &["line 5", "\"north:\" is no key"]),
        ("1 2 3 4 5 6".to_owned(), &["line 1", "is no key"]),
        (String::new(), &["has no \"ncols\""]),
    ] {
        std::fs::write(folder.path().join("land.asc"), text).expect("writes");
        refused(folder.path(), of_asc(), json!([]), &[&["land.asc"], pieces].concat());
    }
    std::fs::write(folder.path().join("land.asc"), [0xff, 0xfe, 0, 1]).expect("writes");
    refused(folder.path(), of_asc(), json!([]), &["land.asc", "is no text"]);
    std::fs::remove_file(folder.path().join("land.asc")).expect("removes");
    refused(folder.path(), of_asc(), json!([]), &["land.asc", "cannot be read"]);
}

#[test]
fn units_have_to_be_told() {
    let folder = tempfile::tempdir().expect("a folder");
    write_asc(folder.path(), &[]);
    let with = |keys: Value| {
        let mut terrain = json!({"file": "land.asc"});
        keys.as_object().expect("keys").iter().for_each(|(key, value)| terrain[key] = value.clone());
        json!({"terrain": terrain})
    };
    for (keys, pieces) in [
        (json!({"unit": "1 m"}), &["land.asc", "10 wide", "\"cell_unit\"", "gdalwarp -t_srs"][..]),
        (json!({"cell_unit": "1 m"}), &["land.asc", "\"unit\"", "heights"]),
        (json!({"cell_unit": "1 m", "unit": "0 m"}), &["unit: 0"]),
        (json!({"cell_unit": "-1 m", "unit": "1 m"}), &["cell_unit", "not above 0"]),
        (json!({"cell_unit": "1 s", "unit": "1 m"}), &["not a length"]),
        (json!({"cell_unit": "1 m", "unit": "1 m", "units": "1 m"}), &["units"]),
    ] {
        refused(folder.path(), with(keys), json!([]), pieces);
    }
    let mut geometry = with(json!({"unit": "1 m"}));
    geometry["spacing"] = json!("10 m");
    refused(folder.path(), geometry, json!([]), &["\"cell_unit\""]);
    std::fs::write(folder.path().join("land.xyz"), "1 2 3").expect("writes");
    refused(
        folder.path(),
        json!({"terrain": {"file": "land.xyz", "unit": "1 m"}}),
        json!([]),
        &["land.xyz", ".asc", ".tif"],
    );
}

#[test]
fn what_would_be_taken_for_other_heights_or_lengths_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let grid = "ncols 2\nnrows 1\nxllcorner 14.9\nyllcorner 37.7\ncellsize 0.000277\n1 2\n";
    std::fs::write(folder.path().join("land.asc"), grid).expect("writes");
    refused(folder.path(), of_asc(), json!([]), &["land.asc", "0.000277", "degrees", "gdalwarp -t_srs"]);
    std::fs::write(folder.path().join("land.pgm"), "P2\n# heights\n3 2 4095\n1 2 3 4 5 4095\n").expect("writes");
    let geometry = json!({"terrain": {"file": "land.pgm", "unit": "1 m"}, "spacing": "10 m"});
    refused(folder.path(), geometry.clone(), json!([]), &["land.pgm", "4095", "65535"]);
    std::fs::write(folder.path().join("land.pgm"), "P2\n# heights\n3 2 65535\n1 2 3 4 5 4095\n").expect("writes");
    assert_eq!(land(folder.path(), geometry, json!([])).expect("builds").positions.len(), 6);
}

#[test]
fn damaged_grids_are_refused_or_read() {
    let folder = tempfile::tempdir().expect("a folder");
    write_asc(folder.path(), &[[1, 1]]);
    let path = folder.path().join("land.asc");
    let whole = std::fs::read(&path).expect("reads");
    for length in 0..whole.len() {
        std::fs::write(&path, &whole[..length]).expect("writes");
        let cut = land(folder.path(), of_asc(), json!([]));
        // The last digit may go without being missed.
        assert!(cut.is_err() || length + 4 > whole.len(), "{length} of {}", whole.len());
    }
    let mut damaged = whole.clone();
    for i in 0..whole.len() {
        for mask in [0x04, 0x10, 0x40] {
            damaged[i] ^= mask;
            std::fs::write(&path, &damaged).expect("writes");
            if let Err(fault) = land(folder.path(), of_asc(), json!([])) {
                assert_eq!(fault.exit, hematite_config::Exit::Usage, "damaged at {i}: {fault}");
            }
            damaged[i] = whole[i];
        }
    }
}
