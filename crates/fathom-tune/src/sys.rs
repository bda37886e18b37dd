//! The system calls that change the host beside plain writes to its files.

pub mod detach;
pub mod remount;
