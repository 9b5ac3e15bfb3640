//! The page: title, panels, what colours mean, how long a bar is, and openings whose labels had no room.

use hematite_drawing::canvas::{paint, to_canvas, to_image};
use hematite_drawing::colour::{of_population, outline_of};
use hematite_drawing::page::{INK, PAPER, SCALE_BAR_HEIGHT, scale_bar, swatch, swatch_width};
use hematite_drawing::text::{self, Anchor, LINE_HEIGHT};
use hematite_geometry::OpeningKind;
use hematite_units::number::with_unit;
use image::imageops::replace;
use image::{Rgb, RgbImage};
use tiny_skia::{LineCap, PathBuilder, Pixmap, Stroke, Transform};

use super::flat::{self, Plane};
use super::label::{self, Rect, Wish};
use super::layout::{Layout, Slot};
use super::members;
use super::mouth::{Mouth, of_kind};
use super::scene::{FLUID, FLUID_REMOVED, Scene, WALL, WALL_REMOVED, of_part};
use super::view::View;
use crate::report::grouped;

const MARGIN: u32 = 30;
const GAP: u32 = 24;
/// Width and height that panels may take.
const ROOM: [f64; 2] = [1640.0, 1500.0];
const CAPTION: f64 = LINE_HEIGHT as f64 + 6.0;
/// Length of an arrow, pixels.
const ARROW: f64 = 34.0;
/// The widest room for labels beside a panel, pixels.
const BESIDE: f64 = 250.0;
/// Room for arrows and labels above and below a panel, pixels.
const AROUND: f64 = 64.0;
/// Beside panels of 3-D, which leave more room themselves, pixels.
const BESIDE_VIEW: f64 = 100.0;
/// Around those without openings, pixels.
const AROUND_BARE: f64 = 44.0;
/// Parts that are named by their colours.
const NAMED_PARTS: usize = 16;
/// The two sides from which 3-D cases are seen: azimuth and elevation in degrees, and what the caption says of them.
const SIDES: [(f64, f64, &str); 2] = [(-62.0, 24.0, "seen from x+, y-, z+"), (118.0, 24.0, "seen from x-, y+, z+")];
/// What captions say where openings are hidden.
const BEHIND: &str = "; pale arrows: openings behind the fluid";
const AXES: [&str; 3] = ["x", "y", "z"];

/// What a panel shows.
enum Shown {
    View(View),
    Plane(Plane),
}

/// A panel.
struct Panel {
    caption: String,
    shown: Shown,
    slot: Slot,
}

/// Draws the page of a scene.
pub fn draw(scene: &Scene) -> RgbImage {
    let panels = panels(scene);
    let layout = Layout::fit(&panels.iter().map(|panel| &panel.slot).collect::<Vec<_>>(), ROOM);
    let zoom = layout.zoom;
    let (title, subtitle, legend) = (scene.name.to_owned(), subtitle(scene), legend(scene));
    let inner = (layout.size[0].ceil() as u32).max(900).max(text::width(&subtitle)).max(text::width(&title));
    let top = MARGIN + 2 * (LINE_HEIGHT + 8);
    let below = top + layout.size[1].ceil() as u32 + GAP;
    let (places, lines) = flow(&legend, inner);
    let bar = below + lines * (LINE_HEIGHT + 10);
    let mut page = RgbImage::from_pixel(inner + 2 * MARGIN, bar + SCALE_BAR_HEIGHT + MARGIN, Rgb(PAPER));
    text::write(&mut page, &title, MARGIN, MARGIN, Anchor::Left, INK);
    text::write(&mut page, &subtitle, MARGIN, MARGIN + LINE_HEIGHT + 4, Anchor::Left, INK);
    let left = MARGIN + (inner - layout.size[0].ceil() as u32) / 2;
    let mut named = vec![false; scene.mouths.len()];
    for (panel, corner) in panels.iter().zip(&layout.corners) {
        let corner = [f64::from(left) + corner[0], f64::from(top) + corner[1]];
        let size = [0, 1].map(|k| (panel.slot.size[k] * zoom).ceil());
        let at = [0, 1].map(|k| corner[k] + panel.slot.margin[k]);
        let [x, y] = at.map(|x| x.round() as i64);
        let (arrows, has_labels) = match &panel.shown {
            Shown::View(view) => {
                let seen = view.paint(scene, zoom);
                replace(&mut page, &seen.image, x, y);
                let arrow = |(mouth, seen): (&Mouth, &bool)| {
                    let [column, row, _] = view.pixel(mouth.centre, zoom);
                    Arrow::new(
                        [at[0] + column, at[1] + row],
                        view.direction(mouth.normal),
                        outline_of(mouth.colour),
                        *seen,
                    )
                };
                (scene.mouths.iter().zip(&seen.openings).map(arrow).collect::<Vec<Arrow>>(), true)
            }
            Shown::Plane(plane) => {
                let mut image = flat::paint(scene, plane, zoom);
                members::draw(scene, plane, zoom, &mut image);
                replace(&mut page, &image, x, y);
                text::frame(&mut page, [x as u32, y as u32], [image.width(), image.height()], INK);
                let arrow = |mouth: &Mouth| {
                    let [column, row] = plane.pixel(scene, mouth.centre, zoom);
                    let to = [mouth.normal[0], -mouth.normal[1]];
                    Arrow::new([at[0] + column, at[1] + row], to, outline_of(mouth.colour), true)
                };
                let is_whole = plane.across.is_none();
                (if is_whole { scene.mouths.iter().map(arrow).collect() } else { Vec::new() }, is_whole)
            }
        };
        let behind = if arrows.iter().all(|arrow| arrow.seen) { "" } else { BEHIND };
        let caption = format!("{}{behind}", panel.caption);
        text::write(&mut page, &caption, corner[0].max(0.0) as u32, corner[1] as u32, Anchor::Left, INK);
        let room = [
            corner[0],
            corner[1] + CAPTION,
            corner[0] + size[0] + 2.0 * panel.slot.margin[0],
            corner[1] + size[1] + 2.0 * panel.slot.margin[1],
        ];
        let mut busy: Vec<Rect> = Vec::new();
        if let Shown::View(view) = &panel.shown {
            busy.push(draw_axes(&mut page, view, [room[0] + 34.0, room[3] - 40.0]));
        }
        if has_labels {
            draw_openings(&mut page, scene, &arrows, room, &mut busy, &mut named);
        }
    }
    for ((name, colour), [x, y]) in legend.iter().zip(places) {
        swatch(&mut page, name, [MARGIN + x, below + y], *colour);
    }
    scale_bar(&mut page, [MARGIN, bar], inner / 3, scene.lattice.spacing / zoom);
    with_table(page, scene, &named)
}

