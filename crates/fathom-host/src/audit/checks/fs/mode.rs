//! `fs.mode`: do mount options change what a write does?

use super::mounted::{each_mounted, has, seen, value};
use crate::audit::{Check, Grade, Grades, Needs, Observation, Observe, Scene};
use fathom_device::Goal::{self, Bandwidth, Iops, Latency, Repeatability};
use fathom_device::mounts::Mount;

pub(super) const CHECK: Check = Check {
    id: "fs.mode",
    title: "Mount options that change what a write does",
    reads: "/proc/self/mountinfo",
    why: "Some mount options change what a write does. data=journal writes every block twice. With compression the \
          figure depends on the data: zeros can be ten times as fast as random bytes. Copy on write puts each \
          overwrite in a new place, so a file is fragmented after one random pass, and slower to read. nodelalloc \
          allocates at each write; dax uses no page cache and no block layer.",
    judged: "data=journal and nodelalloc warn for bandwidth and IOPS, compression for every goal, copy on write (btrfs \
             without nodatacow, zfs, bcachefs) for repeatability and latency, sync for buffered writes on every goal. \
             data=writeback, commit= and dax are a remark. None of them: ok.",
    remedy: "Measure with the options that production will use, and report them. Otherwise remount without the option; \
             on btrfs chattr +C on an empty file switches copy on write (and compression) off for it.",
    needs: Needs::Nothing,
    kernels: "all",
    sources: &["V-60", "V-61", "Documentation/admin-guide/ext4.rst", "btrfs(5)"],
    observe: Observe::Once(observe),
};

/// A mode: the goals that it matters for, its verdict for them, and what it does.
type Mode = (&'static [Goal], Grade, &'static str);

const ALL: &[Goal] = &Goal::ALL;
const STEADY: &[Goal] = &[Repeatability, Latency];

/// Options that are judged without looking at anything else.
const OPTIONS: [(&str, Mode); 5] = [
    ("nodelalloc", (&[Bandwidth, Iops], Grade::Warn, "allocates at each write (nodelalloc)")),
    ("dax", (ALL, Grade::Info, "maps files without page cache and block layer (dax)")),
    ("dax=always", (ALL, Grade::Info, "maps files without page cache and block layer (dax)")),
    ("data=journal", (&[Bandwidth, Iops], Grade::Warn, "writes every block twice (data=journal)")),
    ("data=writeback", (ALL, Grade::Info, "does not order data and metadata (data=writeback)")),
];

fn observe(scene: &Scene<'_>) -> Vec<Observation> {
    each_mounted(scene, |target, mount| {
        let modes = modes(scene, mount);
        let seen = seen(target, mount);
        if modes.is_empty() {
            return Ok(seen.ok("stores what is written, once and in place"));
        }
        let says: Vec<&str> = modes.iter().map(|(_, _, says)| *says).collect();
        Ok(seen.judge(worst(&modes), says.join("; ")))
    })
}

fn modes(scene: &Scene<'_>, mount: &Mount) -> Vec<Mode> {
    let named = OPTIONS.into_iter().filter(|(option, _)| has(mount, option));
    let mut modes: Vec<Mode> = named.map(|(_, mode)| mode).collect();
    if value(mount, "commit").is_some() {
        modes.push((ALL, Grade::Info, "has a commit interval that was set by hand (commit=)"));
    }
    if has(mount, "sync") && scene.job.direct != Some(true) {
        modes.push((ALL, Grade::Warn, "makes every write wait for the drive (sync)"));
    }
    if compresses(mount) {
        modes.push((ALL, Grade::Warn, "compresses: figures depend on the data"));
    }
    if copies_on_write(mount) {
        modes.push((STEADY, Grade::Warn, "writes each block to a new place: overwriting fragments the file"));
    }
    modes
}

fn compresses(mount: &Mount) -> bool {
    let names = ["compress", "compress-force", "compression", "compress_algorithm"];
    names.into_iter().any(|name| {
        has(mount, name) || value(mount, name).is_some_and(|how| !matches!(how, "no" | "none" | "off"))
    })
}

fn copies_on_write(mount: &Mount) -> bool {
    match mount.fs_type.as_str() {
        "btrfs" => !has(mount, "nodatacow"),
        "bcachefs" => !has(mount, "nocow"),
        "zfs" => true,
        _ => false,
    }
}

fn worst(modes: &[Mode]) -> Grades {
    let raise = |verdicts: Grades, (goals, verdict, _): &Mode| {
        let raised = goals.iter().filter(|goal| verdicts.of(**goal) < *verdict);
        raised.fold(verdicts, |verdicts, goal| verdicts.and(&[*goal], *verdict))
    };
    modes.iter().fold(Grades::all(Grade::Info), raise)
}
