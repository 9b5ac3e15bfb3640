//! Cells into slots and out of them, and room for more.

use std::ops::Range;

use hematite_config::{Fault, Result};
use hematite_engine::SharedSurface;
use hematite_engine::sites::Coordinate;
use hematite_gpu::{Buffer, Elements};
use hematite_membrane::NONE;

use super::arrays::arrays;
use super::contact::SlotContact;
use super::kind::Kind;
use super::record::Record;
use super::roster::Held;
use super::surface;
use super::suspension::Suspension;

impl Suspension {
    /// Puts a cell into an empty slot; makes more room where there is none. The device has it after
    /// [`Suspension::flush`].
    pub(super) fn put(&mut self, k: usize, id: u64, record: &Record, mut held: Held) -> Result<()> {
        let slot = match self.kinds[k].take_slot() {
            Some(slot) => slot,
            None => {
                self.grow(k)?;
                self.kinds[k].take_slot().ok_or_else(|| Fault::io("no room for a cell that came in"))?
            }
        };
        held.slot = slot;
        let kind = &mut self.kinds[k];
        let (first, vertices) = (kind.first_vertex(slot) as usize, kind.range.vertices as usize);
        let stride = self.vertices.stride as usize;
        for axis in 0..self.parameters.dimension {
            let part = axis * vertices..(axis + 1) * vertices;
            let at = axis * stride + first;
            self.writes.put(&self.gpu, &self.vertices.position, at, &record.position[part.clone()])?;
            self.writes.put(&self.gpu, &self.vertices.drift, at, &record.drift[part.clone()])?;
            self.writes.put(&self.gpu, &self.vertices.before, at, &record.drift[part])?;
        }
        let at = kind.range.first_slot + slot;
        self.writes.put(&self.gpu, &self.vertices.slot_of, first, &vec![at; vertices])?;
        let carrier = held.carried.map_or(NONE, |by| by.gate);
        let of_slot =
            [(&self.vertices.cell, id as u32), (&self.vertices.broken, u32::MAX), (&self.vertices.carrier, carrier)];
        for (buffer, word) in of_slot {
            self.writes.put(&self.gpu, buffer, at as usize, &[word])?;
        }
        self.watch.hold(&self.gpu, &mut self.writes, at, &held.steady)?;
        self.shares_anew |= held.is_shared();
        kind.cells.insert(id, held);
        self.filled.push((k, slot));
        self.changed = true;
        Ok(())
    }

    /// Forgets cells, by population and number. Their slots can be filled after [`Suspension::flush`].
    pub(super) fn drop_cells(&mut self, cells: &[(usize, u64)]) -> Result<()> {
        for &(kind, id) in cells {
            self.changed = true;
            let kind = &mut self.kinds[kind];
            let Some(held) = kind.cells.remove(id) else { continue };
            self.shares_anew |= held.is_shared();
            let (first, none) = (kind.first_vertex(held.slot) as usize, vec![NONE; kind.range.vertices as usize]);
            self.writes.put(&self.gpu, &self.vertices.slot_of, first, &none)?;
            kind.left_slots.push(held.slot);
        }
        Ok(())
    }

    /// Brings to the device what went into slots and out of them.
    pub(super) fn flush(&mut self) -> Result<()> {
        self.writes.flush(&self.gpu)?;
        for kind in &mut self.kinds {
            kind.free.append(&mut kind.left_slots);
        }
        Ok(())
    }

    /// The states of some cells.
    pub(super) fn take(&self, cells: &[(usize, u64)]) -> Result<Vec<Record>> {
        let (dimension, stride) = (self.parameters.dimension, self.vertices.stride as usize);
        let place = |&(kind, id): &(usize, u64)| {
            let (kind, held) = (&self.kinds[kind], &self.kinds[kind].cells[id]);
            (held, kind.first_vertex(held.slot) as usize, kind.range.vertices as usize)
        };
        let parts = |cell: &(usize, u64)| {
            let (_, first, count) = place(cell);
            (0..dimension).map(move |axis| axis * stride + first..axis * stride + first + count)
        };
        let parts: Vec<Range<usize>> = cells.iter().flat_map(parts).collect();
        let [position, drift] = self.read([(&self.vertices.position, 2), (&self.vertices.drift, 1)], &parts)?;
        let mut position = bytemuck::cast_slice::<i32, Coordinate>(&position).iter().copied();
        let mut drift = drift.into_iter();
        let record = |(held, _, count): (&Held, usize, usize)| Record {
            seeded_scale: held.seeded_scale,
            carried: held.carried,
            position: position.by_ref().take(dimension * count).collect(),
            drift: drift.by_ref().take(dimension * count).collect(),
        };
        Ok(cells.iter().map(place).map(record).collect())
    }

    /// The same parts of arrays of vertices, whose elements have so many words, one part after the other. The host waits for
    /// the device once.
    fn read<const N: usize>(&self, arrays: [(&Buffer, usize); N], parts: &[Range<usize>]) -> Result<[Vec<i32>; N]> {
        /// More parts than this take longer to read than whole arrays, where
        const MANY: usize = 3000;
        /// they are this share of them.
        const SHARE: usize = 8;
        let all = self.parameters.dimension * self.vertices.stride as usize;
        let wanted: usize = parts.iter().map(ExactSizeIterator::len).sum();
        let whole = 0..all;
        let is_whole = parts.len() > MANY || SHARE * wanted > all;
        let ranges = if is_whole { std::slice::from_ref(&whole) } else { parts };
        let of_array = |&(buffer, width): &(_, usize)| {
            ranges.iter().map(move |part| Elements { buffer, at: width * part.start, count: width * part.len() })
        };
        let words: Vec<i32> = self.gpu.download_all(&arrays.iter().flat_map(of_array).collect::<Vec<_>>())?;
        let mut rest = words.as_slice();
        Ok(arrays.map(|(_, width)| {
            let (of_array, after) = rest.split_at(width * if is_whole { all } else { wanted });
            rest = after;
            match is_whole {
                true => {
                    parts.iter().flat_map(|part| &of_array[width * part.start..width * part.end]).copied().collect()
                }
                false => of_array.to_vec(),
            }
        }))
    }

