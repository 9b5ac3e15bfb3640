//! Lava: flow between two cells, sheets of a Bingham fluid on an incline, piles that come to rest, spreading of a Newtonian fluid,
//! cooling; volume, heat and symmetry to the last bit. `mkcase` and `run` do it.

use std::f64::consts::PI;

use hematite_config::{Fault, Result};
use hematite_dump::{Column, Field, FieldReader, Ledger};
use serde_json::{Value, json};

use crate::{Context, Table, tool};

const DENSITY: f64 = 2600.0;
const GRAVITY: f64 = 9.81;
const HEAT_CAPACITY: f64 = 1150.0;
const EMISSIVITY: f64 = 0.9;
const STEFAN_BOLTZMANN: f64 = 5.670_374_419e-8;

/// Runs the case.
///
/// # Errors
/// When a tool fails.
pub fn run(context: &Context) -> Result<Table> {
    let mut table = Table::new("lava");
    two_cells(&mut table)?;
    cooling(&mut table)?;
    sheet(&mut table, if context.quick { 15.0 } else { 60.0 })?;
    symmetry(&mut table, if context.quick { [45, 480] } else { [61, 1200] })?;
    if !context.quick {
        piles(&mut table)?;
        spreading(&mut table)?;
    }
    Ok(table)
}

/// A flat map of cells, boxes of cells as regions, and what flows on it.
struct Eruption {
    /// Cells along x and y.
    extent: [usize; 2],
    /// Edge of a cell, m.
    dx: f64,
    /// Wraps along y.
    wraps: bool,
    /// Fall of the ground from one cell to the next along x, m.
    fall: f64,
    /// Named boxes of cells, from the first to behind the last.
    regions: Vec<(&'static str, [[usize; 2]; 2])>,
    fluid: Value,
    vents: Value,
    time: Value,
    dumps: Value,
}

impl Eruption {
    fn lava(viscosity: f64, strength: f64) -> Value {
        json!({
            "density": format!("{DENSITY} kg/m3"),
            "viscosity": {"constant": format!("{viscosity} Pa s")},
            "yield_strength": {"constant": format!("{strength} Pa")},
            "emissivity": 0
        })
    }

    /// Runs it.
    fn run(&self) -> Result<Flow> {
        let folder = tool::folder()?;
        let [nx, ny] = self.extent;
        let mut picture = format!("P5 {nx} {ny} 65535\n").into_bytes();
        for _ in 0..ny {
            (0..nx).for_each(|x| picture.extend(((nx - 1 - x) as u16).to_be_bytes()));
        }
        tool::write(folder.path(), "map.pgm", &picture)?;
        let metres = |cells: [usize; 2]| cells.map(|n| format!("{} m", n as f64 * self.dx));
        let region = |(name, [min, max]): &(&str, [[usize; 2]; 2])| json!({"name": name, "box": {"min": metres(*min), "max": metres(*max)}});
        let periodic = if self.wraps { json!(["y"]) } else { json!([]) };
        let elevation = match self.fall {
            0.0 => json!({"constant": "0 m"}),
            fall => json!({"image": "map.pgm", "unit": format!("{fall} m")}),
        };
        let case = json!({
            "geometry": {
                "image": "map.pgm",
                "spacing": format!("{} m", self.dx),
                "rules": [{"any": true, "is": "fluid"}],
                "periodic": periodic,
                "keep": "all"
            },
            "fields": {"elevation": elevation},
            "regions": self.regions.iter().map(region).collect::<Vec<_>>()
        });
        let run = json!({
            "case": "case.h5",
            "fluid": {"lava": self.fluid},
            "vents": self.vents,
            "time": self.time,
            "dumps": [self.dumps]
        });
        tool::write(folder.path(), "case.json", case.to_string().as_bytes())?;
        tool::write(folder.path(), "run.json", run.to_string().as_bytes())?;
        tool::call(folder.path(), "mkcase", &["case.json", "--quiet"])?;
        tool::call(folder.path(), "run", &["run.json", "-o", "out", "--quiet"])?;
        let out = folder.path().join("out");
        let reader = FieldReader::open(&out.join("fields.vtkhdf"))?;
        let ledger = Ledger::read(&out)?;
        Ok(Flow { _folder: folder, reader, ledger, dx: self.dx })
    }
}

/// What a run found.
struct Flow {
    _folder: tempfile::TempDir,
    reader: FieldReader,
    ledger: Ledger,
    dx: f64,
}

impl Flow {
    fn dumps(&self) -> usize {
        self.reader.steps().len()
    }

