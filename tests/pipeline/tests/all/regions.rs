//! Regions and fields of a case: found in a picture, stored, dumped the same on any number of ranks, and what is refused.

use pipeline_tests::Folder;
use serde_json::{Value, json};

const WIDTH: usize = 48;
const HEIGHT: usize = 20;

/// The height in tenths of a metre at a pixel, y up.
fn tenths(x: usize, y: usize) -> u16 {
    (300 + 7 * x + 31 * y + (x * y) % 5) as u16
}

/// A channel whose pixels of value 200 are a vent, and a map of heights in tenths of a metre.
fn folder() -> Folder {
    let folder = Folder::new();
    let up = |i: usize| (i % WIDTH, HEIGHT - 1 - i / WIDTH);
    let pixel = |(x, y): (usize, usize)| match (x, y) {
        (_, 0) => 0_u8,
        (_, y) if y == HEIGHT - 1 => 0,
        (20..24, 8..11) => 200,
        _ => 255,
    };
    let pixels: Vec<u8> = (0..WIDTH * HEIGHT).map(|i| pixel(up(i))).collect();
    folder.write("channel.pgm", &[format!("P5 {WIDTH} {HEIGHT} 255\n").as_bytes(), &pixels].concat());
    let heights: Vec<u8> = (0..WIDTH * HEIGHT).map(up).flat_map(|(x, y)| tenths(x, y).to_be_bytes()).collect();
    folder.write("heights.pgm", &[format!("P5 {WIDTH} {HEIGHT} 65535\n").as_bytes(), &heights].concat());
    folder.json("case.json", &case());
    folder.json("run.json", &run());
    folder
}

fn case() -> Value {
    json!({
        "geometry": {
            "image": "channel.pgm", "spacing": "10 um", "crop": {"min": [3, 0], "max": [45, HEIGHT]},
            "rules": [{"equals": 0, "is": "wall"}, {"equals": 200, "is": "vent"}, {"any": true, "is": "fluid"}]
        },
        "openings": [
            {"name": "inlet", "kind": "velocity", "face": "x-"},
            {"name": "outlet", "kind": "pressure", "face": "x+"}
        ],
        "regions": [
            {"name": "vent", "label": "vent"},
            {"name": "left", "any_of": [{"box": {"min": ["0 um", "0 um"], "max": ["100 um", "1 mm"]}}, {"equals": 200}]}
        ],
        "fields": {
            "elevation": {"image": "heights.pgm", "unit": "0.1 m", "offset": "1 km"},
            "temperature": {"constant": "300 K", "regions": {"vent": "1360 K"}}
        },
        "parts": [3]
    })
}

fn run() -> Value {
    json!({
        "case": "case.h5",
        "fluid": {"lattice_boltzmann": {"density": "1000 kg/m3", "viscosity": "1 mPa s", "tau": 0.8}},
        "time": {"steps": 60},
        "openings": {"inlet": {"velocity": "20 mm/s"}, "outlet": {"pressure": "0 Pa"}},
        "dumps": [
            {"every": 20, "fields": ["velocity", "elevation", "temperature", "left"]},
            {
                "name": "vent", "every": 30, "fields": ["vent"],
                "region": {"box": {"min": ["190 um", "70 um"], "max": ["250 um", "120 um"]}}
            }
        ]
    })
}

