//! Rows of compressed HDF5 datasets, whose chunks all cores compress and decompress: HDF5's own filters work on one.
//!
//! What this crate writes, HDF5 reads, and the other way round. Rows are all along one dimension of a dataset: the
//! first, or with a frame the second. Chunks hold all that there is along later dimensions.

mod pack;
mod raw;

use std::borrow::Cow;
use std::ops::Range;

use bytemuck::{AnyBitPattern, NoUninit};
use hdf5::{Dataset, H5Type, Hyperslab, SliceOrIndex};
use ndarray::{ArrayViewD, IxDyn};
use rayon::prelude::*;

use pack::Filters;

/// Bytes of the largest chunk that is packed and unpacked here.
const LARGEST: usize = 1 << 30;

/// Chunks that are held in memory at a time, for each thread.
const AHEAD: usize = 4;

/// Numbers that any bits make.
pub trait Number: H5Type + NoUninit + AnyBitPattern + Send {}

impl<T: H5Type + NoUninit + AnyBitPattern + Send> Number for T {}

/// Number of values of a row.
pub fn columns(dataset: &Dataset) -> usize {
    dataset.shape().iter().skip(1).product()
}

/// Writes whole rows from row `start` on. All cores compress whole chunks; HDF5 writes the other rows, one chunk a
/// call, as whole chunks bypass its chunk cache.
///
/// # Errors
/// Those of HDF5.
pub fn write_rows<T: H5Type + NoUninit>(dataset: &Dataset, start: usize, values: &[T]) -> hdf5::Result<()> {
    let width = columns(dataset).max(1);
    let done = write_whole(dataset, start, values)?;
    let chunk_rows = dataset.chunk().map_or(values.len(), |shape| shape[0]).max(1);
    let mut row = start + done;
    for values in values[done * width..].chunks(chunk_rows * width) {
        let rows = values.len() / width;
        let (slab, shape) = hyperslab(dataset, None, row..row + rows);
        let view =
            ArrayViewD::from_shape(IxDyn(&shape), values).map_err(|error| hdf5::Error::from(error.to_string()))?;
        dataset.write_slice(view, slab)?;
        row += rows;
    }
    Ok(())
}

/// Writes the whole chunks at the start of `values`, which are rows from row `start` on. Returns the number of rows
/// written. It is 0 if `start` is within a chunk, if fewer than two chunks are whole, or if the dataset has other
/// filters than those known here.
fn write_whole<T: H5Type + NoUninit>(dataset: &Dataset, start: usize, values: &[T]) -> hdf5::Result<usize> {
    let Some((shape, size)) = chunk_of::<T>(dataset) else { return Ok(0) };
    let rows = shape[0];
    let whole = values.len() / size;
    if whole < 2 || !start.is_multiple_of(rows) || shape[1..] != dataset.shape()[1..] {
        return Ok(0);
    }
    let Some(filters) = Filters::of::<T>(dataset)? else { return Ok(0) };
    let bytes: &[u8] = bytemuck::cast_slice(&values[..whole * size]);
    let chunks: Vec<&[u8]> = bytes.chunks(size * size_of::<T>()).collect();
    let mut row = start;
    for chunks in chunks.chunks(AHEAD * rayon::current_num_threads()) {
        let packed: Vec<_> = chunks.par_iter().map(|chunk| filters.pack(chunk)).collect();
        for packed in packed {
            raw::write(dataset, &[row], &packed?)?;
            row += rows;
        }
    }
    Ok(row - start)
}

/// Rows in memory of one frame of a dataset.
pub struct Rows<'a> {
    dataset: Dataset,
    /// The first row.
    start: usize,
    /// The values as bytes, filled up to whole chunks.
    bytes: Cow<'a, [u8]>,
    /// Bytes of a chunk.
    size: usize,
    filters: Filters,
}

impl<'a> Rows<'a> {
    /// `values` as rows from row `start` on, the first of a chunk, for a dataset with the shape [frames, rows] or
    /// [frames, rows, columns]. A last chunk that they do not fill is filled up with `fill`.
    ///
    /// # Errors
    /// Where chunks, filters or numbers of the dataset are not those known here.
    pub fn new<T: H5Type + NoUninit>(dataset: Dataset, start: usize, values: &'a [T], fill: T) -> hdf5::Result<Self> {
        let filters = Filters::of::<T>(&dataset)?.ok_or("a dataset has other filters than this version writes")?;
        let (_, chunk) = chunk_of::<T>(&dataset).ok_or("a dataset has other chunks than this version writes")?;
        let missing = values.len().next_multiple_of(chunk) - values.len();
        let bytes = match missing {
            0 => Cow::Borrowed(bytemuck::cast_slice(values)),
            _ => Cow::Owned([bytemuck::cast_slice(values), &bytemuck::bytes_of(&fill).repeat(missing)].concat()),
        };
        Ok(Self { dataset, start, bytes, size: chunk * size_of::<T>(), filters })
    }
}

