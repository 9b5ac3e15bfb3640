//! Developed oscillating flow on the cross-section of an opening.
//!
//! With the factor e^(i omega t), a pressure gradient drives the velocity u along the vessel by
//!   i omega u = G + nu lap u,   u = 0 at the walls
//! (Womersley, J. Physiol. 127 (1955) 553, for round tubes). It is solved on the opening's nodes, with walls half a
//! spacing from the last ones, for any shape of the section.

use std::collections::HashMap;
use std::f64::consts::TAU;

use hematite_case::{Header, Opening, OpeningNode, Part, outward};
use hematite_config::{Fault, Result};
use hematite_engine::waveform::Waveform;
use num_complex::Complex64;

use crate::Shape;

/// Relative residual that is enough: nodes hold profiles to some 1e-3.
const ENOUGH: f64 = 1e-10;

/// Times of a period at which the largest speed is looked for.
const SAMPLES: usize = 128;
/// Harmonics weaker than this share of the strongest have the profile of the mean.
const WEAK: f64 = 1e-3;

/// An oscillating inflow whose harmonics have profiles of their own: with the waveform `g(t) = g_0(t) + sum Re(c_k
/// e^(i k omega t))` of the mean speed U, `u = U (g_0 phi_0 + sum Re(c_k phi_k e^(i k omega t)))`, where phi_0 is
/// steady developed flow. All profiles have the mean 1, so that the flow rate is that of the waveform.
#[derive(Clone, Debug)]
pub(crate) struct Oscillation {
    /// Mean speed U, lattice units.
    pub speed: f64,
    /// The axis that the opening lies across.
    axis: usize,
    /// Period in seconds.
    period: f64,
    /// Angular frequencies k omega in SI, and c_k.
    harmonics: Vec<(f64, Complex64)>,
    /// phi_k by the nodes' global numbers.
    profiles: HashMap<u64, Vec<Complex64>>,
}

impl Oscillation {
    pub fn new(speed: f64, axis: usize) -> Self {
        Self { speed, axis, period: 0.0, harmonics: Vec::new(), profiles: HashMap::new() }
    }

    /// Takes the harmonics of a waveform.
    ///
    /// # Errors
    /// A usage fault where it has no period.
    pub fn take(&mut self, waveform: &Waveform) -> Result<()> {
        let Some((omega, c)) = waveform.harmonics() else {
            return Err(Fault::usage(
                "the profile \"womersley\" needs a waveform with a period: a \"sine\" of a frequency above 0, or a \"table\" with a \
                 \"period\"",
            ));
        };
        self.period = TAU / omega;
        let strongest = c.iter().map(|c| c.norm()).fold(0.0, f64::max);
        let numbered = c.into_iter().enumerate().map(|(k, c)| ((k + 1) as f64 * omega, c));
        self.harmonics = numbered.filter(|(_, c)| c.norm() > WEAK * strongest).collect();
        Ok(())
    }

    /// Finds the profiles on the nodes of the opening, which are at `places`, for a time step of `dt` seconds and the
    /// lattice viscosity `nu`.
    ///
    /// # Errors
    /// A numerical failure where one does not converge.
    pub fn solve(&mut self, opening: &Opening, places: &[[i32; 3]], header: &Header, dt: f64, nu: f64) -> Result<()> {
        let wrap = [0, 1, 2].map(|axis| header.periodic[axis].then_some(header.extent[axis] as i32));
        let section = Section::new(places, header.set.dimension(), self.axis, wrap);
        let flux =
            |links| -6.0 * outward(header.set, links).iter().zip(opening.normal).map(|(w, n)| w * n).sum::<f64>();
        let areas: Vec<f64> = opening.nodes.iter().map(|site| flux(site.links)).collect();
        let mut profiles = vec![Vec::new(); places.len()];
        for (omega, _) in &self.harmonics {
            let u = section.oscillating(omega * dt / nu, &areas, opening.area)?;
            profiles.iter_mut().zip(u).for_each(|(of_node, u)| of_node.push(u));
        }
        self.profiles = opening.nodes.iter().map(|site| site.node.0).zip(profiles).collect();
        Ok(())
    }

    /// Factors in the row of a step: of phi_0, and of real and imaginary part of each phi_k.
    pub fn terms(&self) -> usize {
        1 + 2 * self.harmonics.len()
    }

