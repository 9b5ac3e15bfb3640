//! The shapes of the shipped geometries, drawn from their formulas; the same picture every time.

use rayon::prelude::*;

/// A drawn geometry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    /// Pixels along x, y, z; one slice for a picture.
    pub shape: [usize; 3],
    /// Whether each is fluid; x fastest, y up.
    pub fluid: Vec<bool>,
}

impl Model {
    /// Asks `inside` at the centre of every pixel, in pixels.
    fn drawn(shape: [usize; 3], inside: impl Fn([f64; 3]) -> bool + Sync) -> Self {
        let mut fluid = vec![false; shape.iter().product()];
        fluid.par_chunks_mut(shape[0]).enumerate().for_each(|(row, fluid)| {
            let (y, z) = ((row % shape[1]) as f64 + 0.5, (row / shape[1]) as f64 + 0.5);
            for (x, fluid) in fluid.iter_mut().enumerate() {
                *fluid = inside([x as f64 + 0.5, y, z]);
            }
        });
        Self { shape, fluid }
    }

    /// Share of fluid.
    pub fn porosity(&self) -> f64 {
        self.fluid.iter().filter(|&&fluid| fluid).count() as f64 / self.fluid.len() as f64
    }
}

/// A straight vessel along x with a saccular aneurysm: a round sac above the vessel that opens through a neck.
///
/// With w = `width`: the vessel is w wide (a tube in 3-D) and `length` pixels long and runs through the whole picture; the
/// sac, in the middle, is a disc (sphere) of diameter 2 w whose centre lies 0.8 w above the vessel's upper wall, so that
/// its neck is 1.2 w wide. A margin of w/8 is wall.
pub fn aneurysm(width: usize, length: usize, voxels: bool) -> Model {
    let w = width as f64;
    let margin = width.div_ceil(8);
    let axis = margin as f64 + w / 2.0;
    let (radius, centre) = (w, axis + w / 2.0 + 0.8 * w);
    let height = (centre + radius).ceil() as usize + margin;
    let depth = if voxels { 2 * width + 2 * margin } else { 1 };
    let middle = depth as f64 / 2.0;
    Model::drawn([length, height, depth], |[x, y, z]| {
        let dz = z - middle;
        let vessel = (y - axis).hypot(dz) < w / 2.0;
        let sac = (x - length as f64 / 2.0).hypot(y - centre).hypot(dz) < radius;
        vessel || sac
    })
}

/// A straight channel along x, `width` pixels wide and `length` pixels long: all of the picture is fluid, whose edges are walls
/// where they are not periodic.
pub fn channel(width: usize, length: usize) -> Model {
    Model::drawn([length, width, 1], |_| true)
}

/// A vessel along x that splits smoothly into two equal daughters, which leave through the right face, parallel to x.
///
/// With w = `width`: the picture is 8 w long and 4 w high; the daughters' axes end 2 w apart. Their width follows
/// Murray's law of equal wall shear stress: w / 2^(1/3) for tubes, w / 2^(1/2) for its plane counterpart.
pub fn bifurcation(width: usize, voxels: bool) -> Model {
    let w = width as f64;
    let (nx, ny) = (8 * width, 4 * width);
    let (start, end) = (2.5 * w, 5.5 * w);
    let power = if voxels { 1.0 / 3.0 } else { 0.5 };
    let daughter = w / 2.0 / 2f64.powf(power);
    // Centre line and radius at x: a fifth-order step, so that slope and curvature are continuous.
    let blend = move |x: f64| {
        let t = ((x - start) / (end - start)).clamp(0.0, 1.0);
        t * t * t * (10.0 - 15.0 * t + 6.0 * t * t)
    };
    let samples: Vec<[f64; 3]> = (-2 * ny as isize..(2 * (nx + ny)) as isize)
        .map(|i| {
            let x = i as f64 / 2.0;
            let s = blend(x);
            [x, w * s, w / 2.0 + (daughter - w / 2.0) * s]
        })
        .collect();
    let middle = ny as f64 / 2.0;
    // A union of discs (spheres) along the line: all that decides is radius^2 - distance^2 in the plane of the lines.
    let reach = |x: f64, y: f64| {
        let near = samples.partition_point(|s| s[0] < x - w)..samples.partition_point(|s| s[0] <= x + w);
        let off = (y - middle).abs();
        samples[near]
            .iter()
            .map(|&[sx, sy, r]| r * r - (x - sx).powi(2) - (off - sy).powi(2))
            .fold(f64::NEG_INFINITY, f64::max)
    };
    let depth = if voxels { width + 2 * width.div_ceil(8) } else { 1 };
    let mut plane = vec![0.0; nx * ny];
    plane
        .par_iter_mut()
        .enumerate()
        .for_each(|(i, value)| *value = reach((i % nx) as f64 + 0.5, (i / nx) as f64 + 0.5));
    Model::drawn([nx, ny, depth], |[x, y, z]| (z - depth as f64 / 2.0).powi(2) < plane[y as usize * nx + x as usize])
}

