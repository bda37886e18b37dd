//! Tests that measure times, counts of system calls or memory. Nothing runs beside this program, and no more of its tests at once than
//! there are processors.

mod compat;
mod live_view;
mod self_knowledge;
mod steadiness;
mod steady_beside_fio;
#[path = "../support/mod.rs"]
mod support;
#[path = "../support/trace_buffer.rs"]
mod trace_buffer;
#[path = "../support/tracefs.rs"]
mod tracefs;
#[path = "../support/zram.rs"]
mod zram;
