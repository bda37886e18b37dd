//! `ioengine=io_uring_cmd`: NVMe commands to the generic character device of a namespace.

mod bench;
mod formats;
mod guarded;
mod jobs;
mod polled;
