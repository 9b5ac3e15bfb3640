//! Shapes of rigid bodies: ellipsoids by their semi-axes.

use std::f64::consts::PI;

use hematite_config::{Fault, Result};
use serde::{Deserialize, Serialize};

use crate::shape::{ellipsoid, full_axes, positive};
use crate::{ShapeConfig, Surface};

/// Default number of vertices of the mesh of a rigid body, which is for seeding and drawing only.
const VERTICES: usize = 162;

/// Least distance of a point from a plane of symmetry, over the semi-axis normal to it.
const OFF_PLANE: f64 = 1e-3;

/// Newton steps to the nearest point; each at least squares the relative error.
const NEWTON_STEPS: usize = 10;

/// An ellipsoid about its centre, with its axes along x, y and z.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RigidShape {
    /// Semi-axes along x, y and z, in metres.
    pub semi_axes: [f64; 3],
}

impl RigidShape {
    /// Volume 4 pi a b c / 3, m3.
    pub fn volume(&self) -> f64 {
        4.0 / 3.0 * PI * self.semi_axes.iter().product::<f64>()
    }

    /// Distance of the point `y`, in the frame of the axes, from the surface; negative inside. A point in a plane of
    /// symmetry may have two nearest points, so it counts as off the plane by a thousandth of the semi-axis.
    ///
    /// With t the largest root of sum_k (s_k y_k / (s_k^2 + t))^2 = 1, the nearest point is at s_k^2 y_k / (s_k^2 + t)
    /// (Eberly, Distance from a Point to an Ellipse, an Ellipsoid, or a Hyperellipsoid, 2013). Newton's steps approach
    /// t from below.
    pub fn distance(&self, y: [f64; 3]) -> f64 {
        let s = self.semi_axes;
        let p = [0, 1, 2].map(|k| y[k].abs().max(OFF_PLANE * s[k]));
        let scaled = |t: f64| [0, 1, 2].map(|k| p[k] / (s[k] * s[k] + t));
        let mut t = (0..3).map(|k| s[k] * p[k] - s[k] * s[k]).fold(f64::NEG_INFINITY, f64::max);
        for _ in 0..NEWTON_STEPS {
            let squares = scaled(t);
            let term = |k: usize| (s[k] * squares[k]).powi(2);
            let slope: f64 = (0..3).map(|k| term(k) / (s[k] * s[k] + t)).sum();
            t += 0.5 * ((0..3).map(term).sum::<f64>() - 1.0) / slope;
        }
        t * scaled(t).iter().map(|x| x * x).sum::<f64>().sqrt()
    }

    /// Surface area, m2: a b c times the integral of sqrt(x^2 / a^2 + y^2 / b^2 + z^2 / c^2) over the unit sphere.
    pub fn area(&self) -> f64 {
        let [a, b, c] = self.semi_axes;
        let (rings, around) = (512, 64);
        let middle = |k: usize, of: usize| (k as f64 + 0.5) / of as f64;
        // An eighth of the sphere, over height and angle about the axis; products such as b c avoid a division by 0.
        let [x, y, z] = [b * c, c * a, a * b];
        let at = |height: f64, angle: f64| {
            let across = (1.0 - height * height).sqrt();
            let (sine, cosine) = angle.sin_cos();
            ((x * across * cosine).powi(2) + (y * across * sine).powi(2) + (z * height).powi(2)).sqrt()
        };
        let ring = |k: usize| (0..around).map(|j| at(middle(k, rings), 0.5 * PI * middle(j, around))).sum::<f64>();
        4.0 * PI * (0..rings).map(ring).sum::<f64>() / (rings * around) as f64
    }

    /// The shortest semi-axis.
    pub fn thinnest(&self) -> f64 {
        self.semi_axes.into_iter().fold(f64::INFINITY, f64::min)
    }

    /// The longest semi-axis.
    pub fn widest(&self) -> f64 {
        self.semi_axes.into_iter().fold(0.0, f64::max)
    }
}

