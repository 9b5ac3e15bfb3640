//! Straight channels, slits, ducts and tubes: how they are recognised, and the Poiseuille flow through them.

use std::collections::BTreeMap;
use std::f64::consts::PI;

use serde::Serialize;

use crate::lookup::Nodes;

/// A domain whose cross-section is the same all along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Straight {
    /// The axis it runs along: 0, 1, 2 for x, y, z.
    pub axis: usize,
    /// Its length along that axis, m.
    pub length: f64,
    /// Area of the cross-section, m2; in 2-D its height, m.
    pub section: f64,
    /// Kind of cross-section.
    pub kind: Kind,
}

/// A cross-section. Walls lie on the faces of the nodes' cubes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Between two walls normal to axis `across`, in 2-D, or in 3-D with the third axis periodic.
    Channel {
        /// The axis the walls are normal to.
        across: usize,
        /// Where the lower wall cuts it, m.
        low: f64,
        /// Where the upper wall cuts it, m.
        high: f64,
    },
    /// A rectangle.
    Duct {
        /// Its sides, m.
        sides: [f64; 2],
    },
    /// A disc.
    Tube {
        /// Where its middle cuts the other two axes, in their order, m.
        centre: [f64; 2],
        /// The radius of the disc of the same area, m.
        radius: f64,
    },
    /// Any other.
    Other,
}

impl Straight {
    /// The straight domain of `nodes` along `axis`; `None` where the layers of nodes across it differ.
    ///
    /// A section is taken for a disc where its polar second moment is that of the disc of its area to 2 % (a square's
    /// is 5 % larger) and no node reaches beyond that disc by more than a spacing.
    pub fn find(nodes: &Nodes, axis: usize) -> Option<Self> {
        let grid = nodes.grid();
        let dx = grid.spacing;
        let transverse: Vec<usize> = (0..grid.dimension).filter(|&a| a != axis).collect();
        let layers = (nodes.high()[axis] - nodes.low()[axis]) as u64 + 1;
        let mut count = BTreeMap::<[i32; 2], u64>::new();
        for p in &grid.position {
            let place = [p[transverse[0]], transverse.get(1).map_or(0, |&b| p[b])];
            *count.entry(place).or_default() += 1;
        }
        if count.values().any(|&n| n != layers) {
            return None;
        }
        let sites = count.len() as u64;
        let section = sites as f64 * dx.powi(grid.dimension as i32 - 1);
        let extent = |a: usize| (nodes.high()[a] - nodes.low()[a]) as u64 + 1;
        let full = transverse.iter().map(|&a| extent(a)).product::<u64>() == sites;
        let around = |a: usize| nodes.period()[a].is_some_and(|period| period as u64 == extent(a));
        let (low, high) = nodes.bounds();
        let walls: Vec<usize> = transverse.iter().copied().filter(|&a| !around(a)).collect();
        let kind = match walls[..] {
            [across] if full => Kind::Channel { across, low: low[across], high: high[across] },
            [a, b] if full => Kind::Duct { sides: [a, b].map(|a| high[a] - low[a]) },
            [_, _] => disc(count.keys(), [walls[0], walls[1]], nodes, section),
            _ => Kind::Other,
        };
        Some(Self { axis, length: layers as f64 * dx, section, kind })
    }

    /// Flow rate in m3/s (2-D: m2/s a depth) of a Newtonian fluid of dynamic viscosity `mu` (Pa s) under the pressure
    /// gradient `g` (Pa/m): `g H^3 W / (12 mu)` between walls, `g A^2 / (8 pi mu)` in a tube, the series of a rectangle
    /// (Boussinesq). `None` for other sections.
    pub fn poiseuille(&self, g: f64, mu: f64) -> Option<f64> {
        match self.kind {
            Kind::Channel { low, high, .. } => Some(g / (12.0 * mu) * (high - low).powi(2) * self.section),
            Kind::Tube { .. } => Some(g * self.section.powi(2) / (8.0 * PI * mu)),
            Kind::Duct { sides } => {
                let (short, long) = (sides[0].min(sides[1]), sides[0].max(sides[1]));
                let (a, b) = (0.5 * short, 0.5 * long);
                let sum: f64 =
                    (1..200).step_by(2).map(f64::from).map(|k| (0.5 * k * PI * b / a).tanh() / k.powi(5)).sum();
                Some(4.0 * b * a.powi(3) * g / (3.0 * mu) * (1.0 - 192.0 * a / (PI.powi(5) * b) * sum))
            }
            Kind::Other => None,
        }
    }

    /// Half the distance between the walls, or the tube's radius, m.
    pub fn half_width(&self) -> Option<f64> {
        match self.kind {
            Kind::Channel { low, high, .. } => Some(0.5 * (high - low)),
            Kind::Tube { radius, .. } => Some(radius),
            Kind::Duct { .. } | Kind::Other => None,
        }
    }

