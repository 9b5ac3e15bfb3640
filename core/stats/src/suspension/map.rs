//! Members of a suspension drawn on a map of the flow.

use hematite_drawing::colour::of_population as colour;
use hematite_drawing::outline;
use hematite_drawing::shapes::{INK, Look, PAPER, Path};

use super::Member;
use crate::figure::Figure;
use crate::lookup::Nodes;
use crate::map::View;

/// The outline of a member in a view: closed loops, in metres along the view's axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Outline {
    /// Number of its population.
    pub population: usize,
    /// The loops.
    pub loops: Vec<Vec<[f64; 2]>>,
    /// Whether a smooth curve is drawn through the points, as they are few.
    pub smooth: bool,
}

/// The outlines of members in `view`: of whole members in 2-D, of their sections with the view's plane in 3-D. Members
/// that stick out of a periodic face appear at the opposite face too.
pub fn outlines<M: Member>(nodes: &Nodes, view: &View, members: &[M]) -> Vec<Outline> {
    members.iter().flat_map(|member| images(nodes, view, member)).collect()
}

/// The outlines of a member and of its periodic images in `view`.
fn images(nodes: &Nodes, view: &View, member: &impl Member) -> Vec<Outline> {
    let (low, high) = member.bounds();
    let period = nodes.period_metres();
    let origin = nodes.grid().origin;
    // Shifts of the images along an axis, 0 included.
    let shifts = |a: usize| -> Vec<f64> {
        let mut all = vec![0.0];
        if let Some(period) = period[a] {
            if low[a] < origin[a] {
                all.push(period);
            }
            if high[a] > origin[a] + period {
                all.push(-period);
            }
        }
        all
    };
    let plane = view.plane.as_ref().map(|plane| (plane.axis, plane.at));
    let loops: Vec<Vec<[f64; 3]>> = match plane {
        Some((axis, at)) => shifts(axis).into_iter().flat_map(|shift| member.loops(Some((axis, at - shift)))).collect(),
        None => member.loops(None),
    };
    let mut found = Vec::new();
    if loops.is_empty() {
        return found;
    }
    let (population, smooth) = (member.population(), member.smooth(plane));
    for right in shifts(view.axes[0]) {
        for up in shifts(view.axes[1]) {
            let moved = |p: &[f64; 3]| [p[view.axes[0]] + right, p[view.axes[1]] + up];
            let loops = loops.iter().map(|points| points.iter().map(moved).collect()).collect();
            found.push(Outline { population, loops, smooth });
        }
    }
    found
}

/// Draws the outlines on the first panel of `figure`, filled with the colours of their populations. Adds the
/// populations to the legend.
pub fn draw(figure: &mut Figure, nodes: &Nodes, view: &View, outlines: &[Outline], names: &[String]) {
    let Some(panel) = figure.panels.first_mut() else { return };
    let drawn = |of: &Outline| outline::Outline { population: of.population, path: path(nodes, view, of) };
    let drawn: Vec<outline::Outline> = outlines.iter().map(drawn).filter(|drawn| !drawn.path.is_empty()).collect();
    outline::draw(&mut panel.shapes, &drawn, OPACITY);
    let shown = |k: &usize| outlines.iter().any(|outline| outline.population == *k);
    figure.legend = (0..names.len()).filter(shown).map(|k| (names[k].clone(), colour(k))).collect();
}

/// Frames the lattice positions that `part` shows on the first panel of `figure`, which shows `view`.
pub fn mark(figure: &mut Figure, nodes: &Nodes, view: &View, part: &View) {
    let Some(panel) = figure.panels.first_mut() else { return };
    let grid = nodes.grid();
    let metres = |site: [i64; 2]| [0, 1].map(|k| grid.origin[view.axes[k]] + site[k] as f64 * grid.spacing);
    let [left, bottom] = view.pixel(nodes, metres(part.low));
    let [right, top] = view.pixel(nodes, metres(part.high.map(|site| site + 1)));
    for (width, colour) in FRAME {
        panel.shapes.rect(
            [left + 1.5, top + 1.5],
            [right - left - 3.0, bottom - top - 3.0],
            &Look::line(colour, width),
        );
    }
}

/// Opacity of members.
const OPACITY: f64 = 0.9;
/// Widths and colours of the lines around a part that is shown larger.
const FRAME: [(f64, [u8; 3]); 2] = [(5.0, INK), (2.5, PAPER)];
/// Members shorter than this many pixels need a picture of a part of the domain.
const SMALL: f64 = 34.0;
/// Sides of that part, in lengths of a member.
const PART: [f64; 2] = [24.0, 15.0];

