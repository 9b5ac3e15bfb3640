//! Reading a case file.

use std::borrow::Cow;
use std::io::ErrorKind;
use std::ops::Range;
use std::path::{Path, PathBuf};

use hdf5::{Dataset, File, Group};
use hematite_chunks::read_rows;
use hematite_config::{Fault, Result};
use ndarray::s;

use super::header::{Header, OpeningHeader, Reader, WallPartHeader};
use super::{CHUNK, SCHEMA_VERSION};
use crate::extract::{Share, Source, assemble};
use crate::{
    GlobalLink, HaloRange, Lattice, NodeId, Opening, OpeningSite, Part, PartRange, Partition, PartitionReport,
    WallCuts, WallNode, WallPart, WallPartSite, WallPoint,
};

/// An open case file.
pub struct Case {
    path: PathBuf,
    file: File,
    length: u64,
    header: Header,
}

impl Case {
    /// Opens a case file and reads its header.
    ///
    /// # Errors
    /// A usage fault when the file cannot be read, is no case, is cut off, or has another schema version.
    pub fn open(path: &Path) -> Result<Self> {
        let metadata = std::fs::metadata(path).map_err(|error| {
            let remedy = match error.kind() {
                ErrorKind::NotFound => "; give another path, or make the case with `mkcase CASE.json`",
                _ => "",
            };
            Fault::usage(format!("cannot read case {}: {error}{remedy}", path.display()))
        })?;
        if metadata.is_dir() {
            return Err(Fault::usage(format!("{} is a folder; name a case file that mkcase made", path.display())));
        }
        let length = metadata.len();
        let file = File::open(path).map_err(|error| opening(path, &error))?;
        let reader = Reader { path, length };
        let schema: u32 = file.attr("schema").and_then(|attribute| attribute.read_scalar()).map_err(|_| {
            Fault::usage(format!("{} is no case file of mkcase: it has no attribute \"schema\"", path.display()))
        })?;
        if !(1..=SCHEMA_VERSION).contains(&schema) {
            return Err(Fault::usage(format!(
                "{} has schema version {schema}, this program reads versions up to {SCHEMA_VERSION}: make it again with this \
                 program's mkcase",
                path.display()
            )));
        }
        let header = reader.header(&file)?;
        Ok(Self { path: path.to_owned(), file, length, header })
    }

    /// What the file says of itself.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Whether a partition into so many parts is there: stored, or one part.
    pub fn partition_stored(&self, parts: usize) -> bool {
        parts == 1 || self.header.partitions.contains(&parts)
    }

    /// The whole lattice, with its openings, regions and fields.
    ///
    /// # Errors
    /// A usage fault when the file is damaged.
    pub fn lattice(&self) -> Result<Lattice> {
        let source = self.source()?;
        let all =
            || (0..self.header.nodes).step_by(source.slab()).map(|n| n..(n + source.slab()).min(self.header.nodes));
        let mut position = Vec::with_capacity(self.header.nodes);
        for slab in all() {
            position.extend_from_slice(&source.positions(slab)?);
        }
        let mut links = Vec::with_capacity(source.q());
        for i in 1..source.q() {
            let mut direction = Vec::with_capacity(self.header.nodes);
            for slab in all() {
                direction.extend_from_slice(&source.links(i, slab)?);
            }
            links.push(direction);
        }
        let Header { set, spacing, origin, extent, periodic, ref geometry, .. } = self.header;
        let (regions, fields, geometry) = (self.regions()?, self.fields()?, geometry.clone());
        let (openings, wall_parts) = (self.openings()?, self.wall_parts()?);
        Ok(Lattice {
            set,
            spacing,
            origin,
            extent,
            periodic,
            position,
            links,
            openings,
            wall_parts,
            regions,
            fields,
            surface: None,
            geometry,
        })
    }

    /// Gives the positions of all nodes to `take`, slab by slab, in the order of their numbers.
    ///
    /// # Errors
    /// A usage fault when the file is damaged.
    pub fn each_position(&self, mut take: impl FnMut(&[[i32; 3]])) -> Result<()> {
        let source = self.source()?;
        for first in (0..self.header.nodes).step_by(source.slab()) {
            take(&source.positions(first..(first + source.slab()).min(self.header.nodes))?);
        }
        Ok(())
    }

