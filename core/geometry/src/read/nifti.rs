//! NIfTI-1, single file (.nii, .nii.gz): the header by the `nifti` crate, the values by ourselves so that its claims
//! are checked before anything is allocated.

use std::fs::File;
use std::io::{BufReader, Read, sink};
use std::path::Path;

use flate2::read::MultiGzDecoder;
use hematite_config::{Fault, Result};
use nifti::{Endianness, NiftiHeader, NiftiType};

use super::{differing_edges, length, open_fault};
use crate::axes::Axes;
use crate::volume::{self, Endian, MAX_VOXELS, ValueType, Values, Volume};

pub(super) fn read(path: &Path) -> Result<Volume> {
    let file = File::open(path).map_err(open_fault)?;
    let stored = length(&file)?;
    let zipped = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gz"));
    let file = BufReader::new(file);
    let mut source: Box<dyn Read> = if zipped { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) };

    let mut start = Vec::new();
    (&mut source).take(348).read_to_end(&mut start).map_err(open_fault)?;
    let header =
        NiftiHeader::from_reader(&start[..]).map_err(|error| Fault::usage(format!("is no NIfTI-1 file: {error}")))?;
    if &header.magic != b"n+1\0" {
        return Err(Fault::usage("is no single-file NIfTI-1 file (its magic is not n+1)"));
    }
    let shape = shape(&header)?;
    let count = volume::count(shape, MAX_VOXELS)?;
    let kind = value_type(&header)?;
    let bytes = count * kind.size() as u64;
    if zipped {
        volume::plausible(bytes, stored)?;
    } else if bytes > stored {
        return Err(Fault::usage(format!(
            "holds {stored} bytes, its header claims {bytes} bytes of values: the file is cut short"
        )));
    }
    if !(348.0..1e9).contains(&header.vox_offset) {
        return Err(Fault::usage(format!("its values start at byte {}, inside the header", header.vox_offset)));
    }
    let gap = header.vox_offset as u64 - 348;
    let skipped = std::io::copy(&mut (&mut source).take(gap), &mut sink()).map_err(open_fault)?;
    if skipped < gap {
        return Err(Fault::usage("ends before its values start: the file is cut short"));
    }
    let endian = if header.endianness == Endianness::Little { Endian::Little } else { Endian::Big };
    let values = volume::read_values(source, count, kind, endian)?;
    let (placed, notes) = match by_sform(&header)? {
        Some(placed) => (Some(placed), contradictions(&header, &placed)),
        None => (by_qform(&header)?, Vec::new()),
    };
    let spacing = placed.as_ref().map_or(pixdim(&header), |&(_, spacing)| spacing);
    let spacing = if shape[2] == 1 { [spacing[0], spacing[1], spacing[0]] } else { spacing };
    let unit = match header.xyzt_units & 7 {
        1 => Some(1.0),
        2 => Some(1e-3),
        3 => Some(1e-6),
        _ => None,
    };
    Ok(Volume {
        spacing: Some(spacing),
        unit,
        axes: placed.map(|(axes, _)| axes),
        notes,
        ..Volume::new(shape.map(|n| n as usize), scaled(values, &header))
    })
}

/// Edges of voxels that the header gives beside its transformations.
fn pixdim(header: &NiftiHeader) -> [f64; 3] {
    [1, 2, 3].map(|axis| f64::from(header.pixdim[axis]).abs())
}

/// NIfTI's x and y go to the patient's right and front.
const SIGNS: [f64; 3] = [-1.0, -1.0, 1.0];

/// Axes and spacing by the header's affine transformation, if it has one.
fn by_sform(header: &NiftiHeader) -> Result<Option<(Axes, [f64; 3])>> {
    if header.sform_code <= 0 {
        return Ok(None);
    }
    let rows = [header.srow_x, header.srow_y, header.srow_z].map(|row| row.map(f64::from));
    let columns = [0, 1, 2].map(|k| [rows[0][k], rows[1][k], rows[2][k]]);
    let axes = Axes::new(columns, SIGNS, true).map_err(|fault| fault.within("sform"))?;
    Ok(Some((axes, columns.map(|column| column.iter().map(|x| x * x).sum::<f64>().sqrt()))))
}

