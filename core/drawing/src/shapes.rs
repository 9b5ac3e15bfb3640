//! Elements of a figure as SVG. Lengths are in pixels of the PNG, y runs downwards.

use std::fmt::Write;

use crate::text::{ASCENT, LINE_HEIGHT, SIZE};

/// The colour of text and lines.
pub const INK: [u8; 3] = [0x20, 0x20, 0x24];
/// The colour of the page.
pub const PAPER: [u8; 3] = [0xff, 0xff, 0xff];

/// How an area or a line is painted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    fill: Option<[u8; 3]>,
    stroke: Option<([u8; 3], f64)>,
    opacity: f64,
    dashes: Option<[f64; 2]>,
}

impl Look {
    /// An area of a colour.
    pub fn area(colour: [u8; 3]) -> Self {
        Self { fill: Some(colour), stroke: None, opacity: 1.0, dashes: None }
    }

    /// A line of a colour and width.
    pub fn line(colour: [u8; 3], width: f64) -> Self {
        Self { fill: None, stroke: Some((colour, width)), opacity: 1.0, dashes: None }
    }

    /// Adds an outline of a colour and width to an area.
    #[must_use]
    pub fn outlined(self, colour: [u8; 3], width: f64) -> Self {
        Self { stroke: Some((colour, width)), ..self }
    }

    /// Makes the area, or a line without one, let through what is behind; from 0 to 1.
    #[must_use]
    pub fn opacity(self, opacity: f64) -> Self {
        Self { opacity, ..self }
    }

    /// Makes the line one of dashes and gaps of these lengths.
    #[must_use]
    pub fn dashed(self, dashes: [f64; 2]) -> Self {
        Self { dashes: Some(dashes), ..self }
    }

    fn attributes(&self) -> String {
        let fill = self.fill.map_or_else(|| "none".to_owned(), hex);
        let mut text = format!("fill=\"{fill}\"");
        if let Some((colour, width)) = self.stroke {
            text += &format!(" stroke=\"{}\" stroke-width=\"{}\"", hex(colour), number(width));
        }
        if self.opacity < 1.0 {
            let of = if self.fill.is_some() { "fill" } else { "stroke" };
            text += &format!(" {of}-opacity=\"{}\"", number(self.opacity));
        }
        if let Some([dash, gap]) = self.dashes {
            text += &format!(" stroke-dasharray=\"{} {}\"", number(dash), number(gap));
        }
        text
    }
}

/// Where text stands relative to its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// The text starts there.
    Left,
    /// The text is centred there.
    Centre,
    /// The text ends there.
    Right,
}

/// How text is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lettering {
    /// Where it stands.
    pub anchor: Anchor,
    /// Height of its letters, pixels.
    pub size: f64,
    /// Its colour.
    pub colour: [u8; 3],
    /// Whether it runs upwards; its upper edge then is to the left.
    pub upwards: bool,
}

impl Lettering {
    /// Ink of the usual size from left to right.
    pub fn at(anchor: Anchor) -> Self {
        Self { anchor, size: SIZE, colour: INK, upwards: false }
    }
}

/// A line of straight and curved pieces, closed or not.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Path {
    steps: String,
    low: [f64; 2],
    high: [f64; 2],
}

impl Path {
    /// A line through points.
    pub fn through(points: impl IntoIterator<Item = [f64; 2]>) -> Self {
        let mut path = Self::default();
        for (i, point) in points.into_iter().enumerate() {
            if i == 0 { path.move_to(point) } else { path.line_to(point) }
        }
        path
    }

    /// Begins a piece at a point.
    pub fn move_to(&mut self, at: [f64; 2]) {
        self.step('M', &[at]);
    }

    /// Goes on to a point.
    pub fn line_to(&mut self, at: [f64; 2]) {
        self.step('L', &[at]);
    }

    /// Goes on to `at` by a Bezier curve with two control points.
    pub fn curve_to(&mut self, one: [f64; 2], two: [f64; 2], at: [f64; 2]) {
        self.step('C', &[one, two, at]);
    }

