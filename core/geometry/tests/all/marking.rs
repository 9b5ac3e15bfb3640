//! Regions and fields on random pictures and volumes, against a search through all pixels in metres.

use std::collections::BTreeMap;
use std::path::Path;

use hematite_config::{Fault, from_value};
use hematite_geometry::{Domain, FieldValues, RegionNodes, Site, build_marked};
use serde_json::{Value, json};

/// What is marked, with the sites of the nodes.
struct Marked {
    domain: Domain,
    positions: Vec<[i32; 3]>,
    regions: Vec<RegionNodes>,
    fields: Vec<FieldValues>,
}

fn marked(folder: &Path, geometry: Value, regions: Value, fields: Value) -> Result<Marked, Fault> {
    let geometry = from_value("geometry", geometry)?;
    let regions: Vec<_> = from_value("regions", regions)?;
    let fields: BTreeMap<_, _> = from_value("fields", fields)?;
    let (domain, marking) = build_marked(&folder.join("CASE.json"), &geometry, &[], &[], &regions, &fields)?;
    let [nx, ny, _] = domain.extent;
    let fluid = (0..domain.sites.len()).filter(|&i| domain.sites[i] == Site::FLUID);
    let positions: Vec<[i32; 3]> = fluid.map(|i| [i % nx, i / nx % ny, i / (nx * ny)].map(|k| k as i32)).collect();
    let regions = marking.regions(&positions)?;
    let fields = marking.fields(&positions, &regions)?;
    Ok(Marked { domain, positions, regions, fields })
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }
}

/// A random volume: 0 is wall, 1 to 4 are fluid, 2 with a label.
struct Sample {
    shape: [usize; 3],
    start: [usize; 3],
    end: [usize; 3],
    periodic: [bool; 3],
    factor: usize,
    smooth: bool,
    codes: Vec<u8>,
    heights: Vec<f32>,
}

impl Sample {
    fn new(seed: u64) -> Self {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678_9abc_def1);
        let dimension = 2 + (seed % 2) as usize;
        let mut shape = [0; 3].map(|_: usize| 4 + random.below(5) as usize);
        if dimension == 2 {
            shape[2] = 1;
        }
        let (mut start, mut end) = ([0; 3], shape);
        if random.below(2) == 1 {
            for axis in 0..dimension {
                start[axis] = random.below(2) as usize;
                end[axis] -= random.below(2) as usize;
            }
        }
        let count = shape.iter().product();
        let codes = (0..count).map(|_| if random.below(4) == 0 { 0 } else { 1 + random.below(4) as u8 }).collect();
        Self {
            shape,
            start,
            end,
            periodic: [0, 1, 2].map(|axis| axis < dimension && random.below(2) == 1),
            factor: 1 + random.below(4) as usize,
            smooth: random.below(2) == 1,
            codes,
            heights: (0..count).map(|_| random.below(1000) as f32 / 8.0 - 20.0).collect(),
        }
    }

    fn dimension(&self) -> usize {
        if self.shape[2] == 1 { 2 } else { 3 }
    }

    fn geometry(&self, folder: &Path) -> Value {
        std::fs::write(folder.join("codes.raw"), &self.codes).expect("writes");
        let heights: Vec<u8> = self.heights.iter().flat_map(|height| height.to_le_bytes()).collect();
        std::fs::write(folder.join("heights.raw"), heights).expect("writes");
        let axes: Vec<&str> = (0..3).filter(|&axis| self.periodic[axis]).map(|axis| ["x", "y", "z"][axis]).collect();
        json!({
            "voxels": {"file": "codes.raw", "shape": self.shape, "type": "u8"}, "spacing": "2 m", "keep": "all",
            "rules": [{"equals": 2, "is": "two"}, {"above": 1, "is": "fluid"}, {"any": true, "is": "wall"}],
            "crop": {"min": self.start[..self.dimension()], "max": self.end[..self.dimension()]},
            "refine": {"factor": self.factor, "smooth": self.smooth}, "periodic": axes
        })
    }

    fn code(&self, [x, y, z]: [usize; 3]) -> u8 {
        self.codes[(z * self.shape[1] + y) * self.shape[0] + x]
    }

    fn height(&self, [x, y, z]: [usize; 3]) -> f64 {
        self.heights[(z * self.shape[1] + y) * self.shape[0] + x].into()
    }

    /// The pixels that are used.
    fn pixels(&self) -> impl Iterator<Item = [usize; 3]> + '_ {
        let along = |axis: usize| self.start[axis]..self.end[axis];
        along(2).flat_map(move |z| along(1).flat_map(move |y| along(0).map(move |x| [x, y, z])))
    }

    /// How far a place is from the centre of a pixel along an axis, in pixels, around the seam where there is one.
    fn away(&self, axis: usize, place: f64, pixel: usize) -> f64 {
        let (away, n) = ((place / 2.0 - pixel as f64 - 0.5).abs(), (self.end[axis] - self.start[axis]) as f64);
        if self.periodic[axis] { away.min(n - away) } else { away }
    }

    /// The codes that a node at `place` may have: of the pixel that holds it, or of the nearest ones that are fluid.
    fn codes_at(&self, place: [f64; 3]) -> Vec<u8> {
        let own = place.map(|x| (x / 2.0) as usize);
        if self.code(own) > 0 {
            return vec![self.code(own)];
        }
        assert!(self.smooth, "fluid in a pixel of wall");
        let axes = 0..self.dimension();
        let far = |pixel: &[usize; 3]| axes.clone().map(|axis| self.away(axis, place[axis], pixel[axis]).powi(2)).sum();
        let fluid: Vec<[usize; 3]> = self.pixels().filter(|&pixel| self.code(pixel) > 0).collect();
        let nearest = fluid.iter().map(far).fold(f64::INFINITY, f64::min);
        fluid.into_iter().filter(|pixel| far(pixel) <= nearest + 1e-9).map(|pixel| self.code(pixel)).collect()
    }

    /// The height at `place`: tents over the centres of fluid pixels, flat beyond the outermost ones.
    fn linear(&self, place: [f64; 3]) -> Option<f64> {
        let (mut sum, mut shares) = (0.0, 0.0);
        for pixel in self.pixels().filter(|&pixel| self.code(pixel) > 0) {
            let share = |axis: usize| {
                let (low, high) = (2.0 * self.start[axis] as f64 + 1.0, 2.0 * self.end[axis] as f64 - 1.0);
                let at = if self.periodic[axis] { place[axis] } else { place[axis].clamp(low, high) };
                // Both neighbours of a single pixel around a seam are that pixel.
                let single = self.periodic[axis] && self.end[axis] - self.start[axis] == 1;
                if single { 1.0 } else { (1.0 - self.away(axis, at, pixel[axis])).max(0.0) }
            };
            let share: f64 = (0..self.dimension()).map(share).product();
            sum += share * self.height(pixel);
            shares += share;
        }
        (shares > 1e-9).then(|| sum / shares)
    }
}

