//! The system calls that change the host in other ways than by plain writes to its files.

pub mod detach;
pub mod remount;
