//! F3: steady flow in rectangular ducts against the series.

use hematite_config::Result;
use physics_lattice_boltzmann::Row;

use crate::domain::duct;
use crate::order::order;
use crate::{Context, Flow, FluidNumbers, Table, exact};

/// Runs the case.
///
/// # Errors
/// When the device is lost.
pub fn run(context: &Context) -> Result<Table> {
    let mut table = Table::new("F3");
    for aspect in [1, 2, 4] {
        let (friction, change) = friction(context, 20, aspect)?;
        let mean = exact::duct_mean(1.0, aspect as f64, 1.0, 0.0).re;
        let reference = exact::duct_friction(1.0, aspect as f64, 1.0, mean);
        table.relative(format!("{aspect}:1 H 20: f Re"), reference, friction, 1e-3);
        table.below(format!("{aspect}:1 H 20: change over 200 steps"), change, 1e-10);
        if aspect == 4 && context.quick {
            continue;
        }
        let mut errors = Vec::new();
        for height in [8, 16, 32] {
            let ours = self::friction(context, height, aspect)?.0;
            table.note(format!("{aspect}:1 H {height}: f Re"), reference, ours);
            errors.push((height as f64, ours / reference - 1.0));
        }
        table.absolute(format!("{aspect}:1 order over H 8, 16, 32"), 2.0, order(&errors), 0.2);
    }
    Ok(table)
}

/// `f Re` and the last change.
fn friction(context: &Context, height: usize, aspect: usize) -> Result<(f64, f64)> {
    let (h, w) = (height as f64, (height * aspect) as f64);
    // The steady state does not depend on tau at a fixed magic number; a large one gets there soon.
    let numbers = FluidNumbers::trt(2.0);
    let nu = numbers.nu();
    let force = 0.05 * nu / (h * h);
    let row = move |_| Row { force: [force, 0.0, 0.0], openings: Vec::new() };
    let mut flow = Flow::new(context, &duct(height, height * aspect), &numbers, row)?;
    flow.start_along_x(|at| force * exact::duct(h, w, nu, 0.0, at[1], at[2]).re)?;
    let change = flow.settle(200, 1e-11, 20_000)?;
    let u = flow.velocity(0)?;
    // The midpoint rule with its end correction: the wall's mean velocity gradient balances the force.
    let mean = u.iter().sum::<f64>() / u.len() as f64 - force / (24.0 * nu);
    Ok((exact::duct_friction(h, w, nu, mean / force), change))
}
