//! Small suspensions, and what a run of cells has to hold.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use hematite_case::{Case, Header};
use hematite_dump::{CellFrame, CellReader, Ledger, TrackReader};
use serde_json::{Value, json};

use crate::draw::{Picture, Voxels};
use crate::{Folder, is_full};

/// A drawn domain with the configs of a case with cells and of a run.
#[derive(Clone, Debug)]
pub struct Suspension {
    /// Name of the drawing.
    pub file: &'static str,
    /// The drawing.
    pub content: Vec<u8>,
    /// `case.json`.
    pub case: Value,
    /// `run.json`.
    pub run: Value,
}

/// The files of a folder, by name.
type Files = BTreeMap<PathBuf, Vec<u8>>;

/// The drawing and the config of a case.
type Input = (Vec<u8>, String);

/// What `mkcase` made in this process so far.
static MADE: Mutex<BTreeMap<Input, Arc<OnceLock<Files>>>> = Mutex::new(BTreeMap::new());

impl Suspension {
    /// A folder with the drawing, `case.json`, `case.h5` and `run.json`. Tests with the same case get copies of one.
    pub fn folder(&self) -> Folder {
        let input = (self.content.clone(), self.case.to_string());
        let made = MADE.lock().unwrap_or_else(PoisonError::into_inner).entry(input).or_default().clone();
        let folder = Folder::new();
        for (name, content) in made.get_or_init(|| self.make()) {
            folder.write(&name.to_string_lossy(), content);
        }
        self.write(&folder);
        folder
    }

    fn make(&self) -> Files {
        let folder = Folder::new();
        self.write(&folder);
        let _made = folder.mkcase(&["case.json", "--quiet", "--picture=none"]).done();
        let root = folder.path("");
        let named = |path: PathBuf| path.strip_prefix(&root).expect("a file of the folder").to_owned();
        folder.content().into_iter().filter_map(|(path, content)| Some((named(path), content?))).collect()
    }

    /// Writes drawing and configs.
    pub fn write(&self, folder: &Folder) {
        folder.write(self.file, &self.content);
        folder.json("case.json", &self.case);
        folder.json("run.json", &self.run);
    }
}

/// Red and white cells in a wide, bent channel that is periodic along x: four parts of it meet in corners.
pub fn bent_channel() -> Suspension {
    let picture = Picture::of(64, 48, |x, y| {
        let bend = 2.5 * (std::f64::consts::TAU * x as f64 / 64.0).sin();
        (4.0 + bend..43.0 + bend).contains(&(y as f64))
    });
    Suspension {
        file: "bent.pgm",
        content: picture.pgm(),
        case: json!({
            "geometry": {"image": "bent.pgm", "spacing": "1 um", "periodic": ["x"]},
            "cells": [
                {"name": "red", "shape": {"kind": "red_cell"}, "hematocrit": 0.35},
                {"name": "white", "shape": {"kind": "disc", "radius": "4 um"}, "count": 3}
            ],
            "parts": [4]
        }),
        run: run("1.6 MPa/m", 2),
    }
}

/// Red cells in a long channel that is periodic along x: each rank holds but some of them.
pub fn long_channel() -> Suspension {
    let picture = Picture::of(160, 30, |x, y| {
        let bend = 1.5 * (2.0 * std::f64::consts::TAU * x as f64 / 160.0).sin();
        (2.0 + bend..27.0 + bend).contains(&(y as f64))
    });
    Suspension {
        file: "long.pgm",
        content: picture.pgm(),
        case: json!({
            "geometry": {"image": "long.pgm", "spacing": "1 um", "periodic": ["x"]},
            "cells": [{"name": "red", "shape": {"kind": "red_cell"}, "hematocrit": 0.25}],
        }),
        run: run("2.2 MPa/m", 2),
    }
}

