//! Signals between device and host during a submission: the device signals that a message is there, and waits until the
//! host signals that the answer is there.

use std::sync::atomic::{AtomicU32, Ordering, fence};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hematite_config::Result;

use crate::event::Event;
use crate::mapped::{Mapped, Reader};
use crate::{Bound, Buffer, Gpu, Kernel, Recorder, Template, render};

/// A signal from the device to the host. The device sets it during a submission; the host reads it without waiting for
/// the rest of the submission.
#[derive(Clone, Debug)]
pub(crate) enum DeviceSignal {
    Event(Arc<Event>),
    /// A word, written by the kernel that makes the message.
    Word(Arc<Word>),
}

/// A signal from the host to the device, which waits for it and clears it. For devices that may wait for the host for
/// any time (see [`Gpu::waits_for_host`]).
#[derive(Clone, Debug)]
pub(crate) enum HostSignal {
    /// An event, for Mesa's software Vulkan, which ends long loops. An H200 loses some 40 us at an event, even if it
    /// was set long before.
    Event(Arc<Event>),
    /// A separate kernel, which reads a word of the host until it holds the number of this round.
    Kernel(Arc<Word>, Kernel, Bound),
    /// A word of the host, which the kernel that needs the answer reads itself.
    Word(Arc<Word>),
}

/// A word in which one side counts rounds for the other. A round is one message and its answer.
#[derive(Debug)]
pub(crate) struct Word {
    memory: Mutex<Mapped>,
    buffer: Buffer,
    /// Number of rounds recorded so far.
    recorded: AtomicU32,
    /// Number of rounds that are over.
    round: AtomicU32,
}

/// Buffers that a kernel binds besides its own to send a message or to wait for its answer itself. `main.wgsl` does so,
/// with the options `sends` or `awaits`.
#[derive(Clone, Debug)]
pub struct KernelSignals {
    /// Number of workgroups that have written their part of the message.
    arrived: Buffer,
    sent: Arc<Word>,
    answered: Arc<Word>,
}

/// Rounds to let pass when a run fails: more than are ever recorded.
const FOR_GOOD: u32 = 1 << 30;

fn wgsl() -> String {
    render(Template { name: "wait.wgsl", text: include_str!("wait.wgsl") }, &[], &minijinja::context! {})
}

impl DeviceSignal {
    /// A clear signal; `None` if the device is not Vulkan's.
    pub fn new(gpu: &Gpu) -> Option<Self> {
        Event::new(gpu).map(|event| Self::Event(Arc::new(event)))
    }

    /// Records that the device sets the signal when the host can see what kernels wrote before.
    pub fn record(&self, recorder: &mut Recorder) {
        match self {
            Self::Event(event) => recorder.insert("send", event.set_by_device()),
            Self::Word(word) => {
                word.begin();
            }
        }
    }

    /// Whether the device has set the signal.
    ///
    /// # Errors
    /// An I/O fault when the device is lost.
    pub fn is_set(&self) -> Result<bool> {
        match self {
            Self::Event(event) => event.is_set(),
            // Rounds wrap around after 2^32.
            Self::Word(word) => Ok(word.read() == word.round.load(Ordering::Relaxed).wrapping_add(1)),
        }
    }

    /// Whether the device has set the signal. If so, clears it.
    ///
    /// # Errors
    /// An I/O fault when the device is lost.
    pub fn take(&self) -> Result<bool> {
        let set = self.is_set()?;
        if set {
            match self {
                Self::Event(event) => event.clear()?,
                Self::Word(word) => {
                    word.round.fetch_add(1, Ordering::Relaxed);
                }
            }
            // Orders reads of mapped memory after the read of the signal.
            fence(Ordering::Acquire);
        }
        Ok(set)
    }
}

impl HostSignal {
    /// A clear signal, for kernels that read `guarded`; `None` if the device is not Vulkan's or shares no memory with
    /// the host.
    ///
    /// # Errors
    /// Where the kernel cannot be made.
    pub fn new(gpu: &Gpu, guarded: &Buffer) -> Result<Option<Self>> {
        if gpu.info().software {
            return Ok(Event::new(gpu).map(|event| Self::Event(Arc::new(event))));
        }
        let Some(word) = Word::new(gpu, Reader::Kernels) else { return Ok(None) };
        let kernel = Kernel::new(gpu, "wait for host", &wgsl(), 4)?;
        // The kernel binds `guarded` as if it wrote it, so that kernels that read `guarded` come after it.
        let bound = kernel.bind(gpu, &[("signal", &word.buffer), ("guarded", guarded)]);
        Ok(Some(Self::Kernel(word, kernel, bound)))
    }

    /// Records that the device waits. Kernels recorded later that read `guarded` see what the host wrote before it set
    /// the signal.
    pub fn record(&self, recorder: &mut Recorder) {
        match self {
            Self::Event(event) => recorder.insert("wait", event.awaited_by_device()),
            Self::Kernel(word, kernel, bound) => {
                let round = word.begin();
                recorder.in_phase("wait", |recorder| recorder.dispatch(kernel, bound, 1, &[round]));
            }
            Self::Word(_) => {}
        }
    }

