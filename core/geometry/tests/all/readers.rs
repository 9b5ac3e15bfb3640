//! Every format: written by hand or by another library, read back; then cut short at many lengths and with damaged
//! bytes, which must end in a usage fault or in values, never in a panic.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};
use hematite_config::{Exit, Fault, from_value};
use hematite_geometry::{Values, Volume, VoxelConfig, read};

const SHAPE: [usize; 3] = [5, 4, 3];

fn bytes() -> Vec<u8> {
    (0..60).map(|i| (i * 37 % 251) as u8).collect()
}

fn words() -> Vec<u16> {
    (0..60).map(|i| (i * 1237 % 65521) as u16).collect()
}

fn little() -> Vec<u8> {
    words().iter().flat_map(|w| w.to_le_bytes()).collect()
}

fn big() -> Vec<u8> {
    words().iter().flat_map(|w| w.to_be_bytes()).collect()
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

fn joined(header: &str, data: &[u8]) -> Vec<u8> {
    [header.as_bytes(), data].concat()
}

fn voxels(path: &Path, keys: serde_json::Value) -> Result<Volume, Fault> {
    let mut config = serde_json::json!({"file": path});
    for (key, value) in keys.as_object().expect("keys") {
        config[key] = value.clone();
    }
    let config: VoxelConfig = from_value("test", config).expect("a config");
    read::voxels(path, &config)
}

/// Reads `content`, expects `wanted`; then every shorter file must be a usage fault, and no damaged byte may panic.
fn survives(name: &str, content: &[u8], wanted: &Values, read: impl Fn(&Path) -> Result<Volume, Fault>) -> Volume {
    let folder = tempfile::tempdir().expect("a folder");
    let path: PathBuf = folder.path().join(name);
    fs::write(&path, content).expect("writes");
    let volume = read(&path).unwrap_or_else(|fault| panic!("{name}: {fault}"));
    assert!(volume.values == *wanted, "{name}: {:?}", volume.values);
    let mut lengths: Vec<usize> = (0..content.len()).step_by(1 + content.len() / 200).collect();
    lengths.push(content.len() / 2);
    for length in lengths {
        fs::write(&path, &content[..length]).expect("writes");
        match read(&path) {
            Err(fault) => {
                assert_eq!(fault.exit, Exit::Usage, "{name} cut to {length}: {fault}");
                assert!(fault.message.contains(name), "{name} cut to {length}: {fault}");
            }
            // Only a trailer (checksum, closing tags, a further line) may go without being missed.
            Ok(cut) => assert!(cut.values == *wanted, "{name} cut to {length} gave other values"),
        }
    }
    let mut damaged = content.to_vec();
    for i in (0..content.len()).step_by(1 + content.len() / 300) {
        for mask in [0xff, 0x10] {
            damaged[i] ^= mask;
            fs::write(&path, &damaged).expect("writes");
            if let Err(fault) = read(&path) {
                assert_eq!(fault.exit, Exit::Usage, "{name} damaged at {i}: {fault}");
            }
            damaged[i] = content[i];
        }
    }
    volume
}

#[test]
fn raw() {
    let keys = |endian: &str, offset: usize| serde_json::json!({"shape": SHAPE, "type": "u16", "endian": endian, "offset": offset});
    survives("a.raw", &little(), &Values::U16(words()), |path| voxels(path, keys("little", 0)));
    survives("a.bin", &joined("0123456", &big()), &Values::U16(words()), |path| voxels(path, keys("big", 7)));
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.raw");
    fs::write(&path, [0; 61]).expect("writes");
    for (keys, word) in [
        (serde_json::json!({"shape": SHAPE, "type": "u8"}), "61 bytes"),
        (serde_json::json!({"type": "u8"}), "\"shape\""),
        (serde_json::json!({"shape": SHAPE}), "\"type\""),
        (serde_json::json!({"shape": [1u64 << 40, 1u64 << 40, 1u64 << 40], "type": "f64"}), "limit"),
        (serde_json::json!({"shape": [4, 0, 3], "type": "f64"}), "zero"),
        (serde_json::json!({"shape": SHAPE, "type": "u8", "offset": u64::MAX}), "cut short"),
    ] {
        let fault = voxels(&path, keys).expect_err(word);
        assert!(fault.message.contains(word) && fault.message.contains("a.raw"), "{fault}");
    }
}

#[test]
fn nrrd() {
    let head = |kind: &str, encoding: &str, more: &str| {
        format!("NRRD0004\n# comment\ntype: {kind}\ndimension: 3\nsizes: 5 4 3\nencoding: {encoding}\n{more}\n")
    };
    let plain = serde_json::json!({});
    let read = |path: &Path| voxels(path, plain.clone());
    let raw = joined(&head("unsigned char", "raw", "space directions: (2,0,0) (0,2,0) (0,0,2)\n"), &bytes());
    assert_eq!(survives("a.nrrd", &raw, &Values::U8(bytes()), read).spacing, Some([2.0; 3]));
    let zipped = joined(&head("ushort", "gzip", "endian: big\nspacings: 1 2 3\n"), &gzip(&big()));
    assert_eq!(survives("a.nrrd", &zipped, &Values::U16(words()), read).spacing, Some([1.0, 2.0, 3.0]));
    let text: String = bytes().iter().map(|b| format!("{b} ")).collect();
    let values = Values::F64(bytes().into_iter().map(f64::from).collect());
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("text.nrrd");
    fs::write(&path, joined(&head("float", "ascii", "endian: little\n"), text.as_bytes())).expect("writes");
    assert!(read(&path).expect("reads").values == values);
    fs::write(folder.path().join("data.raw"), little()).expect("writes");
    let detached = folder.path().join("a.nhdr");
    fs::write(&detached, head("uint16", "raw", "endian: little\ndata file: data.raw\n")).expect("writes");
    assert!(read(&detached).expect("reads").values == Values::U16(words()));
    assert_eq!(read::companions(&detached), [folder.path().join("data.raw")]);
    for (encoding, more, data) in [
        ("raw", "", little()),
        ("raw", "byte skip: -1\n", little()),
        ("gzip", "", gzip(&little())),
        ("text", "", text.into_bytes()),
    ] {
        let more = format!("endian: little\ndata file: data.raw\n{more}");
        fs::write(&detached, head("uint16", encoding, &more)).expect("writes");
        detached_data_is_named(&detached, &folder.path().join("data.raw"), &data);
    }
}

#[test]
fn meta_image() {
    let head = |kind: &str, more: &str, data: &str| {
        format!(
            "ObjectType = Image\nNDims = 3\nDimSize = 5 4 3\nElementSpacing = 0.5 0.5 0.5\n{more}ElementType = {kind}\nElementDataFile = {data}\n"
        )
    };
    let read = |path: &Path| voxels(path, serde_json::json!({}));
    let local = joined(&head("MET_UCHAR", "", "LOCAL"), &bytes());
    assert_eq!(survives("a.mha", &local, &Values::U8(bytes()), read).spacing, Some([0.5; 3]));
    let packed =
        joined(&head("MET_USHORT", "CompressedData = True\nBinaryDataByteOrderMSB = True\n", "LOCAL"), &zlib(&big()));
    survives("a.mha", &packed, &Values::U16(words()), read);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.mhd");
    fs::write(&path, head("MET_USHORT", "HeaderSize = -1\n", "data.raw")).expect("writes");
    fs::write(folder.path().join("data.raw"), joined("skipped", &little())).expect("writes");
    assert!(read(&path).expect("reads").values == Values::U16(words()));
    assert_eq!(read::companions(&path), [folder.path().join("data.raw")]);
    let packed = "CompressedData = True\n";
    for (more, data) in
        [("", little()), ("HeaderSize = -1\n", little()), (packed, zlib(&little())), (packed, gzip(&little()))]
    {
        fs::write(&path, head("MET_USHORT", more, "data.raw")).expect("writes");
        detached_data_is_named(&path, &folder.path().join("data.raw"), &data);
    }
}

/// Reads `header`, whose data file `data` holds `content`; then shortens and removes that file, which the fault must
/// name with the header.
fn detached_data_is_named(header: &Path, data: &Path, content: &[u8]) {
    let read = || voxels(header, serde_json::json!({}));
    fs::write(data, content).expect("writes");
    read().expect("reads");
    // The end of a compressed file may be a checksum, which nobody reads.
    for length in (0..content.len() - 12).rev().step_by(7) {
        fs::write(data, &content[..length]).expect("writes");
        let fault = read().expect_err("cut short");
        let names = [header, data].map(|path| path.to_str().expect("text"));
        assert!(fault.exit == Exit::Usage && names.iter().all(|name| fault.message.contains(name)), "{fault}");
    }
    fs::remove_file(data).expect("removes");
    let fault = read().expect_err("missing");
    assert!(fault.message.contains("a.") && fault.message.contains("data.raw"), "{fault}");
}

#[test]
fn vti() {
    use base64::{Engine, engine::general_purpose::STANDARD};
    let head = |attributes: &str, array: &str| {
        format!(
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\"LittleEndian\"{attributes}>\n\
             <ImageData WholeExtent=\"0 4 0 3 0 2\" Origin=\"0 0 0\" Spacing=\"2 2 2\">\n<Piece Extent=\"0 4 0 3 0 2\">\n\
             <PointData Scalars=\"v\">\n<DataArray type=\"Float32\" Name=\"other\" format=\"ascii\">1 2</DataArray>\n{array}\
             </PointData>\n</Piece>\n</ImageData>\n"
        )
    };
    let array =
        |format: &str, text: &str| format!("<DataArray type=\"UInt16\" Name=\"v\" {format}>{text}</DataArray>\n");
    let read = |path: &Path| voxels(path, serde_json::json!({}));
    let end = "</VTKFile>\n";
    let (size, data) = (120u32.to_le_bytes(), little());

    let separate = array("format=\"binary\"", &format!("{}{}", STANDARD.encode(size), STANDARD.encode(&data)));
    let together = array("format=\"binary\"", &STANDARD.encode([&size[..], &data].concat()));
    for text in [separate, together] {
        let volume = survives("a.vti", (head("", &text) + end).as_bytes(), &Values::U16(words()), read);
        assert_eq!((volume.shape, volume.spacing), (SHAPE, Some([2.0; 3])));
    }
    // Two zlib blocks of 80 and 40 bytes, header of 64-bit words.
    let blocks = [zlib(&data[..80]), zlib(&data[80..])];
    let header: Vec<u8> =
        [2, 80, 40, blocks[0].len() as u64, blocks[1].len() as u64].iter().flat_map(|w| w.to_le_bytes()).collect();
    let attributes = " header_type=\"UInt64\" compressor=\"vtkZLibDataCompressor\"";
    let text = format!("{}{}", STANDARD.encode(&header), STANDARD.encode(blocks.concat()));
    survives(
        "a.vti",
        (head(attributes, &array("format=\"binary\"", &text)) + end).as_bytes(),
        &Values::U16(words()),
        read,
    );
    // Appended raw: bytes that are no XML.
    let appended =
        head(attributes, &array("format=\"appended\" offset=\"3\"", "")) + "<AppendedData encoding=\"raw\">\n_xyz";
    let content = [appended.as_bytes(), &header, &blocks.concat(), b"</AppendedData></VTKFile>"].concat();
    survives("a.vti", &content, &Values::U16(words()), read);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.vti");
    fs::write(&path, content).expect("writes");
    let fault = voxels(&path, serde_json::json!({"array": "nothing"})).expect_err("no such array");
    assert!(fault.message.contains("\"other\", \"v\""), "{fault}");
}

#[test]
fn nifti() {
    let mut header = vec![0u8; 352];
    header[..4].copy_from_slice(&348i32.to_le_bytes());
    for (i, n) in [3i16, 5, 4, 3].into_iter().enumerate() {
        header[40 + 2 * i..][..2].copy_from_slice(&n.to_le_bytes());
    }
    header[70..72].copy_from_slice(&512i16.to_le_bytes());
    header[72..74].copy_from_slice(&16i16.to_le_bytes());
    for (i, step) in [1.0f32, 0.25, 0.25, 0.25].into_iter().enumerate() {
        header[76 + 4 * i..][..4].copy_from_slice(&step.to_le_bytes());
    }
    header[108..112].copy_from_slice(&352f32.to_le_bytes());
    header[344..348].copy_from_slice(b"n+1\0");
    let content = [header.clone(), little()].concat();
    let read = |path: &Path| voxels(path, serde_json::json!({}));
    let volume = survives("a.nii", &content, &Values::U16(words()), read);
    assert_eq!(volume.spacing, Some([0.25; 3]));
    survives("a.nii.gz", &gzip(&content), &Values::U16(words()), read);
    header[112..116].copy_from_slice(&2f32.to_le_bytes());
    header[116..120].copy_from_slice(&(-1f32).to_le_bytes());
    let scaled = Values::F64(words().into_iter().map(|w| 2.0 * f64::from(w) - 1.0).collect());
    survives("a.nii", &[header, little()].concat(), &scaled, read);
}

#[test]
fn npy() {
    let header = "{'descr': '>u2', 'fortran_order': False, 'shape': (3, 4, 5), }\n";
    let content = [&b"\x93NUMPY\x01\x00"[..], &(header.len() as u16).to_le_bytes(), header.as_bytes(), &big()].concat();
    let volume = survives("a.npy", &content, &Values::U16(words()), |path| voxels(path, serde_json::json!({})));
    assert_eq!((volume.shape, volume.spacing), (SHAPE, None));
}

#[test]
fn tiff_pages_are_slices() {
    let mut content = std::io::Cursor::new(Vec::new());
    let mut encoder = tiff::encoder::TiffEncoder::new(&mut content).expect("an encoder");
    for page in words().chunks(20) {
        encoder.write_image::<tiff::encoder::colortype::Gray16>(5, 4, page).expect("a page");
    }
    let volume =
        survives("a.tif", content.get_ref(), &Values::U16(words()), |path| voxels(path, serde_json::json!({})));
    assert_eq!(volume.shape, SHAPE);
}

#[test]
fn pictures_packed_well_are_read_and_refused_where_cut() {
    use tiff::encoder::Compression::{Deflate, Lzw, Packbits};
    let folder = tempfile::tempdir().expect("a folder");
    let pixels: Vec<u8> = (0..3000 * 1000).map(|i| u8::from(i / 300_000 % 2 == 0)).collect();
    let mut files: Vec<(&str, Vec<u8>)> = Vec::new();
    for (name, compression) in [("a.tif", Lzw), ("b.tif", Packbits), ("c.tif", Deflate(Default::default()))] {
        let mut content = std::io::Cursor::new(Vec::new());
        let encoder = tiff::encoder::TiffEncoder::new(&mut content).expect("an encoder");
        let mut encoder = encoder.with_compression(compression);
        encoder.write_image::<tiff::encoder::colortype::Gray8>(3000, 1000, &pixels).expect("a page");
        files.push((name, content.into_inner()));
    }
    let mut png = std::io::Cursor::new(Vec::new());
    let grey = image::GrayImage::from_raw(3000, 1000, pixels.clone()).expect("as many pixels");
    image::DynamicImage::from(grey).write_to(&mut png, image::ImageFormat::Png).expect("memory");
    files.push(("d.png", png.into_inner()));
    for (name, content) in files {
        assert!(content.len() < 100_000, "{name} has {} bytes", content.len());
        let path = folder.path().join(name);
        fs::write(&path, &content).expect("writes");
        let volume = read::image(&path).unwrap_or_else(|fault| panic!("{fault}"));
        assert!(volume.values == Values::U8(pixels.chunks(3000).rev().flatten().copied().collect()), "{name}");
        fs::write(&path, &content[..content.len() / 2]).expect("writes");
        let fault = read::image(&path).expect_err(name);
        assert!(fault.exit == Exit::Usage && fault.message.contains(name), "{fault}");
    }
}

/// Rows of a 5 x 4 picture from the bottom up, as an image is read.
fn upwards<T: Copy>(rows: &[T]) -> Vec<T> {
    rows.chunks(5).rev().flatten().copied().collect()
}

#[test]
fn images() {
    let grey = &bytes()[..20];
    survives("a.pgm", &joined("P5\n5 4\n255\n", grey), &Values::U8(upwards(grey)), read::image);
    let wide = &words()[..20];
    let stored: Vec<u8> = wide.iter().flat_map(|w| w.to_be_bytes()).collect();
    survives("a.pgm", &joined("P5 5 4 65535\n", &stored), &Values::U16(upwards(wide)), read::image);
    let colours: Vec<[u8; 3]> = bytes().chunks_exact(3).map(|c| [c[0], c[1], c[2]]).collect();
    survives("a.ppm", &joined("P6\n5 4\n255\n", &bytes()), &Values::Rgb8(upwards(&colours)), read::image);
    let bits: Vec<u8> = [0b0110_1000, 0, 0b1111_1000, 0b1000_0000].to_vec();
    let white = |row: u8| (0..5).map(move |x| if row >> (7 - x) & 1 == 1 { 0 } else { 255 });
    let pixels: Vec<u8> = bits.iter().flat_map(|&row| white(row)).collect();
    survives("a.pbm", &joined("P4\n5 4\n", &bits), &Values::U8(upwards(&pixels)), read::image);
    for (name, image, wanted) in [
        (
            "grey.png",
            image::DynamicImage::from(image::GrayImage::from_raw(5, 4, grey.to_vec()).expect("20 pixels")),
            Values::U8(upwards(grey)),
        ),
        (
            "wide.png",
            image::ImageBuffer::<image::Luma<u16>, _>::from_raw(5, 4, wide.to_vec()).expect("20 pixels").into(),
            Values::U16(upwards(wide)),
        ),
        (
            "colour.png",
            image::RgbImage::from_raw(5, 4, bytes()).expect("20 pixels").into(),
            Values::Rgb8(upwards(&colours)),
        ),
    ] {
        let mut content = std::io::Cursor::new(Vec::new());
        image.write_to(&mut content, image::ImageFormat::Png).expect("writes");
        survives(name, content.get_ref(), &wanted, read::image);
    }
}

#[test]
fn pictures_of_any_maximum_are_scaled_to_the_whole_range() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.pnm");
    let read = |content: &[u8]| {
        fs::write(&path, content).expect("writes");
        read::image(&path).map(|volume| volume.values)
    };
    let ok = |values: &[u8]| Ok(Values::U8(values.to_vec()));
    for content in ["P2\n# a comment\n4 1\n15\n0 1 8 15\n", "P2 4 1 15 000\n1\t8  15"] {
        assert_eq!(read(content.as_bytes()), ok(&[0, 17, 136, 255]));
    }
    assert_eq!(read(b"P5\n4 1\n15\n\x00\x01\x08\x0f"), ok(&[0, 17, 136, 255]));
    assert_eq!(read(b"P5\n4 1\n1\n\x00\x01\x01\x00"), ok(&[0, 255, 255, 0]));
    assert_eq!(read(b"P2\n3 1\n127\n0 64 127"), ok(&[0, 129, 255]));
    assert_eq!(read(b"P2\n3 1\n254\n0 127 254"), ok(&[0, 128, 255]));
    // Black is 1; a bitmap needs no blanks.
    for content in ["P1\n4 1\n0 1 1 0\n", "P1\n4 1\n0110"] {
        assert_eq!(read(content.as_bytes()), ok(&[255, 0, 0, 255]));
    }
    assert_eq!(read(b"P3\n2 1\n3\n3 0 0  0 1 2\n"), Ok(Values::Rgb8(vec![[255, 0, 0], [0, 85, 170]])));
    assert_eq!(read(b"P6\n1 1\n31\n\x1f\x00\x10"), Ok(Values::Rgb8(vec![[255, 0, 132]])));
    assert_eq!(read(b"P2\n3 1\n4095\n0 1 4095"), Ok(Values::U16(vec![0, 16, 65535])));
    assert_eq!(read(b"P3\n1 1\n1023\n1023 0 1"), Ok(Values::Rgb16(vec![[65535, 0, 64]])));
    for content in ["P2\n2 1\n0\n0 0", "P2\n2 1\n15\n0", "P2\n2 1\n15\n0 x", "P1\n2 1\n0 2", "P2\n2 1\n70000\n0 1"] {
        let fault = read(content.as_bytes()).expect_err(content);
        assert!(fault.exit == Exit::Usage && fault.message.contains("a.pnm"), "{fault}");
    }
}

