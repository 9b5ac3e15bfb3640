//! The openings of a case as its cells see them, and the columns of cells that come in through them.

use hematite_case::{Column, Header, Opening, Placed, Population};
use hematite_config::{Fault, Result};
use hematite_engine::Medium;
use hematite_engine::passage::{FluidSites, OpeningPlane, known_openings};
use hematite_engine::sites::{Bounds, Coordinate};
use hematite_geometry::OpeningKind;

use crate::config::{CellsConfig, InflowConfig};
use crate::immersion::Immersion;
use crate::{DEPTH, ENTRY, Feeder, Gate, Record, Waiting};

/// Length of a column in largest diameters of the cells, unless the run says otherwise.
const DIAMETERS: f64 = 6.0;

/// Where not all cells that are asked for find room, columns are packed with these shares of them, one after the other: a packing
/// that began with too many ends looser.
const PARTS: [f64; 2] = [0.85, 0.72];

/// A packing with this share of what it was to hold is dense enough.
const FULL: f64 = 0.97;

/// A column that holds fewer cells than are asked for goes so many times as fast as the fluid at most.
const FASTEST_PACE: f64 = 1.5;

/// Largest number of cells that walls keep out, over those that come in, for which the column makes up by its speed.
const FEW: f64 = 0.25;

/// Share of the asked hematocrit from which on it counts as reached.
const NEARLY: f64 = 0.99;

/// Steps in which the way of a cell is checked against walls, lattice units.
const CHECKED_EACH: f64 = 0.5;

/// The least way that a column carries a cell, lattice units: one that is free nearer to the opening might leave.
const LEAST_CARRIED: f64 = DEPTH + 1.0 - ENTRY;

/// Packs so many cells of each population in a column: see [`Column::pack`].
pub type Pack<'a> = dyn Fn(&Column, &[u64]) -> Result<Vec<Vec<Placed>>> + 'a;

impl InflowConfig {
    /// Length of the column for cells so large, in whole lattice units of `spacing` metres.
    fn length_for(&self, diameter: f64, spacing: f64) -> Result<usize> {
        let length = self.length.map_or(DIAMETERS * diameter, |length| length.si() / spacing);
        if !(2.0 * diameter..=1e4 * diameter).contains(&length) {
            return Err(Fault::usage(format!(
                "length {:.3e} m is to be at least two diameters of the largest cells ({:.3e} m) and at most 10 000: six are usual",
                length * spacing,
                diameter * spacing
            )));
        }
        Ok(length.round() as usize)
    }

    /// The hematocrit that is to come in, where the case has that of `whole`.
    fn asked(&self, whole: f64) -> Result<f64> {
        match self.hematocrit {
            None => Ok(whole),
            Some(asked) if asked > 0.0 && asked < 1.0 => Ok(asked),
            Some(asked) => Err(Fault::usage(format!(
                "hematocrit {asked} is the share of the volume that cells take up in what comes in, above 0 and below 1, e.g. 0.3"
            ))),
        }
    }
}

/// A case and its openings, for [`Immersion::gates`].
#[derive(Clone, Copy)]
pub struct CellEntrances<'a> {
    /// What the case says of itself.
    pub header: &'a Header,
    /// Its openings.
    pub openings: &'a [Opening],
    /// Positions of the nodes of each.
    pub sites: &'a [Vec<[i32; 3]>],
    /// Its cells.
    pub populations: &'a [Population],
    /// The sites of [`Immersion::fluid_at_openings`].
    pub fluid: &'a FluidSites,
}

impl Immersion {
    /// What [`Immersion::gates`] has to know of the fluid: sites within some cells' diameters of openings, none yet. `sites[k]` are
    /// the positions of the nodes of opening k.
    pub fn fluid_at_openings(&self, sites: &[Vec<[i32; 3]>]) -> FluidSites {
        let of = &self.parameters;
        let wide = (DEPTH + 3.0 + 4.0 * self.diameter()).ceil() as i32;
        let near = sites.iter().filter(|sites| !sites.is_empty()).map(|sites| bounds_of(sites).widened(wide));
        FluidSites::new(of.dimension, of.extent, of.periodic, near.collect())
    }

    /// The largest diameter of any cell, lattice units.
    fn diameter(&self) -> f64 {
        self.parameters.kinds.iter().map(|kind| 2.0 * kind.surface.radius()).fold(0.0, f64::max)
    }

