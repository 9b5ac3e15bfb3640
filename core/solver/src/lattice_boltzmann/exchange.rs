//! The exchange of crossing populations with neighbouring parts.

use std::time::Instant;

use hematite_comm::{Comm, exchange_pieces};
use hematite_config::Result;
use hematite_gpu::{Bound, Gpu, Kernel, Recorder, Staging, Ticket};

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

/// Kernels and buffers of the exchange.
pub(crate) struct Exchange {
    // Indexed by whether the step is odd: then the halo's slots go out and the own ones come in.
    pack: [(Kernel, Bound); 2],
    unpack: [(Kernel, Bound); 2],
    staging: Staging,
    message_out: hematite_gpu::Buffer,
    count: u32,
    stride: u32,
    /// (rank, bytes) of each neighbour's piece of the message.
    pieces: Vec<(usize, usize)>,
}

impl Exchange {
    pub fn new(gpu: &Gpu, variant: &Variant, buffers: &Buffers, crossing: &Crossing) -> Result<Self> {
        let width = variant.precision.stored_bytes();
        let kernel = |shader, places, message| {
            make(gpu, variant, shader, false, &buffers.table(&[("places", places), ("message", message)]))
        };
        Ok(Self {
            pack: [
                kernel(Shader::Pack, "places_own", "message_out")?,
                kernel(Shader::Pack, "places_halo", "message_out")?,
            ],
            unpack: [
                kernel(Shader::Unpack, "places_halo", "message_in")?,
                kernel(Shader::Unpack, "places_own", "message_in")?,
            ],
            staging: gpu.staging("halo", (crossing.len() * width) as u64)?,
            message_out: buffers.get("message_out").clone(),
            count: crossing.len() as u32,
            stride: buffers.stride,
            pieces: crossing.neighbours.iter().map(|&(rank, slots)| (rank, slots * width)).collect(),
        })
    }

    /// Packs what goes out after a step and copies it to where the host can read it.
    pub fn record_pack(&self, recorder: &mut Recorder, odd: bool) {
        let (kernel, bound) = &self.pack[usize::from(odd)];
        recorder.dispatch(kernel, bound, self.count, &[0, self.count, self.stride, 0]);
        recorder.copy_out(&self.message_out, 0, &self.staging, self.message_out.bytes());
    }

    /// Sends what `packed` holds and brings what arrives to the device.
    pub fn trade(
        &self,
        gpu: &Gpu,
        comm: &dyn Comm,
        packed: &Ticket,
        buffers: &Buffers,
        phases: &mut Phases,
    ) -> Result<()> {
        let start = Instant::now();
        let out = gpu.read(&self.staging, packed, <[u8]>::to_vec)?;
        let read = Instant::now();
        phases.compute += (read - start).as_secs_f64();

        let _span = gpu.span("exchange halo");
        let into = exchange_pieces(comm, &self.pieces, &out)?;
        let traded = Instant::now();
        phases.communication += (traded - read).as_secs_f64();

        gpu.write(buffers.get("message_in"), 0, &into);
        phases.packing += traded.elapsed().as_secs_f64();
        Ok(())
    }

    /// Puts what arrived in its places.
    pub fn record_unpack(&self, recorder: &mut Recorder, odd: bool) {
        let (kernel, bound) = &self.unpack[usize::from(odd)];
        recorder.dispatch(kernel, bound, self.count, &[0, self.count, self.stride, 0]);
    }
}
