//! The polymers of a run: from its config and its case into the fluid.

use hematite_case::ChainPopulation;
use hematite_comm::{Comm, agree};
use hematite_config::{Fault, Result};
use hematite_dump::{ChainFrame, Column};
use hematite_engine::sites::SiteMap;
use hematite_engine::{
    Bath, Figure, FluidNeeds, Ground, Method, Physics, Planned, Planning, PointNeeds, Saved, SharedData, StateHeader,
    moving_wall_sites,
};
use hematite_gpu::Gpu;
use schemars::{JsonSchema, Schema, SchemaGenerator};

use crate::beads::Beads;
use crate::chains::{Bead, Chains, at_start};
use crate::config::PolymerSections;
use crate::parameters::Parameters;
use crate::physics::{NAME, Polymers};
use crate::resolve;
use crate::state::{self, Note};

/// Most beads: every rank holds and moves all of them.
const MOST_BEADS: usize = 4_000_000;

/// The polymers of a run in lattice units.
pub struct PlannedPolymers {
    parameters: Parameters,
    chains: Chains,
    populations: Vec<ChainPopulation>,
    /// Beads at the start.
    beads: Vec<Bead>,
    bath: Bath,
    notes: Vec<String>,
}

impl PlannedPolymers {
    fn new(planning: &Planning, sections: &PolymerSections, populations: Vec<ChainPopulation>) -> Result<Self> {
        let header = planning.case.header();
        let Some(bath) = planning.bath.clone() else {
            return Err(Fault::usage(format!(
                "the case holds polymers (\"{}\"), which this \"fluid\" cannot carry: take \"srd\", or \"langevin\" without hydrodynamics",
                populations.first().map_or("", |population| population.name.as_str())
            )));
        };
        let (parameters, notes) = resolve::parameters(&sections.polymers, &bath, header, &populations)?;
        let chains = Chains::of(&populations);
        if chains.beads() > MOST_BEADS {
            return Err(Fault::usage(format!(
                "the case holds {} beads of polymers, at most {MOST_BEADS} are possible: every rank moves all of them",
                chains.beads()
            )));
        }
        let metres: Vec<[f64; 3]> = populations.iter().flat_map(|population| &population.positions).copied().collect();
        let beads = at_start(&parameters, &bath, &chains, &metres, header.origin);
        resolve::check_start(&parameters, &bath, &chains, (&populations, &beads))?;
        Ok(Self { parameters, chains, populations, beads, bath, notes })
    }

    /// The map of the whole domain, see motion.wgsl.
    fn map(&self, gpu: &Gpu, ground: &Ground) -> Result<SiteMap> {
        let case = ground.file()?;
        let mut fluid: Vec<[i32; 3]> = Vec::new();
        case.each_position(|positions| fluid.extend_from_slice(positions))?;
        let Parameters { dimension, extent, periodic, .. } = self.parameters;
        let mut map = SiteMap::builder(dimension, &fluid, 1, extent, periodic);
        let mut sites: Vec<([i32; 3], u32)> = moving_wall_sites(&case)?.into_iter().collect();
        sites.sort_unstable();
        sites.extend(fluid.into_iter().map(|site| (site, 0)));
        map.number_as(&sites);
        map.build(gpu)
    }

    fn note(&self) -> Note {
        Note {
            beads: self.populations.iter().map(|population| population.positions.len() as u64).collect(),
            masses: self.parameters.kinds.iter().map(|kind| kind.mass).collect(),
        }
    }
}

