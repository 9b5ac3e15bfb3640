//! `post flow`, `post cells` and `post tracks` on synthetic runs with cells, whose answers are known.

use std::f64::consts::{PI, TAU};
use std::path::{Path, PathBuf};

use hematite_dump::{
    CellFrame, CellKind, CellReader, CellWriter, DumpStep, Field, FieldWriter, Grid, TrackBox, TrackFrame, TrackWriter,
    Values,
};
use serde_json::{Value, json};

use crate::common::{done, grid, json_of, lattice, near, post, run_of, text, turn};

const DX: f64 = 1e-6;
const RHO: f64 = 1000.0;
const MU: f64 = 1.2e-3;
const GRADIENT: f64 = 2e4;
/// Seconds from one dump to the next.
const INTERVAL: f64 = 1e-3;

/// A vessel along x, periodic.
struct Vessel {
    extent: [usize; 3],
    fluid: fn([usize; 3]) -> bool,
    /// Velocity along x at a point, m/s.
    velocity: fn([f64; 3]) -> f64,
    /// A constant body force in place of a pressure drop.
    force: bool,
}

impl Vessel {
    /// Writes the run: case, `run.json`, and dumps 0 to `dumps - 1` of velocity and of the cells `frame(time)`.
    fn write(&self, folder: &Path, kinds: &[CellKind], dumps: u64, frame: impl Fn(f64) -> CellFrame) -> PathBuf {
        let _turn = turn();
        let lattice = lattice(self.extent, DX, [true, false, false], self.fluid);
        let config = if self.force { json!({"drive": {"force": ["20 kPa/m", "0 Pa/m"]}}) } else { Value::Null };
        let run = run_of(&lattice, &folder.join("case.h5"), folder.join("run"), |record| {
            record.config = config.clone();
            (record.rho0, record.nu) = (RHO, MU / RHO);
            record.pressure_drop = if self.force { [0.0; 3] } else { [GRADIENT, 0.0, 0.0] };
        });
        let grid = grid(&lattice);
        let mut fields =
            FieldWriter::create(&run.join("fields.vtkhdf"), &grid, &[Field::VELOCITY], false).expect("a dump");
        let mut cells = CellWriter::create(&run.join("cells.vtkhdf"), kinds, grid.dimension, DX).expect("a dump");
        for step in 0..dumps {
            let time = INTERVAL * step as f64;
            fields.begin(DumpStep { step, time }).expect("begins");
            let centre = |p: &[i32; 3]| p.map(|c| (f64::from(c) + 0.5) * DX);
            let values = grid.position.iter().flat_map(|p| [(self.velocity)(centre(p)) as f32, 0.0, 0.0]).collect();
            fields.write(Field::VELOCITY, &Values::F32(values)).expect("writes");
            fields.end().expect("ends");
            cells.append(&CellFrame { step, time, ..frame(time) }).expect("writes");
        }
        run
    }
}

/// Builds the cells of one frame.
#[derive(Default)]
struct Suspension {
    frame: CellFrame,
}

impl Suspension {
    /// Adds a cell whose vertices move with `velocity`, wrapped into a period of `length` along x.
    fn add(&mut self, kind: u32, mut vertices: Vec<[f64; 3]>, length: f64, velocity: impl Fn([f64; 3]) -> [f64; 3]) {
        let number = vertices.len();
        self.frame.velocity.extend(vertices.iter().map(|&p| velocity(p).map(|u| u as f32)));
        let middle = vertices.iter().map(|p| p[0]).sum::<f64>() / number as f64;
        let image = (middle / length).floor();
        for p in &mut vertices {
            p[0] -= image * length;
        }
        self.frame.id.push(self.frame.id.len() as u64);
        self.frame.kind.push(kind);
        self.frame.image.push([image as i32, 0, 0]);
        self.frame.position.extend(vertices);
        self.frame.force.extend(vec![[0.0; 3]; number]);
    }
}

/// A biconcave ring 8 um long about `centre`, turned by `angle`.
fn biconcave(centre: [f64; 2], angle: f64, vertices: usize) -> Vec<[f64; 3]> {
    let (sin, cos) = angle.sin_cos();
    (0..vertices)
        .map(|k| TAU * k as f64 / vertices as f64)
        .map(|t| {
            let q = t.cos().powi(2);
            (3.91e-6 * t.cos(), 1.955e-6 * t.sin() * (0.207_161 + 2.002_558 * q - 1.122_762 * q * q))
        })
        .map(|(a, b)| [centre[0] + cos * a - sin * b, centre[1] + sin * a + cos * b, 0.0])
        .collect()
}

