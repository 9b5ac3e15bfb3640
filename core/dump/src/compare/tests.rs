use std::path::Path;

use hematite_case::NodeId;

use super::*;
use crate::cells::tests::solids;
use crate::fields::tests::{block, split, value, write_dump};
use crate::polydata::tests::{Sample, deal};
use crate::{
    BodyFrame, CellFrame, CellWriter, Column, DumpStep, FieldWriter, LedgerRow, LedgerWriter, TrackBox, TrackFrame,
    TrackWriter,
};

fn record() -> RunRecord {
    let json = serde_json::json!({
        "schema": 2, "config": {}, "case": "/c.h5", "case_sha256": "", "velocity_set": "D3Q19", "nodes": 60, "dx": 1.0,
        "dt": 1.0, "rho0": 1.0, "nu": 1.0, "tau": 1.0, "precision": "f32", "steps": 2, "pressure_drop": [0.0, 0.0, 0.0],
        "openings": [], "dumps": ["fields"], "ranks": 1, "devices": [],
        "provenance": {"program": "run", "command_line": [], "inputs": [], "written": 0},
    });
    hematite_config::from_value("test", json).expect("a record")
}

fn ledger(run: &Path, inside: f64, speed: f64) {
    let mut writer =
        LedgerWriter::create(run, &["in".to_owned()], &[Column::new("largest_speed_m_per_s")], &[]).expect("makes it");
    let row = LedgerRow { step: 10, time: 0.1, inside, through: vec![-0.5], values: vec![speed], cells: vec![] };
    writer.append(&row).expect("writes");
}

/// A run of two dumps on `ranks` ranks; `change` alters values of the second dump's velocity by node number.
fn run(ranks: usize, change: impl Fn(NodeId, &mut f32)) -> tempfile::TempDir {
    let run = tempfile::tempdir().expect("a folder");
    record().write(run.path()).expect("writes");
    ledger(run.path(), 1.0, 0.5);
    split(run.path(), &block(), ranks, |writers, grids, files| {
        for step in [10, 20] {
            for (writer, grid) in writers.iter_mut().zip(grids) {
                writer.begin(DumpStep { step, time: step as f64 * 0.1 }).expect("begins");
                for field in [Field::DENSITY, Field::VELOCITY] {
                    let each = grid.id.iter().flat_map(|&id| (0..field.components()).map(move |c| (id, c)));
                    let values = each.map(|(id, c)| {
                        let mut value = value(step, field, c, id);
                        if step == 20 && field == Field::VELOCITY && c == 1 {
                            change(id, &mut value);
                        }
                        value
                    });
                    writer.write(field, &Values::F32(values.collect())).expect("writes");
                }
                writer.end().expect("ends");
            }
            if files.len() > 1 {
                crate::write_index(&run.path().join("fields.vtkhdf"), files).expect("writes");
            }
        }
    });
    run
}

#[test]
fn one_rank_and_four_are_the_same() {
    let (one, four) = (run(1, |_, _| ()), run(4, |_, _| ()));
    let comparison = compare(one.path(), four.path(), None).expect("compares");
    assert!(comparison.same(), "{comparison}");
    assert_eq!(comparison.values, 2 * 60 * 4);
}

#[test]
fn one_bit_is_found_where_it_is() {
    let flip = |id: NodeId, value: &mut f32| {
        if id.0 == 1037 || id.0 == 1051 {
            *value = f32::from_bits(value.to_bits() ^ 1);
        }
    };
    let (one, three) = (run(1, |_, _| ()), run(3, flip));
    let comparison = compare(one.path(), three.path(), None).expect("compares");
    let grid = block();
    let at = grid.id.iter().position(|id| id.0 == 1037).expect("it is there");
    match comparison.first.as_ref().expect("differs") {
        Difference::Value {
            dump,
            step: 20,
            field: Field::VELOCITY,
            component: 1,
            node: NodeId(1037),
            position,
            bits,
            ..
        } => {
            assert_eq!((dump.as_str(), *position), ("fields", grid.position[at]));
            assert_eq!(bits[0] ^ bits[1], 1);
        }
        other => panic!("{other}"),
    }
    assert!(comparison.totals.len() == 1 && comparison.totals[0].differing == 2, "{comparison}");
    let text = comparison.to_string();
    assert!(text.contains("step 20, velocity[1], node 1037 at ("), "{text}");
    assert!(compare(one.path(), three.path(), Some(1e-6)).expect("compares").same());
    assert!(!compare(one.path(), three.path(), Some(1e-12)).expect("compares").same());
}

