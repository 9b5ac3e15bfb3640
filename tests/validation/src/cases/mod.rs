//! The cases, one a file.

use hematite_config::Result;

use crate::{Context, Table};

mod blood_channel;
mod blood_rest;
mod blood_tube;
mod f11_couette;
mod f1_slip;
mod f2_pressure;
mod f3_duct;
mod f4_pipe;
mod f6_decay;
mod f8_cavity;
mod f9_cylinder;
mod inlets;
mod lava;
mod m10_suspension;
mod m11_networks;
mod m1_stretching;
mod m3_geometry;
mod m4_vesicles;
mod m5_capsule;
mod m_drift;
mod m_tumbling;
mod oblique;
mod outlets;
mod pulsatile;
mod r1_jeffery;
mod r4_gas;
mod r5_friction;
mod s1_srd;
mod s4_polymers;
mod stress;
mod surface;
mod time;
mod womersley;

/// A case by name.
#[derive(Clone, Copy)]
pub struct Case {
    /// What `--only` takes.
    pub name: &'static str,
    /// What it is about.
    pub about: &'static str,
    /// Does it.
    pub run: fn(&Context) -> Result<Table>,
}

/// All cases, in the order in which they are run.
pub const ALL: &[Case] = &[
    Case { name: "F1", about: "plane Poiseuille flow: the exact slip law", run: f1_slip::run },
    Case { name: "stress", about: "plane Poiseuille flow: shear stress", run: stress::run },
    Case { name: "F2", about: "channel between pressure openings; pressure drop over a period", run: f2_pressure::run },
    Case { name: "oblique", about: "vessels at an angle, between openings of either cut", run: oblique::run },
    Case { name: "surface", about: "a tube given as a surface: its ends, Poiseuille flow in it", run: surface::run },
    Case { name: "F3", about: "rectangular ducts: friction", run: f3_duct::run },
    Case { name: "F4", about: "round pipe: walls half-way and interpolated", run: f4_pipe::run },
    Case { name: "F6", about: "decay of Taylor-Green vortices and shear waves", run: f6_decay::run },
    Case { name: "F8", about: "lid-driven cavity", run: f8_cavity::run },
    Case { name: "F9", about: "force on a cylinder in a channel, 2-D", run: f9_cylinder::run },
    Case { name: "F11", about: "Couette flow and the oscillating plate", run: f11_couette::run },
    Case { name: "time", about: "order in time of an oscillating force", run: time::run },
    Case { name: "womersley", about: "oscillating force in channel, pipe and duct", run: womersley::run },
    Case {
        name: "pulsatile",
        about: "waveforms at openings and of forces, as configs prescribe them",
        run: pulsatile::run,
    },
    Case {
        name: "inlets",
        about: "vessels of any direction, cut across; profiles of oscillating inflow",
        run: inlets::run,
    },
    Case {
        name: "outlets",
        about: "outlets with a resistance, a Windkessel, a share of the inflow",
        run: outlets::run,
    },
    Case { name: "M1", about: "red cell stretched by tweezers", run: m1_stretching::run },
    Case { name: "M3", about: "geometry and bending energy of meshes", run: m3_geometry::run },
    Case { name: "M4", about: "vesicles at rest and in shear, 2-D", run: m4_vesicles::run },
    Case { name: "M5", about: "elastic capsule in shear", run: m5_capsule::run },
    Case { name: "M10", about: "viscosity of dilute suspensions, 2-D", run: m10_suspension::run },
    Case { name: "M11", about: "moduli of membranes; forces as slopes of energies", run: m11_networks::run },
    Case { name: "tumbling", about: "ellipses and vesicles that turn in shear, 2-D", run: m_tumbling::run },
    Case { name: "drift", about: "area and volume of red cells in shear", run: m_drift::run },
    Case { name: "R1", about: "rigid spheroids that turn in shear", run: r1_jeffery::run },
    Case { name: "R4", about: "rigid ellipsoids in empty space: energy and time reversal", run: r4_gas::run },
    Case { name: "R5", about: "rigid bodies and the fluid: momentum and friction", run: r5_friction::run },
    Case { name: "S1", about: "stochastic rotation dynamics: viscosity, slip, diffusion", run: s1_srd::run },
    Case { name: "S4-Rouse", about: "ideal chains without hydrodynamics", run: s4_polymers::rouse_chains },
    Case { name: "S4-Zimm", about: "ideal chains in a fluid of particles", run: s4_polymers::zimm_chains },
    Case {
        name: "S4-swollen",
        about: "chains whose beads repel, without hydrodynamics",
        run: s4_polymers::swollen_chains,
    },
    Case { name: "blood-rest", about: "red cells between openings that nothing drives", run: blood_rest::run },
    Case { name: "blood-channel", about: "red cells in a straight channel, 2-D", run: blood_channel::run },
    Case { name: "blood-tube-20", about: "red cells in a tube of 20 um", run: blood_tube::narrow },
    Case { name: "blood-tube-40", about: "red cells in a tube of 40 um", run: blood_tube::wide },
    Case {
        name: "lava",
        about: "lava on an incline, piles at rest, spreading, cooling; exact volumes",
        run: lava::run,
    },
];

/// The case of that name, whatever its letter case.
pub fn named(name: &str) -> Option<&'static Case> {
    ALL.iter().find(|case| case.name.eq_ignore_ascii_case(name))
}