    /// Sets the signal once, so that the device goes on.
    ///
    /// # Errors
    /// An I/O fault when the device is lost.
    pub fn set(&self) -> Result<()> {
        // Orders all writes to mapped memory before the signal, also those in the processor's write-combining buffers.
        fence(Ordering::SeqCst);
        match self {
            Self::Event(event) => event.set(),
            Self::Kernel(word, ..) | Self::Word(word) => {
                word.write(word.round.fetch_add(1, Ordering::Relaxed).wrapping_add(1));
                Ok(())
            }
        }
    }

    /// Sets the signal for all rounds, when a run fails. Call it repeatedly as long as the device works.
    pub fn set_for_good(&self) {
        match self {
            // A lost device waits for nothing.
            Self::Event(event) => event.set().unwrap_or_default(),
            Self::Kernel(word, ..) | Self::Word(word) => {
                word.write(word.round.load(Ordering::Relaxed).wrapping_add(FOR_GOOD));
            }
        }
    }
}

impl Word {
    fn new(gpu: &Gpu, reader: Reader) -> Option<Arc<Self>> {
        let memory = Mapped::new(gpu, "signal", 4, reader)?;
        let buffer = memory.buffer().clone();
        let [recorded, round] = [0, 0].map(AtomicU32::new);
        Some(Arc::new(Self { memory: Mutex::new(memory), buffer, recorded, round }))
    }

    /// The number of the next round that is recorded.
    fn begin(&self) -> u32 {
        self.recorded.fetch_add(1, Ordering::Relaxed).wrapping_add(1)
    }

    /// Counts `rounds` rounds as recorded and done.
    #[cfg(test)]
    fn skip(&self, rounds: u32) {
        self.recorded.store(rounds, Ordering::Relaxed);
        self.round.store(rounds, Ordering::Relaxed);
        self.write(rounds);
    }

    fn memory(&self) -> MutexGuard<'_, Mapped> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read(&self) -> u32 {
        self.memory().first_word()
    }

    fn write(&self, word: u32) {
        self.memory().set_first_word(word);
        // Flushes the processor's write buffers.
        fence(Ordering::SeqCst);
    }
}

impl KernelSignals {
    /// `None` if the device does not wait for the host, or only at events.
    pub(crate) fn new(gpu: &Gpu) -> Result<Option<Self>> {
        if gpu.waits_in_kernels() { Self::made(gpu) } else { Ok(None) }
    }

    /// `None` if the device shares no memory with the host.
    pub(crate) fn made(gpu: &Gpu) -> Result<Option<Self>> {
        let words = || Some((Word::new(gpu, Reader::Host)?, Word::new(gpu, Reader::Kernels)?));
        let Some((sent, answered)) = words() else { return Ok(None) };
        Ok(Some(Self { arrived: gpu.buffer("signal", 4)?, sent, answered }))
    }

    pub(crate) fn device_signal(&self) -> DeviceSignal {
        DeviceSignal::Word(self.sent.clone())
    }

    pub(crate) fn host_signal(&self) -> HostSignal {
        HostSignal::Word(self.answered.clone())
    }

    /// Counts `rounds` rounds as recorded and done.
    #[cfg(test)]
    pub(crate) fn after(self, rounds: u32) -> Self {
        self.sent.skip(rounds);
        self.answered.skip(rounds);
        self
    }

    /// The buffers that main.wgsl declares in kernels that send or await messages.
    pub fn buffers(&self) -> [(&'static str, &Buffer); 3] {
        [("arrived", &self.arrived), ("sent", &self.sent.buffer), ("answered", &self.answered.buffer)]
    }

    /// `span.round` of the next kernel that sends.
    pub fn next_round(&self) -> u32 {
        self.round().wrapping_add(1)
    }

    /// `span.round` of the kernel that waits for the last answer.
    pub fn round(&self) -> u32 {
        self.sent.recorded.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::checked;

    /// The host signals first, since software Vulkan would not wait in a kernel.
    #[test]
    fn rounds_begin_anew() {
        let gpu = checked();
        let guarded = gpu.buffer("guarded", 4).expect("room");
        let word = Word::new(&gpu, Reader::Kernels).expect("such memory");
        let kernel = Kernel::new(&gpu, "wait for host", &wgsl(), 4).expect("made");
        let bound = kernel.bind(&gpu, &[("signal", &word.buffer), ("guarded", &guarded)]);
        let signal = HostSignal::Kernel(word.clone(), kernel, bound);
        word.skip(u32::MAX - 2);
        for round in [u32::MAX - 1, u32::MAX, 0, 1] {
            signal.set().expect("not lost");
            assert_eq!(word.read(), round);
            let mut recorder = Recorder::new(&gpu);
            signal.record(&mut recorder);
            recorder.submit();
            gpu.wait().expect("goes through");
        }
        signal.set_for_good();
        let mut recorder = Recorder::new(&gpu);
        (0..50).for_each(|_| signal.record(&mut recorder));
        recorder.submit();
        gpu.wait().expect("goes through for good");
    }

    #[test]
    fn the_kernel_is_valid_wgsl() {
        let source = wgsl();
        wgsl_checks::validate("wait", &source);
    }
}
