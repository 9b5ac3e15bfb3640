//! Points that the fluid carries: they take part in collisions with their masses, and others move them.
//!
//! Every rank holds all points. The rank on whose sites a point lies adds it to the sums of cells and turns its velocity; a
//! message tells all others.

use std::rc::Rc;

use hematite_comm::Comm;
use hematite_config::{Fault, Result};
use hematite_engine::rank_channel::{Pieces, RankChannel, length};
use hematite_engine::{EmbeddedPoints, Phases};
use hematite_gpu::{Bound, Buffer, Gpu, Kernel, Recorder};

use crate::parameters::Parameters;
use crate::shaders::Shader;

/// The points of a fluid.
pub struct Points {
    points: EmbeddedPoints,
    others: u32,
    /// Words of the message to one rank.
    piece: u32,
    pieces: Pieces,
    channel: Option<RankChannel>,
    add: (Kernel, Bound),
    collide: (Kernel, Bound),
    tell: Option<(Kernel, Bound)>,
    hear: (Kernel, Bound),
}

impl Points {
    /// Room for the points that `parameters` tell of; `None` if there are none. `named`: buffers of cells.
    ///
    /// # Errors
    /// When the device lacks room.
    pub fn new(
        gpu: &Gpu,
        comm: &dyn Comm,
        parameters: &Parameters,
        named: &[(&'static str, &Buffer)],
    ) -> Result<Option<Self>> {
        let Some(needs) = parameters.points else { return Ok(None) };
        let (d, others) = (parameters.dimension as u32, comm.size() as u32 - 1);
        let array = |label: &str, each: u32| gpu.buffer(label, 4 * u64::from(needs.count * each));
        let points = EmbeddedPoints {
            position: array("positions of points", d)?,
            velocity: array("velocities of points", d)?,
            mass: array("masses of points", 1)?,
            count: needs.count,
        };
        let here = array("which points are here", 1)?;
        let piece = (1 + d) * needs.count;
        let ranks = (0..comm.size()).filter(|&rank| rank != comm.rank());
        let pieces: Pieces = Rc::from(ranks.map(|rank| (rank, 4 * piece as usize)).collect::<Vec<_>>());
        let bytes = length(&pieces) as u64;
        let channel = || Ok::<_, Fault>(RankChannel::new(gpu, gpu.channel("points", bytes, bytes)?));
        let channel = if others > 0 { Some(channel()?) } else { None };
        let silence = gpu.buffer("no message", 4)?;
        let (outbox, inbox) =
            channel.as_ref().map_or((&silence, &silence), |channel| (channel.send_buffer(), channel.receive_buffer()));
        let own = [
            ("position", &points.position),
            ("velocity", &points.velocity),
            ("mass", &points.mass),
            ("here", &here),
            ("outbox", outbox),
            ("inbox", inbox),
        ];
        let named = [named, &own].concat();
        let bound = |shader: Shader| {
            let kernel = shader.kernel(gpu, parameters)?;
            let bound = kernel.bind(gpu, &named);
            Ok::<_, Fault>((kernel, bound))
        };
        let tell = if others > 0 { Some(bound(Shader::TellPoints)?) } else { None };
        let (add, collide, hear) =
            (bound(Shader::AddPoints)?, bound(Shader::CollidePoints)?, bound(Shader::HearPoints)?);
        Ok(Some(Self { others, piece, pieces, add, collide, tell, hear, channel, points }))
    }

    /// The points, for who moves them.
    pub fn embedded(&self) -> &EmbeddedPoints {
        &self.points
    }

    /// Number of points.
    pub fn count(&self) -> u32 {
        self.points.count
    }

    /// Records that they are added to the sums of cells. `span`: immediate data.
    pub fn record_addition(&self, recorder: &mut Recorder, span: &[u32]) {
        recorder.phase("add points");
        recorder.dispatch(&self.add.0, &self.add.1, self.points.count, span);
    }

    /// Records their collision. `span`: immediate data.
    ///
    /// # Errors
    /// When the device or a rank is lost.
    pub fn record_collision<'g>(&self, comm: &'g dyn Comm, recorder: &mut Recorder<'g>, span: &[u32]) -> Result<()> {
        let count = self.points.count;
        recorder.phase("collide points");
        recorder.dispatch(&self.collide.0, &self.collide.1, count, span);
        if let (Some(channel), Some((kernel, bound))) = (&self.channel, &self.tell) {
            let words = self.others * self.piece;
            recorder.dispatch(kernel, bound, words, &[words, count]);
            channel.send(recorder, length(&self.pieces));
            channel.await_answer(comm, recorder, "exchange points", (self.pieces.clone(), self.pieces.clone()))?;
            recorder.phase("collide points");
        }
        recorder.dispatch(&self.hear.0, &self.hear.1, count, &[count, self.others]);
        Ok(())
    }

    /// Time spent on messages so far.
    pub fn phases(&self) -> Phases {
        self.channel.as_ref().map(RankChannel::phases).unwrap_or_default()
    }
}
