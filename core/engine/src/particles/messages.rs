//! Kernels that pack properties of particles into messages and unpack them.

use hematite_config::Result;
use hematite_gpu::{Buffer, Gpu, Kernel, KernelSignals, MAIN, Recorder, Template, WORKGROUP, render};
use minijinja::{Value, context};

use super::properties::Property;
use crate::rank_channel::RankChannel;

/// What a kernel does with a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// Packs the particles of `list`.
    PackListed,
    /// Unpacks to consecutive particles: ghosts, or particles that arrive.
    UnpackRange,
    /// Packs consecutive particles: ghosts.
    PackRange,
    /// Adds to the particles of `list`, in whole numbers.
    AddToListed,
}

impl Way {
    pub fn packs(self) -> bool {
        matches!(self, Self::PackListed | Self::PackRange)
    }

    fn listed(self) -> bool {
        matches!(self, Self::PackListed | Self::AddToListed)
    }

    /// The WGSL for properties, given as (words of an element, words of a particle). With `signals` the kernel sends or
    /// awaits the message itself.
    fn wgsl(self, properties: &[(u32, u32)], signals: bool) -> String {
        let mut record = 0;
        let mut place = |&(width, words): &(u32, u32)| {
            let begin = record;
            record += words;
            context! { width, begin, end => record }
        };
        let places: Vec<Value> = properties.iter().map(&mut place).collect();
        let context = context! {
            packs => self.packs(),
            adds => self == Self::AddToListed,
            listed => self.listed(),
            workgroup => WORKGROUP,
            sends => signals && self.packs(),
            awaits => signals && !self.packs(),
            properties => places,
            record,
        };
        render(Template { name: "messages.wgsl", text: include_str!("messages.wgsl") }, &[MAIN], &context)
    }
}

/// A kernel for a choice of properties.
pub(super) struct MessageKernel {
    pub way: Way,
    pub names: Vec<&'static str>,
    /// Whether it sends or awaits messages itself.
    pub signals: bool,
    kernel: Kernel,
    /// Words for each particle.
    record: u32,
}

impl MessageKernel {
    pub fn new(gpu: &Gpu, way: Way, properties: &[&Property], signals: bool) -> Result<Self> {
        let sizes: Vec<(u32, u32)> = properties.iter().map(|property| (property.width, property.words())).collect();
        let kernel = Kernel::new(gpu, "message of particles", &way.wgsl(&sizes, signals), 16)?;
        let names = properties.iter().map(|property| property.declared.name).collect();
        Ok(Self { way, names, signals, kernel, record: sizes.iter().map(|(_, words)| words).sum() })
    }

    /// Records that `count` particles of arrays with `stride` are packed or unpacked: the listed ones, or those from
    /// `first` on.
    pub fn record(
        &self,
        recorder: &mut Recorder,
        (properties, stride): (&[&Property], u32),
        (channel, list): (&RankChannel, &Buffer),
        (first, count): (u32, u32),
    ) {
        let message = if self.way.packs() { channel.send_buffer() } else { channel.receive_buffer() };
        let signals = channel.signals();
        let names: Vec<String> = (1..=properties.len()).map(|k| format!("words_{k}")).collect();
        let words = names.iter().zip(properties).map(|(name, property)| (name.as_str(), &property.buffer));
        let table: Vec<(&str, &Buffer)> = words
            .chain([("message", message), ("list", list)])
            .chain(signals.iter().flat_map(|signals| signals.buffers()))
            .collect();
        let bound = self.kernel.bind(recorder.gpu(), &table);
        let round = match signals {
            Some(signals) if self.way.packs() => signals.next_round(),
            signals => signals.map_or(0, KernelSignals::round),
        };
        let count = count * self.record;
        // With signals, a message about no particle is sent too.
        let items = count.max(u32::from(signals.is_some()));
        recorder.dispatch(&self.kernel, &bound, items, &[count, stride, first, round]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_is_valid_wgsl() {
        let ways = [Way::PackListed, Way::UnpackRange, Way::PackRange, Way::AddToListed];
        for (way, signals) in ways.into_iter().flat_map(|way| [(way, false), (way, true)]) {
            for properties in [[(1, 22)].as_slice(), &[(2, 6), (1, 1), (1, 4), (2, 8)]] {
                // Sums are whole numbers of one word.
                if way == Way::AddToListed && properties.iter().any(|&(width, _)| width > 1) {
                    continue;
                }
                let source = way.wgsl(properties, signals);
                wgsl_checks::validate((way, signals), &source);
            }
        }
    }
}
