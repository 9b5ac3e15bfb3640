//! Many small copies to the device together.

use bytemuck::Pod;
use hematite_config::Result;
use minijinja::context;

use crate::{Bound, Buffer, Gpu, Kernel, MAIN, Recorder, STRETCHES, Stretch, Template, WORKGROUP, render};

/// Words that are collected at most.
const MOST: usize = 1 << 20;

/// Collects copies to buffers and makes them with one kernel a buffer: each copy by itself costs the host an allocation.
pub struct Writes {
    kernel: Kernel,
    /// Those of this flush, and of earlier ones to keep them bound.
    targets: Vec<Target>,
    message: Vec<u32>,
    room: Option<Room>,
}

/// What goes to one buffer.
struct Target {
    buffer: Buffer,
    stretches: Vec<Stretch>,
    /// The kernel's buffers, once it was bound to the room there is.
    bound: Option<Bound>,
}

/// What copies travel through.
struct Room {
    message: Buffer,
    stretches: Buffer,
}

fn wgsl() -> String {
    let context = context! { longest => Stretch::LONGEST, workgroup => WORKGROUP };
    render(Template { name: "scatter.wgsl", text: include_str!("scatter.wgsl") }, &[MAIN, STRETCHES], &context)
}

impl Writes {
    /// Without copies.
    ///
    /// # Errors
    /// Where the device refuses the kernel.
    pub fn new(gpu: &Gpu) -> Result<Self> {
        let kernel = Kernel::new(gpu, "scatter", &wgsl(), 8)?;
        Ok(Self { kernel, targets: Vec::new(), message: Vec::new(), room: None })
    }

    /// Collects a copy of `values`, whole words, to `buffer` from element `at` on. Until the next [`Writes::flush`] no other
    /// copy may go to the same place. Many copies are made at once.
    ///
    /// # Errors
    /// Where the device lacks room or is lost.
    pub fn put<T: Pod>(&mut self, gpu: &Gpu, buffer: &Buffer, at: usize, values: &[T]) -> Result<()> {
        let words: &[u32] = bytemuck::cast_slice(values);
        if self.message.len() + words.len() > MOST {
            self.flush(gpu)?;
        }
        let (first, to) = ((at * size_of::<T>() / 4) as u32, self.message.len() as u32);
        let known = self.targets.iter().position(|target| target.buffer.inner == buffer.inner);
        let target = known.unwrap_or_else(|| {
            self.targets.push(Target { buffer: buffer.clone(), stretches: Vec::new(), bound: None });
            self.targets.len() - 1
        });
        self.targets[target].stretches.extend(Stretch::of(first..first + words.len() as u32, to));
        self.message.extend_from_slice(words);
        Ok(())
    }

    /// Lets go of all buffers, after [`Writes::flush`]: it keeps those that it has copied to.
    pub fn forget(&mut self) {
        self.targets.clear();
    }

    /// Makes the copies that were collected, before the next submission starts.
    ///
    /// # Errors
    /// Where the device lacks room or is lost.
    pub fn flush(&mut self, gpu: &Gpu) -> Result<()> {
        let message = std::mem::take(&mut self.message);
        if message.is_empty() {
            return Ok(());
        }
        let stretches: Vec<Stretch> = self.targets.iter().flat_map(|target| &target.stretches).copied().collect();
        let bytes = [4 * message.len(), size_of::<Stretch>() * stretches.len()].map(|bytes| bytes as u64);
        let has_room = |room: &Room| room.message.bytes() >= bytes[0] && room.stretches.bytes() >= bytes[1];
        let room = match self.room.take().filter(has_room) {
            Some(room) => room,
            None => {
                self.targets.iter_mut().for_each(|target| target.bound = None);
                let [message, stretches] = bytes.map(u64::next_power_of_two);
                Room {
                    message: gpu.buffer("copies", message)?,
                    stretches: gpu.buffer("stretches of copies", stretches)?,
                }
            }
        };
        gpu.upload(&room.message, 0, &message)?;
        gpu.upload(&room.stretches, 0, &stretches)?;
        let mut recorder = Recorder::new(gpu);
        let mut begin = 0;
        for Target { buffer, stretches, bound } in self.targets.iter_mut().filter(|target| !target.stretches.is_empty())
        {
            let table = [("words", &*buffer), ("message", &room.message), ("stretches", &room.stretches)];
            let bound = bound.get_or_insert_with(|| self.kernel.bind(gpu, &table));
            let items = stretches.len() as u32 * Stretch::LONGEST;
            recorder.dispatch(&self.kernel, bound, items, &[items, begin]);
            begin += stretches.len() as u32;
            stretches.clear();
        }
        recorder.submit();
        self.room = Some(room);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{checked, random};

    #[test]
    fn the_kernel_is_valid_wgsl() {
        wgsl_checks::validate("scatter", &wgsl());
    }

    #[test]
    fn copies_to_several_buffers_are_those_of_a_loop() {
        let gpu = checked();
        let mut writes = Writes::new(&gpu).expect("a kernel");
        // More than are collected at once, too.
        for most in [40, 3000] {
            let buffers = [0, 1].map(|_| gpu.buffer("a", 4 << 20).expect("a buffer"));
            let mut wanted = [0, 1].map(|_| vec![7_u32; 1 << 20]);
            for (buffer, wanted) in buffers.iter().zip(&wanted) {
                gpu.upload(buffer, 0, wanted).expect("fits");
            }
            let mut at = [1, 2];
            for (n, &number) in random(5, 600).iter().enumerate() {
                let (k, words) = (n % 2, number as usize % most);
                let values: Vec<u64> = random(number.into(), words).into_iter().map(u64::from).collect();
                writes.put(&gpu, &buffers[k], at[k], &values).expect("fits");
                let words: &[u32] = bytemuck::cast_slice(&values);
                wanted[k][2 * at[k]..2 * at[k] + words.len()].copy_from_slice(words);
                at[k] += values.len() + number as usize % 3;
            }
            writes.flush(&gpu).expect("copies");
            writes.flush(&gpu).expect("has nothing to do");
            for (buffer, wanted) in buffers.iter().zip(&wanted) {
                assert!(gpu.download::<u32>(buffer, 0, 1 << 20).expect("reads") == *wanted, "at most {most} values");
            }
        }
    }
}