/// Red cells and platelets in a tube that is periodic along x and short: they come past the ends of all parts.
pub fn tube() -> Suspension {
    let voxels = Voxels::of([22, 14, 14], |[_, y, z]| (y as f64 - 6.5).hypot(z as f64 - 6.5) < 6.4);
    Suspension {
        file: "tube.mha",
        content: voxels.mha(),
        case: json!({
            "geometry": {"voxels": {"file": "tube.mha"}, "spacing": "1 um", "periodic": ["x"]},
            "cells": [
                {"name": "red", "shape": {"kind": "red_cell", "vertices": 162}, "count": 4},
                {"name": "platelet", "shape": {"kind": "platelet", "diameter": "4 um", "thickness": "2 um", "vertices": 42}, "count": 2}
            ],
            "parts": [4]
        }),
        run: run("26 MPa/m", 3),
    }
}

/// Rigid discs and rods, dense, in a pipe that is periodic along x and short: four parts of it meet in corners.
pub fn pipe() -> Suspension {
    let voxels = Voxels::of([24, 18, 18], |[_, y, z]| (y as f64 - 8.5).hypot(z as f64 - 8.5) < 8.4);
    let mut run = bodies_run();
    run["drive"] = json!({"pressure_drop": {"axis": "x", "drop": "40 Pa"}});
    Suspension {
        file: "pipe.mha",
        content: voxels.mha(),
        case: json!({
            "geometry": {"voxels": {"file": "pipe.mha"}, "spacing": "2 um", "periodic": ["x"]},
            "cells": [
                {
                    "name": "red",
                    "rigid": true,
                    "shape": {"kind": "ellipsoid", "axes": ["8 um", "8 um", "3 um"]},
                    "hematocrit": 0.2
                },
                {
                    "name": "rod",
                    "rigid": true,
                    "shape": {"kind": "ellipsoid", "axes": ["10 um", "4 um", "4 um"]},
                    "count": 20
                }
            ],
            "parts": [4]
        }),
        run,
    }
}

/// Rigid discs and balls in a tube that forks: they leave through both ends.
pub fn fork() -> Suspension {
    let voxels = Voxels::of([48, 36, 16], |[x, y, z]| {
        let [x, y, z] = [x, y, z].map(|n| n as f64);
        let apart = (0.6 * (x - 16.0)).clamp(0.0, 10.0);
        (y - 17.5 - apart).hypot(z - 7.5) < 6.0 || (y - 17.5 + apart).hypot(z - 7.5) < 6.0
    });
    let mut run = bodies_run();
    run["openings"] = json!({
        "inlet": {"velocity": "40 mm/s", "ramp": "100 us"},
        "lower": {"pressure": "0 Pa"},
        "upper": {"pressure": "0 Pa"}
    });
    let within = |low: &str, high: &str| json!({"min": ["0 um", low, "0 um"], "max": ["96 um", high, "32 um"]});
    Suspension {
        file: "fork.mha",
        content: voxels.mha(),
        case: json!({
            "geometry": {"voxels": {"file": "fork.mha"}, "spacing": "2 um"},
            "openings": [
                {"name": "inlet", "kind": "velocity", "face": "x-"},
                {"name": "lower", "kind": "pressure", "face": "x+", "within": within("0 um", "36 um")},
                {"name": "upper", "kind": "pressure", "face": "x+", "within": within("36 um", "72 um")}
            ],
            "cells": [
                {
                    "name": "red",
                    "rigid": true,
                    "shape": {"kind": "ellipsoid", "axes": ["8 um", "8 um", "3 um"]},
                    "hematocrit": 0.15
                },
                {"name": "ball", "rigid": true, "shape": {"kind": "sphere", "radius": "2 um"}, "count": 40}
            ],
            "parts": [4]
        }),
        run,
    }
}

/// Red and white cells and rigid platelets, dense, in a pipe that is periodic along x.
pub fn platelets() -> Suspension {
    let voxels = Voxels::of([26, 18, 18], |[_, y, z]| (y as f64 - 8.5).hypot(z as f64 - 8.5) < 8.4);
    let mut run = run("24 MPa/m", 3);
    run["time"]["steps"] = json!(300);
    run["dumps"] = json!([{"every": 100}]);
    run["cell_dumps"] = json!({"every": 100, "at": [111]});
    Suspension {
        file: "pipe.mha",
        content: voxels.mha(),
        case: json!({
            "geometry": {"voxels": {"file": "pipe.mha"}, "spacing": "1 um", "periodic": ["x"]},
            "cells": members(7, 24),
            "parts": [4]
        }),
        run,
    }
}

