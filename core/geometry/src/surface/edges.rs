//! Edges of a mesh: which triangles meet at each.

use rayon::prelude::*;

/// A side of a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Side {
    /// The edge: its two points, ascending.
    pub ends: [u32; 2],
    /// The triangle.
    pub triangle: u32,
    /// Which of its sides: from corner `k` to corner `k + 1`.
    pub k: u8,
    /// Whether the triangle goes round from the first point to the second.
    pub forward: bool,
}

/// The sides of some triangles, those of one edge beside each other.
pub struct Edges {
    sides: Vec<Side>,
}

impl Edges {
    /// Of all triangles.
    pub fn of(triangles: &[[u32; 3]]) -> Self {
        let side = |t: usize, k: usize| {
            let (from, to) = (triangles[t][k], triangles[t][(k + 1) % 3]);
            Side { ends: [from.min(to), from.max(to)], triangle: t as u32, k: k as u8, forward: from < to }
        };
        let mut sides: Vec<Side> =
            (0..triangles.len()).into_par_iter().flat_map_iter(|t| (0..3).map(move |k| side(t, k))).collect();
        sides.par_sort_unstable();
        Self { sides }
    }

    /// The sides of each edge.
    pub fn each(&self) -> impl Iterator<Item = &[Side]> {
        self.sides.chunk_by(|a, b| a.ends == b.ends)
    }

    /// The edges where one triangle ends and none goes on.
    pub fn open(&self) -> impl Iterator<Item = Side> {
        self.each().filter(|sides| sides.len() == 1).map(|sides| sides[0])
    }

    /// For each triangle the one beyond each of its sides; `NONE` where there is none or several.
    pub fn beyond(&self, triangles: usize) -> Vec<[u32; 3]> {
        let mut beyond = vec![[NONE; 3]; triangles];
        for sides in self.each() {
            if let &[a, b] = sides {
                beyond[a.triangle as usize][usize::from(a.k)] = b.triangle;
                beyond[b.triangle as usize][usize::from(b.k)] = a.triangle;
            }
        }
        beyond
    }
}

/// No triangle.
pub const NONE: u32 = u32::MAX;

/// Numbers of the pieces that hang together over edges of two triangles, one a triangle, and how many pieces there are.
pub fn pieces(beyond: &[[u32; 3]]) -> (Vec<u32>, usize) {
    let mut of = vec![NONE; beyond.len()];
    let mut count = 0;
    for seed in 0..beyond.len() {
        if of[seed] != NONE {
            continue;
        }
        of[seed] = count;
        let mut next = vec![seed as u32];
        while let Some(t) = next.pop() {
            for &there in beyond[t as usize].iter().filter(|&&there| there != NONE) {
                if of[there as usize] == NONE {
                    of[there as usize] = count;
                    next.push(there);
                }
            }
        }
        count += 1;
    }
    (of, count as usize)
}
