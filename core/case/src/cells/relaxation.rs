//! From cells anywhere in the lumen to cells apart: grow, relax, shrink what is still too near, leave out the rest.

use rayon::prelude::*;

use super::neighbours::{Near, Neighbours};
use super::packing::{Body, Found, Gaps, Pace, Packing};
use hematite_cells::vector::{Point, dot, minus};

/// Share of the lumen that the hulls of the cells take up at the start, where they are small.
const START: f64 = 0.08;
/// Steps of growth to full size, at least and at most.
const GROWTH: [u64; 2] = [60, 240];
/// The most steps of relaxation at full size.
const RELAXATION: u64 = 420;
/// A cell that another reaches into by this share of its inner radius is tangled up with it.
const TANGLED: f64 = 0.5;
/// Scale at which a tangled cell begins again, and what it grows in a step.
const AGAIN: [f64; 2] = [0.25, 0.02];
/// The most rounds of shrinking or of leaving out.
const ROUNDS: usize = 150;
/// Steps in a round.
const ROUND: u64 = 8;
/// The most that a cell shrinks in a round.
const SHRINK: f64 = 0.01;
/// The smallest scale at which a cell is placed.
const SMALLEST: f64 = 0.5;
/// Vertices of a cell that are looked at while cells grow and while they relax.
const POINTS: [usize; 2] = [96, 256];

/// Cells in motion.
pub(super) struct Relaxation<'a, const D: usize> {
    packing: &'a Packing<'a, D>,
    /// The cells.
    pub bodies: Vec<Body>,
    next: Vec<Body>,
    found: Vec<Found>,
    lists: Option<Lists>,
    /// How much nearer than wanted still counts as apart: the wanted gaps are larger by twice as much.
    slack: f64,
    step: u64,
}

struct Lists {
    near: Neighbours,
    /// Where each cell was when the lists were made.
    from: Vec<Point>,
    /// Up to which scale they hold, for each cell.
    scale: Vec<f64>,
    skin: f64,
}

impl<'a, const D: usize> Relaxation<'a, D> {
    /// Begins with `bodies` as they are.
    pub fn new(packing: &'a Packing<'a, D>, bodies: Vec<Body>, slack: f64) -> Self {
        let found = vec![Found::default(); bodies.len()];
        Self { packing, next: bodies.clone(), bodies, found, lists: None, slack, step: 0 }
    }

    /// Grows the cells from small to full size, making room as they grow.
    pub fn grow(&mut self, fluid: f64, progress: &dyn Fn(String)) {
        let kinds = self.packing.kinds;
        let hulls: f64 = self.bodies.iter().map(|body| kinds[body.kind as usize].distance.hull).sum();
        let mut size = (START * fluid / hulls.max(1e-300)).powf(1.0 / D as f64).clamp(0.2, 1.0);
        let rate = (1.0 - size) / GROWTH[0] as f64;
        while self.step < GROWTH[1] {
            self.rescale(|_, _| size);
            let quiet = if size < 1.0 { 0.02 } else { 0.0 };
            self.advance(Pace { points: POINTS[0], momentum: 0.6, noise: quiet, step: self.step });
            let deep = |(body, found): (&Body, &Found)| {
                found.worst > 0.3 * kinds[body.kind as usize].distance.inradius * body.scale
            };
            let crowded = self.bodies.iter().zip(&self.found).filter(|&pair| deep(pair)).count();
            if size >= 1.0 {
                return;
            }
            if crowded * 20 <= self.bodies.len() {
                size = (size + rate).min(1.0);
            }
            if self.step.is_multiple_of(20) {
                progress(format!("growing the {}: {:.0} % of their size", self.packing.things(), 100.0 * size));
            }
        }
        self.rescale(|_, _| 1.0);
    }

    /// Moves the cells until all are apart or nothing improves. Cells that are tangled up begin again small.
    pub fn relax(&mut self, progress: &dyn Fn(String)) {
        let vertices = self.packing.kinds.iter().map(|kind| kind.points.len()).max().unwrap_or(0);
        self.relax_by(POINTS[1], progress);
        if vertices > POINTS[1] {
            self.relax_by(usize::MAX, progress);
        }
    }

