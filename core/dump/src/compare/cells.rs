//! Cells of two runs, by number.

use std::path::Path;

use hematite_config::Result;

use super::{Number, largest, same};
use crate::{CellFrame, CellReader, Comparison, Difference, VertexValue, dump_file};

/// The dump of cells.
pub(super) const NAME: &str = "cells";

/// Compares the cells of two run folders, where there are any.
pub(super) fn compare(a: &Path, b: &Path, rtol: Option<f64>, comparison: &mut Comparison) -> Result<()> {
    let paths = [a, b].map(|run| dump_file(run, NAME));
    match paths.each_ref().map(|path| path.exists()) {
        [true, true] => {}
        [false, false] => return Ok(()),
        [first, _] => {
            let side = if first { "first" } else { "second" };
            comparison.note(Difference::Structure(format!("only the {side} run holds cells")));
            return Ok(());
        }
    }
    let (a, b) = (CellReader::open(&paths[0])?, CellReader::open(&paths[1])?);
    if let Some(what) = structure(&a, &b) {
        comparison.note(Difference::Structure(format!("cells: {what}")));
        return Ok(());
    }
    for dump in 0..a.steps().len() {
        let (frame_a, frame_b) = (a.frame(dump)?, b.frame(dump)?);
        if let Some(what) = population(&a, &frame_a, &frame_b) {
            comparison.note(Difference::Structure(format!("cells: step {}, {what}", frame_a.step)));
            return Ok(());
        }
        compare_frames(&a, &frame_a, &frame_b, rtol, comparison);
    }
    Ok(())
}

/// What keeps the dumps from being compared frame by frame.
fn structure(a: &CellReader, b: &CellReader) -> Option<String> {
    if (a.dimension(), a.spacing()) != (b.dimension(), b.spacing()) {
        return Some("lattice spacing or dimension differ".into());
    }
    let names = |reader: &CellReader| reader.kinds().iter().map(|kind| kind.name.clone()).collect::<Vec<_>>();
    if names(a) != names(b) {
        return Some(format!("populations are {:?} and {:?}", names(a), names(b)));
    }
    if let Some((kind, _)) = a.kinds().iter().zip(b.kinds()).find(|(a, b)| a != b) {
        return Some(format!("population {} has other vertices or triangles", kind.name));
    }
    if let Some((a, b)) = a.steps().iter().zip(b.steps()).find(|(a, b)| a != b) {
        return Some(format!("a dump is at step {} ({} s) and at step {} ({} s)", a.step, a.time, b.step, b.time));
    }
    let (dumps_a, dumps_b) = (a.steps().len(), b.steps().len());
    (dumps_a != dumps_b).then(|| format!("taken {dumps_a} and {dumps_b} times"))
}

/// What keeps two frames from being compared vertex by vertex, or a difference of whole numbers.
fn population(reader: &CellReader, a: &CellFrame, b: &CellFrame) -> Option<String> {
    let name = |kind: u32| &reader.kinds()[kind as usize].name;
    for cell in 0..a.id.len().max(b.id.len()) {
        let ids = (a.id.get(cell).copied().unwrap_or(u64::MAX), b.id.get(cell).copied().unwrap_or(u64::MAX));
        if ids.0 != ids.1 {
            let (id, side, kind) =
                if ids.0 < ids.1 { (ids.0, "first", a.kind[cell]) } else { (ids.1, "second", b.kind[cell]) };
            return Some(format!("only the {side} run holds cell {id} of population {}", name(kind)));
        }
        let (id, kind) = (ids.0, a.kind[cell]);
        if kind != b.kind[cell] {
            return Some(format!("cell {id} is of population {} and of {}", name(kind), name(b.kind[cell])));
        }
        if a.image[cell] != b.image[cell] {
            let (kind, a, b) = (name(kind), a.image[cell], b.image[cell]);
            return Some(format!("cell {id} of population {kind}: image is {a:?} and {b:?}"));
        }
    }
    None
}

fn compare_frames(reader: &CellReader, a: &CellFrame, b: &CellFrame, rtol: Option<f64>, comparison: &mut Comparison) {
    // The cell of each vertex, and where its vertices begin.
    let owner: Vec<(usize, usize)> = a
        .vertices(reader.kinds())
        .into_iter()
        .enumerate()
        .flat_map(|(cell, vertices)| vertices.clone().map(move |_| (cell, vertices.start)))
        .collect();
    let at = |vertex: usize, component: usize, quantity: VertexValue, values: [f64; 2], bits: [u64; 2]| {
        let (cell, first) = owner[vertex];
        Difference::Vertex {
            step: a.step,
            population: reader.kinds()[a.kind[cell] as usize].name.clone(),
            cell: a.id[cell],
            vertex: vertex - first,
            quantity,
            component,
            values,
            bits,
        }
    };
    compare_vectors(VertexValue::Position, &a.position, &b.position, rtol, &at, comparison);
    compare_vectors(VertexValue::Velocity, &a.velocity, &b.velocity, rtol, &at, comparison);
    compare_vectors(VertexValue::Force, &a.force, &b.force, rtol, &at, comparison);
}

fn compare_vectors<T: Number>(
    quantity: VertexValue,
    a: &[[T; 3]],
    b: &[[T; 3]],
    rtol: Option<f64>,
    at: &impl Fn(usize, usize, VertexValue, [f64; 2], [u64; 2]) -> Difference,
    comparison: &mut Comparison,
) {
    let tolerance = rtol.map(|rtol| rtol * largest(a.as_flattened().iter().map(|value| value.wide())));
    for (vertex, (a, b)) in a.iter().zip(b).enumerate() {
        for (component, (&x, &y)) in a.iter().zip(b).enumerate() {
            if !same(x, y, tolerance) {
                let (values, bits) = ([x.wide(), y.wide()], [x.bits(), y.bits()]);
                let size = (values[0] - values[1]).abs();
                comparison.count_vertex(quantity, size, || at(vertex, component, quantity, values, bits));
            }
        }
    }
    comparison.values += 3 * a.len() as u64;
}
