//! A chain at one time.

use super::modes;

type Vector = [f64; 3];

fn minus(a: Vector, b: Vector) -> Vector {
    std::array::from_fn(|k| a[k] - b[k])
}

fn dot(a: Vector, b: Vector) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn mean(points: impl ExactSizeIterator<Item = Vector>) -> Vector {
    let number = points.len() as f64;
    points.fold([0.0; 3], |sum, x| std::array::from_fn(|k| sum[k] + x[k] / number))
}

/// A chain at one time, SI.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// Mean of its beads' positions, over periodic faces, m.
    pub centre: Vector,
    /// Mean of their velocities, m/s.
    pub velocity: Vector,
    /// From the first bead to the last, in rings to the opposite one, m.
    pub end_to_end: Vector,
    /// Rg^2 = sum (r_i - centre)^2 / N, m2.
    pub squared_radius: f64,
    /// The parts of it along x, y, z, m2.
    pub squared_radii: Vector,
    /// kappa^2 = 1 - 3 (l1 l2 + l2 l3 + l3 l1) / (l1 + l2 + l3)^2 of the gyration tensor (Theodorou and Suter, Macromolecules 18,
    /// 1206, 1985); in 2-D 1 - 4 l1 l2 / (l1 + l2)^2. 0 for what is round, 1 for a rod.
    pub anisotropy: f64,
    /// 1 / R_h = sum over pairs of 2 / r_ij / N^2 (Kirkwood and Riseman, J. Chem. Phys. 16, 565, 1948), 1/m; 0 for one bead.
    pub inverse_hydrodynamic_radius: f64,
    /// Its bonds.
    pub bonds: Bonds,
    /// The normal modes from the first on, m, see [`modes::of`].
    pub modes: Vec<Vector>,
}

/// The bonds of a chain with beads at `beads`.
fn vectors(beads: &[Vector], ring: bool) -> Vec<Vector> {
    let count = beads.len();
    let bonds = if ring && count > 2 { count } else { count.saturating_sub(1) };
    (0..bonds).map(|i| minus(beads[(i + 1) % count], beads[i])).collect()
}

/// Lengths of the bonds of a chain with beads at `beads`, m.
pub fn bond_lengths(beads: &[Vector], ring: bool) -> impl Iterator<Item = f64> {
    vectors(beads, ring).into_iter().map(|b| dot(b, b).sqrt())
}

/// Sums over bonds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bonds {
    /// Number of bonds.
    pub number: usize,
    /// Sum of lengths, m.
    pub length: f64,
    /// Sum of their squares, m2.
    pub squared: f64,
    /// Number of bends.
    pub bends: usize,
    /// Sum of the cosines between bonds that follow each other.
    pub cosine: f64,
}

impl Bonds {
    /// The bonds of both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            number: self.number + other.number,
            length: self.length + other.length,
            squared: self.squared + other.squared,
            bends: self.bends + other.bends,
            cosine: self.cosine + other.cosine,
        }
    }

    /// Those of `self` without those of `other`, which are among them.
    #[must_use]
    pub fn without(self, other: Self) -> Self {
        Self {
            number: self.number - other.number,
            length: self.length - other.length,
            squared: self.squared - other.squared,
            bends: self.bends - other.bends,
            cosine: self.cosine - other.cosine,
        }
    }

    /// Mean length, m; `None` without bonds.
    pub fn mean(&self) -> Option<f64> {
        (self.number > 0).then(|| self.length / self.number as f64)
    }

    /// Mean cosine between bonds that follow each other; `None` without bends.
    pub fn bend_cosine(&self) -> Option<f64> {
        (self.bends > 0).then(|| self.cosine / self.bends as f64)
    }

    /// The persistence length of a worm-like chain with the mean cosine, `-b / ln <cos>`, m; `None` where that is not from 0 to 1.
    pub fn persistence_length(&self) -> Option<f64> {
        let cosine = self.bend_cosine().filter(|c| *c > 0.0 && *c < 1.0)?;
        Some(-self.mean()? / cosine.ln())
    }

    fn of(beads: &[Vector], ring: bool) -> Self {
        let closes = ring && beads.len() > 2;
        let bonds = vectors(beads, ring);
        let lengths: Vec<f64> = bonds.iter().map(|&b| dot(b, b).sqrt()).collect();
        let bends = if closes { bonds.len() } else { bonds.len().saturating_sub(1) };
        let cosine = |i: usize| {
            let next = (i + 1) % bonds.len();
            dot(bonds[i], bonds[next]) / (lengths[i] * lengths[next])
        };
        Self {
            number: bonds.len(),
            length: lengths.iter().sum(),
            squared: lengths.iter().map(|l| l * l).sum(),
            bends,
            cosine: (0..bends).map(cosine).sum(),
        }
    }
}

