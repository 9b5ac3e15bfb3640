use std::fs;
use std::path::{Path, PathBuf};

use hematite_case::NodeId;
use hematite_config::Exit;

use super::*;
use crate::{DumpStep, Field, Grid, Values};

/// A 5 x 4 x 3 block of nodes numbered from 1000 on, in an order unlike that of their positions.
pub(crate) fn block() -> Grid {
    let sites = (0..3).flat_map(|z| (0..4).flat_map(move |y| (0..5).map(move |x| [x - 2, y + 7, z])));
    let position: Vec<[i32; 3]> = sites.collect();
    let id = (0..60).map(|n| NodeId(1000 + n * 7 % 60)).collect();
    Grid { dimension: 3, spacing: 2e-6, origin: [1e-3, 0.0, -1e-6], id, position }
}

/// The value that node `id` holds.
pub(crate) fn value(step: u64, field: Field, component: usize, id: NodeId) -> f32 {
    (step as f32 + component as f32 * 0.1 + field.components() as f32 * 0.01) / (id.0 as f32 + 1.0)
}

fn values(step: u64, field: Field, grid: &Grid) -> Vec<f32> {
    let each = grid.id.iter().flat_map(|&id| (0..field.components()).map(move |c| value(step, field, c, id)));
    each.collect()
}

pub(crate) fn write_dump(writer: &mut FieldWriter, grid: &Grid, fields: &[Field], step: u64) {
    writer.begin(DumpStep { step, time: step as f64 * 0.1 }).expect("begins");
    for &field in fields {
        writer.write(field, &Values::F32(values(step, field, grid))).expect("writes");
    }
    writer.end().expect("ends");
}

/// Writers of density and velocity for `fields.vtkhdf` in `run`, on one rank, or on several by slices of the nodes; the
/// second last slice is empty.
pub(crate) fn split(run: &Path, grid: &Grid, ranks: usize, then: impl FnOnce(&mut [FieldWriter], &[Grid], &[PathBuf])) {
    let share = |rank: usize| {
        (0..grid.id.len()).filter(|n| n % ranks.max(2).min(ranks) == rank || ranks == 1).collect::<Vec<_>>()
    };
    let mut shares: Vec<Vec<usize>> = (0..ranks).map(share).collect();
    if ranks > 2 {
        let moved = std::mem::take(&mut shares[ranks - 2]);
        shares[0].extend(moved);
    }
    let grids: Vec<Grid> = shares.iter().map(|share| grid.take(share)).collect();
    let files: Vec<PathBuf> = (0..ranks).map(|rank| rank_file(run, "fields", rank, ranks)).collect();
    let make = |(file, grid): (&PathBuf, &Grid)| {
        FieldWriter::create(file, grid, &[Field::VELOCITY, Field::DENSITY], false).expect("makes it")
    };
    let mut writers: Vec<FieldWriter> = files.iter().zip(&grids).map(make).collect();
    then(&mut writers, &grids, &files);
}

fn check(path: &Path, fields: &[Field], steps: &[u64]) {
    let reader = FieldReader::open(path).expect("opens");
    assert_eq!(reader.fields(), fields);
    assert_eq!(
        reader.steps(),
        steps.iter().map(|&step| DumpStep { step, time: step as f64 * 0.1 }).collect::<Vec<_>>()
    );
    for (dump, &step) in steps.iter().enumerate() {
        for &field in fields {
            assert_eq!(reader.read(dump, field), Ok(Values::F32(values(step, field, reader.grid()))));
        }
    }
}

#[test]
fn dumps_survive() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("all.vtkhdf");
    let grid = block();
    let mut writer = FieldWriter::create(&path, &grid, &Field::FLUID, false).expect("makes it");
    check(&path, &Field::FLUID, &[]);
    for step in [0, 10, 25] {
        write_dump(&mut writer, &grid, &Field::FLUID, step);
    }
    check(&path, &Field::FLUID, &[0, 10, 25]);
    let reader = FieldReader::open(&path).expect("opens");
    assert_eq!(reader.grid(), &grid);
    assert!(reader.read(3, Field::DENSITY).is_err());
    assert!(writer.begin(DumpStep { step: 25, time: 2.5 }).is_err());
}

#[test]
fn more_nodes_than_a_slab_and_f64_and_two_dimensions() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("wide.vtkhdf");
    let position: Vec<[i32; 3]> = (0..70_001).map(|n| [n % 300, n / 300, 0]).collect();
    let id = (0..70_001).map(NodeId).collect();
    let grid = Grid { dimension: 2, spacing: 1.0, origin: [0.0; 3], id, position };
    let mut writer = FieldWriter::create(&path, &grid, &[Field::SHEAR_STRESS], true).expect("makes it");
    let values = |step: u64| Values::F64((0..6 * 70_001).map(|n| f64::from(n) / (step + 3) as f64).collect());
    for step in 0..3 {
        writer.begin(DumpStep { step, time: 0.0 }).expect("begins");
        writer.write(Field::SHEAR_STRESS, &values(step)).expect("writes");
        writer.end().expect("ends");
    }
    let reader = FieldReader::open(&path).expect("opens");
    assert_eq!(reader.grid(), &grid);
    for step in 0..3 {
        assert!(reader.read(step as usize, Field::SHEAR_STRESS).expect("reads") == values(step), "dump {step}");
    }
}

