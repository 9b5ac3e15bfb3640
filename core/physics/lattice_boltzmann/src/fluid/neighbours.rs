//! Steps of a part with neighbours.

use hematite_case::Part;
use hematite_comm::{Comm, agree};
use hematite_config::Result;
use hematite_gpu::{Gpu, Recorder};

use super::Fluid;
use crate::Parameters;
use crate::buffers::Buffers;
use crate::exchange::{Exchange, PackBindings};
use crate::kernels::make;
use crate::refill::Draft;
use crate::shaders::{Delivery, Packing, Shader};
use crate::walls::Walls;

/// Interior nodes for each of the interface, at least, for a GPU to be at work on their even step as long as a message is on its way.
/// Measured on H200s (docs/experiments.md, "One exchange in two steps"): with 475 the device waits, with 950 it does not.
const INTERIOR_OVER_INTERFACE: usize = 750;

/// The exchange after odd steps alone, as far as a part knows it: where nothing acts on nodes that only their owner knows, nothing
/// looks at the interface before a step, and there is enough to do meanwhile.
pub(super) fn draft(gpu: &Gpu, part: &Part, parameters: &Parameters) -> Option<Draft> {
    let mut passed = part.openings.iter().zip(&parameters.openings).filter(|(_, prescribed)| prescribed.passes());
    let inside = |node: u32| (node as usize) < part.interior;
    let local = parameters.immersed.is_none()
        && parameters.walls == Walls::HalfWay
        && passed.all(|(nodes, _)| nodes.iter().all(|at| inside(at.node)));
    let enough = gpu.info().software || part.interior >= INTERIOR_OVER_INTERFACE * (part.own - part.interior);
    (local && enough).then(|| Draft::of(parameters.set, part, Buffers::stride_of(part) as u32))
}

impl Fluid {
    /// Asks the other ranks, once, whether all are for an exchange after odd steps alone. Collective.
    pub(super) fn ask(&mut self, comm: &dyn Comm) -> Result<()> {
        if std::mem::replace(&mut self.asked, true) || comm.size() == 1 {
            return Ok(());
        }
        let draft = self.draft.take();
        let refills = !comm.any(draft.is_none())?;
        let Self { gpu, variant, buffers, crossing, .. } = &*self;
        let refill = match draft.filter(|_| refills && self.exchange.is_some()) {
            Some(draft) => Some(draft.settle(comm)?),
            None => None,
        };
        let linked = Exchange::may_link(gpu, comm, variant.precision, crossing, refill.as_ref())?;
        let made = match (&self.exchange, &refill) {
            (Some(_), Some(refill)) => Exchange::refilling(gpu, variant, buffers, crossing, refill, linked).map(Some),
            (Some(_), None) if linked => Exchange::new(gpu, variant, buffers, crossing, linked).map(Some),
            _ => Ok(None),
        };
        if let Some(exchange) = agree(comm, made)? {
            self.exchange = Some(exchange);
        }
        if !linked {
            return Ok(());
        }
        self.variant.delivery = Delivery::Link;
        self.receives_late = !comm.any(refills || !self.may_receive_late())?;
        // The step may pack the messages.
        if self.variant.packs(Shader::Step) { agree(comm, self.prepare_step()) } else { Ok(()) }
    }

    /// Whether nothing that is recorded after a step's own kernel, up to the next step, needs what other parts send.
    fn may_receive_late(&self) -> bool {
        let boundaries = [Shader::Pressure, Shader::Walls, Shader::Excess, Shader::Openings];
        let mends = boundaries.iter().any(|&shader| self.kernels.contains_key(&(shader, false)));
        !mends && self.walls.is_none() && self.exchanged.is_none()
    }

    /// The step's kernels, which may see to messages too.
    pub(super) fn prepare_step(&mut self) -> Result<()> {
        let each = [false, true].map(|odd| self.variant.nodes_of_workgroup(odd));
        let pack_bindings = || match &self.exchange {
            Some(exchange) => exchange.pack_bindings(&self.gpu, &self.crossing, self.interior..self.own, each),
            None => PackBindings::none(&self.gpu),
        };
        let pack_bindings = self.variant.packs(Shader::Step).then(pack_bindings).transpose()?;
        for odd in [false, true] {
            let mut table = self.buffers.table(&[]);
            table.extend(pack_bindings.iter().flat_map(|pack_bindings| pack_bindings.table(odd)));
            let made = make(&self.gpu, &self.variant, Shader::Step, odd, &table)?;
            self.kernels.insert((Shader::Step, odd), made);
        }
        Ok(())
    }

