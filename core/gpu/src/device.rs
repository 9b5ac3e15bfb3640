//! Finding and opening a GPU.

use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use hematite_config::{Fault, Result};

use crate::copy_engine::CopyQueue;
use crate::open::{self, Opened};
use crate::stopwatch::{Stopwatch, TIMESTAMPS};
use crate::{Arguments, Buffer, Kernel, Staging, Ticket, environment, memory};

/// Says how to get a working Vulkan device.
const REMEDY: &str = "Hematite needs a Vulkan device. For software Vulkan: apt-get install mesa-vulkan-drivers libvulkan1 \
    (or point VK_DRIVER_FILES at a driver's .json). In a container with an NVIDIA GPU, NVIDIA_DRIVER_CAPABILITIES must \
    include graphics; a MIG slice has no Vulkan";

/// Environment variable with the numbers of the devices for ranks, e.g. `1` or `0,2`, in the order in which ranks take
/// them.
const CHOICE: &str = "HEMATITE_GPUS";

/// Environment variable: with 1, devices wait for messages within submissions; with 0, the host waits between
/// submissions.
const WAITS: &str = "HEMATITE_DEVICE_WAITS";

/// Environment variable: with 1, short messages pass between devices by themselves, with 0 hosts exchange all messages.
const LINKS: &str = "HEMATITE_DEVICE_LINKS";

/// Features for additions of 64-bit integers in memory.
const WIDE_ADDITIONS: wgpu::Features = wgpu::Features::SHADER_INT64.union(wgpu::Features::SHADER_INT64_ATOMIC_ALL_OPS);

/// PCI vendor number of NVIDIA.
const NVIDIA: u32 = 0x10DE;

/// A device that `wgpu` finds.
#[derive(Clone, Debug)]
pub struct GpuInfo {
    /// Its number among all devices of this host.
    pub number: usize,
    /// Its name.
    pub name: String,
    /// Kind of device: "discrete GPU", "software", ...
    pub kind: &'static str,
    /// Whether it is software on the host's processor.
    pub software: bool,
    /// Driver and its version.
    pub driver: String,
    /// PCI bus id, empty for software devices.
    pub bus: String,
    /// Bytes of memory for buffers, if known.
    pub memory: Option<u64>,
    /// Largest storage binding in bytes.
    pub max_binding: u64,
    /// Largest buffer in bytes.
    pub max_buffer: u64,
    /// Whether kernels may use f16 and f64.
    pub f16: bool,
    /// Whether kernels may use f64.
    pub f64: bool,
    /// Whether kernels may add integers of 64 bits in memory.
    pub wide_additions: bool,
    /// Whether it may wait for the host within a submission for any time.
    pub(crate) patient: bool,
}

/// Optional features of a device that a run needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// f16 in shaders and storage.
    pub f16: bool,
    /// f64 in shaders and storage.
    pub f64: bool,
    /// wgpu's checks of bounds and loops in every kernel.
    pub checks: bool,
}

/// An open device.
#[derive(Clone, Debug)]
pub struct Gpu {
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    pub(crate) limits: wgpu::Limits,
    pub(crate) checks: bool,
    pub(crate) stopwatch: Arc<Stopwatch>,
    /// The kernel of copy.rs, compiled at its first use.
    pub(crate) copy: Arc<OnceLock<Kernel>>,
    /// What the last download was copied through, unless one is under way.
    pub(crate) landing: Arc<Mutex<Option<Staging>>>,
    /// Queue of the device's copy engine, if it has one.
    pub(crate) copy_queue: Option<CopyQueue>,
    /// Whether kernels may use memory that the host has, see [`crate::region`].
    pub(crate) imports: bool,
    waits: bool,
    /// Whether it is to have links, where the user says.
    may_link: Option<bool>,
    /// Ranks whose devices have links, 0 for none.
    links: usize,
    /// Whether a lower rank of this host uses the same device.
    taken: bool,
    info: GpuInfo,
}

fn instance() -> wgpu::Instance {
    environment::complete();
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.backends = wgpu::Backends::VULKAN;
    // Kernels of this program write the sizes of indirect dispatches; a check costs more than some dispatches.
    descriptor.flags.remove(wgpu::InstanceFlags::VALIDATION_INDIRECT_CALL);
    wgpu::Instance::new(descriptor)
}

/// The adapters for ranks with their numbers, in a fixed order: hardware if there is any, else software; of these the
/// ones in [`CHOICE`].
fn adapters() -> Result<Vec<(usize, wgpu::Adapter)>> {
    let mut all = pollster::block_on(instance().enumerate_adapters(wgpu::Backends::VULKAN));
    all.sort_by_key(|adapter| adapter.get_info().device_pci_bus_id);
    let is_software = |adapter: &wgpu::Adapter| adapter.get_info().device_type == wgpu::DeviceType::Cpu;
    if !all.iter().all(is_software) {
        all.retain(|adapter| !is_software(adapter));
    }
    let numbers = chosen(std::env::var(CHOICE).ok().as_deref(), all.len())?;
    Ok(numbers.into_iter().map(|number| (number, all[number].clone())).collect())
}

