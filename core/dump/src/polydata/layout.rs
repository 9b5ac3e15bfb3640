//! Where a file keeps what.
//!
//! ```text
//! /VTKHDF/Points, PointData/*                    a row a vertex, from Layout::vertex on
//!         PRIMITIVE/{Offsets}, CellData/*        a row a polygon (Offsets one more), from Layout::topology on, or from
//!                                                Layout::polygon on what changes while the polygons stay
//!         PRIMITIVE/Connectivity                 a row a corner, from Layout::corner on
//!         the other primitives                   empty, but VTK wants them
//! OWN                                            a row a member, from Layout::cell on
//!     layout                                     a row a dump: the numbers of Layout
//!     steps                                      a row a dump: its time step
//! ```
//!
//! VTK looks for the polygons' offsets of a part at row `CellOffsets + number of parts before`, as long as all polygons
//! before are fewer than `CellOffsets`; so that entry is `Layout::topology - Layout::part`, and rows are never dense.

use hdf5::Dataset;
use hdf5::types::TypeDescriptor;

use super::Kind;
use crate::h5;

/// Rows a chunk.
pub const CHUNK: usize = 1 << 13;

/// Where the rows of one dump stand: how many there are, and the first.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Layout {
    /// Members.
    pub cells: usize,
    /// Vertices of all.
    pub vertices: usize,
    /// Polygons, or vertex cells.
    pub polygons: usize,
    /// Corners of all polygons.
    pub corners: usize,
    /// First row a member.
    pub cell: usize,
    /// First row a vertex.
    pub vertex: usize,
    /// First row a polygon.
    pub polygon: usize,
    /// First row of the offsets.
    pub topology: usize,
    /// First row a corner.
    pub corner: usize,
    /// Its first part: row of NumberOfPoints and the like.
    pub part: usize,
}

impl Layout {
    /// Its numbers.
    pub const COLUMNS: usize = 10;

    /// No fewer bytes than its rows of `arrays` take in whole chunks.
    pub fn bytes(&self, arrays: &[Array]) -> u64 {
        let of = |array: &Array| {
            let (_, rows) = (array.rows)(self);
            rows.next_multiple_of(CHUNK) * array.columns.unwrap_or(1) * size_of::<u64>()
        };
        arrays.iter().map(of).sum::<usize>() as u64
    }

    /// As a row of the file.
    pub fn row(&self) -> [u64; Self::COLUMNS] {
        let Self { cells, vertices, polygons, corners, cell, vertex, polygon, topology, corner, part } = *self;
        [cells, vertices, polygons, corners, cell, vertex, polygon, topology, corner, part].map(|number| number as u64)
    }

    /// Out of a row of the file.
    pub fn of_row(row: [u64; Self::COLUMNS]) -> Self {
        let [cells, vertices, polygons, corners, cell, vertex, polygon, topology, corner, part] =
            row.map(|number| number as usize);
        Self { cells, vertices, polygons, corners, cell, vertex, polygon, topology, corner, part }
    }

    /// How many rows members of these kinds take.
    pub fn of_members<K: Kind>(kinds: &[K], members: &[u32]) -> Self {
        let sum = |of: fn(&K) -> usize| members.iter().map(|&kind| of(&kinds[kind as usize])).sum();
        Self {
            cells: members.len(),
            vertices: sum(K::vertices),
            polygons: sum(K::polygons),
            corners: sum(K::corners),
            ..Self::default()
        }
    }

    /// The same rows in new chunks of a rank file, after those of `last`. With `same_topology` its polygons are those of
    /// `last`.
    pub fn after(self, last: Option<&Self>, same_topology: bool) -> Self {
        let Some(last) = last else { return self };
        let next = |row: usize| row.next_multiple_of(CHUNK);
        let moved = Self {
            cell: next(last.cell + last.cells),
            vertex: next(last.vertex + last.vertices),
            polygon: next(last.polygon + last.polygons),
            ..self
        };
        match same_topology {
            true => Self { topology: last.topology, corner: last.corner, part: last.part, ..moved },
            false => Self {
                topology: next(last.topology + last.polygons + 1),
                corner: next(last.corner + last.corners),
                part: last.part + 1,
                ..moved
            },
        }
    }
}

/// An array with rows a vertex, polygon, corner or member.
pub struct Array {
    /// Its path in the file.
    pub name: &'static str,
    /// The type of its numbers.
    pub number: fn() -> TypeDescriptor,
    /// Numbers a row; one where none.
    pub columns: Option<usize>,
    /// Its unit, where it has one.
    pub unit: Option<&'static str>,
    /// The first row of a dump and how many rows it has.
    pub rows: fn(&Layout) -> (usize, usize),
    /// Whether a dump may share its rows with the dump before.
    pub of_topology: bool,
}

impl Array {
    /// With a number a row.
    pub const fn scalar(
        name: &'static str,
        number: fn() -> TypeDescriptor,
        rows: fn(&Layout) -> (usize, usize),
    ) -> Self {
        Self { name, number, columns: None, unit: None, rows, of_topology: false }
    }

    /// With three numbers a vertex.
    pub const fn vertex(name: &'static str, number: fn() -> TypeDescriptor, unit: &'static str) -> Self {
        let scalar = Self::scalar(name, number, |at| (at.vertex, at.vertices));
        Self { columns: Some(3), unit: Some(unit), ..scalar }
    }

    /// With a number a row that a dump may share with the dump before.
    pub const fn topology(
        name: &'static str,
        number: fn() -> TypeDescriptor,
        rows: fn(&Layout) -> (usize, usize),
    ) -> Self {
        Self { of_topology: true, ..Self::scalar(name, number, rows) }
    }

    /// Where the rows of a dump end.
    pub fn end(&self, at: &Layout) -> usize {
        let (first, rows) = (self.rows)(at);
        first + rows
    }

    /// Says the unit, if it has one.
    pub fn write_unit(&self, array: &Dataset) -> hdf5::Result<()> {
        self.unit.map_or(Ok(()), |unit| h5::write_unit(array, unit))
    }
}