    fn time(&self, dump: usize) -> f64 {
        self.reader.steps()[dump].time
    }

    /// A field of a dump, by cells counted from the first one.
    fn field(&self, dump: usize, name: &str) -> Result<Vec<([i32; 2], f64)>> {
        let found: Option<Field> = self.reader.fields().iter().copied().find(|field| field.name() == name);
        let field = found.ok_or_else(|| Fault::io(format!("no field {name}")))?;
        let values = self.reader.read(dump, field)?.to_f64();
        let positions = &self.reader.grid().position;
        let low = [0, 1].map(|a| positions.iter().map(|p| p[a]).min().unwrap_or(0));
        Ok(positions.iter().map(|p| [p[0] - low[0], p[1] - low[1]]).zip(values).collect())
    }

    /// The last value of a column of the ledger.
    fn last(&self, column: &str) -> Result<f64> {
        let missing = || Fault::io(format!("no column {column}"));
        self.ledger.values(&Column::new(column)).ok_or_else(missing)?.last().ok_or_else(missing)
    }
}

/// Flow between two cells of equal thickness on a slope of 10 degrees; none below the critical thickness.
fn two_cells(table: &mut Table) -> Result<()> {
    let (dx, strength, viscosity) = (10.0, 500.0, 1000.0);
    for (h, q) in [(0.25, 0.08505), (0.5, 1.23107), (1.0, 12.27419), (2.0, 108.11916), (0.11289, 0.0)] {
        // About a hundredth of the lava flows.
        let dt = if q > 0.0 { 0.01 * h * dx * dx / q } else { 10.0 };
        let mut fluid = Eruption::lava(viscosity, strength);
        fluid["start"] = json!([{"thickness": format!("{h} m"), "temperature": "1360 K"}]);
        let flow = Eruption {
            extent: [2, 1],
            dx,
            wraps: false,
            fall: dx * 10.0_f64.to_radians().tan(),
            regions: Vec::new(),
            fluid,
            vents: json!({}),
            time: json!({"steps": 1, "step": format!("{dt:e} s")}),
            dumps: json!({"every": 1}),
        };
        let flow = flow.run()?;
        let cells = flow.field(flow.dumps() - 1, "thickness")?;
        let of = |x: i32| cells.iter().find(|(at, _)| at[0] == x).map_or(f64::NAN, |(_, h)| *h);
        let found = 0.5 * (of(1) - of(0)) * dx * dx / flow.time(flow.dumps() - 1);
        if q > 0.0 {
            table.relative(format!("flow between two cells, thickness {h} m"), q, found, 1e-4);
        } else {
            table.absolute(format!("flow between two cells, thickness {h} m"), 0.0, found, 0.0);
        }
    }
    Ok(())
}

/// A cell that radiates.
fn cooling(table: &mut Table) -> Result<()> {
    let mut fluid = Eruption::lava(1000.0, 0.0);
    fluid["emissivity"] = json!(EMISSIVITY);
    fluid["solidus"] = json!("900 K");
    fluid["start"] = json!([{"thickness": "1 m", "temperature": "1360 K"}]);
    let exact = |t: f64| {
        let rate = 3.0 * EMISSIVITY * STEFAN_BOLTZMANN / (DENSITY * HEAT_CAPACITY);
        (1360.0_f64.powi(-3) + rate * t).powf(-1.0 / 3.0)
    };
    for step in ["10 s", "1 s"] {
        let flow = Eruption {
            extent: [1, 1],
            dx: 10.0,
            wraps: false,
            fall: 0.0,
            regions: Vec::new(),
            fluid: fluid.clone(),
            vents: json!({}),
            time: json!({"duration": "4336.6 s", "step": step}),
            dumps: json!({"every": "4336.6 s"}),
        };
        let flow = flow.run()?;
        let last = flow.dumps() - 1;
        let found = flow.field(last, "temperature")?.first().map_or(f64::NAN, |(_, t)| *t);
        table.relative(
            format!("temperature of a cell after 4336.6 s, steps of {step}"),
            exact(flow.time(last)),
            found,
            1e-5,
        );
        table.absolute(format!("the same, published, steps of {step}"), 1173.0, found, 0.5);
    }
    Ok(())
}

/// A sheet of a Bingham fluid that flows down an incline, and what of it comes to rest in `rest` times the time for which it
/// flowed.
fn sheet(table: &mut Table, rest: f64) -> Result<()> {
    let (dx, viscosity, strength, slope) = (2.0, 500.0, 1500.0, 0.15);
    let [nx, ny] = [150, 4];
    // Rate of a unit of width, m2/s.
    let q = 0.8;
    let weight = DENSITY * GRAVITY * slope / (1.0_f64 + slope * slope).sqrt();
    let critical = strength / weight;
    let flux = |h: f64| {
        let a = h / critical;
        strength * critical * critical / (3.0 * viscosity) * (a.powi(3) - 1.5 * a * a + 0.5)
    };
    let (mut low, mut high) = (critical, 100.0 * critical);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if flux(middle) < q { low = middle } else { high = middle }
    }
    let rate = q * ny as f64 * dx;
    let eruption = |rows: Value, duration: f64| Eruption {
        extent: [nx, ny],
        dx,
        wraps: true,
        fall: slope * dx,
        regions: vec![("vent", [[0, 0], [2, ny]])],
        fluid: Eruption::lava(viscosity, strength),
        vents: json!({"vent": {"effusion": {"rows": rows}, "temperature": "1360 K"}}),
        time: json!({"duration": format!("{duration} s")}),
        dumps: json!({"every": format!("{duration} s")}),
    };
    let mean = |flow: &Flow, cells: std::ops::Range<i32>| -> Result<f64> {
        let found = flow.field(flow.dumps() - 1, "thickness")?;
        let found: Vec<f64> = found.iter().filter(|(at, _)| cells.contains(&at[0])).map(|(_, h)| *h).collect();
        Ok(found.iter().sum::<f64>() / found.len() as f64)
    };
    // Until the front is at two thirds of the way.
    let time = 0.66 * nx as f64 * dx * low / q;
    let rows = json!([["0 s", format!("{rate} m3/s")], [format!("{} s", 2.0 * time), format!("{rate} m3/s")]]);
    let flow = eruption(rows, time).run()?;
    table.relative("thickness of a sheet that flows down an incline, m", low, mean(&flow, 20..60)?, 0.02);
    // Half of that, and then time to come to rest.
    let stop = 0.25 * time;
    let rows = json!([
        ["0 s", format!("{rate} m3/s")],
        [format!("{stop} s"), format!("{rate} m3/s")],
        [format!("{} s", 1.01 * stop), "0 m3/s"]
    ]);
    let flow = eruption(rows, rest * time).run()?;
    let at_rest = flow.field(flow.dumps() - 1, "thickness")?;
    let farthest = at_rest.iter().filter(|(_, h)| *h > 0.5 * critical).map(|(at, _)| at[0]).max().unwrap_or(0);
    table.relative("thickness of a sheet at rest on an incline, m", critical, mean(&flow, 10..farthest - 20)?, 0.05);
    Ok(())
}

