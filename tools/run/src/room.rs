//! Checks that the parts of the case fit into the devices of their ranks.

use hematite_comm::{Comm, gather_all};
use hematite_config::{Fault, Result, process};
use hematite_engine::Precision;
use hematite_gpu::GpuInfo;

use crate::ranks::together;
use crate::setup::Setup;

/// Refuses parts that are too large for their device, together with parts of other ranks on the same device.
/// Collective.
///
/// # Errors
/// A usage fault with the nodes of the case, the memory that they need, the memory available, and remedies; when a rank
/// is lost.
pub fn check(setup: &Setup, comm: &dyn Comm, device: &GpuInfo) -> Result<()> {
    let [own, array] = own_needs(setup);
    let (sharing, memory) = on_one_device(comm, &place(device), own)?;
    let (nodes, precision) = (setup.ground.header.nodes, setup.precision());
    let parts = Parts { nodes, ranks: comm.size(), sharing, memory, array, precision };
    let room = [device.memory.unwrap_or(u64::MAX), device.max_binding.min(device.max_buffer)];
    together(comm, || match parts.excess(&device.name, room) {
        Some(text) => Err(Fault::usage(text).within(setup.path.display())),
        None => Ok(()),
    })
}

/// How many ranks have this rank's device, and the bytes that all of them need there at least. Collective.
///
/// # Errors
/// When a rank is lost.
pub fn needed(setup: &Setup, comm: &dyn Comm, device: &GpuInfo) -> Result<(usize, u64)> {
    on_one_device(comm, &place(device), own_needs(setup)[0])
}

/// Bytes that this rank needs on its device at least, in all and in one array.
fn own_needs(setup: &Setup) -> [u64; 2] {
    let needs = setup.planned.iter().map(|physics| physics.least_bytes(&setup.ground));
    needs.fold([0, 0], |[sum, largest], [all, one]| [sum + all, largest.max(one)])
}

/// A text that identifies a device among those of all hosts.
fn place(device: &GpuInfo) -> String {
    // Containers on one host may have different names, and number their visible devices separately.
    let host = std::fs::read_to_string("/proc/sys/kernel/random/boot_id");
    let host = host.unwrap_or_else(|_| process().split_once(" on ").map_or("", |(_, host)| host).to_owned());
    let of_host = if device.bus.is_empty() { device.number.to_string() } else { device.bus.clone() };
    format!("{} {of_host}", host.trim())
}

/// The number of ranks on the device `place`, and the sum of `own`, the memory that each of them takes there.
/// Collective.
fn on_one_device(comm: &dyn Comm, place: &str, own: u64) -> Result<(usize, u64)> {
    let all = gather_all(comm, &[&own.to_le_bytes()[..], place.as_bytes()].concat())?;
    let shares = all.iter().filter_map(|rank| rank.split_first_chunk::<8>());
    let here = shares.filter(|(_, other)| *other == place.as_bytes()).map(|(bytes, _)| u64::from_le_bytes(*bytes));
    Ok(here.fold((0, 0), |(ranks, sum), bytes| (ranks + 1, sum.saturating_add(bytes))))
}

/// Memory of the parts of a case on one device.
struct Parts {
    /// Nodes of the whole case.
    nodes: usize,
    ranks: usize,
    /// Number of ranks on this device.
    sharing: usize,
    /// Least bytes in all.
    memory: u64,
    /// Bytes of the largest array.
    array: u64,
    precision: Precision,
}

impl Parts {
    /// The message if the parts exceed `room`, the bytes in all and in one array of the device `name`.
    fn excess(&self, name: &str, room: [u64; 2]) -> Option<String> {
        let [memory, array] = room;
        if self.memory <= memory && self.array <= array {
            return None;
        }
        let share = |need: u64, room: u64| need as f64 / room.max(1) as f64;
        // The apparent number of devices times the needed multiple of their memory. Arrays do not depend on sharing.
        let devices = self.ranks as f64 / self.sharing as f64;
        let times = (share(self.memory, memory) * devices).max(share(self.array, array) * self.ranks as f64);
        // Parts are never quite equal, and have halos.
        let ranks = (1.1 * times).ceil();
        let them = match self.sharing {
            1 => "one of them".to_owned(),
            sharing => format!("the {sharing} of them that share the device"),
        };
        let smaller = match self.precision {
            Precision::F64 => ", or \"fluid.lattice_boltzmann.precision\": \"f32\"",
            Precision::F32 => ", or \"fluid.lattice_boltzmann.precision\": \"f16\"",
            Precision::F16 => "",
        };
        let has = if memory == u64::MAX { String::new() } else { format!("has {} and ", size(memory)) };
        Some(format!(
            "the case is too large for {name}: its {} nodes on {} rank{} need at least {} of device memory for the fluid on {them}, \
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

/// Bytes as readable text.
pub fn size(bytes: u64) -> String {
    let bytes = bytes as f64;
    if bytes < 1e9 { format!("{:.1} MB", bytes / 1e6) } else { format!("{:.2} GB", bytes / 1e9) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_told_in_nodes_and_memory() {
        let part =
            |memory, array, precision| Parts { nodes: 123_456_789, ranks: 2, sharing: 1, memory, array, precision };
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
        let shared = Parts { sharing: 2, ..part(100_000_000_000, 3_000_000_000, Precision::F32) };
        let shared = shared.excess("H100", room).expect("too large");
        for piece in ["100.00 GB", "the 2 of them that share the device", "take 2 ranks or more, each with a device"] {
            assert!(shared.contains(piece), "{piece}: {shared}");
        }
    }

    #[test]
    fn ranks_of_one_device_are_summed() {
        let places = ["a 0", "b 0", "a 0", "a 1", "a 0"];
        let found = std::thread::scope(|scope| {
            let ranks = hematite_comm::threads(places.len()).into_iter().enumerate();
            let ask = |(rank, comm): (usize, _)| {
                scope.spawn(move || on_one_device(&comm, places[rank], 10_u64.pow(rank as u32)).expect("together"))
            };
            let asked: Vec<_> = ranks.map(ask).collect();
            asked.into_iter().map(|rank| rank.join().expect("ends")).collect::<Vec<_>>()
        });
        assert_eq!(found, [(3, 10_101), (1, 10), (3, 10_101), (1, 1000), (3, 10_101)]);
    }
}
