//! A time step in plain f64, particle by particle.

use std::collections::BTreeMap;
use std::f64::consts::TAU;

use hematite_engine::philox;
use physics_srd::{Particle, Walls};

use crate::domain::Setting;

/// A particle in f64: position in sites from the lowest corner, velocity in sites a step.
#[derive(Clone, Copy, Debug)]
pub struct Body {
    pub x: [f64; 3],
    pub v: [f64; 3],
    /// Mass in that of a particle.
    pub m: f64,
    /// How near a decision was that rounding may turn: the end of its way or a corner on it to another site.
    pub doubt: f64,
}

fn uniform(word: u32) -> f64 {
    (f64::from(word >> 8) + 1.0) / f64::from(1 << 24)
}

impl Body {
    pub fn of(setting: &Setting, particle: &Particle) -> Self {
        let one = f64::from(1 << setting.parameters.bits());
        Self {
            x: particle.position.map(|x| f64::from(x) / one),
            v: particle.velocity.map(f64::from),
            m: 1.0,
            doubt: 1.0,
        }
    }
}

/// The shift of the cells in a step.
pub fn shift(setting: &Setting, step: u64) -> [f64; 3] {
    let bits = setting.parameters.bits();
    let words = philox([step as u32, (step >> 32) as u32, 2, 0], setting.parameters.seed);
    [0, 1, 2].map(|a| {
        let whole = if a < setting.parameters.dimension { words[a] >> (32 - bits) } else { 0 };
        f64::from(whole) / f64::from(1 << bits)
    })
}

/// The cell of each body in a step, in the domain.
pub fn cells(setting: &Setting, bodies: &[Body], step: u64) -> Vec<[i32; 3]> {
    let s = shift(setting, step);
    let (extent, periodic) = (setting.parameters.extent, setting.parameters.periodic);
    let along = |body: &Body, a: usize| {
        let cell = (body.x[a] + s[a]).floor() as i32;
        if periodic[a] { cell.rem_euclid(extent[a] as i32) } else { cell }
    };
    bodies.iter().map(|body| [0, 1, 2].map(|a| along(body, a))).collect()
}

/// The rotation of a cell about a random axis, or in 2-D to a random side, without walls and thermostat.
pub fn collide(setting: &Setting, bodies: &mut [Body], step: u64) {
    let p = &setting.parameters;
    // In 2-D, the angle as f32 holds its cosine and sine.
    let [cosine, sine] = p.turn();
    let angle = if p.dimension == 2 { sine.atan2(cosine) } else { p.angle };
    assert!((angle - p.angle).abs() < 1.1e-5, "{angle}");
    let of = cells(setting, bodies, step);
    let mut sums: BTreeMap<[i32; 3], (f64, [f64; 3])> = BTreeMap::new();
    for (cell, body) in of.iter().zip(&*bodies) {
        let (mass, sum) = sums.entry(*cell).or_insert((0.0, [0.0; 3]));
        *mass += body.m;
        sum.iter_mut().zip(body.v).for_each(|(s, v)| *s += body.m * v);
    }
    for (&[x, y, z], body) in of.iter().zip(bodies) {
        let (mass, sum) = sums[&[x, y, z]];
        let u = sum.map(|s| s / mass);
        let w = [0, 1, 2].map(|a| body.v[a] - u[a]);
        let words = philox([x as u32 | (y as u32) << 16, step as u32, 0, z as u32], p.seed);
        let turned = if p.dimension == 2 {
            let sine = if words[0] & 1 == 1 { -angle.sin() } else { angle.sin() };
            [angle.cos() * w[0] - sine * w[1], sine * w[0] + angle.cos() * w[1], 0.0]
        } else {
            let height = 2.0 * uniform(words[0]) - 1.0;
            let (radius, turn) = ((1.0 - height * height).sqrt(), TAU * uniform(words[1]));
            rotated(w, [radius * turn.cos(), radius * turn.sin(), height], angle)
        };
        body.v = [0, 1, 2].map(|a| u[a] + turned[a]);
    }
}

