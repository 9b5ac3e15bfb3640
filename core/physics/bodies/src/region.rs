//! The region over which a body pushes the fluid and reads its velocity, and how the fluid gives way there.

use std::f64::consts::{FRAC_PI_2, PI};

use super::friction::CYCLIC;

/// Steps of the quadratures: in space, wavenumbers, and either angle of an octant.
const SPACE: usize = 400;
const WAVES: usize = 400;
const ANGLES: usize = 48;

/// Largest wavenumber times the kernel's unit: transforms fall with its third power.
const HIGHEST: f64 = 32.0;

/// Half widths from which on the lattice is hardly seen: with place and orientation, mobilities of round regions have standard
/// deviations of 0.3 % in translation and 4 % in rotation, at 1.5 of 1 % and 20 %, at 1 of 20 % and 30 %.
pub const SMOOTH: f64 = 2.0;

/// How a creeping fluid gives way to a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KernelMobility {
    /// Velocity that the body reads over its force, along each axis.
    pub translation: [f64; 3],
    /// Angular velocity that it reads over its torque, about each axis.
    pub rotation: [f64; 3],
}

/// The share of an axis, d(y; xi) = 2 / xi phi(2 y / xi), phi the four-point kernel (Peskin, Acta Numerica 11, 479, 2002):
/// zero beyond |y| = xi, its integral is 1, and with xi = 2 it is phi.
pub fn weight(y: f64, xi: f64) -> f64 {
    2.0 / xi * four_point(2.0 * y / xi)
}

fn four_point(r: f64) -> f64 {
    let r = r.abs();
    if r <= 1.0 {
        0.125 * (3.0 - 2.0 * r + (1.0 + 4.0 * r - 4.0 * r * r).sqrt())
    } else if r <= 2.0 {
        0.125 * (5.0 - 2.0 * r - (-7.0 + 12.0 * r - 4.0 * r * r).sqrt())
    } else {
        0.0
    }
}

/// The mobility of the region function delta(x) = prod_k d(y_k; xi_k), y along the body's axes, in a fluid of viscosity
/// `eta` without bounds, to about four digits.
///
/// A force F is put on the fluid as F delta and its velocity is read as int delta u; a torque T as delta J^-1 T x r, and the
/// angular velocity as J^-1 int delta r x u, J = int delta (r^2 1 - r r). In a linear flow this reads what turns a free
/// ellipsoid with semi-axes in the proportions of xi, see [`super::friction::jeffery`].
///
/// Where xi is s times a body's semi-axes, the mobility is that of the body, along all axes, at s = 1.52 in translation (to
/// 1 %) and 1.29 in rotation (to 5 %); [`super::friction::coupling`] needs wider regions.
pub fn mobility(xi: [f64; 3], eta: f64) -> KernelMobility {
    Transform::of(four_point, 2.0).mobility(xi.map(|xi| 0.5 * xi), eta, [0.0; 2])
}

/// The same in the fluid as the lattice has it, with two relaxation times of the magic number `magic`, the mean over places and
/// orientations.
///
/// A force with wavenumber k in a steady creeping flow of D3Q19 (Guo's force, half of it in the velocity) makes `1 + c1 k^2 +
/// c2 k^4 + ..` times the velocity that it makes in the continuum, the mean over directions of k and of polarisation;
/// directions differ at second order unless `magic` is 1/6. c1 and c2 solve the 19 linear equations of the populations: c1
/// within 1e-8, c2 within 1e-4 of itself, for `magic` from 0.02 to 0.6.
pub fn lattice_mobility(xi: [f64; 3], eta: f64, magic: f64) -> KernelMobility {
    let off = magic - 1.0 / 6.0;
    let response = [46.0 / 105.0 * off - 1.0 / 18.0, 3.373e-3 - 0.1649 * off * off];
    Transform::of(four_point, 2.0).mobility(xi.map(|xi| 0.5 * xi), eta, response)
}

/// The half widths of the region of a body, `factor` times its semi-axes, but no less than [`SMOOTH`].
pub fn half_widths(axes: [f64; 3], factor: f64) -> [f64; 3] {
    axes.map(|a| (factor * a).max(SMOOTH))
}