    /// The openings through which cells go, and what is to be said of them. `pack` packs columns.
    ///
    /// # Errors
    /// A usage fault for an inflow that cannot be: an opening that is none of the case's or a moving wall, one in which no cell finds
    /// room, more hematocrit than can be packed.
    pub fn gates(
        &self,
        config: &CellsConfig,
        medium: &Medium,
        at: CellEntrances,
        pack: &Pack,
    ) -> Result<(Vec<Gate>, Vec<String>)> {
        known_openings("cells.inflow", config.inflow.keys(), at.header)?;
        let (mut gates, mut notes) = (Vec::new(), Vec::new());
        for (k, (opening, sites)) in at.openings.iter().zip(at.sites).enumerate() {
            if opening.kind == OpeningKind::Wall || sites.is_empty() {
                continue;
            }
            let mut gate = Gate { opening: k, normal: opening.normal, nodes: bounds_of(sites), feeder: None };
            if let Some(inflow) = config.inflow.get(&opening.name) {
                let key = format!("cells.inflow.{}", opening.name);
                let feeder = self.feeder(inflow, medium, (opening, sites), at, pack);
                let (feeder, said) = feeder.map_err(|fault| fault.within(&key))?;
                notes.extend(said.iter().map(|note| format!("{key}: {note}")));
                gate.feeder = Some(feeder);
            }
            gates.push(gate);
        }
        Ok((gates, notes))
    }

    /// Hematocrit of each population in those of the case's vessels that are wide enough for its cells.
    fn hematocrits(&self, populations: &[Population], nodes: usize) -> Vec<f64> {
        let kinds = self.parameters.kinds.iter().zip(populations);
        kinds.map(|(kind, of)| kind.volume() * of.cells.len() as f64 / (of.room() * nodes as f64)).collect()
    }

    /// The feeder of an opening, and what is to be said of it.
    fn feeder(
        &self,
        inflow: &InflowConfig,
        medium: &Medium,
        (opening, sites): (&Opening, &[[i32; 3]]),
        at: CellEntrances,
        pack: &Pack,
    ) -> Result<(Feeder, Vec<String>)> {
        let spacing = medium.units.dx;
        let length = inflow.length_for(self.diameter(), spacing)?;
        let parts = self.hematocrits(at.populations, at.header.nodes);
        let whole: f64 = parts.iter().sum();
        let asked = inflow.asked(whole)?;
        let volume = |k: usize| self.parameters.kinds[k].volume();
        let parts: Vec<f64> = parts.iter().map(|part| asked * part / whole).collect();
        let along = at.fluid.direction(sites, opening.normal, DEPTH + 2.0 * self.diameter());
        let entry = |way: ([f64; 3], Width)| self.entry(way, (length, spacing), &parts, (opening, sites), at, pack);
        let mut best = entry((opening.normal, Width::Whole))?;
        for way in [(opening.normal, Width::Clear), (along, Width::Whole), (along, Width::Clear)] {
            if best.packed.refused == 0 {
                break;
            }
            best = best.better(entry(way)?);
        }
        let Entry { direction, area, wanted, pace, packed } = best;
        if packed.cells.is_empty() {
            return Err(Fault::usage(
                "no cell finds room between the walls at this opening: place it where the vessel is as wide as its cells and \
                 straight for two of their diameters, or take a finer lattice",
            ));
        }
        let brought = area * length as f64;
        // Where walls are in the way of cells, those that come in do not make up for them: they would jam.
        let free = packed.refused as f64 <= FEW * packed.cells.len() as f64;
        let pace = pace.clamp(1.0, if free { FASTEST_PACE } else { 1.0 });
        let share = |k: usize| (wanted[k] / (pace * packed.counts[k] as f64)).min(1.0);
        let cells: Vec<Waiting> =
            packed.cells.into_iter().map(|cell| Waiting { keep: share(cell.kind), ..cell }).collect();
        let comes_in = cells.iter().map(|cell| pace * cell.keep * volume(cell.kind)).sum::<f64>() / brought;
        if inflow.hematocrit.is_some() && comes_in < NEARLY * asked {
            return Err(Fault::usage(format!(
                "hematocrit {asked} is more than can come in here, {comes_in:.3}: ask for at most that, or widen the opening"
            )));
        }
        let faster = match pace > 1.01 {
            true => format!(", which goes {pace:.2} times as fast as the fluid, as it holds fewer cells than that"),
            false => String::new(),
        };
        let long = length as f64 * spacing;
        let mut said = vec![format!(
            "cells come in with hematocrit {comes_in:.3}, out of a column of {} cells {long:.3e} m long{faster}",
            cells.len()
        )];
        if comes_in < NEARLY * asked {
            said.push(format!(
                "the cells of the case have hematocrit {whole:.3}, those that come in {comes_in:.3}: no more find room between the \
                 walls at this opening; cut the vessel across itself by a \"section\", where it is straight for three of their diameters"
            ));
        }
        if packed.refused > 0 {
            said.push(format!(
                "{} cells of the column do not come in: the walls behind the opening are in their way",
                packed.refused
            ));
        }
        Ok((Feeder::new(length as f64, area, direction, pace, cells), said))
    }

