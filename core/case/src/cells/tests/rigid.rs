//! Rigid bodies: as many and as large as asked, never smaller, never overlapping.

use super::super::ellipsoids::{contact, tensor};
use super::super::turn::matrix;
use super::*;

const OBLATE: &str = r#"{"kind": "ellipsoid", "axes": ["3 um", "3 um", "1 um"]}"#;

fn oblate() -> Value {
    serde_json::from_str(OBLATE).expect("a shape")
}

/// The least distance of any two bodies, in lattice spacings, images included.
fn closest(lattice: &Lattice, populations: &[Population]) -> f64 {
    let scale = 1.0 / lattice.spacing;
    let bodies: Vec<_> = populations
        .iter()
        .flat_map(|population| population.cells.iter().map(move |cell| (population.rigid.expect("rigid"), cell)))
        .map(|(body, cell)| (tensor(body.semi_axes, scale, &matrix(cell.orientation)), times(scale, cell.centre)))
        .collect();
    let mut least = f64::INFINITY;
    for (i, (a, at)) in bodies.iter().enumerate() {
        for (b, other) in &bodies[..i] {
            let apart = [0, 1, 2].map(|k| {
                let period = lattice.extent[k] as f64;
                let apart = other[k] - at[k];
                if lattice.periodic[k] { apart - period * (apart / period).round() } else { apart }
            });
            if length(apart) < 8.0 {
                least = contact(a, b, apart, 100.0).map_or(least, |contact| least.min(contact.gap));
            }
        }
    }
    least
}

#[test]
fn bodies_fill_a_tube_at_full_size() {
    let lattice = pipe(24, 40, 1e-6);
    let cells = json!([{"name": "red", "shape": oblate(), "rigid": true, "hematocrit": 0.35}]);
    let populations = seeded(&lattice, cells, json!({}));
    let report = report(&populations[0]);
    assert!(report.rigid && report.refused.is_empty() && report.shrunk == 0.0, "{report:?}");
    // The volume is that of the ellipsoid, not of its mesh.
    let volume = std::f64::consts::PI / 6.0 * 9.0;
    let share = report.placed as f64 * volume / lattice.nodes() as f64;
    assert!((share - 0.35).abs() < 1e-3 && (report.hematocrit - share).abs() < 1e-9, "{share} {report:?}");
    assert!(report.lines().contains("rigid bodies, hematocrit"), "{}", report.lines());
    assert_eq!(populations[0].rigid.map(|body| body.semi_axes), Some([1.5e-6, 1.5e-6, 0.5e-6]));
    assert!(populations[0].cells.iter().all(|cell| cell.scale == 1.0));
    // A quarter of the shortest semi-axis.
    assert!(closest(&lattice, &populations) >= 0.125 && report.gap.expect("near") >= 0.125e-6, "{report:?}");
    check(&lattice, &populations, 0.125);
}

#[test]
fn bodies_without_room_are_left_out() {
    let lattice = periodic_box(3, [12, 12, 12], 1e-6);
    let cells = json!([{"name": "red", "shape": oblate(), "rigid": true, "hematocrit": 0.6}]);
    for growth in ["if_needed", "never"] {
        let populations = seeded(&lattice, cells.clone(), json!({"gap": "0.3 um", "growth": growth}));
        let report = report(&populations[0]);
        assert!(populations[0].cells.iter().all(|cell| cell.scale == 1.0));
        assert!(report.placed < report.asked && report.hematocrit > 0.25, "{report:?}");
        assert!(report.lines().contains("rigid bodies left out: no room among the others"), "{}", report.lines());
        assert!(closest(&lattice, &populations) >= 0.3);
    }
}

#[test]
fn cells_among_bodies_shrink_and_bodies_do_not() {
    let lattice = periodic_box(3, [18, 18, 18], 0.5e-6);
    let cells = json!([
        {"name": "hard", "shape": {"kind": "sphere", "radius": "1 um"}, "rigid": true, "hematocrit": 0.25},
        {"name": "soft", "shape": {"kind": "sphere", "radius": "2 um"}, "hematocrit": 0.37}
    ]);
    let populations = seeded(&lattice, cells, json!({"gap": "0.5 um"}));
    let (hard, soft) = (report(&populations[0]), report(&populations[1]));
    assert!(populations[0].cells.iter().all(|cell| cell.scale == 1.0) && hard.shrunk == 0.0, "{hard:?}");
    assert!(soft.shrunk > 0.0 && soft.scale[0] < 1.0 && hard.placed > hard.asked / 2, "{hard:?} {soft:?}");
    assert_eq!(populations[1].first, hard.placed);
    assert!(populations[1].rigid.is_none());
    check(&lattice, &populations, 1.0);
}

