//! Ideal chains in a solvent without hydrodynamics, against Rouse's theory, and in a fluid of particles, against Zimm's and
//! Kirkwood's; chains whose beads repel. `mkcase`, `run` and `post polymers` do it. One bond is one lattice spacing.

use std::f64::consts::PI;

use hematite_config::{Fault, Result};
use hematite_units::BOLTZMANN;
use physics_srd::theory::Gas;
use serde_json::{Value, json};

use crate::order::order;
use crate::{Context, Table, tool};

/// Lattice spacing, m, and temperature, K.
const SPACING: f64 = 1e-6;
const TEMPERATURE: f64 = 300.0;

/// Time step of solvents without hydrodynamics, s, and how far a single bead diffuses in one: D of a bead times step, in squared
/// spacings.
const STEP: f64 = 1e-4;
const DIFFUSED: f64 = 0.05;

/// Which share of its velocity friction takes from a bead in a step, xi / m: as much as can be computed, as Rouse's beads have no
/// inertia.
const LOST: f64 = 0.5;

/// Beads from which on a chain relaxes as one of springs.
const SPRINGS: usize = 16;

/// The fluid of particles.
const FLUID: Gas =
    Gas { dimension: 3, particles: 5.0, mean_free_path: 0.1, angle: Some(130.0 * PI / 180.0), angular_momentum: false };

/// Why a periodic cube of edge L slows a particle down: its images drag the fluid, xi L (Hasimoto, J. Fluid Mech. 5, 317, 1959;
/// Yeh and Hummer, J. Phys. Chem. B 108, 15873, 2004).
const IMAGES: f64 = 2.837_297;

/// Chains of one length in a periodic cube.
struct Solution {
    beads: usize,
    chains: usize,
    /// Edge of the cube, lattice spacings.
    edge: usize,
    /// Whether beads repel, else chains are ideal.
    repel: bool,
    /// Whether a fluid of particles is around them, else a solvent without hydrodynamics.
    fluid: bool,
    steps: u64,
    every: u64,
}

/// What `post polymers` says of them, in units of spacing and time step.
struct Found {
    /// <Rg^2>.
    squared_radius: f64,
    /// <b^2> of a bond.
    squared_bond: f64,
    /// Kirkwood's radius; 0 of single beads.
    hydrodynamic_radius: f64,
    /// Of the centres.
    diffusion: f64,
    /// Of the first mode.
    relaxation: f64,
}

/// Seconds of a time step of the fluid of particles: the mean free path fixes it.
fn fluid_step() -> f64 {
    let mass = 1000.0 * SPACING.powi(3) / FLUID.particles;
    FLUID.mean_free_path * SPACING / (BOLTZMANN * TEMPERATURE / mass).sqrt()
}

impl Solution {
    fn geometry(&self) -> Vec<u8> {
        let n = self.edge;
        let header = format!(
            "ObjectType = Image\nNDims = 3\nDimSize = {n} {n} {n}\nElementType = MET_UCHAR\nElementDataFile = LOCAL\n"
        );
        [header.into_bytes(), vec![1; n * n * n]].concat()
    }

    fn case(&self) -> Value {
        let mut chain = json!({"name": "chain", "beads": self.beads, "bond": "1 um", "count": self.chains});
        if !self.repel {
            chain["diameter"] = json!("0 m");
        }
        let geometry = json!({"voxels": {"file": "cube.mha"}, "spacing": "1 um", "periodic": ["x", "y", "z"]});
        json!({"geometry": geometry, "polymers": [chain]})
    }

    fn run(&self) -> Value {
        let fluid = if self.fluid {
            json!({"srd": {
                "density": "1000 kg/m3",
                "temperature": "300 K",
                "particles_per_cell": FLUID.particles,
                "mean_free_path": FLUID.mean_free_path
            }})
        } else {
            let friction = BOLTZMANN * TEMPERATURE * STEP / (DIFFUSED * SPACING.powi(2));
            let mass = friction * STEP / LOST;
            let quantity = |value: f64, unit: &str| format!("{value:e} {unit}");
            json!({"langevin": {
                "temperature": "300 K",
                "friction": quantity(friction, "kg/s"),
                "bead_mass": quantity(mass, "kg")
            }})
        };
        let mut time = json!({"steps": self.steps});
        if !self.fluid {
            time["step"] = json!(format!("{STEP:e} s"));
        }
        // Soft bonds take fewer sub-steps.
        let bonds = json!({"harmonic": {"stiffness": if self.repel { 200 } else { 30 }}});
        json!({
            "case": "case.h5",
            "fluid": fluid,
            "polymers": {"populations": {"chain": {"bonds": bonds}}},
            "time": time,
            "cell_dumps": {"every": self.every},
            "monitor": {"every": self.steps}
        })
    }