    /// A column that comes in along `direction`, so wide, packed as densely as is asked for, or can be. `hematocrits` are those of
    /// each population in the fluid that comes in.
    fn entry(
        &self,
        (direction, width): ([f64; 3], Width),
        (length, spacing): (usize, f64),
        hematocrits: &[f64],
        (opening, sites): (&Opening, &[[i32; 3]]),
        at: CellEntrances,
        pack: &Pack,
    ) -> Result<Entry> {
        let dimension = self.parameters.dimension;
        let across: f64 = (0..3).map(|a| direction[a] * opening.normal[a]).sum();
        let area = across * opening.area;
        // Cells of each population in what the fluid brings in a period.
        let brought = hematocrits.iter().map(|part| part * area * length as f64);
        let wanted: Vec<f64> =
            brought.zip(&self.parameters.kinds).map(|(volume, kind)| volume / kind.volume()).collect();
        let plane = OpeningPlane::new(dimension, direction, sites);
        let mut section = plane.section(dimension, sites);
        if width == Width::Clear {
            section.retain(|site| self.way_in_is_clear(&plane, *site, at.fluid));
        }
        if section.is_empty() {
            return Ok(Entry { direction, area, pace: f64::INFINITY, wanted, packed: Packed::none(hematocrits.len()) });
        }
        let column = Column { dimension, spacing, length, section };
        let packed = |part: f64| -> Result<(Entry, bool)> {
            // Half a cell comes in as a whole one every second time.
            let counts: Vec<u64> = wanted.iter().map(|wanted| (part * wanted).ceil() as u64).collect();
            let placed = pack(&column, &counts)?;
            let found: usize = placed.iter().map(Vec::len).sum();
            let packed = self.enter(&placed, &column, &plane, (opening, sites), at);
            let dense = found as f64 >= FULL * counts.iter().sum::<u64>() as f64;
            Ok((Entry { direction, area, pace: packed.pace(&wanted), wanted: wanted.clone(), packed }, dense))
        };
        let (mut best, mut dense) = packed(1.0)?;
        for part in PARTS {
            if dense {
                break;
            }
            let (entry, all) = packed(part)?;
            (best, dense) = (best.better(entry), all);
        }
        Ok(best)
    }

    /// Whether no wall stands before a site of the opening's cross-section, as deep as cells are carried at least.
    fn way_in_is_clear(&self, plane: &OpeningPlane, site: [usize; 2], fluid: &FluidSites) -> bool {
        let reach = (DEPTH + 1.0 + self.diameter()).ceil() as u32;
        (0..=reach).all(|depth| fluid.clearance(&[plane.point(f64::from(depth), site.map(|x| x as f64))]).is_some())
    }

    /// The cells of a column where they come in, as far as the walls allow.
    fn enter(
        &self,
        placed: &[Vec<Placed>],
        column: &Column,
        plane: &OpeningPlane,
        (opening, sites): (&Opening, &[[i32; 3]]),
        at: CellEntrances,
    ) -> Packed {
        let (length, direction) = (column.length as f64, plane.normal());
        let depth = |x: &[f64; 3]| (0..3).map(|a| x[a] * opening.normal[a]).sum::<f64>();
        let nodes = sites.iter().map(|site| depth(&site.map(f64::from))).sum::<f64>() / sites.len() as f64;
        let across = depth(&direction);
        // Vertices where the column is before it begins to go, and the cell's length along it.
        let in_column = |(kind, cell): (usize, &Placed)| {
            let vertices = cell.vertices(&at.populations[kind].surface).map(|x| x.map(|x| x / column.spacing));
            let (mut low, mut high) = (f64::MAX, f64::MIN);
            let place = |[x, y, z]: [f64; 3]| {
                (low, high) = (low.min(x), high.max(x));
                plane.point(x, [y, z])
            };
            let points: Vec<[f64; 3]> = vertices.map(place).collect();
            (kind, points, high - low)
        };
        let cells = placed.iter().enumerate().flat_map(|(kind, cells)| cells.iter().map(move |cell| (kind, cell)));
        let cells: Vec<_> = cells.map(in_column).collect();
        // Cells behind one that has just come in are clear of it once the column has gone on by the longest of them.
        let longest = cells.iter().map(|(_, _, long)| *long).fold(0.0, f64::max);
        let mut packed = Packed::none(placed.len());
        for (kind, points, long) in cells {
            let lowest = points.iter().map(depth).fold(f64::MAX, f64::min) - nodes;
            let way = (ENTRY - lowest) / across;
            let points: Vec<[f64; 3]> = points.iter().map(|x| [0, 1, 2].map(|a| x[a] + way * direction[a])).collect();
            let ahead = 0.5 * long + self.diameter();
            let way_in = Way { fluid: at.fluid, points: points.clone(), direction, ahead };
            let least = LEAST_CARRIED / across;
            let Some(carried) = way_in.longest(least, longest.max(least)) else {
                packed.refused += 1;
                continue;
            };
            let along = |axis: usize| points.iter().map(move |x| Coordinate::of(x[axis]));
            let position: Vec<Coordinate> = (0..self.parameters.dimension).flat_map(along).collect();
            let record = Record { seeded_scale: 1.0, carried: None, drift: vec![0; position.len()], position };
            packed.counts[kind] += 1;
            let way = length - (-way).rem_euclid(length);
            packed.cells.push(Waiting { kind, record, way, carried, keep: 1.0 });
        }
        packed
    }
}

