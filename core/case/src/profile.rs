//! The developed-flow profile of an opening: `lap u = -1` on its cross-section, `u = 0` at half-way walls.

use hematite_config::{Fault, Result};

use crate::Lattice;
use crate::solve::{Matrix, solve};

/// What lies at the end of one arm of a node's stencil.
enum Arm {
    /// Another node of the opening, one spacing away.
    Member(usize),
    /// The wall, half a spacing away.
    Wall,
    /// Nothing that holds the flow back.
    Free,
}

/// The speed at each of an opening's `nodes` (ascending) relative to the mean, so that `sum areas u = area`.
/// Uniform where some piece of the opening is bounded by no wall.
pub(crate) fn developed(
    lattice: &Lattice,
    nodes: &[u32],
    normal: [f64; 3],
    areas: &[f64],
    area: f64,
) -> Result<Vec<f64>> {
    let matrix = match flat_axis(lattice, nodes, normal) {
        Some(axis) => flat(lattice, nodes, axis),
        None => oblique(lattice, nodes),
    };
    if !matrix.every_component_is_bounded() {
        return Ok(scaled(vec![1.0; nodes.len()], areas, area));
    }
    let speed = solve(&matrix, &vec![1.0; nodes.len()]).map_err(|residual| {
        Fault::numerical(format!(
            "its developed profile over {} nodes did not converge (relative residual {residual:.1e}); simplify the opening's \
             outline or split it",
            nodes.len()
        ))
    })?;
    Ok(scaled(speed, areas, area))
}

/// `speed` with the factor that makes `sum areas u = area`; uniform where it has none.
pub(crate) fn scaled(mut speed: Vec<f64>, areas: &[f64], area: f64) -> Vec<f64> {
    let flux = |speed: &[f64]| areas.iter().zip(speed).map(|(a, u)| a * u).sum::<f64>();
    if flux(&speed) <= 0.0 {
        speed.fill(1.0);
    }
    let factor = area / flux(&speed);
    speed.iter_mut().for_each(|u| *u *= factor);
    speed
}

/// The axis along the normal, where there is one and all nodes lie in one plane across it.
fn flat_axis(lattice: &Lattice, nodes: &[u32], normal: [f64; 3]) -> Option<usize> {
    let axis = normal.iter().position(|component| component.abs() > 1.0 - 1e-9)?;
    let level = |&n: &u32| lattice.position[n as usize][axis];
    nodes.iter().all(|n| level(n) == level(&nodes[0])).then_some(axis)
}

/// Along direction `i` from a node. A fluid node beyond the opening's rim lies before the wall around the opening, so
/// the flow through the opening ends there too.
fn arm(lattice: &Lattice, nodes: &[u32], node: u32, i: usize) -> Arm {
    let link = lattice.links[i - 1][node as usize];
    match link.node() {
        Some(to) => nodes.binary_search(&to).map_or(Arm::Wall, Arm::Member),
        None if link.is_wall() => Arm::Wall,
        None => Arm::Free,
    }
}

/// The Shortley-Weller stencil within the plane across `axis`: exact for parabolas, with walls half a spacing away.
fn flat(lattice: &Lattice, nodes: &[u32], axis: usize) -> Matrix {
    let mut matrix = Matrix::default();
    for (row, &node) in nodes.iter().enumerate() {
        for across in (0..lattice.set.dimension()).filter(|&across| across != axis) {
            // Directions 2a + 1 and 2a + 2 lead along and against axis a.
            let arms = [1, 2].map(|side| arm(lattice, nodes, node, 2 * across + side));
            let lengths = arms.each_ref().map(|arm| if matches!(arm, Arm::Wall) { 0.5 } else { 1.0 });
            for (arm, length) in arms.into_iter().zip(lengths) {
                let weight = 2.0 / (lengths[0] + lengths[1]) / length;
                match arm {
                    Arm::Member(column) if column != row => matrix.couple(column, weight),
                    Arm::Wall => matrix.bound(weight),
                    Arm::Member(_) | Arm::Free => {}
                }
            }
        }
        matrix.end_row();
    }
    matrix
}

