//! A run is killed while it writes a dump. The test is alone in its process: the child would inherit open files and
//! their locks from other tests.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use hematite_case::NodeId;
use hematite_dump::{
    CellFrame, CellKind, CellReader, CellWriter, DumpStep, Field, FieldReader, FieldWriter, Grid, Values,
};

const CHILD: &str = "HEMATITE_TEST_KILLED";

/// More nodes than one chunk holds.
fn grid() -> Grid {
    let id: Vec<NodeId> = (0..50_000).map(NodeId).collect();
    let position = (0..50_000).map(|n| [n % 100, n / 100 % 50, n / 5000]).collect();
    Grid { dimension: 3, spacing: 1.0, origin: [0.0; 3], id, position }
}

fn values(step: u64, field: Field) -> Values {
    Values::F32((0..50_000 * field.components()).map(|n| (n as f32).sin() * step as f32).collect())
}

fn dump(writer: &mut FieldWriter, step: u64) {
    writer.begin(DumpStep { step, time: 0.5 }).expect("begins");
    Field::FLUID.iter().for_each(|&field| writer.write(field, &values(step, field)).expect("writes"));
    writer.end().expect("ends");
}

fn check(path: &Path, steps: &[u64]) {
    let reader = FieldReader::open(path).expect("opens");
    assert_eq!(reader.steps().iter().map(|step| step.step).collect::<Vec<_>>(), steps);
    for (number, &step) in steps.iter().enumerate() {
        for field in Field::FLUID {
            assert!(reader.read(number, field).expect("reads") == values(step, field), "{field:?} of step {step}");
        }
    }
}

fn kinds() -> [CellKind; 1] {
    [CellKind { name: "red".into(), vertices: 50, triangles: vec![] }]
}

/// 400 000 vertices that compress badly, so that a dump takes long.
fn cells(step: u64) -> CellFrame {
    let value = |n: usize| (n as f64 + 0.1).sin() * step as f64;
    let rows = |shift: usize| (0..400_000).map(move |n| [0, 1, 2].map(|k| value(3 * n + k + shift)));
    let image = (0..8_000).map(|n| [n, 0, -n]).collect();
    CellFrame {
        step,
        time: 0.5,
        id: (0..8_000).collect(),
        kind: vec![0; 8_000],
        position: rows(0).collect(),
        velocity: rows(1).map(|v| v.map(|x| x as f32)).collect(),
        force: rows(2).map(|v| v.map(|x| x as f32)).collect(),
        image,
    }
}

fn check_cells(path: &Path, steps: &[u64]) {
    let reader = CellReader::open(path).expect("opens");
    assert_eq!(reader.steps().iter().map(|step| step.step).collect::<Vec<_>>(), steps);
    for (number, &step) in steps.iter().enumerate() {
        assert!(reader.frame(number).expect("reads") == cells(step), "step {step}");
    }
}

#[test]
fn a_run_killed_in_a_dump_leaves_the_whole_ones() {
    if let Some(folder) = std::env::var_os(CHILD) {
        let path = Path::new(&folder).join("fields.vtkhdf");
        let mut writer = FieldWriter::create(&path, &grid(), &Field::FLUID, false).expect("makes it");
        dump(&mut writer, 10);
        dump(&mut writer, 20);
        writer.begin(DumpStep { step: 30, time: 0.5 }).expect("begins");
        writer.write(Field::VELOCITY, &values(30, Field::VELOCITY)).expect("writes");
        let path = Path::new(&folder).join("cells.vtkhdf");
        let mut writer = CellWriter::create(&path, &kinds(), 2, 1.0).expect("makes it");
        [10, 20].iter().for_each(|&step| writer.append(&cells(step)).expect("writes"));
        let third = cells(30);
        std::thread::spawn(|| {
            std::thread::sleep(Duration::from_millis(20));
            std::process::abort();
        });
        writer.append(&third).expect("writes");
        std::process::abort();
    }
    let folder = tempfile::tempdir().expect("a folder");
    let mut child = Command::new(std::env::current_exe().expect("this test"));
    let killed = child.env(CHILD, folder.path()).output().expect("starts");
    assert!(!killed.status.success());
    let path = folder.path().join("fields.vtkhdf");
    check(&path, &[10, 20]);
    let mut writer = FieldWriter::reopen(&path, 20).expect("goes on");
    dump(&mut writer, 30);
    check(&path, &[10, 20, 30]);
    let path = folder.path().join("cells.vtkhdf");
    check_cells(&path, &[10, 20]);
    let mut writer = CellWriter::reopen(&path, 20).expect("goes on");
    writer.append(&cells(30)).expect("writes");
    check_cells(&path, &[10, 20, 30]);
}
