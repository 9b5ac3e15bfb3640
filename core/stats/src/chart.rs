//! Charts of curves: axes with round ticks, lines, marks and error bars, a legend.

mod scale;

use std::path::Path as FilePath;

use hematite_config::Result;
use hematite_drawing::legend::{Legend, Sample};
use hematite_drawing::page::Page;
use hematite_drawing::shapes::{Anchor, INK, Lettering, Look, PAPER, Path, Shapes};
use hematite_drawing::text::{LINE_HEIGHT, width, wrap};

use crate::title::{Origin, TOOL};
use scale::Scale;

/// Colours of curves, in their order. As many curves again have them with other dashes and hollow marks.
pub const COLOURS: [[u8; 3]; 6] = [
    [0xc0, 0x28, 0x28],
    [0x1f, 0x5f, 0xa8],
    [0xd9, 0x8a, 0x00],
    [0x2b, 0x8a, 0x4b],
    [0x8e, 0x4b, 0xa8],
    [0x55, 0x55, 0x5a],
];

const WIDTH: f64 = 1000.0;
/// Height of what the axes frame.
const HEIGHT: f64 = 480.0;
const MARGIN: f64 = 20.0;
/// The narrowest room to the right of the axes.
const RIGHT: f64 = 30.0;
/// Between what belongs together.
const NEAR: f64 = 12.0;
/// Most marks along an axis to the right and upwards.
const MARKS: [usize; 2] = [9, 8];
/// Length of marks at axes.
const MARK: f64 = 7.0;
/// Between labels of marks.
const APART: f64 = 20.0;
const GRID: [u8; 3] = [0xe4, 0xe4, 0xe8];
/// Width of curves, of error bars, and of the axes.
const LINES: [f64; 3] = [2.5, 1.5, 2.0];
/// Half the width of the ends of error bars.
const CAP: f64 = 4.0;
/// Dashes of dashed curves, and of those that have a colour for the second time.
const DASHES: [[f64; 2]; 2] = [[9.0, 8.0], [16.0, 6.0]];
/// Dots of other curves that have a colour for the second time.
const DOTS: [f64; 2] = [2.0, 7.0];
/// Points nearer to the one before than this are left out.
const SAME: f64 = 0.3;

/// How a curve is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// A line.
    Line,
    /// A dashed line.
    Dashed,
    /// A line through marks.
    Marks,
    /// Marks alone.
    Points,
}

/// One curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Its name in the legend; empty for none.
    pub name: String,
    /// Its points in plain SI units; those that are not finite are left out.
    pub points: Vec<[f64; 2]>,
    /// Half the length of each point's error bar; empty for none.
    pub errors: Vec<f64>,
    /// How it is drawn.
    pub style: Style,
    /// Its colour.
    pub colour: [u8; 3],
    /// Whether another curve of this colour and style may be there: it has other dashes, and its marks are hollow.
    pub second: bool,
}

impl Curve {
    /// A curve without error bars that looks as number `number` does: twelve of a style can be told apart.
    pub fn new(name: impl Into<String>, points: Vec<[f64; 2]>, style: Style, number: usize) -> Self {
        let (colour, second) = (COLOURS[number % COLOURS.len()], number / COLOURS.len() % 2 == 1);
        Self { name: name.into(), points, errors: Vec::new(), style, colour, second }
    }
}

/// An axis of a chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// What it shows.
    pub label: String,
    /// The plain SI unit; empty for none.
    pub unit: &'static str,
    /// Whether it is logarithmic.
    pub logarithmic: bool,
    /// Whether 0 belongs to it.
    pub from_zero: bool,
}

impl Axis {
    /// A linear axis over the range of its values.
    pub fn new(label: impl Into<String>, unit: &'static str) -> Self {
        Self { label: label.into(), unit, logarithmic: false, from_zero: false }
    }

    /// Extends the axis to 0.
    #[must_use]
    pub fn from_zero(self) -> Self {
        Self { from_zero: true, ..self }
    }

    /// Makes the axis logarithmic.
    #[must_use]
    pub fn logarithmic(self) -> Self {
        Self { logarithmic: true, ..self }
    }
}

/// A chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// What it shows.
    pub what: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// Its curves.
    pub curves: Vec<Curve>,
}

impl Chart {
    /// A chart of curves.
    pub fn new(what: impl Into<String>, x: Axis, y: Axis, curves: Vec<Curve>) -> Self {
        Self { what: what.into(), x, y, curves }
    }

