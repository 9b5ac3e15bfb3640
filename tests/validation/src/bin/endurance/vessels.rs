//! The vessels: what is shipped, tubes that are drawn here, and pictures and volumes from files.

use std::path::{Path, PathBuf};

use hematite_config::{Fault, Result, read};
use hematite_geometry::models::Model;
use hematite_geometry::write_meta_image;
use serde_json::{Value, json};

/// Where blood flows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Vessel {
    /// The run of this name in `runs/`, with its case in `cases/`.
    Shipped(&'static str),
    /// Arteries and veins near the optic disc, 20 um wide at the inlet, 2-D.
    RetinaA,
    /// The same of another eye, 28 um wide at the inlet.
    RetinaB,
    /// A vase of an ellipsoidal belly, mouth and foot open, 3-D.
    Vase,
    /// A tube 20 um wide that turns by a right angle within 30 um.
    BentTube,
    /// A straight tube 40 um wide, periodic.
    Tube,
}

impl Vessel {
    /// Its name in the table.
    pub fn name(self) -> &'static str {
        match self {
            Self::Shipped(name) => name,
            Self::RetinaA => "retina-a",
            Self::RetinaB => "retina-b",
            Self::Vase => "vase",
            Self::BentTube => "bent-tube",
            Self::Tube => "tube-40",
        }
    }

    /// Whether its geometry is a file that this repository does not hold.
    pub fn is_from_file(self) -> bool {
        matches!(self, Self::RetinaA | Self::RetinaB | Self::Vase)
    }

    /// Its CASE.json. Draws the geometry into `folder`, or names the file in `geometries`.
    ///
    /// # Errors
    /// I/O faults; where a shipped config cannot be read.
    pub fn case(self, folder: &Path, geometries: Option<&Path>, hematocrit: Option<f64>) -> Result<Value> {
        let file = |name: &str| {
            let path = geometries.unwrap_or(Path::new("")).join(name);
            std::path::absolute(&path).map_err(|error| Fault::io(format!("{}: {error}", path.display())))
        };
        let cells = |shape: Value| json!([{"name": "red", "shape": shape, "hematocrit": hematocrit}]);
        let discs = || cells(json!({"kind": "red_cell"}));
        let membranes = || cells(json!({"kind": "red_cell", "vertices": 162}));
        let whole = |name: &str, kind: &str, face: &str| json!({"name": name, "kind": kind, "face": face});
        let pressure = |side: &str| {
            let face = match side {
                "west" => "x-",
                "east" => "x+",
                _ => "y+",
            };
            whole(side, "pressure", face)
        };
        let within = |name: &str, kind: &str, face: &str, low: [&str; 2], high: [&str; 2]| json!({"name": name, "kind": kind, "face": face, "within": {"min": low, "max": high}});
        Ok(match self {
            Self::Shipped(name) => {
                let mut config: Value = read(&shipped("cases", name))?;
                for key in ["/geometry/image", "/geometry/voxels/file"] {
                    if let Some(file) = config.pointer_mut(key) {
                        let path = shipped("cases", name).with_file_name(file.as_str().unwrap_or_default());
                        *file = path.to_string_lossy().into();
                    }
                }
                config["parts"] = json!([1]);
                config
            }
            Self::RetinaA => retina(
                &file("retina-a.ppm")?,
                [[380, 235], [520, 450]],
                &json!([
                    within("in", "velocity", "y-", ["976 um", "460 um"], ["1006 um", "480 um"]),
                    within("north", "pressure", "y-", ["1010 um", "460 um"], ["1040 um", "480 um"]),
                    pressure("west"),
                    pressure("south"),
                    pressure("east"),
                ]),
                &discs(),
            ),
            Self::RetinaB => retina(
                &file("retina-b.ppm")?,
                [[340, 215], [520, 400]],
                &json!([
                    within("in", "velocity", "y-", ["968 um", "420 um"], ["996 um", "440 um"]),
                    within("north", "pressure", "y-", ["840 um", "420 um"], ["960 um", "440 um"]),
                    pressure("west"),
                    pressure("south"),
                    pressure("east"),
                ]),
                &discs(),
            ),
            Self::Vase => json!({
                "geometry": {
                    "voxels": {"file": file("vase.vti")?}, "spacing": "1 um",
                    "crop": {"min": [30, 15, 10], "max": [86, 86, 66]},
                    "rules": [{"above": 100, "is": "wall"}, {"any": true, "is": "fluid"}],
                },
                "openings": [
                    {"name": "in", "kind": "velocity", "face": "y-",
                     "within": {"min": ["45 um", "0 um", "25 um"], "max": ["70 um", "90 um", "49 um"]}},
                    {"name": "foot", "kind": "pressure", "face": "y+",
                     "within": {"min": ["51 um", "0 um", "31 um"], "max": ["65 um", "90 um", "44 um"]}},
                ],
                "cells": membranes(),
            }),
            Self::BentTube => json!({
                "geometry": {"voxels": {"file": written(folder, "bent-tube.mha", &bent_tube())?}, "spacing": "1 um"},
                "openings": [whole("in", "velocity", "x-"), whole("out", "pressure", "y-")],
                "cells": membranes(),
            }),
            Self::Tube => json!({
                "geometry": {
                    "voxels": {"file": written(folder, "tube-40.mha", &tube())?}, "spacing": "1 um", "periodic": ["x"],
                },
                "cells": membranes(),
            }),
        })
    }

    /// What drives the blood in it: "openings" and "inflow", or "drive".
    pub fn flow(self, fast: bool) -> Value {
        let outlets: &[&str] = match self {
            Self::RetinaA | Self::RetinaB => &["north", "west", "south", "east"],
            Self::Vase => &["foot"],
            Self::BentTube => &["out"],
            // The mean speed that gives 8 U / D of 1000 /s and 200 /s, by Poiseuille with three times the plasma's viscosity.
            Self::Tube | Self::Shipped(_) => {
                let force = if fast { "0.36 MPa/m" } else { "0.072 MPa/m" };
                return json!({"drive": {"force": [force, "0 Pa/m", "0 Pa/m"], "ramp": "100 us"}, "cells": {}});
            }
        };
        // The vase's foot has a quarter of the area of its mouth: its 5 and 1 mm/s are in the foot.
        let speed = match (self, fast) {
            (Self::Vase, true) => "1.25 mm/s",
            (Self::Vase, false) => "0.25 mm/s",
            (_, true) => "5 mm/s",
            (_, false) => "1 mm/s",
        };
        let mut openings = json!({"in": {"velocity": speed, "ramp": "100 us"}});
        for outlet in outlets {
            openings[*outlet] = json!({"pressure": "0 Pa"});
        }
        json!({"openings": openings, "cells": {"inflow": {"in": {}}}})
    }

    /// Its shipped RUN.json.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub fn shipped_run(self) -> Result<Value> {
        read(&shipped("runs", self.name()))
    }
}

