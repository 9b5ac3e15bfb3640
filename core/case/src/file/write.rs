//! Writing a case file.

use std::fs;
use std::path::Path;

use bytemuck::NoUninit;
use hdf5::types::VarLenUnicode;
use hdf5::{File, Group, H5Type, Location};
use hematite_chunks::{Number, Rows, write_frame, write_rows};
use hematite_config::{Fault, Provenance, Result, publish, seal, unseal};
use hematite_geometry::Report;
use serde::Serialize;

use super::{CHUNK, SCHEMA_VERSION};
use crate::{
    ChainPopulation, GlobalLink, ImmersedWalls, Lattice, Layer, Opening, Partition, Population, WallNode, WallPart,
    WallPoint, wall_area, wall_cuts, walls,
};

/// Nodes whose links along a direction are converted and written at a time: some chunks for each core.
const SLAB: usize = 32 * CHUNK;

/// What is suspended in the fluid of a case.
#[derive(Clone, Copy, Debug, Default)]
pub struct Suspended<'a> {
    /// Cells and rigid bodies.
    pub cells: &'a [Population],
    /// Polymers.
    pub polymers: &'a [ChainPopulation],
}

impl<'a> Suspended<'a> {
    /// Cells and rigid bodies alone.
    pub fn cells(cells: &'a [Population]) -> Self {
        Self { cells, polymers: &[] }
    }
}

/// Writes a case: the lattice, its openings, walls, regions and fields, its cells and polymers, what immersed walls need, and any number of
/// partitions. The file appears whole or not at all; one that is there is replaced.
///
/// # Errors
/// An I/O fault when the file cannot be written.
pub fn write(
    path: &Path,
    lattice: &Lattice,
    suspended: Suspended,
    immersed: &ImmersedWalls,
    partitions: &[Partition],
    provenance: &Provenance,
    config: &serde_json::Value,
) -> Result<()> {
    let fill = |temporary: &Path| {
        let out = Out { path };
        let file = out.to(File::create(temporary))?;
        out.number(&file, "schema", SCHEMA_VERSION)?;
        out.text(&file, "program", &provenance.program)?;
        out.json(&file, "provenance", provenance)?;
        out.json(&file, "config", config)?;
        let walls = walls(lattice);
        let geometry = Report { wall_area: Some(wall_area(lattice, &walls)), ..lattice.geometry.clone() };
        out.json(&file, "geometry", &geometry)?;
        out.lattice(&out.group(&file, "lattice")?, lattice)?;
        let openings = out.group(&file, "openings")?;
        for (k, opening) in lattice.openings.iter().enumerate() {
            out.opening(&out.group(&openings, &k.to_string())?, opening)?;
        }
        let group = out.group(&file, "walls")?;
        out.walls(&group, &walls)?;
        if let Some(cuts) = wall_cuts(lattice, &walls) {
            let group = out.group(&group, "cuts")?;
            out.array(&group, "links", &cuts.links)?;
            out.array(&group, "fraction", &cuts.fraction)?;
        }
        if !immersed.points.is_empty() {
            out.wall_points(&out.group(&group, "points")?, &immersed.points)?;
        }
        if let Some(layer) = &immersed.layer {
            let group = out.group(&file, "layer")?;
            out.layer(&group, layer)?;
            let group = out.group(&group, "partitions")?;
            immersed.partitions.iter().try_for_each(|partition| out.partition(&group, partition))?;
        }
        out.wall_parts(&file, &lattice.wall_parts)?;
        out.regions(&file, &lattice.regions)?;
        out.fields(&file, &lattice.fields)?;
        out.populations(&file, suspended.cells)?;
        out.polymers(&file, suspended.polymers)?;
        let group = out.group(&file, "partitions")?;
        partitions.iter().try_for_each(|partition| out.partition(&group, partition))?;
        out.close(file)
    };
    // HDF5 ends the file when the last group is closed, too.
    publish(path, |temporary| fill(temporary).and_then(|()| seal(temporary)))
}

