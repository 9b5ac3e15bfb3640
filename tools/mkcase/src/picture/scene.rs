//! What there is to show of a case, and in which colours.

use hematite_case::{Lattice, Population};
use rayon::prelude::*;

use super::Picture;
use super::mouth::Mouth;
use super::terrain::Terrain;

/// The fluid.
pub const FLUID: [u8; 3] = [0xd3, 0xe3, 0xf3];
/// Walls.
pub const WALL: [u8; 3] = hematite_drawing::colour::SOLID;
/// What was fluid in the geometry and was removed.
pub const FLUID_REMOVED: [u8; 3] = [0xf0, 0x8c, 0x00];
/// Specks of wall that became fluid.
pub const WALL_REMOVED: [u8; 3] = [0x8e, 0x4b, 0xa8];

/// Sites around the fluid that are shown with it.
const AROUND: i32 = 2;

/// A case as it is drawn. Coordinates are those of sites: site i reaches from i to i + 1.
pub struct Scene<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its lattice.
    pub lattice: &'a Lattice,
    /// Its cells and bodies.
    pub populations: &'a [Population],
    /// The part of each node, where parts are shown.
    pub owners: Option<Vec<u32>>,
    /// How many parts there are.
    pub parts: usize,
    /// First site of the box that is shown.
    pub low: [i32; 3],
    /// Behind its last site.
    pub high: [i32; 3],
    /// First site of the box around the fluid.
    pub fluid_low: [i32; 3],
    /// Behind its last site.
    pub fluid_high: [i32; 3],
    /// Its openings.
    pub mouths: Vec<Mouth>,
    /// Its ground, where it is one of terrain and no parts are shown.
    pub terrain: Option<Terrain>,
}

impl<'a> Scene<'a> {
    /// The scene of a picture.
    pub fn new(picture: &'a Picture) -> Self {
        let lattice = picture.lattice;
        let nothing = || ([i32::MAX; 3], [i32::MIN; 3]);
        let join = |(a, b): ([i32; 3], [i32; 3]), (c, d): ([i32; 3], [i32; 3])| {
            let low = std::array::from_fn(|k| a[k].min(c[k]));
            (low, std::array::from_fn(|k| b[k].max(d[k])))
        };
        let site = |at: &[i32; 3]| (*at, at.map(|i| i + 1));
        let (fluid_low, fluid_high) = lattice.position.par_iter().map(site).reduce(nothing, join);
        let mut scene = Self {
            name: &picture.name,
            lattice,
            populations: picture.populations,
            owners: picture.partition.map(|partition| partition.owners()),
            parts: picture.partition.map_or(0, |partition| partition.parts),
            low: fluid_low,
            high: fluid_high,
            fluid_low,
            fluid_high,
            mouths: Mouth::all(lattice),
            terrain: if picture.partition.is_none() { Terrain::of(lattice) } else { None },
        };
        for run in &lattice.geometry.removed {
            let [low, high] = [run.low, run.high].map(|corner| scene.site_of(corner.map(f64::from)));
            let sites = (low.map(|x| x.round() as i32), high.map(|x| x.round() as i32));
            (scene.low, scene.high) = join((scene.low, scene.high), sites);
        }
        for axis in 0..scene.dimension() {
            scene.low[axis] = (scene.low[axis] - AROUND).max(0);
            scene.high[axis] = (scene.high[axis] + AROUND).min(lattice.extent[axis] as i32);
        }
        scene
    }

    /// 2 or 3.
    pub fn dimension(&self) -> usize {
        self.lattice.set.dimension()
    }

    /// The coordinates of a place in metres.
    pub fn site_of(&self, metres: [f64; 3]) -> [f64; 3] {
        [0, 1, 2].map(|axis| (metres[axis] - self.lattice.origin[axis]) / self.lattice.spacing)
    }

    /// The colour of the fluid at a node: that of its part, where parts are shown, and of the ground of terrain.
    pub fn colour_of(&self, node: usize) -> [u8; 3] {
        match (&self.owners, &self.terrain) {
            (Some(owners), _) => of_part(owners[node] as usize),
            (None, Some(terrain)) => terrain.colours[node],
            (None, None) => FLUID,
        }
    }

    /// What copies of a member from `low` to `high` (sites) there are beyond periodic faces, itself included: by how much each is
    /// shifted.
    pub fn copies(&self, low: [f64; 3], high: [f64; 3]) -> Vec<[f64; 3]> {
        let mut shifts = vec![[0.0; 3]];
        for axis in (0..3).filter(|&axis| self.lattice.periodic[axis]) {
            let period = self.lattice.extent[axis] as f64;
            let sides = [(low[axis] < 0.0, period), (high[axis] > period, -period)];
            let more = sides.iter().filter(|(is_out, _)| *is_out).flat_map(|&(_, by)| {
                let moved = |shift: &[f64; 3]| std::array::from_fn(|k| if k == axis { by } else { shift[k] });
                shifts.iter().map(moved).collect::<Vec<[f64; 3]>>()
            });
            let more: Vec<[f64; 3]> = more.collect();
            shifts.extend(more);
        }
        shifts
    }
}

/// The colour of a part: hues of numbers that follow each other lie far apart.
pub fn of_part(part: usize) -> [u8; 3] {
    const GOLDEN: f64 = 0.618_033_988_75;
    const LIGHT: [f64; 3] = [0.80, 0.62, 0.92];
    let hue = 6.0 * (part as f64 * GOLDEN + 0.58).fract();
    let (light, colourful) = (LIGHT[part % 3], 0.45);
    [0.0, 4.0, 2.0].map(|shift| {
        let ramp = (((hue + shift) % 6.0 - 3.0).abs() - 1.0).clamp(0.0, 1.0);
        (255.0 * light * (1.0 - colourful + colourful * ramp)).round() as u8
    })
}
