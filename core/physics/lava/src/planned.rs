//! Lava of a run: from its config and its case to numbers, with what cannot work refused.

use std::path::Path;

use hematite_case::{Case, Header, NodeId, Region, Target};
use hematite_comm::{Comm, agree};
use hematite_config::{Fault, Result};
use hematite_dump::{Column, Field, RunRecord};
use hematite_engine::{
    Figure, Ground, Method, Physics, Planned, Planning, Saved, SharedData, StateHeader, Table, TimeConfig, philox,
};
use hematite_gpu::Gpu;
use hematite_units::quantity::{Temperature, Time};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Value, json};

use crate::amount::amount;
use crate::arrays::Arrays;
use crate::automaton::Automaton;
use crate::config::{LavaConfig, LavaSections, Neighbours, SomewhereConfig, StartConfig};
use crate::effusion::Effusion;
use crate::parameters::Parameters;
use crate::physics::{ARRIVAL, COLUMNS, LONGEST, Lava, NAME, Note, SOLID_THICKNESS, TEMPERATURE, THICKNESS};
use crate::rheology::Rheology;
use crate::state::State;
use crate::vents::{Vent, VentCells, rate};

/// The random number by which vents are placed.
const DRAW: u32 = 1;

/// Temperature by which the solidus must lie above that at which a law of viscosity has no meaning, K.
const MARGIN: f64 = 50.0;

/// The largest thickness at the start, m.
const THICKEST: f64 = 3000.0;

/// The hottest lava, K.
const HOTTEST: f64 = 3000.0;

/// Lava of a run, and what a run tells of it before it starts.
#[derive(Clone)]
pub struct PlannedLava {
    parameters: Parameters,
    elevation: String,
    vents: Vec<Vent>,
    start: Vec<StartConfig>,
    header: Header,
    time: TimeConfig,
}

fn refuse(key: &str, what: impl std::fmt::Display) -> Fault {
    Fault::usage(format!("fluid.lava.{key} {what}"))
}

impl PlannedLava {
    /// Resolves `config` and its vents for a case; `path` is that of the run's config.
    ///
    /// # Errors
    /// A usage fault with key, value, limit and remedy for whatever cannot work.
    pub fn new(
        path: &Path,
        config: &LavaConfig,
        sections: &LavaSections,
        time: &TimeConfig,
        case: &Case,
    ) -> Result<Self> {
        let header = case.header();
        check_case(header, &config.elevation)?;
        let rheology =
            Rheology::new(&config.viscosity, &config.yield_strength).map_err(|fault| fault.within("fluid.lava"))?;
        let solidus = solidus(config, &rheology)?;
        for (key, value) in [
            ("density", config.density.si()),
            ("heat_capacity", config.heat_capacity.si()),
            ("gravity", config.gravity.si()),
        ] {
            if value <= 0.0 {
                return Err(refuse(key, format!("{value} must be above 0")));
            }
        }
        if !(0.0..=1.0).contains(&config.emissivity) {
            return Err(refuse("emissivity", format!("{} must be from 0 to 1", config.emissivity)));
        }
        let parameters = Parameters {
            dx: header.spacing,
            density: config.density.si(),
            gravity: config.gravity.si(),
            heat_capacity: config.heat_capacity.si(),
            emissivity: config.emissivity,
            solidus,
            latent_heat: latent_heat(config, solidus)?,
            rheology,
            isotropic: config.neighbours == Neighbours::Isotropic,
        };
        if let Some(step) = time.step.filter(|step| step.si() > LONGEST) {
            return Err(Fault::usage(format!(
                "time.step {step}: steps of lava are {LONGEST} s at most, and mostly shorter, as the flows ask; give a shorter one, \
                 or leave it out"
            )));
        }
        let planned = Self {
            parameters,
            elevation: config.elevation.clone(),
            vents: vents(path, sections, case, solidus)?,
            start: config.start.clone(),
            header: header.clone(),
            time: time.clone(),
        };
        planned.check_start(case)?;
        planned.check_range()?;
        Ok(planned)
    }

