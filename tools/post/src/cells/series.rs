//! Reduces the dumps of cells, in one pass.

use std::collections::BTreeMap;

use hematite_config::Result;
use hematite_dump::{CellReader, DumpStep};
use hematite_stats::cells::flow::{CellSum, FluidSum, cell_sums, fluid_sum};
use hematite_stats::cells::free_layer::{FreeLayer, free_layer};
use hematite_stats::cells::rotation::{Rates, Rotation};
use hematite_stats::cells::shape::Shape;
use hematite_stats::cells::{Cell, cells};
use hematite_stats::suspension::bins::Bins;

use super::setup::Setup;
use crate::config::Shapes;
use crate::suspension::{self, largest, mean};

/// The reduced dumps, in their order.
pub struct Series {
    pub common: suspension::Series<Population, Flow>,
    pub shapes: Vec<ShapeRow>,
    pub rotation: Vec<(u64, usize, Rates)>,
}

/// One reduced dump.
pub type Dump = suspension::Dump<Population, Flow>;

/// All cells and the fluid in one dump.
pub struct Flow {
    pub hematocrit: Option<f64>,
    pub discharge: Option<f64>,
    /// Flow rate along the axis, m3/s; in 2-D m2/s.
    pub flow_rate: Option<f64>,
    pub free_layer: Option<FreeLayer>,
}

/// One population in one dump: means over its cells inside the window.
#[derive(Clone, Copy, Debug, Default)]
pub struct Population {
    pub sum: CellSum,
    pub hematocrit: Option<f64>,
    pub taylor: [f64; 2],
    /// Mean inclination of long axes, which have no sign, degrees.
    pub inclination: f64,
    pub surface_drift: Drift,
    pub enclosed_drift: Drift,
    /// Mean and largest roughness.
    pub roughness: [f64; 2],
    /// Sides of the bounding boxes along x, y, z, m.
    pub extent: [f64; 3],
}

/// Relative change since the reference.
#[derive(Clone, Copy, Debug, Default)]
pub struct Drift {
    pub mean: f64,
    /// The change of largest magnitude, with its sign.
    pub largest: f64,
}

impl Drift {
    fn of(values: impl Iterator<Item = f64> + Clone) -> Self {
        Self { mean: mean(values.clone()), largest: largest(values) }
    }
}

/// One cell in one dump.
pub struct ShapeRow {
    pub at: DumpStep,
    pub id: u64,
    pub population: usize,
    pub shape: Shape,
    pub surface_drift: f64,
    pub enclosed_drift: f64,
}

/// Data of each cell from earlier dumps.
#[derive(Default)]
struct Memory {
    /// Reference area and volume of each cell.
    reference: BTreeMap<u64, [f64; 2]>,
    rotation: BTreeMap<u64, (usize, Rotation)>,
}

