//! One 2-D image: PBM, PGM, PPM, PNG by the `image` crate, one-page TIFF.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom, Write, copy};
use std::path::Path;

use flate2::write::ZlibDecoder;
use hematite_config::{Fault, Result};
use image::{DynamicImage, ExtendedColorType, ImageDecoder, ImageFormat, ImageReader, Limits};

use super::counted::{Counted, is_modest};
use super::{length, open_fault, pnm, tiff};
use crate::volume::{self, MAX_PIXELS, Values, Volume};

const PNM: [&str; 4] = ["pbm", "pgm", "ppm", "pnm"];
const TIFF: [&str; 2] = ["tif", "tiff"];

/// Whether the name of a file ends like that of an image.
pub(super) fn is_image(path: &Path) -> bool {
    let ending = ending(path);
    ending == "png" || PNM.contains(&&*ending) || TIFF.contains(&&*ending)
}

/// Reads an image with its first row first. A picture that is not opaque is refused; a bitmap's white is 255.
pub(super) fn read(path: &Path) -> Result<Volume> {
    let ending = ending(path);
    if TIFF.contains(&&*ending) {
        let volume = tiff::read(path)?;
        if volume.shape[2] == 1 {
            return Ok(volume);
        }
        return Err(Fault::usage(format!("has {} pages; read a stack by \"voxels\"", volume.shape[2])));
    }
    let format = match &*ending {
        "png" => ImageFormat::Png,
        ending if PNM.contains(&ending) => ImageFormat::Pnm,
        _ => return Err(Fault::usage("not a known image format: its name must end in .ppm .pgm .pbm .png or .tif")),
    };
    let file = File::open(path).map_err(open_fault)?;
    let stored = length(&file)?;
    let plain = format == ImageFormat::Pnm && pnm::is_plain(path)?;
    let mut reader = ImageReader::with_format(BufReader::new(file), format);
    // The claim is checked below, against this very file.
    reader.limits(Limits::no_limits());
    let decoder = reader.into_decoder().map_err(fault)?;
    let (nx, ny) = decoder.dimensions();
    let shape = [u64::from(nx), u64::from(ny), 1];
    let pixels = volume::count(shape, MAX_PIXELS)?;
    let original = decoder.original_color_type();
    let claimed = match (format, plain) {
        // A plain (text) sample takes at least one character in a bitmap, two elsewhere.
        (_, true) if original == ExtendedColorType::L1 => pixels,
        (_, true) => 2 * pixels * u64::from(original.channel_count()) - 1,
        _ => u64::from(ny) * (u64::from(nx) * u64::from(original.bits_per_pixel())).div_ceil(8),
    };
    if format == ImageFormat::Png {
        volume::plausible(claimed, stored)?;
        let held = if is_modest(claimed, stored) { claimed } else { png_bytes(path, claimed)? };
        if held < claimed {
            return Err(cut_short([nx, ny], claimed, held));
        }
    } else if claimed > stored {
        return Err(cut_short([nx, ny], claimed, stored));
    }
    let image = DynamicImage::from_decoder(decoder).map_err(fault)?;
    if format == ImageFormat::Pnm {
        pnm::refuse_longer(path, claimed, pixels * u64::from(original.channel_count()))?;
    }
    refuse_clear(&image)?;
    let mut values = match image {
        DynamicImage::ImageLuma8(image) => Values::U8(image.into_raw()),
        DynamicImage::ImageLuma16(image) => Values::U16(image.into_raw()),
        DynamicImage::ImageLumaA8(image) => Values::U8(image.pixels().map(|p| p.0[0]).collect()),
        DynamicImage::ImageLumaA16(image) => Values::U16(image.pixels().map(|p| p.0[0]).collect()),
        DynamicImage::ImageRgb8(image) => Values::Rgb8(image.pixels().map(|p| p.0).collect()),
        DynamicImage::ImageRgb16(image) => Values::Rgb16(image.pixels().map(|p| p.0).collect()),
        image if image.color().bytes_per_pixel() / image.color().channel_count() == 1 => {
            Values::Rgb8(image.into_rgb8().pixels().map(|p| p.0).collect())
        }
        image => Values::Rgb16(image.into_rgb16().pixels().map(|p| p.0).collect()),
    };
    if let (Values::U8(values), ExtendedColorType::L1, ImageFormat::Pnm) = (&mut values, original, format) {
        for value in values.iter_mut() {
            *value = if *value == 0 { 0 } else { 255 };
        }
    }
    Ok(Volume::new(shape.map(|n| n as usize), values))
}

/// Refuses a picture with pixels that are not opaque: what shows there depends on what is behind them.
fn refuse_clear(image: &DynamicImage) -> Result<()> {
    fn clear<T: Copy + PartialEq>(samples: &[T], channels: usize, opaque: T) -> (usize, Option<usize>) {
        let is_clear = |pixel: &[T]| pixel.last() != Some(&opaque);
        let pixels = || samples.chunks_exact(channels);
        (pixels().filter(|pixel| is_clear(pixel)).count(), pixels().position(is_clear))
    }
    let (count, first) = match image {
        DynamicImage::ImageLumaA8(image) => clear(image.as_raw(), 2, u8::MAX),
        DynamicImage::ImageLumaA16(image) => clear(image.as_raw(), 2, u16::MAX),
        DynamicImage::ImageRgba8(image) => clear(image.as_raw(), 4, u8::MAX),
        DynamicImage::ImageRgba16(image) => clear(image.as_raw(), 4, u16::MAX),
        _ => (0, None),
    };
    let Some(first) = first else { return Ok(()) };
    let (nx, all) = (image.width() as usize, image.width() as usize * image.height() as usize);
    Err(Fault::usage(format!(
        "{count} of its {all} pixels are not opaque, the first one in row {} from the top, column {}: what is fluid there \
         cannot be told; flatten the picture on black or white, without alpha",
        first / nx + 1,
        first % nx + 1
    )))
}

fn cut_short([nx, ny]: [u32; 2], claimed: u64, held: u64) -> Fault {
    Fault::usage(format!(
        "its header claims {nx} x {ny} pixels ({claimed} bytes), the file holds {held} bytes: it is cut short or damaged"
    ))
}

/// How many bytes of pixels a PNG holds, up to `most`. None of them is kept.
fn png_bytes(path: &Path, most: u64) -> Result<u64> {
    let mut reader = BufReader::new(File::open(path).map_err(open_fault)?);
    let mut unpacked = ZlibDecoder::new(Counted::up_to(most));
    // What is damaged counts up to there.
    let _end = unpack_png(&mut reader, &mut unpacked);
    let _rest = unpacked.flush();
    Ok(unpacked.get_ref().bytes())
}

/// Unpacks the chunks with pixels one by one, each a length, a name, data and a sum.
fn unpack_png(reader: &mut BufReader<File>, unpacked: &mut impl Write) -> std::io::Result<()> {
    reader.seek(SeekFrom::Start(8))?;
    loop {
        let mut start = [0; 8];
        reader.read_exact(&mut start)?;
        let [a, b, c, d, name @ ..] = start;
        let length = u32::from_be_bytes([a, b, c, d]);
        if &name == b"IDAT" {
            copy(&mut reader.by_ref().take(length.into()), unpacked)?;
        } else {
            reader.seek_relative(length.into())?;
        }
        reader.seek_relative(4)?;
    }
}

fn ending(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase()
}

fn fault(error: image::ImageError) -> Fault {
    Fault::usage(format!("cannot be read as an image: {error}"))
}
