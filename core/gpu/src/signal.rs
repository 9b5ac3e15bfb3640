//! How device and host tell each other, in the midst of a submission, that a message is there: flags that the device raises, and gates
//! at which it waits until the host opens them.

use std::sync::atomic::{AtomicU32, Ordering, fence};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hematite_config::Result;

use crate::mapped::{Event, Mapped, Reader};
use crate::{Bound, Buffer, Gpu, Kernel, Recorder, Template, render};

/// What the device raises in the midst of a submission, and the host looks at without a wait for the rest.
#[derive(Clone, Debug)]
pub(crate) enum Flag {
    Event(Arc<Event>),
    /// A word that the kernel itself writes whose message it is.
    Word(Arc<Word>),
}

/// A gate at which the device waits until the host opens it; it closes behind the device. For devices that may stand still for the host
/// for as long as that takes (see [`Gpu::waits_at_gates`]).
#[derive(Clone, Debug)]
pub(crate) enum Gate {
    /// For Mesa's software Vulkan, which ends loops that take too many turns. An H200 loses some 40 us at an event that is long raised.
    Event(Arc<Event>),
    /// A kernel that looks at a word of the host's until it holds the number of this round.
    Kernel(Arc<Word>, Kernel, Bound),
    /// Such a word, at which the kernel itself looks that wants the answer.
    Word(Arc<Word>),
}

/// A word that one side counts rounds in for the other.
#[derive(Debug)]
pub(crate) struct Word {
    memory: Mutex<Mapped>,
    buffer: Buffer,
    /// Rounds in what is recorded so far, and those that are over.
    recorded: AtomicU32,
    round: AtomicU32,
}

/// What a kernel binds, besides its own, that posts its message or waits for its answer by itself: `main.wgsl` does it, given `posts` or
/// `awaits`.
#[derive(Clone, Debug)]
pub struct Signals {
    /// Workgroups that are done with their part of the message.
    arrived: Buffer,
    posted: Arc<Word>,
    answered: Arc<Word>,
}

/// Rounds that the device may be ahead by, where a run fails: more than are ever recorded.
const FOR_GOOD: u32 = 1 << 30;

fn wgsl() -> String {
    render(Template { name: "gate.wgsl", text: include_str!("gate.wgsl") }, &[], &minijinja::context! {})
}

impl Flag {
    /// A lowered flag; none where the device is not Vulkan's.
    pub fn new(gpu: &Gpu) -> Option<Self> {
        Event::new(gpu).map(|event| Self::Event(Arc::new(event)))
    }

    /// Records that the flag is raised once the host can see what kernels wrote before.
    pub fn record(&self, recorder: &mut Recorder) {
        match self {
            Self::Event(event) => recorder.insert("send", event.raised_by_device()),
            Self::Word(word) => {
                word.begin();
            }
        }
    }

    /// Whether the flag is up.
    ///
    /// # Errors
    /// An I/O fault when the device is lost.
    pub fn is_up(&self) -> Result<bool> {
        match self {
            Self::Event(event) => event.is_raised(),
            // Rounds begin anew after 2^32.
            Self::Word(word) => Ok(word.read() == word.round.load(Ordering::Relaxed).wrapping_add(1)),
        }
    }

    /// Whether the flag is up; lowers it then.
    ///
    /// # Errors
    /// An I/O fault when the device is lost.
    pub fn lowered(&self) -> Result<bool> {
        let up = self.is_up()?;
        if up {
            match self {
                Self::Event(event) => event.lower()?,
                Self::Word(word) => {
                    word.round.fetch_add(1, Ordering::Relaxed);
                }
            }
            // Reads of mapped memory come after.
            fence(Ordering::Acquire);
        }
        Ok(up)
    }
}

impl Gate {
    /// A closed gate for kernels that read `guarded`; none where the device is not Vulkan's or has no memory that both reach.
    ///
    /// # Errors
    /// Where the kernel cannot be made.
    pub fn new(gpu: &Gpu, guarded: &Buffer) -> Result<Option<Self>> {
        if gpu.info().software {
            return Ok(Event::new(gpu).map(|event| Self::Event(Arc::new(event))));
        }
        let Some(word) = Word::new(gpu, Reader::Kernels) else { return Ok(None) };
        let kernel = Kernel::new(gpu, "gate", &wgsl(), 4)?;
        // As if the kernel wrote what it guards, so that those that read that come after it.
        let bound = kernel.bind(gpu, &[("door", &word.buffer), ("guarded", guarded)]);
        Ok(Some(Self::Kernel(word, kernel, bound)))
    }

