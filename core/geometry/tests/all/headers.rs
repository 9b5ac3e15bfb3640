//! What headers of volumes tell of places: the same field, stored along any axes and in any format, is the same
//! volume; units, edges of voxels that are no cubes, level sets.

use std::fs;
use std::path::Path;

use hematite_config::{Exit, Fault, from_value};
use hematite_geometry::{Domain, GeometryConfig, Site, Values, Volume, VoxelConfig, build, read};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Voxels of the field along the patient's axes: to the left, to the back, to the head.
const SHAPE: [usize; 3] = [5, 4, 3];
/// Their edges in the file's unit.
const STEPS: [f64; 3] = [0.5, 0.6, 0.75];

/// The field.
fn value([x, y, z]: [usize; 3]) -> u8 {
    (x * 37 + y * 101 + z * 59 + 3) as u8
}

/// The field as it is to be read.
fn wanted() -> Values {
    Values::U8((0..60).map(|i| value([i % 5, i / 5 % 4, i / 20])).collect())
}

/// How the field is stored: axis `k` runs along the patient's axis `order[k]`, backwards where `reversed[k]`.
#[derive(Clone, Copy, Debug)]
struct Stored {
    order: [usize; 3],
    reversed: [bool; 3],
}

impl Stored {
    fn all() -> impl Iterator<Item = Self> {
        let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        let flips = (0..8).map(|i| [0, 1, 2].map(|k| i >> k & 1 == 1));
        orders.into_iter().flat_map(move |order| flips.clone().map(move |reversed| Self { order, reversed }))
    }

    fn shape(self) -> [usize; 3] {
        self.order.map(|axis| SHAPE[axis])
    }

    fn steps(self) -> [f64; 3] {
        self.order.map(|axis| STEPS[axis])
    }

    fn values(self) -> Vec<u8> {
        let [nx, ny, nz] = self.shape();
        let one = |i: usize| {
            let at = [i % nx, i / nx % ny, i / (nx * ny)];
            let mut place = [0; 3];
            for k in 0..3 {
                place[self.order[k]] = if self.reversed[k] { self.shape()[k] - 1 - at[k] } else { at[k] };
            }
            value(place)
        };
        (0..nx * ny * nz).map(one).collect()
    }

    /// The unit vector of each stored axis, its components times `signs`.
    fn vectors(self, signs: [f64; 3]) -> [[f64; 3]; 3] {
        [0, 1, 2].map(|k| {
            let mut vector = [0.0; 3];
            vector[self.order[k]] = signs[self.order[k]] * if self.reversed[k] { -1.0 } else { 1.0 };
            vector
        })
    }
}

fn joined(header: &str, data: &[u8]) -> Vec<u8> {
    [header.as_bytes(), data].concat()
}

fn nrrd(stored: Stored, space: &str, signs: [f64; 3]) -> Vec<u8> {
    let [nx, ny, nz] = stored.shape();
    let (vectors, steps) = (stored.vectors(signs), stored.steps());
    let vector = |k: usize| {
        let [a, b, c] = vectors[k].map(|x| x * steps[k]);
        format!("({a},{b},{c})")
    };
    let directions = [0, 1, 2].map(vector).join(" ");
    let header = format!(
        "NRRD0005\ntype: uint8\ndimension: 3\n{space}\nspace directions: {directions}\nspace units: \"mm\" \"mm\" \"mm\"\n\
         sizes: {nx} {ny} {nz}\nencoding: raw\n\n"
    );
    joined(&header, &stored.values())
}

fn meta_image(stored: Stored) -> Vec<u8> {
    let text = |numbers: &[f64]| numbers.iter().map(f64::to_string).collect::<Vec<_>>().join(" ");
    let header = format!(
        "ObjectType = Image\nNDims = 3\nTransformMatrix = {}\nDimSize = {}\nElementSpacing = {}\nDistanceUnits = mm\n\
         ElementType = MET_UCHAR\nElementDataFile = LOCAL\n",
        text(&stored.vectors([1.0; 3]).concat()),
        stored.shape().map(|n| n.to_string()).join(" "),
        text(&stored.steps())
    );
    joined(&header, &stored.values())
}

