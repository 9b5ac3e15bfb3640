//! The index over the rank files of a dump.

use std::path::{Path, PathBuf};

use hdf5::{Dataset, File, Hyperslab, SliceOrIndex};
use hematite_config::{Fault, Result, publish};

use super::Kind;
use super::header::{Entry, Header};
use super::layout::{Array, Layout};
use crate::h5::{self, writing};

/// A rank file.
struct Piece<K> {
    name: String,
    header: Header<K>,
}

/// Rows of a rank file and the first row of the index that shows them.
struct Span<'a, K> {
    piece: &'a Piece<K>,
    from: usize,
    rows: usize,
    to: usize,
}

/// Writes `path` as an index over rank files in the same folder, one part of the PolyData each. Replaces an earlier
/// index at once. Call on one rank when every rank has ended the same dump, and before any begins the next.
///
/// # Errors
/// A usage fault when a rank file is missing or damaged or the files do not fit together, and an I/O fault when the
/// index cannot be written.
pub fn write_index<K: Kind>(path: &Path, rank_files: &[PathBuf]) -> Result<()> {
    let pieces = rank_files.iter().map(|file| read_piece::<K>(path, file)).collect::<Result<Vec<_>>>()?;
    let Some(first) = pieces.first() else {
        return Err(Fault::usage(format!("{}: an index needs at least one rank file", path.display())));
    };
    for piece in &pieces {
        if !piece.header.alike(&first.header) || piece.header.steps != first.header.steps {
            let (path, one, other) = (path.display(), &first.name, &piece.name);
            return Err(Fault::usage(format!("{path}: {one} and {other} differ in their dumps or populations")));
        }
    }
    publish(path, |temporary| write(temporary, &first.header, &pieces).map_err(writing(path)))
}

fn read_piece<K: Kind>(index: &Path, path: &Path) -> Result<Piece<K>> {
    let name = path.file_name().and_then(|name| name.to_str()).filter(|_| index.parent() == path.parent());
    let name =
        name.ok_or_else(|| Fault::usage(format!("{} is not beside its index {}", path.display(), index.display())))?;
    let file = h5::open(path)?;
    let header = Header::read(&file, path)?;
    Ok(Piece { name: name.to_owned(), header })
}

fn write<K: Kind>(path: &Path, header: &Header<K>, pieces: &[Piece<K>]) -> hdf5::Result<()> {
    let file = File::create(path)?;
    header.write(&file)?;
    let names: Vec<&str> = pieces.iter().map(|piece| piece.name.as_str()).collect();
    h5::write_names(&file.group(K::FORM.own)?, "rank_files", &names)?;
    let dumps: Vec<Dump> = lay_out(header.steps.len(), pieces);
    let entry = |(dump, &step): (&Dump, _)| Entry { step, at: dump.at, parts: pieces.len() };
    let entries: Vec<Entry> = dumps.iter().zip(&header.steps).map(entry).collect();
    Header::<K>::write_steps(&file, 0, &entries)?;
    let fresh = dumps.iter().enumerate().filter(|(_, dump)| !dump.same_topology);
    let counts = fresh.flat_map(|(number, _)| pieces.iter().map(move |piece| piece.header.layout[number]));
    Header::<K>::write_parts(&file, 0, &counts.collect::<Vec<_>>())?;
    for array in K::FORM.arrays {
        let spans = spans(array, &dumps, pieces);
        array.write_unit(&combine(&file, array, &spans)?)?;
    }
    Header::<K>::write_count(&file, dumps.len())
}

/// A dump in the index.
struct Dump {
    /// Places of its rows.
    at: Layout,
    /// Whether its polygons are the same as in the dump before.
    same_topology: bool,
}

/// The places of all dumps. Every rank is a part of every dump, even without members: VTK takes a change of the number
/// of parts for another kind of data.
fn lay_out<K: Kind>(dumps: usize, pieces: &[Piece<K>]) -> Vec<Dump> {
    let mut out: Vec<Dump> = Vec::with_capacity(dumps);
    for number in 0..dumps {
        let mut at = Layout::default();
        for Layout { cells, vertices, polygons, corners, .. } in pieces.iter().map(|piece| piece.header.layout[number])
        {
            at.cells += cells;
            at.vertices += vertices;
            at.polygons += polygons;
            at.corners += corners;
        }
        let topology = |piece: &Piece<K>, number: usize| piece.header.layout[number].topology;
        let same = |piece: &Piece<K>| number > 0 && topology(piece, number) == topology(piece, number - 1);
        let same_topology = pieces.iter().all(same);
        if let Some(Dump { at: last, .. }) = out.last() {
            at.cell = last.cell + last.cells;
            at.vertex = last.vertex + last.vertices;
            at.polygon = last.polygon + last.polygons;
            if same_topology {
                (at.topology, at.corner, at.part) = (last.topology, last.corner, last.part);
            } else {
                // One row more than needed for each part: see the note on VTK in layout.rs.
                at.topology = last.topology + last.polygons + 2 * pieces.len();
                at.corner = last.corner + last.corners;
                at.part = last.part + pieces.len();
            }
        }
        out.push(Dump { at, same_topology });
    }
    out
}

/// The rows of rank files that make up the rows of an array.
fn spans<'a, K: Kind>(array: &Array, dumps: &[Dump], pieces: &'a [Piece<K>]) -> Vec<Span<'a, K>> {
    let mut spans = Vec::new();
    for (number, dump) in dumps.iter().enumerate() {
        if dump.same_topology && array.of_topology {
            continue;
        }
        let (mut to, _) = (array.rows)(&dump.at);
        for piece in pieces {
            let (from, rows) = (array.rows)(&piece.header.layout[number]);
            spans.push(Span { piece, from, rows, to });
            to += rows;
        }
    }
    spans
}

/// A virtual dataset of all spans, in ascending order.
fn combine<K: Kind>(file: &File, array: &Array, spans: &[Span<K>]) -> hdf5::Result<Dataset> {
    let shape = |rows: usize| std::iter::once(rows).chain(array.columns).collect::<Vec<usize>>();
    let slice = |start: usize, rows: usize| -> Hyperslab {
        let range = |start, end| SliceOrIndex::SliceTo { start, step: 1, end, block: 1 };
        let rest = array.columns.iter().map(|&columns| range(0, columns));
        std::iter::once(range(start, start + rows)).chain(rest).collect::<Vec<_>>().into()
    };
    let total = spans.last().map_or(0, |last| last.to + last.rows);
    let mut builder = file.new_dataset_builder().empty_as(&(array.number)());
    for span in spans.iter().filter(|span| span.rows > 0) {
        // In the name of a source, HDF5 takes % for the start of a block number.
        let name = span.piece.name.replace('%', "%%");
        // The extent has one row more than is selected. The crate turns a selection of all rows into "all", which for
        // HDF5 means all rows of the source at the time of reading, later dumps included.
        let extent = shape(span.from + span.rows + 1);
        let source = format!("/{}", array.name);
        builder = builder.virtual_map(
            name,
            &source,
            extent,
            slice(span.from, span.rows),
            shape(total),
            slice(span.to, span.rows),
        );
    }
    builder.shape(shape(total)).create(array.name)
}