    /// Records that the device waits. Kernels recorded after this that read what is guarded see what the host wrote before it opened the
    /// gate.
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

    /// Lets the device go on, once.
    ///
    /// # Errors
    /// An I/O fault when the device is lost.
    pub fn open(&self) -> Result<()> {
        // All writes to mapped memory come before, also those that the processor gathers before it sends them.
        fence(Ordering::SeqCst);
        match self {
            Self::Event(event) => event.raise(),
            Self::Kernel(word, ..) | Self::Word(word) => {
                word.write(word.round.fetch_add(1, Ordering::Relaxed).wrapping_add(1));
                Ok(())
            }
        }
    }

    /// Lets the device go on for good, where a run fails; to be called again for as long as the device is at work.
    pub fn give_up(&self) {
        match self {
            // A device that is lost waits for nothing.
            Self::Event(event) => event.raise().unwrap_or_default(),
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

    /// Goes on as after `rounds` rounds.
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
        // Nothing lingers in the processor.
        fence(Ordering::SeqCst);
    }
}

impl Signals {
    /// None where the device is not to wait for the host, or only at events.
    pub(crate) fn new(gpu: &Gpu) -> Result<Option<Self>> {
        if gpu.waits_at_gates() && gpu.may_signal() { Self::made(gpu) } else { Ok(None) }
    }

    /// None where the device has no memory that both reach.
    pub(crate) fn made(gpu: &Gpu) -> Result<Option<Self>> {
        let words = || Some((Word::new(gpu, Reader::Host)?, Word::new(gpu, Reader::Kernels)?));
        let Some((posted, answered)) = words() else { return Ok(None) };
        Ok(Some(Self { arrived: gpu.buffer("signal", 4)?, posted, answered }))
    }

    pub(crate) fn flag(&self) -> Flag {
        Flag::Word(self.posted.clone())
    }

    pub(crate) fn gate(&self) -> Gate {
        Gate::Word(self.answered.clone())
    }

    /// Goes on as after `rounds` rounds.
    #[cfg(test)]
    pub(crate) fn after(self, rounds: u32) -> Self {
        self.posted.skip(rounds);
        self.answered.skip(rounds);
        self
    }

    /// The buffers that main.wgsl declares in kernels that post or await.
    pub fn buffers(&self) -> [(&'static str, &Buffer); 3] {
        [("arrived", &self.arrived), ("posted", &self.posted.buffer), ("answered", &self.answered.buffer)]
    }

    /// What the next kernel that posts has as `span.round`.
    pub fn next_round(&self) -> u32 {
        self.round().wrapping_add(1)
    }

    /// What the kernel that waits for the last answer has as `span.round`.
    pub fn round(&self) -> u32 {
        self.posted.recorded.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::checked;

    /// A gate that is open already holds nobody up: software Vulkan, which would not wait, can do as much.
    #[test]
    fn rounds_begin_anew() {
        let gpu = checked();
        let guarded = gpu.buffer("guarded", 4).expect("room");
        let word = Word::new(&gpu, Reader::Kernels).expect("such memory");
        let kernel = Kernel::new(&gpu, "gate", &wgsl(), 4).expect("made");
        let bound = kernel.bind(&gpu, &[("door", &word.buffer), ("guarded", &guarded)]);
        let gate = Gate::Kernel(word.clone(), kernel, bound);
        word.skip(u32::MAX - 2);
        for round in [u32::MAX - 1, u32::MAX, 0, 1] {
            gate.open().expect("not lost");
            assert_eq!(word.read(), round);
            let mut recorder = Recorder::new(&gpu);
            gate.record(&mut recorder);
            recorder.submit();
            gpu.wait().expect("goes through");
        }
        gate.give_up();
        let mut recorder = Recorder::new(&gpu);
        (0..50).for_each(|_| gate.record(&mut recorder));
        recorder.submit();
        gpu.wait().expect("goes through for good");
    }

    #[test]
    fn the_kernel_is_valid_wgsl() {
        let source = wgsl();
        wgsl_checks::validate("gate", &source);
    }
}
