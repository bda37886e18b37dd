//! Tests that wait for what does not answer, so tests that calculate can run beside them.

mod manners;
mod stuck;
#[path = "../support/mod.rs"]
mod support;
