//! The fluid of a run: from its config and its case onto the device.

use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

use hematite_case::{Case, Layer};
use hematite_cells::vector::length;
use hematite_comm::{Comm, agree};
use hematite_config::{Fault, Result};
use hematite_dump::{Column, Field, OpeningRecord, RunRecord};
use hematite_engine::{
    DriveConfig, Figure, FluidNeeds, Ground, InitialConfig, Method, Physics, Planned, Planning, Precision, Saved,
    SharedData, StateHeader, Support, Table, TimeConfig,
};
use hematite_geometry::OpeningKind;
use hematite_gpu::Gpu;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::config::{FluidConfig, FluidSection, ForceConfig, OpeningCondition};
use crate::equilibrium::State;
use crate::figures::narrow_advice;
use crate::outlets::record;
use crate::physics::Note;
use crate::scene::Scene;
use crate::{
    Around, Domain, Fluid, HeldPoints, Immersed, LatticeBoltzmann, Parameters, Plan, WALLS, WallLinks, WallMethod,
    Walls, least_bytes, ledger, wall_parts,
};

/// What a run's config says of the fluid and what drives it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FlowSections {
    /// The fluid.
    #[serde(default)]
    pub fluid: FluidSection,
    /// What is prescribed at each opening of the case, by name.
    #[serde(default)]
    pub openings: BTreeMap<String, OpeningCondition>,
    /// Parts of the wall on which the force and torque of the fluid are taken down, in the lines of the ledger (see `monitor`):
    /// by name, one of "wall_parts" in the CASE.json, an opening of kind "wall", or "walls", which is the wall as a whole, e.g.
    /// {"cylinder": {}, "walls": {"about": ["0 m", "0 m"]}}. They are those of the last time step before the line; the line
    /// of step 0 has none and holds 0. The pressure of the fluid at rest is left out. Default: all "wall_parts".
    #[serde(default)]
    pub forces: Option<BTreeMap<String, ForceConfig>>,
    /// Body force or pressure drop.
    #[serde(default)]
    pub drive: DriveConfig,
    /// The fluid at the start; at rest by default.
    #[serde(default)]
    pub initial: InitialConfig,
}

/// The one key of cells that immersed walls share.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
struct KernelSection {
    #[serde(default)]
    cells: Kernel,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
struct Kernel {
    #[serde(default = "Kernel::points")]
    kernel: u8,
}

impl Kernel {
    fn points() -> u8 {
        2
    }
}

impl Default for Kernel {
    fn default() -> Self {
        Self { kernel: Self::points() }
    }
}

/// The fluid of a run in lattice units.
pub struct PlannedFlow {
    scene: Scene,
    /// For this rank's part, once it has one.
    parameters: Option<Parameters>,
    /// Whose force is taken down.
    forces: Option<BTreeMap<String, ForceConfig>>,
    /// Velocity at the start, lattice units.
    initial: [f64; 3],
    support: Support,
    /// Needs of the suspended members.
    immersed: Option<Immersed>,
    domain: Domain,
    /// What is to be said beside the plan's advice.
    notes: Vec<String>,
}

impl PlannedFlow {
    /// Resolves `config`, at `path`, with its `fluid` for a case; immersed walls have a kernel of so many points.
    ///
    /// # Errors
    /// A usage fault with key, value, limit and remedy for whatever cannot work.
    pub fn new(
        path: &Path,
        fluid: &FluidConfig,
        time: &TimeConfig,
        config: &FlowSections,
        kernel: u8,
        case: &Case,
    ) -> Result<Self> {
        let header = case.header();
        let mut plan = Plan::new(path, fluid, time, &config.openings, &config.drive, header)?;
        let mut notes = plan.find_profiles(case)?;
        let dimension = header.set.dimension();
        let initial = config.initial.velocity(dimension)?.map(|u| u / plan.units.velocity());
        notes.extend(narrow_advice(header, plan.units.dx));
        let waveforms = plan.conditions().iter().map(|c| (format!("openings.{}", c.name), &c.waveform));
        let waveforms = waveforms.chain([("drive".to_owned(), plan.drive())]);
        notes.extend(waveforms.filter_map(|(what, waveform)| waveform.advice(&what, plan.units.dt)));
        Ok(Self {
            scene: Scene {
                plan,
                header: header.clone(),
                conditions: config.openings.clone(),
                collision: fluid.collision,
                expected: None,
                forces: Vec::new(),
                grown: 0,
                memory: Rc::default(),
            },
            parameters: None,
            forces: config.forces.clone(),
            initial,
            support: Support::of(kernel)?,
            immersed: None,
            domain: Domain::default(),
            notes,
        })
    }

