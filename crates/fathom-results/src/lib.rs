//! fathom-results: what a run leaves behind.
//!
//! The engine fills these types, the reports read them, and neither depends on the
//! other. A run is a directory with two files: `run.json` ([`RunRecord`]: what
//! was planned, on what machine, how it ended) and `spool` (an append-only sequence
//! of [`Frame`]s, flushed every second: all figures come from it).
//! The saved form of these types must stay readable; see [`record::FORMAT`] and
//! [`spool::VERSION`].
#![forbid(unsafe_code)]

mod bounded;
mod foreign;
pub mod frame;
pub mod ground;
pub mod load;
pub mod outcome;
pub mod record;
mod replace;
pub mod self_knowledge;
pub mod series;
pub mod spool;
pub mod totals;

pub use frame::{DirectionWindow, Event, Frame, LatencyWindow, Phase, Window};
pub use ground::Grounds;
pub use load::{JobResult, LoadError, RunResult, load};
pub use outcome::{EndedBy, JobFailure, JobOutcome, Usage};
pub use record::{DiskDelta, Fact, Finish, RunRecord, Taint, Verdict};
pub use replace::write_run_file;
pub use self_knowledge::{
    Calibration, CheckOutcome, FindingWeight, HostFinding, KernelWorkerKind, KernelWorkers, SelfCheck,
    SelfKnowledge,
};
pub use series::SeriesPoint;
pub use spool::{SpoolReader, SpoolWriter, is_spool};
pub use totals::{DepthMaps, DirectionTotals, JobTotals, Latency};