#[test]
fn a_field_that_does_not_fit_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut writer =
        FieldWriter::create(&folder.path().join("a.vtkhdf"), &block(), &[Field::DENSITY], false).expect("makes it");
    assert!(writer.write(Field::DENSITY, &Values::F32(vec![0.0; 60])).is_err(), "before begin");
    writer.begin(DumpStep { step: 1, time: 0.0 }).expect("begins");
    assert!(writer.write(Field::DENSITY, &Values::F32(vec![0.0; 59])).is_err(), "too short");
    assert!(writer.write(Field::DENSITY, &Values::F64(vec![0.0; 60])).is_err(), "other precision");
    assert!(writer.write(Field::PRESSURE, &Values::F32(vec![0.0; 60])).is_err(), "not asked for");
    assert!(writer.end().is_err(), "a field is missing");
}

#[test]
fn a_viewer_does_not_stop_a_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("fields.vtkhdf");
    let mut writer = FieldWriter::create(&path, &block(), &Field::FLUID, false).expect("makes it");
    write_dump(&mut writer, &block(), &Field::FLUID, 10);
    // A viewer's HDF5 holds a shared lock.
    let viewer = fs::File::open(&path).expect("opens");
    viewer.lock_shared().expect("locks");
    let seen = viewer.metadata().expect("reads").len();
    write_dump(&mut writer, &block(), &Field::FLUID, 20);
    check(&path, &Field::FLUID, &[10, 20]);
    assert_eq!(viewer.metadata().expect("reads").len(), seen, "the viewer keeps what it opened");
}

#[test]
fn going_on_drops_later_dumps() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("fields.vtkhdf");
    let grid = block();
    let mut writer = FieldWriter::create(&path, &grid, &Field::FLUID, false).expect("makes it");
    for step in [10, 20, 30] {
        write_dump(&mut writer, &grid, &Field::FLUID, step);
    }
    writer.begin(DumpStep { step: 40, time: 4.0 }).expect("begins");
    writer.write(Field::DENSITY, &Values::F32(vec![-1.0; 60])).expect("writes");
    drop(writer);
    let mut writer = FieldWriter::reopen(&path, 25).expect("goes on");
    assert_eq!(writer.steps().len(), 2);
    check(&path, &Field::FLUID, &[10, 20]);
    write_dump(&mut writer, &grid, &Field::FLUID, 26);
    check(&path, &Field::FLUID, &[10, 20, 26]);
    FieldWriter::reopen(&path, 5).expect("goes on");
    check(&path, &Field::FLUID, &[]);
}

#[test]
fn an_index_shows_all_ranks_as_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let index = folder.path().join("fields.vtkhdf");
    let fields = [Field::DENSITY, Field::VELOCITY];
    split(folder.path(), &block(), 4, |writers, grids, files| {
        write_index(&index, files).expect("writes");
        check(&index, &fields, &[]);
        for step in [10, 20, 30] {
            for (writer, grid) in writers.iter_mut().zip(grids) {
                write_dump(writer, grid, &fields, step);
            }
            if step < 30 {
                write_index(&index, files).expect("writes");
            }
        }
        // Rank files may be one dump ahead of an index.
        check(&index, &fields, &[10, 20]);
        // The virtual datasets find the rank files from any working folder: tests run in the folder of the crate.
        let file = hdf5::File::open(&index).expect("opens");
        let parts = file.dataset("VTKHDF/NumberOfCells").and_then(|counts| counts.read_raw::<i64>()).expect("reads");
        assert_eq!(parts, [30, 15, 15], "a rank without nodes is no part");
        for field in fields {
            let array = file.dataset(&format!("VTKHDF/CellData/{}", field.name())).expect("there");
            let both = [10, 20].map(|step| grids.iter().flat_map(|grid| values(step, field, grid)).collect::<Vec<_>>());
            assert_eq!(array.read_raw::<f32>().expect("reads"), both.concat());
        }
        let ids = file.dataset("hematite/node_id").and_then(|ids| ids.read_raw::<u64>()).expect("reads");
        assert_eq!(ids, grids.iter().flat_map(|grid| grid.id.iter().map(|id| id.0)).collect::<Vec<_>>());
        drop(file);
        FieldWriter::reopen(&files[3], 10).expect("goes on");
        let fault = FieldReader::open(&index).err().expect("a rank lacks a dump");
        assert!(fault.message.contains("fields_r0003of0004.vtkhdf"), "{fault}");
        assert!(write_index(&index, files).is_err());
        fs::remove_file(&files[3]).expect("removes");
        let fault = FieldReader::open(&index).err().expect("a rank file is missing");
        assert!(fault.message.contains("fields_r0003of0004.vtkhdf") && fault.exit == Exit::Usage, "{fault}");
    });
}

