//! Small files that claim much: refused before their readers make room for it.

use std::io::Write;

use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};

/// Bytes of each file of these, most of them idle: what is packed could fill the claim for all that their length says.
const LENGTH: usize = 100_000;
/// Pixels along each side.
const SIDE: u32 = 8000;

/// Names and contents of pictures of 64 MB that hold next to nothing, or whose directory claims too much.
pub fn files() -> Vec<(&'static str, Vec<u8>)> {
    let side = |method| tiff(&[(256, 4, 1, SIDE), (257, 4, 1, SIDE), (259, 3, 1, method)]);
    vec![
        // Of a file that was changed at random: 5439489 bits of a sample.
        ("bits.tif", tiff(&[(256, 4, 1, 32), (257, 4, 1, 16), (258, 3, 5_439_489, 8)])),
        ("plain.tif", side(1)),
        ("lzw.tif", side(5)),
        ("deflate.tif", side(8)),
        ("packbits.tif", side(32773)),
        ("jpeg.tif", side(7)),
        ("claims.png", png()),
    ]
}

/// A grey TIFF of one strip; its directory has these entries and those that say where the strip is.
fn tiff(entries: &[(u16, u16, u32, u32)]) -> Vec<u8> {
    let mut entries = entries.to_vec();
    if !entries.iter().any(|entry| entry.0 == 258) {
        entries.push((258, 3, 1, 8));
    }
    entries.extend([
        (262, 3, 1, 1),
        (273, 4, 1, 1000),
        (277, 3, 1, 1),
        (278, 4, 1, SIDE),
        (279, 4, 1, LENGTH as u32 - 1000),
    ]);
    entries.sort_unstable();
    let mut bytes = b"II*\0\x08\0\0\0".to_vec();
    bytes.extend((entries.len() as u16).to_le_bytes());
    for (tag, kind, count, value) in entries {
        bytes.extend([tag, kind].map(u16::to_le_bytes).concat());
        bytes.extend([count, value].map(u32::to_le_bytes).concat());
    }
    bytes.resize(1000, 0);
    bytes.extend(packed());
    bytes.resize(LENGTH, 0);
    bytes
}

fn packed() -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(&[0; 5000]).expect("memory");
    encoder.finish().expect("memory")
}

fn png() -> Vec<u8> {
    let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
    let header = [&SIDE.to_be_bytes()[..], &SIDE.to_be_bytes(), &[8, 0, 0, 0, 0]].concat();
    for (name, data) in [(b"IHDR", header), (b"IDAT", packed()), (b"teXt", vec![b'a'; LENGTH])] {
        let named = [&name[..], &data].concat();
        let mut sum = Crc::new();
        sum.update(&named);
        bytes.extend((data.len() as u32).to_be_bytes());
        bytes.extend(named);
        bytes.extend(sum.sum().to_be_bytes());
    }
    bytes
}
