//! What every reader returns: voxel values in their own type, x fastest.

use std::io::Read;

use hematite_config::{Fault, Result};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::axes::Axes;

/// Most pixels of an image.
pub const MAX_PIXELS: u64 = 1 << 29;
/// Most voxels of a volume.
pub const MAX_VOXELS: u64 = 1 << 33;
/// Deflate and LZW never expand their input by more than this.
pub(crate) const MAX_EXPANSION: u64 = 1400;

/// The type of one stored value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ValueType {
    /// Unsigned, 8 bit.
    U8,
    /// Signed, 8 bit.
    I8,
    /// Unsigned, 16 bit.
    U16,
    /// Signed, 16 bit.
    I16,
    /// Unsigned, 32 bit.
    U32,
    /// Signed, 32 bit.
    I32,
    /// Unsigned, 64 bit.
    U64,
    /// Signed, 64 bit.
    I64,
    /// Floating point, 32 bit.
    F32,
    /// Floating point, 64 bit.
    F64,
}

impl ValueType {
    /// Bytes of one value.
    pub fn size(self) -> usize {
        match self {
            Self::U8 | Self::I8 => 1,
            Self::U16 | Self::I16 => 2,
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::U64 | Self::I64 | Self::F64 => 8,
        }
    }
}

/// The order of the bytes of a stored value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Endian {
    /// Least significant byte first.
    #[default]
    Little,
    /// Most significant byte first.
    Big,
}

/// Values in the type they were stored in; colour only from images.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Unsigned, 8 bit.
    U8(Vec<u8>),
    /// Signed, 8 bit.
    I8(Vec<i8>),
    /// Unsigned, 16 bit.
    U16(Vec<u16>),
    /// Signed, 16 bit.
    I16(Vec<i16>),
    /// Unsigned, 32 bit.
    U32(Vec<u32>),
    /// Signed, 32 bit.
    I32(Vec<i32>),
    /// Floating point, 32 bit.
    F32(Vec<f32>),
    /// Floating point, 64 bit.
    F64(Vec<f64>),
    /// Red, green, blue, 8 bit each.
    Rgb8(Vec<[u8; 3]>),
    /// Red, green, blue, 16 bit each.
    Rgb16(Vec<[u16; 3]>),
}

/// Runs `$body` with `$v` bound to the vector inside, whatever its type.
macro_rules! each {
    ($values:expr, $v:ident => $body:expr) => {
        match $values {
            Values::U8($v) => $body,
            Values::I8($v) => $body,
            Values::U16($v) => $body,
            Values::I16($v) => $body,
            Values::U32($v) => $body,
            Values::I32($v) => $body,
            Values::F32($v) => $body,
            Values::F64($v) => $body,
            Values::Rgb8($v) => $body,
            Values::Rgb16($v) => $body,
        }
    };
}