/// The part of `view` to show larger when members are small in the whole view: among the places with most members, the
/// one where the speed varies most. `None` where members are large enough or there are none.
pub fn zoom(nodes: &Nodes, view: &View, outlines: &[Outline], speed: &[f64]) -> Option<View> {
    let grid = nodes.grid();
    let length = typical_size(outlines) / grid.spacing;
    if outlines.is_empty() || length * view.factor() >= SMALL {
        return None;
    }
    let extent = [0, 1].map(|k| (view.high[k] - view.low[k]) as usize + 1);
    let size = [0, 1].map(|k| ((PART[k] * length).round() as usize).clamp(1, extent[k]));
    // A part is two by two tiles.
    let tile = size.map(|s| s.div_ceil(2));
    let tiles = [0, 1].map(|k| extent[k].div_ceil(tile[k]));
    let number = |at: [i64; 2]| -> Option<usize> {
        let i = [0, 1].map(|k| at[k] - view.low[k]);
        let inside = (0..2).all(|k| (0..extent[k] as i64).contains(&i[k]));
        inside.then(|| i[1] as usize / tile[1] * tiles[0] + i[0] as usize / tile[0])
    };
    let mut sums = vec![Tile::default(); tiles[0] * tiles[1]];
    for (n, at) in view.nodes(nodes) {
        if let Some(t) = number(at) {
            sums[t].add_speed(speed[n]);
        }
    }
    for outline in outlines {
        let Some(point) = outline.loops.first().and_then(|points| points.first()) else { continue };
        let site = [0, 1].map(|k| ((point[k] - grid.origin[view.axes[k]]) / grid.spacing).floor() as i64);
        if let Some(t) = number(site) {
            sums[t].members += 1.0;
        }
    }
    let corners = (0..tiles[1].max(2) - 1).flat_map(|y| (0..tiles[0].max(2) - 1).map(move |x| [x, y]));
    let score = |[x, y]: [usize; 2]| {
        let mut all = Tile::default();
        for up in y..(y + 2).min(tiles[1]) {
            for right in x..(x + 2).min(tiles[0]) {
                all.add(&sums[up * tiles[0] + right]);
            }
        }
        all.members * all.deviation()
    };
    let best = corners.max_by(|&a, &b| score(a).total_cmp(&score(b)))?;
    // The last part ends with the domain.
    let start = [0, 1].map(|k| (best[k] * tile[k]).min(extent[k] - size[k]));
    let low = [0, 1].map(|k| view.low[k] + start[k] as i64);
    Some(view.part(low, [0, 1].map(|k| low[k] + size[k] as i64 - 1)))
}

#[derive(Clone, Copy, Default)]
struct Tile {
    members: f64,
    nodes: f64,
    speed: f64,
    square: f64,
}

impl Tile {
    fn add_speed(&mut self, speed: f64) {
        self.add(&Self { members: 0.0, nodes: 1.0, speed, square: speed * speed });
    }

    fn add(&mut self, other: &Self) {
        self.members += other.members;
        self.nodes += other.nodes;
        self.speed += other.speed;
        self.square += other.square;
    }

    fn deviation(&self) -> f64 {
        let mean = self.speed / self.nodes.max(1.0);
        (self.square / self.nodes.max(1.0) - mean * mean).max(0.0).sqrt()
    }
}

/// The median of the longer sides of the boxes around the outlines, m; 0 where there are none.
pub fn typical_size(outlines: &[Outline]) -> f64 {
    let side = |outline: &Outline, k: usize| {
        let along = || outline.loops.iter().flatten().map(|p| p[k]);
        along().fold(f64::NEG_INFINITY, f64::max) - along().fold(f64::INFINITY, f64::min)
    };
    let mut sizes: Vec<f64> = outlines.iter().map(|o| side(o, 0).max(side(o, 1))).collect();
    sizes.sort_by(f64::total_cmp);
    sizes.get(sizes.len() / 2).copied().unwrap_or(0.0)
}

