//! Sparse domains of any size: a helical pipe in 3-D, winding bands that branch in 2-D.

use std::f64::consts::TAU;

use hematite_geometry::Site;
use validation::Inside;

/// A helical pipe along x, three turns of it, periodic; returns its box and which sites are fluid. `scale` 1 makes about
/// a million nodes at a fill of 6 %.
pub fn helix(scale: f64) -> (Inside, Vec<bool>) {
    let [length, radius, orbit] = [640.0, 16.0, 60.0].map(|size: f64| size * scale);
    let width = (2.0 * (orbit + radius)).ceil() + 2.0;
    let extent = [length.round() as usize, width as usize, width as usize];
    let [nx, ny, nz] = extent;
    let mut fluid = vec![false; nx * ny * nz];
    let reach = radius.ceil() as i64 + 1;
    let middle = width / 2.0;
    let balls = (4.0 * length) as usize;
    for ball in 0..balls {
        let along = ball as f64 / balls as f64;
        let centre =
            [along * nx as f64, middle + orbit * (3.0 * TAU * along).cos(), middle + orbit * (3.0 * TAU * along).sin()];
        let first = centre.map(|c| c.floor() as i64);
        for z in (first[2] - reach).max(0)..(first[2] + reach + 1).min(nz as i64) {
            for y in (first[1] - reach).max(0)..(first[1] + reach + 1).min(ny as i64) {
                for x in first[0] - reach..=first[0] + reach {
                    let apart = [x, y, z].iter().zip(centre).map(|(&i, c)| (i as f64 + 0.5 - c).powi(2)).sum::<f64>();
                    if apart < radius * radius {
                        let x = x.rem_euclid(nx as i64) as usize;
                        fluid[(z as usize * ny + y as usize) * nx + x] = true;
                    }
                }
            }
        }
    }
    (Inside { extent, periodic: [true, false, false] }, fluid)
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