/// The same in a tube between openings, through which they leave.
pub fn street() -> Suspension {
    let voxels = Voxels::of([60, 14, 14], |[_, y, z]| (y as f64 - 6.5).hypot(z as f64 - 6.5) < 6.4);
    let mut run = platelets().run;
    run.as_object_mut().expect("a run").remove("drive");
    run["time"]["steps"] = json!(420);
    run["openings"] = json!({"in": {"velocity": "230 mm/s", "ramp": "10 us"}, "out": {"pressure": "0 Pa"}});
    Suspension {
        file: "street.mha",
        content: voxels.mha(),
        case: json!({
            "geometry": {"voxels": {"file": "street.mha"}, "spacing": "1 um"},
            "openings": [
                {"name": "in", "kind": "velocity", "face": "x-"},
                {"name": "out", "kind": "pressure", "face": "x+"}
            ],
            "cells": members(14, 30),
            "parts": [4]
        }),
        run,
    }
}

/// The same, where both come in, too.
pub fn refilled_street() -> Suspension {
    let mut suspension = street();
    suspension.run["openings"]["in"]["velocity"] = json!("330 mm/s");
    suspension.run["time"]["steps"] = json!(640);
    suspension.run["cells"] = json!({"inflow": {"in": {}}});
    suspension.run["bodies"] = json!({"inflow": {"in": {}}});
    suspension
}

/// Cells with membranes, and rigid bodies between them.
fn members(red: u32, platelets: u32) -> Value {
    let platelet = json!({"kind": "platelet", "diameter": "3.2 um", "thickness": "1.6 um", "vertices": 42});
    json!([
        {"name": "red", "shape": {"kind": "red_cell", "vertices": 162}, "count": red},
        {"name": "platelet", "rigid": true, "shape": platelet, "count": platelets},
        {"name": "white", "shape": {"kind": "sphere", "radius": "3 um", "vertices": 162}, "count": 1}
    ])
}

fn bodies_run() -> Value {
    json!({
        "case": "case.h5",
        "fluid": {"lattice_boltzmann": {"density": "1025 kg/m3", "viscosity": "1.2 mPa s", "tau": 1.2}},
        "time": {"steps": 600},
        "dumps": [{"every": 200}],
        "cell_dumps": {"every": 100, "at": [111]},
        "tracks": {"every": 111},
        "monitor": {"every": 20}
    })
}

fn run(force: &str, dimension: usize) -> Value {
    let force = [&[force], &["0 Pa/m"; 2][..dimension - 1]].concat();
    json!({
        "case": "case.h5",
        "fluid": {"lattice_boltzmann": {"density": "1025 kg/m3", "viscosity": "1.2 mPa s"}},
        "time": {"step": "0.1 us", "steps": 1250},
        "drive": {"force": force},
        "dumps": [{"every": 250}],
        "cell_dumps": {"every": 125, "at": [333]},
        "tracks": {"every": 111},
        "monitor": {"every": 100}
    })
}

/// What the runs of a case are compared with: the case's sites, and who owns them in a partition.
pub struct Parts {
    header: Header,
    owner: HashMap<[i32; 3], usize>,
}

impl Parts {
    /// Those of a stored partition.
    ///
    /// # Panics
    /// When the case does not hold it.
    pub fn stored(case: &Path, parts: usize) -> Self {
        let case = Case::open(case).expect("a case");
        assert!(case.partition_stored(parts), "no partition for {parts}");
        Self::of(&case, |rank| case.part(parts, rank).expect("a part"), parts)
    }

    /// Those that a run makes for itself.
    ///
    /// # Panics
    /// When there is no case.
    pub fn made(case: &Path, parts: usize) -> Self {
        let case = Case::open(case).expect("a case");
        let lattice = case.lattice().expect("a lattice");
        let partition = hematite_case::Partition::make(&lattice, parts).expect("a partition");
        Self::of(&case, |rank| hematite_case::Part::of(&lattice, &partition, rank).expect("a part"), parts)
    }

