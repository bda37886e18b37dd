//! Tuning on a real kernel: every knob that this machine has goes there and back, after a kill too,
//! and what the kernel refuses is told.

mod bench;
mod every_knob;
mod refused;
mod stand_ins;
