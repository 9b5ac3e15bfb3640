//! TIFF: grey or colour pages by the `tiff` crate; the pages of one file are the z slices of a volume.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use hematite_config::{Fault, Result};
use tiff::ColorType;
use tiff::decoder::{Decoder, DecodingResult, Limits};

use super::tiff_claims::{Directories, check_pixels, fault};
use super::{length, open_fault};
use crate::volume::{self, MAX_PIXELS, MAX_VOXELS, Values, Volume};

/// The first page, and the decoder that stands at it.
pub(super) fn first_page(path: &Path) -> Result<(Volume, Decoder<BufReader<File>>)> {
    let (mut decoder, _, stored) = open(path)?;
    let volume = page(&mut decoder, stored, 0)?;
    Ok((volume, decoder))
}

/// A file at its first page, its directories up to that one, and its bytes.
fn open(path: &Path) -> Result<(Decoder<BufReader<File>>, Directories, u64)> {
    let file = File::open(path).map_err(open_fault)?;
    let stored = length(&file)?;
    // Every page passes `check_pixels` first, so no page needs more than this.
    let most = usize::try_from(stored.saturating_mul(volume::MAX_EXPANSION)).unwrap_or(usize::MAX);
    let mut limits = Limits::default();
    limits.decoding_buffer_size = most;
    limits.intermediate_buffer_size = most;
    let mut directories = Directories::of(path)?;
    directories.check_next().map_err(|fault| fault.within("page 1"))?;
    let decoder = Decoder::new(BufReader::new(file)).map_err(fault)?.with_limits(limits);
    Ok((decoder, directories, stored))
}

pub(super) fn read(path: &Path) -> Result<Volume> {
    let (mut decoder, mut directories, stored) = open(path)?;
    let mut whole: Option<Volume> = None;
    loop {
        let pages = whole.as_ref().map_or(0, |volume| volume.shape[2]);
        let next = page(&mut decoder, stored, pages).map_err(|fault| fault.within(format!("page {}", pages + 1)))?;
        whole = Some(match whole {
            None => next,
            Some(volume) => stacked(volume, next)?,
        });
        if !decoder.more_images() {
            break;
        }
        directories.check_next().map_err(|fault| fault.within(format!("page {}", pages + 2)))?;
        decoder.next_image().map_err(fault)?;
    }
    whole.ok_or_else(|| Fault::usage("holds no page"))
}

fn stacked(mut volume: Volume, page: Volume) -> Result<Volume> {
    let number = volume.shape[2] + 1;
    if page.shape[..2] != volume.shape[..2] || !volume.values.append(page.values) {
        return Err(Fault::usage(format!("page {number} differs from page 1 in size or type")));
    }
    volume.shape[2] = number;
    Ok(volume)
}

fn page(decoder: &mut Decoder<BufReader<File>>, stored: u64, before: usize) -> Result<Volume> {
    let (nx, ny) = decoder.dimensions().map_err(fault)?;
    let pixels = volume::count([u64::from(nx), u64::from(ny), 1], MAX_PIXELS)?;
    volume::count([u64::from(nx), u64::from(ny), before as u64 + 1], MAX_VOXELS)?;
    let colour = decoder.colortype().map_err(fault)?;
    let samples = match colour {
        ColorType::Gray(_) => 1,
        ColorType::RGB(8 | 16) => 3,
        ColorType::RGBA(8 | 16) => 4,
        other => {
            return Err(Fault::usage(format!(
                "its pixels are {other:?}; grey (8, 16, 32 bit) and RGB (8, 16 bit) are read"
            )));
        }
    };
    if !matches!(colour.bit_depth(), 8 | 16 | 32 | 64) {
        return Err(Fault::usage(format!("has {} bits a value; save it with 8, 16 or 32", colour.bit_depth())));
    }
    let bytes = pixels * samples * u64::from(colour.bit_depth() / 8);
    check_pixels(decoder, bytes, bytes.saturating_mul(before as u64 + 1), stored)?;
    let values = match decoder.read_image().map_err(fault)? {
        DecodingResult::U8(v) if samples == 1 => Values::U8(v),
        DecodingResult::U16(v) if samples == 1 => Values::U16(v),
        DecodingResult::U8(v) => Values::Rgb8(colours(&v, samples as usize)),
        DecodingResult::U16(v) => Values::Rgb16(colours(&v, samples as usize)),
        DecodingResult::I8(v) => Values::I8(v),
        DecodingResult::I16(v) => Values::I16(v),
        DecodingResult::U32(v) => Values::U32(v),
        DecodingResult::I32(v) => Values::I32(v),
        DecodingResult::F32(v) => Values::F32(v),
        DecodingResult::F64(v) => Values::F64(v),
        _ => return Err(Fault::usage("stores 64 bit integers or 16 bit floats, which are not read; save it as float")),
    };
    if values.len() as u64 != pixels {
        return Err(Fault::usage(format!("holds {} of {pixels} pixels", values.len())));
    }
    Ok(Volume::new([nx as usize, ny as usize, 1], values))
}

fn colours<T: Copy>(samples: &[T], channels: usize) -> Vec<[T; 3]> {
    samples.chunks_exact(channels).map(|c| [c[0], c[1], c[2]]).collect()
}
