//! Recorded machines, and what lies on their devices.
//!
//! One program has these tests, so that it is linked once.

mod blkid;
mod inventory;
mod unpacked;