    /// The nodes beyond the walls of `case`, where these are immersed.
    fn layer(&self, case: &Case) -> Result<Option<Layer>> {
        if self.scene.plan.wall_method() != WallMethod::Immersed {
            return Ok(None);
        }
        let layer = case.layer()?;
        layer.map(Some).ok_or_else(|| {
            Fault::usage(
                "fluid.lattice_boltzmann.walls \"immersed\": the case holds no nodes beyond its walls: make it again with \
                 \"walls\": {\"spacing\": 0.75} in its CASE.json (a domain without walls has none), or take \"half_way\" or \
                 \"interpolated\"",
            )
        })
    }

    /// What the fluid of the part at hand needs to know.
    fn parameters(&self) -> Result<Parameters> {
        let parameters = self.parameters.clone().ok_or_else(|| Fault::usage("the fluid has no part yet"))?;
        Ok(Parameters { immersed: self.immersed, ..parameters })
    }

    /// How walls act on the fluid at the nodes of the part. Collective.
    fn walls(&self, comm: &dyn Comm, ground: &Ground, case: &Case) -> Result<Walls> {
        let plan = &self.scene.plan;
        let walls = agree(comm, plan.walls(case, &ground.part))?;
        let Some(layer) = &ground.layer else { return Ok(walls) };
        let points = agree(comm, case.wall_points())?;
        let space = ground.space();
        let around = Around {
            dimension: space.dimension,
            extent: space.extent,
            periodic: space.periodic,
            support: self.support,
            magic: plan.magic(),
        };
        let mut builder = HeldPoints::builder(around, &points, ground.own_positions());
        agree(comm, case.each_position(|positions| builder.add_nodes(positions)))?;
        builder.add_nodes(&layer.position);
        Ok(Walls::Immersed(builder.build(comm)?))
    }

    /// What an estimate of the flow needs to know. Collective.
    fn domain(&self, comm: &dyn Comm, ground: &Ground, parameters: &Parameters) -> Result<Domain> {
        let header = &ground.header;
        let mut nodes = [ground.fluid_nodes().into_iter().flatten().count() as i64];
        let mut peaks = self.scene.plan.peaks(&parameters.openings);
        comm.sum(&mut nodes)?;
        comm.max(&mut peaks)?;
        let face = header.spacing.powi(header.set.dimension() as i32 - 1);
        let moving = header.openings.iter().filter(|opening| opening.kind == OpeningKind::Wall);
        let wall_area = header.geometry.wall_area.unwrap_or(0.0) / face + moving.map(|wall| wall.area).sum::<f64>();
        Ok(Domain { nodes: nodes[0], wall_area, peaks, start: length(self.initial) })
    }

    /// The state in a checkpoint back into `flow`. Collective.
    fn restore(&self, comm: &dyn Comm, ground: &Ground, flow: &mut LatticeBoltzmann, saved: &dyn Saved) -> Result<()> {
        let note: Note = agree(comm, saved.header().note(self.name()))?;
        agree(comm, record::restore(&mut flow.outlets, &note.outlets, &saved.header().source))?;
        let fluid = &mut flow.fluid;
        for i in 0..ground.header.set.q() {
            let bits = saved.own(&Note::population(i))?;
            agree(comm, fluid.restore_populations(i, &bits.bytes()))?;
        }
        let openings = 0..ground.part.openings.len();
        let ledger =
            openings.map(|k| saved.some(&Note::opening(k), &ground.opening_ids(k))).collect::<Result<Vec<_>>>()?;
        agree(comm, fluid.restore_ledger(saved.header().step, &ledger))?;
        if self.scene.plan.wall_method() == WallMethod::Interpolated {
            let ids = fluid.wall_nodes().iter().map(|&node| ground.part.id[node as usize]).collect::<Vec<_>>();
            let ledger = saved.some(WALLS, &ids)?;
            agree(comm, fluid.restore_wall_ledger(&ledger))?;
        }
        if fluid.has_marks() {
            let marks = saved.own(Note::MARKS)?;
            agree(comm, fluid.restore_marks(&bytemuck::pod_collect_to_vec::<u8, u32>(&marks.bytes())))?;
        }
        Ok(())
    }
}

impl Planned for PlannedFlow {
    fn name(&self) -> &'static str {
        Note::NAME
    }

