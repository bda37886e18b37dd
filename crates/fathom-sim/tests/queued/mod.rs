//! Drives that decide later: hard disks, and arrays.

mod array;
mod closed_loop;
mod disk;
mod every_model;
