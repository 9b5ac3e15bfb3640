//! One pass over the dumps of cells.

use std::collections::BTreeMap;

use hematite_config::Result;
use hematite_dump::DumpStep;
use hematite_stats::cells::flow::{CellSum, FluidSum, cell_sums, fluid_sum};
use hematite_stats::cells::free_layer::{FreeLayer, free_layer};
use hematite_stats::cells::occupancy::occupancy;
use hematite_stats::cells::rotation::{Rates, Rotation};
use hematite_stats::cells::shape::Shape;
use hematite_stats::cells::{Cell, cells};

use super::CellSource;
use super::setup::Setup;
use crate::config::Shapes;
use crate::suspension::mean;
use crate::suspension::profile::Hematocrit;

/// What the dumps say, one after the other.
pub struct Series {
    pub dumps: Vec<Dump>,
    /// For each of the setup's bins.
    pub profiles: Vec<ProfileSeries>,
    pub shapes: Vec<ShapeRow>,
    pub rotation: Vec<(u64, usize, Rates)>,
    /// Cells whose rotation the dumps are too far apart for.
    pub unresolved: usize,
    /// Largest share of cell volume that lay outside the fluid nodes.
    pub outside: f64,
}

/// One dump.
pub struct Dump {
    pub at: DumpStep,
    /// Whether means are taken over it.
    pub averaged: bool,
    pub hematocrit: Option<f64>,
    pub discharge: Option<f64>,
    /// m3/s; in 2-D m2/s.
    pub flow_rate: Option<f64>,
    pub free_layer: Option<FreeLayer>,
    pub populations: Vec<Population>,
}

/// One population in one dump, cells inside the window. Means over its cells.
#[derive(Clone, Copy, Debug, Default)]
pub struct Population {
    pub sum: CellSum,
    pub hematocrit: Option<f64>,
    pub taylor: [f64; 2],
    /// Degrees; the mean direction of axes that have no sign.
    pub inclination: f64,
    pub surface_drift: Drift,
    pub enclosed_drift: Drift,
    /// Mean and largest.
    pub roughness: [f64; 2],
    /// Length of the box along the axes, m.
    pub extent: [f64; 3],
}

/// Relative change since the reference.
#[derive(Clone, Copy, Debug, Default)]
pub struct Drift {
    pub mean: f64,
    /// The largest, with its sign.
    pub largest: f64,
}

impl Drift {
    fn of(values: impl Iterator<Item = f64> + Clone) -> Self {
        let largest = values.clone().fold(0.0, |most: f64, v| if v.abs() > most.abs() { v } else { most });
        Self { mean: mean(values), largest }
    }
}

