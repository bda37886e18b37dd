//! Tuning, on a recorded machine with a kernel of the tests' own behind it.

mod claims;
mod faults;
mod forged;
mod journal;
mod kernel;
mod machine;
mod owners;
mod refusals;
mod scope;
mod silent;
mod traps;
#[path = "../../../fathom-device/tests/unpacked/unpack.rs"]
mod unpack;