    fn of(case: &Case, part: impl Fn(usize) -> hematite_case::Part, parts: usize) -> Self {
        let own = |rank| {
            let part = part(rank);
            part.position[..part.own].iter().map(|&site| (site, rank)).collect::<Vec<_>>()
        };
        Self { header: case.header().clone(), owner: (0..parts).flat_map(own).collect() }
    }

    /// Who owns the site at a place in metres.
    fn owner(&self, place: [f64; 3]) -> Option<usize> {
        let header = &self.header;
        let site = [0, 1, 2].map(|k| {
            if k >= header.set.dimension() {
                return 0;
            }
            let site = ((place[k] - header.origin[k]) / header.spacing).floor() as i32;
            if header.periodic[k] { site.rem_euclid(header.extent[k] as i32) } else { site }
        });
        self.owner.get(&site).copied()
    }

    /// Expects that cells move by `far` lattice spacings in the mean, that `crossing` of them go over to another part,
    /// and that some cell lies on `meeting` parts at once.
    ///
    /// # Panics
    /// When they do not.
    pub fn crossed(&self, run: &Path, far: f64, crossing: usize, meeting: usize) {
        let cells = CellReader::open(&run.join("cells.vtkhdf")).expect("a dump of cells");
        let frames: Vec<CellFrame> = (0..cells.steps().len()).map(|k| cells.frame(k).expect("a frame")).collect();
        let (first, last) = (&frames[0], frames.last().expect("a frame"));
        let count = first.id.len();
        let (start, end) = (centroids(&cells, first), centroids(&cells, last));
        let period = [0, 1, 2].map(|k| self.header.extent[k] as f64 * self.header.spacing);
        let moved = |n: usize| {
            let along =
                |k: usize| end[n][k] - start[n][k] + f64::from(last.image[n][k] - first.image[n][k]) * period[k];
            (along(0).powi(2) + along(1).powi(2) + along(2).powi(2)).sqrt() / self.header.spacing
        };
        let mean = (0..count).map(moved).sum::<f64>() / count as f64;
        assert!(mean > far, "cells move by {mean} lattice spacings");
        let went = (0..count).filter(|&n| self.owner(start[n]) != self.owner(end[n])).count();
        assert!(went >= crossing, "{went} of {count} cells went over to another part");
        let parts_of = |frame: &CellFrame, range: std::ops::Range<usize>| {
            let mut parts: Vec<usize> = frame.position[range].iter().filter_map(|&x| self.owner(x)).collect();
            parts.sort_unstable();
            parts.dedup();
            parts.len()
        };
        let most = |frame: &CellFrame| {
            frame.vertices(cells.kinds()).into_iter().map(|range| parts_of(frame, range)).max().unwrap_or(0)
        };
        let most = frames.iter().map(most).max().unwrap_or(0);
        assert!(most >= meeting, "no cell lies on more than {most} parts");
    }
}

/// Mean of each cell's vertices.
fn centroids(cells: &CellReader, frame: &CellFrame) -> Vec<[f64; 3]> {
    let mean = |range: std::ops::Range<usize>| {
        let positions = &frame.position[range];
        [0, 1, 2].map(|k| positions.iter().map(|x| x[k]).sum::<f64>() / positions.len() as f64)
    };
    frame.vertices(cells.kinds()).into_iter().map(mean).collect()
}

