//! Points on soft surfaces of one physics that members of another touch, such as vertices of cells that rigid bodies
//! touch.

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use hematite_cells::RigidShape;
use hematite_config::Result;
use hematite_gpu::{Buffer, Gpu};

use crate::Precision;
use crate::particles::{Fixed, Set};
use crate::sites::Coordinate;

/// Number of sums at each point: forces and torques. Torques act on the other set and are zero at points.
pub const SURFACE_ACTIONS: u32 = 6;

/// The largest force between a point and what touches it, lattice units.
const LARGEST_PUSH: f64 = 1.0 / 16.0;

/// How many of the largest forces on one body fit into a sum.
const TOGETHER: f64 = 512.0;

/// Share of the range of contact that vertices keep from bodies, about as in a case.
const RANGE: f64 = 0.5;

/// Share of a side that vertices also keep from bodies. A body in the middle of a triangle is 0.58 of a side from its
/// corners, so it does not pass through if its radius is at least 0.42 of the side.
const SIDES: f64 = 0.4;

/// Conversion of forces on points to integers; both sides sum the same integers.
pub fn surface_push() -> Fixed {
    Fixed::fitting(LARGEST_PUSH, TOGETHER)
}

/// Contact with a soft surface, in lattice units; known before anything is on the device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfaceContact {
    /// Distance from the surface at which repulsion begins.
    pub range: f64,
    /// Pressure between surfaces that touch.
    pub pressure: f64,
    /// Largest displacement of a point in a step.
    pub fastest: f64,
    /// Largest distance along each axis of a point from the nodes to which it spreads forces.
    pub support: f64,
}

/// The points of soft surfaces that this rank holds.
#[derive(Clone, Debug)]
pub struct SurfacePoints {
    /// Positions. All points count as own: each rank computes the forces on all points that spread forces to its nodes.
    pub set: Set,
    /// `array<f32>`: the area of each point, lattice units.
    pub area: Buffer,
    /// `array<i32>` [[`SURFACE_ACTIONS`] * stride]: the actions of others on each point, in units of [`surface_push`].
    pub pushes: Buffer,
    /// Incremented when arrays are replaced, or points come or go: earlier lists are then invalid.
    pub version: u64,
    /// The range of points of each closed surface.
    pub closed: Vec<Range<usize>>,
    /// The vertices of closed surfaces that will come in next at openings.
    pub coming: Vec<Vec<[f64; 3]>>,
    /// The rigid bodies that touch the points; `None` before they are on the device.
    pub solids: Option<Solids>,
}

/// The own rigid bodies of a rank, for the other physics, which needs their positions when members come in.
#[derive(Clone, Debug)]
pub struct Solids {
    /// `array<vec2<i32>>` of coordinates, component a of number i at `a * stride + i`.
    pub position: Buffer,
    /// `array<real>`: quaternions (w, x, y, z) of the rotation from the frame of the body to space, component a of
    /// number i at `a * stride + i`.
    pub orientation: Buffer,
    /// `array<u32>`: the kind of each body.
    pub kind: Buffer,
    /// `array<u32>`: not 0 for a number without a body.
    pub gone: Buffer,
    /// Distance between components.
    pub stride: u32,
    /// Number of bodies.
    pub own: u32,
    /// Precision of arithmetic.
    pub precision: Precision,
    /// The shape of each kind, lattice units.
    pub shapes: Rc<Vec<RigidShape>>,
}

/// A rigid body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solid {
    /// Centre in lattice units with nodes at whole numbers, not wrapped.
    pub centre: [f64; 3],
    /// Unit quaternion (w, x, y, z) of the rotation from the frame of the body to space.
    pub orientation: [f64; 4],
    /// Shape, lattice units.
    pub shape: RigidShape,
}

impl Solids {
    /// Reads the current positions and orientations of the bodies.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn read(&self, gpu: &Gpu) -> Result<Vec<Solid>> {
        let (own, stride) = (self.own as usize, self.stride as usize);
        if own == 0 {
            return Ok(Vec::new());
        }
        let (kind, gone) = (gpu.download::<u32>(&self.kind, 0, own)?, gpu.download::<u32>(&self.gone, 0, own)?);
        let position: Vec<Coordinate> = gpu.download(&self.position, 0, 2 * stride + own)?;
        let bytes = gpu.download::<u8>(&self.orientation, 0, (3 * stride + own) * self.precision.real_bytes())?;
        let orientation = self.precision.unpack_real(&bytes);
        let solid = |i: usize| Solid {
            centre: [0, 1, 2].map(|a| position[a * stride + i].value()),
            orientation: [0, 1, 2, 3].map(|a| orientation[a * stride + i]),
            shape: self.shapes[kind[i] as usize],
        };
        Ok((0..own).filter(|&i| gone[i] == 0).map(solid).collect())
    }
}

