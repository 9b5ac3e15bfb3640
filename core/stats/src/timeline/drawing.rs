//! A part of a trace: rows for host, device and messages of each rank, a legend, an axis in milliseconds.

use std::collections::BTreeSet;
use std::path::Path;

use hematite_config::Result;
use hematite_drawing::legend::{Legend, Sample};
use hematite_drawing::page::Page;
use hematite_drawing::shapes::{Anchor, INK, Lettering, Look, PAPER, Path as Line, Shapes};
use hematite_drawing::text::{LINE_HEIGHT, width, width_at, wrap};
use hematite_dump::{RankTrace, TraceEvent};
use hematite_units::number::short;

use super::colours::{colour, ink_upon};
use super::window::{Window, step_starts};
use super::{INTERIOR, messages};
use crate::figure::marks;
use crate::title::{Origin, TOOL};

const WIDTH: f64 = 1400.0;
const LEFT: f64 = 230.0;
const RIGHT: f64 = 40.0;
const MARGIN: f64 = 20.0;
/// From names to the rows on their right.
const NEAR: f64 = 10.0;
const ROW: f64 = 44.0;
const THIN: f64 = 18.0;
/// Between rows of a rank.
const ROW_GAP: f64 = 4.0;
/// Between ranks.
const GAP: f64 = 14.0;
/// Pixels by which a nested event is lower in height than the event around it.
const NESTED: f64 = 5.0;
/// Height of letters in events.
const SMALL: f64 = 15.0;
/// The narrowest event.
const HAIR: f64 = 0.3;
/// The colour behind events.
const EMPTY: [u8; 3] = [0xf6, 0xf6, 0xf8];
/// The colour of lines where steps begin.
const STEP: [u8; 3] = [0x60, 0x60, 0x68];

/// A drawing of some ranks, by their numbers.
pub struct Drawing<'t> {
    /// What it shows.
    pub what: String,
    /// The ranks, top down.
    pub ranks: Vec<(usize, &'t RankTrace)>,
    /// Time steps to draw.
    pub window: Window,
}

/// From times to pixels.
struct Scale {
    begin: i64,
    end: i64,
}

impl Scale {
    fn x(&self, time: i64) -> f64 {
        let share = (time.clamp(self.begin, self.end) - self.begin) as f64 / (self.end - self.begin) as f64;
        LEFT + share * (WIDTH - LEFT - RIGHT)
    }

    fn shows(&self, begin: i64, end: i64) -> bool {
        begin < self.end && end > self.begin
    }
}

