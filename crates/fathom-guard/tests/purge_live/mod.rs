//! Purges of devices of this kernel: loop devices over sparse files, and zram.
//! They need root and say so.

mod ranges;
mod refused;
mod zram;
