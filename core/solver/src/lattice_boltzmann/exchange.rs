//! The exchange of crossing populations with neighbouring parts.

use std::ops::Add;
use std::time::Instant;

use hematite_comm::{Comm, exchange_pieces};
use hematite_config::Result;
use hematite_gpu::{Bound, Gpu, Kernel, Mailbox, Recorder};

use super::buffers::Buffers;
use super::halo::Crossing;
use super::kernels::make;
use super::shaders::{Shader, Variant};

/// Seconds spent in the phases of the time step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Phases {
    /// Waiting for kernels.
    pub compute: f64,
    /// Messages between ranks.
    pub communication: f64,
    /// Packing, and copies between device and host.
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

/// Kernels and messages of the exchange.
pub(crate) struct Exchange {
    // Indexed by whether the step is odd: then the halo's slots go out and the own ones come in.
    pack: [(Kernel, Bound); 2],
    unpack: [(Kernel, Bound); 2],
    mailbox: Mailbox,
    out: Vec<u8>,
    into: Vec<u8>,
    count: u32,
    stride: u32,
    /// (rank, bytes) of each neighbour's piece of the message.
    pieces: Vec<(usize, usize)>,
}

impl Exchange {
    pub fn new(gpu: &Gpu, variant: &Variant, buffers: &Buffers, crossing: &Crossing) -> Result<Self> {
        let width = variant.precision.stored_bytes();
        let bytes = crossing.len() * width;
        let mailbox = gpu.mailbox("halo", bytes as u64, bytes as u64)?;
        let kernel = |shader, places, message| {
            let mut table = buffers.table(&[("places", places)]);
            table.push(("message", message));
            make(gpu, variant, shader, false, &table)
        };
        Ok(Self {
            pack: [
                kernel(Shader::Pack, "places_own", mailbox.out())?,
                kernel(Shader::Pack, "places_halo", mailbox.out())?,
            ],
            unpack: [
                kernel(Shader::Unpack, "places_halo", mailbox.incoming())?,
                kernel(Shader::Unpack, "places_own", mailbox.incoming())?,
            ],
            mailbox,
            out: vec![0; bytes],
            into: vec![0; bytes],
            count: crossing.len() as u32,
            stride: buffers.stride,
            pieces: crossing.neighbours.iter().map(|&(rank, slots)| (rank, slots * width)).collect(),
        })
    }

    /// Packs what goes out after a step and sends it off.
    pub fn record_pack(&mut self, recorder: &mut Recorder, odd: bool) {
        let (kernel, bound) = &self.pack[usize::from(odd)];
        recorder.dispatch(kernel, bound, self.count, &[0, self.count, self.stride, 0]);
        recorder.post(&mut self.mailbox, self.out.len() as u64);
    }

    /// Submits what is recorded, takes what it packed to the neighbours, and brings what arrives to the device.
    pub fn trade(&mut self, comm: &dyn Comm, recorder: &mut Recorder, phases: &mut Phases) -> Result<()> {
        let start = Instant::now();
        recorder.receive(&mut self.mailbox, &mut self.out)?;
        let read = Instant::now();
        phases.compute += (read - start).as_secs_f64();

        let gpu = recorder.gpu();
        let _span = gpu.span("exchange halo");
        exchange_pieces(comm, &self.pieces, &self.out, &mut self.into)?;
        let traded = Instant::now();
        phases.communication += (traded - read).as_secs_f64();

        self.mailbox.answer(gpu, &self.into);
        phases.packing += traded.elapsed().as_secs_f64();
        Ok(())
    }

    /// Puts what arrived in its places.
    pub fn record_unpack(&self, recorder: &mut Recorder, odd: bool) {
        let (kernel, bound) = &self.unpack[usize::from(odd)];
        recorder.dispatch(kernel, bound, self.count, &[0, self.count, self.stride, 0]);
    }
}