/// Lava from the middle of a plane of n by n cells, which comes out for some seconds, has the eight symmetries of the map to
/// the last bit; its volume and heat are exact.
fn symmetry(table: &mut Table, [n, seconds]: [usize; 2]) -> Result<()> {
    let (middle, rate) = (n / 2, 20.0);
    let rows = [["0 s".to_owned(), format!("{rate} m3/s")], [format!("{seconds} s"), format!("{rate} m3/s")]];
    let duration = format!("{} s", 5 * seconds / 4);
    let mut fluid = Eruption::lava(300.0, 400.0);
    fluid["emissivity"] = json!(EMISSIVITY);
    fluid["solidus"] = json!("1200 K");
    let flow = Eruption {
        extent: [n, n],
        dx: 4.0,
        wraps: false,
        fall: 0.0,
        regions: vec![("vent", [[middle; 2], [middle + 1; 2]])],
        fluid,
        vents: json!({"vent": {"effusion": {"rows": rows}, "temperature": "1360 K"}}),
        time: json!({"duration": duration}),
        dumps: json!({"every": duration}),
    };
    let flow = flow.run()?;
    let last = flow.dumps() - 1;
    for name in ["thickness", "solid_thickness", "temperature", "arrival_time"] {
        let cells: std::collections::HashMap<[i32; 2], f64> = flow.field(last, name)?.into_iter().collect();
        let end = n as i32 - 1;
        let differ = cells.iter().filter(|&(&[x, y], value)| {
            let mirrored = [[end - x, y], [x, end - y], [y, x]];
            mirrored.iter().any(|at| cells[at].to_bits() != value.to_bits())
        });
        table.absolute(format!("cells without a twin of the same {name}"), 0.0, differ.count() as f64, 0.0);
    }
    let volume = flow.last("fluid_volume_m3")? + flow.last("solid_volume_m3")?;
    table.relative("volume, m3", rate * seconds as f64, volume, 1e-14);
    let [heat, given, erupted] = [flow.last("heat_J")?, flow.last("heat_given_J")?, flow.last("heat_erupted_J")?];
    table.relative("heat in lava, radiated and left in solid lava, J", erupted, heat + given, 1e-14);
    table.note("share of solid lava", 0.0, flow.last("solid_volume_m3")? / volume);
    Ok(())
}

