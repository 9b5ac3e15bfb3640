//! Seeding as a whole, against searches over the true surfaces.

use std::path::Path;

use hematite_cells::Surface;
use hematite_config::Result;
use hematite_geometry::{Domain, Site};
use serde_json::{Value, json};

use super::{Column, Population, PopulationConfig, PopulationReport, Seeding, SeedingConfig, seed};
use crate::{Lattice, fixture};
use hematite_cells::vector::{Point, cross, dot, length, minus, plus, times};

mod rigid;

fn configs(cells: Value) -> Vec<PopulationConfig> {
    serde_json::from_value(cells).expect("populations")
}

fn seeded(lattice: &Lattice, cells: Value, seeding: Value) -> Vec<Population> {
    let seeding: SeedingConfig = serde_json::from_value(seeding).expect("a config");
    seed(lattice, Path::new("case.json"), &configs(cells), &seeding, &|_| {}).expect("seeds")
}

fn report(population: &Population) -> PopulationReport {
    serde_json::from_value(population.report.clone()).expect("a report")
}

fn lattice(domain: &Domain) -> Lattice {
    Lattice::build(domain).expect("builds")
}

/// A vessel of width 40 that parts into two of width 26.
fn bifurcation() -> Lattice {
    let mut domain = fixture::solid(2, [202, 122, 1], [false; 3]);
    for (x, y) in (1..=200).flat_map(|x| (1..=120).map(move |y| (x, y))) {
        let (along, up) = (x as f64, y as f64 - 60.5);
        let apart = ((along - 80.0) * 0.4).max(0.0);
        let half = if along < 90.0 { 20.0 } else { 13.0 };
        if (up.abs() - apart).abs() < half {
            fixture::set(&mut domain, [x, y, 0], Site::FLUID);
        }
    }
    lattice(&domain)
}

fn periodic_box(dimension: usize, extent: [usize; 3], spacing: f64) -> Lattice {
    let mut domain = fixture::solid(dimension, extent, [0, 1, 2].map(|k| k < dimension));
    domain.sites.fill(Site::FLUID);
    domain.spacing = spacing;
    lattice(&domain)
}

/// A pipe along x, periodic.
fn pipe(width: usize, length: usize, spacing: f64) -> Lattice {
    let mut domain = fixture::solid(3, [length, width + 2, width + 2], [true, false, false]);
    domain.spacing = spacing;
    let middle = 0.5 * (width + 1) as f64;
    for (z, y) in (1..=width).flat_map(|z| (1..=width).map(move |y| (z, y))) {
        if (y as f64 - middle).hypot(z as f64 - middle) < 0.5 * width as f64 {
            (0..length).for_each(|x| fixture::set(&mut domain, [x, y, z], Site::FLUID));
        }
    }
    lattice(&domain)
}

/// Distance of a point from a triangle or, with `b == c`, a side.
fn apart(p: Point, [a, b, c]: [Point; 3]) -> f64 {
    let side = |a: Point, b: Point| {
        let along = minus(b, a);
        let share = (dot(minus(p, a), along) / dot(along, along)).clamp(0.0, 1.0);
        length(minus(p, plus(a, times(share, along))))
    };
    if b == c {
        return side(a, b);
    }
    let normal = cross(minus(b, a), minus(c, a));
    let inner = |a: Point, b: Point| dot(cross(minus(b, a), minus(p, a)), normal) >= 0.0;
    if inner(a, b) && inner(b, c) && inner(c, a) {
        return dot(minus(p, a), normal).abs() / length(normal);
    }
    side(a, b).min(side(b, c)).min(side(c, a))
}

/// Signed distance of a point from a cell whose vertices are given, negative inside: by winding number or solid angle.
fn signed(p: Point, surface: &Surface, vertices: &[Point]) -> f64 {
    let n = vertices.len();
    if surface.dimension == 2 {
        let sides = || (0..n).map(|k| (vertices[k], vertices[(k + 1) % n]));
        let far = sides().map(|(a, b)| apart(p, [a, b, b])).fold(f64::INFINITY, f64::min);
        let turn = |(a, b): (Point, Point)| {
            let (a, b) = (minus(a, p), minus(b, p));
            cross(a, b)[2].atan2(dot(a, b))
        };
        return if sides().map(turn).sum::<f64>().abs() > 3.0 { -far } else { far };
    }
    let corners = || surface.triangles.iter().map(|t| t.map(|v| vertices[v as usize]));
    let far = corners().map(|t| apart(p, t)).fold(f64::INFINITY, f64::min);
    let angle = |t: [Point; 3]| {
        let [a, b, c] = t.map(|v| minus(v, p));
        let (la, lb, lc) = (length(a), length(b), length(c));
        let below = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb;
        2.0 * dot(a, cross(b, c)).atan2(below)
    };
    if corners().map(angle).sum::<f64>().abs() > 6.0 { -far } else { far }
}

