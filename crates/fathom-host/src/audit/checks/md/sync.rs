//! `md.sync`: is the array syncing, rebuilding or checking?

use super::array::{Array, each_array};
use crate::audit::{Check, Needs, Observe, Observed, Raw, Scene};
use fathom_text::words::counted;

/// The resolved path, as in [`crate::audit::Disk::sys_dir`].
const ACTION: &str = "/sys/devices/virtual/block/md*/md/sync_action";

pub(super) const CHECK: Check = Check {
    id: "md.sync",
    title: "Background work of the array",
    reads: "/sys/block/mdX/md/sync_action, sync_completed, sync_speed, resync_start",
    why: "A new array of RAID 1, 5, 6 or 10 is initialised at once, a replaced member is rebuilt, and distributions \
          check every array once a month, mostly on a Sunday night. Each of them reads or writes all of the members, \
          as fast as the limits allow. This takes 200 MB/s and more, so every figure is too low, by an amount that \
          changes all the time.",
    judged: "Anything but idle is bad for every goal, now or at any time between two readings. frozen is a warning: \
             nothing runs, but the work that is due is only delayed. A first sync that still waits (for the first \
             write of an array in state read-auto) warns too.",
    remedy: "Wait; the observation says how long (md.sync_speed explains how to shorten it). mdadm --wait MD returns \
             when it is over. A check may be stopped by hand: echo idle > /sys/block/mdX/md/sync_action; a rebuild or \
             first sync should not be. Postpone the monthly check while you measure.",
    needs: Needs::Administrator,
    kernels: "2.6.17 and later",
    sources: &["I-20", "Documentation/admin-guide/md.rst"],
    observe: Observe::Watch(&[ACTION], |scene| each_array(scene, |array| one(scene, array))),
};

fn one(scene: &Scene<'_>, array: &Array<'_>) -> Observed {
    if !array.has_redundancy() {
        return Ok(array.seen().not_applicable(format!("{} has nothing to sync", array.level)));
    }
    let action = scene.read(array.file("sync_action"))?;
    let seen = array.seen().show(&action);
    let before = scene.before(&action.path).map(str::trim).unwrap_or("idle");
    Ok(match action.text.as_str() {
        "resync" | "recover" | "check" | "repair" | "reshape" => {
            seen.bad(format!("{} is running, {}", action.text, progress(scene, array)))
        }
        "idle" if is_work(before) => seen.bad(format!("{before} was running, and ended while we looked")),
        "idle" => match waiting(scene, array) {
            Some(start) => {
                seen.show(&start).warn("the first sync is not done yet, and begins with the first write")
            }
            None => seen.ok("idle"),
        },
        "frozen" => seen.warn("frozen by hand; the work that is due starts when the array is released"),
        _ => return Err(action.garbled()),
    })
}

fn is_work(action: &str) -> bool {
    matches!(action, "resync" | "recover" | "check" | "repair" | "reshape")
}

/// `resync_start` is `none` once everything is synced; otherwise it is the
/// first sector that is not. A sync that a clean stop interrupted looks the
/// same, and continues in the same way.
fn waiting(scene: &Scene<'_>, array: &Array<'_>) -> Option<Raw> {
    let (_, raw) = scene.value::<u64>(array.file("resync_start")).ok()?;
    let state = scene.read(array.file("array_state")).ok()?;
    matches!(state.text.as_str(), "read-auto" | "readonly").then_some(raw)
}

/// `12 % done, 34 minutes to go`, as far as the array reports it.
fn progress(scene: &Scene<'_>, array: &Array<'_>) -> String {
    let done = scene.read(array.file("sync_completed")).ok().and_then(|raw| parts(&raw.text));
    let Some((done, all)) = done else {
        return "and does not report its progress".to_owned();
    };
    let percent = done.saturating_mul(100) / all;
    let speed_kib = scene.value::<u64>(array.file("sync_speed")).map_or(0, |(speed, _)| speed);
    // Sectors of 512 bytes: two to a KiB.
    match ((all - done) / 2).checked_div(speed_kib) {
        Some(seconds) => format!("{percent} % done, {} to go", counted(seconds.div_ceil(60), "minute")),
        None => format!("{percent} % done"),
    }
}

/// `1024 / 4096`.
fn parts(text: &str) -> Option<(u64, u64)> {
    let (done, all) = text.split_once(" / ")?;
    let (done, all): (u64, u64) = (done.parse().ok()?, all.parse().ok()?);
    (all > 0 && done <= all).then_some((done, all))
}