fn vti(stored: Stored) -> Vec<u8> {
    let vectors = stored.vectors([1.0; 3]);
    let matrix: Vec<String> = (0..3).flat_map(|row| (0..3).map(move |k| vectors[k][row].to_string())).collect();
    let [x, y, z] = stored.shape().map(|n| n - 1);
    let [sx, sy, sz] = stored.steps();
    let text: Vec<String> = stored.values().iter().map(u8::to_string).collect();
    format!(
        "<VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\"LittleEndian\"><ImageData WholeExtent=\"0 {x} 0 {y} 0 {z}\" \
         Spacing=\"{sx} {sy} {sz}\" Direction=\"{}\"><Piece Extent=\"0 {x} 0 {y} 0 {z}\"><PointData Scalars=\"v\">\
         <DataArray type=\"UInt8\" Name=\"v\" format=\"ascii\">{}</DataArray></PointData></Piece></ImageData></VTKFile>",
        matrix.join(" "),
        text.join(" ")
    )
    .into_bytes()
}

/// A NIfTI-1 header whose orientation `place` writes, and the values.
fn nifti(shape: [usize; 3], steps: [f64; 3], units: u8, values: &[u8], place: impl FnOnce(&mut [u8])) -> Vec<u8> {
    let mut header = vec![0u8; 352];
    header[..4].copy_from_slice(&348i32.to_le_bytes());
    for (i, n) in [3, shape[0], shape[1], shape[2]].into_iter().enumerate() {
        header[40 + 2 * i..][..2].copy_from_slice(&(n as i16).to_le_bytes());
    }
    header[70..72].copy_from_slice(&2i16.to_le_bytes());
    header[72..74].copy_from_slice(&8i16.to_le_bytes());
    put(&mut header, 76, &[1.0, steps[0], steps[1], steps[2]]);
    put(&mut header, 108, &[352.0]);
    header[123] = units;
    header[344..348].copy_from_slice(b"n+1\0");
    place(&mut header);
    [&header, values].concat()
}

/// Puts numbers of single precision at a byte.
fn put(header: &mut [u8], at: usize, numbers: &[f64]) {
    for (k, &number) in numbers.iter().enumerate() {
        header[at + 4 * k..][..4].copy_from_slice(&(number as f32).to_le_bytes());
    }
}

/// Puts an affine transformation, whose columns are `vectors` times `steps`.
fn put_sform(header: &mut [u8], vectors: [[f64; 3]; 3], steps: [f64; 3]) {
    header[254..256].copy_from_slice(&1i16.to_le_bytes());
    for (row, at) in [280, 296, 312].into_iter().enumerate() {
        let [x, y, z] = [0, 1, 2].map(|k: usize| vectors[k][row] * steps[k]);
        put(header, at, &[x, y, z, 7.0]);
    }
}

/// Puts the rotation by the quaternion `b`, `c`, `d`, with the third axis backwards where `last` is -1.
fn put_qform(header: &mut [u8], quaternion: [f64; 3], last: f64) {
    header[252..254].copy_from_slice(&1i16.to_le_bytes());
    put(header, 76, &[last]);
    put(header, 256, &quaternion);
}

fn voxels(folder: &Path, name: &str, content: &[u8]) -> Result<Volume, Fault> {
    let path = folder.join(name);
    fs::write(&path, content).expect("writes");
    let config: VoxelConfig = from_value("test", json!({"file": path})).expect("a config");
    read::voxels(&path, &config)
}

fn built(folder: &Path, geometry: Value) -> Result<Domain, Fault> {
    let geometry: GeometryConfig = from_value("geometry", geometry)?;
    build(&folder.join("CASE.json"), &geometry, &[])
}