    fn check_start(&self, case: &Case) -> Result<()> {
        if self.vents.is_empty() && self.start.is_empty() {
            return Err(Fault::usage(
                "vents: nothing erupts, and no lava is there: name a region of the case in \"vents\", or give \"start\" in \
                 \"fluid.lava\"",
            ));
        }
        let mut taken: Vec<(std::ops::Range<u64>, usize)> = Vec::new();
        for (k, start) in self.start.iter().enumerate() {
            let key = format!("start[{k}]");
            match &start.region {
                Some(region) => {
                    let region = case.region(region).map_err(|fault| fault.within(format!("fluid.lava.{key}")))?;
                    taken.extend(region.runs().iter().map(|run| (run.clone(), k)));
                }
                None => taken.push((0..self.header.nodes as u64, k)),
            }
            if !(0.0..=THICKEST).contains(&start.thickness.si()) {
                return Err(refuse(&key, format!("thickness {} must be 0 to {THICKEST} m", start.thickness)));
            }
            if start.temperature.si() <= self.parameters.solidus {
                return Err(refuse(
                    &key,
                    format!(
                        "temperature {} is not above the solidus {} K: take hotter lava, or a lower solidus",
                        start.temperature, self.parameters.solidus
                    ),
                ));
            }
        }
        taken.sort_unstable_by_key(|(run, _)| run.start);
        match taken.windows(2).find(|pair| pair[1].0.start < pair[0].0.end) {
            Some(pair) => Err(refuse(
                &format!("start[{}]", pair[0].1.max(pair[1].1)),
                format!("shares cells with start[{}]: give each its own region", pair[0].1.min(pair[1].1)),
            )),
            None => Ok(()),
        }
    }

    /// Refuses numbers beyond those of single precision, and what has no meaning.
    fn check_range(&self) -> Result<()> {
        let Parameters { density, gravity, heat_capacity, rheology, solidus, .. } = self.parameters;
        let hottest = self.vents.iter().map(|vent| vent.temperature);
        let hottest = hottest.chain(self.start.iter().map(|start| start.temperature.si())).fold(0.0, f64::max);
        if hottest > HOTTEST {
            return Err(Fault::usage(format!(
                "lava of {hottest} K: the limit is {HOTTEST} K; give its temperature in kelvins"
            )));
        }
        let coldest = if solidus > 0.0 { solidus } else { hottest };
        for (key, value, [least, most]) in [
            ("density", density, [1.0, 1e6]),
            ("gravity", gravity, [1e-6, 1e4]),
            ("heat_capacity", heat_capacity, [1.0, 1e8]),
            ("viscosity", rheology.viscosity(hottest), [1e-6, 1e18]),
            ("viscosity", rheology.viscosity(coldest), [1e-6, 1e18]),
            ("yield_strength", rheology.yield_strength(hottest), [0.0, 1e12]),
            ("yield_strength", rheology.yield_strength(coldest), [0.0, 1e12]),
        ] {
            if !(least..=most).contains(&value) {
                return Err(refuse(key, format!("is {value:.3e} in SI units, {least:e} to {most:e} can be computed")));
            }
        }
        Ok(())
    }

    /// The end of the run, s, if its duration is given.
    fn end(&self) -> Option<f64> {
        self.time.duration.map(Time::si)
    }

    /// What is odd about when a vent erupts.
    fn odd_times(&self, vent: &Vent) -> Option<String> {
        let end = self.end()?;
        let (erupted, all) = (vent.effusion.volume(end), vent.effusion.volume(f64::MAX));
        if erupted == 0.0 {
            return Some(format!(
                "vent \"{}\" erupts nothing until the end of the run at {end:.4e} s: take a longer one",
                vent.name
            ));
        }
        let goes_on = vent.effusion.end().is_some_and(|last| last > end) && erupted < 0.999 * all;
        goes_on.then(|| {
            format!(
                "the run ends at {end:.4e} s, when vent \"{}\" has erupted {:.1} % of its {all:.4e} m3",
                vent.name,
                100.0 * erupted / all
            )
        })
    }