#[test]
fn nan_differs_at_any_tolerance() {
    let (one, other) = (run(1, |_, _| ()), run(1, |_, value| *value = f32::NAN));
    let comparison = compare(one.path(), other.path(), Some(1.0)).expect("compares");
    assert!(comparison.totals[0].differing == 60 && comparison.totals[0].largest.is_nan(), "{comparison}");
    assert!(compare(other.path(), other.path(), None).expect("compares").same());
}

#[test]
fn other_contents_are_named() {
    let (one, other) = (run(1, |_, _| ()), run(1, |_, _| ()));
    for (inside, speed, column) in [(1.0 + f64::EPSILON, 0.5, "inside_kg"), (1.0, 0.25, "largest_speed_m_per_s")] {
        ledger(other.path(), inside, speed);
        let comparison = compare(one.path(), other.path(), None).expect("compares");
        assert!(comparison.to_string().contains(&format!("ledger, step 10, {column}")), "{comparison}");
    }
    let path = other.path().join("fields.vtkhdf");
    FieldWriter::reopen(&path, 10).expect("goes on");
    let comparison = compare(one.path(), other.path(), None).expect("compares");
    assert!(comparison.to_string().contains("taken 2 and 1 times"), "{comparison}");
    let mut grid = block();
    grid.id[5] = NodeId(5000);
    let mut writer = FieldWriter::create(&path, &grid, &[Field::DENSITY], false).expect("makes it");
    write_dump(&mut writer, &grid, &[Field::DENSITY], 10);
    let comparison = compare(one.path(), other.path(), None).expect("compares");
    assert!(comparison.to_string().contains("only the first run holds node"), "{comparison}");
    std::fs::remove_file(&path).expect("removes");
    assert!(compare(one.path(), other.path(), None).is_err());
}

/// A run of two dumps of cells on `ranks` ranks; `change` alters each frame.
fn cells(ranks: usize, change: impl Fn(&mut CellFrame)) -> tempfile::TempDir {
    members(ranks, &solids(), change)
}

/// A run of two dumps of members on `ranks` ranks; `change` alters each frame.
fn members<K: Sample>(ranks: usize, kinds: &[K], change: impl Fn(&mut K::Frame)) -> tempfile::TempDir {
    let run = run(1, |_, _| ());
    deal(run.path(), kinds, ranks, &[10, 20], |step| {
        let mut whole = K::frame(kinds, step, 0..20);
        change(&mut whole);
        whole
    });
    run
}

#[test]
fn cells_on_one_rank_and_three_are_the_same() {
    let (one, three, none) = (cells(1, |_| ()), cells(3, |_| ()), run(1, |_, _| ()));
    let comparison = compare(one.path(), three.path(), None).expect("compares");
    assert!(comparison.same(), "{comparison}");
    assert_eq!(comparison.values, 2 * 60 * 4 + 2 * 100 * 9);
    let comparison = compare(none.path(), three.path(), None).expect("compares");
    assert!(comparison.to_string().contains("only the second run holds cells"), "{comparison}");
}

#[test]
fn one_bit_of_a_cell_is_found_where_it_is() {
    // Vertex 3 of cell 5, an octahedron behind 3 tetrahedra and 2 octahedra.
    let at = 3 * 4 + 2 * 6 + 3;
    let one = cells(1, |_| ());
    type Flip = fn(&mut CellFrame, usize);
    let flips: [(&str, Flip); 3] = [
        ("position[2]", |frame, at| frame.position[at][2] = f64::from_bits(frame.position[at][2].to_bits() ^ 1)),
        ("velocity[0]", |frame, at| frame.velocity[at][0] = f32::from_bits(frame.velocity[at][0].to_bits() ^ 1)),
        ("force[1]", |frame, at| frame.force[at][1] = f32::from_bits(frame.force[at][1].to_bits() ^ 1)),
    ];
    for (name, flip) in flips {
        let other = cells(2, |frame| {
            if frame.step == 20 {
                flip(frame, at)
            }
        });
        let comparison = compare(one.path(), other.path(), None).expect("compares");
        let text = comparison.to_string();
        assert!(text.contains(&format!("step 20, {name}, population octa, cell 5, vertex 3: ")), "{text}");
        assert!(comparison.totals.len() == 1 && comparison.totals[0].differing == 1, "{text}");
        assert!(compare(one.path(), other.path(), Some(1e-6)).expect("compares").same());
    }
}