/// The mean radius of the cells thicker than `least`, and the largest over the smallest radius of its outline.
fn radii(cells: &[([i32; 2], f64)], dx: f64, least: f64) -> [f64; 2] {
    let is_in: std::collections::HashSet<[i32; 2]> =
        cells.iter().filter(|(_, h)| *h > least).map(|(at, _)| *at).collect();
    let number = is_in.len() as f64;
    let centre = [0, 1].map(|a| is_in.iter().map(|at| f64::from(at[a])).sum::<f64>() / number);
    let outline = is_in
        .iter()
        .filter(|[x, y]| [[x + 1, *y], [x - 1, *y], [*x, y + 1], [*x, y - 1]].iter().any(|at| !is_in.contains(at)));
    let radius = |at: &[i32; 2]| (f64::from(at[0]) - centre[0]).hypot(f64::from(at[1]) - centre[1]);
    let (least, most) =
        outline.map(radius).fold((f64::INFINITY, 0.0_f64), |(least, most), r| (least.min(r), most.max(r)));
    [(number / PI).sqrt() * dx, (most + 0.5) / (least + 0.5)]
}

/// Piles of a Bingham fluid that come to rest: h^2 = 2 S / (rho g) (R - r).
fn piles(table: &mut Table) -> Result<()> {
    let volume = 1e5;
    for (strength, radius) in [(1000.0, 135.35), (100.0, 214.52)] {
        let fine = 40.0;
        let dx = radius / fine;
        let half = (1.35 * fine) as usize;
        let n = 2 * half + 1;
        let core = (0.35 * fine) as usize;
        let cells = (2 * core + 1).pow(2) as f64;
        let mut fluid = Eruption::lava(1e4, strength);
        let thickness = volume / (cells * dx * dx);
        fluid["start"] = json!([{"region": "pile", "thickness": format!("{thickness} m"), "temperature": "1360 K"}]);
        let flow = Eruption {
            extent: [n, n],
            dx,
            wraps: false,
            fall: 0.0,
            regions: vec![("pile", [[half - core; 2], [half + core + 1; 2]])],
            fluid,
            vents: json!({}),
            time: json!({"steps": 80_000}),
            dumps: json!({"every": 40_000}),
        };
        let flow = flow.run()?;
        let last = flow.dumps() - 1;
        let [before, _] = radii(&flow.field(last - 1, "thickness")?, dx, 1e-3);
        let [found, ratio] = radii(&flow.field(last, "thickness")?, dx, 1e-3);
        let name = format!("pile of {strength} Pa");
        table.relative(format!("radius of a {name}, m"), radius, found, 0.05);
        table.at_most(format!("largest over smallest radius of a {name}"), 1.1, ratio);
        table.below(format!("growth of a {name} in the second half of the run"), found / before - 1.0, 0.01);
    }
    Ok(())
}