/// `w` turned by `angle` about the unit vector `n`, by the matrix of Rodrigues.
fn rotated(w: [f64; 3], n: [f64; 3], angle: f64) -> [f64; 3] {
    let cross = [[0.0, -n[2], n[1]], [n[2], 0.0, -n[0]], [-n[1], n[0], 0.0]];
    let (sin, cos) = angle.sin_cos();
    let element = |i: usize, j: usize| {
        let square: f64 = (0..3).map(|k| cross[i][k] * cross[k][j]).sum();
        f64::from(u8::from(i == j)) + sin * cross[i][j] + (1.0 - cos) * square
    };
    [0, 1, 2].map(|i| (0..3).map(|j| element(i, j) * w[j]).sum())
}

/// The velocity that Andersen's thermostat gives a particle, or with `family` 1 an embedded point of mass 1.
pub fn thermal(setting: &Setting, label: u32, family: u32, step: u64) -> [f64; 3] {
    let words = philox([label, step as u32, 4, family], setting.parameters.seed);
    // The device takes 24 bits of each word.
    let pair = |a: u32, b: u32| {
        let (radius, turn) = ((-2.0 * uniform(a).ln()).sqrt(), TAU * uniform(b));
        [radius * turn.cos(), radius * turn.sin()]
    };
    let [a, b] = pair(words[0], words[1]);
    let c = if setting.parameters.dimension == 3 { pair(words[2], words[3])[0] } else { 0.0 };
    [a, b, c].map(|n| setting.parameters.speed * n)
}

/// Free flight for a step with the walls on the way: the earliest face of a wall among all faces crossed, again and again.
pub fn fly(setting: &Setting, body: &mut Body, wall_velocity: [f64; 3]) {
    let p = &setting.parameters;
    let is_wall = |site: [i32; 3]| setting.site(site) != hematite_geometry::Site::FLUID;
    let mut left = 1.0;
    for _ in 0..16 {
        let start = body.x.map(|x| x.floor() as i32);
        // All crossings of faces on the way, in order of time.
        let mut crossings: Vec<(f64, usize, i32)> = Vec::new();
        for a in 0..p.dimension {
            let (x, v) = (body.x[a], body.v[a]);
            let mut face = if v > 0.0 { x.floor() + 1.0 } else { x.floor() };
            while v != 0.0 && (face - x) / v < left {
                crossings.push(((face - x) / v, a, if v > 0.0 { 1 } else { -1 }));
                face += v.signum();
            }
        }
        crossings.sort_by(|a, b| a.0.total_cmp(&b.0));
        for pair in crossings.windows(2) {
            body.doubt = body.doubt.min((pair[1].0 - pair[0].0).abs());
        }
        let mut site = start;
        let hit = crossings.into_iter().find_map(|(time, a, way)| {
            site[a] += way;
            is_wall(site).then_some((time, a, site))
        });
        let ahead = hit.map_or(left, |(time, ..)| time);
        body.x = [0, 1, 2].map(|a| body.x[a] + body.v[a] * ahead);
        for a in 0..p.dimension {
            let beside = (body.x[a] - body.x[a].round()).abs();
            if hit.is_none_or(|(_, axis, _)| axis != a) {
                body.doubt = body.doubt.min(beside);
            }
        }
        let Some((time, a, at)) = hit else { return };
        left -= time;
        // Just inside, so that the next leg begins in the fluid.
        body.x[a] = body.x[a].round() - 1e-9 * body.v[a].signum();
        let u = if setting.site(at).as_opening().is_some() { wall_velocity } else { [0.0; 3] };
        body.v = match p.walls {
            Walls::Slip => {
                let mut v = body.v;
                v[a] = -v[a];
                v
            }
            _ => [0, 1, 2].map(|c| 2.0 * u[c] - body.v[c]),
        };
        if left <= 0.0 {
            return;
        }
    }
}
