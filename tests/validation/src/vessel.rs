//! Blood that flows along a straight channel or tube: what crosses it and how it fills, in means over time.

use std::time::Instant;

use hematite_config::{Fault, Result};
use hematite_dump::Grid;
use hematite_stats::cells::bins::Bins;
use hematite_stats::cells::flow::{Window, cell_sums, fluid_sum};
use hematite_stats::cells::free_layer::free_layer;
use hematite_stats::cells::occupancy::occupancy;
use hematite_stats::cells::shape::Shape;
use hematite_stats::cells::straight::Straight;
use hematite_stats::cells::{bluntness, cells};
use hematite_stats::lookup::Nodes;

use crate::blood::Blood;
use crate::{Inside, Table};

/// What is measured where: a vessel along x.
pub struct Vessel<'a> {
    nodes: Nodes<'a>,
    straight: Straight,
    bins: Bins,
    /// Half the distance of the walls, or the radius of the disc of the section's area, m.
    pub radius: f64,
}

/// What blood does in a vessel at one time, or in the mean.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// Time steps done; in the mean over states, at the last of them.
    pub step: u64,
    /// Share of each bin that cells fill.
    hematocrit: Vec<f64>,
    /// Velocity along the vessel in each bin, m/s.
    speed: Vec<f64>,
    /// Velocity summed over each section, lattice spacing by lattice spacing, m/s: times the density at rest it is the flow of
    /// mass, which He and Luo's equilibrium takes it for, too. The mean of this step and the one before: forces that change
    /// from node to node leave momentum that alternates with x and with the step, which nothing damps (G. Zanetti, Phys. Rev.
    /// A 40 (1989) 1539). It carries no mass, and vertices, which move by such means, do not feel it.
    through: Vec<f64>,
    /// Mean velocity over the section, m/s.
    pub mean_speed: f64,
    /// Share of the lumen inside cells.
    pub tube: f64,
    /// Share of the volume that goes through any section inside cells, over time.
    pub discharge: f64,
    /// Cell-free layer as seen from the side under a microscope, m.
    pub seen_layer: f64,
}

impl<'a> Vessel<'a> {
    /// The vessel that the nodes of `grid` make, which wrap along x.
    ///
    /// # Errors
    /// Where they make neither a channel nor a tube.
    pub fn new(grid: &'a Grid, inside: &Inside) -> Result<Self> {
        let nodes = Nodes::new(grid)?.wrapped(inside.extent, inside.periodic);
        let wrong = || Fault::usage("neither a channel nor a tube along x");
        let straight = Straight::find(&nodes, 0).ok_or_else(wrong)?;
        let bins = Bins::across(&nodes, &straight).ok_or_else(wrong)?;
        let radius = straight.half_width().ok_or_else(wrong)?;
        Ok(Self { nodes, straight, bins, radius })
    }

    /// What `blood` does after another step.
    ///
    /// # Errors
    /// When the device is lost or a cell breaks.
    pub fn state(&self, blood: &mut Blood) -> Result<State> {
        let before = blood.velocity()?;
        blood.advance(1)?;
        let velocity = blood.velocity()?;
        let frame = blood.frame()?;
        let found = cells(&blood.kinds, &frame)?;
        let shapes: Vec<Shape> = found.iter().map(Shape::of).collect();
        let everything = Window::everything(0);
        let sums = cell_sums(&found, &shapes, blood.kinds.len(), &everything);
        let fluid = fluid_sum(&self.nodes, Some(&velocity), &everything);
        let share = occupancy(&self.nodes, &found, blood.kinds.len()).share;
        let inside = (0..velocity.len() / 3).map(|n| share.iter().map(|of| f64::from(of[n])).sum());
        let mut through = vec![0.0; self.nodes.high()[0] as usize + 1];
        for at in [&before, &velocity] {
            for (x, u) in self.nodes.grid().position.iter().zip(at.chunks(3)) {
                through[x[0] as usize] += 0.5 * u[0];
            }
        }
        let layer = free_layer(&self.nodes, &self.straight, &found, &everything);
        Ok(State {
            step: frame.step,
            hematocrit: self.bins.means(inside),
            speed: self.bins.means(velocity.iter().copied().step_by(3)),
            through,
            mean_speed: fluid.flux / fluid.volume,
            tube: fluid.tube_hematocrit(&sums),
            discharge: fluid.discharge_hematocrit(&sums).unwrap_or(f64::NAN),
            seen_layer: layer.map_or(f64::NAN, |layer| layer.thickness),
        })
    }

    /// Takes the state of `blood` `number` times, each after `every` steps, one at least; `tell` hears the mean over the last third so far,
    /// and the seconds passed.
    ///
    /// # Errors
    /// When the device is lost or a cell breaks.
    pub fn follow(&self, blood: &mut Blood, number: u64, every: u64, tell: impl Fn(&State, f64)) -> Result<Vec<State>> {
        let (begun, mut states) = (Instant::now(), Vec::new());
        for _ in 0..number {
            blood.advance(every - 1)?;
            states.push(self.state(blood)?);
            tell(&State::mean(last_third(&states)), begun.elapsed().as_secs_f64());
        }
        Ok(states)
    }