    /// Writes the chart of a run as `stem`.svg and `stem`.png.
    ///
    /// # Errors
    /// An I/O fault that names the file.
    pub fn write(&self, stem: &FilePath, origin: &Origin) -> Result<()> {
        let title = origin.title(&self.what);
        self.page(&title).write(stem, &title, TOOL)
    }

    /// Composes the chart under a title.
    pub fn page(&self, title: &str) -> Page {
        let title = wrap(title, WIDTH - 2.0 * MARGIN);
        let named = self.curves.iter().filter(|curve| !curve.name.is_empty());
        let legend = Legend::new(named.map(|curve| (curve.name.clone(), curve.sample())), WIDTH - 2.0 * MARGIN, false);
        let mut top = MARGIN + LINE_HEIGHT * title.len() as f64 + NEAR;
        let legend_at = [MARGIN, top];
        if legend.height > 0.0 {
            top += legend.height + NEAR;
        }
        let ends = self.finite().flat_map(|(p, error)| [p[1] - error, p[1] + error]);
        let y = Scale::of(&self.y, ends, [top + HEIGHT, top]);
        let y_marks = y.marks(MARKS[1]);
        let y_label = wrap(&y.label, HEIGHT);
        let y_numbers = MARGIN + LINE_HEIGHT * y_label.len() as f64 + NEAR;
        let left = (y_numbers + widest(&y_marks) + NEAR + MARK).ceil();
        let mut x = Scale::of(&self.x, self.finite().map(|(p, _)| p[0]), [left, WIDTH - RIGHT]);
        let x_marks = x_marks(&mut x);
        let [left, right] = x.pixels;
        let x_label = wrap(&x.label, right - left);
        let bottom = top + HEIGHT;
        let x_label_top = bottom + NEAR + LINE_HEIGHT + 0.5 * NEAR;
        let mut page = Page::new([WIDTH, x_label_top + LINE_HEIGHT * x_label.len() as f64 + MARGIN]);
        let shapes = &mut page.shapes;
        shapes.write_lines(&title, [MARGIN; 2], Anchor::Left);
        legend.draw(shapes, legend_at);
        let (grid, ink) = (Look::area(GRID), Look::area(INK));
        for (value, label) in &x_marks {
            let column = x.pixel(*value).round();
            shapes.rect([column, top], [1.0, HEIGHT], &grid);
            shapes.rect([column - 0.5, bottom], [2.0, MARK], &ink);
            shapes.write(label, [column, bottom + NEAR], Anchor::Centre);
        }
        for (value, label) in &y_marks {
            let row = y.pixel(*value).round();
            shapes.rect([left, row], [right - left, 1.0], &grid);
            shapes.rect([left - MARK, row - 0.5], [MARK, 2.0], &ink);
            shapes.write(label, [left - NEAR, row - 0.5 * LINE_HEIGHT], Anchor::Right);
        }
        shapes.write_lines(&x_label, [0.5 * (left + right), x_label_top], Anchor::Centre);
        for (i, line) in y_label.iter().enumerate() {
            let at = [MARGIN + LINE_HEIGHT * i as f64, top + 0.5 * HEIGHT];
            shapes.write_in(line, at, &Lettering { upwards: true, ..Lettering::at(Anchor::Centre) });
        }
        self.curves.iter().for_each(|curve| curve.draw(shapes, &x, &y));
        shapes.frame([left, top], [right - left, HEIGHT], INK, LINES[2]);
        page
    }

    fn finite(&self) -> impl Iterator<Item = ([f64; 2], f64)> + '_ {
        let fits = |p: &[f64; 2]| {
            let fit = |v: f64, axis: &Axis| v.is_finite() && (!axis.logarithmic || v > 0.0);
            fit(p[0], &self.x) && fit(p[1], &self.y)
        };
        let error = |curve: &Curve, i: usize| curve.errors.get(i).copied().filter(|e| e.is_finite()).unwrap_or(0.0);
        let points =
            self.curves.iter().flat_map(move |c| c.points.iter().enumerate().map(move |(i, &p)| (p, error(c, i))));
        points.filter(move |(p, _)| fits(p))
    }
}

/// As many marks as have room along the axis to the right, which ends where the last label has room.
fn x_marks(x: &mut Scale) -> Vec<(f64, String)> {
    for count in (1..=MARKS[0]).rev() {
        let marks = x.marks(count);
        x.pixels[1] = WIDTH - RIGHT.max(0.5 * widest(&marks) + NEAR);
        let places: Vec<[f64; 2]> = marks.iter().map(|(value, label)| [x.pixel(*value), 0.5 * width(label)]).collect();
        if places.windows(2).all(|two| two[1][0] - two[0][0] >= two[0][1] + two[1][1] + APART) || count == 1 {
            return marks;
        }
    }
    Vec::new()
}