    /// These factors at time `t` in seconds.
    pub fn factors(&self, waveform: &Waveform, t: f64) -> Vec<f64> {
        let risen = waveform.risen(t);
        let parts: Vec<Complex64> =
            self.harmonics.iter().map(|(omega, c)| risen * c * Complex64::from_polar(1.0, omega * t)).collect();
        let rest = waveform.at(t) - parts.iter().map(|part| part.re).sum::<f64>();
        std::iter::once(rest).chain(parts.iter().flat_map(|part| [part.re, -part.im])).collect()
    }

    /// The shapes that go with the factors, at the nodes of a part.
    ///
    /// # Errors
    /// A usage fault where the profiles are not those of the part's case.
    pub fn shapes(&self, normal: [f64; 3], nodes: &[OpeningNode], part: &Part) -> Result<Vec<Shape>> {
        let mut shapes = vec![Vec::with_capacity(nodes.len()); self.terms()];
        let none = Vec::new();
        for node in nodes {
            let id = part.id[node.node as usize].0;
            let profiles = match self.profiles.get(&id) {
                None if self.harmonics.is_empty() => &none,
                found => found.ok_or_else(|| {
                    Fault::usage(format!("node {id} has no oscillating profile: make the case again with mkcase"))
                })?,
            };
            let parts = profiles.iter().flat_map(|phi| [phi.re, phi.im]);
            for (shape, phi) in shapes.iter_mut().zip(std::iter::once(f64::from(node.developed)).chain(parts)) {
                shape.push(normal.map(|n| n * self.speed * phi));
            }
        }
        Ok(shapes)
    }

    /// The largest speed that the shapes make, over a period after the rise.
    pub fn peak(&self, waveform: &Waveform, shapes: &[Shape]) -> f64 {
        let sample = |j: usize| {
            let factors = self.factors(waveform, waveform.rise() + self.period * j as f64 / SAMPLES as f64);
            let speed = |n: usize| {
                let u = |axis: usize| shapes.iter().zip(&factors).map(|(shape, f)| f * shape[n][axis]).sum::<f64>();
                (0..3).map(|axis| u(axis).powi(2)).sum::<f64>().sqrt()
            };
            (0..shapes[0].len()).map(speed).fold(0.0, f64::max)
        };
        (0..SAMPLES).map(sample).fold(0.0, f64::max)
    }
}

/// The nodes of an opening across an axis of the lattice.
pub(crate) struct Section {
    /// Weights of the four or two neighbours of each node, and the sum of these and of what walls add.
    neighbours: Vec<Vec<(usize, f64)>>,
    diagonal: Vec<f64>,
}

impl Section {
    /// The section of nodes at `places`, across `axis`; `wrap` has the extent of periodic directions.
    pub fn new(places: &[[i32; 3]], dimension: usize, axis: usize, wrap: [Option<i32>; 3]) -> Self {
        let number: HashMap<[i32; 3], usize> = places.iter().enumerate().map(|(row, at)| (*at, row)).collect();
        let (mut neighbours, mut diagonal) = (Vec::new(), Vec::new());
        for &at in places {
            let (mut row, mut sum) = (Vec::new(), 0.0);
            for across in (0..dimension).filter(|&across| across != axis) {
                let arms = [-1, 1].map(|side| {
                    let mut there = at;
                    there[across] += side;
                    if let Some(extent) = wrap[across] {
                        there[across] = there[across].rem_euclid(extent);
                    }
                    number.get(&there).copied()
                });
                // Shortley and Weller's stencil, with walls half a spacing away.
                let lengths = arms.map(|arm| if arm.is_some() { 1.0 } else { 0.5 });
                for (arm, length) in arms.into_iter().zip(lengths) {
                    let weight = 2.0 / (lengths[0] + lengths[1]) / length;
                    row.extend(arm.map(|column| (column, weight)));
                    sum += weight;
                }
            }
            neighbours.push(row);
            diagonal.push(sum);
        }
        Self { neighbours, diagonal }
    }

    /// u of `i omega / nu u - lap u = 1` at each node, over what makes `sum areas u` the sum `area`; `ratio` is omega
    /// / nu.
    ///
    /// # Errors
    /// A numerical failure where it does not converge.
    pub fn oscillating(&self, ratio: f64, areas: &[f64], area: f64) -> Result<Vec<Complex64>> {
        let u = self.solve(ratio).ok_or_else(|| {
            Fault::numerical(
                "its oscillating profile did not converge: simplify the opening's outline, or take \"parabolic\"",
            )
        })?;
        let flux: Complex64 = u.iter().zip(areas).map(|(u, a)| u * a).sum();
        Ok(u.into_iter().map(|u| u * area / flux).collect())
    }

