//! The index over the rank files of a dump.

use std::path::{Path, PathBuf};

use hdf5::{File, Group, H5Type, Hyperslab, SliceOrIndex};
use hematite_config::{Fault, Result, publish};

use super::header::{Header, field_columns};
use crate::h5::{self, reading, writing};

/// What the index needs of a rank file.
struct Piece {
    name: String,
    header: Header,
    points: usize,
    connectivity: usize,
}

/// Writes `path` as an index over rank files in the same folder, one part of the UnstructuredGrid each. Replaces an
/// earlier index at once. Call on one rank when every rank has ended the same dump, and before any begins the next.
///
/// # Errors
/// A usage fault when a rank file is missing or damaged or the files do not fit together, and an I/O fault when the
/// index cannot be written.
pub fn write_index(path: &Path, rank_files: &[PathBuf]) -> Result<()> {
    let pieces = rank_files.iter().map(|file| read_piece(path, file)).collect::<Result<Vec<_>>>()?;
    let Some(first) = pieces.first() else {
        return Err(Fault::usage(format!("{}: an index needs at least one rank file", path.display())));
    };
    let nodes = pieces.iter().map(|piece| piece.header.nodes).sum();
    let header = Header { nodes, stride: nodes, ..first.header.clone() };
    for piece in &pieces {
        let same = Header { nodes, stride: nodes, ..piece.header.clone() };
        if same != header {
            let (path, one, other) = (path.display(), &first.name, &piece.name);
            return Err(Fault::usage(format!("{path}: {one} and {other} differ in their dumps, fields or lattice")));
        }
    }
    publish(path, |temporary| write(temporary, &header, &pieces).map_err(writing(path)))
}

fn read_piece(index: &Path, path: &Path) -> Result<Piece> {
    let name = path.file_name().and_then(|name| name.to_str()).filter(|_| index.parent() == path.parent());
    let name =
        name.ok_or_else(|| Fault::usage(format!("{} is not beside its index {}", path.display(), index.display())))?;
    let file = h5::open(path)?;
    let header = Header::read(&file, path)?;
    let rows = |name: &str| file.dataset(name).map(|array| array.shape().first().copied().unwrap_or(0));
    let points = rows("VTKHDF/Points").map_err(reading(path))?;
    let connectivity = rows("VTKHDF/Connectivity").map_err(reading(path))?;
    Ok(Piece { name: name.to_owned(), header, points, connectivity })
}

fn write(path: &Path, header: &Header, pieces: &[Piece]) -> hdf5::Result<()> {
    let file = File::create(path)?;
    let (vtk, own) = header.write(&file)?;
    // Leaves out parts without cells, but VTK needs at least one part.
    let mut parts: Vec<&Piece> = pieces.iter().filter(|piece| piece.header.nodes > 0).collect();
    if parts.is_empty() {
        parts.extend(pieces.first());
    }
    let count = |name: &str, count: fn(&Piece) -> usize| {
        let counts: Vec<i64> = parts.iter().map(|piece| count(piece) as i64).collect();
        vtk.new_dataset::<i64>().shape(counts.len()).create(name)?.write(&counts)
    };
    count("NumberOfPoints", |piece| piece.points)?;
    count("NumberOfCells", |piece| piece.header.nodes)?;
    count("NumberOfConnectivityIds", |piece| piece.connectivity)?;
    let once =
        |rows: fn(&Piece) -> usize| parts.iter().map(|&piece| (piece, rows(piece), rows(piece))).collect::<Vec<_>>();
    combine::<f64>(&vtk, "Points", Some(3), 1, &once(|piece| piece.points))?;
    combine::<i64>(&vtk, "Connectivity", None, 1, &once(|piece| piece.connectivity))?;
    combine::<i64>(&vtk, "Offsets", None, 1, &once(|piece| piece.header.nodes + 1))?;
    combine::<u8>(&vtk, "Types", None, 1, &once(|piece| piece.header.nodes))?;
    combine::<u64>(&own, "node_id", None, 1, &once(|piece| piece.header.nodes))?;
    combine::<i32>(&own, "position", Some(3), 1, &once(|piece| piece.header.nodes))?;
    let dumps = header.steps.len();
    let cells = vtk.group("CellData")?;
    let strides: Vec<_> = parts.iter().map(|&piece| (piece, piece.header.nodes, piece.header.stride)).collect();
    for &field in &header.fields {
        match header.f64 {
            true => combine::<f64>(&cells, field.name(), field_columns(field), dumps, &strides)?,
            false => combine::<f32>(&cells, field.name(), field_columns(field), dumps, &strides)?,
        }
        h5::write_unit(&cells.dataset(field.name())?, field.unit())?;
    }
    let names: Vec<&str> = pieces.iter().map(|piece| piece.name.as_str()).collect();
    h5::write_names(&own, "rank_files", &names)?;
    for (dump, &step) in header.steps.iter().enumerate() {
        header.write_step(&file, dump, step, parts.len())?;
    }
    Header::write_count(&file, dumps)
}

/// A virtual dataset: for each of `dumps` dumps the rows of every piece in sequence. `pieces` holds pieces with their
/// number of rows in a dump and the distance in rows between dumps.
fn combine<T: H5Type>(
    group: &Group,
    name: &str,
    columns: Option<usize>,
    dumps: usize,
    pieces: &[(&Piece, usize, usize)],
) -> hdf5::Result<()> {
    let total: usize = pieces.iter().map(|(_, rows, _)| rows).sum();
    let shape = |rows: usize| std::iter::once(rows).chain(columns).collect::<Vec<usize>>();
    let mut builder = group.new_dataset::<T>();
    if total > 0 && dumps > 0 {
        let slices = |start: usize, step: usize, block: usize| -> Hyperslab {
            let rows = SliceOrIndex::SliceCount { start, step, count: dumps, block };
            let all = |&end: &usize| SliceOrIndex::SliceTo { start: 0, step: 1, end, block: 1 };
            std::iter::once(rows).chain(columns.iter().map(all)).collect::<Vec<_>>().into()
        };
        let source = format!("{}/{name}", group.name());
        let mut start = 0;
        for (piece, rows, stride) in pieces.iter().filter(|(_, rows, _)| *rows > 0) {
            // In the name of a source, HDF5 takes % for the start of a block number.
            let file = piece.name.replace('%', "%%");
            // The extent has one row more than is selected. The crate turns a selection of all rows into "all", which
            // for HDF5 means all rows of the source at the time of reading, later dumps included.
            let extent = shape(dumps * stride + 1);
            builder = builder.virtual_map(
                file,
                &source,
                extent,
                slices(0, *stride, *rows),
                shape(dumps * total),
                slices(start, total, *rows),
            );
            start += rows;
        }
    }
    builder.shape(shape(dumps * total)).create(name).map(|_| ())
}
