//! A part of a trace as SVG: rows for host, device and messages of each rank, a legend, an axis in milliseconds.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

use hematite_config::{Fault, Result, publish};
use hematite_dump::{RankTrace, TraceEvent};

use super::colours::{colour, ink_upon};
use super::window::{Window, step_starts};
use super::{INTERIOR, messages};
use hematite_units::number::{short, ticks};

const WIDTH: f64 = 1400.0;
const LEFT: f64 = 120.0;
const RIGHT: f64 = 30.0;
const MARGIN: f64 = 20.0;
const ROW: f64 = 40.0;
const THIN: f64 = 14.0;
const LINE: f64 = 20.0;
/// Pixels by which a nested event is lower in height than the event around it.
const NESTED: f64 = 5.0;
/// Approximate width of a letter, in pixels.
const LETTER: f64 = 7.0;

/// A drawing of some ranks, by their numbers.
pub struct Drawing<'t> {
    /// Title.
    pub title: String,
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
    /// Writes the drawing as SVG.
    ///
    /// # Errors
    /// An I/O fault that names the file.
    pub fn write(&self, path: &Path) -> Result<()> {
        let fault = |error: std::io::Error| Fault::io(format!("cannot write {}: {error}", path.display()));
        publish(path, |temporary| std::fs::write(temporary, self.draw()).map_err(fault))
    }

    /// The SVG.
    pub fn draw(&self) -> String {
        let ranks: Vec<&RankTrace> = self.ranks.iter().map(|(_, rank)| *rank).collect();
        let [begin, end] = self.window.span(&ranks);
        let scale = Scale { begin, end };
        let mut body = String::new();
        text(&mut body, MARGIN, MARGIN + 12.0, "start", 15, &self.title);
        let top = self.legend(&mut body, &scale, MARGIN + 2.0 * LINE);
        let mut y = top + LINE;
        for (number, rank) in &self.ranks {
            y = draw_rank(&mut body, &scale, *number, rank, y) + 12.0;
        }
        if let Some(rank) = ranks.first() {
            self.steps(&mut body, &scale, rank, [top, y]);
        }
        axis(&mut body, &scale, y);
        let height = y + 3.0 * LINE;
        let head = format!("width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\"");
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" {head} font-family=\"sans-serif\" font-size=\"12\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n{body}</svg>\n"
        )
    }

    /// Draws the legend of all phases shown, from `y` down. Returns its lower end.
    fn legend(&self, out: &mut String, scale: &Scale, mut y: f64) -> f64 {
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
            text(out, LEFT - 10.0, y, "end", 12, row);
            let mut x = LEFT;
            for name in names {
                let width = 26.0 + LETTER * name.chars().count() as f64;
                if x + width > WIDTH - RIGHT {
                    (x, y) = (LEFT, y + LINE);
                }
                rect(out, [x, y - 11.0], [14.0, 14.0], colour(&name), None);
                text(out, x + 18.0, y, "start", 12, &name);
                x += width + 10.0;
            }
            y += LINE;
        }
        y
    }

    /// Draws a line where each step begins.
    fn steps(&self, out: &mut String, scale: &Scale, rank: &RankTrace, [top, bottom]: [f64; 2]) {
        let mut free = LEFT;
        for (&step, &start) in step_starts(rank).range(self.window.first..=self.window.last) {
            if start < scale.begin || start > scale.end {
                continue;
            }
            let x = scale.x(start);
            let line = format!("<line x1=\"{x:.2}\" y1=\"{top}\" x2=\"{x:.2}\" y2=\"{bottom}\"");
            writeln!(out, "{line} stroke=\"#606068\" stroke-dasharray=\"3 3\"/>").unwrap_or_default();
            let label = format!("step {step}");
            if x >= free {
                text(out, x + 4.0, top + 12.0, "start", 12, &label);
                free = x + 12.0 + LETTER * label.len() as f64;
            }
        }
    }
}

/// Draws the rows of a rank from `y` down. Returns their lower end.
fn draw_rank(out: &mut String, scale: &Scale, number: usize, rank: &RankTrace, mut y: f64) -> f64 {
    text(out, MARGIN, y + 0.4 * ROW, "start", 12, &format!("rank {number}"));
    for (name, events) in [("host", &rank.host), ("device", &rank.device)] {
        text(out, LEFT - 10.0, y + 0.6 * ROW, "end", 12, name);
        rect(out, [LEFT, y], [WIDTH - LEFT - RIGHT, ROW], "#f6f6f8", None);
        let seen: Vec<&TraceEvent> = events.iter().filter(|event| scale.shows(event.begin, event.end)).collect();
        let mut open: Vec<i64> = Vec::new();
        for (place, event) in seen.iter().enumerate() {
            open.retain(|end| *end > event.begin);
            let lower = (NESTED * open.len() as f64).min(0.6 * ROW);
            draw_event(out, scale, event, &seen[place + 1..], [y + lower, ROW - lower]);
            open.push(event.end);
        }
        y += ROW + 3.0;
    }
    let messages = messages(rank);
    if messages.is_empty() {
        return y;
    }
    text(out, LEFT - 10.0, y + 11.0, "end", 12, "messages");
    for message in messages.iter().filter(|message| scale.shows(message.begin, message.end)) {
        let said =
            format!("message of {} of step {}: {} us", message.kind, message.step, us(message.begin, message.end));
        let mut bar = |begin: i64, end: i64, name: &str| {
            let (from, to) = (scale.x(begin), scale.x(end));
            rect(out, [from, y], [(to - from).max(0.3), THIN], colour(name), Some(&said));
        };
        bar(message.begin, message.end, "message");
        let first = rank.device.partition_point(|event| event.end <= message.begin);
        let near = rank.device[first..].iter().take_while(|event| event.begin < message.end);
        for event in near.filter(|event| event.name == INTERIOR && scale.shows(event.begin, event.end)) {
            bar(event.begin.max(message.begin), event.end.min(message.end), "message under interior");
        }
    }
    y + THIN + 3.0
}

