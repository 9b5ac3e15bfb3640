//! A figure: title, panels side by side or stacked, a scale bar and a labelled colour bar.

use std::path::Path;

use hematite_config::Result;
use hematite_drawing::colour::NOT_FINITE;
use hematite_drawing::legend::{Legend, Sample};
use hematite_drawing::page::Page;
use hematite_drawing::scale::ColourScale;
use hematite_drawing::scale_bar::{BAR_GAP, BAR_HEIGHT, scale_bar};
use hematite_drawing::shapes::{Anchor, INK, Look, Shapes};
use hematite_drawing::text::{LINE_HEIGHT, widest, width, wrap};
use hematite_units::number::{Shown, ticks};
use image::{Rgb, RgbImage};

use crate::title::{Origin, TOOL};

/// Longest side of the panels together, in pixels.
pub const LONGEST: u32 = 1400;

const MARGIN: f64 = 30.0;
const GAP: f64 = 24.0;
/// Between what belongs together.
const NEAR: f64 = 6.0;
const NARROWEST: f64 = 760.0;
/// The room that captions have at least.
const CAPTION: f64 = 300.0;
/// Most numbers along the colour bar.
const MARKS: usize = 10;
/// Length of marks at the colour bar.
const MARK: f64 = 7.0;

/// One picture of a figure.
pub struct Panel {
    /// Text above the picture; empty for none.
    pub caption: String,
    /// The picture.
    pub image: RgbImage,
    /// What is drawn upon it; its pixels are those of the picture.
    pub shapes: Shapes,
}

/// A figure whose panels share one colour scale and one length scale.
pub struct Figure {
    /// What it shows.
    pub what: String,
    /// Its panels.
    pub panels: Vec<Panel>,
    /// Whether the panels are stacked; else they are side by side.
    pub stacked: bool,
    /// Metres a pixel of every panel.
    pub metres_per_pixel: f64,
    /// Colours of the values.
    pub scale: ColourScale,
    /// Name of the coloured quantity, for the colour bar.
    pub quantity: String,
    /// The plain SI unit of the values.
    pub unit: &'static str,
    /// Remark under the colour bar; empty for none.
    pub remark: String,
    /// Names and colours of what is drawn on the panels.
    pub legend: Vec<(String, [u8; 3])>,
}

impl Figure {
    /// Writes the figure of a run as `stem`.svg and `stem`.png.
    ///
    /// # Errors
    /// An I/O fault that names the file.
    pub fn write(&self, stem: &Path, origin: &Origin) -> Result<()> {
        let title = origin.title(&self.what);
        self.page(&title).write(stem, &title, TOOL)
    }

    /// Composes the figure under a title.
    pub fn page(&self, title: &str) -> Page {
        let sizes: Vec<[f64; 2]> = self.panels.iter().map(|panel| size(&panel.image)).collect();
        let captions: Vec<Vec<String>> =
            self.panels.iter().zip(&sizes).map(|(panel, size)| wrap(&panel.caption, size[0].max(CAPTION))).collect();
        let lines = captions.iter().map(Vec::len).max().unwrap_or(0) as f64;
        let caption = if lines > 0.0 { lines * LINE_HEIGHT + NEAR } else { 0.0 };
        let widths: Vec<f64> =
            sizes.iter().zip(&captions).map(|(size, lines)| size[0].max(widest(lines).ceil())).collect();
        let gaps = GAP * sizes.len().saturating_sub(1) as f64;
        let most = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::max);
        let (wide, high) = if self.stacked {
            (most(&mut widths.iter().copied()), sizes.iter().map(|size| size[1] + caption).sum::<f64>() + gaps)
        } else {
            (widths.iter().sum::<f64>() + gaps, most(&mut sizes.iter().map(|size| size[1])) + caption)
        };
        let inner = wide.max(NARROWEST);
        let mut shapes = Shapes::default();
        let title = wrap(title, inner);
        shapes.write_lines(&title, [MARGIN; 2], Anchor::Left);
        let mut top = MARGIN + LINE_HEIGHT * title.len() as f64 + 2.0 * NEAR;
        let areas = self.legend.iter().map(|(name, colour)| (name.clone(), Sample::Area(*colour)));
        let legend = Legend::new(areas, inner, false);
        if legend.height > 0.0 {
            legend.draw(&mut shapes, [MARGIN, top]);
            top += legend.height + 2.0 * NEAR;
        }
        let mut corners = Vec::new();
        let mut at = [MARGIN + ((inner - wide) / 2.0).floor(), top];
        for (i, (panel, &size)) in self.panels.iter().zip(&sizes).enumerate() {
            shapes.write_lines(&captions[i], at, Anchor::Left);
            let corner = [at[0], at[1] + caption];
            shapes.inset(corner, size, &panel.shapes);
            shapes.frame(corner, size, INK, 1.0);
            corners.push(corner);
            let step = if self.stacked { [0.0, size[1] + caption + GAP] } else { [widths[i] + GAP, 0.0] };
            at = [0, 1].map(|k| at[k] + step[k]);
        }
        let bars = top + high + GAP;
        let down = LINE_HEIGHT + NEAR;
        let length = scale_bar(&mut shapes, [MARGIN, bars + down], inner / 3.0, self.metres_per_pixel);
        let left = (MARGIN + length.max(inner / 4.0) + 2.0 * GAP).ceil();
        let room = (MARGIN + inner - left - GAP).floor();
        let (bar, corner, bottom) = self.colour_bar(&mut shapes, [left, bars], room);
        let mut page =
            Page::new([inner + 2.0 * MARGIN, bottom.max(bars + down + BAR_HEIGHT + BAR_GAP + LINE_HEIGHT) + MARGIN]);
        page.shapes = shapes;
        for (panel, corner) in self.panels.iter().zip(corners) {
            page.picture(panel.image.clone(), corner);
        }
        page.picture(bar, corner);
        page
    }

    /// Draws the colour bar without its colours. Gives these, where they stand, and the lower end of all.
    fn colour_bar(&self, shapes: &mut Shapes, [x, y]: [f64; 2], length: f64) -> (RgbImage, [f64; 2], f64) {
        let ColourScale { low, high, .. } = self.scale;
        let shown = Shown::over(self.unit, low, high);
        let title = wrap(&shown.label(&self.quantity), length);
        shapes.write_lines(&title, [x, y], Anchor::Left);
        let y = y + LINE_HEIGHT * title.len() as f64 + NEAR;
        let colour = |column: u32| self.scale.colour(low + (high - low) * (f64::from(column) + 0.5) / length);
        let bar = RgbImage::from_fn(length as u32, BAR_HEIGHT as u32, |column, _| Rgb(colour(column)));
        shapes.frame([x, y], [length, BAR_HEIGHT], INK, 1.0);
        let (low, high) = (shown.number(low), shown.number(high));
        for (mark, label) in marks(low, high, length) {
            let column = x + (length * ((mark - low) / (high - low)).clamp(0.0, 1.0)).round().min(length - 1.0);
            shapes.rect([column, y + BAR_HEIGHT], [1.0, MARK], &Look::area(INK));
            shapes.write(&label, [column, y + BAR_HEIGHT + BAR_GAP], Anchor::Centre);
        }
        let below = y + BAR_HEIGHT + BAR_GAP + LINE_HEIGHT;
        let told = [self.scale.told(), self.remark.clone()];
        let told: Vec<String> = told.into_iter().filter(|told| !told.is_empty()).collect();
        let told = wrap(&told.join("; "), length);
        shapes.write_lines(&told, [x, below + NEAR], Anchor::Left);
        (bar, [x, y], below + NEAR + LINE_HEIGHT * told.len() as f64)
    }
}

