//! What cannot become a case: one message, exit code 2, nothing left behind.

use pipeline_tests::draw::Picture;
use pipeline_tests::{Folder, configs};
use serde_json::{Value, json};

/// A folder with the picture `vessel.pgm` and the config of a case of it, changed by `change`, as `vessel.json`.
fn folder(change: impl FnOnce(&mut Value)) -> Folder {
    let folder = Folder::new();
    folder.write("vessel.pgm", &pipeline_tests::draw::vessel().pgm());
    let mut config = configs::vessel_case();
    change(&mut config);
    folder.json("vessel.json", &config);
    folder
}

fn refuses(folder: &Folder, pieces: &[&str]) {
    folder.refuses("mkcase", &["vessel.json", "--quiet"], &[&["vessel.json"], pieces].concat());
    folder.refuses("mkcase", &["vessel.json", "--quiet", "--check"], pieces);
}

#[test]
fn a_colour_that_no_rule_covers() {
    let folder = folder(|config| {
        config["geometry"]["image"] = json!("colours.ppm");
        config["geometry"]["rules"] =
            json!([{"colour": "#ff0000", "is": "fluid"}, {"colour": "#000000", "is": "wall"}]);
    });
    let mut colours = b"P6\n3 2\n255\n".to_vec();
    for colour in [[255, 0, 0], [0, 0, 0], [255, 0, 0], [0, 0, 0], [18, 52, 86], [0, 0, 0]] {
        colours.extend(colour);
    }
    folder.write("colours.ppm", &colours);
    refuses(&folder, &["#123456", "geometry.rules", "[1, 0, 0]", "add a rule"]);
}

#[test]
fn no_fluid() {
    let folder = folder(|_| ());
    folder.write("vessel.pgm", &Picture::of(20, 10, |_, _| false).pgm());
    refuses(&folder, &["no site is fluid", "geometry.rules"]);
}

#[test]
fn an_opening_on_no_fluid() {
    for place in [
        json!({"face": "y-"}),
        json!({"box": {"min": ["0 um", "0 um"], "max": ["3 um", "3 um"]}}),
        json!({"plane": {"normal": "y+", "at": "2 um"}}),
    ] {
        let folder = folder(|config| {
            config["openings"][0] = json!({"name": "inlet", "kind": "velocity"});
            for (key, value) in place.as_object().expect("keys") {
                config["openings"][0][key] = value.clone();
            }
        });
        refuses(&folder, &["\"inlet\"", "touches no fluid", "move it"]);
    }
}

#[test]
fn an_opening_on_two_components() {
    let folder = folder(|_| ());
    folder.write("vessel.pgm", &Picture::of(20, 11, |_, y| y % 5 != 0).pgm());
    refuses(&folder, &["\"inlet\"", "2 unconnected", "\"within\""]);
}

#[test]
fn unknown_and_misspelt_keys_name_the_nearest() {
    let renamed = |path: &str, from: &str, to: &str| {
        let folder = folder(|config| {
            let object = config.pointer_mut(path).and_then(Value::as_object_mut).expect("an object");
            let value = object.remove(from).expect("the key");
            object.insert(to.to_owned(), value);
        });
        refuses(&folder, &[&format!("`{to}`"), &format!("did you mean \"{from}\"?")]);
    };
    renamed("", "openings", "opennings");
    renamed("", "parts", "part");
    renamed("/geometry", "spacing", "spacin");
    renamed("/geometry", "image", "imgae");
    renamed("/openings/0", "kind", "kinds");
    renamed("/openings/1", "face", "fase");
    for (path, key) in [("/geometry", "refine"), ("/geometry", "crop")] {
        let folder = folder(|config| {
            let object = config.pointer_mut(path).and_then(Value::as_object_mut).expect("an object");
            object.insert(key.to_owned(), json!({"unheard_of": 1}));
        });
        refuses(&folder, &["unheard_of", &format!("{}.{key}", &path[1..])]);
    }
}

