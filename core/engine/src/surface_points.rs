//! Points on soft surfaces of one physics that another touches, such as the vertices of cells among rigid bodies.

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use hematite_cells::RigidShape;
use hematite_config::Result;
use hematite_gpu::{Buffer, Gpu};

use crate::Precision;
use crate::particles::{Fixed, Set};
use crate::sites::Coordinate;

/// Forces and torques that add up at each point: torques are those of the other set, and zero here.
pub const SURFACE_ACTIONS: u32 = 6;

/// The largest force between a point and what touches it, lattice units.
const LARGEST_PUSH: f64 = 1.0 / 16.0;

/// So many of the largest forces on one body fit into a sum.
const TOGETHER: f64 = 512.0;

/// Vertices keep this share of the range of contact off bodies, about as much as in a case.
const RANGE: f64 = 0.5;

/// They also keep this share of a side off: what is in the midst of a triangle, 0.58 of its side from the corners, is then not through it,
/// where its radius is at least 0.42 of the side.
const SIDES: f64 = 0.4;

/// Forces on points as integers: both sides add up the same ones.
pub fn surface_push() -> Fixed {
    Fixed::fitting(LARGEST_PUSH, TOGETHER)
}

/// How a soft surface is touched, lattice units; known before anything is on the device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfaceContact {
    /// Distance from a surface at which repulsion begins.
    pub range: f64,
    /// Pressure between surfaces that touch.
    pub pressure: f64,
    /// How far a point goes in a step, at most.
    pub fastest: f64,
    /// How far along each axis a point is from the nodes to which it hands forces, at most.
    pub support: f64,
}

/// The points that this rank holds.
#[derive(Clone, Debug)]
pub struct SurfacePoints {
    /// Where they are. All of them count as own: a rank finds the forces on each that hands them to its nodes.
    pub set: Set,
    /// `array<f32>`: the area that each stands for, lattice units.
    pub area: Buffer,
    /// `array<i32>` [[`SURFACE_ACTIONS`] * stride]: what others push each with, as [`surface_push`] has it.
    pub pushes: Buffer,
    /// Counts how often arrays were replaced, or points came or went: lists that were made before do not hold.
    pub version: u64,
    /// The points of each closed surface, by their numbers.
    pub closed: Vec<Range<usize>>,
    /// The vertices of closed surfaces that will come in next, beside openings.
    pub coming: Vec<Vec<[f64; 3]>>,
    /// The rigid bodies that touch them, once there are some on the device.
    pub solids: Option<Solids>,
}

/// The rigid bodies of a rank's own, as the other physics finds where they are when members come in.
#[derive(Clone, Debug)]
pub struct Solids {
    /// `array<vec2<i32>>` of coordinates, component a of number i at `a * stride + i`.
    pub position: Buffer,
    /// `array<real>`: quaternions (w, x, y, z) that turn a body's frame into space, likewise.
    pub orientation: Buffer,
    /// `array<u32>`: the kind of each.
    pub kind: Buffer,
    /// `array<u32>`: not 0 where a number is not there.
    pub gone: Buffer,
    /// Distance between components.
    pub stride: u32,
    /// How many there are.
    pub own: u32,
    /// Arithmetic.
    pub precision: Precision,
    /// The shape of each kind, lattice units.
    pub shapes: Rc<Vec<RigidShape>>,
}

/// A rigid body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solid {
    /// Its centre; nodes at whole numbers, not wrapped.
    pub centre: [f64; 3],
    /// Unit quaternion (w, x, y, z) that turns its frame into space.
    pub orientation: [f64; 4],
    /// Its shape, lattice units.
    pub shape: RigidShape,
}

impl Solids {
    /// The bodies, where they are now.
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
    /// Whether it is nearer than `gap` to any of the `vertices` of a closed surface, or may lie within that, in a domain of `extent`
    /// sites.
    pub fn meets(&self, vertices: &[[f64; 3]], gap: f64, extent: [usize; 3], periodic: [bool; 3]) -> bool {
        let [w, x, y, z] = self.orientation;
        // The axes in space.
        let e = [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)],
            [2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)],
            [2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)],
        ];
        let extreme = |pick: fn(f64, f64) -> f64, from: f64| {
            [0, 1, 2].map(|a| vertices.iter().map(|vertex| vertex[a]).fold(from, pick))
        };
        let (low, high) = (extreme(f64::min, f64::INFINITY), extreme(f64::max, f64::NEG_INFINITY));
        // From its centre to the middle of the surface's nearest image.
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

/// How far rigid bodies and the vertices of a closed surface keep off each other where either comes in: `range` is that of contact, `side`
/// the mean side's length.
pub fn entry_gap(range: f64, side: f64) -> f64 {
    (RANGE * range).max(SIDES * side)
}

/// Points as their physics and another share them: the one replaces arrays, the other looks them up in each step.
pub type SharedSurface = Rc<RefCell<SurfacePoints>>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_meet_what_they_touch_and_what_holds_them() {
        let shape = RigidShape { semi_axes: [2.0, 1.0, 0.5] };
        // Its long axis along y.
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
        // A box far around it, and one that it reaches out of.
        let corners = |half: [f64; 3]| -> Vec<[f64; 3]> {
            let at = |k: usize| [0, 1, 2].map(|a| solid.centre[a] + if k >> a & 1 == 1 { half[a] } else { -half[a] });
            (0..8).map(at).collect()
        };
        assert!(meets(&corners([4.0; 3]), false) && !meets(&corners([4.0, 1.5, 4.0]), false));
    }
}
