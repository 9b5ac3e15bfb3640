//! The cells of a population that this rank holds, by slot and by number.

use std::collections::BTreeMap;
use std::ops::Index;

use hematite_engine::sites::Bounds;

use super::holders::{Holders, Steady};
use super::parameters::{Parameters, reach};
use super::record::{Carried, Record};

/// A cell that this rank holds.
#[derive(Clone, Debug)]
pub(super) struct Held {
    /// Its slot, counted within the population.
    pub slot: u32,
    /// Size over full size when it was seeded.
    pub seeded_scale: f32,
    /// What carries it in, if it comes in now.
    pub carried: Option<Carried>,
    /// The ranks that hold it, ascending; the first one answers for it.
    pub holders: Vec<u32>,
    /// Where it was when it came to this rank, and with openings at the last look.
    pub bounds: Bounds,
    /// While this holds its box with what it may reach, it has the same holders.
    pub steady: Steady,
}

impl Held {
    /// A cell of this state, in no slot yet. Its vertices go up to `way` until the next look.
    pub fn of(record: &Record, holders: &Holders, parameters: &Parameters, way: f64) -> Self {
        let bounds = record.bounds(parameters.dimension);
        let near = bounds.widened(reach(parameters, way));
        let (holders, steady) = holders.of(near);
        Self { slot: 0, seeded_scale: record.seeded_scale, carried: record.carried, holders, bounds, steady }
    }

    /// Whether other ranks hold it too.
    pub fn is_shared(&self) -> bool {
        self.holders.len() > 1
    }
}

/// Cells in the order of their slots, which looks go through in the order of memory, and the slot of each number.
#[derive(Debug, Default)]
pub(super) struct Roster {
    /// Number and state of the cell in each slot.
    slots: Vec<Option<(u64, Held)>>,
    /// Slot of each number.
    slot_of: BTreeMap<u64, u32>,
    /// Number and slot of the cells that other ranks hold too.
    shared: BTreeMap<u64, u32>,
}

impl Roster {
    /// Adds cell `id`, which is in slot `held.slot`.
    pub fn insert(&mut self, id: u64, held: Held) {
        let slot = held.slot as usize;
        if self.slots.len() <= slot {
            self.slots.resize(slot + 1, None);
        }
        self.slot_of.insert(id, held.slot);
        self.note(id, held.slot, held.is_shared());
        self.slots[slot] = Some((id, held));
    }

    /// Takes cell `id` out.
    pub fn remove(&mut self, id: u64) -> Option<Held> {
        let slot = self.slot_of.remove(&id)?;
        self.shared.remove(&id);
        self.slots[slot as usize].take().map(|(_, held)| held)
    }

    /// Number and state of the cell in a slot.
    pub fn at(&self, slot: u32) -> Option<(u64, &Held)> {
        self.slots.get(slot as usize)?.as_ref().map(|(id, held)| (*id, held))
    }

    /// Gives the cell in a slot other holders, which stay the same in these boxes.
    pub fn hold(&mut self, slot: u32, holders: Vec<u32>, steady: Steady) {
        let Some((id, held)) = self.slots.get_mut(slot as usize).and_then(Option::as_mut) else { return };
        (held.holders, held.steady) = (holders, steady);
        let (id, is_shared) = (*id, held.is_shared());
        self.note(id, slot, is_shared);
    }

    fn note(&mut self, id: u64, slot: u32, is_shared: bool) {
        if is_shared {
            self.shared.insert(id, slot);
        } else {
            self.shared.remove(&id);
        }
    }

    /// The cells that other ranks hold too, ascending by number.
    pub fn shared(&self) -> impl Iterator<Item = &Held> {
        self.shared.values().filter_map(|&slot| self.at(slot)).map(|(_, held)| held)
    }

    /// Numbers and cells, ascending by slot.
    pub fn by_slot(&self) -> impl Iterator<Item = (u64, &Held)> {
        self.slots.iter().flatten().map(|(id, held)| (*id, held))
    }

    /// Numbers and cells, ascending by slot.
    pub fn by_slot_mut(&mut self) -> impl Iterator<Item = (u64, &mut Held)> {
        self.slots.iter_mut().flatten().map(|(id, held)| (*id, held))
    }

    /// The cells, ascending by slot.
    pub fn into_held(self) -> impl Iterator<Item = Held> {
        self.slots.into_iter().flatten().map(|(_, held)| held)
    }

    /// Numbers and cells, ascending by number.
    pub fn by_number(&self) -> impl Iterator<Item = (u64, &Held)> {
        self.slot_of.values().filter_map(|&slot| self.slots[slot as usize].as_ref()).map(|(id, held)| (*id, held))
    }
}

impl Index<u64> for Roster {
    type Output = Held;

    /// # Panics
    /// When this rank does not hold cell `id`: a bug of the program.
    fn index(&self, id: u64) -> &Held {
        let held = self.slots[self.slot_of[&id] as usize].as_ref();
        held.map(|(_, held)| held).expect("a slot of a cell")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hematite_comm::Solo;

    #[test]
    fn cells_are_found_by_slot_and_by_number() {
        let holders = Holders::collect(&Solo, &[[0; 3]], [8; 3], [false; 3]).expect("solo");
        let bounds = Bounds { low: [0; 3], high: [1; 3] };
        let held = |slot| Held {
            slot,
            seeded_scale: 1.0,
            carried: None,
            holders: vec![0],
            bounds,
            steady: holders.of(bounds).1,
        };
        let mut roster = Roster::default();
        for (id, slot) in [(7, 2), (3, 0), (5, 4)] {
            roster.insert(id, held(slot));
        }
        let listed = |roster: &Roster| -> [Vec<(u64, u32)>; 2] {
            [
                roster.by_slot().map(|(id, held)| (id, held.slot)).collect(),
                roster.by_number().map(|(id, held)| (id, held.slot)).collect(),
            ]
        };
        assert_eq!(listed(&roster), [vec![(3, 0), (7, 2), (5, 4)], vec![(3, 0), (5, 4), (7, 2)]]);
        assert_eq!(roster.remove(7).map(|held| held.slot), Some(2));
        assert!(roster.remove(7).is_none());
        roster.insert(1, held(2));
        roster.by_slot_mut().for_each(|(id, held)| held.seeded_scale = id as f32);
        assert_eq!(listed(&roster), [vec![(3, 0), (1, 2), (5, 4)], vec![(1, 2), (3, 0), (5, 4)]]);
        assert_eq!(roster[1].seeded_scale, 1.0);
        assert_eq!(roster[5].seeded_scale, 5.0);
    }
}