    /// The longest time step of the vents at their peaks, s, for estimates before the run.
    fn usual_step(&self) -> f64 {
        self.vents.iter().map(|vent| self.at_peak(vent).1).fold(LONGEST, f64::min)
    }

    /// Numbers of a vent at its largest rate, where the ground has a usual slope of 0.2.
    fn at_peak(&self, vent: &Vent) -> (f64, f64) {
        let most = vent.filling(0.0, f64::MAX, self.parameters.dx);
        let h = vent.usual_thickness(&self.parameters, most, 0.2);
        (h, 1.0 / rate(&self.parameters, vent.temperature, h, 0.2))
    }

    /// State of this rank's cells at the start.
    fn at_start(&self, ground: &Ground) -> Result<State> {
        let mut state = State::empty(ground.part.own);
        for start in &self.start {
            let cells: Vec<u32> = match &start.region {
                Some(region) => ground.region(region)?,
                None => (0..ground.part.own as u32).collect(),
            };
            let thickness = amount(start.thickness.si());
            let heat = amount(crate::amount::number(thickness) * start.temperature.si());
            for n in cells.into_iter().map(|n| n as usize).filter(|&n| n < ground.part.own) {
                (state.thickness[n], state.heat[n]) = (thickness, heat);
            }
        }
        Ok(state)
    }

    /// The cells of the vents on this rank, and the steepest slope of the ground around those of each.
    fn vent_cells(&self, ground: &Ground, elevation: &[f64]) -> (VentCells, Vec<f64>) {
        let part = &ground.part;
        let (mut cells, mut slopes) = (Vec::new(), vec![0.0_f64; self.vents.len()]);
        for (k, vent) in self.vents.iter().enumerate() {
            for n in vent.region.within(part).into_iter().filter(|&n| (n as usize) < part.own) {
                cells.push([n, k as u32]);
                for (i, links) in part.links.iter().enumerate() {
                    if let Target::Node(m) = links[n as usize].target() {
                        let distance = if i < 4 { 1.0 } else { std::f64::consts::SQRT_2 } * self.parameters.dx;
                        let slope = (elevation[n as usize] - elevation[m as usize]).abs() / distance;
                        slopes[k] = slopes[k].max(slope);
                    }
                }
            }
        }
        (VentCells { cells, vents: self.vents.len() as u32 }, slopes)
    }
}

/// Refuses cases over which lava cannot flow.
fn check_case(header: &Header, elevation: &str) -> Result<()> {
    if header.set.dimension() != 2 {
        return Err(Fault::usage(
            "fluid.lava: the case is 3-D, and lava flows over the cells of a map: make a case of a terrain, with \
             \"terrain\" in its \"geometry\"",
        ));
    }
    if let Some(opening) = header.openings.first() {
        return Err(Fault::usage(format!(
            "openings.{}: lava has no openings: make the case without it, and name its place in \"regions\" for a vent",
            opening.name
        )));
    }
    match header.fields.iter().find(|field| field.name == elevation) {
        None => Err(refuse(
            "elevation",
            format!(
                "\"{elevation}\": the case has no such field: make it of a \"terrain\", or give it in \"fields\" of the \
                 CASE.json"
            ),
        )),
        Some(field) if field.unit != "m" => {
            Err(refuse("elevation", format!("\"{elevation}\" is in \"{}\", a length is needed", field.unit)))
        }
        Some(_) => Ok(()),
    }
}

/// The solidus, K; 0 where lava never becomes solid.
fn solidus(config: &LavaConfig, rheology: &Rheology) -> Result<f64> {
    match config.solidus.map(Temperature::si) {
        None if rheology.varies() && config.emissivity > 0.0 => Err(refuse(
            "solidus",
            "is missing: lava cools without end, and its viscosity or yield strength grow beyond all limits; give e.g. \
             \"1143 K\"",
        )),
        None => Ok(0.0),
        Some(solidus) if solidus <= 0.0 => Err(refuse("solidus", format!("{solidus} K must be above 0"))),
        Some(solidus) if rheology.coldest() > 0.0 && solidus < rheology.coldest() + MARGIN => Err(refuse(
            "solidus",
            format!(
                "{solidus} K: the viscosity has no meaning below {:.0} K; take a solidus of {:.0} K or more",
                rheology.coldest(),
                rheology.coldest() + MARGIN
            ),
        )),
        Some(solidus) => Ok(solidus),
    }
}

