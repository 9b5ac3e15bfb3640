//! Writers of the shipped geometries: PNG for pictures, compressed MetaImage for volumes, ESRI ASCII grids for
//! terrain.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use hematite_config::{Fault, Result, publish};

use crate::models::Model;
use crate::volcano::Landscape;

/// Writes a 2-D model as an 8-bit grey PNG: fluid white, wall black, the largest y at the top.
///
/// # Errors
/// When the model is not 2-D or the file cannot be written.
pub fn write_png(path: &Path, model: &Model) -> Result<()> {
    let [nx, ny, nz] = model.shape;
    if nz != 1 {
        return Err(Fault::usage(format!("{}: a model of {nz} slices is no picture; write a .mha", path.display())));
    }
    let rows = model.fluid.chunks_exact(nx).rev();
    let pixels: Vec<u8> = rows.flatten().map(|&fluid| if fluid { 255 } else { 0 }).collect();
    let image = image::GrayImage::from_raw(nx as u32, ny as u32, pixels)
        .ok_or_else(|| Fault::usage("the picture is too large"))?;
    publish(path, |temporary| {
        image
            .save_with_format(temporary, image::ImageFormat::Png)
            .map_err(|error| Fault::io(format!("cannot write {}: {error}", path.display())))
    })
}

/// Writes a model as a zlib-compressed MetaImage (.mha) of bytes: fluid 1, wall 0.
///
/// # Errors
/// When the file cannot be written.
pub fn write_meta_image(path: &Path, model: &Model) -> Result<()> {
    let fault = |error: std::io::Error| Fault::io(format!("cannot write {}: {error}", path.display()));
    let bytes: Vec<u8> = model.fluid.iter().map(|&fluid| u8::from(fluid)).collect();
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&bytes).map_err(fault)?;
    let packed = encoder.finish().map_err(fault)?;
    let [nx, ny, nz] = model.shape;
    publish(path, |temporary| {
        let mut file = BufWriter::new(File::create(temporary).map_err(fault)?);
        write!(
            file,
            "ObjectType = Image\nNDims = 3\nBinaryData = True\nBinaryDataByteOrderMSB = False\nCompressedData = True\n\
             CompressedDataSize = {}\nDimSize = {nx} {ny} {nz}\nElementSpacing = 1 1 1\nElementType = MET_UCHAR\n\
             ElementDataFile = LOCAL\n",
            packed.len()
        )
        .map_err(fault)?;
        file.write_all(&packed).and_then(|()| file.flush()).map_err(fault)
    })
}

/// Writes terrain as an ESRI ASCII grid (.asc) of heights in metres, to a tenth, the northern row first.
///
/// # Errors
/// When the file cannot be written.
pub fn write_ascii_grid(path: &Path, land: &Landscape) -> Result<()> {
    let fault = |error: std::io::Error| Fault::io(format!("cannot write {}: {error}", path.display()));
    let ([nx, ny], [x, y]) = (land.shape, land.corner);
    publish(path, |temporary| {
        let mut file = BufWriter::new(File::create(temporary).map_err(fault)?);
        write!(
            file,
            "ncols {nx}\nnrows {ny}\nxllcorner {x}\nyllcorner {y}\ncellsize {}\nNODATA_value -9999\n",
            land.cell
        )
        .map_err(fault)?;
        for row in land.heights.chunks_exact(nx).rev() {
            let row: Vec<String> = row.iter().map(|z| format!("{z:.1}")).collect();
            writeln!(file, "{}", row.join(" ")).map_err(fault)?;
        }
        file.flush().map_err(fault)
    })
}
