//! What a person does with the program, from the command line to what is printed and saved.
//!
//! One program has all these tests, so that it is linked once, and a test that waits does not stop the others. Tests of speed and of
//! time are in `timed`, beside which nothing runs, and those that wait for what does not answer in `hangs`.

mod against_fio;
#[path = "../support/block_trace.rs"]
mod block_trace;
mod clients;
mod command_line;
#[path = "../support/dice.rs"]
mod dice;
mod first_screen;
mod forms_agree;
mod journeys;
mod quick;
mod same_figures;
mod sampled;
mod settles;
mod steady;
#[path = "../support/mod.rs"]
mod support;
#[path = "../support/trace_buffer.rs"]
mod trace_buffer;