#[test]
fn unknown_words_name_the_nearest() {
    for (pointer, word, nearest) in
        [("/openings/0/kind", "velocty", "velocity"), ("/openings/1/kind", "presure", "pressure")]
    {
        let folder = folder(|config| *config.pointer_mut(pointer).expect("the key") = json!(word));
        refuses(&folder, &[word, &format!("did you mean \"{nearest}\"?")]);
    }
    let folder = folder(|config| config["openings"][0]["face"] = json!("left"));
    refuses(&folder, &["left", "x-"]);
}

#[test]
fn wrong_units() {
    for (value, pieces) in [
        (json!("4 s"), &["\"4 s\"", "not a length"][..]),
        (json!("4"), &["4", "length"]),
        (json!("4 parsec"), &["parsec"]),
        (json!("um"), &["um"]),
        (json!(4), &["geometry.spacing"]),
        (json!("-4 um"), &["geometry.spacing"]),
        (json!("0 um"), &["geometry.spacing"]),
    ] {
        let folder = folder(|config| config["geometry"]["spacing"] = value.clone());
        println!("{value}");
        refuses(&folder, &[&["geometry.spacing"], pieces].concat());
    }
}

#[test]
fn values_out_of_range() {
    for (pointer, value, pieces) in [
        ("/geometry/refine", json!({"factor": 0}), &["geometry.refine.factor"][..]),
        ("/geometry/refine", json!({"factor": 100_000_000}), &["geometry.refine.factor"]),
        ("/geometry/crop", json!({"min": [0, 0], "max": [500, 10]}), &["geometry.crop", "500"]),
        ("/geometry/periodic", json!(["z"]), &["geometry.periodic", "2-D"]),
        ("/geometry/periodic", json!(["x"]), &["\"inlet\"", "periodic"]),
        ("/openings/0/face", json!("z-"), &["\"inlet\"", "no z"]),
        ("/openings/1/name", json!("inlet"), &["\"inlet\"", "two of this name"]),
        ("/parts", json!([0]), &["parts"]),
        ("/parts", json!([-1]), &["parts"]),
        ("/parts", json!([1_000_000]), &["parts"]),
    ] {
        let folder = folder(|config| {
            let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
            config.pointer_mut(parent).expect("a place")[key] = value.clone();
        });
        println!("{pointer} {value}");
        refuses(&folder, pieces);
    }
}

#[test]
fn bodies_that_cannot_be_rigid() {
    for (shape, pieces) in [
        (json!({"kind": "disc", "radius": "8 um"}), &["\"rigid\" is true", "3-D", "2-D", "leave \"rigid\" out"][..]),
        (json!({"kind": "red_cell"}), &["\"rigid\" is true", "2-D"]),
    ] {
        let folder = folder(|config| {
            config["cells"] = json!([{"name": "red", "shape": shape, "rigid": true, "count": 1}]);
        });
        refuses(&folder, &[&["cells[0]", "\"red\""], pieces].concat());
    }
    let folder = folder(|config| {
        config["cells"] = json!([{"name": "red", "shape": {"kind": "red_cell"}, "rigit": true, "count": 1}]);
    });
    refuses(&folder, &["rigit", "did you mean \"rigid\"?"]);
}

#[test]
fn broken_json_names_the_line() {
    for (text, pieces) in [
        ("{\"geometry\": {\"image\": \"vessel.pgm\",\n \"spacing\": }}", &["line 2"][..]),
        ("{\"geometry\": {", &["line 1"]),
        ("", &["line 1"]),
        ("[]", &["vessel.json"]),
        ("{\"geometry\": {\"image\": \"vessel.pgm\", \"spacing\": \"4 um\"}} more", &["line 1"]),
        ("{\"openings\": []}", &["geometry"]),
    ] {
        let folder = Folder::new();
        folder.write("vessel.json", text.as_bytes());
        println!("{text}");
        refuses(&folder, pieces);
    }
    let folder = Folder::new();
    folder.write("vessel.json", &[0xff, 0xfe, 0]);
    refuses(&folder, &[]);
    folder.refuses("mkcase", &["nowhere.json"], &["nowhere.json"]);
}
