use std::path::Path;

use hematite_config::Exit;
use proptest::prelude::*;

use super::*;
use crate::polydata::tests::{Sample, any_frames, check, damaged, goes_on, many, split};
use crate::{dump_file, rank_file};

/// A population of membranes between two rigid ones.
pub(crate) fn kinds() -> Vec<BodyKind> {
    vec![
        BodyKind { name: "oblate".into(), semi_axes: [4e-6, 4e-6, 1.3e-6] },
        BodyKind { name: "soft".into(), semi_axes: [0.0; 3] },
        BodyKind { name: "sphere".into(), semi_axes: [3e-6; 3] },
    ]
}

impl Sample for BodyKind {
    /// Even bodies are of kind 0, odd ones of kind 2.
    fn frame(_: &[Self], step: u64, ids: impl IntoIterator<Item = u64>) -> BodyFrame {
        let mut frame = BodyFrame { step, time: step as f64 * 0.1, ..BodyFrame::default() };
        for id in ids {
            let value = |component: usize| (id as f64 + 0.1) / (step as f64 + component as f64 + 3.0);
            let small = |component: usize| value(component) as f32;
            frame.id.push(id);
            frame.kind.push(2 * (id % 2) as u32);
            frame.image.push([id as i32, -1, step as i32]);
            frame.position.push([0, 1, 2].map(value));
            frame.orientation.push([3, 4, 5, 6].map(small));
            frame.velocity.push([7, 8, 9].map(small));
            frame.angular_velocity.push([10, 11, 12].map(small));
            frame.force.push([13, 14, 15].map(small));
            frame.torque.push([16, 17, 18].map(small));
        }
        frame
    }

    fn dimension(_: &[Self]) -> usize {
        3
    }

    fn check_vtk(path: &Path, reader: &BodyReader) {
        let file = hdf5::File::open(path).expect("opens");
        let whole = |name: &str| file.dataset(&format!("VTKHDF/{name}")).and_then(|d| d.read_raw::<i64>()).expect(name);
        let reals = |name: &str| file.dataset(&format!("VTKHDF/{name}")).and_then(|d| d.read_raw::<f64>()).expect(name);
        let (points, ids, torque) = (reals("Points"), whole("PointData/id"), reals("PointData/torque"));
        let (axes, orientation) = (reals("PointData/axes"), reals("PointData/orientation"));
        let (offsets, connectivity) = (whole("Vertices/Offsets"), whole("Vertices/Connectivity"));
        let counts = ["NumberOfPoints", "Vertices/NumberOfCells", "Vertices/NumberOfConnectivityIds"].map(whole);
        for empty in ["Polygons", "Lines", "Strips"] {
            assert_eq!(whole(&format!("{empty}/NumberOfCells")), vec![0; counts[0].len()]);
            assert_eq!(whole(&format!("{empty}/Offsets")), vec![0; counts[0].len()]);
        }
        for dump in 0..reader.steps().len() {
            let at = |name: &str| whole(&format!("Steps/{name}"))[dump];
            let at_vertices = |name: &str| whole(&format!("Steps/{name}"))[4 * dump];
            let (first, parts) = (at("PartOffsets") as usize, at("NumberOfParts") as usize);
            let offset = at_vertices("CellOffsets");
            let before: i64 = counts[1][..first].iter().sum();
            assert!(first == 0 && offset == 0 || before < offset, "{before} bodies before, {offset}");
            let (mut point, mut row) = (at("PointOffsets"), offset + first as i64);
            let mut corner = at_vertices("ConnectivityIdOffsets");
            for name in ["id", "kind", "orientation", "axes", "velocity", "angular_velocity", "force", "torque"] {
                assert_eq!(at(&format!("PointDataOffsets/{name}")), point);
            }
            let mut seen = Vec::new();
            for [vertices, cells, corners] in
                (first..first + parts).map(|part| counts.each_ref().map(|count| count[part]))
            {
                for _ in 0..cells {
                    let (start, end) = (offsets[row as usize], offsets[row as usize + 1]);
                    assert_eq!(end, start + 1);
                    let local = connectivity[(corner + start) as usize];
                    assert!((0..vertices).contains(&local));
                    let at = (point + local) as usize;
                    let three = |of: &[f64]| [0, 1, 2].map(|k| of[3 * at + k]);
                    seen.push((ids[at], three(&points), three(&torque), three(&axes), orientation[4 * at + 3]));
                    row += 1;
                }
                assert_eq!(offsets[row as usize], corners);
                row += 1;
                point += vertices;
                corner += corners;
            }
            seen.sort_by_key(|body| body.0);
            let frame = reader.frame(dump).expect("reads");
            let wide = |v: [f32; 3]| v.map(f64::from);
            let expected = (0..frame.id.len()).map(|k| {
                let axes = kinds()[frame.kind[k] as usize].semi_axes.map(|axis| f64::from(axis as f32));
                let turn = f64::from(frame.orientation[k][3]);
                (frame.id[k] as i64, frame.position[k], wide(frame.torque[k]), axes, turn)
            });
            assert!(seen == expected.collect::<Vec<_>>(), "dump {dump}");
        }
    }
}