    /// The other axes, ascending. In 2-D the second is z, which has no extent.
    pub fn transverse(&self) -> [usize; 2] {
        match self.axis {
            0 => [1, 2],
            1 => [0, 2],
            _ => [0, 1],
        }
    }
}

fn disc<'a>(sites: impl Iterator<Item = &'a [i32; 2]>, axes: [usize; 2], nodes: &Nodes, area: f64) -> Kind {
    let dx = nodes.grid().spacing;
    let points: Vec<[f64; 2]> =
        sites.map(|site| [0, 1].map(|k| nodes.grid().origin[axes[k]] + (f64::from(site[k]) + 0.5) * dx)).collect();
    let centre = [0, 1].map(|k| points.iter().map(|p| p[k]).sum::<f64>() / points.len() as f64);
    let square = |p: &[f64; 2]| (p[0] - centre[0]).powi(2) + (p[1] - centre[1]).powi(2);
    // Each square of side dx adds dx^2 / 6, the polar moment about its own middle over its area.
    let polar = points.iter().map(|p| square(p) + dx * dx / 6.0).sum::<f64>() * dx * dx;
    let radius = (area / PI).sqrt();
    let farthest = points.iter().map(square).fold(0.0, f64::max).sqrt();
    if (polar * 2.0 * PI / area.powi(2) - 1.0).abs() < 0.02 && farthest < radius + dx {
        Kind::Tube { centre, radius }
    } else {
        Kind::Other
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{channel, duct, grid_of};

    /// A tube along z of `d` nodes across.
    fn tube(d: i32) -> hematite_dump::Grid {
        let r = 0.5 * f64::from(d);
        let inside = move |x: i32, y: i32| {
            let (x, y) = (f64::from(x) + 0.5 - r, f64::from(y) + 0.5 - r);
            x * x + y * y < r * r
        };
        let section = (0..d).flat_map(move |y| (0..d).map(move |x| (x, y))).filter(move |&(x, y)| inside(x, y));
        grid_of(3, 0.5, section.flat_map(|(x, y)| (0..4).map(move |z| [x, y, z])))
    }

    #[test]
    fn channels_slits_ducts_and_tubes_are_known() {
        let grid = channel(7, 10, 2.0);
        let flat = Straight::find(&Nodes::new(&grid).expect("nodes").wrapped([7, 12, 1], [true, false, false]), 0);
        let flat = flat.expect("straight");
        assert_eq!((flat.kind, flat.length), (Kind::Channel { across: 1, low: 2.0, high: 22.0 }, 14.0));
        assert!((flat.poiseuille(3.0, 0.5).expect("known") - 3.0 * 8000.0 / 6.0).abs() < 1e-9);
        let grid = duct(4, 6, 8, 1.0);
        let closed = Straight::find(&Nodes::new(&grid).expect("nodes"), 0).expect("straight");
        assert_eq!(closed.kind, Kind::Duct { sides: [6.0, 8.0] });
        let grid = crate::testing::grid_of(3, 1.0, grid.position.iter().map(|p| [p[0] - 1, p[1], p[2] - 1]));
        let slit = Straight::find(&Nodes::new(&grid).expect("nodes").wrapped([4, 8, 8], [true, false, true]), 0);
        let slit = slit.expect("straight");
        assert!(matches!(slit.kind, Kind::Channel { across: 1, .. }));
        assert!((slit.poiseuille(1.0, 1.0).expect("known") - 216.0 * 8.0 / 12.0).abs() < 1e-9);
        for d in [12, 20, 41, 80] {
            let grid = tube(d);
            let found = Straight::find(&Nodes::new(&grid).expect("nodes"), 2).expect("straight");
            let Kind::Tube { centre, radius } = found.kind else { panic!("{d}: {found:?}") };
            let wanted = 0.25 * f64::from(d);
            assert!((centre[0] - wanted).abs() < 1e-9 && (radius / wanted - 1.0).abs() < 0.03, "{d} {radius}");
            let exact = PI * radius.powi(4) / 8.0;
            assert!((found.poiseuille(1.0, 1.0).expect("known") / exact - 1.0).abs() < 1e-12);
            assert_eq!(Straight::find(&Nodes::new(&grid).expect("nodes"), 0), None);
        }
    }

    #[test]
    fn the_flow_through_rectangles_is_tabulated() {
        // Mean velocities for short side 1 and gradient over viscosity 1.
        for (ratio, mean) in [(1.0, 0.035_144_3), (2.0, 0.057_170), (4.0, 0.070_203)] {
            let kind = Kind::Duct { sides: [ratio, 1.0] };
            let duct = Straight { axis: 0, length: 1.0, section: ratio, kind };
            assert!((duct.poiseuille(1.0, 1.0).expect("known") / ratio / mean - 1.0).abs() < 1e-5);
        }
    }
}
