//! Neighbourhoods on a triangle mesh.

use std::borrow::Cow;
use std::collections::HashMap;

use hematite_cells::Surface;
use hematite_config::{Fault, Result};

/// Most vertices of a cell: tables hold a vertex in 16 bits.
const MOST_VERTICES: usize = 65_536;

/// The neighbourhoods of a closed triangle mesh.
#[derive(Clone, Debug)]
pub(crate) struct Links {
    /// Corners of each triangle, counter-clockwise seen from outside.
    pub triangles: Vec<[usize; 3]>,
    /// Neighbours n_k of each vertex v, counter-clockwise: triangle k of v is (v, n_k, n_(k+1)).
    pub rings: Vec<Vec<usize>>,
    /// For each vertex and k, the vertex beyond the edge from n_k to n_(k+1).
    pub beyond: Vec<Vec<usize>>,
    /// Each edge once: its ends p and q, and the vertices opposite in the triangles on its left and on its right.
    pub edges: Vec<[usize; 4]>,
}

/// Parts of a triangle mesh that have an energy, in the form they have in [`Links`].
pub(crate) struct Mesh<'l> {
    /// Edges with the vertices opposite.
    pub edges: Cow<'l, [[usize; 4]]>,
    /// Triangles.
    pub triangles: Cow<'l, [[usize; 3]]>,
    /// Vertices with their neighbours.
    pub rings: Vec<(usize, &'l [usize])>,
}

impl<'l> Mesh<'l> {
    /// The whole mesh.
    pub(crate) fn of(links: &'l Links) -> Self {
        Self {
            edges: Cow::Borrowed(&links.edges),
            triangles: Cow::Borrowed(&links.triangles),
            rings: links.rings.iter().map(Vec::as_slice).enumerate().collect(),
        }
    }

    /// What changes its energy when vertex `v` moves.
    pub(crate) fn around(links: &'l Links, v: usize) -> Self {
        let near = std::iter::once(v).chain(links.rings[v].iter().copied());
        Self {
            edges: links.edges.iter().filter(|edge| edge.contains(&v)).copied().collect(),
            triangles: links.triangles.iter().filter(|corners| corners.contains(&v)).copied().collect(),
            rings: near.map(|v| (v, links.rings[v].as_slice())).collect(),
        }
    }
}

impl Links {
    /// The neighbourhoods of a surface.
    ///
    /// # Errors
    /// A usage fault where the surface is too fine, open, or no surface at all.
    pub(crate) fn new(surface: &Surface) -> Result<Self> {
        let count = surface.vertices.len();
        if !(4..=MOST_VERTICES).contains(&count) {
            return Err(Fault::usage(format!(
                "the mesh of a cell has {count} vertices: 4 to {MOST_VERTICES} can be used"
            )));
        }
        let triangles: Vec<[usize; 3]> = surface.triangles.iter().map(|t| t.map(|v| v as usize)).collect();
        let mut opposite = HashMap::new();
        let mut corners = vec![0; count];
        let mut start = vec![usize::MAX; count];
        for &[a, b, c] in &triangles {
            for (p, q, r) in [(a, b, c), (b, c, a), (c, a, b)] {
                if p >= count || q >= count || p == q {
                    return Err(Fault::usage(format!(
                        "the mesh of a cell has a triangle ({a}, {b}, {c}) that is none"
                    )));
                }
                if opposite.insert((p, q), r).is_some() {
                    return Err(Fault::usage(format!(
                        "the mesh of a cell has more than two triangles, or two that face opposite ways, at the edge \
                         between vertices {p} and {q}: it must be a closed surface whose triangles all face outwards"
                    )));
                }
                corners[p] += 1;
                start[p] = start[p].min(q);
            }
        }
        if let Some((p, q)) = opposite.keys().filter(|&&(p, q)| !opposite.contains_key(&(q, p))).min() {
            return Err(Fault::usage(format!(
                "the mesh of a cell is open at the edge between vertices {p} and {q}: it must be a closed surface"
            )));
        }
        let mut rings = Vec::with_capacity(count);
        for v in 0..count {
            let mut ring = Vec::new();
            let mut n = start[v];
            while n != usize::MAX && ring.first() != Some(&n) {
                ring.push(n);
                n = opposite[&(v, n)];
            }
            if ring.len() < 3 || ring.len() != corners[v] {
                return Err(Fault::usage(format!(
                    "the mesh of a cell is no surface at vertex {v}: {} triangles meet there, {} of them around it",
                    corners[v],
                    ring.len()
                )));
            }
            rings.push(ring);
        }
        let beyond = rings
            .iter()
            .map(|ring| (0..ring.len()).map(|k| opposite[&(ring[(k + 1) % ring.len()], ring[k])]).collect())
            .collect();
        let mut edges: Vec<[usize; 4]> = opposite
            .iter()
            .filter(|((p, q), _)| p < q)
            .map(|(&(p, q), &left)| [p, q, left, opposite[&(q, p)]])
            .collect();
        edges.sort_unstable();
        Ok(Self { triangles, rings, beyond, edges })
    }

    /// The most neighbours of a vertex.
    pub(crate) fn valence(&self) -> usize {
        self.rings.iter().map(Vec::len).max().unwrap_or(0)
    }
}