    fn relax_by(&mut self, points: usize, progress: &dyn Fn(String)) {
        let kinds = self.packing.kinds;
        self.bodies.iter_mut().for_each(|body| body.awake = true);
        let mut best = usize::MAX;
        for step in 1..=RELAXATION {
            self.rescale(|body, _| (body.scale + AGAIN[1]).min(1.0));
            self.advance(Pace { points, momentum: 0.8, noise: 0.0, step: self.step });
            if step % 10 != 0 {
                continue;
            }
            let near = self.too_near();
            let small = self.bodies.iter().any(|body| body.scale < 1.0);
            progress(format!("moving {} apart: {near} of {} still too near", self.packing.things(), self.bodies.len()));
            if near == 0 && !small {
                return;
            }
            if step % 60 != 0 {
                continue;
            }
            if near as f64 > 0.9 * best as f64 && !small {
                return;
            }
            best = near;
            if step < RELAXATION {
                // The last few are tangled up however little they overlap.
                let (few, slack) = (near * 100 < self.bodies.len(), self.slack);
                self.rescale(|body, found| {
                    let deep = TANGLED * kinds[body.kind as usize].distance.inradius;
                    let tangled = found.worst > if few { slack } else { deep };
                    if tangled { AGAIN[0] } else { body.scale }
                });
            }
        }
        self.rescale(|_, _| 1.0);
    }

    /// Shrinks cells that are too near by as much as it takes, and moves them apart as they shrink. Of those that do not
    /// shrink, leaves out the ones that are in the way most, unless cells near them still can.
    pub fn shrink(&mut self, progress: &dyn Fn(String)) {
        self.bodies.iter_mut().for_each(|body| body.awake = true);
        for round in 0..ROUNDS {
            for _ in 0..ROUND {
                self.advance(Pace { points: usize::MAX, momentum: 0.5, noise: 0.0, step: self.step });
            }
            let near = self.too_near();
            if round % 10 == 0 {
                progress(format!("making cells smaller where there is no room: {near} still too near"));
            }
            if near == 0 {
                return;
            }
            let slack = self.slack;
            let kinds = self.packing.kinds;
            self.rescale(|body, found| match found.worst > slack && kinds[body.kind as usize].shrinks {
                true => (body.scale - (0.5 * found.shrink).min(SHRINK)).max(SMALLEST),
                false => body.scale,
            });
            if round % 3 == 2 {
                self.leave_out(&self.hopeless(), slack);
            }
        }
    }

    /// By how much each cell that does not shrink is too near; 0 where a cell near it still can, and for all others.
    fn hopeless(&self) -> Vec<f64> {
        let Some(lists) = &self.lists else { return vec![0.0; self.bodies.len()] };
        let shrinks = |i: usize| self.packing.kinds[self.bodies[i].kind as usize].shrinks && !self.bodies[i].fixed;
        let yields = |i: usize| shrinks(i) && self.found[i].worst > self.slack && self.bodies[i].scale > SMALLEST;
        let worst = |i: usize| match shrinks(i) || lists.near.of(i).iter().any(|near| yields(near.cell as usize)) {
            true => 0.0,
            false => self.found[i].worst,
        };
        (0..self.bodies.len()).into_par_iter().map(worst).collect()
    }

    /// Leaves out the cells that are in the way most, a few at a time, until the rest has room at full size.
    pub fn thin(&mut self, progress: &dyn Fn(String)) {
        self.bodies.iter_mut().for_each(|body| body.awake = true);
        for _ in 0..ROUNDS {
            for _ in 0..3 * ROUND {
                self.advance(Pace { points: usize::MAX, momentum: 0.8, noise: 0.0, step: self.step });
            }
            let near = self.too_near();
            progress(format!(
                "leaving out {} for which there is no room: {near} still too near",
                self.packing.things()
            ));
            if near == 0 {
                return;
            }
            let worst: Vec<f64> = self.found.iter().map(|found| found.worst).collect();
            self.leave_out(&worst, self.slack);
        }
    }

    /// Leaves out the cells that are still nearer than the gaps to others or than `wall` to the wall.
    pub fn refuse(&mut self, wall: f64) {
        loop {
            let short = |gaps: &Gaps| gaps.short.max(wall - gaps.wall);
            let worst: Vec<f64> = self.gaps().iter().map(short).collect();
            if !self.leave_out(&worst, 0.0) {
                return;
            }
        }
    }

    /// How close each cell is to others and to the wall.
    pub fn gaps(&mut self) -> Vec<Gaps> {
        self.refresh();
        let lists = self.lists.as_ref();
        let gaps = |i| self.packing.gaps(&self.bodies, i, lists.map_or(&[], |lists| lists.near.of(i)));
        (0..self.bodies.len()).into_par_iter().map(gaps).collect()
    }

