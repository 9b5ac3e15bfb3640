//! A figure: title, panels side by side or stacked, a scale bar and a labelled colour bar.

use std::path::Path;

use hematite_config::Result;
use image::imageops::replace;
use image::{Rgb, RgbImage};

use hematite_drawing::colour::{ColourScale, NOT_FINITE};
use hematite_drawing::page::{BAR_HEIGHT, INK, PAPER, scale_bar, swatch, swatch_width};
use hematite_drawing::png::write_png;
use hematite_drawing::text::{self, Anchor, LINE_HEIGHT};
use hematite_units::number::{Prefix, ticks};

/// Longest side of the panels together, in pixels.
pub const LONGEST: u32 = 1400;

const MARGIN: u32 = 30;
const GAP: u32 = 24;
const NARROWEST: u32 = 760;

/// One picture of a figure.
pub struct Panel {
    /// Text above the picture; empty for none.
    pub caption: String,
    /// The picture.
    pub image: RgbImage,
}

/// A figure whose panels share one colour scale and one length scale.
pub struct Figure {
    /// Its title.
    pub title: String,
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
    /// Draws the figure.
    pub fn draw(&self) -> RgbImage {
        let caption = if self.panels.iter().all(|p| p.caption.is_empty()) { 0 } else { LINE_HEIGHT + 6 };
        let sizes: Vec<[u32; 2]> = self.panels.iter().map(|p| [p.image.width(), p.image.height()]).collect();
        // A caption may be wider than its picture.
        let widths: Vec<u32> = self.panels.iter().map(|p| p.image.width().max(text::width(&p.caption))).collect();
        let gaps = GAP * (sizes.len().saturating_sub(1) as u32);
        let (wide, high) = if self.stacked {
            (widths.iter().copied().max().unwrap_or(0), sizes.iter().map(|s| s[1] + caption).sum::<u32>() + gaps)
        } else {
            (widths.iter().sum::<u32>() + gaps, sizes.iter().map(|s| s[1]).max().unwrap_or(0) + caption)
        };
        let inner = wide.max(NARROWEST).max(text::width(&self.title) + 2).max(self.legend_width());
        let top = MARGIN + LINE_HEIGHT + 16;
        let legend = top + high + GAP;
        let remark = if self.remark.is_empty() { 0 } else { LINE_HEIGHT + 4 };
        let height = legend + LINE_HEIGHT + 6 + BAR_HEIGHT + 10 + LINE_HEIGHT + remark + MARGIN;
        let mut page = RgbImage::from_pixel(inner + 2 * MARGIN, height, Rgb(PAPER));
        text::write(&mut page, &self.title, MARGIN, MARGIN, Anchor::Left, INK);
        let below = if caption > 0 { top } else { MARGIN };
        self.draw_legend(&mut page, below);
        let mut at = [MARGIN + (inner - wide) / 2, top];
        for ((panel, size), width) in self.panels.iter().zip(&sizes).zip(widths) {
            text::write(&mut page, &panel.caption, at[0], at[1], Anchor::Left, INK);
            replace(&mut page, &panel.image, i64::from(at[0]), i64::from(at[1] + caption));
            text::frame(&mut page, [at[0], at[1] + caption], *size, INK);
            if self.stacked {
                at[1] += size[1] + caption + GAP;
            } else {
                at[0] += width + GAP;
            }
        }
        let length = scale_bar(&mut page, [MARGIN, legend + LINE_HEIGHT + 6], inner / 3, self.metres_per_pixel);
        let left = MARGIN + length.max(inner / 4) + 2 * GAP;
        self.draw_colour_bar(&mut page, [left, legend], MARGIN + inner - left - GAP);
        page
    }

    /// Writes the figure as PNG.
    ///
    /// # Errors
    /// An I/O fault that names the file.
    pub fn write(&self, path: &Path) -> Result<()> {
        write_png(&self.draw(), path, &[])
    }

    /// Draws the legend in one line that ends at the right margin.
    fn draw_legend(&self, page: &mut RgbImage, y: u32) {
        let mut right = page.width() - MARGIN;
        for (name, colour) in self.legend.iter().rev() {
            let left = right.saturating_sub(swatch_width(name));
            swatch(page, name, [left, y], *colour);
            right = left.saturating_sub(GAP);
        }
    }

    /// Width of the legend.
    fn legend_width(&self) -> u32 {
        self.legend.iter().map(|(name, _)| swatch_width(name) + GAP).sum()
    }

    fn draw_colour_bar(&self, page: &mut RgbImage, [x, y]: [u32; 2], length: u32) {
        let ColourScale { low, high, .. } = self.scale;
        let prefix = Prefix::of(low.abs().max(high.abs()));
        let title = format!("{} [{}{}]", self.quantity, prefix.symbol, self.unit);
        text::write(page, &title, x, y, Anchor::Left, INK);
        let y = y + LINE_HEIGHT + 6;
        for column in 0..length {
            let value = low + (high - low) * (f64::from(column) + 0.5) / f64::from(length);
            text::fill(page, [x + column, y], [1, BAR_HEIGHT], self.scale.colour(value));
        }
        text::frame(page, [x, y], [length, BAR_HEIGHT], INK);
        let (low, high) = (low * prefix.factor, high * prefix.factor);
        let (marks, decimals) = ticks(low, high, (length / 90).clamp(3, 10) as usize);
        for mark in marks {
            let column = x + (f64::from(length) * ((mark - low) / (high - low)).clamp(0.0, 1.0)).round() as u32;
            text::fill(page, [column.min(x + length - 1), y + BAR_HEIGHT], [1, 7], INK);
            let mark = if mark == 0.0 { 0.0 } else { mark };
            text::write(page, &format!("{mark:.decimals$}"), column, y + BAR_HEIGHT + 10, Anchor::Centre, INK);
        }
        text::write(page, &self.remark, x, y + BAR_HEIGHT + 14 + LINE_HEIGHT, Anchor::Left, INK);
    }
}

/// The remark of a figure about values that are not finite; empty where all are.
pub fn remark_on(values: impl IntoIterator<Item = f64>) -> String {
    let broken = values.into_iter().filter(|v| !v.is_finite()).count();
    let [r, g, b] = NOT_FINITE;
    if broken == 0 { String::new() } else { format!("{broken} values are not finite (#{r:02x}{g:02x}{b:02x})") }
}
