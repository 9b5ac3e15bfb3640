//! `post tracks`: trajectories of cells and bodies.

use std::path::Path;

use hematite_config::{Exit, Fault, Result, print_line};
use hematite_dump::{BodyReader, CellReader, ChainReader, DumpStep, RunRecord, TrackReader};
use hematite_stats::cells::Cell;
use hematite_stats::cells::shape::Shape;
use hematite_stats::chart::{Axis, Chart, Curve, Style};
use hematite_stats::plane::{AXES, xyz};
use hematite_stats::suspension::tracks::{Displacement, Track, displacements, tracks};
use hematite_stats::table::{Table, lag};
use hematite_units::number::{exact, with_unit};

use crate::arguments::TracksArguments;
use crate::{cells, say, source};

/// Most rows of `tracks.csv`. Of longer runs, only every second, third, ... cell is written.
const ROWS: usize = 2_000_000;
/// Most trajectories drawn.
const DRAWN: usize = 60;

/// Writes the trajectories and their statistics.
pub fn run(arguments: &TracksArguments) -> Result<Exit> {
    let Tracks { names, dimension, time, all } = read_tracks(&arguments.place.run)?;
    say::known_state(&arguments.place.run);
    let mut output = arguments.place.output();
    let rows: usize = all.iter().map(|track| track.frame.len()).sum();
    let every = rows.div_ceil(ROWS).max(1);
    table(&all, &names, &time, every).write_csv(&output.file("tracks.csv"))?;
    velocities(&all, &names, &time).write_csv(&output.file("velocity.csv"))?;
    let moved: Vec<(String, Vec<Displacement>)> = names
        .iter()
        .enumerate()
        .map(|(kind, name)| {
            let own: Vec<&Track> = all.iter().filter(|track| track.kind == kind).collect();
            (name.clone(), displacements(&own, &time))
        })
        .collect();
    displacement_table(&moved).write_csv(&output.file("displacement.csv"))?;
    if time.len() > 1 {
        let origin = output.origin(time.iter().copied());
        displacement_chart(&moved, dimension).write(&output.figure("displacement"), &origin)?;
        track_chart(&all).write(&output.figure("tracks"), &origin)?;
    }
    output.say()?;
    print_line(&format!("{} trajectories over {} dumps", all.len(), time.len()))?;
    for (kind, (name, moved)) in moved.iter().enumerate() {
        let own = all.iter().filter(|track| track.kind == kind);
        tell(name, moved, own.map(Track::pairs).sum(), dimension)?;
    }
    if every > 1 {
        say::note(&format!("tracks.csv holds one trajectory in {every}: all would be {rows} rows"));
    }
    Ok(Exit::Done)
}

/// Prints how far a population moved, and how many of its `all` pairs of positions the lags have.
fn tell(name: &str, moved: &[Displacement], all: usize, dimension: usize) -> Result<()> {
    let Some(last) = moved.last() else { return Ok(()) };
    let far: Vec<String> =
        (0..dimension).map(|a| format!("{} {}", AXES[a], with_unit(last.mean_square_m2[a].sqrt(), "m"))).collect();
    let (lag, used) = (with_unit(last.lag_s, "s"), moved.iter().map(|d| d.pairs).sum::<usize>());
    print_line(&format!("population {name}: root mean square displacement in {lag}: {}", far.join(", ")))?;
    let lags = moved.len();
    print_line(&format!("population {name}: {used} of {all} pairs of dumps of a member are in the {lags} lags"))
}

/// The tracks of a run.
struct Tracks {
    names: Vec<String>,
    dimension: usize,
    time: Vec<f64>,
    all: Vec<Track>,
}

/// Reads `tracks.h5`, or if there is none, the surfaces in `cells.vtkhdf`, or else `bodies.vtkhdf`.
fn read_tracks(run: &Path) -> Result<Tracks> {
    if run.join("tracks.h5").is_file() {
        let reader = TrackReader::open(run)?;
        if !reader.steps().is_empty() {
            return from_tracks(&reader);
        }
    }
    let record = RunRecord::read(run)?;
    match (CellReader::find(run)?, BodyReader::find(run)?) {
        (None, Some(bodies)) if !bodies.steps().is_empty() => from_bodies(&record, &bodies),
        (None, None) if ChainReader::find(run)?.is_some() => Err(Fault::usage(format!(
            "{0} holds polymers, no cells or bodies: how chains move is told by post polymers {0}",
            run.display()
        ))),
        _ => from_cells(&record, &cells::open(run)?),
    }
}

/// Number, population and centre of a member, and how many times it has crossed periodic faces.
type Place = (u64, usize, [f64; 3], [i32; 3]);

impl Tracks {
    /// Joins the places `places(dump)` of members in all dumps. `extent`: edges of the domain, m.
    fn join(
        names: Vec<String>,
        dimension: usize,
        extent: [f64; 3],
        steps: &[DumpStep],
        places: impl Fn(usize) -> Result<Vec<Place>>,
    ) -> Result<Self> {
        let unwrapped =
            |(id, kind, at, image): Place| (id, kind, std::array::from_fn(|a| at[a] + f64::from(image[a]) * extent[a]));
        let frame = |dump| Ok(places(dump)?.into_iter().map(unwrapped).collect::<Vec<_>>());
        let frames = (0..steps.len()).map(frame).collect::<Result<Vec<_>>>()?;
        Ok(Self { names, dimension, time: steps.iter().map(|dump| dump.time).collect(), all: tracks(frames) })
    }
}

