//! Pixels as PNG files.

use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::path::Path;

use hematite_config::{Fault, Result, publish};
use image::RgbImage;

/// Key of the text that names the program which drew a picture.
pub const SOFTWARE: &str = "Software";

/// Writes pixels as PNG, with texts by their key; the same pixels and texts give the same bytes.
///
/// # Errors
/// An I/O fault that names the file.
pub fn write(pixels: &RgbImage, path: &Path, texts: &[(&str, &str)]) -> Result<()> {
    publish(path, |temporary| {
        let write = || encode(pixels, BufWriter::new(File::create(temporary)?), texts);
        write().map_err(|error| Fault::io(format!("cannot write {}: {error}", path.display())))
    })
}

/// Encodes pixels as PNG, with texts by their key.
pub(crate) fn encode(
    pixels: &RgbImage,
    to: impl Write,
    texts: &[(&str, &str)],
) -> std::result::Result<(), ::png::EncodingError> {
    let mut encoder = ::png::Encoder::new(to, pixels.width(), pixels.height());
    encoder.set_color(::png::ColorType::Rgb);
    encoder.set_depth(::png::BitDepth::Eight);
    for (key, text) in texts {
        encoder.add_itxt_chunk((*key).to_owned(), (*text).to_owned())?;
    }
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels.as_raw())?;
    writer.finish()
}

/// The text that a PNG file has under a key; `None` where it has none or is no PNG.
pub fn text_of(path: &Path, key: &str) -> Option<String> {
    let reader = ::png::Decoder::new(BufReader::new(File::open(path).ok()?)).read_info().ok()?;
    let text = reader.info().utf8_text.iter().find(|text| text.keyword == key)?;
    text.get_text().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_back_and_bytes_are_the_same() {
        let folder = tempfile::tempdir().expect("a folder");
        let image = RgbImage::from_fn(7, 5, |x, y| image::Rgb([x as u8, y as u8, 9]));
        let paths = ["a.png", "b.png"].map(|name| folder.path().join(name));
        paths.iter().for_each(|path| write(&image, path, &[(SOFTWARE, "tool 1")]).expect("writes"));
        assert_eq!(text_of(&paths[0], SOFTWARE).as_deref(), Some("tool 1"));
        assert_eq!(text_of(&paths[0], "Title"), None);
        let [a, b] = paths.each_ref().map(|path| std::fs::read(path).expect("reads"));
        assert_eq!(a, b);
        assert_eq!(image::load_from_memory(&a).expect("a picture").to_rgb8(), image);
        std::fs::write(&paths[1], "no picture").expect("writes");
        assert_eq!(text_of(&paths[1], SOFTWARE), None);
    }
}
