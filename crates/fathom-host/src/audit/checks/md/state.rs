//! What an array does now.

use std::collections::BTreeMap;

use super::{Array, Member, first_number};
use crate::audit::checks::prelude::*;

/// `md.state`: is the array complete?
pub(super) fn state(scene: &Scene<'_>, array: &Array<'_>) -> Observed {
    let state = scene.read(array.file("array_state"))?;
    let seen = array.seen().show(&state);
    let missing = match array.has_redundancy() {
        true => {
            let (missing, raw) = scene.value::<u64>(array.file("degraded"))?;
            (missing > 0).then_some((missing, raw))
        }
        false => None,
    };
    Ok(match (state.text.as_str(), missing) {
        ("clear" | "inactive" | "suspended" | "broken", _) => {
            seen.bad(format!("the array is {}: no I/O goes through", state.text))
        }
        (_, Some((missing, raw))) => seen.show(&raw).bad(format!("{} missing", counted(missing, "member"))),
        ("readonly", None) => seen.info("complete, and takes no writes"),
        ("read-auto", None) => seen.info("complete; becomes writable at the first write"),
        ("clean" | "active" | "active-idle" | "write-pending", None) => {
            seen.ok(format!("{}, complete", array.level))
        }
        _ => return Err(state.garbled()),
    })
}

/// The resolved path, as in [`crate::audit::Disk::sys_dir`].
pub(super) const ACTION: &str = "/sys/devices/virtual/block/md*/md/sync_action";

/// `md.sync`: is the array syncing, rebuilding or checking?
pub(super) fn sync(scene: &Scene<'_>, array: &Array<'_>) -> Observed {
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

/// From this share of its limit on, a sync counts as limited by it. The kernel
/// averages over some seconds, and stays a little below the limit.
const AT_LIMIT_PERCENT: u64 = 90;

/// `md.sync_speed`: how fast may the array sync?
pub(super) fn sync_speed(scene: &Scene<'_>, array: &Array<'_>) -> Observed {
    if !array.has_redundancy() {
        return Ok(array.seen().not_applicable(format!("{} has nothing to sync", array.level)));
    }
    let (most, max) = first_number(scene, array.file("sync_speed_max"))?;
    let (least, min) = first_number(scene, array.file("sync_speed_min"))?;
    let action = scene.read(array.file("sync_action"))?;
    let seen = array.seen().show(&max).show(&min).show(&action);
    if matches!(action.text.as_str(), "idle" | "frozen") {
        return Ok(seen.ok(format!("nothing is synced; {least} to {most} KiB/s would be allowed")));
    }
    let (speed, raw) = scene.value::<u64>(array.file("sync_speed"))?;
    let seen = seen.show(&raw);
    Ok(if speed.saturating_mul(100) >= most.saturating_mul(AT_LIMIT_PERCENT) {
        seen.warn(format!("{} goes at {speed} of {most} KiB/s: a higher limit ends it sooner", action.text))
    } else {
        seen.info(format!("{} goes at {speed} KiB/s, below its limit of {most}", action.text))
    })
}

/// `md.bitmap`: what does the array write to find unfinished stripes after a crash?
pub(super) fn bitmap(scene: &Scene<'_>, array: &Array<'_>) -> Observed {
    if !array.has_redundancy() {
        return Ok(array.seen().not_applicable(format!("{} has nothing to recover", array.level)));
    }
    let path = array.file("consistency_policy");
    if !scene.root.exists(&path) {
        return by_location(scene, array);
    }
    let policy = scene.read(path)?;
    let seen = array.seen().show(&policy);
    Ok(match policy.text.as_str() {
        "none" | "resync" => seen.ok("no bitmap, journal or log: nothing is written twice"),
        "bitmap" => seen.info("marks regions in a bitmap before it writes to them"),
        "journal" => seen.info("writes everything to a journal first"),
        "ppl" => seen.info("writes partial parity to a log first"),
        _ => return Err(policy.garbled()),
    })
}

/// `none`, `file`, or the bitmap's distance from the superblock: `+8`.
fn by_location(scene: &Scene<'_>, array: &Array<'_>) -> Observed {
    let location = scene.read(array.file("bitmap/location"))?;
    let seen = array.seen().show(&location);
    let is_offset = location.text.parse::<i64>().is_ok();
    Ok(match location.text.as_str() {
        "none" => seen.ok("no bitmap: nothing is written twice"),
        "file" => seen.info("marks regions in a bitmap file before it writes to them"),
        _ if is_offset => seen.info("marks regions in a bitmap before it writes to them"),
        _ => return Err(location.garbled()),
    })
}

/// `md.members`: are the members of the array equal?
pub(super) fn members(scene: &Scene<'_>, array: &Array<'_>) -> Observed {
    let members = array.members(scene);
    if members.is_empty() {
        return Err(Unknown::missing(array.file("rd0")));
    }
    let mut seen = array.seen();
    let mut facts: BTreeMap<&str, BTreeMap<String, Vec<&str>>> = BTreeMap::new();
    for member in &members {
        let (size, raw) = scene.value::<u64>(member.dir.join("size"))?;
        seen = seen.show(&raw);
        let told = told(scene, member).into_iter().chain([("size in KiB", size.to_string())]);
        for (what, value) in told {
            facts.entry(what).or_default().entry(value).or_default().push(&member.name);
        }
    }
    let differ: Vec<String> = facts.iter().filter(|(_, values)| values.len() > 1).map(difference).collect();
    Ok(match differ.is_empty() {
        true => seen.ok(format!("{} members, all equal", members.len())),
        false => seen.warn_for(&[Repeatability], differ.join("; ")),
    })
}

/// `model: A (sda, sdb), B (sdc)`.
fn difference((what, values): (&&str, &BTreeMap<String, Vec<&str>>)) -> String {
    let each = values.iter().map(|(value, names)| format!("{value} ({})", names.join(", ")));
    format!("{what}: {}", each.collect::<Vec<_>>().join(", "))
}

/// The properties that the member reports.
fn told(scene: &Scene<'_>, member: &Member) -> Vec<(&'static str, String)> {
    let Some(disk) = scene.queues().find(|disk| disk.sys_dir == member.disk_dir) else { return Vec::new() };
    let link = disk.function().and_then(|function| {
        let read = |file: &str| scene.read(function.join(file)).ok().map(|raw| raw.text);
        Some(format!("{} x{}", read("current_link_speed")?, read("current_link_width")?))
    });
    let node = disk.near(scene.root).ok().map(|near| near.text);
    let (model, firmware) = (disk.model(scene.root), disk.firmware(scene.root));
    let facts = [("model", model), ("firmware", firmware), ("link", link), ("node", node)];
    facts.into_iter().filter_map(|(what, value)| Some((what, value?))).collect()
}
