//! Whether a rank's part of the case fits into its device.

use hematite_config::{Fault, Result};
use hematite_gpu::GpuInfo;
use hematite_solver::Precision;
use hematite_solver::lattice_boltzmann::least_bytes;

use crate::setup::Setup;

/// Refuses a part that is too large for the device of its rank, one of `ranks`.
///
/// # Errors
/// A usage fault with the nodes of the case, what they need, what there is, and remedies.
pub fn check(setup: &Setup, ranks: usize, device: &GpuInfo) -> Result<()> {
    let [memory, array] = least_bytes(&setup.part, &setup.parameters);
    let part = Part { nodes: setup.header.nodes, ranks, memory, array, precision: setup.config.fluid.precision };
    let room = [device.memory.unwrap_or(u64::MAX), device.max_binding.min(device.max_buffer)];
    match part.excess(&device.name, room) {
        Some(text) => Err(Fault::usage(text).within(setup.path.display())),
        None => Ok(()),
    }
}

/// What a rank's part of a case takes.
struct Part {
    /// Of the whole case.
    nodes: usize,
    ranks: usize,
    /// Bytes in all, at least.
    memory: u64,
    /// Bytes of the largest array.
    array: u64,
    precision: Precision,
}

impl Part {
    /// What is said where the part exceeds `room`: bytes in all and in one array, of the device called `name`.
    fn excess(&self, name: &str, room: [u64; 2]) -> Option<String> {
        let [memory, array] = room;
        if self.memory <= memory && self.array <= array {
            return None;
        }
        let share = |need: u64, room: u64| need as f64 / room.max(1) as f64;
        let times = share(self.memory, memory).max(share(self.array, array));
        // Parts are never quite equal, and hold copies of their neighbours' nodes.
        let ranks = (1.1 * times * self.ranks as f64).ceil();
        let smaller = match self.precision {
            Precision::F64 => ", or \"fluid.precision\": \"f32\"",
            Precision::F32 => ", or \"fluid.precision\": \"f16\"",
            Precision::F16 => "",
        };
        let has = if memory == u64::MAX { String::new() } else { format!("has {} and ", size(memory)) };
        Some(format!(
            "the case is too large for {name}: its {} nodes on {} rank{} need at least {} of device memory for the fluid on one of them, \
             {} of it in one array; the device {has}holds {} in one array: take {ranks} ranks or more, each with a device, a coarser \
             lattice (\"spacing\", \"refine\" in the CASE.json){smaller}",
            self.nodes,
            self.ranks,
            if self.ranks == 1 { "" } else { "s" },
            size(self.memory),
            size(self.array),
            size(array)
        ))
    }
}

/// Bytes for people.
fn size(bytes: u64) -> String {
    let bytes = bytes as f64;
    if bytes < 1e9 { format!("{:.1} MB", bytes / 1e6) } else { format!("{:.2} GB", bytes / 1e9) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_told_in_nodes_and_memory() {
        let part = |memory, array, precision| Part { nodes: 123_456_789, ranks: 2, memory, array, precision };
        let room = [80_000_000_000, 4_000_000_000];
        assert_eq!(part(80_000_000_000, 4_000_000_000, Precision::F32).excess("H100", room), None);
        let full = part(100_000_000_000, 3_000_000_000, Precision::F32).excess("H100", room).expect("too large");
        for piece in
            ["H100", "123456789 nodes on 2 ranks", "100.00 GB", "has 80.00 GB", "take 3 ranks", "f16", "coarser"]
        {
            assert!(full.contains(piece), "{piece}: {full}");
        }
        let long = part(20_000_000_000, 8_000_000_000, Precision::F16).excess("H100", [u64::MAX, room[1]]);
        let long = long.expect("too large");
        assert!(
            long.contains("8.00 GB of it in one array; the device holds 4.00 GB") && !long.contains("f16"),
            "{long}"
        );
        assert!(long.contains("take 5 ranks"), "{long}");
    }
}
