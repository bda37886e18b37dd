//! `blk.cgroup`: does a control group limit the I/O of the job?

use crate::audit::{Check, Disk, Grade, Grades, Needs, Observation, Observe, Raw, Scene};
use crate::io_limits::{self, Limits, Line, OWN};
use fathom_device::Goal::{Bandwidth, Iops};

pub(super) const CHECK: Check = Check {
    id: "blk.cgroup",
    title: "I/O limits of the control group",
    reads: "/proc/self/cgroup; io.max, io.latency of the group and those above it; /sys/fs/cgroup/io.cost.qos; \
            blkio.throttle.*_device (v1)",
    why: "A control group can cap the bytes or I/Os a second of everything in it, for each disk. systemd does it for \
          services with IOReadBandwidthMax= and the like, container engines with --device-write-iops. The cap is \
          exact, so the figure is very steady, but it is the cap that was measured and not the disk. iocost divides a \
          disk between groups by a model of the disk, and delays a group that uses more than its share.",
    judged: "A limit on a disk under test is bad for bandwidth and IOPS, and warns for the others (I/O that waits for \
             the cap has a higher latency). iocost switched on for the disk warns for both. A latency target is a \
             remark. No limit is ok.",
    remedy: "Run outside of the group: systemd-run --scope --slice=-.slice fathom run …, or from a root shell, or give \
             the container no limit. fathom never changes a limit, because somebody set it on purpose.",
    needs: Needs::Administrator,
    kernels: "4.5 and later for cgroup 2; iocost since 5.4; blkio (cgroup 1) before",
    sources: &["Documentation/admin-guide/cgroup-v2.rst"],
    observe: Observe::Once(observe),
};

fn observe(scene: &Scene<'_>) -> Vec<Observation> {
    let limits = match io_limits::limits(scene.root) {
        Ok(limits) => limits,
        Err(unknown) => return vec![Observation::unknown("host", unknown)],
    };
    scene.each_queue(|disk| Ok(one(&limits, disk)))
}

fn one(limits: &Limits, disk: &Disk) -> Observation {
    let number = disk.number.to_string();
    let of_disk = |line: &&Line| line.device == number;
    let caps: Vec<&Line> = limits.caps.iter().filter(of_disk).collect();
    let others: Vec<&Line> = limits.shares.iter().chain(&limits.targets).filter(of_disk).collect();
    let seen = Observation::on(&disk.name).show(&Raw { path: OWN.into(), text: limits.own.clone() });
    let seen = caps.iter().chain(&others).fold(seen, |seen, line| seen.with(&line.path, &line.text));
    if let Some(cap) = caps.first() {
        let verdicts = Grades::all(Grade::Warn).and(&[Bandwidth, Iops], Grade::Bad);
        return seen.judge(verdicts, format!("our control group is limited to {}", cap.words));
    }
    if limits.shares.iter().any(|line| line.device == number) {
        return seen.warn_for(
            &[Bandwidth, Iops],
            "iocost divides the disk between control groups by a model, and delays what exceeds it",
        );
    }
    match others.first() {
        Some(target) => seen.info(format!("our control group has a latency target ({})", target.words)),
        None => seen.ok("our control group has no limit on it"),
    }
}
