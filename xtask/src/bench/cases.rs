//! Every comparison, one entry each, for a small machine.
//!
//! Generators are compared where the target is nearly free: null, a page-cached file, zram. On a
//! device that is the limit (loop, ext4 on it) IOPS must be equal, and the CPU time shows the difference.
//!
//! *plain*: the job file that a user would write, the same for both. *best*: fio gets the flags
//! that make it fastest, batches of 16 above all; fathom keeps the plain job and its own batching,
//! which never holds a completion back. zram and tmpfs hand io_uring's requests to kernel threads,
//! so that every tool measures the hand-off; the tmpfs cases are shown for that, never as a claim.
//!
//! The *bare loop* submits, waits and reaps, and measures nothing. The difference to fathom is the
//! cost of fathom's statistics.

use super::case::Case;
use super::case::Sides::{self, BareFio, Fathom, FathomBare, FathomFio};
use super::goal::Goal::{AtLeast, AtMost, NoLess, Open};
use super::target::Target::{CachedFile, Ext4Direct, Loop, Nothing, TmpfsFile, Zram};

const PLAIN: Sides = FathomFio(&[]);
/// A wait for 16 completions alone would leave one in each submit call; together they are fio's
/// cheapest: 250 system calls for 4,000 I/Os.
const BATCHES: Sides = FathomFio(&["iodepth_batch=16", "iodepth_batch_complete_min=16"]);
const URING_FLAGS: &[&str] =
    &["iodepth_batch=16", "iodepth_batch_complete_min=16", "fixedbufs=1", "registerfiles=1"];
const URING_BEST: Sides = FathomFio(URING_FLAGS);
const LIBAIO_BEST: Sides =
    FathomFio(&["iodepth_batch=16", "iodepth_batch_complete_min=16", "userspace_reap=1"]);

const URING_4K: &[&str] = &["ioengine=io_uring", "iodepth=32", "bs=4k"];
const URING_512: &[&str] = &["ioengine=io_uring", "iodepth=32", "bs=512"];
const URING_512_ONE: &[&str] = &["ioengine=io_uring", "iodepth=1", "bs=512"];
const POLLER_512: &[&str] =
    &["ioengine=io_uring", "iodepth=32", "bs=512", "sqthread_poll=1", "sqthread_poll_cpu=0"];
const LIBAIO_4K: &[&str] = &["ioengine=libaio", "iodepth=32", "bs=4k"];
const PSYNC_4K: &[&str] = &["ioengine=psync", "bs=4k"];
const NULL_4K: &[&str] = &["ioengine=null", "iodepth=32", "bs=4k"];
const NOP_4K: &[&str] = &["ioengine=nop", "iodepth=32", "bs=4k"];