    /// The openings with their nodes.
    ///
    /// # Errors
    /// A usage fault when the file is damaged.
    pub fn openings(&self) -> Result<Vec<Opening>> {
        let reader = self.reader();
        let groups = self.header.openings.iter().enumerate();
        groups
            .map(|(k, OpeningHeader { name, kind, normal, area, link_area, nodes })| {
                let group = reader.group(&self.file, &format!("openings/{k}"))?;
                let node: Vec<u64> = reader.array(&group, "node", Some(*nodes))?;
                let links: Vec<u32> = reader.array(&group, "links", Some(*nodes))?;
                let developed: Vec<f32> = reader.array(&group, "developed", Some(*nodes))?;
                self.check_nodes(&node)?;
                let sites = node.into_iter().zip(links).zip(developed);
                Ok(Opening {
                    name: name.clone(),
                    kind: *kind,
                    normal: *normal,
                    area: *area,
                    link_area: *link_area,
                    nodes: sites
                        .map(|((node, links), developed)| OpeningSite { node: NodeId(node), links, developed })
                        .collect(),
                })
            })
            .collect()
    }

    /// Named parts of the wall with the nodes beside them.
    ///
    /// # Errors
    /// A usage fault when the file is damaged.
    pub fn wall_parts(&self) -> Result<Vec<WallPart>> {
        let reader = self.reader();
        let part = |(k, WallPartHeader { name, nodes }): (usize, &WallPartHeader)| {
            let group = reader.group(&self.file, &format!("wall_parts/{k}"))?;
            let node: Vec<u64> = reader.array(&group, "node", Some(*nodes))?;
            let links: Vec<u32> = reader.array(&group, "links", Some(*nodes))?;
            self.check_nodes(&node)?;
            if links.iter().any(|links| links >> self.header.set.q() != 0 || links & 1 != 0) {
                return Err(reader.damaged("a part of the wall", "bits of directions that there are not"));
            }
            let sites = node.into_iter().zip(links).map(|(node, links)| WallPartSite { node: NodeId(node), links });
            Ok(WallPart { name: name.clone(), sites: sites.collect() })
        };
        self.header.wall_parts.iter().enumerate().map(part).collect()
    }

    /// The nodes at walls, ascending.
    ///
    /// # Errors
    /// A usage fault when the file is damaged.
    pub fn walls(&self) -> Result<Vec<WallNode>> {
        let reader = self.reader();
        let group = reader.group(&self.file, "walls")?;
        let node: Vec<u64> = reader.array(&group, "node", None)?;
        let normal: Vec<[f32; 3]> = reader.rows(&group, "normal", Some(node.len()))?;
        let distance: Vec<f32> = reader.array(&group, "distance", Some(node.len()))?;
        self.check_nodes(&node)?;
        let walls = node.into_iter().zip(normal).zip(distance);
        Ok(walls.map(|((node, normal), distance)| WallNode { node: NodeId(node), normal, distance }).collect())
    }

    /// Where a surface cuts the links of the nodes at walls; none where the case was not made of one.
    ///
    /// # Errors
    /// A usage fault when the file is damaged.
    pub fn wall_cuts(&self) -> Result<Option<WallCuts>> {
        let reader = self.reader();
        let walls = reader.group(&self.file, "walls")?;
        if !walls.link_exists("cuts") {
            return Ok(None);
        }
        let group = reader.group(&walls, "cuts")?;
        let node: Vec<u64> = reader.array(&walls, "node", None)?;
        let cuts = WallCuts {
            links: reader.array(&group, "links", Some(node.len()))?,
            fraction: reader.array(&group, "fraction", None)?,
        };
        let known = (1_u32 << self.header.set.q()) - 2;
        let sane = cuts.links.iter().all(|links| links & !known == 0)
            && cuts.starts().last() == Some(&cuts.fraction.len())
            && cuts.fraction.iter().all(|fraction| (0.0..=1.0).contains(fraction));
        if !sane {
            return Err(reader.damaged("walls/cuts", "cuts that do not go with their links, or are not from 0 to 1"));
        }
        Ok(Some(cuts))
    }

