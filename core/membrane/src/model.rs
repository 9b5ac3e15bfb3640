//! The energy of a membrane, in f64.

use hematite_cells::vector::{Point, cross, dot, length, minus};
use hematite_cells::{Bending, InPlane, Mechanics, Rest, Surface, mean_side};
use hematite_config::{Fault, Result};

use super::links::{Links, Mesh};
use super::wlc_power::Spring;
use super::{
    fairing, gompper_kroll, hardening, kantor_nelson, linear, local_area, neo_hookean, quadratic, ring_bending, skalak,
    triangle,
};

/// Largest exponent of the springs' repulsion.
const LARGEST_POWER: f64 = 12.0;

/// The membrane of a kind of cell: its reference shape at full size and its laws, all in one set of units.
#[derive(Clone, Debug)]
pub struct Model {
    pub(crate) dimension: usize,
    pub(crate) surface: Surface,
    pub(crate) mechanics: Mechanics,
    /// Neighbourhoods of the mesh, in 3-D only.
    pub(crate) links: Option<Links>,
    /// Target area and volume at full size (2-D: perimeter and area).
    pub(crate) rest: [f64; 2],
    /// The sides, each once.
    pub(crate) sides: Vec<[usize; 2]>,
    /// Mean length of the sides at rest and full size.
    pub(crate) side: f64,
    /// Fold along each side at rest ([`fairing::folds`]).
    pub(crate) folds: Vec<f64>,
}

/// Energy by origin.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energy {
    /// Elasticity within the membrane.
    pub in_plane: f64,
    /// Elasticity against bending.
    pub bending: f64,
    /// Fairing.
    pub fairing: f64,
    /// Areas of triangles.
    pub local_area: f64,
    /// The whole area (2-D: perimeter).
    pub global_area: f64,
    /// The volume (2-D: area).
    pub volume: f64,
}

impl Energy {
    /// Sum of all terms.
    pub fn total(&self) -> f64 {
        self.in_plane + self.bending + self.fairing + self.local_area + self.global_area + self.volume
    }
}

impl Model {
    /// The membrane with reference shape `surface`.
    ///
    /// # Errors
    /// A usage fault where the surface is open or no surface, a law is for the other dimension, or a number is out of
    /// range.
    pub fn new(dimension: usize, surface: &Surface, mechanics: &Mechanics) -> Result<Self> {
        let count = surface.vertices.len();
        let links = match dimension {
            2 if count < 3 => return Err(Fault::usage(format!("a ring of {count} vertices: it needs at least 3"))),
            2 => None,
            _ => Some(Links::new(surface)?),
        };
        check(dimension, mechanics)?;
        let rest = [surface.area(), mechanics.volume_share * surface.volume()];
        if !(rest[0] > 0.0 && surface.volume() > 0.0) {
            return Err(Fault::usage(format!(
                "the surface of a cell has area {:e} and volume {:e}: both must be positive, its {}",
                rest[0],
                surface.volume(),
                if dimension == 2 {
                    "vertices counter-clockwise"
                } else {
                    "triangles counter-clockwise seen from outside"
                }
            )));
        }
        let sides: Vec<_> = surface.edges().into_iter().map(|side| side.map(|v| v as usize)).collect();
        let side = mean_side(&surface.vertices, &sides);
        let folds = fairing::folds(side, &sides, &surface.vertices);
        Ok(Self { dimension, surface: surface.clone(), mechanics: mechanics.clone(), links, rest, sides, side, folds })
    }

    /// 2 or 3.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// The neighbours of vertex `v`: in 3-D around it, in 2-D before and after it.
    pub(crate) fn neighbours(&self, v: usize) -> Vec<usize> {
        let count = self.surface.vertices.len();
        match &self.links {
            None => vec![(v + count - 1) % count, (v + 1) % count],
            Some(links) => links.rings[v].clone(),
        }
    }

    /// The springs of the worm-like chain law; `None` for other laws.
    pub(crate) fn spring(&self) -> Option<Spring> {
        match self.mechanics.in_plane {
            Some(InPlane::WlcPower { mu, x0, power }) => Some(Spring::new(mu, x0, power as i32)),
            _ => None,
        }
    }

    /// Area and volume of a cell with its vertices at `x` (2-D: perimeter and area).
    pub fn shape(&self, x: &[Point]) -> [f64; 2] {
        // Relative to a vertex, since the volume of a cell far from the origin would lose digits.
        let surface = Surface { vertices: x.iter().map(|&v| minus(v, x[0])).collect(), ..self.surface.clone() };
        [surface.area(), surface.volume()]
    }