#[test]
fn regions_and_fields_are_what_a_search_finds() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut smoothed, mut between) = (0, 0);
    for seed in 0..if std::env::var_os("HEMATITE_FULL").is_some() { 120 } else { 60 } {
        let sample = Sample::new(seed);
        let corner = [3.0, 2.5, 4.0];
        let corner: Vec<String> = corner[..sample.dimension()].iter().map(|x| format!("{x} m")).collect();
        let low = vec!["-9 m"; sample.dimension()];
        let block = json!({"min": low, "max": corner});
        let all = json!([
            {"name": "two", "label": "two"},
            {"name": "three", "equals": 3},
            {"name": "odd", "any_of": [{"equals": 1}, {"between": [3, 3]}]},
            {"name": "corner", "box": block},
            {"name": "mixed", "any_of": [{"box": block}, {"above": 4}]}
        ]);
        let file = json!({"file": "heights.raw", "shape": sample.shape, "type": "f32"});
        let fields = json!({
            "near": {"voxels": file, "unit": "1 m", "interpolation": "nearest"},
            "smooth": {"voxels": file, "unit": "0.5 K", "offset": "3 K"}
        });
        let geometry = sample.geometry(folder.path());
        // One that uses the label and has nodes whatever the sample is.
        let any = json!({"name": "any", "any_of": [{"label": "two"}, {"above": 0}]});
        let is_there =
            |region: &&Value| marked(folder.path(), geometry.clone(), json!([region, any]), json!({})).is_ok();
        let mut wanted: Vec<Value> = all.as_array().expect("a list").iter().filter(is_there).cloned().collect();
        wanted.push(any.clone());
        let found = marked(folder.path(), geometry.clone(), json!(wanted), fields).expect("marks");
        assert_eq!(found.regions[wanted.len() - 1].nodes.len(), found.positions.len());
        let place = |at: [i32; 3]| {
            let metres = |axis: usize| found.domain.origin[axis] + (f64::from(at[axis]) + 0.5) * found.domain.spacing;
            let flat = if sample.dimension() == 2 { 1.0 } else { metres(2) };
            [metres(0), metres(1), flat]
        };
        let within = |place: [f64; 3]| (0..sample.dimension()).all(|axis| place[axis] <= [3.0, 2.5, 4.0][axis] + 1e-9);
        let belongs = |name: &str, place: [f64; 3]| {
            let of = |test: fn(u8) -> bool| {
                let codes = sample.codes_at(place);
                (codes.iter().any(|&code| test(code)), codes.iter().all(|&code| test(code)))
            };
            let boxed = (within(place), within(place));
            let either = |a: (bool, bool), b: (bool, bool)| (a.0 || b.0, a.1 || b.1);
            match name {
                "two" => of(|code| code == 2),
                "three" => of(|code| code == 3),
                "odd" => of(|code| code == 1 || code == 3),
                "corner" => boxed,
                _ => either(boxed, of(|code| code == 4)),
            }
        };
        for name in ["two", "three", "odd", "corner", "mixed"] {
            let Some(region) = found.regions.iter().find(|region| region.name == name) else {
                let nobody = found.positions.iter().all(|&at| !belongs(name, place(at)).1);
                assert!(nobody, "seed {seed}: {name}");
                continue;
            };
            assert!(region.nodes.is_sorted() && !region.nodes.is_empty());
            for (n, &at) in found.positions.iter().enumerate() {
                let holds = region.nodes.binary_search(&(n as u32)).is_ok();
                let (may, must) = belongs(name, place(at));
                assert!(if holds { may } else { !must }, "seed {seed}: {name} at {:?}", place(at));
                smoothed += usize::from(sample.code(place(at).map(|x| (x / 2.0) as usize)) == 0);
            }
        }
        let [near, smooth] = &found.fields[..] else { panic!("two fields") };
        assert_eq!((near.unit.as_str(), smooth.unit.as_str()), ("m", "K"));
        for (n, &at) in found.positions.iter().enumerate() {
            let own = place(at).map(|x| (x / 2.0) as usize);
            if sample.code(own) > 0 {
                assert_eq!(near.values[n], sample.height(own), "seed {seed}");
            }
            if let Some(height) = sample.linear(place(at)) {
                assert!((smooth.values[n] - (0.5 * height + 3.0)).abs() < 1e-6, "seed {seed} at {:?}", place(at));
                between += usize::from(smooth.values[n] != 0.5 * near.values[n] + 3.0);
            }
        }
    }
    assert!(smoothed > 100 && between > 1000, "{smoothed} {between}");
}

