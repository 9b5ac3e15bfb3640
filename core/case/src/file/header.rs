//! The header of a case file, and reading with the file's name in faults.

use std::path::Path;

use hdf5::types::VarLenUnicode;
use hdf5::{Dataset, File, Group, H5Type, Location};
use hematite_chunks::{Number, read_rows};
use hematite_config::{Fault, Provenance, Result};
use hematite_geometry::OpeningKind;
use serde::de::DeserializeOwned;

use crate::{GlobalLink, VelocitySet};

/// What a case file says of itself.
#[derive(Clone, Debug)]
pub struct Header {
    /// Number of nodes.
    pub nodes: usize,
    /// The velocity set.
    pub set: VelocitySet,
    /// Lattice spacing in metres.
    pub spacing: f64,
    /// Lower corner of site (0, 0, 0) in metres.
    pub origin: [f64; 3],
    /// Sites of the domain along x, y, z, its padding included.
    pub extent: [usize; 3],
    /// Directions in which the lattice wraps.
    pub periodic: [bool; 3],
    /// The openings, in config order.
    pub openings: Vec<OpeningHeader>,
    /// Named parts of the wall, in config order.
    pub wall_parts: Vec<WallPartHeader>,
    /// Named sets of nodes, in config order.
    pub regions: Vec<RegionHeader>,
    /// Numbers a node, by name.
    pub fields: Vec<FieldHeader>,
    /// The populations of cells, in config order.
    pub populations: Vec<PopulationHeader>,
    /// The populations of polymers, in config order.
    pub polymers: Vec<ChainHeader>,
    /// Numbers of parts for which a partition is stored, ascending.
    pub partitions: Vec<usize>,
    /// What the geometry says of itself.
    pub geometry: hematite_geometry::Report,
    /// Where the file came from.
    pub provenance: Provenance,
    /// The config it was made of.
    pub config: serde_json::Value,
}

/// An opening without its nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct OpeningHeader {
    /// Its name.
    pub name: String,
    /// What is prescribed there.
    pub kind: OpeningKind,
    /// Unit normal into the fluid.
    pub normal: [f64; 3],
    /// Area in lattice units, as in `Opening::area`.
    pub area: f64,
    /// The flux for unit normal velocity, as in `Opening::link_area`.
    pub link_area: f64,
    /// Number of its nodes.
    pub nodes: usize,
}

/// A named part of the wall without its nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WallPartHeader {
    /// Its name.
    pub name: String,
    /// Number of nodes with links into it.
    pub nodes: usize,
}

/// A region without its nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegionHeader {
    /// Its name.
    pub name: String,
    /// Number of its nodes.
    pub nodes: u64,
}

/// A field without its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldHeader {
    /// Its name.
    pub name: String,
    /// Its SI unit.
    pub unit: String,
}

/// A population without its cells.
#[derive(Clone, Debug, PartialEq)]
pub struct PopulationHeader {
    /// Its name.
    pub name: String,
    /// Number of its cells.
    pub cells: usize,
    /// Number of the vertices of each.
    pub vertices: usize,
    /// Whether they are rigid bodies.
    pub rigid: bool,
}

/// A population of polymers without its beads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainHeader {
    /// Its name.
    pub name: String,
    /// Number of its chains.
    pub chains: usize,
    /// Number of the beads of each.
    pub beads: usize,
    /// Whether they are closed.
    pub ring: bool,
}

/// The most that zlib expands a byte to, with some room for small files.
const EXPANSION: u64 = 1100;

/// Reads, and names the file in faults.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    pub path: &'a Path,
    /// Bytes of the file.
    pub length: u64,
}