    /// The points on the smoothed wall; none where the case was made without.
    ///
    /// # Errors
    /// A usage fault when the file is damaged.
    pub fn wall_points(&self) -> Result<Vec<WallPoint>> {
        let reader = self.reader();
        let walls = reader.group(&self.file, "walls")?;
        if !walls.link_exists("points") {
            return Ok(Vec::new());
        }
        let group = reader.group(&walls, "points")?;
        let position: Vec<[f64; 3]> = reader.rows(&group, "position", None)?;
        let normal: Vec<[f32; 3]> = reader.rows(&group, "normal", Some(position.len()))?;
        let area: Vec<f32> = reader.array(&group, "area", Some(position.len()))?;
        let points = position.into_iter().zip(normal).zip(area);
        let points: Vec<_> = points.map(|((position, normal), area)| WallPoint { position, normal, area }).collect();
        let inside = |point: &WallPoint| {
            point.position.iter().zip(self.header.extent).all(|(&x, n)| (-1.0..=n as f64).contains(&x))
        };
        if !points.iter().all(|point| inside(point) && (0.0..f32::MAX).contains(&point.area)) {
            return Err(reader.damaged("walls/points", "points outside the domain or of no sane area"));
        }
        Ok(points)
    }

    /// How good the stored partition into so many parts is.
    ///
    /// # Errors
    /// A usage fault when there is none, or the file is damaged.
    pub fn partition_report(&self, parts: usize) -> Result<PartitionReport> {
        let group = self.partition_group(parts)?;
        self.reader().json(&group, "report")
    }

    /// The stored partition into so many parts.
    ///
    /// # Errors
    /// A usage fault when there is none, or the file is damaged.
    pub fn partition(&self, parts: usize) -> Result<Partition> {
        let reader = self.reader();
        let group = self.partition_group(parts)?;
        let order: Vec<u32> = reader.array(&group, "order", Some(self.header.nodes))?;
        let halo: Vec<u32> = reader.array(&group, "halo", None)?;
        let report = reader.json(&group, "report")?;
        let (ranges, halos) = self.ranges(&group, self.header.nodes, parts, halo.len())?;
        if order.iter().chain(&halo).any(|&n| n as usize >= self.header.nodes) {
            return Err(reader.damaged("a partition", "node numbers past the lattice"));
        }
        Ok(Partition { parts, order, ranges, halo, halos, report })
    }

    /// What rank `rank` of `parts` holds. Reads by slabs: beyond the part itself little is held. One part needs no
    /// stored partition.
    ///
    /// # Errors
    /// A usage fault when no such partition is stored, or the file is damaged.
    pub fn part(&self, parts: usize, rank: usize) -> Result<Part> {
        if rank >= parts {
            return Err(Fault::usage(format!("rank {rank} of {parts} parts")));
        }
        let share = match parts {
            1 => Share::whole(self.header.nodes),
            _ => self.share(&self.partition_group(parts)?, self.header.nodes, parts, rank)?,
        };
        assemble(share, &self.source()?, &self.openings()?).map_err(|fault| fault.within(self.path.display()))
    }

    /// What one part of a stored partition of `nodes` nodes is made of.
    pub(super) fn share(&self, group: &Group, nodes: usize, parts: usize, rank: usize) -> Result<Share> {
        let reader = self.reader();
        let order = reader.dataset(group, "order", &[Some(nodes)])?;
        let halo = reader.dataset(group, "halo", &[None])?;
        let (ranges, halos) = self.ranges(group, nodes, parts, halo.size())?;
        let PartRange { start, interface, end } = ranges[rank];
        let own = reader.read("order", order.read_slice_1d(s![start..end]))?.to_vec();
        let own_halos = halos.into_iter().filter(|halo| halo.part == rank).map(|HaloRange { owner, range, .. }| {
            Ok((owner, reader.read("halo", halo.read_slice_1d(s![range]))?.to_vec()))
        });
        Ok(Share { rank, parts, interior: interface - start, own, halos: own_halos.collect::<Result<_>>()? })
    }

    /// Where parts and their halos lie in `order` and `halo`, checked.
    fn ranges(
        &self,
        group: &Group,
        nodes: usize,
        parts: usize,
        halo: usize,
    ) -> Result<(Vec<PartRange>, Vec<HaloRange>)> {
        let reader = self.reader();
        let stored: Vec<[u64; 3]> = reader.rows(group, "ranges", Some(parts))?;
        let mut ranges = Vec::with_capacity(parts);
        let mut last = 0;
        for [start, interface, end] in stored.into_iter().map(|row| row.map(|n| n as usize)) {
            if start != last || interface < start || end < interface {
                return Err(reader.damaged("partition ranges", "they do not follow each other"));
            }
            last = end;
            ranges.push(PartRange { start, interface, end });
        }
        let stored: Vec<[u64; 4]> = reader.rows(group, "halos", None)?;
        let halos: Vec<HaloRange> = stored
            .into_iter()
            .map(|row| row.map(|n| n as usize))
            .map(|[part, owner, start, end]| HaloRange { part, owner, range: start..end })
            .collect();
        let sound =
            |h: &HaloRange| h.part < parts && h.owner < parts && h.range.start <= h.range.end && h.range.end <= halo;
        if last != nodes || !halos.iter().all(sound) {
            return Err(reader.damaged("partition ranges", "they do not cover the lattice and the halo"));
        }
        Ok((ranges, halos))
    }