#[test]
fn a_field_stored_along_any_axes_is_the_same_volume() {
    let folder = tempfile::tempdir().expect("a folder");
    let to_right_and_front = [-1.0, -1.0, 1.0];
    for stored in Stored::all() {
        let nifti = nifti(stored.shape(), stored.steps(), 2, &stored.values(), |header| {
            put_sform(header, stored.vectors(to_right_and_front), stored.steps());
        });
        for (name, content, unit) in [
            ("a.nrrd", nrrd(stored, "space: left-posterior-superior", [1.0; 3]), Some(1e-3)),
            ("a.nrrd", nrrd(stored, "space: RAS", to_right_and_front), Some(1e-3)),
            ("a.nrrd", nrrd(stored, "space: left-anterior-superior", [1.0, -1.0, 1.0]), Some(1e-3)),
            ("a.nrrd", nrrd(stored, "space dimension: 3", [1.0; 3]), Some(1e-3)),
            ("a.mha", meta_image(stored), Some(1e-3)),
            ("a.vti", vti(stored), None),
            ("a.nii", nifti, Some(1e-3)),
        ] {
            let what = format!("{name} {stored:?}");
            let volume = voxels(folder.path(), name, &content).unwrap_or_else(|fault| panic!("{what}: {fault}"));
            assert_eq!(volume.shape, SHAPE, "{what}");
            let numbers = |values: &Values| (0..values.len()).map(|i| values.number(i)).collect::<Vec<_>>();
            assert_eq!(numbers(&volume.values), numbers(&wanted()), "{what}");
            assert_eq!(volume.unit, unit, "{what}");
            let steps = volume.spacing.expect("a spacing");
            assert!((0..3).all(|k| (steps[k] - STEPS[k]).abs() < 1e-6), "{what}: {steps:?}");
            let is_turned = stored.order != [0, 1, 2] || stored.reversed != [false; 3];
            assert_eq!(volume.notes.len(), usize::from(is_turned), "{what}: {:?}", volume.notes);
        }
    }
}

proptest! {
    #[test]
    fn quaternions_and_matrices_of_the_same_rotation_are_read_alike(
        about in proptest::array::uniform3(-1.0f64..1.0),
        angle in 0.0f64..3.1,
        backwards in proptest::bool::ANY,
    ) {
        let length = about.iter().map(|x| x * x).sum::<f64>().sqrt();
        prop_assume!(length > 0.1);
        let about = about.map(|x| x / length);
        // The rotation of each unit vector about the axis (Rodrigues).
        let (sin, cos) = angle.sin_cos();
        let mut vectors = [0, 1, 2].map(|k| {
            let unit = [0, 1, 2].map(|i| f64::from(i == k));
            [0, 1, 2].map(|i: usize| {
                let [j, l] = [(i + 1) % 3, (i + 2) % 3];
                cos * unit[i] + sin * (about[j] * unit[l] - about[l] * unit[j]) + (1.0 - cos) * about[k] * about[i]
            })
        });
        let last = if backwards { -1.0 } else { 1.0 };
        vectors[2] = vectors[2].map(|x| last * x);
        let quaternion = about.map(|x| x * (angle / 2.0).sin());
        let stored = Stored { order: [0, 1, 2], reversed: [false; 3] };
        let folder = tempfile::tempdir().expect("a folder");
        let file = |place: &dyn Fn(&mut [u8])| nifti(stored.shape(), stored.steps(), 2, &stored.values(), place);
        let matrix = file(&|header| put_sform(header, vectors, stored.steps()));
        let quaternion = file(&|header| put_qform(header, quaternion, last));
        let matrix = voxels(folder.path(), "a.nii", &matrix).expect("reads");
        let quaternion = voxels(folder.path(), "a.nii", &quaternion).expect("reads");
        // Where two turns are as near, rounding decides.
        let mut sizes: Vec<f64> = vectors.iter().flatten().map(|x| x.abs()).collect();
        sizes.sort_by(f64::total_cmp);
        prop_assume!(sizes.windows(2).all(|pair| pair[1] - pair[0] > 1e-5 || pair[0] == pair[1]));
        prop_assert_eq!(matrix.shape, quaternion.shape);
        prop_assert!(matrix.values == quaternion.values);
    }
}

