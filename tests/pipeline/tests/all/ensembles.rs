//! `run --ensemble` and `post ensemble`: members are the runs with the seeds that follow, on any number of ranks.

use pipeline_tests::{Folder, draw};
use serde_json::{Value, json};

/// A slit with a fluid of particles that has the seed 5.
fn slit() -> Folder {
    let folder = Folder::new();
    folder.write("slit.pgm", &draw::Picture::of(24, 10, |_, y| y > 0 && y < 9).pgm());
    let geometry = json!({"image": "slit.pgm", "spacing": "1 um", "periodic": ["x"]});
    folder.json("case.json", &json!({"geometry": geometry}));
    let _made = folder.mkcase(&["case.json", "--quiet"]).done();
    write(&folder, "run.json", 5);
    folder
}

fn write(folder: &Folder, name: &str, seed: u64) {
    let fluid = json!({"srd": {
        "density": "1000 kg/m3", "temperature": "300 K", "mean_free_path": 0.1, "particles_per_cell": 8, "seed": seed
    }});
    folder.json(
        name,
        &json!({
            "case": "case.h5", "fluid": fluid, "drive": {"force": ["200 Pa/m", "0 Pa/m"]}, "time": {"steps": 150},
            "dumps": [{"every": 150}], "monitor": {"every": 50}
        }),
    );
}

/// The numbers of a column of a table.
fn column(text: &str, name: &str) -> Vec<f64> {
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().expect("a header").split(',').collect();
    let place = header.iter().position(|known| *known == name).unwrap_or_else(|| panic!("{name} in {header:?}"));
    lines.map(|line| line.split(',').nth(place).expect("a cell").parse().expect("a number")).collect()
}

#[test]
fn members_are_the_runs_with_the_seeds_that_follow() {
    let folder = slit();
    let _all = folder.run(&["run.json", "--ensemble", "3", "-o", "all", "--threads", "2"]).done();
    write(&folder, "third.json", 7);
    let _alone = folder.run(&["third.json", "--quiet"]).done();
    folder.same("third", "all/member-0003");
    let _first = folder.run(&["run.json", "-o", "first", "--quiet"]).done();
    folder.same("first", "all/member-0001");
    assert_ne!(folder.read("all/member-0001/ledger.csv"), folder.read("all/member-0002/ledger.csv"));
    let _ranks = folder.mpirun(2, &["run.json", "--ensemble", "3", "-o", "ranks", "--quiet"]).done();
    for member in ["member-0001", "member-0002", "member-0003"] {
        folder.same(&format!("all/{member}"), &format!("ranks/{member}"));
    }
}

#[test]
fn an_ensemble_goes_on_and_grows() {
    let folder = slit();
    let _part = folder.run(&["run.json", "--ensemble", "2", "-o", "all", "--quiet", "--steps", "60"]).done();
    let _refused = folder.run(&["run.json", "--ensemble", "2", "-o", "all"]).fails(2, &["member-0001", "--restart"]);
    let grown = folder.run(&["run.json", "--ensemble", "3", "-o", "all", "--restart"]).done();
    assert!(grown.stderr.contains("done: 3 of 3 members"), "{}", grown.stderr);
    let _whole = folder.run(&["run.json", "--ensemble", "3", "-o", "whole", "--quiet"]).done();
    for member in ["member-0001", "member-0002", "member-0003"] {
        folder.same(&format!("all/{member}"), &format!("whole/{member}"));
    }
}

#[test]
fn a_member_that_lost_its_checkpoint_does_not_stop_the_others() {
    let folder = slit();
    let _part = folder.run(&["run.json", "--ensemble", "3", "-o", "all", "--quiet", "--steps", "60"]).done();
    let _whole = folder.run(&["run.json", "--ensemble", "4", "-o", "whole", "--quiet"]).done();
    // The first member of a rank, and one after it.
    for lost in ["all/member-0001", "all/member-0002"] {
        std::fs::remove_dir_all(folder.path(lost).join("checkpoint")).expect("removes");
    }
    let again = ["run.json", "--ensemble", "4", "-o", "all", "--quiet", "--restart"];
    let told = folder.run(&again).exits(4).stderr;
    for piece in [
        "run: error: member-0001: ",
        "run: error: member-0002: ",
        "no checkpoint to go on from",
        "2 of 4 members of the ensemble failed, 2 are done; 2 could not begin or go on",
    ] {
        assert!(told.contains(piece), "{piece}: {told}");
    }
    for member in ["member-0003", "member-0004"] {
        folder.same(&format!("all/{member}"), &format!("whole/{member}"));
    }
    for lost in ["all/member-0001", "all/member-0002"] {
        std::fs::remove_dir_all(folder.path(lost)).expect("removes");
    }
    let _rest = folder.run(&again).done();
    for member in ["member-0001", "member-0002"] {
        folder.same(&format!("all/{member}"), &format!("whole/{member}"));
    }
}