/// Writes arrays as parts of frame number `frame` of their datasets, which have as many frames and rows. All chunks
/// are compressed side by side.
///
/// # Errors
/// Those of HDF5.
pub fn write_frame(frame: usize, arrays: &[Rows]) -> hdf5::Result<()> {
    let chunks = arrays.iter().flat_map(|rows| rows.bytes.chunks(rows.size).map(move |chunk| (rows, chunk)));
    let chunks: Vec<_> = chunks.collect();
    let packed: Vec<_> = chunks.par_iter().map(|(rows, chunk)| rows.filters.pack(chunk)).collect();
    let mut packed = packed.into_iter();
    for rows in arrays {
        let chunk_rows = rows.dataset.chunk().map_or(0, |chunk| chunk[1]);
        for (number, packed) in packed.by_ref().take(rows.bytes.len() / rows.size).enumerate() {
            raw::write(&rows.dataset, &[frame, rows.start + number * chunk_rows], &packed?)?;
        }
    }
    Ok(())
}

/// Reads rows, of frame number `frame` where the dataset has frames. All cores decompress chunks as this crate writes
/// them; HDF5 reads all others, and what is damaged, of which it gives an error.
///
/// # Errors
/// Those of HDF5.
pub fn read_rows<T: Number>(dataset: &Dataset, frame: Option<usize>, rows: Range<usize>) -> hdf5::Result<Vec<T>> {
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    if let Some(values) = read_whole(dataset, frame, rows.clone())? {
        return Ok(values);
    }
    let (slab, _) = hyperslab(dataset, frame, rows);
    Ok(dataset.read_slice::<T, _, IxDyn>(slab)?.into_raw_vec_and_offset().0)
}

/// A chunk and what of it is wanted.
struct Piece<'a, T> {
    /// The first row of the chunk.
    first: usize,
    /// The wanted rows of the chunk.
    wanted: Range<usize>,
    /// Where they go.
    values: &'a mut [T],
}

/// The shape of the chunks of a dataset and how many values each has. `None` without chunks, and where they are
/// larger than any that are written: a damaged file may claim any size.
fn chunk_of<T>(dataset: &Dataset) -> Option<(Vec<usize>, usize)> {
    let shape = dataset.chunk()?;
    let values = shape.iter().try_fold(1_usize, |values, &n| values.checked_mul(n))?;
    let bytes = values.checked_mul(size_of::<T>())?;
    (0 < bytes && bytes <= LARGEST).then_some((shape, values))
}

/// Those rows past HDF5's filters, or `None` where HDF5 must read them.
fn read_whole<T: Number>(dataset: &Dataset, frame: Option<usize>, rows: Range<usize>) -> hdf5::Result<Option<Vec<T>>> {
    let Some((chunk, values_of_chunk)) = chunk_of::<T>(dataset) else { return Ok(None) };
    let (shape, axis) = (dataset.shape(), usize::from(frame.is_some()));
    let is_inside = shape.get(axis).is_some_and(|&length| rows.end <= length) && frame.is_none_or(|n| n < shape[0]);
    if !is_inside || chunk[..axis].iter().any(|&n| n != 1) || chunk[axis + 1..] != shape[axis + 1..] {
        return Ok(None);
    }
    let Some(filters) = Filters::of::<T>(dataset)? else { return Ok(None) };
    let (chunk_rows, width) = (chunk[axis], chunk[axis + 1..].iter().product::<usize>());
    let size = values_of_chunk * size_of::<T>();
    let mut values = vec![T::zeroed(); rows.len() * width];
    let mut pieces = Vec::new();
    let mut rest = &mut values[..];
    for number in rows.start / chunk_rows..rows.end.div_ceil(chunk_rows) {
        let first = number * chunk_rows;
        let wanted = rows.start.max(first) - first..rows.end.min(first + chunk_rows) - first;
        let (piece, others) = rest.split_at_mut(wanted.len() * width);
        rest = others;
        pieces.push(Piece { first, wanted, values: piece });
    }
    for pieces in pieces.chunks_mut(AHEAD * rayon::current_num_threads()) {
        let at = |first: usize| frame.into_iter().chain([first]).collect::<Vec<_>>();
        let packed: Vec<_> = pieces.iter().map(|piece| raw::read(dataset, &at(piece.first))).collect();
        let unpack = |(packed, piece): (Option<Vec<u8>>, &mut Piece<T>)| {
            let bytes = filters.unpack(&packed?, size)?;
            let row = width * size_of::<T>();
            let wanted = &bytes[piece.wanted.start * row..piece.wanted.end * row];
            bytemuck::cast_slice_mut(piece.values).copy_from_slice(wanted);
            Some(())
        };
        if packed.into_par_iter().zip(pieces).map(unpack).collect::<Option<()>>().is_none() {
            return Ok(None);
        }
    }
    Ok(Some(values))
}