/// The lattice's own Laplacian among the opening's nodes, along all its links.
fn oblique(lattice: &Lattice, nodes: &[u32]) -> Matrix {
    let mut matrix = Matrix::default();
    for (row, &node) in nodes.iter().enumerate() {
        for i in 1..lattice.set.q() {
            let weight = lattice.set.weight(i);
            let link = lattice.links[i - 1][node as usize];
            match link.node().map(|to| nodes.binary_search(&to)) {
                Some(Ok(column)) if column != row => matrix.couple(column, weight),
                // Into the fluid, along the flow.
                Some(_) => {}
                None if link.is_wall() => matrix.bound(2.0 * weight),
                None => {}
            }
        }
        matrix.end_row();
    }
    matrix
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    fn profile_of(lattice: &Lattice) -> Vec<f64> {
        let opening = &lattice.openings[0];
        let nodes: Vec<u32> = opening.nodes.iter().map(|site| site.node.0 as u32).collect();
        developed(lattice, &nodes, opening.normal, &vec![1.0; nodes.len()], nodes.len() as f64).expect("solves")
    }

    #[test]
    fn the_parabola_of_a_channel_is_exact() {
        for height in [1, 2, 3, 20, 101] {
            let lattice = Lattice::build(&fixture::channel(3, height)).expect("builds");
            let h = height as f64;
            let parabola: Vec<f64> = (0..height).map(|j| (j as f64 + 0.5) * (h - j as f64 - 0.5)).collect();
            let mean = parabola.iter().sum::<f64>() / h;
            for (u, exact) in profile_of(&lattice).iter().zip(&parabola) {
                assert!((u - exact / mean).abs() < 1e-12, "height {height}: {u} {}", exact / mean);
            }
        }
    }

    #[test]
    fn a_circle_gives_the_paraboloid() {
        let r2 = |x: usize, y: usize| (x as f64 - 22.0).powi(2) + (y as f64 - 22.0).powi(2);
        let lattice = Lattice::build(&fixture::pipe(43, 3, |x, y| r2(x, y) <= 400.0)).expect("builds");
        let speed = profile_of(&lattice);
        let radius2 = speed.len() as f64 / std::f64::consts::PI;
        let mut square = 0.0;
        for (u, site) in speed.iter().zip(&lattice.openings[0].nodes) {
            let [x, y, _] = lattice.position[site.node.0 as usize];
            let share = r2(x as usize, y as usize) / radius2;
            let error = u - 2.0 * (1.0 - share);
            square += error * error;
            // Nodes at the rim follow its steps.
            assert!(share > 0.8 || error.abs() < 0.02 * 2.0, "({x}, {y}): {u}, off by {error}");
        }
        let error = (square / speed.len() as f64).sqrt();
        assert!(error < 0.02, "{error}");
    }

    #[test]
    fn a_square_duct_agrees_with_the_series() {
        let lattice = Lattice::build(&fixture::pipe(40, 3, |_, _| true)).expect("builds");
        let peak = profile_of(&lattice).into_iter().fold(0.0, f64::max);
        assert!((peak / 2.0963 - 1.0).abs() < 0.005, "{peak}");
    }

    #[test]
    fn no_wall_means_plug_flow() {
        let mut domain = fixture::solid(2, [5, 7, 1], [false, true, false]);
        for y in 0..7 {
            fixture::set(&mut domain, [0, y, 0], hematite_geometry::Site::opening(0));
            (1..4).for_each(|x| fixture::set(&mut domain, [x, y, 0], hematite_geometry::Site::FLUID));
        }
        domain.openings = vec![fixture::opening("in", None)];
        let lattice = Lattice::build(&domain).expect("builds");
        assert!(profile_of(&lattice).iter().all(|&u| u == 1.0));
    }

    #[test]
    fn a_large_opening_takes_seconds() {
        let lattice = Lattice::build(&fixture::pipe(300, 1, |_, _| true)).expect("builds");
        let start = std::time::Instant::now();
        let peak = profile_of(&lattice).into_iter().fold(0.0, f64::max);
        assert!((peak / 2.0963 - 1.0).abs() < 0.001, "{peak}");
        assert!(start.elapsed().as_secs() < 30, "{:?}", start.elapsed());
    }
}
