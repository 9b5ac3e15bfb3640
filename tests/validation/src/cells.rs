//! Cells in a fluid on one device, driven in lattice units.

use hematite_case::{Lattice, Part, Partition, VelocitySet};
use hematite_cells::{Mechanics, Surface};
use hematite_comm::Solo;
use hematite_config::{Fault, Result};
use hematite_engine::Support;
use hematite_engine::sites::{Coordinate, SiteMap};
use hematite_geometry::{Domain, OpeningKind, Site};
use hematite_membrane::largest_step;
use physics_cells::{KindParameters, Parameters, Pull, Record, Surroundings, Suspension, THICKENING};
use physics_lattice_boltzmann as lattice_boltzmann;
use physics_lattice_boltzmann::equilibrium::State;
use physics_lattice_boltzmann::{Immersed, Moment, Prescribed, Row, Walls};

use crate::domain::fluid_where;
use crate::{Context, Flow, FluidNumbers, Inside, domain};

/// A box of fluid for cells.
#[derive(Clone, Debug)]
pub struct Basin {
    /// What may be fluid.
    pub inside: Inside,
    /// Speed of the upper wall along x, and of the lower one against it; walls are at the ends of y, if anywhere.
    pub wall_speed: f64,
}

/// What is in the fluid, lattice units.
#[derive(Clone, Debug, Default)]
pub struct Content {
    /// The kinds of cells.
    pub kinds: Vec<(Surface, Mechanics)>,
    /// The cells: kind, and where its vertices are, in the coordinates of [`Flow::centre`].
    pub cells: Vec<(usize, Vec<[f64; 3]>)>,
    /// Constant forces on vertices.
    pub pulls: Vec<Pull>,
    /// The kernel between vertices and nodes.
    pub support: Support,
}

/// A cell now.
#[derive(Clone, Debug)]
pub struct Cell {
    /// Where its vertices are, in the coordinates of [`Flow::centre`].
    pub at: Vec<[f64; 3]>,
    /// The forces on them.
    pub force: Vec<[f64; 3]>,
}

/// Cells in a fluid.
pub struct Bath {
    /// The fluid.
    pub flow: Flow,
    cells: Suspension,
    inside: Inside,
    vertices: Vec<usize>,
}

impl Basin {
    /// A layer between two walls at y = 0 and y = height that move with the shear rate `rate`, `length` by `depth` (0 in
    /// 2-D) along x and z, where it wraps.
    pub fn sheared(length: usize, height: usize, depth: usize, rate: f64) -> Self {
        let inside = Inside { extent: [length, height, depth.max(1)], periodic: [true, false, depth > 0] };
        Self { inside, wall_speed: 0.5 * rate * height as f64 }
    }

    /// A box at rest that wraps.
    pub fn periodic(extent: [usize; 3]) -> Self {
        Self { inside: Inside { extent, periodic: [true, true, extent[2] > 1] }, wall_speed: 0.0 }
    }

    /// Its middle.
    pub fn middle(&self) -> [f64; 3] {
        let depth = if self.inside.dimension() == 3 { 0.5 * self.inside.extent[2] as f64 } else { 0.5 };
        [0.5 * self.inside.extent[0] as f64, 0.5 * self.inside.extent[1] as f64, depth]
    }

    /// The velocity along x of the fluid alone.
    pub(crate) fn speed(&self, at: [f64; 3]) -> f64 {
        self.wall_speed * (2.0 * at[1] / self.inside.extent[1] as f64 - 1.0)
    }

    pub(crate) fn domain(&self) -> Domain {
        let (inside, height) = (self.inside, self.inside.extent[1] as f64);
        if inside.periodic[1] {
            return domain(inside, &[], |at| fluid_where(inside.holds(at)));
        }
        domain(inside, &[("lower", OpeningKind::Wall), ("upper", OpeningKind::Wall)], |at| match at[1] {
            y if y < 0.0 => Site::opening(0),
            y if y > height => Site::opening(1),
            _ => Site::FLUID,
        })
    }
}

