//! Lettering and simple shapes on an image, with a bitmap font that is part of the program.

use std::convert::Infallible;

use embedded_graphics::mono_font::{MonoFont, MonoTextStyle, iso_8859_1};
use embedded_graphics::pixelcolor::{Rgb888, RgbColor};
use embedded_graphics::prelude::{DrawTarget, Drawable, OriginDimensions, Pixel, Point, Size};
use embedded_graphics::text::{Alignment, Baseline, Text, TextStyleBuilder};
use image::{Rgb, RgbImage};

/// Width of a letter in pixels.
pub const LETTER_WIDTH: u32 = 10;
/// Height of a line of text in pixels.
pub const LINE_HEIGHT: u32 = 20;

const FONT: MonoFont = iso_8859_1::FONT_10X20;

/// Where text stands relative to its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// The text starts there.
    Left,
    /// The text is centred there.
    Centre,
}

struct Canvas<'a>(&'a mut RgbImage);

impl OriginDimensions for Canvas<'_> {
    fn size(&self) -> Size {
        Size::new(self.0.width(), self.0.height())
    }
}

impl DrawTarget for Canvas<'_> {
    type Color = Rgb888;
    type Error = Infallible;

    fn draw_iter<I: IntoIterator<Item = Pixel<Rgb888>>>(&mut self, pixels: I) -> Result<(), Infallible> {
        for Pixel(at, colour) in pixels {
            if let (Ok(x), Ok(y)) = (u32::try_from(at.x), u32::try_from(at.y))
                && let Some(pixel) = self.0.get_pixel_mut_checked(x, y)
            {
                *pixel = Rgb([colour.r(), colour.g(), colour.b()]);
            }
        }
        Ok(())
    }
}

/// Writes a line of text with its upper edge at `y`.
pub fn write(image: &mut RgbImage, text: &str, x: u32, y: u32, anchor: Anchor, colour: [u8; 3]) {
    let [r, g, b] = colour;
    let style = MonoTextStyle::new(&FONT, Rgb888::new(r, g, b));
    let alignment = match anchor {
        Anchor::Left => Alignment::Left,
        Anchor::Centre => Alignment::Center,
    };
    let place = TextStyleBuilder::new().alignment(alignment).baseline(Baseline::Top).build();
    let Ok(_) = Text::with_text_style(text, Point::new(x as i32, y as i32), style, place).draw(&mut Canvas(image));
}

/// Width of a line of text in pixels.
pub fn width(text: &str) -> u32 {
    u32::try_from(text.chars().count()).unwrap_or(u32::MAX).saturating_mul(LETTER_WIDTH)
}

/// Fills the rectangle at (x, y), clipped to the image.
pub fn fill(image: &mut RgbImage, [x, y]: [u32; 2], [w, h]: [u32; 2], colour: [u8; 3]) {
    for row in y..y.saturating_add(h).min(image.height()) {
        for column in x..x.saturating_add(w).min(image.width()) {
            image.put_pixel(column, row, Rgb(colour));
        }
    }
}

/// Outlines the rectangle at (x, y) by a line one pixel wide just outside it.
pub fn frame(image: &mut RgbImage, [x, y]: [u32; 2], [w, h]: [u32; 2], colour: [u8; 3]) {
    let (left, top) = (x.saturating_sub(1), y.saturating_sub(1));
    fill(image, [left, top], [w + 2, 1], colour);
    fill(image, [left, y + h], [w + 2, 1], colour);
    fill(image, [left, top], [1, h + 2], colour);
    fill(image, [x + w, top], [1, h + 2], colour);
}

/// Fills the disc around (x, y), in pixels, clipped to the image.
pub fn disc(image: &mut RgbImage, [x, y]: [f64; 2], radius: f64, colour: [u8; 3]) {
    let range = |c: f64, n: u32| ((c - radius).floor().max(0.0) as u32)..((c + radius).ceil().max(0.0) as u32).min(n);
    for row in range(y, image.height()) {
        for column in range(x, image.width()) {
            let (dx, dy) = (f64::from(column) + 0.5 - x, f64::from(row) + 0.5 - y);
            if dx * dx + dy * dy <= radius * radius {
                image.put_pixel(column, row, Rgb(colour));
            }
        }
    }
}
