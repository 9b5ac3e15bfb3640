//! What the ledger measures beside masses and counts, and the state of the fluid that it comes from.

use std::ops::Range;

use hematite_comm::{Comm, agree};
use hematite_config::{Fault, Result};
use hematite_dump::Column;
use hematite_engine::Ground;
use hematite_geometry::OpeningKind;

use crate::directions::lets_in;
use crate::scene::Scene;
use crate::{Extremes, Fluid, Monitor, OutletReading, Outlets, Passing, WallForce, wall_parts};

/// What was found at a step, all ranks together, lattice units.
#[derive(Clone, Debug, Default)]
pub(crate) struct Look {
    /// Time steps done.
    pub step: u64,
    /// The fluid nodes.
    pub fluid: Monitor,
    /// The nodes beyond immersed walls.
    pub beyond_walls: Monitor,
    /// Each opening of the case; none where they were not looked at.
    pub passing: Vec<Passing>,
    /// The force on each part of the wall that is asked for; none where it was not looked at.
    pub forces: Vec<WallForce>,
    /// The outlets whose pressure follows from the flow, SI; none where they were not looked at.
    pub outlets: Vec<OutletReading>,
}

impl Look {
    /// Looks at all nodes. Collective.
    ///
    /// # Errors
    /// When the device or a rank is lost.
    pub fn at(comm: &dyn Comm, scene: &Scene, ground: &Ground, fluid: &mut Fluid) -> Result<Self> {
        let row = scene.plan.row(fluid.step());
        let mut all = |nodes: [Range<usize>; 2]| {
            let [interior, interface] = nodes.map(|nodes| fluid.monitor_of(nodes, &row));
            let own = interior.and_then(|interior| Ok(interior.plus(interface?)));
            summed(comm, agree(comm, own)?)
        };
        let (own, beyond_walls) = (all(ground.fluid_nodes())?, all(ground.layer_nodes())?);
        Ok(Self { step: fluid.step(), fluid: own, beyond_walls, ..Self::default() })
    }

    /// The same with what a line of the ledger has of openings and walls. Collective.
    ///
    /// # Errors
    /// When the device or a rank is lost.
    pub fn for_ledger(mut self, comm: &dyn Comm, scene: &Scene, fluid: &mut Fluid, outlets: &Outlets) -> Result<Self> {
        let row = scene.plan.row(fluid.step());
        let own = agree(comm, fluid.passing(&row))?;
        let mut numbers: Vec<i64> = own.into_iter().flat_map(Passing::numbers).collect();
        comm.sum(&mut numbers)?;
        self.passing = numbers.as_chunks().0.iter().map(|&numbers| Passing::of(numbers)).collect();
        self.forces = fluid.wall_forces(comm)?;
        self.outlets = outlets.readings(self.step).collect();
        Ok(self)
    }

    /// Speed and density deviation, those beyond immersed walls too.
    pub fn extremes(&self) -> Extremes {
        let both = self.fluid.plus(self.beyond_walls);
        Extremes { step: self.step, speed: both.speed, deviation: both.deviation }
    }

    /// The fault of a state that is beyond the method.
    pub fn fault(&self) -> Option<Fault> {
        let extremes = self.extremes();
        (extremes.beyond() || self.fluid.broken + self.beyond_walls.broken > 0).then(|| extremes.fault())
    }
}

/// That of all ranks.
fn summed(comm: &dyn Comm, own: Monitor) -> Result<Monitor> {
    let mut exact = [own.coarse_mass, own.fine_mass, own.broken as i64];
    let mut largest = [own.speed, own.deviation];
    comm.sum(&mut exact)?;
    comm.max(&mut largest)?;
    let ([coarse_mass, fine_mass, broken], [speed, deviation]) = (exact, largest);
    Ok(Monitor { coarse_mass, fine_mass, speed, deviation, broken: broken as u64 })
}

/// The columns of the ledger, each with its number in SI at a line. The columns are the same whatever was found.
///
/// - `largest_speed_m_per_s`: of all fluid nodes;
/// - `density_deviation_kg_per_m3`: the largest magnitude of the density's deviation from that at rest;
/// - `flow_m3_per_s:OPENING`, for each opening that is no wall: flow rate into the domain at this step, by the velocities of
///   the opening's nodes; in 2-D of a slab one lattice spacing deep. What came in between two lines is in the columns `in_kg`;
/// - `backflow_share:OPENING`: share of the opening's nodes, and so of its area, where the fluid flows against the direction
///   that is prescribed ([`lets_in`]), or where none is, against that of the flow through the opening as a whole;
/// - `outlet_pressure_Pa:OPENING`, `outflow_m3_per_s:OPENING` (2-D: `outflow_m2_per_s`) and `stored_pressure_Pa:OPENING`, for
///   each outlet whose pressure follows from the flow: its pressure, the mean flow out that it follows, and the pressure on
///   its compliance.
pub(crate) fn measured(scene: &Scene, look: &Look) -> Vec<(Column, f64)> {
    let units = &scene.plan.units;
    let mut all = vec![
        (Column::new("largest_speed_m_per_s"), look.fluid.speed * units.velocity()),
        (Column::new("density_deviation_kg_per_m3"), look.fluid.deviation * units.rho0),
    ];
    let row = scene.plan.row(look.step);
    for (k, opening) in scene.header.openings.iter().enumerate().filter(|(_, it)| it.kind != OpeningKind::Wall) {
        let passing = look.passing.get(k).copied().unwrap_or_default();
        let flow = passing.flow() * units.velocity() * units.dx * units.dx;
        all.push((Column::of("flow_m3_per_s", &opening.name), flow));
        all.push((Column::of("backflow_share", &opening.name), passing.backflow(lets_in(scene, &row, k))));
    }
    let flow = if scene.header.set.dimension() == 2 { "outflow_m2_per_s" } else { "outflow_m3_per_s" };
    for (k, name) in scene.plan.outlets().names().enumerate() {
        let OutletReading { pressure, flow: rate, stored } = look.outlets.get(k).copied().unwrap_or_default();
        let named = [("outlet_pressure_Pa", pressure), (flow, rate), ("stored_pressure_Pa", stored)];
        all.extend(named.map(|(quantity, value)| (Column::of(quantity, name), value)));
    }
    all.extend(wall_parts::measured(scene, &look.forces));
    all
}

/// The columns alone.
pub(crate) fn columns(scene: &Scene) -> Vec<Column> {
    measured(scene, &Look::default()).into_iter().map(|(column, _)| column).collect()
}
