//! Tiles, owners, copies and lists of neighbours, found anew.

use hematite_comm::Comm;
use hematite_config::Result;
use hematite_gpu::Recorder;

use super::arrays::Arrays;
use super::moves::Way;
use super::shaders::Shader;
use super::{POSITION, Particles};

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

    /// Finds tiles anew: particles that left go to the rank that owns their tile; copies get the properties called `carried`,
    /// [`POSITION`], [`ID`](super::ID) and [`GONE`](super::GONE) among them; lists of neighbours are made. Collective.
    ///
    /// # Errors
    /// When the device or a rank is lost, or has no room.
    pub fn rebuild(&mut self, comm: &dyn Comm, carried: &[&'static str]) -> Result<()> {
        self.migrate(comm)?;
        self.copy(comm, carried)?;
        let mut recorder = Recorder::new(&self.gpu);
        recorder.phase("sort of bodies");
        self.arrays.record_neighbours(&mut recorder, self.own, self.held());
        recorder.submit();
        Ok(())
    }

    /// The first of the own particles that are where no rank has nodes, since the last rebuild.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn lost(&self) -> Result<Option<Lost>> {
        let after = self.variant.tiles as usize;
        let bounds: Vec<u32> = self.gpu.download(&self.arrays.home.starts, after, 2)?;
        if bounds[0] == bounds[1] {
            return Ok(None);
        }
        let at = bounds[0] as usize;
        let properties = &self.arrays.properties;
        let id = self.gpu.download::<u32>(properties.get("id"), at, 1)?[0];
        let mut site = [0; 3];
        for (axis, s) in site.iter_mut().enumerate().take(self.map.dimension) {
            let words: Vec<u32> =
                self.gpu.download(properties.get(POSITION.name), 2 * (axis * properties.stride as usize + at), 2)?;
            *s = words[0] as i32 + (words[1] >> 31) as i32;
        }
        Ok(Some(Lost { id, site }))
    }

    /// What [`GONE`](super::GONE) says of the particles that left since the last call. Where no other rank is they are dropped
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
        let last = (self.variant.tiles + self.variant.neighbours + 1) as usize;
        let bounds: Vec<u32> = self.gpu.download(&self.arrays.home.starts, last, 2)?;
        // Those of a sort before the last drop are forgotten already.
        let count = self.own.saturating_sub(bounds[0]).min(bounds[1] - bounds[0]);
        if count > 0 {
            let gone = self.arrays.properties.get(super::GONE.name);
            self.gone.extend(self.gpu.download::<u32>(gone, bounds[0] as usize, count as usize)?);
            self.own -= count;
        }
        Ok(())
    }

    /// Particles in others' tiles go there.
    fn migrate(&mut self, comm: &dyn Comm) -> Result<()> {
        self.copies = 0;
        let staying = self.sort_home()?;
        self.drop_gone()?;
        let leaving: Vec<u32> = staying.windows(2).take(self.tiles.neighbours.len()).map(|w| w[1] - w[0]).collect();
        let arriving = self.swap(comm, &leaving)?;
        let stay = staying[0];
        let more: u32 = arriving.iter().sum();
        if stay + more > self.arrays.properties.stride {
            self.enlarge(stay + more, self.own)?;
        }
        let kept = self.declared.iter().filter(|property| property.kept);
        let names: Vec<&'static str> = kept.map(|property| property.name).collect();
        let gpu = self.gpu.clone();
        let recorder = Recorder::new(&gpu);
        self.send(comm, recorder, &names, (Way::Pack, stay, &leaving), (Way::Unpack, stay, &arriving), || ())?;
        self.own = stay + more;
        if more > 0 {
            self.sort_home()?;
        }
        Ok(())
    }

    /// Sorts the own particles; gives the places at which those that stay end, the lost among them, then those of each neighbour.
    fn sort_home(&self) -> Result<Vec<u32>> {
        let mut recorder = Recorder::new(&self.gpu);
        recorder.phase("migration of bodies");
        self.arrays.record_home(&self.gpu, &mut recorder, &self.moves, self.own);
        recorder.submit();
        let first = self.variant.tiles as usize + 1;
        self.gpu.download(&self.arrays.home.starts, first, self.tiles.neighbours.len() + 1)
    }

    /// Makes copies of the particles that others see.
    fn copy(&mut self, comm: &dyn Comm, carried: &[&'static str]) -> Result<()> {
        let neighbours = self.tiles.neighbours.len();
        if neighbours == 0 {
            return Ok(());
        }
        self.gpu.write(&self.arrays.places, 0, &vec![0_u32; neighbours + 1]);
        let mut recorder = Recorder::new(&self.gpu);
        recorder.phase("frontier");
        self.arrays.record(&mut recorder, Shader::Keys, self.own);
        self.arrays.record(&mut recorder, Shader::CountSeen, self.own);
        recorder.submit();
        let sent: Vec<u32> = self.gpu.download(&self.arrays.places, 0, neighbours)?;
        let received = self.swap(comm, &sent)?;
        let copies: u32 = received.iter().sum();
        let listed: u64 = sent.iter().map(|&count| u64::from(count)).sum();
        if self.own + copies > self.arrays.properties.stride || listed > self.arrays.list_room() {
            self.enlarge((self.own + copies).max(listed.div_ceil(2) as u32), self.own)?;
        }
        let places: Vec<u32> = (0..neighbours).map(|k| sent[..k].iter().sum()).collect();
        self.gpu.write(&self.arrays.places, 0, &places);
        let gpu = self.gpu.clone();
        let mut recorder = Recorder::new(&gpu);
        recorder.phase("frontier");
        self.arrays.record(&mut recorder, Shader::Keys, self.own);
        self.arrays.record(&mut recorder, Shader::ListSeen, self.own);
        self.post.sent = sent;
        self.post.received = received;
        self.copies = copies;
        self.forward(comm, recorder, carried, || ())
    }

    /// Makes arrays with room for more than `room` particles, the first `held` of which stay what they are.
    fn enlarge(&mut self, room: u32, held: u32) -> Result<()> {
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
        self.post.forget();
        self.enlarged += 1;
        Ok(())
    }
}
