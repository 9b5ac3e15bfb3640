//! Wall shear stress: the tangential part of the viscous traction, extrapolated to the wall.

use hematite_cells::vector::{dot, length, minus, times};
use hematite_config::Result;
use serde::Serialize;

use crate::lookup::{Nodes, Stencil, fits};
use crate::number::exact;
use crate::table::Table;

/// A fluid node beside the wall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WallSite {
    /// Number of the node in the grid.
    pub node: usize,
    /// Unit normal of the wall, into the fluid.
    pub normal: [f64; 3],
    /// Distance of the node from the wall along the normal, in lattice spacings.
    pub distance: f64,
}

impl WallSite {
    /// The point of the wall below the node, m.
    pub(crate) fn foot(&self, nodes: &Nodes) -> [f64; 3] {
        let (centre, spacing) = (nodes.centre(self.node), nodes.grid().spacing);
        minus(centre, times(self.distance * spacing, self.normal))
    }

    /// What `value` finds at the nearest point along the normal that is surrounded by fluid, and its distance from the node in
    /// lattice spacings. A point with solid corners would bend what is linear.
    pub(crate) fn further_in<T>(&self, nodes: &Nodes, value: impl Fn(&Stencil) -> T) -> Option<(f64, T)> {
        let at = nodes.grid().position[self.node];
        [1.0, 1.25, 1.5, 2.0].into_iter().find_map(|step| {
            let x = std::array::from_fn(|a| f64::from(at[a]) + step * self.normal[a]);
            let stencil = nodes.stencil(x).filter(|stencil| stencil.covered > 1.0 - 1e-6)?;
            Some((step, value(&stencil)))
        })
    }
}

/// The shear stress at one point of the wall, in SI.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WallStress {
    /// The point of the wall below the node, m.
    pub point: [f64; 3],
    /// Unit normal into the fluid.
    pub normal: [f64; 3],
    /// Distance of the node from the wall, m.
    pub distance: f64,
    /// Tangential traction, Pa; it points with the flow.
    pub traction: [f64; 3],
    /// Its size, Pa.
    pub size: f64,
    /// Whether it was extrapolated to the wall; else it is that of the node.
    pub extrapolated: bool,
}

/// Wall shear stress, or pressure, over all wall nodes, each of the same area, in Pa.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Statistics {
    /// Wall points.
    pub points: usize,
    /// Points whose stress is that of the node, for lack of fluid further in.
    pub not_extrapolated: usize,
    /// Smallest.
    pub min_pa: f64,
    /// Mean.
    pub mean_pa: f64,
    /// Median.
    pub median_pa: f64,
    /// 95th percentile.
    pub p95_pa: f64,
    /// 99th percentile.
    pub p99_pa: f64,
    /// Largest.
    pub max_pa: f64,
}

/// The wall shear stress at every site: with the traction `t = sigma . n`, `wss = |t - (t . n) n|`.
///
/// `stress` holds xx, yy, zz, xy, yz, xz a node, in Pa. The tangential traction at the node and at a point further
/// in along the normal, interpolated between nodes, is extrapolated linearly to the wall.
///
/// # Errors
/// A usage fault when `stress` does not fit the grid.
pub fn wall_shear_stress(nodes: &Nodes, sites: &[WallSite], stress: &[f64]) -> Result<Vec<WallStress>> {
    fits(nodes.grid(), "shear stress", stress, 6)?;
    Ok(sites.iter().map(|site| at_site(nodes, site, stress)).collect())
}

fn at_site(nodes: &Nodes, site: &WallSite, stress: &[f64]) -> WallStress {
    let grid = nodes.grid();
    let normal = site.normal;
    let here = tangential(std::array::from_fn(|c| stress[6 * site.node + c]), normal);
    let there = |stencil: &Stencil| tangential(std::array::from_fn(|c| stencil.value(stress, 6, c)), normal);
    let inner = site.further_in(nodes, there);
    let traction = inner
        .map_or(here, |(step, there)| std::array::from_fn(|c| here[c] + (here[c] - there[c]) * site.distance / step));
    WallStress {
        point: site.foot(nodes),
        normal,
        distance: site.distance * grid.spacing,
        traction,
        size: length(traction),
        extrapolated: inner.is_some(),
    }
}

/// `t - (t . n) n` with `t = sigma . n`, sigma as xx, yy, zz, xy, yz, xz.
fn tangential([xx, yy, zz, xy, yz, xz]: [f64; 6], n: [f64; 3]) -> [f64; 3] {
    let t = [xx * n[0] + xy * n[1] + xz * n[2], xy * n[0] + yy * n[1] + yz * n[2], xz * n[0] + yz * n[1] + zz * n[2]];
    minus(t, times(dot(t, n), n))
}

/// Statistics over the finite stresses; `None` where there are none.
pub fn statistics(stresses: &[WallStress]) -> Option<Statistics> {
    over(stresses.iter().map(|s| s.size), stresses.iter().filter(|s| !s.extrapolated).count())
}

