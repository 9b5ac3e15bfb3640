//! Files that someone changed behind the tools' backs, by way of HDF5.

use std::path::Path;

use hdf5::{File, Group};
use pipeline_tests::{Call, Folder};

#[test]
fn what_is_edited_is_not_kept_open_by_what_starts_meanwhile() {
    let folder = Folder::new();
    folder.hdf5("edited.h5", File::create, |_| Ok(()));
    std::thread::scope(|scope| {
        let starts = || (0..20).map(|_| Call::new(Path::new("sleep"), &["2"], &folder.path("")).start());
        let started = scope.spawn(move || starts().collect::<Vec<_>>());
        for n in 0..200 {
            folder.hdf5("edited.h5", File::open_rw, |file| file.create_group(&n.to_string()).map(drop));
        }
        for sleep in started.join().expect("starts") {
            let _slept = sleep.end().done();
        }
    });
}

#[test]
fn a_case_of_another_schema_version_is_refused() {
    let folder = Folder::with_vessel();
    folder.hdf5("vessel.h5", File::open_rw, |file| file.attr("schema")?.write_scalar(&77u32));
    folder.refuses("run", &["run.json", "--quiet"], &["vessel.h5", "version 77", "reads version", "mkcase"]);
    folder.refuses("run", &["run.json", "--quiet", "--threads", "2"], &["vessel.h5", "version 77"]);
}

#[test]
fn a_case_that_is_none_is_refused() {
    let folder = Folder::with_vessel();
    folder.hdf5("vessel.h5", File::create, |_| Ok(()));
    folder.refuses("run", &["run.json", "--quiet"], &["vessel.h5", "no case"]);
}

#[test]
fn a_case_without_its_links_is_refused() {
    let folder = Folder::with_vessel();
    folder.hdf5("vessel.h5", File::open_rw, |file| file.group("lattice")?.unlink("links"));
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
    let folder = Folder::with_vessel();
    for run in ["a", "b"] {
        let _done = folder.run(&["run.json", "-o", run, "--quiet"]).done();
    }
    let _same = folder.post(&["compare", "a", "b"]).done();
    folder.hdf5("b/fields.vtkhdf", File::open_rw, |file| {
        let mut names = Vec::new();
        datasets(file, &mut names);
        let name = names.iter().find(|name| name.ends_with("/pressure")).unwrap_or_else(|| panic!("in {names:?}"));
        let dataset = file.dataset(name)?;
        let mut values = dataset.read_raw::<f32>()?;
        // The last bit of one value of the last of three dumps.
        let at = values.iter().rposition(|value| value.is_normal()).expect("a value");
        values[at] = f32::from_bits(values[at].to_bits() ^ 1);
        dataset.write_raw(&values)
    });
    let compared = folder.post(&["compare", "a", "b"]).exits(1);
    for piece in ["step 100", "pressure", "node"] {
        assert!(compared.stdout.contains(piece), "{piece} in {}", compared.stdout);
    }
    let _near = folder.post(&["compare", "a", "b", "--rtol", "1e-6"]).done();
}

#[test]
fn compare_refuses_a_dump_cut_short() {
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
