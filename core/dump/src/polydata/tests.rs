//! Tests that dumps of cells and of bodies share.

use std::fs;
use std::path::{Path, PathBuf};

use hematite_config::Exit;

use super::{Kind, Reader, Writer, write_index};
use crate::{clear_other_ranks, dump_file, rank_file};

/// Sample members.
pub(crate) trait Sample: Kind<Frame: PartialEq> {
    /// A frame whose numbers encode member, component and step.
    fn frame(kinds: &[Self], step: u64, ids: impl IntoIterator<Item = u64>) -> Self::Frame;

    /// 2 or 3.
    fn dimension(kinds: &[Self]) -> usize;

    /// Reads a file as VTK does, and compares it with the frames of `reader`.
    fn check_vtk(path: &Path, reader: &Reader<Self>);
}

/// The files of `ranks` ranks, and their writers.
fn writers<K: Sample>(run: &Path, kinds: &[K], ranks: usize) -> (Vec<PathBuf>, Vec<Writer<K>>) {
    let files: Vec<PathBuf> = (0..ranks).map(|rank| rank_file(run, K::FORM.what, rank, ranks)).collect();
    let make = |file: &PathBuf| Writer::create(file, kinds, K::dimension(kinds), 1e-6).expect("makes it");
    let writers = files.iter().map(make).collect();
    (files, writers)
}

/// Writes the frames `whole(step)` on `ranks` ranks: member `k` of a frame on rank `k % ranks`.
pub(crate) fn deal<K: Sample>(run: &Path, kinds: &[K], ranks: usize, steps: &[u64], whole: impl Fn(u64) -> K::Frame) {
    let (files, mut writers) = writers(run, kinds, ranks);
    for &step in steps {
        let whole = whole(step);
        let number = K::members(&whole).1.len();
        for (rank, writer) in writers.iter_mut().enumerate() {
            let own: Vec<usize> = (0..number).filter(|member| member % ranks == rank).collect();
            writer.append(&K::take(&whole, kinds, &own)).expect("writes");
        }
    }
    if ranks > 1 {
        write_index::<K>(&dump_file(run, K::FORM.what), &files).expect("writes");
    }
}

/// Writes frames with the members `ids(step)` on `ranks` ranks, each member on rank `owner(step, id)`.
pub(crate) fn split<K: Sample>(
    run: &Path,
    kinds: &[K],
    ranks: usize,
    steps: &[u64],
    ids: impl Fn(u64) -> Vec<u64>,
    owner: impl Fn(u64, u64) -> usize,
) {
    let (files, mut writers) = writers(run, kinds, ranks);
    for &step in steps {
        for (rank, writer) in writers.iter_mut().enumerate() {
            let own = ids(step).into_iter().filter(|&id| owner(step, id) == rank);
            writer.append(&K::frame(kinds, step, own)).expect("writes");
        }
        if ranks > 1 {
            write_index::<K>(&dump_file(run, K::FORM.what), &files).expect("writes");
        }
    }
}

/// Checks that the dump of a run holds frames with the members `ids(step)`.
pub(crate) fn check<K: Sample>(run: &Path, kinds: &[K], steps: &[u64], ids: impl Fn(u64) -> Vec<u64>) {
    let path = dump_file(run, K::FORM.what);
    let reader = Reader::<K>::open(&path).expect("opens");
    assert_eq!((reader.kinds(), reader.spacing()), (kinds, 1e-6));
    assert_eq!(reader.steps().iter().map(|step| step.step).collect::<Vec<_>>(), steps);
    for (dump, &step) in steps.iter().enumerate() {
        let mut wanted = ids(step);
        wanted.sort_unstable();
        assert!(reader.frame(dump).expect("reads") == K::frame(kinds, step, wanted), "step {step}");
    }
    assert!(reader.frame(steps.len()).is_err());
    K::check_vtk(&path, &reader);
}

/// Checks that frames with changing members read back.
pub(crate) fn any_frames<K: Sample>(kinds: &[K], frames: &[std::collections::BTreeSet<u64>], ranks: usize) {
    let folder = tempfile::tempdir().expect("a folder");
    let steps: Vec<u64> = (0..frames.len() as u64).collect();
    let ids = |step: u64| frames[step as usize].iter().copied().collect::<Vec<_>>();
    split(folder.path(), kinds, ranks, &steps, ids, |step, id| ((id * 7 + step) % ranks as u64) as usize);
    check(folder.path(), kinds, &steps, ids);
}