/// A circle.
fn disc(centre: [f64; 2], radius: f64, vertices: usize, turned: f64) -> Vec<[f64; 3]> {
    let angle = |k: usize| TAU * k as f64 / vertices as f64 + turned;
    (0..vertices).map(|k| [centre[0] + radius * angle(k).cos(), centre[1] + radius * angle(k).sin(), 0.0]).collect()
}

/// Directions of a sphere by rings of latitude, and its triangles.
fn sphere(rings: usize, around: usize) -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
    let mut vertices = vec![[0.0, 0.0, 1.0]];
    for i in 1..rings {
        let (sin, cos) = (PI * i as f64 / rings as f64).sin_cos();
        vertices
            .extend((0..around).map(|k| TAU * k as f64 / around as f64).map(|t| [sin * t.cos(), sin * t.sin(), cos]));
    }
    vertices.push([0.0, 0.0, -1.0]);
    let last = vertices.len() as u32 - 1;
    let n = around as u32;
    let at = |ring: u32, k: u32| 1 + (ring - 1) * n + k % n;
    let mut triangles = Vec::new();
    for k in 0..n {
        triangles.push([0, at(1, k), at(1, k + 1)]);
        triangles.push([last, at(rings as u32 - 1, k + 1), at(rings as u32 - 1, k)]);
        for ring in 1..rings as u32 - 1 {
            triangles.push([at(ring, k), at(ring + 1, k), at(ring, k + 1)]);
            triangles.push([at(ring, k + 1), at(ring + 1, k), at(ring + 1, k + 1)]);
        }
    }
    (vertices, triangles)
}

fn kind(name: &str, vertices: usize, triangles: Vec<[u32; 3]>) -> CellKind {
    CellKind { name: name.to_owned(), vertices, triangles }
}

/// Speed between the walls at 1 um and 31 um of the channel below.
fn channel_speed(y: f64) -> f64 {
    let (low, high) = (1e-6, 31e-6);
    0.5 * GRADIENT / (2.0 * MU) * (y - low) * (high - y)
}

/// A channel 30 um wide and 120 um long with red cells and discs.
fn channel(folder: &Path) -> PathBuf {
    let vessel = Vessel {
        extent: [120, 32, 1],
        fluid: |[_, y, _]| (1..31).contains(&y),
        velocity: |x| channel_speed(x[1]),
        force: true,
    };
    let kinds = [kind("red", 40, vec![]), kind("platelet", 24, vec![])];
    vessel.write(folder, &kinds, 9, |time| {
        let mut all = Suspension::default();
        for (row, y) in [7.5e-6, 16e-6, 24.5e-6].into_iter().enumerate() {
            let u = channel_speed(y);
            for k in 0..12 {
                let x = 10e-6 * f64::from(k) + 3e-6 * row as f64 + u * time;
                all.add(0, biconcave([x, y], 0.3 - 0.3 * row as f64, 40), 120e-6, |_| [u, 0.0, 0.0]);
            }
        }
        for y in [3.5e-6, 28.5e-6] {
            let u = channel_speed(y);
            for k in 0..8 {
                let x = 15e-6 * f64::from(k) + u * time;
                // They rotate by a tenth of a turn a dump.
                let turned = -TAU * 0.1 * time / INTERVAL;
                all.add(1, disc([x, y], 1.2e-6, 24, turned), 120e-6, |_| [u, 0.0, 0.0]);
            }
        }
        all.frame
    })
}

