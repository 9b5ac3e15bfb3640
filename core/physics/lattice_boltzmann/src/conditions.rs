//! What a run prescribes at the openings of its case, in lattice units.

use std::collections::BTreeMap;
use std::path::Path;

use hematite_case::{Header, OpeningHeader};
use hematite_config::{Fault, Result, nearest, sibling};
use hematite_engine::moves_along_itself;
use hematite_engine::waveform::{Waveform, WaveformConfig};
use hematite_geometry::OpeningKind;
use hematite_units::quantity::Pressure;
use hematite_units::{LatticeUnits, UnitError, groups};

use crate::config::{OpeningCondition, Profile, WindkesselConfig};
use crate::limits::DENSITY_LIMIT;
use crate::outlets::{Law, Outlet, Storage};
use crate::profile::Tabulated;
use crate::womersley::Oscillation;

/// The keys that prescribe a velocity.
const VELOCITY_KEYS: [&str; 3] = ["velocity", "flow_rate", "split"];

/// One opening's condition.
#[derive(Clone, Debug)]
pub struct Condition {
    pub name: String,
    pub normal: [f64; 3],
    pub area: f64,
    pub value: Value,
    /// Flow rate into the domain where the waveform is 1, if that is what is prescribed.
    pub inflow: f64,
    pub waveform: Waveform,
}

#[derive(Clone, Debug)]
pub enum Value {
    /// Developed flow of this mean speed.
    Developed(f64),
    /// The same velocity everywhere.
    Uniform([f64; 3]),
    /// Developed oscillating flow.
    Womersley(Oscillation),
    /// A profile in SI.
    Tabulated(Tabulated),
    /// The velocity of `of` times the inflow that goes out here, over that share of the inflow of all openings.
    Split { share: f64, of: Box<Value> },
    /// A density deviation.
    Pressure(f64),
    /// A pressure that follows the flow.
    Outlet(Law),
}

impl Condition {
    /// Factors in the row of a step.
    pub fn terms(&self) -> usize {
        if let Value::Womersley(flow) = &self.value { flow.terms() } else { 1 }
    }

    /// Whether something comes in here as prescribed.
    fn lets_in(&self) -> bool {
        self.inflow > 0.0
    }

    /// The outlet whose pressure follows the flow, where this is one; `opening` is its number.
    pub fn outlet(&self, opening: usize) -> Option<Outlet> {
        let Value::Outlet(law) = &self.value else { return None };
        let (name, law, ramp) = (self.name.clone(), law.clone(), self.waveform.clone());
        Some(Outlet { name, opening, law, area: self.area, ramp })
    }
}

/// Flow rate into the domain through the velocity openings that let something in, at time `t` in seconds.
pub fn inflow(conditions: &[Condition], t: f64) -> f64 {
    conditions.iter().filter(|c| c.lets_in()).map(|c| c.inflow * c.waveform.at(t)).sum()
}

/// The largest magnitude that [`inflow`] may reach.
pub fn largest_inflow(conditions: &[Condition]) -> f64 {
    conditions.iter().filter(|c| c.lets_in()).map(|c| c.inflow * c.waveform.largest()).sum()
}

/// What the run prescribes at each opening of the case.
///
/// # Errors
/// A usage fault with key, value, limit and remedy.
pub fn conditions(
    config: &Path,
    given: &BTreeMap<String, OpeningCondition>,
    header: &Header,
    units: &LatticeUnits,
) -> Result<Vec<Condition>> {
    let names: Vec<&str> = header.openings.iter().map(|opening| opening.name.as_str()).collect();
    if let Some(unknown) = given.keys().find(|name| !names.contains(&name.as_str())) {
        let hint = nearest(unknown, names.iter().copied())
            .map(|near| format!("; did you mean \"{near}\"?"))
            .unwrap_or_default();
        return Err(Fault::usage(format!(
            "openings.{unknown}: the case has no such opening, but {}{hint}",
            list(&names)
        )));
    }
    let resting = OpeningCondition::default();
    let mut conditions = Vec::new();
    for opening in &header.openings {
        let condition = match given.get(&opening.name) {
            Some(condition) => condition,
            None if opening.kind == OpeningKind::Wall => &resting,
            None => {
                return Err(Fault::usage(format!(
                    "openings: nothing prescribed at \"{}\" of kind {:?}; the case has {}",
                    opening.name,
                    opening.kind,
                    list(&names)
                )));
            }
        };
        let made = Resolving { config, condition, opening, dimension: header.set.dimension(), units }.condition();
        let made = made.and_then(|made| made.outlet(0).map_or(Ok(()), |outlet| outlet.check(units)).map(|()| made));
        conditions.push(made.map_err(|fault| fault.within(format!("openings.{}", opening.name)))?);
    }
    check_split(&conditions, header)?;
    Ok(conditions)
}

