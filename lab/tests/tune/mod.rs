//! Tuning on a real kernel: every knob that this machine has is set and put back, after a kill too,
//! and what the kernel refuses is reported.

mod bench;
mod every_knob;
mod refused;
mod stand_ins;
