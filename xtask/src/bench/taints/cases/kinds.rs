//! Runs for the shares of false alarms and of misses: ten kinds of disturbance, four runs of each. They are not kept.

use super::{Case, INLINE};
use crate::bench::taints::disturbance::Disturbance::{self, *};
use crate::bench::taints::ground::Ground::{self, *};
use crate::bench::taints::throttle::Confinement::{Cpu, Memory};

/// Runs of each kind.
const TIMES: usize = 4;

/// Taints that follow from a disturbance, beside those that it must cause.
const BESIDE: &[&str] = &[
    "host-disturbed",
    "generator-limited",
    "unstable",
    "littles-law",
    "stalls",
    "woken-late",
    "rate-missed",
    INLINE,
];

const fn kind(
    name: &'static str,
    (ground, job): (Ground, &'static str),
    disturbance: Disturbance,
    must: &'static [&'static str],
    limit: &'static str,
) -> Case {
    Case { name, ground, job, disturbance, must, may: BESIDE, limit, times: TIMES }
}

/// 400 times 64 KiB a second: one per cent of the bytes are four reads. In a shorter time they are no more than what udev reads.
const PACED: &str = "rw=randread bs=64k ioengine=libaio iodepth=4 direct=1 rate_iops=400 runtime=10s";

/// All kinds.
pub const CASES: &[Case] = &[
    kind(
        "kind-buffered-random",
        (File, "rw=randwrite bs=4k ioengine=psync runtime=4s"),
        Built,
        &["page-cache"],
        "",
    ),
    kind(
        "kind-buffered-order",
        (File, "rw=write bs=64k ioengine=psync runtime=4s"),
        Built,
        &["page-cache"],
        "",
    ),
    // The limit is told as the answer's limit, and nothing of the figures is doubted for it.
    kind(
        "kind-group-limit",
        (Slow(3_000), "rw=randread bs=4k ioengine=libaio iodepth=16 direct=1 runtime=4s"),
        Built,
        &[],
        "group",
    ),
    kind("kind-reader-1", (Loop, PACED), Share(1), &["foreign-io"], ""),
    kind("kind-reader-5", (Loop, PACED), Share(5), &["foreign-io"], ""),
    kind("kind-reader-20", (Loop, PACED), Share(20), &["foreign-io"], ""),
    kind(
        "kind-sparse-loop",
        (SparseLoop, "rw=randread bs=4k ioengine=libaio iodepth=4 direct=1 runtime=4s"),
        Built,
        &["unknown-content"],
        "",
    ),
    kind(
        "kind-tmpfs-loop",
        (Loop, "rw=randread bs=16k ioengine=libaio iodepth=4 direct=1 runtime=4s"),
        Built,
        &["memory-backed"],
        "",
    ),
    kind(
        "kind-cpu-quota",
        (Loop, "rw=randread bs=4k ioengine=libaio iodepth=8 direct=1 runtime=5s"),
        Confined(Cpu(20)),
        &["cpu-quota"],
        "quota",
    ),
    kind(
        "kind-memory-pressure",
        (File, "rw=randread bs=4k ioengine=psync pre_read=1 runtime=5s"),
        Confined(Memory(64)),
        &["page-cache"],
        "",
    ),
];
