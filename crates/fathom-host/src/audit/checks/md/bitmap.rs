//! `md.bitmap`: what does the array write to find unfinished stripes after a crash?

use super::array::{Array, each_array};
use crate::audit::{Check, Needs, Observe, Observed, Scene};

pub(super) const CHECK: Check = Check {
    id: "md.bitmap",
    title: "How the array recovers after a crash",
    reads: "/sys/block/mdX/md/consistency_policy, bitmap/location",
    why: "After a power failure an array must find the stripes that were half written. With a bitmap it marks a region \
          before writing to it, and clears the mark later: random writes over a large range then cause extra small \
          writes to every member, so their figures are lower. A journal writes all data twice; a partial parity log \
          (ppl) writes parity twice.",
    judged: "A bitmap, journal or ppl is a remark for every goal: it is part of what is measured. Compare two arrays \
             only if they have the same one. None of them (a full resync after a crash): ok.",
    remedy: "Measure the array as it will be used. mdadm --grow --bitmap=none MD removes a bitmap (and =internal \
             restores it), but then each crash needs a full resync; fathom never does that. A larger --bitmap-chunk \
             costs less.",
    needs: Needs::Nothing,
    kernels: "consistency_policy: 4.12 and later; before, the bitmap's location is read",
    sources: &["Documentation/admin-guide/md.rst"],
    observe: Observe::Once(|scene| each_array(scene, |array| one(scene, array))),
};

fn one(scene: &Scene<'_>, array: &Array<'_>) -> Observed {
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
