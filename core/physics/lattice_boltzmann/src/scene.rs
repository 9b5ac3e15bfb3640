//! What a run fixes for its fluid beside the state: plan, case, what is expected, and whose force is asked for.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use hematite_case::Header;

use crate::alarms::Mass;
use crate::config::{Collision, OpeningCondition};
use crate::wall_parts::WeighedPart;
use crate::worst::Worst;
use crate::{Expected, Plan};

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
    /// Its mass at the first line of the ledger, of this call, in the second half of the run.
    pub halfway: Option<Mass>,
}

impl Scene {
    /// The last step at which the flow still starts: ramps rise, or cells grow and are let go.
    pub fn settles(&self) -> u64 {
        self.plan.ramped_until().max(self.grown)
    }
}
