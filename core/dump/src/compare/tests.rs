use std::path::Path;

use hematite_case::NodeId;

use super::*;
use crate::fields::tests::{block, split, value, write_dump};
use crate::{DumpStep, FieldWriter, LedgerRow, LedgerWriter};

fn record() -> RunRecord {
    let json = serde_json::json!({
        "schema": 1, "config": {}, "case": "/c.h5", "case_sha256": "", "velocity_set": "D3Q19", "nodes": 60, "dx": 1.0,
        "dt": 1.0, "rho0": 1.0, "nu": 1.0, "tau": 1.0, "precision": "f32", "steps": 2, "pressure_drop": [0.0, 0.0, 0.0],
        "openings": [], "dumps": ["fields"], "ranks": 1, "devices": [],
        "provenance": {"program": "run", "command_line": [], "inputs": [], "written": 0},
    });
    hematite_config::from_value("test", json).expect("a record")
}

fn ledger(run: &Path, inside: f64) {
    let mut writer = LedgerWriter::create(run, &["in".to_owned()]).expect("makes it");
    let row = LedgerRow { step: 10, time: 0.1, inside, through: vec![-0.5] };
    writer.append(&row).expect("writes");
}

/// A run of two dumps on `ranks` ranks; `change` alters values of the second dump's velocity by node number.
fn run(ranks: usize, change: impl Fn(NodeId, &mut f32)) -> tempfile::TempDir {
    let run = tempfile::tempdir().expect("a folder");
    record().write(run.path()).expect("writes");
    ledger(run.path(), 1.0);
    split(run.path(), &block(), ranks, |writers, grids, files| {
        for step in [10, 20] {
            for (writer, grid) in writers.iter_mut().zip(grids) {
                writer.begin(DumpStep { step, time: step as f64 * 0.1 }).expect("begins");
                for field in [Field::Density, Field::Velocity] {
                    let each = grid.id.iter().flat_map(|&id| (0..field.components()).map(move |c| (id, c)));
                    let values = each.map(|(id, c)| {
                        let mut value = value(step, field, c, id);
                        if step == 20 && field == Field::Velocity && c == 1 {
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
            field: Field::Velocity,
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
    assert!(comparison.fields.len() == 1 && comparison.fields[0].differing == 2, "{comparison}");
    let text = comparison.to_string();
    assert!(text.contains("step 20, velocity[1], node 1037 at ("), "{text}");
    assert!(compare(one.path(), three.path(), Some(1e-6)).expect("compares").same());
    assert!(!compare(one.path(), three.path(), Some(1e-12)).expect("compares").same());
}

#[test]
fn nan_differs_at_any_tolerance() {
    let (one, other) = (run(1, |_, _| ()), run(1, |_, value| *value = f32::NAN));
    let comparison = compare(one.path(), other.path(), Some(1.0)).expect("compares");
    assert!(comparison.fields[0].differing == 60 && comparison.fields[0].largest.is_nan(), "{comparison}");
    assert!(compare(other.path(), other.path(), None).expect("compares").same());
}

#[test]
fn other_contents_are_named() {
    let (one, other) = (run(1, |_, _| ()), run(1, |_, _| ()));
    ledger(other.path(), 1.0 + f64::EPSILON);
    let comparison = compare(one.path(), other.path(), None).expect("compares");
    assert!(comparison.to_string().contains("ledger, step 10, inside_kg"), "{comparison}");
    let path = other.path().join("fields.vtkhdf");
    FieldWriter::reopen(&path, 10).expect("goes on");
    let comparison = compare(one.path(), other.path(), None).expect("compares");
    assert!(comparison.to_string().contains("taken 2 and 1 times"), "{comparison}");
    let mut grid = block();
    grid.id[5] = NodeId(5000);
    let mut writer = FieldWriter::create(&path, &grid, &[Field::Density], false).expect("makes it");
    write_dump(&mut writer, &grid, &[Field::Density], 10);
    let comparison = compare(one.path(), other.path(), None).expect("compares");
    assert!(comparison.to_string().contains("only the first run holds node"), "{comparison}");
    std::fs::remove_file(&path).expect("removes");
    assert!(compare(one.path(), other.path(), None).is_err());
}
