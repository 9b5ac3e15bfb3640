//! From pixels to lattice sites: every pixel divided, non-periodic directions padded with one layer of wall.

use hematite_config::{Fault, Result};
use rayon::prelude::*;

use crate::config::Refine;
use crate::domain::Site;
use crate::rules::Labels;
use crate::smooth::Field;

/// Most sites of the dense lattice, one byte each.
pub const MAX_SITES: usize = 1 << 35;
const MAX_FACTOR: usize = 256;

/// The padded lattice of labelled pixels.
pub struct Sites {
    /// Sites along x, y, z, the padding included.
    pub extent: [usize; 3],
    /// Layers of padding below the first site along x, y, z: 0 or 1.
    pub padding: [usize; 3],
    /// The sites, x fastest.
    pub sites: Vec<Site>,
}

/// Divides every pixel into `factor` sites along each direction (x and y in 2-D) and pads.
///
/// Without smoothing a site is what its pixel is. With smoothing it is open or wall by the smoothed distance, labels
/// counting as open; an open site takes the label of the nearest open pixel.
///
/// # Errors
/// A factor outside 1 to 256, or more sites than [`MAX_SITES`].
pub fn refine(labels: &Labels, refine: Option<Refine>, dimension: usize, periodic: [bool; 3]) -> Result<Sites> {
    let Refine { factor, smooth } = refine.unwrap_or(Refine { factor: 1, smooth: false });
    if !(1..=MAX_FACTOR).contains(&factor) {
        return Err(Fault::usage(format!("geometry.refine.factor: {factor} is outside 1 to {MAX_FACTOR}")));
    }
    let factors = if dimension == 2 { [factor, factor, 1] } else { [factor; 3] };
    let padding = [0, 1, 2].map(|axis| usize::from(axis < dimension && !periodic[axis]));
    let extent = [0, 1, 2].map(|axis| labels.shape[axis] * factors[axis] + 2 * padding[axis]);
    let total = extent.iter().try_fold(1usize, |n, &e| n.checked_mul(e)).filter(|&n| n <= MAX_SITES);
    let total = total.ok_or_else(|| {
        Fault::usage(format!(
            "geometry: {extent:?} sites are more than {MAX_SITES}; lower refine.factor (now {factor}) or crop"
        ))
    })?;

    let field = (smooth && factor > 1).then(|| {
        let open: Vec<bool> = labels.sites.iter().map(|&site| site != Site::WALL).collect();
        Field::smoothed(&open, labels.shape, periodic)
    });
    let labelled = labels.sites.par_iter().any(|site| site.as_opening().is_some());
    let places = [0, 1, 2].map(|axis| places(labels.shape[axis] * factors[axis], factors[axis]));
    let [nx, ny, _] = labels.shape;
    let mut sites = vec![Site::WALL; total];
    sites.par_chunks_mut(extent[0]).enumerate().for_each(|(row, sites)| {
        let y = (row % extent[1]).wrapping_sub(padding[1]);
        let z = (row / extent[1]).wrapping_sub(padding[2]);
        if y >= places[1].len() || z >= places[2].len() {
            return;
        }
        let sites = &mut sites[padding[0]..padding[0] + nx * factor];
        let (cy, cz) = (y / factors[1], z / factors[2]);
        let pixels = &labels.sites[(cz * ny + cy) * nx..][..nx];
        let Some(field) = &field else {
            for (sites, &pixel) in sites.chunks_exact_mut(factor).zip(pixels) {
                sites.fill(pixel);
            }
            return;
        };
        let line = interpolated_row(field, places[1][y], places[2][z], dimension);
        for ((x, site), place) in sites.iter_mut().enumerate().zip(&places[0]) {
            let at = (place.below + 1) as usize;
            let distance = line[at] + place.share * (line[at + 1] - line[at]);
            let pixel = pixels[x / factor];
            if distance == 0.0 {
                *site = pixel;
            } else if distance > 0.0 {
                *site = if pixel != Site::WALL {
                    pixel
                } else if labelled {
                    let open = labels.nearest([x, y, z], factors, periodic, |site| site != Site::WALL);
                    open.map_or(Site::FLUID, |pixel| labels.at(pixel))
                } else {
                    Site::FLUID
                };
            }
        }
    });
    Ok(Sites { extent, padding, sites })
}

/// Where a site lies between the centres of pixels: `share` of the way from `below` (-1 is the ghost) to the next one.
#[derive(Clone, Copy)]
struct Place {
    below: isize,
    share: f32,
}

fn places(sites: usize, factor: usize) -> Vec<Place> {
    let place = |i: usize| {
        let at = (i as f64 + 0.5) / factor as f64 - 0.5;
        Place { below: at.floor() as isize, share: (at - at.floor()) as f32 }
    };
    (0..sites).map(place).collect()
}

/// The field along x at the place (y, z), ghosts included.
fn interpolated_row(field: &Field, y: Place, z: Place, dimension: usize) -> Vec<f32> {
    let mix = |a: Vec<f32>, b: &[f32], share: f32| -> Vec<f32> {
        a.iter().zip(b).map(|(a, b)| a + share * (b - a)).collect()
    };
    let plane =
        |z: isize| mix(field.row_with_ghosts(y.below, z).to_vec(), field.row_with_ghosts(y.below + 1, z), y.share);
    if dimension == 2 { plane(0) } else { mix(plane(z.below), &plane(z.below + 1), z.share) }
}