/// The numbers in `choice`, of `found` devices; all numbers without a choice.
fn chosen(choice: Option<&str>, found: usize) -> Result<Vec<usize>> {
    let Some(choice) = choice.filter(|_| found > 0) else { return Ok((0..found).collect()) };
    let number = |word: &str| {
        let number = word.trim().parse().ok().filter(|&number: &usize| number < found);
        number.ok_or_else(|| {
            let last = found - 1;
            Fault::no_gpu(format!(
                "{CHOICE}={choice}: {word:?} is none of this host's {found}; write 0 to {last}, with commas between"
            ))
        })
    };
    choice.split(',').map(number).collect()
}

/// What the environment variable `name` with the value `given` says; `meaning`: what 1 and 0 do.
fn switch(name: &str, given: Option<&str>, meaning: &str) -> Result<Option<bool>> {
    match given {
        None => Ok(None),
        Some("0") => Ok(Some(false)),
        Some("1") => Ok(Some(true)),
        Some(other) => {
            Err(Fault::usage(format!("{name}={other}: {meaning}; leave it unset for what suits the device")))
        }
    }
}

/// Whether the device waits: by `choice`, or else by `suits`.
fn waits_of(choice: Option<&str>, suits: bool) -> Result<bool> {
    let meaning = "with 1, devices wait for messages during their work, with 0 the host waits in between";
    Ok(switch(WAITS, choice, meaning)?.unwrap_or(suits))
}

/// Whether the device is to have links, where `choice` says.
fn links_of(choice: Option<&str>) -> Result<Option<bool>> {
    switch(
        LINKS,
        choice,
        "with 1, short messages pass between devices by themselves, with 0 hosts exchange all messages",
    )
}

fn describe((number, adapter): &(usize, wgpu::Adapter)) -> GpuInfo {
    let info = adapter.get_info();
    let limits = adapter.limits();
    let kind = match info.device_type {
        wgpu::DeviceType::DiscreteGpu => "discrete GPU",
        wgpu::DeviceType::IntegratedGpu => "integrated GPU",
        wgpu::DeviceType::VirtualGpu => "virtual GPU",
        wgpu::DeviceType::Cpu => "software",
        wgpu::DeviceType::Other => "other",
    };
    GpuInfo {
        number: *number,
        name: info.name,
        kind,
        software: info.device_type == wgpu::DeviceType::Cpu,
        driver: format!("{} {}", info.driver, info.driver_info),
        bus: info.device_pci_bus_id,
        memory: memory::of(adapter),
        max_binding: limits.max_storage_buffer_binding_size,
        max_buffer: limits.max_buffer_size,
        f16: adapter.features().contains(wgpu::Features::SHADER_F16),
        f64: adapter.features().contains(wgpu::Features::SHADER_F64),
        wide_additions: adapter.features().contains(WIDE_ADDITIONS),
        // Other drivers end submissions that take seconds, and software Vulkan keeps a core of the host busy while it
        // waits.
        patient: info.vendor == NVIDIA && info.device_type != wgpu::DeviceType::Cpu,
    }
}

/// The devices for ranks, in the order in which the ranks of a host take them.
///
/// # Errors
/// A no-GPU fault where the environment variable HEMATITE_GPUS names a device that does not exist.
pub fn list() -> Result<Vec<GpuInfo>> {
    Ok(adapters()?.iter().map(describe).collect())
}

/// The fault for a machine without devices; it says how to get one.
pub fn none_found() -> Fault {
    Fault::no_gpu(format!("no usable GPU. {REMEDY}"))
}

