//! A page: pictures made of pixels, and above them text and shapes. It is composed once, and written as SVG and as PNG.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hematite_config::{Exit, Fault, Result, publish};
use image::{Rgb, RgbImage, imageops::replace};
use resvg::tiny_skia::{Pixmap, PremultipliedColorU8, Transform};
use resvg::usvg::fontdb::{Database, Source};
use resvg::usvg::{Options, Tree};

use crate::png;
use crate::shapes::{Look, PAPER, Shapes, corner, escaped, number};
use crate::text::SIZE;

/// Pixels of the PNG in a unit of the SVG.
const DENSITY: f64 = 2.0;
/// How texts that say which program drew a file begin in SVG.
const SOFTWARE: &str = "<desc>Software: ";
/// Bytes of an SVG within which it says that.
const HEAD: usize = 1000;

/// The font of figures alone: nothing is taken from the system.
static FONTS: LazyLock<Arc<Database>> = LazyLock::new(|| {
    let mut fonts = Database::new();
    fonts.load_font_source(Source::Binary(Arc::new(dejavu::sans::regular())));
    Arc::new(fonts)
});

/// A page. Places and sizes are in pixels of the PNG.
pub struct Page {
    /// Text and shapes, above all pictures.
    pub shapes: Shapes,
    size: [u32; 2],
    pictures: Vec<([u32; 2], RgbImage)>,
}

impl Page {
    /// An empty page of a width and height.
    pub fn new(size: [f64; 2]) -> Self {
        Self { shapes: Shapes::default(), size: size.map(|x| x.ceil().max(1.0) as u32), pictures: Vec::new() }
    }

    /// Width and height.
    pub fn size(&self) -> [f64; 2] {
        self.size.map(f64::from)
    }

    /// Puts a picture on whole pixels, its upper left corner next to `at`.
    pub fn picture(&mut self, picture: RgbImage, at: [f64; 2]) {
        self.pictures.push((at.map(|x| x.round().max(0.0) as u32), picture));
    }

    /// The page as SVG, with its title and the program that drew it.
    ///
    /// # Errors
    /// An internal fault where a picture cannot be encoded.
    pub fn svg(&self, title: &str, software: &str) -> Result<String> {
        let mut paper = Shapes::default();
        paper.rect([0.0; 2], self.size(), &Look::area(PAPER));
        let mut content = format!("{SOFTWARE}{}</desc>\n<title>{}</title>\n", escaped(software), escaped(title));
        content += paper.svg();
        for (at, picture) in &self.pictures {
            let mut bytes = Vec::new();
            png::encode(picture, &mut bytes, &[]).map_err(|error| self.fault(error.to_string()))?;
            let place = corner(at.map(f64::from), [picture.width(), picture.height()].map(f64::from));
            let data = STANDARD.encode(bytes);
            content += &format!(
                "<image {place} style=\"image-rendering:pixelated\" xlink:href=\"data:image/png;base64,{data}\"/>\n"
            );
        }
        Ok(self.wrapped(&(content + self.shapes.svg())))
    }

    /// The page as pixels.
    ///
    /// # Errors
    /// An internal fault where it cannot be drawn.
    pub fn pixels(&self) -> Result<RgbImage> {
        let [width, height] = self.size;
        let mut pixels = RgbImage::from_pixel(width, height, Rgb(PAPER));
        for (at, picture) in &self.pictures {
            replace(&mut pixels, picture, i64::from(at[0]), i64::from(at[1]));
        }
        let mut canvas = Pixmap::new(width, height).ok_or_else(|| self.fault("too large".to_owned()))?;
        for (to, from) in canvas.pixels_mut().iter_mut().zip(pixels.pixels()) {
            let [r, g, b] = from.0;
            *to = PremultipliedColorU8::from_rgba(r, g, b, u8::MAX).unwrap_or(*to);
        }
        let options = Options { fontdb: Arc::clone(&FONTS), ..Options::default() };
        let tree = Tree::from_str(&self.wrapped(self.shapes.svg()), &options).map_err(|e| self.fault(e.to_string()))?;
        let scale = DENSITY as f32;
        resvg::render(&tree, Transform::from_scale(scale, scale), &mut canvas.as_mut());
        for (to, from) in pixels.pixels_mut().zip(canvas.pixels()) {
            *to = Rgb([from.red(), from.green(), from.blue()]);
        }
        Ok(pixels)
    }

    /// Writes `stem`.svg and `stem`.png, which say what they show and which tool of Hematite drew them.
    ///
    /// # Errors
    /// An I/O fault that names the file; an internal fault where the page cannot be drawn.
    pub fn write(&self, stem: &Path, title: &str, tool: &str) -> Result<()> {
        let software = software(tool);
        let [png, svg] = files(stem);
        let text = self.svg(title, &software)?;
        let fault = |error: std::io::Error| Fault::io(format!("cannot write {}: {error}", svg.display()));
        publish(&svg, |temporary| std::fs::write(temporary, text).map_err(fault))?;
        png::write(&self.pixels()?, &png, &[("Title", title), (png::SOFTWARE, &software)])
    }

