//! Cells as rows of a file.
//!
//! ```text
//! /VTKHDF/Points, PointData/{velocity,force}     a row a vertex
//!         Polygons/Offsets, CellData/kind        a row a polygon (Offsets one more), shared while polygons stay
//!         Polygons/Connectivity                  a row a corner, shared while polygons stay
//!         CellData/id                            a row a polygon
//! /hematite/cells/{id,kind,image}                a row a cell
//!                 kind_name, kind_vertices, kind_triangles, triangles
//! ```

use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;

use bytemuck::NoUninit;
use hdf5::{Dataset, File, Group, H5Type};
use hematite_config::{Fault, Result};

use crate::h5::{self, reading};
use crate::polydata::{Array, CHUNK, Form, Kind, Layout, consecutive, each_run};
use crate::{CellFrame, CellKind, DumpStep};

const ARRAYS: [Array; 10] = [
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

impl Kind for CellKind {
    type Frame = CellFrame;

    const FORM: Form = Form {
        what: "cells",
        member: "cell",
        own: "hematite/cells",
        primitive: "Polygons",
        arrays: &ARRAYS,
        kind_of_members: "hematite/cells/kind",
        data: &[
            ("PointDataOffsets/velocity", |at| at.vertex),
            ("PointDataOffsets/force", |at| at.vertex),
            ("CellDataOffsets/id", |at| at.polygon),
            ("CellDataOffsets/kind", |at| at.topology),
        ],
    };

    fn name(&self) -> &str {
        &self.name
    }

    fn strange(kinds: &[Self], dimension: usize) -> Option<String> {
        let odd = |kind: &&CellKind| {
            kind.vertices < 3
                || kind.vertices > u32::MAX as usize
                || (dimension == 3) == kind.triangles.is_empty()
                || kind.triangles.as_flattened().iter().any(|&corner| corner as usize >= kind.vertices)
        };
        let kind = kinds.iter().find(odd)?;
        let (name, vertices, triangles) = (&kind.name, kind.vertices, kind.triangles.len());
        Some(format!("population {name}: {vertices} vertices and {triangles} triangles are no closed surface"))
    }

    fn vertices(&self) -> usize {
        self.vertices
    }

    /// Number of triangles, or 1 for a ring.
    fn polygons(&self) -> usize {
        self.triangles.len().max(1)
    }

    fn corners(&self) -> usize {
        if self.triangles.is_empty() { self.vertices } else { 3 * self.triangles.len() }
    }

    fn write_kinds(kinds: &[Self], own: &Group) -> hdf5::Result<()> {
        let names: Vec<&str> = kinds.iter().map(|kind| kind.name.as_str()).collect();
        h5::write_names(own, "kind_name", &names)?;
        let column = |name: &str, of: fn(&CellKind) -> usize| {
            let numbers: Vec<u64> = kinds.iter().map(|kind| of(kind) as u64).collect();
            own.new_dataset::<u64>().shape(numbers.len()).create(name)?.write(&numbers)
        };
        column("kind_vertices", |kind| kind.vertices)?;
        column("kind_triangles", |kind| kind.triangles.len())?;
        let triangles: Vec<[u32; 3]> = kinds.iter().flat_map(|kind| kind.triangles.iter().copied()).collect();
        h5::write_rows(&h5::fixed::<u32>(own, "triangles", triangles.len(), Some(3))?, 0, triangles.as_flattened())
    }

    fn read_kinds(own: &Group, path: &Path) -> Result<Vec<Self>> {
        let column = |name: &str| own.dataset(name)?.read_raw::<u64>();
        let names = h5::read_names(own, "kind_name").map_err(reading(path))?;
        let (vertices, counts) = (column("kind_vertices"), column("kind_triangles"));
        let (vertices, counts) = (vertices.map_err(reading(path))?, counts.map_err(reading(path))?);
        let triangles = own.dataset("triangles").map_err(reading(path))?;
        let total = counts.iter().fold(0_u64, |sum, &count| sum.saturating_add(count));
        h5::check_claim(path, "triangles", total)?;
        if names.len() != vertices.len() || names.len() != counts.len() || triangles.shape() != [total as usize, 3] {
            return Err(Fault::usage(format!("{}: its list of populations is damaged", path.display())));
        }
        let flat = h5::read_rows::<u32>(&triangles, 0, total as usize).map_err(reading(path))?;
        let mut rest = flat.as_chunks::<3>().0;
        let mut kinds = Vec::with_capacity(names.len());
        for ((name, vertices), count) in names.into_iter().zip(vertices).zip(counts) {
            let (triangles, left) = rest.split_at(count as usize);
            rest = left;
            kinds.push(CellKind { name, vertices: vertices as usize, triangles: triangles.to_vec() });
        }
        Ok(kinds)
    }

    fn members(frame: &CellFrame) -> (DumpStep, &[u64], &[u32]) {
        (DumpStep { step: frame.step, time: frame.time }, &frame.id, &frame.kind)
    }

    fn empty(step: DumpStep) -> CellFrame {
        CellFrame { step: step.step, time: step.time, ..CellFrame::default() }
    }

    fn take(frame: &CellFrame, kinds: &[Self], indices: &[usize]) -> CellFrame {
        frame.take(kinds, indices)
    }

    fn check(frame: &CellFrame, kinds: &[Self]) -> std::result::Result<(), String> {
        let cells = frame.id.len();
        if frame.kind.len() != cells || frame.image.len() != cells {
            return Err(format!("{cells} cells with {} kinds and {} images", frame.kind.len(), frame.image.len()));
        }
        if let Some(kind) = frame.kind.iter().find(|&&kind| kind as usize >= kinds.len()) {
            return Err(format!("a cell is of kind {kind}, there are {}", kinds.len()));
        }
        let vertices: usize = frame.kind.iter().map(|&kind| kinds[kind as usize].vertices).sum();
        let lengths = [frame.position.len(), frame.velocity.len(), frame.force.len()];
        if lengths != [vertices; 3] {
            return Err(format!("{lengths:?} positions, velocities and forces for {vertices} vertices"));
        }
        Ok(())
    }

    fn put(frame: &CellFrame, kinds: &[Self], order: &[usize], file: &File, at: &Layout) -> hdf5::Result<()> {
        let vertices = frame.vertices(kinds);
        let array = |name: &str| file.dataset(name);
        let rows = (order, &vertices[..]);
        put_vertices(&array("VTKHDF/Points")?, at, rows, &frame.position)?;
        put_vertices(&array("VTKHDF/PointData/velocity")?, at, rows, &frame.velocity)?;
        put_vertices(&array("VTKHDF/PointData/force")?, at, rows, &frame.force)?;
        let polygons = |cell: usize| std::iter::repeat_n(cell, kinds[frame.kind[cell] as usize].polygons());
        let ids = order.iter().flat_map(|&cell| polygons(cell)).map(|cell| frame.id[cell] as i64);
        h5::put(&array("VTKHDF/CellData/id")?, (at.polygon, at.polygons), CHUNK, ids)?;
        let place = (at.cell, at.cells);
        h5::put(&array("hematite/cells/id")?, place, CHUNK, order.iter().map(|&cell| frame.id[cell]))?;
        h5::put(&array("hematite/cells/kind")?, place, CHUNK, order.iter().map(|&cell| frame.kind[cell]))?;
        h5::put(&array("hematite/cells/image")?, place, CHUNK, order.iter().flat_map(|&cell| frame.image[cell]))
    }

    fn put_topology(kinds: &[Self], cells: &[u32], file: &File, at: &Layout) -> hdf5::Result<()> {
        let kind = |cell: u32| &kinds[cell as usize];
        let repeated = cells.iter().flat_map(|&cell| std::iter::repeat_n(cell as i32, kind(cell).polygons()));
        h5::put(&file.dataset("VTKHDF/CellData/kind")?, (at.topology, at.polygons), CHUNK, repeated)?;
        let sizes = cells.iter().flat_map(|&cell| {
            let (polygons, corners) = (kind(cell).polygons(), kind(cell).corners());
            std::iter::repeat_n((corners / polygons) as i64, polygons)
        });
        let ends = sizes.scan(0, |end, size| {
            *end += size;
            Some(*end)
        });
        let offsets = std::iter::once(0).chain(ends);
        h5::put(&file.dataset("VTKHDF/Polygons/Offsets")?, (at.topology, at.polygons + 1), CHUNK, offsets)?;
        let firsts = cells.iter().scan(0_i64, |next, &cell| {
            let first = *next;
            *next += kind(cell).vertices as i64;
            Some((kind(cell), first))
        });
        let corners = firsts.flat_map(|(kind, first)| {
            let ring = if kind.triangles.is_empty() { 0..kind.vertices as u32 } else { 0..0 };
            kind.triangles.as_flattened().iter().copied().chain(ring).map(move |corner| first + i64::from(corner))
        });
        h5::put(&file.dataset("VTKHDF/Polygons/Connectivity")?, (at.corner, at.corners), CHUNK, corners)
    }

    fn get(
        file: &File,
        at: &Layout,
        kinds: &[Self],
        keep: &dyn Fn(u64) -> bool,
        frame: &mut CellFrame,
    ) -> hdf5::Result<()> {
        let own = file.group(Self::FORM.own)?;
        let id = h5::read_rows::<u64>(&own.dataset("id")?, at.cell, at.cells)?;
        let kind = h5::read_rows::<u32>(&own.dataset("kind")?, at.cell, at.cells)?;
        let image = h5::read_rows::<i32>(&own.dataset("image")?, at.cell, at.cells)?;
        if kind.iter().any(|&kind| kind as usize >= kinds.len())
            || Layout::of_members(kinds, &kind).vertices != at.vertices
        {
            return Err("the kinds of its cells do not fit their vertices".into());
        }
        let points = file.dataset("VTKHDF/Points")?;
        let (velocity, force) = (file.dataset("VTKHDF/PointData/velocity")?, file.dataset("VTKHDF/PointData/force")?);
        let vertices = consecutive(kind.iter().map(|&kind| kinds[kind as usize].vertices));
        each_run(vertices.into_iter().zip(id.iter().map(|&id| keep(id))), |run| {
            let (start, rows) = (at.vertex + run.start, run.len());
            frame.position.extend(h5::read_rows::<f64>(&points, start, rows)?.as_chunks::<3>().0);
            frame.velocity.extend(h5::read_rows::<f32>(&velocity, start, rows)?.as_chunks::<3>().0);
            frame.force.extend(h5::read_rows::<f32>(&force, start, rows)?.as_chunks::<3>().0);
            Ok(())
        })?;
        for (cell, image) in image.as_chunks::<3>().0.iter().enumerate().filter(|&(cell, _)| keep(id[cell])) {
            frame.id.push(id[cell]);
            frame.kind.push(kind[cell]);
            frame.image.push(*image);
        }
        Ok(())
    }
}

/// Writes the vectors of vertices, cell after cell in this order; `vertices` are the vertices of each cell.
fn put_vertices<T: H5Type + NoUninit>(
    array: &Dataset,
    at: &Layout,
    (order, vertices): (&[usize], &[Range<usize>]),
    values: &[[T; 3]],
) -> hdf5::Result<()> {
    // Cells mostly come in the order of the file.
    let in_order: Cow<[[T; 3]]> = match order.is_sorted() {
        true => Cow::Borrowed(values),
        false => order.iter().flat_map(|&cell| &values[vertices[cell].clone()]).copied().collect(),
    };
    h5::resize(array, at.vertex + at.vertices)?;
    h5::write_rows(array, at.vertex, in_order.as_flattened())
}
