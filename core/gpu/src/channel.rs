//! Messages between kernels and the host while other work goes on.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hematite_config::{Fault, Result};

use crate::copy::copy_kernel;
use crate::copy_engine::{Copier, Copy, CopyQueue};
use crate::mapped::{Mapped, Reader};
use crate::message_memory::{Copies, Landing, LeftPiece, Memory};
use crate::patience::wait_until;
use crate::region::Place;
use crate::signal::{DeviceSignal, HostSignal, KernelSignals};
use crate::{Bound, Buffer, Gpu, Kernel, Recorder, Staging};

/// A channel between kernels and the host: a send buffer, which kernels fill, and a receive buffer, which the host
/// fills. [`Recorder::send`] sends a message; the device goes on with what is recorded after it.
/// [`Recorder::await_answer`] marks where the device needs the answer, and takes a callback that makes it with
/// [`Channel::wait`], [`Channel::read`], [`Channel::fill`] and [`Channel::answer`].
///
/// The host reads a copy of the message in memory that stays mapped. The copy is made by a kernel, or by the device's
/// copy engine (see [`Gpu::background_channel`]): kernels that pack would write to host memory far more slowly. The
/// host writes answers where kernels read them. Where the device can use memory that processes share, messages arrive
/// there, and the devices of other ranks of the host can take them without a copy by the host
/// ([`Channel::tell`], [`Channel::take`]). Nothing is mapped or allocated for a message. Where Vulkan has no such
/// memory, message and answer are copied and mapped each time, when the device is idle. Only one message is under way
/// at a time: the kernel that fills the next one must come after the kernel that reads the answer to the last.
#[derive(Clone, Debug)]
pub struct Channel {
    send_buffer: Buffer,
    receive_buffer: Buffer,
    way: Way,
}

#[derive(Clone, Debug)]
enum Way {
    /// Through memory that host and device share. With `copy`, a kernel copies the message there before the device
    /// signals; else the copy engine does after the signal. With `answered`, the device waits for answers; with
    /// `signals`, the kernels that send and need messages signal and wait themselves.
    Mapped {
        copy: Vec<(Kernel, Bound)>,
        /// Number of messages recorded so far.
        recorded: Arc<AtomicU32>,
        sent: DeviceSignal,
        answered: Option<HostSignal>,
        signals: Option<KernelSignals>,
        memory: Arc<Mutex<Memory>>,
    },
    Copied {
        staging: Staging,
        copies: Arc<Mutex<Copies>>,
    },
}

impl Gpu {
    /// A channel for messages of up to `out` bytes and answers of up to `answer` bytes.
    ///
    /// # Errors
    /// A usage fault where there is no room.
    pub fn channel(&self, label: &str, out: u64, answer: u64) -> Result<Channel> {
        match Channel::by_kernel(self, label, out, answer)? {
            Some(channel) => Ok(channel),
            None => Channel::by_copies(self, label, out, answer),
        }
    }

    /// A channel for messages that are sent before much other work. If the device has a copy engine, it takes the
    /// messages to the host while kernels recorded after them work, which then do not wait for the copy. The message
    /// takes longer.
    ///
    /// # Errors
    /// Those of [`Gpu::channel`].
    pub fn background_channel(&self, label: &str, out: u64, answer: u64) -> Result<Channel> {
        let by_engine = self.copy_queue.as_ref().map(|queue| Channel::by_engine(self, queue, label, out, answer));
        match by_engine.transpose()?.flatten() {
            Some(channel) => Ok(channel),
            None => self.channel(label, out, answer),
        }
    }
}

impl Channel {
    /// A channel whose messages a kernel copies; `None` if the device lacks shared memory.
    fn by_kernel(gpu: &Gpu, label: &str, out: u64, answer: u64) -> Result<Option<Self>> {
        let Some(read) = Landing::new(gpu, label, out) else { return Ok(None) };
        let out = gpu.buffer(label, out)?;
        let copies = read.all().into_iter().map(|to| copy_kernel(gpu, &out, to.buffer()));
        let copies = copies.collect::<Result<_>>()?;
        let Some(answer) = Mapped::new(gpu, label, answer, Reader::Kernels) else { return Ok(None) };
        Self::mapped(gpu, out, copies, None, Memory::new(gpu, None, read, answer))
    }

