//! Wall shear stress: the tangential part of the viscous traction, extrapolated to the wall.

use hematite_cells::vector::{dot, minus, times};
use hematite_config::Result;

use crate::lookup::{Nodes, Stencil, fits};
use crate::plane::xyz;
use crate::wall::{AtWall, WallSite, at_wall};

/// The wall shear stress at every site, a vector in Pa that points with the flow: the tangential part `t - (t . n) n`
/// of the traction `t = sigma . n`, where n is the normal of the wall into the fluid.
///
/// `stress` holds xx, yy, zz, xy, yz, xz a node, in Pa. The tangential traction at the node and, interpolated, at a
/// point further in along the normal is extrapolated linearly to the wall.
///
/// # Errors
/// A usage fault when `stress` does not fit the grid.
pub fn wall_shear_stress(nodes: &Nodes, sites: &[WallSite], stress: &[f64]) -> Result<Vec<AtWall<3>>> {
    fits(nodes.grid(), "shear stress", stress, 6)?;
    let here = |site: &WallSite| tangential(std::array::from_fn(|c| stress[6 * site.node + c]), site.normal);
    let there = |site: &WallSite, stencil: &Stencil| {
        tangential(std::array::from_fn(|c| stencil.value(stress, 6, c)), site.normal)
    };
    Ok(at_wall(nodes, sites, here, there))
}

/// Columns of the table.
pub fn columns() -> impl Iterator<Item = String> {
    xyz("traction_", "_Pa").into_iter().chain(["wall_shear_stress_Pa".to_owned()])
}

/// `t - (t . n) n` with `t = sigma . n`, sigma as xx, yy, zz, xy, yz, xz.
fn tangential([xx, yy, zz, xy, yz, xz]: [f64; 6], n: [f64; 3]) -> [f64; 3] {
    let t = [xx * n[0] + xy * n[1] + xz * n[2], xy * n[0] + yy * n[1] + yz * n[2], xz * n[0] + yz * n[1] + zz * n[2]];
    minus(t, times(dot(t, n), n))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{channel, duct, grid_of};
    use crate::wall::statistics;

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
                1 => Some(WallSite { node, normal: [0.0, 1.0, 0.0], distance: 0.5, near_opening: false }),
                20 => Some(WallSite { node, normal: [0.0, -1.0, 0.0], distance: 0.5, near_opening: false }),
                _ => None,
            })
            .collect();
        let stresses = wall_shear_stress(&nodes, &sites, &stress).expect("fits");
        assert_eq!(stresses.len(), 12);
        for s in &stresses {
            assert!((s.number() / (0.5 * g * h) - 1.0).abs() < 1e-12, "{}", s.number());
            assert!(s.extrapolated && s.value[0] > 0.0);
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
            .map(|node| WallSite { node, normal: [half, 0.0, half], distance: s(node), near_opening: false })
            .collect();
        assert!(!sites.is_empty());
        for stress in wall_shear_stress(&nodes, &sites, &stress).expect("fits") {
            assert!(stress.extrapolated && (stress.number() - a).abs() < 1e-9, "{}", stress.number());
            assert!((stress.point[0] + stress.point[2]).abs() < 1e-9);
        }
    }

    #[test]
    fn pressure_and_normal_stress_do_not_count() {
        assert_eq!(tangential([4.0, 4.0, 4.0, 0.0, 0.0, 0.0], [0.6, 0.8, 0.0]).map(|t| t.abs() < 1e-15), [true; 3]);
    }
}