/// A picture of 4 by 3 pixels of heights 0 to 11, the lowest row first in y, of which that at (0, 2) is wall.
fn small(folder: &Path) -> Value {
    let heights: Vec<f64> = (0..12).map(|i| if i == 8 { -9999.0 } else { f64::from(i) }).collect();
    let bytes: Vec<u8> = heights.iter().flat_map(|height| height.to_le_bytes()).collect();
    std::fs::write(folder.join("h.raw"), bytes).expect("writes");
    let file = json!({"file": "h.raw", "shape": [4, 3, 1], "type": "f64"});
    json!({"voxels": file, "spacing": "1 m", "rules": [{"above": 0, "is": "fluid"}, {"any": true, "is": "wall"}]})
}

#[test]
fn a_file_of_the_geometry_is_a_field_and_regions_have_their_own_values() {
    let folder = tempfile::tempdir().expect("a folder");
    let geometry = small(folder.path());
    let fields = json!({
        "elevation": {"voxels": geometry["voxels"], "unit": "1 km", "missing": -9999},
        "temperature": {"constant": "300 K", "regions": {"vent": "1360 K", "high": "1360 K"}}
    });
    let regions = json!([{"name": "vent", "equals": 6}, {"name": "high", "above": 6}]);
    let found = marked(folder.path(), geometry, regions, fields).expect("marks");
    let kilometres: Vec<f64> = (0..12).filter(|&i| i != 8).map(|i| 1000.0 * f64::from(i)).collect();
    assert_eq!(found.fields[0].values, kilometres);
    let temperatures: Vec<f64> = (0..12).filter(|&i| i != 8).map(|i| if i < 6 { 300.0 } else { 1360.0 }).collect();
    assert_eq!((found.fields[1].unit.as_str(), &found.fields[1].values), ("K", &temperatures));
    assert_eq!(found.regions[0].nodes, [6]);
    assert_eq!(found.regions[1].nodes, [6, 7, 8, 9, 10]);
}

