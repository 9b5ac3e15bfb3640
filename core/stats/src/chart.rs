//! Charts of curves: axes with round ticks, lines, marks and error bars, a legend.

use std::path::Path;

use hematite_config::Result;
use hematite_drawing::canvas::{paint, to_canvas, to_image};
use hematite_drawing::page::{INK, PAPER};
use hematite_drawing::png::write_png;
use hematite_drawing::text::{self, Anchor, LINE_HEIGHT};
use hematite_units::number::{Prefix, ticks};
use image::{Rgb, RgbImage};
use tiny_skia::{LineCap, LineJoin, PathBuilder, Pixmap, Stroke, StrokeDash, Transform};

/// Colours of curves, in their order.
pub const COLOURS: [[u8; 3]; 6] = [
    [0xc0, 0x28, 0x28],
    [0x1f, 0x5f, 0xa8],
    [0xd9, 0x8a, 0x00],
    [0x2b, 0x8a, 0x4b],
    [0x8e, 0x4b, 0xa8],
    [0x55, 0x55, 0x5a],
];

const WIDTH: u32 = 1000;
const HEIGHT: u32 = 640;
const LEFT: u32 = 110;
const RIGHT: u32 = 30;
/// Where the legend starts: below the title.
const LEGEND: u32 = 50;
/// Height of a line of the legend, and of the label of the upward axis.
const LINE: u32 = LINE_HEIGHT + 10;
const SAMPLE: u32 = 28;
const BOTTOM: u32 = 74;
const GRID: [u8; 3] = [0xe4, 0xe4, 0xe8];

/// Largest ratio of the ends of a logarithmic axis.
const DECADES: f64 = 1e9;

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
}

impl Curve {
    /// A curve without error bars in the colour of number `number`.
    pub fn new(name: impl Into<String>, points: Vec<[f64; 2]>, style: Style, number: usize) -> Self {
        Self { name: name.into(), points, errors: Vec::new(), style, colour: COLOURS[number % COLOURS.len()] }
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
    /// Its title.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// Its curves.
    pub curves: Vec<Curve>,
}

impl Chart {
    /// A chart of curves.
    pub fn new(title: impl Into<String>, x: Axis, y: Axis, curves: Vec<Curve>) -> Self {
        Self { title: title.into(), x, y, curves }
    }

    /// Writes the chart as PNG.
    ///
    /// # Errors
    /// An I/O fault that names the file.
    pub fn write(&self, path: &Path) -> Result<()> {
        write_png(&self.draw(), path, &[])
    }

