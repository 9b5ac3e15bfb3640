//! What a run fixes for its fluid beside the state: plan, case, what is expected, and whose force is asked for.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use hematite_case::Header;

use crate::config::{Collision, OpeningCondition};
use crate::{Expected, Plan, WallLinks};

/// What a run fixes for its fluid.
#[derive(Clone)]
pub(crate) struct Scene {
    /// The physics in lattice units.
    pub plan: Plan,
    /// What the case holds.
    pub header: Header,
    /// What is prescribed at openings, by name.
    pub conditions: BTreeMap<String, OpeningCondition>,
    /// The collision operator.
    pub collision: Collision,
    /// The largest speed that is prescribed or follows from what is, where something is.
    pub expected: Option<Expected>,
    /// Parts of the wall whose force is asked for.
    pub forces: Vec<WeighedPart>,
    /// The last step at which what is suspended grows.
    pub grown: u64,
    /// What the run remembers of the fluid, whichever part of it this rank has.
    pub memory: Rc<RefCell<Memory>>,
}

/// What a run remembers of its fluid.
#[derive(Default)]
pub(crate) struct Memory {
    /// Where the fluid was nearest to the limits of the method, once it came near.
    pub suspect: Option<Worst>,
    /// What lines of the ledger tell of the second half of the run.
    pub late: Late,
}

/// What lines of the ledger, those that this process wrote, tell of the second half of a run.
#[derive(Default)]
pub(crate) struct Late {
    /// The first line of the second half. Where that is the last line of the run, the one before.
    pub half: Option<Mass>,
    /// The least and the largest flow through each opening in the last quarter, each the mean between two lines, kg a step.
    pub swings: Vec<[f64; 2]>,
    last: Option<Mass>,
}

impl Late {
    /// Notes a line that was written when the share `done` of the run was.
    pub fn note(&mut self, line: &Mass, done: f64) {
        let before = self.last.replace(line.clone());
        if let Some(before) = before.as_ref().filter(|_| done > 0.75) {
            let flows = line.flows_since(before);
            self.swings.resize(flows.len(), [f64::INFINITY, f64::NEG_INFINITY]);
            for ([least, largest], flow) in self.swings.iter_mut().zip(flows) {
                (*least, *largest) = (least.min(flow), largest.max(flow));
            }
        }
        if self.half.is_none() && done >= 0.5 {
            self.half = if done < 1.0 { Some(line.clone()) } else { before };
        }
    }
}

impl Mass {
    /// The mean flows through openings, and from walls where they give mass, since an earlier line, kg a step.
    pub fn flows_since(&self, before: &Self) -> Vec<f64> {
        let steps = self.step.saturating_sub(before.step).max(1) as f64;
        self.through.iter().zip(&before.through).map(|(now, before)| (now - before) / steps).collect()
    }
}

impl Scene {
    /// The last step at which the flow still starts: ramps rise, or cells grow and are let go.
    pub fn settles(&self) -> u64 {
        self.plan.ramped_until().max(self.grown)
    }
}

/// A part of the wall whose force is asked for.
#[derive(Clone, Debug)]
pub(crate) struct WeighedPart {
    /// Its name.
    pub name: String,
    /// The point of its torque, lattice units; a node is at its position.
    pub about: [f64; 3],
    /// Its links of this rank's own nodes.
    pub links: WallLinks,
}

/// Mass of the fluid as the ledger has it, kg.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mass {
    /// Time steps done.
    pub step: u64,
    /// Inside.
    pub inside: f64,
    /// What has come in through each opening since the start, and from walls where they give some.
    pub through: Vec<f64>,
}

/// The node where the fluid is nearest to the limits of the method, or farthest beyond.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Worst {
    pub step: u64,
    /// Speed and density deviation over their limits; infinite where they are no numbers.
    pub badness: f64,
    pub id: u64,
    pub site: [i32; 3],
    pub speed: f64,
    pub deviation: f64,
}