#[test]
fn a_header_that_claims_the_world_is_refused_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, content, word) in [
        ("a.ppm", "P6\n40000 25000\n255\nabc", "limit is 536870912"),
        ("b.ppm", "P6\n20000 20000\n255\nabc", "cut short"),
        ("c.pgm", "P2\n20000 20000\n255\n1 2", "cut short"),
        ("d.pgm", "P5\n4294967295 4294967295\n255\n", "d.pgm"),
    ] {
        let path = folder.path().join(name);
        fs::write(&path, content).expect("writes");
        let start = std::time::Instant::now();
        let fault = read::image(&path).expect_err(name);
        assert!(fault.message.contains(word), "{fault}");
        assert!(start.elapsed().as_secs_f64() < 0.5);
    }
    let path = folder.path().join("a.mha");
    let head = "NDims = 3\nDimSize = 2000 2000 2000\nElementType = MET_UCHAR\nCompressedData = True\nElementDataFile = LOCAL\n";
    fs::write(&path, joined(head, &zlib(&bytes()))).expect("writes");
    let fault = voxels(&path, serde_json::json!({})).expect_err("too much");
    assert!(fault.message.contains("cannot hold"), "{fault}");
}

#[test]
fn files_longer_than_their_headers_say_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let nrrd = |encoding: &str| format!("NRRD0004\ntype: uint8\ndimension: 3\nsizes: 5 4 3\nencoding: {encoding}\n\n");
    let mha =
        |more: &str| format!("NDims = 3\nDimSize = 5 4 3\n{more}ElementType = MET_UCHAR\nElementDataFile = LOCAL\n");
    let (packed, data) = ("CompressedData = True\n", bytes());
    let longer = [&data[..], &[7]].concat();
    let text = |values: &[u8]| values.iter().map(|b| format!("{b} ")).collect::<String>().into_bytes();
    let mut nifti = vec![0u8; 352];
    nifti[..4].copy_from_slice(&348i32.to_le_bytes());
    for (i, n) in [3i16, 5, 4, 3].into_iter().enumerate() {
        nifti[40 + 2 * i..][..2].copy_from_slice(&n.to_le_bytes());
    }
    nifti[70..74].copy_from_slice(&[2, 0, 8, 0]);
    nifti[108..112].copy_from_slice(&352f32.to_le_bytes());
    nifti[344..348].copy_from_slice(b"n+1\0");
    let nifti = |data: &[u8]| [&nifti[..], data].concat();
    type Make<'a> = &'a dyn Fn(&[u8]) -> Vec<u8>;
    let cases: [(&str, Make<'_>); 9] = [
        ("a.mha", &|data| joined(&mha(""), data)),
        ("a.mha", &|data| joined(&mha(packed), &zlib(data))),
        ("a.mha", &|data| joined(&mha(packed), &gzip(data))),
        ("a.nrrd", &|data| joined(&nrrd("raw"), data)),
        ("a.nrrd", &|data| joined(&nrrd("gzip"), &gzip(data))),
        ("a.nrrd", &|data| joined(&nrrd("ascii"), &text(data))),
        ("a.nii", &nifti),
        ("a.nii.gz", &|data| gzip(&nifti(data))),
        ("a.raw", &|data| data.to_vec()),
    ];
    for (k, (name, make)) in cases.into_iter().enumerate() {
        let path = folder.path().join(name);
        let keys =
            if name == "a.raw" { serde_json::json!({"shape": SHAPE, "type": "u8"}) } else { serde_json::json!({}) };
        fs::write(&path, make(&data)).expect("writes");
        voxels(&path, keys.clone()).unwrap_or_else(|fault| panic!("{k}: {fault}"));
        fs::write(&path, make(&longer)).expect("writes");
        let fault = voxels(&path, keys).err().unwrap_or_else(|| panic!("{name}, case {k}, is read"));
        assert!(fault.exit == Exit::Usage && fault.message.contains(name), "{fault}");
    }
    let path = folder.path().join("a.mha");
    fs::write(&path, [&joined(&mha(packed), &zlib(&data))[..], b"xyz"].concat()).expect("writes");
    let fault = voxels(&path, serde_json::json!({})).expect_err("bytes behind the packed values");
    assert!(fault.message.contains("3 bytes follow"), "{fault}");

    let path = folder.path().join("a.pnm");
    for (content, end, is_well) in [
        ("P5\n2 1\n255\nab", "", true),
        ("P5 # 9 9\n2 1 # c\n255\nab", "\n", true),
        ("P5\n2 1\n255\nab", "\r\n", true),
        ("P5\n2 1\n255\nab", "c", false),
        ("P5\n2 1\n255\nab", "\n\n", false),
        ("P6\n2 1\n255\nabcdef", "abc", false),
        ("P4\n2 1\na", "", true),
        ("P4\n2 1\na", "b", false),
        ("P1\n2 1\n0 1", "\n# 1 1 1\n", true),
        ("P1\n2 1\n01", "1\n", false),
        ("P2\n2 1\n15\n0 1\n", "2\n", false),
        ("P7\nWIDTH 2\nHEIGHT 1\nDEPTH 1\nMAXVAL 255\nTUPLTYPE GRAYSCALE\nENDHDR\nab", "", true),
        ("P7\nWIDTH 2\nHEIGHT 1\nDEPTH 1\nMAXVAL 255\nTUPLTYPE GRAYSCALE\nENDHDR\nab", "c", false),
    ] {
        fs::write(&path, format!("{content}{end}")).expect("writes");
        match read::image(&path) {
            Ok(_) => assert!(is_well, "{content}{end} is read"),
            Err(fault) => {
                assert!(!is_well && fault.message.contains("its header claims"), "{content}{end}: {fault}");
            }
        }
    }
}