/// The latent heat, J/kg; 0 where all lava of a cell freezes at once.
fn latent_heat(config: &LavaConfig, solidus: f64) -> Result<f64> {
    let Some(latent) = config.latent_heat else { return Ok(0.0) };
    let most = config.heat_capacity.si() * solidus;
    if solidus == 0.0 {
        return Err(refuse("latent_heat", "is for lava that becomes solid: give \"solidus\", e.g. \"1143 K\""));
    }
    match latent.si() {
        heat if heat > 0.0 && heat < most => Ok(heat),
        _ => Err(refuse(
            "latent_heat",
            format!("{latent} must be above 0 and below the heat of lava at its solidus, {most:.3e} J/kg"),
        )),
    }
}

/// The vents of a run.
fn vents(path: &Path, sections: &LavaSections, case: &Case, solidus: f64) -> Result<Vec<Vent>> {
    let mut taken: Vec<(u64, &str)> = Vec::new();
    let mut found = Vec::new();
    for (name, config) in &sections.vents {
        let within = |fault: Fault| fault.within(format!("vents.{name}"));
        let region = case.region(name).map_err(within)?;
        if region.nodes() == 0 {
            return Err(within(Fault::usage("the region has no cells: put it where the terrain has data")));
        }
        let effusion = Effusion::new(path, &config.effusion).map_err(|fault| within(fault.within("effusion")))?;
        let temperature = config.temperature.si();
        if temperature <= solidus || temperature <= 0.0 {
            return Err(within(Fault::usage(format!(
                "temperature {} is not above the solidus {solidus} K, so that lava would come out solid: take hotter lava, or a \
                 lower \"solidus\"",
                config.temperature
            ))));
        }
        taken.extend(region.runs().iter().flat_map(|run| run.clone()).map(|node| (node, name.as_str())));
        let (region, drawn_at) = match &config.somewhere {
            Some(somewhere) => {
                let (region, at) = drawn(case, &region, somewhere, found.len() as u32).map_err(within)?;
                (region, Some(at))
            }
            None => (region, None),
        };
        found.push(Vent { name: name.clone(), cells: region.nodes(), region, drawn_at, effusion, temperature });
    }
    taken.sort_unstable();
    match taken.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        Some(pair) => Err(Fault::usage(format!(
            "vents: \"{}\" and \"{}\" share a cell: give each its own region",
            pair[0].1, pair[1].1
        ))),
        None => Ok(found),
    }
}

/// The nodes of `region` around one of them that is drawn at random for vent `k`, and where it is, m.
fn drawn(case: &Case, region: &Region, somewhere: &SomewhereConfig, k: u32) -> Result<(Region, [f64; 2])> {
    let Header { spacing, origin, .. } = *case.header();
    let radius = somewhere.radius.si();
    if radius < 0.0 {
        return Err(Fault::usage(format!("somewhere.radius {} must be 0 or more", somewhere.radius)));
    }
    let mut nodes = Vec::new();
    let mut next = 0;
    case.each_position(|positions| {
        let numbered = positions.iter().zip((next..).map(NodeId));
        nodes.extend(numbered.filter(|(_, node)| region.holds(*node)).map(|(at, node)| (node, [at[0], at[1]])));
        next += positions.len() as u64;
    })?;
    let words = philox([k, 0, 0, DRAW], [somewhere.seed as u32, (somewhere.seed >> 32) as u32]);
    let random = u64::from(words[0]) << 32 | u64::from(words[1]);
    let (_, middle) = nodes[((u128::from(random) * nodes.len() as u128) >> 64) as usize];
    let distance = |at: [i32; 2]| f64::hypot(f64::from(at[0] - middle[0]), f64::from(at[1] - middle[1])) * spacing;
    // Cells at the very distance belong to it, whatever rounding does.
    let is_near = |at: [i32; 2]| distance(at) <= radius * (1.0 + 1e-9);
    let around = nodes.into_iter().filter(|&(_, at)| is_near(at)).map(|(node, _)| node);
    Ok((Region::new(&region.name, around), [0, 1].map(|a| origin[a] + (f64::from(middle[a]) + 0.5) * spacing)))
}