/// Bodies come and go.
fn flow(step: u64) -> Vec<u64> {
    match step {
        30 => vec![],
        step => (step / 20..step / 10 + 9).rev().collect(),
    }
}

#[test]
fn frames_survive_on_any_number_of_ranks() {
    let kinds = kinds();
    for ranks in 1..5 {
        let folder = tempfile::tempdir().expect("a folder");
        let steps = [0, 10, 20, 30, 40, 50];
        split(folder.path(), &kinds, ranks, &steps, flow, |step, id| ((id + step / 20) % ranks as u64) as usize);
        check(folder.path(), &kinds, &steps, flow);
    }
    // Dumps of the same bodies share one list of vertex cells.
    let folder = tempfile::tempdir().expect("a folder");
    split(folder.path(), &kinds, 1, &[1, 2, 3], |_| (0..7).collect(), |_, _| 0);
    check(folder.path(), &kinds, &[1, 2, 3], |_| (0..7).collect());
    let file = hdf5::File::open(dump_file(folder.path(), "bodies")).expect("opens");
    assert_eq!(file.dataset("VTKHDF/Vertices/Offsets").expect("there").size(), 8);
    assert_eq!(file.dataset("VTKHDF/NumberOfPoints").expect("there").size(), 1);
}

#[test]
fn more_bodies_than_a_chunk() {
    many(&kinds(), 20_000);
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
    let path = folder.path().join("bodies.vtkhdf");
    let mut writer = BodyWriter::create(&path, &kinds(), 3, 1e-6).expect("makes it");
    let good = || BodyKind::frame(&kinds(), 5, [0, 1, 2]);
    for (broken, said) in [
        (BodyFrame { torque: vec![], ..good() }, "3 bodies with 0 torques"),
        (BodyFrame { orientation: vec![[0.0; 4]; 4], ..good() }, "3 bodies with 4 orientations"),
        (BodyFrame { kind: vec![0, 1, 2], ..good() }, "a body is of kind 1, which is no rigid one of the 3"),
        (BodyFrame { kind: vec![0, 2, 3], ..good() }, "a body is of kind 3"),
    ] {
        let fault = writer.append(&broken).expect_err("broken");
        assert!(fault.exit == Exit::Io && fault.message.contains(said), "{fault}");
    }
    writer.append(&good()).expect("writes");
    assert!(writer.append(&good()).is_err(), "a step twice");
    let odd = |semi_axes: [f64; 3]| vec![BodyKind { name: "odd".into(), semi_axes }];
    for (kinds, dimension, said) in [
        (vec![], 3, "no population"),
        (kinds(), 2, "rigid bodies are for 3-D"),
        (odd([1.0, 0.0, 1.0]), 3, "are no semi-axes"),
        (odd([0.0; 3]), 3, "no rigid population"),
    ] {
        let fault = BodyWriter::create(&path, &kinds, dimension, 1e-6).err().expect("refuses");
        assert!(fault.message.contains("bodies.vtkhdf") && fault.message.contains(said), "{fault}");
    }
}

#[test]
fn what_is_damaged_is_a_fault() {
    damaged(&kinds());
    // Cells are no bodies.
    let folder = tempfile::tempdir().expect("a folder");
    let cells = folder.path().join("cells.vtkhdf");
    crate::CellWriter::create(&cells, &crate::cells::tests::solids(), 3, 1e-6).expect("makes it");
    let fault = BodyReader::open(&cells).err().expect("refused");
    assert!(fault.message.contains("is not a dump of bodies"), "{fault}");
    // The number of a population that does not exist.
    split(folder.path(), &kinds(), 2, &[10, 20], flow, |_, id| (id % 2) as usize);
    let (index, part) = (dump_file(folder.path(), "bodies"), rank_file(folder.path(), "bodies", 1, 2));
    let file = hdf5::File::open_rw(&part).expect("opens");
    file.dataset("VTKHDF/PointData/kind").and_then(|kind| kind.write_slice(&[9_u32], 0..1)).expect("edits");
    file.close().expect("closes");
    let fault = BodyReader::open(&index).and_then(|reader| reader.frame(0)).expect_err("damaged");
    assert!(fault.message.contains("its bodies do not fit its populations"), "{fault}");
}

#[test]
fn a_run_goes_on_with_any_number_of_ranks() {
    goes_on(&kinds(), &kinds()[..1], flow);
}
