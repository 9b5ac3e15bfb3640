//! `post bodies`, `post flow` and `post tracks` on synthetic runs with rigid bodies, whose answers are known.

use std::f64::consts::PI;
use std::path::{Path, PathBuf};

use hematite_dump::{BodyFrame, BodyKind, BodyWriter, DumpStep, Field, FieldWriter, RunRecord, Values};
use serde_json::{Value, json};

use crate::common::{done, grid, json_of, lattice, post, run_of, text, turn};

const DX: f64 = 1e-6;
/// Walls of the slit.
const WALLS: [f64; 2] = [1e-6, 25e-6];
const EXTENT: [usize; 3] = [30, 26, 24];
/// Seconds from one dump to the next.
const INTERVAL: f64 = 1e-3;
const AXES: [f64; 3] = [1.5e-6, 1.5e-6, 0.5e-6];

/// Velocity of the fluid along x, m/s.
fn speed(y: f64) -> f64 {
    1e-2 * (y - WALLS[0]) * (WALLS[1] - y) / 144e-12
}

/// A slit along x and z, periodic, its walls at y = 1 and 25 um: case, `run.json`, and `dumps` dumps of velocity and of
/// the bodies that `frame` gives.
fn slit(folder: &Path, kinds: &[BodyKind], dumps: u64, frame: impl Fn(f64) -> BodyFrame) -> PathBuf {
    let _turn = turn();
    let lattice = lattice(EXTENT, DX, [true, false, true], |[_, y, _]| (1..EXTENT[1] - 1).contains(&y));
    let run = run_of(&lattice, &folder.join("case.h5"), folder.join("run"), |record| {
        record.nu = 1e-6;
        record.pressure_drop = [2e4, 0.0, 0.0];
    });
    let grid = grid(&lattice);
    let path = run.join("fields.vtkhdf");
    let mut fields = FieldWriter::create(&path, &grid, &[Field::VELOCITY], false).expect("a dump");
    let mut bodies = BodyWriter::create(&run.join("bodies.vtkhdf"), kinds, 3, DX).expect("a dump");
    for step in 0..dumps {
        let time = INTERVAL * step as f64;
        fields.begin(DumpStep { step, time }).expect("begins");
        let at = |p: &[i32; 3]| speed((f64::from(p[1]) + 0.5) * DX) as f32;
        let values = grid.position.iter().flat_map(|p| [at(p), 0.0, 0.0]).collect();
        fields.write(Field::VELOCITY, &Values::F32(values)).expect("writes");
        fields.end().expect("ends");
        bodies.append(&BodyFrame { step, time, ..frame(time) }).expect("writes");
    }
    run
}

fn red() -> Vec<BodyKind> {
    vec![BodyKind { name: "red".into(), semi_axes: AXES }]
}

/// The shortest rotation from z to the unit vector `n`, as a quaternion.
fn z_to(n: [f64; 3]) -> [f32; 4] {
    let q = [1.0 + n[2], -n[1], n[0], 0.0];
    let size = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    q.map(|x| (x / size) as f32)
}

/// Adds a body that rotates about z with `spin` (rad/s), moved along x with the flow for `time` and wrapped.
fn add(frame: &mut BodyFrame, at: [f64; 3], n: [f64; 3], spin: f64, time: f64) {
    let (u, length) = (speed(at[1]), EXTENT[0] as f64 * DX);
    let x = at[0] + u * time;
    let image = (x / length).floor();
    frame.id.push(frame.id.len() as u64);
    frame.kind.push(0);
    frame.image.push([image as i32, 0, 0]);
    frame.position.push([x - image * length, at[1], at[2]]);
    frame.orientation.push(z_to(n));
    frame.velocity.push([u as f32, 0.0, 0.0]);
    frame.angular_velocity.push([0.0, 0.0, -spin as f32]);
    frame.force.push([0.0; 3]);
    frame.torque.push([0.0; 3]);
}

/// Layers of 45 bodies each, 3.2 um apart, with axes `axis(number)`.
fn layers(time: f64, axis: impl Fn(usize) -> [f64; 3]) -> BodyFrame {
    let mut frame = BodyFrame::default();
    for (layer, y) in LAYERS.into_iter().enumerate() {
        for k in 0..45 {
            let at = [3.3e-6 * (k % 9) as f64, y, 4.8e-6 * (k / 9) as f64];
            add(&mut frame, at, axis(45 * layer + k), 100.0 * (layer + 1) as f64, time);
        }
    }
    frame
}

/// Heights of the layers: 1.5, 5.5 and 9.5 um from the lower wall and the upper one.
const LAYERS: [f64; 6] = [2.5e-6, 6.5e-6, 10.5e-6, 15.5e-6, 19.5e-6, 23.5e-6];

fn mean(value: &Value) -> f64 {
    value["mean"].as_f64().unwrap_or_else(|| panic!("a number, not {value}"))
}

