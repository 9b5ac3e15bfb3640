//! Cells that cannot be: what is asked of `mkcase`, what is asked of `run`, and cells that break on the way.

use std::f64::consts::TAU;

use hematite_dump::{CellReader, FieldReader, Ledger, TrackReader};
use pipeline_tests::Folder;
use pipeline_tests::draw::{Picture, Voxels};
use pipeline_tests::suspension::{Suspension, bent_channel, counts, long_channel};
use serde_json::{Value, json};

/// Sets what a JSON pointer leads to; the key may be new.
fn set(config: &mut Value, pointer: &str, value: Value) {
    let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
    let parent = config.pointer_mut(parent).expect("a place");
    match key.parse::<usize>() {
        Ok(i) => parent[i] = value,
        Err(_) => parent[key] = value,
    }
}

/// Expects `mkcase` to refuse the bent channel with changes.
fn refuses_case(folder: &Folder, changes: &[(&str, Value)], pieces: &[&str]) {
    let mut case = bent_channel().case;
    changes.iter().for_each(|(pointer, value)| set(&mut case, pointer, value.clone()));
    folder.json("case.json", &case);
    println!("{case}");
    let pieces = [&["case.json"], pieces].concat();
    folder.refuses("mkcase", &["case.json", "--quiet"], &pieces);
    folder.refuses("mkcase", &["case.json", "--quiet", "--check"], &pieces);
}

/// Expects `run` to refuse the bent channel with changes, by itself, as threads and by a check.
fn refuses_run(folder: &Folder, changes: &[(&str, Value)], pieces: &[&str]) -> String {
    let mut run = bent_channel().run;
    changes.iter().for_each(|(pointer, value)| set(&mut run, pointer, value.clone()));
    folder.json("run.json", &run);
    println!("{run}");
    let pieces = [&["run.json"], pieces].concat();
    folder.refuses("run", &["run.json", "--quiet", "--threads", "2"], &pieces);
    folder.refuses("run", &["run.json", "--quiet", "--check"], &pieces);
    folder.refuses("run", &["run.json", "--quiet"], &pieces)
}

fn drawn() -> Folder {
    let folder = Folder::new();
    bent_channel().write(&folder);
    folder
}

#[test]
fn more_cells_than_fit() {
    let folder = drawn();
    let packing = ["hematocrit beyond packing", "\"red\" asks for 0.95", "fit", "ask for less"];
    refuses_case(&folder, &[("/cells/0/hematocrit", json!(0.95))], &packing);
    for hematocrit in [0.0, 1.0, 45.0, -0.1] {
        refuses_case(&folder, &[("/cells/0/hematocrit", json!(hematocrit))], &["cells[0]", "hematocrit", "e.g. 0.45"]);
    }
    let large = json!({"kind": "disc", "radius": "22 um", "vertices": 120});
    let pieces = ["cells[1]", "\"white\"", "44.000 um across", "larger than the lumen"];
    refuses_case(&folder, &[("/cells/1/shape", large)], &pieces);
    let huge = json!({"kind": "disc", "radius": "33 um", "vertices": 160});
    refuses_case(&folder, &[("/cells/1/shape", huge)], &["\"white\"", "own images", "periodic x", "longer domain"]);
}

#[test]
fn populations_that_cannot_be() {
    let folder = drawn();
    for (pointer, value, pieces) in [
        ("/cells/0/hematocryt", json!(0.3), &["hematocryt", "did you mean \"hematocrit\"?"][..]),
        ("/cells/0/count", json!(3), &["cells[0]", "exactly one", "hematocrit and count"]),
        ("/cells/0/hematocrit", json!(null), &["cells[0]", "exactly one", "found none"]),
        ("/cells/1/count", json!(0), &["cells[1]", "\"count\" is 0"]),
        ("/cells/1/count", json!(-1), &["cells[1].count"]),
        ("/cells/1/name", json!("red"), &["cells[1]", "same name"]),
        ("/cells/1/name", json!(""), &["cells[1]", "name"]),
        ("/cells/0/shape", json!({"kind": "red_cel"}), &["red_cel", "did you mean \"red_cell\"?"]),
        ("/cells/0/shape", json!({"kind": "red_cell", "radius": "4 um"}), &["radius"]),
        ("/cells/0/shape", json!({"kind": "red_cell", "diameter": "8 s"}), &["\"8 s\"", "not a length"]),
        ("/cells/0/shape", json!({"kind": "red_cell", "vertices": 5}), &["cells[0]", "\"vertices\" is 5", "6 to"]),
        ("/cells/0/shape", json!({"kind": "red_cell", "vertices": 8}), &["cells[0]", "spacings apart", "\"vertices\""]),
        ("/cells/0/shape", json!({"kind": "platelet"}), &["cells[0]", "thick", "lattice"]),
        ("/cells/1/shape", json!({"kind": "disc", "radius": "-4 um"}), &["cells[1]", "radius", "above 0"]),
        ("/cells/1/shape", json!({"kind": "mesh", "file": "a.stl", "unit": "1 um"}), &["3-D", "this case is 2-D"]),
        ("/cells/0/mechanics", json!("red_cells"), &["cells[0].mechanics", "did you mean \"red_cell\"?"]),
        ("/cells/0/mechanics", json!({"contrasst": 5}), &["contrasst", "did you mean \"contrast\"?"]),
        ("/cells/0/mechanics", json!({"volume": "1 N"}), &["cells[0].mechanics.volume", "not a pressure"]),
        ("/seeding", json!({"sead": 3}), &["sead", "did you mean \"seed\"?"]),
        ("/seeding", json!({"gap": "50 um"}), &["seeding", "\"gap\"", "50.000 lattice spacings"]),
    ] {
        refuses_case(&folder, &[(pointer, value)], pieces);
    }
}