/// Width of the widest label.
fn widest(marks: &[(f64, String)]) -> f64 {
    marks.iter().map(|(_, label)| width(label)).fold(0.0, f64::max)
}

impl Curve {
    fn line(&self) -> Option<Look> {
        let line = Look::line(self.colour, LINES[0]);
        match self.style {
            Style::Line | Style::Marks if self.second => Some(line.dashed(DOTS)),
            Style::Line | Style::Marks => Some(line),
            Style::Dashed => Some(line.dashed(DASHES[usize::from(self.second)])),
            Style::Points => None,
        }
    }

    fn mark(&self) -> Option<(Look, f64)> {
        // Many marks are small marks.
        let radius = if self.points.len() > 80 { 2.5 } else { 4.0 };
        let look =
            if self.second { Look::area(PAPER).outlined(self.colour, LINES[1]) } else { Look::area(self.colour) };
        matches!(self.style, Style::Marks | Style::Points).then_some((look, radius))
    }

    fn sample(&self) -> Sample {
        Sample::Curve { line: self.line(), mark: self.mark() }
    }

    fn draw(&self, shapes: &mut Shapes, x: &Scale, y: &Scale) {
        let at = |p: &[f64; 2]| (x.holds(p[0]) && y.holds(p[1])).then(|| [x.pixel(p[0]), y.pixel(p[1])]);
        let bar = |(p, error): (&[f64; 2], &f64)| {
            let high = at(&[p[0], p[1] + error])?;
            // A logarithmic axis has no place for an end at 0.
            let low = at(&[p[0], p[1] - error]).unwrap_or([high[0], y.pixels[0]]);
            Some(capped(low, high))
        };
        let known = self.points.iter().zip(&self.errors).filter(|(_, error)| error.is_finite());
        let bars: Vec<Path> = known.filter_map(bar).collect();
        if !bars.is_empty() {
            shapes.paths(&bars, &Look::line(self.colour, LINES[1]));
        }
        let (mut line, mut marks) = (Path::default(), Vec::new());
        let mut last: Option<[f64; 2]> = None;
        for place in self.points.iter().map(at) {
            match (last, place) {
                (Some(last), Some(here)) if (0..2).all(|k| (here[k] - last[k]).abs() < SAME) => continue,
                (Some(_), Some(here)) => line.line_to(here),
                (None, Some(here)) => line.move_to(here),
                (_, None) => {}
            }
            marks.extend(place);
            last = place;
        }
        if let Some(look) = self.line() {
            shapes.path(&line, &look);
        }
        if let Some((look, radius)) = self.mark() {
            marks.into_iter().for_each(|at| shapes.disc(at, radius, &look));
        }
    }
}

/// An error bar between two points, with its ends.
fn capped(low: [f64; 2], high: [f64; 2]) -> Path {
    let mut path = Path::through([low, high]);
    for [x, y] in [low, high] {
        path.move_to([x - CAP, y]);
        path.line_to([x + CAP, y]);
    }
    path
}

#[cfg(test)]
mod tests {
    use svg_checks::Drawn;

    use super::*;
    use crate::testing::Random;

    fn pixels(chart: &Chart) -> image::RgbImage {
        chart.page("t").pixels().expect("draws")
    }

    #[test]
    fn a_point_lands_where_its_axes_say() {
        let points = vec![[0.0, 0.0], [10.0, 4.0]];
        let curves = vec![Curve::new("c", points, Style::Marks, 0)];
        let chart = Chart::new("t", Axis::new("x", "m").from_zero(), Axis::new("y", "").from_zero(), curves);
        let image = pixels(&chart);
        // The frame begins at the first column and ends at the last row of ink; marks stand beyond.
        let is_ink = |x: u32, y: u32| image.get_pixel(x, y).0 == INK;
        let middle = image.height() / 2;
        let left = (1..WIDTH as u32).find(|&x| (0..60).all(|k| is_ink(x, middle - 30 + k))).expect("a frame") + 2;
        let right = (0..WIDTH as u32).rfind(|&x| (0..60).all(|k| is_ink(x, middle - 30 + k))).expect("a frame") - 1;
        let bottom = (0..image.height()).rfind(|&y| (left..right).all(|x| is_ink(x, y))).expect("a frame") - 1;
        assert_eq!(image.get_pixel(left + 1, bottom - 2).0, COLOURS[0]);
        // The axis spans 1.06 times the range of the values.
        let (x, y) = (f64::from(right - left) / 1.06, HEIGHT / 1.06);
        assert_eq!(image.get_pixel(left + x as u32, bottom - y as u32).0, COLOURS[0]);
    }