    /// One step, after what `recorder` holds. What is to be done last stays in the recorder.
    pub(super) fn step_with_neighbours<'g>(
        &mut self,
        comm: &'g dyn Comm,
        exchange: &mut Exchange,
        recorder: &mut Recorder<'g>,
        row: u32,
    ) -> Result<()> {
        let odd = self.step % 2 == 1;
        if exchange.refills() && odd {
            // Its message travels during the step after it.
            self.record_whole_step(recorder, row);
            exchange.record_send(recorder, odd);
            Ok(())
        } else if exchange.refills() && (self.whole_halo || exchange.is_packed()) {
            self.even_step_with_halo(comm, exchange, recorder, row)
        } else {
            self.step_in_two(comm, exchange, recorder, row)
        }
    }

    /// A step with an exchange after it: the interface first, whose populations travel while the interior is done. Both
    /// by one kernel where that packs and sends the message by itself. What others send may come after their physics:
    /// see [`Fluid::complete`].
    fn step_in_two<'g>(
        &mut self,
        comm: &'g dyn Comm,
        exchange: &mut Exchange,
        recorder: &mut Recorder<'g>,
        row: u32,
    ) -> Result<()> {
        let odd = self.step % 2 == 1;
        let by_itself = if self.variant.packs(Shader::Step) { exchange.sent_by_kernel() } else { None };
        if by_itself.is_some() {
            recorder.phase("interior");
            self.record_entries(recorder, Shader::Pressure, odd, row);
            let first = self.interior / self.variant.nodes_of_workgroup(odd);
            self.record_step(recorder, odd, 0..self.own, row, Packing::from(first, by_itself));
            exchange.record_send(recorder, odd);
        } else {
            recorder.phase("interface");
            self.record_entries(recorder, Shader::Pressure, odd, row);
            self.record_step(recorder, odd, self.interior..self.own, row, Packing::from(0, None));
            exchange.record_send(recorder, odd);
            recorder.phase("interior");
            self.record_step(recorder, odd, 0..self.interior, row, Packing::NONE);
        }
        if self.receives_late {
            return Ok(());
        }
        self.receive(comm, exchange, recorder)?;
        recorder.phase("boundaries");
        self.record_boundaries(recorder, !odd, row);
        Ok(())
    }

    /// An even step, which is local: first what needs nothing from other parts, while the message of the odd step before it travels;
    /// then, with what arrived, the interface and the halo's nodes, as their owners do.
    fn even_step_with_halo<'g>(
        &mut self,
        comm: &'g dyn Comm,
        exchange: &mut Exchange,
        recorder: &mut Recorder<'g>,
        row: u32,
    ) -> Result<()> {
        recorder.phase("interior");
        self.record_entries(recorder, Shader::Pressure, false, row);
        self.record_step(recorder, false, 0..self.interior, row, Packing::NONE);
        self.receive(comm, exchange, recorder)?;
        recorder.phase("interface");
        self.record_step(recorder, false, self.interior..self.nodes, row, Packing::NONE);
        recorder.phase("boundaries");
        self.record_boundaries(recorder, true, row);
        self.whole_halo = false;
        Ok(())
    }

    /// Records that what is packed in what is recorded crosses, where something is.
    pub(super) fn receive<'g>(
        &mut self,
        comm: &'g dyn Comm,
        exchange: &mut Exchange,
        recorder: &mut Recorder<'g>,
    ) -> Result<()> {
        if let Some(odd) = exchange.receive(comm, recorder)? {
            self.whole_halo = odd && exchange.refills();
        }
        Ok(())
    }

    /// The same where the part has neighbours.
    pub(super) fn receive_packed<'g>(&mut self, comm: &'g dyn Comm, recorder: &mut Recorder<'g>) -> Result<()> {
        let Some(mut exchange) = self.exchange.take() else { return Ok(()) };
        let sent = self.receive(comm, &mut exchange, recorder);
        self.exchange = Some(exchange);
        sent
    }
}
