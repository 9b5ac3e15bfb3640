//! How long PNM files have to be: their pictures follow each other without a mark, and what follows the first one is
//! not read.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use hematite_config::{Fault, Result};

use super::{length, open_fault};

/// Whether a PNM file stores text.
pub(super) fn is_plain(path: &Path) -> Result<bool> {
    let mut magic = [0; 2];
    File::open(path).and_then(|mut file| file.read_exact(&mut magic)).map_err(open_fault)?;
    Ok(matches!(&magic, b"P1" | b"P2" | b"P3"))
}

/// Refuses grey files whose largest value is none of 8 or 16 bits, as image viewers would scale their values.
///
/// # Errors
/// A usage fault with that value.
pub(super) fn refuse_scaled(path: &Path) -> Result<()> {
    let mut start = Vec::new();
    File::open(path).and_then(|file| file.take(4096).read_to_end(&mut start)).map_err(open_fault)?;
    let text = String::from_utf8_lossy(&start);
    let words = text.lines().flat_map(|line| line.split('#').next().unwrap_or("").split_ascii_whitespace());
    let words: Vec<&str> = words.take(4).collect();
    match words[..] {
        ["P2" | "P5", _, _, most] if !matches!(most, "255" | "65535") => Err(Fault::usage(format!(
            "its largest value is {most}, so that its values would be scaled: write 255 or 65535 there, and the heights as they are"
        ))),
        _ => Ok(()),
    }
}

/// Refuses a file that holds more than its header claims: `claimed` bytes of pixels, or in text so many `samples`. A
/// line end behind the pixels is none too much: tools that write line by line leave one.
///
/// # Errors
/// A usage fault with what the header claims and what there is.
pub(super) fn refuse_longer(path: &Path, claimed: u64, samples: u64) -> Result<()> {
    let file = File::open(path).map_err(open_fault)?;
    let stored = length(&file)?;
    let mut bytes = BufReader::new(file).bytes();
    let mut next = || bytes.next().transpose().map_err(open_fault);
    let magic = [next()?.unwrap_or(0), next()?.unwrap_or(0)];
    let mut header = Words { read: 2, within: false };
    // Bitmaps have no largest value.
    let words = if matches!(&magic, b"P1" | b"P4") { 2 } else { 3 };
    if &magic == b"P7" {
        let mut line = Vec::new();
        while line != b"ENDHDR" {
            line.clear();
            while let Some(byte) = next()?.filter(|&byte| byte != b'\n') {
                header.read += 1;
                line.push(byte);
            }
            header.read += 1;
            if header.read > stored {
                return Ok(());
            }
        }
    } else {
        for _ in 0..words {
            header.word(&mut next)?;
        }
    }
    let (has, wanted, what) = match &magic {
        b"P1" | b"P2" | b"P3" => {
            let mut found = 0;
            if &magic == b"P1" {
                while let Some(byte) = header.visible(&mut next)? {
                    found += u64::from(matches!(byte, b'0' | b'1'));
                }
            } else {
                while header.word(&mut next)? {
                    found += 1;
                }
            }
            (found, samples, "values")
        }
        _ => {
            let has = stored.saturating_sub(header.read);
            let mut end = Vec::new();
            if has > claimed && has <= claimed + 2 {
                let all = std::fs::read(path).map_err(open_fault)?;
                end = all[all.len() - (has - claimed) as usize..].to_vec();
            }
            (if matches!(&end[..], b"\n" | b"\r\n") { claimed } else { has }, claimed, "bytes of pixels")
        }
    };
    if has > wanted {
        return Err(Fault::usage(format!(
            "holds {has} {what}, its header claims {wanted}: the size in the header is wrong, or more pictures follow; \
             correct it, or save one picture alone"
        )));
    }
    Ok(())
}

/// Walks over the words of a PNM file, without its comments.
struct Words {
    /// Bytes that were read.
    read: u64,
    /// Whether the last byte was within a comment.
    within: bool,
}

impl Words {
    /// The next byte that is no blank and in no comment; none at the end.
    fn visible(&mut self, next: &mut impl FnMut() -> Result<Option<u8>>) -> Result<Option<u8>> {
        while let Some(byte) = next()? {
            self.read += 1;
            self.within = (self.within || byte == b'#') && byte != b'\n';
            if !self.within && !byte.is_ascii_whitespace() {
                return Ok(Some(byte));
            }
        }
        Ok(None)
    }

    /// Passes a word and the blank behind it; whether there was one.
    fn word(&mut self, next: &mut impl FnMut() -> Result<Option<u8>>) -> Result<bool> {
        if self.visible(next)?.is_none() {
            return Ok(false);
        }
        while let Some(byte) = next()? {
            self.read += 1;
            if byte.is_ascii_whitespace() {
                break;
            }
        }
        Ok(true)
    }
}
