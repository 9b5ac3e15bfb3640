//! Every reader, with a small file that it reads.

use std::path::{Path, PathBuf};

use hematite_case::{Case, NodeId};
use hematite_cells::ShapeConfig;
use hematite_config::{Result, from_value};
use hematite_dump::{CellReader, Checkpoint, FieldReader, Ledger, RunRecord, Timing, TrackReader};
use hematite_geometry::{GeometryConfig, build};
use pipeline_tests::suspension::bent_channel;
use pipeline_tests::{Folder, draw, formats};
use serde_json::json;

/// Reads all there is in a file.
type Read = Box<dyn Fn(&Path) -> Result<()>>;

/// A reader and its file.
pub struct Reader {
    /// What to call it.
    pub name: String,
    /// The file, in the folder.
    pub file: PathBuf,
    /// Reads it.
    pub read: Read,
}

/// Closed surfaces of a cell in the formats of meshes.
const TETRAHEDRON: [(&str, &str); 3] = [
    ("cell.off", "OFF\n4 4 6\n1 1 1\n-1 -1 1\n-1 1 -1\n1 -1 -1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n"),
    (
        "cell.ply",
        "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement face 4\n\
         property list uchar int vertex_indices\nend_header\n1 1 1\n-1 -1 1\n-1 1 -1\n1 -1 -1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n",
    ),
    (
        "cell.stl",
        "solid cell\nfacet normal 0 0 0\nouter loop\nvertex 1 1 1\nvertex -1 1 -1\nvertex -1 -1 1\nendloop\nendfacet\n\
         facet normal 0 0 0\nouter loop\nvertex 1 1 1\nvertex -1 -1 1\nvertex 1 -1 -1\nendloop\nendfacet\n\
         facet normal 0 0 0\nouter loop\nvertex 1 1 1\nvertex 1 -1 -1\nvertex -1 1 -1\nendloop\nendfacet\n\
         facet normal 0 0 0\nouter loop\nvertex -1 -1 1\nvertex -1 1 -1\nvertex 1 -1 -1\nendloop\nendfacet\nendsolid cell\n",
    ),
];

/// A model of terrain.
const LAND: &str = "ncols 4\nnrows 3\nxllcorner 500000\nyllcorner 4170000\ncellsize 10\nNODATA_value -9999\n\
                    120.5 121 122 123\n110 111.25 -9999 113\n100 101 102 103\n";

/// The tetrahedron as binary STL.
fn binary_stl() -> Vec<u8> {
    let corners = [[1.0, 1.0, 1.0], [-1.0, -1.0, 1.0], [-1.0, 1.0, -1.0], [1.0, -1.0, -1.0_f32]];
    let mut bytes = vec![0; 80];
    bytes.extend(4_u32.to_le_bytes());
    for triangle in [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]] {
        bytes.extend([0; 12]);
        bytes.extend(triangle.iter().flat_map(|&k: &usize| corners[k]).flat_map(f32::to_le_bytes));
        bytes.extend([0; 2]);
    }
    bytes
}

/// Makes the files; tools write those of cases and runs.
pub fn make(folder: &Folder) {
    for format in formats::pictures(&draw::vessel()).into_iter().chain(formats::volumes(&draw::branching_tube())) {
        format.files.iter().for_each(|(name, content)| folder.write(name, content));
    }
    TETRAHEDRON.iter().for_each(|(name, text)| folder.write(name, text.as_bytes()));
    folder.write("land.asc", LAND.as_bytes());
    folder.write("binary.stl", &binary_stl());
    let mut suspension = bent_channel();
    suspension.run["time"]["steps"] = json!(80);
    suspension.run["dumps"] = json!([{"every": 40}]);
    suspension.run["cell_dumps"] = json!({"every": 40});
    suspension.case["regions"] = json!([{"name": "all", "above": 1}, {"name": "left", "box": left()}]);
    suspension.case["fields"] = json!({"heat": {"constant": "300 K", "regions": {"left": "310 K"}}});
    suspension.write(folder);
    let _case = folder.mkcase(&["case.json", "--quiet"]).done();
    let _run = folder.run(&["run.json", "-o", "run", "--checkpoint-every", "20", "--quiet"]).done();
}

