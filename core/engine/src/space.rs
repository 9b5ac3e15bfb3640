//! The space of the domain: conversion between lattice units and metres, and periodic images.

/// The domain of a run.
#[derive(Clone, Copy, Debug)]
pub struct Space {
    /// 2 or 3.
    pub dimension: usize,
    /// Sites along x, y, z.
    pub extent: [usize; 3],
    /// Periodic axes.
    pub periodic: [bool; 3],
    /// Lowest corner, half a spacing from site (0, 0, 0) along each axis, m.
    pub origin: [f64; 3],
    /// Lattice spacing, m.
    pub spacing: f64,
}

impl Space {
    /// The point `x`, in lattice units with sites at whole numbers, moved back by `image` periods, in metres.
    pub fn place(&self, x: [f64; 3], image: [i32; 3]) -> [f64; 3] {
        std::array::from_fn(|axis| {
            if axis >= self.dimension {
                return 0.0;
            }
            let wrapped = x[axis] - f64::from(image[axis]) * self.extent[axis] as f64;
            self.origin[axis] + (wrapped + 0.5) * self.spacing
        })
    }

    /// The number of periods by which a point, in lattice units, lies beyond the domain along each axis.
    pub fn image(&self, x: [f64; 3]) -> [i32; 3] {
        std::array::from_fn(|axis| {
            if !self.periodic[axis] || axis >= self.dimension {
                return 0;
            }
            ((x[axis] + 0.5) / self.extent[axis] as f64).floor() as i32
        })
    }
}