impl Bath {
    /// Puts cells into `basin`, whose fluid has the velocity that it has without them; `force` is a body force.
    ///
    /// # Errors
    /// A usage fault where a membrane is too stiff; where the device lacks room.
    pub fn new(
        context: &Context,
        basin: &Basin,
        numbers: &FluidNumbers,
        content: Content,
        force: [f64; 3],
    ) -> Result<Self> {
        let (inside, made) = (basin.inside, basin.domain());
        let dimension = inside.dimension();
        let lattice = Lattice::build(&made)?;
        let part = Part::of(&lattice, &Partition::make(&lattice, 1)?, 0)?;
        let openings = part.openings.len();
        let walls = [-basin.wall_speed, basin.wall_speed];
        let moving = |speed, nodes| Prescribed::Wall(vec![[speed, 0.0, 0.0]; nodes]);
        let contrast = content.kinds.first().map_or(1.0, |(_, mechanics)| mechanics.contrast);
        let parameters = lattice_boltzmann::Parameters {
            set: VelocitySet::of_dimension(dimension),
            precision: numbers.precision,
            omega_plus: 1.0 / numbers.tau,
            omega_minus: rates(numbers, 1.0)[1],
            force: force != [0.0; 3],
            immersed: Some(if contrast == 1.0 {
                Immersed::default()
            } else {
                Immersed::with(&[rates(numbers, contrast)])
            }),
            walls: Walls::HalfWay,
            openings: walls.iter().zip(&part.openings).map(|(&u, nodes)| moving(u, nodes.len())).collect(),
        };
        let own = part.position[..part.own].to_vec();
        let row = move |_| Row { force, openings: vec![1.0; openings] };
        let mut flow = Flow::of_part(context, inside, part, &parameters, row)?;
        flow.start(|at| State { drho: 0.0, u: [basin.speed(at), 0.0, 0.0] })?;

        let kind = |(k, (surface, mechanics)): (usize, &(Surface, Mechanics))| KindParameters {
            name: format!("kind {k}"),
            surface: surface.clone(),
            mechanics: mechanics.clone(),
            seeded: content.cells.iter().filter(|(of, _)| *of == k).count() as u64,
        };
        for (surface, mechanics) in &content.kinds {
            let largest = largest_step(dimension, surface, mechanics, numbers.nu());
            if largest < 1.0 {
                return Err(Fault::usage(format!("a membrane is too stiff: the largest time step is {largest:.3}")));
            }
        }
        let cells = Parameters {
            dimension,
            precision: numbers.precision,
            support: content.support,
            every: 1,
            move_every: 1,
            growth: 0,
            growth_cap: 0.0,
            pushed_within: None,
            contact: None,
            mark_every: (contrast != 1.0).then_some(20),
            kinds: content.kinds.iter().enumerate().map(kind).collect(),
            pulls: content.pulls,
            spacing: 1.0,
            origin: [0.0; 3],
            extent: made.extent,
            periodic: made.periodic,
        };
        let gpu = context.gpu(numbers.precision);
        let margin = cells.map_margin();
        let mut builder = SiteMap::builder(dimension, &own, margin, made.extent, made.periodic);
        builder.add_fluid(&own);
        let wall_distance = builder.distances(cells.wall_reach(), THICKENING, |_| true, |_| false);
        let around = Surroundings { own, map: builder.build(gpu)?, wall_distance, gates: Vec::new() };
        let records = content.cells.iter().zip(0..).map(|((kind, at), id)| (*kind, id, record(inside, at)));
        let records: Vec<_> = records.collect();
        let cells = Suspension::new(gpu, &Solo, cells, flow.shared(), around, 0, records)?;
        let vertices = content.cells.iter().map(|(_, at)| at.len()).collect();
        Ok(Self { flow, cells, inside, vertices })
    }

    /// Does `steps` time steps.
    ///
    /// # Errors
    /// When the device is lost or a cell breaks.
    pub fn advance(&mut self, steps: u64) -> Result<()> {
        self.flow.advance_with(&mut self.cells, steps)
    }

