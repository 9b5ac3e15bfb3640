//! Rotation of cells: tumbling of the body, tank-treading of the membrane around it.

use std::f64::consts::{PI, TAU};

use super::Cell;
use super::shape::Shape;

/// The angles of a cell's body and of a marked vertex at each dump, unwrapped.
#[derive(Clone, Debug, PartialEq)]
pub struct Rotation {
    /// The plane of the angles, from its first axis towards its second.
    plane: [usize; 2],
    vertex: usize,
    /// Times, s.
    time: Vec<f64>,
    /// Angle of the marked vertex about the centroid, rad.
    mark: Vec<f64>,
    /// Angle of the body's long axis, rad.
    body: Vec<f64>,
    resolved: bool,
}

/// Mean rates of rotation over a run, turns a second, positive from the plane's first axis towards its second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// Of the marked vertex about the centroid.
    pub mark: f64,
    /// Of the body's long axis: tumbling.
    pub tumbling: f64,
    /// Of the membrane about the body: `mark - tumbling`.
    pub treading: f64,
}

/// Anisotropy below which a body has no long axis to follow.
const ROUND: f64 = 0.01;

impl Rotation {
    /// Marks the vertex of a cell that lies farthest from the centroid within the plane and nearest to it across the
    /// plane.
    pub fn mark(cell: &Cell, shape: &Shape, plane: [usize; 2]) -> Self {
        let across = 3 - plane[0] - plane[1];
        let score = |p: &[f64; 3]| {
            let from = |a: usize| p[a] - shape.centroid[a];
            from(plane[0]).hypot(from(plane[1])) - 2.0 * from(across).abs()
        };
        let scores = cell.position.iter().map(score).enumerate();
        let vertex = scores.max_by(|(_, a), (_, b)| a.total_cmp(b)).map_or(0, |(vertex, _)| vertex);
        Self { plane, vertex, time: Vec::new(), mark: Vec::new(), body: Vec::new(), resolved: true }
    }

    /// Adds the angles of the cell at `time` (s). A body that is round in the plane does not count as tumbling: its
    /// second moments there differ by less than a hundredth of their sum.
    pub fn note(&mut self, cell: &Cell, shape: &Shape, time: f64) {
        let from = |a: usize| cell.position[self.vertex][a] - shape.centroid[a];
        let mark = from(self.plane[1]).atan2(from(self.plane[0]));
        // The long axis of a round body is noise.
        let round = shape.anisotropy(self.plane) < ROUND;
        let body = match self.body.last() {
            Some(&before) if round => before,
            _ => shape.inclination(self.plane),
        };
        let (mark, body) = match (self.mark.last(), self.body.last()) {
            (Some(&mark_before), Some(&body_before)) => {
                let turned = nearest(mark - mark_before, TAU);
                let tumbled = if round { 0.0 } else { nearest(body - body_before, PI) };
                // The limits are half the largest angles that two dumps determine: beyond, whole turns may be missed.
                self.resolved &= turned.abs() < 0.5 * PI && tumbled.abs() < 0.25 * PI;
                (mark_before + turned, body_before + tumbled)
            }
            _ => (mark, body),
        };
        self.time.push(time);
        self.mark.push(mark);
        self.body.push(body);
    }

    /// Mean rates by the slopes of straight lines through the angles. `None` for fewer than three dumps, and where a
    /// vertex turned by more than a quarter of a turn, or a body by more than an eighth, between two dumps: dump more
    /// often.
    pub fn rates(&self) -> Option<Rates> {
        if self.time.len() < 3 || !self.resolved {
            return None;
        }
        let [mark, tumbling] = [&self.mark, &self.body].map(|angle| slope(&self.time, angle) / TAU);
        Some(Rates { mark, tumbling, treading: mark - tumbling })
    }
}

/// `angle` less the multiple of `period` that brings it nearest to 0.
fn nearest(angle: f64, period: f64) -> f64 {
    angle - period * (angle / period).round()
}

/// The slope of the straight line through points, by least squares.
fn slope(x: &[f64], y: &[f64]) -> f64 {
    let number = x.len() as f64;
    let (mx, my) = (x.iter().sum::<f64>() / number, y.iter().sum::<f64>() / number);
    let (above, below) = x
        .iter()
        .zip(y)
        .fold((0.0, 0.0), |(above, below), (x, y)| (above + (x - mx) * (y - my), below + (x - mx).powi(2)));
    above / below
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cells::cells;
    use crate::cells::testing::{frame, ring};

    /// Rates of an ellipse whose body turns by `body` and whose vertices run around it by `membrane` rad/s.
    fn rates(body: f64, membrane: f64, dt: f64) -> Option<Rates> {
        rates_of(1.1, body, membrane, dt)
    }

    fn rates_of(long: f64, body: f64, membrane: f64, dt: f64) -> Option<Rates> {
        let mut rotation = None;
        for i in 0..40 {
            let t = dt * f64::from(i);
            let (sin, cos) = (0.3 + body * t).sin_cos();
            let vertices: Vec<[f64; 3]> = (0..50)
                .map(|k| TAU * f64::from(k) / 50.0 + membrane * t)
                .map(|a| (long * a.cos(), a.sin()))
                .map(|(a, b)| [7.0 + cos * a - sin * b, sin * a + cos * b, 0.0])
                .collect();
            let (kinds, f) = frame(&[("e", &[], vec![vertices])]);
            let cell = cells(&kinds, &f).expect("sound")[0];
            let shape = Shape::of(&cell);
            rotation.get_or_insert_with(|| Rotation::mark(&cell, &shape, [0, 1])).note(&cell, &shape, t);
        }
        rotation.and_then(|r| r.rates())
    }

    #[test]
    fn treading_and_tumbling_are_told_apart() {
        let dt = 0.02;
        let tumble = rates(-3.0, 0.0, dt).expect("resolved");
        assert!((tumble.tumbling * TAU + 3.0).abs() < 1e-6 && tumble.treading.abs() < 1e-6, "{tumble:?}");
        // Over 12.5 turns, the uneven run of a vertex along an ellipse averages to its mean.
        let tread = rates(0.0, -0.25 * TAU * 0.2 / dt, dt).expect("resolved");
        assert!(tread.tumbling.abs() < 1e-6, "{tread:?}");
        assert!((tread.treading / (-0.25 * 0.2 / dt) - 1.0).abs() < 0.02, "{tread:?}");
        assert_eq!(rates(0.0, 2.0 / dt, dt), None);
        let round = rates_of(1.0, 0.0, 5.0, dt).expect("resolved");
        assert!(round.tumbling.abs() < 1e-12 && (round.treading * TAU - 5.0).abs() < 1e-9, "{round:?}");
    }

    #[test]
    fn the_marked_vertex_lies_in_the_plane() {
        let (kinds, f) = frame(&[("e", &[], vec![ring([0.0; 2], [3.0, 1.0], 0.0, 40)])]);
        let cell = cells(&kinds, &f).expect("sound")[0];
        assert_eq!(Rotation::mark(&cell, &Shape::of(&cell), [0, 1]).vertex % 20, 0);
    }

    #[test]
    fn slopes_are_exact() {
        assert!((slope(&[0.0, 1.0, 4.0], &[2.0, -1.0, -10.0]) + 3.0).abs() < 1e-12);
    }
}
