//! Pressure at walls: that of the fluid beside, extrapolated to the wall.

use hematite_config::Result;

use crate::lookup::{Nodes, fits};
use crate::number::exact;
use crate::table::Table;
use crate::wss::{Statistics, WallSite, over};

/// The pressure at one point of the wall, in SI.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WallPressure {
    /// The point of the wall below the node, m.
    pub point: [f64; 3],
    /// Unit normal into the fluid.
    pub normal: [f64; 3],
    /// Distance of the node from the wall, m.
    pub distance: f64,
    /// Pressure above that of the fluid at rest, Pa.
    pub pressure: f64,
    /// Whether it was extrapolated to the wall; else it is that of the node.
    pub extrapolated: bool,
}

/// The pressure at every site: that at the node and at a point further in along the normal, interpolated between nodes, extrapolated
/// linearly to the wall, as [`crate::wss::wall_shear_stress`] does with the traction.
///
/// `pressure` holds a number a node, in Pa.
///
/// # Errors
/// A usage fault when `pressure` does not fit the grid.
pub fn wall_pressure(nodes: &Nodes, sites: &[WallSite], pressure: &[f64]) -> Result<Vec<WallPressure>> {
    fits(nodes.grid(), "pressure", pressure, 1)?;
    let at_site = |site: &WallSite| {
        let spacing = nodes.grid().spacing;
        let here = pressure[site.node];
        let inner = site.further_in(nodes, |stencil| stencil.value(pressure, 1, 0));
        WallPressure {
            point: site.foot(nodes),
            normal: site.normal,
            distance: site.distance * spacing,
            pressure: inner.map_or(here, |(step, there)| here + (here - there) * site.distance / step),
            extrapolated: inner.is_some(),
        }
    };
    Ok(sites.iter().map(at_site).collect())
}

/// Statistics over the finite pressures; `None` where there are none.
pub fn statistics(pressures: &[WallPressure]) -> Option<Statistics> {
    over(pressures.iter().map(|p| p.pressure), pressures.iter().filter(|p| !p.extrapolated).count())
}

/// The pressures as a table, one wall point a row.
pub fn table(pressures: &[WallPressure]) -> Table {
    let mut table = Table::new([
        "x_m",
        "y_m",
        "z_m",
        "normal_x",
        "normal_y",
        "normal_z",
        "node_distance_m",
        "pressure_Pa",
        "extrapolated",
    ]);
    for p in pressures {
        let mut row: Vec<String> = p.point.iter().chain(&p.normal).map(|&v| exact(v)).collect();
        row.extend([exact(p.distance), exact(p.pressure), u8::from(p.extrapolated).to_string()]);
        table.push(row);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::channel;

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
            .map(|node| WallSite { node, normal: [0.0, 1.0, 0.0], distance: 0.3 })
            .collect();
        let found = wall_pressure(&nodes, &sites, &pressure).expect("fits");
        assert_eq!(found.len(), 6);
        for p in &found {
            let wanted = 3.0 + 2e5 * p.point[0] - 7e5 * p.point[1];
            assert!(p.extrapolated && (p.pressure - wanted).abs() < 1e-9, "{p:?}, {wanted}");
        }
        let statistics = statistics(&found).expect("points");
        assert!(statistics.points == 6 && statistics.min_pa < statistics.max_pa);
        assert!(wall_pressure(&nodes, &sites, &pressure[1..]).is_err());
    }
}
