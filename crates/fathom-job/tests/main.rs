//! Job files, command lines and values, as fio reads them.
//!
//! One program has these tests, so that it is linked once.

mod command_line;
mod convert;
mod diagnostics;
mod distributions;
mod fio_values;
mod fuzzed;
mod properties;
mod sections;
mod table;
mod units;
mod values;
mod vendor_jobs;
mod world;
