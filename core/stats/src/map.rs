//! Maps of quantities at nodes: the whole of a 2-D domain, or a plane of a 3-D one.

use hematite_cells::vector::length;
use hematite_config::{Fault, Result};
use hematite_dump::Field;

use crate::figure::{Figure, LONGEST, Panel, remark_on};
use crate::lookup::Nodes;
use crate::plane::{AXES, Plane};
use crate::raster::{Merge, Raster, Zoom};
use hematite_drawing::scale::ColourScale;
use hematite_drawing::shapes::Shapes;
use hematite_units::number::with_unit;

/// What a map shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// The magnitude of the velocity, m/s.
    Speed,
    /// The pressure, Pa.
    Pressure,
    /// A component of any field.
    Component(Field, usize),
}

impl Quantity {
    /// Its name in file names.
    pub fn name(self) -> String {
        match self {
            Self::Speed => "speed".to_owned(),
            Self::Pressure => "pressure".to_owned(),
            Self::Component(field, c) => format!("field_{}", field.component(c)),
        }
    }

    fn label(self) -> String {
        match self {
            Self::Speed | Self::Pressure => self.name(),
            Self::Component(field, c) => field.component(c).replace('_', " "),
        }
    }

    fn unit(self) -> &'static str {
        match self {
            Self::Speed => "m/s",
            Self::Pressure => "Pa",
            Self::Component(field, _) if field.unit() == "1" => "",
            Self::Component(field, _) => field.unit(),
        }
    }

    fn scale(self, values: impl Iterator<Item = f64>) -> ColourScale {
        match self {
            Self::Speed => ColourScale::sequential(values),
            Self::Pressure => ColourScale::diverging(values),
            Self::Component(..) => {
                let values: Vec<f64> = values.collect();
                match values.iter().any(|value| *value < 0.0) {
                    true => ColourScale::diverging(values),
                    false => ColourScale::sequential(values),
                }
            }
        }
    }
}

/// The axes that point right and up in a picture seen along `axis`.
pub fn shown(axis: usize) -> [usize; 2] {
    match axis {
        0 => [1, 2],
        1 => [0, 2],
        _ => [0, 1],
    }
}

/// The speed at each node; `velocity` holds x, y, z a node.
pub fn speeds(velocity: &[f64]) -> Vec<f64> {
    velocity.as_chunks::<3>().0.iter().map(|&u| length(u)).collect()
}

/// The part of the lattice that a map shows, and its magnification.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// The axes that point right and up.
    pub axes: [usize; 2],
    /// The plane that the map shows, in 3-D.
    pub plane: Option<Plane>,
    /// Lowest lattice position shown, along `axes`.
    pub low: [i64; 2],
    /// Highest lattice position shown, along `axes`.
    pub high: [i64; 2],
    layer: Option<i64>,
    zoom: Zoom,
}

impl View {
    /// All of a 2-D domain (`plane` is `None`), or of the nearest layer of nodes to `plane` in 3-D.
    ///
    /// # Errors
    /// A usage fault when the plane misses the domain, or none is given in 3-D.
    pub fn whole(nodes: &Nodes, plane: Option<&Plane>) -> Result<Self> {
        let (layer, axis, plane) = match plane {
            Some(plane) if nodes.grid().dimension == 3 => {
                (Some(plane.layers(nodes)?.nearest()), plane.axis, Some(plane))
            }
            None if nodes.grid().dimension == 3 => return Err(Fault::usage("a map of a 3-D domain needs a plane")),
            _ => (None, 2, None),
        };
        let axes = shown(axis);
        let (low, high) = (axes.map(|a| nodes.low()[a]), axes.map(|a| nodes.high()[a]));
        Ok(Self { axes, plane: plane.cloned(), low, high, layer, zoom: fit(low, high) })
    }

    /// The part of this view at the lattice positions `low..=high`, as large as fits.
    #[must_use]
    pub fn part(&self, low: [i64; 2], high: [i64; 2]) -> Self {
        Self { low, high, zoom: fit(low, high), ..self.clone() }
    }

    /// Pixels a lattice spacing.
    pub fn factor(&self) -> f64 {
        self.zoom.factor()
    }

    /// A point in metres, given along the view's axes, in pixels from the upper left.
    pub fn pixel(&self, nodes: &Nodes, point: [f64; 2]) -> [f64; 2] {
        let grid = nodes.grid();
        let place = |k: usize| {
            let site = (point[k] - grid.origin[self.axes[k]]) / grid.spacing - self.low[k] as f64;
            site * self.factor()
        };
        let height = self.zoom.pixels((self.high[1] - self.low[1]) as u64 + 1);
        [place(0), f64::from(height) - place(1)]
    }

    /// The nodes shown: index and lattice position along `axes`.
    pub fn nodes<'a>(&'a self, nodes: &'a Nodes) -> impl Iterator<Item = (usize, [i64; 2])> + 'a {
        let axis = 3 - self.axes[0] - self.axes[1];
        let on = move |p: &[i32; 3]| self.layer.is_none_or(|layer| i64::from(p[axis]) == layer);
        let all = nodes.grid().position.iter().enumerate().filter(move |(_, p)| on(p));
        all.map(|(n, p)| (n, self.axes.map(|a| i64::from(p[a]))))
            .filter(|(_, at)| (0..2).all(|k| (self.low[k]..=self.high[k]).contains(&at[k])))
    }

