//! Access to HDF5 files: faults name the file, rows are moved in slabs.

use std::path::Path;

use bytemuck::NoUninit;
use hdf5::filters::Filter;
use hdf5::types::{TypeDescriptor, VarLenUnicode};
use hdf5::{Dataset, Extent, File, Group, H5Type, Location};
use hematite_chunks::{self as chunks, Number};
pub(crate) use hematite_chunks::{columns, write_rows};
use hematite_config::{Fault, Result, publish};

/// Rows that are read at a time, and those of a chunk.
pub(crate) const SLAB: usize = 1 << 15;

/// Rows that are converted and written at a time: some chunks for each core.
pub(crate) const BATCH: usize = 32 * SLAB;

/// Largest depth of nested groups.
const DEPTH: usize = 6;

/// Bytes of the checksum at the end of a chunk.
const CHECKSUM: u64 = 4;

/// Bound of the bytes that HDF5 adds to a file for each dump beside the data: its index of chunks.
const OWN: u64 = 1 << 20;

/// Largest compression ratio of zlib: a file that claims more is damaged.
const DEFLATE_LIMIT: u64 = 1100;

/// Opens a file to read.
pub(crate) fn open(path: &Path) -> Result<File> {
    if !path.is_file() {
        return Err(Fault::usage(format!("there is no file {}", path.display())));
    }
    let file = File::open(path).map_err(|error| match is_lock(&error) {
        true => Fault::io(format!("cannot read {}: a run is writing it right now; try again", path.display())),
        false => reading(path)(error),
    })?;
    check_datasets(&file, DEPTH).map_err(reading(path))?;
    Ok(file)
}

/// Refuses datasets that HDF5 or its wrapper would read beyond their bounds.
fn check_datasets(group: &Group, depth: usize) -> hdf5::Result<()> {
    for dataset in group.datasets()? {
        check_extents(&dataset)?;
        check_chunks(&dataset)?;
    }
    // In a damaged file a group may contain itself.
    let groups = if depth > 0 { group.groups()? } else { Vec::new() };
    groups.iter().try_for_each(|group| check_datasets(group, depth - 1))
}

/// Refuses a dataset whose number of values overflows: HDF5's wrapper multiplies its extents.
fn check_extents(dataset: &Dataset) -> hdf5::Result<()> {
    let shape = dataset.shape();
    match shape.iter().try_fold(1_usize, |size, &extent| size.checked_mul(extent)) {
        Some(_) => Ok(()),
        None => Err(format!("{} claims {shape:?} values: it is damaged", dataset.name()).into()),
    }
}

/// Refuses chunks that are shorter than their checksum: HDF5 subtracts the checksum's length without a check.
fn check_chunks(dataset: &Dataset) -> hdf5::Result<()> {
    let filters = dataset.filters();
    if !filters.contains(&Filter::Fletcher32) {
        return Ok(());
    }
    let mut shortest = u64::MAX;
    dataset.chunks_visit(|chunk| {
        shortest = shortest.min(chunk.size);
        0
    })?;
    // Filters that are read before the checksum may change the length of a chunk to an unknown one.
    if shortest < CHECKSUM || filters.last() != Some(&Filter::Fletcher32) {
        return Err(format!("{} has a chunk too short for its checksum: it is damaged", dataset.name()).into());
    }
    Ok(())
}

/// Opens a file for writing. If a viewer has it open, and so holds HDF5's lock, a copy takes the place of the file, and
/// the viewer keeps the old one: looking at a run must not end it.
pub(crate) fn open_rw(path: &Path) -> Result<File> {
    if !path.is_file() {
        return Err(Fault::usage(format!("there is no file {} to go on with", path.display())));
    }
    match File::open_rw(path) {
        Err(error) if is_lock(&error) => {
            publish(path, |copy| std::fs::copy(path, copy).map_err(writing(path)))?;
            File::open_rw(path).map_err(writing(path))
        }
        outcome => outcome.map_err(writing(path)),
    }
}