fn inverse_hydrodynamic_radius(beads: &[Vector]) -> f64 {
    let off = |(a, b): (Vector, Vector)| minus(a, b);
    let with_later = |(i, &a): (usize, &Vector)| beads[i + 1..].iter().map(move |&b| (a, b));
    let pairs = beads.iter().enumerate().flat_map(with_later).map(off);
    pairs.map(|d| 2.0 / dot(d, d).sqrt()).sum::<f64>() / (beads.len() as f64).powi(2)
}

impl Snapshot {
    /// Reduces a chain with beads at `beads`, m, and their velocities, m/s.
    ///
    /// # Panics
    /// Without beads.
    pub fn of(beads: &[Vector], velocities: &[[f32; 3]], ring: bool, dimension: usize) -> Self {
        let centre = mean(beads.iter().copied());
        let far = if ring { beads.len() / 2 } else { beads.len() - 1 };
        let tensor: [Vector; 3] = std::array::from_fn(|j| {
            mean(beads.iter().map(|&x| {
                let d = minus(x, centre);
                d.map(|along| along * d[j])
            }))
        });
        let trace = tensor[0][0] + tensor[1][1] + tensor[2][2];
        // l1 l2 + l2 l3 + l3 l1 is the sum of the principal minors.
        let minor = |i: usize, j: usize| tensor[i][i] * tensor[j][j] - tensor[i][j].powi(2);
        let pairs = minor(0, 1) + minor(1, 2) + minor(0, 2);
        let most = if dimension == 2 { 4.0 } else { 3.0 };
        Self {
            centre,
            velocity: mean(velocities.iter().map(|v| v.map(f64::from))),
            end_to_end: minus(beads[far], beads[0]),
            squared_radius: trace,
            squared_radii: std::array::from_fn(|a| tensor[a][a]),
            anisotropy: if trace > 0.0 { 1.0 - most * pairs / (trace * trace) } else { 0.0 },
            inverse_hydrodynamic_radius: inverse_hydrodynamic_radius(beads),
            bonds: Bonds::of(beads, ring),
            modes: modes::of(beads, ring),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(beads: &[Vector], ring: bool, dimension: usize) -> Snapshot {
        Snapshot::of(beads, &vec![[1.0, -2.0, 0.5]; beads.len()], ring, dimension)
    }

    #[test]
    fn a_rod_and_a_square() {
        let rod: Vec<Vector> = (0..5).map(|i| [f64::from(i), 0.0, 0.0]).collect();
        let found = of(&rod, false, 3);
        assert_eq!(
            (found.centre, found.end_to_end, found.velocity),
            ([2.0, 0.0, 0.0], [4.0, 0.0, 0.0], [1.0, -2.0, 0.5])
        );
        // b^2 (N^2 - 1) / 12.
        assert!((found.squared_radius - 2.0).abs() < 1e-12 && (found.anisotropy - 1.0).abs() < 1e-12);
        assert_eq!(found.squared_radii, [found.squared_radius, 0.0, 0.0]);
        assert_eq!(found.bonds, Bonds { number: 4, length: 4.0, squared: 4.0, bends: 3, cosine: 3.0 });
        // Four pairs one bond apart, three two, two three, one four.
        assert!((found.inverse_hydrodynamic_radius - 2.0 * (4.0 + 1.5 + 2.0 / 3.0 + 0.25) / 25.0).abs() < 1e-12);
        let square = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
        let found = of(&square, true, 2);
        assert_eq!((found.squared_radius, found.end_to_end), (0.5, [1.0, 1.0, 0.0]));
        assert!(found.anisotropy.abs() < 1e-12);
        assert_eq!(found.bonds, Bonds { number: 4, length: 4.0, squared: 4.0, bends: 4, cosine: 0.0 });
        // In space a flat square is half as round as a ball: kappa^2 = 1 - 3 / 4.
        assert!((of(&square, true, 3).anisotropy - 0.25).abs() < 1e-12);
        let single = of(&[[1.0, 2.0, 3.0]], true, 3);
        assert_eq!((single.squared_radius, single.anisotropy, single.bonds.number), (0.0, 0.0, 0));
    }
}
