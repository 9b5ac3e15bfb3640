//! Regions and fields in a case file, written and read.

use hdf5::File;
use hematite_config::{Fault, Result, nearest};
use ndarray::s;

use super::CHUNK;
use super::header::{FieldHeader, Reader, RegionHeader};
use super::read::Case;
use super::write::Out;
use crate::node_field::gather;
use crate::{NodeField, NodeId, Region};

impl Out<'_> {
    /// Writes `/regions`; nothing where there are none.
    pub fn regions(&self, file: &File, regions: &[Region]) -> Result<()> {
        if regions.is_empty() {
            return Ok(());
        }
        let all = self.group(file, "regions")?;
        for (k, region) in regions.iter().enumerate() {
            let group = self.group(&all, &k.to_string())?;
            self.text(&group, "name", &region.name)?;
            self.number(&group, "nodes", region.nodes())?;
            self.rows(&group, "runs", &region.runs().iter().map(|run| [run.start, run.end]).collect::<Vec<_>>())?;
        }
        Ok(())
    }

    /// Writes `/fields`; nothing where there are none.
    pub fn fields(&self, file: &File, fields: &[NodeField]) -> Result<()> {
        if fields.is_empty() {
            return Ok(());
        }
        let all = self.group(file, "fields")?;
        for (k, field) in fields.iter().enumerate() {
            let group = self.group(&all, &k.to_string())?;
            self.text(&group, "name", &field.name)?;
            self.text(&group, "unit", &field.unit)?;
            self.array(&group, "values", &field.values)?;
        }
        Ok(())
    }
}

impl Reader<'_> {
    /// The regions of a file without their nodes.
    pub fn region_headers(&self, file: &File) -> Result<Vec<RegionHeader>> {
        if !file.link_exists("regions") {
            return Ok(Vec::new());
        }
        let all = self.group(file, "regions")?;
        let region = |k: u64| {
            let group = self.group(&all, &k.to_string())?;
            Ok(RegionHeader { name: self.text(&group, "name")?, nodes: self.number(&group, "nodes")? })
        };
        (0..all.len()).map(region).collect()
    }

    /// The fields of a file of `nodes` nodes without their values.
    pub fn field_headers(&self, file: &File, nodes: usize) -> Result<Vec<FieldHeader>> {
        if !file.link_exists("fields") {
            return Ok(Vec::new());
        }
        let all = self.group(file, "fields")?;
        let field = |k: u64| {
            let group = self.group(&all, &k.to_string())?;
            self.dataset(&group, "values", &[Some(nodes)])?;
            Ok(FieldHeader { name: self.text(&group, "name")?, unit: self.text(&group, "unit")? })
        };
        (0..all.len()).map(field).collect()
    }
}

impl Case {
    /// The region of a name.
    ///
    /// # Errors
    /// A usage fault when there is none, which says what there is, or the file is damaged.
    pub fn region(&self, name: &str) -> Result<Region> {
        let names = || self.header().regions.iter().map(|region| region.name.as_str());
        let k = names().position(|known| known == name);
        let k = k.ok_or_else(|| self.lacks("region", "regions", name, names()))?;
        let (reader, header) = (self.reader(), &self.header().regions[k]);
        let group = reader.group(self.file(), &format!("regions/{k}"))?;
        let runs: Vec<[u64; 2]> = reader.rows(&group, "runs", None)?;
        let runs = runs.into_iter().map(|[start, end]| start..end).collect();
        let region = Region::of_runs(name, runs, self.header().nodes as u64);
        region.filter(|region| region.nodes() == header.nodes).ok_or_else(|| {
            reader.damaged(&format!("region \"{name}\""), "its runs of nodes are out of order or past the lattice")
        })
    }

    /// The regions, in the order of the config.
    ///
    /// # Errors
    /// A usage fault when the file is damaged.
    pub fn regions(&self) -> Result<Vec<Region>> {
        self.header().regions.iter().map(|region| self.region(&region.name)).collect()
    }

    /// The values of a field at some nodes, such as [`Part::id`](crate::Part::id), in their order; NaN at nodes of a layer beyond the
    /// walls, which have none. Reads by slabs: beyond the values themselves little is held.
    ///
    /// # Errors
    /// A usage fault when there is no such field, which says what there is, or the file is damaged.
    pub fn field_at(&self, name: &str, nodes: &[NodeId]) -> Result<Vec<f64>> {
        let names = || self.header().fields.iter().map(|field| field.name.as_str());
        let k = names().position(|known| known == name);
        let k = k.ok_or_else(|| self.lacks("field", "fields", name, names()))?;
        let (reader, all) = (self.reader(), self.header().nodes);
        let group = reader.group(self.file(), &format!("fields/{k}"))?;
        let dataset = reader.dataset(&group, "values", &[Some(all)])?;
        gather(nodes, all, 4 * CHUNK, |range| {
            let values = reader.read("values", dataset.read_slice_1d::<f64, _>(s![range]))?.to_vec();
            if values.iter().all(|value| value.is_finite()) {
                return Ok(values);
            }
            Err(reader.damaged(&format!("field \"{name}\""), "a value is not finite"))
        })
    }

    /// The fields with their values, by name.
    ///
    /// # Errors
    /// A usage fault when the file is damaged.
    pub fn fields(&self) -> Result<Vec<NodeField>> {
        let nodes: Vec<NodeId> = match self.header().fields.is_empty() {
            true => Vec::new(),
            false => (0..self.header().nodes as u64).map(NodeId).collect(),
        };
        let field = |FieldHeader { name, unit }: &FieldHeader| {
            Ok(NodeField { name: name.clone(), unit: unit.clone(), values: self.field_at(name, &nodes)? })
        };
        self.header().fields.iter().map(field).collect()
    }

    /// The fault of a region or a field that there is not.
    fn lacks<'n>(&self, what: &str, key: &str, name: &str, known: impl Iterator<Item = &'n str> + Clone) -> Fault {
        let hint = nearest(name, known.clone()).map(|near| format!("; did you mean \"{near}\"?")).unwrap_or_default();
        let known: Vec<&str> = known.collect();
        let known = if known.is_empty() { "it has none".to_owned() } else { format!("it has {}", known.join(", ")) };
        Fault::usage(format!(
            "{} has no {what} \"{name}\", {known}{hint}; name it in \"{key}\" of the CASE.json and make the case again with mkcase",
            self.path().display()
        ))
    }
}
