//! `nvme.cache`: does the drive cache writes, and does the kernel flush the cache?

use super::drive::{Drive, controller_path, each_namespace, feature};
use crate::audit::{Check, Disk, Needs, Observation, Observe, Observed, Raw, Scene};
use fathom_device::Goal::{Bandwidth, Iops, Latency};
use fathom_device::nvme::Controller;
use fathom_device::root::Unknown;

/// The feature "Volatile Write Cache"; bit 0 switches it on.
const FEATURE: u8 = 0x06;

pub(super) const CHECK: Check = Check {
    id: "nvme.cache",
    title: "Volatile write cache",
    reads: "/sys/block/D/queue/write_cache, Identify Controller (VWC), feature 0x06",
    why: "A drive with a volatile cache acknowledges a write before it is in flash, and loses it in a power failure \
          unless the host sends a flush. With the cache switched off, each write takes as long as the flash needs. \
          Drives with capacitors report no volatile cache at all and are as fast without flushes. The kernel sends \
          flushes only if its own file says \"write back\": if somebody writes \"write through\" there to gain speed, \
          fsync no longer makes data durable, and its figures are wrong.",
    judged: "bad for every goal if the drive's cache is on and the kernel was told not to flush it. Warns for latency, \
             IOPS and bandwidth if the drive has a cache that is switched off and the job writes. A drive does not \
             report whether it has capacitors.",
    remedy: "For a run: fathom run --tune --tune-knob nvme.cache switches the cache on in the drive (feature 6, not \
             saved). By hand: nvme set-feature /dev/nvmeX -f 6 --value=1. If queue/write_cache is wrong, write \"write \
             back\" into it; never write \"write through\" to gain speed. Special settings of older cards, such as \
             delaying their DMA, no longer exist.",
    needs: Needs::NamedKnob("nvme.cache"),
    kernels: "4.7 and later (queue/write_cache)",
    sources: &["V-55", "NVM Express Base Specification 2.0, feature Volatile Write Cache"],
    observe: Observe::Once(|scene| each_namespace(scene, |disk, drive| one(scene, disk, drive))),
};

fn one(scene: &Scene<'_>, disk: &Disk, drive: &Drive) -> Observed {
    let raw = scene.read(disk.queue("write_cache"))?;
    let flushes = match raw.text.as_str() {
        "write back" => true,
        "write through" => false,
        other => return Err(Unknown::garbled(&raw.path, other)),
    };
    let seen = Observation::on(&disk.name).show(&raw);
    Ok(match cache(scene, drive) {
        Err(unknown) => seen.without(unknown).info(match flushes {
            true => "the kernel flushes a volatile cache; only root may read whether the cache is on",
            false => "the kernel sends no flushes; only root may read whether the drive has a cache",
        }),
        Ok((cache, raw)) => judge(scene, seen.show(&raw), flushes, cache),
    })
}

/// A drive's volatile cache.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cache {
    None,
    Off,
    On,
}

fn cache(scene: &Scene<'_>, drive: &Drive) -> Result<(Cache, Raw), Unknown> {
    let controller = Controller::read(scene.root, &drive.controller)?;
    if !controller.has_volatile_cache {
        return Ok((Cache::None, Raw { path: controller_path(drive), text: "VWC 0".to_owned() }));
    }
    let (value, path) = feature(scene, drive, FEATURE)?;
    let cache = if value & 1 == 1 { Cache::On } else { Cache::Off };
    Ok((cache, Raw { path, text: format!("0x{value:08x}") }))
}

fn judge(scene: &Scene<'_>, seen: Observation, flushes: bool, cache: Cache) -> Observation {
    match (cache, flushes) {
        (Cache::None, _) => seen.ok("the drive has no volatile cache"),
        (Cache::On, true) => {
            seen.ok("the cache is on and the kernel flushes it; whether the drive has capacitors is unknown")
        }
        (Cache::On, false) => seen
            .bad("the cache is on and the kernel was told not to flush it: fsync does not make data durable"),
        (Cache::Off, _) if scene.job.writes == Some(false) => {
            seen.info("the drive's write cache is off; the job does not write")
        }
        (Cache::Off, _) => seen.warn_for(
            &[Latency, Iops, Bandwidth],
            "the drive's write cache is switched off: each write waits for flash",
        ),
    }
}