/// The rows of a dataset as HDF5 selects them, and their shape.
fn hyperslab(dataset: &Dataset, frame: Option<usize>, rows: Range<usize>) -> (Hyperslab, Vec<usize>) {
    let range = |range: Range<usize>| SliceOrIndex::SliceTo { start: range.start, step: 1, end: range.end, block: 1 };
    let mut ranges: Vec<_> = dataset.shape().into_iter().map(|length| 0..length).collect();
    if let (Some(frame), Some(first)) = (frame, ranges.first_mut()) {
        *first = frame..frame + 1;
    }
    if let Some(along) = ranges.get_mut(usize::from(frame.is_some())) {
        *along = rows;
    }
    let shape = ranges.iter().map(|range| range.len()).collect();
    (ranges.into_iter().map(range).collect::<Vec<_>>().into(), shape)
}

#[cfg(test)]
mod tests {
    use hdf5::{Extent, File};
    use ndarray::s;
    use proptest::prelude::*;

    use super::*;

    /// A dataset that grows along its first dimensions.
    fn dataset<T: H5Type>(file: &File, chunk: &[usize], shape: &[usize], has_checksum: bool) -> Dataset {
        let builder = file.new_dataset::<T>().chunk(chunk.to_vec()).shuffle().deflate(1);
        let builder = if has_checksum { builder.fletcher32() } else { builder };
        let fixed = |axis: usize| axis + 1 == chunk.len() && chunk[axis] == shape[axis];
        let extents = shape.iter().enumerate().map(|(axis, &n)| match fixed(axis) {
            true => Extent::fixed(n),
            false => Extent::resizable(n),
        });
        builder.shape(extents.collect::<Vec<_>>()).create("a").expect("a dataset")
    }

    fn bits(values: &[f32]) -> Vec<u32> {
        values.iter().map(|value| value.to_bits()).collect()
    }