/// All cases, in the order in which they run.
#[rustfmt::skip]
pub const CASES: &[Case] = &[
    Case {
        name: "null-plain", title: "null engine, QD32: what the generator itself costs",
        target: Nothing, job: NULL_4K, sides: PLAIN, iops: AtLeast(5.0), cpu: Open,
    },
    Case {
        name: "null-best", title: "null engine, QD32, fio in batches of 16",
        target: Nothing, job: NULL_4K, sides: BATCHES, iops: AtLeast(5.0), cpu: Open,
    },
    Case {
        name: "nop", title: "io_uring no-operations, QD32: what ring and system call cost",
        target: Nothing, job: NOP_4K, sides: Fathom, iops: Open, cpu: Open,
    },
    Case {
        name: "cached-4k-plain", title: "page-cached file, io_uring, 4 KiB, QD32",
        target: CachedFile, job: URING_4K, sides: PLAIN, iops: AtLeast(2.0), cpu: Open,
    },
    Case {
        name: "cached-4k-best", title: "page-cached file, io_uring, 4 KiB, QD32, fio at its best",
        target: CachedFile, job: URING_4K, sides: URING_BEST, iops: AtLeast(1.3), cpu: Open,
    },
    Case {
        name: "cached-512-plain", title: "page-cached file, io_uring, 512 B, QD32",
        target: CachedFile, job: URING_512, sides: PLAIN, iops: AtLeast(2.7), cpu: Open,
    },
    Case {
        name: "cached-512-best", title: "page-cached file, io_uring, 512 B, QD32, fio at its best",
        target: CachedFile, job: URING_512, sides: URING_BEST, iops: AtLeast(1.35), cpu: Open,
    },
    Case {
        name: "bare-512", title: "page-cached file, 512 B, QD32: the bare loop against fio at its best",
        target: CachedFile, job: URING_512, sides: BareFio(URING_FLAGS), iops: AtLeast(1.35), cpu: Open,
    },
    Case {
        name: "measuring-512", title: "page-cached file, 512 B, QD32: fathom against the bare loop",
        target: CachedFile, job: URING_512, sides: FathomBare, iops: AtLeast(0.97), cpu: Open,
    },
    Case {
        name: "measuring-4k", title: "page-cached file, 4 KiB, QD32: fathom against the bare loop",
        target: CachedFile, job: URING_4K, sides: FathomBare, iops: AtLeast(0.97), cpu: Open,
    },
    Case {
        name: "cached-512-one", title: "page-cached file, io_uring, 512 B, QD1: a call for each I/O",
        target: CachedFile, job: URING_512_ONE, sides: PLAIN, iops: AtLeast(1.3), cpu: Open,
    },
    Case {
        name: "poller", title: "page-cached file, io_uring with sqthread_poll on another CPU, 512 B, QD32",
        target: CachedFile, job: POLLER_512, sides: PLAIN, iops: Open, cpu: Open,
    },
    Case {
        name: "cached-psync", title: "page-cached file, psync, 4 KiB",
        target: CachedFile, job: PSYNC_4K, sides: PLAIN, iops: Open, cpu: Open,
    },
    Case {
        name: "zram-libaio-plain", title: "zram, O_DIRECT, libaio, 4 KiB, QD32",
        target: Zram, job: LIBAIO_4K, sides: PLAIN, iops: AtLeast(2.0), cpu: Open,
    },
    Case {
        name: "zram-libaio-best", title: "zram, O_DIRECT, libaio, 4 KiB, QD32, fio at its best",
        target: Zram, job: LIBAIO_4K, sides: LIBAIO_BEST, iops: AtLeast(1.1), cpu: Open,
    },
    Case {
        name: "zram-psync", title: "zram, O_DIRECT, psync, 4 KiB",
        target: Zram, job: PSYNC_4K, sides: PLAIN, iops: AtLeast(1.07), cpu: Open,
    },
    Case {
        name: "tmpfs-psync", title: "tmpfs, psync, 4 KiB (no claim)",
        target: TmpfsFile, job: PSYNC_4K, sides: PLAIN, iops: Open, cpu: Open,
    },
    Case {
        name: "tmpfs-io_uring", title: "tmpfs, io_uring, 4 KiB, QD32 (no claim: kernel threads)",
        target: TmpfsFile, job: URING_4K, sides: PLAIN, iops: Open, cpu: Open,
    },
    Case {
        name: "loop", title: "loop device with direct I/O on tmpfs, io_uring, 4 KiB, QD32: the device is the limit",
        target: Loop, job: URING_4K, sides: PLAIN, iops: NoLess, cpu: AtMost(0.6),
    },
    Case {
        name: "ext4-direct", title: "O_DIRECT file on ext4 on that loop device, io_uring, 4 KiB, QD32",
        target: Ext4Direct, job: URING_4K, sides: PLAIN, iops: NoLess, cpu: AtMost(0.6),
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::job_file::{Length, text};
    use crate::job_check::assert_one_job;

    #[test]
    fn names_are_unique_and_every_job_is_one() {
        for (at, case) in CASES.iter().enumerate() {
            assert!(CASES[..at].iter().all(|other| other.name != case.name), "{}", case.name);
            for fio in [false, true] {
                assert_one_job(&text(case, "size=1g\n", fio, Length::Seconds(1)));
                assert_one_job(&text(case, "size=1g\n", fio, Length::Ios(1)));
            }
        }
    }
}
