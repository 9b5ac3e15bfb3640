//! Pressure at walls, extrapolated from the fluid beside them.

use hematite_config::Result;

use crate::lookup::{Nodes, fits};
use crate::wall::{AtWall, WallSite, at_wall};

/// The pressure at every site, in Pa: the pressure at the node and, interpolated, at a point further in along the
/// normal, extrapolated linearly to the wall, as [`crate::wss::wall_shear_stress`] does with the traction.
///
/// `pressure` holds a number a node, in Pa.
///
/// # Errors
/// A usage fault when `pressure` does not fit the grid.
pub fn wall_pressure(nodes: &Nodes, sites: &[WallSite], pressure: &[f64]) -> Result<Vec<AtWall<1>>> {
    fits(nodes.grid(), "pressure", pressure, 1)?;
    Ok(at_wall(nodes, sites, |site| [pressure[site.node]], |_, stencil| [stencil.value(pressure, 1, 0)]))
}

/// Column of the table.
pub const COLUMN: &str = "pressure_Pa";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::channel;
    use crate::wall::statistics;

    #[test]
    fn a_linear_pressure_is_exact_at_the_wall() {
        let grid = channel(6, 12, 5e-6);
        let nodes = Nodes::new(&grid).expect("nodes");
        let pressure: Vec<f64> = (0..grid.position.len())
            .map(|n| {
                let [x, y, _] = nodes.centre(n);
                3.0 + 2e5 * x - 7e5 * y
            })
            .collect();
        let sites: Vec<WallSite> = (0..grid.position.len())
            .filter(|&n| grid.position[n][1] == 1)
            .map(|node| WallSite { node, normal: [0.0, 1.0, 0.0], distance: 0.3, near_opening: false })
            .collect();
        let found = wall_pressure(&nodes, &sites, &pressure).expect("fits");
        assert_eq!(found.len(), 6);
        for p in &found {
            let wanted = 3.0 + 2e5 * p.point[0] - 7e5 * p.point[1];
            assert!(p.extrapolated && (p.number() - wanted).abs() < 1e-9, "{p:?}, {wanted}");
        }
        let statistics = statistics(&found).expect("points");
        assert!(statistics.points == 6 && statistics.min_pa < statistics.max_pa);
        assert!(wall_pressure(&nodes, &sites, &pressure[1..]).is_err());
    }
}