#[test]
fn mechanics_that_cannot_be_are_refused_by_mkcase_too() {
    let folder = drawn();
    for (mechanics, pieces) in [
        (json!({"contrast": 100}), &["contrast", "0.1 to 20"][..]),
        (json!({"volume": "-1 Pa"}), &["volume", "below 0"]),
        (json!({"in_plane": {"law": "skalak", "shear_modulus": "5 uN/m"}}), &["skalak", "3-D", "linear"]),
    ] {
        refuses_case(&folder, &[("/cells/0/mechanics", mechanics)], &[&["\"red\""], pieces].concat());
    }
}

#[test]
fn moduli_that_the_time_step_does_not_bear_are_not_changed_in_silence() {
    let folder = bent_channel().folder();
    for (key, stiff, unit) in [("volume", "1 GPa", "Pa"), ("global_area", "1 kN/m", "N/m")] {
        let given = |value: &str| [("/cells", json!({"mechanics": {"red": {key: value}}}))];
        let name = format!("cells.mechanics.red.{key}");
        let message = refuses_run(&folder, &given(stiff), &[&name, "time step", "take at most", "leave the key out"]);
        let most = message.split("take at most ").nth(1).and_then(|rest| rest.split(' ').next()).expect("the limit");
        refuses_run(&folder, &given(&format!("{} {unit}", 1.02 * most.parse::<f64>().expect("a number"))), &[&name]);
        let mut run = bent_channel().run;
        given(&format!("{most} {unit}")).iter().for_each(|(pointer, value)| set(&mut run, pointer, value.clone()));
        folder.json("run.json", &run);
        let checked = folder.run(&["run.json", "--check"]).done();
        assert!(!checked.stderr.contains(&format!("{name} is lowered")), "{}", checked.stderr);
    }
}

#[test]
fn positions_that_cannot_be() {
    let folder = drawn();
    let at = |text: &str, pieces: &[&str]| {
        folder.write("cells.csv", text.as_bytes());
        println!("{text}");
        let changes = [
            (
                "/cells/1",
                json!({"name": "white", "shape": {"kind": "disc", "radius": "4 um"}, "positions": "cells.csv"}),
            ),
            ("/cells/0", json!({"name": "red", "shape": {"kind": "red_cell"}, "count": 3})),
        ];
        refuses_case(&folder, &changes, &[&["cells.csv"], pieces].concat());
    };
    at("x [um],y [um]\n30,25\n30,3\n", &["row 2", "out of the fluid"]);
    at("x [um],y [um]\n30,25\n30,300\n", &["row 2", "out of the fluid"]);
    at("x [um],y [um]\n30,25\n35,25\n", &["row 2", "row 1", "overlap"]);
    at("x [um],y [um]\n30,25\n94,25\n", &["row 2", "row 1", "overlap"]);
    at("x [um],y [um]\n30,nan\n", &["row 1", "not a number"]);
    at("x [um],y [s]\n30,25\n", &["y [s]", "length"]);
    at("x [um]\n30\n", &["no column \"y\""]);
    at("x [um],y [um]\n", &["no row"]);
    at("x [um],y [um],z [um]\n30,25,1\n", &["\"z\""]);
    at("x [um],y [um],x [um]\n30,25,40\n", &["column \"x\" is there twice"]);
    std::fs::remove_file(folder.path("cells.csv")).expect("removes");
    let none = json!({"name": "white", "shape": {"kind": "disc", "radius": "4 um"}, "positions": "cells.csv"});
    refuses_case(&folder, &[("/cells/1", none)], &["cells.csv"]);
}

