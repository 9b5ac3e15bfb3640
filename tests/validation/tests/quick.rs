//! The affordable part of every validation case, one test a case. The slow ones belong to `make test-full`.

use validation::Context;
use validation::cases::named;

fn holds(name: &str) {
    // Tests run beside each other.
    hematite_gpu::use_cores(1);
    let context = Context::open(true, false).expect("a device");
    let case = named(name).expect("a case of that name");
    let table = (case.run)(&context).expect("runs");
    print!("{table}");
    let failures: Vec<String> = table.failures().map(ToString::to_string).collect();
    assert!(failures.is_empty(), "out of tolerance:\n{}", failures.join("\n"));
}

macro_rules! cases {
    ({ $($test:ident: $name:literal;)* } slow { $($slow:ident: $slow_name:literal;)* }) => {
        $(#[test]
        fn $test() {
            holds($name);
        })*

        $(#[test]
        #[ignore = "make test-full"]
        fn $slow() {
            holds($slow_name);
        })*

        #[test]
        fn every_case_is_tested() {
            let mut tested = [$($name,)* $($slow_name,)*];
            let mut all: Vec<_> = validation::cases::ALL.iter().map(|case| case.name).collect();
            tested.sort_unstable();
            all.sort_unstable();
            assert_eq!(all, tested);
        }
    };
}

cases! {{
    plane_poiseuille_slip: "F1";
    shear_stress: "stress";
    pressure_driven_channel: "F2";
    vessels_at_an_angle: "oblique";
    rectangular_ducts: "F3";
    round_pipe: "F4";
    decaying_vortices: "F6";
    lid_driven_cavity: "F8";
    force_on_a_cylinder: "F9";
    couette_and_oscillating_plate: "F11";
    order_in_time: "time";
    womersley_flow: "womersley";
    waveforms: "pulsatile";
    inlets_across_vessels: "inlets";
    geometry_of_meshes: "M3";
    vesicles: "M4";
    membrane_moduli: "M11";
    turning_in_shear: "tumbling";
    drift_of_area_and_volume: "drift";
    blood_at_rest: "blood-rest";
    blood_in_a_channel: "blood-channel";
    blood_in_a_narrow_tube: "blood-tube-20";
    blood_in_a_wide_tube: "blood-tube-40";
} slow {
    spheroids_in_shear: "R1";
    momentum_and_friction_of_ellipsoids: "R5";
    outlets_that_follow_the_flow: "outlets";
    gas_of_ellipsoids: "R4";
    lava_upon_terrain: "lava";
    stochastic_rotation_dynamics: "S1";
    stretched_red_cell: "M1";
    tube_given_as_a_surface: "surface";
    capsule_in_shear: "M5";
    dilute_suspension: "M10";
    chains_without_hydrodynamics: "S4-Rouse";
    chains_in_a_fluid_of_particles: "S4-Zimm";
    chains_whose_beads_repel: "S4-swollen";
}}