    /// The first cell that reaches into the wall, or overlaps another, and which.
    pub fn first_fault(&mut self) -> Option<(usize, Option<usize>)> {
        self.refresh();
        let lists = self.lists.as_ref()?;
        (0..self.bodies.len()).find_map(|i| {
            if self.packing.gaps(&self.bodies, i, &[]).wall < 0.0 {
                return Some((i, None));
            }
            let near = lists.near.of(i).chunks(1);
            let overlap = |one: &&[Near]| self.packing.gaps(&self.bodies, i, one).cells < 0.0;
            near.clone().find(overlap).map(|one| (i, Some(one[0].cell as usize)))
        })
    }

    /// Removes every cell that is worse than `limit` and than all near it; of equals, the later. Tells whether any was.
    fn leave_out(&mut self, worst: &[f64], limit: f64) -> bool {
        let Some(lists) = &self.lists else { return false };
        let movable = |i: usize| !self.bodies[i].fixed && worst[i] > limit;
        let worse = |i: usize, j: usize| worst[j] > worst[i] || (worst[j] == worst[i] && j > i);
        let out = |i: usize| {
            movable(i) && !lists.near.of(i).iter().any(|n| movable(n.cell as usize) && worse(i, n.cell as usize))
        };
        let out: Vec<bool> = (0..self.bodies.len()).into_par_iter().map(out).collect();
        let mut kept = out.iter().map(|out| !out);
        self.bodies.retain(|_| kept.next().unwrap_or(true));
        let any = self.bodies.len() < out.len();
        if any {
            self.next.truncate(self.bodies.len());
            self.found.truncate(self.bodies.len());
            self.lists = None;
            self.bodies.iter_mut().for_each(|body| body.awake = true);
        }
        any
    }

    /// Gives cells that may move another scale.
    fn rescale(&mut self, scale: impl Fn(&Body, &Found) -> f64) {
        for (body, found) in self.bodies.iter_mut().zip(&self.found).filter(|(body, _)| !body.fixed) {
            let scale = scale(body, found);
            body.awake |= scale != body.scale;
            body.scale = scale;
        }
    }

    /// Number of cells that are nearer than wanted to another or to the wall.
    fn too_near(&self) -> usize {
        let movable = self.bodies.iter().zip(&self.found).filter(|(body, _)| !body.fixed);
        movable.filter(|(_, found)| found.worst > self.slack).count()
    }

    fn advance(&mut self, pace: Pace) {
        self.refresh();
        let lists = self.lists.as_ref().map(|lists| &lists.near);
        self.packing.step(&self.bodies, &mut self.next, &mut self.found, lists, pace);
        std::mem::swap(&mut self.bodies, &mut self.next);
        self.step += 1;
    }

    /// Makes the lists of near cells again where cells have moved or grown out of them.
    fn refresh(&mut self) {
        if let Some(lists) = &self.lists {
            let far = (0.5 * lists.skin).powi(2);
            let holds = |i: usize| {
                let body = &self.bodies[i];
                let moved = minus(body.centre, lists.from[i]);
                dot(moved, moved) <= far && body.scale <= lists.scale[i]
            };
            if (0..self.bodies.len()).into_par_iter().all(holds) {
                return;
            }
        }
        let Packing { kinds, extent, periodic, wider, .. } = *self.packing;
        let smallest = kinds.iter().map(|kind| kind.radius).fold(f64::INFINITY, f64::min);
        let skin = 0.4 * smallest;
        for body in &mut self.bodies {
            for k in (0..D).filter(|&k| periodic[k]) {
                let length = extent[k] as f64;
                body.centre[k] = (body.centre[k] + 0.5).rem_euclid(length) - 0.5;
            }
        }
        let scale: Vec<f64> =
            self.bodies.iter().map(|body| if body.fixed { 1.0 } else { (1.15 * body.scale).min(1.0) }).collect();
        let ball = |(body, scale): (&Body, &f64)| {
            let kind = &kinds[body.kind as usize];
            (body.centre, kind.radius * scale + 0.5 * (kind.gap + wider) + 0.5 * skin)
        };
        let balls: Vec<(Point, f64)> = self.bodies.iter().zip(&scale).map(ball).collect();
        self.lists = Some(Lists {
            near: Neighbours::new(extent, periodic, &balls),
            from: self.bodies.iter().map(|body| body.centre).collect(),
            scale,
            skin,
        });
    }
}
