//! `post lava`: maps, areas, lengths and rasters of lava upon a terrain.

use std::path::Path;

use hematite_case::{Case, Header};
use hematite_config::{Exit, Fault, Result, nearest, print_line};
use hematite_dump::{DumpStep, Field, FieldReader, Ledger, RunRecord};
use hematite_stats::chart::{Axis, Chart, Curve, Style};
use hematite_stats::lookup::{Nodes, find};
use hematite_stats::table::{Table, write_json};
use hematite_stats::terrain::{Cover, Georeference, Layer, fit, map, reach, write_ascii, write_geotiff};
use hematite_stats::title::Origin;
use hematite_units::number::{exact, with_unit};
use serde::Serialize;
use serde_json::Value;

use crate::arguments::LavaArguments;
use crate::output::Output;
use crate::{ensemble, say, source};

mod hazard;

const HOUR: f64 = 3600.0;

/// Thickness of all lava in a cell from which it counts as covered, m: the first films that reach a cell do not.
const FILM: f64 = 1e-3;

/// The fields of a dump of lava.
struct Fields {
    thickness: Field,
    solid: Field,
    temperature: Option<Field>,
    arrival: Option<Field>,
}

/// A run of lava with one of its dumps of fields.
struct Work<'w> {
    reader: &'w FieldReader,
    fields: Fields,
    nodes: Nodes<'w>,
    elevation: Vec<f64>,
    /// Cells of vents, and those with lava at the start.
    vents: Vec<usize>,
    /// Cells that lava was observed to cover.
    observed: Option<Vec<bool>>,
    georeference: Georeference,
}

/// Lava at one time.
struct State {
    at: DumpStep,
    /// Of each cell, fluid and solid, m.
    thickness: Vec<f64>,
    solid: Vec<f64>,
    covered: Vec<bool>,
    cover: Cover,
}

/// What a dump tells, in SI.
#[derive(Serialize)]
struct Summary {
    step: u64,
    time_s: f64,
    area_m2: f64,
    length_m: f64,
    distance_m: f64,
    fluid_volume_m3: f64,
    solid_volume_m3: f64,
    largest_thickness_m: f64,
    mean_thickness_m: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    fit: Option<f64>,
}

/// Writes the statistics of a run.
///
/// # Errors
/// A usage fault without dumps of lava; an I/O fault when a file cannot be written.
pub fn run(arguments: &LavaArguments) -> Result<Exit> {
    let run = &arguments.place.run;
    if ensemble::is_one(run) {
        return hazard::run(arguments);
    }
    let record = RunRecord::read(run)?;
    let (reader, fields) = open(run, &record)?;
    let case = source::case(&record)?;
    say::known_state(run);
    let grid = reader.grid();
    if grid.id.len() < case.header().nodes {
        say::note(&format!(
            "the dump holds {} of {} cells: areas, volumes and lengths are those of this part",
            grid.id.len(),
            case.header().nodes
        ));
    }
    let elevation = case.field_at(&named(&record.config, "/fluid/lava/elevation"), &grid.id)?;
    let work = Work {
        nodes: Nodes::new(grid)?,
        elevation,
        vents: vents(&case, &record.config, (&reader, &fields))?,
        fields,
        observed: arguments.observed.as_deref().map(|name| observed(&case, name, &reader)).transpose()?,
        georeference: georeference(case.header()),
        reader: &reader,
    };
    let mut output = arguments.place.output();
    let chosen = source::choose(run, reader.steps(), arguments.dump)?;
    let mut table = Table::new(COLUMNS);
    let mut points = Vec::new();
    for dump in 0..reader.steps().len() {
        let state = work.state(dump)?;
        let summary = work.summary(&state);
        table.push(row(&summary));
        points.push([state.at.time / HOUR, state.cover.length]);
        if chosen.contains(&dump) {
            let suffix = if chosen.len() > 1 { format!("_{}", state.at.step) } else { String::new() };
            work.write(&state, dump, &suffix, &mut output)?;
            write_json(&output.file(format!("lava{suffix}.json")), &summary)?;
            tell(&summary)?;
        }
    }
    table.write_csv(&output.file("lava.csv"))?;
    let origin = output.origin(reader.steps().iter().map(|at| at.time));
    let time = || Axis::new("time in hours", "");
    if points.len() > 1 {
        let length = Curve::new("length", points, Style::Line, 0);
        Chart::new("length of the lava", time(), Axis::new("length", "m").from_zero(), vec![length])
            .write(&output.figure("length"), &origin)?;
    }
    growth(run, &mut output)?;
    output.say()?;
    Ok(Exit::Done)
}

