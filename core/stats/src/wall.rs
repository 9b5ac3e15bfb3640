//! Quantities at the wall, extrapolated from the fluid beside it, with their statistics and tables.

use hematite_cells::vector::{minus, times};
use serde::Serialize;

use crate::lookup::{Nodes, Stencil};
use crate::plane::xyz;
use crate::table::Table;
use hematite_units::number::exact;

/// A fluid node beside the wall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WallSite {
    /// Number of the node in the grid.
    pub node: usize,
    /// Unit normal of the wall, into the fluid.
    pub normal: [f64; 3],
    /// Distance of the node from the wall along the normal, in lattice spacings.
    pub distance: f64,
    /// Whether an opening is so near that the flow there is not developed.
    pub near_opening: bool,
}

impl WallSite {
    /// The point of the wall below the node, m.
    pub(crate) fn foot(&self, nodes: &Nodes) -> [f64; 3] {
        let (centre, spacing) = (nodes.centre(self.node), nodes.grid().spacing);
        minus(centre, times(self.distance * spacing, self.normal))
    }

    /// `value` at the nearest point along the normal that is surrounded by fluid, and the distance of the point from
    /// the node in lattice spacings. With solid corners, interpolation of a linear field would not be exact.
    pub(crate) fn further_in<T>(&self, nodes: &Nodes, value: impl Fn(&Stencil) -> T) -> Option<(f64, T)> {
        let at = nodes.grid().position[self.node];
        [1.0, 1.25, 1.5, 2.0].into_iter().find_map(|step| {
            let x = std::array::from_fn(|a| f64::from(at[a]) + step * self.normal[a]);
            let stencil = nodes.stencil(x).filter(|stencil| stencil.covered > 1.0 - 1e-6)?;
            Some((step, value(&stencil)))
        })
    }
}

/// A scalar (`N` = 1) or a vector at one point of the wall, in SI.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AtWall<const N: usize> {
    /// The point of the wall below the node, m.
    pub point: [f64; 3],
    /// Unit normal into the fluid.
    pub normal: [f64; 3],
    /// Distance of the node from the wall, m.
    pub distance: f64,
    /// The scalar, or the components of the vector.
    pub value: [f64; N],
    /// Whether `value` was extrapolated to the wall; else it is that of the node.
    pub extrapolated: bool,
    /// See [`WallSite::near_opening`].
    pub near_opening: bool,
}

impl<const N: usize> AtWall<N> {
    /// The scalar, or the length of the vector.
    pub fn number(&self) -> f64 {
        if N == 1 { self.value[0] } else { self.value.iter().map(|x| x * x).sum::<f64>().sqrt() }
    }
}

/// Extrapolates a quantity linearly to the wall at every site, from its value `here` at the site's node and its value
/// `there`, interpolated at a point further in along the normal.
pub(crate) fn at_wall<const N: usize>(
    nodes: &Nodes,
    sites: &[WallSite],
    here: impl Fn(&WallSite) -> [f64; N],
    there: impl Fn(&WallSite, &Stencil) -> [f64; N],
) -> Vec<AtWall<N>> {
    let at_site = |site: &WallSite| {
        let here = here(site);
        let inner = site.further_in(nodes, |stencil| there(site, stencil));
        let outwards = |(step, there): (f64, [f64; N])| {
            std::array::from_fn(|c| here[c] + (here[c] - there[c]) * site.distance / step)
        };
        AtWall {
            point: site.foot(nodes),
            normal: site.normal,
            distance: site.distance * nodes.grid().spacing,
            value: inner.map_or(here, outwards),
            extrapolated: inner.is_some(),
            near_opening: site.near_opening,
        }
    };
    sites.iter().map(at_site).collect()
}

/// Statistics of wall shear stress or pressure over wall points, which count as equal areas, in Pa. Points near openings
/// are left out.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Statistics {
    /// Wall points.
    pub points: usize,
    /// Points near openings, which the other statistics leave out unless all are.
    pub near_openings: usize,
    /// Points whose value is that of the node, for lack of fluid further in.
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

/// Statistics over the finite values; `None` without any.
pub fn statistics<const N: usize>(values: &[AtWall<N>]) -> Option<Statistics> {
    let near = values.iter().filter(|value| value.near_opening).count();
    let counted = values.iter().filter(|value| !value.near_opening || near == values.len());
    let mut sorted: Vec<f64> = counted.map(AtWall::number).filter(|v| v.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let (&min, &max) = (sorted.first()?, sorted.last()?);
    Some(Statistics {
        points: values.len(),
        near_openings: near,
        not_extrapolated: values.iter().filter(|value| !value.extrapolated).count(),
        min_pa: min,
        mean_pa: sorted.iter().sum::<f64>() / sorted.len() as f64,
        median_pa: percentile(&sorted, 0.5),
        p95_pa: percentile(&sorted, 0.95),
        p99_pa: percentile(&sorted, 0.99),
        max_pa: max,
    })
}

/// The percentile `share` (0 to 1) of ascending values, linear between neighbours.
fn percentile(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let below = place.floor() as usize;
    let above = (below + 1).min(sorted.len() - 1);
    sorted[below] + (place - below as f64) * (sorted[above] - sorted[below])
}

/// The values as a table, one row a wall point. `columns` names the components, and for vectors the length after them.
pub fn table<const N: usize>(values: &[AtWall<N>], columns: impl IntoIterator<Item = String>) -> Table {
    let header = xyz("", "_m").into_iter().chain(xyz("normal_", "")).chain(["node_distance_m".to_owned()]);
    let mut table = Table::new(header.chain(columns).chain(["extrapolated".to_owned(), "near_opening".to_owned()]));
    for v in values {
        let numbers = v.point.into_iter().chain(v.normal).chain([v.distance]).chain(v.value);
        let numbers = numbers.chain((N > 1).then(|| v.number()));
        table.push(numbers.map(exact).chain([v.extrapolated, v.near_opening].map(|is| u8::from(is).to_string())));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_of_known_values() {
        let stress = |size: f64| AtWall {
            point: [0.0; 3],
            normal: [0.0; 3],
            distance: 0.0,
            value: [size],
            extrapolated: false,
            near_opening: size > 100.0,
        };
        // The largest are near openings.
        let s = statistics(&(0..=110).rev().map(|i| stress(f64::from(i))).collect::<Vec<_>>()).expect("points");
        assert_eq!((s.points, s.near_openings), (111, 10));
        assert_eq!((s.min_pa, s.median_pa, s.mean_pa, s.max_pa), (0.0, 50.0, 50.0, 100.0));
        assert!((s.p95_pa - 95.0).abs() < 1e-9 && (s.p99_pa - 99.0).abs() < 1e-9);
        assert_eq!(statistics::<1>(&[]), None);
    }
}
