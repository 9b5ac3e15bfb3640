//! Device, buffers, kernels: the only crate that names `wgpu`.
//!
//! [`Gpu::open`] takes the GPU of a rank; a [`Kernel`] is made from a WGSL template, which declares the buffers it
//! binds; a [`Recorder`] collects dispatches and copies into one submission. [`Scan`] and [`CountingSort`] work on
//! other kernels' buffers. A [`Channel`] takes messages between kernels and the host in the midst of a submission.
//! [`Gpu::trace`] takes down when host and device do what.

mod bandwidth;
mod binding;
mod buffer;
mod calibration;
mod channel;
mod copy;
mod copy_engine;
mod device;
mod environment;
mod kernel;
mod mapped;
mod memory;
mod recorder;
mod scan;
mod signal;
mod sort;
mod stopwatch;
mod template;
#[cfg(test)]
mod testing;
mod timeline;
mod trusted;

pub use buffer::{Arguments, Buffer, Staging};
pub use channel::Channel;
pub use device::{Gpu, GpuInfo, Needs, list, none_found};
pub use kernel::{Bound, Kernel};
pub use recorder::{Recorder, Ticket};
pub use scan::Scan;
pub use signal::KernelSignals;
pub use sort::CountingSort;
pub use template::{Template, literal, render};
pub use timeline::{Event, Span, Timeline, Tracing, now};

/// The entry point of kernels that do the same for every item, for `#include "main.wgsl"`: it takes
/// [`Recorder::dispatch`]'s rows of workgroups apart. Needs `workgroup` in the context and `count` in the immediate
/// data `span`; the file says what else in the context makes it do more.
pub const MAIN: Template = Template { name: "main.wgsl", text: include_str!("main.wgsl") };

/// Invocations a workgroup of every kernel.
pub const WORKGROUP: u32 = 256;
