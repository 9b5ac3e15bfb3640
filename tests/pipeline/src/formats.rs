//! Every format that a geometry may come in, holding the same domain.

use std::io::{Cursor, Write};

use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};
use image::{DynamicImage, GrayImage, ImageFormat};
use serde_json::{Value, json};

use crate::draw::{Picture, Voxels};

/// A geometry in one format.
pub struct Format {
    /// What to call it.
    pub name: &'static str,
    /// The `geometry` of a case config that reads it.
    pub geometry: Value,
    /// Its files; the last one is what tests cut short.
    pub files: Vec<(String, Vec<u8>)>,
}

/// A picture in every 2-D format.
///
/// # Panics
/// Never: all is in memory.
pub fn pictures(picture: &Picture) -> Vec<Format> {
    let Picture { width, height, pixels } = picture;
    let format = |name: &'static str, content: Vec<u8>| {
        let file = format!("picture.{name}");
        Format { name, geometry: json!({"image": file, "spacing": "4 um"}), files: vec![(file, content)] }
    };
    let colours: Vec<u8> = pixels.iter().flat_map(|&grey| [grey; 3]).collect();
    // In PBM 1 is black.
    let row = |row: &[u8]| {
        row.chunks(8)
            .map(|eight| eight.iter().enumerate().map(|(i, &grey)| u8::from(grey == 0) << (7 - i)).sum())
            .collect::<Vec<u8>>()
    };
    let bits: Vec<u8> = pixels.chunks(*width).flat_map(row).collect();
    let mut png = Cursor::new(Vec::new());
    let grey = GrayImage::from_raw(*width as u32, *height as u32, pixels.clone()).expect("as many pixels");
    DynamicImage::from(grey).write_to(&mut png, ImageFormat::Png).expect("memory");
    vec![
        format("pgm", picture.pgm()),
        format("ppm", joined(&format!("P6\n{width} {height}\n255\n"), &colours)),
        format("pbm", joined(&format!("P4\n{width} {height}\n"), &bits)),
        format("png", png.into_inner()),
    ]
}

/// A volume in every 3-D format.
///
/// # Panics
/// Never: all is in memory.
pub fn volumes(voxels: &Voxels) -> Vec<Format> {
    let [nx, ny, nz] = voxels.shape;
    let values = &voxels.values;
    let plain = |name: &'static str, file: &str, files: Vec<(&str, Vec<u8>)>| Format {
        name,
        geometry: json!({"voxels": {"file": file}, "spacing": "4 um"}),
        files: files.into_iter().map(|(file, content)| (file.to_owned(), content)).collect(),
    };
    let alone = |name: &'static str, file: &str, content: Vec<u8>| plain(name, file, vec![(file, content)]);
    let nrrd = |encoding: &str, more: &str| {
        format!("NRRD0004\ntype: uint8\ndimension: 3\nsizes: {nx} {ny} {nz}\nencoding: {encoding}\n{more}\n")
    };
    let meta = |more: &str, data: &str| {
        format!(
            "ObjectType = Image\nNDims = 3\nDimSize = {nx} {ny} {nz}\n{more}ElementType = MET_UCHAR\nElementDataFile = {data}\n"
        )
    };
    let nifti = joined_bytes(&nifti_header(voxels.shape), values);
    let mut raw = alone("raw", "volume.raw", values.clone());
    raw.geometry["voxels"]["shape"] = json!(voxels.shape);
    raw.geometry["voxels"]["type"] = json!("u8");
    let slices: Vec<(String, Vec<u8>)> = values
        .chunks(nx * ny)
        .enumerate()
        .map(|(z, slice)| (format!("slices/slice{z:03}.pgm"), joined(&format!("P5\n{nx} {ny}\n255\n"), slice)))
        .collect();
    let slices = Format { files: slices, ..plain("slice folder", "slices", Vec::new()) };
    vec![
        raw,
        alone("nrrd", "volume.nrrd", joined(&nrrd("raw", ""), values)),
        alone("nrrd, gzip", "packed.nrrd", joined(&nrrd("gzip", ""), &gzip(values))),
        plain(
            "nhdr",
            "volume.nhdr",
            vec![
                ("volume.nhdr", nrrd("raw", "data file: nrrd-data.raw\n").into_bytes()),
                ("nrrd-data.raw", values.clone()),
            ],
        ),
        alone("mha", "volume.mha", voxels.mha()),
        alone("mha, compressed", "packed.mha", joined(&meta("CompressedData = True\n", "LOCAL"), &zlib(values))),
        plain(
            "mhd, compressed",
            "volume.mhd",
            vec![
                ("volume.mhd", meta("CompressedData = True\n", "volume.zraw").into_bytes()),
                ("volume.zraw", zlib(values)),
            ],
        ),
        alone("vti", "volume.vti", vti(voxels)),
        alone("tiff", "volume.tif", tiff(voxels)),
        alone("nifti", "volume.nii", nifti.clone()),
        alone("nifti, gzip", "volume.nii.gz", gzip(&nifti)),
        alone("npy", "volume.npy", npy(voxels)),
        slices,
    ]
}

