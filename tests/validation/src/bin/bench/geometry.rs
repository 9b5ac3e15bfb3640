//! Sparse domains of any size: pipes that wind and branch in 3-D, winding bands that branch in 2-D.

use std::f64::consts::TAU;

use hematite_geometry::Site;
use validation::Inside;

/// A curved pipe, one turn of it about x, periodic; returns its box and which sites are fluid. `scale` 1 makes about a million nodes
/// at a fill of 5 %.
pub fn curved_pipe(scale: f64) -> (Inside, Vec<bool>) {
    coil([781.0, 20.3, 61.0].map(|size| size * scale), 1.0)
}

/// The same with three turns that lie close: most of it runs across x, so rows of nodes are short. `scale` 1 makes about a million
/// nodes at a fill of 6 %.
pub fn helix(scale: f64) -> (Inside, Vec<bool>) {
    coil([640.0, 16.0, 60.0].map(|size| size * scale), 3.0)
}

/// A pipe of a radius that goes around x on an orbit of another, so many turns in a length.
fn coil([length, radius, orbit]: [f64; 3], turns: f64) -> (Inside, Vec<bool>) {
    let width = (2.0 * (orbit + radius)).ceil() + 2.0;
    let extent = [length.round() as usize, width as usize, width as usize];
    let [nx, ny, nz] = extent;
    let mut fluid = vec![false; nx * ny * nz];
    let reach = radius.ceil() as i64 + 1;
    let middle = width / 2.0;
    let balls = (4.0 * length) as usize;
    for ball in 0..balls {
        let along = ball as f64 / balls as f64;
        let (sine, cosine) = (turns * TAU * along).sin_cos();
        let centre = [along * nx as f64, middle + orbit * cosine, middle + orbit * sine];
        let first = centre.map(|c| c.floor() as i64);
        for z in (first[2] - reach).max(0)..(first[2] + reach + 1).min(nz as i64) {
            for y in (first[1] - reach).max(0)..(first[1] + reach + 1).min(ny as i64) {
                let aside = (y as f64 + 0.5 - centre[1]).powi(2) + (z as f64 + 0.5 - centre[2]).powi(2);
                if aside >= radius * radius {
                    continue;
                }
                let half = (radius * radius - aside).sqrt();
                let from = (centre[0] - half - 0.5).ceil() as i64;
                let to = (centre[0] + half - 0.5).floor() as i64 + 1;
                let row = &mut fluid[(z as usize * ny + y as usize) * nx..][..nx];
                // The parts beyond either end come in at the other.
                for (from, to) in [(from, to), (from + nx as i64, to + nx as i64), (from - nx as i64, to - nx as i64)] {
                    let [from, to] = [from, to].map(|x| x.clamp(0, nx as i64) as usize);
                    row[from..to.max(from)].fill(true);
                }
            }
        }
    }
    (Inside { extent, periodic: [true, false, false] }, fluid)
}

/// A tree of pipes, closed at its ends, that branches three times; returns its box and which sites are fluid. `scale` 1 makes
/// about a million nodes at a fill of 5 %.
pub fn tree(scale: f64) -> (Inside, Vec<bool>) {
    let mut pipes = Vec::new();
    grow([0.0; 3], [1.0, 0.0, 0.0], 25.0 * scale, 0, &mut pipes);
    let low = [0, 1, 2].map(|axis| {
        pipes.iter().map(|p| p.from[axis].min(p.to[axis]) - p.radius).fold(f64::INFINITY, f64::min).floor()
    });
    let high = [0, 1, 2].map(|axis| {
        pipes.iter().map(|p| p.from[axis].max(p.to[axis]) + p.radius).fold(f64::NEG_INFINITY, f64::max).ceil()
    });
    let extent = [0, 1, 2].map(|axis| (high[axis] - low[axis]) as usize);
    let mut fluid = vec![false; extent.iter().product()];
    for pipe in &pipes {
        pipe.paint(low, extent, &mut fluid);
    }
    (Inside { extent, periodic: [false; 3] }, fluid)
}