    /// Makes the arrays anew with more room for a population.
    pub(super) fn grow(&mut self, full: usize) -> Result<()> {
        self.writes.flush(&self.gpu)?;
        let held: Vec<(usize, u64)> = self
            .kinds
            .iter()
            .enumerate()
            .flat_map(|(k, kind)| kind.cells.by_slot().map(move |(id, _)| (k, id)))
            .collect();
        let records = self.take(&held)?;
        let mut rooms: Vec<usize> = self.kinds.iter().map(|kind| kind.range.room as usize).collect();
        rooms[full] += rooms[full] / 2 + 16;
        let (vertices, ranges) = arrays(&self.gpu, &self.parameters, &rooms)?;
        self.vertices = vertices;
        self.writes.forget();
        self.write_column_speeds();
        if let Some(surface) = &self.surface {
            surface::share_anew(surface, &self.gpu, &self.vertices)?;
        }
        self.coupling.rebind(&self.gpu, &self.vertices)?;
        if let Some(contact) = &mut self.contact {
            contact.rebind(&self.gpu, &self.vertices)?;
        }
        if let Some(cap) = &mut self.cap {
            cap.rebind(&self.gpu, &self.vertices);
        }
        if let Some(inside) = &mut self.inside {
            inside.rebind(&self.gpu, &self.vertices);
        }
        self.watch.rebind(&self.gpu, &self.vertices)?;
        self.sum_exchange.rebind(&self.gpu, &self.vertices.drift)?;
        let mut cells = Vec::with_capacity(held.len());
        for (kind, range) in self.kinds.iter_mut().zip(ranges) {
            kind.range = range;
            kind.free.clear();
            kind.left_slots.clear();
            kind.membrane.bind(&self.gpu, &self.vertices, &kind.range)?;
            if let Some(pulls) = &mut kind.pulls {
                pulls.rebind(&self.gpu, &self.vertices);
            }
            cells.extend(std::mem::take(&mut kind.cells).into_held());
        }
        for (((kind, id), record), held) in held.into_iter().zip(&records).zip(cells) {
            self.put(kind, id, record, held)?;
        }
        self.writes.flush(&self.gpu)
    }

    /// The vertices as others touch them, where they do.
    pub fn surface(&self) -> Option<SharedSurface> {
        self.surface.clone()
    }

    /// Tells others which vertices are there, and the area that each stands for after `step` steps.
    pub(super) fn write_surface(&self, step: u64) -> Result<()> {
        let Some(surface) = &self.surface else { return Ok(()) };
        let mut cells = Vec::new();
        for kind in &self.kinds {
            for (_, held) in kind.cells.by_slot() {
                let first = kind.first_vertex(held.slot) as usize;
                let area = self.vertex_area(kind, held.seeded_scale, step);
                cells.push((first..first + kind.range.vertices as usize, area));
            }
        }
        surface::write(surface, &self.gpu, &cells)
    }

    /// The area that a vertex stands for, of a cell seeded at this scale, after `step` steps; 2-D: the length.
    pub(super) fn vertex_area(&self, kind: &Kind, seeded: f32, step: u64) -> f32 {
        let scale = self.parameters.scale(seeded, step);
        (kind.vertex_area * scale.powi(self.parameters.dimension as i32 - 1)) as f32
    }

    /// The size of a cell after `step` steps over its full size, and what contact is to know of it.
    fn size(&self, kind: &Kind, held: &Held, step: u64) -> (f32, SlotContact) {
        let beside = self.parameters.contact.map_or(0.0, |contact| contact.beside(kind.vertex_area));
        let area = self.vertex_area(kind, held.seeded_scale, step);
        (self.parameters.scale(held.seeded_scale, step) as f32, SlotContact { area, beside })
    }

    /// Collects the sizes of the cells that came into slots, as they are after `step` steps, for [`Suspension::flush`].
    pub(super) fn put_sizes(&mut self, step: u64) -> Result<()> {
        let mut filled = std::mem::take(&mut self.filled);
        filled.sort_unstable();
        filled.dedup();
        for (k, slot) in filled {
            let kind = &self.kinds[k];
            let Some((_, held)) = kind.cells.at(slot) else { continue };
            let (at, (scale, of_contact)) = ((kind.range.first_slot + slot) as usize, self.size(kind, held, step));
            self.writes.put(&self.gpu, &self.vertices.scale, at, &[scale])?;
            if let Some(contact) = &self.contact {
                self.writes.put(&self.gpu, contact.slots(), at, &[of_contact])?;
            }
        }
        Ok(())
    }

    /// Sizes of all cells, as they are after `step` steps.
    pub(super) fn write_scales(&self, step: u64) -> Result<()> {
        let mut scales = vec![1.0_f32; self.vertices.slots as usize];
        let mut contacts = vec![SlotContact::default(); self.vertices.slots as usize];
        for kind in &self.kinds {
            for (_, held) in kind.cells.by_slot() {
                let slot = (kind.range.first_slot + held.slot) as usize;
                (scales[slot], contacts[slot]) = self.size(kind, held, step);
            }
        }
        self.gpu.upload(&self.vertices.scale, 0, &scales)?;
        match &self.contact {
            Some(contact) => contact.write_slots(&self.gpu, &contacts),
            None => Ok(()),
        }
    }
}
