//! Tiles, owners, copies and lists of neighbours, found anew.

use hematite_comm::Comm;
use hematite_config::Result;
use hematite_gpu::Recorder;

use super::arrays::{Arrays, Listed};
use super::{GONE, POSITION, Parcel, Particles};

/// A particle that is where no rank has nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lost {
    /// Its global number.
    pub id: u32,
    /// The site nearest to it.
    pub site: [i32; 3],
}

impl Particles {
    /// The same as [`Particles::rebuild`] where no other rank is, recorded; lost particles stay.
    pub fn record_rebuild(&self, recorder: &mut Recorder) {
        recorder.phase("sort of bodies");
        self.arrays.record_home(&self.gpu, recorder, &self.moves, self.own);
        self.arrays.record_neighbours(recorder, self.own, self.own);
    }

    /// Finds tiles anew, after what `recorder` holds: particles that left go to the rank that owns their tile; copies get the
    /// properties called `carried`, [`POSITION`], [`ID`](super::ID) and [`GONE`] among them; lists of neighbours are made.
    /// Collective.
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
            let copies = self.copy(comm, recorder, carried, packed)?;
            self.arrive(comm, recorder, copies)?;
        }
        recorder.phase("sort of bodies");
        self.arrays.record_neighbours(recorder, self.own, self.held());
        Ok(())
    }

    /// The first of the own particles that are where no rank has nodes, since the last rebuild.
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
        // One that left meanwhile is not lost.
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

    /// What [`GONE`] says of the particles that left since the last call. Where no other rank is they are dropped
    /// now, after what was recorded.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn take_gone(&mut self) -> Result<Vec<u32>> {
        if self.tiles.neighbours.is_empty() {
            self.drop_gone()?;
        }
        Ok(std::mem::take(&mut self.gone))
    }

    /// The same of those that are dropped already, without forgetting them.
    pub fn dropped(&self) -> &[u32] {
        &self.gone
    }

    /// Notes the particles that are gone, which the last sort put to the end, and forgets them.
    fn drop_gone(&mut self) -> Result<()> {
        let last = self.variant.gone() as usize;
        let bounds: Vec<u32> = self.gpu.download(&self.arrays.home.starts, last, 2)?;
        // Those of a sort before the last drop are forgotten already.
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

    /// Particles in others' tiles go there, those from elsewhere come, and one sort puts all in their places: those that left to
    /// the end, where they are forgotten.
    fn migrate<'g>(&mut self, comm: &'g dyn Comm, recorder: &mut Recorder<'g>) -> Result<()> {
        (self.copies, self.frontier) = (0, 0);
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
        let parcel = self.parcel_of_listed(recorder, (Listed::Leaving, packed), &names, leaving, into)?;
        self.arrive(comm, recorder, parcel)?;
        recorder.phase("migration of bodies");
        self.arrays.record_home(&self.gpu, recorder, &self.moves, all);
        self.own = all - fewer - gone;
        if gone > 0 {
            recorder.flush()?;
            self.note_gone(all - gone, gone)?;
        }
        Ok(())
    }

    /// Lists own particles for neighbours, and gives how many for each, and what else [`Particles::listed`] does.
    fn list(&mut self, recorder: &mut Recorder, which: Listed) -> Result<Vec<u32>> {
        self.record_list(recorder, which);
        self.listed(recorder)
    }

    /// Lists own particles for neighbours and sends off how many they are.
    fn record_list(&mut self, recorder: &mut Recorder, which: Listed) {
        self.arrays.record_list(recorder, which, self.own);
        recorder.copy(&self.arrays.places, self.counts.out(), self.arrays.places.bytes());
        recorder.post(&self.counts, self.arrays.places.bytes());
    }

    /// How many particles were listed for each neighbour, then how many are gone, or else may be seen. Submits what is recorded.
    fn listed(&mut self, recorder: &mut Recorder) -> Result<Vec<u32>> {
        let mut ends = vec![0_u32; self.tiles.neighbours.len() + 1];
        recorder.receive(&self.counts, bytemuck::cast_slice_mut(&mut ends))?;
        let mut last = 0;
        Ok(ends.into_iter().map(|end| end - std::mem::replace(&mut last, end)).collect())
    }

    /// The message with copies of the particles that others see, which are listed and of which `packed` are packed.
    fn copy<'g>(
        &mut self,
        comm: &'g dyn Comm,
        recorder: &mut Recorder<'g>,
        carried: &[&'static str],
        mut packed: u32,
    ) -> Result<Parcel> {
        let mut sent = self.listed(recorder)?;
        self.frontier = sent.pop().unwrap_or_default();
        let received = self.swap(comm, &sent)?;
        let copies: u32 = received.iter().sum();
        let listed: u64 = sent.iter().map(|&count| u64::from(count)).sum();
        if self.own + copies > self.arrays.properties.stride || listed > self.arrays.list_room() {
            self.enlarge((self.own + copies).max(listed.div_ceil(2) as u32), self.own)?;
            // Where tiles begin is not known in the new arrays, and particles are listed in another order than they were packed in.
            self.arrays.record_home(&self.gpu, recorder, &self.moves, self.own);
            self.discard_ahead(recorder, packed)?;
            packed = 0;
            self.list(recorder, Listed::Seen)?;
        }
        self.post.sent = sent.clone();
        self.post.received = received.clone();
        self.copies = copies;
        let into = (self.own, received);
        self.parcel_of_listed(recorder, (Listed::Seen, packed), carried, sent, into)
    }

    /// Makes arrays with room for more than `room` particles, the first `held` of which stay what they are.
    pub(super) fn enlarge(&mut self, room: u32, held: u32) -> Result<()> {
        let old = std::mem::replace(
            &mut self.arrays,
            Arrays::new(&self.gpu, &self.variant, &self.map, &self.tiles, &self.declared, room + room / 2)?,
        );
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