/// A box that holds the left part of the channel.
fn left() -> serde_json::Value {
    json!({"min": ["0 um", "0 um"], "max": ["10 um", "1 mm"]})
}

/// The readers, for files in `folder`.
pub fn all(folder: &Path) -> Vec<Reader> {
    let mut readers = Vec::new();
    let mut add = |file: &str, read: Read| {
        readers.push(Reader { name: file.to_owned(), file: folder.join(file), read });
    };
    for format in formats::pictures(&draw::vessel()).into_iter().chain(formats::volumes(&draw::branching_tube())) {
        for (file, _) in format.files.iter().take(2) {
            let geometry: GeometryConfig = from_value("test", format.geometry.clone()).expect("a config");
            let config = folder.join("case.json");
            add(file, Box::new(move |_| build(&config, &geometry, &[]).map(drop)));
        }
    }
    let land = json!({"terrain": {"file": "land.asc", "unit": "1 m", "cell_unit": "1 m"}});
    let land: GeometryConfig = from_value("test", land).expect("a config");
    let config = folder.join("case.json");
    add("land.asc", Box::new(move |_| build(&config, &land, &[]).map(drop)));
    for file in TETRAHEDRON.iter().map(|(file, _)| *file).chain(["binary.stl"]) {
        let shape = json!({"kind": "mesh", "file": file, "unit": "4 um"});
        let shape: ShapeConfig = from_value("test", shape).expect("a shape");
        let config = folder.join("case.json");
        add(file, Box::new(move |_| shape.surface(&config, 3, 1e-6).map(drop)));
    }
    add("case.h5", Box::new(case));
    add("run/fields.vtkhdf", Box::new(fields));
    add("run/cells.vtkhdf", Box::new(cells));
    add("run/tracks.h5", Box::new(|path| tracks(parent(path))));
    add("run/ledger.csv", Box::new(|path| Ledger::read(parent(path)).map(drop)));
    add("run/run.json", Box::new(|path| RunRecord::read(parent(path)).map(drop)));
    add("run/timing.json", Box::new(|path| Timing::read(parent(path)).map(drop)));
    let newest = Checkpoint::latest(&folder.join("run")).expect("a checkpoint");
    for file in ["checkpoint.json", "rank-0000.h5"] {
        let file = newest.join(file);
        let file = file.strip_prefix(folder).expect("in the folder").to_str().expect("a plain path");
        add(file, Box::new(|path| checkpoint(parent(path))));
    }
    readers
}

fn parent(path: &Path) -> &Path {
    path.parent().expect("a folder")
}

fn case(path: &Path) -> Result<()> {
    let case = Case::open(path)?;
    case.lattice()?;
    case.openings()?;
    case.wall_parts()?;
    case.regions()?;
    case.fields()?;
    case.walls()?;
    case.wall_points()?;
    case.populations()?;
    case.part(1, 0)?;
    for &parts in &case.header().partitions {
        case.partition(parts)?;
        case.part(parts, parts - 1)?;
    }
    Ok(())
}

fn fields(path: &Path) -> Result<()> {
    let reader = FieldReader::open(path)?;
    for dump in 0..reader.steps().len() {
        reader.fields().iter().try_for_each(|&field| reader.read(dump, field).map(drop))?;
    }
    Ok(())
}

fn cells(path: &Path) -> Result<()> {
    let reader = CellReader::open(path)?;
    (0..reader.steps().len()).try_for_each(|dump| reader.frame(dump).map(drop))
}

fn tracks(run: &Path) -> Result<()> {
    let reader = TrackReader::open(run)?;
    (0..reader.steps().len()).try_for_each(|frame| reader.frame(frame).map(drop))
}

fn checkpoint(path: &Path) -> Result<()> {
    let checkpoint = Checkpoint::open(path)?;
    let ids: Vec<NodeId> = (0..1000).map(NodeId).collect();
    checkpoint.locate(&ids)?.own("f0")?;
    let names: Vec<String> = checkpoint.meta().populations.iter().map(|population| population.name.clone()).collect();
    names.iter().try_for_each(|name| checkpoint.cells(name).map(drop))
}