/// The Fourier transform psi of an even kernel of integral 1, and its slope, at wavenumbers from 0 to [`HIGHEST`].
struct Transform {
    psi: Vec<[f64; 2]>,
    /// The kernel's second moment.
    moment: f64,
}

impl Transform {
    fn of(kernel: impl Fn(f64) -> f64, support: f64) -> Self {
        let step = support / SPACE as f64;
        let samples: Vec<[f64; 2]> =
            (0..SPACE).map(|k| (k as f64 + 0.5) * step).map(|r| [r, 2.0 * step * kernel(r)]).collect();
        let at = |k: usize| {
            let wave = HIGHEST * k as f64 / WAVES as f64;
            samples.iter().fold([0.0; 2], |[psi, slope], [r, weight]| {
                let (sine, cosine) = (wave * r).sin_cos();
                [psi + weight * cosine, slope - weight * r * sine]
            })
        };
        Self { psi: (0..=WAVES).map(at).collect(), moment: samples.iter().map(|[r, weight]| weight * r * r).sum() }
    }

    /// psi and its slope, by Hermite's cubic.
    fn at(&self, wave: f64) -> [f64; 2] {
        let step = HIGHEST / WAVES as f64;
        let x = (wave / step).min(WAVES as f64 - 1.0);
        let k = x as usize;
        let ([p, dp], [q, dq]) = (self.psi[k], self.psi[k + 1]);
        let t = x - k as f64;
        let s = 1.0 - t;
        let psi = s * s * (1.0 + 2.0 * t) * p + t * t * (1.0 + 2.0 * s) * q + s * t * step * (s * dp - t * dq);
        let slope = 6.0 * s * t * (q - p) / step + s * (1.0 - 3.0 * t) * dp + t * (1.0 - 3.0 * s) * dq;
        [psi, slope]
    }

