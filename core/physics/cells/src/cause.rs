//! What pulls hardest at a broken cell, and what would help.

use hematite_config::Result;
use hematite_membrane::Damage;

use super::contact_parameters::LARGEST_PUSH;
use super::record::Record;
use super::roster::Held;
use super::suspension::Suspension;

/// The largest components of the forces on any vertex of a cell, lattice units, by origin.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Pulls {
    membrane: f64,
    cells: f64,
    wall: f64,
}

impl Suspension {
    /// What pulls hardest at a cell that broke because of `why`, and what would help, two sentences.
    ///
    /// # Errors
    /// When the device is lost.
    pub(super) fn cause(&self, why: Damage, kind: usize, held: &Held, record: &Record, step: u32) -> Result<String> {
        let pulls = self.pulls_on(kind, held, record, step)?;
        let [membrane, cells, wall] = [pulls.membrane, pulls.cells, pulls.wall];
        let remedy = match why {
            Damage::Speed => "The fluid carries it off: take a slower flow, or a shorter time step",
            Damage::Wall => "It was put there: take a larger \"wall_gap\" in the seeding of the case",
            _ if membrane >= cells.max(wall) && self.parameters.dimension == 3 => {
                "The membrane pulls hardest: take a slower flow, a finer lattice, or a larger \"local_area\" in its mechanics"
            }
            _ if membrane >= cells.max(wall) => {
                "The membrane pulls hardest: take a slower flow, a finer lattice, or stiffer \"in_plane\" mechanics"
            }
            _ if cells >= wall => {
                "Other cells push hardest: take a lower cells.contact.strength, fewer cells, or a slower flow"
            }
            _ => "The wall pushes hardest: take a lower cells.contact.wall_strength, or a slower flow",
        };
        Ok(format!(
            "In lattice units the membrane pulls with up to {membrane:.1e}, other cells with {cells:.1e}, the wall with {wall:.1e}. \
             {remedy}"
        ))
    }

    fn pulls_on(&self, kind: usize, held: &Held, record: &Record, step: u32) -> Result<Pulls> {
        let dimension = self.parameters.dimension;
        let of = &self.kinds[kind];
        let first = of.first_vertex(held.slot) as usize;
        let stride = self.vertices.stride as usize;
        let bytes: Vec<u8> = self.gpu.download(&self.vertices.force, 0, self.vertices.force.bytes() as usize)?;
        let (whole, membrane) = (self.parameters.precision.unpack_real(&bytes), self.membrane_forces(u64::from(step))?);
        let scale = self.parameters.scale(record.seeded_scale, u64::from(step));
        let area = of.vertex_area * scale.powi(dimension as i32 - 1);
        let field = self.wall.read(&self.gpu, self.coupling.map())?;
        // Caps act on the sum: what is left of each is not known.
        let capped = self.parameters.capped_until().is_some_and(|last| u64::from(step) <= last);
        let mut pulls = Pulls::default();
        for (v, x) in record.points(dimension).into_iter().enumerate() {
            let (distance, gradient) = field.at(x);
            let steep = gradient.iter().map(|g| g * g).sum::<f64>().sqrt().max(1e-9);
            let push = self.parameters.contact.map_or(0.0, |contact| {
                let gap = (1.0 - distance.max(0.0) / contact.range).max(0.0);
                let share = gap * gap * (1.0 + 2.0 * gap * gap);
                (contact.wall_strength * area * share).min(LARGEST_PUSH)
            });
            for (axis, slope) in gradient.into_iter().enumerate().take(dimension) {
                let at = axis * stride + first + v;
                let constant: f64 = self
                    .parameters
                    .pulls
                    .iter()
                    .filter(|pull| pull.kind == kind)
                    .map(|pull| pull.force[axis] * pull.vertices.iter().filter(|&&u| u as usize == v).count() as f64)
                    .sum();
                let wall = push * slope / steep;
                let largest = |a: f64, f: f64| if f.abs() <= a { a } else { f.abs() };
                pulls.membrane = largest(pulls.membrane, membrane[at]);
                pulls.wall = largest(pulls.wall, wall);
                if !capped {
                    pulls.cells = largest(pulls.cells, whole[at] - membrane[at] - constant - wall);
                }
            }
        }
        Ok(pulls)
    }
}