    /// A channel whose messages `queue` copies; `None` if the device lacks shared memory.
    fn by_engine(gpu: &Gpu, queue: &CopyQueue, label: &str, out: u64, answer: u64) -> Result<Option<Self>> {
        Self::by_engine_with(gpu, queue, label, out, answer, KernelSignals::new(gpu)?)
    }

    fn by_engine_with(
        gpu: &Gpu,
        queue: &CopyQueue,
        label: &str,
        out: u64,
        answer: u64,
        signals: Option<KernelSignals>,
    ) -> Result<Option<Self>> {
        let memory = || {
            let (read, out) = (Landing::new(gpu, label, out)?, Mapped::new(gpu, label, out, Reader::Kernels)?);
            Some((Copier::new(gpu, queue)?, read, out, Mapped::new(gpu, label, answer, Reader::Kernels)?))
        };
        let Some((copier, read, out, answer)) = memory() else { return Ok(None) };
        let buffer = out.buffer().clone();
        let memory = Memory::new(gpu, Some((copier, out)), read, answer);
        Self::mapped(gpu, buffer, Vec::new(), signals, memory)
    }

    fn mapped(
        gpu: &Gpu,
        out: Buffer,
        copy: Vec<(Kernel, Bound)>,
        signals: Option<KernelSignals>,
        memory: Memory,
    ) -> Result<Option<Self>> {
        let receive_buffer = memory.answer.buffer().clone();
        let (sent, answered) = match &signals {
            Some(signals) => (Some(signals.device_signal()), Some(signals.host_signal())),
            None => (
                DeviceSignal::new(gpu),
                if gpu.waits_for_host() { HostSignal::new(gpu, &receive_buffer)? } else { None },
            ),
        };
        let Some(sent) = sent else { return Ok(None) };
        let (recorded, memory) = (Arc::default(), Arc::new(Mutex::new(memory)));
        let way = Way::Mapped { copy, recorded, sent, answered, signals, memory };
        Ok(Some(Self { send_buffer: out, receive_buffer, way }))
    }

    fn by_copies(gpu: &Gpu, label: &str, out: u64, answer: u64) -> Result<Self> {
        let copies = Arc::new(Mutex::new(Copies::new(out, answer)));
        let way = Way::Copied { staging: gpu.staging(label, out)?, copies };
        Ok(Self { send_buffer: gpu.buffer(label, out)?, receive_buffer: gpu.buffer(label, answer)?, way })
    }

    /// The buffer that kernels fill with the message.
    pub fn send_buffer(&self) -> &Buffer {
        &self.send_buffer
    }

    /// The buffer that the host fills with the answer.
    pub fn receive_buffer(&self) -> &Buffer {
        &self.receive_buffer
    }

    /// The signals for kernels that send messages and await answers themselves; `None` if they do not have to.
    pub fn signals(&self) -> Option<&KernelSignals> {
        match &self.way {
            Way::Mapped { signals, .. } => signals.as_ref(),
            Way::Copied { .. } => None,
        }
    }

    /// Waits for the first `bytes` bytes of the submitted message of [`Recorder::send`], for [`Channel::read`].
    ///
    /// # Errors
    /// An I/O fault when the device is lost.
    pub fn wait(&self, gpu: &Gpu, bytes: usize) -> Result<()> {
        match &self.way {
            Way::Mapped { sent, memory, .. } => {
                let unsent = || Fault::io(format!("{} was to send a message, and did not", gpu.info().name));
                // A device that is lost, or idle without having signalled, will never signal.
                wait_until(gpu, || sent.take(), || gpu.is_idle().map(|idle| idle.then(unsent)))?;
                let Memory { copier, read, came, .. } = &mut *locked(memory);
                if let Some((copier, out)) = copier {
                    let copy = Copy::new((out, 0), (read.of(*came), 0), bytes as u64);
                    copier.start(std::iter::once(&copy))?;
                    wait_until(gpu, || copier.is_done(), || Ok(None))?;
                }
                *came = came.wrapping_add(1);
                Ok(())
            }
            Way::Copied { staging, copies } => {
                let all = Recorder::new(gpu).submit();
                gpu.read(staging, &all, |mapped| locked(copies).came[..bytes].copy_from_slice(&mapped[..bytes]))
            }
        }
    }

