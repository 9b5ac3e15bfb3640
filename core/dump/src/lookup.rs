//! Finds nodes by global number in files that hold them in another order, split over several files.

use hdf5::{Dataset, H5Type};
use hematite_case::NodeId;

use crate::h5::{self, SLAB};

/// Pairs of a row of one file and an index in a list of ids, ascending by row.
pub(crate) type Rows = Vec<(usize, usize)>;

/// Ids with their indices, sorted by id.
pub(crate) fn sorted(ids: &[NodeId]) -> Vec<(NodeId, usize)> {
    let mut wanted: Vec<_> = ids.iter().copied().zip(0..).collect();
    wanted.sort_unstable();
    wanted
}

/// The rows of a dataset of ids whose ids are in `wanted`.
pub(crate) fn find(dataset: &Dataset, wanted: &[(NodeId, usize)]) -> hdf5::Result<Rows> {
    let rows = dataset.size();
    let mut found = Vec::new();
    for start in (0..rows).step_by(SLAB) {
        let ids = h5::read_rows::<u64>(dataset, start, SLAB.min(rows - start))?;
        for (row, id) in (start..).zip(ids) {
            let first = wanted.partition_point(|(known, _)| known.0 < id);
            found.extend(wanted[first..].iter().take_while(|(known, _)| known.0 == id).map(|&(_, index)| (row, index)));
        }
    }
    Ok(found)
}

/// How many of `ids` were not found, and the first of them; `None` if all were found.
pub(crate) fn missing<'a>(ids: &[NodeId], found: impl IntoIterator<Item = &'a Rows>) -> Option<(usize, NodeId)> {
    let mut seen = vec![false; ids.len()];
    found.into_iter().flatten().for_each(|&(_, index)| seen[index] = true);
    let mut lacking = seen.iter().zip(ids).filter(|(seen, _)| !**seen).map(|(_, id)| *id);
    let first = lacking.next()?;
    Some((1 + lacking.count(), first))
}

/// Copies the values of `rows`, `width` each, to their indices in `values`. `read(first, count)` reads rows of the
/// file: at most a slab at a time, and no slab without a wanted row.
pub(crate) fn scatter<T: H5Type + Copy>(
    rows: &Rows,
    width: usize,
    values: &mut [T],
    read: impl Fn(usize, usize) -> hdf5::Result<Vec<T>>,
) -> hdf5::Result<()> {
    for slab in rows.chunk_by(|a, b| a.0 / SLAB == b.0 / SLAB) {
        let (first, last) = (slab[0].0, slab[slab.len() - 1].0);
        let read = read(first, last + 1 - first)?;
        for &(row, index) in slab {
            values[index * width..][..width].copy_from_slice(&read[(row - first) * width..][..width]);
        }
    }
    Ok(())
}