    fn simulate(&self) -> Result<Found> {
        let folder = tool::folder()?;
        tool::write(folder.path(), "cube.mha", &self.geometry())?;
        tool::write(folder.path(), "case.json", self.case().to_string().as_bytes())?;
        tool::write(folder.path(), "run.json", self.run().to_string().as_bytes())?;
        tool::call(folder.path(), "mkcase", &["case.json", "--quiet"])?;
        tool::call(folder.path(), "run", &["run.json", "-o", "out", "--quiet"])?;
        tool::call(folder.path(), "post", &["polymers", "out", "-o", "found"])?;
        let read = |name: &str| {
            let path = folder.path().join("found").join(name);
            std::fs::read_to_string(path).map_err(|error| Fault::io(format!("{name}: {error}")))
        };
        let all: Value = serde_json::from_str(&read("polymers.json")?)
            .map_err(|error| Fault::io(format!("polymers.json: {error}")))?;
        // The relaxation time stands last in the row of the first mode.
        let modes = read("modes.csv")?;
        let first = modes.lines().find(|line| line.starts_with("chain,1,"));
        let relaxation = first.and_then(|line| line.rsplit(',').next()?.parse::<f64>().ok());
        let of = |path: &str| all["chain"].pointer(path).and_then(Value::as_f64);
        let step = if self.fluid { fluid_step() } else { STEP };
        let diffusion = of("/diffusion_m2_per_s/mean").ok_or_else(|| {
            Fault::io(format!("chains of {} beads have no diffusion coefficient: the run is too short", self.beads))
        })?;
        Ok(Found {
            squared_radius: of("/squared_radius_of_gyration_m2/mean").unwrap_or(0.0) / SPACING.powi(2),
            squared_bond: (of("/bond_m").unwrap_or(0.0).powi(2) + of("/bond_spread_m").unwrap_or(0.0).powi(2))
                / SPACING.powi(2),
            hydrodynamic_radius: of("/hydrodynamic_radius_m").unwrap_or(0.0) / SPACING,
            diffusion: diffusion * step / SPACING.powi(2),
            relaxation: relaxation.unwrap_or(0.0) / step,
        })
    }
}

/// The longest relaxation time of N beads that diffuse with D each, on springs with <b^2> (Rouse, J. Chem. Phys. 21, 1272, 1953).
fn rouse(beads: usize, squared_bond: f64, diffusion: f64) -> f64 {
    squared_bond / (12.0 * diffusion * (0.5 * PI / beads as f64).sin().powi(2))
}

/// How far a single bead diffuses in a step: farther than with kT / xi, as velocities are constant in a step.
fn diffused() -> f64 {
    DIFFUSED * 0.5 * LOST / (0.5 * LOST).tanh()
}

/// The relaxation time of a mode that without inertia relaxes in `time`: its slow one as a damped oscillator.
fn with_inertia(time: f64) -> f64 {
    2.0 / (LOST * (1.0 - (1.0 - 4.0 / (LOST * time)).sqrt()))
}

/// The exponent of N in `of`.
fn exponent(lengths: &[usize], found: &[Found], of: impl Fn(&Found) -> f64) -> f64 {
    let points: Vec<(f64, f64)> = lengths.iter().zip(found).map(|(&beads, found)| (beads as f64, of(found))).collect();
    -order(&points)
}

/// Ideal chains without hydrodynamics.
pub fn rouse_chains(context: &Context) -> Result<Table> {
    let mut table = Table::new("S4 Rouse");
    let (lengths, chains): (&[usize], usize) =
        if context.quick { (&[8, 16], 200) } else { (&[8, 16, 32, 64, 128], 400) };
    let mut all = Vec::new();
    for &beads in lengths {
        let every = (rouse(beads, 1.0, DIFFUSED) / 8.0).ceil() as u64;
        let steps = every * if context.quick { 160 } else { 240 };
        let found = Solution { beads, chains, edge: 32, repel: false, fluid: false, steps, every }.simulate()?;
        let n = beads as f64;
        let name = |what: &str| format!("N={beads}: {what}");
        let squared = found.squared_bond * (n * n - 1.0) / (6.0 * n);
        table.relative(name("<Rg^2>"), squared, found.squared_radius, 0.03);
        table.relative(name("D"), diffused() / n, found.diffusion, 0.06);
        let time = with_inertia(rouse(beads, found.squared_bond, diffused()));
        // Rouse's bonds are springs. Where bonds keep their length, modes of short chains last longer.
        if beads < SPRINGS {
            table.note(name("relaxation time"), time, found.relaxation);
        } else {
            table.relative(name("relaxation time"), time, found.relaxation, 0.06);
        }
        all.push(found);
    }
    if !context.quick {
        table.absolute("exponent of Rg", 0.5, exponent(lengths, &all, |of| of.squared_radius.sqrt()), 0.03);
        table.absolute("exponent of D", -1.0, exponent(lengths, &all, |of| of.diffusion), 0.03);
        table.absolute("exponent of the relaxation time", 2.0, exponent(lengths, &all, |of| of.relaxation), 0.03);
    }
    Ok(table)
}

