//! README and tutorials, word by word: what they have a reader write and call is done here, with fewer time steps.

use std::path::{Path, PathBuf};

use pipeline_tests::{Call, Called, Folder, tool};
use serde_json::{Value, json};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn page(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The blocks of a page in a language, in their order.
fn blocks(page: &str, language: &str) -> Vec<String> {
    let parts: Vec<&str> = page.split("```").collect();
    let inside = parts.iter().skip(1).step_by(2);
    inside.filter_map(|block| block.strip_prefix(language)?.strip_prefix('\n')).map(str::to_owned).collect()
}

/// A folder with the geometries that the repository holds, as `geoms`.
fn reader() -> Folder {
    let folder = Folder::new();
    std::os::unix::fs::symlink(root().join("geoms"), folder.path("geoms")).expect("links");
    folder
}

/// Does what the shell blocks of a page say, with `changes` made to them, each of which has to be possible.
fn follow(folder: &Folder, page: &str, changes: &[(&str, &str)]) -> Called {
    let mut script = blocks(page, "sh").concat();
    for (from, to) in changes {
        assert!(script.contains(from), "{from} is in no block");
        script = script.replace(from, to);
    }
    let tools = tool("run");
    let tools = tools.parent().and_then(Path::to_str).expect("a plain path");
    let path = format!("{tools}:{}", std::env::var("PATH").unwrap_or_default());
    Call::new(Path::new("sh"), &["-ec", &script], &folder.path("")).with("PATH", &path).end().done()
}

/// Expects what a tool said to hold these pieces, which the page quotes.
fn quotes(page: &str, called: &Called, pieces: &[&str]) {
    for piece in pieces {
        assert!(page.contains(piece), "the page does not say {piece}");
        assert!(called.stdout.contains(piece), "{piece} is not in\n{}", called.stdout);
    }
}

#[test]
fn the_first_cases_of_the_readme() {
    let (readme, folder) = (page("README.md"), reader());
    let configs: Vec<Value> =
        blocks(&readme, "json").iter().map(|text| serde_json::from_str(text).expect("JSON")).collect();
    let [picture, volume, surface, run] = configs.as_slice() else { panic!("{} configs", configs.len()) };
    folder.json("vessel.json", picture);
    let _made = folder.mkcase(&["vessel.json", "--quiet"]).done();
    let mut run = run.clone();
    run["time"] = json!({"steps": 20});
    run["dumps"] = json!([{"every": 20}]);
    folder.json("vessel-run.json", &run);
    let _done = folder.run(&["vessel-run.json", "--quiet"]).done();
    let _drawn = folder.post(&["flow", "vessel-run"]).done();
    assert!(folder.has("vessel-run/statistics/wall_shear_stress.png"));

    folder.json("volume.json", volume);
    let made = folder.mkcase(&["volume.json", "--check", "--quiet"]).done();
    assert!(["end-0  velocity", "end-2  pressure"].iter().all(|end| made.stdout.contains(end)), "{}", made.stdout);
    folder.write("artery.stl", &tube());
    folder.json("artery.json", surface);
    let made = folder.mkcase(&["artery.json", "--check", "--quiet"]).done();
    assert!(["end-0  velocity", "end-1  pressure"].iter().all(|end| made.stdout.contains(end)), "{}", made.stdout);
}

/// A square tube of 4 x 4 x 20 with open ends, as text STL.
fn tube() -> Vec<u8> {
    let corners = [[0, 0], [4, 0], [4, 4], [0, 4]];
    let mut text = String::from("solid tube\n");
    for k in 0..4 {
        let ([x, y], [u, v]) = (corners[k], corners[(k + 1) % 4]);
        for [a, b, c] in [[[x, y, 0], [u, v, 0], [x, y, 20]], [[x, y, 20], [u, v, 0], [u, v, 20]]] {
            let corners: String = [a, b, c].iter().map(|[x, y, z]| format!("vertex {x} {y} {z}\n")).collect();
            text += &format!("facet normal 0 0 0\nouter loop\n{corners}endloop\nendfacet\n");
        }
    }
    (text + "endsolid tube\n").into_bytes()
}

#[test]
fn red_cells_of_the_readme() {
    let (readme, folder) = (page("README.md"), reader());
    let configs = blocks(&readme, "json");
    // Lines of text that go into a config: `"cells": ...`.
    let lines: Vec<Value> = readme
        .split('`')
        .filter(|code| code.starts_with("\"cells\": "))
        .map(|code| serde_json::from_str(&format!("{{{code}}}")).expect("JSON"))
        .collect();
    assert_eq!(lines.len(), 2);
    let with = |config: &str, line: &Value| -> Value {
        let mut config: Value = serde_json::from_str(config).expect("JSON");
        config["cells"] = line["cells"].clone();
        config
    };
    folder.json("vessel.json", &with(&configs[0], &lines[0]));
    let made = folder.mkcase(&["vessel.json", "--quiet"]).done();
    assert!(made.stdout.contains("hematocrit 0.3000 of 0.3000"), "{}", made.stdout);
    folder.json("vessel-run.json", &with(&configs[3], &lines[1]));
    let checked = folder.run(&["vessel-run.json", "--check=quick"]).done();
    assert!(checked.stderr.contains("come in with hematocrit 0.300"), "{}", checked.stderr);
}

#[test]
fn from_a_surface_to_wall_shear_stress() {
    let (page, folder) = (page("docs/tutorials/aorta.md"), Folder::new());
    let short = [
        (r#""time": { "duration": "60 ms" }"#, r#""time": { "steps": 20 }"#),
        (r#""dumps": [{ "every": "15 ms" }]"#, r#""dumps": [{ "every": 10 }]"#),
        ("run aorta-run.json --check\n", "run aorta-run.json --check=quick\n"),
    ];
    let called = follow(&folder, &page, &short);
    quotes(&page, &called, &["111 240 nodes in 1 piece", "12.6 spacings"]);
    for name in ["aorta.png", "aorta-run/statistics/speed_mid_y.png", "aorta-run/statistics/wall_shear_stress.png"] {
        assert!(folder.has(name), "{name}");
    }
    assert!(folder.has("coarse-run/statistics/summary.json"));
}

#[test]
fn one_case_at_five_pressures() {
    let (page, folder) = (page("docs/tutorials/sweep.md"), reader());
    let short = [(r#""steps": 15000"#, r#""steps": 20"#), (r#""at": [15000]"#, r#""at": [20]"#)];
    let called = follow(&folder, &page, &short);
    // What the last command of the page prints.
    let table = called.stdout.rsplit_once("pressure_Pa,").expect("a head").1;
    let rows: Vec<Vec<f64>> = table
        .lines()
        .skip(1)
        .map(|line| line.split(',').map(|cell| cell.parse().expect("a number")).collect())
        .collect();
    let pressures: Vec<f64> = rows.iter().map(|row| row[0]).collect();
    assert_eq!(pressures, [10.0, 20.0, 40.0, 80.0, 160.0]);
    // Every run has pressures of its own.
    assert!(rows.windows(2).all(|pair| pair[1][1] > 1.5 * pair[0][1] && pair[0][1] > 0.0), "{rows:?}");
    assert!(folder.has("p160/statistics/summary.json"));
}

#[test]
fn from_a_picture_of_a_retina_to_blood_in_its_branches() {
    let (page, folder) = (page("docs/tutorials/retina.md"), Folder::new());
    let short = [
        (r#""time": { "duration": "3 ms" }"#, r#""time": { "steps": 40 }"#),
        (r#""dumps": [{ "every": "1 ms" }]"#, r#""dumps": [{ "every": 20 }]"#),
        ("-run.json --check\n", "-run.json --check=quick\n"),
        ("$2 > 6e-3", "$2 > 0"),
    ];
    let called = follow(&folder, &page, &short);
    quotes(&page, &called, &["in 1 piece", "12.8 spacings"]);
    for name in ["retina.png", "retina-run/statistics/speed.png", "blood-run/statistics/cells.png"] {
        assert!(folder.has(name), "{name}");
    }
    // What the last command of the page prints: the hematocrit of each stretch, as cells were seeded.
    let table: Vec<(&str, f64)> = called
        .stdout
        .lines()
        .rev()
        .take(5)
        .filter_map(|line| Some((line.split_once(' ')?.0, line.split_once(' ')?.1.parse().ok()?)))
        .collect();
    let names: Vec<&str> = table.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["trunk", "end-4", "end-3", "end-2", "end-1"], "{}", called.stdout);
    assert!(table.iter().all(|(_, hematocrit)| (0.05..0.6).contains(hematocrit)), "{table:?}");
}

/// Every page for readers, from the root of the repository.
fn pages() -> Vec<PathBuf> {
    let mut pages: Vec<PathBuf> = ["README.md", "ARCHITECTURE.md"].map(PathBuf::from).into();
    for folder in ["docs", "docs/guide", "docs/tutorials", "geoms"] {
        let listed = std::fs::read_dir(root().join(folder)).expect("lists");
        let names = listed.map(|entry| Path::new(folder).join(entry.expect("lists").file_name()));
        pages.extend(names.filter(|name| name.extension().is_some_and(|extension| extension == "md")));
    }
    pages
}

/// What a heading is called in links: small letters, digits, `-` and `_`.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().to_lowercase().replace(' ', "-");
    kept.chars().filter(|letter| letter.is_alphanumeric() || "-_".contains(*letter)).collect()
}

#[test]
fn links_between_pages_lead_somewhere() {
    let mut count = 0;
    for name in pages() {
        let text = page(name.to_str().expect("a plain path"));
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if link.contains("://") {
                continue;
            }
            count += 1;
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = root().join(if file.is_empty() { name.clone() } else { name.with_file_name("").join(file) });
            assert!(target.is_file(), "{} links to {link}", name.display());
            if !heading.is_empty() {
                let there = std::fs::read_to_string(&target).expect("text");
                let found =
                    there.lines().any(|line| line.starts_with('#') && anchor(line.trim_start_matches('#')) == heading);
                assert!(found, "{} links to {link}", name.display());
            }
        }
    }
    assert!(count > 40, "{count} links");
}

#[test]
fn the_readme_stays_short() {
    let lines = page("README.md").lines().count();
    assert!(lines <= 120, "{lines} lines: move depth to docs/guide");
}
