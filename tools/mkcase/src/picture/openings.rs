//! Openings on the page: arrows into the fluid, and their labels.

use hematite_drawing::shapes::{Anchor, INK, Look, PAPER, Path, Shapes};
use hematite_drawing::text::{self, LINE_HEIGHT};
use image::RgbImage;

use super::label::{self, Rect, Wish};
use super::mouth::Mouth;
use super::page::AXES;
use super::scene::WALL;
use super::view::View;

/// Length of an arrow, pixels.
pub const ARROW: f64 = 34.0;
/// From the edge of a label to its text, pixels.
const INSIDE: f64 = 4.0;
/// Distance of the pixels that are looked at for what a label would hide.
const STRIDE: usize = 4;

/// An arrow through an opening into the fluid.
pub struct Arrow {
    tail: [f64; 2],
    tip: [f64; 2],
    /// Unit vector from tip to tail.
    back: [f64; 2],
    colour: [u8; 3],
    /// Whether the opening is seen.
    pub seen: bool,
}

impl Arrow {
    /// The arrow at a place, along a direction whose length tells how much it is turned away from the viewer.
    pub fn new(at: [f64; 2], direction: [f64; 2], colour: [u8; 3], seen: bool) -> Self {
        let length = direction[0].hypot(direction[1]);
        let back = if length > 1e-6 { direction.map(|x| -x / length) } else { [0.0, -1.0] };
        let long = ARROW * length.clamp(0.4, 1.0);
        let shift = |by: f64| [0, 1].map(|k| at[k] + by * back[k]);
        Self { tail: shift(long - 6.0), tip: shift(-6.0), back, colour, seen }
    }

    fn rect(&self) -> Rect {
        let [x, y] = [0, 1].map(|k| (self.tail[k].min(self.tip[k]) - 4.0, self.tail[k].max(self.tip[k]) + 4.0));
        [x.0, y.0, x.1, y.1]
    }

    fn draw(&self, shapes: &mut Shapes) {
        let across = [-self.back[1], self.back[0]];
        let barb = |side: f64| [0, 1].map(|k| self.tip[k] + 11.0 * self.back[k] + side * 6.0 * across[k]);
        let mut path = Path::through([self.tail, self.tip]);
        path.append(&Path::through([barb(1.0), self.tip, barb(-1.0)]));
        let opacity = if self.seen { 1.0 } else { 0.45 };
        shapes.path(&path, &Look::line(PAPER, 6.5).opacity(0.8));
        shapes.path(&path, &Look::line(self.colour, 3.0).opacity(opacity));
    }

    /// Draws the line from the arrow to its label, where they are apart.
    fn draw_leader(&self, shapes: &mut Shapes, label: Rect) {
        let nearest = [0, 1].map(|k| self.tail[k].clamp(label[k], label[k + 2]));
        shapes.path(&Path::through([self.tail, nearest]), &Look::line(self.colour, 1.2));
    }
}

/// Draws arrows of openings and their labels within `room`, off what is busy; notes which of these have their whole text. The
/// last of the pair tells how much of the picture a rectangle would hide.
pub fn draw(
    shapes: &mut Shapes,
    mouths: &[Mouth],
    arrows: &[Arrow],
    room: Rect,
    (mut busy, hidden): (Vec<Rect>, impl Fn(Rect) -> f64),
    named: &mut [bool],
) {
    busy.extend(arrows.iter().map(Arrow::rect));
    let size = |text: &str| [text::width(text).ceil() + 2.0 * INSIDE, LINE_HEIGHT + 2.0];
    let wish = |(arrow, mouth): (&Arrow, &Mouth)| Wish {
        at: arrow.tail,
        towards: arrow.back,
        sizes: [size(&mouth.label), size(&mouth.number.to_string())],
    };
    let wishes: Vec<Wish> = arrows.iter().zip(mouths).map(wish).collect();
    let (spots, whole) = label::place(&wishes, room, &busy, hidden);
    for (arrow, spot) in arrows.iter().zip(&spots) {
        spot.iter().for_each(|spot| arrow.draw_leader(shapes, *spot));
    }
    arrows.iter().for_each(|arrow| arrow.draw(shapes));
    for ((mouth, spot), named) in mouths.iter().zip(&spots).zip(named) {
        let Some([left, top, right, bottom]) = *spot else { continue };
        shapes.rect([left, top], [right - left, bottom - top], &Look::area(PAPER));
        shapes.frame([left, top], [right - left, bottom - top], mouth.colour, 1.0);
        let text = if whole { mouth.label.clone() } else { mouth.number.to_string() };
        shapes.write(&text, [left + INSIDE, top + 1.0], Anchor::Left);
        *named |= whole;
    }
}

/// How much of a picture, which begins at a place of the page, a rectangle of the page would hide: the share of its pixels that
/// are neither paper nor wall.
pub fn hidden(image: &RgbImage, at: [f64; 2], rect: Rect) -> f64 {
    let [left, top, right, bottom] = [0, 1, 2, 3].map(|k| (rect[k] - at[k % 2]) as i64);
    let (mut all, mut drawn) = (0, 0);
    for y in (top..bottom).step_by(STRIDE) {
        for x in (left..right).step_by(STRIDE) {
            all += 1;
            let pixel =
                u32::try_from(x).ok().zip(u32::try_from(y).ok()).and_then(|(x, y)| image.get_pixel_checked(x, y));
            drawn += u32::from(pixel.is_some_and(|pixel| ![PAPER, WALL].contains(&pixel.0)));
        }
    }
    f64::from(drawn) / f64::from(all.max(1))
}

/// Draws where x, y and z point in a view; gives what that covers.
pub fn draw_axes(shapes: &mut Shapes, view: &View, at: [f64; 2]) -> Rect {
    const LONG: f64 = 26.0;
    let arms = [0, 1, 2].map(|axis| view.direction(std::array::from_fn(|k| f64::from(u8::from(k == axis)))));
    let ends = |by: f64| arms.map(|arm| [0, 1].map(|k| at[k] + by * arm[k]));
    let lines = ends(LONG).map(|end| Path::through([at, end]));
    shapes.paths(&lines, &Look::line(INK, 1.8));
    for (name, [x, y]) in AXES.iter().zip(ends(LONG + 11.0)) {
        shapes.write(name, [x, y - 0.5 * LINE_HEIGHT], Anchor::Centre);
    }
    let reach = LONG + 16.0;
    [at[0] - reach, at[1] - reach, at[0] + reach, at[1] + reach]
}