/// What the header tells otherwise than its sform, which gave these axes and this spacing.
fn contradictions(header: &NiftiHeader, (axes, spacing): &(Axes, [f64; 3])) -> Vec<String> {
    /// Directions that differ by fewer degrees are the same.
    const SAME_DEGREES: f64 = 0.5;
    // Edges of axes with a single voxel are left out, as are those of 0.
    let steps = pixdim(header);
    let steps = [0, 1, 2].map(|k| if header.dim[k + 1] > 1 { steps[k] } else { 0.0 });
    let mut notes: Vec<String> = differing_edges(("sform", *spacing), ("pixdim", steps)).into_iter().collect();
    // Files that have a sform need no sound qform.
    if let Ok(Some((other, _))) = by_qform(header) {
        let angle = |k: usize| {
            let cosine: f64 = (0..3).map(|i| axes.vectors[k][i] * other.vectors[k][i]).sum();
            cosine.clamp(-1.0, 1.0).acos().to_degrees()
        };
        let most = (0..3).map(angle).fold(0.0, f64::max);
        if most > SAME_DEGREES {
            notes.push(format!("axes by its sform and by its qform differ by {most:.1} degrees: the sform is taken"));
        }
    }
    notes
}

/// Axes and spacing by the header's quaternion, if it has one.
fn by_qform(header: &NiftiHeader) -> Result<Option<(Axes, [f64; 3])>> {
    if header.qform_code <= 0 {
        return Ok(None);
    }
    let [b, c, d] = [header.quatern_b, header.quatern_c, header.quatern_d].map(f64::from);
    let rest = 1.0 - b * b - c * c - d * d;
    // What rounding leaves beyond a unit quaternion.
    if rest.is_nan() || rest <= -1e-4 {
        return Err(Fault::usage(format!("qform: its quaternion ({b}, {c}, {d}) is longer than 1")));
    }
    let a = rest.max(0.0).sqrt();
    let last = if header.pixdim[0] < 0.0 { -1.0 } else { 1.0 };
    let columns = [
        [a * a + b * b - c * c - d * d, 2.0 * (b * c + a * d), 2.0 * (b * d - a * c)],
        [2.0 * (b * c - a * d), a * a + c * c - b * b - d * d, 2.0 * (c * d + a * b)],
        [2.0 * last * (b * d + a * c), 2.0 * last * (c * d - a * b), last * (a * a + d * d - b * b - c * c)],
    ];
    let axes = Axes::new(columns, SIGNS, true).map_err(|fault| fault.within("qform"))?;
    Ok(Some((axes, pixdim(header))))
}

fn shape(header: &NiftiHeader) -> Result<[u64; 3]> {
    let dim = header.dim;
    let used = usize::from(dim[0]);
    if !(2..=7).contains(&used) || dim[1..=used].iter().skip(3).any(|&n| n != 1) {
        return Err(Fault::usage(format!("its dimensions {:?} are not those of one volume", &dim[1..=used.min(7)])));
    }
    Ok([1, 2, 3].map(|axis| if axis <= used { u64::from(dim[axis]) } else { 1 }))
}

fn value_type(header: &NiftiHeader) -> Result<ValueType> {
    match header.data_type() {
        Ok(NiftiType::Uint8) => Ok(ValueType::U8),
        Ok(NiftiType::Int8) => Ok(ValueType::I8),
        Ok(NiftiType::Uint16) => Ok(ValueType::U16),
        Ok(NiftiType::Int16) => Ok(ValueType::I16),
        Ok(NiftiType::Uint32) => Ok(ValueType::U32),
        Ok(NiftiType::Int32) => Ok(ValueType::I32),
        Ok(NiftiType::Uint64) => Ok(ValueType::U64),
        Ok(NiftiType::Int64) => Ok(ValueType::I64),
        Ok(NiftiType::Float32) => Ok(ValueType::F32),
        Ok(NiftiType::Float64) => Ok(ValueType::F64),
        _ => Err(Fault::usage(format!("NIfTI data type {} is not read; integers and floats are", header.datatype))),
    }
}

/// The values with the header's slope and intercept, where it has any.
fn scaled(values: Values, header: &NiftiHeader) -> Values {
    let (slope, intercept) = (f64::from(header.scl_slope), f64::from(header.scl_inter));
    if slope == 0.0 || !slope.is_finite() || !intercept.is_finite() || (slope, intercept) == (1.0, 0.0) {
        return values;
    }
    macro_rules! scale {
        ($($variant:ident)*) => {
            match values {
                $(Values::$variant(v) => Values::F64(v.into_iter().map(|x| slope * f64::from(x) + intercept).collect()),)*
                colour => colour,
            }
        };
    }
    scale!(U8 I8 U16 I16 U32 I32 F32 F64)
}
