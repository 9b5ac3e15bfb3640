//! The arrays of cells on the device.

use hematite_case::{Part, Target};
use hematite_config::Result;
use hematite_gpu::{Arguments, Buffer, Gpu, WORKGROUP};

use crate::shaders::{NONE, ROW, STRIDES, SUMS};
use crate::state::State;

/// A list of blocks of cells in which something may flow.
pub struct List {
    /// The numbers of the blocks, counted from 1, in no order; 0 behind the last.
    pub blocks: Buffer,
    /// How many there are.
    pub size: Buffer,
}

/// The arrays of cells on the device.
pub struct Arrays {
    /// What neighbours see of cells, own and halo: after even and after odd steps.
    pub rows: [Buffer; 2],
    /// Neighbours along axes, four arrays of own cells.
    pub beside_axial: Buffer,
    /// Diagonal ones.
    pub beside_diagonal: Buffer,
    /// Elevation above the lowest cell, m.
    pub ground: Buffer,
    /// Thickness and heat of fluid lava.
    pub fluid: Buffer,
    /// Thickness of solid lava, and heat that was given away.
    pub solid: Buffer,
    /// Time at which lava came first, s.
    pub arrival: Buffer,
    /// Two lists, of which one is in use.
    pub lists: [List; 2],
    /// The list that each block entered last.
    pub stamp: Buffer,
    /// Workgroups of kernels that work on the list.
    pub arguments: Arguments,
    /// Sums for the ledger.
    pub sums: Buffer,
    /// The largest rate, as bits; transfers that were limited.
    pub notes: Buffer,
}

impl Arrays {
    /// Arrays of the cells of `part` with `state`, and the elevation of own cells.
    ///
    /// # Errors
    /// When the device has no room.
    pub fn new(gpu: &Gpu, part: &Part, elevation: &[f32], state: &State) -> Result<Self> {
        let (own, all) = (part.own, part.id.len());
        let words = |label: &str, count: usize| gpu.buffer(label, 4 * count.max(4) as u64);
        let row = || words("rows of cells", ROW * all);
        let blocks = own.div_ceil(WORKGROUP as usize).max(1);
        let list = || Ok(List { blocks: words("blocks with lava", blocks)?, size: words("blocks in the list", 1)? });
        let arrays = Self {
            rows: [row()?, row()?],
            beside_axial: words("cells beside", 4 * own)?,
            beside_diagonal: words("cells beside", 4 * own)?,
            ground: words("elevation", own)?,
            fluid: words("fluid lava", 4 * own)?,
            solid: words("solid lava", 4 * own)?,
            arrival: words("arrival of lava", own)?,
            lists: [list()?, list()?],
            stamp: words("lists of blocks", blocks)?,
            arguments: gpu.arguments("sizes of lists", 1)?,
            sums: words("sums of lava", SUMS * STRIDES as usize)?,
            notes: words("notes of lava", 2)?,
        };
        for (buffer, links) in [(&arrays.beside_axial, &part.links[..4]), (&arrays.beside_diagonal, &part.links[4..])] {
            for (k, links) in links.iter().enumerate() {
                let node = |link: &hematite_case::Link| match link.target() {
                    Target::Node(node) => node,
                    _ => NONE,
                };
                gpu.upload(buffer, k * own, &links.iter().map(node).collect::<Vec<u32>>())?;
            }
        }
        let [fluid, solid] = state.rows();
        gpu.upload(&arrays.ground, 0, elevation)?;
        gpu.upload(&arrays.fluid, 0, fluid.as_flattened())?;
        gpu.upload(&arrays.solid, 0, solid.as_flattened())?;
        gpu.upload(&arrays.arrival, 0, &state.arrival)?;
        // At first all blocks are listed.
        gpu.upload(&arrays.lists[0].blocks, 0, &(1..=blocks as u32).collect::<Vec<u32>>())?;
        gpu.upload(&arrays.lists[0].size, 0, &[blocks as u32])?;
        gpu.upload(&arrays.stamp, 0, &vec![1_u32; blocks])?;
        Ok(arrays)
    }

    /// Bytes for `own` cells with as many numbers as all arrays have, and those of the largest array.
    pub fn bytes(own: u64) -> [u64; 2] {
        let rows = 4 * ROW as u64 * own;
        [2 * rows + 2 * 16 * own + 2 * 16 * own + 2 * 4 * own + 4 * SUMS as u64 * u64::from(STRIDES), rows]
    }
}
