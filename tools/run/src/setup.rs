//! Everything before the first time step: config, case, plan, this rank's part.

use std::path::{Path, PathBuf};

use hematite_case::{Case, Column, Header, Lattice, Layer, NodeId, Part, Partition, Population, Target, loads};
use hematite_comm::Comm;
use hematite_config::{Fault, Result, read_config, sibling};
use hematite_dump::Grid;
use hematite_geometry::OpeningKind;
use hematite_gpu::Gpu;
use physics_bodies::{Entrances, Rigid};
use physics_cells::{CellEntrances, Gate, Immersion, capillary_advice};
use physics_lattice_boltzmann::{Domain, Expected, Fluid, Immersed, Parameters, Plan, WallLinks};

use crate::cli::Cli;
use crate::column;
use crate::config::RunConfig;
use crate::forces::{self, WeighedPart};
use crate::openings::Openings;
use crate::ranks::together;
use crate::walls::{self, fluid_nodes};

/// A run that has passed every check that needs no GPU.
pub struct Setup {
    /// The config's path.
    pub path: PathBuf,
    /// The config, checked.
    pub config: RunConfig,
    /// Absolute path of the case file.
    pub case: PathBuf,
    /// What the case holds.
    pub header: Header,
    /// The physics in lattice units.
    pub plan: Plan,
    /// This rank's part, with the nodes beyond the walls where these are immersed.
    pub part: Part,
    /// These nodes.
    pub layer: Option<Layer>,
    /// What the fluid needs to know.
    pub parameters: Parameters,
    /// Parts of the wall whose force is asked for.
    pub forces: Vec<WeighedPart>,
    /// The cells of the case.
    pub populations: Vec<Population>,
    /// Their physics in lattice units, where there are any.
    pub immersion: Option<Immersion>,
    /// The openings through which cells go.
    pub gates: Vec<Gate>,
    /// The physics of rigid bodies in lattice units, where there are any.
    pub rigid: Option<Rigid>,
    /// The openings of the case, where it holds cells or bodies.
    pub openings: Option<Openings>,
    /// The largest speed that is prescribed or follows from what is, where something is.
    pub expected: Option<Expected>,
    /// The run folder.
    pub folder: PathBuf,
}

