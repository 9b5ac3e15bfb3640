//! The layout of a file of dumps of members.
//!
//! ```text
//! /VTKHDF/Points, PointData/*                    a row a vertex, from Layout::vertex on
//!         PRIMITIVE/{Offsets}, CellData/*        a row a polygon (Offsets one more), from Layout::topology on; from
//!                                                Layout::polygon on, data that change while the polygons stay
//!         PRIMITIVE/Connectivity                 a row a corner, from Layout::corner on
//!         the other primitives                   empty; VTK requires them
//! OWN                                            a row a member, from Layout::cell on
//!     layout                                     a row a dump: the numbers of Layout
//!     steps                                      a row a dump: its time step
//! ```
//!
//! VTK looks for a part's polygon offsets at row `CellOffsets + number of parts before`, as long as there are fewer
//! polygons before than `CellOffsets`. So that entry is `Layout::topology - Layout::part`, and rows are never dense.

use hdf5::Dataset;
use hdf5::types::TypeDescriptor;

use super::Kind;
use crate::h5;

/// Rows a chunk.
pub const CHUNK: usize = 1 << 13;

/// The places of the rows of one dump: their numbers, and the first rows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Layout {
    /// Number of members.
    pub cells: usize,
    /// Number of vertices of all members.
    pub vertices: usize,
    /// Number of polygons, or of vertex cells.
    pub polygons: usize,
    /// Number of corners of all polygons.
    pub corners: usize,
    /// First row of arrays by member.
    pub cell: usize,
    /// First row of arrays by vertex.
    pub vertex: usize,
    /// First row of arrays by polygon that change while the polygons are the same.
    pub polygon: usize,
    /// First row of the offsets and of other arrays that dumps with the same polygons share.
    pub topology: usize,
    /// First row of the connectivity.
    pub corner: usize,
    /// First part: row of NumberOfPoints and other arrays by part.
    pub part: usize,
}

impl Layout {
    /// How many numbers describe a layout.
    pub const COLUMNS: usize = 10;

    /// A bound of the bytes of its rows of `arrays` in whole chunks.
    pub fn bytes(&self, arrays: &[Array]) -> u64 {
        let of = |array: &Array| {
            let (_, rows) = (array.rows)(self);
            rows.next_multiple_of(CHUNK) * array.columns.unwrap_or(1) * size_of::<u64>()
        };
        arrays.iter().map(of).sum::<usize>() as u64
    }

    /// The layout as a row of the file.
    pub fn row(&self) -> [u64; Self::COLUMNS] {
        let Self { cells, vertices, polygons, corners, cell, vertex, polygon, topology, corner, part } = *self;
        [cells, vertices, polygons, corners, cell, vertex, polygon, topology, corner, part].map(|number| number as u64)
    }

    /// The layout in a row of the file.
    pub fn of_row(row: [u64; Self::COLUMNS]) -> Self {
        let [cells, vertices, polygons, corners, cell, vertex, polygon, topology, corner, part] =
            row.map(|number| number as usize);
        Self { cells, vertices, polygons, corners, cell, vertex, polygon, topology, corner, part }
    }

    /// The numbers of rows of members of the given kinds, with first rows 0.
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

    /// Puts the rows into new chunks of a rank file, behind those of `last`. With `same_topology`, shares the polygons
    /// of `last`.
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

/// An array with a row for each vertex, polygon, corner or member.
pub struct Array {
    /// Path in the file.
    pub name: &'static str,
    /// Type of the numbers.
    pub number: fn() -> TypeDescriptor,
    /// Numbers in a row; `None` for one.
    pub columns: Option<usize>,
    /// Unit, if it has one.
    pub unit: Option<&'static str>,
    /// The first row of a dump and its number of rows.
    pub rows: fn(&Layout) -> (usize, usize),
    /// Whether dumps with the same polygons share rows.
    pub of_topology: bool,
}

impl Array {
    /// An array with one number a row.
    pub const fn scalar(
        name: &'static str,
        number: fn() -> TypeDescriptor,
        rows: fn(&Layout) -> (usize, usize),
    ) -> Self {
        Self { name, number, columns: None, unit: None, rows, of_topology: false }
    }

    /// An array with three numbers for each vertex.
    pub const fn vertex(name: &'static str, number: fn() -> TypeDescriptor, unit: &'static str) -> Self {
        let scalar = Self::scalar(name, number, |at| (at.vertex, at.vertices));
        Self { columns: Some(3), unit: Some(unit), ..scalar }
    }

    /// An array with one number a row, whose rows dumps with the same polygons share.
    pub const fn topology(
        name: &'static str,
        number: fn() -> TypeDescriptor,
        rows: fn(&Layout) -> (usize, usize),
    ) -> Self {
        Self { of_topology: true, ..Self::scalar(name, number, rows) }
    }

    /// The row after the last row of a dump.
    pub fn end(&self, at: &Layout) -> usize {
        let (first, rows) = (self.rows)(at);
        first + rows
    }

    /// Writes the unit, if it has one.
    pub fn write_unit(&self, array: &Dataset) -> hdf5::Result<()> {
        self.unit.map_or(Ok(()), |unit| h5::write_unit(array, unit))
    }
}