impl Planned for PlannedPolymers {
    fn name(&self) -> &'static str {
        NAME
    }

    fn report(&self) -> Vec<(&'static str, String)> {
        let of = |population: &ChainPopulation| {
            let form = if population.ring { "rings" } else { "chains" };
            let text =
                format!("{} {form} of \"{}\" with {} beads", population.chains(), population.name, population.beads);
            ("polymers", text)
        };
        let steps = format!("{} in a time step of the fluid", self.parameters.sub_steps);
        self.populations.iter().map(of).chain([("sub-steps", steps)]).collect()
    }

    fn advice(&self) -> Vec<String> {
        self.notes.clone()
    }

    fn figures(&self) -> Vec<Figure> {
        let mut figures = vec![
            Figure::new("sub-steps", f64::from(self.parameters.sub_steps), "").noted("steps of beads in a time step"),
        ];
        let slowed = self.parameters.slowed_steps();
        figures.push(
            Figure::new("slowed steps", slowed as f64, "")
                .noted("from the start: beads that are too fast are slowed, no more, as chains relax from the case"),
        );
        let thermal = self.parameters.speed.powi(2);
        for (population, kind) in self.populations.iter().zip(&self.parameters.kinds) {
            if kind.beads > 2 && kind.bending > 0.0 {
                let length = kind.persistence_length(thermal, self.parameters.dimension) * self.bath.units.dx;
                figures.push(
                    Figure::new("persistence length", length, "m").of(&population.name).noted("by bending alone"),
                );
            }
            if kind.frequency() == 0.0 {
                continue;
            }
            let phase = kind.frequency() / f64::from(self.parameters.sub_steps);
            figures.push(
                Figure::new("phase of the stiffest spring", phase, "")
                    .of(&population.name)
                    .noted("radians in a sub-step: below 0.5 is exact enough, above 1 is refused"),
            );
        }
        figures
    }

    fn fluid_needs(&self) -> Option<FluidNeeds> {
        let heaviest = self.parameters.kinds.iter().map(|kind| kind.mass).max().unwrap_or(1);
        let points = PointNeeds { count: self.chains.beads() as u32, heaviest };
        Some(FluidNeeds { points: Some(points), ..FluidNeeds::default() })
    }

    fn least_bytes(&self, ground: &Ground) -> [u64; 2] {
        let beads = self.chains.beads() as u64;
        let most = if self.parameters.pairs() { self.parameters.most_neighbours(beads as u32) } else { 0 };
        let lists = 4 * beads * u64::from(most);
        [lists + 80 * beads + 4 * ground.header.nodes as u64, lists]
    }

    fn state_bytes(&self, nodes: u64) -> f64 {
        state::bytes(self.parameters.dimension, nodes, self.chains.beads() as u64) as f64
    }

    fn dump_bytes(&self) -> f64 {
        ChainFrame::bytes(self.chains.chains.len() as u64, self.chains.beads() as u64) as f64
    }

    fn columns(&self) -> Vec<Column> {
        let names =
            ["bead_temperature_K", "bond_energy_J", "bending_energy_J", "pair_energy_J", "radius_of_gyration_m"];
        names.into_iter().map(Column::new).collect()
    }

    fn bears(&self, saved: &StateHeader) -> Result<()> {
        let (before, now) = (saved.note::<Note>(NAME)?, self.note());
        if before.beads != now.beads {
            return Err(Fault::usage(format!(
                "{} holds {:?} beads of polymers by population, the case {:?}: go on with the same case",
                saved.source, before.beads, now.beads
            )));
        }
        if !before.masses.is_empty() && before.masses != now.masses {
            return Err(Fault::usage(format!(
                "{} holds velocities of beads of mass {:?} by population, the run has {:?}, with which they would have another \
                 temperature: put the \"mass\" of \"polymers.populations\" back, or begin anew into another folder by -o",
                saved.source, before.masses, now.masses
            )));
        }
        Ok(())
    }

    fn build(
        &self,
        gpu: &Gpu,
        comm: &dyn Comm,
        ground: &mut Ground,
        shared: &mut SharedData,
        saved: Option<&dyn Saved>,
    ) -> Result<Box<dyn Physics>> {
        let missing = || Fault::usage("polymers need a fluid that carries them: take \"srd\" or \"langevin\"");
        let points = agree(comm, shared.points.as_ref().ok_or_else(missing))?;
        let (beads, step) = match saved {
            Some(saved) => (state::beads(comm, &self.parameters, self.chains.beads(), saved)?, saved.header().step),
            None => (self.beads.clone(), 0),
        };
        let make = || {
            let map = self.map(gpu, ground)?;
            Beads::new(gpu, (&self.parameters, &self.chains), (map, points), &beads)
        };
        let beads = agree(comm, make())?;
        let of = (comm.rank(), comm.size());
        Ok(Box::new(Polymers::new(
            beads,
            &self.populations,
            self.bath.clone(),
            (ground.space(), of),
            (self.note(), step),
        )))
    }
}

/// Polymers, as a choice of runs.
pub struct PolymerMethod;

impl Method for PolymerMethod {
    fn schema(&self, generator: &mut SchemaGenerator) -> Schema {
        PolymerSections::json_schema(generator)
    }

    fn plan(&self, planning: &mut Planning) -> Result<()> {
        if planning.case.header().polymers.is_empty() {
            return Ok(());
        }
        let sections: PolymerSections = planning.read_sections()?;
        let populations = agree(planning.comm, planning.case.polymers())?;
        let planned = agree(planning.comm, PlannedPolymers::new(planning, &sections, populations))?;
        planning.planned.push(Box::new(planned));
        Ok(())
    }
}