/// The column `name` of a table; NaN where a cell is empty.
fn column(path: &Path, name: &str) -> Vec<f64> {
    let table = std::fs::read_to_string(path).expect("is there");
    let at = table.lines().next().expect("a header").split(',').position(|title| title == name).expect(name);
    let number = |row: &str| row.split(',').nth(at).and_then(|cell| cell.parse().ok()).unwrap_or(f64::NAN);
    table.lines().skip(1).map(number).collect()
}

/// Bodies whose axes are normal to the walls.
fn aligned(folder: &Path) -> PathBuf {
    slit(folder, &red(), 5, |time| layers(time, |_| [0.0, 1.0, 0.0]))
}

#[test]
fn aligned_bodies_have_an_order_of_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = aligned(folder.path());
    let output = post(&["bodies", text(&run)]);
    done(&output);
    let statistics = run.join("statistics");
    let summary = json_of(&statistics.join("bodies.json"));
    let red = &summary["populations"][0];
    assert_eq!((mean(&red["bodies"]), summary["dumps"].as_u64()), (270.0, Some(3)));
    let (volume, lumen) = (4.0 / 3.0 * PI * AXES.iter().product::<f64>(), 30.0 * 24.0 * 24.0 * DX.powi(3));
    assert!((mean(&red["hematocrit"]) / (270.0 * volume / lumen) - 1.0).abs() < 1e-9, "{red}");
    for (key, wanted) in [("nematic_order", 1.0), ("wall_order", 1.0), ("flow_order", -0.5)] {
        assert!((mean(&red[key]) - wanted).abs() < 1e-5, "{key}: {red}");
    }
    assert!((red["director"][1].as_f64().expect("a number") - 1.0).abs() < 1e-5);
    let profile = statistics.join("bodies_profile_wall_distance.csv");
    let [nodes, density, order, speeds, spin, hematocrit] =
        ["nodes", "number_density_per_m3", "wall_order", "speed_m_per_s", "angular_velocity_rad_per_s", "hematocrit"]
            .map(|name| column(&profile, name));
    // Bodies in the second, sixth and tenth layer of nodes from either wall, and 90 in each.
    for (bin, (&nodes, &density)) in nodes.iter().zip(&density).enumerate() {
        let there = if [1, 5, 9].contains(&bin) { 90.0 } else { 0.0 };
        assert!((density * nodes * DX.powi(3) - there).abs() < 1e-6, "{bin}: {density}");
        assert_eq!(order[bin].is_nan(), there == 0.0);
    }
    assert!((order[5] - 1.0).abs() < 1e-5 && (speeds[5] / speed(6.5e-6) - 1.0).abs() < 1e-6);
    // Lower layers turn with 100, 200, 300 rad/s, upper ones from the wall with 600, 500, 400.
    assert!((spin[1] - 350.0).abs() < 1e-3 && (spin[9] - 350.0).abs() < 1e-3, "{spin:?}");
    // Each body lies entirely in its layer of nodes: it is 0.5 um high on either side.
    let all: f64 = hematocrit.iter().zip(&nodes).map(|(share, nodes)| share * nodes).sum();
    assert!((all * DX.powi(3) / (270.0 * volume) - 1.0).abs() < 0.01, "{all}");
    assert_eq!((hematocrit[0], hematocrit[3]), (0.0, 0.0));
    let table = std::fs::read_to_string(statistics.join("bodies.csv")).expect("is there");
    assert_eq!(table.lines().count(), 271);
    assert!(column(&statistics.join("bodies.csv"), "axis_3_y").iter().all(|y| (y - 1.0).abs() < 1e-5));
    for name in [
        "bodies_order_wall_distance.png",
        "bodies_hematocrit_wall_distance.png",
        "bodies_density_offset.png",
        "bodies_speed_offset.png",
        "bodies_spin_offset.png",
        "bodies_order.png",
        "bodies_mid_z.png",
    ] {
        assert!(statistics.join(name).exists(), "{name}");
    }
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("population red: 270 bodies, hematocrit") && said.contains("nematic order 1 "), "{said}");
}

#[test]
fn bodies_of_any_direction_have_no_order() {
    let folder = tempfile::tempdir().expect("a folder");
    // Directions on a spiral from pole to pole, in mixed order.
    let axis = |k: usize| {
        let k = (k * 101) % 270;
        let z = (2.0 * k as f64 + 1.0) / 270.0 - 1.0;
        let (s, c) = (k as f64 * 2.399_963_229_728_653).sin_cos();
        [(1.0 - z * z).sqrt() * c, (1.0 - z * z).sqrt() * s, z]
    };
    let run = slit(folder.path(), &red(), 2, |time| layers(time, axis));
    done(&post(&["bodies", text(&run)]));
    let summary = json_of(&run.join("statistics/bodies.json"));
    // (3 x^2 - 1)/2 deviates by sqrt(1/5) in the mean over all directions.
    let error = (0.2_f64 / 270.0).sqrt();
    for key in ["nematic_order", "wall_order", "flow_order"] {
        let order = mean(&summary["populations"][0][key]);
        assert!(order.abs() < error, "{key}: {order}");
    }
    // In a layer of 90 the error is larger.
    let orders = column(&run.join("statistics/bodies_profile_wall_distance.csv"), "wall_order");
    assert!([1, 5, 9].iter().all(|&bin| orders[bin].abs() < 4.0 * (0.2_f64 / 90.0).sqrt()), "{orders:?}");
}

