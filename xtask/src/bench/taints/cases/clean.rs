//! Runs that nothing disturbs.

use super::{Case, INLINE};
use crate::bench::taints::disturbance::Disturbance::Quiet;
use crate::bench::taints::ground::Ground::{self, *};

/// A run that nothing disturbs.
const fn clean(name: &'static str, ground: Ground, job: &'static str, must: &'static [&'static str]) -> Case {
    Case { name, ground, job, disturbance: Quiet, must, may: &[], limit: "", times: 3 }
}

/// All clean runs.
pub const CASES: &[Case] = &[
    clean("loop-libaio-1", Loop, "rw=randread bs=4k ioengine=libaio direct=1 runtime=2s", &[]),
    clean("loop-libaio-8", Loop, "rw=randread bs=4k ioengine=libaio iodepth=8 direct=1 runtime=2s", &[]),
    clean("loop-uring-8", Loop, "rw=randread bs=16k ioengine=io_uring iodepth=8 direct=1 runtime=2s", &[]),
    clean("loop-psync", Loop, "rw=randread bs=4k ioengine=psync direct=1 runtime=2s", &[]),
    clean("loop-sequential", Loop, "rw=read bs=128k ioengine=libaio iodepth=4 direct=1 runtime=2s", &[]),
    clean("loop-large", Loop, "rw=randread bs=1m ioengine=libaio iodepth=2 direct=1 runtime=2s", &[]),
    clean("loop-rate", Loop, "rw=randread bs=4k ioengine=psync direct=1 rate_iops=2000 runtime=2s", &[]),
    clean(
        "loop-poisson-60",
        Loop,
        "rw=randread bs=4k ioengine=libaio iodepth=16 direct=1 rate_iops=60 rate_process=poisson runtime=8s",
        &[],
    ),
    clean(
        "loop-poisson-20",
        Loop,
        "rw=randread bs=4k ioengine=libaio iodepth=16 direct=1 rate_iops=20 rate_process=poisson runtime=8s",
        &[],
    ),
    clean(
        "loop-ramp",
        Loop,
        "rw=randread bs=4k ioengine=libaio iodepth=32 direct=1 ramp_time=1s runtime=2s",
        &[],
    ),
    clean("slow-deep", Slow(2_000), "rw=randread bs=4k ioengine=libaio iodepth=32 direct=1 runtime=5s", &[]),
    clean("slow-large", SlowBytes(8), "rw=read bs=32m ioengine=psync direct=1 runtime=13s", &[]),
    clean(
        "slow-cold-think",
        SlowFile(1_000),
        "rw=randread bs=4k ioengine=psync thinktime=1ms thinktime_spin=1ms runtime=2s",
        &[],
    ),
    clean(
        "slow-cold-rate",
        SlowFile(1_000),
        "rw=randread bs=4k ioengine=psync rate_iops=400 runtime=2s",
        &[],
    ),
    clean("zram-psync", Zram, "rw=randread bs=4k ioengine=psync direct=1 runtime=2s", &[INLINE]),
    clean("zram-libaio", Zram, "rw=randread bs=4k ioengine=libaio iodepth=4 direct=1 runtime=2s", &[INLINE]),
    clean(
        "zram-rate",
        Zram,
        "rw=randread bs=4k ioengine=psync direct=1 rate_iops=20000 runtime=2s",
        &[INLINE],
    ),
    clean(
        "zram-uring",
        Zram,
        "rw=randread bs=4k ioengine=io_uring iodepth=8 direct=1 runtime=2s",
        &["kernel-workers"],
    ),
    clean("file-read", File, "rw=randread bs=4k ioengine=libaio iodepth=4 direct=1 runtime=2s", &[]),
    clean("file-write", File, "rw=randwrite bs=4k ioengine=libaio iodepth=4 direct=1 runtime=2s", &[]),
    clean("file-mixed", File, "rw=randrw bs=8k ioengine=libaio iodepth=4 direct=1 runtime=2s", &[]),
    clean("file-fsync", File, "rw=randwrite bs=4k ioengine=psync direct=1 fsync=1 runtime=2s", &[]),
    clean("tmpfs-psync", Tmpfs, "rw=randread bs=4k ioengine=psync runtime=2s", &[INLINE]),
    clean("null", Memory, "rw=randread bs=4k ioengine=null iodepth=32 runtime=2s", &[]),
    clean(
        "oracle-queue",
        Memory,
        "rw=randread bs=4k ioengine=oracle oracle_clock=virtual oracle_latency=queue:100us iodepth=16 runtime=20s",
        &[],
    ),
    clean(
        "oracle-rare",
        Memory,
        "rw=read bs=4k ioengine=oracle oracle_clock=virtual oracle_latency=constant:3400ms iodepth=4 runtime=60s",
        &[],
    ),
    clean(
        "oracle-bimodal",
        Memory,
        "rw=randread bs=4k ioengine=oracle oracle_clock=virtual oracle_latency=bimodal:80us:900ms:1% iodepth=4 runtime=60s",
        &[],
    ),
    clean(
        "oracle-lognormal",
        Memory,
        "rw=randread bs=4k ioengine=oracle oracle_clock=virtual oracle_latency=lognormal:200ms:1 iodepth=2 runtime=60s",
        &[],
    ),
    clean(
        "oracle-poisson",
        Memory,
        "rw=randread bs=4k ioengine=oracle oracle_clock=virtual oracle_latency=constant:1ms iodepth=16 rate_iops=20 rate_process=poisson runtime=60s",
        &[],
    ),
    clean(
        "oracle-think",
        Memory,
        "rw=randread bs=4k ioengine=oracle oracle_clock=virtual oracle_latency=constant:1ms thinktime=1500ms runtime=60s",
        &[],
    ),
];