    /// Closes the piece.
    pub fn close(&mut self) {
        self.steps.push('Z');
    }

    /// Whether it has no point.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Width and height of the box around its points.
    pub fn size(&self) -> [f64; 2] {
        [0, 1].map(|k| self.high[k] - self.low[k])
    }

    /// Adds the pieces of another line.
    pub fn append(&mut self, other: &Self) {
        let first = self.is_empty();
        self.steps += &other.steps;
        self.widen([other.low, other.high], first);
    }

    fn step(&mut self, kind: char, points: &[[f64; 2]]) {
        let first = self.is_empty();
        self.steps.push(kind);
        for (i, [x, y]) in points.iter().enumerate() {
            let gap = if i == 0 { "" } else { " " };
            write!(self.steps, "{gap}{} {}", number(*x), number(*y)).unwrap_or_default();
        }
        points.iter().enumerate().for_each(|(i, &point)| self.widen([point, point], first && i == 0));
    }

    fn widen(&mut self, [low, high]: [[f64; 2]; 2], first: bool) {
        self.low = if first { low } else { [0, 1].map(|k| self.low[k].min(low[k])) };
        self.high = if first { high } else { [0, 1].map(|k| self.high[k].max(high[k])) };
    }
}

/// Elements in the order in which they are drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shapes {
    body: String,
}

impl Shapes {
    /// The elements as SVG.
    pub fn svg(&self) -> &str {
        &self.body
    }

    /// A rectangle by its upper left corner and its size.
    pub fn rect(&mut self, at: [f64; 2], size: [f64; 2], look: &Look) {
        self.element(&format!("<rect {} {}/>", corner(at, size), look.attributes()));
    }

    /// A rectangle that viewers tell of by `said`.
    pub fn rect_that_says(&mut self, at: [f64; 2], size: [f64; 2], look: &Look, said: &str) {
        let (place, look) = (corner(at, size), look.attributes());
        self.element(&format!("<rect {place} {look}><title>{}</title></rect>", escaped(said)));
    }

    /// Frames a rectangle by a line of a width just outside it.
    pub fn frame(&mut self, at: [f64; 2], size: [f64; 2], colour: [u8; 3], width: f64) {
        let half = 0.5 * width;
        self.rect(at.map(|x| x - half), size.map(|x| x + width), &Look::line(colour, width));
    }

    /// A disc.
    pub fn disc(&mut self, [x, y]: [f64; 2], radius: f64, look: &Look) {
        let place = format!("cx=\"{}\" cy=\"{}\" r=\"{}\"", number(x), number(y), number(radius));
        self.element(&format!("<circle {place} {}/>", look.attributes()));
    }

    /// A line or an area with holes.
    pub fn path(&mut self, path: &Path, look: &Look) {
        self.paths(std::iter::once(path), look);
    }

