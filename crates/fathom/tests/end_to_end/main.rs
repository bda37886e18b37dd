//! What a person does with the program, from the command line to what is printed and saved.
//!
//! One program has all these tests, so that it is linked once, and a test that waits does not stop the others. Tests of speed and of
//! time are programs of their own, beside which nothing runs.

mod bad_input;
#[path = "../support/block_trace.rs"]
mod block_trace;
mod bundle;
mod compare;
mod compare_many;
mod compare_suites;
mod convert;
mod devices;
mod doctor;
mod examples;
mod figures;
mod files;
mod filesystem;
mod guide_index;
mod guides;
mod import;
mod json;
mod judgement;
mod names;
mod options;
mod precondition;
mod pts;
mod purge;
mod results;
mod resume;
mod runs;
mod safety;
mod shell;
mod simulated;
mod sources;
mod suite;
mod suite_devices;
mod suite_shapes;
mod suite_tables;
mod suites_plan;
#[path = "../support/mod.rs"]
mod support;
mod tidy;
mod topology;
#[path = "../support/trace_buffer.rs"]
mod trace_buffer;
mod tune;