/// A cube of `size` voxels of packed grains, periodic in all directions: equal spheres of `radius` voxels at random
/// places, overlapping, as many as make the fluid's share `porosity` in the mean (n = -ln(porosity) / (V_grain / V)).
pub fn porous(size: usize, radius: f64, porosity: f64, seed: u64) -> Model {
    let n = size as f64;
    let grain = 4.0 / 3.0 * std::f64::consts::PI * (radius / n).powi(3);
    let count = (-porosity.ln() / grain).round() as usize;
    let mut state = seed;
    let mut draw = || {
        // SplitMix64: a fixed stream for a seed, on every machine.
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = state;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ (x >> 31)) >> 11) as f64 / (1u64 << 53) as f64 * n
    };
    let centres: Vec<[f64; 3]> = (0..count).map(|_| [draw(), draw(), draw()]).collect();
    let mut model = Model::drawn([size; 3], |_| true);
    let apart = |a: f64, b: f64| {
        let d = (a - b).abs();
        d.min(n - d)
    };
    model.fluid.par_chunks_mut(size * size).enumerate().for_each(|(z, slice)| {
        for centre in &centres {
            let dz = apart(z as f64 + 0.5, centre[2]);
            if dz >= radius {
                continue;
            }
            let disc = radius * radius - dz * dz;
            for (y, row) in slice.chunks_exact_mut(size).enumerate() {
                let left = disc - apart(y as f64 + 0.5, centre[1]).powi(2);
                if left <= 0.0 {
                    continue;
                }
                for (x, fluid) in row.iter_mut().enumerate() {
                    *fluid &= apart(x as f64 + 0.5, centre[0]).powi(2) >= left;
                }
            }
        }
    });
    model
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open_at(model: &Model, x: usize) -> usize {
        (0..model.shape[1]).filter(|y| model.fluid[y * model.shape[0] + x]).count()
    }

    #[test]
    fn the_aneurysm_has_the_area_of_its_formula() {
        let w = 64.0f64;
        let model = aneurysm(64, 256, false);
        let area = model.fluid.iter().filter(|&&fluid| fluid).count() as f64;
        // A disc of radius w, less the segment below the vessel's upper wall (0.8 w from its centre).
        let segment = w * w * (0.8f64.acos() - 0.8 * 0.6);
        let exact = 4.0 * w * w + std::f64::consts::PI * w * w - segment;
        assert!((area / exact - 1.0).abs() < 2e-3, "{area} {exact}");
        assert_eq!([open_at(&model, 0), open_at(&model, 255)], [64, 64]);
    }

    #[test]
    fn the_daughters_of_the_bifurcation_are_as_wide_as_murray_says() {
        let flat = bifurcation(64, false);
        assert_eq!(open_at(&flat, 0), 64);
        let daughters = open_at(&flat, flat.shape[0] - 1) as f64;
        assert!((daughters / 2.0 - 64.0 / 2f64.sqrt()).abs() <= 1.0, "{daughters}");
        let tubes = bifurcation(24, true);
        let areas =
            |x: usize| tubes.fluid.iter().skip(x).step_by(tubes.shape[0]).filter(|&&fluid| fluid).count() as f64;
        let ratio = areas(tubes.shape[0] - 1) / areas(0);
        assert!((ratio - 2f64.powf(1.0 / 3.0)).abs() < 0.06, "{ratio}");
    }

    #[test]
    fn the_porous_block_has_its_porosity_and_repeats() {
        let block = porous(64, 6.0, 0.5, 7);
        assert!((block.porosity() - 0.5).abs() < 0.05, "{}", block.porosity());
        assert_eq!(block, porous(64, 6.0, 0.5, 7));
        assert_ne!(block, porous(64, 6.0, 0.5, 8));
    }
}
