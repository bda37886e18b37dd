//! fathom-results: what a run leaves behind.
//!
//! The engine fills these types, the reports read them, and neither depends on the
//! other. A run is a directory with two files: `run.json` ([`RunRecord`]: what
//! was planned, on what machine, how it ended) and `spool` (an append-only sequence
//! of [`Frame`]s, flushed every second: all figures come from it).
//! The saved form of these types must stay readable; see [`record::FORMAT`] and
//! [`spool::VERSION`].
#![forbid(unsafe_code)]

mod add_up;
pub mod answer;
mod comparison;
mod datasheet;
mod directory;
mod document;
mod facts;
pub mod finding;
mod foreign;
pub mod frame;
pub mod ground;
mod job_result;
mod latency_line;
mod latency_window;
pub mod load;
mod main_latency;
mod obstacle;
pub mod outcome;
mod phase;
pub mod plan;
mod power_cut;
mod printed;
pub mod procedure;
pub mod quick;
pub mod record;
mod replace;
mod report_remark;
mod round;
pub mod run_end;
pub mod sample;
pub mod seal;
pub mod self_check;
pub mod self_knowledge;
pub mod series;
mod shared;
pub mod spool;
mod standard_report;
mod stop_record;
mod surroundings;
pub mod totals;
mod unrated;
mod verification;
mod verify_state;
mod window;
mod wire;

pub use answer::{
    Answer, ClassKind, DeviceClass, FailedJobs, Instead, JobLimit, Limit, Limits, LostIos, NextStep,
    Prescribed, Reason, RoundsPart, Trend, Trust, TrustLevel, Why,
};
pub use comparison::*;
pub use datasheet::{DeviceSheet, ImpossibleClaims, SheetLine};
pub use directory::SavedDirectory;
pub use document::{DOCUMENT_FORMAT, FigureRecord, PlanDocument, RunDocument, SeriesRecord, VerifiedJob};
pub use facts::STEAL_PERCENT;
pub use finding::{Evidence, Finding, JobsPart, Weight};
pub use frame::{Event, EventKind, Frame};
pub use ground::Grounds;
pub use job_result::JobResult;
pub use latency_line::{LatencyColumn, LatencyLine};
pub use latency_window::LatencyWindow;
pub use load::{LoadError, RunResult, load, load_unsaved};
pub use obstacle::ReadObstacle;
pub use outcome::{EndedBy, JobFailure, JobOutcome, Usage};
pub use phase::Phase;
pub use plan::{FileRecord, JobRecord, PlanFinding, PlanRecord, SCRATCH};
pub use power_cut::{LogEnd, POWER_CUT_FORMAT, PowerCutLog, PowerCutResult};
pub use printed::PrintedText;
pub use record::{DiskDelta, Fact, Finish, MEMORY_BENEATH, ProcessIo, RunRecord, Verdict, has_fios_words};
pub use replace::write_run_file;
pub use report_remark::{
    BestFigure, BestOfRun, DoubtedRounds, FallenRow, PartsCause, ReportHeadline, ReportRemark, SpreadRow,
};
pub use round::RoundRecord;
pub use run_end::{Incomplete, RoundFailure, RunEnd};
pub use sample::{PackedSample, RunSamples, Sample, SampleTable, SampleTables, UnsampledKind};
pub use seal::{Seal, SealedFile};
pub use self_check::{CheckEvidence, CheckOutcome, SelfCheck};
pub use self_knowledge::{
    Calibration, CpuQuota, FindingWeight, Halt, HostFinding, KernelWorkerKind, KernelWorkers, SelfKnowledge,
};
pub use series::SeriesPoint;
pub use spool::{SpoolExtent, SpoolReader, SpoolWriter, is_spool};
pub use standard_report::{
    Determination, HeaderGroup, ReportAxis, ReportColumns, ReportPart, ReportPlot, ReportSeries, ReportTable,
    StandardReport, TableCell, TestReport,
};
pub use stop_record::{NotSettled, SettledFigures, SteadyWindow, StopRecord};
pub use surroundings::{RunSurroundings, TargetSurroundings};
pub use totals::{DepthMaps, DirectionTotals, Drained, JobTotals, Latency, PriorityLatency};
pub use unrated::{RATE_IOS_MIN, RATE_NS_MIN, Unrated, has_too_few, mean_of_enough};
pub use verification::{CachedFile, FaultAt, SavedBlock, Unchecked, Verification};
pub use verify_state::{
    JobBlocks, JobDifference, StateError, StateFile, StateHead, StateWrite, VERIFY_STATE_VERSION,
    VerifyState, WriteFate, verify_state_name,
};
pub use window::{DirectionWindow, PriorityWindow, Window};