const COLUMNS: [&str; 10] = [
    "step",
    "time_s",
    "area_m2",
    "length_m",
    "distance_m",
    "fluid_volume_m3",
    "solid_volume_m3",
    "largest_thickness_m",
    "mean_thickness_m",
    "fit",
];

fn row(of: &Summary) -> [String; 10] {
    [
        of.step.to_string(),
        exact(of.time_s),
        exact(of.area_m2),
        exact(of.length_m),
        exact(of.distance_m),
        exact(of.fluid_volume_m3),
        exact(of.solid_volume_m3),
        exact(of.largest_thickness_m),
        exact(of.mean_thickness_m),
        of.fit.map_or_else(String::new, exact),
    ]
}

fn tell(of: &Summary) -> Result<()> {
    let fit = of.fit.map_or_else(String::new, |fit| format!(", fit {fit:.3}"));
    print_line(&format!(
        "step {}, {:.3} h: area {}, length {}, volume {:.4e} m3 ({:.1} % solid), largest thickness {}{fit}",
        of.step,
        of.time_s / HOUR,
        with_unit(of.area_m2, "m2"),
        with_unit(of.length_m, "m"),
        of.fluid_volume_m3 + of.solid_volume_m3,
        100.0 * of.solid_volume_m3 / (of.fluid_volume_m3 + of.solid_volume_m3).max(f64::MIN_POSITIVE),
        with_unit(of.largest_thickness_m, "m")
    ))
}

/// The dump with lava that holds the most cells, and its fields.
fn open(run: &Path, record: &RunRecord) -> Result<(FieldReader, Fields)> {
    let mut best: Option<(FieldReader, Fields)> = None;
    for name in &record.dumps {
        let reader = FieldReader::open(&run.join(format!("{name}.vtkhdf")))?;
        let field = |name: &str| reader.fields().iter().copied().find(|field| field.name() == name);
        let (Some(thickness), Some(solid)) = (field("thickness"), field("solid_thickness")) else { continue };
        let fields = Fields { thickness, solid, temperature: field("temperature"), arrival: field("arrival_time") };
        if best.as_ref().is_none_or(|(known, _)| known.grid().id.len() < reader.grid().id.len()) {
            best = Some((reader, fields));
        }
    }
    best.ok_or_else(|| {
        Fault::usage(format!(
            "{} holds no dump with \"thickness\" and \"solid_thickness\": is it a run of \"lava\"? Add them to the fields of a dump",
            run.display()
        ))
    })
}

/// The name at a place of a config.
fn named(config: &Value, pointer: &str) -> String {
    config.pointer(pointer).and_then(Value::as_str).unwrap_or("elevation").to_owned()
}

/// The cells of the vents and of lava at the start.
fn vents(case: &Case, config: &Value, (reader, fields): (&FieldReader, &Fields)) -> Result<Vec<usize>> {
    let mut cells = Vec::new();
    for (name, vent) in config.get("vents").and_then(Value::as_object).into_iter().flatten() {
        let region = cells_of(case, name, reader)?;
        match vent.get("somewhere") {
            None | Some(Value::Null) => cells.extend(region),
            Some(_) => cells.extend(first_of(name, region, (reader, fields))?),
        }
    }
    let start = config.pointer("/fluid/lava/start").and_then(Value::as_array).into_iter().flatten();
    let start = start.filter_map(|start| Some(start.get("region")?.as_str()?.to_owned()));
    for name in start {
        cells.extend(cells_of(case, &name, reader)?);
    }
    Ok(cells)
}

