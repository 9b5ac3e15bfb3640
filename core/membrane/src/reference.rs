//! Tables of the reference shape for kernels, shared by all cells of a population.

use std::collections::HashMap;

use hematite_cells::vector::{length, minus};

use super::links::Links;
use super::model::Model;
use super::shaders::Flags;

/// The table of a 2-D ring: the rest length of side i and the reference curvature of vertex i, for each i.
pub(crate) fn of_ring(model: &Model) -> Vec<f64> {
    let x = &model.surface.vertices;
    (0..x.len()).flat_map(|i| [length(minus(x[(i + 1) % x.len()], x[i])), model.rest_curvature(i)]).collect()
}

/// [`Model::folds`] by neighbour, with neighbours numbered as in fairing.wgsl.
pub(crate) fn folds(model: &Model) -> Vec<f64> {
    let count = model.surface.vertices.len();
    let both_ways = |(&[i, j], &fold): (&[usize; 2], &f64)| [([i, j], fold), ([j, i], fold)];
    let folds: HashMap<[usize; 2], f64> = model.sides.iter().zip(&model.folds).flat_map(both_ways).collect();
    let valence = model.links.as_ref().map_or(2, Links::valence);
    let mut table = vec![0.0; valence * count];
    for v in 0..count {
        let mut neighbours = model.neighbours(v);
        if model.links.is_some() {
            // `Mesh::ring` begins with n_1.
            neighbours.rotate_left(1);
        }
        for (k, n) in neighbours.into_iter().enumerate() {
            table[k * count + v] = folds[&[v, n]];
        }
    }
    table
}

/// The tables of a mesh. Tables by neighbour hold neighbour k of vertex v at `k * vertices + v`: adjacent invocations
/// read adjacent numbers.
pub(crate) struct Mesh {
    /// Number of neighbours of each vertex.
    pub valence: Vec<u32>,
    /// n_(k+1) and, from bit 16 on, the vertex beyond the edge from n_k to n_(k+1).
    pub ring: Vec<u32>,
    /// Corners of triangles: p and, from bit 16 on, q in the first word, r in the second.
    pub triangles: Vec<[u32; 2]>,
    /// The tables of the quantities of [`Flags::quantities`], one after another.
    pub reference: Vec<f64>,
}

pub(crate) fn of_mesh(model: &Model, links: &Links, flags: &Flags) -> Mesh {
    let (count, valence) = (links.rings.len(), links.valence());
    let table = valence * count;
    let mut ring = vec![0; table];
    let mut reference = vec![0.0; flags.quantities().count * table];
    let place = flags.quantities();
    for (v, neighbours) in links.rings.iter().enumerate() {
        let m = neighbours.len();
        for k in 0..m {
            let (n, next, before) = (neighbours[k], neighbours[(k + 1) % m], neighbours[(k + m - 1) % m]);
            let beyond = links.beyond[v][k];
            let at = k * count + v;
            ring[at] = next as u32 | (beyond as u32) << 16;
            let mut put = |quantity: usize, value: f64| reference[quantity * table + at] = value;
            if flags.springs {
                put(place.length, length(minus(model.surface.vertices[n], model.surface.vertices[v])));
            }
            let [k11, k12, area] = model.rest_metric(v, n, next);
            if flags.strains {
                put(place.metric, k11);
                put(place.metric + 1, k12);
            }
            if flags.strains || flags.local_area {
                put(place.area, area);
            }
            if flags.kantor_nelson && flags.curved {
                put(place.spoke, (0.5 * model.rest_angle([v, n, next, before])).tan());
                put(place.rim, (0.5 * model.rest_angle([n, next, v, beyond])).tan());
            }
        }
    }
    Mesh {
        valence: links.rings.iter().map(|ring| ring.len() as u32).collect(),
        ring,
        triangles: links.triangles.iter().map(|&[p, q, r]| [p as u32 | (q as u32) << 16, r as u32]).collect(),
        reference,
    }
}
