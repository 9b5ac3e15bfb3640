//! The cells of one rank: what they consist of.

use hematite_comm::Comm;
use hematite_config::Result;
use hematite_engine::passage::Numbering;
use hematite_engine::{CameIn, SharedNodes, SharedSurface, SumExchange};
use hematite_gpu::{Gpu, Writes};
use hematite_membrane::Vertices;

use super::arrays::arrays;
use super::cap::Cap;
use super::contact::Contact;
use super::coupling::{Coupling, CouplingVariant};
use super::gate::Gate;
use super::holders::Holders;
use super::inside::Inside;
use super::kind::Kind;
use super::look::Looks;
use super::parameters::{Parameters, Surroundings};
use super::record::Record;
use super::roster::Held;
use super::surface;
use super::wall_distance::WallDistance;
use super::watch::Watch;

/// Seconds spent on cells, by phase.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CellPhases {
    /// Waiting for kernels.
    pub compute: f64,
    /// Messages between ranks.
    pub communication: f64,
    /// Looks: health, holders, migration.
    pub migration: f64,
}

/// The cells of one rank.
pub struct Suspension {
    pub(super) gpu: Gpu,
    pub(super) rank: u32,
    pub(super) alone: bool,
    pub(super) parameters: Parameters,
    pub(super) vertices: Vertices,
    pub(super) kinds: Vec<Kind>,
    pub(super) coupling: Coupling,
    pub(super) wall: WallDistance,
    pub(super) contact: Option<Contact>,
    pub(super) cap: Option<Cap>,
    pub(super) inside: Option<Inside>,
    pub(super) watch: Watch,
    /// What goes into slots and out of them.
    pub(super) writes: Writes,
    pub(super) holders: Holders,
    pub(super) sum_exchange: SumExchange,
    /// The vertices as others touch them, where they do.
    pub(super) surface: Option<SharedSurface>,
    pub(super) gates: Vec<Gate>,
    /// Mass that has come in, where the case has openings.
    pub(super) came_in: Option<CameIn>,
    /// Whether feeders go on as if theirs had come in so far.
    pub(super) anew: bool,
    /// Numbers of cells that come in.
    pub(super) numbering: Numbering,
    pub(super) looks: Looks,
    /// Population and slot of the cells whose sizes the device does not know yet.
    pub(super) filled: Vec<(usize, u32)>,
    /// Whether slots were filled or emptied since contact was told.
    pub(super) changed: bool,
    /// Whether the cells shared with other ranks have changed since their lists were last set.
    pub(super) shares_anew: bool,
    /// Whether cells came in, from feeders or other ranks, or went out since forces were found.
    pub(super) passed: bool,
    /// Seconds that looks took.
    pub(super) migrating: f64,
}

impl Suspension {
    /// Puts cells into the fluid: of all `cells` (population, number, state) those that come near this rank's nodes.
    /// `step` is the number of steps done. Collective.
    ///
    /// # Errors
    /// When the device lacks room or is lost, or a rank is.
    pub fn new(
        gpu: &Gpu,
        comm: &dyn Comm,
        parameters: Parameters,
        mut shared: SharedNodes,
        surroundings: Surroundings,
        step: u64,
        cells: impl IntoIterator<Item = (usize, u64, Record)>,
    ) -> Result<Self> {
        let (dimension, precision) = (parameters.dimension, parameters.precision);
        let rank = comm.rank() as u32;
        let holders = Holders::collect(comm, &surroundings.own, parameters.extent, parameters.periodic)?;
        let looks = Looks::new();
        let near = near(&parameters, &holders, rank, looks.way(), cells);
        let room = |cells: usize| if comm.size() > 1 { cells + cells / 4 + 16 } else { cells };
        let rooms: Vec<usize> = near.iter().map(|cells| room(cells.len())).collect();
        let (vertices, ranges) = arrays(gpu, &parameters, &rooms)?;
        let pushed = parameters.pushed_within.is_some();
        shared.surface = pushed.then(|| surface::share(gpu, &vertices)).transpose()?;
        let map = &surroundings.map;
        let wall = WallDistance::new(gpu, &surroundings.wall_distance)?;
        let contact = |contact| Contact::new(gpu, precision, contact, parameters.every, map, &vertices, &wall);
        let inside = |marks| Inside::new(gpu, map, &vertices, marks, &parameters.marking());
        let cap = || Cap::new(gpu, precision, dimension, parameters.growth_cap, &vertices);
        let coupling = CouplingVariant::new(gpu, precision, parameters.support);
        let kind = |(k, range)| Kind::new(gpu, &parameters, k, &vertices, range);
        let mut suspension = Self {
            gpu: gpu.clone(),
            rank,
            alone: comm.size() == 1,
            kinds: ranges.into_iter().enumerate().map(kind).collect::<Result<_>>()?,
            coupling: Coupling::new(gpu, coupling, map, &wall, &vertices, &shared)?,
            contact: parameters.contact.as_ref().map(contact).transpose()?,
            cap: (parameters.growth > 0).then(cap).transpose()?,
            inside: shared.inside.as_ref().map(inside).transpose()?,
            watch: Watch::new(gpu, dimension, &vertices)?,
            writes: Writes::new(gpu)?,
            parameters,
            vertices,
            wall,
            holders,
            sum_exchange: SumExchange::default(),
            surface: shared.surface.clone(),
            came_in: shared.came_in.clone(),
            anew: false,
            gates: surroundings.gates,
            numbering: Numbering::after(0),
            looks,
            filled: Vec::new(),
            changed: false,
            shares_anew: true,
            passed: false,
            migrating: 0.0,
        };
        for (kind, cells) in near.into_iter().enumerate() {
            for (id, record, held) in cells {
                suspension.put(kind, id, &record, held)?;
            }
        }
        suspension.writes.flush(gpu)?;
        suspension.numbering = Numbering::after(suspension.kinds.iter().map(|kind| kind.seeded).sum());
        suspension.share(comm)?;
        suspension.write_scales(step)?;
        suspension.answer_anew(step)?;
        suspension.write_surface(step)?;
        suspension.filled.clear();
        gpu.wait()?;
        Ok(suspension)
    }

    /// Gives cells that come in these numbers, in place of those after the run's own.
    pub fn number_from(&mut self, numbering: Numbering) {
        self.numbering = numbering;
    }

    /// Seconds spent so far, by phase.
    pub fn phases(&self) -> CellPhases {
        let messages = self.sum_exchange.phases();
        CellPhases {
            compute: messages.compute,
            communication: messages.communication + messages.packing,
            migration: self.migrating,
        }
    }
}

/// The `cells` that this rank has to hold, by population; vertices go up to `way` until the first look. Those near each other
/// come together: vertices that are near each other in memory touch the same nodes.
fn near(
    parameters: &Parameters,
    holders: &Holders,
    rank: u32,
    way: f64,
    cells: impl IntoIterator<Item = (usize, u64, Record)>,
) -> Vec<Vec<(u64, Record, Held)>> {
    let mut near: Vec<Vec<(u64, Record, Held)>> = parameters.kinds.iter().map(|_| Vec::new()).collect();
    for (kind, id, record) in cells {
        let held = Held::of(&record, holders, parameters, way);
        if held.holders.contains(&rank) {
            near[kind].push((id, record, held));
        }
    }
    for cells in &mut near {
        cells.sort_by_key(|(id, _, held)| (held.bounds.place(), *id));
    }
    near
}
