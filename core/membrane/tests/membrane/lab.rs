//! Cells of one population on the device.

use std::sync::OnceLock;

use hematite_cells::{Mechanics, Surface};
use hematite_engine::{DRIFT_SCALE, Precision};
use hematite_gpu::{Gpu, Needs, Recorder};
use hematite_membrane::{FORCE_LIMIT, Membrane, NONE, Range, Vertices, Which};

/// Fractions of a position.
const FRACTION: f64 = 4_294_967_296.0;

/// A cell to be put on the device.
#[derive(Clone, Debug)]
pub struct Cell {
    pub x: Vec<[f64; 3]>,
    pub u: Vec<[f64; 3]>,
    pub scale: f64,
    /// Whole numbers added to positions.
    pub offset: [i32; 3],
}

impl Cell {
    pub fn still(x: Vec<[f64; 3]>, scale: f64) -> Self {
        Self { u: vec![[0.0; 3]; x.len()], x, scale, offset: [0; 3] }
    }
}

/// What the kernel computed for a cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    pub force: Vec<[f64; 3]>,
    pub shape: [f64; 2],
    pub broken: u32,
}

/// The nearest position that fixed point can hold.
pub fn representable(x: [f64; 3]) -> [f64; 3] {
    x.map(|x| (x * FRACTION).round() / FRACTION)
}

/// A device and the arrays of one population.
pub struct Lab {
    pub gpu: Gpu,
    pub vertices: Vertices,
    pub range: Range,
    pub membrane: Membrane,
    precision: Precision,
    dimension: usize,
}

/// The device that all tests share: drivers give out a limited number.
pub fn shared_device() -> Gpu {
    static DEVICE: OnceLock<Gpu> = OnceLock::new();
    let needs = Needs { f64: true, checks: true, ..Needs::default() };
    DEVICE.get_or_init(|| Gpu::open(0, needs).expect("a device")).clone()
}

impl Lab {
    /// Room on `gpu` for `room` cells, behind `hole` vertices and `hole` slots of another population.
    pub fn new(gpu: Gpu, precision: Precision, surface: &Surface, mechanics: &Mechanics, room: u32, hole: u32) -> Self {
        let dimension = surface.dimension;
        let count = surface.vertices.len() as u32;
        let vertices =
            Vertices::new(&gpu, dimension, precision, hole + room * count, hole + room).expect("room on the device");
        let range = Range { first_vertex: hole, first_slot: hole, vertices: count, room, cells: room };
        let membrane =
            Membrane::new(&gpu, precision, dimension, surface, mechanics, &vertices, &range).expect("a membrane");
        Self { gpu, vertices, range, membrane, precision, dimension }
    }

    /// Puts `cells` into the first slots.
    pub fn put(&mut self, cells: &[Cell]) {
        self.range.cells = cells.len() as u32;
        let (stride, first) = (self.vertices.stride as usize, self.range.first_vertex as usize);
        let mut position = vec![[0i32; 2]; self.dimension * stride];
        let mut drift = vec![0i32; self.dimension * stride];
        let mut slot_of = vec![NONE; stride];
        let all = cells.iter().flat_map(|cell| cell.x.iter().zip(&cell.u).map(move |(x, u)| (x, u, cell.offset)));
        for (v, (x, u, offset)) in all.enumerate() {
            slot_of[first + v] = self.range.first_slot + (v / self.range.vertices as usize) as u32;
            for axis in 0..self.dimension {
                let whole = x[axis].floor();
                let fraction = ((x[axis] - whole) * FRACTION) as u32;
                position[axis * stride + first + v] = [whole as i32 + offset[axis], fraction.cast_signed()];
                drift[axis * stride + first + v] = (u[axis] * DRIFT_SCALE).round() as i32;
            }
        }
        let scale: Vec<f32> = cells.iter().map(|cell| cell.scale as f32).collect();
        self.gpu.upload(&self.vertices.position, 0, &position).expect("a device");
        self.gpu.upload(&self.vertices.drift, 0, &drift).expect("a device");
        self.gpu.upload(&self.vertices.slot_of, 0, &slot_of).expect("a device");
        self.gpu.upload(&self.vertices.scale, self.range.first_slot as usize, &scale).expect("a device");
    }

    /// Forces, areas and health at `step`.
    pub fn answer(&self, step: u32) -> Vec<Answer> {
        self.answer_of(&[Which::All], step)
    }

    /// The same after the kernel has worked on these cells, one after the other.
    pub fn answer_of(&self, which: &[Which], step: u32) -> Vec<Answer> {
        let mut recorder = Recorder::new(&self.gpu);
        for &which in which {
            self.membrane.record_below(&mut recorder, &self.range, which, step, FORCE_LIMIT);
        }
        recorder.submit();
        let (stride, count) = (self.vertices.stride as usize, self.range.vertices as usize);
        let bytes = self
            .gpu
            .download::<u8>(&self.vertices.force, 0, self.dimension * stride * self.precision.real_bytes())
            .expect("a device");
        let force = self.precision.unpack_real(&bytes);
        let shapes = self.membrane.shapes(&self.gpu, &self.range).expect("a device");
        let broken = self
            .gpu
            .download::<u32>(&self.vertices.broken, self.range.first_slot as usize, shapes.len())
            .expect("a device");
        let component = |axis: usize, v: usize| match axis < self.dimension {
            true => force[axis * stride + self.range.first_vertex as usize + v],
            false => 0.0,
        };
        (0..shapes.len())
            .map(|cell| Answer {
                force: (cell * count..(cell + 1) * count).map(|v| [0, 1, 2].map(|axis| component(axis, v))).collect(),
                shape: shapes[cell],
                broken: broken[cell],
            })
            .collect()
    }
}

/// What the kernel computes for `cells`.
pub fn answers(precision: Precision, surface: &Surface, mechanics: &Mechanics, cells: &[Cell]) -> Vec<Answer> {
    let mut lab = Lab::new(shared_device(), precision, surface, mechanics, cells.len() as u32, 0);
    lab.put(cells);
    lab.answer(0)
}
