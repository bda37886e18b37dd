//! Partitions, through linux/blkpg.h. Not every kernel reads every table, so the test tells it where
//! they are, as partitioning programs do.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

use super::check;

const BLKPG: libc::Ioctl = 0x1269;
const BLKPG_ADD_PARTITION: i32 = 1;

/// `struct blkpg_ioctl_arg`.
#[repr(C)]
struct Arguments {
    operation: i32,
    flags: i32,
    data_len: i32,
    data: *mut Partition,
}

/// `struct blkpg_partition`.
#[repr(C)]
struct Partition {
    start_bytes: i64,
    size_bytes: i64,
    number: i32,
    names: [[u8; 64]; 2],
}

/// Adds a partition to an open disk.
pub fn add(disk: &File, number: usize, start_bytes: u64, size_bytes: u64) -> io::Result<()> {
    let number = i32::try_from(number).expect("a small number");
    let [start_bytes, size_bytes] =
        [start_bytes, size_bytes].map(|n| i64::try_from(n).expect("a small disk"));
    let mut partition = Partition { start_bytes, size_bytes, number, names: [[0; 64]; 2] };
    let arguments = Arguments {
        operation: BLKPG_ADD_PARTITION,
        flags: 0,
        data_len: i32::try_from(size_of::<Partition>()).expect("a small structure"),
        data: &raw mut partition,
    };
    // SAFETY: both structures have the layout of linux/blkpg.h, are initialised, and outlive the call.
    check(unsafe { libc::ioctl(disk.as_raw_fd(), BLKPG, &raw const arguments) }.into()).map(drop)
}