fn list(names: &[&str]) -> String {
    if names.is_empty() { "no openings".to_owned() } else { names.join(", ") }
}

/// Refuses shares that leave nothing to balance them.
fn check_split(conditions: &[Condition], header: &Header) -> Result<()> {
    let shares = conditions.iter().filter_map(|condition| match condition.value {
        Value::Split { share, .. } => Some((condition.name.as_str(), share)),
        _ => None,
    });
    let (names, shares): (Vec<&str>, Vec<f64>) = shares.unzip();
    let Some(first) = names.first() else { return Ok(()) };
    let total: f64 = shares.iter().sum();
    if total > 1.0 {
        return Err(Fault::usage(format!(
            "openings: the shares \"split\" at {} sum up to {total}, at most 1 may go out: lower them",
            names.join(", ")
        )));
    }
    if let Some(table) = conditions.iter().find(|condition| matches!(condition.value, Value::Tabulated(_))) {
        return Err(Fault::usage(format!(
            "openings.{first}.split: the flow through \"{}\" is not known beforehand, its velocities are from a file: give \
             \"velocity\" or \"flow_rate\" there",
            table.name
        )));
    }
    if !conditions.iter().any(Condition::lets_in) {
        return Err(Fault::usage(format!(
            "openings.{first}.split: nothing comes in through a velocity opening: give one a positive \"velocity\" or \
             \"flow_rate\", or prescribe a velocity here"
        )));
    }
    if !header.openings.iter().any(|opening| opening.kind == OpeningKind::Pressure) {
        return Err(Fault::usage(format!(
            "openings.{first}.split: no opening of kind \"pressure\" takes the rest: make one of the outlets such in the CASE.json"
        )));
    }
    Ok(())
}

/// One opening on its way from config to lattice numbers.
struct Resolving<'a> {
    config: &'a Path,
    condition: &'a OpeningCondition,
    opening: &'a OpeningHeader,
    dimension: usize,
    units: &'a LatticeUnits,
}

