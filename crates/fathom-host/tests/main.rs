//! Checks, maps and lists of recorded machines.
//!
//! One program has these tests, so that it is linked once. `many_disks` is a program of its own.

mod audit;
mod devices;
mod printout;
mod same_disks;
mod snapshot_live;
mod topology;