/// Expects of a run of `steps` steps with `counts` cells in its populations and no way in or out: a ledger that
/// counts them at every line, dumps that hold each of them whole, ascending, and tracks that agree with the surfaces.
///
/// # Panics
/// When any of this does not hold.
pub fn keeps_its_cells(run: &Path, steps: u64, counts: &[u64]) {
    let ledger = Ledger::read(run).expect("a ledger");
    assert_eq!(ledger.populations.len(), counts.len());
    assert_eq!(ledger.rows.last().map(|row| row.step), Some(steps));
    for row in &ledger.rows {
        for (cells, &count) in row.cells.iter().zip(counts) {
            let numbers = [cells.seeded, cells.inside, cells.inserted, cells.left];
            assert_eq!(numbers, [count, count, 0, 0], "step {}", row.step);
        }
    }
    let cells = CellReader::open(&run.join("cells.vtkhdf")).expect("a dump of cells");
    let names: Vec<&str> = cells.kinds().iter().map(|kind| kind.name.as_str()).collect();
    assert_eq!(names, ledger.populations);
    let kinds: Vec<u32> = (0..).zip(counts).flat_map(|(kind, &count)| vec![kind; count as usize]).collect();
    assert_eq!(cells.steps().last().map(|dump| dump.step), Some(steps));
    let tracks = TrackReader::open(run).expect("tracks");
    let mut met = 0;
    for dump in 0..cells.steps().len() {
        let frame = cells.frame(dump).expect("a frame");
        assert!(frame.id.iter().copied().eq(0..kinds.len() as u64), "cells at step {}: {:?}", frame.step, frame.id);
        assert_eq!(frame.kind, kinds, "step {}", frame.step);
        assert!(frame.position.as_flattened().iter().all(|x| x.is_finite()), "step {}", frame.step);
        if let Some(track) = tracks.steps().iter().position(|track| track.step == frame.step) {
            agree(&cells, &frame, &tracks, track);
            met += 1;
        }
    }
    assert!(met > 0, "no surface was dumped when tracks were");
}

/// Tracks and surfaces of one step.
fn agree(cells: &CellReader, frame: &CellFrame, tracks: &TrackReader, track: usize) {
    let near = |a: f64, b: f64, unit: f64| (a - b).abs() < 1e-9 * unit;
    let track = tracks.frame(track).expect("a frame");
    assert_eq!((&track.id, &track.kind, &track.image), (&frame.id, &frame.kind, &frame.image));
    let ranges = frame.vertices(cells.kinds());
    for (n, (range, centroid)) in ranges.into_iter().zip(centroids(cells, frame)).enumerate() {
        let kind = &cells.kinds()[frame.kind[n] as usize];
        let (area, volume) = size(&frame.position[range], &kind.triangles, centroid);
        let at = format!("cell {n} at step {}", frame.step);
        assert!((0..3).all(|k| near(track.centroid[n][k], centroid[k], 1e-5)), "{at}: {:?}", track.centroid[n]);
        assert!(near(track.area[n], area, area), "{at}: area {} and {area}", track.area[n]);
        assert!(near(track.volume[n], volume, volume), "{at}: volume {} and {volume}", track.volume[n]);
    }
}

