//! The page: title, panels, what colours mean, how long a bar is, and openings whose labels had no room.

use hematite_drawing::colour::{of_population, outline_of};
use hematite_drawing::legend::{Legend, Sample};
use hematite_drawing::page::Page;
use hematite_drawing::scale_bar::{SCALE_BAR_HEIGHT, scale_bar};
use hematite_drawing::shapes::{Anchor, INK, Shapes};
use hematite_drawing::text::{self, LINE_HEIGHT, wrap};
use hematite_geometry::OpeningKind;
use hematite_units::number::{short, with_unit};
use image::RgbImage;

use super::flat::{self, Plane};
use super::layout::{Layout, Slot};
use super::members;
use super::mouth::{Mouth, of_kind};
use super::openings::{self, ARROW, Arrow};
use super::scene::{FLUID, FLUID_REMOVED, Scene, WALL, WALL_REMOVED, of_part};
use super::terrain::of_region;
use super::view::View;
use crate::report::grouped;

const MARGIN: f64 = 30.0;
const GAP: f64 = 24.0;
/// Between lines that belong together.
const NEAR: f64 = 8.0;
/// The least width of what stands between the margins.
const NARROWEST: f64 = 900.0;
/// Width and height that panels may take.
const ROOM: [f64; 2] = [1640.0, 1500.0];
const CAPTION: f64 = LINE_HEIGHT + 6.0;
/// The widest room for labels beside a panel, pixels.
const BESIDE: f64 = 300.0;
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
pub(super) const AXES: [&str; 3] = ["x", "y", "z"];

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

/// Pixels of a panel, what is drawn upon them, and the arrows of its openings.
struct Drawn {
    image: RgbImage,
    shapes: Shapes,
    arrows: Vec<Arrow>,
}

/// Composes the page of a scene.
pub fn draw(scene: &Scene) -> Page {
    let panels = panels(scene);
    let layout = Layout::fit(&panels.iter().map(|panel| &panel.slot).collect::<Vec<_>>(), ROOM);
    let zoom = layout.zoom;
    let inner = layout.size[0].ceil().max(NARROWEST);
    let mut shapes = Shapes::default();
    let mut top = MARGIN;
    for line in [scene.name, &subtitle(scene)] {
        let lines = wrap(line, inner);
        shapes.write_lines(&lines, [MARGIN, top], Anchor::Left);
        top += LINE_HEIGHT * lines.len() as f64;
    }
    top += 2.0 * NEAR;
    let left = MARGIN + (0.5 * (inner - layout.size[0])).floor();
    let mut named = vec![false; scene.mouths.len()];
    let mut pictures = Vec::new();
    for (panel, corner) in panels.iter().zip(&layout.corners) {
        let corner = [left + corner[0], top + corner[1]].map(f64::round);
        let at = [0, 1].map(|k| (corner[k] + panel.slot.margin[k]).round());
        let drawn = panel.draw(scene, zoom, at);
        let size = [drawn.image.width(), drawn.image.height()].map(f64::from);
        shapes.inset(at, size, &drawn.shapes);
        let behind = if drawn.arrows.iter().all(|arrow| arrow.seen) { "" } else { BEHIND };
        shapes.write(&format!("{}{behind}", panel.caption), corner, Anchor::Left);
        let end = [0, 1].map(|k| corner[k] + size[k] + 2.0 * panel.slot.margin[k]);
        let room = [corner[0], corner[1] + CAPTION, end[0], end[1]];
        let mut busy = Vec::new();
        match &panel.shown {
            Shown::View(view) => busy.push(openings::draw_axes(&mut shapes, view, [room[0] + 38.0, room[3] - 42.0])),
            Shown::Plane(_) => shapes.frame(at, size, INK, 1.0),
        }
        let hidden = |rect| openings::hidden(&drawn.image, at, rect);
        openings::draw(&mut shapes, &scene.mouths, &drawn.arrows, room, (busy, hidden), &mut named);
        pictures.push((drawn.image, at));
    }
    let mut bottom = top + layout.size[1].ceil() + GAP;
    let legend = Legend::new(colours(scene), inner, false);
    legend.draw(&mut shapes, [MARGIN, bottom]);
    bottom += legend.height + NEAR;
    scale_bar(&mut shapes, [MARGIN, bottom], inner / 3.0, scene.lattice.spacing / zoom);
    bottom += SCALE_BAR_HEIGHT;
    if named.iter().any(|named| !named) {
        // A table of all openings, as labels of some had no room.
        let entries = scene.mouths.iter().map(|mouth| (mouth.label.clone(), Sample::Area(mouth.colour)));
        let table = Legend::new(entries, inner, true);
        table.draw(&mut shapes, [MARGIN, bottom + GAP]);
        bottom += GAP + table.height;
    }
    let mut page = Page::new([inner + 2.0 * MARGIN, bottom + MARGIN]);
    page.shapes = shapes;
    for (image, at) in pictures {
        page.picture(image, at);
    }
    page
}