/// Ideal chains in a fluid of particles, Zimm's (J. Chem. Phys. 24, 269, 1956). By Kirkwood a chain diffuses with kT / (N xi) +
/// kT / (6 pi eta R_h), less what the images of the cube take; single beads tell xi. That is an upper bound, and it takes
/// neighbours along the chain to drag each other as points would, though they share collision cells.
pub fn zimm_chains(context: &Context) -> Result<Table> {
    let mut table = Table::new("S4 Zimm");
    let (lengths, small): (&[usize], usize) = match (context.quick, context.long) {
        (true, _) => (&[8], 20),
        (_, false) => (&[8, 16], 24),
        (_, true) => (&[8, 16, 32, 64, 128], 48),
    };
    let edge = |beads: usize| if beads < 64 { small } else { 64 };
    let solution = |beads: usize| {
        // Relaxation times in steps grow with the volume that a chain takes.
        let every = (80.0 * (beads as f64 / 8.0).powf(1.5)).ceil() as u64;
        let steps = every * if context.long { 240 } else { 100 };
        // So few that they hardly meet.
        let chains = edge(beads).pow(3) / (48 * beads);
        Solution { beads, chains, edge: edge(beads), repel: false, fluid: true, steps, every }
    };
    let eta = FLUID.viscosity().iter().sum::<f64>() * FLUID.particles;
    let thermal = FLUID.mean_free_path.powi(2);
    let drag = |radius: f64| thermal / (6.0 * PI * eta * radius);
    let images = |edge: usize| IMAGES * drag(edge as f64);
    // Lags far above the time in which the fluid forgets a bead's velocity.
    let (chains, steps, every) = if context.long { (400, 40_000, 200) } else { (150, 10_000, 100) };
    let alone = Solution { beads: 1, chains, edge: small, repel: false, fluid: true, steps, every }.simulate()?;
    let single = alone.diffusion + images(small);
    let mut all = Vec::new();
    for &beads in lengths {
        let mut found = solution(beads).simulate()?;
        // That of a chain in a large volume.
        found.diffusion += images(edge(beads));
        let n = beads as f64;
        let name = |what: &str| format!("N={beads}: {what}");
        let squared = found.squared_bond * (n * n - 1.0) / (6.0 * n);
        table.relative(name("<Rg^2>"), squared, found.squared_radius, 0.1);
        table.relative(name("D"), single / n + drag(found.hydrodynamic_radius), found.diffusion, 0.2);
        all.push(found);
    }
    if context.long {
        table.absolute("exponent of Rg", 0.5, exponent(lengths, &all, |of| of.squared_radius.sqrt()), 0.03);
        table.absolute("exponent of D", -0.5, exponent(lengths, &all, |of| of.diffusion), 0.03);
        table.absolute("exponent of the relaxation time", 1.5, exponent(lengths, &all, |of| of.relaxation), 0.03);
    }
    Ok(table)
}

/// Chains whose beads repel, without hydrodynamics: sizes as those of walks that avoid themselves, N^0.588 (Le Guillou and
/// Zinn-Justin, Phys. Rev. Lett. 39, 95, 1977), while friction adds up as before.
pub fn swollen_chains(context: &Context) -> Result<Table> {
    let mut table = Table::new("S4 swollen");
    let lengths: &[usize] = if context.long { &[8, 16, 32, 64] } else { &[8, 16] };
    let mut all = Vec::new();
    for &beads in lengths {
        let every = (rouse(beads, 1.0, DIFFUSED) * (beads as f64).powf(0.176) / 8.0).ceil() as u64;
        let steps = every * if context.long { 120 } else { 100 };
        // Chains are dilute: each has a cube of some three radii of gyration to itself.
        let (edge, radius) = (if context.long { 96 } else { 48 }, 0.45 * (beads as f64).powf(0.588));
        let chains = ((edge as f64 / (3.5 * radius)).powi(3) as usize).min(if context.long { 400 } else { 100 });
        let found = Solution { beads, chains, edge, repel: true, fluid: false, steps, every }.simulate()?;
        table.relative(format!("N={beads}: D"), diffused() / beads as f64, found.diffusion, 0.1);
        all.push(found);
    }
    if context.long {
        // Walks of N - 1 steps.
        let bonds: Vec<usize> = lengths.iter().map(|beads| beads - 1).collect();
        let of_bonds = exponent(&bonds, &all, |of| of.squared_radius.sqrt());
        table.absolute("exponent of Rg, in the number of bonds", 0.588, of_bonds, 0.03);
        table.absolute("exponent of D", -1.0, exponent(lengths, &all, |of| of.diffusion), 0.03);
        table.absolute("exponent of the relaxation time", 2.176, exponent(lengths, &all, |of| of.relaxation), 0.1);
    }
    Ok(table)
}
