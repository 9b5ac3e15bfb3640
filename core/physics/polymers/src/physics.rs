//! The polymers as a physics of a run.

use hematite_case::ChainPopulation;
use hematite_comm::{Comm, agree};
use hematite_config::Result;
use hematite_dump::{ChainFrame, ChainKind, DumpStep, MemberFrame, MemberKinds};
use hematite_engine::passage::Tally;
use hematite_engine::{Bath, Ground, Keep, Measured, Members, Physics, Records, Space};
use hematite_gpu::Recorder;
use hematite_units::BOLTZMANN;
use serde_json::Value;

use crate::beads::Beads;
use crate::chains::Bead;
use crate::energy::Conformation;
use crate::resolve;
use crate::state::{self, Note};

/// Name in checkpoints, dumps and messages, and key of the config.
pub const NAME: &str = "polymers";

/// The polymers of a run.
pub struct Polymers {
    beads: Beads,
    populations: Vec<ChainPopulation>,
    kinds: Vec<ChainKind>,
    bath: Bath,
    space: Space,
    /// This rank and the number of ranks: each dumps some of the chains.
    of: (usize, usize),
    note: Note,
    step: u64,
}

impl Polymers {
    /// Polymers after `step` steps, on a rank and a number of ranks.
    pub(crate) fn new(
        beads: Beads,
        populations: &[ChainPopulation],
        bath: Bath,
        (space, of): (Space, (usize, usize)),
        (note, step): (Note, u64),
    ) -> Self {
        let kind = |population: &ChainPopulation| ChainKind {
            name: population.name.clone(),
            beads: population.beads,
            ring: population.ring,
        };
        let kinds = populations.iter().map(kind).collect();
        Self { beads, populations: populations.to_vec(), kinds, bath, space, of, note, step }
    }

    /// Where a bead is, over periodic faces, lattice units with sites at whole numbers.
    fn unwrapped(&self, bead: &Bead) -> [f64; 3] {
        let one = f64::from(1_u32 << self.beads.parameters().bits);
        [0, 1, 2].map(|a| {
            let periods = f64::from(bead.image[a]) * self.space.extent[a] as f64;
            if a < self.space.dimension { f64::from(bead.position[a]) / one + periods - 0.5 } else { 0.0 }
        })
    }

    fn check(&self) -> Result<()> {
        self.beads.check(self.step, &|bead| resolve::name(&self.populations, self.beads.chains(), bead))
    }

    /// The root of the mean squared radius of gyration of all chains, lattice units.
    fn radius_of_gyration(&self, beads: &[Bead]) -> f64 {
        let squared = |&[first, count]: &[u32; 2]| {
            let chain: Vec<[f64; 3]> =
                beads[first as usize..][..count as usize].iter().map(|bead| self.unwrapped(bead)).collect();
            let centre = mean(&chain);
            let off = |x: &[f64; 3]| x.iter().zip(centre).map(|(x, c)| (x - c).powi(2)).sum::<f64>();
            chain.iter().map(off).sum::<f64>() / chain.len() as f64
        };
        let chains = &self.beads.chains().chains;
        (chains.iter().map(squared).sum::<f64>() / chains.len() as f64).sqrt()
    }
}

fn mean(points: &[[f64; 3]]) -> [f64; 3] {
    [0, 1, 2].map(|a| points.iter().map(|x| x[a]).sum::<f64>() / points.len() as f64)
}

impl Members for Polymers {
    fn populations(&self) -> &[usize] {
        &[]
    }

    fn kinds(&self) -> MemberKinds {
        MemberKinds::Chains(self.kinds.clone())
    }

    fn frame(&self, at: DumpStep) -> Result<MemberFrame> {
        let beads = self.beads.states()?;
        let velocity = self.bath.units.velocity();
        let mut frame = ChainFrame { step: at.step, time: at.time, ..ChainFrame::default() };
        let (rank, ranks) = self.of;
        let chains = &self.beads.chains().chains;
        for (id, &[first, count]) in chains.iter().enumerate().filter(|(id, _)| id % ranks == rank) {
            let chain = &beads[first as usize..][..count as usize];
            let places: Vec<[f64; 3]> = chain.iter().map(|bead| self.unwrapped(bead)).collect();
            let image = self.space.image(mean(&places));
            frame.id.push(id as u64);
            frame.kind.push(self.beads.chains().kind(first as usize) as u32);
            frame.image.push(image);
            frame.position.extend(places.iter().map(|&x| self.space.place(x, image)));
            frame.velocity.extend(chain.iter().map(|bead| bead.velocity.map(|v| (f64::from(v) * velocity) as f32)));
        }
        Ok(MemberFrame::Chains(frame))
    }

    fn tally(&self, _: &dyn Comm) -> Result<Vec<Tally>> {
        Ok(Vec::new())
    }

    fn check_sound(&self, comm: &dyn Comm) -> Result<()> {
        agree(comm, self.check())
    }

    fn records(&self) -> Result<Vec<Records>> {
        Ok(Vec::new())
    }

    fn points(&self, _: usize, _: &[i64]) -> Vec<[f64; 3]> {
        Vec::new()
    }

    fn load(&self) -> u32 {
        0
    }

    fn vertices(&self) -> u64 {
        0
    }
}

impl Physics for Polymers {
    fn name(&self) -> &'static str {
        NAME
    }

    fn step<'g>(&mut self, _: &'g dyn Comm, recorder: &mut Recorder<'g>, step: u64) -> Result<()> {
        self.beads.record_step(recorder, step);
        self.step = step + 1;
        Ok(())
    }

    fn save(&self, ground: &Ground, keep: &mut dyn Keep) -> Result<()> {
        state::save(self.beads.parameters(), &self.beads.states()?, ground, keep)
    }

    fn note(&self) -> Value {
        serde_json::to_value(&self.note).unwrap_or_default()
    }

    fn members(&self) -> Option<&dyn Members> {
        Some(self)
    }

    fn inspect(&mut self, comm: &dyn Comm, _: &Ground) -> Result<()> {
        agree(comm, self.check())
    }

    fn measure(&mut self, comm: &dyn Comm, _: f64) -> Result<Measured> {
        let beads = agree(comm, self.beads.states())?;
        let parameters = self.beads.parameters();
        let conformation = Conformation::new(parameters, self.beads.chains(), &beads);
        let energy = conformation.energy();
        let unit = self.bath.mass * self.bath.units.velocity().powi(2);
        let temperature = conformation.temperature() * unit / BOLTZMANN;
        let radius = self.radius_of_gyration(&beads) * self.bath.units.dx;
        let values = vec![temperature, energy.bonds * unit, energy.bends * unit, energy.pairs * unit, radius];
        Ok(Measured { values, ..Measured::default() })
    }
}
