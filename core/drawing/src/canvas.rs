//! Smooth shapes upon an image.

use image::RgbImage;
use tiny_skia::{Color, Paint, Pixmap, PremultipliedColorU8};

/// Paint of a colour, whose edges are smooth; `opacity` from 0 to 1.
pub fn paint(colour: [u8; 3], opacity: f32) -> Paint<'static> {
    let [r, g, b] = colour.map(|c| f32::from(c) / 255.0);
    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    paint.set_color(Color::from_rgba(r, g, b, opacity).unwrap_or(Color::BLACK));
    paint
}

/// A canvas that holds the image; `None` for an image without pixels.
pub fn to_canvas(image: &RgbImage) -> Option<Pixmap> {
    let mut canvas = Pixmap::new(image.width(), image.height())?;
    for (to, from) in canvas.pixels_mut().iter_mut().zip(image.pixels()) {
        let [r, g, b] = from.0;
        *to = PremultipliedColorU8::from_rgba(r, g, b, 255)?;
    }
    Some(canvas)
}

/// The image on an opaque canvas.
pub fn to_image(canvas: &Pixmap) -> RgbImage {
    let at = |x: u32, y: u32| canvas.pixel(x, y).map_or([0; 3], |p| [p.red(), p.green(), p.blue()]);
    RgbImage::from_fn(canvas.width(), canvas.height(), |x, y| image::Rgb(at(x, y)))
}
