//! A small sparse linear solver for stencils that are diagonally dominant but not symmetric: BiCGSTAB.

/// A matrix by rows, with the diagonal equal to the sum of its couplings and bounds: `(A u)_r = sum w (u_r - u_c) + b u_r`.
/// Rows are filled in order.
#[derive(Default)]
pub(crate) struct Matrix {
    ends: Vec<usize>,
    columns: Vec<usize>,
    weights: Vec<f64>,
    bounds: Vec<f64>,
    diagonal: Vec<f64>,
    bound: f64,
}

impl Matrix {
    /// Couples the row being filled to a column.
    pub fn couple(&mut self, column: usize, weight: f64) {
        self.columns.push(column);
        self.weights.push(weight);
    }

    /// Couples the row being filled to the boundary, where u = 0.
    pub fn bound(&mut self, weight: f64) {
        self.bound += weight;
    }

    /// Ends the row being filled.
    pub fn end_row(&mut self) {
        let start = self.ends.last().copied().unwrap_or(0);
        self.ends.push(self.columns.len());
        self.diagonal.push(self.weights[start..].iter().sum::<f64>() + self.bound);
        self.bounds.push(std::mem::take(&mut self.bound));
    }

    fn rows(&self) -> usize {
        self.ends.len()
    }

    fn row(&self, row: usize) -> std::ops::Range<usize> {
        (if row == 0 { 0 } else { self.ends[row - 1] })..self.ends[row]
    }

    /// Whether every set of coupled rows touches the boundary, so that the solution is unique.
    pub fn every_component_is_bounded(&self) -> bool {
        let mut seen = vec![false; self.rows()];
        let mut stack = Vec::new();
        for first in 0..self.rows() {
            let mut bounded = seen[first];
            if !seen[first] {
                seen[first] = true;
                stack.push(first);
            }
            while let Some(row) = stack.pop() {
                bounded |= self.bounds[row] > 0.0;
                for &column in &self.columns[self.row(row)] {
                    if !std::mem::replace(&mut seen[column], true) {
                        stack.push(column);
                    }
                }
            }
            if !bounded {
                return false;
            }
        }
        true
    }

    /// `D^-1 A u`, D the diagonal.
    fn scaled(&self, u: &[f64], out: &mut [f64]) {
        for (row, out) in out.iter_mut().enumerate() {
            let range = self.row(row);
            let sum: f64 = self.columns[range.clone()].iter().zip(&self.weights[range]).map(|(&c, w)| w * u[c]).sum();
            *out = u[row] - sum / self.diagonal[row];
        }
    }
}

/// Solves `A u = b` to a relative residual of 1e-12, or to rounding where the matrix does not allow that.
///
/// # Errors
/// The relative residual reached, when that is above 1e-7.
pub(crate) fn solve(matrix: &Matrix, b: &[f64]) -> Result<Vec<f64>, f64> {
    let b: Vec<f64> = b.iter().zip(&matrix.diagonal).map(|(b, d)| b / d).collect();
    let goal = 1e-12 * norm(&b);
    let mut best = (f64::INFINITY, vec![0.0; b.len()]);
    let budget = 200 + 10 * b.len().min(4000);
    // Restarts regain the true residual, which the recurrence loses by rounding.
    for _ in 0..6 {
        let (residual, u) = descend(matrix, &b, best.1.clone(), goal, budget);
        let progress = residual < 0.5 * best.0;
        if residual < best.0 {
            best = (residual, u);
        }
        if best.0 <= goal || !progress {
            break;
        }
    }
    let relative = best.0 / norm(&b);
    if relative < 1e-7 { Ok(best.1) } else { Err(relative) }
}

/// BiCGSTAB from `u`: the residual reached, recomputed, and the solution.
fn descend(matrix: &Matrix, b: &[f64], mut u: Vec<f64>, goal: f64, budget: usize) -> (f64, Vec<f64>) {
    let n = b.len();
    let residual = |u: &[f64]| {
        let mut r = vec![0.0; n];
        matrix.scaled(u, &mut r);
        r.iter_mut().zip(b).for_each(|(r, b)| *r = b - *r);
        r
    };
    let mut r = residual(&u);
    let shadow = r.clone();
    let (mut p, mut v, mut t) = (r.clone(), vec![0.0; n], vec![0.0; n]);
    let mut rho = dot(&shadow, &r);
    for _ in 0..budget {
        if norm(&r) <= 0.5 * goal || rho == 0.0 {
            break;
        }
        matrix.scaled(&p, &mut v);
        let alpha = rho / dot(&shadow, &v);
        if !alpha.is_finite() {
            break;
        }
        r.iter_mut().zip(&v).for_each(|(r, v)| *r -= alpha * v);
        matrix.scaled(&r, &mut t);
        let square = dot(&t, &t);
        let omega = if square > 0.0 { dot(&t, &r) / square } else { 0.0 };
        for i in 0..n {
            u[i] += alpha * p[i] + omega * r[i];
            r[i] -= omega * t[i];
        }
        let next = dot(&shadow, &r);
        let beta = next / rho * (alpha / omega);
        rho = next;
        if !beta.is_finite() {
            break;
        }
        for i in 0..n {
            p[i] = r[i] + beta * (p[i] - omega * v[i]);
        }
    }
    let reached = norm(&residual(&u));
    (if reached.is_nan() { f64::INFINITY } else { reached }, u)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}