/// Checks every pair of cells and every vertex, in lattice units: no vertex nearer than `gap` to another cell, and none
/// nearer than 0.8 to the middle of a site that is no fluid (1 at a flat wall with a gap of half a spacing).
fn check(lattice: &Lattice, populations: &[Population], gap: f64) {
    let dimension = lattice.set.dimension();
    let scale = 1.0 / lattice.spacing;
    let cells: Vec<(&Surface, Vec<Point>, Point, f64)> = populations
        .iter()
        .flat_map(|population| population.cells.iter().map(move |cell| (population, cell)))
        .map(|(population, cell)| {
            let vertices: Vec<Point> = cell.vertices(&population.surface).map(|v| times(scale, v)).collect();
            let radius = population.surface.radius() * cell.scale * scale;
            (&population.surface, vertices, times(scale, cell.centre), radius)
        })
        .collect();
    let fluid: std::collections::HashSet<[i32; 3]> = lattice.position.iter().copied().collect();
    let period = lattice.extent.map(|n| n as f64);
    let images: Vec<Point> = (0..27)
        .map(|k| [k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1].map(f64::from))
        .filter(|image| (0..3).all(|k| image[k] == 0.0 || lattice.periodic[k]))
        .map(|image| [0, 1, 2].map(|k| image[k] * period[k]))
        .collect();
    for (i, (_, vertices, centre, radius)) in cells.iter().enumerate() {
        for &v in vertices {
            let p = [0, 1, 2].map(|k| if k < dimension { v[k] - lattice.origin[k] * scale - 0.5 } else { 0.0 });
            for corner in 0..1_usize << dimension {
                let middle = [0, 1, 2].map(|k| p[k].floor() + (corner >> k & 1) as f64);
                let site = [0, 1, 2].map(|k| {
                    let (at, n) = (middle[k] as i32, lattice.extent[k] as i32);
                    if lattice.periodic[k] { at.rem_euclid(n) } else { at }
                });
                let far = length(minus(p, middle));
                assert!(fluid.contains(&site) || far >= 0.8, "cell {i} at {v:?} is {far} from {site:?}, no fluid");
            }
        }
        for (j, (surface, others, there, reach)) in cells.iter().enumerate() {
            for &image in &images {
                let shifted = plus(*there, image);
                if i == j || length(minus(shifted, *centre)) > radius + reach + gap {
                    continue;
                }
                for &v in vertices {
                    let v = minus(v, image);
                    if length(minus(v, *there)) < reach + gap {
                        let far = signed(v, surface, others);
                        assert!(far >= gap, "cells {i} and {j} are {far} apart");
                    }
                }
            }
        }
    }
}

#[test]
fn red_cells_fill_a_bifurcation_to_45_percent() {
    let lattice = bifurcation();
    let populations =
        seeded(&lattice, json!([{"name": "red", "shape": {"kind": "red_cell"}, "hematocrit": 0.45}]), json!({}));
    let report = report(&populations[0]);
    assert!((report.hematocrit - 0.45).abs() < 0.005 && report.refused.is_empty(), "{report:?}");
    assert!(report.hematocrit_placed > 0.44, "{report:?}");
    assert!(report.gap.expect("near") >= 0.5e-6 && report.wall_gap.expect("near") >= 0.5e-6, "{report:?}");
    check(&lattice, &populations, 0.5);
}