fn joined(header: &str, data: &[u8]) -> Vec<u8> {
    joined_bytes(header.as_bytes(), data)
}

fn joined_bytes(header: &[u8], data: &[u8]) -> Vec<u8> {
    [header, data].concat()
}

fn zlib(data: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(data).expect("memory");
    encoder.finish().expect("memory")
}

fn gzip(data: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(data).expect("memory");
    encoder.finish().expect("memory")
}

/// VTK ImageData with one appended array.
fn vti(voxels: &Voxels) -> Vec<u8> {
    let [x, y, z] = voxels.shape.map(|n| n - 1);
    let extent = format!("0 {x} 0 {y} 0 {z}");
    let header = format!(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\"LittleEndian\">\n\
         <ImageData WholeExtent=\"{extent}\" Origin=\"0 0 0\" Spacing=\"1 1 1\">\n<Piece Extent=\"{extent}\">\n\
         <PointData Scalars=\"fluid\">\n<DataArray type=\"UInt8\" Name=\"fluid\" format=\"appended\" offset=\"0\"/>\n\
         </PointData>\n</Piece>\n</ImageData>\n<AppendedData encoding=\"raw\">\n_"
    );
    let size = (voxels.values.len() as u32).to_le_bytes();
    [header.as_bytes(), &size, &voxels.values, b"\n</AppendedData>\n</VTKFile>\n"].concat()
}

/// NumPy's array[z, y, x].
fn npy(voxels: &Voxels) -> Vec<u8> {
    let [nx, ny, nz] = voxels.shape;
    let header = format!("{{'descr': '|u1', 'fortran_order': False, 'shape': ({nz}, {ny}, {nx}), }}\n");
    [&b"\x93NUMPY\x01\x00"[..], &(header.len() as u16).to_le_bytes(), header.as_bytes(), &voxels.values].concat()
}

/// One page a slice.
fn tiff(voxels: &Voxels) -> Vec<u8> {
    let [nx, ny, _] = voxels.shape;
    let mut content = Cursor::new(Vec::new());
    let mut encoder = tiff::encoder::TiffEncoder::new(&mut content).expect("memory");
    for slice in voxels.values.chunks(nx * ny) {
        encoder.write_image::<tiff::encoder::colortype::Gray8>(nx as u32, ny as u32, slice).expect("memory");
    }
    content.into_inner()
}

/// NIfTI-1: the data, of unsigned bytes, begin at 352.
fn nifti_header(shape: [usize; 3]) -> Vec<u8> {
    let mut header = vec![0u8; 352];
    let mut put = |at: usize, bytes: &[u8]| header[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, &348i32.to_le_bytes());
    put(40, &3i16.to_le_bytes());
    for (axis, &n) in shape.iter().enumerate() {
        put(42 + 2 * axis, &(n as i16).to_le_bytes());
        put(80 + 4 * axis, &1f32.to_le_bytes());
    }
    put(70, &2i16.to_le_bytes());
    put(72, &8i16.to_le_bytes());
    put(76, &1f32.to_le_bytes());
    put(108, &352f32.to_le_bytes());
    put(344, b"n+1\0");
    header
}
