//! The state of cells, on the host and in checkpoints.

use hematite_config::{Fault, Result};
use hematite_dump::Bits;
use hematite_engine::{Keep, Saved};

use crate::amount::{of_words, words};

/// The state of this rank's cells, an entry each, in amounts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// Thickness of fluid lava.
    pub thickness: Vec<u64>,
    /// Its heat.
    pub heat: Vec<u64>,
    /// Thickness of solid lava.
    pub solid: Vec<u64>,
    /// Heat that was radiated or is left in solid lava.
    pub given: Vec<u64>,
    /// Time at which lava came first, s; -1 before.
    pub arrival: Vec<f32>,
}

const NAMES: [&str; 4] = ["lava_thickness", "lava_heat", "solid_lava_thickness", "lava_heat_given"];
const ARRIVAL: &str = "lava_arrival";

impl State {
    /// Bytes of a cell in checkpoints: four amounts and a time.
    pub const BYTES: u64 = 4 * 8 + 4;

    /// No lava in any of `cells` cells.
    pub fn empty(cells: usize) -> Self {
        let none = vec![0; cells];
        Self {
            thickness: none.clone(),
            heat: none.clone(),
            solid: none.clone(),
            given: none,
            arrival: vec![-1.0; cells],
        }
    }

    /// From the device's arrays of rows of four words.
    pub fn of_device(fluid: &[u32], solid: &[u32], arrival: Vec<f32>) -> Self {
        let column = |rows: &[u32], first: usize| rows.chunks_exact(4).map(|row| of_words(&row[first..])).collect();
        Self {
            thickness: column(fluid, 0),
            heat: column(fluid, 2),
            solid: column(solid, 0),
            given: column(solid, 2),
            arrival,
        }
    }

    /// For the device: rows of thickness and heat, and rows of solid thickness and given heat.
    pub fn rows(&self) -> [Vec<[u32; 4]>; 2] {
        let rows = |a: &[u64], b: &[u64]| {
            let row = |(&a, &b): (&u64, &u64)| {
                let (a, b) = (words(a), words(b));
                [a[0], a[1], b[0], b[1]]
            };
            a.iter().zip(b).map(row).collect()
        };
        [rows(&self.thickness, &self.heat), rows(&self.solid, &self.given)]
    }

    /// Gives it to `keep`.
    ///
    /// # Errors
    /// Those of `keep`.
    pub fn save(self, keep: &mut dyn Keep) -> Result<()> {
        for (name, values) in NAMES.into_iter().zip([self.thickness, self.heat, self.solid, self.given]) {
            keep.own(name, Bits::F64(values))?;
        }
        keep.own(ARRIVAL, Bits::F32(self.arrival.into_iter().map(f32::to_bits).collect()))
    }

    /// Takes it from a saved state. Collective.
    ///
    /// # Errors
    /// A usage fault where the state is damaged; when a rank is lost.
    pub fn restore(saved: &dyn Saved) -> Result<Self> {
        let damaged = |name: &str| Fault::usage(format!("{}: \"{name}\" has another type", saved.header().source));
        let whole = |name: &str| match saved.own(name)? {
            Bits::F64(values) => Ok(values),
            _ => Err(damaged(name)),
        };
        let [thickness, heat, solid, given] = [whole(NAMES[0]), whole(NAMES[1]), whole(NAMES[2]), whole(NAMES[3])];
        let arrival = match saved.own(ARRIVAL)? {
            Bits::F32(values) => values.into_iter().map(f32::from_bits).collect(),
            _ => return Err(damaged(ARRIVAL)),
        };
        Ok(Self { thickness: thickness?, heat: heat?, solid: solid?, given: given?, arrival })
    }
}
