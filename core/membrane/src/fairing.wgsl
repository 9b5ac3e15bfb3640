// Fairing: E = k / 2 (FAIR l)^2 sum q^3 / (1 + q^2) over sides ij, in 2-D over l, with l the mean side at rest,
//   q = (|d_ij|^2 - |d_ij at rest|^2) / (FAIR l)^2 where that is positive, else 0,
//   d_ij = u_i - u_j,  u_i = (mean of i's neighbours) - r_i
// It resists folds one or two sides wide, for which bending is too weak. It does not act on the shape at rest, and
// hardly on shapes that the mesh resolves, where d is small. With
//   w_i = sum_j g_ij d_ij,  g = q^2 (3 + q^2) / (1 + q^2)^2
// the force is F_i = k (w_i - sum_j w_j / n_j), n_j the number of j's neighbours.
const FAIR: real = real(${fair});

// u and w of each vertex.
#if dimension == 2
var<storage, read_write> offset: array<vec2<real>>;
var<storage, read_write> unevenness: array<vec2<real>>;
#else
var<storage, read_write> offset: array<vec4<real>>;
var<storage, read_write> unevenness: array<vec4<real>>;
#endif

// |d|^2 / (FAIR l)^2 at rest along the side to neighbour k of vertex v, at index k * VERTICES + v.
var<storage, read> fold_at_rest: array<real>;

fn neighbours_of(v: u32) -> u32 {
#if dimension == 2
    return 2u;
#else
    return valence[v];
#endif
}

fn neighbour(k: u32, v: u32) -> u32 {
#if dimension == 2
    return select(next(v), previous(v), k == 0u);
#else
    return ring[k * VERTICES + v] & 0xffffu;
#endif
}

// u of vertex v of the cell whose first vertex is number `first`.
fn offset_of(first: u32, v: u32) -> Axes {
    let count = neighbours_of(v);
    var sum = Axes();
    for (var k = 0u; k < count; k += 1u) {
        sum += place[first + neighbour(k, v)]${xyz};
    }
    return sum / real(count) - place[first + v]${xyz};
}

// w of vertex v over the number of its neighbours, in a cell of size s.
fn unevenness_of(first: u32, v: u32, s: real) -> Axes {
    let count = neighbours_of(v);
    let here = offset[first + v]${xyz};
    let per_square = 1.0 / (s * s * FAIR * FAIR);
    var sum = Axes();
    for (var k = 0u; k < count; k += 1u) {
        let d = here - offset[first + neighbour(k, v)]${xyz};
        let q = max(dot(d, d) * per_square - fold_at_rest[k * VERTICES + v], 0.0);
        let square = q * q;
        sum += square * (3.0 + square) / ((1.0 + square) * (1.0 + square)) * d;
    }
    return sum / real(count);
}

fn fairing_force(first: u32, v: u32) -> Axes {
    let count = neighbours_of(v);
    var sum = real(count) * unevenness[first + v]${xyz};
    for (var k = 0u; k < count; k += 1u) {
        sum -= unevenness[first + neighbour(k, v)]${xyz};
    }
    return real(${fairing}) * sum;
}