    fn fault(&self, what: String) -> Fault {
        Fault { exit: Exit::Internal, message: format!("a page of {:?} pixels: {what}", self.size) }
    }

    fn wrapped(&self, content: &str) -> String {
        let [w, h] = self.size().map(number);
        let [width, height] = self.size().map(|x| number(x / DENSITY));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" \
             width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {w} {h}\" \
             font-family=\"DejaVu Sans, Verdana, sans-serif\" font-size=\"{SIZE}\">\n{content}</svg>\n"
        )
    }
}

/// The two files of a figure: `stem`.png and `stem`.svg.
pub fn files(stem: &Path) -> [PathBuf; 2] {
    [".png", ".svg"].map(|end| {
        let mut path = OsString::from(stem);
        path.push(end);
        path.into()
    })
}

/// What figures say of the tool that drew them.
fn software(tool: &str) -> String {
    format!("Hematite {tool} {}", env!("CARGO_PKG_VERSION"))
}

/// Whether a file is a figure that a tool of Hematite drew, of any version.
pub fn is_by(path: &Path, tool: &str) -> bool {
    let beginning = format!("Hematite {tool} ");
    let is_png = png::text_of(path, png::SOFTWARE).is_some_and(|text| text.starts_with(&beginning));
    is_png
        || std::fs::read(path).is_ok_and(|text| {
            let wanted = format!("{SOFTWARE}{beginning}");
            text.starts_with(b"<svg") && text.windows(wanted.len()).take(HEAD).any(|part| part == wanted.as_bytes())
        })
}

#[cfg(test)]
mod tests {
    use svg_checks::Drawn;

    use super::*;
    use crate::shapes::{Anchor, INK};

    fn page() -> Page {
        let mut page = Page::new([200.0, 80.0]);
        page.picture(RgbImage::from_pixel(30, 20, Rgb([9, 200, 9])), [10.0, 20.0]);
        page.shapes.rect([20.0, 30.0], [10.0, 10.0], &Look::area([200, 0, 0]));
        page.shapes.write("<tube & \u{3b1}\u{4e2d}>", [60.0, 10.0], Anchor::Left);
        page
    }

    #[test]
    fn both_files_show_the_same_and_say_by_whom() {
        let folder = tempfile::tempdir().expect("a folder");
        let stems = ["a.b", "c"].map(|name| folder.path().join(name));
        for stem in &stems {
            page().write(stem, "1 < 2", "post").expect("writes");
        }
        let bytes = stems.each_ref().map(|stem| files(stem).map(|file| std::fs::read(file).expect("is there")));
        assert_eq!(bytes[0], bytes[1]);
        let svg = String::from_utf8(bytes[0][1].clone()).expect("text");
        let drawn = Drawn::of(&svg);
        assert_eq!((drawn.size, drawn.texts[0].text.as_str()), ([200.0, 80.0], "<tube & \u{3b1}\u{4e2d}>"));
        drawn.is_sound();
        assert!(svg.contains("<title>1 &lt; 2</title>") && svg.contains("data:image/png;base64,"));
        let png = image::load_from_memory(&bytes[0][0]).expect("a picture").to_rgb8();
        assert_eq!(png.dimensions(), (200, 80));
        let at = |x, y| png.get_pixel(x, y).0;
        assert_eq!([at(12, 22), at(25, 35), at(5, 5)], [[9, 200, 9], [200, 0, 0], PAPER]);
        assert!(png.pixels().any(|pixel| pixel.0 == INK), "letters");
        for file in files(&stems[0]) {
            assert!(is_by(&file, "post") && !is_by(&file, "mkcase"), "{}", file.display());
        }
        std::fs::write(&stems[0], "<svg/>").expect("writes");
        assert!(!is_by(&stems[0], "post"));
    }

    #[test]
    fn text_is_as_wide_as_it_is_measured() {
        let mut page = Page::new([2000.0, 600.0]);
        let texts =
            ["speed [mm/s]", "AVAVAV Type", "10\u{207b}\u{b3} \u{b5}m\u{b2}", "\u{3a9}\u{436}\u{5d0}", "efficient"];
        for (row, text) in texts.iter().enumerate() {
            page.shapes.write(text, [10.0, 40.0 * row as f64], Anchor::Left);
        }
        let drawn = Drawn::of(&page.svg("", "").expect("draws"));
        for (text, found) in texts.iter().zip(&drawn.texts) {
            let [left, _, right, _] = found.place;
            // Letters that stand nearer to each other, as A and V do, are measured as if they did not.
            let measured = crate::text::width(text);
            assert!(
                (left - 10.0).abs() < 0.1 && right - left <= measured + 0.5 && right - left > 0.8 * measured,
                "{text}: {found:?}"
            );
        }
    }
}