#[test]
fn means_and_errors_are_those_of_the_members() {
    let folder = slit();
    let _all = folder.run(&["run.json", "--ensemble", "3", "-o", "all", "--quiet"]).done();
    let members = ["all/member-0001", "all/member-0002", "all/member-0003"];
    for member in members {
        let _flow = folder.post(&["flow", member]).done();
    }
    let _means = folder.post(&["ensemble", "all"]).done();
    for (table, of_member, name) in [
        ("layers_y.csv", "statistics/layers_y.csv", "velocity_x_m_per_s"),
        ("ledger.csv", "ledger.csv", "temperature_K"),
    ] {
        let text = folder.read(&format!("all/statistics/{table}"));
        let (mean, error) = (column(&text, name), column(&text, &format!("{name}_standard_error")));
        let each = members.map(|member| column(&folder.read(&format!("{member}/{of_member}")), name));
        for k in 0..mean.len() {
            let [a, b, c] = [0, 1, 2].map(|m| each[m][k]);
            let wanted = (a + b + c) / 3.0;
            let variance = [a, b, c].map(|x| (x - wanted).powi(2)).iter().sum::<f64>() / 2.0;
            assert!((mean[k] - wanted).abs() <= 1e-12 * wanted.abs(), "{table} row {k}: {} {wanted}", mean[k]);
            let spread = (variance / 3.0).sqrt();
            assert!((error[k] - spread).abs() <= 1e-9 * spread.max(1e-12 * wanted.abs()), "{table} row {k}");
        }
    }
    let places = column(&folder.read("all/statistics/layers_y.csv"), "y_m");
    assert_eq!(places.len(), 8);
    for figure in ["layers_y_velocity_x_m_per_s.png", "ledger_temperature_K.svg"] {
        assert!(folder.has(&format!("all/statistics/{figure}")), "{figure}");
    }
}

#[test]
fn what_cannot_be_an_ensemble_is_refused() {
    let folder = slit();
    let _single = folder.run(&["run.json", "-o", "single", "--quiet", "--steps", "20"]).done();
    folder.refuses("run", &["run.json", "--ensemble", "2", "-o", "single"], &["holds a single run"]);
    let none = folder.run(&["run.json", "--ensemble", "0"]).exits(2);
    assert!(none.stderr.contains("1..=9999"), "{}", none.stderr);
    let of_one = ["run.json", "--ensemble", "2", "-o", "x", "--restart", "single/checkpoint/step-20"];
    folder.refuses("run", &of_one, &["--restart PATH is of one run"]);
    let lattice: Value = json!({
        "case": "case.h5", "fluid": {"lattice_boltzmann": {"density": "1000 kg/m3", "viscosity": "1 mPa s", "tau": 0.8}},
        "time": {"steps": 10}
    });
    folder.json("lattice.json", &lattice);
    folder.refuses("run", &["lattice.json", "--ensemble", "2"], &["nothing in this run is random"]);
    folder.refuses("post", &["ensemble", "single"], &["holds 0 members that are done"]);
}

#[test]
fn tables_of_an_earlier_state_are_left_out() {
    let folder = slit();
    let run = |more: &[&str]| {
        let _all = folder.run(&[&["run.json", "--ensemble", "2", "-o", "all", "--quiet"], more].concat()).done();
    };
    let flow = |member: &str| {
        let _flow = folder.post(&["flow", member]).done();
    };
    run(&[]);
    flow("all/member-0001");
    flow("all/member-0002");
    let means = folder.post(&["ensemble", "all"]).done();
    assert!(!means.stderr.contains("layers_y.csv"), "{}", means.stderr);
    for more in [&["--restart", "--steps", "300"][..], &["--force"]] {
        assert!(folder.has("all/statistics/layers_y.csv"));
        run(more);
        for (member, other) in [("all/member-0001", "member-0001"), ("all/member-0002", "member-0002")] {
            let told = folder.post(&["ensemble", "all"]).done().stderr;
            assert!(told.contains(&format!("layers_y.csv is left out: that of {other} was made before")), "{told}");
            assert!(!folder.has("all/statistics/layers_y.csv"), "it would be taken for that of this state");
            flow(member);
        }
        let _means = folder.post(&["ensemble", "all"]).done();
    }
}

#[test]
fn a_run_at_its_end_takes_no_other_physics() {
    let folder = slit();
    let _all = folder.run(&["run.json", "--ensemble", "2", "-o", "all", "--quiet"]).done();
    let before = folder.read("all/member-0001/run.json");
    folder.json_with("run.json", folder.read_json("run.json"), &[("/drive/force/0", json!("-900 Pa/m"))]);
    let grown = ["run.json", "--ensemble", "3", "-o", "all", "--quiet", "--restart", "--allow-changes"];
    folder.run(&grown).fails(2, &["is at its end", "drive.force", "put the old value back"]);
    assert_eq!(folder.read("all/member-0001/run.json"), before);
}