#[test]
fn an_oblique_volume_keeps_its_voxels_and_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let (sin, cos) = 0.2_f64.sin_cos();
    let stored = Stored { order: [0, 1, 2], reversed: [false; 3] };
    let file = nifti(stored.shape(), stored.steps(), 2, &stored.values(), |header| {
        put_sform(header, [[-cos, -sin, 0.0], [sin, -cos, 0.0], [0.0, 0.0, 1.0]], stored.steps());
    });
    let volume = voxels(folder.path(), "a.nii", &file).expect("reads");
    assert!(volume.values == wanted());
    assert_eq!(volume.notes.len(), 1);
    assert!(volume.notes[0].contains("11.5 degrees about (0.000, 0.000, 1.000)"), "{:?}", volume.notes);
    let sheared = nifti(stored.shape(), stored.steps(), 2, &stored.values(), |header| {
        put_sform(header, [[-1.0, 0.2, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0]], stored.steps());
    });
    let fault = voxels(folder.path(), "a.nii", &sheared).expect_err("sheared");
    assert!(
        fault.exit == Exit::Usage && fault.message.contains("sform") && fault.message.contains("resample"),
        "{fault}"
    );
    let void = nifti(stored.shape(), stored.steps(), 2, &stored.values(), |header| {
        put_sform(header, [[0.0; 3]; 3], stored.steps());
    });
    let fault = voxels(folder.path(), "a.nii", &void).expect_err("no direction");
    assert!(fault.message.contains("sform") && fault.message.contains("axis 0"), "{fault}");
}

#[test]
fn headers_that_contradict_themselves_say_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let stored = Stored { order: [0, 1, 2], reversed: [false; 3] };
    let (steps, upright) = (stored.steps(), [[-1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0]]);
    let nifti = |place: &dyn Fn(&mut [u8])| nifti(stored.shape(), steps, 2, &stored.values(), place);
    // By half a turn about z, as the sform has it.
    let same = |header: &mut [u8]| {
        put_sform(header, upright, steps);
        put_qform(header, [0.0, 0.0, 1.0], 1.0);
    };
    let text = |mha: &str| -> Vec<u8> {
        let header = format!("ObjectType = Image\nNDims = 3\n{mha}DimSize = 5 4 3\nElementSpacing = 1 1 1\n");
        joined(&format!("{header}DistanceUnits = mm\nElementType = MET_UCHAR\nElementDataFile = LOCAL\n"), &[1; 60])
    };
    let nrrd = |more: &str| -> Vec<u8> {
        let header =
            format!("NRRD0004\ntype: uint8\ndimension: 3\nsizes: 5 4 3\nspace: left-posterior-superior\n{more}");
        joined(&format!("{header}space units: \"mm\" \"mm\" \"mm\"\nencoding: raw\n\n"), &[1; 60])
    };
    let only_size = String::from_utf8_lossy(&text("")).replace("ElementSpacing", "ElementSize").into_bytes();
    let directions = "space directions: (0.4,0,0) (0,0.5,0) (0,0,0.7)\n";
    let cases: [(&str, Vec<u8>, &[&str]); 16] = [
        ("a.nrrd", nrrd(directions), &[]),
        ("a.nrrd", nrrd(&format!("{directions}spacings: 0.4 0.5 0.7\n")), &[]),
        (
            "a.nrrd",
            nrrd(&format!("spacings: 1 1 1\n{directions}")),
            &["0.4000 x 0.5000 x 0.7000, its \"spacings\" of 1.0000 x"],
        ),
        (
            "a.nrrd",
            nrrd(&format!("{directions}units: \"cm\" \"cm\" \"cm\"\n")),
            &["its \"space units\" are \"mm\" \"mm\" \"mm\", its \"units\" \"cm\""],
        ),
        ("a.nrrd", nrrd(&format!("{directions}kinds: domain space ???\n")), &[]),
        ("a.nii", nifti(&same), &[]),
        ("a.nii", nifti(&|header| put_sform(header, upright, steps.map(|step| step * 1.0001))), &[]),
        ("a.nii", nifti(&|header| put_sform(header, upright, steps.map(|step| 2.0 * step))), &["pixdim"]),
        (
            "a.nii",
            nifti(&|header| {
                put_sform(header, upright, steps);
                put_qform(header, [0.0; 3], 1.0);
            }),
            &["differ by 180.0 degrees"],
        ),
        ("a.mha", text("TransformMatrix = 1 0 0 0 1 0 0 0 1\nAnatomicalOrientation = RAI\n"), &[]),
        ("a.mha", text("AnatomicalOrientation = ???\n"), &[]),
        ("a.mha", text("AnatomicalOrientation = LPI\n"), &["AnatomicalOrientation LPI"]),
        ("a.mha", text("TransformMatrix = 2 0 0 0 2 0 0 0 2\n"), &["2.0000, 2.0000, 2.0000 long"]),
        ("a.mha", text("ElementSize = 1 1 2\n"), &["its ElementSize of 1.0000 x 1.0000 x 2.0000"]),
        ("a.mha", text("ElementSize = 1 1 1\n"), &[]),
        ("a.mha", only_size, &["no ElementSpacing: its ElementSize is taken"]),
    ];
    for (name, content, told) in cases {
        let volume = voxels(folder.path(), name, &content).expect("reads");
        assert_eq!(volume.notes.len(), told.len(), "{:?}", volume.notes);
        assert!(volume.notes.iter().zip(told).all(|(note, piece)| note.contains(piece)), "{:?}", volume.notes);
    }
    let fault = voxels(folder.path(), "a.nrrd", &nrrd(&format!("{directions}kinds: vector domain domain\n")));
    let fault = fault.expect_err("numbers of a vector");
    assert!(fault.exit == Exit::Usage && fault.message.contains("axis 1 holds the numbers of a \"vector\""), "{fault}");
    let spacing =
        voxels(folder.path(), "a.nrrd", &nrrd(&format!("spacings: 1 1 1\n{directions}"))).expect("reads").spacing;
    assert_eq!(spacing, Some([0.4, 0.5, 0.7]));
    for (name, content, field) in [
        ("a.nrrd", nrrd(&format!("{directions}space directions: (1,0,0) (0,1,0) (0,0,1)\n")), "space directions"),
        ("a.mha", text("ElementSpacing = 2 2 2\n"), "ElementSpacing"),
    ] {
        let fault = voxels(folder.path(), name, &content).expect_err("a field twice");
        assert!(fault.exit == Exit::Usage && fault.message.contains(&format!("\"{field}\" twice")), "{fault}");
    }
}