    /// Each cell, as it is now.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn cells(&self) -> Result<Vec<Cell>> {
        let snapshot = self.cells.snapshot(self.flow.step())?;
        let padding = self.inside.padding();
        let axes = self.inside.dimension();
        let centre = |x: &[f64; 3]| [0, 1, 2].map(|a| if a < axes { x[a] + 0.5 - padding[a] as f64 } else { 0.0 });
        let mut first = 0;
        let of_cell = |&count: &usize| {
            let range = first..first + count;
            first += count;
            Cell {
                at: snapshot.position[range.clone()].iter().map(centre).collect(),
                force: snapshot.force[range].to_vec(),
            }
        };
        Ok(self.vertices.iter().map(of_cell).collect())
    }

    /// Where the vertices of the only cell are.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn cell(&self) -> Result<Vec<[f64; 3]>> {
        Ok(self.cells()?.swap_remove(0).at)
    }

    /// Advances by `every` steps at a time until `measure` of the only cell changes by less than `least` in each, for at
    /// most `most` steps; gives the last change.
    ///
    /// # Errors
    /// When the device is lost or a cell breaks.
    pub fn settle(
        &mut self,
        every: u64,
        least: f64,
        most: u64,
        measure: impl Fn(&[[f64; 3]]) -> Vec<f64>,
    ) -> Result<f64> {
        let last = self.flow.step() + most;
        let mut before = measure(&self.cell()?);
        loop {
            self.advance(every)?;
            let now = measure(&self.cell()?);
            let change = now.iter().zip(&before).fold(0.0, |largest: f64, (a, b)| largest.max((a - b).abs()));
            if change <= least || self.flow.step() >= last || change.is_nan() {
                return Ok(change);
            }
            before = now;
        }
    }

    /// The shear rate of the fluid at both walls, the mean over x (and z): from its velocity at the nodes next to them,
    /// between the wall's and the node's, half a spacing apart.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn wall_rates(&mut self, basin: &Basin) -> Result<[f64; 2]> {
        let speeds = self.flow.moment(Moment::Velocity)?;
        let height = basin.inside.extent[1] as f64;
        let mean = |y: f64| {
            let row = self.flow.centre.iter().zip(speeds.chunks(3)).filter(|(at, _)| (at[1] - y).abs() < 0.25);
            let (sum, count) = row.fold((0.0, 0.0), |(sum, count), (_, u)| (sum + u[0], count + 1.0));
            sum / count
        };
        Ok([2.0 * (mean(0.5) + basin.wall_speed), 2.0 * (basin.wall_speed - mean(height - 0.5))])
    }
}

/// Relaxation rates of a fluid `contrast` times as viscous.
fn rates(numbers: &FluidNumbers, contrast: f64) -> [f64; 2] {
    let tau = 0.5 + contrast * (numbers.tau - 0.5);
    [1.0 / tau, 1.0 / (0.5 + numbers.magic / (tau - 0.5))]
}

/// The state of a cell with its vertices at `at`.
fn record(inside: Inside, at: &[[f64; 3]]) -> Record {
    let padding = inside.padding();
    let along = |a: usize| at.iter().map(move |x| Coordinate::of(x[a] - 0.5 + padding[a] as f64));
    let position: Vec<Coordinate> = (0..inside.dimension()).flat_map(along).collect();
    Record { seeded_scale: 1.0, carried: None, drift: vec![0; position.len()], position }
}

/// A surface's vertices about `centre`, turned by `angle` about z.
pub fn placed(surface: &Surface, centre: [f64; 3], angle: f64) -> Vec<[f64; 3]> {
    let (sin, cos) = angle.sin_cos();
    let turned = |v: &[f64; 3]| [cos * v[0] - sin * v[1], sin * v[0] + cos * v[1], v[2]];
    surface.vertices.iter().map(turned).map(|v| [0, 1, 2].map(|a| v[a] + centre[a])).collect()
}

