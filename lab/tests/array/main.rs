//! `fathom array` with mdadm and the kernel's md: refused, and undone half-way.

mod bench;
mod half_way;
mod refused;
