//! Rebuilds the order by tiles, owners, ghosts and lists of neighbours.

use hematite_comm::{Comm, agree};
use hematite_config::{Exit, Result};
use hematite_gpu::{Elements, Recorder};

use super::arrays::{Arrays, Listed};
use super::properties::Property;
use super::{GONE, ID, POSITION, Particles, Pending};

/// A particle in a tile where no rank has nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lost {
    /// Global number.
    pub id: u32,
    /// The site nearest to it.
    pub site: [i32; 3],
}

impl Particles {
    /// Records [`Particles::rebuild`] for a single rank. Lost particles stay.
    pub fn record_rebuild(&self, recorder: &mut Recorder) {
        recorder.phase("sort of particles");
        self.arrays.record_home(&self.gpu, recorder, &self.moves, self.own);
        self.arrays.record_neighbours(recorder, self.own, self.own);
    }

    /// Sorts particles by tile, after what `recorder` holds. Particles in other ranks' tiles migrate to these ranks.
    /// Ghosts get the properties `carried`, which must include [`POSITION`], [`ID`] and [`GONE`]. Makes lists of
    /// neighbours. Collective.
    ///
    /// # Errors
    /// When the device or a rank is lost, or has no room.
    pub fn rebuild<'g>(
        &mut self,
        comm: &'g dyn Comm,
        recorder: &mut Recorder<'g>,
        carried: &[&'static str],
    ) -> Result<()> {
        self.migrate(comm, recorder)?;
        if !self.tiles.neighbours.is_empty() {
            recorder.phase("frontier");
            self.record_list(recorder, Listed::Seen);
            let packed = self.pack_ahead(recorder, Listed::Seen, carried)?;
            let ghosts = self.send_ghosts(comm, recorder, carried, packed)?;
            self.receive(comm, recorder, ghosts)?;
        }
        recorder.phase("sort of particles");
        self.arrays.record_neighbours(recorder, self.own, self.held());
        if !std::mem::replace(&mut self.listed, true) {
            recorder.flush()?;
            if self.enlarge_lists()? {
                self.arrays.record_neighbours(recorder, self.own, self.held());
            }
        }
        Ok(())
    }

    /// Makes room if lists of neighbours were too short, or soon would be, on any rank. Returns whether it did; then
    /// call [`Particles::rebuild`]. Until then pair loops walk all particles in place of a list that is too short: the
    /// results are the same, but slow. So call this every few steps. Collective.
    ///
    /// # Errors
    /// A numerical failure where a particle has more neighbours than [`MOST_NEIGHBOURS`](super::MOST_NEIGHBOURS); when
    /// a device has no room or is lost; when a rank is lost.
    pub fn make_room(&mut self, comm: &dyn Comm) -> Result<bool> {
        let grown = agree(comm, self.enlarge_lists())?;
        comm.any(grown)
    }

    fn enlarge_lists(&mut self) -> Result<bool> {
        let grown = match self.arrays.neighbours.make_room(&self.gpu) {
            Err(fault) if fault.exit == Exit::Numerical => {
                return Err(fault.within(format!("particle {}", self.most_crowded()?)));
            }
            outcome => outcome?,
        };
        self.enlarged += u32::from(grown);
        Ok(grown)
    }

    /// The number of the own particle with the most neighbours.
    fn most_crowded(&self) -> Result<u32> {
        let counts = self.gpu.download::<u32>(&self.arrays.neighbours.count, 0, self.own as usize)?;
        let [id] = self.words([ID.name])?;
        let most = id.into_iter().zip(counts).max_by_key(|&(_, count)| count);
        Ok(most.map_or(0, |(id, _)| id))
    }

