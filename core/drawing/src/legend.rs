//! What colours and lines mean.

use crate::shapes::{Anchor, INK, Look, Path, Shapes};
use crate::text::{self, LINE_HEIGHT};

/// Between entries.
const GAP: f64 = 26.0;
/// Between rows of entries.
const ROW_GAP: f64 = 5.0;
/// From a sample to its name.
const NAME_GAP: f64 = 8.0;
/// Side of squares of colour.
const SWATCH: f64 = 16.0;
/// Length of samples of lines.
const LINE: f64 = 34.0;

/// What stands beside a name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sample {
    /// A square of a colour.
    Area([u8; 3]),
    /// A line, a mark upon it with its radius, or both.
    Curve {
        /// The line.
        line: Option<Look>,
        /// The mark.
        mark: Option<(Look, f64)>,
    },
}

impl Sample {
    fn width(&self) -> f64 {
        match self {
            Self::Area(_) => SWATCH,
            Self::Curve { .. } => LINE,
        }
    }

    fn draw(&self, shapes: &mut Shapes, [x, y]: [f64; 2]) {
        let middle = y + 0.5 * LINE_HEIGHT;
        match self {
            Self::Area(colour) => {
                // Whole pixels keep its colour whole.
                let at = [x, middle - 0.5 * SWATCH].map(f64::round);
                shapes.rect(at, [SWATCH; 2], &Look::area(*colour));
                shapes.frame(at, [SWATCH; 2], INK, 1.0);
            }
            Self::Curve { line, mark } => {
                if let Some(look) = line {
                    let ends = [[x, middle], [x + LINE, middle]];
                    shapes.path(&Path::through(ends), look);
                }
                if let Some((look, radius)) = mark {
                    shapes.disc([x + 0.5 * LINE, middle], *radius, look);
                }
            }
        }
    }
}

/// Entries in rows of a width.
pub struct Legend {
    entries: Vec<(Sample, Vec<String>, [f64; 2])>,
    /// Height of all rows.
    pub height: f64,
    /// Width of the widest row.
    pub width: f64,
}

impl Legend {
    /// Puts samples with their names into rows at most `room` wide. Names that are wider take several lines. With
    /// `columns` all entries are as wide as the widest.
    pub fn new(entries: impl IntoIterator<Item = (String, Sample)>, room: f64, columns: bool) -> Self {
        let lines = |(name, sample): (String, Sample)| {
            let room = (room - sample.width() - NAME_GAP).max(1.0);
            (sample, text::wrap(&name, room))
        };
        let entries: Vec<(Sample, Vec<String>)> = entries.into_iter().map(lines).collect();
        let wide = |(sample, lines): &(Sample, Vec<String>)| sample.width() + NAME_GAP + text::widest(lines);
        let widest = if columns { entries.iter().map(wide).fold(0.0, f64::max) } else { 0.0 };
        let mut legend = Self { entries: Vec::new(), height: 0.0, width: 0.0 };
        let (mut at, mut row) = ([0.0_f64; 2], 0.0_f64);
        for (sample, lines) in entries {
            let width = wide(&(sample, lines.clone())).max(widest);
            if at[0] > 0.0 && at[0] + width > room {
                (at, row) = ([0.0, at[1] + row + ROW_GAP], 0.0);
            }
            row = row.max(LINE_HEIGHT * lines.len().max(1) as f64);
            legend.entries.push((sample, lines, at));
            (legend.width, legend.height) = (legend.width.max(at[0] + width), at[1] + row);
            at[0] += width + GAP;
        }
        legend
    }

    /// Draws it with its upper left corner at a place.
    pub fn draw(&self, shapes: &mut Shapes, [x, y]: [f64; 2]) {
        for (sample, lines, at) in &self.entries {
            let at = [x + at[0], y + at[1]];
            sample.draw(shapes, at);
            shapes.write_lines(lines, [at[0] + sample.width() + NAME_GAP, at[1]], Anchor::Left);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_stay_in_the_room() {
        let names =
            ["short", "a rather long name", "x", "a name that is much longer than the room which there is for it", "y"];
        let entries = || names.map(|name| (name.to_owned(), Sample::Area([0; 3])));
        let room = 300.0;
        let legend = Legend::new(entries(), room, false);
        assert!(legend.width <= room, "{}", legend.width);
        let places: Vec<[f64; 2]> = legend.entries.iter().map(|(_, _, at)| *at).collect();
        assert!(places[2][0] > 0.0 && places[3][0] == 0.0 && places[4][1] == places[3][1], "{places:?}");
        assert!(legend.entries[3].1.len() > 2 && legend.height > places[4][1]);
        let wide = Legend::new(entries(), 2000.0, false);
        assert_eq!(wide.height, LINE_HEIGHT);
        assert!(Legend::new(entries(), 2000.0, true).width > wide.width);
        assert_eq!(Legend::new([], room, false).height, 0.0);
    }
}
