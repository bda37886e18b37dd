//! The guard and purges, on recorded, simulated and real devices.
//!
//! One program has these tests, so that it is linked once. `guard_stacks` is a program of its own.

mod guard_live;
mod guard_recorded;
mod purge_live;
mod purge_simulated;
