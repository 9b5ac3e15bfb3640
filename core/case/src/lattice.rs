//! The whole lattice in memory: fluid nodes in scan order and where their links lead.

use std::ops::Range;
use std::sync::Arc;

use hematite_config::{Fault, Result};
use hematite_geometry::{Domain, Marking, Site, Surface};
use rayon::prelude::*;

use crate::{GlobalLink, NodeField, NodeId, Opening, Region, VelocitySet, WallPart, opening, wall_part};

/// The sparse lattice of a whole case. Global node numbers index every array: fluid sites in scan order, x fastest.
#[derive(Clone, Debug)]
pub struct Lattice {
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
    /// Site of each node in the domain, z = 0 in 2-D.
    pub position: Vec<[i32; 3]>,
    /// Links, one array a direction: `links[i - 1][n]` is where c_i leads from node n.
    pub links: Vec<Vec<GlobalLink>>,
    /// The openings, in config order.
    pub openings: Vec<Opening>,
    /// Named parts of the wall, in config order.
    pub wall_parts: Vec<WallPart>,
    /// Named sets of nodes, in config order.
    pub regions: Vec<Region>,
    /// Numbers a node, by name.
    pub fields: Vec<NodeField>,
    /// The surface that the fluid is within, in units of sites, where the case is being made of one; files do not hold it.
    pub surface: Option<Arc<Surface>>,
    /// What the geometry says of itself.
    pub geometry: hematite_geometry::Report,
}

impl Lattice {
    /// Numbers the fluid sites of a domain and links them; finds the nodes of its openings.
    ///
    /// # Errors
    /// A usage fault when the domain holds no fluid, too many nodes, fluid at an unpadded edge, or an opening or a named
    /// part of the wall that touches no fluid.
    pub fn build(domain: &Domain) -> Result<Self> {
        check(domain)?;
        let set = VelocitySet::of_dimension(domain.dimension);
        let starts = row_starts(domain)?;
        let nodes = starts[starts.len() - 1] as usize;
        let rows = starts.len() - 1;
        let step = rows.div_ceil(256).max(1);
        let slabs: Vec<Range<usize>> = (0..rows).step_by(step).map(|row| row..(row + step).min(rows)).collect();

        let mut position = vec![[0; 3]; nodes];
        let pieces = split(&mut position, &starts, &slabs);
        slabs.par_iter().zip(pieces).for_each(|(rows, piece)| place(domain, rows.clone(), piece));

        let mut links: Vec<_> = (1..set.q()).into_par_iter().map(|_| vec![GlobalLink::WALL; nodes]).collect();
        let mut pieces: Vec<Vec<&mut [GlobalLink]>> = slabs.iter().map(|_| Vec::new()).collect();
        for direction in &mut links {
            for (all, piece) in pieces.iter_mut().zip(split(direction, &starts, &slabs)) {
                all.push(piece);
            }
        }
        let linker = Linker { domain, starts: &starts, position: &position, velocities: &set.velocities() };
        slabs.par_iter().zip(pieces).try_for_each(|(rows, mut piece)| linker.link(rows.clone(), &mut piece))?;

        let mut lattice = Self {
            set,
            spacing: domain.spacing,
            origin: domain.origin,
            extent: domain.extent,
            periodic: domain.periodic,
            position,
            links,
            openings: Vec::new(),
            wall_parts: Vec::new(),
            regions: Vec::new(),
            fields: Vec::new(),
            surface: domain.surface.clone(),
            geometry: domain.report.clone(),
        };
        lattice.openings = opening::find(&lattice, &domain.openings)?;
        lattice.wall_parts = wall_part::find(&lattice, domain)?;
        Ok(lattice)
    }

