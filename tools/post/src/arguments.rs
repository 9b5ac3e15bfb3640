//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::output::Output;

const AFTER: &str = "\
Exit codes:
  0  done; for compare, the runs hold the same
  1  compare found a difference
  2  bad usage, config or input
  6  reading or writing failed
  70 internal error

Examples:
  post flow runs/channel
  post flow runs/channel --dump all --config post.json -o figures
  post fields runs/block
  post cells runs/tube
  post bodies runs/artery
  post tracks runs/tube
  post polymers runs/chains
  post lava runs/volcano
  post ensemble runs/slit
  post scaling runs/p1 runs/p2 runs/p4 -o scaling
  post timeline runs/tube
  post compare runs/a runs/b && echo same bits
  post --schema > post.schema.json";

/// Tables and figures from the dumps of runs.
#[derive(Debug, Parser)]
#[command(version, after_help = AFTER, arg_required_else_help = true, args_conflicts_with_subcommands = true)]
pub struct Arguments {
    /// Print the JSON Schema of the config of `post flow`, `post fields`, `post cells` and `post bodies`
    #[arg(long, required = true)]
    schema: bool,
    #[command(subcommand)]
    pub command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Maps, profiles, flow rates, mass balance, wall shear stress, pressure and forces on walls of a run
    Flow(FlowArguments),
    /// Maps, means over layers and numbers of every field at nodes, of any physics
    Fields(FieldsArguments),
    /// Hematocrit, profiles, cell-free layer, viscosity and the shapes of cells
    Cells(CellsArguments),
    /// Hematocrit, alignment, speed and turning of rigid bodies across the vessel
    Bodies(BodiesArguments),
    /// Trajectories of cells and bodies: velocities, mean square displacement, dispersion
    Tracks(TracksArguments),
    /// Sizes, relaxation, diffusion and bonds of the chains of polymers
    Polymers(PolymersArguments),
    /// Maps, areas, lengths and rasters of lava upon a terrain
    Lava(LavaArguments),
    /// Means with standard errors over the members of a run with --ensemble
    Ensemble(EnsembleArguments),
    /// Speed-up, efficiency and serial fraction of runs on several rank counts
    Scaling(ScalingArguments),
    /// What hosts and devices did when: overlap of exchange and work, drawings
    Timeline(TimelineArguments),
    /// Whether two runs hold the same bits, or the same values within a tolerance
    Compare(CompareArguments),
}

// No doc comment: as this is flattened, it would become that of the command.
#[derive(Debug, Args)]
pub struct Place {
    /// Folder of the run
    pub run: PathBuf,
    /// Where to write [default: RUN/statistics]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
}

impl Place {
    /// Where to write.
    pub fn output(&self) -> Output {
        Output::new(&self.run, self.output.as_ref())
    }
}

// No doc comment, for the same reason.
#[derive(Debug, Args)]
pub struct Choice {
    /// What to use in place of defaults
    #[arg(long, value_name = "POST.json")]
    pub config: Option<PathBuf>,
    /// Name of the field dump to use [default: the one with velocity that holds the most nodes]
    #[arg(long, value_name = "NAME")]
    pub fields: Option<String>,
}

// No doc comment, for the same reason.
#[derive(Debug, Args)]
pub struct Sections {
    /// Planes, and lines of profiles, to use in place of those through the middle of the domain
    #[arg(long, value_name = "POST.json")]
    pub config: Option<PathBuf>,
    /// Which dump: "last", "all", or a time step
    #[arg(long, value_name = "last|all|STEP", default_value = "last", value_parser = which)]
    pub dump: Which,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Writes into DIR: fields.csv, with mean, standard deviation, lowest and highest value of each component of each field of a
dump over its nodes; fields_along_*.csv, their means over the layers of nodes normal to each axis; and a figure
field_NAME* of each component, as .png and .svg: of the whole domain in 2-D, of every plane in 3-D.
Fields are those of the dump as it holds them, whatever physics wrote them.

Exit codes: 0 done, 2 bad usage, config or input, 6 reading or writing failed.

Examples:
  post fields runs/block
  post fields runs/block --dump all --config post.json

post.json:
  {\"planes\": [{\"name\": \"throat\", \"axis\": \"x\", \"at\": \"40 um\"}]}")]
