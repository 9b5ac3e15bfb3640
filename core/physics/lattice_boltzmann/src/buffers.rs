//! What the fluid keeps on the device.

use hematite_case::Part;
use hematite_config::{Fault, Result};
use hematite_engine::{LONGEST_BATCH, NodeForces};
use hematite_gpu::{Buffer, Gpu};

use super::boundary::{Entries, Prescribed};
use super::halo::Crossing;
use super::links::Runs;
use super::shaders::Variant;
use super::walls::{self, Walls};
use super::{Row, shaders};
use crate::parameters::Parameters;

/// Nodes of a slot start at multiples of this, so that every direction's loads are aligned.
const ALIGNMENT: usize = 64;

/// Named buffers on the device.
pub(crate) struct Buffers {
    named: Vec<(String, Buffer)>,
    /// Distance of the two slots of a pair's array.
    pub stride: u32,
    /// Number of (opening, node) entries.
    pub entries: u32,
    /// Whether the flow rate through an opening is corrected, see excess.wgsl.
    pub corrects_flow: bool,
    /// Number of (part of the wall, node) entries whose force is asked for.
    pub force_entries: u32,
    /// Nodes with links that walls.wgsl mends.
    pub wall_nodes: Vec<u32>,
    /// Bytes of all links.
    pub link_bytes: u64,
}

/// The least bytes that the fluid of `part` takes on a device: in all, and in its largest array.
pub fn least_bytes(part: &Part, parameters: &Parameters) -> [u64; 2] {
    let Parameters { set, precision, immersed, walls, .. } = parameters;
    let stride = Buffers::stride_of(part) as u64;
    let (slot, axes) = (stride * precision.stored_bytes() as u64, set.dimension() as u64);
    let shared = match immersed {
        Some(_) => (4 * axes + precision.vector_bytes(set.dimension()) as u64) * stride,
        None => 0,
    };
    let held = if matches!(walls, Walls::Immersed(_)) { 4 * axes * stride } else { 0 };
    // Links take a byte a node or more.
    [set.q() as u64 * slot + part.own as u64 + shared + held, 2 * slot]
}

impl Buffers {
    /// Values of a slot of the pair arrays of `part`.
    pub fn stride_of(part: &Part) -> usize {
        part.id.len().next_multiple_of(ALIGNMENT).max(ALIGNMENT)
    }

    /// Allocates and fills everything but the populations' values and the schedule. Takes the links out of `part`, which are needed
    /// no more, so that host and device never both hold them all.
    pub fn new(
        gpu: &Gpu,
        variant: &Variant,
        part: &mut Part,
        prescribed: &[Prescribed],
        walls: &Walls,
    ) -> Result<(Self, Crossing)> {
        let Variant { set, precision, .. } = *variant;
        let (nodes, stride) = (part.id.len(), Self::stride_of(part));
        if stride > u32::MAX as usize / 2 {
            return Err(Fault::usage(format!("{nodes} nodes on one rank; at most {}: use more ranks", u32::MAX / 2)));
        }
        let mut buffers = Self { stride: stride as u32, ..Self::bare(0) };
        let crossing = Crossing::of(part, buffers.stride);

        let (mended, twice_cut) = walls::entries(part, walls);
        if !mended.is_empty() {
            buffers.filled(gpu, "wall_entries", bytemuck::cast_slice(&mended))?;
            buffers.filled(gpu, "twice_cut", &precision.pack_real(&twice_cut))?;
            buffers.add(gpu, "wall_ledger", 8 * mended.len() as u64)?;
            buffers.wall_nodes = mended.iter().map(|entry| entry.node).collect();
        }

        let terms = crate::parameters::terms(prescribed);
        let Entries { entries, shapes, sources, per_flow } = Entries::of(set, part, prescribed, terms);
        buffers.entries = entries.len() as u32;
        buffers.filled(gpu, "entries", bytemuck::cast_slice(&entries))?;
        buffers.filled(gpu, "shape", &precision.pack_real(&shapes))?;
        buffers.corrects_flow = entries.iter().any(|entry| entry.at_node | entry.between != 0);
        buffers.filled(gpu, "per_flow", &precision.pack_real(&per_flow))?;
        buffers.add(gpu, "excess", Self::excess_bytes(per_flow.len()))?;
        buffers.filled(gpu, "sources", bytemuck::cast_slice(&sources))?;
        buffers.add(gpu, "before", (sources.len() * precision.real_bytes()) as u64)?;

        let mut runs = Runs::of(set, &std::mem::take(&mut part.links));
        buffers.filled(gpu, "marks", bytemuck::cast_slice(&runs.marks))?;
        buffers.filled(gpu, "specials", bytemuck::cast_slice(&runs.specials))?;
        let (distances, lists) = match variant.tuning.joined {
            true => (runs.by_direction(set), Vec::new()),
            false => (std::mem::take(&mut runs.distances), std::mem::take(&mut runs.lists)),
        };
        buffers.filled(gpu, "distances", bytemuck::cast_slice(&distances))?;
        buffers.filled(gpu, "lists", bytemuck::cast_slice(&lists))?;
        buffers.link_bytes = [&runs.marks, &runs.specials, &distances, &lists]
            .map(|words| size_of_val(words.as_slice()) as u64)
            .iter()
            .sum();
        drop(runs);
        let slot = (stride * precision.stored_bytes()) as u64;
        buffers.add(gpu, "f_rest", slot)?;
        for name in shaders::pair_names(set) {
            buffers.add(gpu, &name, 2 * slot)?;
        }

        let row = Row::len(part.openings.len(), terms) * precision.real_bytes();
        buffers.add(gpu, "schedule", ((LONGEST_BATCH as usize + 1) * row) as u64)?;
        buffers.add(gpu, "ledger", 8 * entries.len() as u64)?;
        Ok((buffers, crossing))
    }