impl Drawing<'_> {
    /// Writes the drawing of a run as `stem`.svg and `stem`.png.
    ///
    /// # Errors
    /// An I/O fault that names the file.
    pub fn write(&self, stem: &Path, run: &str) -> Result<()> {
        let times = self.span().map(|time| 1e-9 * time as f64);
        let title = Origin { run: run.to_owned(), times, averaged: false }.title(&self.what);
        self.page(&title).write(stem, &title, TOOL)
    }

    /// Composes the drawing under a title.
    pub fn page(&self, title: &str) -> Page {
        let [begin, end] = self.span();
        let scale = Scale { begin, end };
        let mut shapes = Shapes::default();
        let title = wrap(title, WIDTH - 2.0 * MARGIN);
        shapes.write_lines(&title, [MARGIN; 2], Anchor::Left);
        let top = self.legend(&mut shapes, &scale, MARGIN + LINE_HEIGHT * title.len() as f64 + NEAR);
        let mut y = top + LINE_HEIGHT + ROW_GAP;
        for (number, rank) in &self.ranks {
            y = draw_rank(&mut shapes, &scale, *number, rank, y) + GAP;
        }
        if let Some((_, rank)) = self.ranks.first() {
            self.steps(&mut shapes, &scale, rank, [top, y]);
        }
        let bottom = axis(&mut shapes, &scale, y);
        let mut page = Page::new([WIDTH, bottom + MARGIN]);
        page.shapes = shapes;
        page
    }

    /// Beginning and end of what is drawn, in nanoseconds.
    fn span(&self) -> [i64; 2] {
        self.window.span(&self.ranks.iter().map(|(_, rank)| *rank).collect::<Vec<_>>())
    }

    /// Draws the legend of all phases shown, from `y` down. Returns its lower end.
    fn legend(&self, shapes: &mut Shapes, scale: &Scale, mut y: f64) -> f64 {
        let seen = |events: &'_ [TraceEvent]| -> BTreeSet<String> {
            events.iter().filter(|event| scale.shows(event.begin, event.end)).map(|event| event.name.clone()).collect()
        };
        let all = |thread: fn(&RankTrace) -> &Vec<TraceEvent>| -> BTreeSet<String> {
            self.ranks.iter().flat_map(|(_, rank)| seen(thread(rank))).collect()
        };
        let mut rows = vec![("host", all(|rank| &rank.host)), ("device", all(|rank| &rank.device))];
        if self.ranks.iter().any(|(_, rank)| !messages(rank).is_empty()) {
            rows.push(("messages", ["message", "message under interior"].map(str::to_owned).into()));
        }
        for (row, names) in rows {
            shapes.write(row, [LEFT - NEAR, y], Anchor::Right);
            let entries = names.into_iter().map(|name| (name.clone(), Sample::Area(colour(&name))));
            let legend = Legend::new(entries, WIDTH - LEFT - RIGHT, false);
            legend.draw(shapes, [LEFT, y]);
            y += legend.height.max(LINE_HEIGHT) + ROW_GAP;
        }
        y + NEAR
    }

    /// Draws a line where each step begins.
    fn steps(&self, shapes: &mut Shapes, scale: &Scale, rank: &RankTrace, [top, bottom]: [f64; 2]) {
        let mut free = LEFT;
        for (&step, &start) in step_starts(rank).range(self.window.first..=self.window.last) {
            if start < scale.begin || start > scale.end {
                continue;
            }
            let x = scale.x(start);
            shapes.path(&Line::through([[x, top], [x, bottom]]), &Look::line(STEP, 1.0).dashed([3.0, 3.0]));
            let label = format!("step {step}");
            let end = x + 4.0 + width(&label);
            if x >= free && end <= WIDTH {
                shapes.write(&label, [x + 4.0, top], Anchor::Left);
                free = end + NEAR;
            }
        }
    }
}

/// Draws the rows of a rank from `y` down. Returns their lower end.
fn draw_rank(shapes: &mut Shapes, scale: &Scale, number: usize, rank: &RankTrace, mut y: f64) -> f64 {
    let named = |shapes: &mut Shapes, name: &str, middle: f64| {
        shapes.write(name, [LEFT - NEAR, middle - 0.5 * LINE_HEIGHT], Anchor::Right);
    };
    shapes.write(&format!("rank {number}"), [MARGIN, y + 0.5 * (ROW - LINE_HEIGHT)], Anchor::Left);
    for (name, events) in [("host", &rank.host), ("device", &rank.device)] {
        named(shapes, name, y + 0.5 * ROW);
        shapes.rect([LEFT, y], [WIDTH - LEFT - RIGHT, ROW], &Look::area(EMPTY));
        let seen: Vec<&TraceEvent> = events.iter().filter(|event| scale.shows(event.begin, event.end)).collect();
        let mut open: Vec<i64> = Vec::new();
        for (place, event) in seen.iter().enumerate() {
            open.retain(|end| *end > event.begin);
            let lower = (NESTED * open.len() as f64).min(0.6 * ROW);
            draw_event(shapes, scale, event, &seen[place + 1..], [y + lower, ROW - lower]);
            open.push(event.end);
        }
        y += ROW + ROW_GAP;
    }
    let messages = messages(rank);
    if messages.is_empty() {
        return y;
    }
    named(shapes, "messages", y + 0.5 * THIN);
    for message in messages.iter().filter(|message| scale.shows(message.begin, message.end)) {
        let said =
            format!("message of {} of step {}: {} us", message.kind, message.step, us(message.begin, message.end));
        let mut bar = |begin: i64, end: i64, name: &str| {
            let (from, to) = (scale.x(begin), scale.x(end));
            shapes.rect_that_says([from, y], [(to - from).max(HAIR), THIN], &Look::area(colour(name)), &said);
        };
        bar(message.begin, message.end, "message");
        let first = rank.device.partition_point(|event| event.end <= message.begin);
        let near = rank.device[first..].iter().take_while(|event| event.begin < message.end);
        for event in near.filter(|event| event.name == INTERIOR && scale.shows(event.begin, event.end)) {
            bar(event.begin.max(message.begin), event.end.min(message.end), "message under interior");
        }
    }
    y + THIN + ROW_GAP
}