#[test]
fn ranks_without_any_node_make_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let index = folder.path().join("fields.vtkhdf");
    let none = block().take(&[]);
    split(folder.path(), &none, 3, |writers, grids, files| {
        for (writer, grid) in writers.iter_mut().zip(grids) {
            write_dump(writer, grid, &[Field::DENSITY, Field::VELOCITY], 10);
        }
        write_index(&index, files).expect("writes");
    });
    check(&index, &[Field::DENSITY, Field::VELOCITY], &[10]);
}

#[test]
fn a_truncated_file_is_a_fault_at_any_length() {
    let folder = tempfile::tempdir().expect("a folder");
    let index = folder.path().join("fields.vtkhdf");
    split(folder.path(), &block(), 2, |writers, grids, files| {
        for (writer, grid) in writers.iter_mut().zip(grids) {
            write_dump(writer, grid, &[Field::DENSITY, Field::VELOCITY], 10);
        }
        write_index(&index, files).expect("writes");
        for path in [&index, &files[1]] {
            let whole = fs::read(path).expect("reads");
            for length in (0..whole.len()).step_by(61).chain([whole.len() - 1]) {
                fs::write(path, &whole[..length]).expect("writes");
                let fault = FieldReader::open(&index).err().unwrap_or_else(|| panic!("opens at {length} bytes"));
                let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
                assert!(fault.message.contains(name) && fault.exit == Exit::Usage, "{fault}");
            }
            fs::write(path, &whole).expect("writes");
        }
    });
    fs::write(&index, b"not HDF5 at all").expect("writes");
    assert!(FieldReader::open(&index).is_err());
    assert!(FieldReader::open(folder.path()).is_err());
}

#[test]
fn a_run_goes_on_with_any_number_of_ranks() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = folder.path();
    let whole = dump_file(run, "fields");
    let fields = [Field::DENSITY, Field::VELOCITY];
    split(run, &block(), 4, |writers, grids, files| {
        for step in [10, 20] {
            for (writer, grid) in writers.iter_mut().zip(grids) {
                write_dump(writer, grid, &fields, step);
            }
            write_index(&whole, files).expect("writes");
        }
        // One rank got further than the others.
        write_dump(&mut writers[0], &grids[0], &fields, 30);
        // A restart from step 15 was killed while it dropped dumps: the index lists more dumps than a rank holds.
        FieldWriter::reopen(&files[1], 15).expect("goes on");
        let at = (run, "fields");
        assert!(FieldWriter::go_on(at, (0, 2), &grids[3], &fields, false, 25).is_err());
        for (rank, grid) in grids.iter().enumerate() {
            let mut writer = FieldWriter::go_on(at, (rank, 4), grid, &fields, false, 15).expect("goes on");
            write_dump(&mut writer, grid, &fields, 20);
        }
    });
    let mut steps = vec![10, 20];
    for ranks in [4, 3, 1, 2] {
        let next = steps[steps.len() - 1] + 10;
        let shares: Vec<Grid> = if ranks == 4 {
            let grid = |rank| FieldReader::open(&rank_file(run, "fields", rank, 4)).expect("opens").grid().clone();
            (0..4).map(grid).collect()
        } else {
            (0..ranks).map(|rank| block().take(&(rank..60).step_by(ranks).rev().collect::<Vec<_>>())).collect()
        };
        let go_on = |(rank, grid)| FieldWriter::go_on((run, "fields"), (rank, ranks), grid, &fields, false, next - 5);
        let mut writers: Vec<_> = shares.iter().enumerate().map(|at| go_on(at).expect("goes on")).collect();
        let files: Vec<_> = (0..ranks).map(|rank| rank_file(run, "fields", rank, ranks)).collect();
        for (writer, grid) in writers.iter_mut().zip(&shares) {
            write_dump(writer, grid, &fields, next);
        }
        if ranks > 1 {
            write_index(&whole, &files).expect("writes");
        }
        clear_other_ranks(run, "fields", ranks).expect("clears");
        steps.push(next);
        check(&whole, &fields, &steps);
        let count = fs::read_dir(run).expect("lists").count();
        assert_eq!(count, if ranks == 1 { 1 } else { ranks + 1 });
    }
    let other = |grid: &Grid, fields: &[Field], f64| {
        FieldWriter::go_on((run, "fields"), (0, 2), grid, fields, f64, 99).err().expect("does not fit").message
    };
    let other_nodes = FieldWriter::go_on((run, "fields"), (0, 2), &block(), &fields, false, 99).expect("goes on");
    let held: Vec<usize> = (0..60).step_by(2).rev().collect();
    assert_eq!(other_nodes.node_ids().expect("reads"), block().take(&held).id, "the file keeps its nodes");
    assert!(other(&block(), &fields, true).contains("precision"));
    assert!(other(&block(), &[Field::DENSITY], false).contains("other fields"));
}
