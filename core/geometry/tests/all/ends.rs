//! Ends of vessels that the border cuts: place, direction and width against vessels drawn from their formulas; what
//! cannot be an end; the openings made of them.

use std::fs;

use hematite_config::{Exit, Fault, from_value};
use hematite_geometry::{Domain, GeometryConfig, OpeningConfig, OpeningKind, Site, build};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Builds what `inside` says at the centres of voxels of 1 m; one slice makes it 2-D.
fn built(
    shape: [usize; 3],
    inside: impl Fn([f64; 3]) -> bool,
    geometry: Value,
    openings: Value,
) -> Result<Domain, Fault> {
    let folder = tempfile::tempdir().expect("a folder");
    let [nx, ny, nz] = shape;
    let at = |i: usize| [i % nx, i / nx % ny, i / (nx * ny)].map(|n| n as f64 + 0.5);
    let values: Vec<u8> = (0..nx * ny * nz).map(|i| u8::from(inside(at(i)))).collect();
    fs::write(folder.path().join("a.raw"), values).expect("writes");
    let mut whole = json!({"voxels": {"file": "a.raw", "shape": shape, "type": "u8"}, "spacing": "1 m"});
    geometry.as_object().expect("keys").iter().for_each(|(key, value)| whole[key] = value.clone());
    let geometry: GeometryConfig = from_value("geometry", whole)?;
    let openings: Vec<OpeningConfig> = from_value("openings", openings)?;
    build(&folder.path().join("CASE.json"), &geometry, &openings)
}

/// An end as the report tells it.
#[derive(Debug)]
struct Told {
    centre: Vec<f64>,
    direction: Vec<f64>,
    width: f64,
}

/// The ends of a report that have a direction.
fn told(domain: &Domain) -> Vec<Told> {
    let numbers = |text: &str| text.split(", ").map(|x| x.parse().expect("a number")).collect::<Vec<f64>>();
    let between = |line: &str, from: &str, to: &str| {
        let after = line.split_once(from).unwrap_or_else(|| panic!("{from} in {line}")).1;
        after.split_once(to).expect("an end").0.to_owned()
    };
    let one = |line: &String| Told {
        centre: numbers(&between(line, " at (", ")")),
        direction: numbers(&between(line, "into the vessel (", ")")),
        width: between(line, "width ", " m").parse().expect("a number"),
    };
    domain.report.ends.iter().filter(|line| line.contains("into the vessel")).map(one).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Expects the two ends of a straight vessel through `through` along the unit vector `along`.
fn check_straight(domain: &Domain, through: &[f64], along: &[f64], width: f64) {
    let ends = told(domain);
    assert_eq!(ends.len(), 2, "{:?}", domain.report.ends);
    assert!(dot(&ends[0].direction, &ends[1].direction) < -0.99, "{ends:?}");
    for end in &ends {
        let cosine = dot(&end.direction, along).abs();
        assert!(cosine > 3f64.to_radians().cos(), "{:.2} degrees off {along:?}: {end:?}", cosine.acos().to_degrees());
        assert!((end.width - width).abs() < f64::max(1.0, 0.03 * width), "{width} wide: {end:?}");
        let away: Vec<f64> = end.centre.iter().zip(through).map(|(a, b)| a - b).collect();
        let rise = dot(&away, along);
        let off = (dot(&away, &away) - rise * rise).max(0.0).sqrt();
        assert!(off < f64::max(0.7, 0.06 * width), "{off} off the axis: {end:?}");
        assert!(rise * dot(&end.direction, along) < 0.0, "into the vessel: {end:?}");
    }
}

/// Expects both openings to be across the vessel, and no fluid at the border.
fn check_opened(domain: &Domain) {
    assert_eq!(domain.openings.len(), 2);
    assert_eq!([0, 1].map(|k| domain.openings[k].name.as_str()), ["end-0", "end-1"]);
    assert_eq!([0, 1].map(|k| domain.openings[k].kind), [OpeningKind::Velocity, OpeningKind::Pressure]);
    for (opening, end) in domain.openings.iter().zip(told(domain)) {
        let normal = opening.normal.expect("a normal");
        assert!(dot(&normal, &end.direction) > 0.998, "{opening:?} {end:?}");
    }
    assert_eq!(domain.report.components, 1);
    let [nx, ny, nz] = domain.extent;
    for (i, site) in domain.sites.iter().enumerate() {
        let at = [i % nx, i / nx % ny, i / (nx * ny)];
        let is_border = (0..domain.dimension).any(|k| at[k] == 1 || at[k] == [nx, ny, nz][k] - 2);
        assert!(!is_border || *site != Site::FLUID, "fluid at {at:?}");
    }
    for k in 0..2 {
        assert!(domain.sites.contains(&Site::opening(k)));
    }
}

fn both() -> Value {
    json!({"ends": {"largest": "velocity", "others": "pressure"}})
}

/// Expects the ends of a channel in 150 x 150 voxels whose axis is `offset` from their middle.
fn check_channel(angle: f64, width: f64, offset: [f64; 2]) {
    let along = [angle.cos(), angle.sin()];
    let through = [75.0 + offset[0], 75.0 + offset[1]];
    let inside = |[x, y, _]: [f64; 3]| ((x - through[0]) * along[1] - (y - through[1]) * along[0]).abs() < 0.5 * width;
    let domain = built([150, 150, 1], inside, both(), json!([])).expect("builds");
    check_straight(&domain, &through, &along, width);
    check_opened(&domain);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(48) })]

    #[test]
    fn channels_of_any_direction_and_width(
        angle in 0.0..std::f64::consts::TAU,
        width in 5.0..24.0f64,
        offset in proptest::array::uniform2(-12.0..12.0f64),
    ) {
        check_channel(angle, width, offset);
    }

    /// Steps of the wall are far apart, and the sections may meet one of each wall.
    #[test]
    fn channels_nearly_along_an_axis(
        axis in 0..4,
        tilt in -2.0..2.0f64,
        width in 5.0..24.0f64,
        offset in proptest::array::uniform2(-12.0..12.0f64),
    ) {
        check_channel((f64::from(axis) * 90.0 + tilt).to_radians(), width, offset);
    }
}

