//! The shipped terrain, drawn from its formula; the same every time.

/// Heights on a grid of square cells.
#[derive(Clone, Debug, PartialEq)]
pub struct Landscape {
    /// Cells to the east and to the north.
    pub shape: [usize; 2],
    /// Easting and northing of the lower-left corner, metres.
    pub corner: [f64; 2],
    /// The edge of a cell, metres.
    pub cell: f64,
    /// Heights at the centres of cells, metres, west to east, the southern row first.
    pub heights: Vec<f64>,
}

/// The edge of the land, metres.
const EDGE: f64 = 10_240.0;
/// Where its lower-left corner lies on the map, metres.
const CORNER: [f64; 2] = [500_000.0, 4_170_000.0];
/// The plain, and how high the cone would rise above it at its axis, metres.
const PLAIN: f64 = 400.0;
const RISE: f64 = 1800.0;
/// Where the axis is, shares of the edge.
const AXIS: [f64; 2] = [0.48, 0.58];
/// The flanks fall by a factor e in this distance, metres: they are concave.
const FALL: f64 = 2200.0;
/// Radius and depth of the crater, metres.
const CRATER: [f64; 2] = [220.0, 70.0];
/// The valley: where it runs to (radians from the east), where it begins (metres from the axis), its half width there,
/// by how much it widens in a metre, and its depth, metres.
const VALLEY: (f64, f64, f64, f64, f64) = (-1.0, 900.0, 150.0, 0.06, 90.0);
/// The roughest noise, metres, and its wavelength as a share of the edge; each further octave has half of both.
const NOISE: [f64; 2] = [24.0, 0.125];
/// Octaves of noise.
const OCTAVES: u32 = 5;

/// A volcano on a plain, `size` x `size` cells: a cone with concave flanks and a crater, a valley that runs down to
/// the south-east, and noise by `seed`. The land is 10.24 km wide, at any size; heights are whole tenths of a metre.
pub fn volcano(size: usize, seed: u64) -> Landscape {
    let cell = EDGE / size as f64;
    let height = |i: usize| {
        let [x, y] = [i % size, i / size].map(|k| (k as f64 + 0.5) * cell);
        let z = ground(x - AXIS[0] * EDGE, y - AXIS[1] * EDGE) + noise(x, y, seed);
        (10.0 * z).round() / 10.0
    };
    Landscape { shape: [size; 2], corner: CORNER, cell, heights: (0..size * size).map(height).collect() }
}

/// The ground without noise, so far to the east and the north of the axis, metres.
fn ground(east: f64, north: f64) -> f64 {
    let [radius, depth] = CRATER;
    let r = east.hypot(north);
    let flank = PLAIN + RISE * (-r.max(radius) / FALL).exp();
    let crater = depth * (1.0 - (r / radius).powi(2)).max(0.0);
    let (direction, start, half_width, widening, deep) = VALLEY;
    let (sin, cos) = direction.sin_cos();
    let (along, across) = (east * cos + north * sin, north * cos - east * sin);
    let beyond = ((along - start) / start).clamp(0.0, 1.0);
    let width = half_width + widening * (along - start).max(0.0);
    let valley = deep * beyond * beyond * (3.0 - 2.0 * beyond) * (-(across / width).powi(2)).exp();
    flank - crater - valley
}

/// Noise at a place: random numbers on grids, each with half the cells and half the height of the one before.
fn noise(x: f64, y: f64, seed: u64) -> f64 {
    let of_octave = |octave: u32| {
        let half = 0.5f64.powi(octave as i32);
        let at = [x, y].map(|x| x / (NOISE[1] * EDGE * half));
        let [i, j] = at.map(f64::floor);
        let [s, t] = [at[0] - i, at[1] - j].map(|u| u * u * (3.0 - 2.0 * u));
        let corner = |di: f64, dj: f64| random(seed, octave, i + di, j + dj);
        let row = |dj: f64| corner(0.0, dj) + s * (corner(1.0, dj) - corner(0.0, dj));
        NOISE[0] * half * (row(0.0) + t * (row(1.0) - row(0.0)))
    };
    (0..OCTAVES).map(of_octave).sum()
}

/// A random number from -1 to 1 for a corner of a grid.
fn random(seed: u64, octave: u32, i: f64, j: f64) -> f64 {
    let mut state = seed;
    for part in [u64::from(octave), i as u64, j as u64] {
        // SplitMix64: the same numbers on every machine.
        state = (state ^ part).wrapping_add(0x9e37_79b9_7f4a_7c15);
        state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        state ^= state >> 31;
    }
    (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_volcano_is_a_cone_with_a_crater_and_repeats() {
        let land = volcano(256, 1);
        assert_eq!(land.cell, 40.0);
        let at = |x: f64, y: f64| land.heights[(y * 256.0) as usize * 256 + (x * 256.0) as usize];
        let highest = land.heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (rim, middle) = (PLAIN + RISE * (-CRATER[0] / FALL).exp(), at(AXIS[0], AXIS[1]));
        assert!((highest - rim).abs() < 60.0 && highest - middle > 20.0, "{highest} {rim} {middle}");
        assert!(at(0.01, 0.01) < 600.0 && at(0.99, 0.99) < 600.0);
        assert_eq!(land, volcano(256, 1));
        assert_ne!(land, volcano(256, 2));
    }

    #[test]
    fn a_finer_volcano_is_the_same_one() {
        let (coarse, fine) = (volcano(64, 3), volcano(192, 3));
        for (i, z) in coarse.heights.iter().enumerate() {
            // The middle of three by three cells.
            let same = fine.heights[(3 * (i / 64) + 1) * 192 + 3 * (i % 64) + 1];
            assert!((z - same).abs() < 0.11, "{z} {same}");
        }
    }
}