impl Setup {
    /// Reads and checks.
    pub fn new(cli: &Cli, comm: &dyn Comm) -> Result<Self> {
        let path = cli.config.clone().ok_or_else(|| Fault::usage("which RUN.json?"))?;
        let (config, case, header, plan) = together(comm, || resolve(cli, &path))?;
        let nodes = header.nodes;
        if comm.size() > nodes {
            return Err(Fault::usage(format!(
                "{} ranks, but the case has only {nodes} fluid nodes: use fewer ranks",
                comm.size()
            )));
        }
        let stored = together(comm, || Case::open(&case))?;
        let layer = together(comm, || walls::layer(&stored, &plan).map_err(|fault| fault.within(path.display())))?;
        let populations = together(comm, || stored.populations())?;
        let part = together(comm, || own_part(&stored, layer.as_ref(), &populations, comm))?;
        let mut parameters = parameters(comm, &stored, &config, &plan, &part, layer.as_ref())
            .map_err(|fault| fault.within(path.display()))?;
        let forces = forces::parts(comm, &stored, config.forces.as_ref(), &plan, &part)
            .map_err(|fault| fault.within(path.display()))?;
        let openings = together(comm, || (!populations.is_empty()).then(|| Openings::read(&stored)).transpose())?;
        let rigid = together(comm, || {
            let rigid = rigid(&config, &plan, &header, &populations, openings.as_ref(), &stored);
            rigid.map_err(|fault| fault.within(path.display()))
        })?;
        let mut immersion = together(comm, || {
            if let Some(name) = config.cells.inflow.keys().next().filter(|_| populations.is_empty()) {
                return Err(Fault::usage(format!(
                    "{}: cells.inflow.{name}: the case has no cells to take after: seed it with some",
                    path.display()
                )));
            }
            if rigid.is_some() || populations.is_empty() && config.cells.mechanics.is_empty() {
                return Ok(None);
            }
            let immersion = Immersion::new(&config.cells, &plan.medium(), &header, &populations);
            immersion.map(Some).map_err(|fault| fault.within(path.display()))
        })?;
        let (gates, notes) = together(comm, || match (&immersion, &openings) {
            (Some(immersion), Some(Openings { list, sites })) => {
                let mut fluid = immersion.fluid_at_openings(sites);
                if !config.cells.inflow.is_empty() {
                    stored.each_position(|positions| fluid.add(positions))?;
                }
                let entrances =
                    CellEntrances { header: &header, openings: list, sites, populations: &populations, fluid: &fluid };
                let pack = |column: &Column, counts: &[u64]| column::pack(comm, column, &populations, counts);
                let gates = immersion.gates(&config.cells, &plan.medium(), entrances, &pack);
                gates.map_err(|fault| fault.within(path.display()))
            }
            _ => Ok((Vec::new(), Vec::new())),
        })?;
        if let Some(immersion) = &mut immersion {
            let contrasts = immersion.parameters.contrasts().into_iter();
            immersion.notes.extend(contrasts.filter_map(|of| plan.contrast_advice(of, config.cells.mark_every)));
            immersion.notes.extend(notes);
        }
        parameters.immersed = match (&immersion, &rigid) {
            (Some(immersion), _) => {
                let contrasts = immersion.parameters.contrasts();
                let rates: Vec<[f64; 2]> = contrasts.iter().map(|&contrast| plan.rates(contrast)).collect();
                Some(Immersed::with(&rates))
            }
            (None, Some(_)) => Some(Immersed::default()),
            (None, None) => None,
        };
        let u = initial_velocity(&config, &plan);
        plan.check_mach("initial.velocity", u.iter().map(|c| c * c).sum::<f64>().sqrt())
            .map_err(|fault| fault.within(path.display()))?;
        let domain = domain(comm, &header, &plan, &part, &parameters, u)?;
        let expected = plan.expected(&header, &domain);
        if let (Some(immersion), Some(shear)) = (&mut immersion, plan.wall_shear(&header, &domain, expected.as_ref())) {
            let (kinds, medium) = (&immersion.parameters.kinds, plan.medium());
            let stretched: Vec<String> =
                kinds.iter().filter_map(|kind| capillary_advice(&medium, kind, &shear)).collect();
            immersion.notes.extend(stretched);
        }
        let folder = cli.output.clone().unwrap_or_else(|| path.with_extension(""));
        if folder == path || folder.is_file() {
            return Err(Fault::usage(format!("{} is a file: name a run folder with -o", folder.display())));
        }
        if immersion.is_some() {
            refuse_wide_kernel(comm, &config, &header, &part).map_err(|fault| fault.within(path.display()))?;
        }
        refuse_empty_dumps(comm, &config, &header, &part).map_err(|fault| fault.within(path.display()))?;
        Ok(Self {
            path,
            config,
            case,
            header,
            plan,
            part,
            layer,
            parameters,
            forces,
            populations,
            immersion,
            gates,
            rigid,
            openings,
            expected,
            folder,
        })
    }

    /// Takes another part in place of this rank's. Collective.
    ///
    /// # Errors
    /// A usage fault where the case is damaged.
    pub fn divide(&mut self, comm: &dyn Comm, part: Part) -> Result<()> {
        let stored = together(comm, || Case::open(&self.case))?;
        let immersed = self.parameters.immersed.take();
        self.parameters = parameters(comm, &stored, &self.config, &self.plan, &part, self.layer.as_ref())?;
        self.parameters.immersed = immersed;
        self.forces = forces::parts(comm, &stored, self.config.forces.as_ref(), &self.plan, &part)?;
        self.part = part;
        Ok(())
    }

    /// Puts this rank's part of the fluid on the device, at rest, and asks it for the forces on walls.
    ///
    /// # Errors
    /// Where the device lacks room or a feature.
    pub fn fluid(&mut self, gpu: &Gpu) -> Result<Fluid> {
        let mut fluid = Fluid::new(gpu, &mut self.part, &self.parameters)?;
        if !self.forces.is_empty() {
            let links: Vec<WallLinks> = self.forces.iter().map(|part| part.links.clone()).collect();
            fluid.weigh(&self.part, &links)?;
        }
        Ok(fluid)
    }