#[test]
fn units_come_from_the_header_or_from_the_config() {
    let folder = tempfile::tempdir().expect("a folder");
    let cubes = [0.5; 3];
    for (units, metres) in [(1, 1.0), (2, 1e-3), (3, 1e-6), (2 | 8, 1e-3)] {
        fs::write(folder.path().join("a.nii"), nifti(SHAPE, cubes, units, &[1; 60], |_| ())).expect("writes");
        let domain = built(folder.path(), json!({"voxels": {"file": "a.nii"}})).expect("builds");
        assert!((domain.spacing / (0.5 * metres) - 1.0).abs() < 1e-6, "{}", domain.spacing);
    }
    let other = built(folder.path(), json!({"voxels": {"file": "a.nii", "header_unit": "1 um"}})).expect("builds");
    assert!((other.spacing / 0.5e-6 - 1.0).abs() < 1e-6);
    assert!(other.report.header[0].contains("1 um by \"header_unit\", in place of 1 mm"), "{:?}", other.report.header);
    let edges = json!({"voxels": {"file": "a.nii", "edges": ["2 um", "2 um", "2 um"]}});
    let other = built(folder.path(), edges).expect("builds");
    assert!((other.spacing / 2e-6 - 1.0).abs() < 1e-6);
    assert!(other.report.header[0].contains("in place of 0.5 x 0.5 x 0.5 mm"), "{:?}", other.report.header);

    let none = nifti(SHAPE, cubes, 0, &[1; 60], |_| ());
    fs::write(folder.path().join("a.nii"), none).expect("writes");
    for (geometry, pieces) in [
        (json!({"voxels": {"file": "a.nii"}}), &["0.5 x 0.5 x 0.5", "\"header_unit\"", "\"spacing\""][..]),
        (
            json!({"voxels": {"file": "a.nii", "header_unit": "1 mm", "edges": ["1 mm", "1 mm", "1 mm"]}}),
            &["\"edges\" and \"header_unit\"", "take one out"],
        ),
        (json!({"voxels": {"file": "a.nii", "edges": ["1 mm", "1 mm", "2 mm"]}}), &["1 x 1 x 2 mm", "\"spacing\""]),
        (json!({"voxels": {"file": "a.nii", "header_unit": "1 km"}, "spacing": "1 um"}), &["1e-6", "check the units"]),
        (
            json!({"voxels": {"file": "a.nii", "header_unit": "1 mm"}, "spacing": "0.2 mm", "refine": {"factor": 2}}),
            &["\"refine\"", "take one of them out"],
        ),
        (
            json!({"voxels": {"file": "a.nii", "header_unit": "1 mm"}, "spacing": "0.3 mm", "periodic": ["x"]}),
            &["periodic", "8.333", "along x"],
        ),
    ] {
        let fault = built(folder.path(), geometry).expect_err(pieces[0]);
        assert_eq!(fault.exit, Exit::Usage);
        assert!(pieces.iter().all(|piece| fault.message.contains(piece)), "{fault}");
    }
    fs::write(folder.path().join("a.nii"), nifti(SHAPE, STEPS, 0, &[1; 60], |_| ())).expect("writes");
    let fault = built(folder.path(), json!({"voxels": {"file": "a.nii"}, "spacing": "1 um"})).expect_err("no cubes");
    assert!(fault.message.contains("x 0.75") && fault.message.contains("\"header_unit\""), "{fault}");
    for steps in [[0.0; 3], [f64::NAN; 3]] {
        fs::write(folder.path().join("a.nii"), nifti(SHAPE, steps, 2, &[1; 60], |_| ())).expect("writes");
        let fault = built(folder.path(), json!({"voxels": {"file": "a.nii"}})).expect_err("no edges");
        assert!(fault.message.contains("an edge of a voxel is") && fault.message.contains("\"edges\""), "{fault}");
    }
    let nrrd = "NRRD0004\ntype: uint8\ndimension: 3\nspacings: 1 1 1\nunits: \"mm\" \"mm\" \"um\"\nsizes: 1 1 2\nencoding: raw\n\nab";
    let fault = voxels(folder.path(), "a.nrrd", nrrd.as_bytes()).expect_err("two units");
    assert!(fault.message.contains("differ by direction"), "{fault}");
}

