//! Cells that push each other and the wall apart: one step of their relaxation, and how close they are.
//!
//! A vertex of one cell that is nearer than the gap to the surface of another, by that surface's table of distances,
//! pushes both along the table's gradient, by as much as it is too near; so does a vertex near the wall by the lumen's
//! distances. A cell moves by the mean of the pushes, turns by their mean torque over their mean squared lever, and
//! keeps a share of its last motion (heavy ball). Each cell reads the state before the step and writes its own, and
//! sums over its list of near cells in order: the result does not depend on threads. Two ellipsoids push each other at
//! one point, which counts as many vertices as a mesh would have there. Lengths are in lattice units.

use rayon::prelude::*;

use super::distance::Distance;
use super::ellipsoids::{contact, tensor};
use super::kind::Kind;
use super::lumen::Lumen;
use super::neighbours::{Near, Neighbours};
use super::plan::words;
use super::random::Draws;
use super::turn::{Matrix, Quaternion, apply, matrix, turned};
use super::view::{Touches, View};
use hematite_cells::vector::{Point, cross, dot, length, minus, plus, times};

/// A cell on its way to its place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Body {
    /// Its number, the key of its random draws.
    pub id: u64,
    /// Its population.
    pub kind: u32,
    /// Whether it stays where it is.
    pub fixed: bool,
    pub centre: Point,
    pub orientation: Quaternion,
    pub scale: f64,
    pub velocity: Point,
    pub spin: Point,
    /// Whether it has moved, turned or changed its size in the last step.
    pub awake: bool,
}

/// What a step found of a cell.
#[derive(Clone, Copy, Default)]
pub(super) struct Found {
    /// By how much its nearest neighbour or wall is nearer than wanted.
    pub worst: f64,
    /// By how much its scale would have to fall for it and its neighbours to be apart.
    pub shrink: f64,
}

/// How a step moves cells.
#[derive(Clone, Copy)]
pub(super) struct Pace {
    /// The most vertices of a cell that are looked at.
    pub points: usize,
    /// Share of the last motion that is kept.
    pub momentum: f64,
    /// Random motion, in spacings.
    pub noise: f64,
    /// Number of the step, for its random draws.
    pub step: u64,
}

/// How close a cell is to others and to the wall; infinite where farther than is known.
#[derive(Clone, Copy)]
pub(super) struct Gaps {
    pub cells: f64,
    pub wall: f64,
    /// The most by which another is nearer than the gap of the two; below 0 where none is.
    pub short: f64,
}

/// The world of the relaxation, in `D` dimensions.
pub(super) struct Packing<'a, const D: usize> {
    pub kinds: &'a [Kind],
    pub lumen: &'a Lumen,
    pub extent: [usize; 3],
    pub periodic: [bool; 3],
    /// How much more than the gaps of their kinds cells are kept apart.
    pub wider: f64,
    /// Wanted distance from the wall.
    pub wall_gap: f64,
    /// Cells that are too near by less are left at rest.
    pub slack: f64,
}

/// Sums over the places where a cell is pushed.
#[derive(Default)]
struct Pushes {
    force: Point,
    torque: Point,
    count: f64,
    /// Squared levers.
    levers: f64,
    worst: f64,
    shrink: f64,
}

