//! The distance of every node from the nearest wall.

use rstar::primitives::GeomWithData;
use rstar::{PointDistance, RTree};

use crate::lookup::Nodes;
use crate::wss::WallSite;

/// Distance of each node from the wall in metres; empty where there is no wall.
///
/// The nearest wall point is found in a tree of those below the wall sites. Where the node lies above that point to within
/// a lattice spacing sideways, the distance is the one from the tangent plane there, else the one from the point.
pub fn wall_distances(nodes: &Nodes, sites: &[WallSite]) -> Vec<f64> {
    if sites.is_empty() {
        return Vec::new();
    }
    let place = |n: usize| nodes.grid().position[n].map(f64::from);
    let foot = |site: &WallSite| -> [f64; 3] {
        let at = place(site.node);
        std::array::from_fn(|a| at[a] - site.distance * site.normal[a])
    };
    let tree = RTree::bulk_load(
        sites.iter().enumerate().map(|(k, site)| GeomWithData::new(foot(site), k)).collect::<Vec<_>>(),
    );
    (0..nodes.grid().position.len())
        .map(|n| {
            let distance =
                images(nodes, place(n)).filter_map(|x| nearest(&tree, sites, x)).fold(f64::INFINITY, f64::min);
            distance.max(0.0) * nodes.grid().spacing
        })
        .collect()
}

fn nearest(tree: &RTree<GeomWithData<[f64; 3], usize>>, sites: &[WallSite], x: [f64; 3]) -> Option<f64> {
    let found = tree.nearest_neighbor(&x)?;
    let (foot, normal) = (*found.geom(), sites[found.data].normal);
    let above: f64 = (0..3).map(|a| (x[a] - foot[a]) * normal[a]).sum();
    let square = found.distance_2(&x);
    let sideways = square - above * above;
    Some(if sideways <= 1.0 && above > 0.0 { above } else { square.sqrt() })
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
        // Wall points at one column only: others find it through the periodic face or along the wall.
        let site = |y: i32, up: f64| WallSite {
            node: nodes.at([0, i64::from(y), 0]).expect("there"),
            normal: [0.0, up, 0.0],
            distance: 0.5,
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
                (from > r - 1.5).then(|| WallSite { node, normal: [-x / from, -y / from, 0.0], distance: r - from })
            })
            .collect();
        for (p, d) in grid.position.iter().zip(wall_distances(&nodes, &sites)) {
            let wanted = r - f64::from(p[0]).hypot(f64::from(p[1]));
            assert!((d - wanted).abs() < 0.05, "{p:?}: {d} {wanted}");
        }
    }
}