fn path(nodes: &Nodes, view: &View, outline: &Outline) -> Path {
    let mut path = Path::default();
    for points in outline.loops.iter().filter(|points| points.len() > 2) {
        let at: Vec<[f64; 2]> = points.iter().map(|&p| view.pixel(nodes, p)).collect();
        path.move_to(at[0]);
        let n = at.len();
        for i in 0..n {
            let [before, here, next, after] = [i + n - 1, i, i + 1, i + 2].map(|k| at[k % n]);
            if outline.smooth {
                // The Catmull-Rom spline through the vertices, as a Bezier curve.
                let control = |p: [f64; 2], a: [f64; 2], b: [f64; 2]| [0, 1].map(|k| p[k] + (b[k] - a[k]) / 6.0);
                path.curve_to(control(here, before, next), control(next, after, here), next);
            } else {
                path.line_to(next);
            }
        }
        path.close();
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cells::cells;
    use crate::cells::testing::{frame, ring, sphere};
    use crate::map::{Quantity, draw_smooth};
    use crate::plane::Plane;
    use crate::testing::{channel, duct};
    use hematite_drawing::colour::SOLID;
    use hematite_drawing::page::Page;
    use image::RgbImage;

    /// The first panel of a figure as it is seen.
    fn seen(figure: &Figure) -> RgbImage {
        let panel = &figure.panels[0];
        let mut page = Page::new([panel.image.width(), panel.image.height()].map(f64::from));
        page.picture(panel.image.clone(), [0.0; 2]);
        page.shapes = panel.shapes.clone();
        page.pixels().expect("draws")
    }

    fn pixel(image: &RgbImage, [x, y]: [f64; 2]) -> [u8; 3] {
        image.get_pixel(x as u32, y as u32).0
    }

    #[test]
    fn a_ring_is_filled_and_comes_back_across_a_periodic_face() {
        let grid = channel(40, 20, 1.0);
        let nodes = Nodes::new(&grid).expect("nodes").wrapped([40, 22, 1], [true, false, false]);
        let bodies = vec![ring([20.0, 8.0], [4.0, 2.0], 0.0, 30), ring([0.5, 15.0], [4.0, 2.0], 0.0, 30)];
        let (kinds, f) = frame(&[("none", &[], vec![]), ("red", &[], bodies)]);
        let view = View::whole(&nodes, None).expect("2-D");
        let found = outlines(&nodes, &view, &cells(&kinds, &f).expect("sound"));
        assert_eq!(found.len(), 3);
        assert!((typical_size(&found) - 8.0).abs() < 1e-9);
        let speed = vec![1.0; grid.position.len()];
        let mut figure = draw_smooth(&nodes, &speed, Quantity::Speed, &view);
        let before = pixel(&seen(&figure), view.pixel(&nodes, [20.0, 8.0]));
        draw(&mut figure, &nodes, &view, &found, &["none".into(), "red".into()]);
        assert_eq!(figure.legend, [("red".to_owned(), colour(1))]);
        let image = seen(&figure);
        for inside in [[20.0, 8.0], [23.5, 8.0], [2.0, 15.0], [39.0, 15.0]] {
            assert_ne!(pixel(&image, view.pixel(&nodes, inside)), before, "{inside:?}");
        }
        for outside in [[20.0, 11.0], [25.0, 8.0], [35.0, 15.0]] {
            assert_eq!(pixel(&image, view.pixel(&nodes, outside)), before, "{outside:?}");
        }
        assert_eq!(zoom(&nodes, &view, &found, &speed), None);
    }

    #[test]
    fn a_plane_shows_the_section_of_a_ball() {
        let grid = duct(20, 20, 20, 1.0);
        let nodes = Nodes::new(&grid).expect("nodes").wrapped([22, 22, 22], [false, false, true]);
        let (unit, triangles) = sphere(4);
        let body: Vec<[f64; 3]> = unit.iter().map(|v| [11.0 + 5.0 * v[0], 9.0 + 5.0 * v[1], 5.0 * v[2]]).collect();
        let (kinds, f) = frame(&[("ball", &triangles, vec![body])]);
        let all = cells(&kinds, &f).expect("sound");
        // The ball stands on the periodic face z = 0: its other half is below z = 22.
        for (at, radius) in [(3.0, 4.0), (18.0, 3.0)] {
            let plane = Plane { name: "p".into(), axis: 2, at };
            let view = View::whole(&nodes, Some(&plane)).expect("hits");
            let found = outlines(&nodes, &view, &all);
            assert_eq!(found.len(), 1);
            assert!((typical_size(&found) - 2.0 * radius).abs() < 0.05, "{at}");
        }
        let plane = Plane { name: "p".into(), axis: 2, at: 10.0 };
        let view = View::whole(&nodes, Some(&plane)).expect("hits");
        assert!(outlines(&nodes, &view, &all).is_empty());
    }

    #[test]
    fn small_cells_call_for_a_part_where_the_speed_varies() {
        let grid = channel(2000, 200, 1.0);
        let nodes = Nodes::new(&grid).expect("nodes");
        let bodies =
            (0..190).flat_map(|i| (0..18).map(move |j| [10.0 * f64::from(i) + 8.0, 10.0 * f64::from(j) + 12.0]));
        let bodies = bodies.map(|centre| ring(centre, [4.0, 1.5], 0.0, 20)).collect();
        let (kinds, f) = frame(&[("red", &[], bodies)]);
        let view = View::whole(&nodes, None).expect("2-D");
        let found = outlines(&nodes, &view, &cells(&kinds, &f).expect("sound"));
        let speed: Vec<f64> =
            grid.position.iter().map(|p| if p[0] > 1200 && p[0] < 1260 { f64::from(p[1]) } else { 1.0 }).collect();
        let part = zoom(&nodes, &view, &found, &speed).expect("small cells");
        assert!(part.low[0] < 1230 && part.high[0] > 1230, "{part:?}");
        assert!(part.factor() > 5.0 * view.factor());
        let mut whole = draw_smooth(&nodes, &speed, Quantity::Speed, &view);
        mark(&mut whole, &nodes, &view, &part);
        let [x, y] = view.pixel(&nodes, [part.low[0] as f64, 0.5 * (part.low[1] + part.high[1]) as f64]);
        assert_eq!(pixel(&seen(&whole), [x + 1.5, y]), PAPER);
        assert!(whole.panels[0].image.pixels().all(|p| p.0 != SOLID));
    }
}
