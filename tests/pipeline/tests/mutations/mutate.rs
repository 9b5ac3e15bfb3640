//! Files changed at random, the same each time.

use flate2::Crc;

/// Numbers that look random (splitmix64).
pub struct Random(u64);

impl Random {
    /// The sequence that belongs to a text.
    pub fn of(text: &str) -> Self {
        // FNV-1a.
        Self(
            text.bytes()
                .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)),
        )
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From 0 on, below `most`; 0 where there is none.
    pub fn below(&mut self, most: usize) -> usize {
        (self.next() % most.max(1) as u64) as usize
    }

    fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}

/// What takes the place of numbers in texts.
const WORDS: [&str; 16] = [
    "0",
    "-1",
    "1",
    "1e308",
    "-1e308",
    "1e-320",
    "NaN",
    "inf",
    "2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "18446744073709551615",
    "99999999999999999999999",
    "0.1",
    "",
];

/// What takes the place of numbers in binary files.
const NUMBERS: [u64; 12] = [
    0,
    1,
    u64::MAX,
    i64::MAX as u64,
    i64::MIN as u64,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x7ff8_0000_0000_0000,
    0x7fe1_ccf3_85eb_c8a0,
    0x7fc0_0000,
    1 << 40,
];

/// The content after one to three changes.
pub fn changed(content: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = content.to_vec();
    for _ in 0..=random.below(3) {
        change(&mut bytes, random);
    }
    mend_png(&mut bytes);
    bytes
}

fn change(bytes: &mut Vec<u8>, random: &mut Random) {
    // Headers stand at the beginning.
    let reach = if random.below(2) == 0 { bytes.len().min(400) } else { bytes.len() };
    let at = random.below(reach);
    match random.below(10) {
        0 | 1 => bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1 << random.below(8)),
        2 => bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte = random.next() as u8),
        3 => bytes.truncate(at),
        4 => {
            let end = (at + 1 + random.below(64)).min(bytes.len());
            bytes.drain(at.min(end)..end);
        }
        5 => {
            let end = (at + 1 + random.below(64)).min(bytes.len());
            let copy = bytes[at.min(end)..end].to_vec();
            bytes.splice(at.min(end)..at.min(end), copy);
        }
        6 | 7 => word(bytes, at, random),
        _ => {
            let number = *random.one(&NUMBERS);
            let number = if random.below(2) == 0 { number.to_le_bytes() } else { number.to_be_bytes() };
            let width = *random.one(&[2, 4, 8]);
            // Numbers of fewer bytes are the low ones in either order.
            let number = if number[0] == 0 { &number[8 - width..] } else { &number[..width] };
            // Most numbers of headers stand at multiples of their width.
            let at = if random.below(2) == 0 { at / width * width } else { at };
            bytes.iter_mut().skip(at).zip(number).for_each(|(byte, new)| *byte = *new);
        }
    }
}

/// Puts another number in the place of the first one written in digits from `at` on.
fn word(bytes: &mut Vec<u8>, at: usize, random: &mut Random) {
    let digit = |byte: &u8| byte.is_ascii_digit() || b".-+".contains(byte);
    let Some(start) = bytes.iter().skip(at).position(u8::is_ascii_digit).map(|far| at + far) else { return };
    let end = bytes[start..].iter().position(|byte| !digit(byte)).map_or(bytes.len(), |far| start + far);
    bytes.splice(start..end, random.one(&WORDS).bytes());
}

/// Makes the sum of a PNG's header right again: a reader is not to rely on it.
fn mend_png(bytes: &mut [u8]) {
    if bytes.len() < 33 || !bytes.starts_with(b"\x89PNG") {
        return;
    }
    let mut sum = Crc::new();
    sum.update(&bytes[12..29]);
    bytes[29..33].copy_from_slice(&sum.sum().to_be_bytes());
}