    /// The first own particle that the last rebuild found where no rank has nodes, if any.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn lost(&self) -> Result<Option<Lost>> {
        let after = self.variant.lost() as usize;
        let bounds: Vec<u32> = self.gpu.download(&self.arrays.home.starts, after, 2)?;
        if bounds[0] == bounds[1] {
            return Ok(None);
        }
        let properties = &self.arrays.properties;
        // A particle that has left the domain since is not lost.
        let gone = self.gpu.download::<u32>(
            properties.get(GONE.name),
            bounds[0] as usize,
            (bounds[1] - bounds[0]) as usize,
        )?;
        let Some(first) = gone.iter().position(|&why| why == 0) else { return Ok(None) };
        let at = bounds[0] as usize + first;
        let id = self.gpu.download::<u32>(properties.get("id"), at, 1)?[0];
        let mut site = [0; 3];
        for (axis, s) in site.iter_mut().enumerate().take(self.map.dimension) {
            let words: Vec<u32> =
                self.gpu.download(properties.get(POSITION.name), 2 * (axis * properties.stride as usize + at), 2)?;
            *s = words[0] as i32 + (words[1] >> 31) as i32;
        }
        Ok(Some(Lost { id, site }))
    }

    /// The values of [`GONE`] of the particles that left the domain since the last call. A single rank drops these
    /// particles now, after what was recorded.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn take_gone(&mut self) -> Result<Vec<u32>> {
        if self.tiles.neighbours.is_empty() {
            self.drop_gone()?;
        }
        Ok(std::mem::take(&mut self.gone))
    }

    /// The values of [`GONE`] of dropped particles that [`Particles::take_gone`] has not returned yet.
    pub fn dropped(&self) -> &[u32] {
        &self.gone
    }

    /// Reads why particles are gone, and drops them. The last sort has put them at the end.
    fn drop_gone(&mut self) -> Result<()> {
        let last = self.variant.gone() as usize;
        let bounds: Vec<u32> = self.gpu.download(&self.arrays.home.starts, last, 2)?;
        // Leaves out particles that were dropped since the sort.
        let count = self.own.saturating_sub(bounds[0]).min(bounds[1] - bounds[0]);
        self.note_gone(bounds[0], count)?;
        self.own -= count;
        Ok(())
    }

    fn note_gone(&mut self, first: u32, count: u32) -> Result<()> {
        if count > 0 {
            let why = self.arrays.properties.get(GONE.name);
            self.gone.extend(self.gpu.download::<u32>(why, first as usize, count as usize)?);
        }
        Ok(())
    }

    /// Sends particles in other ranks' tiles to these ranks and receives those in own tiles. One sort then puts all in
    /// their places and those that left at the end, where they are dropped.
    fn migrate<'g>(&mut self, comm: &'g dyn Comm, recorder: &mut Recorder<'g>) -> Result<()> {
        self.ghosts = 0;
        recorder.phase("migration of particles");
        let kept = self.declared.iter().filter(|property| property.kept);
        let names: Vec<&'static str> = kept.map(|property| property.name).collect();
        self.record_list(recorder, Listed::Leaving);
        let packed = self.pack_ahead(recorder, Listed::Leaving, &names)?;
        let mut leaving = self.listed(recorder)?;
        let gone = leaving.pop().unwrap_or_default();
        let arriving = self.swap(comm, &leaving)?;
        let (fewer, more): (u32, u32) = (leaving.iter().sum(), arriving.iter().sum());
        let all = self.own + more;
        if all > self.arrays.properties.stride {
            self.enlarge(all, self.own)?;
            self.list(recorder, Listed::Leaving)?;
        }
        let pending = self.send_listed(recorder, (Listed::Leaving, packed), &names, (leaving, arriving), self.own)?;
        self.receive(comm, recorder, pending)?;
        recorder.phase("migration of particles");
        self.arrays.record_home(&self.gpu, recorder, &self.moves, all);
        self.own = all - fewer - gone;
        if gone > 0 {
            recorder.flush()?;
            self.note_gone(all - gone, gone)?;
        }
        Ok(())
    }

    /// Lists own particles for neighbours; returns the result of [`Particles::listed`].
    fn list(&mut self, recorder: &mut Recorder, which: Listed) -> Result<Vec<u32>> {
        self.record_list(recorder, which);
        self.listed(recorder)
    }

    /// Records that own particles are listed for neighbours, and that the counts go to the host.
    fn record_list(&mut self, recorder: &mut Recorder, which: Listed) {
        self.arrays.record_list(recorder, which, self.own);
        recorder.copy(&self.arrays.places, self.counts.send_buffer(), self.arrays.places.bytes());
        recorder.send(&self.counts, self.arrays.places.bytes());
    }

    /// The number of particles listed for each neighbour, then, of those that leave, the number that are gone. Submits
    /// what is recorded.
    fn listed(&mut self, recorder: &mut Recorder) -> Result<Vec<u32>> {
        let mut ends = vec![0_u32; self.tiles.neighbours.len() + 1];
        recorder.receive(&self.counts, bytemuck::cast_slice_mut(&mut ends))?;
        let mut last = 0;
        Ok(ends.into_iter().map(|end| end - std::mem::replace(&mut last, end)).collect())
    }

    /// Sends the listed particles that neighbours see, of which `packed` are already packed.
    fn send_ghosts<'g>(
        &mut self,
        comm: &'g dyn Comm,
        recorder: &mut Recorder<'g>,
        carried: &[&'static str],
        mut packed: u32,
    ) -> Result<Pending> {
        let mut sent = self.listed(recorder)?;
        sent.pop();
        let received = self.swap(comm, &sent)?;
        let ghosts: u32 = received.iter().sum();
        let listed: u64 = sent.iter().map(|&count| u64::from(count)).sum();
        if self.own + ghosts > self.arrays.properties.stride || listed > self.arrays.list_room() {
            self.enlarge((self.own + ghosts).max(listed.div_ceil(2) as u32), self.own)?;
            // The new arrays lack the starts of tiles, and list particles in another order than the packed message.
            self.arrays.record_home(&self.gpu, recorder, &self.moves, self.own);
            self.discard_ahead(recorder, packed)?;
            packed = 0;
            self.list(recorder, Listed::Seen)?;
        }
        self.messaging.sent = sent.clone();
        self.messaging.received = received.clone();
        self.ghosts = ghosts;
        self.send_listed(recorder, (Listed::Seen, packed), carried, (sent, received), self.own)
    }

    /// Makes arrays with room for more than `room` particles and copies the first `held` particles to them.
    pub(super) fn enlarge(&mut self, room: u32, held: u32) -> Result<()> {
        let (room, lists) = (room + room / 2, Some(&self.arrays.neighbours));
        let new = Arrays::new(&self.gpu, &self.variant, &self.map, &self.tiles, &self.declared, (room, lists))?;
        let old = std::mem::replace(&mut self.arrays, new);
        for (from, to) in old.properties.list().iter().zip(self.arrays.properties.list()) {
            let of = |property, stride: u32| Property::of_first(property, held as usize, stride as usize);
            let ranges: Vec<Elements> = of(from, old.properties.stride).collect();
            let words = self.gpu.download_all::<u32>(&ranges)?;
            let components = words.chunks((held * from.width).max(1) as usize);
            for (component, range) in components.zip(of(to, self.arrays.properties.stride)) {
                self.gpu.upload(range.buffer, range.at, component)?;
            }
        }
        self.enlarged += 1;
        Ok(())
    }
}
