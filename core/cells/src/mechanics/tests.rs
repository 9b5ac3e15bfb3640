use hematite_config::from_value;
use hematite_units::quantity::Pressure;
use serde_json::{Value, json};

use super::*;

const PRESETS: [Preset; 6] =
    [Preset::RedCell, Preset::WhiteCell, Preset::Platelet, Preset::Capsule, Preset::Vesicle, Preset::Rigid];

fn config(json: Value) -> MechanicsConfig {
    from_value("run.json", json).expect("mechanics")
}

#[test]
fn a_name_alone_is_a_preset() {
    assert_eq!(config(json!("vesicle")), MechanicsConfig::like(Preset::Vesicle));
    assert_eq!(config(json!({"like": "vesicle"})), MechanicsConfig::like(Preset::Vesicle));
    for dimension in [2, 3] {
        for preset in PRESETS {
            let resolved = MechanicsConfig::default().resolve(dimension, preset);
            assert_eq!(resolved, Ok(preset.mechanics(dimension)));
        }
    }
}

#[test]
fn given_keys_take_the_place_of_the_preset() {
    let given = config(json!({
        "in_plane": {"law": "skalak", "shear_modulus": "5 uN/m"},
        "bending": {"law": "gompper_kroll", "modulus": "0.2 aJ"},
        "local_area": "1 uN/m",
        "volume": "2 kPa",
        "contrast": 5,
    }));
    let mechanics = given.resolve(3, Preset::RedCell);
    let preset = Preset::RedCell.mechanics(3);
    let wanted = Mechanics {
        in_plane: Some(InPlane::Skalak { g: 5e-6, c: 1.0 }),
        bending: Some(Bending::GompperKroll { kappa: 0.2e-18 }),
        local_area: 1e-6,
        volume: 2e3,
        contrast: 5.0,
        ..preset
    };
    let close = |a: f64, b: f64| (a - b).abs() <= 1e-12 * b.abs();
    let mechanics = mechanics.expect("resolves");
    assert!(matches!(mechanics.in_plane, Some(InPlane::Skalak { g, c: 1.0 }) if close(g, 5e-6)), "{mechanics:?}");
    assert!(matches!(mechanics.bending, Some(Bending::GompperKroll { kappa }) if close(kappa, 2e-19)), "{mechanics:?}");
    assert!(close(mechanics.local_area, 1e-6));
    assert_eq!(Mechanics { in_plane: wanted.in_plane, bending: wanted.bending, local_area: 1e-6, ..mechanics }, wanted);
}

#[test]
fn a_law_can_be_switched_off() {
    let given = config(json!({"in_plane": {"law": "none"}, "bending": {"law": "none"}, "volume": "0 Pa"}));
    let mechanics = given.resolve(2, Preset::RedCell).expect("resolves");
    assert_eq!((mechanics.in_plane, mechanics.bending, mechanics.volume), (None, None, 0.0));
}

#[test]
fn a_runs_keys_win_over_the_cases() {
    let case = config(json!({"like": "capsule", "volume": "2 kPa", "contrast": 5}));
    let run = config(json!({"volume": "3 kPa"}));
    let both = run.or(case.clone());
    assert_eq!((both.like, both.volume, both.contrast), (Some(Preset::Capsule), Some(Pressure(3e3)), Some(5.0)));
    assert_eq!(MechanicsConfig::like(Preset::Rigid).or(case), MechanicsConfig::like(Preset::Rigid));
}

#[test]
fn text_survives_a_round_trip() {
    let given = config(json!({
        "like": "red_cell",
        "in_plane": {"law": "wlc", "shear_modulus": "10 uN/m"},
        "bending": {"law": "kantor_nelson", "modulus": "3e-19 J", "rest": "shape"},
        "global_area": "1 mN/m",
        "volume_share": 0.9,
        "viscosity": "1e-10 Pa s m",
    }));
    let text = serde_json::to_string(&given).expect("writes");
    assert_eq!(from_value::<MechanicsConfig>("case", serde_json::from_str(&text).expect("JSON")), Ok(given));
}