    /// The whole lattice, with the nodes beyond immersed walls.
    ///
    /// # Errors
    /// A usage fault when the case is damaged.
    pub fn lattice(&self) -> Result<Lattice> {
        lattice(&Case::open(&self.case)?, self.layer.as_ref())
    }

    /// Says on rank 0 what the run is.
    pub fn report(&self, comm: &dyn Comm, quiet: bool) {
        if comm.rank() > 0 || quiet {
            return;
        }
        let (plan, header) = (&self.plan, &self.header);
        eprintln!(
            "case      {} ({:?}, {} fluid nodes, spacing {:.4e} m)",
            self.case.display(),
            header.set,
            header.nodes,
            header.spacing
        );
        eprintln!("time      {} steps of {:.4e} s, tau {:.4}", plan.steps, plan.units.dt, plan.tau);
        if let Some(Expected { speed, from }) = &self.expected {
            eprintln!("speed     {:.3e} m/s, {from}", speed * plan.units.velocity());
        }
        eprintln!(
            "precision {}, {} rank{}",
            self.config.fluid.precision.name(),
            comm.size(),
            if comm.size() == 1 { "" } else { "s" }
        );
        for population in &self.populations {
            let (cells, vertices) = (population.cells.len(), population.surface.vertices.len());
            match population.rigid {
                Some(_) => eprintln!("bodies    {cells} of \"{}\", rigid", population.name),
                None => eprintln!("cells     {cells} of \"{}\", {vertices} vertices each", population.name),
            }
        }
        let outlets = plan.outlets();
        let names: Vec<&str> = outlets.names().collect();
        if !names.is_empty() {
            eprintln!("outlets   {}: the pressure follows the flow, every {} steps", names.join(", "), outlets.every());
        }
        for advice in plan.advice().into_iter().chain(cores_kept_back(comm.size())) {
            eprintln!("advice    {advice}");
        }
        for (key, at) in self.config.beyond(plan.steps) {
            eprintln!(
                "advice    {key}: step {at} is beyond the {} steps of --steps and will not be reached",
                plan.steps
            );
        }
        let notes = self.immersion.iter().flat_map(|immersion| &immersion.notes);
        for note in notes.chain(self.rigid.iter().flat_map(|rigid| &rigid.notes)) {
            eprintln!("advice    {note}");
        }
    }

    /// Whether own node `n` is in the layer beyond the walls.
    pub fn beyond(&self, n: usize) -> bool {
        self.part.id[n].0 as usize >= self.header.nodes
    }

    /// Global numbers of the part's own nodes.
    pub fn own_ids(&self) -> &[NodeId] {
        &self.part.id[..self.part.own]
    }
}

fn resolve(cli: &Cli, path: &Path) -> Result<(RunConfig, PathBuf, Header, Plan)> {
    let mut config: RunConfig = read_config(path)?;
    let case = sibling(path, &config.case);
    let stored = Case::open(&case)?;
    let header = stored.header().clone();
    if let Some(steps) = cli.steps {
        config.time.steps = Some(steps);
        config.time.duration = None;
    }
    if let Some(every) = cli.checkpoint_every {
        config.checkpoint.every = Some(every);
    }
    if let Some(minutes) = cli.checkpoint_minutes {
        config.checkpoint.minutes = Some(minutes);
    }
    let mut plan = Plan::new(path, &config.fluid, &config.time, &config.openings, &config.drive, &header)
        .map_err(|fault| fault.within(path.display()))?;
    plan.find_profiles(&stored).map_err(|fault| fault.within(path.display()))?;
    let checked = config.check(plan.steps, cli.steps.is_some(), header.set.dimension());
    checked.map_err(|fault| fault.within(path.display()))?;
    let case = case.canonicalize().map_err(|error| Fault::io(format!("{}: {error}", case.display())))?;
    Ok((config, case, header, plan))
}

