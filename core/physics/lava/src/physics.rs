//! Lava as a physics of a run.

use std::collections::BTreeMap;
use std::ops::Range;

use hematite_comm::{Comm, agree};
use hematite_config::Result;
use hematite_dump::Field;
use hematite_engine::{Alarm, Clock, Ground, Keep, Mass, Measured, Phases, Physics};
use hematite_gpu::Recorder;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::amount::number;
use crate::automaton::{Automaton, Bounds, Found};
use crate::parameters::Parameters;
use crate::state::State;
use crate::vents::Vent;

/// Name in checkpoints, dumps and messages.
pub const NAME: &str = "lava";

/// Thickness of fluid lava.
pub const THICKNESS: Field = Field::new("thickness", "m", 1);
/// Thickness of solid lava.
pub const SOLID_THICKNESS: Field = Field::new("solid_thickness", "m", 1);
/// Temperature of fluid lava; 0 where there is none.
pub const TEMPERATURE: Field = Field::new("temperature", "K", 1);
/// Time at which lava came first; -1 where it did not.
pub const ARRIVAL: Field = Field::new("arrival_time", "s", 1);

/// The longest time step, s.
pub const LONGEST: f64 = 10.0;

/// Steps from one change of their length to the next.
pub const RENEWED: u64 = 16;

/// Share of its usual thickness above which a vent fills no further.
const FULL: f64 = 0.8;

/// What a saved state tells of the vents.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Note {
    /// Volume, m3, and heat, K m3, that had come out of each vent.
    pub came: BTreeMap<String, [f64; 2]>,
    /// Mass density, kg/m3, and heat capacity, J/(kg K), with which masses and heats are counted from the start. Checkpoints of
    /// earlier versions do not hold them.
    #[serde(default)]
    pub counted_with: Option<[f64; 2]>,
}

/// Lava of a run.
pub struct Lava {
    parameters: Parameters,
    automaton: Automaton,
    vents: Vec<Vent>,
    /// The steepest slope of the ground around the cells of each vent.
    slopes: Vec<f64>,
    step: u64,
    /// Time after the steps that were begun, s.
    time: f64,
    /// Time of the state whose longest step is asked for, s.
    bounded_at: f64,
    /// The present state, if a field of it was asked for.
    dumped: Option<State>,
    /// The steps of the batch, and the times of their ends.
    batch: (u64, Vec<f64>),
    alarms: Vec<(u64, Alarm)>,
}

impl Lava {
    /// Lava after `step` steps at `time` s.
    pub(crate) fn new(
        parameters: Parameters,
        automaton: Automaton,
        (vents, slopes): (Vec<Vent>, Vec<f64>),
        (step, time): (u64, f64),
    ) -> Self {
        Self {
            parameters,
            automaton,
            vents,
            slopes,
            step,
            time,
            bounded_at: time,
            dumped: None,
            batch: (step, Vec::new()),
            alarms: Vec::new(),
        }
    }

    /// The longest time step that the filling of a vent allows whose shallowest cell had lava of thickness `depth` at the last
    /// renewal.
    fn step_of_vent(&self, k: usize, depth: f64) -> f64 {
        // From there to the end of the next steps.
        let (vent, slope, steps) = (&self.vents[k], self.slopes[k], 2.0 * RENEWED as f64);
        let filling = vent.filling(self.bounded_at, self.bounded_at + steps * LONGEST, self.parameters.dx);
        if filling == 0.0 || depth >= FULL * vent.usual_thickness(&self.parameters, filling, slope) {
            return f64::INFINITY;
        }
        // From nothing, or by half of what is there.
        vent.first_step(&self.parameters, filling, slope, steps).max(0.5 * depth / (steps * filling))
    }

    fn warn(&mut self, found: &Found) {
        if found.at_edge > 0 {
            let text = format!(
                "at step {} fluid lava is in {} cells at the edge of the terrain or beside cells without data: it cannot leave there, and \
                 may pile up; take a larger terrain",
                self.step, found.at_edge
            );
            self.alarms.push((self.step, Alarm { kind: "edge".to_owned(), text }));
        }
        if found.limited > 0 {
            let text = format!(
                "before step {} {} flows out of a cell were limited to a ninth of its lava, as they grew faster than the time step \
                 shrank; take a shorter \"step\" in \"time\"",
                self.step, found.limited
            );
            self.alarms.push((self.step, Alarm { kind: "limited".to_owned(), text }));
        }
    }
}