    /// For a kernel widened `scale` times along each axis:
    /// int d^3k / (2 pi)^3 g^* (1 - k k / k^2) g (1 + c1 k^2 + c2 k^4) / (eta k^2), g the transform of delta e_k, or of
    /// delta J^-1 e_k x r.
    fn mobility(&self, scale: [f64; 3], eta: f64, [c1, c2]: [f64; 2]) -> KernelMobility {
        let moment = scale.map(|scale| self.moment * scale * scale);
        let (mut translation, mut rotation) = ([0.0; 3], [0.0; 3]);
        let turn = FRAC_PI_2 / ANGLES as f64;
        for (i, j) in (0..ANGLES).flat_map(|i| (0..ANGLES).map(move |j| (i, j))) {
            let (sine, cosine) = ((i as f64 + 0.5) * turn).sin_cos();
            let (up, along) = ((j as f64 + 0.5) * turn).sin_cos();
            let n = [sine * along, sine * up, cosine];
            let reach = [0, 1, 2].map(|k| n[k] * scale[k]);
            let widest = reach.into_iter().fold(0.0, f64::max);
            let step = HIGHEST / WAVES as f64 / widest;
            let solid = sine * turn * turn * step;
            for wave in 0..WAVES {
                let k = (wave as f64 + 0.5) * step;
                let solid = solid * (1.0 + (c1 + c2 * k * k) * k * k);
                let parts = reach.map(|reach| self.at(k * reach));
                let psi = parts.map(|[psi, _]| psi);
                let delta: f64 = psi.iter().product();
                let slope = [0, 1, 2].map(|a| scale[a] * parts[a][1] * psi[CYCLIC[a][0]] * psi[CYCLIC[a][1]]);
                for (axis, [a, b]) in CYCLIC.into_iter().enumerate() {
                    translation[axis] += solid * delta * delta * (1.0 - n[axis] * n[axis]);
                    let divergent = n[a] * slope[b] - n[b] * slope[a];
                    rotation[axis] += solid * (slope[a] * slope[a] + slope[b] * slope[b] - divergent * divergent);
                }
            }
        }
        // Eight octants over (2 pi)^3.
        let share = 1.0 / (PI.powi(3) * eta);
        let arm = CYCLIC.map(|[a, b]| moment[a] + moment[b]);
        KernelMobility {
            translation: translation.map(|sum| share * sum),
            rotation: [0, 1, 2].map(|k| share * rotation[k] / (arm[k] * arm[k])),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(ours: f64, theirs: f64, tolerance: f64) {
        assert!((ours / theirs - 1.0).abs() < tolerance, "{ours} {theirs}");
    }

    #[test]
    fn gaussians_have_their_known_radii() {
        let sigma = 0.4;
        let gaussian = |r: f64| (-0.5 * (r / sigma).powi(2)).exp() / (2.0 * PI).sqrt() / sigma;
        let transform = Transform::of(gaussian, 10.0 * sigma);
        let eta = 0.3;
        let round = transform.mobility([2.5; 3], eta, [0.0; 2]);
        // Maxey and Patel, Int. J. Multiphase Flow 27, 1603, 2001: a = pi^(1/2) sigma, (6 pi^(1/2))^(1/3) sigma.
        let radii = [PI.sqrt(), (6.0 * PI.sqrt()).cbrt()].map(|ratio| ratio * 2.5 * sigma);
        for k in 0..3 {
            close(round.translation[k], 1.0 / (6.0 * PI * eta * radii[0]), 2e-4);
            close(round.rotation[k], 1.0 / (8.0 * PI * eta * radii[1].powi(3)), 2e-4);
        }
        // 1/k^2 = int dt e^(-k^2 t) leaves one integral.
        let scale = [2.5, 1.7, 0.6];
        let ours = transform.mobility(scale, eta, [0.0; 2]).translation;
        for k in 0..3 {
            let integrand = |t: f64| {
                let spread = scale.map(|scale| t + (scale * sigma).powi(2));
                let product: f64 = spread.iter().map(|s| (4.0 * PI * s).powf(-0.5)).product();
                product * (1.0 - 0.5 * t / spread[k])
            };
            let step = 0.01;
            let sum: f64 = (-2000..2000).map(|i| (step * f64::from(i)).exp()).map(|t| step * t * integrand(t)).sum();
            close(ours[k], sum / eta, 1e-3);
        }
    }

    #[test]
    fn the_response_of_gaussians_is_known() {
        let gaussian = |r: f64| (-0.5 * r * r).exp() / (2.0 * PI).sqrt();
        let (transform, sigma, eta) = (Transform::of(gaussian, 10.0), 1.3, 0.3);
        let mean = |response| transform.mobility([sigma; 3], eta, response).translation[1];
        // The mean of 1 - k k / k^2 is 2/3; int delta^2, and with k^2.
        let square = (4.0 * PI * sigma * sigma).powf(-1.5);
        close(mean([0.1, 0.0]) - mean([0.0; 2]), 0.1 * 2.0 / 3.0 * square / eta, 1e-3);
        close(mean([0.0, 0.1]) - mean([0.0; 2]), 0.1 / (sigma * sigma) * square / eta, 1e-3);
    }

    #[test]
    fn the_kernel_is_normal() {
        for xi in [1.0, 2.0, 3.3] {
            let step = 1e-3;
            let samples = || (-4000..4000).map(|k| (f64::from(k) + 0.5) * step);
            close(samples().map(|y| step * weight(y, xi)).sum(), 1.0, 1e-6);
        }
        for shift in [0.0, 0.3, 0.77] {
            let sum: f64 = (-3..=3).map(|k| weight(f64::from(k) + shift, 2.0)).sum();
            close(sum, 1.0, 1e-14);
        }
    }

    /// Spheres of the same mobilities: 0.657 xi and 0.773 xi.
    #[test]
    fn radii_go_with_the_width() {
        let eta = 1.0 / 6.0;
        for xi in [1.0, 2.0, 3.3] {
            let KernelMobility { translation, rotation } = mobility([xi; 3], eta);
            for k in 0..3 {
                close(1.0 / (6.0 * PI * eta * translation[k]), 0.6565 * xi, 1e-3);
                close((1.0 / (8.0 * PI * eta * rotation[k])).cbrt(), 0.7731 * xi, 1e-3);
            }
        }
    }
}