impl Resolving<'_> {
    fn condition(&self) -> Result<Condition> {
        let OpeningCondition { waveform, ramp, .. } = self.condition;
        let mut value = self.value()?;
        let inflow = match &value {
            Value::Developed(speed) => *speed * self.opening.area,
            Value::Womersley(Oscillation { speed, .. }) => *speed * self.opening.area,
            Value::Uniform(velocity) if self.opening.kind == OpeningKind::Velocity => {
                velocity.iter().zip(self.opening.normal).map(|(u, n)| u * n).sum::<f64>() * self.opening.link_area
            }
            _ => 0.0,
        };
        if matches!(value, Value::Split { .. } | Value::Outlet(_)) && *waveform != WaveformConfig::Constant {
            return Err(Fault::usage(
                "\"waveform\" does not go with what follows the flow, \"split\", \"resistance\" and \"windkessel\": leave it out",
            ));
        }
        if matches!(value, Value::Split { .. }) && ramp.is_some() {
            return Err(Fault::usage("\"ramp\" does not go with \"split\", which follows the inflow: leave it out"));
        }
        let waveform = Waveform::new(self.config, waveform, *ramp)?;
        waveform.resolved(self.units.dt)?;
        if let Value::Womersley(flow) = &mut value {
            flow.take(&waveform)?;
        }
        let (name, normal, area) = (self.opening.name.clone(), self.opening.normal, self.opening.area);
        Ok(Condition { name, normal, area, value, inflow, waveform })
    }

    /// The keys that say what is prescribed, of those given.
    fn given(&self) -> Vec<&'static str> {
        let c = self.condition;
        [
            ("velocity", c.velocity.is_some()),
            ("flow_rate", c.flow_rate.is_some()),
            ("split", c.split.is_some()),
            ("pressure", c.pressure.is_some()),
            ("resistance", c.resistance.is_some()),
            ("windkessel", c.windkessel.is_some()),
            ("wall_velocity", c.wall_velocity.is_some()),
        ]
        .into_iter()
        .filter_map(|(key, given)| given.then_some(key))
        .collect()
    }

    fn value(&self) -> Result<Value> {
        let (condition, given) = (self.condition, self.given());
        let known: &[&str] = match self.opening.kind {
            OpeningKind::Velocity => &VELOCITY_KEYS,
            OpeningKind::Pressure => &["pressure", "resistance", "windkessel"],
            OpeningKind::Wall => &["wall_velocity"],
        };
        if condition.distal_pressure.is_some() && condition.resistance.is_none() {
            return Err(Fault::usage(
                "\"distal_pressure\" goes with \"resistance\"; a Windkessel has its own within \"windkessel\"",
            ));
        }
        match given[..] {
            [key] if known.contains(&key) => {}
            [] if self.opening.kind == OpeningKind::Wall => {
                return self.refuse_profile().map(|()| Value::Uniform([0.0; 3]));
            }
            [] if matches!(condition.profile, Profile::Csv(_)) && self.opening.kind == OpeningKind::Velocity => {}
            _ => return Err(self.wrong(&given, known)),
        }
        match self.opening.kind {
            OpeningKind::Velocity => self.velocity(),
            OpeningKind::Pressure => self.refuse_profile().and_then(|()| self.pressure()),
            OpeningKind::Wall => self.refuse_profile().and_then(|()| self.wall()),
        }
    }

    /// Refuses a profile where no velocity is spread over the opening.
    fn refuse_profile(&self) -> Result<()> {
        if self.condition.profile == Profile::default() {
            return Ok(());
        }
        let kind = format!("{:?}", self.opening.kind).to_lowercase();
        Err(Fault::usage(format!(
            "\"profile\" spreads the velocity over an opening of kind \"velocity\", and has no effect at this one of \
             kind \"{kind}\": leave it out"
        )))
    }

    fn wrong(&self, given: &[&str], known: &[&str]) -> Fault {
        let quoted = |keys: &[&str]| keys.iter().map(|key| format!("\"{key}\"")).collect::<Vec<_>>().join(", ");
        let what = match given {
            [] => "nothing is prescribed".to_owned(),
            given => format!("{} is given", quoted(given)),
        };
        let other = match given {
            [key] if *key != "wall_velocity" && self.opening.kind != OpeningKind::Wall => {
                let kind = if VELOCITY_KEYS.contains(key) { "velocity" } else { "pressure" };
                format!("; or make its kind \"{kind}\" in the CASE.json")
            }
            _ => String::new(),
        };
        let kind = format!("{:?}", self.opening.kind).to_lowercase();
        let one = if let [key] = known { format!("\"{key}\"") } else { format!("one of {}", quoted(known)) };
        Fault::usage(format!("it is of kind \"{kind}\" and {what}: give {one} alone{other}"))
    }

    fn velocity(&self) -> Result<Value> {
        let (condition, opening, units) = (self.condition, self.opening, self.units);
        let speed = match (condition.velocity, condition.flow_rate, condition.split) {
            (Some(velocity), ..) => velocity.si(),
            (_, Some(rate), _) if self.dimension == 3 => rate.si() / (opening.area * units.dx * units.dx),
            (_, Some(_), _) => return Err(Fault::usage("\"flow_rate\" has no meaning in 2-D: give \"velocity\"")),
            (.., Some(share)) if share > 0.0 && share <= 1.0 => {
                // Outwards, a unit of flow rate.
                let of = Box::new(self.spread(-1.0 / opening.area)?);
                return Ok(Value::Split { share, of });
            }
            (.., Some(share)) => {
                return Err(Fault::usage(format!(
                    "split {share} must be above 0 and at most 1: give a share, such as 0.3"
                )));
            }
            (None, None, None) => {
                let Profile::Csv(file) = &condition.profile else {
                    return Err(Fault::usage("give \"velocity\" or \"flow_rate\""));
                };
                let table = Tabulated::read(&sibling(self.config, file), opening.normal, self.dimension)?;
                return Ok(Value::Tabulated(table));
            }
        };
        self.spread(speed / units.velocity())
    }

    /// A mean speed along the normal, spread over the opening.
    fn spread(&self, speed: f64) -> Result<Value> {
        let opening = self.opening;
        match &self.condition.profile {
            Profile::Parabolic => Ok(Value::Developed(speed)),
            Profile::Flat => Ok(Value::Uniform(opening.normal.map(|n| n * speed * opening.area / opening.link_area))),
            Profile::Womersley if self.condition.split.is_none() => {
                let axis = opening.normal.iter().position(|n| n.abs() == 1.0);
                let axis = axis.ok_or_else(|| {
                    Fault::usage(
                        "the profile \"womersley\" needs an opening across x, y or z: cut the vessel there, or take \"parabolic\"",
                    )
                })?;
                Ok(Value::Womersley(Oscillation::new(speed, axis)))
            }
            Profile::Womersley => Err(Fault::usage("\"split\" goes with the profiles \"parabolic\" and \"flat\"")),
            Profile::Csv(_) => Err(Fault::usage(
                "a profile from a CSV file has its own speeds: leave \"velocity\", \"flow_rate\" and \"split\" out",
            )),
        }
    }

    fn pressure(&self) -> Result<Value> {
        let condition = self.condition;
        if let Some(pressure) = condition.pressure {
            return Ok(Value::Pressure(self.lattice_pressure("pressure", pressure)? / groups::CS2));
        }
        let distal_pressure =
            |key: &str, given: Option<Pressure>| given.map_or(Ok(0.0), |p| self.lattice_pressure(key, p));
        let resistance = |key: &str, si: std::result::Result<f64, UnitError>, least: &str| {
            let value = si.map_err(|error| Fault::usage(format!("{key}: {error}")))?;
            if value > 0.0 || value == 0.0 && least == "at least" {
                return Ok(value * self.units.flow_rate(self.dimension) / self.units.stress());
            }
            Err(Fault::usage(format!("{key} {value} Pa s/m{} must be {least} 0: {RESISTANCE}", self.dimension)))
        };
        if let Some(given) = condition.resistance {
            return Ok(Value::Outlet(Law {
                proximal: resistance("resistance", given.si(self.dimension), "above")?,
                storage: None,
                distal_pressure: distal_pressure("distal_pressure", condition.distal_pressure)?,
            }));
        }
        let Some(WindkesselConfig { proximal, compliance, distal, distal_pressure: end, initial }) =
            &condition.windkessel
        else {
            return Err(Fault::usage("give \"pressure\""));
        };
        let end = distal_pressure("windkessel.distal_pressure", *end)?;
        let volume =
            compliance.si(self.dimension).map_err(|error| Fault::usage(format!("windkessel.compliance: {error}")))?;
        if volume <= 0.0 {
            return Err(Fault::usage(format!(
                "windkessel.compliance {compliance} must be above 0: for none give \"resistance\" in place of \"windkessel\""
            )));
        }
        let units = self.units;
        let storage = Storage {
            distal: resistance("windkessel.distal", distal.si(self.dimension), "above")?,
            compliance: volume * units.stress() / units.dx.powi(self.dimension as i32),
            initial: initial.map_or(Ok(end), |p| self.lattice_pressure("windkessel.initial", p))?,
        };
        let proximal = match proximal {
            Some(given) => resistance("windkessel.proximal", given.si(self.dimension), "at least")?,
            None => 0.0,
        };
        Ok(Value::Outlet(Law { proximal, storage: Some(storage), distal_pressure: end }))
    }

    fn lattice_pressure(&self, key: &str, pressure: Pressure) -> Result<f64> {
        let p = pressure.si() / self.units.stress();
        let drho = p / groups::CS2;
        if drho.abs() < DENSITY_LIMIT {
            return Ok(p);
        }
        Err(Fault::usage(format!(
            "{key} {pressure} changes the lattice density by {drho:.3}, the limit is {DENSITY_LIMIT}: take a shorter time step"
        )))
    }

    fn wall(&self) -> Result<Value> {
        match &self.condition.wall_velocity {
            Some(velocity) if velocity.len() == self.dimension => {
                let component = |k: usize| velocity.get(k).map_or(0.0, |v| v.si() / self.units.velocity());
                let u = std::array::from_fn(component);
                moves_along_itself(u, self.opening.normal)?;
                Ok(Value::Uniform(u))
            }
            _ => Err(Fault::usage(
                "it is of kind \"wall\": give \"wall_velocity\" with a component for each dimension, or nothing",
            )),
        }
    }
}

/// What to say of a resistance that cannot be.
const RESISTANCE: &str = "pressure over flow rate out of the domain is positive; for a pressure that does not follow the flow \
                          give \"pressure\"";
