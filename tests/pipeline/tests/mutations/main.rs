//! Files that were changed at random: cut short, with flipped bits, with other numbers in their headers. Readers give values or a fault
//! that names the file; they do not panic, take no more memory than a file of that size may ask for, and end soon.
//!
//! `HEMATITE_MUTATIONS=N` in the environment makes N changes of each file in place of the default, `HEMATITE_MUTATIONS=A..B` those with
//! these numbers.

mod claims;
mod memory;
mod mutate;
mod readers;

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

use hematite_config::Exit;
use memory::Counting;
use mutate::{Random, changed};
use pipeline_tests::{Call, Folder, configs, is_full};
use readers::Reader;
use serde_json::{Value, json};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// In the environment of the process that reads: the folder with the files.
const FOLDER: &str = "HEMATITE_MUTATED_FOLDER";
/// In the environment of the process that reads: number of the first change.
const FIRST: &str = "HEMATITE_MUTATED_FIRST";
/// The file in that folder that names what is being read.
const PROGRESS: &str = "progress.txt";

/// Changes of each file, in the short suite and in the full one.
const EACH: [usize; 2] = [60, 400];
/// Changes of each file that one process reads: it has to end in the time that calls of tests have.
const AT_ONCE: usize = 500;
/// Changes of each config: each is a call of a tool.
const EACH_CONFIG: [usize; 2] = [10, 60];

/// Bytes that a reader may take: so many times those of its file, and these besides.
const TIMES: usize = 4;
const BESIDES: usize = 8 << 20;
/// No reader takes as long over a small file, on a busy machine neither.
const SLOW: Duration = Duration::from_secs(60);

/// Numbers of the changes.
fn asked(each: [usize; 2]) -> Range<usize> {
    let Ok(text) = std::env::var("HEMATITE_MUTATIONS") else { return 0..each[usize::from(is_full())] };
    let (first, end) = text.split_once("..").unwrap_or(("0", &text));
    let number = |text: &str| text.parse().expect("HEMATITE_MUTATIONS is a number or A..B");
    number(first)..number(end)
}

#[test]
fn readers_stand_changed_files() {
    const NAME: &str = "readers_stand_changed_files";
    if let (Ok(folder), Ok(first)) = (std::env::var(FOLDER), std::env::var(FIRST)) {
        return read_changed(Path::new(&folder), first.parse().expect("a number"));
    }
    let folder = Folder::new();
    readers::make(&folder);
    let test = std::env::current_exe().expect("this test");
    for first in asked(EACH).step_by(AT_ONCE) {
        // A library may end the process that reads.
        let call = Call::new(&test, &["--exact", NAME, "--nocapture"], &folder.path(""));
        let path = folder.path("");
        let read = call.with(FOLDER, path.to_str().expect("a plain path")).with(FIRST, &first.to_string()).end();
        let last: String = read.stderr.chars().rev().take(4000).collect::<Vec<_>>().into_iter().rev().collect();
        let at = std::fs::read_to_string(folder.path(PROGRESS)).unwrap_or_default();
        assert_eq!(read.code, Some(0), "the last that was read: {at}\n{last}");
    }
}

/// Changes files from change number `first` on, and reads them.
fn read_changed(folder: &Path, first: usize) {
    std::panic::set_hook(Box::new(|panic| eprintln!("{panic}")));
    let mut faults = Vec::new();
    for reader in readers::all(folder) {
        let whole = std::fs::read(&reader.file).expect("reads");
        let sound = (reader.read)(&reader.file);
        assert!(sound.is_ok(), "{}: {sound:?}", reader.name);
        let mut refused = 0;
        for number in first..asked(EACH).end.min(first + AT_ONCE) {
            let what = format!("{}, change {number}", reader.name);
            let content = changed(&whole, &mut Random::of(&what));
            std::fs::write(folder.join(PROGRESS), &what).expect("writes");
            std::fs::write(&reader.file, &content).expect("writes");
            match misread(&reader, content.len()) {
                Ok(is_refused) => refused += usize::from(is_refused),
                Err(why) => faults.push(format!("{what}: {why}")),
            }
        }
        assert!(refused > 0, "no change of {} was noticed", reader.name);
        std::fs::write(&reader.file, &whole).expect("writes");
    }
    assert!(faults.is_empty(), "{} of these:\n{}", faults.len(), faults.join("\n"));
}