/// Refuses to add `bytes` of data to a file if it would exceed the largest file size of this process (`ulimit -f`). If
/// HDF5 were stopped while it writes, it could not open the file again.
pub(crate) fn check_limit(path: &Path, bytes: u64) -> Result<()> {
    let grow = || {
        let file = std::fs::OpenOptions::new().write(true).open(path)?;
        let length = file.metadata()?.len();
        file.set_len(length.saturating_add(bytes).saturating_add(OWN))?;
        file.set_len(length)
    };
    grow().map_err(writing::<std::io::Error>(path))
}

fn is_lock(error: &hdf5::Error) -> bool {
    error.to_string().contains("unable to lock file")
}

/// Turns an error in reading `path` into a usage fault.
pub(crate) fn reading<E: std::fmt::Display>(path: &Path) -> impl Fn(E) -> Fault + '_ {
    move |error| {
        let (path, error) = (path.display(), error.to_string());
        // HDF5's message for a wrong checksum or for data that cannot be decompressed.
        Fault::usage(match error.contains("filter returned failure") {
            true => format!(
                "{path} is damaged: its data are not what was written; take a sound copy, or make the run again by --force"
            ),
            false => format!("cannot read {path}: {error}; it may be truncated or not of this kind"),
        })
    }
}

/// Turns an error in writing `path` into an I/O fault.
pub(crate) fn writing<E: std::fmt::Display>(path: &Path) -> impl Fn(E) -> Fault + '_ {
    move |error| Fault::io(format!("cannot write {}: {error}", path.display()))
}

/// Refuses a count of 8-byte values that the file is too short to hold.
pub(crate) fn check_claim(path: &Path, what: &str, count: u64) -> Result<()> {
    let length = std::fs::metadata(path).map_err(reading(path))?.len();
    if count.saturating_mul(8) > length.saturating_mul(DEFLATE_LIMIT) {
        return Err(Fault::usage(format!(
            "{}: claims {count} {what} in {length} bytes: it is damaged",
            path.display()
        )));
    }
    Ok(())
}

/// A scalar attribute.
pub(crate) fn attribute<T: H5Type>(of: &Location, name: &str) -> hdf5::Result<T> {
    of.attr(name)?.read_scalar()
}

/// Sets a new scalar attribute.
pub(crate) fn set_attribute<T: H5Type>(of: &Location, name: &str, value: &T) -> hdf5::Result<()> {
    of.new_attr::<T>().create(name)?.write_scalar(value)
}

fn shape(rows: Extent, columns: Option<usize>) -> Vec<Extent> {
    std::iter::once(rows).chain(columns.map(Extent::fixed)).collect()
}

fn chunk(rows: usize, columns: Option<usize>) -> Vec<usize> {
    std::iter::once(rows.max(1)).chain(columns).collect()
}

/// A new compressed dataset of `rows` rows, with `columns` values each or one. Its chunks have checksums, which HDF5
/// verifies when it reads.
pub(crate) fn fixed<T: H5Type>(
    group: &Group,
    name: &str,
    rows: usize,
    columns: Option<usize>,
) -> hdf5::Result<Dataset> {
    let builder = group.new_dataset::<T>().chunk(chunk(rows.min(SLAB), columns)).shuffle().deflate(1).fletcher32();
    builder.shape(shape(Extent::fixed(rows), columns)).create(name)
}

/// A new compressed dataset with checksums that has no rows but can grow, with `chunk_rows` rows a chunk.
pub(crate) fn growing<T: H5Type>(
    group: &Group,
    name: &str,
    columns: Option<usize>,
    chunk_rows: usize,
) -> hdf5::Result<Dataset> {
    let builder = group.new_dataset::<T>().chunk(chunk(chunk_rows, columns)).shuffle().deflate(1).fletcher32();
    builder.shape(shape(Extent::resizable(0), columns)).create(name)
}

/// A new dataset without rows, for one small row a dump. It is not compressed and has no checksums, so that HDF5
/// rewrites chunks in place and an interrupted write spoils no earlier row.
pub(crate) fn series<T: H5Type>(group: &Group, name: &str, columns: Option<usize>) -> hdf5::Result<Dataset> {
    let builder = group.new_dataset::<T>().chunk(chunk(128, columns));
    builder.shape(shape(Extent::resizable(0), columns)).create(name)
}

