use std::fs;

use hematite_case::NodeId;
use hematite_config::Fault;

use super::*;

fn ids(range: std::ops::Range<u64>) -> Vec<NodeId> {
    range.map(NodeId).collect()
}

/// The bits that node `id` holds in direction `i`.
fn bits(i: usize, id: NodeId) -> u32 {
    0x7f80_0000 ^ (id.0 as u32).wrapping_mul(2_654_435_761).wrapping_add(i as u32)
}

fn meta(step: u64, ranks: usize, nodes: u64) -> CheckpointMeta {
    let case_sha256 = "ab".to_owned();
    let (schema, populations, physics) = (CheckpointMeta::SCHEMA, Vec::new(), BTreeMap::new());
    let clock = Clock::new(0.1);
    CheckpointMeta {
        schema,
        step,
        clock,
        ranks,
        nodes,
        case_sha256,
        populations,
        physics,
        config: None,
        outputs: BTreeMap::new(),
    }
}

fn write(run: &Path, step: u64, shares: &[Vec<NodeId>]) -> CheckpointMeta {
    let meta = meta(step, shares.len(), shares.iter().map(|share| share.len() as u64).sum());
    for (rank, share) in shares.iter().enumerate() {
        let mut writer = CheckpointWriter::create(run, rank, &meta, share).expect("begins");
        for i in 0..3 {
            let values = Bits::F32(share.iter().map(|&id| bits(i, id)).collect());
            writer.own(&format!("f{i}"), &values).expect("writes");
        }
        let some: Vec<_> = share.iter().copied().filter(|id| id.0 % 7 == 0).collect();
        let twice: Vec<_> = some.iter().flat_map(|id| [-(id.0 as i64), id.0 as i64]).collect();
        writer.array("carry", &some, &twice).expect("writes");
        writer.finish().expect("ends");
    }
    CheckpointWriter::publish(run, &meta).expect("publishes");
    meta
}

#[test]
fn any_number_of_ranks_reads_the_same_bits() {
    let run = tempfile::tempdir().expect("a folder");
    // Interleaved pieces, longer than a slab, and a rank without nodes.
    let (mut first, mut second) = (ids(0..40_000), ids(90_000..90_010));
    second.extend(ids(40_000..90_000));
    first.extend(ids(90_010..90_020));
    let written = write(run.path(), 20, &[first, Vec::new(), second]);
    let path = Checkpoint::latest(run.path()).expect("there is one");
    assert!(path.ends_with("checkpoint/step-000000000020"), "{path:?}");
    let checkpoint = Checkpoint::open(&path).expect("opens");
    assert_eq!(checkpoint.meta(), &written);
    for wanted in [ids(0..90_020), ids(39_990..40_010).into_iter().rev().collect(), vec![], vec![NodeId(3), NodeId(3)]]
    {
        let located = checkpoint.locate(&wanted).expect("finds");
        for i in 0..3 {
            let found = located.own(&format!("f{i}")).expect("reads");
            assert_eq!(found, Bits::F32(wanted.iter().map(|&id| bits(i, id)).collect()));
        }
        assert!(located.own("f3").is_err());
    }
    let array = checkpoint.array("carry", 2, &[NodeId(70_000), NodeId(7)]).expect("reads");
    assert_eq!(array, [-70_000, 70_000, -7, 7]);
    let fault = checkpoint.array("carry", 2, &[NodeId(7), NodeId(8)]).expect_err("not there");
    assert!(fault.message.contains("node 8"), "{fault}");
    assert!(checkpoint.array("carry", 3, &[NodeId(7)]).is_err() && checkpoint.array("none", 1, &[]).is_err());
    let fault = checkpoint.locate(&[NodeId(1), NodeId(90_020)]).err().expect("not there");
    assert!(fault.message.contains("lacks 1 of 2") && fault.message.contains("node 90020"), "{fault}");
}