#[test]
fn a_folder_of_slices_is_sorted_by_number_and_checked() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, slice: &[u8]| {
        fs::write(folder.path().join(name), joined("P5\n5 4\n255\n", slice)).expect("writes");
    };
    let remove = |name: &str| fs::remove_file(folder.path().join(name)).expect("removes");
    for (i, slice) in bytes().chunks(20).enumerate().rev() {
        write(&format!("scan2-slice{}.pgm", 9 + i), slice);
    }
    fs::write(folder.path().join("notes.txt"), "no slice").expect("writes");
    let read = || voxels(folder.path(), serde_json::json!({}));
    let volume = read().expect("reads");
    assert_eq!((volume.shape, volume.values), (SHAPE, Values::U8(bytes())));
    for (name, words) in [
        ("preview.pgm", &["\"preview.pgm\"", "no slice out of the folder"][..]),
        ("scan3-slice12.pgm", &["\"scan3-slice12.pgm\"", "in more than a number"]),
        ("scan2-slice12.ppm", &["\"scan2-slice12.ppm\"", "in more than a number"]),
        ("scan2-slice011.pgm", &["\"scan2-slice011.pgm\"", "same number"]),
        ("scan2-slice13.pgm", &["slice 12 is missing", "\"scan2-slice13.pgm\""]),
    ] {
        write(name, &[0; 20]);
        let fault = read().expect_err(name);
        assert!(words.iter().all(|word| fault.message.contains(word)), "{fault}");
        remove(name);
    }
    fs::write(folder.path().join("scan2-slice12.pgm"), joined("P5\n4 4\n255\n", &[0; 16])).expect("writes");
    let fault = read().expect_err("another size");
    assert!(fault.message.contains("slice12.pgm") && fault.message.contains("4 x 4"), "{fault}");
}

#[test]
fn pictures_that_are_not_opaque_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.png");
    let read = |alpha: [u8; 2]| {
        let samples = vec![255, 255, 255, alpha[0], 0, 0, 0, alpha[1]];
        image::RgbaImage::from_raw(2, 1, samples).expect("two pixels").save(&path).expect("writes");
        read::image(&path)
    };
    assert_eq!(read([255; 2]).expect("reads").values, Values::Rgb8(vec![[255; 3], [0; 3]]));
    let message = read([255, 254]).expect_err("not opaque").message;
    assert!(["a.png", "1 of its 2 pixels", "row 1", "column 2", "flatten"].iter().all(|word| message.contains(word)));
}
