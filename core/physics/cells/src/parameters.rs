//! What a run fixes for its cells.

use hematite_cells::{Mechanics, Surface};
use hematite_engine::sites::SiteMap;
use hematite_engine::{Precision, Support};
use hematite_membrane::FASTEST;

use super::contact_parameters::ContactParameters;
use super::gate::Gate;
use super::listing::MOST_SKIN;
use super::look::LOOK;
use super::pull::Pull;
use super::wall_distance::WallDistance;

/// Time steps for which forces stay capped once cells have grown: as long as they take to follow the last look's growth.
const SETTLING: u64 = 64 * LOOK;

/// What a run fixes for its cells, lattice units.
#[derive(Clone, Debug)]
pub struct Parameters {
    /// 2 or 3.
    pub dimension: usize,
    /// Arithmetic.
    pub precision: Precision,
    /// The kernel between vertices and nodes.
    pub support: Support,
    /// Membranes and contact every so many steps, counted anew from each look on.
    pub every: u64,
    /// Vertices move every so many steps; divides `every`.
    pub move_every: u64,
    /// Steps in which cells seeded small grow to full size.
    pub growth: u64,
    /// The largest force on a vertex until [`Parameters::capped_until`]; beyond it a force is shortened, see `cap.wgsl`.
    pub growth_cap: f64,
    /// Contact between cells and with walls.
    pub contact: Option<ContactParameters>,
    /// Steps between marks of the nodes inside cells, where viscosities differ.
    pub mark_every: Option<u64>,
    /// The populations.
    pub kinds: Vec<KindParameters>,
    /// Constant forces on vertices.
    pub pulls: Vec<Pull>,
    /// Where others push vertices: how far from its nodes a rank has to find the vertices that those it owns may touch. None
    /// where nothing does.
    pub pushed_within: Option<f64>,
    /// Metres of a lattice unit, and of node (0, 0, 0): where a broken cell is.
    pub spacing: f64,
    /// See `spacing`.
    pub origin: [f64; 3],
    /// Sites of the domain along x, y, z.
    pub extent: [usize; 3],
    /// Directions in which it wraps.
    pub periodic: [bool; 3],
}

impl Parameters {
    /// The viscosities inside cells over that of the fluid, those that differ from it, each once in the order of populations: cells of
    /// viscosity k mark the nodes inside by bit k.
    pub fn contrasts(&self) -> Vec<f64> {
        contrasts(&self.kinds)
    }

    /// For each population its shape and the bit that marks nodes inside its cells; none where their viscosity is the fluid's.
    pub(super) fn marking(&self) -> Vec<(&Surface, Option<u32>)> {
        let contrasts = self.contrasts();
        let bit = |contrast: f64| contrasts.iter().position(|&other| other == contrast).map(|bit| bit as u32);
        self.kinds.iter().map(|kind| (&kind.surface, bit(kind.mechanics.contrast))).collect()
    }

    /// Whether forces of membranes and contact are found after `step` steps. At looks they always are, so that no state has older ones.
    pub(super) fn finds_forces_at(&self, step: u64) -> bool {
        (step % LOOK).is_multiple_of(self.every)
    }

    /// Whether nodes inside cells are marked after `step` steps.
    pub(super) fn marks_at(&self, step: u64) -> bool {
        self.mark_every.is_some_and(|every| step.is_multiple_of(every))
    }

    /// Size over full size of a cell, seeded at `seeded`, after `step` steps.
    pub(super) fn scale(&self, seeded: f32, step: u64) -> f64 {
        let seeded = f64::from(seeded);
        let grown = if self.growth == 0 { 1.0 } else { (step as f64 / self.growth as f64).min(1.0) };
        seeded + (1.0 - seeded) * grown
    }

    /// The last step whose forces are capped because cells grow; none where all have their size. Sizes change at looks.
    pub fn capped_until(&self) -> Option<u64> {
        (self.growth > 0).then(|| self.growth.next_multiple_of(LOOK) + SETTLING)
    }

    /// Sites around own nodes that a rank's map must hold: all that act on a vertex which may touch them.
    pub fn map_margin(&self) -> i32 {
        let contact = self.contact.as_ref().map_or(0.0, |contact| contact.range() + MOST_SKIN);
        // Which sites a distance tells of, and the corners around the vertex.
        let wall = self.wall_reach() + 2.0;
        (self.support.reach() + contact.max(wall) + FASTEST * self.every as f64).ceil() as i32 + 1
    }

    /// Distance up to which that from the wall must be known.
    pub fn wall_reach(&self) -> f64 {
        let range = self.contact.as_ref().map_or(0.0, |contact| contact.range);
        WallDistance::reach(self.dimension, self.support, range)
    }
}

/// A population in lattice units.
#[derive(Clone, Debug)]
pub struct KindParameters {
    /// Its name.
    pub name: String,
    /// The shape at full size.
    pub surface: Surface,
    /// What its membrane is made of.
    pub mechanics: Mechanics,
    /// Cells in the case.
    pub seeded: u64,
}

impl KindParameters {
    /// The volume that its membrane holds at full size; in 2-D an area.
    pub(super) fn volume(&self) -> f64 {
        let share = if self.mechanics.volume > 0.0 { self.mechanics.volume_share } else { 1.0 };
        share * self.surface.volume()
    }

    /// The mean area of a vertex at full size; in 2-D its length.
    pub(super) fn vertex_area(&self) -> f64 {
        self.surface.area() / self.surface.vertices.len() as f64
    }
}

/// What is around a rank's own nodes.
pub struct Surroundings {
    /// Positions of own nodes.
    pub own: Vec<[i32; 3]>,
    /// Where sites are on the device.
    pub map: SiteMap,
    /// Distance of the map's sites from the wall, up to [`Parameters::wall_reach`], lattice units.
    pub wall_distance: Vec<f32>,
    /// Openings through which cells go.
    pub gates: Vec<Gate>,
}

/// Margin around a cell, in sites: ranks with nodes within it hold the cell until the next look. It covers the `way` of its
/// vertices until then, the kernel, and the range of contact or what rigid bodies need.
pub(super) fn reach(parameters: &Parameters, way: f64) -> i32 {
    let contact = parameters.contact.as_ref().map_or(0.0, |contact| contact.range());
    let within = parameters.pushed_within.unwrap_or(0.0).max(parameters.support.reach() + contact);
    (way + within).ceil() as i32 + 1
}

/// See [`Parameters::contrasts`].
pub(crate) fn contrasts(kinds: &[KindParameters]) -> Vec<f64> {
    let mut found = Vec::new();
    for contrast in kinds.iter().map(|kind| kind.mechanics.contrast) {
        if contrast != 1.0 && !found.contains(&contrast) {
            found.push(contrast);
        }
    }
    found
}