#[test]
fn what_cannot_be_marked_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let geometry = small(folder.path());
    std::fs::write(folder.path().join("wide.raw"), [0; 15]).expect("writes");
    let holes: Vec<u8> = (0..12).flat_map(|i| (if i == 5 { f32::NAN } else { i as f32 }).to_le_bytes()).collect();
    std::fs::write(folder.path().join("holes.raw"), holes).expect("writes");
    std::fs::write(folder.path().join("red.ppm"), [b"P6 4 3 255\n".as_slice(), &[9; 36]].concat()).expect("writes");
    let (heights, none) = (geometry["voxels"].clone(), json!({}));
    let wide = json!({"file": "wide.raw", "shape": [5, 3, 1], "type": "u8"});
    let holes = json!({"file": "holes.raw", "shape": [4, 3, 1], "type": "f32"});
    let far = json!({"min": ["8 m", "0 m"], "max": ["9 m", "1 m"]});
    let one = |region: Value| json!([region]);
    let vent = json!([{"name": "vent", "equals": 6}, {"name": "high", "above": 6}]);
    for (regions, fields, pieces) in [
        (one(json!({"name": "a"})), none.clone(), &["\"a\"", "0 places", "exactly one of box"][..]),
        (one(json!({"name": "a", "equals": 1, "below": 2})), none.clone(), &["\"a\"", "2 places"]),
        (one(json!({"name": "a", "any_of": []})), none.clone(), &["\"any_of\" is empty"]),
        (one(json!({"name": "a", "any_of": [{"sphere": 1}]})), none.clone(), &["sphere"]),
        (one(json!({"name": "", "equals": 1})), none.clone(), &["regions[0]", "empty"]),
        (one(json!({"name": "a", "label": "red"})), none.clone(), &["no rule", "\"red\""]),
        (one(json!({"name": "a", "label": "fluid"})), none.clone(), &["kind of site"]),
        (one(json!({"name": "a", "colour": "red"})), none.clone(), &["\"a\"", "#rrggbb"]),
        (one(json!({"name": "a", "colour": "#ff0000"})), none.clone(), &["\"a\"", "images of 8 or 16 bit"]),
        (one(json!({"name": "a", "between": [2, 1]})), none.clone(), &["\"a\"", "smaller number first"]),
        (one(json!({"name": "a", "equals": 77})), none.clone(), &["\"a\"", "no fluid node", "0.0, 1.0", "and others"]),
        (one(json!({"name": "a", "box": far})), none.clone(), &["\"a\"", "no fluid node", "4.0000e0 m along x"]),
        (one(json!({"name": "a", "box": {"min": ["1 m"], "max": ["2 m"]}})), none.clone(), &["\"a\"", "2 lengths"]),
        (json!([{"name": "a", "equals": 1}, {"name": "a", "equals": 2}]), none.clone(), &["two of this name"]),
        (vent.clone(), json!({"vent": {"constant": "1"}}), &["a region has this name"]),
        (json!([]), json!({"h": {}}), &["\"h\"", "0 sources"]),
        (json!([]), json!({"h": {"voxels": heights, "constant": "1 m"}}), &["2 sources"]),
        (json!([]), json!({"h": {"voxels": heights}}), &["\"h\"", "needs \"unit\""]),
        (json!([]), json!({"h": {"voxels": heights, "unit": "0 m"}}), &["all values the same"]),
        (json!([]), json!({"h": {"voxels": heights, "unit": "1 fathom"}}), &["fathom"]),
        (
            json!([]),
            json!({"h": {"voxels": heights, "unit": "1 m", "offset": "1 s"}}),
            &["offset", "another dimension"],
        ),
        (json!([]), json!({"h": {"constant": "1 m", "missing": 3}}), &["\"missing\"", "of a file"]),
        (json!([]), json!({"h": {"voxels": wide, "unit": "1 m"}}), &["wide.raw", "[5, 3, 1]", "[4, 3, 1]"]),
        (json!([]), json!({"h": {"image": "red.ppm", "unit": "1 m"}}), &["red.ppm", "colours"]),
        (json!([]), json!({"h": {"image": "lost.png", "unit": "1 m"}}), &["lost.png"]),
        (
            json!([]),
            json!({"h": {"voxels": holes, "unit": "1 m"}}),
            &["\"h\"", "1 fluid node has no value", "(1.5000e0, 1.5000e0) m", "[1, 1, 0]"],
        ),
        (json!([]), json!({"h": {"voxels": heights, "unit": "1 m", "missing": 3}}), &["(3.5000e0, 5.0000e-1) m"]),
        (vent.clone(), json!({"t": {"regions": {"vent": "1 K"}}}), &["\"t\"", "10 fluid nodes", "\"constant\""]),
        (
            vent.clone(),
            json!({"t": {"constant": "1 K", "regions": {"went": "1 K"}}}),
            &["\"went\"", "did you mean \"vent\""],
        ),
        (vent.clone(), json!({"t": {"constant": "1 K", "regions": {"vent": "1 m"}}}), &["\"vent\"", "unit is K"]),
        (
            vent,
            json!({"t": {"constant": "1 K", "regions": {"vent": "1 K", "high": "2 K"}}}),
            &["\"vent\" and \"high\"", "overlap", "(2.5000e0, 1.5000e0) m"],
        ),
    ] {
        let outcome = marked(folder.path(), geometry.clone(), regions.clone(), fields.clone());
        let fault = outcome.err().unwrap_or_else(|| panic!("{regions} {fields} is taken"));
        for piece in pieces {
            assert!(fault.message.contains(piece), "\"{piece}\" is missing: {fault}");
        }
    }
}
