//! The domain and the choices for the statistics of the cells of a run.

use hematite_cells::vector::plus;
use hematite_config::{Fault, Result};
use hematite_dump::{CellReader, FieldReader, RunRecord};
use hematite_stats::cells::cells;
use hematite_stats::cells::flow::{Window, fluid_sum};
use hematite_stats::cells::shape::Shape;
use hematite_stats::suspension::straight::{Kind, Straight};

use crate::config::{CellsConfig, Shapes};
use crate::suspension::drive::{driven_axis, drives, gradient, is_steady_from, largest_component};
use crate::suspension::{self, Fluid};

/// The statistics that need the velocity at all fluid nodes.
pub const LOST: &str = "profiles, cell-free layer, discharge hematocrit, flow rate and viscosity";

/// A run's geometry and the choices made for it.
pub struct Setup<'a> {
    pub common: suspension::Setup<'a>,
    pub window: Window,
    /// The plane of inclinations and rotations.
    pub plane: [usize; 2],
    /// Driving pressure gradient along the axis, Pa/m, if it is steady and known.
    pub gradient: Option<f64>,
    pub reference_step: u64,
    pub shapes: Shapes,
    pub dimension: usize,
}

impl<'a> Setup<'a> {
    pub fn new(
        record: &'a RunRecord,
        config: &CellsConfig,
        source: &CellReader,
        fields: Option<&'a FieldReader>,
        left_out: &mut Vec<String>,
    ) -> Result<Self> {
        let dimension = source.dimension();
        let axis = match config.axis {
            Some(axis) => axis as usize,
            None => main_axis(record, source)?,
        };
        let infinite = |place: Option<f64>, sign: f64| place.unwrap_or(sign * f64::INFINITY);
        let (from, to) = (config.from.map(|l| l.si()), config.to.map(|l| l.si()));
        let window = Window { axis, from: infinite(from, -1.0), to: infinite(to, 1.0) };
        let fluid = Fluid::new(record, fields, LOST, left_out)?;
        let populations = (0..source.kinds().len()).collect();
        let mut common = suspension::Setup::new(record, source, populations, fluid, Some(axis), config.average_from)?;
        if let Some(nodes) = &common.fluid.nodes {
            common.bins = common.bins.into_iter().map(|bins| bins.only(|n| window.holds(nodes.centre(n)))).collect();
            if common.bins.iter().any(|bins| bins.nodes.iter().all(|&n| n == 0)) {
                return Err(Fault::usage(format!(
                    "keys \"cells.from\", \"cells.to\": no fluid between {} m and {} m",
                    window.from, window.to
                )));
            }
        }
        let plane = config
            .plane
            .map_or_else(|| shear_plane(axis, common.straight.as_ref(), dimension), |p| p.map(|a| a as usize));
        let last = source.steps().last().map_or(0, |dump| dump.step);
        if let Some(reference) = config.reference_step.filter(|&reference| reference > last) {
            return Err(Fault::usage(format!(
                "key \"cells.reference_step\": {reference} is after the last dump, at step {last}: take that or an earlier one"
            )));
        }
        let grown = record.grown.filter(|&grown| grown < last);
        let gradient = gradient(record, axis, common.average_from);
        if gradient.is_none() && drives(record)[axis] && !is_steady_from(record, common.average_from) {
            left_out.push(
                "viscosity: the drive changes with time, by a waveform or a ramp; average after the ramp (\"average_from\")"
                    .to_owned(),
            );
        }
        Ok(Self {
            common,
            window,
            plane,
            gradient,
            reference_step: config.reference_step.or(grown).unwrap_or(0),
            shapes: config.shapes,
            dimension,
        })
    }

    /// Flow rate of the fluid without cells in the same vessel, m3/s (2-D: m2/s).
    pub fn poiseuille(&self) -> Option<f64> {
        let mu = self.common.record.rho0 * self.common.record.nu;
        self.common.straight.as_ref()?.poiseuille(self.gradient?, mu)
    }

    /// Volume of the fluid inside the window, m3 (2-D: m2).
    pub fn lumen(&self) -> Option<f64> {
        let everything = self.window == Window::everything(self.window.axis);
        let suspension::Setup { record, fluid, .. } = &self.common;
        match &fluid.nodes {
            Some(nodes) => Some(fluid_sum(nodes, None, &self.window).volume),
            None => everything.then(|| record.nodes as f64 * record.dx.powi(self.dimension as i32)),
        }
    }
}

/// The axis of the pressure gradient, or else that along which walls move, or else that along which cells move fastest
/// in the last dump.
fn main_axis(record: &RunRecord, source: &CellReader) -> Result<usize> {
    if let Some(axis) = driven_axis(record) {
        return Ok(axis);
    }
    let frame = source.frame(source.steps().len() - 1)?;
    let all = cells(source.kinds(), &frame)?;
    let flux = all.iter().map(|cell| Shape::of(cell).flux).fold([0.0; 3], plus);
    Ok(largest_component(flux).unwrap_or(0))
}

fn shear_plane(axis: usize, straight: Option<&Straight>, dimension: usize) -> [usize; 2] {
    match straight.map(|straight| straight.kind) {
        Some(Kind::Channel { across, .. }) => [axis, across],
        _ => [axis, (axis + 1) % dimension],
    }
}