/// Edges of the box of a run's case, m.
fn extent(record: &RunRecord) -> Result<[f64; 3]> {
    let case = source::case(record)?;
    Ok(case.header().extent.map(|sites| sites as f64 * case.header().spacing))
}

fn from_bodies(record: &RunRecord, source: &BodyReader) -> Result<Tracks> {
    Tracks::join(source.names(), source.dimension(), extent(record)?, source.steps(), |dump| {
        let frame = source.frame(dump)?;
        let place = |n: usize| (frame.id[n], frame.kind[n] as usize, frame.position[n], frame.image[n]);
        Ok((0..frame.id.len()).map(place).collect())
    })
}

fn from_tracks(source: &TrackReader) -> Result<Tracks> {
    let extent = source.extent().unwrap_or_default();
    Tracks::join(source.kinds().to_vec(), source.dimension(), extent, source.steps(), |dump| {
        let frame = source.frame(dump)?;
        let place = |n: usize| (frame.id[n], frame.kind[n] as usize, frame.centroid[n], frame.image[n]);
        Ok((0..frame.id.len()).map(place).collect())
    })
}

fn from_cells(record: &RunRecord, source: &CellReader) -> Result<Tracks> {
    Tracks::join(source.names(), source.dimension(), extent(record)?, source.steps(), |dump| {
        let frame = source.frame(dump)?;
        let place = |cell: &Cell| (cell.id, cell.kind, Shape::of(cell).centroid, cell.image);
        Ok(hematite_stats::cells::cells(source.kinds(), &frame)?.iter().map(place).collect())
    })
}

fn table(all: &[Track], names: &[String], time: &[f64], every: usize) -> Table {
    let mut table =
        Table::new(["cell", "population", "time_s", "x_m", "y_m", "z_m", "ux_m_per_s", "uy_m_per_s", "uz_m_per_s"]);
    for track in all.iter().step_by(every) {
        let velocities = track.velocities(time);
        for (i, (&frame, position)) in track.frame.iter().zip(&track.position).enumerate() {
            let mut row = vec![track.id.to_string(), names[track.kind].clone(), exact(time[frame])];
            row.extend(position.map(exact));
            let velocity = velocities.as_ref().map(|all| all[i]);
            row.extend((0..3).map(|a| velocity.map(|u| exact(u[a])).unwrap_or_default()));
            table.push(row);
        }
    }
    table
}

fn velocities(all: &[Track], names: &[String], time: &[f64]) -> Table {
    let mut table = Table::new(["cell", "population", "first_s", "last_s", "ux_m_per_s", "uy_m_per_s", "uz_m_per_s"]);
    for track in all {
        let Some(u) = track.mean_velocity(time) else { continue };
        let ends = [track.frame[0], track.frame[track.frame.len() - 1]].map(|frame| exact(time[frame]));
        let start = [track.id.to_string(), names[track.kind].clone()];
        table.push(start.into_iter().chain(ends).chain(u.map(exact)));
    }
    table
}

fn displacement_table(moved: &[(String, Vec<Displacement>)]) -> Table {
    let header = ["population", "lag_s", "pairs"].map(str::to_owned).into_iter();
    let header = header.chain(xyz("mean_", "_m")).chain(xyz("mean_square_", "_m2"));
    let mut table = Table::new(header.chain(xyz("dispersion_", "_m2_per_s")));
    for (name, lags) in moved {
        for d in lags {
            let start = [name.clone(), lag(d.lag_s), d.pairs.to_string()].into_iter();
            let numbers = d.mean_m.into_iter().chain(d.mean_square_m2).chain(d.dispersion_m2_per_s);
            table.push(start.chain(numbers.map(exact)));
        }
    }
    table
}

fn displacement_chart(moved: &[(String, Vec<Displacement>)], dimension: usize) -> Chart {
    let mut curves = Vec::new();
    for (name, lags) in moved {
        for (axis, along) in AXES.iter().enumerate().take(dimension) {
            let points = lags.iter().map(|d| [d.lag_s, d.mean_square_m2[axis]]).collect();
            let name = if moved.len() > 1 { format!("{name} {along}") } else { (*along).to_owned() };
            curves.push(Curve::new(name, points, Style::Marks, curves.len()));
        }
    }
    let y = Axis::new("mean square displacement", "m\u{b2}").logarithmic();
    Chart::new("mean square displacement", Axis::new("lag", "s").logarithmic(), y, curves)
}

/// Some trajectories, in the plane of x and y.
fn track_chart(all: &[Track]) -> Chart {
    let drawn = all.iter().step_by(all.len().div_ceil(DRAWN).max(1));
    let curve =
        |track: &Track| Curve::new("", track.position.iter().map(|p| [p[0], p[1]]).collect(), Style::Line, track.kind);
    Chart::new("trajectories", Axis::new("x", "m"), Axis::new("y", "m"), drawn.map(curve).collect())
}
