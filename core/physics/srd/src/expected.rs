//! How fast the fluid can be expected to be, from what is prescribed, and what that makes of its dimensionless groups.

use hematite_case::Header;
use hematite_engine::Figure;
use hematite_units::groups::{developed_speed, reynolds};

use crate::config::Walls;
use crate::fluid::Fluid;

/// Above this Mach number the compressibility of the fluid is felt: its density differs by half the square.
const FAST: f64 = 0.2;

/// The numbers that tell how the fluid of the case will flow; `viscosity` in lattice units.
pub fn figures(fluid: &Fluid, header: &Header, viscosity: f64) -> Vec<Figure> {
    let (units, sound) = (&fluid.units, fluid.parameters.speed);
    let diameter = diameter(header);
    let mut figures = Vec::new();
    if let Some((speed, from)) = expected(fluid, header, diameter, viscosity) {
        let mach = speed / sound;
        let advice = (mach > FAST).then(|| {
            format!(
                "above {FAST} the fluid is felt to be compressible: take speeds of {:.2e} m/s or less, or a higher temperature",
                FAST * sound * units.velocity()
            )
        });
        figures.push(Figure::new("speed u", speed * units.velocity(), "m/s").noted(from));
        figures.push(
            Figure::new("Mach number", mach, "").noted("u / thermal speed, which is that of sound").advised(advice),
        );
        if diameter.is_finite() {
            let note = format!("u D / nu, D = 4 volume / wall area = {:.3e} m", diameter * units.dx);
            figures.push(Figure::new("Reynolds number", reynolds(speed, diameter, viscosity), "").noted(note));
        }
    }
    let force = largest_acceleration(fluid) * units.force_density();
    if force > 0.0 {
        figures
            .push(Figure::new("body force", force, "Pa/m").of("drive").noted("at its largest, with the pressure drop"));
    }
    figures.extend(walls(fluid, header).map(|(name, speed)| {
        Figure::new("largest velocity", speed * units.velocity(), "m/s").of(name).noted("of the moving wall")
    }));
    figures
}

/// The hydraulic diameter, 4 volume / wall area, lattice spacings; infinite without walls.
fn diameter(header: &Header) -> f64 {
    let face = header.spacing.powi(header.set.dimension() as i32 - 1);
    // All openings are moving walls.
    let moving = header.openings.iter().map(|wall| wall.area).sum::<f64>();
    4.0 * header.nodes as f64 / (header.geometry.wall_area.unwrap_or(0.0) / face + moving)
}

/// The largest of the speeds of moving walls, that at the start, and that which a body force drives, lattice units, and
/// where it comes from. None where nothing is prescribed, or nothing but a force without walls that hold the fluid.
fn expected(fluid: &Fluid, header: &Header, diameter: f64, viscosity: f64) -> Option<(f64, String)> {
    let parameters = &fluid.parameters;
    let holds = parameters.walls != Walls::Slip;
    let forced = developed_speed(largest_acceleration(fluid), diameter, viscosity, parameters.dimension);
    let others = [
        (length(parameters.initial), "given at the start".to_owned()),
        (if holds { forced } else { 0.0 }, "estimated from the body force".to_owned()),
    ];
    walls(fluid, header)
        .map(|(name, speed)| (speed, format!("prescribed at moving wall \"{name}\"")))
        .chain(others)
        .filter(|(speed, _)| speed.is_finite() && *speed > 0.0)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
}

/// The moving walls and their speeds, lattice units.
fn walls<'a>(fluid: &'a Fluid, header: &'a Header) -> impl Iterator<Item = (&'a str, f64)> {
    let speeds = fluid.parameters.wall_velocities[1..].iter().map(|&u| length(u));
    header.openings.iter().map(|opening| opening.name.as_str()).zip(speeds)
}

/// The largest acceleration by the body force, lattice units.
fn largest_acceleration(fluid: &Fluid) -> f64 {
    length(fluid.parameters.acceleration) * fluid.waveform.largest()
}

fn length(v: [f64; 3]) -> f64 {
    v.iter().map(|c| c * c).sum::<f64>().sqrt()
}