#[test]
fn the_last_two_stay_and_an_unfinished_one_does_not_count() {
    let run = tempfile::tempdir().expect("a folder");
    let steps = || finished(run.path()).into_iter().map(|(step, _)| step).collect::<Vec<_>>();
    for step in [10, 20, 30] {
        write(run.path(), step, &[ids(0..5)]);
    }
    assert_eq!(steps(), [20, 30]);
    CheckpointWriter::create(run.path(), 0, &meta(40, 1, 5), &ids(0..5)).expect("begins");
    assert_eq!(steps(), [20, 30]);
    assert!(CheckpointWriter::publish(run.path(), &meta(50, 1, 5)).is_err());
    // A run that restarts from step 20 removes the later checkpoint of step 30.
    write(run.path(), 25, &[ids(0..5)]);
    assert_eq!(steps(), [20, 25]);
    write(run.path(), 25, &[ids(0..5)]);
    assert_eq!(steps(), [20, 25]);
    assert_eq!(Checkpoint::latest(&run.path().join("none")), None);
}

#[test]
fn an_array_of_other_length_is_refused_and_shares_hold_the_same() {
    let run = tempfile::tempdir().expect("a folder");
    let meta = meta(1, 2, 4);
    for (rank, name) in ["a", "b"].into_iter().enumerate() {
        let mut writer = CheckpointWriter::create(run.path(), rank, &meta, &ids(0..2)).expect("begins");
        assert!(writer.own("a", &Bits::F32(vec![0; 3])).is_err());
        writer.own(name, &Bits::F16(vec![0; 2])).expect("writes");
        writer.finish().expect("ends");
    }
    CheckpointWriter::publish(run.path(), &meta).expect("publishes");
    let fault = Checkpoint::open(&Checkpoint::latest(run.path()).expect("there is one")).err().expect("differ");
    assert!(fault.message.contains("rank-0001.h5"), "{fault}");
}

#[test]
fn a_truncated_share_is_a_fault_at_any_length() {
    let run = tempfile::tempdir().expect("a folder");
    write(run.path(), 10, &[ids(0..50), ids(50..90)]);
    let path = Checkpoint::latest(run.path()).expect("there is one");
    let share = rank_file(&path, 1);
    let whole = fs::read(&share).expect("reads");
    for length in (0..whole.len()).step_by(97).chain([whole.len() - 1]) {
        fs::write(&share, &whole[..length]).expect("writes");
        let fault = Checkpoint::open(&path).err().unwrap_or_else(|| panic!("opens at {length} bytes"));
        assert!(fault.message.contains("rank-0001.h5"), "{fault}");
    }
    fs::remove_file(&share).expect("removes");
    assert!(Checkpoint::open(&path).is_err());
    fs::write(path.join(CheckpointMeta::FILE), "{").expect("writes");
    assert!(Checkpoint::open(&path).is_err());
}

#[test]
fn a_flipped_bit_is_found_wherever_it_is() {
    let run = tempfile::tempdir().expect("a folder");
    write(run.path(), 10, &[ids(0..50), ids(50..90)]);
    let path = Checkpoint::latest(run.path()).expect("there is one");
    let verify = |ranks| (0..ranks).map(|rank| Checkpoint::verify(&path, rank, ranks)).collect::<Result<Vec<_>, _>>();
    (1..4).for_each(|ranks| assert!(verify(ranks).is_ok()));
    for name in ["rank-0000.h5", "rank-0001.h5", CheckpointMeta::FILE, "SHA256SUMS"] {
        let file = path.join(name);
        let whole = fs::read(&file).expect("reads");
        for at in (0..whole.len()).step_by(whole.len() / 97 + 1) {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << (at % 8);
            fs::write(&file, &bytes).expect("writes");
            assert!(verify(2).is_err(), "{name}: byte {at}");
        }
        fs::write(&file, &whole[..whole.len() - 1]).expect("writes");
        assert!(verify(1).is_err() || name == "SHA256SUMS", "{name} cut short");
        fs::remove_file(&file).expect("removes");
        assert!(verify(3).is_err(), "no {name}");
        fs::write(&file, &whole).expect("writes");
    }
    assert!(verify(2).is_ok());
}

