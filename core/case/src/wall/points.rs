//! Points on the smoothed wall, for walls that act on the fluid through an immersed boundary.

use hematite_config::{Fault, Result};

use rayon::prelude::*;

use super::{Index, contour, sites, thinning};
use crate::Lattice;

/// A point of the wall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WallPoint {
    /// Where it is, in lattice units: a node is at its site's whole numbers.
    pub position: [f64; 3],
    /// Unit normal of the smoothed wall there, into the fluid.
    pub normal: [f32; 3],
    /// Its share of the wall's area (in 2-D, length) in lattice units.
    pub area: f32,
}

/// Spacings that make sense, lattice units: closer points do the same work twice, wider ones let the fluid through.
const SPACING: std::ops::RangeInclusive<f64> = 0.25..=2.0;

/// Points on the smoothed wall, evenly `spacing` lattice units apart: in 2-D along its contour, in 3-D such that the
/// nearest other point of each is about so far away. Where the lattice was made of a surface, they lie on it. Openings
/// have none. The same points on any number of threads.
///
/// # Errors
/// A usage fault where the spacing makes no sense.
pub fn wall_points(lattice: &Lattice, spacing: f64) -> Result<Vec<WallPoint>> {
    if !SPACING.contains(&spacing) {
        return Err(Fault::usage(format!(
            "walls.spacing {spacing} must be from {} to {} lattice spacings, best 0.75",
            SPACING.start(),
            SPACING.end()
        )));
    }
    let sites = sites(lattice);
    let index = Index::new(lattice, &sites);
    let points = match lattice.set.dimension() {
        2 => contour::points(&index, spacing),
        _ => thinning::points(&index, spacing),
    };
    let points: Vec<WallPoint> = points.into_par_iter().map(|point| on_surface(lattice, point)).collect();
    let wrapped = |mut point: WallPoint| {
        for axis in (0..3).filter(|&axis| lattice.periodic[axis]) {
            let period = lattice.extent[axis] as f64;
            point.position[axis] = (point.position[axis] + 0.5).rem_euclid(period) - 0.5;
        }
        point
    };
    Ok(points.into_iter().map(wrapped).collect())
}

/// The farthest that the smoothed wall leaves the surface that its sites were made of, lattice units; beyond that
/// something else is the wall.
const OFF: f64 = 1.0;