#[test]
fn mixed_sizes_fill_a_periodic_box_and_a_channel() {
    let cells = json!([
        {"name": "red", "shape": {"kind": "red_cell"}, "hematocrit": 0.35},
        {"name": "white", "shape": {"kind": "disc", "radius": "6 um", "vertices": 40}, "count": 2},
        {"name": "small", "shape": {"kind": "disc", "radius": "1.5 um"}, "hematocrit": 0.05}
    ]);
    for lattice in [periodic_box(2, [90, 70, 1], 1e-6), lattice(&fixture::channel(160, 50))] {
        let populations = seeded(&lattice, cells.clone(), json!({"seed": 5, "gap": "0.3 um"}));
        let total: f64 = populations.iter().map(|p| report(p).hematocrit).sum();
        let asked: f64 = populations.iter().map(|p| report(p).asked_hematocrit).sum();
        assert!((total - asked).abs() < 0.005, "{total} of {asked}");
        assert_eq!(populations[1].cells.len(), 2);
        assert_eq!(populations[2].first, (populations[0].cells.len() + 2) as u64);
        check(&lattice, &populations, 0.3);
    }
}

#[test]
fn red_cells_fill_a_tube_to_40_percent_in_3d() {
    let lattice = pipe(40, 36, 0.5e-6);
    let cells = json!([{"name": "red", "shape": {"kind": "red_cell"}, "hematocrit": 0.4}]);
    let populations = seeded(&lattice, cells, json!({}));
    let report = report(&populations[0]);
    assert!(report.hematocrit > 0.39 && report.refused.is_empty(), "{report:?}");
    // Vertices against triangles: the tables of distances have an error of a hundredth of a spacing or two.
    check(&lattice, &populations, 0.5);
}

#[test]
fn the_same_seed_gives_the_same_cells_on_any_number_of_threads() {
    let lattice = lattice(&fixture::channel(120, 60));
    let cells = json!([
        {"name": "red", "shape": {"kind": "red_cell"}, "hematocrit": 0.4},
        {"name": "white", "shape": {"kind": "disc", "radius": "5 um", "vertices": 40}, "count": 1}
    ]);
    let on = |threads: usize, seed: u64| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| seeded(&lattice, cells.clone(), json!({"seed": seed})))
    };
    let (one, three, other) = (on(1, 3), on(3, 3), on(3, 4));
    assert!(one.iter().zip(&three).all(|(a, b)| a.cells == b.cells));
    assert_ne!(one[0].cells, other[0].cells);
}

#[test]
fn cells_without_room_are_shrunk_or_left_out_as_asked() {
    let lattice = periodic_box(2, [60, 60, 1], 1e-6);
    let cells =
        json!([{"name": "disc", "shape": {"kind": "disc", "radius": "4 um", "vertices": 32}, "hematocrit": 0.72}]);
    let populations = seeded(&lattice, cells.clone(), json!({"gap": "1 um"}));
    let shrunk = report(&populations[0]);
    assert!(shrunk.shrunk > 0.2 && shrunk.scale[0] >= 0.5 && shrunk.hematocrit > 0.7, "{shrunk:?}");
    assert!(shrunk.hematocrit_placed < shrunk.hematocrit && shrunk.lines().contains("begin smaller"));
    check(&lattice, &populations, 1.0);
    let populations = seeded(&lattice, cells, json!({"gap": "1 um", "growth": "never"}));
    let thinned = report(&populations[0]);
    assert!(populations[0].cells.iter().all(|cell| cell.scale == 1.0));
    assert_eq!(thinned.refused.iter().map(|r| r.cells).sum::<u64>() + thinned.placed, thinned.asked);
    assert!(thinned.placed < thinned.asked && thinned.lines().contains("left out"), "{thinned:?}");
    check(&lattice, &populations, 1.0);
}

#[test]
fn given_positions_stay_and_others_keep_clear() {
    let lattice = lattice(&fixture::channel(80, 40));
    let folder = tempfile::tempdir().expect("a folder");
    let config = folder.path().join("case.json");
    std::fs::write(folder.path().join("cells.csv"), "x [um],y [um],angle [deg]\n20,20,90\n60,25,0\n").expect("writes");
    let cells = json!([
        {"name": "red", "shape": {"kind": "red_cell"}, "hematocrit": 0.3},
        {"name": "held", "shape": {"kind": "red_cell"}, "positions": "cells.csv"}
    ]);
    let populations =
        seed(&lattice, &config, &configs(cells.clone()), &SeedingConfig::default(), &|_| {}).expect("seeds");
    assert!((populations[1].cells[0].centre[0] - 20e-6).abs() < 1e-18);
    assert_eq!(populations[1].cells.len(), 2);
    check(&lattice, &populations, 0.5);
    for (rows, said) in [
        ("20,20\n21,22\n", "row 1: the cell overlaps that of cells.csv: row 2"),
        ("20,20\n40,2\n", "row 2: the cell reaches out of the fluid"),
        ("20,20\n500,20\n", "row 2: the cell reaches out of the fluid"),
        ("20,20\n1e20,20\n", "row 2: the cell reaches out of the fluid"),
        ("-1e300,20\n", "row 1: the cell reaches out of the fluid"),
    ] {
        std::fs::write(folder.path().join("cells.csv"), format!("x [um],y [um]\n{rows}")).expect("writes");
        let fault = Seeding::plan(&lattice, &config, &configs(cells.clone()), &SeedingConfig::default());
        let message = fault.err().expect("refused").message;
        assert!(message.contains(said), "{message}");
    }
}