    /// Finds the nodes of its regions and the values of its fields.
    ///
    /// # Errors
    /// Those of [`Marking::regions`] and [`Marking::fields`].
    pub fn mark(&mut self, marking: &Marking) -> Result<()> {
        let regions = marking.regions(&self.position)?;
        let fields = marking.fields(&self.position, &regions)?;
        let ids = |nodes: Vec<u32>| nodes.into_iter().map(|n| NodeId(n.into()));
        self.regions = regions.into_iter().map(|region| Region::new(&region.name, ids(region.nodes))).collect();
        let field = |field: hematite_geometry::FieldValues| NodeField {
            name: field.name,
            unit: field.unit,
            values: field.values,
        };
        self.fields = fields.into_iter().map(field).collect();
        Ok(())
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.position.len()
    }

    /// The nodes that node `n` links to, one for each such link.
    pub fn neighbours(&self, n: usize) -> impl Iterator<Item = u32> + '_ {
        self.links.iter().filter_map(move |direction| direction[n].node())
    }
}

fn check(domain: &Domain) -> Result<()> {
    let sites = domain.extent.iter().try_fold(1_usize, |product, &n| product.checked_mul(n));
    if !(2..=3).contains(&domain.dimension)
        || sites != Some(domain.sites.len())
        || domain.extent.iter().any(|&n| n == 0 || n > i32::MAX as usize)
        || (domain.dimension == 2 && domain.extent[2] != 1)
        || domain.openings.len() > Site::MAX_OPENINGS
    {
        return Err(Fault::usage(format!(
            "domain of {:?} sites in {} dimensions with {} openings: not a lattice (2 or 3 dimensions, each below 2^31 \
             sites, at most {} openings)",
            domain.extent,
            domain.dimension,
            domain.openings.len(),
            Site::MAX_OPENINGS
        )));
    }
    Ok(())
}

/// Number of the first node of each row (y, z), and the number of nodes behind the last.
fn row_starts(domain: &Domain) -> Result<Vec<u32>> {
    let count = |row: &[Site]| row.iter().filter(|&&site| site == Site::FLUID).count();
    let counts: Vec<usize> = domain.sites.par_chunks(domain.extent[0]).map(count).collect();
    let nodes: usize = counts.iter().sum();
    if nodes == 0 {
        return Err(Fault::usage(
            "the domain holds no fluid node; check threshold, inversion and openings of the geometry",
        ));
    }
    if nodes >= GlobalLink::MAX_NODES {
        return Err(Fault::usage(format!(
            "the domain holds {nodes} fluid nodes, a case at most {}; coarsen the lattice or crop the geometry",
            GlobalLink::MAX_NODES
        )));
    }
    let mut starts = Vec::with_capacity(counts.len() + 1);
    starts.push(0);
    let mut start = 0;
    for count in counts {
        start += count as u32;
        starts.push(start);
    }
    Ok(starts)
}

/// Cuts an array over nodes at the borders of slabs of rows.
fn split<'a, T>(mut rest: &'a mut [T], starts: &[u32], slabs: &[Range<usize>]) -> Vec<&'a mut [T]> {
    let mut pieces = Vec::with_capacity(slabs.len());
    for rows in slabs {
        let (piece, tail) = rest.split_at_mut((starts[rows.end] - starts[rows.start]) as usize);
        pieces.push(piece);
        rest = tail;
    }
    pieces
}

fn place(domain: &Domain, rows: Range<usize>, piece: &mut [[i32; 3]]) {
    let [nx, ny, _] = domain.extent;
    let fluid = rows.flat_map(|row| {
        let sites = domain.sites[row * nx..(row + 1) * nx].iter().enumerate();
        sites
            .filter(|&(_, &site)| site == Site::FLUID)
            .map(move |(x, _)| [x as i32, (row % ny) as i32, (row / ny) as i32])
    });
    for (position, at) in piece.iter_mut().zip(fluid) {
        *position = at;
    }
}

struct Linker<'a> {
    domain: &'a Domain,
    starts: &'a [u32],
    position: &'a [[i32; 3]],
    velocities: &'a [[i32; 3]],
}