/// Adds a partition to a case file, or replaces the one into as many parts. The file is copied first and published
/// whole, so that readers never see half of it.
///
/// # Errors
/// A usage fault when the partition is of another lattice, an I/O fault when the file cannot be written.
pub fn add_partition(path: &Path, partition: &Partition) -> Result<()> {
    let nodes = super::Case::open(path)?.header().nodes;
    if nodes != partition.order.len() {
        return Err(Fault::usage(format!(
            "{} has {nodes} nodes, the partition {}: it is of another case",
            path.display(),
            partition.order.len()
        )));
    }
    let change = |temporary: &Path| {
        let out = Out { path };
        fs::copy(path, temporary).map_err(|error| Fault::io(format!("cannot copy {}: {error}", path.display())))?;
        unseal(temporary)?;
        let file = out.to(File::open_rw(temporary))?;
        let group = out.to(file.group("partitions"))?;
        if group.link_exists(&partition.parts.to_string()) {
            out.to(group.unlink(&partition.parts.to_string()))?;
        }
        out.partition(&group, partition)?;
        out.close(file)
    };
    publish(path, |temporary| change(temporary).and_then(|()| seal(temporary)))
}

/// Writes, and names the file in faults.
pub(super) struct Out<'a> {
    path: &'a Path,
}

