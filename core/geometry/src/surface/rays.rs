//! How deep the fluid is along a line from a place, and whether a place is within it.

use std::collections::HashMap;

use rayon::prelude::*;

use super::crossings::pierced;
use super::edges::Edges;
use super::mesh::{Mesh, Vector, cross, dot, minus, unit};

/// What lies closer than this share of a piece's length is at the piece.
const AT: f64 = 1e-6;

/// A surface that lines go through.
pub struct Lines<'m> {
    mesh: &'m Mesh,
    /// The shell of each triangle.
    of: &'m [u32],
    /// Whether the surface has no fronts and backs.
    parity: bool,
    /// Which shells are closed by themselves.
    closed: Vec<bool>,
}

/// Where a line goes through a triangle.
struct Pierced {
    at: f64,
    shell: u32,
    /// 1 where it comes out of the fluid, -1 where it goes in.
    turn: i32,
}

impl<'m> Lines<'m> {
    /// `of` and `number` are the shell of each triangle and how many there are.
    pub fn through(mesh: &'m Mesh, edges: &Edges, of: &'m [u32], number: usize, parity: bool) -> Self {
        let mut closed = vec![true; number];
        for sides in edges.each().filter(|_| parity) {
            let mut sides_of: HashMap<u32, usize> = HashMap::new();
            sides.iter().for_each(|side| *sides_of.entry(of[side.triangle as usize]).or_default() += 1);
            sides_of.iter().filter(|(_, count)| *count % 2 == 1).for_each(|(&shell, _)| closed[shell as usize] = false);
        }
        Self { mesh, of, parity, closed }
    }

    /// The crossings of the line from a place along a unit vector, but those of some triangles and nearer than `from`.
    fn crossings(&self, place: Vector, along: Vector, without: &[usize], from: f64) -> Vec<Pierced> {
        let aside = if along[0].abs() < 0.7 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
        let a = unit(cross(aside, along)).unwrap_or_default();
        let b = cross(along, a);
        // The same for each triangle of a point, so that the line crosses a closed surface an even number of times.
        let seen: Vec<([f64; 2], f64)> = self
            .mesh
            .points
            .par_iter()
            .map(|&point| {
                let off = minus(point, place);
                ([dot(off, a), dot(off, b)], dot(off, along))
            })
            .collect();
        let one = |t: usize| {
            let corners = self.mesh.triangles[t].map(|k| seen[k as usize]);
            let flat = corners.map(|corner| corner.0);
            let is_aside = |k: usize| flat.iter().all(|at| at[k] > 0.0) || flat.iter().all(|at| at[k] < 0.0);
            if is_aside(0) || is_aside(1) {
                return None;
            }
            let shares = pierced(flat, [0.0; 2])?;
            let at = (0..3).map(|k| shares[k] * corners[k].1).sum::<f64>();
            let out = dot(self.mesh.area_vector(t), along) > 0.0;
            (at > from).then_some(Pierced { at, shell: self.of[t], turn: if out { 1 } else { -1 } })
        };
        let mut found: Vec<(Pierced, usize)> =
            (0..self.mesh.triangles.len()).into_par_iter().filter_map(|t| Some((one(t)?, t))).collect();
        found.retain(|(_, t)| without.binary_search(t).is_err());
        found.sort_by(|a, b| a.0.at.total_cmp(&b.0.at).then(a.1.cmp(&b.1)));
        found.into_iter().map(|(pierced, _)| pierced).collect()
    }

    /// How deep the fluid is from a place of a piece along a unit vector; `piece` holds its triangles in order, `long`
    /// is its length.
    pub fn depth(&self, place: Vector, along: Vector, piece: &[usize], long: f64) -> f64 {
        let crossings = self.crossings(place, along, piece, AT * long);
        if self.parity {
            return crossings.first().map_or(0.0, |first| first.at);
        }
        let mut within: i32 = crossings.iter().map(|crossing| crossing.turn).sum();
        for crossing in &crossings {
            within -= crossing.turn;
            if within <= 0 {
                return crossing.at;
            }
        }
        0.0
    }

    /// Whether what is in front of a place of a piece is within another shell of the fluid.
    pub fn is_covered(&self, place: Vector, along: Vector, piece: &[usize], long: f64) -> bool {
        let crossings = self.crossings(place, along, piece, AT * long);
        if !self.parity {
            return crossings.iter().map(|crossing| crossing.turn).sum::<i32>() > 0;
        }
        let mut of_shell: HashMap<u32, usize> = HashMap::new();
        crossings.iter().for_each(|crossing| *of_shell.entry(crossing.shell).or_default() += 1);
        of_shell.iter().any(|(&shell, count)| self.closed[shell as usize] && count % 2 == 1)
    }
}
