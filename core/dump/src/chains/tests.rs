use std::path::Path;

use hematite_config::Exit;
use proptest::prelude::*;

use super::*;
use crate::dump_file;
use crate::polydata::tests::{Sample, any_frames, check, damaged, goes_on, many, split};

/// Open chains, rings, and single beads.
fn kinds() -> Vec<ChainKind> {
    let kind = |name: &str, beads, ring| ChainKind { name: name.into(), beads, ring };
    vec![kind("open", 7, false), kind("ring", 5, true), kind("single", 1, true)]
}

impl Sample for ChainKind {
    fn frame(kinds: &[Self], step: u64, ids: impl IntoIterator<Item = u64>) -> ChainFrame {
        let mut frame = ChainFrame { step, time: step as f64 * 0.1, ..ChainFrame::default() };
        for id in ids {
            let kind = (id % kinds.len() as u64) as u32;
            frame.id.push(id);
            frame.kind.push(kind);
            frame.image.push([id as i32, -1, step as i32]);
            for bead in 0..kinds[kind as usize].beads {
                let value = |component: usize| (id as f64 + 0.1 * bead as f64) / (step as f64 + component as f64 + 3.0);
                frame.position.push([0, 1, 2].map(value));
                frame.velocity.push([3, 4, 5].map(|component| value(component) as f32));
            }
        }
        frame
    }

    fn dimension(_: &[Self]) -> usize {
        3
    }

    fn check_vtk(path: &Path, reader: &ChainReader) {
        let kinds = reader.kinds();
        let file = hdf5::File::open(path).expect("opens");
        let whole = |name: &str| file.dataset(name).and_then(|dataset| dataset.read_raw::<i64>()).expect(name);
        let points = file.dataset("VTKHDF/Points").and_then(|points| points.read_raw::<f64>()).expect("points");
        let kind_of = file.dataset("VTKHDF/CellData/kind").and_then(|kind| kind.read_raw::<i32>()).expect("kinds");
        let (id_of, offsets) = (whole("VTKHDF/CellData/id"), whole("VTKHDF/Lines/Offsets"));
        let connectivity = whole("VTKHDF/Lines/Connectivity");
        let counts = ["NumberOfPoints", "Lines/NumberOfCells", "Lines/NumberOfConnectivityIds"];
        let counts = counts.map(|name| whole(&format!("VTKHDF/{name}")));
        for dump in 0..reader.steps().len() {
            let at = |name: &str| whole(&format!("VTKHDF/Steps/{name}"))[dump];
            // Lines are the second of VTK's primitives.
            let at_lines = |name: &str| whole(&format!("VTKHDF/Steps/{name}"))[4 * dump + 1];
            let (first, parts) = (at("PartOffsets") as usize, at("NumberOfParts") as usize);
            let (mut point, mut row) = (at("PointOffsets"), at_lines("CellOffsets") + first as i64);
            let mut corner = at_lines("ConnectivityIdOffsets");
            let (mut id, mut kind) = (at("CellDataOffsets/id"), at("CellDataOffsets/kind"));
            let mut seen = Vec::new();
            for [vertices, lines, corners] in
                (first..first + parts).map(|part| counts.each_ref().map(|count| count[part]))
            {
                for _ in 0..lines {
                    let ends = corner + offsets[row as usize]..corner + offsets[row as usize + 1];
                    let beads = ends.map(|corner| {
                        let vertex = 3 * (point + connectivity[corner as usize]) as usize;
                        [0, 1, 2].map(|k| points[vertex + k].to_bits())
                    });
                    seen.push((id_of[id as usize], kind_of[kind as usize], beads.collect::<Vec<_>>()));
                    (row, id, kind) = (row + 1, id + 1, kind + 1);
                }
                assert_eq!(offsets[row as usize], corners);
                row += 1;
                point += vertices;
                corner += corners;
            }
            seen.sort_by_key(|line| line.0);
            let frame = reader.frame(dump).expect("reads");
            let line = |(chain, beads): (usize, std::ops::Range<usize>)| {
                let mut line: Vec<[u64; 3]> = frame.position[beads].iter().map(|x| x.map(f64::to_bits)).collect();
                if kinds[frame.kind[chain] as usize].name == "ring" {
                    line.push(line[0]);
                }
                (frame.id[chain] as i64, frame.kind[chain] as i32, line)
            };
            let expected: Vec<_> = frame.beads(kinds).into_iter().enumerate().map(line).collect();
            assert!(seen == expected, "dump {dump}");
        }
    }
}

/// Numbers of the chains at a step.
fn flow(step: u64) -> Vec<u64> {
    (step.min(40)..step.min(40) + 30).rev().collect()
}

#[test]
fn frames_survive_on_any_number_of_ranks() {
    let steps = [0, 10, 20, 30, 40, 50];
    for ranks in 1..4 {
        let folder = tempfile::tempdir().expect("a folder");
        split(folder.path(), &kinds(), ranks, &steps, flow, |_, id| (id % ranks as u64) as usize);
        check(folder.path(), &kinds(), &steps, flow);
    }
}

#[test]
fn more_beads_than_a_chunk() {
    many(&kinds(), 6_000);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]
    #[test]
    fn any_coming_and_going_reads_back(
        frames in prop::collection::vec(prop::collection::btree_set(0_u64..40, 0..20), 1..6),
        ranks in 1_usize..4,
    ) {
        any_frames(&kinds(), &frames, ranks);
    }
}

#[test]
fn a_frame_that_does_not_fit_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("polymers.vtkhdf");
    let mut writer = ChainWriter::create(&path, &kinds(), 3, 1e-6).expect("makes it");
    let good = || ChainKind::frame(&kinds(), 5, [0, 1, 2]);
    for (broken, said) in [
        (ChainFrame { image: vec![], ..good() }, "3 chains with 3 kinds and 0 images"),
        (ChainFrame { kind: vec![0, 1, 3], ..good() }, "a chain is of kind 3, there are 3"),
        (ChainFrame { velocity: vec![[0.0; 3]; 12], ..good() }, "[13, 12] positions and velocities for 13 beads"),
    ] {
        let fault = writer.append(&broken).expect_err("broken");
        assert!(fault.exit == Exit::Io && fault.message.contains(said), "{fault}");
    }
    writer.append(&good()).expect("writes");
    assert!(writer.append(&good()).is_err(), "a step twice");
    let none = vec![ChainKind { name: "none".into(), beads: 0, ring: false }];
    for kinds in [vec![], none] {
        let fault = ChainWriter::create(&path, &kinds, 3, 1e-6).err().expect("refuses");
        assert!(fault.message.contains("polymers.vtkhdf"), "{fault}");
    }
}

#[test]
fn what_is_damaged_is_a_fault() {
    damaged(&kinds());
    let folder = tempfile::tempdir().expect("a folder");
    split(folder.path(), &kinds(), 1, &[10], flow, |_, _| 0);
    let path = dump_file(folder.path(), "polymers");
    let file = hdf5::File::open_rw(&path).expect("opens");
    file.dataset("hematite/polymers/kind_beads").and_then(|beads| beads.write(&[u64::MAX / 2, 5, 1])).expect("edits");
    file.close().expect("closes");
    let fault = ChainReader::open(&path).and_then(|reader| reader.frame(0)).expect_err("damaged");
    assert!(fault.exit == Exit::Usage && fault.message.contains("population open: "), "{fault}");
}

#[test]
fn a_run_goes_on_with_any_number_of_ranks() {
    goes_on(&kinds(), &kinds()[..2], flow);
}
