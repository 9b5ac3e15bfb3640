use std::path::Path;

use hematite_config::Exit;
use proptest::prelude::*;

use super::*;
use crate::polydata::tests::{Sample, any_frames, check, damaged, goes_on, many, split};
use crate::{dump_file, rank_file};

/// Tetrahedra and octahedra.
pub(crate) fn solids() -> Vec<CellKind> {
    let octahedron = [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]];
    vec![
        CellKind { name: "tetra".into(), vertices: 4, triangles: vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]] },
        CellKind { name: "octa".into(), vertices: 6, triangles: octahedron.into() },
    ]
}

fn rings() -> Vec<CellKind> {
    let ring = |name: &str, vertices| CellKind { name: name.into(), vertices, triangles: vec![] };
    vec![ring("red", 19), ring("disc", 5)]
}

impl Sample for CellKind {
    /// Even cells are of kind 0.
    fn frame(kinds: &[Self], step: u64, ids: impl IntoIterator<Item = u64>) -> CellFrame {
        let mut frame = CellFrame { step, time: step as f64 * 0.1, ..CellFrame::default() };
        for id in ids {
            let kind = (id % kinds.len() as u64) as u32;
            frame.id.push(id);
            frame.kind.push(kind);
            frame.image.push([id as i32, -1, step as i32]);
            for vertex in 0..kinds[kind as usize].vertices {
                let value =
                    |component: usize| (id as f64 + 0.1 * vertex as f64) / (step as f64 + component as f64 + 3.0);
                frame.position.push([0, 1, 2].map(value));
                frame.velocity.push([3, 4, 5].map(|component| value(component) as f32));
                frame.force.push([6, 7, 8].map(|component| value(component) as f32));
            }
        }
        frame
    }

    fn dimension(kinds: &[Self]) -> usize {
        if kinds[0].triangles.is_empty() { 2 } else { 3 }
    }

    fn check_vtk(path: &Path, reader: &CellReader) {
        let kinds = reader.kinds();
        let file = hdf5::File::open(path).expect("opens");
        let whole = |name: &str| file.dataset(name).and_then(|dataset| dataset.read_raw::<i64>()).expect(name);
        let points = file.dataset("VTKHDF/Points").and_then(|points| points.read_raw::<f64>()).expect("points");
        let velocity = file.dataset("VTKHDF/PointData/velocity").and_then(|v| v.read_raw::<f32>()).expect("velocity");
        let kind_of = file.dataset("VTKHDF/CellData/kind").and_then(|kind| kind.read_raw::<i32>()).expect("kinds");
        let (id_of, offsets) = (whole("VTKHDF/CellData/id"), whole("VTKHDF/Polygons/Offsets"));
        let connectivity = whole("VTKHDF/Polygons/Connectivity");
        let counts = ["NumberOfPoints", "Polygons/NumberOfCells", "Polygons/NumberOfConnectivityIds"];
        let counts = counts.map(|name| whole(&format!("VTKHDF/{name}")));
        for empty in ["Vertices", "Lines", "Strips"] {
            assert_eq!(whole(&format!("VTKHDF/{empty}/NumberOfCells")), vec![0; counts[0].len()]);
            assert_eq!(whole(&format!("VTKHDF/{empty}/Offsets")), vec![0; counts[0].len()]);
        }
        for dump in 0..reader.steps().len() {
            let at = |name: &str| whole(&format!("VTKHDF/Steps/{name}"))[dump];
            let at_polygons = |name: &str| whole(&format!("VTKHDF/Steps/{name}"))[4 * dump + 2];
            let (first, parts) = (at("PartOffsets") as usize, at("NumberOfParts") as usize);
            let before: i64 = counts[1][..first].iter().sum();
            let offset = at_polygons("CellOffsets");
            assert!(first == 0 && offset == 0 || before < offset, "{before} polygons before, {offset}");
            let (mut point, mut row) = (at("PointOffsets"), offset + first as i64);
            let mut corner = at_polygons("ConnectivityIdOffsets");
            let (mut id, mut kind) = (at("CellDataOffsets/id"), at("CellDataOffsets/kind"));
            assert_eq!(at("PointDataOffsets/velocity"), point);
            // Cells as VTK reads them: corners of each polygon, with number and kind of its cell.
            let mut seen = Vec::new();
            let part = |part: usize| counts.each_ref().map(|count| count[part]);
            for [vertices, polygons, corners] in (first..first + parts).map(part) {
                for _ in 0..polygons {
                    let ends = (offsets[row as usize], offsets[row as usize + 1]);
                    let corners = (corner + ends.0..corner + ends.1).map(|corner| {
                        let local = connectivity[corner as usize];
                        assert!((0..vertices).contains(&local));
                        let vertex = 3 * (point + local) as usize;
                        ([0, 1, 2].map(|k| points[vertex + k].to_bits()), velocity[vertex].to_bits())
                    });
                    seen.push((id_of[id as usize], kind_of[kind as usize], corners.collect::<Vec<_>>()));
                    (row, id, kind) = (row + 1, id + 1, kind + 1);
                }
                assert_eq!(offsets[row as usize], corners);
                row += 1;
                point += vertices;
                corner += corners;
            }
            seen.sort_by_key(|polygon| polygon.0);
            let frame = reader.frame(dump).expect("reads");
            let mut expected = Vec::new();
            for (cell, vertices) in frame.vertices(kinds).into_iter().enumerate() {
                let kind = &kinds[frame.kind[cell] as usize];
                let ring: Vec<u32> = (0..kind.vertices as u32).collect();
                let polygons: Vec<&[u32]> = match kind.triangles.is_empty() {
                    true => vec![&ring],
                    false => kind.triangles.iter().map(|triangle| triangle.as_slice()).collect(),
                };
                for polygon in polygons {
                    let corner = |&corner: &u32| {
                        let vertex = vertices.start + corner as usize;
                        (frame.position[vertex].map(f64::to_bits), frame.velocity[vertex][0].to_bits())
                    };
                    let corners = polygon.iter().map(corner).collect::<Vec<_>>();
                    expected.push((frame.id[cell] as i64, frame.kind[cell] as i32, corners));
                }
            }
            assert!(seen == expected, "dump {dump}");
        }
    }
}

