//! Suites: files that say what to measure, in which order, after which preparation, and which table comes out.
//!
//! A suite is text ([`SuiteSpec`]), so that a person can copy one and change it. [`expand`] makes the steps of it for the
//! given targets: everything is decided before the first I/O, so a suite that cannot run fails before it has written
//! anything, and a suite that was killed goes on at the step where it stopped. The procedure that runs the steps is
//! [`crate::Suite`]. A new suite is one file in `suites/` and its line in [`BUILT_IN`].

mod before;
mod built_in;
mod cell;
mod device_count;
mod device_sets;
mod document;
mod expand;
mod group;
mod knee;
mod order;
mod rule;
mod shown;
mod spec;
mod terms;
mod text;
mod vary;

pub use before::Before;
pub use built_in::{BUILT_IN, BuiltIn, built_in, example};
pub use cell::{SuiteCell, SuiteStep};
pub use device_count::DeviceCount;
pub use device_sets::{Over, set_name};
pub use document::{
    ListedSuite, PlannedGroup, RunColumn, SuitePlanDocument, SuiteTablesDocument, SuitesDocument,
};
pub use expand::{Expanded, expand};
pub use group::CellGroup;
pub use knee::{KNEE_SHARE, MeanLatency, adds_latency, falls_after_knee, knee};
pub use rule::Rule;
pub use shown::Shown;
pub use spec::{Order, SuiteKind, SuiteSpec, TARGETS_COLUMN};
pub use terms::{SettledWithin, SuiteTarget, SuiteTerms};
pub use vary::Vary;
