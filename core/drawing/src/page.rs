//! What pages of figures and pictures share: ink and paper, scale bars, legends.

use image::RgbImage;

use crate::text::{self, Anchor, LINE_HEIGHT};
use hematite_units::number::{Prefix, round_up, short};

/// The colour of text and lines.
pub const INK: [u8; 3] = [0x20, 0x20, 0x24];
/// The colour of the page.
pub const PAPER: [u8; 3] = [0xff, 0xff, 0xff];
/// Height of scale bars and colour bars.
pub const BAR_HEIGHT: u32 = 22;
/// Side of the squares of colour in a legend.
pub const SWATCH: u32 = 16;
/// From a square to its name.
pub const SWATCH_GAP: u32 = 8;

/// Draws a bar of a round length, at most `room` pixels long, with its label below; gives the width of both.
pub fn scale_bar(page: &mut RgbImage, [x, y]: [u32; 2], room: u32, metres_per_pixel: f64) -> u32 {
    let longest = f64::from(room) * metres_per_pixel;
    // round_up of a fifth of the longest bar is at most half of it.
    let metres = round_up(longest / 5.0);
    let pixels = ((metres / metres_per_pixel).round() as u32).clamp(1, room);
    text::fill(page, [x, y + BAR_HEIGHT / 2 - 2], [pixels, 4], INK);
    text::fill(page, [x, y + 4], [2, BAR_HEIGHT - 8], INK);
    text::fill(page, [x + pixels - 2.min(pixels), y + 4], [2, BAR_HEIGHT - 8], INK);
    let prefix = Prefix::of(metres);
    let label = format!("{} {}m", short(metres * prefix.factor), prefix.symbol);
    text::write(page, &label, x, y + BAR_HEIGHT + 10, Anchor::Left, INK);
    pixels.max(text::width(&label))
}

/// Draws a square of colour and its name.
pub fn swatch(page: &mut RgbImage, name: &str, [x, y]: [u32; 2], colour: [u8; 3]) {
    text::fill(page, [x, y + 2], [SWATCH, SWATCH], colour);
    text::frame(page, [x, y + 2], [SWATCH, SWATCH], INK);
    text::write(page, name, x + SWATCH + SWATCH_GAP, y, Anchor::Left, INK);
}

/// Width of a square of colour with its name.
pub fn swatch_width(name: &str) -> u32 {
    SWATCH + SWATCH_GAP + text::width(name)
}

/// Height of a scale bar with its label.
pub const SCALE_BAR_HEIGHT: u32 = BAR_HEIGHT + 10 + LINE_HEIGHT;
