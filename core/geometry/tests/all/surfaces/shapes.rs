//! Volumes, distances and cuts against exact shapes.

use std::f64::consts::PI;

use hematite_geometry::{Domain, Site};
use serde_json::json;

use super::meshes::{Mesh, Vector, dot, length, minus};
use super::{filled, made_of, told, volume};

/// A shape with an exact signed distance in millimetres, positive inside.
struct Shape {
    name: &'static str,
    mesh: Mesh,
    volume: f64,
    distance: fn(Vector) -> f64,
}

fn shapes() -> Vec<Shape> {
    vec![
        Shape {
            name: "sphere",
            mesh: Mesh::sphere(10.0, [0.3, -0.2, 7.1], 160),
            volume: 4.0 / 3.0 * PI * 1000.0,
            distance: |at| 10.0 - length(minus(at, [0.3, -0.2, 7.1])),
        },
        Shape {
            name: "torus",
            mesh: Mesh::torus(15.0, 5.0, 160),
            volume: 2.0 * PI * PI * 15.0 * 25.0,
            distance: |[x, y, z]| 5.0 - (x.hypot(y) - 15.0).hypot(z),
        },
        Shape {
            name: "bent tube",
            mesh: Mesh::bend(15.0, 5.0, 2.0, 160),
            volume: 2.0 * PI * 15.0 * 25.0,
            distance: |at| {
                let [x, y, z] = at;
                let wall = 5.0 - (x.hypot(y) - 15.0).hypot(z);
                // The first end lies across y; the other, 2 radians on, across the vessel too.
                wall.min(y).min(dot(at, [2.0_f64.sin(), -2.0_f64.cos(), 0.0]))
            },
        },
    ]
}

/// The centre of a site in millimetres.
fn centre(domain: &Domain, at: [usize; 3]) -> Vector {
    [0, 1, 2].map(|k| 1e3 * (domain.origin[k] + (at[k] as f64 + 0.5) * domain.spacing))
}

fn sites(domain: &Domain) -> impl Iterator<Item = [usize; 3]> + use<> {
    let [nx, ny, nz] = domain.extent;
    (0..nz).flat_map(move |z| (0..ny).flat_map(move |y| (0..nx).map(move |x| [x, y, z])))
}

#[test]
fn volumes_and_distances_are_exact() {
    for Shape { name, mesh, volume: exact, distance } in shapes() {
        let domain = filled(&mesh, "0.5 mm").expect("builds");
        assert!((volume(&domain) / exact - 1.0).abs() < 0.01, "{name}: {} for {exact}", volume(&domain));
        let surface = domain.surface.as_ref().expect("a surface");
        let mut tried = 0;
        for at in sites(&domain) {
            let exact = distance(centre(&domain, at)) / 0.5;
            let is_fluid = domain.sites[domain.index(at)] == Site::FLUID;
            // A mesh of flat triangles leaves the shape by some thousandths of a spacing.
            assert!(is_fluid == (exact > 0.0) || exact.abs() < 0.02, "{name}: {at:?} at {exact}");
            if is_fluid && exact < 1.5 {
                let foot = surface.nearest(at.map(|i| i as f64)).expect("a foot");
                assert!((foot.distance - exact).abs() < 0.02, "{name}: {at:?}: {} for {exact}", foot.distance);
                tried += 1;
            }
        }
        assert!(tried > 1000, "{name}: {tried}");
    }
}