/// A sphere in degrees of latitude and longitude, as triangles of corners on the unit sphere.
fn sphere() -> Vec<[[f64; 3]; 3]> {
    let (rings, sides) = (8, 14);
    let point = |i: usize, j: usize| {
        let (down, round) = (0.5 * TAU * i as f64 / rings as f64, TAU * (j % sides) as f64 / sides as f64);
        if i == 0 || i == rings {
            return [0.0, 0.0, down.cos()];
        }
        [down.sin() * round.cos(), down.sin() * round.sin(), down.cos()]
    };
    let mut triangles = Vec::new();
    for i in 0..rings {
        for j in 0..sides {
            let [a, b, c, d] = [point(i, j), point(i + 1, j), point(i + 1, j + 1), point(i, j + 1)];
            if i + 1 < rings {
                triangles.push([a, b, c]);
            }
            if i > 0 {
                triangles.push([a, c, d]);
            }
        }
    }
    triangles
}

/// As ASCII STL.
fn stl(triangles: &[[[f64; 3]; 3]]) -> String {
    let vertex = |[x, y, z]: &[f64; 3]| format!("vertex {x:.6} {y:.6} {z:.6}\n");
    let facet = |corners: &[[f64; 3]; 3]| {
        let vertices: String = corners.iter().map(vertex).collect();
        format!("facet normal 0 0 0\nouter loop\n{vertices}endloop\nendfacet\n")
    };
    format!("solid sphere\n{}endsolid sphere\n", triangles.iter().map(facet).collect::<String>())
}

/// A duct along x, periodic, with spheres from a file in it.
fn duct() -> Suspension {
    Suspension {
        file: "duct.mha",
        content: Voxels::of([20, 16, 16], |[_, y, z]| (2..14).contains(&y) && (2..14).contains(&z)).mha(),
        case: json!({
            "geometry": {"voxels": {"file": "duct.mha"}, "spacing": "1 um", "periodic": ["x"]},
            "cells": [{"name": "capsule", "shape": {"kind": "mesh", "file": "sphere.stl", "unit": "3 um"}, "count": 3}]
        }),
        run: json!({
            "case": "case.h5",
            "fluid": {"lattice_boltzmann": {"density": "1025 kg/m3", "viscosity": "1.2 mPa s"}},
            "time": {"step": "0.1 us", "steps": 200},
            "drive": {"force": ["2 MPa/m", "0 Pa/m", "0 Pa/m"]}
        }),
    }
}

#[test]
fn meshes_that_are_no_cells() {
    let folder = Folder::new();
    duct().write(&folder);
    let refuses = |content: &str, pieces: &[&str]| {
        folder.write("sphere.stl", content.as_bytes());
        let pieces = [&["case.json", "cells[0]", "sphere.stl"], pieces].concat();
        folder.refuses("mkcase", &["case.json", "--quiet"], &pieces);
        folder.refuses("mkcase", &["case.json", "--quiet", "--check"], &pieces);
    };
    let whole = sphere();
    refuses(&stl(&whole[1..]), &["open", "close its holes"]);
    // A dent that comes out on the other side.
    let pole = whole[0].iter().copied().find(|corner| corner[2] > 0.999).expect("a pole");
    let dented = |corner: [f64; 3]| if corner == pole { [0.0, 0.0, -1.5] } else { corner };
    refuses(&stl(&whole.iter().map(|corners| corners.map(dented)).collect::<Vec<_>>()), &["crosses", "triangles"]);
    let far: Vec<_> = whole.iter().map(|corners| corners.map(|[x, y, z]| [x + 5.0, y, z])).collect();
    refuses(&stl(&[whole.clone(), far].concat()), &["2 separate parts"]);
    let flat: Vec<_> = whole.iter().map(|corners| corners.map(|[x, y, z]| [x, y, 1e-5 * z])).collect();
    refuses(&stl(&flat), &[]);
    refuses("solid nothing\nendsolid nothing\n", &["no triangles"]);
    refuses(&stl(&whole)[..2000], &[]);
    refuses("A letter to a friend.", &[]);
    std::fs::remove_file(folder.path("sphere.stl")).expect("removes");
    folder.refuses("mkcase", &["case.json", "--quiet"], &["sphere.stl"]);
}