/// The rigid bodies of the case, where there are any, and the openings through which they go.
fn rigid(
    config: &RunConfig,
    plan: &Plan,
    header: &Header,
    populations: &[Population],
    openings: Option<&Openings>,
    case: &Case,
) -> Result<Option<Rigid>> {
    let (Some(mut rigid), Some(openings)) =
        (Rigid::new(&config.bodies, &plan.medium(), header, populations)?, openings)
    else {
        return Ok(None);
    };
    refuse_cells(config)?;
    let inflow = &config.bodies.inflow;
    let fluid = openings.fluid_near(case, rigid.entrance(), |name| inflow.contains_key(name))?;
    let entrances = Entrances { openings: &openings.list, sites: &openings.sites, fluid: &fluid };
    rigid.open(&config.bodies, header, populations, &entrances)?;
    Ok(Some(rigid))
}

/// What "cells" says of membranes is not for rigid bodies.
fn refuse_cells(config: &RunConfig) -> Result<()> {
    let cells = &config.cells;
    let given = [
        ("mechanics", cells.mechanics.is_empty()),
        ("stretch", cells.stretch.is_empty()),
        ("inflow", cells.inflow.is_empty()),
    ];
    match given.iter().find(|(_, empty)| !empty) {
        Some((key, _)) => Err(Fault::usage(format!(
            "cells.{key} is for cells with membranes, and those of the case are rigid bodies: leave it out; what can be said of \
             bodies is in \"bodies\""
        ))),
        None => Ok(()),
    }
}

/// The velocity everywhere at the start, lattice units.
pub fn initial_velocity(config: &RunConfig, plan: &Plan) -> [f64; 3] {
    let given = config.initial.velocity.as_deref().unwrap_or_default();
    std::array::from_fn(|axis| given.get(axis).map_or(0.0, |u| u.si() / plan.units.velocity()))
}

/// What an estimate of the flow needs to know; `start` is the velocity at the start. Collective.
fn domain(
    comm: &dyn Comm,
    header: &Header,
    plan: &Plan,
    part: &Part,
    parameters: &Parameters,
    start: [f64; 3],
) -> Result<Domain> {
    let length = |u: &[f64; 3]| u.iter().map(|c| c * c).sum::<f64>().sqrt();
    let solid = |target: Target| match target {
        Target::Wall => true,
        Target::Node(next) => part.id[next as usize].0 as usize >= header.nodes,
        Target::Opening(k) => header.openings[k].kind == OpeningKind::Wall,
    };
    let mut counts = [0, 0];
    for n in fluid_nodes(header, part).into_iter().flatten() {
        counts[0] += 1;
        // The first directions are those along axes.
        let walls = (0..2 * header.set.dimension()).filter(|&i| solid(part.links[i][n].target())).count();
        counts[1] += walls as i64;
    }
    let mut peaks = plan.peaks(&parameters.openings);
    comm.sum(&mut counts)?;
    comm.max(&mut peaks)?;
    let [nodes, walls] = counts;
    Ok(Domain { nodes, walls, peaks, start: length(&start) })
}

/// The fluid nodes of a part, as dumps see them, in order of their local numbers.
pub fn grid(header: &Header, part: &Part) -> Grid {
    let [interior, interface] = fluid_nodes(header, part);
    Grid {
        dimension: header.set.dimension(),
        spacing: header.spacing,
        origin: header.origin,
        id: [&part.id[interior.clone()], &part.id[interface.clone()]].concat(),
        position: [&part.position[interior], &part.position[interface]].concat(),
    }
}

/// Largest share of nodes where the fluid may be thinner than the kernel: curved walls always leave some.
const THIN_SHARE: f64 = 0.2;

