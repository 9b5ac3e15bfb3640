//! From pixels to lattice sites: every pixel divided, or resampled where its edges are no multiples of the spacing;
//! non-periodic directions padded with one layer of wall.

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

/// How many sites there are along the edges of a pixel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Division {
    /// Sites along the edge of a pixel along x, y, z; 1 past the dimension.
    pub factors: [f64; 3],
    /// Whether walls run smoothly between the steps of the bitmap.
    pub smooth: bool,
}

impl Division {
    /// That of a config's `refine`.
    ///
    /// # Errors
    /// A factor outside 1 to 256.
    pub fn refined(refine: Option<Refine>, dimension: usize) -> Result<Self> {
        let Refine { factor, smooth } = refine.unwrap_or(Refine { factor: 1, smooth: false });
        if !(1..=MAX_FACTOR).contains(&factor) {
            return Err(Fault::usage(format!("geometry.refine.factor: {factor} is outside 1 to {MAX_FACTOR}")));
        }
        let factors = [0, 1, 2].map(|axis| if axis < dimension { factor as f64 } else { 1.0 });
        Ok(Self { factors, smooth: smooth && factor > 1 })
    }

    /// That of voxels with these edges to sites of a spacing. A signed distance interpolates between slices as well as
    /// within them, where the nearest voxel would leave steps as long as the longest edge.
    ///
    /// # Errors
    /// More than 256 sites along an edge, or more than 256 voxels in a site.
    pub fn resampled(edges: [f64; 3], spacing: f64, dimension: usize) -> Result<Self> {
        let factors = [0, 1, 2].map(|axis| if axis < dimension { edges[axis] / spacing } else { 1.0 });
        let most = MAX_FACTOR as f64;
        if let Some(axis) = (0..3).find(|&axis| !(1.0 / most..=most).contains(&factors[axis])) {
            return Err(Fault::usage(format!(
                "geometry.spacing: {spacing:e} m is no spacing for voxels of {:e} m: at most {MAX_FACTOR} sites along a voxel, or \
                 voxels along a site, are possible; check the units",
                edges[axis]
            )));
        }
        Ok(Self { factors, smooth: true })
    }

    /// Sites of a number of pixels along each axis.
    pub fn sites(&self, shape: [usize; 3]) -> [usize; 3] {
        [0, 1, 2].map(|axis| ((shape[axis] as f64 * self.factors[axis]).round() as usize).max(1))
    }
}

/// Divides every pixel into sites and pads.
///
/// Without smoothing a site is what its pixel is. With smoothing it is open or wall by the smoothed distance, labels
/// counting as open; an open site takes the label of the nearest open pixel. Where `level` has a number for each
/// pixel, positive where it is open, these are interpolated in place of the distance.
///
/// # Errors
/// More sites than [`MAX_SITES`], or a periodic direction of no whole number of sites.
pub fn refine(
    labels: &Labels,
    level: Option<&[f32]>,
    division: Division,
    dimension: usize,
    periodic: [bool; 3],
) -> Result<Sites> {
    let Division { factors, smooth } = division;
    let inner = division.sites(labels.shape);
    for axis in (0..dimension).filter(|&axis| periodic[axis]) {
        let exact = labels.shape[axis] as f64 * factors[axis];
        if (exact - inner[axis] as f64).abs() > 1e-6 * exact {
            return Err(Fault::usage(format!(
                "geometry.periodic: the volume is {exact:.3} spacings long along {}, no whole number: take another \"spacing\" or \
                 a \"crop\"",
                ["x", "y", "z"][axis]
            )));
        }
    }
    let padding = [0, 1, 2].map(|axis| usize::from(axis < dimension && !periodic[axis]));
    let extent = [0, 1, 2].map(|axis| inner[axis] + 2 * padding[axis]);
    let total = extent.iter().try_fold(1usize, |n, &e| n.checked_mul(e)).filter(|&n| n <= MAX_SITES);
    let total = total.ok_or_else(|| {
        Fault::usage(format!(
            "geometry: {extent:?} sites are more than {MAX_SITES}; take a larger spacing or a lower refine.factor, or crop"
        ))
    })?;

    let field = smooth.then(|| match level {
        Some(level) => Field::of(level, labels.shape, periodic),
        None => {
            let open: Vec<bool> = labels.sites.iter().map(|&site| site != Site::WALL).collect();
            Field::smoothed(&open, labels.shape, periodic)
        }
    });
    let labelled = labels.sites.par_iter().any(|site| site.as_opening().is_some());
    let places = [0, 1, 2].map(|axis| places(inner[axis], factors[axis]));
    let own = [0, 1, 2].map(|axis| own_pixels(inner[axis], factors[axis], labels.shape[axis]));
    let [nx, ny, _] = labels.shape;
    let mut sites = vec![Site::WALL; total];
    sites.par_chunks_mut(extent[0]).enumerate().for_each(|(row, sites)| {
        let y = (row % extent[1]).wrapping_sub(padding[1]);
        let z = (row / extent[1]).wrapping_sub(padding[2]);
        if y >= inner[1] || z >= inner[2] {
            return;
        }
        let sites = &mut sites[padding[0]..padding[0] + inner[0]];
        let pixels = &labels.sites[(own[2][z] * ny + own[1][y]) * nx..][..nx];
        let Some(field) = &field else {
            for (site, &pixel) in sites.iter_mut().zip(&own[0]) {
                *site = pixels[pixel];
            }
            return;
        };
        let line = interpolated_row(field, places[1][y], places[2][z], dimension);
        for ((x, site), place) in sites.iter_mut().enumerate().zip(&places[0]) {
            let at = (place.below + 1) as usize;
            let distance = line[at] + place.share * (line[at + 1] - line[at]);
            let pixel = pixels[own[0][x]];
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

fn places(sites: usize, factor: f64) -> Vec<Place> {
    let place = |i: usize| {
        let at = (i as f64 + 0.5) / factor - 0.5;
        Place { below: at.floor() as isize, share: (at - at.floor()) as f32 }
    };
    (0..sites).map(place).collect()
}

/// The pixel that holds the centre of each site.
fn own_pixels(sites: usize, factor: f64, pixels: usize) -> Vec<usize> {
    (0..sites).map(|i| own_pixel(i, factor, pixels)).collect()
}

/// The pixel, of `pixels`, that holds the centre of site `i`, where there are `factor` sites along a pixel.
pub fn own_pixel(i: usize, factor: f64, pixels: usize) -> usize {
    (((i as f64 + 0.5) / factor) as usize).min(pixels - 1)
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