#[test]
fn fields_are_those_of_the_picture_on_any_number_of_ranks() {
    let folder = folder();
    let checked = folder.mkcase(&["case.json", "--check"]).done();
    let made = folder.mkcase(&["case.json", "--quiet"]).done();
    for said in [
        "region     vent: 12 nodes, 1.2e-9 m2",
        "field      elevation: 1035.5 to 1116.8 m",
        "temperature: 300 to 1360 K, mean ",
    ] {
        assert!(checked.stdout.contains(said) && made.stdout.contains(said), "{said}: {}", made.stdout);
    }
    let call = |arguments: &[&str]| folder.run(&[&["run.json", "--quiet"], arguments].concat()).done();
    let _solo = call(&["-o", "solo"]);
    let _three = call(&["-o", "three", "--threads", "3", "--steps", "40", "--checkpoint-every", "20"]);
    let _two = call(&["-o", "three", "--threads", "2", "--restart"]);
    let compared = folder.post(&["compare", "solo", "three"]).done();
    assert!(compared.stdout.starts_with("the same"), "{}", compared.stdout);

    folder.hdf5("three/fields.vtkhdf", hdf5::File::open, |file| {
        let positions = file.dataset("hematite/position")?.read_raw::<i32>()?;
        let nodes = positions.len() / 3;
        let of = |name: &str| file.dataset(&format!("VTKHDF/CellData/{name}"))?.read_raw::<f32>();
        let unit = |name: &str| file.dataset(&format!("VTKHDF/CellData/{name}"))?.attr("unit");
        let (elevation, temperature, left) = (of("elevation")?, of("temperature")?, of("left")?);
        assert!(unit("elevation").is_ok() && elevation.len() == 3 * nodes && nodes == 42 * (HEIGHT - 2));
        for (n, at) in (0..3).flat_map(|_| positions.chunks(3)).enumerate() {
            // A layer of padding, and what was cropped.
            let (x, y) = (at[0] as usize - 1 + 3, at[1] as usize - 1);
            let vent = (20..24).contains(&x) && (8..11).contains(&y);
            assert_eq!(elevation[n], (f64::from(tenths(x, y)) * 0.1 + 1000.0) as f32, "({x}, {y})");
            assert_eq!(temperature[n], if vent { 1360.0 } else { 300.0 }, "({x}, {y})");
            assert_eq!(left[n], f32::from(u8::from(x < 10 || vent)), "({x}, {y})");
        }
        Ok(())
    });
    folder.hdf5("solo/vent.vtkhdf", hdf5::File::open, |file| {
        let vent = file.dataset("VTKHDF/CellData/vent")?.read_raw::<f32>()?;
        let nodes = file.dataset("hematite/node_id")?.size();
        assert_eq!((nodes, vent.iter().take(nodes).sum::<f32>()), (6 * 5, 12.0));
        Ok(())
    });
}

#[test]
fn a_region_named_as_a_field_and_keys_without_effect_are_told() {
    let folder = folder();
    let mut case = case();
    case["regions"][1]["name"] = json!("velocity");
    folder.json("case.json", &case);
    let _made = folder.mkcase(&["case.json", "--quiet"]).done();
    let mut run = run();
    (run["dumps"], run["tracks"]) = (json!([{"every": 20, "fields": ["velocity"]}]), json!({"every": 10}));
    folder.json("run.json", &run);
    let said = "\"velocity\" is a field of the physics and a region of the case: rename the region";
    let _said = folder.run(&["run.json", "--check"]).fails(2, &[said]);
    run["dumps"] = json!([{"every": 20, "fields": ["pressure"]}]);
    folder.json("run.json", &run);
    let told = folder.run(&["run.json", "--steps", "20"]).done();
    assert!(
        told.stderr.contains("advice    tracks: the case has neither cells nor bodies, whose tracks these are"),
        "{}",
        told.stderr
    );
}

#[test]
fn balanced_and_immersed_runs_dump_the_same() {
    let folder = folder();
    let mut case = case();
    case["walls"] = json!({});
    folder.json("case.json", &case);
    let mut run = run();
    run["fluid"]["lattice_boltzmann"]["walls"] = json!("immersed");
    run["dumps"] = json!([{"every": 30, "fields": ["pressure", "elevation", "vent"]}]);
    folder.json("run.json", &run);
    run["balance"] = json!({"every": 10, "tolerance": 0.0});
    folder.json("balanced.json", &run);
    let _made = folder.mkcase(&["case.json", "--quiet"]).done();
    let _solo = folder.run(&["run.json", "--quiet", "-o", "solo"]).done();
    let _balanced = folder.run(&["balanced.json", "--quiet", "-o", "balanced", "--threads", "3"]).done();
    let compared = folder.post(&["compare", "solo", "balanced"]).done();
    assert!(compared.stdout.starts_with("the same"), "{}", compared.stdout);
}