pub struct FieldsArguments {
    #[command(flatten)]
    pub place: Place,
    #[command(flatten)]
    pub sections: Sections,
    /// Name of the field dump to use [default: the one that holds the most nodes]
    #[arg(long, value_name = "NAME")]
    pub fields: Option<String>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Averages over the members in DIR/member-*: their ledgers, and each table that all of them have in their folder statistics,
where the other commands of post leave it. In a table of means each column in which members differ is followed by its
standard error, s / sqrt(n) over n members; the other columns stay as they are. Draws these columns over time, or over
the first column of a table beside the population, a line for each population, with bars of one standard error. Of
bonds.csv it takes the bins of all members, with density 0 where a member has none.
Leaves out members that are not done, tables that differ in their rows or the times of these, and tables that were made
before their run went on or began anew, and says so on stderr.

Exit codes: 0 done, 2 bad usage, config or input, 6 reading or writing failed.

Examples:
  run slit.json --ensemble 20 --threads 4 -o runs/slit
  for member in runs/slit/member-*; do post flow $member; done
  post ensemble runs/slit")]
pub struct EnsembleArguments {
    #[command(flatten)]
    pub place: Place,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Writes into DIR: profile_*.csv, flow_rate.csv, mass_balance.json, wall_shear_stress.{csv,json},
wall_pressure.{csv,json}, summary.json, and figures, each as .png and .svg: speed*, pressure*, wall_shear_stress*,
wall_pressure*. If the ledger holds forces on parts of the wall, also forces.csv and the figure forces with drag and
lift. With a dump of cells of the same step also the figures cells*, the cells drawn on the speed, and if cells are
small there, cells_zoom* (with rigid bodies only: bodies*). Leaves out statistics that need what a dump lacks, and
says so on stderr.
Colours end at the 99.5th percentile of the values shown, or at an extreme value near it; figures tell the share beyond.
Pressures include the linear part of a pressure drop that drives the run, where it does not change with time.
In 2-D, flow rates in m3/s are those of a slab one lattice spacing deep; flow rates in m2/s are per depth.

Exit codes: 0 done, 2 bad usage, config or input, 6 reading or writing failed.

Examples:
  post flow runs/channel
  post flow runs/channel --dump 2000 --config post.json -o figures

post.json:
  {\"planes\": [{\"name\": \"throat\", \"axis\": \"x\", \"at\": \"40 um\"}],
   \"lines\": [{\"name\": \"across\", \"from\": [\"40 um\", \"0 um\"], \"to\": [\"40 um\", \"20 um\"], \"points\": 101}]}")]
pub struct FlowArguments {
    #[command(flatten)]
    pub place: Place,
    #[command(flatten)]
    pub sections: Sections,
    /// Name of the field dump to use [default: the one with velocity that holds the most nodes]
    #[arg(long, value_name = "NAME")]
    pub fields: Option<String>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Writes into DIR: suspension.csv (each dump), populations.csv (each dump and population), shapes.csv (each cell),
rotation.csv (each cell, over the averaged dumps), cells_profile_*.csv, cells.json (means with standard errors) and
figures, each as .png and .svg. Leaves out statistics that need what dumps lack, and says so on stderr. In 2-D, volumes are areas, and flow rates are per depth.

tube hematocrit H_T       enclosed volume of cells over the volume of the fluid nodes
discharge hematocrit H_D  sum of cell volume x velocity over the sum of fluid velocity x node volume, along the axis;
                          needs a dump of velocity of the same step
relative viscosity        Poiseuille flow rate of the fluid without cells, at the same pressure gradient in the same
                          straight channel, duct or tube, over the flow rate
cell-free layer           straight channels and tubes, seen from the side: at each axial position one lattice spacing
                          long, from the wall to the outermost surface of cells; mean over positions, sides and dumps
bluntness                 k of the fit u = u0 (1 - |s/R|^k) by least squares; its residual is the root mean square of
                          what the fit leaves over u0: above some percent k says little of the profile
D                         (L - B)/(L + B), longest and shortest axis of the ellipsoid with the second moments of the
                          enclosed body
inclination               of the body's long axis in the shear plane, from its first axis to its second
rotation                  mean rates of a marked vertex about the centroid (mark), of the body (tumbling), and of the
                          membrane about the body (treading = mark - tumbling), by straight lines through the angles
                          (least squares)
drift                     change of a cell's area and volume (2-D: perimeter and area), relative to when it had grown
roughness                 largest |u_i - u_j| along any side ij of a cell, over the mean length of sides, u from a vertex
                          to the mean of its neighbours: smooth below 0.2, creases that the mesh does not resolve
                          above 0.75

Without \"axis\" the axis is that of the pressure gradient, of moving walls, or along which cells move fastest.
Means are over the dumps from \"average_from\" on, errors those of up to eight blocks of consecutive dumps.
Several runs: a folder each, and one table of all of them on stdout and in runs.csv.

Exit codes: 0 done, 2 bad usage, config or input, 6 reading or writing failed.

Examples:
  post cells runs/tube
  post cells runs/ht10 runs/ht30 --config post.json -o cells

post.json:
  {\"cells\": {\"axis\": \"x\", \"average_from\": \"20 ms\", \"shapes\": \"all\"}}")]
pub struct CellsArguments {
    /// Folders of the runs
    #[arg(required = true, value_name = "RUN")]
    pub runs: Vec<PathBuf>,
    /// Where to write; with several runs a folder each in it [default: RUN/statistics]
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub choice: Choice,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Writes into DIR: bodies.csv (each body of the last dump), bodies_series.csv (each dump and population),
bodies_profile_*.csv (by distance from the wall, and in straight vessels across them), bodies.json (means with
standard errors), and figures, each as .png and .svg: charts, and sections of the last dump's bodies drawn on the speed
of the fluid. Leaves out statistics that need what dumps lack, and says so on stderr.

n                axis of symmetry: the axis whose semi-axis differs most from the other two; spheres have none
S                mean of (3 (n e)^2 - 1)/2: 1 along e, -1/2 across it, 0 in the mean over all directions; wall_order
                 with the normal e of the nearest wall, flow_order with the velocity of the fluid at the body's centre
nematic order    the eigenvalue of largest magnitude of the mean of (3 n n - 1)/2, and its eigenvector, the director
hematocrit       volume of the bodies over that of the fluid nodes
number density   bodies by their centres over the volume of the fluid nodes
angular velocity magnitude, mean over bodies

Without \"axis\" the axis is that of the pressure gradient, of moving walls, or along which cells move fastest.
Means are over the dumps from \"average_from\" on, errors those of up to eight blocks of consecutive dumps.

Exit codes: 0 done, 2 bad usage, config or input, 6 reading or writing failed.

Examples:
  post bodies runs/artery
  post bodies runs/artery --config post.json -o bodies

post.json:
  {\"bodies\": {\"axis\": \"x\", \"average_from\": \"20 ms\"},
   \"planes\": [{\"name\": \"throat\", \"axis\": \"x\", \"at\": \"40 um\"}]}")]
pub struct BodiesArguments {
    #[command(flatten)]
    pub place: Place,
    #[command(flatten)]
    pub choice: Choice,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Writes into DIR: tracks.csv (each cell and dump: unwrapped centroid and velocity), velocity.csv (mean velocity of
each cell: its displacement from the first dump that holds it to the last, over the time between them),
displacement.csv (mean and mean square displacement over lags, dispersion about the mean motion), and the figures tracks
and displacement, each as .png and .svg. From tracks.h5, or where a run has none, from cells.vtkhdf or bodies.vtkhdf.

lags   up to 40, from the spacing of the dumps to three quarters of the run. A pair of dumps of a cell belongs to the
       nearest multiple of that spacing; where it changes, of the shortest one, but for one in twenty. A lag has all
       its pairs, \"pairs\" is their number and \"lag_s\" their mean. Of neighbouring lags that with most pairs counts.

Exit codes: 0 done, 2 bad usage, config or input, 6 reading or writing failed.

Example:
  post tracks runs/tube -o tracks")]
pub struct TracksArguments {
    #[command(flatten)]
    pub place: Place,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Writes into DIR, from polymers.vtkhdf:
polymers.csv, polymers.json  a row a population: mean squared radius of gyration and end-to-end distance (in rings of
                             opposite beads) with standard errors, relative shape anisotropy, mean square of the
                             cosine to the x axis, bonds, bends, persistence length, relaxation time of the
                             end-to-end vector, diffusion coefficient of the centres; the parts of the radius of
                             gyration and of diffusion along each axis
radii.csv                    radius of gyration and end-to-end distance over time, roots of means over chains
correlations.csv             of end-to-end vectors, and of the velocities of centres, over lags
displacements.csv            mean square displacement of centres over lags, also about their mean and along each axis;
                             the pairs of dumps of chains in each lag
modes.csv                    normal modes: mean squares, those of ideal chains, relaxation times
bonds.csv                    probability density of the lengths of bonds
beads_AXIS.csv               beads and centres in layers one spacing wide, along axes that are not periodic
and the figures radius_of_gyration, end_to_end_correlation, displacement_of_centres, bond_lengths, beads_AXIS, as .png
and .svg.

Errors are those of up to eight blocks of consecutive dumps; of bonds, bends, persistence length and relaxation time
those over chains, if there are several. The diffusion coefficient is by displacements between one and two relaxation
times; with several chains, about their common motion. Where there is no relaxation time, or the run is too short for that, it is by those
between a sixteenth and an eighth of the run, if they grow in proportion to time there. Its mean leaves out axes that end
at walls; along a flow that the run drives, dispersion by the flow is in it. Dumps must be even in time.

Exit codes: 0 done, 2 bad usage, config or input, 6 reading or writing failed.

Examples:
  post polymers runs/chains
  post polymers runs/chains --from 200000 -o statistics")]
pub struct PolymersArguments {
    #[command(flatten)]
    pub place: Place,
    /// First time step that counts [default: the first quarter of the dumps does not]
    #[arg(long, value_name = "STEP")]
    pub from: Option<u64>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Writes into DIR, from the dump with thickness and solid_thickness that holds the most cells:
lava.csv               a row a dump: area, length, distance, volumes of fluid and solid lava, thickness, fit
lava.json              the same of the chosen dump
hazard.csv, .json      of the folder of an ensemble: areas that shares of its eruptions cover; hazard, a map and rasters
thickness, temperature, arrival_time
                       maps over the relief of the terrain as .png and .svg; of thickness (fluid and solid), temperature
                       (of fluid lava) and time of arrival in hours also rasters for geographic software, .asc and .tif
length, volume, area   figures over time, the latter two from the ledger

Cells with less than 1 mm of lava do not count, in maps neither. The length is that of the longest of the shortest ways
over covered cells and their diagonals from the nearest cell of a vent, or of lava at the start; the distance is that in a
straight line. largest_thickness is that of fluid and solid lava together, in the ledger of fluid lava. The fit is the area that both the run
and what was observed cover, over the area that either covers.

Exit codes: 0 done, 2 bad usage, config or input, 6 reading or writing failed.

Examples:
  post lava runs/volcano
  post lava runs/volcano --dump all -o maps
  post lava runs/etna --observed lava-of-2001")]
pub struct LavaArguments {
    #[command(flatten)]
    pub place: Place,
    /// Which dump is drawn: "last", "all", or a time step
    #[arg(long, value_name = "last|all|STEP", default_value = "last", value_parser = which)]
    pub dump: Which,
    /// A region of the case that lava was observed to cover, or a field that is above 0 there
    #[arg(long, value_name = "NAME")]
    pub observed: Option<String>,
}

/// Which dumps of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    Last,
    All,
    Step(u64),
}

fn which(text: &str) -> Result<Which, String> {
    match text.to_ascii_lowercase().as_str() {
        "last" => Ok(Which::Last),
        "all" => Ok(Which::All),
        step => step.parse().map(Which::Step).map_err(|_| "write last, all, or a time step such as 2000".to_owned()),
    }
}

#[derive(Debug, Args)]
#[command(after_help = "\
Prints a table to stdout; with -o also writes scaling.csv and scaling.json. The base is the fastest run on the
fewest ranks: speed-up S = T_base / T, efficiency S / p with p the ratio of rank counts, Karp-Flatt serial
fraction (1/S - 1/p) / (1 - 1/p). Runs must share case and steps.

Exit codes: 0 done, 2 bad usage or input, 6 reading or writing failed.

Example:
  post scaling runs/p1 runs/p2 runs/p4 -o scaling")]
pub struct ScalingArguments {
    /// Folders of the runs
    #[arg(required = true, value_name = "RUN")]
    pub runs: Vec<PathBuf>,
    /// Where to write scaling.csv and scaling.json
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Needs the trace of run --trace. Prints, for each rank, how busy the device is and how much of the exchange lies
under interior work, then each phase; writes into DIR: timeline.json (all of it), timeline_phases.csv, and drawings,
each as .png and .svg: timeline_rank0 ... (a few time steps of a rank) and, of several ranks, timeline (the first eight
together).

device busy     share of the time from the first event of a rank to the end of its last
messages        on their way from the end of the device's phase \"pack\" to the end of the host's \"exchange\"
under interior  share of this time during which the device is at work on the interior
host phases     without nested phases; \"record\" is the writing of commands, \"wait\" the wait for the device

The trace itself, RUN/trace.json, opens in ui.perfetto.dev and chrome://tracing.

Exit codes: 0 done, 2 bad usage or input, 6 reading or writing failed.

Examples:
  run runs/tube.json --threads 2 --trace && post timeline runs/tube
  post timeline runs/tube --steps 128-135 -o figures")]
pub struct TimelineArguments {
    #[command(flatten)]
    pub place: Place,
    /// Time steps to draw [default: three that take as long as most]
    #[arg(long, value_name = "STEP|FIRST-LAST|all", value_parser = steps)]
    pub steps: Option<Steps>,
}

/// Which time steps of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Steps {
    All,
    /// From the first to the last, both included.
    Some([u64; 2]),
}

fn steps(text: &str) -> Result<Steps, String> {
    if text.eq_ignore_ascii_case("all") {
        return Ok(Steps::All);
    }
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    match (first.trim().parse(), last.trim().parse()) {
        (Ok(first), Ok(last)) if first <= last => Ok(Steps::Some([first, last])),
        _ => Err("write all, a time step such as 130, or the first and the last as in 128-135".to_owned()),
    }
}

#[derive(Debug, Args)]
#[command(after_help = "\
Compares the dumps, node by node, cell by cell and body by body by their global numbers, the tracks, and the ledgers.

Exit codes: 0 the same, 1 different (stdout says where first), 2 bad usage or input, 6 reading failed.

Examples:
  post compare runs/solo runs/four-ranks
  post compare runs/f32 runs/f64 --rtol 1e-4")]
pub struct CompareArguments {
    /// Folder of the first run
    pub a: PathBuf,
    /// Folder of the second run
    pub b: PathBuf,
    /// Allow differences up to X times the largest magnitude of a field, in place of bit by bit
    #[arg(long, value_name = "X", value_parser = tolerance)]
    pub rtol: Option<f64>,
}

fn tolerance(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if value.is_finite() && value >= 0.0 { Ok(value) } else { Err("must be 0 or larger, and finite".to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        Arguments::command().debug_assert();
        let flow = Arguments::try_parse_from(["post", "flow", "r", "--dump", "LAST"]).expect("parses");
        assert!(matches!(flow.command, Some(Command::Flow(f)) if f.sections.dump == Which::Last));
        assert_eq!(
            (steps("7"), steps("3-9"), steps("All")),
            (Ok(Steps::Some([7, 7])), Ok(Steps::Some([3, 9])), Ok(Steps::All))
        );
        assert!(steps("9-3").is_err() && steps("soon").is_err() && steps("-3").is_err());
        assert!(Arguments::try_parse_from(["post", "--schema"]).expect("parses").command.is_none());
        for bad in
            [&["post"][..], &["post", "flow", "r", "--dump", "x"], &["post", "compare", "a", "b", "--rtol", "-1"]]
        {
            assert!(Arguments::try_parse_from(bad).is_err(), "{bad:?}");
        }
    }
}