    /// Copies the bytes of the message from `at` on to `to`. MPI must not read mapped memory itself, since not all its
    /// transports can.
    pub fn read(&self, at: usize, to: &mut [u8]) {
        match &self.way {
            Way::Mapped { memory, .. } => locked(memory).last().read(at, to),
            Way::Copied { copies, .. } => to.copy_from_slice(&locked(copies).came[at..][..to.len()]),
        }
    }

    /// Where rank `rank`, another process of this host, finds the last message from byte `at` on; `None` if it cannot
    /// reach it. That rank then has to [take](Channel::take) it.
    pub fn tell(&self, rank: usize, at: usize) -> Option<Place> {
        let Way::Mapped { memory, .. } = &self.way else { return None };
        let Memory { read, came, .. } = &mut *locked(memory);
        match read {
            Landing::Shared(outbox) => outbox.tell(rank, came.wrapping_sub(1), at),
            Landing::Private(_) => None,
        }
    }

    /// Takes a piece of another rank's message into the answer. It is there once the answer is
    /// [given](Channel::answer).
    ///
    /// # Errors
    /// An I/O fault where the other rank's memory cannot be opened.
    pub fn take(&self, gpu: &Gpu, piece: LeftPiece) -> Result<()> {
        let taken = match &self.way {
            Way::Mapped { memory, .. } => locked(memory).take(gpu, piece),
            Way::Copied { copies, .. } => locked(copies).take(gpu, piece),
        };
        let LeftPiece { rank, by, .. } = piece;
        taken.ok_or_else(|| Fault::io(format!("rank {rank} left a message where rank {by} cannot read it")))
    }

    /// Waits until other ranks have taken the message before the last, whose place the next one takes.
    ///
    /// # Errors
    /// A lost-rank fault when a rank does not.
    pub fn clear_slot(&self, gpu: &Gpu) -> Result<()> {
        match &self.way {
            Way::Mapped { memory, .. } => locked(memory).clear_slot(gpu),
            Way::Copied { .. } => Ok(()),
        }
    }

    /// Writes bytes into the answer from `at` on.
    pub fn fill(&self, at: usize, bytes: &[u8]) {
        match &self.way {
            Way::Mapped { memory, .. } => locked(memory).answer.write(at, bytes),
            Way::Copied { copies, .. } => locked(copies).filled[at..][..bytes.len()].copy_from_slice(bytes),
        }
    }

    /// Gives the device the first `bytes` bytes of the answer.
    ///
    /// # Errors
    /// An I/O fault when the device is lost.
    pub fn answer(&self, gpu: &Gpu, bytes: usize) -> Result<()> {
        match &self.way {
            Way::Mapped { answered, memory, .. } => {
                let memory = &mut *locked(memory);
                memory.complete(gpu)?;
                memory.clear_slot(gpu)?;
                answered.as_ref().map_or(Ok(()), HostSignal::set)
            }
            Way::Copied { copies, .. } => {
                gpu.write(&self.receive_buffer, 0, &locked(copies).filled[..bytes]);
                Ok(())
            }
        }
    }
}

fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'g> Recorder<'g> {
    /// Sends the first `bytes` bytes of the send buffer of `channel`, as written by kernels recorded so far. The device
    /// does what is recorded from here on while the host reads the message.
    pub fn send(&mut self, channel: &Channel, bytes: u64) {
        match &channel.way {
            Way::Mapped { copy, recorded, sent, .. } => {
                let number = recorded.fetch_add(1, Ordering::Relaxed) as usize;
                if let Some((kernel, bound)) = copy.get(number % copy.len().max(1)) {
                    let count = bytes.div_ceil(16) as u32;
                    self.dispatch(kernel, bound, count, &[count]);
                }
                sent.record(self);
            }
            Way::Copied { staging, .. } if bytes > 0 => self.copy_out(&channel.send_buffer, 0, (staging, 0), bytes),
            Way::Copied { .. } => {}
        }
    }

    /// Makes all that is recorded from here on wait for the answer to the last message of `channel`, which `callback`
    /// gives. Callbacks run in order inside other calls of this recorder, at the latest in [`Recorder::flush`]. If the
    /// device may wait for the host, what comes after goes into the same submission. Else what is recorded so far is
    /// submitted, and the callback runs before the next submission.
    ///
    /// # Errors
    /// Those of earlier callbacks.
    pub fn await_answer(&mut self, channel: &Channel, callback: impl FnMut() -> Result<()> + 'g) -> Result<()> {
        let signals = match &channel.way {
            Way::Mapped { sent, answered, .. } => answered.as_ref().map(|answered| (sent.clone(), answered.clone())),
            Way::Copied { .. } => None,
        };
        match &signals {
            Some((_, answered)) => answered.record(self),
            None => {
                self.submit_up_to_here()?;
            }
        }
        self.call_back(signals, Box::new(callback));
        Ok(())
    }

    /// Submits what is recorded and copies the message of [`Recorder::send`] in it to `to`.
    ///
    /// # Errors
    /// An I/O fault when the device is lost, and those of callbacks.
    pub fn receive(&mut self, channel: &Channel, to: &mut [u8]) -> Result<()> {
        self.flush()?;
        channel.wait(self.gpu(), to.len())?;
        channel.read(0, to);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;
    use crate::testing::{checked, random};
    use crate::{MAIN, Scan, Template, WORKGROUP, render};

    const TEXT: &str = "struct Span { count: u32, factor: u32, plus: u32, round: u32 }
        var<immediate> span: Span;
        var<storage, read> numbers: array<u32>;
        var<storage, read_write> to: array<u32>;
        #include \"main.wgsl\"
        fn work_on(k: u32) { to[k] = numbers[k] * span.factor + span.plus; }";

    /// A kernel that writes changed `numbers` to `to`. With signals, it sends the message itself (`sends`) or awaits
    /// the answer.
    fn kernel(gpu: &Gpu, channel: &Channel, sends: bool, numbers: &Buffer, to: &Buffer) -> (Kernel, Bound) {
        let mut buffers = vec![("numbers", numbers), ("to", to)];
        let signals = channel.signals();
        if let Some(signals) = signals {
            buffers.extend(signals.buffers());
        }
        let context = minijinja::context! {
            workgroup => WORKGROUP,
            sends => sends && signals.is_some(),
            awaits => !sends && signals.is_some(),
        };
        let wgsl = render(Template { name: "echo.wgsl", text: TEXT }, &[MAIN], &context);
        let kernel = Kernel::new(gpu, "echo", &wgsl, 16).expect("made");
        let bound = kernel.bind(gpu, &buffers);
        (kernel, bound)
    }

    /// Sends numbers to the host and back many times; each time a kernel changes them, and the host adds one to each.
    fn converses(channel: &Channel, gpu: &Gpu, count: usize) {
        let middle = gpu.buffer("numbers", 4 * count as u64).expect("room");
        let out = kernel(gpu, channel, true, &middle, channel.send_buffer());
        let into = kernel(gpu, channel, false, channel.receive_buffer(), &middle);
        let other = gpu.buffer("other work", 4 << 20).expect("room");
        let scan = Scan::new(gpu, &other, 1 << 18).expect("made");
        let numbers = &RefCell::new(random(1, count));
        gpu.upload(&middle, 0, &numbers.borrow()).expect("written");
        let mut recorder = Recorder::new(gpu);
        let items = count as u32;
        for plus in 0..300_u32 {
            let next = channel.signals().map_or(0, KernelSignals::next_round);
            recorder.dispatch(&out.0, &out.1, items, &[items, 3, plus, next]);
            recorder.send(channel, 4 * count as u64);
            scan.record(&mut recorder, [0, 1000, 1 << 18][plus as usize % 3]);
            let callback = move || {
                let mut numbers = numbers.borrow_mut();
                let mut came = vec![0_u32; count];
                channel.wait(gpu, 4 * count)?;
                let half = count / 2;
                channel.read(4 * half, bytemuck::cast_slice_mut(&mut came[half..]));
                channel.read(0, bytemuck::cast_slice_mut(&mut came[..half]));
                let right = numbers.iter().map(|number| number.wrapping_mul(3).wrapping_add(plus));
                assert!(came.iter().copied().eq(right), "round {plus}");
                came.iter_mut().for_each(|number| *number = number.wrapping_add(1));
                channel.fill(4 * half, bytemuck::cast_slice(&came[half..]));
                channel.fill(0, bytemuck::cast_slice(&came[..half]));
                *numbers = came;
                channel.answer(gpu, 4 * count)
            };
            recorder.await_answer(channel, callback).expect("answered before");
            let round = channel.signals().map_or(0, KernelSignals::round);
            recorder.dispatch(&into.0, &into.1, items, &[items, 1, 0, round]);
            recorder.run_ahead().expect("answered");
        }
        recorder.flush().expect("answered");
        let came: Vec<u32> = gpu.download(&middle, 0, count).expect("reads");
        assert_eq!(came, *numbers.borrow());
    }

    #[test]
    fn messages_come_whole_from_mapped_memory() {
        for waits in [false, true] {
            let gpu = checked().with_waits(waits);
            for count in [1, 63, 70_000] {
                let channel = Channel::by_kernel(&gpu, "echo", 4 * count, 4 * count).expect("made");
                converses(&channel.expect("a device with such memory"), &gpu, count as usize);
            }
        }
    }

    #[test]
    fn messages_come_whole_by_the_copy_engine() {
        for waits in [false, true] {
            let gpu = checked().with_waits(waits);
            let shared = || CopyQueue::shared(&gpu).expect("a queue");
            let queue = match gpu.copy_queue.clone() {
                Some(queue) => queue,
                // A queue cannot copy while it waits for the host.
                None if waits => continue,
                None => shared(),
            };
            for count in [1, 63, 70_000] {
                let channel = Channel::by_engine(&gpu, &queue, "echo", 4 * count, 4 * count).expect("made");
                converses(&channel.expect("such memory"), &gpu, count as usize);
            }
        }
    }

    /// The host answers before the awaiting kernel is submitted, since software Vulkan would not wait in a kernel.
    #[test]
    fn kernels_send_and_await_by_themselves() {
        let gpu = checked();
        let queue = gpu.copy_queue.clone().or_else(|| CopyQueue::shared(&gpu)).expect("a queue");
        for count in [1_usize, 63, 70_000] {
            let signals = KernelSignals::made(&gpu).expect("made").expect("such memory").after(u32::MAX - 20);
            let bytes = 4 * count as u64;
            let made = Channel::by_engine_with(&gpu, &queue, "echo", bytes, bytes, Some(signals)).expect("made");
            let channel = made.expect("such memory");
            let middle = gpu.buffer("numbers", bytes).expect("room");
            let out = kernel(&gpu, &channel, true, &middle, channel.send_buffer());
            let into = kernel(&gpu, &channel, false, channel.receive_buffer(), &middle);
            let mut numbers = random(2, count);
            gpu.upload(&middle, 0, &numbers).expect("written");
            let signals = channel.signals().expect("signals");
            for plus in 0..40_u32 {
                let mut recorder = Recorder::new(&gpu);
                let words = |factor, plus, round| [count as u32, factor, plus, round];
                recorder.dispatch(&out.0, &out.1, count as u32, &words(3, plus, signals.next_round()));
                recorder.send(&channel, bytes);
                let mut came = vec![0_u32; count];
                recorder.receive(&channel, bytemuck::cast_slice_mut(&mut came)).expect("comes");
                assert!(numbers.iter().zip(&came).all(|(&n, &came)| came == n.wrapping_mul(3).wrapping_add(plus)));
                came.iter_mut().for_each(|number| *number = number.wrapping_add(1));
                channel.fill(0, bytemuck::cast_slice(&came));
                channel.answer(&gpu, 4 * count).expect("not lost");
                recorder.dispatch(&into.0, &into.1, count as u32, &words(1, 0, signals.round()));
                recorder.submit();
                assert_eq!(gpu.download::<u32>(&middle, 0, count).expect("reads"), came);
                numbers = came;
            }
        }
    }

    #[test]
    fn messages_come_whole_by_copies() {
        for waits in [false, true] {
            let gpu = checked().with_waits(waits);
            for count in [1, 63, 70_000] {
                let channel = Channel::by_copies(&gpu, "echo", 4 * count, 4 * count).expect("room");
                converses(&channel, &gpu, count as usize);
            }
        }
    }

    /// Messages of one channel become answers of another, as between two ranks of a host.
    fn passes_on(from: &Channel, to: &Channel, gpu: &Gpu, count: usize) {
        let numbers = gpu.buffer("numbers", 4 * count as u64).expect("room");
        let out = kernel(gpu, from, true, &numbers, from.send_buffer());
        let part = count / 3;
        for round in 0..7_u32 {
            let sent = random(round.into(), count);
            gpu.upload(&numbers, 0, &sent).expect("written");
            let mut recorder = Recorder::new(gpu);
            recorder.dispatch(&out.0, &out.1, count as u32, &[count as u32, 1, 0, 0]);
            recorder.send(from, 4 * count as u64);
            recorder.flush().expect("submitted");
            from.wait(gpu, 4 * count).expect("comes");
            from.answer(gpu, 0).expect("the one before was taken");
            let place = from.tell(1, 4 * part).expect("shared memory");
            assert_eq!(Place::from_words(place.to_words()), place);
            // The first part comes last.
            let rest = 4 * (count - part);
            to.take(gpu, LeftPiece { rank: 0, by: 1, place, at: 0, bytes: rest }).expect("reached");
            to.fill(rest, bytemuck::cast_slice(&sent[..part]));
            to.answer(gpu, 4 * count).expect("taken");
            gpu.wait().expect("not lost");
            let came: Vec<u32> = gpu.download(to.receive_buffer(), 0, count).expect("reads");
            assert_eq!(came, [&sent[part..], &sent[..part]].concat(), "round {round}");
        }
    }

    #[test]
    fn other_ranks_take_messages_from_where_they_are() {
        let count = 70_000;
        let bytes = 4 * count as u64;
        let gpu = checked().with_waits(false);
        let mut with_queue = gpu.clone();
        with_queue.copy_queue = CopyQueue::shared(&gpu);
        for from in [&gpu, &with_queue] {
            for to in [&gpu, &with_queue, &gpu.clone().without_imports()] {
                let from = Channel::by_kernel(from, "echo", bytes, bytes).expect("made").expect("such memory");
                let channel = Channel::by_kernel(to, "echo", bytes, bytes).expect("made").expect("such memory");
                passes_on(&from, &channel, to, count);
                let channel = Channel::by_copies(to, "echo", bytes, bytes).expect("made");
                passes_on(&from, &channel, to, count);
            }
        }
        let queue = with_queue.copy_queue.clone().expect("a queue");
        let engine =
            || Channel::by_engine(&with_queue, &queue, "echo", bytes, bytes).expect("made").expect("such memory");
        passes_on(&engine(), &engine(), &with_queue, count);
    }

    #[test]
    fn messages_are_told_only_where_ranks_can_take_them() {
        let gpu = checked().with_waits(false);
        let short = Channel::by_kernel(&gpu, "echo", 1000, 1000).expect("made").expect("such memory");
        assert!(short.tell(1, 0).is_none());
        let private = gpu.clone().without_imports();
        let private = Channel::by_kernel(&private, "echo", 1 << 20, 4).expect("made").expect("such memory");
        assert!(private.tell(1, 0).is_none());
        let copied = Channel::by_copies(&gpu, "echo", 1 << 20, 4).expect("made");
        assert!(copied.tell(1, 0).is_none());
        let long = Channel::by_kernel(&gpu, "echo", 1 << 20, 4).expect("made").expect("such memory");
        assert!(long.tell(1, 0).is_some() && long.tell(usize::MAX, 0).is_none());
    }

    #[test]
    fn a_message_that_never_comes_is_a_fault() {
        let gpu = checked();
        let channel = gpu.channel("nothing", 4, 4).expect("room");
        let fault = Recorder::new(&gpu).receive(&channel, &mut [0; 4]);
        if let Way::Mapped { .. } = channel.way {
            assert!(fault.is_err());
        }
    }

    #[test]
    fn a_device_that_waits_goes_on_where_a_callback_fails() {
        let gpu = checked().with_waits(true);
        let channel = gpu.channel("nothing", 4, 4).expect("room");
        let mut recorder = Recorder::new(&gpu);
        for _ in 0..3 {
            recorder.send(&channel, 4);
            recorder.await_answer(&channel, || Err(Fault::io("no answer"))).expect("none was due");
        }
        assert!(recorder.flush().expect_err("the callback's").to_string().contains("no answer"));
        drop(recorder);
        gpu.wait().expect("not lost");
    }
}