/// A viscous fluid that spreads on a plane (Huppert, J. Fluid Mech. 121, 43, 1982): its radius grows with the powers 1/2, of a
/// constant inflow, and 1/8, of a constant volume.
fn spreading(table: &mut Table) -> Result<()> {
    let (dx, viscosity) = (2.0, 2000.0);
    let half = 70;
    let n = 2 * half + 1;
    let nu = viscosity / DENSITY;
    let of_flow = |rate: f64, t: f64| 0.7150 * (GRAVITY * rate.powi(3) / (3.0 * nu)).powf(0.125) * t.sqrt();
    let of_volume = |volume: f64, t: f64| 0.8939 * (GRAVITY * volume.powi(3) / (3.0 * nu)).powf(0.125) * t.powf(0.125);
    let reach = 0.85 * half as f64 * dx;
    let rate = 20.0;
    // Until the fluid has come as far as the map allows.
    let duration = (reach / of_flow(rate, 1.0)).powi(2);
    let volume: f64 = 0.5 * PI * (0.3 * reach).powi(2);
    let core = (0.12 * half as f64) as usize;
    let cells = (2 * core + 1).pow(2) as f64;
    let thickness = volume / (cells * dx * dx);
    let spread = (reach / of_volume(volume, 1.0)).powi(8).min(4e4);
    for (what, exponent, duration) in [("constant inflow", 0.5, duration), ("constant volume", 0.125, spread)] {
        let is_inflow = exponent == 0.5;
        let mut fluid = Eruption::lava(viscosity, 0.0);
        let mut vents = json!({});
        if is_inflow {
            vents = json!({"middle": {"effusion": {"rate": format!("{rate} m3/s")}, "temperature": "1360 K"}});
        } else {
            fluid["start"] =
                json!([{"region": "pile", "thickness": format!("{thickness} m"), "temperature": "1360 K"}]);
        }
        let flow = Eruption {
            extent: [n, n],
            dx,
            wraps: false,
            fall: 0.0,
            regions: vec![("middle", [[half; 2], [half + 1; 2]]), ("pile", [[half - core; 2], [half + core + 1; 2]])],
            fluid,
            vents,
            time: json!({"duration": format!("{duration} s")}),
            dumps: json!({"every": format!("{} s", duration / 16.0)}),
        };
        let flow = flow.run()?;
        let mut points = Vec::new();
        for dump in 0..flow.dumps() {
            let time = flow.time(dump);
            if time >= 0.2 * duration {
                let cells = flow.field(dump, "thickness")?;
                let most = cells.iter().fold(0.0_f64, |most, (_, h)| most.max(*h));
                points.push((time, radii(&cells, flow.dx, 0.01 * most)[0]));
            }
        }
        let (n, exact) =
            (points.len() as f64, |t: f64| if is_inflow { of_flow(rate, t) } else { of_volume(volume, t) });
        let mean = |of: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / n;
        let (x, y) = (mean(&|p| p.0.ln()), mean(&|p| p.1.ln()));
        let slope = mean(&|p| (p.0.ln() - x) * (p.1.ln() - y)) / mean(&|p| (p.0.ln() - x).powi(2));
        table.absolute(format!("exponent of the radius, {what}"), exponent, slope, 0.02);
        let last = points.last().map_or(f64::NAN, |(t, r)| r / exact(*t));
        table.absolute(format!("radius over that of theory, {what}"), 1.0, last, 0.05);
    }
    Ok(())
}