    #[test]
    fn empty_and_broken_curves_leave_axes() {
        for (logarithmic, points) in
            [(false, vec![]), (true, vec![[-1.0, 0.0]]), (false, vec![[f64::NAN, 1.0], [1.0, 1.0]])]
        {
            let axis = Axis { logarithmic, ..Axis::new("x", "m") };
            let curves = vec![Curve::new("c", points, Style::Line, 1)];
            let image = pixels(&Chart::new("", axis.clone(), axis, curves));
            assert!(image.pixels().filter(|pixel| pixel.0 == INK).count() > 2 * 2 * HEIGHT as usize);
        }
    }

    #[test]
    fn errors_are_drawn_from_below_to_above() {
        let errors = |errors: Vec<f64>| {
            let curve = Curve { errors, ..Curve::new("", vec![[1.0, 1.0], [2.0, 3.0], [3.0, 2.0]], Style::Points, 0) };
            let x = Axis::new("x", "");
            [x.clone(), x.clone().logarithmic()].map(|y| {
                let svg = Chart::new("t", x.clone(), y, vec![curve.clone()]).page("t").svg("t", "post").expect("draws");
                svg.matches("<path").count()
            })
        };
        assert_eq!((errors(vec![]), errors(vec![0.5, f64::NAN, 0.25])), ([0, 0], [2, 2]));
        // An end below 0 goes to the lower end of a logarithmic axis.
        assert_eq!(errors(vec![2.0, 0.1, 0.1]), [3, 3]);
    }

    #[test]
    fn twelve_curves_differ() {
        let styles = [Style::Line, Style::Dashed, Style::Marks, Style::Points];
        let points = || vec![[0.0, 1.0], [1.0, 2.0]];
        let curves: Vec<Curve> =
            styles.iter().flat_map(|&style| (0..12).map(move |k| Curve::new("", points(), style, k))).collect();
        let looks: Vec<String> = curves
            .into_iter()
            .map(|curve| {
                let chart = Chart::new("", Axis::new("x", ""), Axis::new("y", ""), vec![curve]);
                chart.page("t").svg("t", "post").expect("draws")
            })
            .collect();
        for (k, look) in looks.iter().enumerate() {
            assert!(!looks[..k].contains(look), "curve {} in style {:?}", k % 12, styles[k / 12]);
        }
    }

    #[test]
    fn long_legends_take_lines() {
        let curve = |i: usize| Curve::new(format!("a rather long name {i}"), vec![[0.0, i as f64]], Style::Line, i);
        let chart = |count| Chart::new("", Axis::new("x", ""), Axis::new("y", ""), (0..count).map(curve).collect());
        let drawn = |count| Drawn::of(&chart(count).page("t").svg("t", "post").expect("draws"));
        let few = drawn(1);
        let many = drawn(9);
        assert!(many.size[1] >= few.size[1] + 2.0 * LINE_HEIGHT, "{many:?}");
        assert!((0..9).all(|i| many.says(&format!("a rather long name {i}"))));
    }

    #[test]
    fn text_stays_on_the_page_and_apart() {
        let mut random = Random::new(11);
        for round in 0..60 {
            let size = |random: &mut Random| 10f64.powf(f64::from(random.below(30)) - 15.0);
            let sizes = [size(&mut random), size(&mut random)];
            let curve = |random: &mut Random| {
                let point = |i: usize| [sizes[0] * (i as f64 - 3.0), sizes[1] * f64::from(random.below(1000))];
                let points = (0..20).map(point).collect();
                Curve { errors: vec![0.3 * sizes[1]; 20], ..Curve::new(random.text(70), points, Style::Marks, 0) }
            };
            let curves = (0..random.below(6)).map(|_| curve(&mut random)).collect();
            let axis = |random: &mut Random| Axis {
                label: random.text(80),
                unit: ["", "m", "Pa", "rad/s"][random.below(4) as usize],
                logarithmic: random.below(3) == 0,
                from_zero: random.below(2) == 0,
            };
            let chart = Chart::new(random.text(150), axis(&mut random), axis(&mut random), curves);
            let title = Origin { run: random.text(30), times: [0.0, 3e-5], averaged: false }.title(&chart.what);
            let svg = chart.page(&title).svg(&title, "post").expect("draws");
            let drawn = Drawn::of(&svg);
            drawn.is_sound();
            assert_eq!(drawn.size[0], WIDTH);
            assert_eq!(svg, chart.page(&title).svg(&title, "post").expect("draws"), "{round}");
        }
    }
}