#[test]
fn a_step_of_each_wall_at_one_section_turns_no_channel() {
    check_channel(1.581_997_569_903_039_3, 16.046_563_395_504_602, [-10.800_476_266_788_149, 0.0]);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(24) })]

    #[test]
    fn tubes_of_any_direction_and_width(
        height in -1.0..1.0f64,
        angle in 0.0..std::f64::consts::TAU,
        width in 5.0..18.0f64,
        offset in proptest::array::uniform3(-8.0..8.0f64),
    ) {
        let flat = (1.0 - height * height).sqrt();
        let along = [flat * angle.cos(), flat * angle.sin(), height];
        let through = offset.map(|x| 44.0 + x);
        let inside = |at: [f64; 3]| {
            let away = [0, 1, 2].map(|k| at[k] - through[k]);
            dot(&away, &away) - dot(&away, &along).powi(2) < 0.25 * width * width
        };
        let domain = built([88; 3], inside, both(), json!([])).expect("builds");
        check_straight(&domain, &through, &along, width);
        check_opened(&domain);
    }
}

/// A quarter of a ring around the lower-left corner, from x- to y-.
fn ring([x, y, _]: [f64; 3]) -> bool {
    (x.hypot(y) - 60.0).abs() < 8.0
}

#[test]
fn a_bent_vessel_ends_across_the_border_and_is_opened_by_number() {
    let openings = json!([{"name": "in", "kind": "velocity", "end": 1}]);
    let domain = built([80, 80, 1], ring, json!({}), openings).expect("builds");
    let ends = told(&domain);
    assert_eq!(ends.len(), 2);
    // Of the same size, the one of the lower x is the first.
    for (end, [x, y]) in ends.iter().zip([[1.0, 0.0], [0.0, 1.0]]) {
        assert!(end.direction[0] * x + end.direction[1] * y > 4f64.to_radians().cos(), "{end:?}");
        assert!((end.width - 16.0).abs() < 1.0, "{end:?}");
    }
    assert_eq!(domain.openings.len(), 1);
    assert_eq!(domain.openings[0].name, "in");
    assert!((0..80).all(|x| domain.sites[domain.index([x + 1, 1, 0])] != Site::FLUID), "y- is cut off");
    assert!((0..80).any(|y| domain.sites[domain.index([1, y + 1, 0])] == Site::FLUID), "x- is closed by wall");
}

