//! The tests of the lab, in one program, so that it is built once. Each module is a group, which `cargo xtask lab` runs on its own.

mod array;
mod array_long;
mod guard;
mod machine;
mod passthrough;
mod purge;
mod purge_long;
// The last one of its boot: it has the machine rebooted.
mod reboot;
mod tune;
mod zones;