impl<const D: usize> Packing<'_, D> {
    /// What is packed is called so.
    pub fn things(&self) -> &'static str {
        words(self.kinds.iter().all(|kind| kind.semi_axes.is_some()))[1]
    }

    /// Moves every cell one step, from `old` to `new`, and tells what it found before. Without lists, by the wall only.
    /// Where a cell and all near it are at rest, `found` stays as it was.
    pub fn step(&self, old: &[Body], new: &mut [Body], found: &mut [Found], lists: Option<&Neighbours>, pace: Pace) {
        new.par_iter_mut().zip(found).enumerate().with_min_len(64).for_each(|(i, (new, found))| {
            let near = lists.map_or(&[][..], |lists| lists.of(i));
            *new = old[i];
            if old[i].awake || near.iter().any(|near| old[near.cell as usize].awake) {
                (*new, *found) = self.moved(old, i, near, pace);
            }
        });
    }

    /// One cell after a step.
    fn moved(&self, bodies: &[Body], i: usize, near: &[Near], pace: Pace) -> (Body, Found) {
        let body = bodies[i];
        let mut pushes = Pushes::default();
        let own = matrix(body.orientation);
        for near in near {
            self.push_apart(&body, &own, &self.imaged(bodies, near), pace.points, &mut pushes);
        }
        self.push_off_wall(&body, &own, pace.points, &mut pushes);
        let found = Found { worst: pushes.worst, shrink: pushes.shrink };
        if body.fixed {
            return (Body { awake: false, ..body }, found);
        }
        let kind = &self.kinds[body.kind as usize];
        let mut velocity = times(pace.momentum, body.velocity);
        let mut spin = times(pace.momentum, body.spin);
        if pushes.count > 0.0 {
            let floor = 0.05 * pushes.count * (kind.radius * body.scale).powi(2);
            velocity = plus(velocity, times(STRIDE / pushes.count, pushes.force));
            spin = plus(spin, times(STRIDE / (pushes.levers + floor), pushes.torque));
        }
        if pace.noise > 0.0 {
            let draws = Draws::of(body.id, pace.step);
            let shake = |first: u64| [0, 1, 2].map(|k| pace.noise * draws.sign(first + k));
            velocity = plus(velocity, shake(0));
            spin = plus(spin, times(1.0 / kind.radius, shake(3)));
        }
        if D == 2 {
            velocity[2] = 0.0;
            spin = [0.0, 0.0, spin[2]];
        }
        let most = 0.3 * kind.distance.inradius * body.scale;
        velocity = at_most(velocity, most);
        spin = at_most(spin, most / (kind.radius * body.scale));
        if found.worst <= self.slack && length(velocity) + kind.radius * length(spin) < REST {
            return (Body { velocity: [0.0; 3], spin: [0.0; 3], awake: false, ..body }, found);
        }
        let centre = plus(body.centre, velocity);
        let orientation = turned(body.orientation, spin);
        (Body { centre, orientation, velocity, spin, awake: true, ..body }, found)
    }

    /// Wanted distance between cells of two kinds.
    pub fn gap(&self, a: &Kind, b: &Kind) -> f64 {
        0.5 * (a.gap + b.gap)
    }

    /// A near cell where its image is.
    fn imaged(&self, bodies: &[Body], near: &Near) -> Body {
        let mut other = bodies[near.cell as usize];
        for k in 0..D {
            other.centre[k] += f64::from(near.image[k]) * self.extent[k] as f64;
        }
        other
    }

    fn push_apart(&self, body: &Body, own: &Matrix, other: &Body, points: usize, pushes: &mut Pushes) {
        let (a, b) = (&self.kinds[body.kind as usize], &self.kinds[other.kind as usize]);
        let apart = minus(other.centre, body.centre);
        let gap = self.gap(a, b) + self.wider;
        let touch = a.radius * body.scale + b.radius * other.scale + gap;
        if dot(apart, apart) >= touch * touch {
            return;
        }
        let theirs = matrix(other.orientation);
        if let (Some(first), Some(second)) = (a.semi_axes, b.semi_axes) {
            let (first, second) = (tensor(first, body.scale, own), tensor(second, other.scale, &theirs));
            if let Some(contact) = contact(&first, &second, apart, gap) {
                let reach = body.scale * (0.75 / std::f64::consts::PI * a.volume).cbrt();
                pushes.at(contact.lever, times(-1.0, contact.normal), gap - contact.gap, reach);
            }
            return;
        }
        // Its vertices at the other's surface, in the other's frame: pushed along the gradient.
        let view = View::new(&theirs, other.scale, own, body.scale, times(-1.0, apart));
        let sums = view.touches::<D>(&a.points[..points.min(a.points.len())], &b.distance, gap, true);
        let within =
            |table: &Distance, view: &View| table.at::<D>(view.from).is_some_and(|(distance, _)| distance < 0.0);
        let crossed =
            within(&b.distance, &view) || f64::from(sums.worst) - gap > 0.5 * b.distance.inradius * other.scale;
        let mut deep = if crossed { sums.count } else { 0.0 };
        pushes.add(&sums, &theirs, 1.0);
        // The other's vertices at its surface, in its own frame: pushed against the gradient.
        let view = View::new(own, body.scale, &theirs, other.scale, apart);
        let sums = view.touches::<D>(&b.points[..points.min(b.points.len())], &a.distance, gap, false);
        let crossed =
            within(&a.distance, &view) || f64::from(sums.worst) - gap > 0.5 * a.distance.inradius * body.scale;
        deep += if crossed { sums.count } else { 0.0 };
        pushes.add(&sums, own, -1.0);
        // Cells that cross each other find no way out along gradients: they part along the line of their centres.
        let far = length(apart);
        if deep > 0.0 && far > 0.0 {
            let push = f64::from(deep) * a.distance.inradius.min(b.distance.inradius) * body.scale;
            pushes.force = plus(pushes.force, times(-push / far, apart));
            pushes.count += f64::from(deep);
        }
    }

    fn push_off_wall(&self, body: &Body, own: &Matrix, points: usize, pushes: &mut Pushes) {
        let kind = &self.kinds[body.kind as usize];
        if !self.lumen.near::<D>(body.centre, kind.radius * body.scale + 1.0) {
            return;
        }
        for &point in &kind.points[..points.min(kind.points.len())] {
            let lever = times(body.scale, apply(own, point.map(f64::from)));
            let at = plus(body.centre, lever);
            if self.lumen.clear::<D>(at, self.wall_gap) {
                continue;
            }
            let (distance, gradient) = self.lumen.at::<D>(at);
            let depth = self.wall_gap - distance;
            if depth <= 0.0 {
                continue;
            }
            // Deep in the wall nothing tells the way out but the cell itself.
            let steep = length(gradient);
            let normal =
                if steep > 0.2 { times(1.0 / steep, gradient) } else { times(-1.0 / length(lever).max(1e-9), lever) };
            let torque = cross(lever, normal);
            pushes.force = plus(pushes.force, times(depth, normal));
            pushes.torque = plus(pushes.torque, times(depth, torque));
            pushes.count += 1.0;
            pushes.levers += dot(torque, torque);
            pushes.worst = pushes.worst.max(depth);
            pushes.shrink = pushes.shrink.max(depth * body.scale / dot(lever, normal).abs().max(0.5 * body.scale));
        }
    }

    /// How close a cell is to those near it and to the wall, as far as distances are known.
    pub fn gaps(&self, bodies: &[Body], i: usize, near: &[Near]) -> Gaps {
        let body = bodies[i];
        let own = matrix(body.orientation);
        let kind = &self.kinds[body.kind as usize];
        let mut gaps = Gaps { cells: f64::INFINITY, wall: f64::INFINITY, short: f64::NEG_INFINITY };
        for near in near {
            let other = self.imaged(bodies, near);
            let (theirs, apart) = (matrix(other.orientation), minus(other.centre, body.centre));
            let second = &self.kinds[other.kind as usize];
            if let (Some(a), Some(b)) = (kind.semi_axes, second.semi_axes) {
                let (a, b) = (tensor(a, body.scale, &own), tensor(b, other.scale, &theirs));
                let far = contact(&a, &b, apart, f64::INFINITY).map_or(f64::NEG_INFINITY, |contact| contact.gap);
                gaps.cells = gaps.cells.min(far);
                gaps.short = gaps.short.max(self.gap(kind, second) - far);
                continue;
            }
            let view = View::new(&theirs, other.scale, &own, body.scale, times(-1.0, apart));
            let far = second.distance.closest::<D>(&kind.points, &view);
            let view = View::new(&own, body.scale, &theirs, other.scale, apart);
            let back = kind.distance.closest::<D>(&second.points, &view);
            gaps.cells = gaps.cells.min(far).min(back);
            gaps.short = gaps.short.max(self.gap(kind, second) - far.min(back));
        }
        if self.lumen.near::<D>(body.centre, kind.radius * body.scale + 1.0) {
            for &point in &kind.points {
                let lever = times(body.scale, apply(&own, point.map(f64::from)));
                gaps.wall = gaps.wall.min(self.lumen.at::<D>(plus(body.centre, lever)).0);
            }
        }
        gaps
    }
}