impl Planned for PlannedLava {
    fn name(&self) -> &'static str {
        NAME
    }

    fn report(&self) -> Vec<(&'static str, String)> {
        let spread = match self.parameters.isotropic {
            true => "eight neighbours, weighted to spread alike in all directions",
            false => "eight neighbours, each by itself with the full width of a cell",
        };
        let vent = |vent: &Vent| {
            let end = vent.effusion.end().map_or_else(String::new, |end| format!(" until {:.4e} s", end));
            let most = vent.effusion.largest(0.0, f64::MAX);
            let place = vent.drawn_at.map_or_else(String::new, |[x, y]| format!(" around ({x:.1}, {y:.1}) m"));
            let text = format!("up to {most:.4} m3/s{end} at {} K from {} cells{place}", vent.temperature, vent.cells);
            ("vent", format!("{}: {text}", vent.name))
        };
        let flow = ("flow", format!("{spread}; time steps adapt to it, {LONGEST} s at most"));
        std::iter::once(flow).chain(self.vents.iter().map(vent)).collect()
    }

    fn advice(&self) -> Vec<String> {
        let solidus = self.parameters.solidus;
        let never = solidus == 0.0 && self.parameters.emissivity > 0.0;
        let cools = never.then(|| "fluid.lava has no \"solidus\": lava cools, but never becomes solid".to_owned());
        cools.into_iter().chain(self.vents.iter().filter_map(|vent| self.odd_times(vent))).collect()
    }

    fn figures(&self) -> Vec<Figure> {
        let of_vent = |vent: &Vent| {
            let (h, dt) = self.at_peak(vent);
            let volume = self.end().map(|end| {
                Figure::new("volume", vent.effusion.volume(end), "m3").of(&*vent.name).noted("until the end of the run")
            });
            volume.into_iter().chain([
                Figure::new("thickness at the vent", h, "m")
                    .of(&*vent.name)
                    .noted("at the largest rate on a slope of 0.2"),
                Figure::new("time step", dt, "s")
                    .of(&*vent.name)
                    .noted("with this thickness; shorter where lava is deeper"),
            ])
        };
        self.vents.iter().flat_map(of_vent).collect()
    }

    fn write_down(&self, record: &mut RunRecord) {
        record.velocity_set = format!("{:?}", self.header.set);
        (record.dx, record.rho0) = (self.parameters.dx, self.parameters.density);
        "f32".clone_into(&mut record.precision);
    }

    fn tables(&self) -> Vec<Table<'_>> {
        self.vents.iter().map(|vent| (vec!["vents", &vent.name, "effusion"], vent.effusion.table())).collect()
    }

    fn least_bytes(&self, ground: &Ground) -> [u64; 2] {
        Arrays::bytes(ground.part.own as u64)
    }

    fn state_bytes(&self, nodes: u64) -> f64 {
        (nodes * State::BYTES) as f64
    }

    fn fields(&self) -> Vec<Field> {
        vec![THICKNESS, SOLID_THICKNESS, TEMPERATURE, ARRIVAL]
    }

    fn events(&self) -> Vec<Value> {
        let drawn = |vent: &Vent| {
            let at = vent.drawn_at?;
            Some(json!({"event": "vent", "name": vent.name, "drawn_at_m": at, "cells": vent.cells}))
        };
        self.vents.iter().filter_map(drawn).collect()
    }

    fn entries(&self) -> Vec<String> {
        self.vents.iter().map(|vent| vent.name.clone()).collect()
    }

    fn columns(&self) -> Vec<Column> {
        COLUMNS.map(Column::new).into()
    }

    fn bears(&self, saved: &StateHeader) -> Result<()> {
        let (note, time) = (saved.note::<Note>(NAME)?, saved.clock.at(saved.step));
        let same = |a: f64, b: f64| (a - b).abs() <= 1e-9 * a.abs().max(b.abs());
        let now = [self.parameters.density, self.parameters.heat_capacity];
        if let Some(before) = note.counted_with.filter(|before| !(0..2).all(|k| same(before[k], now[k]))) {
            return Err(Fault::usage(format!(
                "{} counts masses and heats with a density of {} kg/m3 and a heat capacity of {} J/(kg K), now {} and {}: go on with \
                 the same \"fluid.lava.density\" and \"fluid.lava.heat_capacity\", or start anew into another folder with -o",
                saved.source, before[0], before[1], now[0], now[1]
            )));
        }
        for vent in &self.vents {
            let now = vent.came(time, self.parameters.dx);
            let before = note.came.get(&vent.name).copied().unwrap_or([0.0; 2]);
            if !(0..2).all(|k| same(now[k], before[k])) {
                return Err(Fault::usage(format!(
                    "vents.{}: by this config {:.6e} m3 would have come out up to the saved state at {time:.4e} s, and {:.6e} m3 \
                     did, or at another temperature: change effusions after that time only, or start anew into another folder with -o",
                    vent.name, now[0], before[0]
                )));
            }
        }
        Ok(())
    }

    fn build(
        &self,
        gpu: &Gpu,
        comm: &dyn Comm,
        ground: &mut Ground,
        _: &mut SharedData,
        saved: Option<&dyn Saved>,
    ) -> Result<Box<dyn Physics>> {
        let read = || {
            let elevation = ground.field(&self.elevation)?;
            let cells = self.vent_cells(ground, &elevation);
            Ok((elevation, cells))
        };
        let (elevation, (vent_cells, mut slopes)) = agree(comm, read())?;
        comm.max(&mut slopes)?;
        // Heights count from the lowest cell of all ranks: small numbers have small roundings.
        let mut lowest = [elevation.iter().fold(f64::NEG_INFINITY, |lowest, z| lowest.max(-z))];
        comm.max(&mut lowest)?;
        let heights: Vec<f32> = elevation[..ground.part.own].iter().map(|z| (z + lowest[0]) as f32).collect();
        let (state, step, time) = match saved {
            Some(saved) => {
                let (header, state) = (saved.header(), State::restore(saved)?);
                (state, header.step, header.clock.at(header.step))
            }
            None => (agree(comm, self.at_start(ground))?, 0, 0.0),
        };
        let automaton =
            Automaton::new(gpu, comm, (&ground.part, &self.parameters), (&heights, &vent_cells), (&state, step, time))?;
        Ok(Box::new(Lava::new(self.parameters, automaton, (self.vents.clone(), slopes), (step, time))))
    }
}

/// Lava over terrain, as a choice of runs.
pub struct LavaMethod;

impl Method for LavaMethod {
    fn schema(&self, generator: &mut SchemaGenerator) -> Schema {
        LavaSections::json_schema(generator)
    }

    fn plan(&self, planning: &mut Planning) -> Result<()> {
        let mut sections: LavaSections = planning.document.sections()?;
        if sections.fluid.lava.is_some() {
            for somewhere in sections.vents.values_mut().filter_map(|vent| vent.somewhere.as_mut()) {
                somewhere.seed = planning.seed(somewhere.seed);
            }
        }
        let Some(config) = &sections.fluid.lava else { return Ok(()) };
        if planning.ground.is_some() {
            return Err(Fault::usage("fluid: \"lava\" stands beside another method: give one"));
        }
        let planned = PlannedLava::new(planning.path, config, &sections, &planning.time, planning.case);
        let planned = agree(planning.comm, planned)?;
        planning.write_down(&sections)?;
        planning.set_ground(planning.find_ground(None)?, planned.time.adaptive(planned.usual_step())?)?;
        planning.planned.push(Box::new(planned));
        Ok(())
    }
}