#[test]
fn other_cells_are_named() {
    let one = cells(1, |_| ());
    let told = |change: fn(&mut CellFrame), text: &str| {
        let comparison = compare(one.path(), cells(1, change).path(), Some(0.1)).expect("compares");
        assert!(comparison.to_string().contains(text), "{comparison}");
    };
    told(|frame| frame.image[4][1] = 7, "step 10, cell 4 of population tetra: image is [4, -1, 10] and [4, 7, 10]");
    told(|frame| frame.id[19] = 23, "step 10, only the first run holds cell 19 of population octa");
    told(|frame| frame.kind.swap(2, 3), "step 10, cell 2 is of population tetra and of octa");
    let later = cells(1, |frame| frame.step += 1);
    let comparison = compare(one.path(), later.path(), None).expect("compares");
    assert!(comparison.to_string().contains("a dump is at step 10"), "{comparison}");
    CellWriter::reopen(&later.path().join("cells.vtkhdf"), 0).expect("goes on");
    let comparison = compare(one.path(), later.path(), None).expect("compares");
    assert!(comparison.to_string().contains("taken 2 and 0 times"), "{comparison}");
}

#[test]
fn other_counts_of_cells_in_the_ledger_are_told() {
    let with = |left: u64| {
        let run = run(1, |_, _| ());
        let mut writer = LedgerWriter::create(run.path(), &[], &[], &["red".to_owned()]).expect("makes it");
        let cells = vec![crate::CellCount { seeded: 5, inside: 5 - left, left, ..Default::default() }];
        writer.append(&LedgerRow { step: 10, cells, ..LedgerRow::default() }).expect("writes");
        run
    };
    assert!(compare(with(1).path(), with(1).path(), None).expect("compares").same());
    let comparison = compare(with(1).path(), with(2).path(), None).expect("compares");
    assert!(comparison.ledger == 1 && comparison.to_string().contains("ledger: step 10, cells are"), "{comparison}");
}

/// A run of two dumps of bodies on `ranks` ranks; `change` alters each frame.
fn bodies(ranks: usize, change: impl Fn(&mut BodyFrame)) -> tempfile::TempDir {
    members(ranks, &crate::bodies::tests::kinds(), change)
}

#[test]
fn bodies_are_compared_to_the_bit() {
    let (one, three, none) = (bodies(1, |_| ()), bodies(3, |_| ()), run(1, |_, _| ()));
    let comparison = compare(one.path(), three.path(), None).expect("compares");
    assert!(comparison.same(), "{comparison}");
    assert_eq!(comparison.values, 2 * 60 * 4 + 2 * 20 * 19);
    let comparison = compare(one.path(), none.path(), None).expect("compares");
    assert!(comparison.to_string().contains("only the first run holds bodies"), "{comparison}");
    fn flip(x: &mut f32) {
        *x = f32::from_bits(x.to_bits() ^ 1);
    }
    type Flip = fn(&mut BodyFrame);
    let flips: [(&str, Flip); 6] = [
        ("position[2]", |frame| frame.position[5][2] = f64::from_bits(frame.position[5][2].to_bits() ^ 1)),
        ("orientation[3]", |frame| flip(&mut frame.orientation[5][3])),
        ("velocity[0]", |frame| flip(&mut frame.velocity[5][0])),
        ("angular_velocity[1]", |frame| flip(&mut frame.angular_velocity[5][1])),
        ("force[1]", |frame| flip(&mut frame.force[5][1])),
        ("torque[2]", |frame| flip(&mut frame.torque[5][2])),
    ];
    for (name, change) in flips {
        let other = bodies(2, |frame| {
            if frame.step == 20 {
                change(frame)
            }
        });
        let comparison = compare(one.path(), other.path(), None).expect("compares");
        let text = comparison.to_string();
        assert!(text.contains(&format!("bodies, step 20, {name}, population sphere, body 5: ")), "{text}");
        assert!(comparison.totals.len() == 1 && comparison.totals[0].differing == 1, "{text}");
        assert!(compare(one.path(), other.path(), Some(1e-6)).expect("compares").same());
    }
    let told = |change: fn(&mut BodyFrame), text: &str| {
        let comparison = compare(one.path(), bodies(1, change).path(), Some(0.1)).expect("compares");
        assert!(comparison.to_string().contains(text), "{comparison}");
    };
    told(|frame| frame.image[4][1] = 7, "step 10, body 4 of population oblate: image is [4, -1, 10] and [4, 7, 10]");
    told(|frame| frame.id[19] = 23, "step 10, only the first run holds body 19 of population sphere");
    told(|frame| frame.kind.swap(2, 3), "step 10, body 2 is of population oblate and of sphere");
}

