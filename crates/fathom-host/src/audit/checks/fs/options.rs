//! What the options of a mount do.

use super::mounted::{has, seen, value};
use crate::audit::{Grade, Grades, Observation, Observed, Scene, Target};
use fathom_device::Goal;
use fathom_device::Goal::{Bandwidth, Iops, Latency, Repeatability};
use fathom_device::ask::Question;
use fathom_device::mounts::Mount;

/// `fs.atime`: do reads cause writes?
pub(super) fn atime(_: &Scene<'_>, target: &Target, mount: &Mount) -> Observed {
    let seen = seen(target, mount);
    // mountinfo does not show strictatime.
    Ok(if has(mount, "noatime") {
        seen.ok("reads do not change the inode")
    } else if has(mount, "ro") {
        seen.ok("mounted read-only: nothing is written")
    } else if has(mount, "relatime") {
        seen.info("reads change the inode once a day at most")
    } else {
        seen.warn_for(
            &[Latency, Iops, Repeatability],
            "every read sets the time of last access, and so writes",
        )
    })
}

/// `fs.discard`: does deleting a file send trims during a run?
pub(super) fn discard(scene: &Scene<'_>, target: &Target, mount: &Mount) -> Observed {
    let seen = seen(target, mount);
    let timer = scene.ask(&Question::Unit { unit: "fstrim.timer".to_owned() });
    let seen = timer.iter().fold(seen, Observation::show);
    let weekly = match timer.is_ok_and(|raw| raw.text.starts_with("active")) {
        true => "; fstrim.timer trims once a week anyway",
        false => "",
    };
    Ok(if has(mount, "discard") || value(mount, "discard") == Some("sync") {
        seen.warn_for(&[Repeatability], format!("every deletion sends trims{weekly}"))
    } else if value(mount, "discard").is_some() {
        seen.info(format!("deletions send trims later, a few at a time{weekly}"))
    } else {
        seen.ok("deletions send no trims")
    })
}

/// `fs.barrier`: does a flush reach the drive?
pub(super) fn barrier(_: &Scene<'_>, target: &Target, mount: &Mount) -> Observed {
    let is_off = has(mount, "nobarrier")
        || matches!(value(mount, "barrier"), Some("0" | "none" | "off"))
        || value(mount, "fsync_mode") == Some("nobarrier");
    let seen = seen(target, mount);
    Ok(match is_off {
        true => seen.bad("fsync does not reach the drive: nothing is durable"),
        false => seen.ok("flushes reach the drive"),
    })
}

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

/// `fs.mode`: do mount options change what a write does?
pub(super) fn mode(scene: &Scene<'_>, target: &Target, mount: &Mount) -> Observed {
    let modes = modes(scene, mount);
    let seen = seen(target, mount);
    if modes.is_empty() {
        return Ok(seen.ok("stores what is written, once and in place"));
    }
    let says: Vec<&str> = modes.iter().map(|(_, _, says)| *says).collect();
    Ok(seen.judge(worst(&modes), says.join("; ")))
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
