//! The bodies of a frame one by one.

use hematite_config::{Fault, Result};
use hematite_dump::{BodyFrame, BodyKind};

use super::filling::fill;
use super::section::section;
use crate::lookup::Nodes;
use crate::suspension::Member;

/// One ellipsoid of a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Body {
    /// Its global number.
    pub id: u64,
    /// Number of its population.
    pub kind: usize,
    /// Centre, m.
    pub position: [f64; 3],
    /// Semi-axes, m.
    pub semi_axes: [f64; 3],
    /// Axes as unit vectors in the frame of space, one a row.
    pub axes: [[f64; 3]; 3],
    /// Velocity of its centre, m/s.
    pub velocity: [f64; 3],
    /// Angular velocity in the frame of space, rad/s.
    pub angular_velocity: [f64; 3],
    /// How often it has crossed the periodic faces along x, y, z.
    pub image: [i32; 3],
}

/// The bodies of `frame`, in its order. `kinds` are its populations.
///
/// # Errors
/// A usage fault when a body is of an unknown population or its orientation is no unit quaternion.
pub fn bodies(kinds: &[BodyKind], frame: &BodyFrame) -> Result<Vec<Body>> {
    let damaged = |what: String| Fault::usage(format!("bodies of step {}: {what}: the dump is damaged", frame.step));
    let body = |n: usize| {
        let (id, kind) = (frame.id[n], frame.kind[n] as usize);
        let Some(population) = kinds.get(kind) else {
            return Err(damaged(format!("body {id} is of population {kind}, there are {}", kinds.len())));
        };
        let turn = frame.orientation[n].map(f64::from);
        let square: f64 = turn.iter().map(|x| x * x).sum();
        if square.is_nan() || (square - 1.0).abs() > 1e-3 {
            return Err(damaged(format!("body {id} is turned by {turn:?}, which is no unit quaternion")));
        }
        Ok(Body {
            id,
            kind,
            position: frame.position[n],
            semi_axes: population.semi_axes,
            axes: turned(turn.map(|x| x / square.sqrt())),
            velocity: frame.velocity[n].map(f64::from),
            angular_velocity: frame.angular_velocity[n].map(f64::from),
            image: frame.image[n],
        })
    };
    (0..frame.id.len()).map(body).collect()
}

/// The axes x, y, z rotated by a unit quaternion (w, x, y, z), one a row.
fn turned([w, x, y, z]: [f64; 4]) -> [[f64; 3]; 3] {
    [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)],
        [2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)],
        [2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
}

/// The axis whose semi-axis differs most from the other two; of equal differences that of the shortest; `None` for a
/// sphere.
pub fn symmetry_axis(semi_axes: [f64; 3]) -> Option<usize> {
    let apart = |k: usize| semi_axes.iter().map(|other| (semi_axes[k] - other).abs()).sum::<f64>();
    let largest = semi_axes.into_iter().fold(0.0, f64::max);
    let most = (0..3).map(apart).fold(0.0, f64::max);
    let equal = |k: &usize| apart(*k) >= most * (1.0 - 1e-9);
    let shortest = (0..3).filter(equal).min_by(|&i, &j| semi_axes[i].total_cmp(&semi_axes[j]));
    shortest.filter(|_| most > 1e-6 * largest)
}

impl Member for Body {
    fn population(&self) -> usize {
        self.kind
    }

    fn bounds(&self) -> ([f64; 3], [f64; 3]) {
        let half = self.half_box();
        let corner = |sign: f64| [0, 1, 2].map(|a| self.position[a] + sign * half[a]);
        (corner(-1.0), corner(1.0))
    }

    fn loops(&self, plane: Option<(usize, f64)>) -> Vec<Vec<[f64; 3]>> {
        plane.and_then(|(axis, at)| section(self, axis, at)).into_iter().collect()
    }

    fn smooth(&self, _: Option<(usize, f64)>) -> bool {
        true
    }

    fn fill(&self, nodes: &Nodes, take: &mut dyn FnMut([i64; 3], f64)) {
        fill(nodes, self, take);
    }
}

impl Body {
    /// Volume, m3.
    pub fn volume(&self) -> f64 {
        4.0 / 3.0 * std::f64::consts::PI * self.semi_axes.iter().product::<f64>()
    }

    /// Unit vector along the axis of symmetry; `None` for a sphere.
    pub fn symmetry_axis(&self) -> Option<[f64; 3]> {
        symmetry_axis(self.semi_axes).map(|k| self.axes[k])
    }

    /// Half the sides of the bounding box, m.
    pub fn half_box(&self) -> [f64; 3] {
        [0, 1, 2].map(|a| (0..3).map(|k| (self.semi_axes[k] * self.axes[k][a]).powi(2)).sum::<f64>().sqrt())
    }

    /// The tensor M of the surface, in 1/m2: `d M d = 1` for d from the centre to the surface.
    pub fn form(&self) -> [[f64; 3]; 3] {
        let along = |k: usize, i: usize, j: usize| self.axes[k][i] * self.axes[k][j] / self.semi_axes[k].powi(2);
        [0, 1, 2].map(|i| [0, 1, 2].map(|j| (0..3).map(|k| along(k, i, j)).sum()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bodies::testing::{about_z, frame};

    #[test]
    fn bodies_are_turned_as_their_quaternions_say() {
        let (kinds, frame) = frame([3.0, 2.0, 1.0], &[([5.0, 6.0, 7.0], about_z(0.3))]);
        let body = bodies(&kinds, &frame).expect("sound")[0];
        let (s, c) = 0.3_f64.sin_cos();
        for (k, wanted) in [[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]].into_iter().enumerate() {
            assert!((0..3).all(|a| (body.axes[k][a] - wanted[a]).abs() < 1e-6), "{:?}", body.axes);
        }
        let form = body.form();
        for k in 0..3 {
            let d = body.axes[k].map(|x| body.semi_axes[k] * x);
            let on: f64 = (0..3).map(|i| (0..3).map(|j| d[i] * form[i][j] * d[j]).sum::<f64>()).sum();
            assert!((on - 1.0).abs() < 1e-12);
        }
        let half = body.half_box();
        assert!((half[0] - (3.0 * c).hypot(2.0 * s)).abs() < 1e-6 && (half[2] - 1.0).abs() < 1e-12, "{half:?}");
        let mut broken = frame.clone();
        broken.orientation[0] = [0.5; 4].map(|x| x * 1.1);
        assert!(bodies(&kinds, &broken).expect_err("no turn").message.contains("no unit quaternion"));
        broken = frame;
        broken.kind[0] = 4;
        assert!(bodies(&kinds, &broken).expect_err("unknown").message.contains("population 4"));
    }

    #[test]
    fn the_axis_of_symmetry_stands_out() {
        for (semi_axes, axis) in [
            ([4.0, 4.0, 1.0], Some(2)),
            ([1.0, 4.0, 4.0], Some(0)),
            ([1.0, 5.0, 1.0], Some(1)),
            ([5.0, 3.0, 1.0], Some(2)),
            ([5.0, 2.0, 1.0], Some(0)),
            ([2.0, 2.0, 2.0], None),
            ([0.0, 0.0, 0.0], None),
        ] {
            assert_eq!(symmetry_axis(semi_axes), axis, "{semi_axes:?}");
        }
    }
}