    /// `D^-1 (i ratio - lap) u`, D the diagonal.
    fn scaled(&self, ratio: f64, u: &[Complex64]) -> Vec<Complex64> {
        let row = |(row, neighbours): (usize, &Vec<(usize, f64)>)| {
            let coupled: Complex64 = neighbours.iter().map(|&(column, weight)| u[column] * weight).sum();
            u[row] - coupled / self.pivot(row, ratio)
        };
        self.neighbours.iter().enumerate().map(row).collect()
    }

    fn pivot(&self, row: usize, ratio: f64) -> Complex64 {
        Complex64::new(self.diagonal[row], ratio)
    }

    /// BiCGSTAB (van der Vorst, SIAM J. Sci. Stat. Comput. 13 (1992) 631).
    fn solve(&self, ratio: f64) -> Option<Vec<Complex64>> {
        let dot = |a: &[Complex64], b: &[Complex64]| a.iter().zip(b).map(|(a, b)| a.conj() * b).sum::<Complex64>();
        let combined = |a: &[Complex64], s: Complex64, b: &[Complex64]| -> Vec<Complex64> {
            a.iter().zip(b).map(|(a, b)| a + s * b).collect()
        };
        let rows = self.diagonal.len();
        let mut r: Vec<Complex64> = (0..rows).map(|row| self.pivot(row, ratio).inv()).collect();
        let goal = ENOUGH * dot(&r, &r).re.sqrt();
        let mut u = vec![Complex64::default(); rows];
        let (shadow, mut p) = (r.clone(), r.clone());
        let mut rho = dot(&shadow, &r);
        for _ in 0..200 + 10 * rows.min(4000) {
            if dot(&r, &r).re.sqrt() <= goal {
                return Some(u);
            }
            let v = self.scaled(ratio, &p);
            let alpha = rho / dot(&shadow, &v);
            let s = combined(&r, -alpha, &v);
            let t = self.scaled(ratio, &s);
            let size = dot(&t, &t).re;
            let omega = if size > 0.0 { dot(&t, &s) / size } else { Complex64::default() };
            u = combined(&combined(&u, alpha, &p), omega, &s);
            r = combined(&s, -omega, &t);
            let next = dot(&shadow, &r);
            let beta = next / rho * alpha / omega;
            p = combined(&r, beta, &combined(&p, -omega, &v));
            rho = next;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_channel_has_its_exact_profile() {
        let height = 40;
        let places: Vec<[i32; 3]> = (0..height).map(|y| [0, y, 0]).collect();
        let section = Section::new(&places, 2, 0, [None; 3]);
        for ratio in [1e-6, 0.01, 0.05] {
            let ours = section.oscillating(ratio, &vec![1.0; height as usize], f64::from(height)).expect("converges");
            // 1 - cosh(k y) / cosh(k h / 2), k^2 = i omega / nu.
            let k = Complex64::new(0.0, ratio).sqrt();
            let half = 0.5 * f64::from(height);
            let exact = |y: i32| 1.0 - (k * (f64::from(y) + 0.5 - half)).cosh() / (k * half).cosh();
            let mean = 1.0 - (k * half).tanh() / (k * half);
            for (y, ours) in (0..height).zip(&ours) {
                let exact = exact(y) / mean;
                assert!((ours - exact).norm() < 4e-3, "omega / nu {ratio}, y {y}: {ours} {exact}");
            }
        }
    }

    #[test]
    fn what_wraps_has_no_wall() {
        let places: Vec<[i32; 3]> = (0..8).flat_map(|z| (0..5).map(move |y| [3, y, z])).collect();
        let section = Section::new(&places, 3, 0, [None, None, Some(8)]);
        let channel = Section::new(&places[..5], 2, 0, [None; 3]);
        let ours = section.oscillating(0.3, &[1.0; 40], 40.0).expect("converges");
        let flat = channel.oscillating(0.3, &[1.0; 5], 5.0).expect("converges");
        assert!(ours.iter().enumerate().all(|(n, u)| (u - flat[n % 5]).norm() < 1e-8));
    }
}
