//! The fluid sites of a domain, numbered, and how far they are from each other along the fluid.

use crate::domain::{Domain, Site};
use crate::vessel::around;

/// Distance of sites along an axis and along a diagonal, in units of half a spacing.
pub(crate) const STEPS: [u32; 2] = [2, 3];

/// The fluid sites of a domain, numbered in scan order.
pub(crate) struct Fluid<'d> {
    pub domain: &'d Domain,
    pub sites: Vec<usize>,
    /// A bit a site, 64 a word, and the fluid sites before each word.
    bits: Vec<(u64, u32)>,
}

impl<'d> Fluid<'d> {
    pub fn of(domain: &'d Domain) -> Self {
        let sites: Vec<usize> = (0..domain.sites.len()).filter(|&i| domain.sites[i] == Site::FLUID).collect();
        let mut bits = vec![(0_u64, 0_u32); domain.sites.len().div_ceil(64)];
        for &site in &sites {
            bits[site / 64].0 |= 1 << (site % 64);
        }
        let mut before = 0;
        for (word, count) in &mut bits {
            *count = before;
            before += word.count_ones();
        }
        Self { domain, sites, bits }
    }

    pub fn number(&self, site: usize) -> Option<u32> {
        let (word, before) = self.bits[site / 64];
        let bit = 1_u64 << (site % 64);
        (word & bit != 0).then(|| before + (word & (bit - 1)).count_ones())
    }

    pub fn place(&self, n: u32) -> [usize; 3] {
        let ([nx, ny, _], site) = (self.domain.extent, self.sites[n as usize]);
        [site % nx, site / nx % ny, site / (nx * ny)]
    }

    /// The fluid sites beside site `n`, and how far they are.
    pub fn beside(&self, n: u32) -> impl Iterator<Item = (u32, u32)> {
        let at = self.place(n);
        around(self.domain, at).filter_map(move |there| {
            let axes = (0..3).filter(|&k| there[k] != at[k]).count();
            Some((self.number(self.domain.index(there))?, STEPS[axes - 1]))
        })
    }

    /// The shortest way of each site to one of `from` along links, in half spacings; `u32::MAX` where there is none.
    pub fn distances(&self, from: &[u32]) -> Vec<u32> {
        let mut distance = vec![u32::MAX; self.sites.len()];
        // Sites to visit by their distance, which differ by less than the buckets are many.
        let mut buckets: [Vec<u32>; STEPS[1] as usize + 1] = Default::default();
        for &n in from {
            distance[n as usize] = 0;
            buckets[0].push(n);
        }
        let (mut now, mut empty) = (0_u32, 0);
        while empty < buckets.len() {
            let bucket = now as usize % buckets.len();
            let visited = std::mem::take(&mut buckets[bucket]);
            empty = if visited.is_empty() { empty + 1 } else { 0 };
            for n in visited {
                if distance[n as usize] != now {
                    continue;
                }
                for (to, step) in self.beside(n) {
                    if now + step < distance[to as usize] {
                        distance[to as usize] = now + step;
                        let bucket = (now + step) as usize % buckets.len();
                        buckets[bucket].push(to);
                    }
                }
            }
            now += 1;
        }
        distance
    }

    /// Whether the border of a picture or a volume may have cut the vessel here.
    pub fn is_at_border(&self, n: u32) -> bool {
        let at = self.place(n);
        self.domain.surface.is_none()
            && (0..self.domain.dimension).any(|axis| at[axis] == 1 || at[axis] + 2 == self.domain.extent[axis])
    }

    /// The mean place of sites.
    pub fn middle(&self, sites: &[u32]) -> [f64; 3] {
        let mut sum = [0.0; 3];
        for &n in sites {
            let at = self.place(n);
            (0..3).for_each(|k| sum[k] += at[k] as f64);
        }
        sum.map(|sum| sum / sites.len() as f64)
    }
}