/// Draws an event, with its name where the events `after` it leave room.
fn draw_event(out: &mut String, scale: &Scale, event: &TraceEvent, after: &[&TraceEvent], [y, height]: [f64; 2]) {
    let (from, to) = (scale.x(event.begin), scale.x(event.end));
    let said = format!("{}, step {}: {} us", event.name, event.step, us(event.begin, event.end));
    let fill = colour(&event.name);
    rect(out, [from, y], [(to - from).max(0.3), height], fill, Some(&said));
    let (middle, half) = (0.5 * (from + to), 0.5 * LETTER * event.name.chars().count() as f64 + 3.0);
    let mut near = after.iter().take_while(|next| scale.x(next.begin) < middle + half);
    if to - from > 2.0 * half && !near.any(|next| scale.x(next.end) > middle - half) {
        let at = format!("x=\"{middle:.2}\" y=\"{:.2}\"", y + 0.5 * height + 4.0);
        let style = format!("text-anchor=\"middle\" pointer-events=\"none\" fill=\"{}\"", ink_upon(fill));
        writeln!(out, "<text {at} {style}>{}</text>", escaped(&event.name)).unwrap_or_default();
    }
}

fn axis(out: &mut String, scale: &Scale, y: f64) {
    let length = 1e-6 * (scale.end - scale.begin) as f64;
    let (marks, decimals) = ticks(0.0, length, 10);
    rect(out, [LEFT, y], [WIDTH - LEFT - RIGHT, 1.0], "#202024", None);
    for mark in marks {
        let x = LEFT + mark / length * (WIDTH - LEFT - RIGHT);
        rect(out, [x, y], [1.0, 6.0], "#202024", None);
        text(out, x, y + 20.0, "middle", 12, &format!("{mark:.decimals$}"));
    }
    let label = format!("time [ms], from {:.3} ms of the trace on", 1e-6 * scale.begin as f64);
    text(out, 0.5 * (LEFT + WIDTH - RIGHT), y + 20.0 + LINE, "middle", 12, &label);
}

fn us(begin: i64, end: i64) -> String {
    short(1e-3 * (end - begin) as f64)
}

fn rect(out: &mut String, [x, y]: [f64; 2], [width, height]: [f64; 2], fill: &str, said: Option<&str>) {
    let shape = format!("<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{width:.2}\" height=\"{height:.2}\" fill=\"{fill}\"");
    match said {
        Some(said) => writeln!(out, "{shape}><title>{}</title></rect>", escaped(said)),
        None => writeln!(out, "{shape}/>"),
    }
    .unwrap_or_default();
}

fn text(out: &mut String, x: f64, y: f64, anchor: &str, size: u32, content: &str) {
    let style = format!("text-anchor=\"{anchor}\" font-size=\"{size}\" fill=\"#202024\"");
    writeln!(out, "<text x=\"{x:.2}\" y=\"{y:.2}\" {style}>{}</text>", escaped(content)).unwrap_or_default();
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline::tests::synthetic;

    #[test]
    fn events_stand_where_they_belong() {
        let trace = synthetic(2, 6);
        let window = Window { first: 12, last: 13 };
        let ranks = trace.ranks.iter().enumerate().collect();
        let svg = Drawing { title: "a < b".to_owned(), ranks, window }.draw();
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n") && svg.contains("a &lt; b"));
        assert_eq!(svg.matches("<title>interior, step 12: 40 us</title>").count(), 2, "one a rank");
        assert_eq!(
            svg.matches("<title>message of halo of step 13: 55 us</title>").count(),
            4,
            "each with what is under"
        );
        assert!(!svg.contains("step 11") && !svg.contains("step 15") && svg.contains(">step 12<"));
        // 200 us on 1250 pixels: interior begins 20 us after the step, 125 pixels from the left.
        let interior = svg.lines().find(|line| line.contains("interior, step 12")).expect("drawn");
        assert!(interior.starts_with("<rect x=\"245.00\"") && interior.contains("width=\"250.00\""), "{interior}");
        assert_eq!(svg.matches('<').count(), svg.matches('>').count());
    }

    #[test]
    fn nothing_can_be_drawn_too() {
        let window = Window { first: 0, last: 0 };
        let svg = Drawing { title: String::new(), ranks: Vec::new(), window }.draw();
        assert!(svg.contains("time [ms]"));
    }
}
