//! Messages between kernels and the host, in the midst of other work.

use std::thread;
use std::time::{Duration, Instant};

use hematite_config::{Fault, Result};

use crate::copy::copy_kernel;
use crate::copy_engine::{Copier, CopyQueue};
use crate::mapped::{Flag, Mapped, Reader};
use crate::{Bound, Buffer, Gpu, Kernel, Recorder, Staging};

/// How long the host looks for a message without a pause: as long as small kernels take.
const SPIN: Duration = Duration::from_micros(200);

/// How long it only lets others go first, before it sleeps between looks.
const YIELD: Duration = Duration::from_millis(2);

const NAP: Duration = Duration::from_micros(20);

/// A buffer that kernels fill for the host, and one that the host fills for kernels. [`Recorder::post`] sends the first off;
/// [`Mailbox::receive`] waits for it, while the device goes on with what was recorded after it; [`Mailbox::answer`] fills the
/// second for what is submitted next.
///
/// The host reads a copy in memory that stays mapped, since kernels that pack write to the host's memory far more slowly than one that
/// copies, or than the device's copy engine does (see [`Gpu::background_mailbox`]); what the host writes lies where kernels read it. Nothing
/// is mapped or allocated on the way. Where Vulkan gives no such memory, both are copied and mapped each time, once the device is idle. One
/// message is on its way at a time: a kernel that fills the next one must be submitted after the last was received, and follow, on the
/// device, what reads the answer to it.
#[derive(Debug)]
pub struct Mailbox {
    out: Buffer,
    way: Way,
}

#[derive(Debug)]
enum Way {
    Mapped { carrier: Carrier, read: Mapped, answer: Mapped, posted: Box<Flag> },
    Copied { answer: Buffer, staging: Staging },
}

/// What copies a message to memory that the host reads.
#[derive(Debug)]
enum Carrier {
    /// A kernel, before the flag is raised.
    Kernel(Kernel, Bound),
    /// The copy engine, once the host has seen the flag, and how many bytes.
    Engine(Box<Copier>, u64),
}

impl Gpu {
    /// A mailbox for messages of up to `out` bytes and answers of up to `answer` bytes.
    ///
    /// # Errors
    /// A usage fault where there is no room.
    pub fn mailbox(&self, label: &str, out: u64, answer: u64) -> Result<Mailbox> {
        let message = self.buffer(label, out)?;
        let way = match Way::mapped(self, label, &message, answer)? {
            Some(way) => way,
            None => Way::copied(self, label, out, answer)?,
        };
        Ok(Mailbox { out: message, way })
    }

    /// The same, for messages that are sent off before much other work: where the device has a copy engine, that takes them to the
    /// host while kernels recorded after them are at work, which so do not wait for the copy. The message takes longer.
    ///
    /// # Errors
    /// Those of [`Gpu::mailbox`].
    pub fn background_mailbox(&self, label: &str, out: u64, answer: u64) -> Result<Mailbox> {
        match self.copy_queue.as_ref().and_then(|queue| Mailbox::by_engine(self, queue, label, out, answer)) {
            Some(mailbox) => Ok(mailbox),
            None => self.mailbox(label, out, answer),
        }
    }
}

impl Way {
    fn mapped(gpu: &Gpu, label: &str, out: &Buffer, answer: u64) -> Result<Option<Self>> {
        let memory = || {
            let read = Mapped::new(gpu, label, out.bytes, Reader::Host)?;
            Some((read, Mapped::new(gpu, label, answer, Reader::Kernels)?, Box::new(Flag::new(gpu)?)))
        };
        let Some((read, answer, posted)) = memory() else { return Ok(None) };
        let (kernel, bound) = copy_kernel(gpu, out, read.buffer())?;
        Ok(Some(Self::Mapped { carrier: Carrier::Kernel(kernel, bound), read, answer, posted }))
    }

    fn copied(gpu: &Gpu, label: &str, out: u64, answer: u64) -> Result<Self> {
        let (answer, staging) = (gpu.buffer(label, answer)?, gpu.staging(label, out)?);
        Ok(Self::Copied { answer, staging })
    }
}