#[test]
fn a_channel_with_two_populations() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = channel(folder.path());
    let output = post(&["cells", text(&run)]);
    done(&output);
    let statistics = run.join("statistics");
    let summary = json_of(&statistics.join("cells.json"));
    // The areas of polygons of 40 and 24 vertices.
    let area = |ring: &[[f64; 3]]| {
        let n = ring.len();
        0.5 * (0..n).map(|i| ring[i][0] * ring[(i + 1) % n][1] - ring[i][1] * ring[(i + 1) % n][0]).sum::<f64>()
    };
    let (red, platelet) = (area(&biconcave([0.0; 2], 0.0, 40)), area(&disc([0.0; 2], 1.2e-6, 24, 0.0)));
    let lumen = 120e-6 * 30e-6;
    near(&summary["tube_hematocrit"]["mean"], (36.0 * red + 16.0 * platelet) / lumen, 1e-6);
    // Includes the error of the midpoint rule on a parabola; f32 adds 1e-7.
    let rate = 0.5 * GRADIENT * 30e-6f64.powi(3) / (12.0 * MU) * (1.0 + 0.5 / 900.0);
    near(&summary["flow_rate"]["mean"], rate, 1e-6);
    near(&summary["relative_viscosity"]["mean"], 2.0 / (1.0 + 0.5 / 900.0), 1e-6);
    let cells: f64 = [7.5e-6, 16e-6, 24.5e-6].into_iter().map(|y| 12.0 * red * channel_speed(y)).sum();
    let small: f64 = [3.5e-6, 28.5e-6].into_iter().map(|y| 8.0 * platelet * channel_speed(y)).sum();
    near(&summary["discharge_hematocrit"]["mean"], (cells + small) / (rate * 120e-6), 1e-5);
    near(&summary["bluntness"]["k"], 2.0, 1e-3);
    // Platelets leave 1.3 um; red cells about 5 um, and between two of them the next row shows, 13 um from the wall.
    let layer = summary["cell_free_layer_m"]["mean"].as_f64().expect("a number");
    assert!(layer > 1.3e-6 && layer < 7e-6, "{layer}");
    let platelets = &summary["populations"][1];
    near(&platelets["treading_hz"], -100.0, 1e-6);
    assert!(summary["populations"][0]["largest_area_drift"].as_f64().expect("a number").abs() < 1e-9);
    for name in ["hematocrit_offset.png", "hematocrit_wall_distance.png", "velocity_profile.png", "drift.png"] {
        assert!(statistics.join(name).exists(), "{name}");
    }
    // The profile adds up to the tube hematocrit, and the wall is free of cells.
    let profile = std::fs::read_to_string(statistics.join("cells_profile_offset.csv")).expect("is there");
    let rows: Vec<Vec<f64>> = profile
        .lines()
        .skip(1)
        .map(|row| row.split(',').map(|cell| cell.parse().expect("a number")).collect())
        .collect();
    assert_eq!(rows.len(), 30);
    let mean = rows.iter().map(|row| row[2]).sum::<f64>() / 30.0;
    near(&json!(mean), (36.0 * red + 16.0 * platelet) / lumen, 2e-3);
    assert_eq!((rows[0][2], rows[29][2]), (0.0, 0.0));
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("Fahraeus ratio"), "{said}");
    assert!(said.contains("bluntness: k = ") && said.contains(", fit to 0.0 % of its peak"), "{said}");
    assert!(summary["bluntness"]["residual"].as_f64().is_some_and(|residual| residual < 1e-3), "{summary}");
}

/// What `post cells` says on stderr.
fn complaints(run: &Path) -> String {
    let output = post(&["cells", text(run)]);
    done(&output);
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn what_is_missing_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let crooked = Vessel { fluid: |[x, y, _]| (1..31).contains(&y) && (x != 5 || y > 4), ..short_channel() };
    let discs = |_| {
        let mut all = Suspension::default();
        all.add(0, disc([20e-6, 16e-6], 2e-6, 24, 0.0), 40e-6, |_| [1e-3, 0.0, 0.0]);
        all.frame
    };
    let run = crooked.write(&folder.path().join("crooked"), &[kind("red", 24, vec![])], 3, discs);
    let said = complaints(&run);
    assert!(said.contains("cell-free layer and viscosity: the vessel is not straight along its axis"), "{said}");
    // In a straight one the dump has but one plane of nodes, and then no velocity.
    let run = short_channel().write(&folder.path().join("straight"), &[kind("red", 24, vec![])], 3, discs);
    let whole = grid(&lattice([40, 32, 1], DX, [true, false, false], short_channel().fluid));
    let (mut id, mut position) = (Vec::new(), Vec::new());
    for (&node, &at) in whole.id.iter().zip(&whole.position).filter(|(_, at)| at[0] == 20) {
        id.push(node);
        position.push(at);
    }
    let part = Grid { id, position, ..whole };
    for (field, missing) in
        [(Field::VELOCITY, "holds 30 of 1200 fluid nodes"), (Field::PRESSURE, "no dump holds velocity")]
    {
        let turn = turn();
        let mut fields = FieldWriter::create(&run.join("fields.vtkhdf"), &part, &[field], false).expect("a dump");
        fields.begin(DumpStep { step: 0, time: 0.0 }).expect("begins");
        fields.write(field, &Values::F32(vec![0.0; 30 * field.components()])).expect("writes");
        fields.end().expect("ends");
        drop((fields, turn));
        let said = complaints(&run);
        let lost = "left out profiles, cell-free layer, discharge hematocrit, flow rate and viscosity: ";
        assert!(said.contains(lost) && said.contains(missing) && !said.contains("straight along"), "{said}");
    }
}

