//! The rigid bodies of a run: from its config and its case into the fluid.

use hematite_case::Population;
use hematite_comm::{Comm, agree};
use hematite_config::{Fault, Result};
use hematite_engine::passage::Numbering;
use hematite_engine::sites::SiteMap;
use hematite_engine::{
    FluidNeeds, Ground, Medium, Method, Physics, Planned, Planning, Saved, SharedData, SurfaceContact,
};
use hematite_gpu::Gpu;
use hematite_units::LatticeUnits;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use crate::config::BodiesConfig;
use crate::members::Bodies;
use crate::{Entrances, Rigid, RigidBodies, State, Surroundings};

/// The rigid bodies of a run in lattice units.
pub struct PlannedBodies {
    rigid: Rigid,
    /// Which of the case's populations they are.
    numbers: Vec<usize>,
    populations: Vec<Population>,
    units: LatticeUnits,
}

impl PlannedBodies {
    /// Resolves `config` for the rigid populations of the case, among cells that have this `surface`; none where the case has none.
    /// Collective.
    ///
    /// # Errors
    /// A usage fault with key, value, limit and remedy for whatever cannot work; when a rank is lost.
    pub fn new(
        comm: &dyn Comm,
        config: &BodiesConfig,
        medium: &Medium,
        surface: Option<SurfaceContact>,
        ground: &Ground,
    ) -> Result<Option<Self>> {
        let rigid = |(_, population): &(usize, &Population)| population.rigid.is_some();
        let (numbers, populations): (Vec<usize>, Vec<Population>) =
            ground.populations.iter().enumerate().filter(rigid).map(|(k, population)| (k, population.clone())).unzip();
        let resolved = agree(comm, Rigid::new(config, medium, surface, &ground.header, &populations))?;
        let Some(mut rigid) = resolved else { return Ok(None) };
        agree(comm, refuse_beside_cells(surface.is_some(), ground))?;
        agree(comm, open(&mut rigid, config, ground, &populations))?;
        Ok(Some(Self { rigid, numbers, populations, units: medium.units }))
    }

    fn surroundings(&self, gpu: &Gpu, ground: &Ground) -> Result<Surroundings> {
        let case = ground.file()?;
        let own = ground.own_positions().to_vec();
        let parameters = &self.rigid.parameters;
        let mut builder = SiteMap::builder(3, &own, parameters.map_margin(), parameters.extent, parameters.periodic);
        case.each_position(|positions| builder.add_fluid(positions))?;
        let distances = builder.distances(parameters.wall_reach(), 0.0, ground.within_walls(), ground.open_sites());
        let gates = self.rigid.gates.clone();
        Ok(Surroundings { own, map: builder.build(gpu)?, wall_distance: Some(distances), gates })
    }

    /// The bodies of all ranks as they were saved.
    fn saved_bodies(&self, saved: &dyn Saved) -> Result<Vec<State>> {
        let mut bodies = Vec::new();
        for (population, kind) in self.populations.iter().zip(0..) {
            saved.records(&population.name, &mut |id, words| {
                let state = u32::try_from(id).ok().and_then(|id| State::from_record(id, kind, words));
                bodies.push(state.ok_or_else(|| {
                    Fault::usage(format!("{}: number {id} of {} is damaged", saved.header().source, population.name))
                })?);
                Ok(())
            })?;
        }
        Ok(bodies)
    }
}

/// Refuses what does not go with cells in the same run.
fn refuse_beside_cells(cells: bool, ground: &Ground) -> Result<()> {
    if cells && ground.layer.is_some() {
        return Err(Fault::usage(
            "immersed walls with cells and rigid bodies in one case are not possible: take \"half_way\" or \"interpolated\" for \
             \"walls\", or a case of each",
        ));
    }
    Ok(())
}

/// Finds the openings through which bodies go.
fn open(rigid: &mut Rigid, config: &BodiesConfig, ground: &Ground, populations: &[Population]) -> Result<()> {
    let Some(openings) = &ground.openings else { return Ok(()) };
    let (far, wanted) = (rigid.entrance(), |name: &str| config.inflow.contains_key(name));
    let fluid = openings.fluid_near(&ground.file()?, far, wanted)?;
    let entrances = Entrances { openings: &openings.list, sites: &openings.sites, fluid: &fluid };
    rigid.open(config, &ground.header, populations, &entrances)
}

impl Planned for PlannedBodies {
    fn name(&self) -> &'static str {
        "bodies"
    }

    fn report(&self) -> Vec<(&'static str, String)> {
        let of = |population: &Population| {
            ("bodies", format!("{} of \"{}\", rigid", population.cells.len(), population.name))
        };
        self.populations.iter().map(of).collect()
    }

    fn advice(&self) -> Vec<String> {
        self.rigid.notes.clone()
    }

    fn fluid_needs(&self) -> Option<FluidNeeds> {
        Some(FluidNeeds { mark_every: 1, ..FluidNeeds::default() })
    }

    fn build(
        &self,
        gpu: &Gpu,
        comm: &dyn Comm,
        ground: &mut Ground,
        shared: &mut SharedData,
        saved: Option<&dyn Saved>,
    ) -> Result<Box<dyn Physics>> {
        let parameters = self.rigid.parameters.clone();
        let around = agree(comm, self.surroundings(gpu, ground))?;
        let (nodes, populations) = (shared.nodes.clone(), &self.populations);
        let numbering = Numbering::new(&ground.populations, true);
        let bodies = match saved {
            None => {
                let states = self.rigid.at_start(populations);
                let mut bodies = RigidBodies::new(gpu, comm, parameters, nodes, around, 0, states)?;
                bodies.number_from(numbering);
                bodies
            }
            Some(saved) => {
                let states = agree(comm, self.saved_bodies(saved))?;
                let mut bodies = RigidBodies::new(gpu, comm, parameters, nodes, around, saved.header().step, states)?;
                let passed = populations.iter().map(|population| saved.header().passed(&population.name));
                let (inserted, left): (Vec<u64>, Vec<u64>) = passed.map(|[inserted, left]| (inserted, left)).unzip();
                if comm.rank() == 0 {
                    bodies.restore_left(&left);
                }
                let entered = agree(comm, saved.header().note::<Vec<u64>>(self.name()))?;
                bodies.number_from(numbering);
                bodies.restore_inserted(&inserted, &entered);
                bodies
            }
        };
        Ok(Box::new(Bodies::new(bodies, populations, self.numbers.clone(), self.units, ground.space())))
    }
}

/// Rigid bodies, as a choice of runs.
pub struct BodyMethod;

/// What it reads.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Sections {
    /// The rigid bodies of the case: how they meet the fluid and each other.
    #[serde(default)]
    bodies: BodiesConfig,
}

impl Method for BodyMethod {
    fn schema(&self, generator: &mut SchemaGenerator) -> Schema {
        Sections::json_schema(generator)
    }

    fn plan(&self, planning: &mut Planning) -> Result<()> {
        if planning.fluid()?.is_none() {
            return Ok(());
        }
        let sections: Sections = planning.read_sections()?;
        let Some((ground, medium)) = planning.fluid()? else { return Ok(()) };
        let bodies = PlannedBodies::new(planning.comm, &sections.bodies, medium, planning.surface, ground)?;
        if bodies.is_none() {
            planning.tell_idle("bodies", &[], "rigid bodies");
        }
        planning.planned.extend(bodies.map(|bodies| Box::new(bodies) as Box<dyn Planned>));
        Ok(())
    }
}