impl ShapeConfig {
    /// The shape as a rigid body, and a mesh of its surface, in metres about its centre.
    ///
    /// # Errors
    /// A usage fault that names key, value and remedy: for a 2-D case, a kind that is no ellipsoid, and a shape that
    /// [`ShapeConfig::surface`] refuses.
    pub fn rigid(&self, dimension: usize) -> Result<(RigidShape, Surface)> {
        if dimension != 3 {
            return Err(Fault::usage(format!(
                "key \"rigid\" is true; rigid bodies are for 3-D cases, this case is {dimension}-D: leave \"rigid\" out, or \
                 make the case of voxels"
            )));
        }
        let (axes, vertices) = match self {
            Self::Sphere { radius, vertices } => ([2.0 * positive("radius", *radius)?; 3], vertices),
            Self::Platelet { diameter, thickness, vertices } => {
                let (wide, thin) = (positive("diameter", *diameter)?, positive("thickness", *thickness)?);
                ([wide, wide, thin], vertices)
            }
            Self::Ellipsoid { axes, vertices } => (full_axes(axes, dimension)?, vertices),
            Self::RedCell { .. } | Self::Disc { .. } | Self::Mesh { .. } => {
                return Err(Fault::usage(format!(
                    "key \"rigid\" is true, and the shape is a \"{}\"; rigid bodies are ellipsoids: take {{\"kind\": \
                     \"ellipsoid\", \"axes\": [\"8 um\", \"8 um\", \"2.6 um\"]}}, \"sphere\" or \"platelet\", or leave \"rigid\" \
                     out",
                    self.kind()
                )));
            }
        };
        let surface = ellipsoid(axes, vertices.unwrap_or(VERTICES))?;
        Ok((RigidShape { semi_axes: axes.map(|axis| 0.5 * axis) }, surface))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::{Value, json};

    use super::*;

    fn shape(json: Value) -> ShapeConfig {
        hematite_config::from_value("case.json", json).expect("a shape")
    }

    #[test]
    fn semi_axes_are_exact_and_the_mesh_lies_upon_them() {
        for (json, wanted, vertices) in [
            (json!({"kind": "ellipsoid", "axes": ["8 um", "6 um", "2.6 um"]}), [4e-6, 3e-6, 1.3e-6], 162),
            (json!({"kind": "sphere", "radius": "3 um", "vertices": 42}), [3e-6; 3], 42),
            (json!({"kind": "platelet"}), [1.25e-6, 1.25e-6, 0.45e-6], 162),
        ] {
            let (rigid, surface) = shape(json).rigid(3).expect("rigid");
            assert!((0..3).all(|k| (rigid.semi_axes[k] / wanted[k] - 1.0).abs() < 1e-14), "{rigid:?}");
            assert_eq!(surface.vertices.len(), vertices);
            for v in &surface.vertices {
                let on: f64 = (0..3).map(|k| (v[k] / wanted[k]).powi(2)).sum();
                assert!((on - 1.0).abs() < 1e-6, "{v:?}");
            }
            let share = surface.volume() / rigid.volume();
            assert!((0.85..1.0).contains(&share), "{share}");
        }
        let rigid = RigidShape { semi_axes: [3.0, 2.0, 1.0] };
        assert_eq!((rigid.thinnest(), rigid.widest()), (1.0, 3.0));
        assert!((rigid.volume() - 8.0 * PI).abs() < 1e-12);
        // A sphere, and an oblate spheroid by its formula.
        assert!((RigidShape { semi_axes: [2.0; 3] }.area() - 16.0 * PI).abs() < 1e-9);
        let e = 0.75_f64.sqrt();
        let area = 2.0 * PI * 4.0 * (1.0 + (1.0 - e * e) / e * e.atanh());
        for semi_axes in [[2.0, 2.0, 1.0], [1.0, 2.0, 2.0], [2.0, 1.0, 2.0]] {
            assert!((RigidShape { semi_axes }.area() / area - 1.0).abs() < 1e-5);
        }
    }

    #[test]
    fn what_is_no_ellipsoid_is_refused_with_its_remedy() {
        for (json, dimension, said) in [
            (json!({"kind": "red_cell"}), 3, "take {\"kind\": \"ellipsoid\""),
            (json!({"kind": "mesh", "file": "a.stl", "unit": "1 um"}), 3, "the shape is a \"mesh\""),
            (json!({"kind": "disc", "radius": "3 um"}), 3, "the shape is a \"disc\""),
            (json!({"kind": "disc", "radius": "3 um"}), 2, "this case is 2-D"),
            (json!({"kind": "ellipsoid", "axes": ["8 um", "6 um"]}), 3, "\"axes\" has 2 lengths"),
            (json!({"kind": "ellipsoid", "axes": ["8 um", "6 um", "0 um"]}), 3, "must be above 0"),
            (json!({"kind": "sphere", "radius": "3 um", "vertices": 100}), 3, "the nearest is 42"),
        ] {
            let message = shape(json).rigid(dimension).expect_err(said).message;
            assert!(message.contains(said), "{message}");
        }
        // The same shape makes a deformable cell.
        let soft =
            shape(json!({"kind": "sphere", "radius": "3 um"})).surface(Path::new("c"), 3, 1e-6).expect("a surface");
        assert_eq!(soft.vertices.len(), 642);
    }
}
