//! Device, buffers, kernels: the only crate that names `wgpu`.
//!
//! [`Gpu::open`] takes the GPU of a rank; a [`Kernel`] is made from a WGSL template and a table of named
//! [`Binding`]s; a [`Recorder`] collects dispatches and copies into one submission.

mod buffer;
mod device;
mod environment;
mod kernel;
mod recorder;
mod stopwatch;
mod template;
mod trusted;

pub use buffer::{Arguments, Buffer, Staging};
pub use device::{Gpu, GpuInfo, Needs, list, none_found};
pub use kernel::{Binding, Bound, Kernel};
pub use recorder::{Recorder, Ticket};
pub use template::{Template, render};

/// Invocations a workgroup of every kernel.
pub const WORKGROUP: u32 = 256;