impl Mailbox {
    /// One whose messages `queue` copies; none where the device has not the memory for it.
    fn by_engine(gpu: &Gpu, queue: &CopyQueue, label: &str, out: u64, answer: u64) -> Option<Self> {
        let message = Mapped::new(gpu, label, out, Reader::Kernels)?;
        let read = Mapped::new(gpu, label, out, Reader::Host)?;
        let carrier = Carrier::Engine(Box::new(Copier::new(gpu, queue, &message, &read)?), 0);
        let (answer, posted) = (Mapped::new(gpu, label, answer, Reader::Kernels)?, Box::new(Flag::new(gpu)?));
        Some(Self { out: message.buffer().clone(), way: Way::Mapped { carrier, read, answer, posted } })
    }

    /// What kernels fill for the host.
    pub fn out(&self) -> &Buffer {
        &self.out
    }

    /// What the host fills for kernels.
    pub fn incoming(&self) -> &Buffer {
        match &self.way {
            Way::Mapped { answer, .. } => answer.buffer(),
            Way::Copied { answer, .. } => answer,
        }
    }

    /// Waits for the message that [`Recorder::post`] sent off in what was submitted, and gives it. MPI is not to read mapped memory
    /// itself: not all of its ways to other processes can.
    ///
    /// # Errors
    /// An I/O fault when the device is lost.
    pub fn receive(&mut self, gpu: &Gpu, to: &mut [u8]) -> Result<()> {
        match &mut self.way {
            Way::Mapped { carrier, read, posted, .. } => {
                let unsent = || Fault::io(format!("{} was to send a message, and did not", gpu.info().name));
                // A device that is lost, or done without having raised the flag, never will.
                wait_until(gpu, || posted.lowered(), || gpu.is_idle().map(|idle| idle.then(unsent)))?;
                if let Carrier::Engine(copier, bytes) = carrier {
                    copier.start(*bytes)?;
                    wait_until(gpu, || copier.is_done(), || Ok(None))?;
                }
                let _span = gpu.span("copy");
                read.read(to);
                Ok(())
            }
            Way::Copied { staging, .. } => {
                let all = Recorder::new(gpu).submit();
                gpu.read(staging, &all, |mapped| to.copy_from_slice(&mapped[..to.len()]))
            }
        }
    }

    /// Fills the start of [`Mailbox::incoming`], for what is submitted next.
    pub fn answer(&mut self, gpu: &Gpu, bytes: &[u8]) {
        let _span = gpu.span("copy");
        match &mut self.way {
            Way::Mapped { answer, .. } => answer.write(bytes),
            Way::Copied { answer, .. } => gpu.write(answer, 0, bytes),
        }
    }
}

impl Recorder<'_> {
    /// Sends off the first `bytes` bytes of what kernels recorded up to here put into `mailbox`. What is recorded from here on is
    /// done while the host reads them.
    pub fn post(&mut self, mailbox: &mut Mailbox, bytes: u64) {
        match &mut mailbox.way {
            Way::Mapped { carrier, posted, .. } => {
                match carrier {
                    Carrier::Kernel(kernel, bound) => {
                        let count = bytes.div_ceil(16) as u32;
                        self.dispatch(kernel, bound, count, &[count]);
                    }
                    Carrier::Engine(_, ready) => *ready = bytes,
                }
                self.insert("send", posted.raise());
            }
            Way::Copied { staging, .. } if bytes > 0 => self.copy_out(&mailbox.out, 0, staging, bytes),
            Way::Copied { .. } => {}
        }
    }

    /// Submits what is recorded and gives the message that [`Recorder::post`] sent off among it.
    ///
    /// # Errors
    /// An I/O fault when the device is lost.
    pub fn receive(&mut self, mailbox: &mut Mailbox, to: &mut [u8]) -> Result<()> {
        self.flush();
        mailbox.receive(self.gpu(), to)
    }
}