/// Samples of a profile: dump after dump, bin after bin.
pub struct ProfileSeries {
    pub hematocrit: Hematocrit,
    pub velocity: Vec<Vec<f64>>,
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

/// What is known of each cell from earlier dumps.
#[derive(Default)]
struct Memory {
    /// Area and volume of reference.
    reference: BTreeMap<u64, [f64; 2]>,
    rotation: BTreeMap<u64, (usize, Rotation)>,
}

/// Goes through the dumps.
pub fn reduce(setup: &Setup, source: &CellSource, left_out: &mut Vec<String>) -> Result<Series> {
    let kinds = source.reader.kinds();
    let empty = || ProfileSeries { hematocrit: Hematocrit::new(kinds.len()), velocity: Vec::new() };
    let mut series = Series {
        dumps: Vec::new(),
        profiles: setup.bins.iter().map(|_| empty()).collect(),
        shapes: Vec::new(),
        rotation: Vec::new(),
        unresolved: 0,
        outside: 0.0,
    };
    let mut memory = Memory::default();
    let lumen = setup.lumen();
    let last = source.reader.steps().len() - 1;
    for (number, &at) in source.reader.steps().iter().enumerate() {
        let frame = source.reader.frame(number)?;
        let all = cells(kinds, &frame)?;
        let shapes: Vec<Shape> = all.iter().map(Shape::of).collect();
        let averaged = at.time >= setup.average_from;
        let drifts = memory.note(setup, at, &all, &shapes);
        let sums = cell_sums(&all, &shapes, kinds.len(), &setup.window);
        let velocity = setup.fluid.velocity(at.step)?;
        let nodes = setup.fluid.nodes.as_ref();
        let fluid = nodes.zip(velocity.as_deref()).map(|(nodes, u)| fluid_sum(nodes, Some(u), &setup.window));
        let hematocrit = |sum: &CellSum| lumen.map(|lumen| sum.volume / lumen);
        let layer = nodes.zip(setup.straight.as_ref());
        series.dumps.push(Dump {
            at,
            averaged,
            hematocrit: lumen.map(|volume| FluidSum { volume, flux: 0.0 }.tube_hematocrit(&sums)),
            discharge: fluid.map(|fluid| fluid.discharge_hematocrit(&sums)),
            flow_rate: fluid.zip(setup.straight).map(|(fluid, straight)| fluid.flux / fluid.volume * straight.section),
            free_layer: layer.and_then(|(nodes, straight)| free_layer(nodes, straight, &all, &setup.window)),
            populations: (0..kinds.len())
                .map(|kind| population(setup, kind, &all, &shapes, &drifts, sums[kind], hematocrit(&sums[kind])))
                .collect(),
        });
        if averaged {
            profiles(setup, &all, velocity.as_deref(), &mut series);
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
    for (id, (kind, rotation)) in memory.rotation {
        match rotation.rates() {
            Some(rates) => series.rotation.push((id, kind, rates)),
            None => series.unresolved += 1,
        }
    }
    if series.unresolved > 0 {
        let number = series.unresolved;
        left_out.push(format!("the rotation of {number} cells: fewer than three dumps, or dumps too far apart for it"));
    }
    if setup.straight.is_none() {
        left_out.push("cell-free layer and viscosity: the vessel is not straight along its axis".to_owned());
    }
    if setup.fluid.nodes.is_some() && series.dumps.iter().all(|dump| dump.discharge.is_none()) {
        left_out.push("discharge hematocrit: no dump of velocity at the steps of the dumps of cells".to_owned());
    }
    Ok(series)
}

impl Memory {
    /// Notes the cells of a dump; gives the drift of area and volume of each.
    fn note(&mut self, setup: &Setup, at: DumpStep, all: &[Cell], shapes: &[Shape]) -> Vec<[f64; 2]> {
        let note = |(cell, shape): (&Cell, &Shape)| {
            let now = [shape.area, shape.volume];
            let turning = self.rotation.entry(cell.id);
            let (_, rotation) = turning.or_insert_with(|| (cell.kind, Rotation::mark(cell, shape, setup.plane)));
            rotation.note(cell, shape, at.time);
            if at.step < setup.reference_step {
                return [f64::NAN; 2];
            }
            let reference = self.reference.entry(cell.id).or_insert(now);
            [0, 1].map(|k| now[k] / reference[k] - 1.0)
        };
        all.iter().zip(shapes).map(note).collect()
    }
}

fn profiles(setup: &Setup, all: &[Cell], velocity: Option<&[f64]>, series: &mut Series) {
    let Some(nodes) = &setup.fluid.nodes else { return };
    if setup.bins.is_empty() {
        return;
    }
    let filled = occupancy(nodes, all, setup.names.len());
    series.outside = series.outside.max(filled.outside);
    for (bins, profile) in setup.bins.iter().zip(&mut series.profiles) {
        profile.hematocrit.push(bins, &filled);
        if let Some(u) = velocity {
            profile.velocity.push(bins.means(u.chunks_exact(3).map(|u| u[setup.window.axis])));
        }
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
    // Axes have no sign: the mean direction of doubled angles.
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