#[test]
fn moving_walls_give_the_axis_of_the_vessel() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = aligned(folder.path());
    let mut record = json_of(&run.join("run.json"));
    record["pressure_drop"] = json!([0.0, 0.0, 0.0]);
    // The slit is straight along x, along which bodies go, and along z, but not along y.
    let mut profiles = |name: &str, wall: [&str; 3]| {
        record["config"] = json!({"openings": {"lid": {"wall_velocity": wall}}});
        std::fs::write(run.join("run.json"), record.to_string()).expect("writes");
        let output = folder.path().join(name);
        done(&post(&["bodies", text(&run), "-o", text(&output)]));
        let files = std::fs::read_dir(output).expect("a folder").map(|entry| entry.expect("a file").file_name());
        let names = files.map(|name| name.to_string_lossy().into_owned());
        names.filter(|name| name.starts_with("bodies_profile_") && name.ends_with(".csv")).count()
    };
    // Along a straight axis there are profiles across the vessel beside those by the distance from the wall.
    assert_eq!(profiles("z", ["0 m/s", "0 m/s", "1 mm/s"]), 2);
    assert_eq!(profiles("y", ["0 m/s", "1 mm/s", "0 m/s"]), 1);
}

const PLANES: &str =
    r#"{"planes": [{"name": "cut", "axis": "z", "at": "9.6 um"}, {"name": "free", "axis": "z", "at": "7.2 um"}]}"#;

#[test]
fn bodies_are_drawn_and_tracked() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = aligned(folder.path());
    // Through the middles of every fifth body, and between bodies.
    let config = folder.path().join("post.json");
    std::fs::write(&config, PLANES).expect("writes");
    for command in ["bodies", "flow"] {
        let output = folder.path().join(command);
        done(&post(&[command, text(&run), "--config", text(&config), "-o", text(&output)]));
        let picture = image::open(output.join("bodies_cut.png")).expect("a picture").to_rgb8();
        let red = picture.pixels().filter(|p| p.0[0] > 150 && p.0[1] < 90 && p.0[2] < 90).count();
        let share = red as f64 / f64::from(picture.width() * picture.height());
        // 54 ellipses of 1.5 by 0.5 um in 30 by 24 um, less the margins of ellipses and picture.
        assert!(share > 0.08, "{share} of the picture is red");
        let told = |name: &str| {
            let drawing = std::fs::read_to_string(output.join(name)).expect("is there");
            drawing.contains("no bodies are cut by this plane")
        };
        assert!(told("bodies_free.svg") && !told("bodies_cut.svg"));
    }
    done(&post(&["tracks", text(&run)]));
    let velocity = column(&run.join("statistics/velocity.csv"), "ux_m_per_s");
    assert!(velocity.len() == 270 && (velocity[0] / speed(2.5e-6) - 1.0).abs() < 1e-6, "{}", velocity[0]);
}

#[test]
fn much_can_be_said_without_fields() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = aligned(folder.path());
    let mut record = RunRecord::read(&run).expect("reads");
    record.dumps.clear();
    record.write(&run).expect("writes");
    let output = post(&["bodies", text(&run), "-o", text(&folder.path().join("out"))]);
    done(&output);
    assert!(String::from_utf8_lossy(&output.stderr).contains("left out profiles"), "{output:?}");
    let summary = json_of(&folder.path().join("out/bodies.json"));
    assert!((mean(&summary["populations"][0]["nematic_order"]) - 1.0).abs() < 1e-5);
    // The motion of the bodies replaces that of the fluid.
    assert!((mean(&summary["populations"][0]["flow_order"]) + 0.5).abs() < 1e-5);
    assert_eq!(summary["populations"][0]["wall_order"], json!(null));
}

#[test]
fn faults_say_what_to_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = aligned(folder.path());
    let config = folder.path().join("post.json");
    for (json, piece) in [
        (r#"{"bodies": {"average_from": "1 s"}}"#, "bodies.average_from"),
        (r#"{"bodies": {"axes": "x"}}"#, "did you mean \"axis\"?"),
        (r#"{"planes": [{"name": "p", "axis": "x", "at": "300 um"}]}"#, "p"),
    ] {
        std::fs::write(&config, json).expect("writes");
        let output = post(&["bodies", text(&run), "--config", text(&config)]);
        assert_eq!(output.status.code(), Some(2), "{json}");
        assert!(String::from_utf8_lossy(&output.stderr).contains(piece), "{}", String::from_utf8_lossy(&output.stderr));
    }
    std::fs::remove_file(run.join("bodies.vtkhdf")).expect("removes");
    let output = post(&["bodies", text(&run)]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("bodies.vtkhdf") && said.contains("post cells"), "{said}");
}