/// Checks that more members than a chunk holds, with numbers `0..count + step`, read back, all and some of them.
pub(crate) fn many<K: Sample>(kinds: &[K], count: u64) {
    let folder = tempfile::tempdir().expect("a folder");
    let ids = |step: u64| (0..count + step).collect::<Vec<_>>();
    split(folder.path(), kinds, 2, &[1, 2, 300], ids, |step, id| ((id / 7 + step) % 2) as usize);
    check(folder.path(), kinds, &[1, 2, 300], ids);
    let reader = Reader::<K>::find(folder.path()).expect("opens").expect("is there");
    let some = reader.frame_of(1, |id| id % 5 == 3).expect("reads");
    assert!(some == K::frame(kinds, 2, (0..count + 2).filter(|id| id % 5 == 3)));
}

/// Checks for a fault where a file of a dump is cut off, or a member is in two files.
pub(crate) fn damaged<K: Sample>(kinds: &[K]) {
    let folder = tempfile::tempdir().expect("a folder");
    split(folder.path(), kinds, 2, &[10, 20], |step| (step..step + 9).collect(), |_, id| (id % 2) as usize);
    let index = dump_file(folder.path(), K::FORM.what);
    for path in [&index, &rank_file(folder.path(), K::FORM.what, 1, 2)] {
        let whole = fs::read(path).expect("reads");
        for length in (0..whole.len()).step_by(691).chain([whole.len() - 1]) {
            fs::write(path, &whole[..length]).expect("writes");
            let fault = Reader::<K>::open(&index).err().unwrap_or_else(|| panic!("opens at {length} bytes"));
            let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
            assert!(fault.message.contains(name) && fault.exit == Exit::Usage, "{fault}");
        }
        fs::write(path, &whole).expect("writes");
    }
    let (files, mut writers) = writers(folder.path(), kinds, 2);
    for (writer, ids) in writers.iter_mut().zip([[1, 4], [4, 7]]) {
        writer.append(&K::frame(kinds, 1, ids)).expect("writes");
    }
    write_index::<K>(&index, &files).expect("writes");
    let fault = Reader::<K>::open(&index).and_then(|reader| reader.frame(0).map(|_| ())).expect_err("twice");
    assert!(fault.message.contains(&format!("{} 4 is there twice at step 1", K::FORM.member)), "{fault}");
}

/// Checks that a dump can be continued on any number of ranks, but not with the populations `others`.
pub(crate) fn goes_on<K: Sample>(kinds: &[K], others: &[K], ids: fn(u64) -> Vec<u64>) {
    let folder = tempfile::tempdir().expect("a folder");
    let (run, what) = (folder.path(), K::FORM.what);
    split(run, kinds, 4, &[10, 20], ids, |_, id| (id % 4) as usize);
    // One rank got further than the others; another lost its last dump in an interrupted restart.
    let ahead = rank_file(run, what, 0, 4);
    Writer::<K>::reopen(&ahead, 20).and_then(|mut writer| writer.append(&K::frame(kinds, 30, [0]))).expect("writes");
    Writer::<K>::reopen(&rank_file(run, what, 1, 4), 15).expect("goes on");
    let mut steps = vec![10];
    for ranks in [4, 3, 1, 1, 2] {
        let next = steps[steps.len() - 1] + 10;
        let go_on = |rank| Writer::go_on((run, what), (rank, ranks), kinds, K::dimension(kinds), 1e-6, next - 5);
        let mut writers: Vec<_> = (0..ranks).map(|rank| go_on(rank).expect("goes on")).collect();
        for (rank, writer) in writers.iter_mut().enumerate() {
            assert_eq!(writer.steps().len(), steps.len());
            let own = ids(next).into_iter().filter(|id| (id / 3 % ranks as u64) as usize == rank);
            writer.append(&K::frame(kinds, next, own)).expect("writes");
        }
        let files: Vec<_> = (0..ranks).map(|rank| rank_file(run, what, rank, ranks)).collect();
        if ranks > 1 {
            write_index::<K>(&dump_file(run, what), &files).expect("writes");
        }
        clear_other_ranks(run, what, ranks).expect("clears");
        steps.push(next);
        check(run, kinds, &steps, ids);
        assert_eq!(fs::read_dir(run).expect("lists").count(), if ranks == 1 { 1 } else { ranks + 1 });
    }
    let go_on = |name: &str| Writer::go_on((run, name), (0, 1), others, K::dimension(others), 1e-6, 99);
    let fault = go_on(what).err().expect("does not fit");
    assert!(fault.message.contains("other populations"), "{fault}");
    assert!(go_on("other").expect("begins").steps().is_empty() && dump_file(run, "other").exists());
}