/// Share of the mean push that a cell moves in a step; its neighbour moves as well.
const STRIDE: f64 = 0.5;

/// Motion in a step, in spacings, below which a cell that is apart from others comes to rest.
const REST: f64 = 1e-3;

/// Vertices of a mesh about a contact of the depth of one radius: those of a cap of a sphere of 162.
const CAP: f64 = 81.0;

impl Pushes {
    /// Adds a push of `depth` along `normal` at one point, of a body of the mean radius `radius`.
    fn at(&mut self, lever: Point, normal: Point, depth: f64, radius: f64) {
        let weight = 1.0 + CAP * depth / radius;
        let torque = cross(lever, normal);
        self.force = plus(self.force, times(weight * depth, normal));
        self.torque = plus(self.torque, times(weight * depth, torque));
        self.count += weight;
        self.levers += weight * dot(torque, torque);
        self.worst = self.worst.max(depth);
    }

    /// Adds what was summed in the frame `frame`; `sign` -1 where the cell is the one whose surface was looked at.
    fn add(&mut self, sums: &Touches, frame: &Matrix, sign: f64) {
        if sums.count == 0.0 {
            return;
        }
        self.force = plus(self.force, times(sign, apply(frame, sums.force.map(f64::from))));
        self.torque = plus(self.torque, times(sign, apply(frame, sums.torque.map(f64::from))));
        self.count += f64::from(sums.count);
        self.levers += f64::from(sums.levers);
        self.worst = self.worst.max(f64::from(sums.worst));
        self.shrink = self.shrink.max(0.5 * f64::from(sums.shrink));
    }
}

fn at_most(v: Point, most: f64) -> Point {
    let size = length(v);
    if size > most { times(most / size, v) } else { v }
}