    /// Draws the chart.
    pub fn draw(&self) -> RgbImage {
        let (places, lines) = self.legend();
        let top = LEGEND + (lines + 1) * LINE;
        let x = Scale::of(&self.x, self.finite().map(|(p, _)| p[0]), [LEFT, WIDTH - RIGHT]);
        let ends = self.finite().flat_map(|(p, error)| [p[1] - error, p[1] + error]);
        let y = Scale::of(&self.y, ends, [HEIGHT - BOTTOM, top]);
        let mut page = RgbImage::from_pixel(WIDTH, HEIGHT, Rgb(PAPER));
        self.draw_axes(&mut page, &x, &y);
        if let Some(mut canvas) = to_canvas(&page) {
            for curve in &self.curves {
                draw_curve(&mut canvas, curve, &x, &y);
            }
            page = to_image(&canvas);
        }
        let [width, height] = [WIDTH - LEFT - RIGHT, HEIGHT - top - BOTTOM];
        text::frame(&mut page, [LEFT, top], [width, height], INK);
        for (curve, at) in places {
            draw_sample(&mut page, curve, at);
        }
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

    fn draw_axes(&self, page: &mut RgbImage, x: &Scale, y: &Scale) {
        let top = y.pixels[1];
        text::write(page, &self.title, LEFT, 18, Anchor::Left, INK);
        for (value, label) in x.marks(9) {
            let column = x.pixel(value).round() as u32;
            text::fill(page, [column, top], [1, HEIGHT - top - BOTTOM], GRID);
            text::fill(page, [column, HEIGHT - BOTTOM], [1, 7], INK);
            text::write(page, &label, column, HEIGHT - BOTTOM + 12, Anchor::Centre, INK);
        }
        for (value, label) in y.marks(8) {
            let row = y.pixel(value).round() as u32;
            text::fill(page, [LEFT, row], [WIDTH - LEFT - RIGHT, 1], GRID);
            text::fill(page, [LEFT - 7, row], [7, 1], INK);
            let left = (LEFT - 14).saturating_sub(text::width(&label));
            text::write(page, &label, left, row.saturating_sub(LINE_HEIGHT / 2), Anchor::Left, INK);
        }
        let middle = LEFT + (WIDTH - LEFT - RIGHT) / 2;
        text::write(page, &x.label, middle, HEIGHT - BOTTOM + 14 + LINE_HEIGHT, Anchor::Centre, INK);
        text::write(page, &y.label, 16, top - LINE, Anchor::Left, INK);
    }

    /// The place of each named curve in the legend, and the number of lines.
    fn legend(&self) -> (Vec<(&Curve, [u32; 2])>, u32) {
        let (mut places, mut at) = (Vec::new(), [LEFT, LEGEND]);
        for curve in self.curves.iter().filter(|curve| !curve.name.is_empty()) {
            let width = SAMPLE + 8 + text::width(&curve.name);
            if at[0] > LEFT && at[0] + width > WIDTH - RIGHT {
                at = [LEFT, at[1] + LINE];
            }
            places.push((curve, at));
            at[0] += width + 28;
        }
        let lines = if places.is_empty() { 0 } else { (at[1] - LEGEND) / LINE + 1 };
        (places, lines)
    }
}

fn draw_sample(page: &mut RgbImage, curve: &Curve, [x, y]: [u32; 2]) {
    let pieces: &[[u32; 2]] = match curve.style {
        Style::Dashed => &[[0, 6], [11, 6], [22, 6]],
        Style::Line | Style::Marks => &[[0, SAMPLE]],
        Style::Points => &[],
    };
    for &[from, length] in pieces {
        text::fill(page, [x + from, y + 9], [length, 3], curve.colour);
    }
    if matches!(curve.style, Style::Marks | Style::Points) {
        text::disc(page, [f64::from(x + SAMPLE / 2), f64::from(y) + 10.5], 4.0, curve.colour);
    }
    text::write(page, &curve.name, x + SAMPLE + 8, y, Anchor::Left, INK);
}

fn draw_curve(canvas: &mut Pixmap, curve: &Curve, x: &Scale, y: &Scale) {
    let at = |p: &[f64; 2]| -> Option<[f32; 2]> {
        let place = [x.pixel(p[0]), y.pixel(p[1])];
        (x.holds(p[0]) && y.holds(p[1])).then(|| place.map(|v| v as f32))
    };
    let mut stroke = Stroke { width: 2.5, line_cap: LineCap::Round, line_join: LineJoin::Round, ..Stroke::default() };
    let ink = paint(curve.colour, 1.0);
    for (p, &error) in curve.points.iter().zip(&curve.errors).filter(|(_, e)| e.is_finite()) {
        if let (Some([column, low]), Some([_, high])) = (at(&[p[0], p[1] - error]), at(&[p[0], p[1] + error])) {
            let mut bar = PathBuilder::new();
            bar.move_to(column, low);
            bar.line_to(column, high);
            let thin = Stroke { width: 1.2, ..stroke.clone() };
            if let Some(bar) = bar.finish() {
                canvas.stroke_path(&bar, &ink, &thin, Transform::identity(), None);
            }
        }
    }
    if curve.style == Style::Dashed {
        stroke.dash = StrokeDash::new(vec![9.0, 8.0], 0.0);
    }
    // Many marks are small marks.
    let radius = if curve.points.len() > 80 { 2.2 } else { 3.5 };
    let marked = matches!(curve.style, Style::Marks | Style::Points);
    let mut line = PathBuilder::new();
    let mut started = false;
    for place in curve.points.iter().map(at) {
        match place {
            Some([column, row]) if started => line.line_to(column, row),
            Some([column, row]) => line.move_to(column, row),
            None => {}
        }
        started = place.is_some();
        if let Some([column, row]) = place.filter(|_| marked)
            && let Some(disc) = PathBuilder::from_circle(column, row, radius)
        {
            canvas.fill_path(&disc, &ink, tiny_skia::FillRule::Winding, Transform::identity(), None);
        }
    }
    if let Some(line) = line.finish().filter(|_| curve.style != Style::Points) {
        canvas.stroke_path(&line, &ink, &stroke, Transform::identity(), None);
    }
}

/// From values to pixels along one axis.
struct Scale {
    low: f64,
    high: f64,
    logarithmic: bool,
    prefix: Prefix,
    pixels: [u32; 2],
    label: String,
}

impl Scale {
    fn of(axis: &Axis, values: impl Iterator<Item = f64>, pixels: [u32; 2]) -> Self {
        let values: Vec<f64> = values.filter(|v| v.is_finite() && (!axis.logarithmic || *v > 0.0)).collect();
        let mut high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let least = if axis.logarithmic { high / DECADES } else { f64::NEG_INFINITY };
        let mut low = values.iter().copied().filter(|&v| v >= least).fold(f64::INFINITY, f64::min);
        if low > high {
            (low, high) = if axis.logarithmic { (1.0, 10.0) } else { (0.0, 1.0) };
        }
        if axis.logarithmic {
            low = 10f64.powf((low.log10() + 1e-9).floor());
            high = 10f64.powf((high.log10() - 1e-9).ceil()).max(10.0 * low);
        } else {
            if axis.from_zero {
                (low, high) = (low.min(0.0), high.max(0.0));
            }
            let span = if high > low { high - low } else { high.abs().max(1e-300) };
            let room = if axis.from_zero { 0.06 } else { 0.03 };
            (low, high) =
                (if low == 0.0 { 0.0 } else { low - room * span }, if high == 0.0 { 0.0 } else { high + room * span });
            if high <= low {
                high = low + 1.0;
            }
        }
        let size = low.abs().max(high.abs());
        let plain = Prefix { factor: 1.0, symbol: "" };
        let (prefix, label) = match (axis.unit, axis.logarithmic) {
            ("", false) if size < 0.01 => {
                // A quantity without a unit takes a power of ten in place of a prefix.
                let power = (size.log10() / 3.0).floor() as i32 * 3;
                (Prefix { factor: 10f64.powi(-power), symbol: "" }, format!("{} / 1e{power}", axis.label))
            }
            ("", _) => (plain, axis.label.clone()),
            (unit, true) => (plain, format!("{} [{unit}]", axis.label)),
            (unit, false) => {
                let prefix = Prefix::of(size);
                (prefix, format!("{} [{}{unit}]", axis.label, prefix.symbol))
            }
        };
        Self { low, high, logarithmic: axis.logarithmic, prefix, pixels, label }
    }