/// A straight pipe with round ends.
struct Pipe {
    from: [f64; 3],
    to: [f64; 3],
    radius: f64,
}

impl Pipe {
    fn paint(&self, low: [f64; 3], extent: [usize; 3], fluid: &mut [bool]) {
        let span = |axis: usize| {
            let first = self.from[axis].min(self.to[axis]) - self.radius - low[axis];
            let last = self.from[axis].max(self.to[axis]) + self.radius - low[axis];
            first.max(0.0) as usize..(last.ceil() as usize).min(extent[axis])
        };
        let along = [0, 1, 2].map(|axis| self.to[axis] - self.from[axis]);
        let squared: f64 = along.iter().map(|a| a * a).sum();
        for z in span(2) {
            for y in span(1) {
                for x in span(0) {
                    let at = [x, y, z].map(|i| i as f64 + 0.5);
                    let from = [0, 1, 2].map(|axis| at[axis] + low[axis] - self.from[axis]);
                    let share = (0..3).map(|axis| from[axis] * along[axis]).sum::<f64>() / squared;
                    let share = share.clamp(0.0, 1.0);
                    let apart: f64 = (0..3).map(|axis| (from[axis] - share * along[axis]).powi(2)).sum();
                    if apart < self.radius * self.radius {
                        fluid[(z * extent[1] + y) * extent[0] + x] = true;
                    }
                }
            }
        }
    }
}

/// Adds a pipe and the two that it branches into, at 35 degrees in planes that turn from generation to generation, thinner
/// after Murray's law.
fn grow(from: [f64; 3], direction: [f64; 3], radius: f64, generation: usize, pipes: &mut Vec<Pipe>) {
    let to = [0, 1, 2].map(|axis| from[axis] + 5.0 * radius * direction[axis]);
    pipes.push(Pipe { from, to, radius });
    if generation == 3 {
        return;
    }
    let aside = 1 + generation % 2;
    let (sine, cosine) = 35.0_f64.to_radians().sin_cos();
    for sign in [1.0, -1.0] {
        let mut turned = direction.map(|d| d * cosine);
        turned[aside] += sign * sine;
        let length = turned.iter().map(|d| d * d).sum::<f64>().sqrt();
        grow(to, turned.map(|d| d / length), radius * 0.5_f64.cbrt(), generation + 1, pipes);
    }
}

/// Winding bands, crossed by others, in a periodic square of `size`; about 45 % of it is fluid.
pub fn bands(size: usize) -> (Inside, impl Fn(usize, usize) -> bool) {
    let wave = move |waves: f64, i: usize| (TAU * waves * (i as f64 + 0.5) / size as f64).sin();
    let fluid = move |x: usize, y: usize| {
        let along = (TAU * 9.0 * (y as f64 + 0.5) / size as f64 + 2.0 * wave(3.0, x)).sin();
        let across = (TAU * 5.0 * (x as f64 + 0.5) / size as f64 + 2.0 * wave(2.0, y)).sin();
        along > 0.5 || across > 0.8
    };
    (Inside { extent: [size, size, 1], periodic: [true, true, false] }, fluid)
}

/// The domain of a box whose inner sites are listed, x fastest.
pub fn listed(inside: Inside, fluid: &[bool]) -> (Inside, hematite_geometry::Domain) {
    let [nx, ny, _] = inside.extent;
    let made = validation::domain(inside, &[], |at| {
        let index = at.map(|c| c.floor() as usize);
        if inside.holds(at) && fluid[(index[2] * ny + index[1]) * nx + index[0]] { Site::FLUID } else { Site::WALL }
    });
    (inside, made)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pipes_and_trees_are_sparse_and_of_the_size_they_say() {
        for (inside, fluid) in [curved_pipe(1.0), helix(1.0), tree(1.0)] {
            let nodes = fluid.iter().filter(|&&fluid| fluid).count() as f64;
            let sites = inside.extent.iter().product::<usize>() as f64;
            assert!((nodes / 1e6 - 1.0).abs() < 0.15, "{nodes} nodes");
            assert!((0.04..0.07).contains(&(nodes / sites)), "fill {}", nodes / sites);
        }
    }
}