/// Reduces the dumps. Adds to `left_out` what they lack.
pub fn reduce(setup: &Setup, source: &CellReader, left_out: &mut Vec<String>) -> Result<Series> {
    let suspension::Setup { straight, bins, .. } = &setup.common;
    let nodes = setup.common.fluid.nodes.as_ref();
    let kinds = source.kinds();
    let mut series =
        Series { common: suspension::Series::new(&setup.common), shapes: Vec::new(), rotation: Vec::new() };
    let mut memory = Memory::default();
    let lumen = setup.lumen();
    let last = source.steps().len() - 1;
    for (number, &at) in source.steps().iter().enumerate() {
        let frame = source.frame(number)?;
        let all = cells(kinds, &frame)?;
        let shapes: Vec<Shape> = Shape::of_all(&all);
        let averaged = at.time >= setup.common.average_from;
        let drifts = memory.note(setup, at, &all, &shapes);
        let sums = cell_sums(&all, &shapes, kinds.len(), &setup.window);
        let velocity = setup.common.fluid.velocity(at.step)?;
        let fluid = nodes.zip(velocity.as_deref()).map(|(nodes, u)| fluid_sum(nodes, Some(u), &setup.window));
        let hematocrit = |sum: &CellSum| lumen.map(|lumen| sum.volume / lumen);
        let layer = nodes.zip(straight.as_ref());
        series.common.dumps.push(Dump {
            at,
            averaged,
            populations: (0..kinds.len())
                .map(|kind| population(setup, kind, &all, &shapes, &drifts, sums[kind], hematocrit(&sums[kind])))
                .collect(),
            all: Flow {
                hematocrit: lumen.map(|volume| FluidSum { volume, ..FluidSum::default() }.tube_hematocrit(&sums)),
                discharge: fluid.and_then(|fluid| fluid.discharge_hematocrit(&sums)),
                flow_rate: fluid.zip(*straight).map(|(fluid, straight)| fluid.flux / fluid.volume * straight.section),
                free_layer: layer.and_then(|(nodes, straight)| free_layer(nodes, straight, &all, &setup.window)),
            },
        });
        if averaged && !bins.is_empty() {
            let along = |bins: &Bins, u: &[f64]| bins.means(u.chunks_exact(3).map(|u| u[setup.window.axis]));
            let velocity = velocity.as_deref();
            series.common.sample(&setup.common, &all, |bins| velocity.map(|u| along(bins, u)).into_iter().collect());
        }
        if setup.shapes == Shapes::All || number == last {
            let rows = all.iter().zip(&shapes).zip(&drifts);
            series.shapes.extend(rows.map(|((cell, &shape), &[surface_drift, enclosed_drift])| ShapeRow {
                at,
                id: cell.id,
                population: cell.kind,
                shape,
                surface_drift,
                enclosed_drift,
            }));
        }
    }
    let followed = memory.rotation.len();
    let rates = |(id, (kind, rotation)): (u64, (usize, Rotation))| Some((id, kind, rotation.rates()?));
    series.rotation = memory.rotation.into_iter().filter_map(rates).collect();
    let unresolved = followed - series.rotation.len();
    if unresolved > 0 {
        left_out
            .push(format!("the rotation of {unresolved} cells: fewer than three dumps, or dumps too far apart for it"));
    }
    if nodes.is_some() && straight.is_none() {
        left_out.push("cell-free layer and viscosity: the vessel is not straight along its axis".to_owned());
    }
    if nodes.is_some() && series.common.dumps.iter().all(|dump| dump.all.discharge.is_none()) {
        left_out.push(
            "discharge hematocrit: no dump of velocity at the steps of the dumps of cells, or no net flow along the axis"
                .to_owned(),
        );
    }
    Ok(series)
}

impl Memory {
    /// Adds the cells of a dump. Returns the drift of area and volume of each.
    fn note(&mut self, setup: &Setup, at: DumpStep, all: &[Cell], shapes: &[Shape]) -> Vec<[f64; 2]> {
        let note = |(cell, shape): (&Cell, &Shape)| {
            let now = [shape.area, shape.volume];
            // Of the same dumps and cells as the means beside it.
            if at.time >= setup.common.average_from && setup.window.holds(shape.centroid) {
                let turning = self.rotation.entry(cell.id);
                let (_, rotation) = turning.or_insert_with(|| (cell.kind, Rotation::mark(cell, shape, setup.plane)));
                rotation.note(cell, shape, at.time);
            }
            if at.step < setup.reference_step {
                return [f64::NAN; 2];
            }
            let reference = self.reference.entry(cell.id).or_insert(now);
            [0, 1].map(|k| now[k] / reference[k] - 1.0)
        };
        all.iter().zip(shapes).map(note).collect()
    }
}

fn population(
    setup: &Setup,
    kind: usize,
    all: &[Cell],
    shapes: &[Shape],
    drifts: &[[f64; 2]],
    sum: CellSum,
    hematocrit: Option<f64>,
) -> Population {
    let own = || {
        let each = all.iter().zip(shapes).zip(drifts);
        each.filter(|((cell, shape), _)| cell.kind == kind && setup.window.holds(shape.centroid))
            .map(|((_, shape), drift)| (shape, drift))
    };
    let taylor = mean(own().map(|(shape, _)| shape.taylor()));
    let deviation = mean(own().map(|(shape, _)| (shape.taylor() - taylor).powi(2))).sqrt();
    // Axes have no sign, so directions are averaged by doubled angles.
    let doubled =
        |part: fn(f64) -> f64| own().map(|(shape, _)| part(2.0 * shape.inclination(setup.plane))).sum::<f64>();
    Population {
        sum,
        hematocrit,
        taylor: [taylor, deviation],
        inclination: if sum.number == 0 {
            f64::NAN
        } else {
            (0.5 * doubled(f64::sin).atan2(doubled(f64::cos))).to_degrees()
        },
        surface_drift: Drift::of(own().map(|(_, drift)| drift[0])),
        enclosed_drift: Drift::of(own().map(|(_, drift)| drift[1])),
        roughness: [
            mean(own().map(|(shape, _)| shape.roughness)),
            own().map(|(shape, _)| shape.roughness).fold(0.0, f64::max),
        ],
        extent: std::array::from_fn(|a| mean(own().map(|(shape, _)| shape.extent[a]))),
    }
}