    /// Lines or areas of one look.
    pub fn paths<'a>(&mut self, paths: impl IntoIterator<Item = &'a Path>, look: &Look) {
        let fill = if look.fill.is_some() { " fill-rule=\"evenodd\"" } else { "" };
        self.element(&format!("<g {}{fill} stroke-linecap=\"round\" stroke-linejoin=\"round\">", look.attributes()));
        for path in paths.into_iter().filter(|path| !path.is_empty()) {
            self.element(&format!("<path d=\"{}\"/>", path.steps));
        }
        self.element("</g>");
    }

    /// Writes a line of text with its upper edge at `at`, in ink.
    pub fn write(&mut self, text: &str, at: [f64; 2], anchor: Anchor) {
        self.write_in(text, at, &Lettering::at(anchor));
    }

    /// Writes lines of text, the upper edge of the first at `at`, in ink.
    pub fn write_lines(&mut self, lines: &[String], [x, y]: [f64; 2], anchor: Anchor) {
        for (i, line) in lines.iter().enumerate() {
            self.write(line, [x, y + LINE_HEIGHT * i as f64], anchor);
        }
    }

    /// Writes a line of text with its upper edge at `at`.
    pub fn write_in(&mut self, text: &str, [x, y]: [f64; 2], lettering: &Lettering) {
        if text.is_empty() {
            return;
        }
        let down = ASCENT * lettering.size;
        let place = if lettering.upwards {
            let (x, y) = (number(x + down), number(y));
            format!("x=\"{x}\" y=\"{y}\" transform=\"rotate(-90 {x} {y})\"")
        } else {
            format!("x=\"{}\" y=\"{}\"", number(x), number(y + down))
        };
        let anchor = match lettering.anchor {
            Anchor::Left => "",
            Anchor::Centre => " text-anchor=\"middle\"",
            Anchor::Right => " text-anchor=\"end\"",
        };
        let size =
            if lettering.size == SIZE { String::new() } else { format!(" font-size=\"{}\"", number(lettering.size)) };
        let colour = hex(lettering.colour);
        self.element(&format!("<text {place}{anchor}{size} fill=\"{colour}\">{}</text>", escaped(text)));
    }

    /// Draws other elements, whose pixels begin at 0, with their upper left corner at `at`; cuts off what is beyond
    /// `size`.
    pub fn inset(&mut self, at: [f64; 2], size: [f64; 2], inner: &Self) {
        if !inner.body.is_empty() {
            let view = format!("viewBox=\"0 0 {} {}\"", number(size[0]), number(size[1]));
            self.element(&format!("<svg {} {view}>\n{}</svg>", corner(at, size), inner.body));
        }
    }

    fn element(&mut self, element: &str) {
        self.body += element;
        self.body.push('\n');
    }
}

/// The attributes of a rectangle's place and size.
pub(crate) fn corner([x, y]: [f64; 2], [width, height]: [f64; 2]) -> String {
    let [x, y, width, height] = [x, y, width, height].map(number);
    format!("x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"")
}

/// A length as text, to a hundredth; 0 where it is not finite.
pub(crate) fn number(value: f64) -> String {
    let text = format!("{:.2}", if value.is_finite() { value } else { 0.0 });
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// Text as XML holds it. Letters that XML does not allow become the mark of what cannot be written.
pub(crate) fn escaped(text: &str) -> String {
    let mut all = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => all += "&amp;",
            '<' => all += "&lt;",
            '>' => all += "&gt;",
            '"' => all += "&quot;",
            '\t' | '\n' | '\r' => all.push(' '),
            '\0'..='\x1f' | '\u{fffe}' | '\u{ffff}' => all.push('\u{fffd}'),
            other => all.push(other),
        }
    }
    all
}

fn hex([r, g, b]: [u8; 3]) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_text_are_what_xml_holds() {
        let numbers = [1.0, -0.001, 12.345, 1e6, f64::NAN, -3.5].map(number);
        assert_eq!(numbers, ["1", "0", "12.35", "1000000", "0", "-3.5"]);
        assert_eq!(escaped("a<b>&\"c\"\u{1}\n"), "a&lt;b&gt;&amp;&quot;c&quot;\u{fffd} ");
    }

    #[test]
    fn paths_know_their_size() {
        let mut path = Path::through([[1.0, 2.0], [4.0, -1.0]]);
        path.close();
        assert_eq!((path.size(), path.steps.as_str()), ([3.0, 3.0], "M1 2L4 -1Z"));
        path.append(&Path::through([[9.0, 9.0]]));
        assert_eq!(path.size(), [8.0, 10.0]);
    }

    #[test]
    fn looks_say_what_is_needed() {
        let look = Look::area([255, 0, 0]).opacity(0.5).outlined([0; 3], 1.5);
        assert_eq!(look.attributes(), "fill=\"#ff0000\" stroke=\"#000000\" stroke-width=\"1.5\" fill-opacity=\"0.5\"");
        let line = Look::line([0; 3], 2.0).dashed([9.0, 8.0]);
        assert_eq!(line.attributes(), "fill=\"none\" stroke=\"#000000\" stroke-width=\"2\" stroke-dasharray=\"9 8\"");
    }
}