#[test]
fn what_cannot_be_is_refused_with_its_remedy() {
    let channel = lattice(&fixture::channel(80, 40));
    let narrow = lattice(&fixture::channel(80, 6));
    let short = periodic_box(2, [8, 40, 1], 1e-6);
    let mut coarse = fixture::channel(80, 40);
    coarse.spacing = 2e-6;
    let coarse = lattice(&coarse);
    let disc = |radius: &str, vertices: usize| json!({"kind": "disc", "radius": radius, "vertices": vertices});
    let red = json!({"kind": "red_cell"});
    let wide = |diameter: &str| json!({"kind": "red_cell", "diameter": diameter});
    let plan = |lattice: &Lattice, cells: &Value| -> Result<()> {
        let path = Path::new("case.json");
        Seeding::plan(lattice, path, &configs(cells.clone()), &SeedingConfig::default()).map(drop)
    };
    for (lattice, cells, said) in [
        (&channel, json!([{"name": "a", "shape": red, "hematocrit": 0.9}]), "beyond packing: \"a\" asks for 0.9"),
        (&channel, json!([{"name": "a", "shape": red, "count": 5000}]), "cells) fit"),
        (&channel, json!([{"name": "a", "shape": red, "hematocrit": 1.5}]), "above 0 and below 1"),
        (&channel, json!([{"name": "a", "shape": red, "hematocrit": 1e-6}]), "less than half a cell"),
        (&channel, json!([{"name": "a", "shape": red, "count": 0}]), "\"count\" is 0"),
        (&channel, json!([{"name": "a", "shape": red}]), "found none"),
        (&channel, json!([{"name": "a", "shape": red, "count": 2, "hematocrit": 0.1}]), "found hematocrit and count"),
        (&channel, json!([{"name": " ", "shape": red, "count": 2}]), "\"name\" is empty"),
        (
            &channel,
            json!([{"name": "a", "shape": red, "count": 2}, {"name": "a", "shape": red, "count": 2}]),
            "cells[0] has the same name",
        ),
        (&channel, json!([{"name": "a", "shape": red, "positions": "none.csv"}]), "cannot read none.csv"),
        (&channel, json!([{"name": "a", "shape": disc("6 um", 12), "count": 1}]), "\"vertices\" 25 or more"),
        (&narrow, json!([{"name": "a", "shape": disc("4 um", 32), "count": 1}]), "larger than the lumen"),
        (&short, json!([{"name": "a", "shape": disc("4 um", 32), "count": 1}]), "touch their own images"),
        (&coarse, json!([{"name": "a", "shape": red, "count": 2}]), "lattice spacings; a cell needs 1.5"),
        (
            &channel,
            json!([{"name": "a", "shape": wide("1e-300 um"), "count": 1}]),
            "\"diameter\" is \"1e-306 m\"; it must be from",
        ),
        (&channel, json!([{"name": "a", "shape": wide("1e-5 um"), "count": 1}]), "a cell needs 1.5"),
        (&channel, json!([{"name": "a", "shape": wide("1e11 um"), "count": 1}]), "lattice spacings apart"),
        (&channel, json!([{"name": "a", "shape": wide("1e300 um"), "count": 1}]), "it must be from"),
        (&channel, json!([{"name": "a", "shape": disc("1e-5 um", 32), "count": 1}]), "a cell needs 1.5"),
        (&channel, json!([{"name": "a", "shape": disc("1e300 um", 32), "count": 1}]), "\"radius\" is"),
    ] {
        let message = plan(lattice, &cells).expect_err(said).message;
        assert!(message.contains(said), "{said}: {message}");
    }
    let unknown = json!({"name": "a", "shape": red, "hematocritt": 0.3});
    assert!(serde_json::from_value::<PopulationConfig>(unknown).is_err());
    assert!(serde_json::from_value::<SeedingConfig>(json!({"sead": 3})).is_err());
    let seeding: SeedingConfig = serde_json::from_value(json!({"wall_gap": "9 um"})).expect("a config");
    let cells = configs(json!([{"name": "a", "shape": red, "count": 1}]));
    let message = Seeding::plan(&channel, Path::new("c"), &cells, &seeding).err().expect("refused").message;
    assert!(message.contains("\"wall_gap\" is 9.000 lattice spacings"), "{message}");
}