    /// The energy of a cell with its vertices at `x`, with the reference shape scaled by `scale`.
    pub fn energy(&self, x: &[Point], scale: f64) -> Energy {
        let [area, volume] = self.shape(x);
        let power = self.dimension as i32;
        let mut energy = match &self.links {
            None => self.ring_energy(x, scale),
            Some(links) => self.mesh_energy(&Mesh::of(links), x, scale),
        };
        let rest = [scale.powi(power - 1) * self.rest[0], scale.powi(power) * self.rest[1]];
        energy.fairing = self.fairing_energy(&self.sides, &self.folds, x, scale);
        [energy.global_area, energy.volume] = self.penalties([area, volume], rest);
        energy
    }

    /// What keeps the whole area and the volume at those of `rest`.
    pub(crate) fn penalties(&self, [area, volume]: [f64; 2], rest: [f64; 2]) -> [f64; 2] {
        let mechanics = &self.mechanics;
        let of_volume = if mechanics.volume > 0.0 { quadratic::energy(mechanics.volume, volume, rest[1]) } else { 0.0 };
        [quadratic::energy(mechanics.global_area, area, rest[0]), of_volume]
    }

    fn ring_energy(&self, x: &[Point], scale: f64) -> Energy {
        let (n, rest) = (x.len(), &self.surface.vertices);
        let mut energy = Energy::default();
        for i in 0..n {
            let (before, after) = ((i + n - 1) % n, (i + 1) % n);
            let l = length(minus(x[after], x[i]));
            let l0 = scale * length(minus(rest[after], rest[i]));
            energy.in_plane += match self.mechanics.in_plane {
                Some(InPlane::Linear { k }) => linear::energy(k, l, l0),
                Some(InPlane::Hardening { k, limit }) => hardening::energy(k, limit, l, l0),
                _ => 0.0,
            };
            if let Some(Bending::Ring { kappa, .. }) = self.mechanics.bending {
                let c0 = self.rest_curvature(i) / scale;
                energy.bending += ring_bending::energy(kappa, c0, minus(x[i], x[before]), minus(x[after], x[i]));
            }
        }
        energy
    }

    /// Energy of the parts of `mesh`.
    pub(crate) fn mesh_energy(&self, mesh: &Mesh, x: &[Point], scale: f64) -> Energy {
        let rest = &self.surface.vertices;
        let spring = self.spring();
        let mut energy = Energy::default();
        for &[p, q, left, right] in &*mesh.edges {
            if let Some(spring) = spring {
                let [l, l0] = [x, rest].map(|x| length(minus(x[q], x[p])));
                energy.in_plane += spring.energy(l, scale * l0);
            }
            if let Some(Bending::KantorNelson { kappa, .. }) = self.mechanics.bending {
                let theta = kantor_nelson::angle(x[p], x[q], x[left], x[right]);
                energy.bending += kantor_nelson::energy(kappa, theta, self.rest_angle([p, q, left, right]));
            }
        }
        for &[p, q, r] in &*mesh.triangles {
            let now = [minus(x[q], x[p]), minus(x[r], x[p])];
            let before = [minus(rest[q], rest[p]), minus(rest[r], rest[p])].map(|e| e.map(|c| scale * c));
            let rest_area = triangle::area(before);
            energy.in_plane += rest_area
                * match self.mechanics.in_plane {
                    Some(InPlane::Skalak { g, c }) => skalak::energy(g, c, triangle::invariants(before, now)),
                    Some(InPlane::NeoHookean { g }) => neo_hookean::energy(g, triangle::invariants(before, now)),
                    _ => 0.0,
                };
            energy.local_area += local_area::energy(self.mechanics.local_area, triangle::area(now), rest_area);
        }
        if let Some(Bending::GompperKroll { kappa }) = self.mechanics.bending {
            for &(v, ring) in &mesh.rings {
                let ring: Vec<Point> = ring.iter().map(|&n| x[n]).collect();
                energy.bending += gompper_kroll::energy(kappa, x[v], &ring);
            }
        }
        energy
    }

    /// Energy of fairing along `sides`, which have the folds `rest` at rest.
    pub(crate) fn fairing_energy(&self, sides: &[[usize; 2]], rest: &[f64], x: &[Point], scale: f64) -> f64 {
        match self.mechanics.fairing {
            0.0 => 0.0,
            _ => fairing::energy(self.fairing() / scale.powi(self.depth()), scale * self.side, sides, rest, x),
        }
    }

    /// The modulus of fairing at full size; in 2-D over the mean side, as energies are those of one unit of depth.
    pub(crate) fn fairing(&self) -> f64 {
        self.mechanics.fairing / self.side.powi(self.depth())
    }

    /// 1 in 2-D, where membranes extend along z, and 0 in 3-D.
    fn depth(&self) -> i32 {
        3 - self.dimension as i32
    }

