//! Reading the layer beyond the walls, and the lattice with it.

use std::borrow::Cow;
use std::ops::Range;

use hematite_config::{Fault, Result};

use super::read::{Case, Stored};
use crate::extract::{Share, Source, assemble};
use crate::{GlobalLink, Lattice, Layer, Part};

impl Case {
    /// The nodes beyond the walls; none where the case was made without.
    ///
    /// # Errors
    /// A usage fault when the file is damaged.
    pub fn layer(&self) -> Result<Option<Layer>> {
        if !self.file().link_exists("layer") {
            return Ok(None);
        }
        let (reader, header) = (self.reader(), self.header());
        let group = reader.group(self.file(), "layer")?;
        let position: Vec<[i32; 3]> = reader.rows(&group, "position", None)?;
        let nodes = header.nodes + position.len();
        let dataset = reader.dataset(&group, "links", &[Some(header.set.q() - 1), Some(position.len())])?;
        let codes: Vec<i64> = reader.read("links", dataset.read_raw())?;
        let link = |&code: &i64| GlobalLink::from_code(code, nodes, 0);
        let links: Option<Vec<GlobalLink>> = codes.iter().map(link).collect();
        let near = |&[x, y, z]: &[i32; 3]| {
            let room = Layer::DEPTH as i32;
            [x, y, z].iter().zip(header.extent).all(|(&at, n)| (-room..n as i32 + room).contains(&at))
        };
        match links {
            Some(links) if nodes < GlobalLink::MAX_NODES && position.iter().all(near) => {
                let links = links.chunks(position.len().max(1)).map(<[_]>::to_vec).collect();
                Ok(Some(Layer { position, links }))
            }
            _ => Err(reader.damaged("layer", "a link leads to no node, or a node is far from the domain")),
        }
    }

    /// The whole lattice with its layer.
    ///
    /// # Errors
    /// A usage fault when the file is damaged.
    pub fn lattice_with(&self, layer: &Layer) -> Result<Lattice> {
        Ok(layer.join(self.lattice()?))
    }

    /// Whether a partition of the lattice with its layer into so many parts is there: stored, or one part.
    pub fn partition_with_layer_stored(&self, parts: usize) -> bool {
        parts == 1 || self.file().link_exists(&format!("layer/partitions/{parts}"))
    }

    /// As [`Case::part`], of the lattice with its layer.
    ///
    /// # Errors
    /// A usage fault when no such partition is stored, or the file is damaged.
    pub fn part_with(&self, layer: &Layer, parts: usize, rank: usize) -> Result<Part> {
        if rank >= parts {
            return Err(Fault::usage(format!("rank {rank} of {parts} parts")));
        }
        let fluid = self.source()?;
        let source = Joined { nodes: fluid.nodes(), inward: layer.inward(fluid.nodes()), fluid, layer };
        let share = match parts {
            1 => Share::whole(source.nodes()),
            _ => {
                let group = self.reader().group(self.file(), &format!("layer/partitions/{parts}"))?;
                self.share(&group, source.nodes(), parts, rank)?
            }
        };
        assemble(share, &source, &self.openings()?)
    }
}

/// The arrays of the lattice in the file, then those of the layer.
struct Joined<'a> {
    fluid: Stored<'a>,
    layer: &'a Layer,
    /// Number of fluid nodes.
    nodes: usize,
    /// See [`Layer::inward`].
    inward: Vec<Vec<(u32, u32)>>,
}

impl Joined<'_> {
    /// A range of nodes as one of fluid nodes and one of the layer's.
    fn split(&self, nodes: &Range<usize>) -> (Range<usize>, Range<usize>) {
        let n = self.nodes;
        (nodes.start.min(n)..nodes.end.min(n), nodes.start.max(n) - n..nodes.end.max(n) - n)
    }
}

impl Source for Joined<'_> {
    fn nodes(&self) -> usize {
        self.nodes + self.layer.nodes()
    }

    fn q(&self) -> usize {
        self.fluid.q()
    }

    fn slab(&self) -> usize {
        self.fluid.slab()
    }

    fn positions(&self, nodes: Range<usize>) -> Result<Cow<'_, [[i32; 3]]>> {
        let (fluid, beyond) = self.split(&nodes);
        let mut positions = if fluid.is_empty() { Vec::new() } else { self.fluid.positions(fluid)?.into_owned() };
        positions.extend(&self.layer.position[beyond]);
        Ok(Cow::Owned(positions))
    }

    fn links(&self, i: usize, nodes: Range<usize>) -> Result<Cow<'_, [GlobalLink]>> {
        let (fluid, beyond) = self.split(&nodes);
        let mut links = if fluid.is_empty() { Vec::new() } else { self.fluid.links(i, fluid.clone())?.into_owned() };
        let inward = &self.inward[i - 1];
        let from = inward.partition_point(|&(node, _)| (node as usize) < fluid.start);
        for &(node, to) in inward[from..].iter().take_while(|&&(node, _)| (node as usize) < fluid.end) {
            links[node as usize - fluid.start] = GlobalLink::to_node(to);
        }
        links.extend(&self.layer.links[i - 1][beyond]);
        Ok(Cow::Owned(links))
    }
}