#[test]
fn a_mesh_from_a_file_flows() {
    let folder = Folder::new();
    duct().write(&folder);
    folder.write("sphere.stl", stl(&sphere()).as_bytes());
    let made = folder.mkcase(&["case.json", "--quiet"]).done();
    assert!(made.stdout.contains("capsule: 3 of 3 cells"), "{}", made.stdout);
    let _done = folder.run(&["run.json", "--quiet"]).done();
    let cells = CellReader::open(&folder.path("run/cells.vtkhdf")).expect("cells");
    // Without a word about dumps: at the start and at the end.
    assert_eq!(cells.steps().iter().map(|dump| dump.step).collect::<Vec<_>>(), [0, 200]);
    assert_eq!((cells.kinds()[0].vertices, cells.kinds()[0].triangles.len()), (2 + 7 * 14, 14 * (2 + 2 * 6)));
    let [first, last] = [0, 1].map(|dump| cells.frame(dump).expect("a frame"));
    let mean = |x: &[[f64; 3]]| x.iter().map(|x| x[0]).sum::<f64>() / x.len() as f64;
    assert!(mean(&last.position) > mean(&first.position) + 1e-7, "no capsule moves");
    pipeline_tests::suspension::keeps_its_cells(&folder.path("run"), 200, &[3]);
}

#[test]
fn cells_in_a_run_that_cannot_be() {
    let folder = bent_channel().folder();
    let no_mechanics = ("/cells", json!({"mechanics": {"whit": {"contrast": 1}}}));
    refuses_run(&folder, &[no_mechanics], &["cells.mechanics.whit", "red, white", "did you mean \"white\"?"]);
    for (cells, pieces) in [
        (json!({"kernal": 2}), &["kernal", "did you mean \"kernel\"?"][..]),
        (json!({"kernel": 5}), &["cells.kernel 5", "2, 3 or 4"]),
        (json!({"kernel": -1}), &["cells.kernel"]),
        (json!({"every": 3, "move_every": 2}), &["cells.every 3", "multiple of cells.move_every 2"]),
        (json!({"every": 0}), &["cells.every 0", "1 to 1000"]),
        (json!({"move_every": 0}), &["cells.move_every 0", "1 to 1000"]),
        (json!({"mark_every": 0}), &["cells.mark_every 0"]),
        (json!({"growth": "-1 s"}), &["cells.growth"]),
        (json!({"growth_force": "0 N"}), &["cells.growth_force", "above 0", "at most"]),
        (json!({"growth_force": "1 mN"}), &["cells.growth_force", "at most", "shorter step"]),
        (json!({"contact": {"range": "9 um"}}), &["cells.contact.range", "9.000 lattice spacings", "4"]),
        (json!({"contact": {"range": "0 um"}}), &["cells.contact.range", "0.1"]),
        (json!({"contact": {"strength": "1 GPa"}}), &["cells.contact.strength", "Pa", "shorter step"]),
        (json!({"contact": {"strength": "-1 Pa"}}), &["cells.contact.strength", "from 0"]),
        (json!({"contact": {"wall_strength": "1 GPa"}}), &["cells.contact.wall_strength"]),
        (json!({"contact": {"strenght": "1 Pa"}}), &["strenght", "did you mean \"strength\"?"]),
        (
            json!({"contact": {"adhesion": {"energy": "1 uN/m", "distance": "8 um", "width": "0.2 um"}}}),
            &["cells.contact.adhesion"],
        ),
        (
            json!({"contact": {"adhesion": {"energy": "1 uN/m", "distance": "0 um", "width": "0.2 um"}}}),
            &["cells.contact.adhesion"],
        ),
        (json!({"mechanics": {"red": {"contrast": 50}, "white": {"contrast": 50}}}), &["contrast", "0.1 to 20"]),
        (json!({"mechanics": {"red": "blood"}}), &["cells.mechanics.red", "blood"]),
        (json!({"mechanics": {"red": {"volume": "x Pa"}}}), &["cells.mechanics.red.volume"]),
    ] {
        refuses_run(&folder, &[("/cells", cells)], pieces);
    }
    refuses_run(&folder, &[("/cell_dumps", json!({"every": 0}))], &["cell_dumps.every"]);
    refuses_run(&folder, &[("/cell_dumps", json!({"evry": 1}))], &["evry", "did you mean \"every\"?"]);
    refuses_run(&folder, &[("/cell_dumps", json!({"at": [5000]}))], &["cell_dumps.at", "step 5000", "step 1250"]);
    refuses_run(&folder, &[("/tracks", json!({"every": 0}))], &["tracks.every"]);
    refuses_run(&folder, &[("/dumps/0/name", json!("cells"))], &["\"cells\""]);
}