impl Panel {
    /// Draws what it shows, its upper left corner at a place of the page.
    fn draw(&self, scene: &Scene, zoom: f64, at: [f64; 2]) -> Drawn {
        match &self.shown {
            Shown::View(view) => {
                let seen = view.paint(scene, zoom);
                let arrow = |(mouth, seen): (&Mouth, &bool)| {
                    let [column, row, _] = view.pixel(mouth.centre, zoom);
                    let to = view.direction(mouth.normal);
                    Arrow::new([at[0] + column, at[1] + row], to, outline_of(mouth.colour), *seen)
                };
                let arrows = scene.mouths.iter().zip(&seen.openings).map(arrow).collect();
                Drawn { image: seen.image, shapes: Shapes::default(), arrows }
            }
            Shown::Plane(plane) => {
                let arrow = |mouth: &Mouth| {
                    let [column, row] = plane.pixel(scene, mouth.centre, zoom);
                    let to = [mouth.normal[0], -mouth.normal[1]];
                    Arrow::new([at[0] + column, at[1] + row], to, outline_of(mouth.colour), true)
                };
                let arrows = if plane.across.is_none() { scene.mouths.iter().map(arrow).collect() } else { Vec::new() };
                Drawn { image: flat::paint(scene, plane, zoom), shapes: members::draw(scene, plane, zoom), arrows }
            }
        }
    }
}

/// What is shown, one panel each.
fn panels(scene: &Scene) -> Vec<Panel> {
    let longest = scene.mouths.iter().map(|mouth| text::width(&mouth.label)).reduce(f64::max);
    if scene.dimension() == 2 {
        let plane = Plane::whole();
        let margin = match longest {
            Some(longest) => [(longest + ARROW + 16.0).min(BESIDE), AROUND],
            None => [0.0, 0.0],
        };
        let slot = Slot { size: plane.size(scene), margin, least: 0.0, starts_row: false };
        return vec![Panel { caption: String::new(), shown: Shown::Plane(plane), slot }];
    }
    let view = |(azimuth, elevation, caption): (f64, f64, &str)| {
        let view = View::new(scene, azimuth, elevation);
        let margin = if longest.is_some() { [BESIDE_VIEW, AROUND] } else { [AROUND_BARE, AROUND_BARE] };
        let least = text::width(&format!("{caption}{BEHIND}"));
        let slot = Slot { size: view.size(), margin, least, starts_row: false };
        Panel { caption: caption.to_owned(), shown: Shown::View(view), slot }
    };
    let slice = |axis: usize| {
        let plane = Plane::middle(scene, axis);
        let at = plane.across.map_or(0, |(_, at)| at);
        let metres = scene.lattice.origin[axis] + (f64::from(at) + 0.5) * scene.lattice.spacing;
        let [right, up] = plane.axes.map(|axis| AXES[axis]);
        let caption = format!("{} = {} ({right} right, {up} up)", AXES[axis], with_unit(metres, "m"));
        let least = text::width(&caption);
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
fn colours(scene: &Scene) -> Vec<(String, Sample)> {
    let mut legend: Vec<(String, [u8; 3])> = Vec::new();
    if scene.owners.is_some() {
        let name = |part: usize| (format!("part {part}"), of_part(part));
        legend.extend((0..scene.parts.min(NAMED_PARTS)).map(name));
    }
    match &scene.terrain {
        Some(terrain) => {
            legend.extend(terrain.range.map(|(z, colour)| (format!("ground at {} m", short(z)), colour)));
            legend.push(("no data".to_owned(), WALL));
            let regions = scene.lattice.regions.iter().enumerate();
            legend.extend(regions.map(|(k, region)| (region.name.clone(), of_region(k))));
        }
        None => {
            legend.extend(scene.owners.is_none().then(|| ("fluid".to_owned(), FLUID)));
            legend.push(("wall".to_owned(), WALL));
        }
    }
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
    legend.into_iter().map(|(name, colour)| (name, Sample::Area(colour))).collect()
}
