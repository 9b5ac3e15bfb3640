//! The distance of nodes and other points from the nearest wall.

use hematite_cells::vector::{dot, minus, times};
use rayon::prelude::*;
use rstar::primitives::GeomWithData;
use rstar::{PointDistance, RTree};

use crate::lookup::Nodes;
use crate::wall::WallSite;

/// The wall points below the wall sites, in a tree.
///
/// The distance of a point from the wall is that from the nearest wall point. Where the point lies above that wall
/// point to within a lattice spacing sideways, it is the distance from the tangent plane there.
pub struct Walls<'a> {
    nodes: &'a Nodes<'a>,
    sites: &'a [WallSite],
    tree: RTree<GeomWithData<[f64; 3], usize>>,
}

impl<'a> Walls<'a> {
    /// The wall points below `sites`.
    pub fn new(nodes: &'a Nodes<'a>, sites: &'a [WallSite]) -> Self {
        let foot =
            |site: &WallSite| minus(nodes.grid().position[site.node].map(f64::from), times(site.distance, site.normal));
        let feet = sites.iter().enumerate().map(|(k, site)| GeomWithData::new(foot(site), k));
        Self { nodes, sites, tree: RTree::bulk_load(feet.collect()) }
    }

    /// Distance of the lattice coordinate `x` from the wall, in lattice spacings, and the unit normal of the nearest
    /// wall; `None` where there is no wall.
    pub fn nearest(&self, x: [f64; 3]) -> Option<(f64, [f64; 3])> {
        let mut nearest: Option<(f64, [f64; 3])> = None;
        for x in images(self.nodes, x) {
            // From here all wall points are farther, also where a tangent plane counts: that is nearer by a sideways
            // spacing.
            let square = self.tree.root().envelope().distance_2(&x);
            if nearest.is_some_and(|(distance, _)| square >= distance * distance + 1.0) {
                continue;
            }
            let found = self.nearest_of(x);
            nearest = nearest.into_iter().chain(found).min_by(|a, b| a.0.total_cmp(&b.0));
        }
        nearest.map(|(distance, normal)| (distance.max(0.0), normal))
    }

    fn nearest_of(&self, x: [f64; 3]) -> Option<(f64, [f64; 3])> {
        let found = self.tree.nearest_neighbor(&x)?;
        let (foot, normal) = (*found.geom(), self.sites[found.data].normal);
        let above = dot(minus(x, foot), normal);
        let square = found.distance_2(&x);
        let sideways = square - above * above;
        Some((if sideways <= 1.0 && above > 0.0 { above } else { square.sqrt() }, normal))
    }
}

/// Distance of each node from the wall in metres; empty where there is no wall.
pub fn wall_distances(nodes: &Nodes, sites: &[WallSite]) -> Vec<f64> {
    if sites.is_empty() {
        return Vec::new();
    }
    let walls = Walls::new(nodes, sites);
    let distance = |p: &[i32; 3]| walls.nearest(p.map(f64::from)).map_or(f64::INFINITY, |(distance, _)| distance);
    nodes.grid().position.par_iter().map(|p| distance(p) * nodes.grid().spacing).collect()
}

/// A lattice position and its images across the periodic faces.
fn images(nodes: &Nodes, x: [f64; 3]) -> impl Iterator<Item = [f64; 3]> {
    let shifts = nodes.period().map(|period| match period {
        Some(period) => vec![0.0, -(period as f64), period as f64],
        None => vec![0.0],
    });
    let [along_x, along_y, along_z] = shifts;
    along_x.into_iter().flat_map(move |sx| {
        let along_z = along_z.clone();
        along_y
            .clone()
            .into_iter()
            .flat_map(move |sy| along_z.clone().into_iter().map(move |sz| [x[0] + sx, x[1] + sy, x[2] + sz]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{channel, grid_of};

    #[test]
    fn a_channel_and_its_images() {
        let grid = channel(5, 8, 0.5);
        let nodes = Nodes::new(&grid).expect("nodes").wrapped([5, 10, 1], [true, false, false]);
        // Wall points at one column only: nodes of others find them through the periodic face or along the wall.
        let site = |y: i32, up: f64| WallSite {
            node: nodes.at([0, i64::from(y), 0]).expect("there"),
            normal: [0.0, up, 0.0],
            distance: 0.5,
            near_opening: false,
        };
        let distances = wall_distances(&nodes, &[site(1, 1.0), site(8, -1.0)]);
        for (p, d) in grid.position.iter().zip(&distances) {
            let across = f64::from((p[1] - 1).min(8 - p[1])) + 0.5;
            let along = f64::from(p[0].min(5 - p[0]));
            let wanted = if along <= 1.0 { across } else { across.hypot(along) };
            assert!((d - 0.5 * wanted).abs() < 1e-12, "{p:?} {d}");
        }
        assert!(wall_distances(&nodes, &[]).is_empty());
    }

    #[test]
    fn a_disc_to_a_fraction_of_a_spacing() {
        let r = 20.0;
        let inside = |p: &[i32; 3]| f64::from(p[0]).hypot(f64::from(p[1])) < r;
        let grid = grid_of(2, 1.0, (-20..=20).flat_map(|y| (-20..=20).map(move |x| [x, y, 0])).filter(inside));
        let nodes = Nodes::new(&grid).expect("nodes");
        let sites: Vec<WallSite> = (0..grid.position.len())
            .filter_map(|node| {
                let [x, y] = [0, 1].map(|a| f64::from(grid.position[node][a]));
                let from = x.hypot(y);
                (from > r - 1.5).then(|| WallSite {
                    node,
                    normal: [-x / from, -y / from, 0.0],
                    distance: r - from,
                    near_opening: false,
                })
            })
            .collect();
        for (p, d) in grid.position.iter().zip(wall_distances(&nodes, &sites)) {
            let wanted = r - f64::from(p[0]).hypot(f64::from(p[1]));
            assert!((d - wanted).abs() < 0.05, "{p:?}: {d} {wanted}");
        }
    }
}