/// What is shown, one panel each.
fn panels(scene: &Scene) -> Vec<Panel> {
    let longest = scene.mouths.iter().map(|mouth| text::width(&mouth.label)).max();
    if scene.dimension() == 2 {
        let plane = Plane::whole();
        let margin = match longest {
            Some(longest) => [(f64::from(longest) + ARROW + 16.0).min(BESIDE), AROUND],
            None => [0.0, 0.0],
        };
        let slot = Slot { size: plane.size(scene), margin, least: 0.0, starts_row: false };
        return vec![Panel { caption: String::new(), shown: Shown::Plane(plane), slot }];
    }
    let view = |(azimuth, elevation, caption): (f64, f64, &str)| {
        let view = View::new(scene, azimuth, elevation);
        let margin = if longest.is_some() { [BESIDE_VIEW, AROUND] } else { [AROUND_BARE, AROUND_BARE] };
        let least = f64::from(text::width(caption) + text::width(BEHIND));
        let slot = Slot { size: view.size(), margin, least, starts_row: false };
        Panel { caption: caption.to_owned(), shown: Shown::View(view), slot }
    };
    let slice = |axis: usize| {
        let plane = Plane::middle(scene, axis);
        let at = plane.across.map_or(0, |(_, at)| at);
        let metres = scene.lattice.origin[axis] + (f64::from(at) + 0.5) * scene.lattice.spacing;
        let [right, up] = plane.axes.map(|axis| AXES[axis]);
        let caption = format!("{} = {} ({right} right, {up} up)", AXES[axis], with_unit(metres, "m"));
        let least = f64::from(text::width(&caption));
        let slot = Slot { size: plane.size(scene), margin: [0.0, CAPTION], least, starts_row: axis == 2 };
        Panel { caption, shown: Shown::Plane(plane), slot }
    };
    SIDES.into_iter().map(view).chain([2, 1, 0].map(slice)).collect()
}

/// Spacing, size and what else is known at once.
fn subtitle(scene: &Scene) -> String {
    let lattice = scene.lattice;
    let sizes: Vec<String> = lattice.extent[..scene.dimension()].iter().map(usize::to_string).collect();
    let mut text = format!(
        "spacing {}, {} sites, {} fluid nodes, {:?}",
        with_unit(lattice.spacing, "m"),
        sizes.join(" x "),
        grouped(lattice.nodes()),
        lattice.set
    );
    let wraps: Vec<&str> = (0..3).filter(|&axis| lattice.periodic[axis]).map(|axis| AXES[axis]).collect();
    if !wraps.is_empty() {
        text += &format!(", periodic along {}", wraps.join(", "));
    }
    if scene.owners.is_some() {
        text += &format!(", {} parts", scene.parts);
    }
    text
}