fn tracks(run: &Path, steps: &[u64], change: impl Fn(&mut TrackFrame)) {
    let solids = solids();
    let names: Vec<String> = solids.iter().map(|kind| kind.name.clone()).collect();
    let domain = TrackBox { dimension: 3, extent: [1e-4; 3], periodic: [false; 3] };
    let mut writer = TrackWriter::create(run, &names, &domain).expect("makes it");
    for &step in steps {
        let mut frame = TrackFrame::of(&CellKind::frame(&solids, step, 3..9), &solids, 3);
        change(&mut frame);
        writer.append(&frame).expect("writes");
    }
}

#[test]
fn tracks_are_compared_to_the_bit() {
    let (a, b) = (cells(1, |_| {}), cells(1, |_| {}));
    tracks(a.path(), &[5, 10], |_| {});
    let said = |steps: &[u64], change: &dyn Fn(&mut TrackFrame), rtol| {
        tracks(b.path(), steps, change);
        compare(a.path(), b.path(), rtol).expect("compares").to_string()
    };
    assert!(said(&[5, 10], &|_| {}, None).starts_with("the same: "));
    let nudged = |frame: &mut TrackFrame| {
        if frame.step == 10 {
            frame.centroid[2][1] = f64::from_bits(frame.centroid[2][1].to_bits() + 1);
        }
    };
    let text = said(&[5, 10], &nudged, None);
    assert!(text.contains("tracks, step 10, position[1], population") && text.contains("number 5:"), "{text}");
    assert!(text.contains("tracks' position: 1 numbers differ"), "{text}");
    assert!(said(&[5, 10], &nudged, Some(1e-9)).starts_with("the same: "));
    let turned = |frame: &mut TrackFrame| frame.axis[0] = frame.axis[0].map(|x| -x);
    assert!(said(&[5, 10], &turned, None).contains("axis[0]"));
    assert!(said(&[5, 10], &turned, Some(1e-9)).starts_with("the same: "));
    assert_eq!(said(&[5], &|_| {}, None), "tracks: taken 2 and 1 times");
    let lost = |frame: &mut TrackFrame| {
        let shorter = CellKind::frame(&solids(), frame.step, 3..8);
        *frame = TrackFrame::of(&shorter, &solids(), 3);
    };
    assert_eq!(said(&[5, 10], &lost, None), "tracks: step 5, only the first run holds number 8");
    std::fs::remove_file(b.path().join("tracks.h5")).expect("removes");
    assert!(
        compare(a.path(), b.path(), None).expect("compares").to_string().starts_with("only the first run holds tracks")
    );
}

#[test]
fn tracks_in_two_dimensions_have_their_units() {
    let (a, b) = (cells(1, |_| {}), cells(1, |_| {}));
    let domain = TrackBox { dimension: 2, extent: [1e-4; 3], periodic: [false; 3] };
    for (run, grown) in [(&a, 0.0), (&b, 0.5)] {
        let mut writer = TrackWriter::create(run.path(), &["disc".to_owned()], &domain).expect("makes it");
        let frame = TrackFrame {
            id: vec![7],
            kind: vec![0],
            centroid: vec![[1e-5, 2e-5, 0.0]],
            image: vec![[0; 3]],
            axis: vec![[1.0, 0.0, 0.0]],
            area: vec![2.0 + grown],
            volume: vec![1.0 + grown],
            ..TrackFrame::default()
        };
        writer.append(&frame).expect("writes");
    }
    let text = compare(a.path(), b.path(), None).expect("compares").to_string();
    for said in
        ["tracks' area: 1 numbers differ, by 5e-1 m at most", "tracks' volume: 1 numbers differ, by 5e-1 m2 at most"]
    {
        assert!(text.lines().any(|line| line == said), "{text}");
    }
}