    fn place(&self) -> String {
        let place =
            |plane: &Plane| format!(", plane {} at {} = {}", plane.name, AXES[plane.axis], with_unit(plane.at, "m"));
        self.plane.as_ref().map(place).unwrap_or_default()
    }
}

fn fit(low: [i64; 2], high: [i64; 2]) -> Zoom {
    Zoom::fit((0..2).map(|a| (high[a] - low[a]) as u64 + 1).max().unwrap_or(1), LONGEST)
}

/// The map of `values`, one a node in SI. Shows the whole domain in 2-D (`plane` is `None`), the layer of nodes nearest
/// to `plane` in 3-D. Colours are those of the values shown.
///
/// # Errors
/// As [`View::whole`].
pub fn map(nodes: &Nodes, values: &[f64], quantity: Quantity, plane: Option<&Plane>) -> Result<Figure> {
    Ok(draw(nodes, values, quantity, &View::whole(nodes, plane)?))
}

/// The map of the nodes in `view`, one flat square a node.
pub fn draw(nodes: &Nodes, values: &[f64], quantity: Quantity, view: &View) -> Figure {
    let shown = || view.nodes(nodes).map(|(n, at)| (at, values[n]));
    let mut raster = Raster::new(view.low, view.high, view.zoom, Merge::Mean);
    for (at, value) in shown() {
        raster.add(at, value);
    }
    let scale = quantity.scale(shown().map(|(_, v)| v));
    let image = raster.paint(&scale);
    let remark = remark_on(shown().map(|(_, v)| v));
    figure(nodes, quantity, view, Painted { scale, image, remark })
}

/// As [`draw`], but with values interpolated between nodes; for maps on which members are drawn.
pub fn draw_smooth(nodes: &Nodes, values: &[f64], quantity: Quantity, view: &View) -> Figure {
    if view.factor() < 2.0 {
        return draw(nodes, values, quantity, view);
    }
    let shown = || view.nodes(nodes).map(|(n, at)| (at, values[n]));
    let mut raster = Raster::new(view.low, view.high, Zoom::fit(1, 1), Merge::Mean);
    for (at, value) in shown() {
        raster.add(at, value);
    }
    let scale = quantity.scale(shown().map(|(_, v)| v));
    let image = raster.paint_smooth(&scale, view.zoom);
    let remark = remark_on(shown().map(|(_, v)| v));
    figure(nodes, quantity, view, Painted { scale, image, remark })
}

struct Painted {
    scale: ColourScale,
    image: image::RgbImage,
    remark: String,
}

fn figure(nodes: &Nodes, quantity: Quantity, view: &View, painted: Painted) -> Figure {
    Figure {
        what: format!("{}{}", quantity.label(), view.place()),
        panels: vec![Panel {
            caption: format!("{} to the right, {} up", AXES[view.axes[0]], AXES[view.axes[1]]),
            image: painted.image,
            shapes: Shapes::default(),
        }],
        stacked: false,
        metres_per_pixel: nodes.grid().spacing / view.factor(),
        scale: painted.scale,
        quantity: quantity.label(),
        unit: quantity.unit(),
        remark: painted.remark,
        legend: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{duct, grid_of};
    use hematite_drawing::colour::SOLID;

    #[test]
    fn one_hot_node_of_a_sparse_2d_map() {
        let grid = grid_of(2, 1.0, [[5, 5, 0], [7, 6, 0], [14, 9, 0]].into_iter());
        let nodes = Nodes::new(&grid).expect("nodes");
        let figure = map(&nodes, &[0.0, 1.0, 0.0], Quantity::Speed, None).expect("draws");
        let image = &figure.panels[0].image;
        assert_eq!((image.width(), image.height()), (1400, 700));
        // Node (7, 6) is the third column from the left and the second row from below, 140 pixels each.
        let hot = figure.scale.colour(1.0);
        for (x, y, colour) in [(280, 559, hot), (419, 420, hot), (279, 500, SOLID), (300, 419, SOLID)] {
            assert_eq!(image.get_pixel(x, y).0, colour, "{x} {y}");
        }
        assert_eq!(image.get_pixel(0, 699).0, figure.scale.colour(0.0));
    }

    #[test]
    fn a_3d_map_shows_its_layer_only() {
        let grid = duct(4, 5, 6, 1.0);
        let nodes = Nodes::new(&grid).expect("nodes");
        let values: Vec<f64> = grid.position.iter().map(|p| if *p == [2, 3, 5] { 1.0 } else { 0.0 }).collect();
        let plane = |at| Plane { name: "p".into(), axis: 1, at };
        let hit = map(&nodes, &values, Quantity::Speed, Some(&plane(3.4))).expect("draws");
        let image = &hit.panels[0].image;
        // x to the right (2nd of 4), z up (5th of 6); 1400 / 6 = 233 pixels a node.
        let colour = |column: u32, up: u32| image.get_pixel(column * 233 + 100, image.height() - 1 - up * 233 - 100).0;
        for column in 0..4 {
            for up in 0..6 {
                let value = if (column, up) == (1, 4) { 1.0 } else { 0.0 };
                assert_eq!(colour(column, up), hit.scale.colour(value), "{column} {up}");
            }
        }
        let miss = map(&nodes, &values, Quantity::Speed, Some(&plane(4.6))).expect("draws");
        assert!(miss.panels[0].image.pixels().all(|p| p.0 == miss.scale.colour(0.0)));
        assert!(map(&nodes, &values, Quantity::Speed, None).is_err());
    }
}
