//! `post fields`: maps, layers and numbers of all fields of any physics.

use hematite_dump::{Field, FieldReader};
use pipeline_tests::{Folder, configs, draw};
use serde_json::json;

/// Expects that fields.csv has the mean and the extremes of all components of the last dump. In fluids of particles nodes
/// weigh what mass they have in means of the velocity and the temperature, and those without a temperature nothing.
fn has_numbers(folder: &Folder, run: &str, dump: &str) {
    let reader = FieldReader::open(&folder.path(&format!("{run}/{dump}.vtkhdf"))).expect("a dump");
    let text = folder.read(&format!("{run}/statistics/fields.csv"));
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().expect("a header").split(',').collect();
    let place = |name: &str| header.iter().position(|known| *known == name).expect("a column");
    let read = |field| reader.read(reader.steps().len() - 1, field).expect("values").to_f64();
    let has_particles = reader.fields().iter().any(|field| field.component(0) == "temperature");
    for &field in reader.fields() {
        let values = read(field);
        let name = field.component(0);
        let weights = match has_particles && ["velocity_x", "temperature"].contains(&name.as_str()) {
            true => read(Field::DENSITY),
            false => vec![1.0; values.len() / field.components()],
        };
        let weight = |(n, value): (usize, f64)| if name == "temperature" && value == 0.0 { 0.0 } else { weights[n] };
        for c in 0..field.components() {
            let row: Vec<&str> = lines.next().expect("a row").split(',').collect();
            assert_eq!(row[place("component")], field.component(c));
            let of = values.iter().skip(c).step_by(field.components()).copied().enumerate();
            let of: Vec<(f64, f64)> = of.map(|at| (at.1, weight(at))).filter(|(_, weight)| *weight > 0.0).collect();
            let number = |name: &str| row[place(name)].parse::<f64>().expect("a number");
            assert_eq!(number("lowest"), of.iter().map(|at| at.0).fold(f64::INFINITY, f64::min));
            assert_eq!(number("highest"), of.iter().map(|at| at.0).fold(f64::NEG_INFINITY, f64::max));
            let mean =
                of.iter().map(|(value, weight)| value * weight).sum::<f64>() / of.iter().map(|at| at.1).sum::<f64>();
            let largest = number("lowest").abs().max(number("highest").abs());
            assert!((number("mean") - mean).abs() <= 1e-12 * largest, "{}: {mean}", field.component(c));
        }
    }
    assert_eq!(lines.next(), None);
}

fn drawn(folder: &Folder, run: &str, names: &[&str]) {
    for name in names {
        for end in ["png", "svg"] {
            assert!(folder.has(&format!("{run}/statistics/{name}.{end}")), "{name}.{end}");
        }
    }
}

#[test]
fn fields_of_a_plane_domain_are_drawn_whole() {
    let folder = Folder::with_vessel();
    folder.json("run.json", &configs::vessel_run());
    let _run = folder.run(&["run.json", "--quiet"]).done();
    let told = folder.post(&["fields", "run"]).done().stdout;
    assert!(told.contains("velocity_x: mean "), "{told}");
    has_numbers(&folder, "run", "fields");
    drawn(&folder, "run", &["field_density", "field_velocity_y", "field_shear_stress_xy"]);
    assert!(folder.has("run/statistics/fields_along_y.csv"));
}

#[test]
fn fields_of_a_space_domain_are_drawn_in_planes() {
    let folder = Folder::new();
    folder.write("porous.mha", &draw::porous_block().mha());
    folder.json(
        "case.json",
        &json!({"geometry": {"voxels": {"file": "porous.mha"}, "spacing": "2 um", "periodic": ["x", "y", "z"], "keep": "largest"}}),
    );
    let _made = folder.mkcase(&["case.json", "--quiet"]).done();
    folder.json(
        "run.json",
        &json!({
            "case": "case.h5",
            "fluid": {"srd": {"density": "1000 kg/m3", "temperature": "300 K", "mean_free_path": 0.1, "particles_per_cell": 6}},
            "time": {"steps": 10},
            "dumps": [{"every": 5}]
        }),
    );
    let _run = folder.run(&["run.json", "--quiet"]).done();
    folder.json("post.json", &json!({"planes": [{"name": "cut", "axis": "z", "at": "11 um"}]}));
    let _fields = folder.post(&["fields", "run", "--config", "post.json"]).done();
    has_numbers(&folder, "run", "fields");
    drawn(&folder, "run", &["field_temperature_cut", "field_velocity_z_cut"]);
    let _all = folder.post(&["fields", "run", "--dump", "all"]).done();
    assert_eq!(
        folder.read("run/statistics/fields.csv").lines().count(),
        1 + 2 * 6,
        "two dumps of density, pressure, velocity, temperature"
    );
}
