//! Pictures of wall shear stress and pressure at walls: on the outline of a 2-D domain, projected along the axes of a
//! 3-D one.

use std::collections::BTreeMap;

use crate::figure::{Figure, LONGEST, Panel, remark_on};
use crate::lookup::Nodes;
use crate::map::shown;
use crate::plane::AXES;
use crate::raster::{Merge, Raster, Zoom};
use crate::wall::{AtWall, WallSite};
use hematite_drawing::colour::FLUID;
use hematite_drawing::scale::ColourScale;
use hematite_drawing::shapes::{Look, Shapes};

/// The picture of wall shear stress; `stresses` holds one value for each of `sites`.
pub fn picture(nodes: &Nodes, sites: &[WallSite], stresses: &[AtWall<3>]) -> Figure {
    let scale = ColourScale::sequential(stresses.iter().map(AtWall::number));
    figure(nodes, sites, stresses, ("wall shear stress", scale, Merge::Max))
}

/// The picture of pressure at walls; `pressures` holds one value for each of `sites`.
pub fn pressure_picture(nodes: &Nodes, sites: &[WallSite], pressures: &[AtWall<1>]) -> Figure {
    let scale = ColourScale::diverging(pressures.iter().map(AtWall::number));
    figure(nodes, sites, pressures, ("pressure at walls", scale, Merge::Mean))
}

/// The figure of values on the wall. The tuple holds the name of the quantity, the colour scale, and how values in one
/// pixel of a projection merge.
fn figure<const N: usize>(
    nodes: &Nodes,
    sites: &[WallSite],
    values: &[AtWall<N>],
    (quantity, scale, merge): (&str, ColourScale, Merge),
) -> Figure {
    let extent: [u64; 3] = std::array::from_fn(|a| (nodes.high()[a] - nodes.low()[a]) as u64 + 1);
    let (panels, stacked, factor) = if nodes.grid().dimension == 3 {
        projections(nodes, sites, values, &scale, merge, extent)
    } else {
        let (panel, factor) = outline(nodes, values, &scale, extent);
        (vec![panel], false, factor)
    };
    Figure {
        what: quantity.to_owned(),
        panels,
        stacked,
        metres_per_pixel: nodes.grid().spacing / factor,
        scale,
        quantity: quantity.to_owned(),
        unit: "Pa",
        remark: remark_on(values.iter().map(AtWall::number)),
        legend: Vec::new(),
    }
}

/// The fluid in a flat colour and a disc on every wall point, larger values on top.
fn outline<const N: usize>(nodes: &Nodes, values: &[AtWall<N>], scale: &ColourScale, extent: [u64; 3]) -> (Panel, f64) {
    let zoom = Zoom::fit(extent[0].max(extent[1]), LONGEST);
    let pick = |p: [i64; 3]| [p[0], p[1]];
    let radius = (0.55 * zoom.factor()).max(4.0);
    let margin = (radius / zoom.factor()).ceil() as i64;
    let (low, high) = (pick(nodes.low()).map(|c| c - margin), pick(nodes.high()).map(|c| c + margin));
    let mut raster = Raster::new(low, high, zoom, Merge::Mean);
    for p in &nodes.grid().position {
        raster.add(pick(p.map(i64::from)), 0.0);
    }
    // Of values in one pixel only the largest is seen.
    let mut seen: BTreeMap<[i64; 2], (f64, [f64; 2])> = BTreeMap::new();
    for value in values {
        let [x, y, _] = nodes.coordinate(value.point);
        let (number, at) = (value.number(), raster.pixel([x, y]));
        let largest = seen.entry(at.map(|x| x.floor() as i64)).or_insert((number, at));
        if number.total_cmp(&largest.0).is_gt() {
            *largest = (number, at);
        }
    }
    let mut order: Vec<(f64, [f64; 2])> = seen.into_values().collect();
    order.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    let mut shapes = Shapes::default();
    order.iter().for_each(|&(number, at)| shapes.disc(at, radius, &Look::area(scale.colour(number))));
    let image = raster.paint_flat(FLUID);
    (Panel { caption: "x to the right, y up".to_owned(), image, shapes }, zoom.factor())
}

/// Three panels, seen along z, y and x: each pixel shows the largest or the mean value on the line of sight.
fn projections<const N: usize>(
    nodes: &Nodes,
    sites: &[WallSite],
    values: &[AtWall<N>],
    scale: &ColourScale,
    merge: Merge,
    extent: [u64; 3],
) -> (Vec<Panel>, bool, f64) {
    let views = [2, 1, 0].map(|axis| (axis, shown(axis)));
    let reach = |side: usize| views.map(|(_, axes)| extent[axes[side]]);
    let (widths, heights) = (reach(0), reach(1));
    let longest = |all: [u64; 3]| all.into_iter().max().unwrap_or(1);
    let row = all(widths).max(longest(heights));
    let column = longest(widths).max(all(heights));
    let stacked = column < row;
    let zoom = Zoom::fit(row.min(column), LONGEST);
    let panels = views.map(|(axis, axes)| {
        let pick = |p: [i64; 3]| axes.map(|a| p[a]);
        let raster = |merge| Raster::new(pick(nodes.low()), pick(nodes.high()), zoom, merge);
        let (mut fluid, mut wall) = (raster(Merge::Mean), raster(merge));
        for position in &nodes.grid().position {
            fluid.add(pick(position.map(i64::from)), 0.0);
        }
        for (site, value) in sites.iter().zip(values) {
            wall.add(pick(nodes.grid().position[site.node].map(i64::from)), value.number());
        }
        let mut image = fluid.paint_flat(FLUID);
        for (column, row, pixel) in image.enumerate_pixels_mut() {
            if let Some(size) = wall.value(column, row) {
                *pixel = image::Rgb(scale.colour(size));
            }
        }
        let caption = format!("along {}: {} right, {} up", AXES[axis], AXES[axes[0]], AXES[axes[1]]);
        Panel { caption, image, shapes: Shapes::default() }
    });
    (panels.into(), stacked, zoom.factor())
}

/// Width of the three projections side by side, in lattice spacings.
fn all(extents: [u64; 3]) -> u64 {
    extents.into_iter().fold(0, u64::saturating_add)
}
