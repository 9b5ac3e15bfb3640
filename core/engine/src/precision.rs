//! Precision of a run: storage of populations, and arithmetic.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Fewest numbers of an array that a thread converts: a single vector is not worth another thread.
pub const LEAST_CONVERTED: usize = 1 << 14;

/// Storage and arithmetic of the populations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Precision {
    /// f32 storage and arithmetic.
    #[default]
    F32,
    /// f16 storage, f32 arithmetic: half the memory traffic, about three digits a population.
    F16,
    /// f64 storage and arithmetic, on devices that support it.
    F64,
}

impl Precision {
    /// Bytes of one stored population.
    pub fn stored_bytes(self) -> usize {
        match self {
            Self::F32 => 4,
            Self::F16 => 2,
            Self::F64 => 8,
        }
    }

    /// Bytes of one number in arithmetic.
    pub fn real_bytes(self) -> usize {
        if self == Self::F64 { 8 } else { 4 }
    }

    /// WGSL type of a stored population.
    pub fn stored(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F16 => "f16",
            Self::F64 => "f64",
        }
    }

    /// WGSL type of arithmetic.
    pub fn real(self) -> &'static str {
        if self == Self::F64 { "f64" } else { "f32" }
    }

    /// WGSL type of a vector in arrays; its number of components is a power of two.
    pub fn vector(self, dimension: usize) -> String {
        format!("vec{}<{}>", dimension.next_power_of_two(), self.real())
    }

    /// Bytes of a vector in arrays.
    pub fn vector_bytes(self, dimension: usize) -> usize {
        dimension.next_power_of_two() * self.real_bytes()
    }

    /// Its name in configs and files.
    pub fn name(self) -> &'static str {
        self.stored()
    }

    /// Power of two by which `f - w` is multiplied for storage, so that the exponents of f16 cover the values that
    /// occur.
    pub fn storage_scale(self) -> f64 {
        if self == Self::F16 { 32_768.0 } else { 1.0 }
    }

    /// Packs shifted populations in the storage format.
    pub fn pack_stored(self, values: &[f64]) -> Vec<u8> {
        match self {
            Self::F32 => values.iter().flat_map(|&v| (v as f32).to_ne_bytes()).collect(),
            Self::F16 => {
                values.iter().flat_map(|&v| half::f16::from_f64(v * self.storage_scale()).to_ne_bytes()).collect()
            }
            Self::F64 => values.iter().flat_map(|&v| v.to_ne_bytes()).collect(),
        }
    }

    /// Packs numbers in the format of arithmetic.
    pub fn pack_real(self, values: &[f64]) -> Vec<u8> {
        if self == Self::F64 { Self::F64.pack_stored(values) } else { Self::F32.pack_stored(values) }
    }

    /// Unpacks numbers from the format of arithmetic.
    pub fn unpack_real(self, bytes: &[u8]) -> Vec<f64> {
        if self == Self::F64 {
            bytemuck::pod_collect_to_vec::<u8, f64>(bytes)
        } else {
            let numbers = bytes.par_chunks_exact(size_of::<f32>()).with_min_len(LEAST_CONVERTED);
            numbers.map(|number| f64::from(bytemuck::pod_read_unaligned::<f32>(number))).collect()
        }
    }
}
