//! `fathom array` with mdadm and the kernel's md: in firmware containers, refused, and undone half-way.

pub mod bench;
mod half_way;
mod imsm;
mod refused;