/// Draws an event, with its name where the events `after` it leave room.
fn draw_event(shapes: &mut Shapes, scale: &Scale, event: &TraceEvent, after: &[&TraceEvent], [y, height]: [f64; 2]) {
    let (from, to) = (scale.x(event.begin), scale.x(event.end));
    let said = format!("{}, step {}: {} us", event.name, event.step, us(event.begin, event.end));
    let fill = colour(&event.name);
    shapes.rect_that_says([from, y], [(to - from).max(HAIR), height], &Look::area(fill), &said);
    let (middle, half) = (0.5 * (from + to), 0.5 * width_at(&event.name, SMALL) + 3.0);
    let mut near = after.iter().take_while(|next| scale.x(next.begin) < middle + half);
    if to - from > 2.0 * half && !near.any(|next| scale.x(next.end) > middle - half) {
        let ink = if ink_upon(fill) { INK } else { PAPER };
        let lettering = Lettering { size: SMALL, colour: ink, ..Lettering::at(Anchor::Centre) };
        let line = LINE_HEIGHT / hematite_drawing::text::SIZE * SMALL;
        shapes.write_in(&event.name, [middle, y + 0.5 * (height - line)], &lettering);
    }
}

/// Draws the axis of time from `y` down. Returns its lower end.
fn axis(shapes: &mut Shapes, scale: &Scale, y: f64) -> f64 {
    let length = 1e-6 * (scale.end - scale.begin) as f64;
    let ink = Look::area(INK);
    shapes.rect([LEFT, y], [WIDTH - LEFT - RIGHT, 2.0], &ink);
    let numbers = y + 2.0 * ROW_GAP + 2.0;
    for (mark, label) in marks(0.0, length, WIDTH - LEFT - RIGHT) {
        let x = LEFT + mark / length * (WIDTH - LEFT - RIGHT);
        shapes.rect([x - 1.0, y], [2.0, 2.0 * ROW_GAP], &ink);
        shapes.write(&label, [x.min(WIDTH - 0.5 * width(&label)), numbers], Anchor::Centre);
    }
    let label = format!("time [ms], from {:.3} ms of the trace on", 1e-6 * scale.begin as f64);
    shapes.write(&label, [0.5 * (LEFT + WIDTH - RIGHT), numbers + LINE_HEIGHT], Anchor::Centre);
    numbers + 2.0 * LINE_HEIGHT
}

fn us(begin: i64, end: i64) -> String {
    short(1e-3 * (end - begin) as f64)
}

#[cfg(test)]
mod tests {
    use svg_checks::Drawn;

    use super::*;
    use crate::timeline::tests::synthetic;

    fn svg(what: &str, ranks: Vec<(usize, &RankTrace)>, window: Window) -> String {
        let drawing = Drawing { what: what.to_owned(), ranks, window };
        drawing.page(what).svg(what, "post").expect("draws")
    }

    #[test]
    fn events_stand_where_they_belong() {
        let trace = synthetic(2, 6);
        let window = Window { first: 12, last: 13 };
        let svg = svg("a < b", trace.ranks.iter().enumerate().collect(), window);
        let drawn = Drawn::of(&svg);
        drawn.is_sound();
        assert!(["a < b", "rank 1", "host", "step 12", "step 13", "interior"].iter().all(|text| drawn.says(text)));
        assert_eq!(svg.matches("<title>interior, step 12: 40 us</title>").count(), 2, "one a rank");
        assert_eq!(
            svg.matches("<title>message of halo of step 13: 55 us</title>").count(),
            4,
            "each with what is under"
        );
        assert!(!svg.contains("step 11") && !svg.contains("step 15"));
        // 200 us on 1130 pixels: interior begins 20 us after the step, 113 pixels from the left.
        let interior = svg.lines().find(|line| line.contains("interior, step 12")).expect("drawn");
        assert!(interior.starts_with("<rect x=\"343\"") && interior.contains("width=\"226\""), "{interior}");
    }

    #[test]
    fn nothing_can_be_drawn_too() {
        let svg = svg("", Vec::new(), Window { first: 0, last: 0 });
        assert!(svg.contains("time [ms]"));
        Drawn::of(&svg).is_sound();
    }
}