    fn report(&self) -> Vec<(&'static str, String)> {
        let plan = &self.scene.plan;
        let mut report =
            vec![("time", format!("{} steps of {:.4e} s, tau {:.4}", plan.steps, plan.units.dt, plan.tau))];
        if let Some(expected) = &self.scene.expected {
            report.push(("speed", format!("{:.3e} m/s, {}", expected.speed * plan.units.velocity(), expected.from)));
        }
        report.push(("precision", plan.precision().name().to_owned()));
        let outlets = plan.outlets();
        let names: Vec<&str> = outlets.names().collect();
        if !names.is_empty() {
            let text = format!("{}: the pressure follows the flow, every {} steps", names.join(", "), outlets.every());
            report.push(("outlets", text));
        }
        report
    }

    fn advice(&self) -> Vec<String> {
        let plan = &self.scene.plan;
        let filling = crate::filling::advice(plan.conditions(), plan.steps, plan.units.dt, self.domain.nodes as f64);
        [plan.advice(), filling.into_iter().collect(), self.notes.clone()].concat()
    }

    fn figures(&self) -> Vec<Figure> {
        let Scene { plan, header, expected, conditions, .. } = &self.scene;
        plan.figures(header, &self.domain, expected.as_ref(), conditions)
    }

    fn events(&self) -> Vec<Value> {
        wall_parts::events(&self.scene.header, &self.scene.forces)
    }

    fn write_down(&self, record: &mut RunRecord) {
        let (plan, header) = (&self.scene.plan, &self.scene.header);
        record.velocity_set = format!("{:?}", header.set);
        (record.dx, record.dt, record.rho0) = (plan.units.dx, plan.units.dt, plan.units.rho0);
        (record.nu, record.tau, record.steps) = (plan.nu, plan.tau, Some(plan.steps));
        record.precision = plan.precision().name().to_owned();
        record.pressure_drop = plan.pressure_drop;
        let opening = |opening: &hematite_case::OpeningHeader| OpeningRecord {
            name: opening.name.clone(),
            kind: format!("{:?}", opening.kind).to_lowercase(),
        };
        record.openings = header.openings.iter().map(opening).collect();
    }