/// Two channels, 8 wide, from the middle of x-, to the upper and the lower right.
fn fork([x, y, _]: [f64; 3]) -> bool {
    let (along, across) = ((y - 60.0).abs() * 0.6 + x * 0.8, (y - 60.0).abs() * 0.8 - x * 0.6);
    along > -9.0 && (across - 4.5).abs() < 4.0
}

#[test]
fn vessels_that_meet_at_the_border_are_ends_of_their_own() {
    let whole = json!({"ends": {"largest": "velocity", "others": "pressure"}});
    let domain = built([100, 120, 1], fork, whole, json!([])).expect("builds");
    let ends = told(&domain);
    assert_eq!(ends.len(), 4, "{:?}", domain.report.ends);
    for sign in [1.0, -1.0] {
        let near = ends.iter().filter(|end| dot(&end.direction, &[0.8, sign * 0.6]) > 3f64.to_radians().cos());
        let far = ends.iter().filter(|end| dot(&end.direction, &[-0.8, sign * 0.6]) > 3f64.to_radians().cos());
        assert_eq!((near.count(), far.count()), (1, 1), "{ends:?}");
    }
    assert!(ends.iter().all(|end| (end.width - 8.0).abs() < 1.0), "{ends:?}");
    assert_eq!((domain.openings.len(), domain.report.components), (4, 2));
}

#[test]
fn what_has_no_direction_is_told_and_refused_where_it_is_opened() {
    // A vessel whose side the border slices, and one that comes in across it.
    let sliced = |[x, y, _]: [f64; 3]| {
        let bend = (x - 50.0).hypot(y + 40.0);
        (bend - 45.0).abs() < 6.0 || ((y - 60.0).abs() < 10.0 && x > 20.0)
    };
    let shape = [100, 80, 1];
    let domain = built(shape, sliced, json!({}), json!([])).expect("builds");
    let ends = &domain.report.ends;
    let odd = ends.iter().position(|line| line.contains("runs along the border")).unwrap_or_else(|| panic!("{ends:?}"));
    let refused = |geometry: Value, openings: Value, pieces: &[&str]| {
        let fault = built(shape, sliced, geometry, openings).expect_err(pieces[0]);
        assert_eq!(fault.exit, Exit::Usage);
        assert!(pieces.iter().all(|piece| fault.message.contains(piece)), "{fault}");
    };
    let closed = format!("\"closed\": [{odd}]");
    let advice = ["cannot be opened", "\"section\"", &closed, "Crop", "The ends are:\n  end 0 at (", "\n  end 1 at ("];
    refused(both(), json!([]), &advice);
    refused(json!({}), json!([{"name": "in", "kind": "velocity", "end": odd}]), &advice);
    refused(
        json!({}),
        json!([{"name": "in", "kind": "velocity", "end": 0}, {"name": "out", "kind": "pressure", "end": 0}]),
        &["end 0", "\"out\"", "each its own"],
    );
    refused(json!({}), json!([{"name": "in", "kind": "velocity", "end": 9}]), &["end 9 is not there", "0 to"]);
    refused(
        json!({"ends": {"largest": "velocity", "others": "pressure", "narrower_than": "1 km"}}),
        json!([]),
        &["geometry.ends", "\"narrower_than\" (1e3 m)", "widest"],
    );
    refused(
        json!({"ends": {"largest": "velocity", "others": "pressure", "closed": [7]}}),
        json!([]),
        &["geometry.ends.closed", "end 7"],
    );
    let open = json!({"ends": {"largest": "pressure", "others": "pressure", "closed": [odd]}});
    let domain = built(shape, sliced, open, json!([])).expect("builds");
    assert_eq!(domain.openings.len(), ends.len() - 1);
    refused(json!({"ends": {"largest": "velocity"}}), json!([]), &["others"]);
    refused(json!({"ends": {"largest": "velocity", "others": "presure"}}), json!([]), &["presure"]);
    refused(
        json!({"ends": {"largest": "velocity", "others": "pressure"}, "periodic": ["x"]}),
        json!([]),
        &["geometry.ends", "periodic"],
    );
    refused(
        json!({"periodic": ["y"]}),
        json!([{"name": "in", "kind": "velocity", "end": 0}]),
        &["\"in\"", "periodic", "\"face\""],
    );

    let full = built(shape, |_| true, json!({}), json!([])).expect("builds");
    assert_eq!(full.report.ends.len(), 1);
    assert!(full.report.ends[0].contains("opposite sides"), "{:?}", full.report.ends);
    let fault = built(shape, |_| true, both(), json!([])).expect_err("all around");
    assert!(fault.message.contains("opposite sides") && fault.message.contains("\"end-0\""), "{fault}");
    let none = built(shape, |[x, y, _]| (x - 50.0).hypot(y - 40.0) < 20.0, both(), json!([])).expect_err("no ends");
    assert!(none.message.contains("geometry.ends: the border cuts no vessel"), "{none}");
}