/// Reads a changed file of so many bytes. Gives whether it was refused, or what is wrong about how it was read.
fn misread(reader: &Reader, bytes: usize) -> Result<bool, String> {
    let start = Instant::now();
    let (read, peak) = memory::peak(|| catch_unwind(AssertUnwindSafe(|| (reader.read)(&reader.file))));
    let most = TIMES * bytes + BESIDES;
    match read {
        Err(_) => Err("panicked".to_owned()),
        Ok(Err(fault)) if fault.exit != Exit::Usage => Err(format!("exit code {:?}: {fault}", fault.exit)),
        Ok(Err(fault)) if fault.message.len() > 2000 => Err(format!("a message of {} bytes", fault.message.len())),
        _ if peak > most => Err(format!("took {peak} bytes for a file of {bytes}")),
        _ if start.elapsed() > SLOW => Err(format!("took {:?}", start.elapsed())),
        read => Ok(matches!(read, Ok(Err(_)))),
    }
}

#[test]
fn claims_of_much_take_little() {
    let folder = Folder::new();
    for (name, content) in claims::files() {
        folder.write(name, &content);
        let path = folder.path(name);
        let (read, peak) = memory::peak(|| hematite_geometry::read::image(&path));
        let fault = read.expect_err(name);
        assert!(fault.exit == Exit::Usage && fault.message.contains(name), "{fault}");
        assert!(peak < TIMES * content.len() + (4 << 20), "{name} of {} bytes takes {peak}: {fault}", content.len());
    }
}

/// Calls a tool, after `file` was changed again and again, and expects it to do its work or to refuse.
fn tool_stands(folder: &Folder, tool: &str, arguments: &[&str], file: &str) {
    let whole = std::fs::read(folder.path(file)).expect("reads");
    for number in asked(EACH_CONFIG) {
        let what = format!("{tool} {file}, change {number}");
        folder.write(file, &changed(&whole, &mut Random::of(&what)));
        // What is checked does not depend on a device.
        let called = folder.call(tool, arguments).with("VK_DRIVER_FILES", "/nonexistent").end();
        assert!(matches!(called.code, Some(0 | 2)), "{what}: {:?}\n{}", called.code, called.stderr);
        let _called = match called.code {
            Some(2) => called.exits(2),
            _ => called.done(),
        };
    }
    folder.write(file, &whole);
}

#[test]
fn tools_stand_changed_configs_and_tables() {
    let folder = Folder::with_vessel();
    let mut run = configs::vessel_run();
    run["openings"]["inlet"]["waveform"] = json!({"table": {"file": "beat.csv"}});
    folder.json("run.json", &run);
    folder.write("beat.csv", b"time [s],factor\n0,1\n0.5,1.5\n1,1\n");
    let mut case: Value = configs::vessel_case();
    case["cells"] =
        json!([{"name": "red", "shape": {"kind": "red_cell", "diameter": "30 um"}, "positions": "cells.csv"}]);
    folder.json("case.json", &case);
    folder.write("cells.csv", b"x [um],y [um],angle [deg]\n60,60,10\n");
    let _checked = folder.mkcase(&["case.json", "--check", "--quiet"]).done();
    for file in ["case.json", "cells.csv"] {
        tool_stands(&folder, "mkcase", &["case.json", "--check", "--quiet"], file);
    }
    for file in ["run.json", "beat.csv", "vessel.h5"] {
        tool_stands(&folder, "run", &["run.json", "--check", "--quiet"], file);
    }
    let _done = folder.run(&["run.json", "-o", "run", "--quiet"]).done();
    folder.json(
        "post.json",
        &json!({
            "planes": [{"name": "p", "axis": "x", "at": "40 um"}],
            "lines": [{"name": "l", "from": ["40 um", "10 um"], "to": ["40 um", "60 um"], "points": 11}]
        }),
    );
    for file in ["post.json", "run/ledger.csv", "run/run.json"] {
        tool_stands(&folder, "post", &["flow", "run", "--config", "post.json", "-o", "statistics"], file);
    }
}