#[test]
fn a_column_holds_full_cells_apart_within_its_section() {
    let width = 22;
    let cells = json!([
        {"name": "red", "shape": {"kind": "red_cell", "vertices": 162}, "count": 1},
        {"name": "platelet", "shape": {"kind": "platelet", "diameter": "3 um", "thickness": "2 um", "vertices": 42}, "count": 1}
    ]);
    let populations = seeded(&pipe(width, 30, 1e-6), cells, json!({}));
    let middle = 0.5 * (width + 1) as f64;
    let sites = (1..=width).flat_map(|y| (1..=width).map(move |z| [y, z]));
    let section: Vec<[usize; 2]> =
        sites.filter(|&[y, z]| (y as f64 - middle).hypot(z as f64 - middle) < 0.5 * width as f64).collect();
    let column = Column { dimension: 3, spacing: 1e-6, length: 47, section };
    let placed = column.pack(&populations, &[45, 7]).expect("packs");
    assert_eq!(placed.iter().map(Vec::len).collect::<Vec<_>>(), [45, 7]);
    assert_eq!(placed, column.pack(&populations, &[45, 7]).expect("packs"), "the same again");
    assert!(placed.iter().flatten().all(|cell| cell.scale == 1.0));
    let held: Vec<Population> =
        populations.iter().zip(placed).map(|(population, cells)| Population { cells, ..population.clone() }).collect();
    check(&lattice(&column.domain()), &held, 0.5);
    // More than there is room for.
    let crowded = column.pack(&populations, &[90, 0]).expect("packs");
    assert!((40..90).contains(&crowded[0].len()) && crowded[1].is_empty(), "{}", crowded[0].len());
}

#[test]
fn narrow_vessels_hold_no_fewer_cells_for_their_volume_and_those_without_room_count_for_none() {
    // A vessel 40 wide with a branch 12 wide, too far from it to share its blocks, and one 3 wide.
    let mut domain = fixture::solid(2, [322, 102, 1], [true, false, false]);
    let mut vessel = |rows: std::ops::RangeInclusive<usize>| {
        for y in rows {
            (0..322).for_each(|x| fixture::set(&mut domain, [x, y, 0], Site::FLUID));
        }
    };
    vessel(1..=40);
    vessel(64..=75);
    vessel(98..=100);
    let lattice = lattice(&domain);
    let cells = json!([{"name": "red", "shape": {"kind": "red_cell"}, "hematocrit": 0.3}]);
    let [population] = seeded(&lattice, cells, json!({})).try_into().expect("one");
    let of = |low: f64, high: f64| {
        let rows = high - low + 1.0;
        let inside = population.cells.iter().map(|cell| cell.centre[1] / lattice.spacing - 1.0);
        let cells = inside.filter(|y| (low - 0.5..high + 0.5).contains(y)).count() as f64;
        cells * population.surface.volume() / (lattice.spacing.powi(2) * 322.0 * rows)
    };
    let [wide, narrow, thin] = [of(0.0, 39.0), of(63.0, 74.0), of(97.0, 99.0)];
    assert!((wide - 0.3).abs() < 0.02 && (narrow - 0.3).abs() < 0.04 && thin == 0.0, "{wide} {narrow} {thin}");
    let report = report(&population);
    assert!((report.room - 52.0 / 55.0).abs() < 1e-12 && (report.hematocrit - 0.3).abs() < 0.002, "{report:?}");
    assert!(report.lines().contains("in the 94.5 % of the fluid"), "{}", report.lines());
}