#[test]
fn narrow_ends_and_loose_pieces_stay_closed_where_that_is_asked() {
    // A wide vessel along x with a thin side branch to y+, and a loose piece at y-.
    let vessel = |[x, y, _]: [f64; 3]| {
        (y - 40.0).abs() < 12.0 || ((x - 50.0).abs() < 2.5 && y > 40.0) || ((x - 20.0).abs() < 4.0 && y < 15.0)
    };
    let with = |geometry: Value| built([100, 80, 1], vessel, geometry, json!([])).expect("builds");
    let names = |domain: &Domain| domain.openings.iter().map(|opening| opening.name.clone()).collect::<Vec<_>>();
    let wide = with(json!({"ends": {"largest": "velocity", "others": "pressure", "narrower_than": "10 m"}}));
    assert_eq!(names(&wide), ["end-0", "end-1"]);
    assert_eq!(told(&wide).len(), 4, "{:?}", wide.report.ends);
    let largest = with(json!({"ends": {"largest": "velocity", "others": "pressure"}, "keep": "largest"}));
    assert_eq!(names(&largest), ["end-0", "end-1", "end-2"]);
    assert_eq!((largest.report.components, largest.report.removed_sites > 100), (1, true));
}

/// A trunk that the lower border cuts, and two branches at `half` degrees from it, which the upper border cuts; in 2-D
/// along x and y, in 3-D along x and z. Lengths in sites: the radii of trunk and branches, and how long the inner walls
/// of the branches are, from where they meet to the border.
fn forked(dimension: usize, half: f64, [trunk, branch]: [f64; 2], inner: f64) -> Result<Domain, Fault> {
    let (sin, cos) = half.to_radians().sin_cos();
    let fork = 40.0;
    let tall = (fork + branch / sin + inner * cos).round();
    let wide = 2.0 * ((tall - fork) * sin / cos + branch / cos + 6.0).ceil();
    let deep = if dimension == 2 { 1.0 } else { 2.0 * (trunk.max(branch) + 4.0).ceil() + 1.0 };
    let inside = |[x, y, z]: [f64; 3]| {
        let (y, rise) = if dimension == 2 { (z, y - fork) } else { (y, z - fork) };
        let (x, y) = (x - 0.5 * wide - 0.2, y - 0.5 * deep);
        let is_in = |along: [f64; 2], radius: f64| {
            let t = (x * along[0] + rise * along[1]).max(0.0);
            (x - t * along[0]).hypot(rise - t * along[1]).hypot(y) < radius
        };
        is_in([0.0, -1.0], trunk) || is_in([sin, cos], branch) || is_in([-sin, cos], branch)
    };
    let [wide, tall, deep] = [wide, tall, deep].map(|n| n as usize);
    built(if dimension == 2 { [wide, tall, 1] } else { [wide, deep, tall] }, inside, both(), json!([]))
}