/// The cells of a region in which lava came first: those of a vent that was drawn at random there.
fn first_of(name: &str, region: Vec<usize>, (reader, fields): (&FieldReader, &Fields)) -> Result<Vec<usize>> {
    let last = reader.steps().len().checked_sub(1);
    let (Some(field), Some(last)) = (fields.arrival, last) else {
        say::note(&format!(
            "lengths are from the whole region of vent \"{name}\": dumps without arrival_time do not tell where it opened"
        ));
        return Ok(region);
    };
    let arrival = reader.read(last, field)?.to_f64();
    let first = region.iter().map(|&n| arrival[n]).filter(|&t| t >= 0.0).fold(f64::INFINITY, f64::min);
    Ok(region.into_iter().filter(|&n| arrival[n] == first).collect())
}

/// The cells of a region that the dump holds.
fn cells_of(case: &Case, name: &str, reader: &FieldReader) -> Result<Vec<usize>> {
    let region = case.region(name)?;
    let nodes = region.runs().iter().flat_map(|run| run.clone()).map(hematite_case::NodeId);
    Ok(find(reader.grid(), nodes).into_iter().flatten().collect())
}

/// The cells of a region, or those where a field of the case is above 0.
fn observed(case: &Case, name: &str, reader: &FieldReader) -> Result<Vec<bool>> {
    let header = case.header();
    let mut is = vec![false; reader.grid().id.len()];
    if header.regions.iter().any(|region| region.name == name) {
        cells_of(case, name, reader)?.into_iter().for_each(|n| is[n] = true);
    } else if header.fields.iter().any(|field| field.name == name) {
        is = case.field_at(name, &reader.grid().id)?.into_iter().map(|value| value > 0.0).collect();
    } else {
        let known = || {
            let regions = header.regions.iter().map(|region| region.name.as_str());
            regions.chain(header.fields.iter().map(|field| field.name.as_str()))
        };
        let hint = nearest(name, known()).map(|near| format!("; did you mean \"{near}\"?")).unwrap_or_default();
        return Err(Fault::usage(format!(
            "--observed {name}: the case has no region or field of this name, it has {}{hint}; give the cells that lava covered as a region, or as a field \
             that is 1 there and 0 elsewhere, and make the case again",
            known().collect::<Vec<_>>().join(", ")
        )));
    }
    Ok(is)
}

/// Whether cells count as covered, by the thicknesses of fluid and solid lava.
fn covered(fluid: &[f64], solid: &[f64]) -> Vec<bool> {
    fluid.iter().zip(solid).map(|(h, s)| h + s >= FILM).collect()
}

fn georeference(header: &Header) -> Georeference {
    Georeference { system: header.geometry.reference_system.clone() }
}

