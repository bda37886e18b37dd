//! Runs that are disturbed on purpose.

use super::{Case, INLINE};
use crate::bench::taints::disturbance::Disturbance::{self, *};
use crate::bench::taints::ground::Ground::{self, *};

const FOREIGN: &str = "foreign-io";
const LIMITED: &str = "generator-limited";
const HOST: &str = "host-disturbed";
const STALLS: &str = "stalls";
const UNSTABLE: &str = "unstable";

/// A run that is disturbed.
const fn disturbed(
    name: &'static str,
    (ground, job): (Ground, &'static str),
    disturbance: Disturbance,
    must: &'static [&'static str],
    may: &'static [&'static str],
) -> Case {
    Case { name, ground, job, disturbance, must, may, limit: "", times: 4 }
}

/// Taints that a busy program on the job's CPU may cause, in addition to those that it must cause.
const BUSY: &[&str] = &[HOST, LIMITED, UNSTABLE, "littles-law"];

/// All disturbed runs.
pub const CASES: &[Case] = &[
    disturbed(
        "writer-small",
        (Loop, "rw=randread bs=4k ioengine=libaio iodepth=4 direct=1 runtime=2s"),
        Writer,
        &[FOREIGN],
        BUSY,
    ),
    disturbed(
        "writer-large",
        (Loop, "rw=randread bs=1m ioengine=libaio iodepth=2 direct=1 runtime=2s"),
        Writer,
        &[FOREIGN],
        BUSY,
    ),
    disturbed(
        "writer-rate",
        (Loop, "rw=randread bs=64k ioengine=psync direct=1 rate_iops=500 runtime=2s"),
        Writer,
        &[FOREIGN],
        BUSY,
    ),
    disturbed(
        "reader",
        (Loop, "rw=randread bs=4k ioengine=libaio iodepth=4 direct=1 runtime=2s"),
        Reader,
        &[FOREIGN],
        BUSY,
    ),
    disturbed(
        "file-writer",
        (File, "rw=randread bs=4k ioengine=libaio iodepth=4 direct=1 runtime=2s"),
        FileWriter,
        &[FOREIGN],
        BUSY,
    ),
    disturbed(
        "buffered-writer",
        (SlowFile(1_000), "rw=randread bs=4k ioengine=psync runtime=2s"),
        FileWriter,
        &[FOREIGN],
        BUSY,
    ),
    disturbed(
        "zram-reader",
        (Zram, "rw=randread bs=4k ioengine=psync direct=1 runtime=2s"),
        Reader,
        &[FOREIGN, INLINE],
        BUSY,
    ),
    disturbed(
        "hog-psync",
        (Loop, "rw=randread bs=4k ioengine=psync direct=1 cpus_allowed=0 runtime=3s"),
        Hog,
        &[HOST, LIMITED],
        BUSY,
    ),
    disturbed(
        "hog-zram",
        (Zram, "rw=randread bs=4k ioengine=psync direct=1 cpus_allowed=0 runtime=3s"),
        Hog,
        &[HOST, LIMITED, INLINE],
        BUSY,
    ),
    disturbed(
        "hog-zram-deep",
        (Zram, "rw=randread bs=4k ioengine=libaio iodepth=8 direct=1 cpus_allowed=0 runtime=3s"),
        Hog,
        &[HOST, LIMITED, INLINE],
        BUSY,
    ),
    // The queue lasts longer than every wait for the CPU, so the device limits the figure.
    disturbed(
        "hog-slow-deep",
        (Slow(2_000), "rw=randread bs=4k ioengine=libaio iodepth=64 direct=1 cpus_allowed=0 runtime=3s"),
        Hog,
        &[HOST],
        &[],
    ),
    disturbed(
        "idle-class",
        (Zram, "rw=randread bs=4k ioengine=psync direct=1 cpus_allowed=0 runtime=3s"),
        IdleClass,
        &[HOST, LIMITED],
        &[HOST, STALLS, UNSTABLE, INLINE],
    ),
    disturbed(
        "stopped",
        (Loop, "rw=randread bs=4k ioengine=libaio iodepth=8 direct=1 runtime=5s"),
        Stopped,
        &["stopped"],
        BUSY,
    ),
    disturbed(
        "slower",
        (Slow(4_000), "rw=randread bs=4k ioengine=libaio iodepth=8 direct=1 runtime=6s"),
        Slower,
        &[UNSTABLE],
        BUSY,
    ),
    disturbed(
        "cached",
        (File, "rw=randread bs=4k ioengine=psync pre_read=1 runtime=2s"),
        Built,
        &[INLINE, "page-cache"],
        BUSY,
    ),
    disturbed(
        "sparse",
        (Sparse, "rw=randread bs=4k ioengine=psync direct=1 runtime=2s"),
        Built,
        &["unwritten-range"],
        &[INLINE, "too-fast", HOST, LIMITED],
    ),
    disturbed(
        "oracle-stall",
        (
            Memory,
            "rw=randread bs=4k ioengine=oracle oracle_clock=virtual oracle_stall=4s:3s iodepth=8 runtime=15s",
        ),
        Built,
        &[STALLS],
        &[],
    ),
];
