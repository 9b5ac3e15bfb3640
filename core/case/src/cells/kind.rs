//! A kind of cell or body as the seeding sees it, in lattice units.

use hematite_cells::{RigidShape, Surface};

use super::distance::Distance;
use hematite_cells::vector::{Point, length, minus};

/// A shape as the relaxation sees it.
pub(super) struct Kind {
    /// The vertices, each as far as possible from those before it, so that the first few stand for all.
    pub points: Vec<[f32; 3]>,
    /// The distance from its surface.
    pub distance: Distance,
    /// Largest distance of a vertex from the centre.
    pub radius: f64,
    /// Enclosed area or volume.
    pub volume: f64,
    /// Semi-axes of rigid bodies.
    pub semi_axes: Option<[f64; 3]>,
    /// Wanted distance between two of the kind.
    pub gap: f64,
    /// Whether those without room are placed smaller.
    pub shrinks: bool,
}

impl Kind {
    /// How far distances are to be known for half-size cells with gaps of `widest`.
    pub fn reach(widest: f64) -> f64 {
        2.2 * widest + 0.2
    }

    /// A membrane's shape, with distances for gaps up to `widest`.
    pub fn membrane(surface: &Surface, gap: f64, widest: f64, shrinks: bool) -> Self {
        Self {
            points: spread(&surface.vertices),
            distance: Distance::new(surface, Self::reach(widest)),
            radius: surface.radius(),
            volume: surface.volume(),
            semi_axes: None,
            gap,
            shrinks,
        }
    }

    /// A rigid body with a mesh upon it.
    pub fn rigid(body: &RigidShape, surface: &Surface, gap: f64, widest: f64) -> Self {
        let mut kind = Self::membrane(surface, gap, widest, false);
        (kind.distance.inradius, kind.distance.hull) = (body.thinnest(), body.volume());
        Self { radius: body.widest(), volume: body.volume(), semi_axes: Some(body.semi_axes), ..kind }
    }
}

/// The same points, each as far as possible from those before it.
fn spread(points: &[Point]) -> Vec<[f32; 3]> {
    // Past this many the order no longer matters.
    const ORDERED: usize = 256;
    let mut rest: Vec<(f64, Point)> = points.iter().map(|&p| (f64::INFINITY, p)).collect();
    let mut ordered = Vec::with_capacity(points.len());
    while ordered.len() < ORDERED && !rest.is_empty() {
        let farthest = (0..rest.len()).fold(0, |best, k| if rest[k].0 > rest[best].0 { k } else { best });
        let (_, chosen) = rest.remove(farthest);
        ordered.push(chosen);
        rest.iter_mut().for_each(|(apart, p)| *apart = apart.min(length(minus(*p, chosen))));
    }
    ordered.extend(rest.into_iter().map(|(_, p)| p));
    ordered.into_iter().map(|p| p.map(|x| x as f32)).collect()
}
