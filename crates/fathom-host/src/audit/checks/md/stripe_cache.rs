//! `md.stripe_cache`: how many stripes can the cache hold?

use super::array::{Array, each_array};
use crate::audit::{Check, Needs, Observe, Observed, Scene};
use fathom_device::Goal::Bandwidth;

pub(super) const CHECK: Check = Check {
    id: "md.stripe_cache",
    title: "Stripe cache of RAID 4, 5 and 6",
    reads: "/sys/block/mdX/md/stripe_cache_size, raid_disks",
    why: "Every write of a parity array goes through a cache of stripes, each of one page (4 KiB) of every member. The \
          cache joins the writes of a sequential stream to whole stripes, whose parity needs no read. 256 stripes, the \
          default, are 1 MiB for each member: with fast drives this is too little to collect whole stripes, and writes \
          become read-modify-write. Since 4.1 the cache grows by itself under load, and the number is its smallest \
          size; guides that write 16384 are older.",
    judged: "256 or less on an array of NVMe drives warns for bandwidth, unless the job only reads: the figures rise \
             while the cache grows. More is ok, and so is any number with slower members. The kernel accepts 17 to \
             32768.",
    remedy: "fathom run --tune --tune-knob md.stripe_cache, or echo 4096 > /sys/block/mdX/md/stripe_cache_size. It \
             takes memory: the number × 4 KiB × members (4096 of 8 members: 128 MiB).",
    needs: Needs::NamedKnob("md.stripe_cache"),
    kernels: "2.6.17 and later; a lower limit since 4.1",
    sources: &["V-56", "Documentation/admin-guide/md.rst"],
    observe: Observe::Once(|scene| each_array(scene, |array| one(scene, array))),
};

/// The kernel's default (`NR_STRIPES`, drivers/md/raid5.c).
const DEFAULT: u64 = 256;
/// The values that the kernel accepts (Documentation/admin-guide/md.rst).
const POSSIBLE: std::ops::RangeInclusive<u64> = 17..=32_768;
/// A stripe's share of one member (`STRIPE_SIZE`): a page of 4 KiB.
const PAGE_KIB: u64 = 4;

fn one(scene: &Scene<'_>, array: &Array<'_>) -> Observed {
    if !array.has_parity() {
        return Ok(array.seen().not_applicable(format!("{} has no stripe cache", array.level)));
    }
    let (stripes, raw) = scene.value::<u64>(array.file("stripe_cache_size"))?;
    if !POSSIBLE.contains(&stripes) {
        return Err(raw.garbled());
    }
    let seen = array.seen().show(&raw);
    let mib = stripes * PAGE_KIB * array.members(scene).len() as u64 / 1024;
    Ok(match stripes {
        ..=DEFAULT if scene.job.writes == Some(false) => {
            seen.info(format!("{stripes} stripes; the job only reads"))
        }
        ..=DEFAULT if array.is_of_nvme(scene) => {
            seen.warn_for(&[Bandwidth], format!("{stripes} stripes to begin with, too few for NVMe drives"))
        }
        ..=DEFAULT => seen.ok(format!("{stripes} stripes, enough for members of this kind")),
        _ => seen.ok(format!("{stripes} stripes at least, {mib} MiB")),
    })
}