/// As many round numbers from `low` to `high` as have room along a bar, with their labels.
pub(crate) fn marks(low: f64, high: f64, length: f64) -> Vec<(f64, String)> {
    let labelled = |count: usize| -> Vec<(f64, String)> {
        let (marks, decimals) = ticks(low, high, count);
        marks.into_iter().map(|mark| (mark, format!("{:.decimals$}", if mark == 0.0 { 0.0 } else { mark }))).collect()
    };
    let fits = |marks: &Vec<(f64, String)>| {
        let widest = marks.iter().map(|(_, label)| width(label)).fold(0.0, f64::max);
        widest + GAP <= length / marks.len().max(2) as f64
    };
    (2..=MARKS).rev().map(labelled).find(fits).unwrap_or_else(|| labelled(1))
}

/// Width and height of a picture.
fn size(image: &RgbImage) -> [f64; 2] {
    [image.width(), image.height()].map(f64::from)
}

/// The remark of a figure about values that are not finite; empty where all are.
pub fn remark_on(values: impl IntoIterator<Item = f64>) -> String {
    let broken = values.into_iter().filter(|v| !v.is_finite()).count();
    let [r, g, b] = NOT_FINITE;
    if broken == 0 { String::new() } else { format!("{broken} values are not finite (#{r:02x}{g:02x}{b:02x})") }
}

#[cfg(test)]
mod tests {
    use svg_checks::Drawn;

    use super::*;
    use crate::testing::Random;

    #[test]
    fn text_stays_on_the_page_and_apart() {
        let mut random = Random::new(7);
        for _ in 0..60 {
            let panel = |random: &mut Random| Panel {
                caption: random.text(90),
                image: RgbImage::new(1 + random.below(700), 1 + random.below(400)),
                shapes: Shapes::default(),
            };
            let high = 10f64.powf(f64::from(random.below(40)) - 20.0);
            let values = (0..2000).map(|i| high * (f64::from(i) / 2000.0).powi(41));
            let figure = Figure {
                what: random.text(160),
                panels: (0..1 + random.below(3)).map(|_| panel(&mut random)).collect(),
                stacked: random.below(2) == 0,
                metres_per_pixel: 10f64.powf(f64::from(random.below(24)) - 20.0) * 1.3,
                scale: if random.below(2) == 0 {
                    ColourScale::sequential(values)
                } else {
                    ColourScale::diverging(values)
                },
                quantity: random.text(60),
                unit: ["Pa", "m/s", "", "kg m2/s2"][random.below(4) as usize],
                remark: random.text(100),
                legend: (0..random.below(8)).map(|i| (random.text(80), [i as u8; 3])).collect(),
            };
            let origin = Origin { run: random.text(40), times: [0.0, 1e-3], averaged: false };
            let title = origin.title(&figure.what);
            let page = figure.page(&title);
            let svg = page.svg(&title, "post").expect("draws");
            let drawn = Drawn::of(&svg);
            drawn.is_sound();
            assert_eq!(drawn.size, page.size());
            assert!(drawn.texts.iter().any(|text| text.text.contains("above")), "what is clipped");
            assert_eq!(svg, figure.page(&title).svg(&title, "post").expect("draws"));
        }
    }
}
