//! Polymers in a case file, written and read.

use hdf5::{File, Group};
use hematite_config::Result;

use super::header::{ChainHeader, Reader};
use super::read::Case;
use super::write::Out;
use crate::ChainPopulation;

impl Out<'_> {
    /// Writes `/polymers`; nothing where there are none.
    pub fn polymers(&self, file: &File, polymers: &[ChainPopulation]) -> Result<()> {
        if polymers.is_empty() {
            return Ok(());
        }
        let group = self.group(file, "polymers")?;
        for (k, population) in polymers.iter().enumerate() {
            self.chains(&self.group(&group, &k.to_string())?, population)?;
        }
        Ok(())
    }

    fn chains(&self, group: &Group, population: &ChainPopulation) -> Result<()> {
        self.text(group, "name", &population.name)?;
        self.number(group, "beads", population.beads as u64)?;
        self.number(group, "ring", u64::from(population.ring))?;
        self.number(group, "bond", population.bond)?;
        self.number(group, "diameter", population.diameter)?;
        self.json(group, "report", &population.report)?;
        self.rows(group, "position", &population.positions)
    }
}

impl Reader<'_> {
    /// The polymers of a file without their beads.
    pub fn chain_headers(&self, file: &File) -> Result<Vec<ChainHeader>> {
        if !file.link_exists("polymers") {
            return Ok(Vec::new());
        }
        let polymers = self.group(file, "polymers")?;
        let header = |k: u64| {
            let name = format!("polymers/{k}");
            let group = self.group(&polymers, &k.to_string())?;
            let beads = self.number::<u64>(&group, "beads")? as usize;
            let positions = self.dataset(&group, "position", &[None, Some(3)])?.shape()[0];
            if beads == 0 || positions == 0 || !positions.is_multiple_of(beads) {
                return Err(self.damaged(&name, &format!("{positions} positions are no chains of {beads} beads")));
            }
            let ring = self.number::<u64>(&group, "ring")? > 0;
            Ok(ChainHeader { name: self.text(&group, "name")?, chains: positions / beads, beads, ring })
        };
        (0..polymers.len()).map(header).collect()
    }
}

impl Case {
    /// The polymers with their beads; none where the case was made without.
    ///
    /// # Errors
    /// A usage fault when the file is damaged.
    pub fn polymers(&self) -> Result<Vec<ChainPopulation>> {
        self.header().polymers.iter().enumerate().map(|(k, header)| self.chains(k, header)).collect()
    }

    fn chains(&self, k: usize, held: &ChainHeader) -> Result<ChainPopulation> {
        let (reader, header) = (self.reader(), self.header());
        let name = format!("polymers/{k}");
        let damaged = |why: &str| reader.damaged(&name, why);
        let group = reader.group(self.file(), &name)?;
        let positions: Vec<[f64; 3]> = reader.rows(&group, "position", Some(held.chains * held.beads))?;
        let [bond, diameter] = [reader.number::<f64>(&group, "bond")?, reader.number::<f64>(&group, "diameter")?];
        if !(bond > 0.0 && bond.is_finite() && diameter >= 0.0 && diameter.is_finite()) {
            return Err(damaged(&format!("bonds of {bond} m and beads of {diameter} m cannot be")));
        }
        let inside = |at: &[f64; 3]| {
            (0..3).all(|a| at[a].is_finite())
                && (0..header.set.dimension()).filter(|&a| !header.periodic[a]).all(|a| {
                    let sites = (at[a] - header.origin[a]) / header.spacing;
                    (0.0..=header.extent[a] as f64).contains(&sites)
                })
        };
        if !positions.iter().all(inside) {
            return Err(damaged("a bead is outside of the domain"));
        }
        Ok(ChainPopulation {
            name: held.name.clone(),
            beads: held.beads,
            ring: held.ring,
            bond,
            diameter,
            positions,
            report: reader.json(&group, "report")?,
        })
    }
}
