//! What the machine did beside a run, as it is saved.
//!
//! While a run is measured, the counters and gauges of the machine are read each second. Their names are
//! saved once ([`SampleTables`]): a table for each kind of thing, with a row for each thing (a CPU, a disk)
//! and a column for each number. A sample ([`PackedSample`]) has the numbers of all tables for one interval: how
//! far each counter went, and what each gauge showed at the end. A row whose files could not be read is missing from the sample.
//!
//! Kinds and columns are found by name, so a later version adds some without a new format, and a reader
//! skips those that it does not know.

pub mod kind;
mod packed;
mod samples;
mod table;

pub use packed::PackedSample;
pub use samples::{RunSamples, Sample};
pub use table::{SampleTable, SampleTables, UnsampledKind};
