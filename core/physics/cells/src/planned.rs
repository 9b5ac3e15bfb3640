//! The cells of a run: from its config and its case into the fluid.

use hematite_case::{Column, Population, Target, VelocitySet};
use hematite_comm::{Comm, agree};
use hematite_config::{Fault, Result};
use hematite_engine::passage::Numbering;
use hematite_engine::sites::SiteMap;
use hematite_engine::{
    Figure, FluidNeeds, Ground, Medium, Method, Physics, Planned, Planning, Saved, SharedData, ShearRate,
    SurfaceContact,
};
use hematite_gpu::Gpu;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::config::CellsConfig;
use crate::members::Cells;
use crate::{
    CellEntrances, Gate, Immersion, KindParameters, Record, Surroundings, Suspension, THICKENING, capillary_advice,
    capillary_number, column,
};

/// Largest share of nodes where the fluid may be thinner than the kernel: curved walls always leave some.
const THIN_SHARE: f64 = 0.2;

/// The cells of a run in lattice units.
pub struct PlannedCells {
    immersion: Immersion,
    /// The openings through which they go.
    gates: Vec<Gate>,
    /// Which of the case's populations they are.
    numbers: Vec<usize>,
    populations: Vec<Population>,
    medium: Medium,
    /// How strongly the flow is expected to stretch each population of meshes.
    capillary: Vec<Figure>,
}

impl PlannedCells {
    /// Resolves `config` for the populations of the case that have membranes; none where it has none and nothing is said of them.
    /// `shear` is the shear rate that is expected at walls, where something is known of it. Collective.
    ///
    /// # Errors
    /// A usage fault with key, value, limit and remedy for whatever cannot work; when a rank is lost.
    pub fn new(
        comm: &dyn Comm,
        config: &CellsConfig,
        medium: &Medium,
        ground: &Ground,
        shear: Option<&ShearRate>,
    ) -> Result<Option<Self>> {
        let soft = |(_, population): &(usize, &Population)| population.rigid.is_none();
        let (numbers, populations): (Vec<usize>, Vec<Population>) =
            ground.populations.iter().enumerate().filter(soft).map(|(k, population)| (k, population.clone())).unzip();
        if populations.is_empty() {
            let rigid = !ground.populations.is_empty();
            return agree(comm, refuse_without_cells(config, rigid)).map(|()| None);
        }
        let header = &ground.header;
        let mut immersion = agree(comm, Immersion::new(config, medium, header, &populations))?;
        agree(comm, immersion.meet_bodies(ground))?;
        let (gates, notes) = agree(comm, Self::gates(comm, &immersion, config, medium, ground, &populations))?;
        immersion.notes.extend(notes);
        if !gates.is_empty() && config.inflow.is_empty() {
            immersion.notes.push(
                "cells go out through openings, and none come in, as \"cells.inflow\" names no opening: the hematocrit falls. Name \
                 those where they come in, if that is not meant"
                    .to_owned(),
            );
        }
        let kinds = immersion.parameters.kinds.iter();
        let stretched = shear.map(|shear| kinds.filter_map(|kind| capillary_advice(medium, kind, shear)).collect());
        immersion.notes.extend::<Vec<String>>(stretched.unwrap_or_default());
        let kinds = &immersion.parameters.kinds;
        let capillary = shear.map(|shear| kinds.iter().filter_map(|kind| stretch(medium, kind, shear)).collect());
        let capillary = capillary.unwrap_or_default();
        refuse_wide_kernel(comm, config, ground)?;
        Ok(Some(Self { immersion, gates, numbers, populations, medium: *medium, capillary }))
    }

    /// How the cells are touched, where the case has rigid bodies too.
    pub fn surface(&self) -> Option<SurfaceContact> {
        self.immersion.surface()
    }

    fn gates(
        comm: &dyn Comm,
        immersion: &Immersion,
        config: &CellsConfig,
        medium: &Medium,
        ground: &Ground,
        populations: &[Population],
    ) -> Result<(Vec<Gate>, Vec<String>)> {
        let Some(openings) = &ground.openings else { return Ok(Default::default()) };
        let mut fluid = immersion.fluid_at_openings(&openings.sites);
        if !config.inflow.is_empty() {
            ground.file()?.each_position(|positions| fluid.add(positions))?;
        }
        let entrances = CellEntrances {
            header: &ground.header,
            openings: &openings.list,
            sites: &openings.sites,
            populations,
            fluid: &fluid,
        };
        let pack = |column: &Column, counts: &[u64]| column::pack(comm, column, populations, counts);
        immersion.gates(config, medium, entrances, &pack)
    }