#[test]
fn cells_are_drawn_and_tracked() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = channel(folder.path());
    done(&post(&["flow", text(&run)]));
    let picture = image(&run.join("statistics/cells.png"));
    let red = |p: &[u8; 3]| p[0] > 150 && p[1] < 90 && p[2] < 90;
    let share = picture.iter().filter(|p| red(p)).count() as f64 / picture.len() as f64;
    assert!(share > 0.04, "{share} of the picture is red");
    let output = post(&["tracks", text(&run)]);
    done(&output);
    // Of 36 cells in 9 dumps, lags of 1 to 7 dumps.
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("population red: 1260 of 1296 pairs of dumps of a member are in the 7 lags"), "{said}");
    let velocity = std::fs::read_to_string(run.join("statistics/velocity.csv")).expect("is there");
    let first: Vec<&str> = velocity.lines().nth(1).expect("a cell").split(',').collect();
    near(&json!(first[4].parse::<f64>().expect("a number")), channel_speed(7.5e-6), 1e-6);
    // Tracks from tracks.h5 are the same as from the surfaces, unwrapped.
    let reader = CellReader::open(&run.join("cells.vtkhdf")).expect("opens");
    let names: Vec<String> = reader.kinds().iter().map(|kind| kind.name.clone()).collect();
    let domain = TrackBox { dimension: 2, extent: [120e-6, 32e-6, 1e-6], periodic: [true, false, false] };
    let mut tracks = TrackWriter::create(&run, &names, &domain).expect("a file");
    for dump in 0..reader.steps().len() {
        let frame = reader.frame(dump).expect("reads");
        tracks.append(&TrackFrame::of(&frame, reader.kinds(), 2)).expect("writes");
    }
    done(&post(&["tracks", text(&run), "-o", text(&run.join("other"))]));
    let other = std::fs::read_to_string(run.join("other/velocity.csv")).expect("is there");
    for (a, b) in velocity.lines().zip(other.lines()).skip(1) {
        let [a, b] = [a, b].map(|row| row.split(',').nth(4).and_then(|u| u.parse::<f64>().ok()).expect("a number"));
        assert!((a / b - 1.0).abs() < 1e-6, "{a} {b}");
    }
    assert!(run.join("statistics/tracks.png").exists() && run.join("statistics/displacement.csv").exists());
}

/// Pixels of a PNG.
fn image(path: &Path) -> Vec<[u8; 3]> {
    image::open(path).expect("a picture").to_rgb8().pixels().map(|p| p.0).collect()
}

#[test]
fn balls_in_a_tube() {
    let folder = tempfile::tempdir().expect("a folder");
    let vessel = Vessel {
        extent: [32, 26, 26],
        fluid: |[_, y, z]| (y as f64 - 12.5).hypot(z as f64 - 12.5) < 12.0,
        velocity: |x| 1e-2 * (1.0 - ((x[1] - 13e-6).hypot(x[2] - 13e-6) / 12e-6).powi(4)),
        force: false,
    };
    let (unit, triangles) = sphere(20, 24);
    let kinds = [kind("ball", unit.len(), triangles)];
    let run = vessel.write(folder.path(), &kinds, 4, |time| {
        let mut all = Suspension::default();
        for k in 0..3 {
            let x = 10e-6 * f64::from(k) + 8e-3 * time;
            let ball = unit.iter().map(|v| [x + 4e-6 * v[0], 13e-6 + 6e-6 * v[1], 13e-6 + 4e-6 * v[2]]).collect();
            all.add(0, ball, 32e-6, |_| [8e-3, 0.0, 0.0]);
        }
        all.frame
    });
    done(&post(&["cells", text(&run)]));
    done(&post(&["flow", text(&run)]));
    let summary = json_of(&run.join("statistics/cells.json"));
    let radius = summary["vessel"]["kind"]["tube"]["radius"].as_f64().expect("a tube");
    assert!((radius - 12e-6).abs() < 0.1e-6, "{radius}");
    // An inscribed mesh of 20 x 24 faces loses 2 % of the volume.
    let volume = 3.0 * 4.0 / 3.0 * PI * 96e-18;
    near(&summary["tube_hematocrit"]["mean"], volume / (PI * radius * radius * 32e-6), 0.03);
    near(&summary["populations"][0]["taylor_deformation"]["mean"], 0.2, 0.02);
    near(&summary["populations"][0]["inclination_deg"]["mean"], 90.0, 1e-6);
    near(&summary["bluntness"]["k"], 4.0, 0.05);
    let ratio = summary["fahraeus_ratio"]["mean"].as_f64().expect("a number");
    // The mean velocity of the profile is two thirds of its largest.
    near(&json!(ratio), 2.0 / 2.4, 0.02);
    for name in ["cells_mid_x.png", "cells_mid_y.png", "hematocrit_radius.png"] {
        assert!(run.join("statistics").join(name).exists(), "{name}");
    }
}

