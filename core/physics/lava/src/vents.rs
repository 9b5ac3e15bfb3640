//! What comes out of vents, and how long time steps may be while they fill.

use hematite_case::Region;
use hematite_gpu::WORKGROUP;

use crate::amount::{amount, number, words};
use crate::effusion::Effusion;
use crate::parameters::Parameters;
use crate::shaders::{DRAINING, LEVELLING, NONE};

/// A vent of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Vent {
    /// Its name, that of a region of the case.
    pub name: String,
    /// Its nodes, a part of that region.
    pub region: Region,
    /// The middle of a vent that was drawn at random, m.
    pub drawn_at: Option<[f64; 2]>,
    /// Cells in all, on all ranks.
    pub cells: u64,
    /// Volume in time.
    pub effusion: Effusion,
    /// Temperature of what comes out, K.
    pub temperature: f64,
}

/// The cells of the vents on a rank.
pub struct VentCells {
    /// Cell and vent; no cell twice.
    pub cells: Vec<[u32; 2]>,
    /// Number of vents in all.
    pub vents: u32,
}

impl VentCells {
    /// Of each block of the `own` cells, 0 or its row, counted from 1; and the vent of each cell of a row, or [`NONE`].
    pub(crate) fn rows(&self, own: usize) -> (Vec<u32>, Vec<u32>) {
        let block = WORKGROUP as usize;
        let mut rows = vec![0_u32; own.div_ceil(block).max(1)];
        let mut vents = Vec::new();
        for &[cell, vent] in &self.cells {
            let row = &mut rows[cell as usize / block];
            if *row == 0 {
                vents.resize(vents.len() + block, NONE);
                *row = (vents.len() / block) as u32;
            }
            vents[(*row as usize - 1) * block + cell as usize % block] = vent;
        }
        if vents.is_empty() {
            vents.push(NONE);
        }
        (rows, vents)
    }
}

impl Vent {
    /// Thickness and heat that have come into each of its cells up to a time, in amounts.
    fn up_to(&self, time: f64, dx: f64) -> [u64; 2] {
        let thickness = amount(self.effusion.volume(time) / (self.cells as f64 * dx * dx));
        [thickness, amount(number(thickness) * self.temperature)]
    }

    /// Words of the thickness and the heat that come into each of its cells between two times.
    pub fn emission(&self, from: f64, to: f64, dx: f64) -> [u32; 4] {
        let (before, after) = (self.up_to(from, dx), self.up_to(to, dx));
        let [thickness, heat] = [0, 1].map(|k| words(after[k] - before[k]));
        [thickness[0], thickness[1], heat[0], heat[1]]
    }

    /// Volume, m3, and heat, K m3, that have come out up to a time.
    pub fn came(&self, time: f64, dx: f64) -> [f64; 2] {
        self.up_to(time, dx).map(|amount| number(amount) * self.cells as f64 * dx * dx)
    }

    /// Rate at which each of its cells fills, m/s: the largest between two times.
    pub fn filling(&self, from: f64, to: f64, dx: f64) -> f64 {
        self.effusion.largest(from, to) / (self.cells as f64 * dx * dx)
    }

    /// Thickness at which lava leaves one of its cells as fast as it comes, m, where the steepest slope around is `slope`.
    pub fn usual_thickness(&self, parameters: &Parameters, filling: f64, slope: f64) -> f64 {
        let leaves = |h: f64| parameters.flow(h, self.temperature, slope.max(h / parameters.dx), slope) / parameters.dx;
        bisect(|h| leaves(h) < filling)
    }

    /// The longest time step, s, in which a vent at `filling` m/s does not get thicker, from thickness 0 in `steps` steps, than such
    /// steps allow.
    pub fn first_step(&self, parameters: &Parameters, filling: f64, slope: f64, steps: f64) -> f64 {
        let rate = |h: f64| rate(parameters, self.temperature, h, slope);
        bisect(|dt| dt * rate(steps * dt * filling) < 1.0)
    }
}

/// A bound of the rate at which the flows of a cell change what they depend on, over the share of it that a time step may change,
/// 1/s; see rates.wgsl.
pub fn rate(parameters: &Parameters, t: f64, h: f64, slope: f64) -> f64 {
    let steep = slope + h / parameters.dx;
    let f = parameters.weight() / (3.0 * parameters.rheology.viscosity(t));
    // Eight neighbours with their weights: 4 in all, as those of a Laplacian.
    let draining = 4.0 * f * 3.0 * h * h * steep / parameters.dx;
    let levelling = 4.0 * f * h * h * h / parameters.dx.powi(2);
    draining / DRAINING + levelling / LEVELLING
}

/// The largest number from 1e-9 to 1e6 up to which `is_below` holds.
fn bisect(is_below: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (1e-9_f64, 1e6_f64);
    for _ in 0..100 {
        let middle = (low * high).sqrt();
        if is_below(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vent_of(cells: u64, effusion: Effusion) -> Vent {
        let region = Region::new("vent", (0..cells).map(hematite_case::NodeId));
        Vent { name: "vent".into(), region, drawn_at: None, cells, effusion, temperature: 1360.0 }
    }

    #[test]
    fn emissions_of_steps_add_up_to_the_volume() {
        let rows = serde_json::from_str(r#"{"rows": [["0 s", "0 m3/s"], ["10 s", "30 m3/s"], ["40 s", "0 m3/s"]]}"#);
        let effusion = Effusion::new(std::path::Path::new("."), &rows.expect("parses")).expect("valid");
        let vent = vent_of(3, effusion);
        let dx = 7.0;
        let (mut thickness, mut heat, mut time) = (0, 0, 0.0);
        while time < 50.0 {
            let next = time + 0.37;
            let words = vent.emission(time, next, dx);
            thickness += crate::amount::of_words(&words[..2]);
            heat += crate::amount::of_words(&words[2..]);
            time = next;
        }
        let [volume, warmth] = vent.came(time, dx);
        assert_eq!(number(thickness) * 3.0 * dx * dx, volume);
        assert_eq!(number(heat) * 3.0 * dx * dx, warmth);
        assert!((volume - 600.0).abs() < 1e-6 && (warmth / volume / 1360.0 - 1.0).abs() < 1e-9);
    }

    #[test]
    fn steps_fit_what_fills_the_vent() {
        let parameters = Parameters::samples()[0];
        let effusion = crate::config::EffusionConfig::Rate(hematite_units::quantity::FlowRate(30.0));
        let effusion = Effusion::new(std::path::Path::new("."), &effusion).expect("valid");
        let vent = vent_of(1, effusion);
        let filling = vent.filling(0.0, 1.0, parameters.dx);
        assert_eq!(filling, 0.3);
        let h = vent.usual_thickness(&parameters, filling, 0.2);
        assert!((parameters.flow(h, 1360.0, 0.2_f64.max(h / 10.0), 0.2) * 10.0 / 30.0 - 1.0).abs() < 1e-6, "{h}");
        let dt = vent.first_step(&parameters, filling, 0.2, 16.0);
        assert!((dt * rate(&parameters, 1360.0, 16.0 * dt * filling, 0.2) - 1.0).abs() < 1e-6);
    }
}