/// A point moved onto the surface that the lattice was made of, where that is near.
fn on_surface(lattice: &Lattice, point: WallPoint) -> WallPoint {
    let Some(surface) = &lattice.surface else { return point };
    let Some(foot) = surface.nearest(point.position).filter(|foot| foot.distance <= OFF) else { return point };
    let normal = surface.normal(&foot).map(|component| component as f32);
    // Where the surface has an edge, the triangle beyond it may look another way.
    let alike = (0..3).map(|axis| normal[axis] * point.normal[axis]).sum::<f32>() > 0.5;
    WallPoint { position: foot.place, normal: if alike { normal } else { point.normal }, ..point }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use hematite_geometry::Site;

    use super::*;
    use crate::fixture;

    /// Distance to the nearest other point, for each; periods of 0 do not wrap.
    fn nearest(points: &[WallPoint], period: [f64; 3]) -> Vec<f64> {
        let apart = |a: &WallPoint, b: &WallPoint| {
            let along = |axis: usize| {
                let d = a.position[axis] - b.position[axis];
                if period[axis] > 0.0 { d - period[axis] * (d / period[axis]).round() } else { d }
            };
            (0..3).map(|axis| along(axis).powi(2)).sum::<f64>().sqrt()
        };
        let others = |a: usize| (0..points.len()).filter(move |&b| a != b);
        (0..points.len()).map(|a| others(a).map(|b| apart(&points[a], &points[b])).fold(f64::MAX, f64::min)).collect()
    }

    fn area(points: &[WallPoint]) -> f64 {
        points.iter().map(|point| f64::from(point.area)).sum()
    }

    #[test]
    fn a_flat_channel_has_points_half_way_up_to_its_openings() {
        let lattice = Lattice::build(&fixture::channel(12, 9)).expect("builds");
        let points = wall_points(&lattice, 0.75).expect("makes");
        assert_eq!(points.len(), 32);
        assert!((area(&points) - 24.0).abs() < 1e-5);
        for point in &points {
            let (y, up) = if point.position[1] < 5.0 { (0.5, 1.0) } else { (9.5, -1.0) };
            assert!((point.position[1] - y).abs() < 1e-12 && (point.normal[1] - up).abs() < 1e-6, "{point:?}");
            assert!((0.5..12.5).contains(&point.position[0]));
        }
        assert!(nearest(&points, [0.0; 3]).iter().all(|gap| (gap - 0.75).abs() < 1e-9));
    }

    #[test]
    fn a_disc_is_round() {
        for (solid_inside, centre) in [(false, [31.0, 30.5]), (true, [30.2, 30.9])] {
            let (radius, extent) = (25.0, 62);
            let mut domain = fixture::solid(2, [extent, extent, 1], [solid_inside, solid_inside, false]);
            for (x, y) in (0..extent).flat_map(|x| (0..extent).map(move |y| (x, y))) {
                if ((x as f64 - centre[0]).hypot(y as f64 - centre[1]) < radius) != solid_inside {
                    fixture::set(&mut domain, [x, y, 0], Site::FLUID);
                }
            }
            let lattice = Lattice::build(&domain).expect("builds");
            for spacing in [0.5, 0.75, 1.5] {
                let points = wall_points(&lattice, spacing).expect("makes");
                assert!((area(&points) / (2.0 * PI * radius) - 1.0).abs() < 0.02, "length {}", area(&points));
                for gap in nearest(&points, [0.0; 3]) {
                    assert!((gap / spacing - 1.0).abs() < 0.05, "{gap} at {spacing}");
                }
                for point in points {
                    let out = [point.position[0] - centre[0], point.position[1] - centre[1]];
                    let r = out[0].hypot(out[1]);
                    let along = (f64::from(point.normal[0]) * out[0] + f64::from(point.normal[1]) * out[1]) / r;
                    assert!((r - radius).abs() < 0.5, "{point:?}: {r}");
                    assert!((along - if solid_inside { 1.0 } else { -1.0 }).abs() < 0.02, "{point:?}: {along}");
                }
            }
        }
    }

    #[test]
    fn a_wavy_periodic_channel_has_no_seam() {
        let wall = |x: f64| 4.0 + 1.5 * (2.0 * PI * x / 40.0).sin();
        let mut domain = fixture::solid(2, [40, 24, 1], [true, false, false]);
        for (x, y) in (0..40).flat_map(|x| (1..22).map(move |y| (x, y))) {
            if y as f64 > wall(x as f64) {
                fixture::set(&mut domain, [x, y, 0], Site::FLUID);
            }
        }
        let lattice = Lattice::build(&domain).expect("builds");
        let points = wall_points(&lattice, 0.75).expect("makes");
        let gaps = nearest(&points, [40.0, 0.0, 0.0]);
        assert!(gaps.iter().all(|gap| (gap / 0.75 - 1.0).abs() < 0.05), "{gaps:?}");
        for point in points.iter().filter(|point| point.position[1] < 12.0) {
            assert!((-0.5..39.5).contains(&point.position[0]));
            assert!((point.position[1] - wall(point.position[0])).abs() < 0.5, "{point:?}");
        }
    }

    /// Points of a pipe along z that is periodic, `length` long, and of a ball.
    #[test]
    fn pipes_and_balls_are_covered_evenly() {
        let (radius, length) = (9.0, 12);
        let centre = 11.3;
        let from = |x: usize, y: usize, z: f64| {
            ((x as f64 - centre).powi(2) + (y as f64 - centre).powi(2) + z * z).sqrt() < radius
        };
        let sites = |n: usize| (0..n).flat_map(move |z| (0..24).flat_map(move |y| (0..24).map(move |x| [x, y, z])));
        let mut pipe = fixture::solid(3, [24, 24, length], [false, false, true]);
        for at in sites(length).filter(|&[x, y, _]| from(x, y, 0.0)) {
            fixture::set(&mut pipe, at, Site::FLUID);
        }
        let mut ball = fixture::solid(3, [24; 3], [false; 3]);
        for at in sites(24).filter(|&[x, y, z]| from(x, y, z as f64 - centre)) {
            fixture::set(&mut ball, at, Site::FLUID);
        }
        for (domain, expected, tall) in
            [(pipe, 2.0 * PI * radius * length as f64, 0.0), (ball, 4.0 * PI * radius * radius, 1.0)]
        {
            let lattice = Lattice::build(&domain).expect("builds");
            let points = wall_points(&lattice, 0.75).expect("makes");
            let (found, share) = (area(&points), area(&points) / points.len() as f64);
            assert!((found / expected - 1.0).abs() < 0.03, "area {found}, {expected}");
            assert!((share.sqrt() / 0.75 - 1.0).abs() < 0.1, "{share} a point");
            let gaps = nearest(&points, [0.0, 0.0, if tall == 0.0 { length as f64 } else { 0.0 }]);
            let near = gaps.iter().filter(|gap| (*gap / 0.75 - 1.0).abs() < 0.3).count();
            assert!(near as f64 > 0.99 * gaps.len() as f64, "{near} of {}", gaps.len());
            for WallPoint { position: [x, y, z], normal: [nx, ny, nz], .. } in points {
                let out = [x - centre, y - centre, tall * (z - centre)];
                let r = out.iter().map(|d| d * d).sum::<f64>().sqrt();
                let normal = [nx, ny, nz].map(f64::from);
                assert!((r - radius).abs() < 0.5, "{out:?}: {r}");
                assert!((0..3).map(|axis| normal[axis] * out[axis] / r).sum::<f64>() < -0.97);
            }
            let threads = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("threads");
            let again = threads.install(|| wall_points(&lattice, 0.75)).expect("makes");
            assert_eq!(again, wall_points(&lattice, 0.75).expect("makes"));
        }
    }

    #[test]
    fn a_spacing_that_makes_no_sense_is_refused() {
        let lattice = Lattice::build(&fixture::channel(12, 9)).expect("builds");
        for spacing in [0.0, 0.1, 5.0, f64::NAN] {
            let fault = wall_points(&lattice, spacing).expect_err("refused");
            assert!(fault.message.contains("walls.spacing") && fault.message.contains("0.25 to 2"), "{fault}");
        }
    }

    #[test]
    fn random_domains_have_points_on_their_walls() {
        for seed in 0..24 {
            let lattice = Lattice::build(&fixture::random(seed)).expect("builds");
            for point in wall_points(&lattice, 0.75).expect("makes") {
                assert!(point.position.iter().all(|x| x.is_finite()) && point.area >= 0.0, "seed {seed}: {point:?}");
                let far = lattice.position.iter().map(|at| {
                    (0..3)
                        .map(|axis| {
                            let d = point.position[axis] - f64::from(at[axis]);
                            let period = lattice.extent[axis] as f64;
                            (if lattice.periodic[axis] { d - period * (d / period).round() } else { d }).powi(2)
                        })
                        .sum::<f64>()
                });
                assert!(far.fold(f64::MAX, f64::min) < 9.0, "seed {seed}: {point:?}");
            }
        }
    }
}
