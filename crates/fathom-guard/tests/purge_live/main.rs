//! Purges of devices of this kernel: loop devices over sparse files, and zram.
//! They need root and say so.

#[path = "../guard_live/loops.rs"]
#[allow(dead_code, reason = "this half of the tests uses a part of it")]
mod loops;
mod ranges;
mod refused;
mod zram;