/// A channel like that of [`channel`], a third as long.
fn short_channel() -> Vessel {
    Vessel {
        extent: [40, 32, 1],
        fluid: |[_, y, _]| (1..31).contains(&y),
        velocity: |x| channel_speed(x[1]),
        force: true,
    }
}

/// Between moving walls cells may drift faster across than along the walls' motion. The axis is still that of the
/// walls.
#[test]
fn moving_walls_give_the_axis() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = short_channel().write(folder.path(), &[kind("red", 40, vec![])], 6, |time| {
        let mut all = Suspension::default();
        let y = 14e-6 + 1e-6 * time / INTERVAL;
        all.add(0, biconcave([20e-6, y], 0.0, 40), 40e-6, |_| [0.0, 1e-6 / INTERVAL, 0.0]);
        all.frame
    });
    let mut record = json_of(&run.join("run.json"));
    let axis = |record: &Value| {
        std::fs::write(run.join("run.json"), record.to_string()).expect("writes");
        done(&post(&["cells", text(&run)]));
        json_of(&run.join("statistics/cells.json"))["axis"].clone()
    };
    record["config"] = json!({"openings": {"lid": {"wall_velocity": ["-1 mm/s", "0 m/s"]}}});
    assert_eq!(axis(&record), "x");
    record["config"] = json!({"openings": {"lid": {"velocity": "1 mm/s"}}});
    assert_eq!(axis(&record), "y");
}

#[test]
fn faults_say_what_to_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = channel(folder.path());
    let config = folder.path().join("post.json");
    for (json, piece) in [
        (r#"{"cells": {"axis": "z"}}"#, "cells.axis"),
        (r#"{"cells": {"average_from": "1 s"}}"#, "cells.average_from"),
        (r#"{"cells": {"from": "300 um"}}"#, "cells.from"),
    ] {
        std::fs::write(&config, json).expect("writes");
        let output = post(&["cells", text(&run), "--config", text(&config)]);
        assert_eq!(output.status.code(), Some(2), "{json}");
        assert!(String::from_utf8_lossy(&output.stderr).contains(piece), "{}", String::from_utf8_lossy(&output.stderr));
    }
    std::fs::remove_file(run.join("cells.vtkhdf")).expect("removes");
    for command in ["cells", "tracks"] {
        let output = post(&[command, text(&run)]);
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains("cells.vtkhdf"));
    }
    done(&post(&["flow", text(&run)]));
    assert!(!run.join("statistics/cells.png").exists());
}

#[test]
fn drifts_count_from_when_cells_have_grown() {
    let folder = tempfile::tempdir().expect("a folder");
    // A disc that grows up to the second dump.
    let run = short_channel().write(folder.path(), &[kind("red", 40, vec![])], 6, |time| {
        let mut all = Suspension::default();
        let radius = 2e-6 + 0.5e-6 * (time / INTERVAL).min(2.0);
        all.add(0, disc([20e-6, 16e-6], radius, 40, 0.0), 40e-6, |_| [0.0; 3]);
        all.frame
    });
    let drift = || {
        done(&post(&["cells", text(&run)]));
        let summary = json_of(&run.join("statistics/cells.json"));
        summary["populations"][0]["largest_area_drift"].as_f64().expect("a number")
    };
    assert!((drift() - 1.25).abs() < 1e-6);
    let mut record = json_of(&run.join("run.json"));
    record["grown"] = json!(2);
    std::fs::write(run.join("run.json"), record.to_string()).expect("writes");
    assert!(drift().abs() < 1e-6);
}
