//! The files of a run folder; writer and reader of each file are side by side.
//!
//! ```text
//! runs/NAME/run.json          the resolved run, what it warned of and how it ended: record.rs
//!           fields.vtkhdf     a dump of fields, opens in ParaView as it is: fields/
//!           cells.vtkhdf      a dump of the surfaces of cells, opens in ParaView too: cells/
//!           bodies.vtkhdf     a dump of rigid bodies, opens in ParaView too: bodies/
//!           polymers.vtkhdf   a dump of the chains of polymers, opens in ParaView too: chains/
//!           tracks.h5         position and orientation of each cell and body, in H5MD: tracks.rs
//!           ledger.csv        mass inside and through openings, measurements, counts of members: ledger.rs
//!           log.jsonl         one JSON object a line: log.rs
//!           timing.json       where the time went, per phase and rank: timing.rs
//!           trace.json        when hosts and devices did what, with --trace only: trace.rs
//!           failed/           the last state of a run that failed, as dumps; no reader takes it for a run
//!           checkpoint/       states of fluid and cells for restarts: checkpoint.rs
//! ```

mod bodies;
mod cells;
mod chains;
mod checkpoint;
mod clock;
mod compare;
mod field;
mod fields;
mod h5;
mod ledger;
mod log;
mod lookup;
mod members;
mod polydata;
mod record;
mod region;
mod timing;
mod trace;
mod tracks;
mod vtk;
mod written;

pub use bodies::{BodyFrame, BodyKind, BodyReader, BodyWriter, write_body_index};
pub use cells::{CellFrame, CellKind, CellReader, CellWriter, write_cell_index};
pub use chains::{ChainFrame, ChainKind, ChainReader, ChainWriter, write_chain_index};
pub use checkpoint::{
    Bits, CellRecords, Checkpoint, CheckpointMeta, CheckpointWriter, Lists, Located, PopulationState,
};
pub use clock::Clock;
pub use compare::{Comparison, Difference, Quantity, Total, compare};
pub use field::{DumpStep, Field, Grid, Values};
pub use fields::{FieldReader, FieldWriter, clear_other_ranks, cut_back, dump_file, rank_file, write_index};
pub use ledger::{CellCount, Column, Ledger, LedgerRow, LedgerWriter};
pub use log::Log;
pub use members::{MemberFile, MemberFrame, MemberKinds, MemberWriter};
pub use polydata::{Kind, Reader};
pub use record::{ChangeRecord, EndRecord, EndState, OpeningRecord, RestartRecord, RunRecord, RunState, WarningRecord};
pub use region::{Axis, DumpRegion, RegionBox, RegionPlane};
pub use timing::{PhaseTimes, Timing};
pub use trace::{RankTrace, Trace, TraceEvent};
pub use tracks::{TrackBox, TrackFrame, TrackReader, TrackWriter};
pub use written::Written;