impl Values {
    /// Number of values; one a pixel, colour or not.
    pub fn len(&self) -> usize {
        each!(self, v => v.len())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether they are colours.
    pub fn is_colour(&self) -> bool {
        matches!(self, Self::Rgb8(_) | Self::Rgb16(_))
    }

    /// The value at `i` as rules write it: a number, or an 8-bit colour as "#rrggbb"; other colours as "[r, g, b]".
    pub fn describe(&self, i: usize) -> String {
        let colour = match self {
            Self::Rgb8(v) => Some(v[i]),
            // A 16-bit colour that has an 8-bit name.
            Self::Rgb16(v) if v[i].iter().all(|c| c % 257 == 0) => Some(v[i].map(|c| (c / 257) as u8)),
            _ => None,
        };
        match colour {
            Some([r, g, b]) => format!("\"#{r:02x}{g:02x}{b:02x}\""),
            None => each!(self, v => format!("{:?}", v[i])),
        }
    }

    /// The value at `i` as a number; none of a colour.
    pub fn number(&self, i: usize) -> Option<f64> {
        Some(match self {
            Self::U8(v) => v[i].into(),
            Self::I8(v) => v[i].into(),
            Self::U16(v) => v[i].into(),
            Self::I16(v) => v[i].into(),
            Self::U32(v) => v[i].into(),
            Self::I32(v) => v[i].into(),
            Self::F32(v) => v[i].into(),
            Self::F64(v) => v[i],
            Self::Rgb8(_) | Self::Rgb16(_) => return None,
        })
    }

    /// Turns every row of `nx` values round: the last row becomes the first.
    pub(crate) fn flip_rows(&mut self, nx: usize) {
        fn flip<T: Copy>(values: &mut [T], nx: usize) {
            let rows = values.len() / nx;
            for row in 0..rows / 2 {
                let (low, high) = values.split_at_mut((rows - 1 - row) * nx);
                low[row * nx..(row + 1) * nx].swap_with_slice(&mut high[..nx]);
            }
        }
        each!(self, v => flip(v, nx));
    }

    /// Appends `other`; false, and nothing done, where the types differ.
    pub(crate) fn append(&mut self, other: Self) -> bool {
        match (self, other) {
            (Self::U8(a), Self::U8(b)) => a.extend(b),
            (Self::I8(a), Self::I8(b)) => a.extend(b),
            (Self::U16(a), Self::U16(b)) => a.extend(b),
            (Self::I16(a), Self::I16(b)) => a.extend(b),
            (Self::U32(a), Self::U32(b)) => a.extend(b),
            (Self::I32(a), Self::I32(b)) => a.extend(b),
            (Self::F32(a), Self::F32(b)) => a.extend(b),
            (Self::F64(a), Self::F64(b)) => a.extend(b),
            (Self::Rgb8(a), Self::Rgb8(b)) => a.extend(b),
            (Self::Rgb16(a), Self::Rgb16(b)) => a.extend(b),
            _ => return false,
        }
        true
    }

    /// Decodes bytes; their number must be a multiple of the value's size. Integers of 64 bit become [`Values::F64`].
    ///
    /// # Errors
    /// An integer of 64 bit that such a number does not hold exactly.
    pub(crate) fn decode(bytes: Vec<u8>, kind: ValueType, endian: Endian) -> Result<Self> {
        macro_rules! decoded {
            ($t:ty) => {{
                let chunks = bytes.chunks_exact(size_of::<$t>());
                let one = |chunk: &[u8]| {
                    let mut raw = [0; size_of::<$t>()];
                    raw.copy_from_slice(chunk);
                    if endian == Endian::Little { <$t>::from_le_bytes(raw) } else { <$t>::from_be_bytes(raw) }
                };
                chunks.map(one)
            }};
        }
        macro_rules! exact {
            ($t:ty) => {
                decoded!($t)
                    .map(|whole| {
                        let number = whole as f64;
                        let is_exact = i128::from(whole).unsigned_abs() <= 1 << f64::MANTISSA_DIGITS;
                        is_exact.then_some(number).ok_or_else(|| {
                            Fault::usage(format!("its value {whole} has more digits than are read: store it as 32 bit"))
                        })
                    })
                    .collect::<Result<_>>()?
            };
        }
        Ok(match kind {
            ValueType::U8 => Self::U8(bytes),
            ValueType::I8 => Self::I8(decoded!(i8).collect()),
            ValueType::U16 => Self::U16(decoded!(u16).collect()),
            ValueType::I16 => Self::I16(decoded!(i16).collect()),
            ValueType::U32 => Self::U32(decoded!(u32).collect()),
            ValueType::I32 => Self::I32(decoded!(i32).collect()),
            ValueType::U64 => Self::F64(exact!(u64)),
            ValueType::I64 => Self::F64(exact!(i64)),
            ValueType::F32 => Self::F32(decoded!(f32).collect()),
            ValueType::F64 => Self::F64(decoded!(f64).collect()),
        })
    }

    /// The same values along other axes: new axis `k` is axis `order[k]` of `shape`, backwards where `reversed[k]`.
    pub(crate) fn turned(self, shape: [usize; 3], order: [usize; 3], reversed: [bool; 3]) -> Self {
        fn turn<T: Copy + Send + Sync>(
            values: &[T],
            shape: [usize; 3],
            order: [usize; 3],
            reversed: [bool; 3],
        ) -> Vec<T> {
            let steps = [1, shape[0], shape[0] * shape[1]];
            let [nx, ny, nz] = order.map(|axis| shape[axis]);
            let index = |k: usize, i: usize| {
                let n = shape[order[k]];
                (if reversed[k] { n - 1 - i } else { i }) * steps[order[k]]
            };
            (0..ny * nz)
                .into_par_iter()
                .flat_map_iter(|row| {
                    let start = index(1, row % ny) + index(2, row / ny);
                    (0..nx).map(move |x| values[start + index(0, x)])
                })
                .collect()
        }
        macro_rules! each_turned {
            ($($variant:ident)*) => {
                match self {
                    $(Self::$variant(v) => Self::$variant(turn(&v, shape, order, reversed)),)*
                }
            };
        }
        each_turned!(U8 I8 U16 I16 U32 I32 F32 F64 Rgb8 Rgb16)
    }
}

/// A voxel volume, or an image as one slice.
#[derive(Clone, Debug, PartialEq)]
pub struct Volume {
    /// Voxels along x, y, z; z = 1 for an image.
    pub shape: [usize; 3],
    /// The values, x fastest: index `(z * ny + y) * nx + x`.
    pub values: Values,
    /// Spacing of the voxels along x, y, z in the unit of the file, where its header gives one.
    pub spacing: Option<[f64; 3]>,
    /// What 1 in that spacing is, in metres, where the header tells it.
    pub unit: Option<f64>,
    /// Where x, y, z point, where the header tells it.
    pub axes: Option<Axes>,
    /// What was made of the header, a sentence each.
    pub notes: Vec<String>,
}

impl Volume {
    /// Values without a header that tells of places.
    pub fn new(shape: [usize; 3], values: Values) -> Self {
        Self { shape, values, spacing: None, unit: None, axes: None, notes: Vec::new() }
    }
}

/// Number of voxels of a shape, refused past `limit`.
///
/// # Errors
/// When an extent is zero or the product passes `limit`.
pub(crate) fn count(shape: [u64; 3], limit: u64) -> Result<u64> {
    let what = if limit == MAX_PIXELS { "pixels" } else { "voxels" };
    let text = format!("{} x {} x {} {what}", shape[0], shape[1], shape[2]);
    if shape.contains(&0) {
        return Err(Fault::usage(format!("the header claims {text}: an extent is zero")));
    }
    shape[0].checked_mul(shape[1]).and_then(|n| n.checked_mul(shape[2])).filter(|&n| n <= limit).ok_or_else(|| {
        Fault::usage(format!("the header claims {text}; the limit is {limit}: crop or coarsen the file"))
    })
}

/// Refuses a claim of `claimed` bytes that `stored` compressed bytes cannot hold.
///
/// # Errors
/// When `claimed` passes what the best compression could make of `stored` bytes.
pub(crate) fn plausible(claimed: u64, stored: u64) -> Result<()> {
    if claimed <= stored.saturating_mul(MAX_EXPANSION) {
        return Ok(());
    }
    Err(Fault::usage(format!(
        "the header claims {claimed} bytes of values, which {stored} stored bytes cannot hold: the file is cut short or damaged"
    )))
}

/// Reads `count` values from `source`, which must end with them and whose stored length backs the claim (see
/// [`plausible`]).
///
/// # Errors
/// When the source ends early, goes on, or cannot be decoded.
pub(crate) fn read_values(mut source: impl Read, count: u64, kind: ValueType, endian: Endian) -> Result<Values> {
    let wanted = count
        .checked_mul(kind.size() as u64)
        .ok_or_else(|| Fault::usage(format!("{count} values are more than any file holds")))?;
    let mut bytes = Vec::new();
    // Grows as data comes in: a compressed source may still promise more than it holds.
    let unread = |error: std::io::Error, read: usize| {
        Fault::usage(format!("the values cannot be read after {read} bytes: {error}: the file is damaged or cut short"))
    };
    if let Err(error) = source.by_ref().take(wanted).read_to_end(&mut bytes) {
        return Err(unread(error, bytes.len()));
    }
    if (bytes.len() as u64) < wanted {
        return Err(Fault::usage(format!(
            "holds {} bytes of values, its header claims {wanted}: the file is cut short",
            bytes.len()
        )));
    }
    // Packed values are followed by a checksum, which is tried here.
    let more = std::io::copy(&mut source.take(1), &mut std::io::sink()).map_err(|error| unread(error, bytes.len()))?;
    if more > 0 {
        return Err(Fault::usage(format!(
            "holds more than the {wanted} bytes of values that its header claims: the size or the type in the header is \
             wrong, or the file is damaged"
        )));
    }
    Values::decode(bytes, kind, endian)
}