#[test]
fn what_is_no_number_is_not_fluid_by_default() {
    let folder = tempfile::tempdir().expect("a folder");
    let values: Vec<u8> = [1.0, f32::NAN, 0.0].into_iter().flat_map(f32::to_le_bytes).collect();
    fs::write(folder.path().join("a.raw"), values).expect("writes");
    let raw = json!({"file": "a.raw", "shape": [3, 1, 1], "type": "f32"});
    let fault = built(folder.path(), json!({"voxels": raw, "spacing": "1 um"})).expect_err("NaN");
    assert!(fault.message.contains("NaN") && fault.message.contains("[1, 0, 0]"), "{fault}");
}

/// Zero is wall without rules, so that a smooth mask would be fluid all over.
#[test]
fn values_without_rules_are_labels() {
    let folder = tempfile::tempdir().expect("a folder");
    let made = |values: &[f32], more: Value| {
        fs::write(folder.path().join("a.raw"), values.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>())
            .expect("writes");
        let voxels = json!({"file": "a.raw", "shape": [2, 2, 2], "type": "f32"});
        let mut geometry = json!({"voxels": voxels, "spacing": "1 um"});
        more.as_object().expect("keys").iter().for_each(|(key, value)| geometry[key] = value.clone());
        built(folder.path(), geometry)
    };
    let soft = [1.0, 1.0, 0.5, 0.01, 0.01, 0.01, 0.01, 0.01];
    let fault = made(&soft, json!({})).expect_err("a smooth mask");
    let words = ["geometry.voxels", "from 0.01 to 1.0", "0.5 at voxel [0, 1, 0]", "\"above\": 0.5"];
    assert!(fault.exit == Exit::Usage && words.iter().all(|word| fault.message.contains(word)), "{fault}");
    let fault = made(&[-1.5, -0.5, 0.5, 2.5, 1.0, 1.0, 1.0, 1.0], json!({})).expect_err("a level set");
    assert!(fault.message.contains("\"above\": 0,"), "{fault}");
    let rules = json!({"rules": [{"above": 0.5, "is": "fluid"}, {"any": true, "is": "wall"}]});
    let domain = made(&soft, rules).expect("builds");
    assert_eq!((domain.report.fluid, domain.report.warnings.len()), (3, 0));
    let domain = made(&[0.0, 7.0, 7.0, 7.0, 7.0, 7.0, 7.0, 7.0], json!({})).expect("a mask");
    assert_eq!((domain.report.fluid, domain.report.warnings.len()), (7, 0));
    let domain = made(&[0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 2.0, 3.0], json!({})).expect("labels");
    assert_eq!(domain.report.fluid, 7);
    assert!(domain.report.warnings[0].contains("values from 1.0 to 3.0"), "{:?}", domain.report.warnings);
}