/// Statistics over the finite `values` at all wall points, of which so many were not extrapolated.
pub(crate) fn over(values: impl ExactSizeIterator<Item = f64>, not_extrapolated: usize) -> Option<Statistics> {
    let points = values.len();
    let mut sorted: Vec<f64> = values.filter(|v| v.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let (&min, &max) = (sorted.first()?, sorted.last()?);
    Some(Statistics {
        points,
        not_extrapolated,
        min_pa: min,
        mean_pa: sorted.iter().sum::<f64>() / sorted.len() as f64,
        median_pa: percentile(&sorted, 0.5),
        p95_pa: percentile(&sorted, 0.95),
        p99_pa: percentile(&sorted, 0.99),
        max_pa: max,
    })
}

/// The percentile of ascending values, linear between neighbours.
fn percentile(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let below = place.floor() as usize;
    let above = (below + 1).min(sorted.len() - 1);
    sorted[below] + (place - below as f64) * (sorted[above] - sorted[below])
}

/// The stresses as a table, one wall point a row.
pub fn table(stresses: &[WallStress]) -> Table {
    let mut table = Table::new([
        "x_m",
        "y_m",
        "z_m",
        "normal_x",
        "normal_y",
        "normal_z",
        "node_distance_m",
        "traction_x_Pa",
        "traction_y_Pa",
        "traction_z_Pa",
        "wall_shear_stress_Pa",
        "extrapolated",
    ]);
    for s in stresses {
        let mut row: Vec<String> = s.point.iter().chain(&s.normal).map(|&v| exact(v)).collect();
        row.push(exact(s.distance));
        row.extend(s.traction.map(exact));
        row.push(exact(s.size));
        row.push(u8::from(s.extrapolated).to_string());
        table.push(row);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{channel, duct, grid_of};

    #[test]
    fn poiseuille_is_exact_at_both_walls() {
        let (height, dx, g) = (20, 5e-6, 2000.0);
        let grid = channel(6, height, dx);
        let nodes = Nodes::new(&grid).expect("nodes");
        let h = f64::from(height) * dx;
        // sigma_xy = mu du/dy = G (H/2 - (y - wall)).
        let stress: Vec<f64> = (0..grid.position.len())
            .flat_map(|n| [0.0, 0.0, 0.0, g * (0.5 * h - (nodes.centre(n)[1] - dx)), 0.0, 0.0])
            .collect();
        let sites: Vec<WallSite> = (0..grid.position.len())
            .filter_map(|node| match grid.position[node][1] {
                1 => Some(WallSite { node, normal: [0.0, 1.0, 0.0], distance: 0.5 }),
                20 => Some(WallSite { node, normal: [0.0, -1.0, 0.0], distance: 0.5 }),
                _ => None,
            })
            .collect();
        let stresses = wall_shear_stress(&nodes, &sites, &stress).expect("fits");
        assert_eq!(stresses.len(), 12);
        for s in &stresses {
            assert!((s.size / (0.5 * g * h) - 1.0).abs() < 1e-12, "{}", s.size);
            assert!(s.extrapolated && s.traction[0] > 0.0);
            assert!((s.point[1] - dx).abs() < 1e-15 || (s.point[1] - dx - h).abs() < 1e-15);
        }
        let statistics = statistics(&stresses).expect("points");
        assert!((statistics.p99_pa - statistics.min_pa).abs() < 1e-9);
    }

    #[test]
    fn an_oblique_wall_in_3d_is_exact_for_linear_stress() {
        // Shear flow along y above a plane through the origin with normal (1, 0, 1)/sqrt 2: u_y = a s - b s^2 / 2,
        // s the distance from the plane; sigma_xy = sigma_yz = (a - b s) / sqrt 2 for mu = 1, and wss = a.
        let (a, b, half) = (3.0, 0.2, 0.5f64.sqrt());
        let grid = grid_of(
            3,
            1.0,
            duct(12, 3, 12, 1.0).position.into_iter().map(|p| p.map(|c| c - 6)).filter(|p| p[0] + p[2] >= 0),
        );
        let nodes = Nodes::new(&grid).expect("nodes");
        let s = |n: usize| (nodes.centre(n)[0] + nodes.centre(n)[2]) * half;
        let stress: Vec<f64> = (0..grid.position.len())
            .flat_map(|n| {
                let shear = (a - b * s(n)) * half;
                [0.0, 0.0, 0.0, shear, shear, 0.0]
            })
            .collect();
        let sites: Vec<WallSite> = (0..grid.position.len())
            .filter(|&n| grid.position[n][0] + grid.position[n][2] == 0 && grid.position[n][0].abs() < 4)
            .map(|node| WallSite { node, normal: [half, 0.0, half], distance: s(node) })
            .collect();
        assert!(!sites.is_empty());
        for stress in wall_shear_stress(&nodes, &sites, &stress).expect("fits") {
            assert!(stress.extrapolated && (stress.size - a).abs() < 1e-9, "{}", stress.size);
            assert!((stress.point[0] + stress.point[2]).abs() < 1e-9);
        }
    }

    #[test]
    fn pressure_and_normal_stress_do_not_count() {
        assert_eq!(tangential([4.0, 4.0, 4.0, 0.0, 0.0, 0.0], [0.6, 0.8, 0.0]).map(|t| t.abs() < 1e-15), [true; 3]);
    }

    #[test]
    fn percentiles_of_known_values() {
        let stress = |size: f64| WallStress {
            point: [0.0; 3],
            normal: [0.0; 3],
            distance: 0.0,
            traction: [0.0; 3],
            size,
            extrapolated: false,
        };
        let s = statistics(&(0..=100).rev().map(|i| stress(f64::from(i))).collect::<Vec<_>>()).expect("points");
        assert_eq!((s.min_pa, s.median_pa, s.mean_pa, s.max_pa), (0.0, 50.0, 50.0, 100.0));
        assert!((s.p95_pa - 95.0).abs() < 1e-9 && (s.p99_pa - 99.0).abs() < 1e-9);
        assert_eq!(statistics(&[]), None);
    }
}