#[test]
fn a_magic_number_too_small_for_the_contrast_is_told() {
    let folder = bent_channel().folder();
    let told = |magic: f64, contrast: f64| {
        let mut run = bent_channel().run;
        set(&mut run, "/fluid/lattice_boltzmann/magic", json!(magic));
        set(&mut run, "/time", json!({"steps": 16}));
        set(&mut run, "/fluid/lattice_boltzmann/tau", json!(2));
        let mechanics = json!({"contrast": contrast});
        set(&mut run, "/cells", json!({"mechanics": {"red": mechanics, "white": mechanics}}));
        set(&mut run, "/cell_dumps", json!({"every": 16}));
        folder.json("run.json", &run);
        folder.run(&["run.json", "--check"]).done().stderr
    };
    let said = told(0.02, 5.0);
    for piece in [
        "contrast 5",
        "fluid.lattice_boltzmann.magic 0.02",
        "tau 8.000 inside cells",
        "at least 0.094",
        "cells.mark_every 94",
    ] {
        assert!(said.contains(piece), "{piece} in {said}");
    }
    for (magic, contrast) in [(0.1875, 5.0), (0.095, 5.0), (0.02, 1.0)] {
        let said = told(magic, contrast);
        assert!(!said.contains("fluid.lattice_boltzmann.magic"), "{said}");
    }
}

#[test]
fn rings_that_leak_are_told() {
    for (vertices, told) in [(json!(20), true), (json!(28), false), (json!(null), false)] {
        let folder = Folder::new();
        let mut suspension = bent_channel();
        set(&mut suspension.case, "/cells/0/shape/vertices", vertices);
        suspension.write(&folder);
        let _made = folder.mkcase(&["case.json", "--quiet"]).done();
        let said = folder.run(&["run.json", "--check"]).done().stderr;
        assert_eq!(said.contains("cells of \"red\" have sides of 0.95 lattice spacings"), told, "{said}");
        assert_eq!(said.contains("leaks"), told, "{said}");
    }
}

#[test]
fn walls_one_site_thin_are_told() {
    let folder = Folder::new();
    let said = |speck: bool, cells: Value| {
        let picture = Picture::of(64, 40, |x, y| (4..36).contains(&y) && !(speck && [x, y] == [20, 20]));
        folder.write("channel.pgm", &picture.pgm());
        let geometry = json!({"image": "channel.pgm", "spacing": "1 um", "periodic": ["x"]});
        folder.json("case.json", &json!({"geometry": geometry, "cells": cells}));
        folder.mkcase(&["case.json", "--check", "--quiet"]).done().stdout
    };
    let red = json!([{"name": "red", "shape": {"kind": "red_cell"}, "count": 2}]);
    let of_a_speck = said(true, red.clone());
    assert!(of_a_speck.contains("1 wall site is only one site thin, the first near (2.0500e-5, "), "{of_a_speck}");
    assert!(!said(false, red).contains("thin"));
    assert!(!said(true, json!([])).contains("thin"), "a fluid alone flows round them");
}

/// A duct 12 um wide that narrows to 6 um, with one red cell.
#[test]
fn a_flow_that_is_too_strong_for_membranes_is_told() {
    let folder = Folder::new();
    let wide = |x: usize, y: usize| if x < 14 { (2..14).contains(&y) } else { (5..11).contains(&y) };
    folder.write("duct.mha", &Voxels::of([24, 16, 16], |[x, y, z]| wide(x, y) && wide(x, z)).mha());
    folder.json(
        "case.json",
        &json!({
            "geometry": {"voxels": {"file": "duct.mha"}, "spacing": "1 um"},
            "openings": [
                {"name": "in", "kind": "velocity", "face": "x-"}, {"name": "out", "kind": "pressure", "face": "x+"}
            ],
            "cells": [{"name": "red", "shape": {"kind": "red_cell", "vertices": 162}, "count": 1}]
        }),
    );
    let _made = folder.mkcase(&["case.json", "--quiet"]).done();
    let said = |speed: &str, opening: Value| {
        let mut run = json!({
            "case": "case.h5",
            "fluid": {"lattice_boltzmann": {"density": "1025 kg/m3", "viscosity": "1.2 mPa s"}},
            "time": {"step": "0.1 us", "steps": 16},
            "openings": {"in": {"velocity": speed}}
        });
        run["openings"]["out"] = opening;
        folder.json("run.json", &run);
        folder.run(&["run.json", "--check"]).done().stderr
    };
    let at_rest = json!({"pressure": "0 Pa"});
    // The outlet has a quarter of the area: four times the speed over half the width.
    for (speed, told) in [("0.5 mm/s", None), ("5 mm/s", Some("at opening \"out\""))] {
        let said = said(speed, at_rest.clone());
        assert_eq!(said.contains("capillary number"), told.is_some(), "{said}");
        assert!(told.is_none_or(|place| said.contains(place)), "{said}");
    }
    // mu 4 u / D R / G: 1.2 mPa s, the peak of a square duct 2.1 times the mean, R 2.8 um, G 5 uN/m.
    let found = number(&said("5 mm/s", at_rest), "capillary number ");
    let rate = 4.0 * 4.0 * 2.1 * 5e-3 / (2.0 * (36e-12 / std::f64::consts::PI).sqrt());
    let expected = 1.2e-3 * rate * 2.8e-6 / 5e-6;
    assert!((found / expected - 1.0).abs() < 0.1, "{found} for {expected}");
}