impl Reader<'_> {
    pub fn damaged(&self, what: &str, why: &str) -> Fault {
        Fault::usage(format!(
            "{}: {what} is missing or damaged ({why}); make the case again with mkcase",
            self.path.display()
        ))
    }

    pub fn read<T>(&self, what: &str, outcome: hdf5::Result<T>) -> Result<T> {
        outcome.map_err(|error| self.damaged(what, &error.to_string()))
    }

    pub fn group(&self, parent: &Group, name: &str) -> Result<Group> {
        self.read(name, parent.group(name))
    }

    /// A dataset of the wanted shape (`None`: any), not larger than the file can hold.
    pub fn dataset(&self, group: &Group, name: &str, shape: &[Option<usize>]) -> Result<Dataset> {
        let dataset = self.read(name, group.dataset(name))?;
        let found = dataset.shape();
        let fits =
            found.len() == shape.len() && found.iter().zip(shape).all(|(&n, wanted)| wanted.is_none_or(|w| w == n));
        let size = found.iter().try_fold(1_u64, |product, &n| product.checked_mul(n as u64));
        if !fits || size.is_none_or(|size| size > self.length.saturating_mul(EXPANSION)) {
            return Err(self.damaged(name, &format!("its shape is {found:?}")));
        }
        Ok(dataset)
    }

    pub fn array<T: Number>(&self, group: &Group, name: &str, length: Option<usize>) -> Result<Vec<T>> {
        let dataset = self.dataset(group, name, &[length])?;
        self.read(name, read_rows(&dataset, None, 0..dataset.size()))
    }

    pub fn rows<T: Number, const W: usize>(
        &self,
        group: &Group,
        name: &str,
        length: Option<usize>,
    ) -> Result<Vec<[T; W]>> {
        let dataset = self.dataset(group, name, &[length, Some(W)])?;
        let flat: Vec<T> = self.read(name, read_rows(&dataset, None, 0..dataset.size() / W))?;
        Ok(flat.as_chunks().0.to_vec())
    }

    pub fn number<T: H5Type>(&self, place: &Location, name: &str) -> Result<T> {
        self.read(name, place.attr(name).and_then(|attribute| attribute.read_scalar()))
    }

    pub fn vector<T: H5Type + Copy>(&self, place: &Location, name: &str) -> Result<[T; 3]> {
        let attribute = self.read(name, place.attr(name))?;
        if attribute.size() != 3 {
            return Err(self.damaged(name, &format!("{} values, not 3", attribute.size())));
        }
        let values: Vec<T> = self.read(name, attribute.read_raw())?;
        Ok([values[0], values[1], values[2]])
    }

    pub fn text(&self, place: &Location, name: &str) -> Result<String> {
        let text: VarLenUnicode = self.number(place, name)?;
        // HDF5 does not look at the bytes of its texts.
        let text = std::str::from_utf8(text.as_bytes()).map_err(|error| self.damaged(name, &error.to_string()))?;
        Ok(text.to_owned())
    }

    pub fn json<T: DeserializeOwned>(&self, place: &Location, name: &str) -> Result<T> {
        serde_json::from_str(&self.text(place, name)?).map_err(|error| self.damaged(name, &error.to_string()))
    }

    pub fn header(&self, file: &File) -> Result<Header> {
        let lattice = self.group(file, "lattice")?;
        let set = self.text(&lattice, "set")?;
        let set = [VelocitySet::D2Q9, VelocitySet::D3Q19]
            .into_iter()
            .find(|known| format!("{known:?}") == set)
            .ok_or_else(|| self.damaged("set", &format!("\"{set}\" is neither D2Q9 nor D3Q19")))?;
        let nodes = self.dataset(&lattice, "position", &[None, Some(3)])?.shape()[0];
        self.dataset(&lattice, "links", &[Some(set.q() - 1), Some(nodes)])?;
        if nodes == 0 || nodes >= GlobalLink::MAX_NODES {
            return Err(self.damaged("position", &format!("{nodes} nodes, not 1 to {}", GlobalLink::MAX_NODES)));
        }
        let extent = self.vector::<u64>(&lattice, "extent")?;
        let openings = self.group(file, "openings")?;
        let partitions = self.group(file, "partitions")?;
        let mut stored: Vec<usize> =
            self.read("partitions", partitions.member_names())?.iter().filter_map(|name| name.parse().ok()).collect();
        stored.sort_unstable();
        Ok(Header {
            nodes,
            set,
            spacing: self.number(&lattice, "spacing")?,
            origin: self.vector(&lattice, "origin")?,
            extent: extent.map(|n| usize::try_from(n).unwrap_or(usize::MAX)),
            periodic: self.vector::<u8>(&lattice, "periodic")?.map(|flag| flag != 0),
            openings: (0..openings.len()).map(|k| self.opening(&openings, k)).collect::<Result<_>>()?,
            wall_parts: self.wall_parts(file)?,
            regions: self.region_headers(file)?,
            fields: self.field_headers(file, nodes)?,
            populations: self.population_headers(file)?,
            polymers: self.chain_headers(file)?,
            partitions: stored,
            geometry: self.json(file, "geometry")?,
            provenance: self.json(file, "provenance")?,
            config: self.json(file, "config")?,
        })
    }

    fn wall_parts(&self, file: &File) -> Result<Vec<WallPartHeader>> {
        if !file.link_exists("wall_parts") {
            return Ok(Vec::new());
        }
        let all = self.group(file, "wall_parts")?;
        let part = |k: u64| {
            let group = self.group(&all, &k.to_string())?;
            let nodes = self.dataset(&group, "node", &[None])?.size();
            Ok(WallPartHeader { name: self.text(&group, "name")?, nodes })
        };
        (0..all.len()).map(part).collect()
    }

    fn opening(&self, openings: &Group, k: u64) -> Result<OpeningHeader> {
        let group = self.group(openings, &k.to_string())?;
        let kind = self.text(&group, "kind")?;
        Ok(OpeningHeader {
            name: self.text(&group, "name")?,
            kind: serde_json::from_value(kind.into()).map_err(|error| self.damaged("kind", &error.to_string()))?,
            normal: self.vector(&group, "normal")?,
            area: self.number(&group, "area")?,
            link_area: self.number(&group, "link_area")?,
            nodes: self.dataset(&group, "node", &[None])?.size(),
        })
    }
}
