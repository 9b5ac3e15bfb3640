//! Messages of kernels to other ranks.

use std::cell::Cell;
use std::ops::Add;
use std::rc::Rc;
use std::time::{Duration, Instant};

use hematite_comm::Comm;
use hematite_config::Result;
use hematite_gpu::{Buffer, Gpu, Mailbox, Recorder, Signals};

/// Seconds spent in the phases of the time step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Phases {
    /// Waiting for kernels.
    pub compute: f64,
    /// Messages between ranks.
    pub communication: f64,
    /// Copies between device and host.
    pub packing: f64,
}

impl Add for Phases {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            compute: self.compute + other.compute,
            communication: self.communication + other.communication,
            packing: self.packing + other.packing,
        }
    }
}

/// Takes what kernels packed to other ranks, and brings what these packed.
#[derive(Clone)]
pub struct Courier {
    gpu: Gpu,
    mailbox: Mailbox,
    spent: Rc<Cell<Phases>>,
}

/// Pieces of a message that follow each other: (rank, bytes) of each.
pub type Pieces = Rc<[(usize, usize)]>;

impl Courier {
    /// One that fills and empties `mailbox`.
    pub fn new(gpu: &Gpu, mailbox: Mailbox) -> Self {
        Self { gpu: gpu.clone(), mailbox, spent: Rc::default() }
    }

    /// One for messages of up to `out` bytes that are needed soon: a kernel takes them to the host, unless the device waits for the
    /// answer by itself, where the copy engine costs less.
    ///
    /// # Errors
    /// Where the device has no room.
    pub fn prompt(gpu: &Gpu, label: &str, out: u64, answer: u64) -> Result<Self> {
        let mailbox = match gpu.waits_at_gates() {
            true => gpu.background_mailbox(label, out, answer)?,
            false => gpu.mailbox(label, out, answer)?,
        };
        Ok(Self::new(gpu, mailbox))
    }

    /// What kernels fill for other ranks.
    pub fn out(&self) -> &Buffer {
        self.mailbox.out()
    }

    /// What comes from other ranks.
    pub fn incoming(&self) -> &Buffer {
        self.mailbox.incoming()
    }

    /// See [`Mailbox::signals`].
    pub fn signals(&self) -> Option<&Signals> {
        self.mailbox.signals()
    }

    /// Seconds spent on messages so far.
    pub fn phases(&self) -> Phases {
        self.spent.get()
    }

    /// Sends off the first `bytes` bytes of what kernels recorded up to here packed.
    pub fn post(&self, recorder: &mut Recorder, bytes: usize) {
        recorder.post(&self.mailbox, bytes as u64);
    }

    /// Waits for the message posted last and forgets it.
    ///
    /// # Errors
    /// When the device is lost, and those of errands.
    pub fn discard(&self, recorder: &mut Recorder) -> Result<()> {
        recorder.receive(&self.mailbox, &mut [])?;
        // Rounds of messages and of answers go together.
        if self.signals().is_some() { self.mailbox.answer(&self.gpu, 0) } else { Ok(()) }
    }

    /// What is recorded from here on has in [`Courier::incoming`] what `coming` says of other ranks' messages, while they get the pieces
    /// `going` of the one that was posted last. `span` is the name of that in a trace. Collective among those ranks.
    ///
    /// # Errors
    /// When the device or a rank is lost.
    pub fn await_answer<'g>(
        &self,
        comm: &'g dyn Comm,
        recorder: &mut Recorder<'g>,
        span: &'static str,
        (going, coming): (Pieces, Pieces),
    ) -> Result<()> {
        let courier = self.clone();
        recorder.await_answer(&self.mailbox, move || courier.run(comm, span, &going, &coming))
    }

    fn run(&self, comm: &dyn Comm, span: &'static str, going: &Pieces, coming: &Pieces) -> Result<()> {
        let Self { gpu, mailbox, spent } = self;
        let start = Instant::now();
        mailbox.wait(gpu, length(going))?;
        let waited = start.elapsed();

        let start = Instant::now();
        let _span = gpu.span(span);
        let (starts_out, starts_in) = (starts(going), starts(coming));
        let (mut read, mut written) = (Duration::ZERO, Duration::ZERO);
        comm.trade(
            going,
            &mut |k, room| timed(&mut read, || mailbox.read(starts_out[k], room)),
            coming,
            &mut |k, message| timed(&mut written, || mailbox.fill(starts_in[k], message)),
        )?;
        mailbox.answer(gpu, length(coming))?;
        let (copies, all) = (read + written, start.elapsed());
        let now = Phases {
            compute: waited.as_secs_f64(),
            communication: all.saturating_sub(copies).as_secs_f64(),
            packing: copies.as_secs_f64(),
        };
        spent.set(spent.get() + now);
        Ok(())
    }
}

/// Bytes of all pieces.
pub fn length(pieces: &[(usize, usize)]) -> usize {
    pieces.iter().map(|&(_, bytes)| bytes).sum()
}

/// Where each piece begins.
fn starts(pieces: &[(usize, usize)]) -> Vec<usize> {
    let ends = pieces.iter().scan(0, |end, &(_, bytes)| {
        *end += bytes;
        Some(*end)
    });
    ends.zip(pieces).map(|(end, &(_, bytes))| end - bytes).collect()
}

fn timed(spent: &mut Duration, work: impl FnOnce()) {
    let start = Instant::now();
    work();
    *spent += start.elapsed();
}
