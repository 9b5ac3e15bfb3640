use std::fs;
use std::path::Path;

use super::*;
use crate::CellKind;
use crate::cells::tests::solids;
use crate::polydata::tests::Sample;

fn domain() -> TrackBox {
    TrackBox { dimension: 3, extent: [1e-4, 2e-4, 3e-4], periodic: [true, false, true] }
}

fn names() -> Vec<String> {
    solids().iter().map(|kind| kind.name.clone()).collect()
}

fn tracks(step: u64) -> TrackFrame {
    let ids = match step {
        30 => 0..0,
        step => step..step + 5 + 3 * (step % 20),
    };
    TrackFrame::of(&CellKind::frame(&solids(), step, ids), &solids(), 3)
}

fn check(run: &Path, steps: &[u64]) {
    let reader = TrackReader::open(run).expect("opens");
    assert_eq!((reader.kinds(), reader.dimension()), (names().as_slice(), 3));
    assert_eq!(reader.steps().iter().map(|step| step.step).collect::<Vec<_>>(), steps);
    assert_eq!(reader.extent(), steps.first().map(|_| domain().extent));
    for (number, &step) in steps.iter().enumerate() {
        assert_eq!(reader.frame(number), Ok(tracks(step)));
    }
    assert!(reader.frame(steps.len()).is_err());
}

#[test]
fn frames_of_any_number_of_cells_survive() {
    let run = tempfile::tempdir().expect("a folder");
    let mut writer = TrackWriter::create(run.path(), &names(), &domain()).expect("makes it");
    check(run.path(), &[]);
    let steps = [10, 20, 30, 40, 1999];
    for step in steps {
        writer.append(&tracks(step)).expect("writes");
    }
    check(run.path(), &steps);
    assert!(writer.append(&tracks(1999)).is_err(), "twice");
    for broken in [
        TrackFrame { area: vec![], ..tracks(2000) },
        TrackFrame { id: vec![3; 5], ..tracks(2000) },
        TrackFrame { kind: vec![2; 5], ..tracks(2000) },
    ] {
        assert!(writer.append(&broken).is_err());
    }
}

#[test]
fn more_cells_than_a_chunk() {
    let run = tempfile::tempdir().expect("a folder");
    let many = |step| TrackFrame::of(&CellKind::frame(&solids(), step, 0..9_000 + step), &solids(), 3);
    let mut writer = TrackWriter::create(run.path(), &names(), &domain()).expect("makes it");
    (1..4).for_each(|step| writer.append(&many(step)).expect("writes"));
    let reader = TrackReader::open(run.path()).expect("opens");
    (1..4).for_each(|step| assert!(reader.frame(step as usize - 1).expect("reads") == many(step)));
}

#[test]
fn going_on_drops_later_frames() {
    let run = tempfile::tempdir().expect("a folder");
    let mut writer = TrackWriter::go_on(run.path(), &names(), &domain(), 99).expect("begins");
    [10, 20, 39].iter().for_each(|&step| writer.append(&tracks(step)).expect("writes"));
    let mut writer = TrackWriter::go_on(run.path(), &names(), &domain(), 20).expect("goes on");
    assert_eq!(writer.steps().len(), 2);
    writer.append(&tracks(25)).expect("writes");
    check(run.path(), &[10, 20, 25]);
    let fault = TrackWriter::go_on(run.path(), &names()[..1], &domain(), 20).err().expect("other populations");
    assert!(fault.message.contains("tracks.h5 holds other populations"), "{fault}");
}