    fn pixel(&self, value: f64) -> f64 {
        let along = |v: f64| if self.logarithmic { v.log10() } else { v };
        let t = (along(value) - along(self.low)) / (along(self.high) - along(self.low));
        f64::from(self.pixels[0]) + t * (f64::from(self.pixels[1]) - f64::from(self.pixels[0]))
    }

    /// Whether the axis shows a value: a logarithmic axis leaves out values below its lower end.
    fn holds(&self, value: f64) -> bool {
        value.is_finite() && (!self.logarithmic || value >= self.low * (1.0 - 1e-9))
    }

    fn marks(&self, count: usize) -> Vec<(f64, String)> {
        if self.logarithmic {
            let (first, last) = (self.low.log10().round() as i32, self.high.log10().round() as i32);
            let step = ((last - first) / 8).max(0) as usize + 1;
            let factors: &[u32] = if last - first <= 2 { &[1, 2, 5] } else { &[1] };
            let decade =
                |power: i32| factors.iter().map(move |&k| (f64::from(k) * 10f64.powi(power), format!("{k}e{power}")));
            let all = (first..=last).step_by(step).flat_map(decade);
            return all.filter(|(value, _)| *value <= self.high * (1.0 + 1e-9)).collect();
        }
        let (low, high) = (self.low * self.prefix.factor, self.high * self.prefix.factor);
        let (marks, decimals) = ticks(low, high, count);
        let label = |mark: f64| format!("{:.decimals$}", if mark == 0.0 { 0.0 } else { mark });
        marks.into_iter().map(|mark| (mark / self.prefix.factor, label(mark))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_lands_where_its_axes_say() {
        let points = vec![[0.0, 0.0], [10.0, 4.0]];
        let chart = Chart {
            title: "t".into(),
            x: Axis::new("x", "m").from_zero(),
            y: Axis::new("y", "").from_zero(),
            curves: vec![Curve::new("c", points, Style::Marks, 0)],
        };
        let image = chart.draw();
        assert_eq!(image.get_pixel(LEFT + 1, HEIGHT - BOTTOM - 2).0, COLOURS[0]);
        // The axis spans 1.06 times the range of the values.
        let top = LEGEND + 2 * LINE;
        let (x, y) = (f64::from(WIDTH - LEFT - RIGHT) / 1.06, f64::from(HEIGHT - top - BOTTOM) / 1.06);
        assert_eq!(image.get_pixel(LEFT + x as u32, HEIGHT - BOTTOM - y as u32).0, COLOURS[0]);
    }

    #[test]
    fn empty_and_broken_curves_leave_axes() {
        for (logarithmic, points) in
            [(false, vec![]), (true, vec![[-1.0, 0.0]]), (false, vec![[f64::NAN, 1.0], [1.0, 1.0]])]
        {
            let axis = Axis { logarithmic, ..Axis::new("x", "m") };
            let curves = vec![Curve::new("c", points, Style::Line, 1)];
            let image = Chart { title: String::new(), x: axis.clone(), y: axis, curves }.draw();
            assert_eq!(image.get_pixel(LEFT - 1, LEGEND + 3 * LINE).0, INK);
        }
    }

    #[test]
    fn logarithmic_axes_mark_powers() {
        let axis = Axis::new("x", "s").logarithmic();
        let scale = Scale::of(&axis, [2e-3, 0.5].into_iter(), [0, 300]);
        let marks = scale.marks(5);
        assert_eq!(marks.iter().map(|(_, label)| label.as_str()).collect::<Vec<_>>(), ["1e-3", "1e-2", "1e-1", "1e0"]);
        assert!((scale.pixel(marks[1].0) - 100.0).abs() < 1e-9);
        assert!(!Scale::of(&axis, [1e-40, 0.5].into_iter(), [0, 300]).holds(1e-40));
        let short = Scale::of(&axis, [2e-3, 8e-3].into_iter(), [0, 300]).marks(5);
        assert_eq!(short.len(), 4, "1, 2, 5 and 10");
    }

    #[test]
    fn small_numbers_have_a_power_of_ten() {
        let scale = Scale::of(&Axis::new("drift", "").from_zero(), [0.0, 4e-6].into_iter(), [0, 300]);
        assert_eq!(scale.label, "drift / 1e-6");
        assert_eq!(scale.marks(5)[1].1, "1");
    }

    #[test]
    fn long_legends_take_lines() {
        let curve = |i: usize| Curve::new(format!("a rather long name {i}"), vec![[0.0, i as f64]], Style::Line, i);
        let chart = Chart {
            title: String::new(),
            x: Axis::new("x", ""),
            y: Axis::new("y", ""),
            curves: (0..7).map(curve).collect(),
        };
        let (places, lines) = chart.legend();
        assert_eq!((places.len(), lines), (7, 3));
        assert_eq!(chart.draw().get_pixel(places[6].1[0] + 2, places[6].1[1] + 10).0, COLOURS[0]);
    }
}
