//! What the statistics of the cells of a run are taken over.

use hematite_cells::vector::plus;
use hematite_config::{Fault, Result};
use hematite_dump::{CellReader, FieldReader, RunRecord};
use hematite_stats::cells::cells;
use hematite_stats::cells::flow::{Window, fluid_sum};
use hematite_stats::cells::shape::Shape;
use hematite_stats::suspension::straight::{Kind, Straight};
use hematite_units::quantity::{ForceDensity, Velocity};

use crate::config::{CellsConfig, Shapes};
use crate::suspension::{self, Fluid};

/// A run's geometry and the choices made for it.
pub struct Setup<'a> {
    pub common: suspension::Setup<'a>,
    pub window: Window,
    /// The plane of angles.
    pub plane: [usize; 2],
    /// Driving pressure gradient along the axis, Pa/m, where it is steady and known.
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
            None => main_axis(record, source, dimension)?,
        };
        let infinite = |place: Option<f64>, sign: f64| place.unwrap_or(sign * f64::INFINITY);
        let (from, to) = (config.from.map(|l| l.si()), config.to.map(|l| l.si()));
        let window = Window { axis, from: infinite(from, -1.0), to: infinite(to, 1.0) };
        let fluid = Fluid::new(record, fields, "profiles and fluxes", left_out)?;
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
        let grown = record.grown.filter(|&grown| grown < last);
        Ok(Self {
            common,
            window,
            plane,
            gradient: gradient(record, axis),
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

/// The axis of the pressure gradient, or else that along which walls move, or else the one along which cells move fastest at the last dump.
fn main_axis(record: &RunRecord, source: &CellReader, dimension: usize) -> Result<usize> {
    let largest = |v: [f64; 3]| (0..dimension).max_by(|&a, &b| v[a].abs().total_cmp(&v[b].abs())).unwrap_or(0);
    let drive: [f64; 3] = std::array::from_fn(|axis| gradient(record, axis).unwrap_or(0.0));
    if let Some(known) = [drive, wall_speeds(record)].into_iter().find(|v| *v != [0.0; 3]) {
        return Ok(largest(known));
    }
    let frame = source.frame(source.steps().len() - 1)?;
    let all = cells(source.kinds(), &frame)?;
    Ok(largest(all.iter().map(|cell| Shape::of(cell).flux).fold([0.0; 3], plus)))
}

/// The largest speed of a moving wall along each axis, m/s.
fn wall_speeds(record: &RunRecord) -> [f64; 3] {
    let openings = record.config["openings"].as_object();
    let walls = openings.into_iter().flat_map(|openings| openings.values()).map(|opening| &opening["wall_velocity"]);
    walls.fold([0.0; 3], |largest, wall| {
        std::array::from_fn(|axis| {
            let speed = wall[axis].as_str().and_then(|text| text.parse::<Velocity>().ok());
            speed.map_or(largest[axis], |speed| speed.si().abs().max(largest[axis]))
        })
    })
}

/// Pressure drop and body force along an axis, Pa/m; `None` where they are 0 or change with time.
fn gradient(record: &RunRecord, axis: usize) -> Option<f64> {
    let drive = &record.config["drive"];
    let force = drive["force"][axis].as_str().and_then(|text| text.parse::<ForceDensity>().ok());
    let gradient = record.pressure_drop[axis] + force.map_or(0.0, |force| force.si());
    let steady = drive["waveform"].is_null() || drive["waveform"] == "constant";
    (steady && gradient != 0.0).then_some(gradient)
}

fn shear_plane(axis: usize, straight: Option<&Straight>, dimension: usize) -> [usize; 2] {
    match straight.map(|straight| straight.kind) {
        Some(Kind::Channel { across, .. }) => [axis, across],
        _ => [axis, (axis + 1) % dimension],
    }
}