/// A checkpoint without nodes, with the cells of each rank in `shares`. The `width` values of a cell encode cell and
/// column.
fn write_cells(run: &Path, shares: &[Vec<u64>], width: usize, inside: u64) -> CheckpointMeta {
    let count = CellCount { seeded: inside + 1, inside, left: 1, ..CellCount::default() };
    let population = PopulationState { name: "a/b.%".into(), count };
    let outputs = [("tracks.h5".to_owned(), Written { count: 3, last: 9, sha256: None })].into();
    let meta = CheckpointMeta { populations: vec![population], outputs, ..meta(10, shares.len(), 0) };
    for (rank, share) in shares.iter().enumerate() {
        let mut writer = CheckpointWriter::create(run, rank, &meta, &[]).expect("begins");
        writer.own("f0", &Bits::F32(Vec::new())).expect("writes");
        let values: Vec<i64> = share.iter().flat_map(|&id| record(id, width)).collect();
        assert!(share.is_empty() || writer.cells("a/b.%", share, width + 1, &values).is_err());
        writer.cells("a/b.%", share, width, &values).expect("writes");
        writer.finish().expect("ends");
    }
    CheckpointWriter::publish(run, &meta).expect("publishes");
    meta
}

fn record(id: u64, width: usize) -> impl Iterator<Item = i64> {
    (0..width as i64).map(move |column| i64::MIN + (id as i64) * 10_000 + column)
}

#[test]
fn cells_are_read_by_any_number_of_ranks() {
    let run = tempfile::tempdir().expect("a folder");
    // More values than a slab, and a rank without cells.
    let width = 4_000;
    let shares = [(0..300).rev().map(|n| 2 * n).collect(), vec![], (0..301).map(|n| 2 * n + 1).collect::<Vec<_>>()];
    let written = write_cells(run.path(), &shares, width, 601);
    let checkpoint = Checkpoint::latest(run.path()).map(|path| Checkpoint::open(&path)).expect("there").expect("opens");
    assert_eq!(checkpoint.meta(), &written);
    let whole = checkpoint.cells("a/b.%").expect("reads");
    assert_eq!((whole.ids.clone(), whole.width), ((0..600).chain([601]).collect(), width));
    assert!(whole.ids.iter().enumerate().all(|(cell, &id)| whole.of(cell).iter().copied().eq(record(id, width))));
    for ranks in [2, 5] {
        for rank in 0..ranks {
            let own = checkpoint.cells_where("a/b.%", |id, values| {
                assert!(values.iter().copied().eq(record(id, width)));
                id % ranks == rank
            });
            let own = own.expect("reads");
            assert!(own.ids.iter().copied().eq((0..600).chain([601]).filter(|id| id % ranks == rank)));
            let expected: Vec<i64> = own.ids.iter().flat_map(|&id| record(id, width)).collect();
            assert!(own.values == expected);
        }
    }
    let stop = checkpoint.each_cell("a/b.%", |id, _| if id == 7 { Err(Fault::io("enough")) } else { Ok(()) });
    assert_eq!(stop, Err(Fault::io("enough")));
    assert!(checkpoint.cells("none").expect_err("none").message.contains("holds no population none"));
}

#[test]
fn lost_and_doubled_cells_are_damage() {
    let run = tempfile::tempdir().expect("a folder");
    let open = || Checkpoint::open(&Checkpoint::latest(run.path()).expect("there"));
    write_cells(run.path(), &[vec![1, 2], vec![4]], 2, 4);
    let fault = open().err().expect("one is lost");
    assert!(fault.message.contains("hold 3 cells of population a/b.%, checkpoint.json says 4"), "{fault}");
    write_cells(run.path(), &[vec![1, 2], vec![2]], 2, 3);
    let fault = open().and_then(|checkpoint| checkpoint.cells("a/b.%")).expect_err("one is there twice");
    assert!(fault.message.contains("cell 2 of population a/b.% is there twice"), "{fault}");
}

#[test]
fn a_checkpoint_without_cells_reads_as_before() {
    let text = serde_json::to_string(&meta(1, 1, 5)).expect("json");
    assert!(!text.contains("populations"), "{text}");
    let read: CheckpointMeta = serde_json::from_str(&text).expect("reads");
    assert_eq!(read, meta(1, 1, 5));
}