    fn partition_group(&self, parts: usize) -> Result<Group> {
        if !self.header.partitions.contains(&parts) {
            let known: Vec<_> = self.header.partitions.iter().map(ToString::to_string).collect();
            return Err(Fault::usage(format!(
                "{} stores no partition into {parts} parts (stored: {}); make one with mkcase --parts {parts}",
                self.path.display(),
                if known.is_empty() { "none".into() } else { known.join(", ") }
            )));
        }
        self.reader().group(&self.file, &format!("partitions/{parts}"))
    }

    fn check_nodes(&self, nodes: &[u64]) -> Result<()> {
        if nodes.iter().all(|&n| n < self.header.nodes as u64) && nodes.is_sorted() {
            return Ok(());
        }
        Err(self.reader().damaged("a list of nodes", "numbers past the lattice or out of order"))
    }

    pub(super) fn file(&self) -> &File {
        &self.file
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn reader(&self) -> Reader<'_> {
        Reader { path: &self.path, length: self.length }
    }

    pub(super) fn source(&self) -> Result<Stored<'_>> {
        let reader = self.reader();
        let group = reader.group(&self.file, "lattice")?;
        let Header { nodes, set, .. } = self.header;
        let position = reader.dataset(&group, "position", &[Some(nodes), Some(3)])?;
        let links = reader.dataset(&group, "links", &[Some(set.q() - 1), Some(nodes)])?;
        let are_narrow = reader.read("links", links.dtype().map(|number| number.size() <= size_of::<i32>()))?;
        Ok(Stored { reader, header: &self.header, position, links, are_narrow })
    }
}

/// The arrays of the lattice in the file.
pub(super) struct Stored<'a> {
    reader: Reader<'a>,
    header: &'a Header,
    position: Dataset,
    links: Dataset,
    /// Whether links are stored in 32 bits.
    are_narrow: bool,
}

/// Says why HDF5 does not open the case file at `path`.
fn opening(path: &Path, error: &hdf5::Error) -> Fault {
    let (path, error) = (path.display(), error.to_string());
    match error.contains("unable to lock file") {
        true => Fault::io(format!("cannot read case {path}: another program has it open to write; try again")),
        false => Fault::usage(format!("{path} is no HDF5 file, or was cut off ({error}); make it again with mkcase")),
    }
}

impl Source for Stored<'_> {
    fn nodes(&self) -> usize {
        self.header.nodes
    }

    fn q(&self) -> usize {
        self.header.set.q()
    }

    fn slab(&self) -> usize {
        4 * CHUNK
    }

    fn positions(&self, nodes: Range<usize>) -> Result<Cow<'_, [[i32; 3]]>> {
        let rows = self.reader.read("position", read_rows::<i32>(&self.position, None, nodes))?;
        let rows = rows.as_chunks::<3>().0;
        let inside = |p: &[i32; 3]| p.iter().zip(self.header.extent).all(|(&i, n)| i >= 0 && (i as usize) < n);
        if !rows.iter().all(inside) {
            return Err(self.reader.damaged("position", "nodes outside the domain"));
        }
        Ok(Cow::Owned(rows.to_vec()))
    }

    fn links(&self, i: usize, nodes: Range<usize>) -> Result<Cow<'_, [GlobalLink]>> {
        let codes: Vec<i64> = match self.are_narrow {
            true => {
                let codes = self.reader.read("links", read_rows::<i32>(&self.links, Some(i - 1), nodes))?;
                codes.into_iter().map(i64::from).collect()
            }
            false => self.reader.read("links", read_rows(&self.links, Some(i - 1), nodes))?,
        };
        let link = |&code: &i64| GlobalLink::from_code(code, self.header.nodes, self.header.openings.len());
        let links: Option<Vec<_>> = codes.iter().map(link).collect();
        links.map(Cow::Owned).ok_or_else(|| self.reader.damaged("links", "a link leads to no node and no opening"))
    }
}