    /// Reference curvature at vertex `i` of a ring at full size.
    pub(crate) fn rest_curvature(&self, i: usize) -> f64 {
        let (n, x) = (self.surface.vertices.len(), &self.surface.vertices);
        match self.mechanics.bending {
            Some(Bending::Ring { rest: Rest::Shape, .. }) => {
                ring_bending::curvature(minus(x[i], x[(i + n - 1) % n]), minus(x[(i + 1) % n], x[i]))
            }
            _ => 0.0,
        }
    }

    /// Reference angle at an edge of a mesh.
    pub(crate) fn rest_angle(&self, [p, q, left, right]: [usize; 4]) -> f64 {
        let x = &self.surface.vertices;
        match self.mechanics.bending {
            Some(Bending::KantorNelson { rest: Rest::Shape, .. }) => {
                kantor_nelson::angle(x[p], x[q], x[left], x[right])
            }
            _ => 0.0,
        }
    }

    /// Reference (K_11, K_12, A_0) of the triangle with corner `v` and edges to `p` and `q`: `K = A_0 G^-1` with the
    /// metric G.
    pub(crate) fn rest_metric(&self, v: usize, p: usize, q: usize) -> [f64; 3] {
        let x = &self.surface.vertices;
        let (a, b) = (minus(x[p], x[v]), minus(x[q], x[v]));
        let twice = length(cross(a, b));
        [0.5 * dot(b, b) / twice, -0.5 * dot(a, b) / twice, 0.5 * twice]
    }
}

/// Refuses laws for the other dimension and numbers out of range.
fn check(dimension: usize, mechanics: &Mechanics) -> Result<()> {
    let refuse = |key: &str, value: f64, want: &str| {
        Err(Fault::usage(format!("mechanics: {key} is {value}: it must be {want}")))
    };
    let modulus = |key: &str, value: f64| match value >= 0.0 && value.is_finite() {
        true => Ok(()),
        false => refuse(key, value, "a number of at least 0"),
    };
    let plane = dimension == 2;
    match mechanics.in_plane {
        None => {}
        Some(InPlane::Linear { k }) if plane => modulus("the modulus of stretching", k)?,
        Some(InPlane::Hardening { k, limit }) if plane => {
            modulus("the modulus of stretching", k)?;
            if limit.is_nan() || limit <= 1.0 {
                return refuse("the largest stretch", limit, "above 1");
            }
        }
        Some(InPlane::WlcPower { mu, x0, power }) if !plane => {
            modulus("the shear modulus", mu)?;
            if !(x0 > 0.0 && x0 < 0.95) {
                return refuse("the rest length over the largest", x0, "between 0 and 0.95");
            }
            if power.fract() != 0.0 || !(1.0..=LARGEST_POWER).contains(&power) {
                return refuse("the exponent of the repulsion", power, "a whole number from 1 to 12");
            }
        }
        Some(InPlane::Skalak { g, c }) if !plane => {
            modulus("the shear modulus", g)?;
            modulus("the area dilation constant", c)?;
        }
        Some(InPlane::NeoHookean { g }) if !plane => modulus("the shear modulus", g)?,
        Some(other) => return Err(wrong_dimension(dimension, &other)),
    }
    match mechanics.bending {
        None => {}
        Some(Bending::Ring { kappa, .. }) if plane => modulus("the bending modulus", kappa)?,
        Some(Bending::KantorNelson { kappa, .. } | Bending::GompperKroll { kappa }) if !plane => {
            modulus("the bending modulus", kappa)?;
        }
        Some(other) => return Err(wrong_dimension(dimension, &other)),
    }
    modulus("the modulus of fairing", mechanics.fairing)?;
    modulus("the modulus of local area", mechanics.local_area)?;
    modulus("the modulus of global area", mechanics.global_area)?;
    modulus("the modulus of volume", mechanics.volume)?;
    modulus("the viscosity of the membrane", mechanics.viscosity)?;
    if plane && mechanics.local_area > 0.0 {
        return refuse("the modulus of local area", mechanics.local_area, "0 in 2-D, where sides have no area");
    }
    if mechanics.volume > 0.0 && !(mechanics.volume_share > 0.0 && mechanics.volume_share.is_finite()) {
        return refuse("the wanted share of the shape's volume", mechanics.volume_share, "above 0");
    }
    Ok(())
}

fn wrong_dimension(dimension: usize, law: &impl std::fmt::Debug) -> Fault {
    let laws = match dimension {
        2 => "linear, hardening and ring",
        _ => "wlc_power, skalak, neo_hookean, kantor_nelson and gompper_kroll",
    };
    Fault::usage(format!("mechanics: {law:?} is no law of {dimension}-D cells: those are {laws}"))
}
