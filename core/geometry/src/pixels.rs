//! The pixels or voxels that a lattice was made from, to look up what its nodes are in.

use crate::domain::Site;
use crate::refine::own_pixel;
use crate::rules::Labels;

/// The pixels that are used, and how sites lie in them.
pub struct Pixels {
    /// What each is; named parts of the wall are wall.
    pub labels: Labels,
    /// Pixels of the whole picture along x, y, z.
    pub whole: [usize; 3],
    /// Sites along the edge of a pixel along x, y, z.
    pub factors: [f64; 3],
    /// Layers of padding below the first site along x, y, z.
    pub padding: [usize; 3],
    /// Directions in which the lattice wraps.
    pub periodic: [bool; 3],
}

impl Pixels {
    /// The pixel that a fluid site is of: that which holds it, or the nearest fluid one where that is none.
    pub fn of(&self, site: [i32; 3]) -> [usize; 3] {
        let at = self.inner(site);
        let own = [0, 1, 2].map(|axis| own_pixel(at[axis], self.factors[axis], self.labels.shape[axis]));
        let is_fluid = |site: Site| site == Site::FLUID;
        if is_fluid(self.labels.at(own)) {
            return own;
        }
        self.labels.nearest(at, self.factors, self.periodic, is_fluid).unwrap_or(own)
    }

    /// The fluid pixels between whose centres a fluid site lies, or those that it covers where it is larger, with
    /// their shares, which need not add up to 1; that which it is of where there are none.
    pub fn around(&self, site: [i32; 3]) -> Vec<([usize; 3], f64)> {
        let at = self.inner(site);
        let axes = [0, 1, 2].map(|axis| match self.factors[axis] {
            factor if factor < 1.0 => self.covered(axis, at[axis]),
            _ => self.between(axis, at[axis]),
        });
        let mut around = Vec::with_capacity(8);
        for &(z, of_z) in &axes[2] {
            for &(y, of_y) in &axes[1] {
                for &(x, of_x) in &axes[0] {
                    let share = of_x * of_y * of_z;
                    if share > 0.0 && self.labels.at([x, y, z]) == Site::FLUID {
                        around.push(([x, y, z], share));
                    }
                }
            }
        }
        if around.is_empty() {
            around.push((self.of(site), 1.0));
        }
        around
    }

    /// The two pixels along an axis between whose centres that of a site lies, with their shares.
    fn between(&self, axis: usize, site: usize) -> Vec<(usize, f64)> {
        let place = (site as f64 + 0.5) / self.factors[axis] - 0.5;
        let share = place - place.floor();
        let below = place.floor() as i64;
        vec![(self.along(axis, below), 1.0 - share), (self.along(axis, below + 1), share)]
    }

    /// The pixels along an axis that a site covers, with their shares.
    fn covered(&self, axis: usize, site: usize) -> Vec<(usize, f64)> {
        /// Shares of a pixel below this are rounding errors.
        const LEAST: f64 = 1e-9;
        let [from, to] = [site, site + 1].map(|i| i as f64 / self.factors[axis]);
        let last = if self.periodic[axis] { i64::MAX } else { self.labels.shape[axis] as i64 };
        let share = |i: i64| (to.min(i as f64 + 1.0) - from.max(i as f64)).max(0.0);
        let pixels = (from.floor() as i64..(to.ceil() as i64).min(last)).map(|i| (self.along(axis, i), share(i)));
        pixels.filter(|&(_, share)| share > LEAST).collect()
    }

    /// Pixel `i` along an axis; of those beyond the picture the nearest one, or that around the seam.
    fn along(&self, axis: usize, i: i64) -> usize {
        let n = self.labels.shape[axis] as i64;
        (if self.periodic[axis] { i.rem_euclid(n) } else { i.clamp(0, n - 1) }) as usize
    }

    /// Where a pixel is in the whole picture.
    pub fn place(&self, pixel: [usize; 3]) -> [usize; 3] {
        [0, 1, 2].map(|axis| self.labels.start[axis] + pixel[axis])
    }

    /// Number of a pixel's value in the whole picture.
    pub fn number(&self, pixel: [usize; 3]) -> usize {
        let [x, y, z] = self.place(pixel);
        (z * self.whole[1] + y) * self.whole[0] + x
    }

    /// A site without the padding.
    fn inner(&self, site: [i32; 3]) -> [usize; 3] {
        [0, 1, 2].map(|axis| (site[axis] as usize).saturating_sub(self.padding[axis]))
    }
}