    /// Rows of what blood must do in any narrow vessel, `mean` against `seeded`, the state of cells spread evenly; `parabola` is
    /// the peak over the mean of Poiseuille flow.
    pub fn report(&self, table: &mut Table, seeded: &State, mean: &State, parabola: f64) {
        let um = |length: f64| 1e6 * length;
        table.at_least("cell-free layer, um, at least as seeded", um(self.layer(seeded)), um(self.layer(mean)));
        table.note(
            "cell-free layer as seen from the side, um, and as seeded",
            um(seeded.seen_layer),
            um(mean.seen_layer),
        );
        table.at_most("peak over mean velocity, at most 0.97 of a parabola's", 0.97 * parabola, self.peak(mean));
        table.at_least("exponent of the fitted profile (parabola: 2), at least", 2.1, self.exponent(mean));
        table.at_most("tube over discharge hematocrit, at most", 0.95, mean.tube / mean.discharge);
        table.note("tube hematocrit, as seeded", seeded.tube, mean.tube);
        table.note("discharge hematocrit, and of the tube", mean.tube, mean.discharge);
    }

    /// Thickness of the cell-free layer, m: where the hematocrit, from the wall inwards, first reaches half of that of the
    /// core, which is the mean over the inner half of the radius; linear between bins.
    pub fn layer(&self, state: &State) -> f64 {
        let of_core = |k: &usize| self.bins.coordinate[*k].abs() < 0.5 * self.radius;
        let core: Vec<usize> = (0..self.bins.nodes.len()).filter(of_core).collect();
        let nodes: usize = core.iter().map(|&k| self.bins.nodes[k]).sum();
        let half =
            0.5 * core.iter().map(|&k| self.bins.nodes[k] as f64 * state.hematocrit[k]).sum::<f64>() / nodes as f64;
        let mut before = [0.0, 0.0];
        for [from_wall, share] in self.inwards(&state.hematocrit) {
            if share >= half {
                let [near, less] = before;
                return near + (from_wall - near) * (half - less) / (share - less);
            }
            before = [from_wall, share];
        }
        f64::NAN
    }

    /// Velocity in the middle over the mean.
    pub fn peak(&self, state: &State) -> f64 {
        self.inwards(&state.speed).last().map_or(f64::NAN, |[_, u]| *u) / state.mean_speed
    }

    /// One line of what `state` is; `plasma` is the mean speed of the fluid alone, m/s.
    pub fn line(&self, state: &State, plasma: f64) -> String {
        format!(
            "step {}: viscosity {:.4}, HT {:.4}, HD {:.4}, HT / HD {:.4}, layer {:.3} um, seen {:.3} um, peak {:.4}",
            state.step,
            plasma / state.mean_speed,
            state.tube,
            state.discharge,
            state.tube / state.discharge,
            1e6 * self.layer(state),
            1e6 * state.seen_layer,
            self.peak(state),
        )
    }

    /// The exponent k of `u0 (1 - (r / R)^k)`, fitted: 2 in Poiseuille flow, more where blunt.
    pub fn exponent(&self, state: &State) -> f64 {
        let points: Vec<[f64; 2]> =
            self.bins.coordinate.iter().copied().zip(state.speed.iter().copied()).map(Into::into).collect();
        bluntness::fit(&points, self.radius).map_or(f64::NAN, |fit| fit.k)
    }

    /// Distance from the wall and value of each bin, from the wall inwards, both sides of a channel in one.
    fn inwards(&self, values: &[f64]) -> Vec<[f64; 2]> {
        let (place, count) = (&self.bins.coordinate, values.len());
        if place.first().is_some_and(|&first| first >= 0.0) {
            return (0..count).rev().map(|k| [self.radius - place[k], values[k]]).collect();
        }
        (0..count.div_ceil(2)).map(|k| [self.radius + place[k], 0.5 * (values[k] + values[count - 1 - k])]).collect()
    }
}

/// The states of the last third of the time.
pub fn last_third(states: &[State]) -> &[State] {
    &states[states.len() - states.len().div_ceil(3)..]
}

impl State {
    /// The mean over states. The discharge hematocrit is that of the mean fluxes.
    pub fn mean(states: &[State]) -> Self {
        let number = states.len() as f64;
        let mean = |of: &dyn Fn(&State) -> f64| states.iter().map(of).sum::<f64>() / number;
        let (bins, sections) = states.first().map_or((0, 0), |state| (state.speed.len(), state.through.len()));
        let mean_speed = mean(&|state| state.mean_speed);
        Self {
            step: states.last().map_or(0, |state| state.step),
            hematocrit: (0..bins).map(|k| mean(&|state| state.hematocrit[k])).collect(),
            speed: (0..bins).map(|k| mean(&|state| state.speed[k])).collect(),
            through: (0..sections).map(|k| mean(&|state| state.through[k])).collect(),
            mean_speed,
            tube: mean(&|state| state.tube),
            discharge: mean(&|state| state.discharge * state.mean_speed) / mean_speed,
            seen_layer: mean(&|state| state.seen_layer),
        }
    }

    /// Largest difference between the masses that go through two sections in a time, over their mean. At one time it is as
    /// large as sound makes it; in the mean it vanishes.
    pub fn unevenness(&self) -> f64 {
        let of = |pick: fn(f64, f64) -> f64, from: f64| self.through.iter().copied().fold(from, pick);
        let mean = self.through.iter().sum::<f64>() / self.through.len() as f64;
        (of(f64::max, f64::MIN) - of(f64::min, f64::MAX)) / mean
    }
}