#[test]
fn a_membrane_too_stiff_for_the_time_step() {
    let folder = bent_channel().folder();
    let stiff = ("/cells", json!({"mechanics": {"white": {"in_plane": {"law": "linear", "modulus": "200 mN/m"}}}}));
    let message =
        refuses_run(&folder, std::slice::from_ref(&stiff), &["cells.mechanics.white", "too stiff", "at most"]);
    let largest = message.split("at most ").nth(1).and_then(|rest| rest.split(" s").next()).expect("a step");
    let largest: f64 = largest.parse().expect("a number");
    assert!(largest < 1e-7 && largest > 1e-10, "{message}");
    // The message rounds to four digits.
    let step = |seconds: f64| ("/time", json!({"step": format!("{seconds:e} s"), "steps": 1000}));
    refuses_run(&folder, &[stiff.clone(), step(1.01 * largest)], &["too stiff"]);
    let mut run = bent_channel().run;
    for (pointer, value) in [stiff, step(0.999 * largest), ("/cell_dumps", json!({"every": 100}))] {
        set(&mut run, pointer, value);
    }
    folder.json("run.json", &run);
    let _done = folder.run(&["run.json", "--quiet"]).done();
    pipeline_tests::suspension::keeps_its_cells(&folder.path("run"), 1000, &counts(&folder.path("case.h5")));
}

#[test]
fn a_kernel_wider_than_the_channel() {
    let channel = Picture::of(60, 7, |x, y| (1..=3).contains(&y) || (x < 30 && y < 6));
    let folder = Folder::new();
    folder.write("narrow.pgm", &channel.pgm());
    let red = json!({"name": "red", "shape": {"kind": "disc", "radius": "1 um", "vertices": 8}, "count": 2});
    folder.json(
        "case.json",
        &json!({"geometry": {"image": "narrow.pgm", "spacing": "1 um", "periodic": ["x"]}, "cells": [red]}),
    );
    let _made = folder.mkcase(&["case.json", "--quiet"]).done();
    let mut run = bent_channel().run;
    run["cells"] = json!({"kernel": 4});
    folder.json("run.json", &run);
    folder.refuses("run", &["run.json", "--quiet"], &["run.json", "cells.kernel", "4", "3"]);
}

/// Expects a run whose drive tears cells apart to name the cell, where and when; gives the message.
fn breaks(folder: &Folder, arguments: &[&str]) -> String {
    folder
        .run(&[&["run.json", "--quiet"], arguments].concat())
        .fails(4, &["cell ", "of population \"red\"", "broke at step ", "near (", "failed/", "passed the checks"])
}

/// The number that follows a word.
fn number(message: &str, word: &str) -> f64 {
    let rest = message.split(word).nth(1).unwrap_or_else(|| panic!("\"{word}\" in {message}"));
    rest.split([' ', ',', ')', ':']).next().and_then(|text| text.parse().ok()).expect("a number")
}