impl Gpu {
    /// Opens the device of rank `local_rank` of this host. Ranks take devices in turn, so that several may share one.
    ///
    /// # Errors
    /// A no-GPU fault where there is no device with all that is needed; it says how to get one.
    pub fn open(local_rank: usize, needs: Needs) -> Result<Self> {
        let found = adapters()?;
        if found.is_empty() {
            return Err(none_found());
        }
        let chosen = &found[local_rank % found.len()];
        let (info, adapter) = (describe(chosen), &chosen.1);
        let mut features = wgpu::Features::IMMEDIATES;
        features.set(wgpu::Features::SHADER_F16, needs.f16);
        features.set(wgpu::Features::SHADER_F64, needs.f64);
        let missing = features - adapter.features();
        // Optional: only measurements need timestamps, and there are other ways to add.
        features |= adapter.features() & TIMESTAMPS;
        features.set(WIDE_ADDITIONS, info.wide_additions);
        if !missing.is_empty() {
            let remedy = if needs.f16 || needs.f64 { "choose precision \"f32\", or another device" } else { REMEDY };
            return Err(Fault::no_gpu(format!("{} lacks {missing:?}: {remedy}", info.name)));
        }
        let limits = adapter.limits();
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("hematite"),
            required_features: features,
            required_limits: limits.clone(),
            ..Default::default()
        };
        let cannot = |error| Fault::no_gpu(format!("cannot open {}: {error}. {REMEDY}", info.name));
        let Opened { device, queue, copy_queue, imports } = open::open(adapter, &descriptor).map_err(cannot)?;
        let (stopwatch, copy, landing) = (Arc::default(), Arc::default(), Arc::default());
        let waits = waits_of(std::env::var(WAITS).ok().as_deref(), info.patient)?;
        let may_link = links_of(std::env::var(LINKS).ok().as_deref())?;
        let taken = found.iter().cycle().take(local_rank).any(|(number, _)| *number == info.number);
        let checks = needs.checks;
        Ok(Self {
            device,
            queue,
            limits,
            checks,
            stopwatch,
            copy,
            landing,
            copy_queue,
            imports,
            waits,
            may_link,
            links: 0,
            taken,
            info,
        })
    }

    /// Whether the device waits for answers within submissions ([`crate::Recorder::await_answer`]); else the host waits
    /// between submissions.
    pub fn waits_for_host(&self) -> bool {
        self.waits
    }

    /// Whether kernels may send and await messages themselves ([`crate::KernelSignals`]), if the device waits at all.
    /// Software Vulkan does not: it ends long loops.
    pub fn may_signal(&self) -> bool {
        !self.info.software
    }

    /// Whether kernels wait for what the host writes.
    pub(crate) fn waits_in_kernels(&self) -> bool {
        self.waits && self.may_signal()
    }

    /// Whether a lower rank of this host uses the same device.
    pub fn is_taken(&self) -> bool {
        self.taken
    }

    /// Adapts to several ranks on one device: it does not wait for answers, since it would keep the other ranks from
    /// their work.
    ///
    /// # Errors
    /// A usage fault where the environment variable HEMATITE_DEVICE_WAITS is not 0 or 1.
    pub fn shared_by_ranks(self) -> Result<Self> {
        let waits = waits_of(std::env::var(WAITS).ok().as_deref(), false)?;
        Ok(Self { waits, ..self })
    }

    /// Sets [`Gpu::waits_for_host`] to `waits`.
    #[must_use]
    pub fn with_waits(self, waits: bool) -> Self {
        Self { waits, ..self }
    }

    /// Whether it may have a [`crate::Link`]: it uses memory that the host has, and its kernels wait or the user says so.
    pub fn can_link(&self) -> bool {
        self.imports && self.may_link.unwrap_or(self.waits_in_kernels())
    }

    /// Whether kernels should be made for a device that works on one invocation after the other, whose branches cost what
    /// is in them even where nobody takes them. Software devices that wait for messages do as GPUs do, for tests.
    pub fn goes_by_lanes(&self) -> bool {
        self.info.software && !self.waits && self.links == 0
    }

    /// Number of ranks whose devices may have a [`crate::Link`] to each other; 0 where they may not.
    pub fn links(&self) -> usize {
        self.links
    }

    /// Sets [`Gpu::links`] to `ranks`.
    #[must_use]
    pub fn with_links(self, ranks: usize) -> Self {
        Self { links: ranks, ..self }
    }

    /// As if the device could not use memory that the host has, for tests.
    #[must_use]
    pub fn without_imports(self) -> Self {
        Self { imports: false, ..self }
    }

    /// Whether kernels may add integers of 64 bits in memory.
    pub fn has_wide_additions(&self) -> bool {
        self.info.wide_additions
    }

    /// As if kernels could not add integers of 64 bits, for tests.
    #[must_use]
    pub fn without_wide_additions(mut self) -> Self {
        self.info.wide_additions = false;
        self
    }

    /// Information on the device.
    pub fn info(&self) -> &GpuInfo {
        &self.info
    }

    /// A storage buffer of `bytes` bytes, all zero, for kernels, and for copies from and to the host.
    ///
    /// # Errors
    /// A usage fault with the limit where the device cannot hold or bind it.
    pub fn buffer(&self, label: &str, bytes: u64) -> Result<Buffer> {
        let limit = self.limits.max_storage_buffer_binding_size.min(self.limits.max_buffer_size);
        if Buffer::padded(bytes) > limit {
            return Err(Fault::usage(format!(
                "{} holds at most {limit} bytes in one array, {label} needs {bytes}: use more ranks, or a coarser lattice",
                self.info.name
            )));
        }
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::COPY_SRC;
        let inner = self.allocate(label, Buffer::padded(bytes), usage)?;
        Ok(Buffer { inner, bytes: bytes.next_multiple_of(4).max(4) })
    }

    /// A buffer for the sizes of `entries` dispatches, all zero, which kernels write.
    ///
    /// # Errors
    /// A usage fault where the device has no room.
    pub fn arguments(&self, label: &str, entries: u64) -> Result<Arguments> {
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::INDIRECT | wgpu::BufferUsages::COPY_DST;
        let inner = self.allocate(label, entries * Arguments::ENTRY, usage)?;
        let bytes = inner.size();
        Ok(Arguments { buffer: Buffer { inner, bytes } })
    }

    pub(crate) fn allocate(&self, label: &str, bytes: u64, usage: wgpu::BufferUsages) -> Result<wgpu::Buffer> {
        let scope = self.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(label),
            size: bytes.next_multiple_of(4).max(4),
            usage,
            mapped_at_creation: false,
        });
        match pollster::block_on(scope.pop()) {
            None => Ok(buffer),
            Some(error) => Err(Fault::usage(format!(
                "{} has no room left for {label} ({bytes} bytes; {}): use more ranks, a coarser lattice, or a smaller \"precision\": \
                 \"f16\"",
                self.info.name,
                error.to_string().trim()
            ))),
        }
    }

    /// Waits until all submissions are done.
    ///
    /// # Errors
    /// An I/O fault when the device is lost.
    pub fn wait(&self) -> Result<()> {
        self.poll(wgpu::PollType::wait_indefinitely())
    }

    /// Waits until the submission `ticket` and all earlier ones are done.
    ///
    /// # Errors
    /// An I/O fault when the device is lost.
    pub fn wait_for(&self, ticket: &Ticket) -> Result<()> {
        self.poll(wgpu::PollType::Wait { submission_index: Some(ticket.index.clone()), timeout: None })
    }

    fn poll(&self, until: wgpu::PollType) -> Result<()> {
        let _span = self.span("wait");
        self.device.poll(until).map(|_| ()).map_err(|error| self.lost(&error))
    }

    /// Whether all submissions are done.
    pub(crate) fn is_idle(&self) -> Result<bool> {
        self.device.poll(wgpu::PollType::Poll).map(|status| status.is_queue_empty()).map_err(|error| self.lost(&error))
    }

    /// Whether the submission `ticket` and all earlier ones are done.
    pub(crate) fn is_done(&self, ticket: &Ticket) -> Result<bool> {
        let now = wgpu::PollType::Wait { submission_index: Some(ticket.index.clone()), timeout: Some(Duration::ZERO) };
        match self.device.poll(now) {
            Ok(_) => Ok(true),
            Err(wgpu::PollError::Timeout) => Ok(false),
            Err(error) => Err(self.lost(&error)),
        }
    }

    /// The fault for a lost device.
    pub(crate) fn lost(&self, error: &dyn std::fmt::Display) -> Fault {
        Fault::io(format!("{} was lost: {error}", self.info.name))
    }

    /// Calls `tell` with errors of the device that no scope catches, in place of a panic.
    pub fn report_errors(&self, tell: impl Fn(String) + Send + Sync + 'static) {
        self.device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| tell(error.to_string())));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_chosen_by_the_device_or_the_environment() {
        let gpu = Gpu::open(0, Needs::default()).expect("a device");
        assert!(!gpu.is_taken());
        for suits in [false, true] {
            assert_eq!(waits_of(None, suits).expect("valid"), suits);
            assert!(!waits_of(Some("0"), suits).expect("valid"));
            assert!(waits_of(Some("1"), suits).expect("valid"));
        }
        let fault = waits_of(Some("yes"), true).expect_err("refused").to_string();
        assert!(fault.contains("HEMATITE_DEVICE_WAITS=yes"), "{fault}");
        assert_eq!(
            [None, Some("0"), Some("1")].map(|choice| links_of(choice).expect("valid")),
            [None, Some(false), Some(true)]
        );
        let fault = links_of(Some("2")).expect_err("refused").to_string();
        assert!(fault.contains("HEMATITE_DEVICE_LINKS=2") && fault.contains("unset"), "{fault}");
    }

    #[test]
    fn numbers_choose_devices() {
        let numbers = |choice, found| chosen(choice, found).expect("valid");
        assert_eq!(numbers(None, 3), [0, 1, 2]);
        assert_eq!(numbers(Some("2, 0"), 3), [2, 0]);
        assert_eq!(numbers(Some("1"), 0), [0; 0]);
        for wrong in ["3", "-1", "", "0,,1", "gpu"] {
            let fault = chosen(Some(wrong), 3).expect_err("refused").to_string();
            assert!(fault.contains("HEMATITE_GPUS") && fault.contains("0 to 2"), "{fault}");
        }
    }
}
