//! A small run of each kind, with openings where there are any, at cadences that seldom meet.

use serde_json::{Value, json};

use crate::draw::{Picture, Voxels};
use crate::suspension::{Suspension, fork};

/// Fluid between an inlet that pulsates and two outlets whose pressure follows the flow.
pub fn outlets() -> Suspension {
    let picture = Picture::of(60, 26, |x, y| (2..24).contains(&y) && (x < 30 || !(11..13).contains(&y)));
    let end = |name: &str, low: &str, high: &str| {
        let within = json!({"min": ["0 um", low], "max": ["1 um", high]});
        json!({"name": name, "kind": "pressure", "face": "x+", "within": within})
    };
    Suspension {
        file: "fork.pgm",
        content: picture.pgm(),
        case: json!({
            "geometry": {"image": "fork.pgm", "spacing": "4 um"},
            "openings": [
                {"name": "inlet", "kind": "velocity", "face": "x-"},
                end("low", "0 um", "53 um"),
                end("high", "53 um", "104 um")
            ],
            "parts": [2]
        }),
        run: json!({
            "case": "case.h5",
            "fluid": {"lattice_boltzmann": {"density": "1025 kg/m3", "viscosity": "1.2 mPa s", "tau": 0.8}},
            "time": {"steps": 700},
            "openings": {
                "inlet": {
                    "velocity": "9 mm/s",
                    "waveform": {"sine": {"frequency": "3 kHz", "mean": 1.0, "amplitude": 0.6}},
                    "profile": "womersley"
                },
                "low": {
                    "windkessel": {"proximal": "2 MPa s/m2", "distal": "100 MPa s/m2", "compliance": "4e-12 m2/Pa"}
                },
                "high": {"resistance": "5 MPa s/m2", "ramp": "0.1 ms"}
            },
            "dumps": [{"every": 70}],
            "monitor": {"every": 2}
        }),
    }
}

/// A run of cells that come in on the left and go out on the right.
fn fed(steps: u64, speed: &str) -> Value {
    json!({
        "case": "case.h5",
        "fluid": {"lattice_boltzmann": {"density": "1025 kg/m3", "viscosity": "1.2 mPa s", "tau": 1.5}},
        "time": {"steps": steps},
        "openings": {"in": {"velocity": speed, "ramp": "20 us"}, "out": {"pressure": "0 Pa"}},
        "cells": {"inflow": {"in": {}}},
        "dumps": [{"every": 200}],
        "cell_dumps": {"every": 50},
        "tracks": {"every": 7},
        "monitor": {"every": 2}
    })
}

fn along_x(geometry: &Value, cell: &Value) -> Value {
    json!({
        "geometry": geometry,
        "openings": [{"name": "in", "kind": "velocity", "face": "x-"}, {"name": "out", "kind": "pressure", "face": "x+"}],
        "cells": [cell],
        "parts": [2]
    })
}

/// Rings with a viscosity of their own in a channel, in at one end and out at the other.
pub fn membranes() -> Suspension {
    let picture = Picture::of(64, 26, |x, y| {
        let bend = 1.5 * (std::f64::consts::TAU * x as f64 / 64.0).sin();
        (3.0 + bend..22.0 + bend).contains(&(y as f64))
    });
    let cell = json!({"name": "red", "shape": {"kind": "red_cell"}, "hematocrit": 0.25, "mechanics": {"contrast": 3}});
    let mut run = fed(600, "60 mm/s");
    run["cells"] = json!({"inflow": {"in": {}}, "every": 3, "move_every": 3, "mark_every": 997});
    let case = along_x(&json!({"image": "channel.pgm", "spacing": "1 um"}), &cell);
    Suspension { file: "channel.pgm", content: picture.pgm(), case, run }
}

/// Closed surfaces with a viscosity of their own in a tube, in at one end and out at the other.
pub fn cells() -> Suspension {
    let voxels = Voxels::of([30, 15, 15], |[_, y, z]| (y as f64 - 7.0).hypot(z as f64 - 7.0) < 6.8);
    let shape = json!({"kind": "red_cell", "diameter": "6 um", "vertices": 162});
    let cell = json!({"name": "red", "shape": shape, "hematocrit": 0.1, "mechanics": {"contrast": 2}});
    let mut run = fed(300, "60 mm/s");
    run["cells"]["mark_every"] = json!(21);
    let case = along_x(&json!({"voxels": {"file": "tube.mha"}, "spacing": "1 um"}), &cell);
    Suspension { file: "tube.mha", content: voxels.mha(), case, run }
}

/// Rigid discs and balls in a tube that forks, in at one end and out at two.
pub fn bodies() -> Suspension {
    let mut fork = fork();
    fork.run["openings"]["inlet"] = json!({"velocity": "60 mm/s", "ramp": "50 us"});
    fork.run["time"]["steps"] = json!(400);
    fork.run["bodies"] = json!({"inflow": {"inlet": {"length": "28 um"}}});
    fork.run["dumps"] = json!([{"every": 200}]);
    fork.run["cell_dumps"] = json!({"every": 50});
    fork.run["tracks"] = json!({"every": 7});
    fork.run["monitor"] = json!({"every": 2});
    fork
}