#[test]
fn links_are_cut_where_the_shape_ends() {
    for Shape { name, mesh, distance, .. } in shapes() {
        let domain = filled(&mesh, "0.5 mm").expect("builds");
        let surface = domain.surface.as_ref().expect("a surface");
        let directions = (0..27).map(|i| [i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1]);
        for c in directions.filter(|c| (1..=2).contains(&c.iter().map(|x| x * x).sum::<i32>())) {
            let cuts = surface.cuts(c);
            let mut tried = 0;
            for at in sites(&domain).filter(|&at| domain.sites[domain.index(at)] == Site::FLUID) {
                let there = domain.neighbour(at, c).expect("padded");
                let cut = cuts.first(at.map(|i| i as i32));
                if domain.sites[domain.index(there)] == Site::FLUID {
                    // Both ends inside: the shape may bulge in between, by next to nothing.
                    continue;
                }
                let cut = cut.unwrap_or_else(|| panic!("{name}: no cut from {at:?} along {c:?}"));
                let (from, to) = (centre(&domain, at), centre(&domain, there));
                let place = [0, 1, 2].map(|k| from[k] + cut * (to[k] - from[k]));
                assert!(distance(place).abs() < 0.02 * 0.5, "{name}: {at:?} {c:?} cut at {cut}: {}", distance(place));
                tried += 1;
            }
            assert!(tried > 500, "{name}: {tried}");
        }
    }
}

#[test]
fn faces_on_the_lattice_are_half_way() {
    let domain = filled(&Mesh::cuboid([0.0; 3], [4.0, 2.0, 3.0]), "0.5 mm").expect("builds");
    assert_eq!((domain.extent, domain.report.fluid), ([10, 6, 8], 8 * 4 * 6));
    let surface = domain.surface.as_ref().expect("a surface");
    assert!((surface.cuts([1, 0, 0]).first([8, 2, 2]).expect("a cut") - 0.5).abs() < 1e-9);
    assert!((surface.cuts([-1, 0, 0]).first([1, 2, 2]).expect("a cut") - 0.5).abs() < 1e-9);
    assert!((surface.cuts([0, -1, 1]).first([4, 1, 3]).expect("a cut") - 0.5).abs() < 1e-9);
    assert_eq!(surface.cuts([1, 0, 0]).first([7, 2, 2]), None);
}

#[test]
fn lines_through_edges_and_corners_of_the_mesh_fill_it_exactly() {
    // Corners, edges and faces at sites' centres, and many triangles whose edges all lie on lines of sites.
    let mut mesh = Mesh::default();
    let at = |i: usize, j: usize| 5 * j + i;
    for z in [0.25, 2.25] {
        mesh.points.extend((0..25).map(|k| [0.25 + 0.5 * (k % 5) as f64, 0.25 + 0.5 * (k / 5) as f64, z]));
    }
    for (i, j) in (0..4).flat_map(|j| (0..4).map(move |i| (i, j))) {
        mesh.triangles.extend([[at(i, j), at(i + 1, j + 1), at(i + 1, j)], [at(i, j), at(i, j + 1), at(i + 1, j + 1)]]);
        let up = |k: usize| k + 25;
        mesh.triangles.push([at(i, j), at(i + 1, j), at(i + 1, j + 1)].map(up));
        mesh.triangles.push([at(i, j), at(i + 1, j + 1), at(i, j + 1)].map(up));
    }
    let rim: Vec<usize> = [
        (0..4).map(|k| at(k, 0)).collect::<Vec<_>>(),
        (0..4).map(|k| at(4, k)).collect(),
        (0..4).map(|k| at(4 - k, 4)).collect(),
        (0..4).map(|k| at(0, 4 - k)).collect(),
    ]
    .concat();
    for k in 0..16 {
        let (a, b) = (rim[k], rim[(k + 1) % 16]);
        mesh.triangles.extend([[a, b, b + 25], [a, b + 25, a + 25]]);
    }
    let domain = filled(&mesh, "0.5 mm").expect("builds");
    // From one centre to another, four spacings on: one of both belongs to it, along each axis.
    assert_eq!(domain.report.fluid, 64, "{}", told(&domain));
}

#[test]
fn nothing_depends_on_the_number_of_threads_or_the_order_of_triangles() {
    let mesh = Mesh::bend(15.0, 5.0, 2.0, 40);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| filled(&mesh, "0.4 mm")).expect("builds")
    };
    let (one, three) = (with(1), with(3));
    assert!(one.sites == three.sites && one.report.surface == three.report.surface);
    let mut backwards = mesh.clone();
    backwards.triangles.reverse();
    assert!(filled(&backwards, "0.4 mm").expect("builds").sites == one.sites);
    let feet = |domain: &Domain| {
        let surface = domain.surface.clone().expect("a surface");
        sites(domain)
            .step_by(97)
            .map(|at| surface.nearest(at.map(|i| i as f64)).expect("a foot").place)
            .collect::<Vec<_>>()
    };
    assert_eq!(feet(&one), feet(&three));
}

