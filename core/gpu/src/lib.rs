//! Device, buffers, kernels: the only crate that names `wgpu`.
//!
//! [`Gpu::open`] opens the GPU of a rank. A [`Kernel`] is made from a WGSL template, which declares its storage
//! buffers. A [`Recorder`] collects dispatches and copies into submissions. [`Scan`] and [`CountingSort`] work on
//! buffers of other kernels. A [`Channel`] carries messages between kernels and the host during a submission.
//! [`Gpu::trace`] records when host and device do what.

mod bandwidth;
mod binding;
mod buffer;
mod calibration;
mod channel;
mod copy;
mod copy_engine;
mod device;
mod environment;
mod event;
mod host_copy;
mod kernel;
mod link;
mod mailbox;
mod mapped;
mod memory;
mod message_memory;
mod open;
mod patience;
mod recorder;
mod region;
mod relay;
mod scan;
mod signal;
mod sort;
mod stopwatch;
mod stretch;
mod template;
#[cfg(test)]
mod testing;
mod timeline;
mod trusted;
mod writes;

pub use buffer::{Arguments, Buffer, Elements, Staging};
pub use channel::Channel;
pub use device::{Gpu, GpuInfo, Needs, list, none_found};
pub use environment::use_cores;
pub use kernel::{Bound, Kernel};
pub use link::{Address, Incoming, Link};
pub use message_memory::LeftPiece;
pub use recorder::{MOST_GROUPS, Recorder, Ticket};
pub use region::{Place, long_message};
pub use scan::Scan;
pub use signal::KernelSignals;
pub use sort::CountingSort;
pub use stretch::{STRETCHES, Stretch};
pub use template::{Template, literal, render};
pub use timeline::{Event, Span, Timeline, Tracing, now};
pub use writes::Writes;

/// The entry point of kernels that do the same for every item, for `#include "main.wgsl"`. It finds the number of an
/// invocation in the rows of workgroups of [`Recorder::dispatch`]. Needs `workgroup` in the context and `count` in the
/// immediate data `span`; the file lists options in the context.
pub const MAIN: Template = Template { name: "main.wgsl", text: include_str!("main.wgsl") };

/// For kernels that make messages to other ranks, `#include "put.wgsl"`; the file lists options in the context.
pub const PUT: Template = Template { name: "put.wgsl", text: include_str!("put.wgsl") };

/// For kernels that use messages of other ranks, `#include "take.wgsl"`; the file lists options in the context.
pub const TAKE: Template = Template { name: "take.wgsl", text: include_str!("take.wgsl") };

/// Invocations in a workgroup of every kernel.
pub const WORKGROUP: u32 = 256;