/// Numbers of the cells at a step: the same at steps 40 and 50, none at step 60.
fn flow(step: u64) -> Vec<u64> {
    match step {
        60 => Vec::new(),
        _ => (step.min(40)..step.min(40) + 30).rev().collect(),
    }
}

const FLOW: [u64; 7] = [10, 20, 30, 40, 50, 60, 70];

#[test]
fn cells_survive_in_two_and_three_dimensions() {
    let folder = tempfile::tempdir().expect("a folder");
    for kinds in [solids(), rings()] {
        split(folder.path(), &kinds, 1, &FLOW, flow, |_, _| 0);
        check(folder.path(), &kinds, &FLOW, flow);
    }
}

#[test]
fn one_rank_and_three_hold_the_same_frames() {
    let folder = tempfile::tempdir().expect("a folder");
    let kinds = solids();
    // Cells migrate; at some steps rank 1 has none.
    let owner = |step: u64, id: u64| (if step == 20 { id % 2 * 2 } else { (id + step / 20) % 3 }) as usize;
    split(folder.path(), &kinds, 3, &FLOW, flow, owner);
    check(folder.path(), &kinds, &FLOW, flow);
    let parts = hdf5::File::open(dump_file(folder.path(), "cells")).expect("opens");
    let parts = parts.dataset("VTKHDF/Steps/PartOffsets").and_then(|parts| parts.read_raw::<i64>()).expect("parts");
    assert_eq!(parts, [0, 3, 6, 6, 6, 9, 12], "each rank has as many cells of each kind at steps 30, 40 and 50");
}

#[test]
fn more_vertices_than_a_chunk() {
    many(&rings(), 2_500);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]
    #[test]
    fn any_coming_and_going_reads_back(
        frames in prop::collection::vec(prop::collection::btree_set(0_u64..40, 0..20), 1..6),
        ranks in 1_usize..4,
    ) {
        any_frames(&solids(), &frames, ranks);
    }
}

#[test]
fn a_frame_that_does_not_fit_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("cells.vtkhdf");
    let kinds = solids();
    let mut writer = CellWriter::create(&path, &kinds, 3, 1e-6).expect("makes it");
    let good = || CellKind::frame(&kinds, 5, [0, 1, 2]);
    let broken = [
        CellFrame { image: vec![], ..good() },
        CellFrame { kind: vec![0, 1, 2], ..good() },
        CellFrame { force: vec![[0.0; 3]; 13], ..good() },
    ];
    for frame in broken {
        assert_eq!(writer.append(&frame).expect_err("broken").exit, Exit::Io);
    }
    writer.append(&good()).expect("writes");
    assert!(writer.append(&good()).is_err(), "a step twice");
    for (kinds, dimension) in [(vec![], 3), (kinds.clone(), 2), (rings(), 3), (kinds, 4)] {
        let fault = CellWriter::create(&path, &kinds, dimension, 1e-6).err().expect("refuses");
        assert!(fault.message.contains("cells.vtkhdf"), "{fault}");
    }
}

#[test]
fn cells_of_more_vertices_than_there_may_be_are_damage() {
    let folder = tempfile::tempdir().expect("a folder");
    split(folder.path(), &rings(), 1, &[10], |_| vec![0, 1, 2, 3, 4, 5], |_, _| 0);
    let path = dump_file(folder.path(), "cells");
    let file = hdf5::File::open_rw(&path).expect("opens");
    let vertices = file.dataset("hematite/cells/kind_vertices").expect("there");
    vertices.write(&[u64::MAX / 2, 5]).expect("writes");
    file.close().expect("closes");
    let fault = CellReader::open(&path).and_then(|reader| reader.frame(0)).expect_err("damaged");
    assert!(fault.exit == Exit::Usage && fault.message.contains("population red: "), "{fault}");
}

#[test]
fn what_is_damaged_is_a_fault() {
    damaged(&solids());
    // A dump of another kind, and rows of a broken layout.
    let folder = tempfile::tempdir().expect("a folder");
    split(folder.path(), &solids(), 2, &[10, 20], flow, |_, id| (id % 2) as usize);
    let (index, path) = (dump_file(folder.path(), "cells"), rank_file(folder.path(), "cells", 0, 2));
    let file = hdf5::File::open_rw(&path).expect("opens");
    let layout = file.dataset("hematite/cells/layout").expect("there");
    layout.write_slice(&ndarray::arr2(&[[1_u64 << 40]]), (1..2, 5..6)).expect("writes");
    file.close().expect("closes");
    let fault = CellReader::open(&index).err().expect("damaged");
    assert!(fault.message.contains("has the wrong size"), "{fault}");
    std::fs::write(&path, b"not HDF5 at all").expect("writes");
    assert!(CellReader::open(&index).is_err() && CellReader::open(folder.path()).is_err());
}

#[test]
fn a_run_goes_on_with_any_number_of_ranks() {
    goes_on(&solids(), &rings(), flow);
}