/// [`growing`] with a type that is known at run time.
pub(crate) fn growing_as(
    group: &Group,
    name: &str,
    number: &TypeDescriptor,
    columns: Option<usize>,
    chunk_rows: usize,
) -> hdf5::Result<Dataset> {
    let builder = group
        .new_dataset_builder()
        .chunk(chunk(chunk_rows, columns))
        .shuffle()
        .deflate(1)
        .fletcher32()
        .empty_as(number);
    builder.shape(shape(Extent::resizable(0), columns)).create(name)
}

/// Writes the unit of an array.
pub(crate) fn write_unit(array: &Dataset, unit: &str) -> hdf5::Result<()> {
    let unit: VarLenUnicode = unit.parse().map_err(|_| "a unit holds a NUL")?;
    set_attribute(array, "unit", &unit)
}

/// The unit of an array; empty where it has none.
pub(crate) fn unit(array: &Dataset) -> String {
    attribute::<VarLenUnicode>(array, "unit").map(|unit| unit.as_str().to_owned()).unwrap_or_default()
}

/// A new dataset of names.
pub(crate) fn write_names(group: &Group, name: &str, names: &[&str]) -> hdf5::Result<()> {
    let names = names.iter().map(|name| name.parse::<VarLenUnicode>().map_err(|_| "a name holds a NUL"));
    let names = names.collect::<std::result::Result<Vec<_>, _>>()?;
    group.new_dataset::<VarLenUnicode>().shape(names.len()).create(name)?.write(&names)
}

/// The names in a dataset.
pub(crate) fn read_names(group: &Group, name: &str) -> hdf5::Result<Vec<String>> {
    let names = group.dataset(name)?.read_raw::<VarLenUnicode>()?;
    // HDF5 does not check that texts are UTF-8.
    let text = |name: &VarLenUnicode| {
        std::str::from_utf8(name.as_bytes()).map(str::to_owned).map_err(|error| format!("{error}").into())
    };
    names.iter().map(text).collect()
}

/// Writes `rows` rows from row `start` on and extends the dataset as needed.
pub(crate) fn put<T: H5Type + NoUninit>(
    dataset: &Dataset,
    (start, rows): (usize, usize),
    chunk_rows: usize,
    values: impl Iterator<Item = T>,
) -> hdf5::Result<()> {
    resize(dataset, start + rows)?;
    let width = columns(dataset);
    let mut values = values.take(rows * width).peekable();
    let mut row = start;
    let batch = BATCH.next_multiple_of(chunk_rows);
    let mut buffer = Vec::with_capacity(batch.min(rows) * width);
    while values.peek().is_some() {
        buffer.clear();
        buffer.extend(values.by_ref().take(batch * width));
        write_rows(dataset, row, &buffer)?;
        row += batch;
    }
    Ok(())
}

/// Reads `rows` rows from row `start` on.
pub(crate) fn read_rows<T: Number>(dataset: &Dataset, start: usize, rows: usize) -> hdf5::Result<Vec<T>> {
    chunks::read_rows(dataset, None, start..start + rows)
}

/// Writes rows of a series from row `row` on; they become its last.
pub(crate) fn set_last<T: H5Type + NoUninit>(dataset: &Dataset, row: usize, values: &[T]) -> hdf5::Result<()> {
    resize(dataset, row + values.len() / columns(dataset).max(1))?;
    write_rows(dataset, row, values)
}

/// Sets the number of rows.
pub(crate) fn resize(dataset: &Dataset, rows: usize) -> hdf5::Result<()> {
    let mut shape = dataset.shape();
    match shape.first_mut() {
        Some(first) if *first != rows => *first = rows,
        _ => return Ok(()),
    }
    dataset.resize(shape)
}

/// Writes `rows` rows batch by batch: `fill(range, out)` appends the values of the rows in `range`.
pub(crate) fn stream<T: H5Type + NoUninit>(
    dataset: &Dataset,
    rows: usize,
    mut fill: impl FnMut(std::ops::Range<usize>, &mut Vec<T>),
) -> hdf5::Result<()> {
    let mut values = Vec::with_capacity(rows.min(BATCH) * columns(dataset));
    for start in (0..rows).step_by(BATCH) {
        values.clear();
        fill(start..(start + BATCH).min(rows), &mut values);
        write_rows(dataset, start, &values)?;
    }
    Ok(())
}
