//! Engines that send commands: `ioengine=io_uring_cmd` to the generic character device of a namespace, `ioengine=sg` to SCSI disks.

mod bench;
mod formats;
mod guarded;
mod jobs;
mod polled;
mod scsi;
mod scsi_guarded;
