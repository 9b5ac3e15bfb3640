//! What is known of the flow before the first step: dimensionless groups, widths in spacings, what is prescribed.

use std::collections::BTreeMap;
use std::f64::consts::PI;

use hematite_case::{Header, OpeningHeader};
use hematite_engine::Figure;
use hematite_geometry::{Narrowest, OpeningKind};
use hematite_units::groups::{self, CS2, mach, reynolds, womersley};

use crate::conditions::{Condition, Value};
use crate::config::OpeningCondition;
use crate::{Domain, Expected, Plan};

/// Above this Mach number the compressibility of the lattice's fluid is felt.
const FAST: f64 = 0.1;
/// Above this Reynolds number of a lattice spacing the flow is not resolved.
const COARSE: f64 = 10.0;
/// Spacings across a vessel that resolve the flow in it.
const ACROSS: f64 = 10.0;
/// With fewer across the narrowest place, a run says so.
const NARROW: f64 = 5.0;

impl Plan {
    /// The numbers that tell how the fluid of the case will do; `given` is what the config prescribes at openings.
    pub fn figures(
        &self,
        header: &Header,
        domain: &Domain,
        expected: Option<&Expected>,
        given: &BTreeMap<String, OpeningCondition>,
    ) -> Vec<Figure> {
        let (units, viscosity) = (&self.units, groups::viscosity(self.tau));
        let diameter = 4.0 * domain.nodes as f64 / domain.wall_area;
        let mut figures = vec![
            Figure::new("lattice spacing", units.dx, "m"),
            Figure::new("time step", units.dt, "s"),
            Figure::new("relaxation time tau", self.tau, ""),
            Figure::new("magic number", self.magic(), ""),
        ];
        if let Some(Expected { speed, from }) = expected {
            figures.push(Figure::new("speed u", speed * units.velocity(), "m/s").noted(from.clone()));
            figures.push(Figure::new("Mach number", mach(*speed), "").advised(self.mach_advice(*speed)));
            if diameter.is_finite() {
                let note = format!("u D / nu, D = 4 volume / wall area = {:.3e} m", diameter * units.dx);
                figures.push(Figure::new("Reynolds number", reynolds(*speed, diameter, viscosity), "").noted(note));
            }
            let of_spacing = reynolds(*speed, 1.0, viscosity);
            let advice = (of_spacing > COARSE).then(|| {
                format!(
                    "above {COARSE} the flow is not resolved: take a spacing of {:.2e} m or less",
                    units.dx * COARSE / of_spacing
                )
            });
            figures.push(Figure::new("cell Reynolds number", of_spacing, "").noted("u dx / nu").advised(advice));
        }
        if let Some((omega, _)) = self.drive().harmonics().filter(|_| diameter.is_finite()) {
            let number = womersley(0.5 * diameter * units.dx, omega, self.nu);
            figures.push(Figure::new("Womersley number", number, "").of("drive").noted("D / 2 sqrt(omega / nu)"));
        }
        for ((opening, condition), peak) in header.openings.iter().zip(self.conditions()).zip(&domain.peaks) {
            figures.extend(self.of_opening(header, opening, condition, *peak, given.get(&opening.name)));
        }
        figures.extend(narrowest(header, units.dx));
        figures
    }

    /// Those of an opening.
    fn of_opening(
        &self,
        header: &Header,
        opening: &OpeningHeader,
        condition: &Condition,
        peak: f64,
        given: Option<&OpeningCondition>,
    ) -> Vec<Figure> {
        let (units, viscosity) = (&self.units, groups::viscosity(self.tau));
        let flat = header.set.dimension() == 2;
        let config = given.and_then(|given| serde_json::to_value(given).ok()).map(without_defaults).unwrap_or_default();
        let prescribed = match &condition.value {
            Value::Pressure(drho) => Figure::new("pressure", drho * CS2 * units.stress(), "Pa"),
            Value::Outlet(_) => Figure { name: "pressure", ..Figure::default() },
            _ => Figure::new("largest velocity", peak * units.velocity(), "m/s"),
        };
        let mut figures = vec![prescribed.of(&opening.name).noted(config)];
        if opening.kind == OpeningKind::Wall {
            return figures;
        }
        let width = if flat { opening.area } else { 2.0 * (opening.area / PI).sqrt() };
        figures.push(across("spacings across", width, units.dx).of(&opening.name));
        let mean = (condition.inflow / condition.area).abs() * condition.waveform.largest();
        if mean > 0.0 {
            let figure = Figure::new("Reynolds number", reynolds(mean, width, viscosity), "").of(&opening.name);
            figures.push(figure.noted("mean velocity at its largest, width"));
        }
        if let Some((omega, _)) = condition.waveform.harmonics() {
            let number = womersley(0.5 * width * units.dx, omega, self.nu);
            let figure = Figure::new("Womersley number", number, "").of(&opening.name);
            figures.push(figure.noted("half the width, the first harmonic"));
        }
        figures
    }

    fn mach_advice(&self, speed: f64) -> Option<String> {
        let fast = mach(speed);
        (fast > FAST).then(|| {
            format!(
                "above {FAST} the fluid is felt to be compressible: take a time step of {:.2e} s or less, tau {:.3}",
                self.units.dt * FAST / fast,
                groups::relaxation_time(groups::viscosity(self.tau) * FAST / fast)
            )
        })
    }
}

/// What to say of a case whose narrowest place has too few spacings across for the flow there to be right.
pub fn narrow_advice(header: &Header, dx: f64) -> Option<String> {
    let narrowest = header.geometry.narrowest.as_ref().filter(|narrowest| narrowest.spacings < NARROW)?;
    Some(format!(
        "the narrowest place has {:.1} spacings across, {}: the flow there is off by several percent, \
         in vessels that run obliquely most; {ACROSS} resolve it: make the case with a spacing of {:.2e} m or less",
        narrowest.spacings,
        whereabouts(narrowest, header),
        dx * narrowest.spacings / ACROSS
    ))
}

/// The narrowest place, where the case tells it.
fn narrowest(header: &Header, dx: f64) -> Option<Figure> {
    let narrowest = header.geometry.narrowest.as_ref()?;
    let more = if narrowest.is_wider { "at least; " } else { "" };
    let note = format!("{more}{}", whereabouts(narrowest, header));
    Some(across("spacings across", narrowest.spacings, dx).of("narrowest place").noted(note))
}

/// Where the narrowest place is.
fn whereabouts(narrowest: &Narrowest, header: &Header) -> String {
    let place: Vec<String> = narrowest.place[..header.set.dimension()].iter().map(|x| format!("{x:.3e}")).collect();
    format!("at ({}) m on the widest way {}", place.join(", "), narrowest.between)
}

/// A width in spacings.
fn across(name: &'static str, width: f64, dx: f64) -> Figure {
    let advice = (width < ACROSS)
        .then(|| format!("{ACROSS} resolve the flow: take a spacing of {:.2e} m or less", dx * width / ACROSS));
    Figure::new(name, width, "").advised(advice)
}

/// What a config says, but for what it leaves to defaults.
fn without_defaults(mut value: serde_json::Value) -> String {
    if let serde_json::Value::Object(keys) = &mut value {
        let has_pressure = keys.get("velocity").is_none_or(serde_json::Value::is_null);
        keys.retain(|key, value| !value.is_null() && value != "constant" && !(has_pressure && key == "profile"));
    }
    value.to_string()
}