/// What colours mean.
fn legend(scene: &Scene) -> Vec<(String, [u8; 3])> {
    let mut legend = Vec::new();
    if scene.owners.is_some() {
        let name = |part: usize| (format!("part {part}"), of_part(part));
        legend.extend((0..scene.parts.min(NAMED_PARTS)).map(name));
    } else {
        legend.push(("fluid".to_owned(), FLUID));
    }
    legend.push(("wall".to_owned(), WALL));
    let removed = &scene.lattice.geometry.removed;
    for (was_fluid, name, colour) in
        [(true, "fluid removed", FLUID_REMOVED), (false, "specks of wall removed", WALL_REMOVED)]
    {
        if removed.iter().any(|run| run.was_fluid == was_fluid) {
            legend.push((name.to_owned(), colour));
        }
    }
    for (kind, name) in [
        (OpeningKind::Velocity, "opening, velocity"),
        (OpeningKind::Pressure, "opening, pressure"),
        (OpeningKind::Wall, "wall that may move"),
    ] {
        if scene.lattice.openings.iter().any(|opening| opening.kind == kind) {
            legend.push((name.to_owned(), of_kind(kind)));
        }
    }
    for (k, population) in scene.populations.iter().enumerate() {
        let things = if population.rigid.is_some() { "rigid bodies" } else { "cells" };
        legend.push((format!("{}: {} {things}", population.name, grouped(population.cells.len())), of_population(k)));
    }
    legend
}

/// Where the entries of the legend stand in lines of a width, and how many lines there are.
fn flow(legend: &[(String, [u8; 3])], width: u32) -> (Vec<[u32; 2]>, u32) {
    let (mut places, mut at) = (Vec::new(), [0, 0]);
    for (name, _) in legend {
        let needed = swatch_width(name);
        if at[0] > 0 && at[0] + needed > width {
            at = [0, at[1] + LINE_HEIGHT + 10];
        }
        places.push(at);
        at[0] += needed + GAP;
    }
    (places, at[1] / (LINE_HEIGHT + 10) + 1)
}

/// An arrow through an opening into the fluid.
struct Arrow {
    tail: [f64; 2],
    tip: [f64; 2],
    /// Unit vector from tip to tail.
    back: [f64; 2],
    colour: [u8; 3],
    /// Whether the opening is seen.
    seen: bool,
}