#[test]
fn the_same_seed_gives_the_same_bodies_on_any_number_of_threads() {
    let lattice = pipe(16, 20, 1e-6);
    let cells = json!([{"name": "red", "shape": oblate(), "rigid": true, "hematocrit": 0.3}]);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| seeded(&lattice, cells.clone(), json!({"seed": 3})))
    };
    assert_eq!(on(1)[0].cells, on(3)[0].cells);
}

#[test]
fn given_bodies_stay_unless_they_overlap() {
    let lattice = pipe(24, 40, 1e-6);
    let folder = tempfile::tempdir().expect("a folder");
    let config = folder.path().join("case.json");
    let cells = configs(json!([
        {"name": "held", "shape": oblate(), "rigid": true, "positions": "bodies.csv"},
        {"name": "red", "shape": oblate(), "rigid": true, "hematocrit": 0.2}
    ]));
    // Discs that lie on each other, 1.05 um apart; stood up, one reaches into the other.
    for (turn, said) in [("1,0,0,0", None), ("1,1,0,0", Some("row 1: the body overlaps that of bodies.csv: row 2"))] {
        let rows = format!("x [um],y [um],z [um],qw,qx,qy,qz\n20,12,12,1,0,0,0\n20,12,13.05,{turn}\n");
        std::fs::write(folder.path().join("bodies.csv"), rows).expect("writes");
        let seeding = Seeding::plan(&lattice, &config, &cells, &SeedingConfig::default());
        match said {
            None => {
                let populations = seeding.and_then(|seeding| seeding.place(&|_| {})).expect("seeds");
                assert!((populations[0].cells[1].centre[2] - 13.05e-6).abs() < 1e-15);
                assert!(closest(&lattice, &populations[1..]) >= 0.125);
            }
            Some(said) => {
                let message = seeding.err().expect("refused").message;
                assert!(message.contains(said), "{message}");
            }
        }
    }
}

#[test]
fn what_no_body_can_be_is_refused_with_its_remedy() {
    let tube = pipe(24, 40, 1e-6);
    let narrow = pipe(12, 40, 1e-6);
    let wide = periodic_box(3, [40, 40, 40], 1e-6);
    let flat = lattice(&fixture::channel(80, 40));
    let ellipsoid = |axes: [&str; 3]| json!({"kind": "ellipsoid", "axes": axes});
    let small = ellipsoid(["2 um", "2 um", "0.7 um"]);
    for (lattice, body, said) in [
        (
            &tube,
            json!({"shape": small}),
            "0.35 lattice spacings; the region by which a rigid body meets the fluid cannot",
        ),
        (&tube, json!({"shape": small}), "take a lattice of 0.875 um or finer"),
        (
            &wide,
            json!({"shape": ellipsoid(["34 um", "8 um", "8 um"])}),
            "touch each other up to 7: take a lattice of 2.429 um or coarser",
        ),
        (
            &narrow,
            json!({"shape": ellipsoid(["13 um", "13 um", "8 um"])}),
            "bodies (13.000 um across, 8.000 um thick) are larger than",
        ),
        (&tube, json!({"shape": {"kind": "red_cell"}}), "the shape is a \"red_cell\"; rigid bodies are ellipsoids"),
        (&tube, json!({"shape": {"kind": "mesh", "file": "a.stl", "unit": "1 um"}}), "the shape is a \"mesh\""),
        (&tube, json!({"shape": oblate(), "mechanics": {}}), "keys \"rigid\" and \"mechanics\" are both given"),
        (&flat, json!({"shape": {"kind": "sphere", "radius": "3 um"}}), "rigid bodies are for 3-D cases"),
    ] {
        let mut body = body;
        (body["name"], body["rigid"], body["count"]) = ("a".into(), true.into(), 1.into());
        let cells = configs(json!([body]));
        let fault = Seeding::plan(lattice, Path::new("case.json"), &cells, &SeedingConfig::default());
        let message = fault.err().expect(said).message;
        assert!(message.contains(said) && message.contains("cells[0]"), "{said}: {message}");
    }
    // What is too coarse and too thin for a membrane.
    let cells = configs(json!([{"name": "a", "shape": oblate(), "rigid": true, "count": 1}]));
    let seeding = Seeding::plan(&tube, Path::new("c"), &cells, &SeedingConfig::default()).expect("can be");
    assert!(
        seeding.outlook()[0].contains("1 rigid bodies of semi-axes 1.500 x 1.500 x 0.500 um"),
        "{:?}",
        seeding.outlook()
    );
}
