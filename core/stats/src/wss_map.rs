//! Pictures of wall shear stress and pressure at walls: on the outline of a 2-D domain, projected along the axes of a
//! 3-D one.

use crate::figure::{Figure, LONGEST, Panel, remark_on};
use crate::lookup::Nodes;
use crate::map::shown;
use crate::plane::AXES;
use crate::raster::{Merge, Raster, Zoom};
use crate::wall::{AtWall, Statistics, WallSite};
use hematite_drawing::colour::{ColourScale, FLUID};
use hematite_drawing::text::disc;
use hematite_units::number::with_unit;

/// The picture of wall shear stress at `time` seconds; `stresses` holds one value for each of `sites`.
///
/// The colour scale ends at the 99th percentile where single corners reach far beyond it.
pub fn picture(
    nodes: &Nodes,
    sites: &[WallSite],
    stresses: &[AtWall<3>],
    statistics: &Statistics,
    time: f64,
) -> Figure {
    let mut scale = ColourScale::sequential(stresses.iter().map(AtWall::number));
    let mut remark = remark_on(stresses.iter().map(AtWall::number));
    if statistics.max_pa > 1.5 * statistics.p99_pa && statistics.p99_pa > 0.0 {
        scale = scale.capped(statistics.p99_pa);
        remark = format!("colours end at the 99th percentile; largest {}", with_unit(statistics.max_pa, "Pa"));
    }
    figure(nodes, sites, stresses, ("wall shear stress", scale, remark, Merge::Max), time)
}

/// The picture of pressure at walls at `time` seconds; `pressures` holds one value for each of `sites`.
pub fn pressure_picture(nodes: &Nodes, sites: &[WallSite], pressures: &[AtWall<1>], time: f64) -> Figure {
    let all = || pressures.iter().map(AtWall::number);
    let (scale, remark) = (ColourScale::diverging(all()), remark_on(all()));
    figure(nodes, sites, pressures, ("pressure at walls", scale, remark, Merge::Mean), time)
}

/// The figure of values on the wall. The tuple holds the name of the quantity, the colour scale, a remark, and how
/// values in one pixel of a projection merge.
fn figure<const N: usize>(
    nodes: &Nodes,
    sites: &[WallSite],
    values: &[AtWall<N>],
    (quantity, scale, remark, merge): (&str, ColourScale, String, Merge),
    time: f64,
) -> Figure {
    let extent: [u64; 3] = std::array::from_fn(|a| (nodes.high()[a] - nodes.low()[a]) as u64 + 1);
    let (panels, stacked, factor) = if nodes.grid().dimension == 3 {
        projections(nodes, sites, values, &scale, merge, extent)
    } else {
        let (panel, factor) = outline(nodes, values, &scale, extent);
        (vec![panel], false, factor)
    };
    Figure {
        title: format!("{quantity}, t = {}", with_unit(time, "s")),
        panels,
        stacked,
        metres_per_pixel: nodes.grid().spacing / factor,
        scale,
        quantity: quantity.to_owned(),
        unit: "Pa",
        remark,
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
    let mut image = raster.paint_flat(FLUID);
    let mut order: Vec<&AtWall<N>> = values.iter().collect();
    order.sort_by(|a, b| a.number().total_cmp(&b.number()));
    for value in order {
        let [x, y, _] = nodes.coordinate(value.point);
        disc(&mut image, raster.pixel([x, y]), radius, scale.colour(value.number()));
    }
    (Panel { caption: "x to the right, y up".to_owned(), image }, zoom.factor())
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
        Panel { caption, image }
    });
    (panels.into(), stacked, zoom.factor())
}

/// Width of the three projections side by side, in lattice spacings.
fn all(extents: [u64; 3]) -> u64 {
    extents.into_iter().fold(0, u64::saturating_add)
}
