//! The cells on which a dispatch works, and the workgroups that have such cells.

use std::ops::Range;

use hematite_config::Result;
use hematite_gpu::{Buffer, Gpu, Template, WORKGROUP};

/// The cells that a kernel works on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Which {
    /// All of this rank.
    #[default]
    All,
    /// Those that no other rank holds.
    HeldHere,
    /// Those that other ranks hold too.
    HeldElsewhere,
}

impl Which {
    /// Its number in `which.wgsl`.
    pub fn code(self) -> u32 {
        self as u32
    }
}

/// The WGSL of [`Which`]: `works_on(slot)` and `number_at(place)`, by `which` and `first` of the immediate data `span`.
pub const WHICH: Template = Template { name: "which.wgsl", text: include_str!("which.wgsl") };

/// A number that no workgroup has, nor its items.
pub const NOWHERE: u32 = u32::MAX / WORKGROUP;

/// A cell of a rank, and who works on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldCell {
    /// Its slot among those of all populations.
    pub slot: u32,
    /// The workgroups of a kernel that work on it.
    pub workgroups: Range<u32>,
    /// Whether other ranks hold it too.
    pub elsewhere: bool,
}

/// The workgroups of a kernel that have cells of each [`Which`]. A dispatch over some of the cells starts these alone.
#[derive(Clone, Debug)]
pub struct Workgroups {
    /// `array<u32>`: for each slot 1 if other ranks hold its cell too, else 0; then for [`Which::HeldHere`] and for
    /// [`Which::HeldElsewhere`] the length of a list and the workgroups in it.
    pub words: Buffer,
    slots: u32,
    lengths: [u32; 2],
}

impl Workgroups {
    /// Empty lists, with room for `most` workgroups each, of the cells in `slots` slots.
    ///
    /// # Errors
    /// Where the device lacks room.
    pub fn new(gpu: &Gpu, slots: u32, most: u32) -> Result<Self> {
        let words = u64::from(slots) + 2 * (1 + u64::from(most));
        Ok(Self { words: gpu.buffer("workgroups of cells", 4 * words)?, slots, lengths: [0; 2] })
    }

    /// Lists the workgroups of `cells`.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn write(&mut self, gpu: &Gpu, cells: impl IntoIterator<Item = HeldCell>) -> Result<()> {
        let mut words = vec![0; self.slots as usize];
        let mut lists = [Vec::new(), Vec::new()];
        for HeldCell { slot, workgroups, elsewhere } in cells {
            words[slot as usize] = u32::from(elsewhere);
            lists[usize::from(elsewhere)].extend(workgroups);
        }
        for (list, length) in lists.iter_mut().zip(&mut self.lengths) {
            list.sort_unstable();
            list.dedup();
            *length = list.len() as u32;
            words.push(*length);
            words.append(list);
        }
        gpu.upload(&self.words, 0, &words)
    }

    /// Where the list for `which` begins, and how many workgroups start: `all` for [`Which::All`], which needs no list.
    pub fn of(&self, which: Which, all: u32) -> (u32, u32) {
        let [here, elsewhere] = self.lengths;
        match which {
            Which::All => (0, all),
            Which::HeldHere => (self.slots, here),
            Which::HeldElsewhere => (self.slots + 1 + here, elsewhere),
        }
    }
}