/// A tilted ellipsoid in metres: how far inside a point is, in a measure that is linear near its surface.
fn inside([x, y, z]: [f64; 3]) -> f64 {
    let [x, y, z] = [x - 10.0, y - 10.0, z - 10.5];
    let (u, w) = (0.8 * x + 0.6 * z, 0.8 * z - 0.6 * x);
    1.0 - ((u / 8.0).powi(2) + (y / 6.0).powi(2) + (w / 7.0).powi(2)).sqrt()
}

/// The volume, and the middle, of the fluid of a domain.
fn volume_and_middle(domain: &Domain) -> (f64, [f64; 3]) {
    let (mut count, mut sums) = (0, [0; 3]);
    let [nx, ny, _] = domain.extent;
    for i in (0..domain.sites.len()).filter(|&i| domain.sites[i] == Site::FLUID) {
        count += 1;
        [i % nx, i / nx % ny, i / (nx * ny)].iter().zip(&mut sums).for_each(|(at, sum)| *sum += at);
    }
    let middle = [0, 1, 2].map(|k| domain.origin[k] + (sums[k] as f64 / f64::from(count) + 0.5) * domain.spacing);
    (f64::from(count) * domain.spacing.powi(3), middle)
}

#[test]
fn voxels_that_are_no_cubes_become_a_lattice_of_the_asked_spacing() {
    let folder = tempfile::tempdir().expect("a folder");
    let exact = 4.0 / 3.0 * std::f64::consts::PI * 8.0 * 6.0 * 7.0;
    let (shape, edges) = ([40, 40, 14], [0.5, 0.5, 1.5]);
    let centres = || {
        (0..shape.iter().product::<usize>()).map(|i| {
            let at = [i % shape[0], i / shape[0] % shape[1], i / (shape[0] * shape[1])];
            inside([0, 1, 2].map(|k| (at[k] as f64 + 0.5) * edges[k]))
        })
    };
    let labels: Vec<u8> = centres().map(|level| u8::from(level > 0.0)).collect();
    let levels: Vec<u8> = centres().flat_map(|level| (level as f32).to_le_bytes()).collect();
    fs::write(folder.path().join("labels.raw"), labels).expect("writes");
    fs::write(folder.path().join("levels.raw"), levels).expect("writes");
    // Between slices 1.5 apart a level of this curvature is lower than the straight line by up to 1.5^2 / 8 / 6.
    for (file, kind, rules, tolerance) in [
        ("labels.raw", "u8", Value::Null, 0.02),
        ("levels.raw", "f32", json!([{"above": 0, "is": "fluid"}, {"any": true, "is": "wall"}]), 0.012),
        ("levels.raw", "f32", json!([{"below": 0, "is": "wall"}, {"above": 0, "is": "fluid"}]), 0.012),
    ] {
        for spacing in ["0.25 m", "0.4 m", "0.7 m"] {
            let voxels = json!({"file": file, "shape": shape, "type": kind, "edges": ["0.5 m", "0.5 m", "1.5 m"]});
            let mut geometry = json!({"voxels": voxels, "spacing": spacing});
            if !rules.is_null() {
                geometry["rules"] = rules.clone();
            }
            let domain = built(folder.path(), geometry).expect("builds");
            assert!(domain.report.header[0].contains("resampled from voxels of 0.5 x 0.5 x 1.5 m"));
            let (volume, middle) = volume_and_middle(&domain);
            assert!((volume / exact - 1.0).abs() < tolerance, "{file} at {spacing}: {volume} for {exact}");
            for (found, exact) in middle.into_iter().zip([10.0, 10.0, 10.5]) {
                assert!((found - exact).abs() < 0.06, "{file} at {spacing}: {middle:?}");
            }
        }
    }
}

/// An .npy file of version 1.
fn npy(descr: &str, fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
    let fortran = if fortran { "True" } else { "False" };
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}");
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    [&b"\x93NUMPY\x01\x00"[..], &(header.len() as u16).to_le_bytes(), header.as_bytes(), data].concat()
}

