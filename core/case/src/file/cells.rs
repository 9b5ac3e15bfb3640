//! Populations of cells in a case file, written and read.

use hdf5::{File, Group};
use hematite_cells::{RigidShape, Surface};
use hematite_config::Result;

use super::header::{PopulationHeader, Reader};
use super::read::Case;
use super::write::Out;
use crate::{Placed, Population};

impl Out<'_> {
    /// Writes `/cells`; nothing where there are no populations.
    pub fn populations(&self, file: &File, populations: &[Population]) -> Result<()> {
        if populations.is_empty() {
            return Ok(());
        }
        let cells = self.group(file, "cells")?;
        for (k, population) in populations.iter().enumerate() {
            self.population(&self.group(&cells, &k.to_string())?, population)?;
        }
        Ok(())
    }

    fn population(&self, group: &Group, population: &Population) -> Result<()> {
        self.text(group, "name", &population.name)?;
        self.json(group, "shape", &population.shape)?;
        self.json(group, "mechanics", &population.mechanics)?;
        self.json(group, "report", &population.report)?;
        self.number(group, "first", population.first)?;
        if let Some(body) = &population.rigid {
            self.vector(group, "semi_axes", body.semi_axes)?;
        }
        self.rows(group, "vertices", &population.surface.vertices)?;
        self.rows(group, "triangles", &population.surface.triangles)?;
        let cells = || population.cells.iter();
        self.rows(group, "centre", &cells().map(|cell| cell.centre).collect::<Vec<_>>())?;
        self.rows(group, "orientation", &cells().map(|cell| cell.orientation).collect::<Vec<_>>())?;
        self.array(group, "scale", &cells().map(|cell| cell.scale).collect::<Vec<_>>())
    }
}

impl Reader<'_> {
    /// The populations of a file without their cells.
    pub fn population_headers(&self, file: &File) -> Result<Vec<PopulationHeader>> {
        if !file.link_exists("cells") {
            return Ok(Vec::new());
        }
        let cells = self.group(file, "cells")?;
        let header = |k: u64| {
            let group = self.group(&cells, &k.to_string())?;
            Ok(PopulationHeader {
                rigid: group.attr("semi_axes").is_ok(),
                name: self.text(&group, "name")?,
                cells: self.dataset(&group, "centre", &[None, Some(3)])?.shape()[0],
                vertices: self.dataset(&group, "vertices", &[None, Some(3)])?.shape()[0],
            })
        };
        (0..cells.len()).map(header).collect()
    }
}

impl Case {
    /// The populations with their cells; none where the case was made without.
    ///
    /// # Errors
    /// A usage fault when the file is damaged.
    pub fn populations(&self) -> Result<Vec<Population>> {
        let mut first = 0;
        let mut populations = Vec::with_capacity(self.header().populations.len());
        for (k, header) in self.header().populations.iter().enumerate() {
            let population = self.population(k, header, first)?;
            first += population.cells.len() as u64;
            populations.push(population);
        }
        Ok(populations)
    }

    fn population(&self, k: usize, held: &PopulationHeader, first: u64) -> Result<Population> {
        let reader = self.reader();
        let name = format!("cells/{k}");
        let damaged = |why: &str| reader.damaged(&name, why);
        let group = reader.group(self.file(), &name)?;
        let dimension = self.header().set.dimension();
        let vertices: Vec<[f64; 3]> = reader.rows(&group, "vertices", Some(held.vertices))?;
        let triangles: Vec<[u32; 3]> = reader.rows(&group, "triangles", None)?;
        let finite = |numbers: &[f64]| numbers.iter().all(|x| x.is_finite());
        let flat = dimension == 2;
        if vertices.len() < 3 || !finite(vertices.as_flattened()) || triangles.is_empty() != flat {
            return Err(damaged(&format!("its shape is no surface in {dimension}-D")));
        }
        if triangles.as_flattened().iter().any(|&v| v as usize >= vertices.len()) {
            return Err(damaged("a triangle has a corner past the vertices"));
        }
        let centre: Vec<[f64; 3]> = reader.rows(&group, "centre", Some(held.cells))?;
        let orientation: Vec<[f64; 4]> = reader.rows(&group, "orientation", Some(held.cells))?;
        let scale: Vec<f64> = reader.array(&group, "scale", Some(held.cells))?;
        let turned = |q: &[f64; 4]| (q.iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-6;
        if !finite(centre.as_flattened()) || !orientation.iter().all(turned) {
            return Err(damaged("a cell is nowhere, or turned by no rotation"));
        }
        let header = self.header();
        let inside = |at: &[f64; 3]| {
            (0..dimension).filter(|&k| !header.periodic[k]).all(|k| {
                let sites = (at[k] - header.origin[k]) / header.spacing;
                (0.0..=header.extent[k] as f64).contains(&sites)
            })
        };
        if !centre.iter().all(inside) {
            return Err(damaged("a cell is outside of the domain"));
        }
        if !scale.iter().all(|&scale| scale > 0.0 && scale <= 1.0) {
            return Err(damaged("the scale of a cell is not above 0 and at most 1"));
        }
        if reader.number::<u64>(&group, "first")? != first {
            return Err(damaged("its cells do not follow those before it"));
        }
        let rigid = match held.rigid {
            true => Some(RigidShape { semi_axes: reader.vector(&group, "semi_axes")? }),
            false => None,
        };
        if let Some(body) = rigid {
            let long = |axis: f64| axis > 0.0 && axis.is_finite();
            if flat || !body.semi_axes.into_iter().all(long) || scale.iter().any(|&scale| scale != 1.0) {
                return Err(damaged("its rigid bodies have semi-axes that cannot be, or are not at full size"));
            }
        }
        let cells = centre.into_iter().zip(orientation).zip(scale);
        Ok(Population {
            name: held.name.clone(),
            shape: reader.json(&group, "shape")?,
            surface: Surface { dimension, vertices, triangles },
            rigid,
            mechanics: reader.json(&group, "mechanics")?,
            first,
            cells: cells.map(|((centre, orientation), scale)| Placed { centre, orientation, scale }).collect(),
            report: reader.json(&group, "report")?,
        })
    }
}
