//! How wide text is in the font that figures are written in, DejaVu Sans, and how it is broken into lines.

use std::sync::LazyLock;

use skrifa::instance::{LocationRef, Size};
use skrifa::{FontRef, MetadataProvider};

/// Height of letters, pixels.
pub const SIZE: f64 = 20.0;
/// From a line of text to the next, pixels.
pub const LINE_HEIGHT: f64 = 25.0;
/// From the upper edge of a line to where its letters stand, in heights of letters.
pub const ASCENT: f64 = 0.95;
/// Width of letters that the font lacks, in heights of letters: viewers take them from another font.
const FOREIGN: f32 = 1.0;

static FONT: LazyLock<Option<FontRef<'static>>> = LazyLock::new(|| FontRef::new(dejavu::sans::regular()).ok());

/// Width of a line of text of the usual size, pixels.
pub fn width(text: &str) -> f64 {
    width_at(text, SIZE)
}

/// Width of a line of text of a size, pixels.
pub fn width_at(text: &str, size: f64) -> f64 {
    let Some(font) = FONT.as_ref() else { return size * text.chars().count() as f64 };
    let (letters, metrics) = (font.charmap(), font.glyph_metrics(Size::new(1.0), LocationRef::default()));
    let advance = |c: char| letters.map(c).and_then(|glyph| metrics.advance_width(glyph)).unwrap_or(FOREIGN);
    size * f64::from(text.chars().map(advance).sum::<f32>())
}

/// Lines of text of the usual size that are at most `room` pixels wide, but hold a letter at least: broken between
/// words, and within those that are too long for a line. Empty for an empty text.
pub fn wrap(text: &str, room: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        let longer = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
        if width(&longer) <= room {
            line = longer;
            continue;
        }
        lines.extend((!line.is_empty()).then(|| std::mem::take(&mut line)));
        for letter in word.chars() {
            line.push(letter);
            if width(&line) > room && line.chars().count() > 1 {
                line.pop();
                lines.push(std::mem::replace(&mut line, letter.to_string()));
            }
        }
    }
    lines.extend((!line.is_empty()).then_some(line));
    lines
}

/// Width of the widest line, pixels.
pub fn widest(lines: &[String]) -> f64 {
    lines.iter().map(|line| width(line)).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_those_of_the_font() {
        assert!(width("iiii") < 0.5 * width("mmmm"));
        // The font's advance of "m" is 1995 of 2048 units.
        assert!((width("m") - SIZE * 1995.0 / 2048.0).abs() < 1e-4);
        assert!(width("\u{4e2d}") >= SIZE, "a letter that the font lacks");
        assert!((width_at("speed", 10.0) - 0.5 * width("speed")).abs() < 1e-4);
    }

    #[test]
    fn lines_fit_and_lose_nothing() {
        let text = "a title with averyveryverylongwordinthemiddle of it and some more";
        for room in [30.0, 100.0, 250.0, 2000.0] {
            let lines = wrap(text, room);
            assert!(widest(&lines) <= room, "{lines:?}");
            let all = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            assert_eq!(all(&lines.concat()), all(text));
        }
        assert_eq!(wrap("two words", 1e4), ["two words"]);
        assert_eq!(wrap("ab", 0.0), ["a", "b"]);
        assert!(wrap("  ", 100.0).is_empty());
    }
}