    /// None yet, for nodes whose slots lie `stride` apart.
    pub fn bare(stride: u32) -> Self {
        Self {
            named: Vec::new(),
            stride,
            entries: 0,
            corrects_flow: false,
            force_entries: 0,
            wall_nodes: Vec::new(),
            link_bytes: 0,
        }
    }

    /// Bytes of `excess` for that many openings: a sum of two words for even steps and one for odd ones.
    pub fn excess_bytes(openings: usize) -> u64 {
        16 * openings as u64
    }

    /// Adds what cells and fluid share.
    pub fn add_immersed(&mut self, gpu: &Gpu, variant: &Variant) -> Result<()> {
        let nodes = u64::from(self.stride);
        let axes = variant.set.dimension();
        self.add(gpu, "node_force", NodeForces::bytes(axes, nodes))?;
        self.add(gpu, "node_velocity", variant.precision.vector_bytes(variant.set.dimension()) as u64 * nodes)?;
        if variant.contrast() {
            self.add(gpu, "inside", 4 * nodes)?;
        }
        Ok(())
    }

    /// Adds what the points of immersed walls and the fluid share: the walls' force on all nodes, and numbers and
    /// velocities of `nodes`, those near points.
    pub fn add_held(&mut self, gpu: &Gpu, variant: &Variant, nodes: &[u32]) -> Result<()> {
        let axes = variant.set.dimension();
        self.add(gpu, "wall_force", 4 * axes as u64 * u64::from(self.stride))?;
        self.add(gpu, "near_velocity", (variant.precision.real_bytes() * axes * nodes.len()) as u64)?;
        self.filled(gpu, "near_nodes", bytemuck::cast_slice(nodes))
    }

    /// Adds what the force on parts of the wall needs: nodes with their links into them.
    pub fn add_wall_forces(&mut self, gpu: &Gpu, dimension: usize, entries: &[[u32; 2]]) -> Result<()> {
        self.force_entries = entries.len() as u32;
        self.filled(gpu, "force_entries", bytemuck::cast_slice(entries))?;
        self.add(gpu, "exchanged", (8 * dimension * entries.len()) as u64)
    }

    /// Adds a zeroed buffer.
    pub fn add(&mut self, gpu: &Gpu, name: &str, bytes: u64) -> Result<()> {
        let buffer = gpu.buffer(name, bytes)?;
        self.named.push((name.to_owned(), buffer));
        Ok(())
    }

    fn filled(&mut self, gpu: &Gpu, name: &str, bytes: &[u8]) -> Result<()> {
        self.add(gpu, name, bytes.len() as u64)?;
        gpu.upload(self.get(name), 0, bytes)
    }

    /// The buffer called `name`.
    pub fn get(&self, name: &str) -> &Buffer {
        let found = self.named.iter().find(|(known, _)| known == name);
        &found.unwrap_or_else(|| panic!("no buffer {name}")).1
    }

    /// All buffers by name, with `aliases` (name in the kernel, name here) in front and, where they are here, those of [`shaders::AGAIN`].
    pub fn table<'b>(&'b self, aliases: &[(&'b str, &'b str)]) -> Vec<(&'b str, &'b Buffer)> {
        let own = self.named.iter().map(|(name, buffer)| (name.as_str(), buffer));
        let again = shaders::AGAIN
            .iter()
            .filter_map(|&(name, here)| Some((name, &self.named.iter().find(|(known, _)| known == here)?.1)));
        aliases.iter().map(|&(name, here)| (name, self.get(here))).chain(own).chain(again).collect()
    }
}