/// Area and volume of a closed surface; perimeter and area of a ring.
fn size(vertices: &[[f64; 3]], triangles: &[[u32; 3]], about: [f64; 3]) -> (f64, f64) {
    let from = |v: usize| [0, 1, 2].map(|k| vertices[v][k] - about[k]);
    let cross =
        |a: [f64; 3], b: [f64; 3]| [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let minus = |a: [f64; 3], b: [f64; 3]| [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    if triangles.is_empty() {
        let sides = (0..vertices.len()).map(|v| (from(v), from((v + 1) % vertices.len())));
        let (length, doubled) = sides.fold((0.0, 0.0), |(length, doubled), (a, b)| {
            let side = minus(b, a);
            (length + dot(side, side).sqrt(), doubled + cross(a, b)[2])
        });
        return (length, 0.5 * doubled);
    }
    triangles.iter().fold((0.0, 0.0), |(area, volume), corners| {
        let [a, b, c] = corners.map(|v| from(v as usize));
        let normal = cross(minus(b, a), minus(c, a));
        (area + 0.5 * dot(normal, normal).sqrt(), volume + dot(a, cross(b, c)) / 6.0)
    })
}

/// Expects two runs to hold the same bits: by `post compare`, and their tracks.
///
/// # Panics
/// When they do not.
pub fn same(folder: &Folder, a: &str, b: &str) {
    let compared = folder.post(&["compare", a, b]).done();
    assert!(compared.stdout.starts_with("the same"), "{}", compared.stdout);
    let [first, second] = [a, b].map(|run| TrackReader::open(&folder.path(run)).expect("tracks"));
    assert_eq!(first.steps(), second.steps(), "{a} and {b}");
    for frame in 0..first.steps().len() {
        let [first, second] = [&first, &second].map(|tracks| tracks.frame(frame).expect("a frame"));
        assert_eq!(first, second, "tracks of {a} and {b}");
    }
}

/// Expects two runs of any kind to hold the same bits: by `post compare`, their ledgers, and tracks where there are any.
///
/// # Panics
/// When they do not.
pub fn identical(folder: &Folder, a: &str, b: &str) {
    if folder.has(&format!("{a}/tracks.h5")) {
        same(folder, a, b);
    } else {
        let compared = folder.post(&["compare", a, b]).done();
        assert!(compared.stdout.starts_with("the same"), "{}", compared.stdout);
    }
    let [first, second] = [a, b].map(|run| folder.read(&format!("{run}/ledger.csv")));
    assert!(first == second, "the ledgers of {a} and {b} differ");
}

/// Runs the suspension on one rank ("solo"), and ("changing") on 3 ranks as threads up to somewhat more than half of the
/// steps and from there on 2. In the full suite it also runs straight through on 3 ranks as threads, and through MPI on 2
/// and 4. Hands each run by its name to `holds`, and expects the same bits of all.
///
/// # Panics
/// When they differ, or a run fails.
pub fn ranks_agree(suspension: &Suspension, holds: impl Fn(&Folder, &str)) -> Folder {
    let three = |folder: &Folder, more: &[&str]| {
        let _three = folder.run(&[&["run.json", "--threads", "3", "--quiet"], more].concat()).done();
    };
    all_agree(suspension, &three, holds)
}

/// As [`ranks_agree`], but "changing" begins on 4 ranks through MPI.
///
/// # Panics
/// When they differ, or a run fails.
pub fn ranks_agree_under_mpi(suspension: &Suspension, holds: impl Fn(&Folder, &str)) -> Folder {
    let four = |folder: &Folder, more: &[&str]| {
        let _four = folder.mpirun(4, &[&["run.json", "--quiet"], more].concat()).done();
        assert_eq!(folder.read_json("changing/run.json")["ranks"], 4);
    };
    all_agree(suspension, &four, holds)
}

/// Where "changing" is run by `begin` at first.
fn all_agree(suspension: &Suspension, begin: &dyn Fn(&Folder, &[&str]), holds: impl Fn(&Folder, &str)) -> Folder {
    let folder = suspension.folder();
    let steps = suspension.run["time"]["steps"].as_u64().expect("steps");
    // Neither half of the steps nor, mostly, a step at which anything is due.
    begin(&folder, &["-o", "changing", "--steps", &(steps * 5 / 9).to_string()]);
    let rest = ["run.json", "-o", "changing", "--restart", "--threads", "2", "--quiet"];
    let _rest = folder.run(&rest).done();
    let _solo = folder.run_on_all_cores(&["run.json", "-o", "solo", "--quiet"]).done();
    let mut others = vec!["changing"];
    if is_full() {
        let _three = folder.run(&["run.json", "-o", "threads3", "--threads", "3", "--quiet"]).done();
        let _two = folder.mpirun(2, &["run.json", "-o", "mpi2", "--quiet"]).done();
        let _four = folder.mpirun(4, &["run.json", "-o", "mpi4", "--quiet"]).done();
        others.extend(["threads3", "mpi2", "mpi4"]);
    }
    holds(&folder, "solo");
    for other in others {
        holds(&folder, other);
        same(&folder, "solo", other);
    }
    folder
}

/// The ledger of a run of `steps` steps, every line of which counts each body.
///
/// # Panics
/// When one does not.
pub fn balanced_ledger(folder: &Folder, run: &str, steps: u64) -> Ledger {
    let ledger = Ledger::read(&folder.path(run)).expect("a ledger");
    for row in &ledger.rows {
        for bodies in &row.cells {
            assert_eq!(bodies.seeded + bodies.inserted, bodies.inside + bodies.left, "step {} of {run}", row.step);
        }
    }
    assert_eq!(ledger.rows.last().map(|row| row.step), Some(steps));
    ledger
}

/// The numbers of cells in a case, by population.
///
/// # Panics
/// When there is no case.
pub fn counts(case: &Path) -> Vec<u64> {
    let case = Case::open(case).expect("a case");
    case.header().populations.iter().map(|population| population.cells as u64).collect()
}
