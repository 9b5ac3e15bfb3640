//! The bar that tells how long things are.

use hematite_units::number::{Prefix, round_up, short};

use crate::shapes::{Anchor, INK, Look, Shapes};
use crate::text::{self, LINE_HEIGHT};

/// Height of scale bars and colour bars.
pub const BAR_HEIGHT: f64 = 22.0;
/// From a bar to the text below.
pub const BAR_GAP: f64 = 10.0;
/// Height of a scale bar with its label.
pub const SCALE_BAR_HEIGHT: f64 = BAR_HEIGHT + BAR_GAP + LINE_HEIGHT;

/// Draws a bar of a round length, at most `room` pixels long, with its label below; gives the width of both.
pub fn scale_bar(shapes: &mut Shapes, [x, y]: [f64; 2], room: f64, metres_per_pixel: f64) -> f64 {
    // round_up of a fifth of the longest bar is at most half of it.
    let metres = round_up(room * metres_per_pixel / 5.0);
    let pixels = (metres / metres_per_pixel).round().clamp(1.0, room.max(1.0));
    let ink = Look::area(INK);
    shapes.rect([x, y + 0.5 * BAR_HEIGHT - 2.0], [pixels, 4.0], &ink);
    for end in [x, x + pixels - 2.0_f64.min(pixels)] {
        shapes.rect([end, y + 4.0], [2.0, BAR_HEIGHT - 8.0], &ink);
    }
    let prefix = Prefix::of(metres);
    let label = format!("{} {}m", short(metres * prefix.factor), prefix.symbol);
    shapes.write(&label, [x, y + BAR_HEIGHT + BAR_GAP], Anchor::Left);
    pixels.max(text::width(&label))
}