#[test]
fn it_is_h5md() {
    let run = tempfile::tempdir().expect("a folder");
    let mut writer = TrackWriter::create(run.path(), &names(), &domain()).expect("makes it");
    [10, 25].iter().for_each(|&step| writer.append(&tracks(step)).expect("writes"));
    let file = hdf5::File::open(run.path().join("tracks.h5")).expect("opens");
    let version = file.group("h5md").and_then(|group| group.attr("version")?.read_raw::<i32>());
    assert_eq!(version.expect("reads"), [1, 1]);
    let groups = file.group("particles").and_then(|group| group.member_names()).expect("lists");
    assert_eq!(groups, ["trajectory"]);
    let group = file.group("particles/trajectory").expect("there");
    for element in group.member_names().expect("names") {
        let element = if element == "box" { "box/edges".to_owned() } else { element };
        let of = |name: &str| group.dataset(&format!("{element}/{name}")).expect("there");
        assert_eq!(of("value").shape()[0], 2, "{element}");
        assert_eq!(of("step").read_raw::<i64>().expect("reads"), [10, 25], "{element}");
        assert_eq!(of("time").read_raw::<f64>().expect("reads"), [1.0, 2.5], "{element}");
    }
    let id = group.dataset("id/value").and_then(|id| id.read_2d::<i64>()).expect("reads");
    assert_eq!(id.row(0).iter().filter(|&&id| id == -1).count(), id.ncols() - 35, "empty rows");
    let links = group.dataset("position/step").and_then(|step| step.loc_info()).expect("told");
    assert_eq!(links.num_links, 8, "hard links to one dataset");
}

#[test]
fn a_truncated_file_is_a_fault_at_any_length() {
    let run = tempfile::tempdir().expect("a folder");
    let mut writer = TrackWriter::create(run.path(), &names(), &domain()).expect("makes it");
    writer.append(&tracks(10)).expect("writes");
    let path = run.path().join("tracks.h5");
    let whole = fs::read(&path).expect("reads");
    for length in (0..whole.len()).step_by(97).chain([whole.len() - 1]) {
        fs::write(&path, &whole[..length]).expect("writes");
        let fault = TrackReader::open(run.path()).err().unwrap_or_else(|| panic!("opens at {length} bytes"));
        assert!(fault.message.contains("tracks.h5"), "{fault}");
    }
    fs::remove_file(&path).expect("removes");
    assert!(TrackReader::open(run.path()).is_err());
}

#[test]
fn extents_that_no_number_counts_are_damage() {
    let run = tempfile::tempdir().expect("a folder");
    let mut writer = TrackWriter::create(run.path(), &names(), &domain()).expect("makes it");
    writer.append(&tracks(10)).expect("writes");
    let file = hdf5::File::open_rw(run.path().join("tracks.h5")).expect("opens");
    let value = file.dataset("particles/trajectory/species/value").expect("there");
    value.resize((1 << 33, 1 << 33)).expect("an extent");
    file.close().expect("closes");
    let fault = TrackReader::open(run.path()).err().expect("damaged");
    assert!(fault.message.contains("species/value claims"), "{fault}");
}

#[test]
fn chunks_too_short_for_their_checksum_are_damage() {
    let run = tempfile::tempdir().expect("a folder");
    let path = run.path().join("tracks.h5");
    let mut writer = TrackWriter::create(run.path(), &names(), &domain()).expect("makes it");
    writer.append(&tracks(10)).expect("writes");
    let size = {
        // HDF5 caches the metadata of a file until every handle on it is closed.
        let file = hdf5::File::open(&path).expect("opens");
        file.dataset("particles/trajectory/species/value").expect("there").chunk_info(0).expect("a chunk").size
    };
    // In the index of chunks, the size is followed by four zero bytes: no filter is skipped.
    let stored = [&(size as u32).to_le_bytes()[..], &[0; 4]].concat();
    let whole = fs::read(&path).expect("reads");
    let places = whole.windows(stored.len()).enumerate().filter(|(_, bytes)| *bytes == stored).map(|(place, _)| place);
    let mut found = 0;
    for place in places {
        for short in 0..4 {
            let mut changed = whole.clone();
            changed[place..place + 4].copy_from_slice(&u32::to_le_bytes(short));
            fs::write(&path, changed).expect("writes");
            match TrackReader::open(run.path()).and_then(|reader| reader.frame(0)) {
                // The same bytes elsewhere are no size of a chunk.
                Ok(frame) => assert_eq!(frame, tracks(10)),
                Err(fault) => found += usize::from(fault.message.contains("too short for its checksum")),
            }
        }
    }
    assert!(found > 0, "no chunk's size was changed");
}