    fn surroundings(&self, gpu: &Gpu, ground: &Ground) -> Result<Surroundings> {
        let case = ground.file()?;
        let own = ground.own_positions().to_vec();
        let parameters = &self.immersion.parameters;
        let mut builder = SiteMap::builder(
            parameters.dimension,
            &own,
            parameters.map_margin(),
            parameters.extent,
            parameters.periodic,
        );
        case.each_position(|positions| builder.add_fluid(positions))?;
        let wall_distance =
            builder.distances(parameters.wall_reach(), THICKENING, ground.within_walls(), ground.open_sites());
        // Beyond immersed walls the fluid goes on, so that kernels of vertices near them are whole.
        ground.layer.iter().for_each(|layer| builder.add_fluid(&layer.position));
        Ok(Surroundings { own, map: builder.build(gpu)?, wall_distance, gates: self.gates.clone() })
    }

    /// The cells of all ranks as they were saved: population, number, state.
    fn saved_cells(&self, saved: &dyn Saved) -> Result<Vec<(usize, u64, Record)>> {
        let mut cells = Vec::new();
        for (k, population) in self.populations.iter().enumerate() {
            let width = Record::width(self.immersion.parameters.dimension, population.surface.vertices.len());
            saved.records(&population.name, &mut |id, words| {
                let record = Record::from_words(words).filter(|_| words.len() == width).ok_or_else(|| {
                    Fault::usage(format!("{}: number {id} of {} is damaged", saved.header().source, population.name))
                })?;
                cells.push((k, id, record));
                Ok(())
            })?;
        }
        Ok(cells)
    }
}

impl Planned for PlannedCells {
    fn name(&self) -> &'static str {
        "cells"
    }

    fn report(&self) -> Vec<(&'static str, String)> {
        let of = |population: &Population| {
            let (cells, vertices) = (population.cells.len(), population.surface.vertices.len());
            ("cells", format!("{cells} of \"{}\", {vertices} vertices each", population.name))
        };
        self.populations.iter().map(of).collect()
    }

    fn advice(&self) -> Vec<String> {
        self.immersion.notes.clone()
    }

    fn figures(&self) -> Vec<Figure> {
        self.capillary.clone()
    }

    fn events(&self) -> Vec<Value> {
        let growth = self.immersion.growth().into_iter();
        growth
            .map(|(step, force)| json!({"event": "growth", "capped_until_step": step, "force_cap_N": force}))
            .collect()
    }

    fn fluid_needs(&self) -> Option<FluidNeeds> {
        let parameters = &self.immersion.parameters;
        let (contrasts, grown) = (parameters.contrasts(), parameters.capped_until());
        Some(FluidNeeds { contrasts, mark_every: parameters.mark_every.unwrap_or(1), grown, ..FluidNeeds::default() })
    }

    fn build(
        &self,
        gpu: &Gpu,
        comm: &dyn Comm,
        ground: &mut Ground,
        shared: &mut SharedData,
        saved: Option<&dyn Saved>,
    ) -> Result<Box<dyn Physics>> {
        let parameters = self.immersion.parameters.clone();
        let around = agree(comm, self.surroundings(gpu, ground))?;
        let shared = shared.nodes.as_mut().ok_or_else(|| Fault::usage("cells need a fluid around them"))?;
        let suspension = match saved {
            Some(saved) => {
                let cells = agree(comm, self.saved_cells(saved))?;
                let mut suspension =
                    Suspension::new(gpu, comm, parameters, shared.clone(), around, saved.header().step, cells)?;
                let counts = self.populations.iter().map(|population| saved.header().passed(&population.name));
                let entered = agree(comm, saved.header().note::<Vec<u64>>(self.name()))?;
                suspension.number_from(Numbering::new(&ground.populations, false));
                suspension.restore_counts(&counts.collect::<Vec<_>>(), &entered);
                suspension
            }
            None => {
                let cells = self.immersion.at_start(&self.populations);
                let mut suspension = Suspension::new(gpu, comm, parameters, shared.clone(), around, 0, cells)?;
                suspension.number_from(Numbering::new(&ground.populations, false));
                suspension
            }
        };
        shared.surface = suspension.surface();
        Ok(Box::new(Cells::new(suspension, self.numbers.clone(), self.medium, ground.space())))
    }
}