#[test]
fn what_cannot_be_is_refused() {
    let cases = [
        (
            json!({"in_plane": {"law": "wlc", "shear_modulus": "5 uN/m"}}),
            2,
            "\"wlc\" is for 3-D cases, this case is 2-D: use linear or hardening",
        ),
        (json!({"in_plane": {"law": "linear", "modulus": "5 uN/m"}}), 3, "use wlc, skalak or neo_hookean"),
        (json!({"bending": {"law": "ring", "modulus": "1e-19 J"}}), 3, "use kantor_nelson or gompper_kroll"),
        (json!({"bending": {"law": "ring", "modulus": "0 J"}}), 2, "\"bending.modulus\" is 0 J; it must be above 0"),
        (
            json!({"in_plane": {"law": "skalak", "shear_modulus": "-1 uN/m"}}),
            3,
            "\"in_plane.shear_modulus\" is -1e-6 N/m",
        ),
        (
            json!({"in_plane": {"law": "hardening", "modulus": "5 uN/m", "limit": 1}}),
            2,
            "\"in_plane.limit\" is 1; it must be above 1",
        ),
        (
            json!({"in_plane": {"law": "wlc", "shear_modulus": "5 uN/m", "x0": 1.5}}),
            3,
            "\"in_plane.x0\" is 1.5; it must be between 0 and 1",
        ),
        (json!({"local_area": "1 uN/m"}), 2, "\"local_area\" is of triangles"),
        (json!({"global_area": "-1 uN/m"}), 3, "must not be below 0"),
        (json!({"volume_share": 1.3}), 3, "\"volume_share\" is 1.3; it must be above 0 and at most 1.2"),
        (json!({"volume_share": 0}), 3, "\"volume_share\" is 0"),
        (json!({"contrast": 50}), 3, "\"contrast\" is 50; it must be from 0.1 to 20"),
    ];
    for (json, dimension, piece) in cases {
        let message = config(json).resolve(dimension, Preset::RedCell).expect_err("refused").message;
        assert!(message.contains(piece), "{message}");
    }
}

#[test]
fn a_slip_of_the_keyboard_is_named() {
    let cases = [
        (json!("redcell"), "did you mean \"red_cell\"?"),
        (json!({"like": "vesicel"}), "did you mean \"vesicle\"?"),
        (json!({"contrst": 5}), "did you mean \"contrast\"?"),
        (json!({"in_plane": {"law": "skalac", "shear_modulus": "5 uN/m"}}), "did you mean \"skalak\"?"),
        (json!({"in_plane": {"law": "skalak", "modulus": "5 uN/m"}}), "shear_modulus"),
        (json!({"volume": "5 mN/m"}), "key \"volume\": \"5 mN/m\" is not a pressure"),
        (json!(7), "the name of a preset"),
    ];
    for (json, piece) in cases {
        let message = from_value::<MechanicsConfig>("run.json", json).expect_err("refused").message;
        assert!(message.contains(piece), "{message}");
    }
}

#[test]
fn the_schema_has_names_and_keys() {
    let schema: Value = serde_json::from_str(&hematite_config::schema::<MechanicsConfig>()).expect("JSON");
    let names = schema["anyOf"][0]["enum"].as_array().expect("names").clone();
    assert_eq!(names.len(), PRESETS.len());
    for (name, preset) in names.into_iter().zip(PRESETS) {
        assert_eq!(config(name).like, Some(preset));
    }
    assert!(schema["anyOf"][1]["properties"]["in_plane"].is_object(), "{schema:#}");
    assert!(schema["description"].is_string() && schema["$defs"].is_object(), "{schema:#}");
}

#[test]
fn lattice_units_divide_by_their_own() {
    let units = LatticeUnits { dx: 0.5e-6, dt: 1e-7, rho0: 1000.0 };
    let mechanics = Mechanics { viscosity: 1e-9, ..Preset::RedCell.mechanics(3) };
    let lattice = mechanics.in_lattice(&units);
    assert!((lattice.volume - 1e4 / 25e3).abs() < 1e-12);
    assert!((lattice.global_area - 1e-2 / 12.5e-3).abs() < 1e-12);
    assert!((lattice.viscosity - 1e-9 / (25e3 * 1e-7 * 0.5e-6)).abs() < 1e-12);
    assert!(matches!(lattice.in_plane, Some(InPlane::WlcPower { mu, .. }) if (mu - 5e-6 / 12.5e-3).abs() < 1e-12));
    let kappa = 2.4e-19 / (12.5e-3 * 0.25e-12);
    assert!(matches!(lattice.bending, Some(Bending::KantorNelson { kappa: k, .. }) if (k - kappa).abs() < 1e-12));
}