#[test]
fn a_cell_that_breaks_is_named_and_earlier_dumps_stay() {
    let folder = long_channel().folder();
    let mut run = long_channel().run;
    set(&mut run, "/drive", json!({"force": ["400 MPa/m", "0 Pa/m"]}));
    set(&mut run, "/dumps", json!([{"every": 7}]));
    set(&mut run, "/cell_dumps", json!({"every": 1}));
    set(&mut run, "/tracks", json!({"every": 1}));
    set(&mut run, "/monitor", json!({"every": 10}));
    folder.json("run.json", &run);
    let message = breaks(&folder, &["-o", "solo"]);
    let (cell, step, x) = (number(&message, "cell "), number(&message, "at step "), number(&message, "near ("));
    let cells = CellReader::open(&folder.path("solo/cells.vtkhdf")).expect("a dump of cells");
    assert!(cells.steps().len() > 20, "{message}");
    let last = cells.frame(cells.steps().len() - 1).expect("a frame");
    assert!(last.step as f64 <= step, "broken at step {step}, dumped at {}", last.step);
    assert!(last.position.as_flattened().iter().all(|x| x.is_finite()));
    // Where the message says it is: the cell's vertices are within its size, as far as it goes in a look.
    let vertices = last.vertices(cells.kinds()).swap_remove(cell as usize);
    let near = last.position[vertices].iter().any(|at| {
        let away = (at[0] - x).rem_euclid(192e-6);
        away.min(192e-6 - away) < 10e-6
    });
    assert!(near, "cell {cell} is not near {x}: {message}");
    let fields = FieldReader::open(&folder.path("solo/fields.vtkhdf")).expect("a dump of fields");
    assert!(!fields.steps().is_empty());
    assert!(!Ledger::read(&folder.path("solo")).expect("a ledger").rows.is_empty());
    assert!(!TrackReader::open(&folder.path("solo")).expect("tracks").steps().is_empty());
    for file in ["cells", "fields"] {
        assert!(folder.has(&format!("solo/failed/{file}.vtkhdf")), "no last state of {file}");
    }
    let failed = CellReader::open(&folder.path("solo/failed/cells.vtkhdf")).expect("the last state");
    assert!(failed.steps().len() == 1 && failed.steps()[0].step as f64 >= step, "{message}");
    let flow = folder.post(&["flow", "solo", "-o", "statistics"]).done();
    assert!(flow.stderr.contains("the run failed (step"), "{}", flow.stderr);
    // The same cell, place and step on any number of ranks.
    assert_eq!(breaks(&folder, &["-o", "threads", "--threads", "3"]), message);
    let _whole = CellReader::open(&folder.path("threads/cells.vtkhdf")).expect("a dump of cells");
}

#[test]
fn cells_that_grow_at_once_hold() {
    let folder = Folder::new();
    let mut suspension = long_channel();
    set(&mut suspension.case, "/cells/0/hematocrit", json!(0.5));
    set(&mut suspension.case, "/seeding", json!({"gap": "2 um"}));
    // Their sides are 0.6 of what they grow to in one step: without a cap on forces a cell breaks some steps later.
    set(&mut suspension.run, "/cells", json!({"growth": "0.1 us"}));
    set(&mut suspension.run, "/time/steps", json!(500));
    suspension.write(&folder);
    let made = folder.mkcase(&["case.json", "--quiet"]).done();
    assert!(made.stdout.contains("begin smaller"), "{}", made.stdout);
    let done = folder.run(&["run.json"]).done();
    assert!(done.stderr.contains("they grow until step 1; forces on a vertex are capped at 3.2"), "{}", done.stderr);
    pipeline_tests::suspension::keeps_its_cells(&folder.path("run"), 500, &counts(&folder.path("case.h5")));
}

#[test]
fn a_checkpoint_of_other_cells() {
    let folder = bent_channel().folder();
    let mut run = bent_channel().run;
    set(&mut run, "/cell_dumps", json!({"every": 16}));
    folder.json("run.json", &run);
    let _done = folder.run(&["run.json", "--steps", "32", "--checkpoint-every", "32", "--quiet"]).done();
    let checkpoint = "run/checkpoint/step-000000000032";
    let again = ["run.json", "-o", "b", "--restart", checkpoint, "--quiet"];
    let own = std::fs::read(folder.path("case.h5")).expect("reads");
    let mut case = bent_channel().case;
    set(&mut case, "/seeding", json!({"seed": 5}));
    folder.json("other.json", &case);
    let _made = folder.mkcase(&["other.json", "-o", "case.h5", "--quiet"]).done();
    folder.refuses("run", &again, &[checkpoint, "another case"]);
    folder.write("case.h5", &own);
    let file = format!("{checkpoint}/rank-0000.h5");
    let whole = std::fs::read(folder.path(&file)).expect("reads");
    folder.write(&file, &whole[..whole.len() / 2]);
    folder.refuses("run", &again, &[checkpoint]);
    folder.write(&file, &whole);
    let _done = folder.run(&["run.json", "-o", "b", "--restart", checkpoint, "--steps", "64", "--quiet"]).done();
}