/// A way along which a cell is carried.
struct Way<'a> {
    fluid: &'a FluidSites,
    /// The cell's vertices where it comes in.
    points: Vec<[f64; 3]>,
    /// Unit vector.
    direction: [f64; 3],
    /// How far ahead of the cell's middle no wall may be, lattice units: others would be crushed between it and the cell.
    ahead: f64,
}

impl Way<'_> {
    /// How far the cell may be carried, at most `most`: until a wall is in its way, or so near that other cells would be crushed. None
    /// where that is less than `least`.
    fn longest(&self, least: f64, most: f64) -> Option<f64> {
        let first = self.clearance(0.0)?;
        let mut way = 0.0;
        while way < most {
            let next = (way + CHECKED_EACH).min(most);
            let Some(clear) = self.clearance(next) else { break };
            if clear < first && way >= least {
                break;
            }
            way = next;
        }
        (way >= least).then_some(way)
    }

    /// How clear of walls the cell is after `way`; none where one is in its way.
    fn clearance(&self, way: f64) -> Option<i32> {
        let moved = |x: &[f64; 3], by: f64| [0, 1, 2].map(|a| x[a] + by * self.direction[a]);
        let sum = |a: usize| self.points.iter().map(|x| x[a]).sum::<f64>() / self.points.len() as f64;
        let middle = [0, 1, 2].map(sum);
        let ray = (0..=self.ahead as u32).map(|far| moved(&middle, way + f64::from(far)));
        if !ray.into_iter().all(|x| self.fluid.clearance(&[x]).is_some()) {
            return None;
        }
        let points: Vec<[f64; 3]> = self.points.iter().map(|x| moved(x, way)).collect();
        self.fluid.clearance(&points)
    }
}

/// Which part of an opening's cross-section a column fills.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Width {
    Whole,
    /// Where no wall stands within the way that cells are carried.
    Clear,
}

/// How a column comes in.
struct Entry {
    /// Unit vector.
    direction: [f64; 3],
    /// Its cross-section.
    area: f64,
    /// Cells of each population that are to come in in a period.
    wanted: Vec<f64>,
    /// How many times as fast as the fluid it would have to go.
    pace: f64,
    packed: Packed,
}

impl Entry {
    /// The one whose column has to go less fast; this one of equals.
    fn better(self, other: Self) -> Self {
        if other.pace < self.pace { other } else { self }
    }
}

/// Cells of a column where they come in.
struct Packed {
    cells: Vec<Waiting>,
    /// How many of each population.
    counts: Vec<usize>,
    /// How many the walls behind the opening do not let in.
    refused: usize,
}

impl Packed {
    fn none(populations: usize) -> Self {
        Self { cells: Vec::new(), counts: vec![0; populations], refused: 0 }
    }

    /// How many times as fast as the fluid the column has to go for `wanted` cells of each population to come in.
    fn pace(&self, wanted: &[f64]) -> f64 {
        let pace = |(&wanted, &count): (&f64, &usize)| if wanted > 0.0 { wanted / count as f64 } else { 0.0 };
        wanted.iter().zip(&self.counts).map(pace).fold(0.0, f64::max)
    }
}

/// The box of an opening's nodes.
fn bounds_of(sites: &[[i32; 3]]) -> Bounds {
    let extreme = |pick: fn(i32, i32) -> i32, from: i32| {
        [0, 1, 2].map(|axis| sites.iter().map(|site| site[axis]).fold(from, pick))
    };
    Bounds { low: extreme(i32::min, i32::MAX), high: extreme(i32::max, i32::MIN) }
}
