//! Terrain: heights as greys under a light from the north-west, and regions in colours upon them.

use hematite_case::Lattice;
use hematite_geometry::ELEVATION;
use rayon::prelude::*;

/// The lowest and the highest ground, in full light.
const LOW: [f64; 3] = [160.0, 172.0, 156.0];
const HIGH: [f64; 3] = [250.0, 246.0, 238.0];
/// Where light comes from: east, north, up; of unit length.
const LIGHT: [f64; 3] = [-0.5, 0.5, std::f64::consts::FRAC_1_SQRT_2];
/// Light in the shade.
const AMBIENT: f64 = 0.35;
/// Slopes are drawn as if the mean one were this, and never flatter than they are, nor by more than so many times
/// steeper.
const MEAN_SLOPE: f64 = 0.4;
const STEEPER: f64 = 20.0;
/// Colours of regions, in their order.
const REGIONS: [[u8; 3]; 5] =
    [[0xd6, 0x2a, 0x2a], [0xf0, 0x8c, 0x00], [0x1f, 0x5f, 0xa8], [0x8e, 0x4b, 0xa8], [0x1b, 0x7a, 0x3b]];
/// Share of the colour of a region in that of its nodes.
const TINT: f64 = 0.6;

/// What the ground of a case looks like.
pub struct Terrain {
    /// The colour at each node.
    pub colours: Vec<[u8; 3]>,
    /// The lowest and the highest node, metres, with their colours.
    pub range: [(f64, [u8; 3]); 2],
}

impl Terrain {
    /// That of a lattice; none where it is not made of terrain.
    pub fn of(lattice: &Lattice) -> Option<Self> {
        let field = lattice.fields.iter().find(|field| field.name == ELEVATION);
        let heights = &field.filter(|_| !lattice.geometry.terrain.is_empty())?.values;
        let (low, high) = heights.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &z| (l.min(z), h.max(z)));
        let slopes = slopes(lattice, heights);
        let mean = slopes.iter().map(|[x, y]| x.hypot(*y)).sum::<f64>() / slopes.len().max(1) as f64;
        let steeper = if mean > 0.0 { (MEAN_SLOPE / mean).clamp(1.0, STEEPER) } else { 1.0 };
        let grey = |z: f64, light: f64| {
            let share = if high > low { (z - low) / (high - low) } else { 1.0 };
            [0, 1, 2].map(|c| (light * (LOW[c] + share * (HIGH[c] - LOW[c]))).round() as u8)
        };
        let colour = |(&z, &[x, y]): (&f64, &[f64; 2])| grey(z, lit(steeper * x, steeper * y));
        let mut colours: Vec<[u8; 3]> = heights.par_iter().zip(&slopes).map(colour).collect();
        for (k, region) in lattice.regions.iter().enumerate() {
            for node in region.runs().iter().cloned().flatten() {
                let colour = &mut colours[node as usize];
                let mixed = |c: usize| f64::from(colour[c]) * (1.0 - TINT) + f64::from(of_region(k)[c]) * TINT;
                *colour = [0, 1, 2].map(|c| mixed(c).round() as u8);
            }
        }
        Some(Self { colours, range: [(low, grey(low, 1.0)), (high, grey(high, 1.0))] })
    }
}

/// The colour of region number `k`.
pub fn of_region(k: usize) -> [u8; 3] {
    REGIONS[k % REGIONS.len()]
}

/// How much light falls on ground that rises so to the east and the north; 1 on ground that faces it.
fn lit(east: f64, north: f64) -> f64 {
    let across = (LIGHT[2] - LIGHT[0] * east - LIGHT[1] * north) / (east * east + north * north + 1.0).sqrt();
    AMBIENT + (1.0 - AMBIENT) * across.max(0.0)
}

/// How much the ground rises to the east and the north at each node, between its neighbours that are there.
fn slopes(lattice: &Lattice, heights: &[f64]) -> Vec<[f64; 2]> {
    let [nx, ny, _] = lattice.extent.map(|n| n as i32);
    let index = |x: i32, y: i32| y as usize * nx as usize + x as usize;
    let mut nodes = vec![u32::MAX; nx as usize * ny as usize];
    for (n, at) in lattice.position.iter().enumerate() {
        nodes[index(at[0], at[1])] = n as u32;
    }
    let height = |x: i32, y: i32| {
        let is_inside = (0..nx).contains(&x) && (0..ny).contains(&y);
        is_inside.then(|| nodes[index(x, y)]).and_then(|n| heights.get(n as usize)).copied()
    };
    let slope = |(&[x, y, _], &here): (&[i32; 3], &f64)| {
        [[1, 0], [0, 1]].map(|[i, j]| {
            let (before, after) = (height(x - i, y - j), height(x + i, y + j));
            let spacings = f64::from(u8::from(before.is_some()) + u8::from(after.is_some())).max(1.0);
            (after.unwrap_or(here) - before.unwrap_or(here)) / (spacings * lattice.spacing)
        })
    };
    lattice.position.par_iter().zip(heights).map(slope).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ground_that_faces_the_north_west_is_lighter() {
        // Ground that rises to the south-east faces the north-west.
        assert!(lit(0.3, -0.3) > lit(0.0, 0.0) && lit(0.0, 0.0) > lit(-0.3, 0.3));
        assert!((lit(1.0 / 2f64.sqrt(), -1.0 / 2f64.sqrt()) - 1.0).abs() < 1e-9);
        assert!((lit(-50.0, 50.0) - AMBIENT).abs() < 1e-9);
    }
}