    proptest! {
        /// HDF5 reads back what was packed here, and verifies its own checksum of it; what HDF5 wrote is unpacked
        /// here.
        #[test]
        fn rows_are_those_of_hdf5(
            values in prop::collection::vec(any::<f32>(), 0..4000), chunk in 1_usize..200, before in 0_usize..3,
            [three, has_checksum, ours] in any::<[bool; 3]>(), cut in any::<[prop::sample::Index; 2]>(),
        ) {
            let folder = tempfile::tempdir().expect("a folder");
            let columns = if three { 3 } else { 1 };
            let rows = values.len() / columns;
            let values = &values[..rows * columns];
            let path = folder.path().join("a.h5");
            let file = File::create(&path).expect("creates");
            let (chunk_of, shape) = match three {
                true => (vec![chunk, 3], vec![before * chunk + rows, 3]),
                false => (vec![chunk], vec![before * chunk + rows]),
            };
            let array = dataset::<f32>(&file, &chunk_of, &shape, has_checksum);
            if ours {
                let written = write_whole(&array, before * chunk, values).expect("writes");
                let whole = rows / chunk;
                prop_assert_eq!(written, if whole < 2 { 0 } else { whole * chunk });
                write_rows(&array, before * chunk, values).expect("writes");
            } else if rows > 0 {
                let (slab, shape) = hyperslab(&array, None, before * chunk..before * chunk + rows);
                array.write_slice(ArrayViewD::from_shape(IxDyn(&shape), values).expect("fits"), slab).expect("writes");
            }
            drop(array);
            file.close().expect("closes");
            let array = File::open(&path).expect("opens").dataset("a").expect("there");
            let mut ends = cut.map(|cut| cut.index(rows + 1));
            ends.sort_unstable();
            let part = before * chunk + ends[0]..before * chunk + ends[1];
            let expected = bits(&values[ends[0] * columns..ends[1] * columns]);
            prop_assert_eq!(bits(&read_rows(&array, None, part.clone()).expect("reads")), expected.clone());
            let unpacked = read_whole::<f32>(&array, None, part.clone()).expect("reads");
            prop_assert_eq!(unpacked.map(|values| bits(&values)), Some(expected.clone()));
            if !part.is_empty() {
                let (slab, _) = hyperslab(&array, None, part);
                let read = array.read_slice::<f32, _, IxDyn>(slab).expect("reads").into_raw_vec_and_offset().0;
                prop_assert_eq!(bits(&read), expected);
            }
        }

        /// The same with frames, several arrays at a time, and a last chunk that is filled up.
        #[test]
        fn frames_are_those_of_hdf5(
            lengths in prop::collection::vec(0_usize..500, 1..4), chunk in 1_usize..70, has_checksum in any::<bool>(),
        ) {
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join("a.h5");
            let file = File::create(&path).expect("creates");
            let most = lengths.iter().copied().max().unwrap_or(0);
            let array = dataset::<i64>(&file, &[1, chunk, 3], &[lengths.len(), most, 3], has_checksum);
            let of = |frame: usize| -> Vec<i64> { (0..3 * lengths[frame] as i64).map(|n| n * n - frame as i64).collect() };
            for (frame, &length) in lengths.iter().enumerate() {
                let values = of(frame);
                // In two parts, of which the first ends with a whole chunk.
                let first = length / 2 / chunk * chunk;
                let (early, late) = values.split_at(3 * first);
                let rows = |(start, part)| Rows::new(array.clone(), start, part, -1).expect("fits");
                let parts = [(0, early), (first, late)].map(rows);
                write_frame(frame, &parts).expect("writes");
            }
            file.flush().expect("flushes");
            for (frame, &length) in lengths.iter().enumerate() {
                let rows = 0..length;
                prop_assert_eq!(read_rows::<i64>(&array, Some(frame), rows.clone()).expect("reads"), of(frame));
                let read = array.read_slice::<i64, _, IxDyn>(s![frame, rows, ..]).expect("reads");
                prop_assert_eq!(read.into_raw_vec_and_offset().0, of(frame));
            }
        }
    }

    #[test]
    fn chunks_larger_than_any_that_are_written_are_left_to_hdf5() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = File::create(folder.path().join("a.h5")).expect("creates");
        let array = dataset::<f32>(&file, &[LARGEST / 4 + 1], &[LARGEST], true);
        assert!(chunk_of::<f32>(&array).is_none() && chunk_of::<u8>(&array).is_some());
        assert!(read_whole::<f32>(&array, None, 0..10).expect("reads").is_none());
        assert!(Rows::new(array, 0, &[1.0_f32], 0.0).is_err());
    }

    #[test]
    fn what_is_not_as_written_here_is_left_to_hdf5() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.h5");
        let file = File::create(&path).expect("creates");
        let values: Vec<f32> = (0..1000).map(|n| n as f32).collect();
        let array = dataset::<f32>(&file, &[100], &[1100], true);
        write_rows(&array, 0, &values).expect("writes");
        // A chunk that was never written holds zeros; numbers of another type are converted.
        assert!(read_whole::<f32>(&array, None, 950..1050).expect("reads").is_none());
        assert_eq!(read_rows::<f32>(&array, None, 999..1002).expect("reads"), [999.0, 0.0, 0.0]);
        assert_eq!(read_rows::<f64>(&array, None, 998..1001).expect("reads"), [998.0, 999.0, 0.0]);
        assert!(read_rows::<f32>(&array, None, 1099..1101).is_err());
        // A chunk with one wrong bit is an error of HDF5.
        let mut packed = raw::read(&array, &[300]).expect("there");
        packed[20] ^= 4;
        raw::write(&array, &[300], &packed).expect("writes");
        assert!(read_whole::<f32>(&array, None, 350..420).expect("reads").is_none());
        let error = read_rows::<f32>(&array, None, 350..420).expect_err("damaged").to_string();
        assert!(error.contains("filter returned failure"), "{error}");
        assert_eq!(read_rows::<f32>(&array, None, 400..402).expect("reads"), [400.0, 401.0]);
    }
}