/// A part of a picture of a retina, 2 um a pixel, refined twice.
fn retina(image: &Path, [min, max]: [[usize; 2]; 2], openings: &Value, cells: &Value) -> Value {
    json!({
        "geometry": {
            "image": image, "spacing": "2 um", "crop": {"min": min, "max": max},
            "refine": {"factor": 2, "smooth": true}, "keep": "largest",
        },
        "openings": openings,
        "cells": cells,
    })
}

fn shipped(folder: &str, name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder).join(format!("{name}.json"))
}

fn written(folder: &Path, name: &str, model: &Model) -> Result<String> {
    write_meta_image(&folder.join(name), model)?;
    Ok(name.to_owned())
}

fn drawn(shape: [usize; 3], inside: impl Fn([f64; 3]) -> bool) -> Model {
    let [nx, ny, nz] = shape;
    let centre = |i: usize| [i % nx, i / nx % ny, i / (nx * ny)].map(|n| n as f64 + 0.5);
    Model { shape, fluid: (0..nx * ny * nz).map(|i| inside(centre(i))).collect() }
}

/// From x- along x for 20 um, round a quarter of a circle of 30 um, and along y to y-.
fn bent_tube() -> Model {
    const RADIUS: f64 = 10.0;
    let (corner, bend, middle) = ([20.0, 20.0], 30.0, 12.0);
    drawn([64, 64, 24], |[x, y, z]| {
        let (dx, dy) = (x - corner[0], y - corner[1]);
        let from_axis = match (dx > 0.0, dy > 0.0) {
            (true, true) => dx.hypot(dy) - bend,
            (false, _) => dy - bend,
            (true, false) => dx - bend,
        };
        from_axis.hypot(z - middle) < RADIUS
    })
}

fn tube() -> Model {
    drawn([48, 44, 44], |[_, y, z]| (y - 22.0).hypot(z - 22.0) < 20.0)
}