/// Waits until `done`; `never` gives the fault where that cannot come any more, and is asked before `done` is.
fn wait_until(
    gpu: &Gpu,
    mut done: impl FnMut() -> Result<bool>,
    mut never: impl FnMut() -> Result<Option<Fault>>,
) -> Result<()> {
    let _span = gpu.span("wait");
    let start = Instant::now();
    loop {
        let waited = start.elapsed();
        let fault = if waited >= YIELD { never()? } else { None };
        if done()? {
            return Ok(());
        } else if let Some(fault) = fault {
            return Err(fault);
        } else if waited < SPIN {
            std::hint::spin_loop();
        } else if waited < YIELD {
            thread::yield_now();
        } else {
            thread::sleep(NAP);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{checked, random};
    use crate::{Binding, MAIN, Scan, Template, WORKGROUP, render};

    const TEXT: &str = "struct Span { count: u32, round: u32 }
        var<immediate> span: Span;
        ${declarations}
        #include \"main.wgsl\"
        fn work_on(k: u32) { out[k] = incoming[k] * 3u + span.round; }";

    /// Numbers go to and fro; each time a kernel changes them.
    fn converses(mut mailbox: Mailbox, gpu: &Gpu, count: usize) {
        let table = vec![Binding::read("incoming", "array<u32>"), Binding::write("out", "array<u32>")];
        let context = minijinja::context! { workgroup => WORKGROUP, declarations => Binding::declare(&table) };
        let wgsl = render(Template { name: "echo.wgsl", text: TEXT }, &[MAIN], &context);
        let kernel = Kernel::new(gpu, "echo", &wgsl, table, 8).expect("made");
        let bound = kernel.bind(gpu, &[("incoming", mailbox.incoming()), ("out", mailbox.out())]);
        let other = gpu.buffer("other work", 4 << 20).expect("room");
        let scan = Scan::new(gpu, &other, 1 << 18).expect("made");
        let mut numbers = random(1, count);
        let mut came = vec![0_u32; count];
        let mut recorder = Recorder::new(gpu);
        for round in 0..300 {
            mailbox.answer(gpu, bytemuck::cast_slice(&numbers));
            recorder.dispatch(&kernel, &bound, count as u32, &[count as u32, round]);
            recorder.post(&mut mailbox, 4 * count as u64);
            scan.record(&mut recorder, [0, 1000, 1 << 18][round as usize % 3]);
            recorder.receive(&mut mailbox, bytemuck::cast_slice_mut(&mut came)).expect("comes");
            let right = numbers.iter().map(|number| number.wrapping_mul(3).wrapping_add(round));
            assert!(came.iter().copied().eq(right), "round {round}");
            numbers.copy_from_slice(&came);
        }
    }

    #[test]
    fn messages_come_whole_from_mapped_memory() {
        let gpu = checked();
        for count in [1, 63, 70_000] {
            let out = gpu.buffer("echo", 4 * count).expect("room");
            let way = Way::mapped(&gpu, "echo", &out, 4 * count).expect("made").expect("a device with such memory");
            converses(Mailbox { out, way }, &gpu, count as usize);
        }
    }

    #[test]
    fn messages_come_whole_by_the_copy_engine() {
        let gpu = checked();
        let queue = gpu.copy_queue.clone().or_else(|| CopyQueue::shared(&gpu)).expect("a queue");
        for count in [1, 63, 70_000] {
            let mailbox = Mailbox::by_engine(&gpu, &queue, "echo", 4 * count, 4 * count).expect("such memory");
            converses(mailbox, &gpu, count as usize);
        }
    }

    #[test]
    fn messages_come_whole_by_copies() {
        let gpu = checked();
        for count in [1, 63, 70_000] {
            let way = Way::copied(&gpu, "echo", 4 * count, 4 * count).expect("room");
            let out = gpu.buffer("echo", 4 * count).expect("room");
            converses(Mailbox { out, way }, &gpu, count as usize);
        }
    }

    #[test]
    fn a_message_that_never_comes_is_a_fault() {
        let gpu = checked();
        let mut mailbox = gpu.mailbox("nothing", 4, 4).expect("room");
        let fault = Recorder::new(&gpu).receive(&mut mailbox, &mut [0; 4]);
        if let Way::Mapped { .. } = mailbox.way {
            assert!(fault.is_err());
        }
    }
}
