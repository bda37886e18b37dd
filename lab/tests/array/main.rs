//! `fathom array` with mdadm and the kernel's md: made, initialised, measured, taken apart; refused; undone.

mod bench;
mod half_way;
mod imsm;
mod levels;
mod refused;
mod small_writes;
mod suites;
