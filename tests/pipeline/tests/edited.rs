//! Files that someone changed behind the tools' backs, by way of HDF5.

use std::sync::{Mutex, MutexGuard, PoisonError};

use hdf5::{File, Group};
use pipeline_tests::Folder;

/// A process started while HDF5 has a file open here inherits the file with its lock, so tests take turns.
static TURN: Mutex<()> = Mutex::new(());

fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

#[test]
fn a_case_of_another_schema_version_is_refused() {
    let _turn = turn();
    let folder = Folder::with_vessel();
    let file = File::open_rw(folder.path("vessel.h5")).expect("opens");
    file.attr("schema").and_then(|schema| schema.write_scalar(&77u32)).expect("writes");
    file.close().expect("closes");
    folder.refuses("run", &["run.json", "--quiet"], &["vessel.h5", "version 77", "reads version", "mkcase"]);
    folder.refuses("run", &["run.json", "--quiet", "--threads", "2"], &["vessel.h5", "version 77"]);
}

#[test]
fn a_case_that_is_none_is_refused() {
    let _turn = turn();
    let folder = Folder::with_vessel();
    let file = File::create(folder.path("vessel.h5")).expect("makes");
    file.close().expect("closes");
    folder.refuses("run", &["run.json", "--quiet"], &["vessel.h5", "no case"]);
}

#[test]
fn a_case_without_its_links_is_refused() {
    let _turn = turn();
    let folder = Folder::with_vessel();
    let file = File::open_rw(folder.path("vessel.h5")).expect("opens");
    file.group("lattice").and_then(|lattice| lattice.unlink("links")).expect("removes");
    file.close().expect("closes");
    folder.refuses("run", &["run.json", "--quiet"], &["vessel.h5", "links"]);
}

/// Every dataset below a group, by path.
fn datasets(group: &Group, found: &mut Vec<String>) {
    found.extend(group.datasets().expect("lists").iter().map(|dataset| dataset.name()));
    for group in group.groups().expect("lists") {
        datasets(&group, found);
    }
}

#[test]
fn compare_finds_one_changed_value() {
    let _turn = turn();
    let folder = Folder::with_vessel();
    for run in ["a", "b"] {
        let _done = folder.run(&["run.json", "-o", run, "--quiet"]).done();
    }
    let _same = folder.post(&["compare", "a", "b"]).done();
    let file = File::open_rw(folder.path("b/fields.vtkhdf")).expect("opens");
    let mut names = Vec::new();
    datasets(&file, &mut names);
    let name = names.iter().find(|name| name.ends_with("/pressure")).unwrap_or_else(|| panic!("in {names:?}"));
    let dataset = file.dataset(name).expect("opens");
    let mut values = dataset.read_raw::<f32>().expect("reads");
    // The last bit of one value of the last of three dumps.
    let at = values.iter().rposition(|value| value.is_normal()).expect("a value");
    values[at] = f32::from_bits(values[at].to_bits() ^ 1);
    dataset.write_raw(&values).expect("writes");
    drop(dataset);
    file.close().expect("closes");
    let compared = folder.post(&["compare", "a", "b"]).exits(1);
    for piece in ["step 100", "pressure", "node"] {
        assert!(compared.stdout.contains(piece), "{piece} in {}", compared.stdout);
    }
    let _near = folder.post(&["compare", "a", "b", "--rtol", "1e-6"]).done();
}

#[test]
fn compare_refuses_a_dump_cut_short() {
    let _turn = turn();
    let folder = Folder::with_vessel();
    for run in ["a", "b"] {
        let _done = folder.run(&["run.json", "-o", run, "--quiet"]).done();
    }
    let whole = std::fs::read(folder.path("b/fields.vtkhdf")).expect("reads");
    folder.write("b/fields.vtkhdf", &whole[..whole.len() / 2]);
    folder.refuses("post", &["compare", "a", "b"], &["b/fields.vtkhdf"]);
    folder.refuses("post", &["flow", "b"], &["b/fields.vtkhdf"]);
    std::fs::remove_file(folder.path("b/fields.vtkhdf")).expect("removes");
    folder.refuses("post", &["compare", "a", "b"], &["b/fields.vtkhdf"]);
}