/// Length of the box around vertices along each axis.
pub fn extent(at: &[[f64; 3]]) -> [f64; 3] {
    [0, 1, 2].map(|a| {
        let (low, high) = at.iter().fold((f64::MAX, f64::MIN), |(low, high), x| (low.min(x[a]), high.max(x[a])));
        high - low
    })
}

/// The ellipse in the plane of x and y with the second moments of the body that a surface encloses.
#[derive(Clone, Copy, Debug)]
pub struct Ellipse {
    /// Its semi-axes, the longer one first.
    pub semi_axes: [f64; 2],
    /// Angle of the longer one to x, radians, between -pi/2 and pi/2.
    pub angle: f64,
}

impl Ellipse {
    /// Of a cell with the sides or triangles of `surface` and its vertices at `at`. Moments are exact for the polyhedron
    /// (2-D: the polygon): sums over tetrahedra (triangles) from the centroid.
    pub fn of(surface: &Surface, at: &[[f64; 3]]) -> Self {
        let body = Surface { vertices: at.to_vec(), ..surface.clone() }.centred();
        let x = &body.vertices;
        let faces: Vec<Vec<usize>> = match body.dimension {
            2 => (0..x.len()).map(|k| vec![k, (k + 1) % x.len()]).collect(),
            _ => body.triangles.iter().map(|t| t.iter().map(|&v| v as usize).collect()).collect(),
        };
        // About the apex at the origin, int x_i x_j = V / ((D + 1) (D + 2)) (sum v_i v_j + s_i s_j), s the sum of corners.
        let (mut moment, mut whole) = ([0.0; 3], 0.0);
        for face in &faces {
            let part = cone(face.iter().map(|&v| x[v]));
            let sum = |a: usize| face.iter().map(|&v| x[v][a]).sum::<f64>();
            for (m, [i, j]) in moment.iter_mut().zip([[0, 0], [1, 1], [0, 1]]) {
                *m += part * (face.iter().map(|&v| x[v][i] * x[v][j]).sum::<f64>() + sum(i) * sum(j));
            }
            whole += part;
        }
        let d = body.dimension as f64;
        // Of an ellipsoid, <x^2> = a^2 / (D + 2).
        let [xx, yy, xy] = moment.map(|m| m / whole / (d + 1.0));
        let (middle, half) = (0.5 * (xx + yy), (0.5 * (xx - yy)).hypot(xy));
        Self { semi_axes: [(middle + half).sqrt(), (middle - half).sqrt()], angle: 0.5 * (2.0 * xy).atan2(xx - yy) }
    }

    /// Taylor's parameter (L - B) / (L + B).
    pub fn taylor(&self) -> f64 {
        let [long, short] = self.semi_axes;
        (long - short) / (long + short)
    }
}

/// D! times the volume of the cone from the origin to a face.
fn cone(mut corners: impl Iterator<Item = [f64; 3]>) -> f64 {
    let mut corner = || corners.next().unwrap_or([0.0, 0.0, 1.0]);
    let [a, b, c] = [corner(), corner(), corner()];
    a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0])
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use hematite_cells::ShapeConfig;
    use hematite_units::quantity::Length;

    use super::*;

    #[test]
    fn an_ellipsoid_has_its_own_moments() {
        for (axes, dimension) in [(vec![8.0, 4.0], 2), (vec![8.0, 4.0, 5.0], 3)] {
            let axes = axes.into_iter().map(Length).collect();
            let shape = ShapeConfig::Ellipsoid { axes, vertices: Some(if dimension == 2 { 400 } else { 2562 }) };
            let surface = shape.surface(Path::new(""), dimension, 1e-6).expect("a shape");
            let ellipse = Ellipse::of(&surface, &placed(&surface, [30.0, -7.0, 3.0], 0.4));
            assert!((ellipse.semi_axes[0] - 4.0).abs() < 0.02, "{ellipse:?}");
            assert!((ellipse.semi_axes[1] - 2.0).abs() < 0.02, "{ellipse:?}");
            assert!((ellipse.angle - 0.4).abs() < 1e-3, "{ellipse:?}");
        }
    }
}