impl Linker<'_> {
    /// Links the nodes of some rows; `piece[i - 1]` holds their links along c_i.
    fn link(&self, rows: Range<usize>, piece: &mut [&mut [GlobalLink]]) -> Result<()> {
        let base = self.starts[rows.start] as usize;
        for row in rows {
            let own = self.starts[row] as usize..self.starts[row + 1] as usize;
            for (links, &c) in piece.iter_mut().zip(&self.velocities[1..]) {
                self.link_row(own.clone(), c, &mut links[own.start - base..own.end - base])?;
            }
        }
        Ok(())
    }

    /// Links the nodes `own` of one row along `c`. Sites ascend along the row and so do their targets, so one cursor
    /// over the target row finds every number without a map of the domain.
    fn link_row(&self, own: Range<usize>, c: [i32; 3], links: &mut [GlobalLink]) -> Result<()> {
        let Some(&[_, y, z]) = self.position.get(own.start).filter(|_| !own.is_empty()) else { return Ok(()) };
        let [nx, ny, _] = self.domain.extent;
        let mut cursor = None;
        for (n, link) in own.zip(links) {
            let x = self.position[n][0];
            let Some(to) = self.domain.neighbour([x as usize, y as usize, z as usize], c) else {
                return Err(Fault::usage(format!(
                    "the fluid site ({x}, {y}, {z}) lies at the edge of a direction that is not periodic; a domain is \
                     padded by one layer of wall there"
                )));
            };
            let row = to[2] * ny + to[1];
            let site = self.domain.sites[row * nx + to[0]];
            *link = if site == Site::FLUID {
                let target = if to[0] as i32 == x + c[0] {
                    let cursor = cursor.get_or_insert(self.starts[row]);
                    while self.position[*cursor as usize][0] < to[0] as i32 {
                        *cursor += 1;
                    }
                    *cursor
                } else if c[0] > 0 {
                    self.starts[row]
                } else {
                    self.starts[row + 1] - 1
                };
                GlobalLink::to_node(target)
            } else if let Some(k) = site.as_opening() {
                if k >= self.domain.openings.len() {
                    return Err(Fault::usage(format!(
                        "site {to:?} belongs to opening {k}, which the domain does not list"
                    )));
                }
                GlobalLink::to_opening(k)
            } else {
                GlobalLink::WALL
            };
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn links_agree_with_the_dense_domain_and_return() {
        for seed in 0..24 {
            let domain = fixture::random(seed);
            let lattice = Lattice::build(&domain).expect("builds");
            let c = lattice.set.velocities();
            let number = |at: [usize; 3]| {
                let at = at.map(|i| i as i32);
                lattice.position.iter().position(|&p| p == at).expect("a node") as u32
            };
            assert_eq!(lattice.nodes(), domain.sites.iter().filter(|&&s| s == Site::FLUID).count());
            for (n, at) in lattice.position.iter().enumerate() {
                for (i, &c) in c.iter().enumerate().skip(1) {
                    let to = domain.neighbour(at.map(|i| i as usize), c).expect("padded");
                    let link = lattice.links[i - 1][n];
                    match domain.sites[domain.index(to)] {
                        Site::FLUID => {
                            assert_eq!(link.node(), Some(number(to)), "seed {seed}");
                            let m = number(to) as usize;
                            assert_eq!(lattice.links[VelocitySet::opposite(i) - 1][m].node(), Some(n as u32));
                        }
                        site => assert_eq!((link.opening(), link.is_wall()), (site.as_opening(), site == Site::WALL)),
                    }
                }
            }
        }
    }

    #[test]
    fn refuses_fluid_at_an_edge_and_an_empty_domain() {
        let mut domain = fixture::channel(4, 3);
        domain.sites[0] = Site::FLUID;
        assert!(Lattice::build(&domain).expect_err("edge").message.contains("edge"));
        domain.sites.fill(Site::WALL);
        assert!(Lattice::build(&domain).expect_err("empty").message.contains("no fluid"));
    }
}