impl Out<'_> {
    pub fn to<T>(&self, outcome: hdf5::Result<T>) -> Result<T> {
        outcome.map_err(|error| Fault::io(format!("cannot write {}: {error}", self.path.display())))
    }

    fn close(&self, file: File) -> Result<()> {
        self.to(file.flush())?;
        self.to(file.close())
    }

    pub fn group(&self, parent: &Group, name: &str) -> Result<Group> {
        self.to(parent.create_group(name))
    }

    pub fn number<T: H5Type>(&self, place: &Location, name: &str, value: T) -> Result<()> {
        self.to(place.new_attr::<T>().create(name).and_then(|attribute| attribute.write_scalar(&value)))
    }

    pub fn vector<T: H5Type>(&self, place: &Location, name: &str, values: [T; 3]) -> Result<()> {
        self.to(place.new_attr::<T>().shape(3).create(name).and_then(|attribute| attribute.write_raw(&values)))
    }

    pub fn text(&self, place: &Location, name: &str, text: &str) -> Result<()> {
        let value: VarLenUnicode = text
            .parse()
            .map_err(|_| Fault::io(format!("cannot write {}: {name} holds a zero byte", self.path.display())))?;
        self.number(place, name, value)
    }

    pub fn json(&self, place: &Location, name: &str, value: &impl Serialize) -> Result<()> {
        let text = serde_json::to_string(value)
            .map_err(|error| Fault::io(format!("cannot write {}: {name}: {error}", self.path.display())))?;
        self.text(place, name, &text)
    }

    /// A compressed array of one dimension. An empty one cannot be chunked.
    pub fn array<T: H5Type + NoUninit>(&self, group: &Group, name: &str, values: &[T]) -> Result<()> {
        let builder = group.new_dataset::<T>();
        let builder = match values.len() {
            0 => builder,
            n => builder.chunk(n.min(CHUNK)).shuffle().deflate(1),
        };
        self.to(builder.shape(values.len()).create(name).and_then(|dataset| write_rows(&dataset, 0, values)))
    }

    /// A compressed array of rows of equal length.
    pub fn rows<T: H5Type + NoUninit, const W: usize>(&self, group: &Group, name: &str, rows: &[[T; W]]) -> Result<()> {
        let builder = group.new_dataset::<T>();
        let builder = match rows.len() {
            0 => builder,
            n => builder.chunk((n.min(CHUNK / W), W)).shuffle().deflate(1),
        };
        let dataset = builder.shape((rows.len(), W)).create(name);
        self.to(dataset.and_then(|dataset| write_rows(&dataset, 0, rows.as_flattened())))
    }

    fn lattice(&self, group: &Group, lattice: &Lattice) -> Result<()> {
        self.text(group, "set", &format!("{:?}", lattice.set))?;
        self.number(group, "spacing", lattice.spacing)?;
        self.vector(group, "origin", lattice.origin)?;
        self.vector(group, "extent", lattice.extent.map(|n| n as u64))?;
        self.vector(group, "periodic", lattice.periodic.map(u8::from))?;
        self.rows(group, "position", &lattice.position)?;
        match i32::try_from(lattice.nodes()) {
            Ok(_) => self.links(group, &lattice.links, |code| code as i32),
            Err(_) => self.links(group, &lattice.links, |code| code),
        }
    }

    fn layer(&self, group: &Group, layer: &Layer) -> Result<()> {
        self.rows(group, "position", &layer.position)?;
        let narrow = |link: &GlobalLink| i32::try_from(link.code()).is_ok();
        match layer.links.iter().flatten().all(narrow) {
            true => self.links(group, &layer.links, |code| code as i32),
            false => self.links(group, &layer.links, |code| code),
        }
    }

    /// Written by slabs of whole chunks, so that no second copy of the links is held.
    fn links<T: Number>(&self, group: &Group, links: &[Vec<GlobalLink>], store: impl Fn(i64) -> T) -> Result<()> {
        let nodes = links[0].len();
        let builder = group.new_dataset::<T>().chunk((1, nodes.min(CHUNK))).shuffle().deflate(1);
        let dataset = self.to(builder.shape((links.len(), nodes)).create("links"))?;
        for (row, direction) in links.iter().enumerate() {
            for (slab, links) in direction.chunks(SLAB).enumerate() {
                let codes: Vec<T> = links.iter().map(|link| store(link.code())).collect();
                let rows = self.to(Rows::new(dataset.clone(), slab * SLAB, &codes, T::zeroed()))?;
                self.to(write_frame(row, &[rows]))?;
            }
        }
        Ok(())
    }

    fn opening(&self, group: &Group, opening: &Opening) -> Result<()> {
        self.text(group, "name", &opening.name)?;
        let kind = serde_json::to_value(opening.kind).ok();
        self.text(group, "kind", kind.as_ref().and_then(|kind| kind.as_str()).unwrap_or_default())?;
        self.vector(group, "normal", opening.normal)?;
        self.number(group, "area", opening.area)?;
        self.number(group, "link_area", opening.link_area)?;
        let nodes = || opening.nodes.iter();
        self.array(group, "node", &nodes().map(|site| site.node.0 as u32).collect::<Vec<_>>())?;
        self.array(group, "links", &nodes().map(|site| site.links).collect::<Vec<_>>())?;
        self.array(group, "developed", &nodes().map(|site| site.developed).collect::<Vec<_>>())
    }

    fn wall_parts(&self, file: &Group, parts: &[WallPart]) -> Result<()> {
        if parts.is_empty() {
            return Ok(());
        }
        let all = self.group(file, "wall_parts")?;
        for (k, part) in parts.iter().enumerate() {
            let group = self.group(&all, &k.to_string())?;
            self.text(&group, "name", &part.name)?;
            self.array(&group, "node", &part.sites.iter().map(|site| site.node.0 as u32).collect::<Vec<_>>())?;
            self.array(&group, "links", &part.sites.iter().map(|site| site.links).collect::<Vec<_>>())?;
        }
        Ok(())
    }

    fn walls(&self, group: &Group, walls: &[WallNode]) -> Result<()> {
        self.array(group, "node", &walls.iter().map(|wall| wall.node.0 as u32).collect::<Vec<_>>())?;
        self.rows(group, "normal", &walls.iter().map(|wall| wall.normal).collect::<Vec<_>>())?;
        self.array(group, "distance", &walls.iter().map(|wall| wall.distance).collect::<Vec<_>>())
    }

    fn wall_points(&self, group: &Group, points: &[WallPoint]) -> Result<()> {
        self.rows(group, "position", &points.iter().map(|point| point.position).collect::<Vec<_>>())?;
        self.rows(group, "normal", &points.iter().map(|point| point.normal).collect::<Vec<_>>())?;
        self.array(group, "area", &points.iter().map(|point| point.area).collect::<Vec<_>>())
    }

    fn partition(&self, partitions: &Group, partition: &Partition) -> Result<()> {
        let group = self.group(partitions, &partition.parts.to_string())?;
        self.json(&group, "report", &partition.report)?;
        self.array(&group, "order", &partition.order)?;
        let ranges = partition.ranges.iter().map(|range| [range.start, range.interface, range.end].map(|n| n as u64));
        self.rows(&group, "ranges", &ranges.collect::<Vec<_>>())?;
        self.array(&group, "halo", &partition.halo)?;
        let halos = partition.halos.iter().map(|h| [h.part, h.owner, h.range.start, h.range.end].map(|n| n as u64));
        self.rows(&group, "halos", &halos.collect::<Vec<_>>())
    }
}