/// What is done to a group of a case file.
type Damage = fn(&hdf5::Group) -> hdf5::Result<()>;

#[test]
fn a_case_with_damaged_cells() {
    let folder = bent_channel().folder();
    let whole = std::fs::read(folder.path("case.h5")).expect("reads");
    let damages: [(&str, Damage); 12] = [
        ("cells/0", |group| change::<f64>(group, "centre", f64::NAN)),
        ("cells/0", |group| change::<f64>(group, "centre", 1.0)),
        ("cells/0", |group| change::<f64>(group, "orientation", 0.5)),
        ("cells/0", |group| change::<f64>(group, "scale", 2.0)),
        ("cells/0", |group| change::<f64>(group, "scale", f64::NAN)),
        ("cells/0", |group| change::<f64>(group, "vertices", f64::INFINITY)),
        ("cells/1", |group| group.unlink("vertices")),
        ("cells/1", |group| group.unlink("centre")),
        ("cells/1", |group| group.unlink("orientation")),
        ("cells/1", |group| replace(group, "scale", &[1.0])),
        ("cells/1", |group| replace(group, "vertices", &[0.0; 6])),
        ("cells", |group| group.unlink("0")),
    ];
    for (n, (name, damage)) in damages.into_iter().enumerate() {
        folder.write("case.h5", &whole);
        folder.hdf5("case.h5", hdf5::File::open_rw, |file| damage(&file.group(name)?));
        println!("damage {n} of {name}");
        folder.refuses("run", &["run.json", "--quiet"], &["case.h5"]);
        folder.refuses("run", &["run.json", "--quiet", "--threads", "2"], &["case.h5"]);
    }
}

/// Sets the second number of a dataset.
fn change<T: hdf5::H5Type + Copy>(group: &hdf5::Group, name: &str, value: T) -> hdf5::Result<()> {
    let dataset = group.dataset(name)?;
    let mut values: Vec<T> = dataset.read_raw()?;
    values[1] = value;
    dataset.write_raw(&values)
}

/// Puts other numbers in the place of a dataset.
fn replace(group: &hdf5::Group, name: &str, values: &[f64]) -> hdf5::Result<()> {
    group.unlink(name)?;
    group.new_dataset::<f64>().shape(values.len()).create(name)?.write_raw(values)
}

#[test]
fn cells_of_all_shapes_flow_together() {
    let suspension = bent_channel();
    let folder = Folder::new();
    suspension.write(&folder);
    let mut case = suspension.case;
    case["cells"] = json!([
        {"name": "red", "shape": {"kind": "red_cell"}, "hematocrit": 0.2},
        {"name": "disc", "shape": {"kind": "disc", "radius": "3 um"}, "count": 4},
        {"name": "sphere", "shape": {"kind": "sphere", "radius": "2 um"}, "count": 2},
        {"name": "platelet", "shape": {"kind": "platelet", "diameter": "4 um", "thickness": "2 um"}, "count": 5},
        {"name": "egg", "shape": {"kind": "ellipsoid", "axes": ["8 um", "5 um"]}, "count": 2, "mechanics": "vesicle"}
    ]);
    folder.json("case.json", &case);
    let _checked = folder.mkcase(&["case.json", "--check", "--quiet"]).done();
    let made = folder.mkcase(&["case.json", "--quiet"]).done();
    for piece in ["red: ", "disc: 4 of 4", "sphere: 2 of 2", "platelet: 5 of 5", "egg: 2 of 2"] {
        assert!(made.stdout.contains(piece), "{piece} in {}", made.stdout);
    }
    let run = json!({
        "case": "case.h5",
        "fluid": {"lattice_boltzmann": {"density": "1025 kg/m3", "viscosity": "1.2 mPa s"}},
        "time": {"step": "0.1 us", "steps": 200},
        "drive": {"pressure_drop": {"axis": "x", "drop": "100 Pa"}}
    });
    folder.json("run.json", &run);
    let checked = folder.run(&["run.json", "--check"]).done();
    assert!(checked.stderr.contains("4 of \"disc\", 32 vertices each"), "{}", checked.stderr);
    let _done = folder.run(&["run.json", "--quiet"]).done();
    let counts = counts(&folder.path("case.h5"));
    assert_eq!(counts[1..], [4, 2, 5, 2]);
    pipeline_tests::suspension::keeps_its_cells(&folder.path("run"), 200, &counts);
    let _flow = folder.post(&["flow", "run"]).done();
    let _tracks = folder.post(&["tracks", "run"]).done();
}