#[test]
fn ends_are_found_and_become_openings_across_the_vessel() {
    for (capped, mesh) in [
        (false, Mesh::bend(15.0, 5.0, 2.0, 40)),
        (true, Mesh::bend(15.0, 5.0, 2.0, 40).capped(40)),
        (true, Mesh::bend(15.0, 5.0, 2.0, 40).capped(40).turned()),
    ] {
        let surface = json!({"unit": "1 mm", "ends": {"largest": "velocity", "others": "pressure"}});
        let domain = made_of("a.stl", &mesh.binary_stl(), surface, "0.5 mm", json!([])).expect("builds");
        let text = told(&domain);
        assert_eq!(text.contains("2 open rims across a vessel capped"), !capped, "{text}");
        assert_eq!(domain.openings.len(), 2, "{text}");
        // Of one size: the end at lower x is the first.
        let normals = [[2.0_f64.sin(), -2.0_f64.cos(), 0.0], [0.0, 1.0, 0.0]];
        for (opening, normal) in domain.openings.iter().zip(normals) {
            let found = opening.normal.expect("a normal");
            assert!(length(minus(found, normal)) < 1e-3, "{found:?} {normal:?}");
        }
        assert_eq!((domain.openings[0].name.as_str(), domain.report.components), ("end-0", 1));
        for k in 0..2 {
            let area = domain.sites.iter().filter(|site| site.as_opening() == Some(k)).count();
            // A layer of one to 1.41 sites over the section, 314 sites in area.
            assert!((300..460).contains(&area), "{area}");
        }
        let named =
            json!([{"name": "out", "kind": "pressure", "end": 1}, {"name": "in", "kind": "velocity", "end": 0}]);
        let domain = made_of("a.stl", &mesh.binary_stl(), json!({"unit": "1 mm"}), "0.5 mm", named).expect("builds");
        assert_eq!(domain.openings[0].normal.expect("a normal")[1].round(), 1.0);
    }
}

#[test]
fn a_cuboid_has_two_ends_and_a_ball_none() {
    let domain = filled(&Mesh::cuboid([0.0; 3], [8.0, 2.0, 3.0]), "0.5 mm").expect("builds");
    let text = told(&domain);
    assert!(text.contains("end 1 at (") && !text.contains("end 2"), "{text}");
    for end in [
        "end 0 at (0.0000e0, 1.0000e-3, 1.5000e-3) m, into the vessel (1.000, 0.000, 0.000), area 6.0000e-6 m2, perimeter 1.0000e-2 m",
        "end 1 at (8.0000e-3, 1.0000e-3, 1.5000e-3) m, into the vessel (-1.000, 0.000, 0.000), area 6.0000e-6 m2",
    ] {
        assert!(text.contains(end), "{text}");
    }
    let ball = filled(&Mesh::sphere(3.0, [0.0; 3], 20), "0.5 mm").expect("builds");
    assert!(!told(&ball).contains("end 0"));
}

#[test]
fn walls_thinner_than_a_spacing_are_told_of() {
    // Two chambers with 0.2 mm between them, which no site's centre meets.
    let mesh = Mesh::cuboid([0.0; 3], [3.9, 2.0, 2.0]).with(Mesh::cuboid([4.1, 0.0, 0.0], [8.0, 2.0, 2.0]));
    let domain = filled(&mesh, "0.5 mm").expect("builds");
    let text = told(&domain);
    // Sites of 4 by 4, each with its straight link, and those of its diagonal ones that end in the chamber.
    let links = 16 + 4 * 12;
    assert!(text.contains(&format!("{links} links between fluid nodes go through the surface")), "{text}");
    assert!(!told(&filled(&mesh, "0.1 mm").expect("builds")).contains("between fluid nodes"));
}