/// The capillary number of a population, for `run --check`; what is too large is among the run's advice.
fn stretch(medium: &Medium, kind: &KindParameters, shear: &ShearRate) -> Option<Figure> {
    let number = capillary_number(medium, kind, shear)?;
    let note = format!(
        "viscosity x shear rate x radius / shear modulus, at {:.2e} /s {}",
        shear.rate / medium.units.dt,
        shear.from
    );
    Some(Figure::new("capillary number", number, "").of(&kind.name).noted(note))
}

/// What is said of cells that the case does not have.
fn refuse_without_cells(config: &CellsConfig, rigid: bool) -> Result<()> {
    let given = [
        ("mechanics", config.mechanics.is_empty()),
        ("stretch", config.stretch.is_empty()),
        ("inflow", config.inflow.is_empty()),
    ];
    let Some((key, _)) = given.iter().find(|(_, empty)| !empty) else { return Ok(()) };
    if rigid {
        return Err(Fault::usage(format!(
            "cells.{key} is for cells with membranes, and those of the case are rigid bodies: leave it out; what can be said of \
             bodies is in \"bodies\""
        )));
    }
    let name = config.inflow.keys().next().map_or(String::new(), |name| format!(".{name}"));
    Err(Fault::usage(format!("cells.{key}{name}: the case has no cells to take after: seed it with some")))
}

/// Refuses a kernel between vertices and nodes that does not fit between the walls.
fn refuse_wide_kernel(comm: &dyn Comm, config: &CellsConfig, ground: &Ground) -> Result<()> {
    let (points, set) = (usize::from(config.kernel), ground.header.set);
    let axes: Vec<usize> = (0..set.dimension())
        .map(|axis| set.straight(std::array::from_fn(|k| if k == axis { 1.0 } else { 0.0 })))
        .collect();
    let mut thin = [0_i64];
    for n in ground.fluid_nodes().into_iter().flatten() {
        let narrow = |&i: &usize| {
            let reach = |i: usize| reach(ground, n, i, points);
            reach(i) + 1 + reach(VelocitySet::opposite(i)) < points
        };
        thin[0] += i64::from(axes.iter().any(narrow));
    }
    comm.sum(&mut thin)?;
    let share = thin[0] as f64 / ground.header.nodes as f64;
    if share <= THIN_SHARE {
        return Ok(());
    }
    Err(Fault::usage(format!(
        "cells.kernel {points}: at {:.0} % of the nodes the fluid is less than {points} nodes wide, at most {:.0} % may be: take a \
         kernel of fewer points, or a finer lattice",
        100.0 * share,
        100.0 * THIN_SHARE
    )))
}

/// Nodes behind node `n` along c_i up to a wall, at most `most`; beyond the part as many as wanted.
fn reach(ground: &Ground, n: usize, i: usize, most: usize) -> usize {
    let (part, mut at) = (&ground.part, n);
    for count in 0..most {
        match part.links[i - 1][at].target() {
            Target::Node(next) if ground.is_beyond_walls(next as usize) => return count,
            Target::Node(next) if (next as usize) < part.own => at = next as usize,
            Target::Node(_) | Target::Opening(_) => return most,
            Target::Wall => return count,
        }
    }
    most
}

/// Cells with membranes, as a choice of runs.
pub struct CellMethod;

/// What it reads.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Sections {
    /// The cells of the case: mechanics, coupling, contact.
    #[serde(default)]
    cells: CellsConfig,
}

impl Method for CellMethod {
    fn schema(&self, generator: &mut SchemaGenerator) -> Schema {
        Sections::json_schema(generator)
    }

    fn plan(&self, planning: &mut Planning) -> Result<()> {
        if planning.fluid()?.is_none() {
            return Ok(());
        }
        let sections: Sections = planning.read_sections()?;
        let Some((ground, medium)) = planning.fluid()? else { return Ok(()) };
        let cells = PlannedCells::new(planning.comm, &sections.cells, medium, ground, planning.shear.as_ref())?;
        if cells.is_none() {
            // Immersed walls take the kernel of cells.
            let but: &[&str] = if ground.layer.is_some() { &["kernel"] } else { &[] };
            planning.tell_idle("cells", but, "cells");
        }
        planning.surface = cells.as_ref().and_then(PlannedCells::surface);
        planning.planned.extend(cells.map(|cells| Box::new(cells) as Box<dyn Planned>));
        Ok(())
    }
}
