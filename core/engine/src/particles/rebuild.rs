//! Tiles, owners, ghosts and lists of neighbours, found anew.

use hematite_comm::{Comm, agree};
use hematite_config::{Exit, Result};
use hematite_gpu::Recorder;

use super::arrays::{Arrays, Listed};
use super::{GONE, ID, POSITION, Particles, Pending};

/// A particle in a tile where no rank has nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lost {
    /// Its global number.
    pub id: u32,
    /// The site nearest to it.
    pub site: [i32; 3],
}

impl Particles {
    /// Records [`Particles::rebuild`] for a rank that is alone; lost particles stay.
    pub fn record_rebuild(&self, recorder: &mut Recorder) {
        recorder.phase("sort of bodies");
        self.arrays.record_home(&self.gpu, recorder, &self.moves, self.own);
        self.arrays.record_neighbours(recorder, self.own, self.own);
    }

    /// Finds tiles anew, after what `recorder` holds: particles that left their tiles go to the ranks that own the new
    /// ones; ghosts get the properties called `carried`, [`POSITION`], [`ID`] and [`GONE`] among them; lists
    /// of neighbours are made. Collective.
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
        recorder.phase("sort of bodies");
        self.arrays.record_neighbours(recorder, self.own, self.held());
        if !std::mem::replace(&mut self.listed, true) {
            recorder.flush()?;
            if self.enlarge_lists()? {
                self.arrays.record_neighbours(recorder, self.own, self.held());
            }
        }
        Ok(())
    }

    /// Makes room where lists of neighbours were too short, or soon would be, on any rank. Whether it did: call
    /// [`Particles::rebuild`] then. Until then pair loops walk all particles in place of lists that are too short,
    /// which gives the same, slowly; so call this every so many steps. Collective.
    ///
    /// # Errors
    /// A numerical failure where a particle has more neighbours than [`MOST_NEIGHBOURS`](super::MOST_NEIGHBOURS); when
    /// a device has no room or is lost, or a rank is.
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

    /// The number of the own particle that has the most neighbours.
    fn most_crowded(&self) -> Result<u32> {
        let counts = self.gpu.download::<u32>(&self.arrays.neighbours.count, 0, self.own as usize)?;
        let most = self.words(ID.name)?.into_iter().zip(counts).max_by_key(|&(_, count)| count);
        Ok(most.map_or(0, |(id, _)| id))
    }

    /// The first of the own particles that the last rebuild found where no rank has nodes.
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
        // A particle that left the domain meanwhile is not lost.
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

    /// The values of [`GONE`] of the particles that left the domain since the last call. On a rank that is alone they
    /// are dropped now, after what was recorded.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn take_gone(&mut self) -> Result<Vec<u32>> {
        if self.tiles.neighbours.is_empty() {
            self.drop_gone()?;
        }
        Ok(std::mem::take(&mut self.gone))
    }

    /// The same values of particles that are dropped already, for another call to give again.
    pub fn dropped(&self) -> &[u32] {
        &self.gone
    }

    /// Notes why particles are gone, and drops them; the last sort put them to the end.
    fn drop_gone(&mut self) -> Result<()> {
        let last = self.variant.gone() as usize;
        let bounds: Vec<u32> = self.gpu.download(&self.arrays.home.starts, last, 2)?;
        // Particles of a sort before the last drop are dropped already.
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

    /// Sends particles in other ranks' tiles there and receives those in own tiles; one sort then puts all in their
    /// places, and those that left to the end, where they are dropped.
    fn migrate<'g>(&mut self, comm: &'g dyn Comm, recorder: &mut Recorder<'g>) -> Result<()> {
        (self.ghosts, self.frontier) = (0, 0);
        recorder.phase("migration of bodies");
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
        let into = (self.own, arriving);
        let pending = self.send_listed(recorder, (Listed::Leaving, packed), &names, leaving, into)?;
        self.receive(comm, recorder, pending)?;
        recorder.phase("migration of bodies");
        self.arrays.record_home(&self.gpu, recorder, &self.moves, all);
        self.own = all - fewer - gone;
        if gone > 0 {
            recorder.flush()?;
            self.note_gone(all - gone, gone)?;
        }
        Ok(())
    }

    /// Lists own particles for neighbours, and gives what [`Particles::listed`] gives.
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

    /// How many particles were listed for each neighbour; then how many are gone, or how many others may see. Submits
    /// what is recorded.
    fn listed(&mut self, recorder: &mut Recorder) -> Result<Vec<u32>> {
        let mut ends = vec![0_u32; self.tiles.neighbours.len() + 1];
        recorder.receive(&self.counts, bytemuck::cast_slice_mut(&mut ends))?;
        let mut last = 0;
        Ok(ends.into_iter().map(|end| end - std::mem::replace(&mut last, end)).collect())
    }

    /// Sends the listed particles that neighbours see, of which `packed` are packed already.
    fn send_ghosts<'g>(
        &mut self,
        comm: &'g dyn Comm,
        recorder: &mut Recorder<'g>,
        carried: &[&'static str],
        mut packed: u32,
    ) -> Result<Pending> {
        let mut sent = self.listed(recorder)?;
        self.frontier = sent.pop().unwrap_or_default();
        let received = self.swap(comm, &sent)?;
        let ghosts: u32 = received.iter().sum();
        let listed: u64 = sent.iter().map(|&count| u64::from(count)).sum();
        if self.own + ghosts > self.arrays.properties.stride || listed > self.arrays.list_room() {
            self.enlarge((self.own + ghosts).max(listed.div_ceil(2) as u32), self.own)?;
            // The new arrays do not know where tiles begin, and list particles in another order than that of the packed
            // message.
            self.arrays.record_home(&self.gpu, recorder, &self.moves, self.own);
            self.discard_ahead(recorder, packed)?;
            packed = 0;
            self.list(recorder, Listed::Seen)?;
        }
        self.messaging.sent = sent.clone();
        self.messaging.received = received.clone();
        self.ghosts = ghosts;
        let into = (self.own, received);
        self.send_listed(recorder, (Listed::Seen, packed), carried, sent, into)
    }

    /// Makes arrays with room for more than `room` particles, and copies the first `held` particles into them.
    pub(super) fn enlarge(&mut self, room: u32, held: u32) -> Result<()> {
        let (room, lists) = (room + room / 2, Some(&self.arrays.neighbours));
        let new = Arrays::new(&self.gpu, &self.variant, &self.map, &self.tiles, &self.declared, (room, lists))?;
        let old = std::mem::replace(&mut self.arrays, new);
        for (from, to) in old.properties.list().iter().zip(self.arrays.properties.list()) {
            for c in 0..from.declared.components as usize {
                let at = |stride: u32| c * (stride * from.width) as usize;
                let words: Vec<u32> =
                    self.gpu.download(&from.buffer, at(old.properties.stride), (held * from.width) as usize)?;
                self.gpu.upload(&to.buffer, at(self.arrays.properties.stride), &words)?;
            }
        }
        self.enlarged += 1;
        Ok(())
    }
}