    fn tables(&self) -> Vec<Table<'_>> {
        self.scene.plan.tables()
    }

    /// Lets something be suspended in the fluid: what takes velocities from its nodes and leaves forces there.
    fn provide(&mut self, needs: &FluidNeeds) {
        let plan = &self.scene.plan;
        let rates: Vec<[f64; 2]> = needs.contrasts.iter().map(|&contrast| plan.rates(contrast)).collect();
        let advice = needs.contrasts.iter().filter_map(|&contrast| plan.contrast_advice(contrast, needs.mark_every));
        self.notes.extend(advice);
        self.immersed = Some(Immersed::with(&rates));
        self.scene.grown = self.scene.grown.max(needs.grown.unwrap_or(0));
    }

    fn divide(&mut self, comm: &dyn Comm, ground: &Ground) -> Result<()> {
        let case = agree(comm, ground.file())?;
        let (plan, first) = (&self.scene.plan, self.parameters.is_none());
        let mut parameters = agree(comm, plan.parameters(&ground.header, &ground.part))?;
        parameters.walls = self.walls(comm, ground, &case)?;
        self.scene.forces = wall_parts::parts(comm, &case, self.forces.as_ref(), &self.scene.plan, &ground.part)?;
        if first {
            self.scene.plan.check_mach("initial.velocity", length(self.initial))?;
            self.domain = self.domain(comm, ground, &parameters)?;
            self.scene.expected = self.scene.plan.expected(&ground.header, &self.domain);
        }
        self.parameters = Some(parameters);
        Ok(())
    }

    fn least_bytes(&self, ground: &Ground) -> [u64; 2] {
        self.parameters().map_or([0; 2], |parameters| least_bytes(&ground.part, &parameters))
    }

    fn state_bytes(&self, nodes: u64) -> f64 {
        let values = nodes * self.scene.header.set.q() as u64;
        (values * self.scene.plan.precision().stored_bytes() as u64) as f64
    }

    fn fields(&self) -> Vec<Field> {
        Field::FLUID.to_vec()
    }

    fn precision(&self) -> Option<Precision> {
        Some(self.scene.plan.precision())
    }

    fn entries(&self) -> Vec<String> {
        let openings = self.scene.header.openings.iter().map(|opening| opening.name.clone());
        openings.chain(self.scene.plan.walls_give_mass().then(|| WALLS.to_owned())).collect()
    }

    fn columns(&self) -> Vec<Column> {
        ledger::columns(&self.scene)
    }

    fn fits(&self, saved: &StateHeader, nodes: u64) -> Result<()> {
        let (before, plan, source) = (saved.note::<Note>(self.name())?, &self.scene.plan, &saved.source);
        if before.precision != plan.precision().name() {
            return Err(Fault::usage(format!(
                "{source} holds precision {}, the run asks for precision {}",
                before.precision,
                plan.precision().name()
            )));
        }
        if saved.nodes == nodes {
            return Ok(());
        }
        Err(Fault::usage(format!(
            "{source} holds {} nodes, the run steps {nodes}, those beyond immersed walls included: go on with the same \"fluid.lattice_boltzmann.walls\", \
             now \"{}\"",
            saved.nodes,
            plan.wall_method().name()
        )))
    }

    fn bears(&self, saved: &StateHeader) -> Result<()> {
        let (before, plan, source) = (saved.note::<Note>(self.name())?, &self.scene.plan, &saved.source);
        let now = Note::of(plan, &plan.outlets(), self.immersed.is_some_and(|immersed| immersed.has_contrast()));
        if !before.scale.is(&now.scale) {
            return Err(Fault::usage(format!(
                "{source} holds a state in lattice units of another fluid or time step ({}; now {}): go on with the same \
                 \"fluid.lattice_boltzmann.density\", \"fluid.lattice_boltzmann.viscosity\" and \"time\", or start anew into another folder with -o",
                before.scale, now.scale
            )));
        }
        if before.walls != now.walls {
            return Err(Fault::usage(format!(
                "{source} is of a run with \"fluid.lattice_boltzmann.walls\": \"{}\", now \"{}\": go on with the same, or begin anew into another folder \
                 by -o",
                before.walls, now.walls
            )));
        }
        if (before.has_marks, now.has_marks) == (Some(false), Some(true)) {
            return Err(Fault::usage(format!(
                "{source} has no marks of nodes inside cells, which \"contrast\" in \"cells.mechanics\" now needs: leave it at 1, or start \
                 anew into another folder with -o"
            )));
        }
        record::restore(&mut plan.outlets(), &before.outlets, source)
    }

    fn build(
        &self,
        gpu: &Gpu,
        comm: &dyn Comm,
        ground: &mut Ground,
        shared: &mut SharedData,
        saved: Option<&dyn Saved>,
    ) -> Result<Box<dyn Physics>> {
        let make = |ground: &mut Ground| {
            let mut fluid = Fluid::new(gpu, &mut ground.part, &self.parameters()?)?;
            if !self.scene.forces.is_empty() {
                let links: Vec<WallLinks> = self.scene.forces.iter().map(|part| part.links.clone()).collect();
                fluid.weigh(&ground.part, &links)?;
            }
            Ok(fluid)
        };
        let fluid = agree(comm, make(ground))?;
        if self.immersed.is_some() {
            shared.nodes = Some(fluid.shared());
        }
        let mut flow = LatticeBoltzmann::new(fluid, self.scene.clone());
        match saved {
            Some(saved) => self.restore(comm, ground, &mut flow, saved)?,
            None => {
                let at = |n| State { drho: 0.0, u: if ground.is_beyond_walls(n) { [0.0; 3] } else { self.initial } };
                agree(comm, flow.fluid.initialise(at))?;
            }
        }
        Ok(Box::new(flow))
    }
}

/// The lattice Boltzmann fluid, as a choice of runs.
pub struct FlowMethod;

impl Method for FlowMethod {
    fn schema(&self, generator: &mut SchemaGenerator) -> Schema {
        FlowSections::json_schema(generator)
    }

    fn plan(&self, planning: &mut Planning) -> Result<()> {
        let (document, comm) = (planning.document, planning.comm);
        let sections: FlowSections = document.sections()?;
        let Some(fluid) = &sections.fluid.lattice_boltzmann else { return Ok(()) };
        planning.write_down(&sections)?;
        let KernelSection { cells: Kernel { kernel } } = document.sections()?;
        let planned = Self::planned(planning, fluid, &sections, kernel);
        let (mut flow, layer) = agree(comm, planned)?;
        let ground = planning.find_ground(layer)?;
        flow.divide(comm, &ground)?;
        let plan = &flow.scene.plan;
        let span = planning.time.fixed(plan.units.dt)?;
        planning.medium = Some(plan.medium());
        planning.shear = plan.wall_shear(&flow.scene.header, &flow.domain, flow.scene.expected.as_ref());
        planning.set_ground(ground, span)?;
        planning.planned.push(Box::new(flow));
        Ok(())
    }
}

impl FlowMethod {
    fn planned(
        planning: &Planning,
        fluid: &FluidConfig,
        sections: &FlowSections,
        kernel: u8,
    ) -> Result<(PlannedFlow, Option<Layer>)> {
        let flow = PlannedFlow::new(planning.path, fluid, &planning.time, sections, kernel, planning.case)?;
        let layer = flow.layer(planning.case)?;
        Ok((flow, layer))
    }
}