impl Arrow {
    /// The arrow at a place, along a direction whose length tells how much it is turned away from the viewer.
    fn new(at: [f64; 2], direction: [f64; 2], colour: [u8; 3], seen: bool) -> Self {
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

    fn draw(&self, canvas: &mut Pixmap) {
        let across = [-self.back[1], self.back[0]];
        let barb = |side: f64| [0, 1].map(|k| self.tip[k] + 11.0 * self.back[k] + side * 6.0 * across[k]);
        let mut path = PathBuilder::new();
        let [tail, tip, one, other] = [self.tail, self.tip, barb(1.0), barb(-1.0)].map(|p| p.map(|x| x as f32));
        path.move_to(tail[0], tail[1]);
        path.line_to(tip[0], tip[1]);
        path.move_to(one[0], one[1]);
        path.line_to(tip[0], tip[1]);
        path.line_to(other[0], other[1]);
        let Some(path) = path.finish() else { return };
        let opacity = if self.seen { 1.0 } else { 0.45 };
        for (width, colour, opacity) in [(6.5, PAPER, 0.8), (3.0, self.colour, opacity)] {
            let stroke = Stroke { width, line_cap: LineCap::Round, ..Stroke::default() };
            canvas.stroke_path(&path, &paint(colour, opacity), &stroke, Transform::identity(), None);
        }
    }
}

/// Draws the arrows of the openings and their labels; notes which of these have their whole text.
fn draw_openings(
    page: &mut RgbImage,
    scene: &Scene,
    arrows: &[Arrow],
    room: Rect,
    busy: &mut Vec<Rect>,
    named: &mut [bool],
) {
    busy.extend(arrows.iter().map(Arrow::rect));
    let height = f64::from(LINE_HEIGHT) + 2.0;
    let size = |text: &str| [f64::from(text::width(text)) + 8.0, height];
    let wish = |(arrow, mouth): (&Arrow, &Mouth)| Wish {
        at: arrow.tail,
        towards: arrow.back,
        sizes: [size(&mouth.label), size(&mouth.number.to_string())],
    };
    let wishes: Vec<Wish> = arrows.iter().zip(&scene.mouths).map(wish).collect();
    let (spots, whole) = label::place(&wishes, room, busy, |rect| hidden(page, rect));
    if let Some(mut canvas) = to_canvas(page) {
        for (arrow, spot) in arrows.iter().zip(&spots) {
            if let Some(spot) = spot {
                draw_leader(&mut canvas, arrow, *spot);
            }
        }
        arrows.iter().for_each(|arrow| arrow.draw(&mut canvas));
        *page = to_image(&canvas);
    }
    for ((mouth, spot), named) in scene.mouths.iter().zip(&spots).zip(named) {
        let Some(spot) = spot else { continue };
        let [x, y] = [spot[0] as u32, spot[1] as u32];
        let [w, h] = [spot[2] as u32 - x, spot[3] as u32 - y];
        text::fill(page, [x, y], [w, h], PAPER);
        text::frame(page, [x, y], [w, h], mouth.colour);
        let text = if whole { mouth.label.clone() } else { mouth.number.to_string() };
        text::write(page, &text, x + 4, y + 1, Anchor::Left, INK);
        *named |= whole;
    }
}

/// Draws the line from an arrow to its label, where they are apart.
fn draw_leader(canvas: &mut Pixmap, arrow: &Arrow, rect: Rect) {
    let nearest = [0, 1].map(|k| arrow.tail[k].clamp(rect[k], rect[k + 2]));
    let mut path = PathBuilder::new();
    path.move_to(arrow.tail[0] as f32, arrow.tail[1] as f32);
    path.line_to(nearest[0] as f32, nearest[1] as f32);
    if let Some(path) = path.finish() {
        let stroke = Stroke { width: 1.2, ..Stroke::default() };
        canvas.stroke_path(&path, &paint(arrow.colour, 1.0), &stroke, Transform::identity(), None);
    }
}

/// How much of the picture a rectangle would hide: the share of pixels that are neither paper nor wall.
fn hidden(page: &RgbImage, rect: Rect) -> f64 {
    let [left, top, right, bottom] = rect.map(|x| x.max(0.0) as u32);
    let (mut all, mut drawn) = (0, 0);
    for y in (top..bottom.min(page.height())).step_by(4) {
        for x in (left..right.min(page.width())).step_by(4) {
            all += 1;
            drawn += u32::from(![PAPER, WALL].contains(&page.get_pixel(x, y).0));
        }
    }
    f64::from(drawn) / f64::from(all.max(1))
}

/// Draws where x, y and z point in a view; gives what that covers.
fn draw_axes(page: &mut RgbImage, view: &View, at: [f64; 2]) -> Rect {
    const LONG: f64 = 26.0;
    let arms = [0, 1, 2].map(|axis| view.direction(std::array::from_fn(|k| f64::from(u8::from(k == axis)))));
    if let Some(mut canvas) = to_canvas(page) {
        for arm in arms {
            let mut path = PathBuilder::new();
            path.move_to(at[0] as f32, at[1] as f32);
            path.line_to((at[0] + LONG * arm[0]) as f32, (at[1] + LONG * arm[1]) as f32);
            if let Some(path) = path.finish() {
                let stroke = Stroke { width: 1.8, ..Stroke::default() };
                canvas.stroke_path(&path, &paint(INK, 1.0), &stroke, Transform::identity(), None);
            }
        }
        *page = to_image(&canvas);
    }
    for (name, arm) in AXES.iter().zip(arms) {
        let [x, y] = [0, 1].map(|k| at[k] + (LONG + 9.0) * arm[k]);
        let top = (y - 0.5 * f64::from(LINE_HEIGHT)).max(0.0) as u32;
        text::write(page, name, x.max(0.0) as u32, top, Anchor::Centre, INK);
    }
    let reach = LONG + 16.0;
    [at[0] - reach, at[1] - reach, at[0] + reach, at[1] + reach]
}

/// The page with a table of the openings below, where labels of some had no room.
fn with_table(page: RgbImage, scene: &Scene, named: &[bool]) -> RgbImage {
    if named.iter().all(|named| *named) {
        return page;
    }
    let widest = scene.mouths.iter().map(|mouth| swatch_width(&mouth.label)).max().unwrap_or(0) + GAP;
    let columns = ((page.width() - 2 * MARGIN) / widest).max(1) as usize;
    let rows = scene.mouths.len().div_ceil(columns);
    let (top, line) = (page.height(), LINE_HEIGHT + 6);
    let mut whole = RgbImage::from_pixel(page.width(), top + rows as u32 * line + MARGIN, Rgb(PAPER));
    replace(&mut whole, &page, 0, 0);
    for (k, mouth) in scene.mouths.iter().enumerate() {
        let (column, row) = ((k / rows) as u32, (k % rows) as u32);
        swatch(&mut whole, &mouth.label, [MARGIN + column * widest, top + row * line], mouth.colour);
    }
    whole
}
