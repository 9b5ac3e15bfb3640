//! F8: the lid-driven cavity at Re 100 against Ghia, Ghia and Shin, J. Comput. Phys. 48 (1982) 387.

use hematite_config::Result;
use hematite_engine::Precision;
use hematite_geometry::{OpeningKind, Site};
use physics_lattice_boltzmann::Row;

use crate::centreline::cubic;
use crate::{Boundary, Context, Flow, FluidNumbers, Inside, Table, domain};

/// (y, u) on the vertical centreline.
const U: [(f64, f64); 16] = [
    (0.9766, 0.84123),
    (0.9688, 0.78871),
    (0.9609, 0.73722),
    (0.9531, 0.68717),
    (0.8516, 0.23151),
    (0.7344, 0.00332),
    (0.6172, -0.13641),
    (0.5, -0.20581),
    (0.4531, -0.21090),
    (0.2813, -0.15662),
    (0.1719, -0.10150),
    (0.1016, -0.06434),
    (0.0703, -0.04775),
    (0.0625, -0.04192),
    (0.0547, -0.03717),
    (0.0, 0.0),
];

/// (x, v) on the horizontal centreline.
const V: [(f64, f64); 15] = [
    (0.9688, -0.05906),
    (0.9609, -0.07391),
    (0.9531, -0.08864),
    (0.9453, -0.10313),
    (0.9063, -0.16914),
    (0.8594, -0.22445),
    (0.8047, -0.24533),
    (0.5, 0.05454),
    (0.2344, 0.17527),
    (0.2266, 0.17507),
    (0.1563, 0.16077),
    (0.0938, 0.12317),
    (0.0781, 0.10890),
    (0.0703, 0.10091),
    (0.0625, 0.09233),
];

const SPEED: f64 = 0.1;
const REYNOLDS: f64 = 100.0;

/// Runs the case.
///
/// # Errors
/// When the device is lost.
pub fn run(context: &Context) -> Result<Table> {
    let mut table = Table::new("F8");
    cavity(context, 65, 2e-2, &mut table)?;
    if !context.quick {
        cavity(context, 129, 1e-2, &mut table)?;
    }
    Ok(table)
}

fn cavity(context: &Context, n: usize, tolerance: f64, table: &mut Table) -> Result<()> {
    let inside = Inside { extent: [n, n, 1], periodic: [false; 3] };
    let l = n as f64;
    let lidded = domain(inside, &[("lid", OpeningKind::Wall)], |at| {
        if inside.holds(at) {
            Site::FLUID
        } else if at[1] > l && at[0] > 0.0 && at[0] < l {
            Site::opening(0)
        } else {
            Site::WALL
        }
    });
    let numbers = FluidNumbers {
        precision: Precision::F32,
        boundaries: vec![Boundary::Wall([SPEED, 0.0, 0.0])],
        ..FluidNumbers::trt(0.5 + 3.0 * SPEED * l / REYNOLDS)
    };
    let row = |_| Row { force: [0.0; 3], openings: vec![1.0] };
    let mut flow = Flow::new(context, &(inside, lidded), &numbers, row)?;
    flow.start_along_x(|_| 0.0)?;
    let turnover = (l / SPEED) as u64;
    let change = flow.settle(turnover, 2e-5, 40 * turnover)?;
    table.below(format!("{n}^2: change over L / U"), change, 1e-4);

    let centre = (n / 2) as f64 + 0.5;
    for (name, axis, published, at_wall) in [("u", 0, &U[..], 1.0), ("v", 1, &V[..], 0.0)] {
        let other = 1 - axis;
        let velocity = flow.velocity(axis)?;
        let mut line = vec![(0.0, 0.0)];
        let nodes = velocity.iter().zip(&flow.centre).filter(|(_, at)| at[axis] == centre);
        line.extend(nodes.map(|(u, at)| (at[other] / l, u / SPEED)));
        line.push((1.0, at_wall));
        let deviations = published.iter().map(|&(at, reference)| (cubic(&line, at) - reference).abs());
        table.below(
            format!("{n}^2: {name} on the centreline, largest deviation / U"),
            deviations.fold(0.0, f64::max),
            tolerance,
        );
        let extreme = |values: &mut dyn Iterator<Item = f64>| values.fold(f64::INFINITY, f64::min);
        let reference = extreme(&mut published.iter().map(|point| point.1));
        table.absolute(
            format!("{n}^2: smallest {name} / U"),
            reference,
            extreme(&mut line.iter().map(|p| p.1)),
            tolerance,
        );
    }
    Ok(())
}