#[test]
fn what_cannot_be_marked_is_refused() {
    let folder = folder();
    let region = |region: Value| ("regions", json!([region]));
    let field = |field: Value| ("fields", json!({"elevation": field}));
    for ((key, value), pieces) in [
        (region(json!({"name": "a"})), &["regions: \"a\"", "exactly one of box, disc"][..]),
        (region(json!({"name": "a", "lable": "vent"})), &["regions[0]", "lable", "did you mean \"label\"?"]),
        (region(json!({"name": "a", "label": "red"})), &["regions: \"a\"", "\"red\"", "\"is\": \"red\""]),
        (region(json!({"name": "a", "equals": 3})), &["regions: \"a\"", "no fluid node", "200, 255"]),
        (region(json!({"name": "a", "any_of": [{"bix": 1}]})), &["any_of", "bix", "did you mean \"box\"?"]),
        (
            region(json!({"name": "a", "box": {"min": ["1 m", "0 m"], "max": ["2 m", "1 m"]}})),
            &["regions: \"a\"", "no fluid node", "3.0000e-5 to 4.5000e-4 m along x"],
        ),
        (field(json!({"image": "heights.pgm"})), &["fields: \"elevation\"", "\"unit\"", "\"1 m\""]),
        (field(json!({"image": "heights.pgm", "unit": "m"})), &["fields.elevation.unit", "number"]),
        (field(json!({"image": "heights.pgm", "unit": 1})), &["fields.elevation.unit"]),
        (field(json!({"imgae": "heights.pgm"})), &["imgae", "did you mean \"image\"?"]),
        (field(json!({"image": "nowhere.tif", "unit": "1 m"})), &["nowhere.tif"]),
        (field(json!({"image": "small.pgm", "unit": "1 m"})), &["small.pgm", "[2, 2, 1]", "[48, 20, 1]"]),
        (
            field(json!({"image": "heights.pgm", "unit": "1 m", "missing": 355})),
            &["fluid node", "(3.5000e-5, 1.5000e-5) m"],
        ),
        (field(json!({"constant": "1 m", "regions": {"went": "2 m"}})), &["\"went\"", "did you mean \"vent\"?"]),
    ] {
        folder.write("small.pgm", b"P5 2 2 255\n1234");
        let mut case = case();
        case[key] = value;
        if key == "regions" {
            case["fields"] = json!({});
            case["geometry"]["rules"] = json!([{"equals": 0, "is": "wall"}, {"any": true, "is": "fluid"}]);
        }
        folder.json("wrong.json", &case);
        println!("{}", case[key]);
        folder.refuses("mkcase", &["wrong.json", "--quiet"], &[&["wrong.json"], pieces].concat());
        folder.refuses("mkcase", &["wrong.json", "--quiet", "--check"], pieces);
    }
    // The case of a label that no region uses, and a file that the case would overwrite.
    let mut case = case();
    case["regions"] = json!([]);
    case["fields"] = json!({});
    folder.json("wrong.json", &case);
    folder.refuses("mkcase", &["wrong.json", "--quiet"], &["\"vent\" is used by no opening", "\"regions\""]);
    folder.refuses("mkcase", &["case.json", "--quiet", "-o", "heights.pgm"], &["overwritten"]);

    let _made = folder.mkcase(&["case.json", "--quiet"]).done();
    let mut run = run();
    run["dumps"] = json!([{"every": 20, "fields": ["elevatoin"]}]);
    folder.json("wrong.json", &run);
    let pieces = ["\"elevatoin\"", "velocity", "temperature, vent, left", "did you mean \"elevation\"?"];
    folder.refuses("run", &["wrong.json", "--quiet", "-o", "wrong"], &pieces);
}
