//! The case of a run, and this rank's part of it.

use std::ops::Range;
use std::path::PathBuf;

use hematite_case::{Case, Header, Lattice, Layer, NodeId, Part, Population};
use hematite_config::Result;
use hematite_dump::Grid;

use crate::Space;
use crate::passage::Openings;

/// The case of a run and this rank's part of it.
pub struct Ground {
    /// Absolute path of the case file.
    pub case: PathBuf,
    /// The header of the case.
    pub header: Header,
    /// The cells and bodies of the case.
    pub populations: Vec<Population>,
    /// The openings of the case; `None` if it holds no cells or bodies.
    pub openings: Option<Openings>,
    /// The nodes beyond the walls, if these are immersed.
    pub layer: Option<Layer>,
    /// This rank's part, including nodes of `layer`.
    pub part: Part,
}

impl Ground {
    /// Opens the case file.
    ///
    /// # Errors
    /// A usage fault when it is damaged.
    pub fn file(&self) -> Result<Case> {
        Case::open(&self.case)
    }

    /// Reads the whole lattice, with the nodes beyond immersed walls.
    ///
    /// # Errors
    /// A usage fault when the case is damaged.
    pub fn lattice(&self) -> Result<Lattice> {
        match &self.layer {
            Some(layer) => self.file()?.lattice_with(layer),
            None => self.file()?.lattice(),
        }
    }

    /// 2 or 3.
    pub fn dimension(&self) -> usize {
        self.header.set.dimension()
    }

    /// Global numbers of the part's own nodes.
    pub fn own_ids(&self) -> &[NodeId] {
        &self.part.id[..self.part.own]
    }

    /// Positions of the part's own nodes.
    pub fn own_positions(&self) -> &[[i32; 3]] {
        &self.part.position[..self.part.own]
    }

    /// Global numbers of the part's nodes at an opening.
    pub fn opening_ids(&self, opening: usize) -> Vec<NodeId> {
        self.part.openings[opening].iter().map(|node| self.part.id[node.node as usize]).collect()
    }

    /// Whether node `n` of the part is in the layer beyond the walls.
    pub fn is_beyond_walls(&self, n: usize) -> bool {
        self.part.id[n].0 as usize >= self.header.nodes
    }

    /// Ranges of own nodes that are fluid nodes of the case, not in the layer beyond its walls: in the interior, then
    /// at the interface.
    pub fn fluid_nodes(&self) -> [Range<usize>; 2] {
        let fluid = |nodes: Range<usize>| {
            let count = self.part.id[nodes.clone()].partition_point(|id| (id.0 as usize) < self.header.nodes);
            nodes.start..nodes.start + count
        };
        [fluid(0..self.part.interior), fluid(self.part.interior..self.part.own)]
    }

    /// Ranges of own nodes in the layer beyond the walls: in the interior, then at the interface.
    pub fn layer_nodes(&self) -> [Range<usize>; 2] {
        let [interior, interface] = self.fluid_nodes();
        [interior.end..self.part.interior, interface.end..self.part.own]
    }

    /// The fluid nodes of the part, for dumps, by local number.
    pub fn grid(&self) -> Grid {
        let (header, part) = (&self.header, &self.part);
        let [interior, interface] = self.fluid_nodes();
        Grid {
            dimension: self.dimension(),
            spacing: header.spacing,
            origin: header.origin,
            id: [&part.id[interior.clone()], &part.id[interface.clone()]].concat(),
            position: [&part.position[interior], &part.position[interface]].concat(),
        }
    }

    /// Local numbers of the part's nodes in a region of the case, ascending: own nodes, then those of the halo.
    ///
    /// # Errors
    /// A usage fault when the case has no such region, with the names of its regions, or is damaged.
    pub fn region(&self, name: &str) -> Result<Vec<u32>> {
        Ok(self.file()?.region(name)?.within(&self.part))
    }

    /// The values of a field of the case at the part's nodes, own and halo, in SI; NaN at nodes beyond immersed walls.
    ///
    /// # Errors
    /// A usage fault when the case has no such field, with the names of its fields, or is damaged.
    pub fn field(&self, name: &str) -> Result<Vec<f64>> {
        self.file()?.field_at(name, &self.part.id)
    }

    /// A test of own nodes, for distances from walls: whether a node is in the fluid, not in the layer beyond immersed
    /// walls.
    pub fn within_walls(&self) -> impl Fn(u32) -> bool + Sync {
        |node| !self.is_beyond_walls(node as usize)
    }

    /// A test of sites next to fluid: whether a site is in an opening, not in the wall.
    pub fn open_sites(&self) -> impl Fn([i32; 3]) -> bool + Sync + use<> {
        let open = self.openings.as_ref().map(Openings::sites_behind).unwrap_or_default();
        move |site| open.contains(&site)
    }

    /// The space of the domain, for conversions between lattice units, metres and periods.
    pub fn space(&self) -> Space {
        let Header { extent, periodic, origin, spacing, .. } = self.header;
        Space { dimension: self.dimension(), extent, periodic, origin, spacing }
    }
}