impl Physics for Lava {
    fn name(&self) -> &'static str {
        NAME
    }

    fn renews_every(&self) -> Option<u64> {
        Some(RENEWED)
    }

    fn find_longest_step(&mut self) -> Result<()> {
        self.automaton.find_bounds(self.step);
        self.bounded_at = self.time;
        Ok(())
    }

    fn longest_step(&mut self) -> Result<f64> {
        let Bounds { step, depths } = self.automaton.bounds()?;
        let of_vents = depths.iter().enumerate().map(|(k, &depth)| self.step_of_vent(k, depth));
        Ok(of_vents.fold(step.min(LONGEST), f64::min))
    }

    fn start(&mut self, comm: &dyn Comm) -> Result<()> {
        let gpu = self.automaton.gpu().clone();
        let mut recorder = Recorder::new(&gpu);
        self.automaton.record_exchange(comm, &mut recorder, (self.step % 2) as usize)?;
        recorder.flush()?;
        gpu.wait()
    }

    fn begin(&mut self, _: &dyn Comm, steps: Range<u64>, clock: &Clock) -> Result<()> {
        self.dumped = None;
        let dx = self.parameters.dx;
        let between = |step: u64| (clock.at(step), clock.at(step + 1));
        let emissions: Vec<[u32; 4]> = steps
            .clone()
            .flat_map(|step| {
                let (from, to) = between(step);
                self.vents.iter().map(move |vent| vent.emission(from, to, dx))
            })
            .collect();
        self.automaton.set_emissions(&emissions);
        self.batch = (steps.start, (steps.start..=steps.end).map(|step| clock.at(step)).collect());
        self.time = clock.at(steps.end);
        Ok(())
    }

    fn step<'g>(&mut self, comm: &'g dyn Comm, recorder: &mut Recorder<'g>, step: u64) -> Result<()> {
        let place = step - self.batch.0;
        let [from, to] = [0, 1].map(|k| self.batch.1[place as usize + k]);
        self.automaton.record_step(comm, recorder, (step, place), (to - from, to))?;
        self.step = step + 1;
        Ok(())
    }

    fn save(&self, _: &Ground, keep: &mut dyn Keep) -> Result<()> {
        self.automaton.state()?.save(keep)
    }

    fn note(&self) -> Value {
        let came = self.vents.iter().map(|vent| (vent.name.clone(), vent.came(self.time, self.parameters.dx)));
        let counted_with = Some([self.parameters.density, self.parameters.heat_capacity]);
        serde_json::to_value(Note { came: came.collect(), counted_with }).unwrap_or_default()
    }

    fn field(&mut self, field: Field, take: &mut dyn FnMut(usize, &[f64]) -> Result<()>) -> Result<()> {
        let state = match self.dumped.take() {
            Some(state) => state,
            None => self.automaton.state()?,
        };
        let values: Vec<f64> = if field == ARRIVAL {
            state.arrival.iter().copied().map(f64::from).collect()
        } else if field == TEMPERATURE {
            let mean =
                |(&heat, &thickness): (&u64, &u64)| if thickness > 0 { heat as f64 / thickness as f64 } else { 0.0 };
            state.heat.iter().zip(&state.thickness).map(mean).collect()
        } else {
            let amounts = if field == THICKNESS { &state.thickness } else { &state.solid };
            amounts.iter().copied().map(number).collect()
        };
        self.dumped = Some(state);
        take(0, &values)
    }

    fn measure(&mut self, comm: &dyn Comm, _: f64) -> Result<Measured> {
        let found = total(comm, agree(comm, self.automaton.look())?)?;
        self.warn(&found);
        let (dx, heat) = (self.parameters.dx, self.parameters.heat_of_volume());
        let area = dx * dx;
        let [volume, warmth, solid, given] = found.sums.map(|sum| sum as f64 / crate::amount::PER_ONE * area);
        let came: Vec<[f64; 2]> = self.vents.iter().map(|vent| vent.came(self.time, dx)).collect();
        let mass = Mass {
            inside: (volume + solid) * self.parameters.density,
            through: came.iter().map(|[volume, _]| volume * self.parameters.density).collect(),
        };
        let values = vec![
            volume,
            solid,
            found.fluid_cells as f64 * area,
            found.cells as f64 * area,
            found.thickest,
            warmth * heat,
            given * heat,
            came.iter().map(|[_, warmth]| warmth * heat).fold(0.0, |sum, heat| sum + heat),
        ];
        Ok(Measured { mass: Some(mass), values, ..Measured::default() })
    }

    fn take_alarms(&mut self) -> Vec<(u64, Alarm)> {
        std::mem::take(&mut self.alarms)
    }

    fn updated(&self) -> Result<Option<(&'static str, u64)>> {
        Ok(Some(("cells with fluid lava", self.automaton.look()?.fluid_cells)))
    }

    fn bytes_per_step(&self) -> f64 {
        // Rows, amounts and neighbours of a cell, read and written.
        f64::from(self.automaton.cells()) * 180.0
    }

    fn phases(&self) -> Phases {
        self.automaton.phases()
    }
}

/// The columns of [`Lava::measure`].
pub const COLUMNS: [&str; 8] = [
    "fluid_volume_m3",
    "solid_volume_m3",
    "fluid_area_m2",
    "area_m2",
    "largest_thickness_m",
    "heat_J",
    "heat_given_J",
    "heat_erupted_J",
];

/// Adds up what all ranks found.
fn total(comm: &dyn Comm, own: Found) -> Result<Found> {
    const LOW: u128 = (1 << 40) - 1;
    let halves = own.sums.iter().flat_map(|&sum| [(sum & LOW) as i64, (sum >> 40) as i64]);
    let counts = [own.fluid_cells, own.cells, own.at_edge, own.limited].map(|count| count as i64);
    let mut numbers: Vec<i64> = halves.chain(counts).collect();
    comm.sum(&mut numbers)?;
    let mut thickest = [own.thickest];
    comm.max(&mut thickest)?;
    let sum = |k: usize| numbers[2 * k] as u128 + ((numbers[2 * k + 1] as u128) << 40);
    let [fluid_cells, cells, at_edge, limited] = [8, 9, 10, 11].map(|k| numbers[k] as u64);
    Ok(Found { sums: [0, 1, 2, 3].map(sum), fluid_cells, cells, at_edge, thickest: thickest[0], limited })
}
