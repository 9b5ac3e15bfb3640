//! Where a surface cuts the links of fluid nodes into the wall.

use rayon::prelude::*;

use super::WallNode;
use crate::Lattice;

/// Exact cuts of links into the wall, for cases that were made of a surface.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WallCuts {
    /// For each node at the wall, in the order of [`super::walls`]: bit i is set when the surface cuts the link along
    /// c_i.
    pub links: Vec<u32>,
    /// Length of these links up to the surface over their whole length, from 0 to 1: by node, then by direction.
    pub fraction: Vec<f32>,
}

impl WallCuts {
    /// For each node at the wall where its fractions begin; one more at the end.
    pub fn starts(&self) -> Vec<usize> {
        let mut starts = vec![0];
        starts.extend(self.links.iter().scan(0, |sum, links| {
            *sum += links.count_ones() as usize;
            Some(*sum)
        }));
        starts
    }
}

/// The cuts of all links into the wall by the surface that the lattice was made of; none where it was made of none.
/// Links that something else closes, such as what is cut off behind an opening, have no cut.
pub fn wall_cuts(lattice: &Lattice, walls: &[WallNode]) -> Option<WallCuts> {
    let surface = lattice.surface.as_ref()?;
    let c = lattice.set.velocities();
    // One direction after the other: the crossings of one are as many as the wall's nodes.
    let of_direction = |i: usize| -> Vec<f32> {
        let cuts = surface.cuts(c[i]);
        let fraction = |wall: &WallNode| {
            let node = wall.node.0 as usize;
            let into_wall = lattice.links[i - 1][node].is_wall();
            let first = if into_wall { cuts.first(lattice.position[node]) } else { None };
            first.map_or(f32::NAN, |fraction| fraction as f32)
        };
        walls.par_iter().map(fraction).collect()
    };
    let found: Vec<Vec<f32>> = (1..lattice.set.q()).map(of_direction).collect();
    let mut cuts = WallCuts::default();
    for wall in 0..walls.len() {
        let mut links = 0;
        for (i, of_direction) in found.iter().enumerate().filter(|(_, found)| !found[wall].is_nan()) {
            links |= 1 << (i + 1);
            cuts.fraction.push(of_direction[wall]);
        }
        cuts.links.push(links);
    }
    Some(cuts)
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;
    use std::fmt::Write;

    use hematite_config::Provenance;
    use hematite_geometry::build;
    use serde_json::{Value, json};

    use super::*;
    use crate::{Case, ImmersedWalls, Suspended, wall_points, walls, write};

    const RADIUS: f64 = 8.3;
    const LENGTH: f64 = 24.0;
    /// A direction off the lattice.
    const ALONG: [f64; 3] = [0.6, 0.64, 0.48];

    /// A tube from the origin with open ends, as OBJ in millimetres.
    fn tube() -> String {
        let (a, b) = ([0.8, -0.48, -0.36], [0.0, 0.6, -0.8]);
        let n = 256;
        let mut text = String::new();
        for k in 0..2 * n {
            let (sin, cos) = (2.0 * PI * (k % n) as f64 / n as f64).sin_cos();
            let far = if k < n { 0.0 } else { LENGTH };
            let at = [0, 1, 2].map(|axis: usize| far * ALONG[axis] + RADIUS * (cos * a[axis] + sin * b[axis]));
            writeln!(text, "v {} {} {}", at[0], at[1], at[2]).expect("writes");
        }
        for k in 0..n {
            let (i, j) = (k + 1, (k + 1) % n + 1);
            writeln!(text, "f {i} {j} {} {}", j + n, i + n).expect("writes");
        }
        text
    }

    /// The tube on a lattice of 1 mm, from one end to the other, and its case file.
    fn made(folder: &std::path::Path) -> (Lattice, Case) {
        std::fs::write(folder.join("tube.obj"), tube()).expect("writes");
        let geometry = json!({"surface": {"file": "tube.obj", "unit": "1 mm"}, "spacing": "1 mm"});
        let openings =
            json!([{"name": "in", "kind": "velocity", "end": 0}, {"name": "out", "kind": "pressure", "end": 1}]);
        let parsed = (serde_json::from_value(geometry).expect("parses"), serde_json::from_value::<Vec<_>>(openings));
        let domain = build(&folder.join("case.json"), &parsed.0, &parsed.1.expect("parses")).expect("builds");
        let lattice = Lattice::build(&domain).expect("builds");
        let path = folder.join("case.h5");
        let immersed = ImmersedWalls::default();
        write(&path, &lattice, Suspended::default(), &immersed, &[], &Provenance::default(), &Value::Null)
            .expect("writes");
        (lattice, Case::open(&path).expect("opens"))
    }

    /// Millimetres from the axis, and the direction away from it.
    fn off_axis(lattice: &Lattice, at: [f64; 3]) -> (f64, [f64; 3]) {
        let at = [0, 1, 2].map(|axis| 1e3 * (lattice.origin[axis] + (at[axis] + 0.5) * lattice.spacing));
        let along: f64 = (0..3).map(|axis| at[axis] * ALONG[axis]).sum();
        let away = [0, 1, 2].map(|axis| at[axis] - along * ALONG[axis]);
        let far = away.iter().map(|x| x * x).sum::<f64>().sqrt();
        (far, away.map(|x| x / far))
    }

    #[test]
    fn walls_cuts_and_points_lie_on_the_surface() {
        let folder = tempfile::tempdir().expect("a folder");
        let (lattice, case) = made(folder.path());
        let walls = walls(&lattice);
        assert!(walls.len() > 1000);
        let cuts = wall_cuts(&lattice, &walls).expect("a surface");
        let c = lattice.set.velocities();
        let starts = cuts.starts();
        for (k, wall) in walls.iter().enumerate() {
            let node = wall.node.0 as usize;
            let at = lattice.position[node].map(f64::from);
            let (far, away) = off_axis(&lattice, at);
            assert!((f64::from(wall.distance) - (RADIUS - far)).abs() < 0.02, "{wall:?}: {}", RADIUS - far);
            let cosine: f64 = (0..3).map(|axis| -away[axis] * f64::from(wall.normal[axis])).sum();
            assert!(cosine > 0.999, "{wall:?}: {cosine}");
            let into_wall = (1..lattice.set.q()).filter(|&i| lattice.links[i - 1][node].is_wall());
            let cut = (1..lattice.set.q()).filter(|&i| cuts.links[k] >> i & 1 == 1);
            assert!(into_wall.eq(cut.clone()), "all of its links into the wall are cut");
            for (i, &fraction) in cut.zip(&cuts.fraction[starts[k]..starts[k + 1]]) {
                let place = [0, 1, 2].map(|axis| at[axis] + f64::from(fraction) * f64::from(c[i][axis]));
                assert!((off_axis(&lattice, place).0 - RADIUS).abs() < 0.02, "{wall:?} along {i}: {fraction}");
            }
        }
        let points = wall_points(&lattice, 0.75).expect("makes");
        for point in &points {
            assert!((off_axis(&lattice, point.position).0 - RADIUS).abs() < 0.02, "{point:?}");
        }
        assert_eq!(case.walls().expect("reads"), walls);
        assert_eq!(case.wall_cuts().expect("reads"), Some(cuts));
    }

    #[test]
    fn cuts_that_cannot_be_are_named() {
        let folder = tempfile::tempdir().expect("a folder");
        drop(made(folder.path()));
        let path = folder.path().join("case.h5");
        let fault = |change: &dyn Fn(&hdf5::File)| {
            let copy = folder.path().join("copy.h5");
            std::fs::copy(&path, &copy).expect("copies");
            let file = hdf5::File::open_rw(&copy).expect("opens");
            change(&file);
            file.close().expect("closes");
            Case::open(&copy).and_then(|case| case.wall_cuts().map(drop)).expect_err("refused").message
        };
        let write = |file: &hdf5::File, name: &str, value: u32| {
            let set = file.dataset(name).expect("opens");
            set.write_slice(&[value], ndarray::s![0..1]).expect("edits");
        };
        for message in [
            fault(&|file| write(file, "walls/cuts/links", 0)),
            fault(&|file| write(file, "walls/cuts/fraction", 7)),
            fault(&|file| file.unlink("walls/cuts/links").expect("edits")),
        ] {
            assert!(message.contains("damaged"), "{message}");
        }
    }
}
