//! Points on soft surfaces of one physics that another touches, such as the vertices of cells among rigid bodies.

use std::cell::RefCell;
use std::rc::Rc;

use hematite_gpu::Buffer;

use crate::particles::{Fixed, Set};

/// Forces and torques that add up at each point: torques are those of the other set, and zero here.
pub const SURFACE_ACTIONS: u32 = 6;

/// The largest force between a point and what touches it, lattice units.
const LARGEST_PUSH: f64 = 1.0 / 16.0;

/// So many of the largest forces on one body fit into a sum.
const TOGETHER: f64 = 512.0;

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
}

/// Points as their physics and another share them: the one replaces arrays, the other looks them up in each step.
pub type SharedSurface = Rc<RefCell<SurfacePoints>>;