/// Refuses a kernel between vertices and nodes that does not fit between the walls.
fn refuse_wide_kernel(comm: &dyn Comm, config: &RunConfig, header: &Header, part: &Part) -> Result<()> {
    let points = usize::from(config.cells.kernel);
    let axes: Vec<usize> = (0..header.set.dimension())
        .map(|axis| header.set.straight(std::array::from_fn(|k| if k == axis { 1.0 } else { 0.0 })))
        .collect();
    let mut thin = [0_i64];
    for n in fluid_nodes(header, part).into_iter().flatten() {
        let narrow = |&i: &usize| {
            let reach = |i: usize| reach(header, part, n, i, points);
            reach(i) + 1 + reach(hematite_case::VelocitySet::opposite(i)) < points
        };
        thin[0] += i64::from(axes.iter().any(narrow));
    }
    comm.sum(&mut thin)?;
    let share = thin[0] as f64 / header.nodes as f64;
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
fn reach(header: &Header, part: &Part, n: usize, i: usize, most: usize) -> usize {
    let mut at = n;
    for count in 0..most {
        match part.links[i - 1][at].target() {
            Target::Node(next) if part.id[next as usize].0 as usize >= header.nodes => return count,
            Target::Node(next) if (next as usize) < part.own => at = next as usize,
            Target::Node(_) | Target::Opening(_) => return most,
            Target::Wall => return count,
        }
    }
    most
}

fn refuse_empty_dumps(comm: &dyn Comm, config: &RunConfig, header: &Header, part: &Part) -> Result<()> {
    for (k, dump) in config.dumps.iter().enumerate().filter(|(_, dump)| dump.region != Default::default()) {
        let mut nodes = [dump.region.select(&grid(header, part)).len() as i64];
        comm.sum(&mut nodes)?;
        if nodes[0] == 0 {
            let size = |axis: usize| {
                let low = header.origin[axis];
                format!("{:.4e} to {:.4e} m", low, low + header.extent[axis] as f64 * header.spacing)
            };
            let sizes: Vec<String> = (0..header.set.dimension()).map(size).collect();
            return Err(Fault::usage(format!(
                "dumps[{k}].region holds no fluid node: move it; the domain reaches over {}",
                sizes.join(", ")
            )));
        }
    }
    Ok(())
}

/// What the fluid of a part needs to know, but of bodies in it. Collective.
fn parameters(
    comm: &dyn Comm,
    stored: &Case,
    config: &RunConfig,
    plan: &Plan,
    part: &Part,
    layer: Option<&Layer>,
) -> Result<Parameters> {
    let mut parameters = together(comm, || plan.parameters(stored.header(), part))?;
    parameters.walls = walls::walls(comm, stored, config, plan, part, layer)?;
    Ok(parameters)
}

/// This rank's part, from a stored partition or one made now; both give the same results.
fn own_part(case: &Case, layer: Option<&Layer>, populations: &[Population], comm: &dyn Comm) -> Result<Part> {
    let (ranks, rank) = (comm.size(), comm.rank());
    match layer {
        Some(layer) if case.partition_with_layer_stored(ranks) => return case.part_with(layer, ranks, rank),
        None if ranks == 1 || case.partition_stored(ranks) => return case.part(ranks, rank),
        _ => {}
    }
    let lattice = lattice(case, layer)?;
    let loads = loads(&lattice, case.header().nodes, populations);
    Part::of(&lattice, &Partition::make_loaded(&lattice, loads.as_deref(), ranks)?, rank)
}

/// The whole lattice, with the nodes beyond immersed walls.
fn lattice(case: &Case, layer: Option<&Layer>) -> Result<Lattice> {
    match layer {
        Some(layer) => case.lattice_with(layer),
        None => case.lattice(),
    }
}

/// What to say where a launcher has bound ranks to few of this host's cores, on all of which they could load their parts.
fn cores_kept_back(ranks: usize) -> Option<String> {
    let own = std::thread::available_parallelism().ok()?.get();
    let listed = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    few_cores(ranks, own, listed.lines().filter(|line| line.starts_with("processor")).count())
}

/// That for ranks with `own` cores each on a host with `all`.
fn few_cores(ranks: usize, own: usize, all: usize) -> Option<String> {
    (ranks > 1 && 2 * ranks * own <= all).then(|| {
        format!(
            "each rank loads its part on {own} of this host's {all} cores: mpirun --bind-to none gives it all of them"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::few_cores;

    #[test]
    fn ranks_on_few_cores_are_told() {
        assert!(few_cores(4, 1, 64).is_some_and(|advice| advice.contains("1 of this host's 64 cores")));
        assert_eq!(few_cores(4, 16, 64), None);
        assert_eq!(few_cores(2, 1, 2), None);
        assert_eq!(few_cores(1, 1, 64), None);
    }
}