impl Solid {
    /// Whether the body is nearer than `gap` to any of the `vertices` of a closed surface, or may lie inside the
    /// surface, in a domain of `extent` sites.
    pub fn meets(&self, vertices: &[[f64; 3]], gap: f64, extent: [usize; 3], periodic: [bool; 3]) -> bool {
        let [w, x, y, z] = self.orientation;
        // The axes of the body in space.
        let e = [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)],
            [2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)],
            [2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)],
        ];
        let extreme = |pick: fn(f64, f64) -> f64, from: f64| {
            [0, 1, 2].map(|a| vertices.iter().map(|vertex| vertex[a]).fold(from, pick))
        };
        let (low, high) = (extreme(f64::min, f64::INFINITY), extreme(f64::max, f64::NEG_INFINITY));
        // From the centre to the middle of the nearest image of the surface.
        let to_middle = [0, 1, 2].map(|a| {
            let (r, period) = (0.5 * (low[a] + high[a]) - self.centre[a], extent[a] as f64);
            if periodic[a] { r - period * (r / period).round() } else { r }
        });
        let half = [0, 1, 2].map(|a| 0.5 * (high[a] - low[a]));
        let own = [0, 1, 2].map(|a| (0..3).map(|k| (self.shape.semi_axes[k] * e[k][a]).powi(2)).sum::<f64>().sqrt());
        if (0..3).any(|a| to_middle[a].abs() > half[a] + own[a] + gap) {
            return false;
        }
        let within = (0..3).all(|a| to_middle[a].abs() + own[a] <= half[a]);
        within
            || vertices.iter().any(|vertex| {
                let r = [0, 1, 2].map(|a| to_middle[a] + vertex[a] - 0.5 * (low[a] + high[a]));
                self.shape.distance(e.map(|axis| (0..3).map(|a| axis[a] * r[a]).sum())) < gap
            })
    }
}

/// Least distance of rigid bodies from the vertices of a closed surface when either comes in. `range`: of contact;
/// `side`: mean side of the surface's mesh. In the unit of both.
pub fn entry_gap(range: f64, side: f64) -> f64 {
    (RANGE * range).max(SIDES * side)
}

/// Points shared by two physics: one replaces arrays, the other looks them up in each step.
pub type SharedSurface = Rc<RefCell<SurfacePoints>>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_meet_what_they_touch_and_what_holds_them() {
        let shape = RigidShape { semi_axes: [2.0, 1.0, 0.5] };
        // The long axis is along y.
        let turned = [0.5_f64.sqrt(), 0.0, 0.0, 0.5_f64.sqrt()];
        let solid = Solid { centre: [1.0, 5.0, 5.0], orientation: turned, shape };
        let meets = |vertices: &[[f64; 3]], periodic: bool| solid.meets(vertices, 0.3, [20; 3], [periodic; 3]);
        for (vertex, expected) in [
            ([1.0, 7.2, 5.0], true),
            ([1.0, 7.4, 5.0], false),
            ([2.2, 5.0, 5.0], true),
            ([2.4, 5.0, 5.0], false),
            ([1.0, 5.0, 5.7], true),
            ([1.0, 5.0, 5.9], false),
            ([1.0, 6.0, 5.0], true),
        ] {
            assert_eq!(meets(&[vertex], false), expected, "{vertex:?}");
            let image = [vertex[0] + 20.0, vertex[1] - 40.0, vertex[2]];
            assert!(!meets(&[image], false) && meets(&[image], true) == expected, "{image:?}");
        }
        // A box that surrounds the body widely, and one from which the body sticks out.
        let corners = |half: [f64; 3]| -> Vec<[f64; 3]> {
            let at = |k: usize| [0, 1, 2].map(|a| solid.centre[a] + if k >> a & 1 == 1 { half[a] } else { -half[a] });
            (0..8).map(at).collect()
        };
        assert!(meets(&corners([4.0; 3]), false) && !meets(&corners([4.0, 1.5, 4.0]), false));
    }
}
