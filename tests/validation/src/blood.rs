//! Cells as configs prescribe them, seeded in a domain, and the fluid around them.

use std::path::Path;

use hematite_case::{Lattice, PopulationConfig, SeedingConfig, seed};
use hematite_comm::Solo;
use hematite_config::Result;
use hematite_dump::{CellFrame, CellKind, Grid};
use hematite_engine::sites::SiteMap;
use hematite_geometry::Domain;
use physics_cells::config::CellsConfig;
use physics_cells::{Immersion, Surroundings, Suspension, THICKENING};
use physics_lattice_boltzmann::{Immersed, Moment, Plan};
use serde_json::Value;

use crate::planned::{filed, plan, section};
use crate::{Context, Flow, Inside};

/// Cells in a fluid on one device.
pub struct Blood {
    /// The fluid.
    pub flow: Flow,
    /// The physics.
    pub plan: Plan,
    /// What the cells are.
    pub kinds: Vec<CellKind>,
    cells: Suspension,
    spacing: f64,
}

impl Blood {
    /// Seeds `domain` with the "populations" (an array) and "seeding" of `config`, which are those of a case's config, and
    /// puts it on the device with the "fluid", "time", "drive" and "cells" of a run's. Fluid and cells are at rest. The
    /// grid holds the nodes in the order of [`Flow::centre`].
    ///
    /// # Errors
    /// Those of the configs; where the device lacks room.
    pub fn new(context: &Context, (inside, domain): &(Inside, Domain), config: &Value) -> Result<(Self, Grid)> {
        let lattice = Lattice::build(domain)?;
        let wanted: Vec<PopulationConfig> = section(config, "populations")?.unwrap_or_default();
        let seeding: SeedingConfig = section(config, "seeding")?.unwrap_or_default();
        let populations = seed(&lattice, Path::new(""), &wanted, &seeding, &|_| ())?;
        let (folder, case) = filed(&lattice, &populations)?;
        let (part, header) = (case.part(1, 0)?, case.header());
        let plan = plan(config, folder.path(), header)?;
        let cells: CellsConfig = section(config, "cells")?.unwrap_or_default();
        let immersion = Immersion::new(&cells, &plan.medium(), header, &populations)?;
        let mut parameters = plan.parameters(header, &part)?;
        parameters.walls = plan.walls(&case, &part)?;
        let rates: Vec<[f64; 2]> =
            immersion.parameters.contrasts().iter().map(|&contrast| plan.rates(contrast)).collect();
        parameters.immersed = Some(Immersed::with(&rates));

        let own = part.position[..part.own].to_vec();
        let grid = Grid {
            dimension: header.set.dimension(),
            spacing: header.spacing,
            origin: header.origin,
            id: part.id[..part.own].to_vec(),
            position: own.clone(),
        };
        let rows = plan.clone();
        let flow = Flow::of_part(context, *inside, part, &parameters, move |t| rows.row(t))?;

        let gpu = context.gpu(plan.precision());
        let of = immersion.parameters.clone();
        let mut builder = SiteMap::builder(of.dimension, &own, of.map_margin(), of.extent, of.periodic);
        builder.add_fluid(&own);
        let wall_distance = builder.distances(of.wall_reach(), THICKENING, |_| true, |_| false);
        let around = Surroundings { own, map: builder.build(gpu)?, wall_distance, gates: Vec::new() };
        let cells = Suspension::new(gpu, &Solo, of, flow.shared(), around, 0, immersion.at_start(&populations))?;
        let kind = |population: &hematite_case::Population| CellKind {
            name: population.name.clone(),
            vertices: population.surface.vertices.len(),
            triangles: population.surface.triangles.clone(),
        };
        let kinds = populations.iter().map(kind).collect();
        Ok((Self { flow, plan, kinds, cells, spacing: header.spacing }, grid))
    }

    /// Does `steps` time steps.
    ///
    /// # Errors
    /// When the device is lost or a cell breaks.
    pub fn advance(&mut self, steps: u64) -> Result<()> {
        self.flow.advance_with(&mut self.cells, steps)
    }

    /// The velocity at each node, m/s: x, y, z.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn velocity(&mut self) -> Result<Vec<f64>> {
        let mut velocity = self.flow.moment(Moment::Velocity)?;
        velocity.iter_mut().for_each(|u| *u *= self.plan.units.velocity());
        Ok(velocity)
    }

    /// The cells now in SI; those that have gone through periodic faces are not moved back.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn frame(&self) -> Result<CellFrame> {
        let step = self.flow.step();
        let snapshot = self.cells.snapshot(step)?;
        let (units, axes) = (&self.plan.units, self.axes());
        let metres = |x: &[f64; 3]| std::array::from_fn(|a| if a < axes { (x[a] + 0.5) * self.spacing } else { 0.0 });
        Ok(CellFrame {
            step,
            time: step as f64 * units.dt,
            image: vec![[0; 3]; snapshot.id.len()],
            id: snapshot.id,
            kind: snapshot.kind,
            position: snapshot.position.iter().map(metres).collect(),
            velocity: snapshot.velocity.iter().map(|u| u.map(|u| (u * units.velocity()) as f32)).collect(),
            force: snapshot.force.iter().map(|f| f.map(|f| (f * units.force()) as f32)).collect(),
        })
    }

    /// How many vertices all cells have.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn vertices(&self) -> Result<usize> {
        Ok(self.frame()?.position.len())
    }

    fn axes(&self) -> usize {
        if self.kinds.iter().all(|kind| kind.triangles.is_empty()) { 2 } else { 3 }
    }
}
