//! The files of a run, writer and reader of each in one place.
//!
//! ```text
//! runs/NAME/run.json          the resolved run: record.rs
//!           fields.vtkhdf     a dump of fields, opens in ParaView as it is: fields/
//!           ledger.csv        mass inside and through each opening: ledger.rs
//!           log.jsonl         one JSON object a line: log.rs
//!           timing.json       where the time went, per phase and rank: timing.rs
//!           checkpoint/       the state of the fluid, to go on from: checkpoint.rs
//! ```

mod cells;
mod checkpoint;
mod compare;
mod field;
mod fields;
mod h5;
mod ledger;
mod log;
mod lookup;
mod record;
mod region;
mod timing;

pub use cells::{CellFrame, CellKind};
pub use checkpoint::{Bits, Checkpoint, CheckpointMeta, CheckpointWriter, Located, Storage};
pub use compare::{Comparison, Difference, FieldTotal, compare};
pub use field::{DumpStep, Field, Grid, Values};
pub use fields::{FieldReader, FieldWriter, clear_other_ranks, dump_file, rank_file, write_index};
pub use ledger::{Ledger, LedgerRow, LedgerWriter};
pub use log::Log;
pub use record::{OpeningRecord, RunRecord};
pub use region::{Axis, DumpRegion, RegionBox, RegionPlane};
pub use timing::{PhaseTimes, Timing};