impl Work<'_> {
    fn read(&self, dump: usize, field: Field) -> Result<Vec<f64>> {
        Ok(self.reader.read(dump, field)?.to_f64())
    }

    fn state(&self, dump: usize) -> Result<State> {
        let (thickness, solid) = (self.read(dump, self.fields.thickness)?, self.read(dump, self.fields.solid)?);
        let covered = covered(&thickness, &solid);
        let cover = reach(self.nodes.grid(), &covered, &self.vents);
        Ok(State { at: self.reader.steps()[dump], thickness, solid, covered, cover })
    }

    fn summary(&self, state: &State) -> Summary {
        let cell = self.nodes.grid().spacing.powi(2);
        let volume = |thickness: &[f64]| thickness.iter().sum::<f64>() * cell;
        let (fluid, solid) = (volume(&state.thickness), volume(&state.solid));
        let whole = state.thickness.iter().zip(&state.solid).map(|(h, s)| h + s);
        let Cover { area, distance, length } = state.cover;
        Summary {
            step: state.at.step,
            time_s: state.at.time,
            area_m2: area,
            length_m: length,
            distance_m: distance,
            fluid_volume_m3: fluid,
            solid_volume_m3: solid,
            largest_thickness_m: whole.fold(0.0, f64::max),
            mean_thickness_m: if area > 0.0 { (fluid + solid) / area } else { 0.0 },
            fit: self.observed.as_ref().and_then(|observed| fit(&state.covered, observed)),
        }
    }

    /// Thickness of all lava, temperature of fluid lava and time of arrival, as far as the dump holds them, with names of files.
    fn layers(&self, state: &State, dump: usize) -> Result<Vec<(&'static str, Layer)>> {
        let whole = state.thickness.iter().zip(&state.solid).map(|(h, s)| (h + s >= FILM).then_some(h + s)).collect();
        let mut layers =
            vec![("thickness", Layer { what: "thickness of lava", values: whole, unit: "m", from_zero: true })];
        if let Some(field) = self.fields.temperature {
            let found = self.read(dump, field)?.into_iter().zip(&state.thickness);
            let values = found.map(|(t, &h)| (h >= FILM).then_some(t)).collect();
            let layer = Layer { what: "temperature of fluid lava", values, unit: "K", from_zero: false };
            if state.thickness.iter().any(|&h| h >= FILM) {
                layers.push(("temperature", layer));
            } else {
                say::note(&format!(
                    "no lava is fluid at step {}, so that there is no map of its temperature",
                    state.at.step
                ));
            }
        }
        if let Some(field) = self.fields.arrival {
            let found = self.read(dump, field)?.into_iter().zip(&state.covered);
            let values = found.map(|(t, &is_covered)| is_covered.then_some(t / HOUR)).collect();
            let layer = Layer { what: "arrival of lava in hours", values, unit: "", from_zero: true };
            layers.push(("arrival_time", layer));
        }
        Ok(layers)
    }

    /// Writes each layer as a figure and as rasters.
    fn write(&self, state: &State, dump: usize, suffix: &str, output: &mut Output) -> Result<()> {
        let origin = output.origin([state.at.time]);
        for (name, layer) in self.layers(state, dump)? {
            let name = format!("{name}{suffix}");
            write_layer(&name, &layer, (&self.nodes, &self.elevation), &self.georeference, (output, &origin))?;
        }
        Ok(())
    }
}

/// Writes a layer as a figure and as rasters.
fn write_layer(
    name: &str,
    layer: &Layer,
    (nodes, elevation): (&Nodes, &[f64]),
    georeference: &Georeference,
    (output, origin): (&mut Output, &Origin),
) -> Result<()> {
    map(nodes, elevation, layer).write(&output.figure(name), origin)?;
    let (ascii, geotiff) = (output.file(format!("{name}.asc")), output.file(format!("{name}.tif")));
    write_ascii(&ascii, nodes, &layer.values)?;
    write_geotiff(&geotiff, nodes, &layer.values, georeference)
}

/// Draws the columns of the ledger that grow.
fn growth(run: &Path, output: &mut Output) -> Result<()> {
    let ledger = Ledger::read(run)?;
    let times: Vec<f64> = ledger.rows.iter().map(|row| row.time).collect();
    let origin = output.origin(times.iter().copied());
    let charts = [
        ("volume", "volume of lava", "m\u{b3}", [("fluid", "fluid_volume_m3"), ("solid", "solid_volume_m3")]),
        ("area", "area of lava", "m\u{b2}", [("fluid", "fluid_area_m2"), ("all", "area_m2")]),
    ];
    for (file, what, unit, curves) in charts {
        let curve = |(k, (name, column)): (usize, &(&str, &str))| {
            let values = ledger.values(&hematite_dump::Column::new(*column))?;
            let points = times.iter().map(|t| t / HOUR).zip(values).map(|(t, v)| [t, v]).collect();
            Some(Curve::new(*name, points, Style::Line, k))
        };
        let curves: Vec<Curve> = curves.iter().enumerate().filter_map(curve).collect();
        if times.len() > 1 && !curves.is_empty() {
            Chart::new(what, Axis::new("time in hours", ""), Axis::new(what, unit).from_zero(), curves)
                .write(&output.figure(file), &origin)?;
        }
    }
    Ok(())
}
