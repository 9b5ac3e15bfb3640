//! Where a file of cells keeps what.
//!
//! ```text
//! /VTKHDF/Points, PointData/{velocity,force}     a row a vertex, from Layout::vertex on
//!         Polygons/{Offsets}, CellData/kind      a row a polygon (Offsets one more), from Layout::topology on
//!         Polygons/Connectivity                  a row a corner, from Layout::corner on
//!         CellData/id                            a row a polygon, from Layout::polygon on
//!         {Vertices,Lines,Strips}/..             empty, but VTK wants them
//! /hematite/cells/{id,kind,image}                a row a cell, from Layout::cell on
//!                 layout                         a row a dump: the numbers of Layout
//!                 steps                          a row a dump: its time step
//!                 kind_name, kind_vertices, kind_triangles, triangles
//! ```
//!
//! VTK looks for the polygons' offsets of a part at row `CellOffsets + number of parts before`, as long as all polygons
//! before are fewer than `CellOffsets`; so that entry is `Layout::topology - Layout::part`, and rows are never dense.

use hdf5::types::TypeDescriptor;
use hdf5::{Dataset, H5Type};

use crate::CellKind;
use crate::h5;

/// Rows a chunk.
pub(super) const CHUNK: usize = 1 << 13;

/// Where the rows of one dump stand: how many there are, and the first.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Layout {
    pub(super) cells: usize,
    pub(super) vertices: usize,
    pub(super) polygons: usize,
    pub(super) corners: usize,
    pub(super) cell: usize,
    pub(super) vertex: usize,
    pub(super) polygon: usize,
    pub(super) topology: usize,
    pub(super) corner: usize,
    /// Its first part: row of NumberOfPoints and the like.
    pub(super) part: usize,
}

impl Layout {
    pub(super) const COLUMNS: usize = 10;

    pub(super) fn row(&self) -> [u64; Self::COLUMNS] {
        let Self { cells, vertices, polygons, corners, cell, vertex, polygon, topology, corner, part } = *self;
        [cells, vertices, polygons, corners, cell, vertex, polygon, topology, corner, part].map(|number| number as u64)
    }

    pub(super) fn of_row(row: [u64; Self::COLUMNS]) -> Self {
        let [cells, vertices, polygons, corners, cell, vertex, polygon, topology, corner, part] =
            row.map(|number| number as usize);
        Self { cells, vertices, polygons, corners, cell, vertex, polygon, topology, corner, part }
    }

    /// How many rows cells of these kinds take.
    pub(super) fn of_cells(kinds: &[CellKind], cells: &[u32]) -> Self {
        let sum = |of: fn(&CellKind) -> usize| cells.iter().map(|&kind| of(&kinds[kind as usize])).sum();
        Self {
            cells: cells.len(),
            vertices: sum(|kind| kind.vertices),
            polygons: sum(CellKind::polygons),
            corners: sum(CellKind::corners),
            ..Self::default()
        }
    }

    /// The same rows in new chunks of a rank file, after those of `last`. With `same_topology` its polygons are those of
    /// `last`.
    pub(super) fn after(self, last: Option<&Self>, same_topology: bool) -> Self {
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

/// An array with rows a vertex, polygon, corner or cell.
pub(super) struct Array {
    pub(super) name: &'static str,
    pub(super) number: fn() -> TypeDescriptor,
    pub(super) columns: Option<usize>,
    unit: Option<&'static str>,
    /// The first row of a dump and how many rows it has.
    pub(super) rows: fn(&Layout) -> (usize, usize),
    /// Whether a dump may share its rows with the dump before.
    pub(super) of_topology: bool,
}

impl Array {
    const fn scalar(name: &'static str, number: fn() -> TypeDescriptor, rows: fn(&Layout) -> (usize, usize)) -> Self {
        Self { name, number, columns: None, unit: None, rows, of_topology: false }
    }

    const fn vertex(name: &'static str, number: fn() -> TypeDescriptor, unit: &'static str) -> Self {
        let scalar = Self::scalar(name, number, |at| (at.vertex, at.vertices));
        Self { columns: Some(3), unit: Some(unit), ..scalar }
    }

    const fn topology(name: &'static str, number: fn() -> TypeDescriptor, rows: fn(&Layout) -> (usize, usize)) -> Self {
        Self { of_topology: true, ..Self::scalar(name, number, rows) }
    }

    /// Where the rows of a dump end.
    pub(super) fn end(&self, at: &Layout) -> usize {
        let (first, rows) = (self.rows)(at);
        first + rows
    }

    /// Says the unit, if it has one.
    pub(super) fn write_unit(&self, array: &Dataset) -> hdf5::Result<()> {
        self.unit.map_or(Ok(()), |unit| h5::write_unit(array, unit))
    }
}

/// All of them.
pub(super) const ARRAYS: [Array; 10] = [
    Array::vertex("VTKHDF/Points", f64::type_descriptor, "m"),
    Array::vertex("VTKHDF/PointData/velocity", f32::type_descriptor, "m/s"),
    Array::vertex("VTKHDF/PointData/force", f32::type_descriptor, "N"),
    Array::topology("VTKHDF/Polygons/Offsets", i64::type_descriptor, |at| (at.topology, at.polygons + 1)),
    Array::topology("VTKHDF/Polygons/Connectivity", i64::type_descriptor, |at| (at.corner, at.corners)),
    Array::topology("VTKHDF/CellData/kind", i32::type_descriptor, |at| (at.topology, at.polygons)),
    Array::scalar("VTKHDF/CellData/id", i64::type_descriptor, |at| (at.polygon, at.polygons)),
    Array::scalar("hematite/cells/id", u64::type_descriptor, |at| (at.cell, at.cells)),
    Array::scalar("hematite/cells/kind", u32::type_descriptor, |at| (at.cell, at.cells)),
    Array { columns: Some(3), ..Array::scalar("hematite/cells/image", i32::type_descriptor, |at| (at.cell, at.cells)) },
];