/// What is wrong with the ends of a fork.
fn wrong(dimension: usize, half: f64, [trunk, branch]: [f64; 2], widths: f64) -> Result<(), String> {
    let domain = forked(dimension, half, [trunk, branch], 2.0 * branch * widths).map_err(|fault| fault.message)?;
    let ends = told(&domain);
    if ends.len() != 3 || domain.openings.len() != 3 || domain.report.components != 1 {
        return Err(format!("{:?}", domain.report.ends));
    }
    let (sin, cos) = half.to_radians().sin_cos();
    for end in &ends {
        let [x, up] = [end.direction[0], end.direction[dimension - 1]];
        let is_trunk = up > 0.5;
        let cosine = if is_trunk { up } else { x.abs() * sin - up * cos };
        let degrees = cosine.min(1.0).acos().to_degrees();
        let width = 2.0 * if is_trunk { trunk } else { branch };
        let bound = if widths > 1.5 { 3.0 } else { 8.0 };
        if degrees > bound || (end.width - width).abs() > f64::max(1.0, 0.06 * width) {
            return Err(format!("{degrees:.1} degrees off, {width} wide: {end:?}"));
        }
    }
    Ok(())
}

/// Branches of a fork are opened across themselves however close to the fork the border cuts them.
#[test]
fn branches_that_are_cut_near_their_fork() {
    let mut faults = Vec::new();
    for dimension in [2, 3] {
        for half in [20.0, 30.0, 40.0, 55.0] {
            for radii in [[8.0, 6.3], [6.0, 5.0], [12.0, 12.0]] {
                for widths in [1.0, 1.3, 1.8, 2.5, 3.6] {
                    if let Err(text) = wrong(dimension, half, radii, widths) {
                        faults.push(format!("{dimension}-D, {half} degrees, radii {radii:?}, {widths} widths: {text}"));
                    }
                }
            }
        }
    }
    assert!(faults.is_empty(), "{} of 120:\n{}", faults.len(), faults.join("\n"));
}

/// A channel along x, and a branch up from it that ends `gap` sites before the border.
fn with_branch([x, y, _]: [f64; 3], gap: f64) -> bool {
    (y - 20.0).abs() < 6.0 || ((x - 60.0).abs() < 5.0 && y > 20.0 && y < 80.0 - gap)
}

#[test]
fn vessels_that_stop_before_the_border_are_told() {
    for gap in [1.0, 2.0, 9.0] {
        let domain = built([120, 80, 1], |at| with_branch(at, gap), both(), json!([])).expect("builds");
        assert_eq!(told(&domain).len(), 2, "{:?}", domain.report.ends);
        let warnings = domain.report.warnings.join("\n");
        assert!(warnings.contains("the vessel also ends at (") && warnings.contains("\"tips\": true"), "{warnings}");
        let mut config = both();
        config["ends"]["tips"] = json!(true);
        let domain = built([120, 80, 1], |at| with_branch(at, gap), config, json!([])).expect("builds");
        assert_eq!(domain.openings.len(), 3, "{:?}", domain.report.ends);
    }
    let domain = built([120, 80, 1], |at| with_branch(at, 0.0), both(), json!([])).expect("builds");
    assert!(!domain.report.warnings.join("\n").contains("also ends"), "{:?}", domain.report.warnings);
}

#[test]
fn pieces_that_nothing_drives_are_told() {
    let inside = |[_, y, _]: [f64; 3]| (y - 20.0).abs() < 7.0 || (y - 60.0).abs() < 5.0;
    let domain = built([100, 80, 1], inside, both(), json!([])).expect("builds");
    assert_eq!((domain.report.components, domain.openings.len()), (2, 4));
    let warnings = domain.report.warnings.join("\n");
    assert!(warnings.contains("\"pressure\" alone, \"end-2\", \"end-3\""), "{warnings}");
    let inside = |[_, y, _]: [f64; 3]| (y - 20.0).abs() < 7.0;
    let domain = built([100, 80, 1], inside, both(), json!([])).expect("builds");
    assert!(!domain.report.warnings.join("\n").contains("alone"), "{:?}", domain.report.warnings);
}

#[test]
fn the_largest_open_end_takes_the_place_of_a_closed_one() {
    let mut config = both();
    config["ends"]["closed"] = json!([0]);
    let domain = built([120, 80, 1], |at| with_branch(at, 0.0), config, json!([])).expect("builds");
    let kinds: Vec<(&str, OpeningKind)> = domain.openings.iter().map(|o| (o.name.as_str(), o.kind)).collect();
    assert_eq!(kinds, [("end-1", OpeningKind::Velocity), ("end-2", OpeningKind::Pressure)]);
}
