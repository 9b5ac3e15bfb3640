//! What the directories of a TIFF claim, held against what the file has: its decoder makes room for values and pixels before it reads them.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom, Write, copy};
use std::path::Path;

use flate2::read::ZlibDecoder;
use hematite_config::{Fault, Result};
use tiff::TiffError;
use tiff::decoder::{ChunkType, Decoder};
use tiff::tags::{CompressionMethod, Tag};
use weezl::BitOrder;
use weezl::decode::Configuration;

use super::counted::{Counted, is_modest};
use super::{length, open_fault};
use crate::volume;

/// The directories of a file, one after the other; each is that of a page.
pub(super) struct Directories {
    reader: BufReader<File>,
    stored: u64,
    big: bool,
    little: bool,
    /// Where the next one begins; none before the header is read.
    next: Option<u64>,
}

impl Directories {
    pub(super) fn of(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(open_fault)?;
        let stored = length(&file)?;
        Ok(Self { reader: BufReader::new(file), stored, big: false, little: false, next: None })
    }

    /// Refuses the next directory where an entry claims more values than the file has room for. Leaves all else that may be wrong to the
    /// decoder.
    pub(super) fn check_next(&mut self) -> Result<()> {
        match self.oversized() {
            Ok(Some((tag, bytes))) => Err(Fault::usage(format!(
                "its field {tag} claims {bytes} bytes, the file has {}: it is cut short or damaged",
                self.stored
            ))),
            _ => Ok(()),
        }
    }

    /// The first entry that claims too much: its number and bytes.
    fn oversized(&mut self) -> std::io::Result<Option<(u64, u64)>> {
        let at = match self.next {
            Some(at) => at,
            None => self.header()?,
        };
        self.reader.seek(SeekFrom::Start(at))?;
        let entries = self.number(if self.big { 8 } else { 2 })?;
        for _ in 0..entries {
            let (tag, kind) = (self.number(2)?, self.number(2)?);
            let (count, place) = (self.offset()?, self.offset()?);
            let bytes = count.saturating_mul(size_of(kind));
            let inside = if self.big { 8 } else { 4 };
            if bytes > inside && place.saturating_add(bytes) > self.stored {
                return Ok(Some((tag, bytes)));
            }
        }
        self.next = Some(self.offset()?);
        Ok(None)
    }

    /// Reads the header; gives where the first directory is.
    fn header(&mut self) -> std::io::Result<u64> {
        let mut order = [0; 2];
        self.reader.read_exact(&mut order)?;
        self.little = &order == b"II";
        self.big = self.number(2)? == 43;
        if self.big {
            self.number(4)?;
        }
        self.offset()
    }

    fn offset(&mut self) -> std::io::Result<u64> {
        self.number(if self.big { 8 } else { 4 })
    }

    /// A number of so many bytes.
    fn number(&mut self, bytes: usize) -> std::io::Result<u64> {
        let mut raw = [0; 8];
        let used = if self.little { &mut raw[..bytes] } else { &mut raw[8 - bytes..] };
        self.reader.read_exact(used)?;
        Ok(if self.little { u64::from_le_bytes(raw) } else { u64::from_be_bytes(raw) })
    }
}

/// Bytes of a value of a type by its number; those of an unknown one are not known.
fn size_of(kind: u64) -> u64 {
    match kind {
        1 | 2 | 6 | 7 => 1,
        3 | 8 => 2,
        4 | 9 | 11 | 13 => 4,
        5 | 10 | 12 | 16 | 17 | 18 => 8,
        _ => 0,
    }
}

/// Refuses a page whose `claimed` bytes of pixels, those of all pages up to it `in_all`, are not in the file of `stored` bytes.
pub(super) fn check_pixels(
    decoder: &mut Decoder<BufReader<File>>,
    claimed: u64,
    in_all: u64,
    stored: u64,
) -> Result<()> {
    let method = decoder.find_tag_unsigned(Tag::Compression).map_err(fault)?;
    let method = method.map_or(CompressionMethod::None, CompressionMethod::from_u16_exhaustive);
    match method {
        // Pages of a damaged file may lie upon each other.
        CompressionMethod::None if in_all > stored => return Err(too_many(in_all, stored)),
        CompressionMethod::None => return Ok(()),
        CompressionMethod::LZW
        | CompressionMethod::PackBits
        | CompressionMethod::Deflate
        | CompressionMethod::OldDeflate => volume::plausible(in_all, stored)?,
        other => {
            return Err(Fault::usage(format!(
                "its pixels are compressed as {other:?}; LZW, Deflate and PackBits are read: save it so, or uncompressed"
            )));
        }
    }
    if is_modest(claimed, stored) {
        return Ok(());
    }
    let held = packed_pixels(decoder, method, claimed)?;
    if held < claimed { Err(too_many(claimed, held)) } else { Ok(()) }
}

fn too_many(claimed: u64, held: u64) -> Fault {
    Fault::usage(format!(
        "its header claims {claimed} bytes of pixels, the file holds {held}: it is cut short or damaged"
    ))
}

/// How many bytes of pixels there are in the packed chunks of a page, up to `most`. None of them is kept.
fn packed_pixels(decoder: &mut Decoder<BufReader<File>>, method: CompressionMethod, most: u64) -> Result<u64> {
    let tiled = decoder.get_chunk_type() == ChunkType::Tile;
    let [places, lengths] =
        if tiled { [Tag::TileOffsets, Tag::TileByteCounts] } else { [Tag::StripOffsets, Tag::StripByteCounts] };
    let [places, lengths] = [places, lengths].map(|tag| decoder.get_tag_u64_vec(tag).map_err(fault));
    let mut held = Counted::up_to(most);
    for (place, length) in places?.into_iter().zip(lengths?) {
        let reader = decoder.inner();
        reader.seek(SeekFrom::Start(place)).map_err(open_fault)?;
        let mut packed = BufReader::new(reader.take(length));
        // What is damaged counts up to there.
        let _end = match method {
            CompressionMethod::LZW => {
                let mut lzw = Configuration::with_tiff_size_switch(BitOrder::Msb, 8).build();
                let mut stream = lzw.into_stream(&mut held);
                stream.set_buffer_size(1 << 16);
                stream.decode(packed).status
            }
            CompressionMethod::PackBits => unpack_bits(&mut packed, &mut held),
            _ => copy(&mut ZlibDecoder::new(packed), &mut held).map(drop),
        };
    }
    Ok(held.bytes())
}

/// Unpacks runs: a byte of a length, then one of a value, or so many values.
fn unpack_bits(packed: &mut impl Read, out: &mut impl Write) -> std::io::Result<()> {
    loop {
        let (mut length, mut run) = ([0; 1], [0; 128]);
        packed.read_exact(&mut length)?;
        let (taken, given) = match i8::from_ne_bytes(length) {
            length @ 0.. => (usize::from(length.unsigned_abs()) + 1, usize::from(length.unsigned_abs()) + 1),
            i8::MIN => (0, 0),
            length => (1, usize::from(length.unsigned_abs()) + 1),
        };
        packed.read_exact(&mut run[..taken])?;
        out.write_all(&run[..given])?;
    }
}

pub(super) fn fault(error: TiffError) -> Fault {
    Fault::usage(format!("cannot be read as TIFF: {error}"))
}
