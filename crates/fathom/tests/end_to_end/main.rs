//! What a person does with the program, from the command line to what is printed and saved.
//!
//! One program has all these tests, so that it is linked once, and a test that waits does not stop the others. Tests of speed and of
//! time are programs of their own, beside which nothing runs.

#[path = "../support/block_trace.rs"]
mod block_trace;
#[path = "../support/dice.rs"]
mod dice;
mod journeys;
#[path = "../support/mod.rs"]
mod support;
#[path = "../support/trace_buffer.rs"]
mod trace_buffer;