#[test]
fn arrays_of_numpy_are_read_in_both_orders() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.npy");
    let read = |keys: Value| {
        let mut config = json!({"file": path});
        keys.as_object().expect("keys").iter().for_each(|(key, value)| config[key] = value.clone());
        read::voxels(&path, &from_value("test", config)?)
    };
    // x fastest: what C's order stores of array[z, y, x], and Fortran's of array[x, y, z].
    let x_fastest: Vec<u8> = (0..60).map(|i| value([i % 5, i / 5 % 4, i / 20])).collect();
    let z_fastest: Vec<u8> = (0..60).map(|i| value([i / 12, i / 3 % 4, i % 3])).collect();
    for (order, fortran, shape, data) in [
        ("zyx", false, "(3, 4, 5)", &x_fastest),
        ("zyx", true, "(3, 4, 5)", &z_fastest),
        ("xyz", false, "(5, 4, 3)", &z_fastest),
        ("xyz", true, "(5, 4, 3)", &x_fastest),
    ] {
        fs::write(&path, npy("|u1", fortran, shape, data)).expect("writes");
        let volume = read(json!({"order": order})).expect("reads");
        assert_eq!(volume.shape, SHAPE, "{order} {fortran}");
        assert!(volume.values == wanted(), "{order} {fortran}");
    }
    let numbers =
        |values: &[i64], bytes: fn(i64) -> Vec<u8>| values.iter().flat_map(|&v| bytes(v)).collect::<Vec<u8>>();
    let few = [0, 1, 2, 100, 7, 5];
    let floats = Values::F64(few.map(|v| v as f64).to_vec());
    for (descr, data, wanted) in [
        ("<i8", numbers(&few, |v| v.to_le_bytes().to_vec()), floats.clone()),
        (">i8", numbers(&few, |v| v.to_be_bytes().to_vec()), floats.clone()),
        ("<u8", numbers(&few, |v| v.to_le_bytes().to_vec()), floats),
        ("<i4", numbers(&few, |v| (v as i32).to_le_bytes().to_vec()), Values::I32(few.map(|v| v as i32).to_vec())),
        (">f4", numbers(&few, |v| (v as f32).to_be_bytes().to_vec()), Values::F32(few.map(|v| v as f32).to_vec())),
        ("|b1", numbers(&few, |v| vec![u8::from(v > 0)]), Values::U8(vec![0, 1, 1, 1, 1, 1])),
    ] {
        fs::write(&path, npy(descr, false, "(2, 3)", &data)).expect("writes");
        let volume = read(json!({})).expect(descr);
        assert_eq!((volume.shape, volume.values), ([3, 2, 1], wanted), "{descr}");
    }
    for (content, word) in [
        (npy("<i8", false, "(1, 1)", &(1i64 << 60 | 1).to_le_bytes()), "more digits"),
        (npy("<c8", false, "(2, 3)", &[0; 48]), "\"<c8\""),
        (npy("=i4", false, "(2, 3)", &[0; 24]), "byte order"),
        (npy("|u1", false, "(6,)", &[0; 6]), "1 indices"),
        (npy("|u1", false, "(2, 3)", &[0; 5]), "cut short"),
        (npy("|u1", false, "(2, 3)", &[0; 7]), "damaged"),
        (npy("|u1", false, "(2, x)", &[0; 6]), "shape"),
        (npy("|u1", false, "(99999999, 99999999, 99999999)", &[0; 6]), "limit"),
        (b"\x93NUMPY\x02\x00\xff\xff\xff\x7f".to_vec(), "claims 2147483647 bytes"),
        (b"\x93NUMPY\x01\x00\x20\x00{'descr'".to_vec(), "cut short"),
    ] {
        fs::write(&path, content).expect("writes");
        let fault = read(json!({})).expect_err(word);
        assert!(
            fault.exit == Exit::Usage && fault.message.contains(word) && fault.message.contains("a.npy"),
            "{fault}"
        );
    }
    let fields = "\x01\x00\x40\x00{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (2, 3)}";
    fs::write(&path, joined("", &[b"\x93NUMPY", fields.as_bytes()].concat())).expect("writes");
    let fault = read(json!({})).expect_err("fields");
    assert_eq!(fault.exit, Exit::Usage);
    let fault = read(json!({"order": "zxy"})).expect_err("no such order");
    assert!(fault.message.contains("zxy"), "{fault}");
}
