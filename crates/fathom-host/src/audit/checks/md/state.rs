//! What an array does now, and how it is laid out.

use std::collections::BTreeMap;
use std::fmt;

use super::{Array, Member, first_number};
use crate::audit::checks::prelude::*;
use fathom_device::root::Root;

/// `md.state`: is the array complete?
pub(super) fn state(scene: &Scene<'_>, array: &Array<'_>) -> Observed {
    let state = scene.read(array.file("array_state"))?;
    let observation = array.observation().show(&state);
    let missing = match array.has_redundancy() {
        true => {
            let (missing, raw) = scene.value::<u64>(array.file("degraded"))?;
            (missing > 0).then_some((missing, raw))
        }
        false => None,
    };
    Ok(match (state.text.as_str(), missing) {
        ("clear" | "inactive" | "suspended" | "broken", _) => {
            observation.bad(format!("the array is {}: no I/O goes through", state.text))
        }
        (_, Some((missing, raw))) => {
            observation.show(&raw).bad(format!("{} missing", counted(missing, "member")))
        }
        ("readonly", None) => observation.info("complete, and takes no writes"),
        ("read-auto", None) => observation.info("complete; becomes writable at the first write"),
        ("clean" | "active" | "active-idle" | "write-pending", None) => {
            observation.ok(format!("{}, complete", array.level))
        }
        _ => return Err(state.garbled()),
    })
}

/// The resolved path, as in [`crate::audit::Disk::sys_dir`].
pub(super) const ACTION: &str = "/sys/devices/virtual/block/md*/md/sync_action";

/// `md.sync`: is the array syncing, rebuilding or checking?
pub(super) fn sync(scene: &Scene<'_>, array: &Array<'_>) -> Observed {
    if !array.has_redundancy() {
        return Ok(array.observation().not_applicable(format!("{} has nothing to sync", array.level)));
    }
    let action = scene.read(array.file("sync_action"))?;
    let observation = array.observation().show(&action);
    let before = scene.before(&action.path).map(str::trim).unwrap_or("idle");
    Ok(match action.text.as_str() {
        "resync" | "recover" | "check" | "repair" | "reshape" => {
            observation.bad(format!("{} is running, {}", action.text, progress(scene, array)))
        }
        "idle" if is_work(before) => {
            observation.bad(format!("{before} was running, and ended while we looked"))
        }
        "idle" => match waiting(scene, array) {
            Some(start) => observation
                .show(&start)
                .warn("the first sync is not done yet, and begins with the first write"),
            None => observation.ok("idle"),
        },
        "frozen" => {
            observation.warn("frozen by hand; the work that is due starts when the array is released")
        }
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
        return Ok(array.observation().not_applicable(format!("{} has nothing to sync", array.level)));
    }
    let (most, max) = first_number(scene, array.file("sync_speed_max"))?;
    let (least, min) = first_number(scene, array.file("sync_speed_min"))?;
    let action = scene.read(array.file("sync_action"))?;
    let observation = array.observation().show(&max).show(&min).show(&action);
    if matches!(action.text.as_str(), "idle" | "frozen") {
        return Ok(observation.ok(format!("nothing is synced; {least} to {most} KiB/s would be allowed")));
    }
    let (speed, raw) = scene.value::<u64>(array.file("sync_speed"))?;
    let observation = observation.show(&raw);
    Ok(if speed.saturating_mul(100) >= most.saturating_mul(AT_LIMIT_PERCENT) {
        observation
            .warn(format!("{} goes at {speed} of {most} KiB/s: a higher limit ends it sooner", action.text))
    } else {
        observation.info(format!("{} goes at {speed} KiB/s, below its limit of {most}", action.text))
    })
}

/// `md.bitmap`: what does the array write to find unfinished stripes after a crash?
pub(super) fn bitmap(scene: &Scene<'_>, array: &Array<'_>) -> Observed {
    if !array.has_redundancy() {
        return Ok(array.observation().not_applicable(format!("{} has nothing to recover", array.level)));
    }
    let path = array.file("consistency_policy");
    if !scene.root.exists(&path) {
        return by_location(scene, array);
    }
    let policy = scene.read(path)?;
    let observation = array.observation().show(&policy);
    Ok(match policy.text.as_str() {
        "none" | "resync" => observation.ok("no bitmap, journal or log: nothing is written twice"),
        "bitmap" => observation.info("marks regions in a bitmap before it writes to them"),
        "journal" => observation.info("writes everything to a journal first"),
        "ppl" => observation.info("writes partial parity to a log first"),
        _ => return Err(policy.garbled()),
    })
}

/// `none`, `file`, or the bitmap's distance from the superblock: `+8`.
fn by_location(scene: &Scene<'_>, array: &Array<'_>) -> Observed {
    let location = scene.read(array.file("bitmap/location"))?;
    let observation = array.observation().show(&location);
    let is_offset = location.text.parse::<i64>().is_ok();
    Ok(match location.text.as_str() {
        "none" => observation.ok("no bitmap: nothing is written twice"),
        "file" => observation.info("marks regions in a bitmap file before it writes to them"),
        _ if is_offset => observation.info("marks regions in a bitmap before it writes to them"),
        _ => return Err(location.garbled()),
    })
}

/// `md.members`: are the members of the array equal?
pub(super) fn members(scene: &Scene<'_>, array: &Array<'_>) -> Observed {
    let members = array.members(scene);
    if members.is_empty() {
        return Err(Unknown::missing(array.file("rd0")));
    }
    let mut observation = array.observation();
    let mut facts: BTreeMap<&str, BTreeMap<String, Vec<&str>>> = BTreeMap::new();
    for member in &members {
        let (size, raw) = scene.value::<u64>(member.dir.join("size"))?;
        observation = observation.show(&raw);
        let values_of_member =
            properties(scene, member).into_iter().chain([("size in KiB", size.to_string())]);
        for (what, value) in values_of_member {
            facts.entry(what).or_default().entry(value).or_default().push(&member.name);
        }
    }
    let differ: Vec<String> = facts.iter().filter(|(_, values)| values.len() > 1).map(difference).collect();
    Ok(match differ.is_empty() {
        true => observation.ok(format!("{} members, all equal", members.len())),
        false => observation.warn_for(&[Repeatability], differ.join("; ")),
    })
}

/// `model: A (sda, sdb), B (sdc)`.
fn difference((what, values): (&&str, &BTreeMap<String, Vec<&str>>)) -> String {
    let each = values.iter().map(|(value, names)| format!("{value} ({})", names.join(", ")));
    format!("{what}: {}", each.collect::<Vec<_>>().join(", "))
}

/// The properties that the member reports.
fn properties(scene: &Scene<'_>, member: &Member) -> Vec<(&'static str, String)> {
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

// How an array is made.

/// With more threads than this on each NUMA node, reads can be slower (I-19
/// measured it above 4; 8 leaves room for larger arrays).
const THREADS_PLENTY: u64 = 8;

/// `md.threads`: how many CPUs compute parity?
pub(super) fn threads(scene: &Scene<'_>, array: &Array<'_>) -> Observed {
    if !array.has_parity() {
        return Ok(array.observation().not_applicable(format!("{} computes no parity", array.level)));
    }
    let (threads, raw) = scene.value::<u64>(array.file("group_thread_cnt"))?;
    let observation = array.observation().show(&raw);
    Ok(match threads {
        0 if scene.job.writes == Some(false) => {
            observation.info("one thread for all stripes; the job only reads")
        }
        0 if array.is_of_nvme(scene) => {
            observation.warn_for(&[Iops], "one thread handles the stripes of all the NVMe drives")
        }
        0 => observation.ok("one thread handles the stripes, which is enough for members of this kind"),
        1..=THREADS_PLENTY => {
            observation.ok(format!("{} on each node for the stripes", counted(threads, "thread")))
        }
        _ => observation.info(format!("{threads} threads on each node: so many can make reads slower")),
    })
}

/// The kernel's default (`NR_STRIPES`, drivers/md/raid5.c).
const DEFAULT: u64 = 256;
/// The values that the kernel accepts (Documentation/admin-guide/md.rst).
const POSSIBLE: std::ops::RangeInclusive<u64> = 17..=32_768;
/// A stripe's share of one member (`STRIPE_SIZE`): a page of 4 KiB.
const PAGE_KIB: u64 = 4;

/// `md.stripe_cache`: how many stripes can the cache hold?
pub(super) fn stripe_cache(scene: &Scene<'_>, array: &Array<'_>) -> Observed {
    if !array.has_parity() {
        return Ok(array.observation().not_applicable(format!("{} has no stripe cache", array.level)));
    }
    let (stripes, raw) = scene.value::<u64>(array.file("stripe_cache_size"))?;
    if !POSSIBLE.contains(&stripes) {
        return Err(raw.garbled());
    }
    let observation = array.observation().show(&raw);
    let mib = stripes * PAGE_KIB * array.members(scene).len() as u64 / 1024;
    Ok(match stripes {
        ..=DEFAULT if scene.job.writes == Some(false) => {
            observation.info(format!("{stripes} stripes; the job only reads"))
        }
        ..=DEFAULT if array.is_of_nvme(scene) => observation
            .warn_for(&[Bandwidth], format!("{stripes} stripes to begin with, too few for NVMe drives")),
        ..=DEFAULT => observation.ok(format!("{stripes} stripes, enough for members of this kind")),
        _ => observation.ok(format!("{stripes} stripes at least, {mib} MiB")),
    })
}

/// Chunk and data disks.
#[derive(Debug, Clone, Copy)]
struct Geometry {
    chunk_bytes: u64,
    members: u64,
    data_disks: u64,
}

/// `md.geometry`: are the job's writes whole stripes?
pub(super) fn geometry(scene: &Scene<'_>, array: &Array<'_>) -> Observed {
    let (chunk_bytes, chunk) = first_number(scene, array.file("chunk_size"))?;
    let (members, disks) = first_number(scene, array.file("raid_disks"))?;
    let (layout, order) = first_number(scene, array.file("layout"))?;
    let data_disks = data_disks(&array.level, members, layout);
    let data_disks = data_disks.ok_or_else(|| disks.garbled())?;
    let observation = array.observation().show(&chunk).show(&disks).show(&order);
    let geometry = Geometry { chunk_bytes, members, data_disks };
    Ok(match array.has_parity() {
        true => parity(scene, observation, geometry),
        false => other(scene, array, observation, geometry),
    })
}

/// The number of data chunks in a stripe. The layout of RAID 10 has the
/// number of near copies in its low byte and of far copies in the next byte.
fn data_disks(level: &str, members: u64, layout: u64) -> Option<u64> {
    let disks = match level {
        "raid4" | "raid5" => members.checked_sub(1)?,
        "raid6" => members.checked_sub(2)?,
        "raid1" => 1,
        "raid10" => members / ((layout & 0xff) * (layout >> 8 & 0xff)).max(1),
        _ => members,
    };
    (disks > 0).then_some(disks)
}

fn parity(scene: &Scene<'_>, observation: Observation, geometry: Geometry) -> Observation {
    let Geometry { chunk_bytes, members, data_disks } = geometry;
    let stripe = chunk_bytes.saturating_mul(data_disks);
    let shape = format!("{members} members, {data_disks} of them for data, stripes of {}", size(stripe));
    let job = &scene.job;
    let Some(block) = job.block_bytes_min.filter(|_| job.writes != Some(false)) else {
        return observation.info(shape);
    };
    let is_whole = |bytes: u64| stripe > 0 && bytes.is_multiple_of(stripe);
    let sizes = [job.block_bytes_min, job.block_bytes_max, job.align_bytes];
    if sizes.into_iter().flatten().all(is_whole) {
        return observation.ok(format!("{shape}: writes are whole stripes"));
    }
    match job.random {
        Some(false) => {
            observation.info(format!("{shape}: writes of {} are joined to whole stripes", size(block)))
        }
        _ => observation.warn_for(
            &[Latency, Iops, Bandwidth],
            format!("{shape}: writes of {} must read data and parity first", size(block)),
        ),
    }
}

fn other(scene: &Scene<'_>, array: &Array<'_>, observation: Observation, geometry: Geometry) -> Observation {
    let Geometry { chunk_bytes, members, data_disks } = geometry;
    if chunk_bytes == 0 {
        return observation.ok(format!("{} of {members} members, without chunks", array.level));
    }
    let shape = format!("{} of {members} members, chunks of {}", array.level, size(chunk_bytes));
    match scene.job.block_bytes_max {
        Some(block) if block > chunk_bytes => {
            let pieces = block.div_ceil(chunk_bytes);
            observation.info(format!(
                "{shape}: a block of {} goes to {} of them",
                size(block),
                pieces.min(data_disks)
            ))
        }
        Some(block) => observation.ok(format!("{shape}: a block of {} stays on one", size(block))),
        None => observation.ok(shape),
    }
}

/// `md.external`: who keeps the array's metadata?
pub(super) fn external(scene: &Scene<'_>, array: &Array<'_>) -> Observed {
    let version = scene.read(array.file("metadata_version"))?;
    let observation = array.observation().show(&version);
    // external:imsm on the container, external:/md127/0 on a volume in it; a
    // dash in place of the slash means that mdmon must not start a sync.
    Ok(match version.text.split_once(':') {
        Some(("external", place)) => match place.strip_prefix(['/', '-']) {
            Some(volume) => {
                let container = volume.split('/').next().unwrap_or(volume);
                offered(scene, observation, format!("is a volume in the container {container}"))
            }
            None => offered(
                scene,
                observation,
                format!("is a container of {place} metadata: name the volume in it"),
            ),
        },
        None if version.text == "none" => observation.ok("has no metadata on its members"),
        None if version.text.parse::<f32>().is_ok() => {
            observation.ok(format!("the kernel keeps its metadata (version {})", version.text))
        }
        _ => return Err(version.garbled()),
    })
}

/// Adds what the firmware offers, where it says so.
fn offered(scene: &Scene<'_>, observation: Observation, says: String) -> Observation {
    match RaidPlatform::of(scene.root) {
        Some((platform, path)) => {
            let text = platform.to_string();
            let says = format!("{says}; {text}");
            observation.with(path, text).info(says)
        }
        None => observation.info(says),
    }
}

// What the firmware offers for arrays whose metadata it keeps: a table in an EFI variable. The
// layout is that of Intel's capability table, as mdadm reads it (platform-intel.h): after the four bytes of an
// EFI variable's attributes come a signature, the version, and a bit for each RAID level. Which levels there
// are depends on the licence key.

/// The variables of VROC and of its sister product for clients, by their vendor's GUID.
const VARIABLES: [&str; 2] = ["RstUefiV", "RstVmdV"];
const VENDOR: &str = "193dfefa-a445-4302-99d8-ef3aad1a04c6";

/// Attributes of an EFI variable, before its data.
const ATTRIBUTES: usize = 4;
const SIGNATURE: &[u8] = b"$VER";
/// Offsets of 16-bit numbers in the table: four parts of the version, and the levels.
const VERSION: [usize; 4] = [6, 8, 10, 12];
const LEVEL_NAMES: usize = 16;
/// The bit of each level.
const LEVEL_BITS: [(u16, &str); 5] = [(0, "0"), (1, "1"), (2, "10"), (3, "1E"), (4, "5")];

/// What the firmware says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
struct RaidPlatform {
    version: [u16; 4],
    levels: Vec<&'static str>,
}

impl RaidPlatform {
    /// The table of a machine, and its path; `None` if there is none.
    pub fn of(root: &Root) -> Option<(Self, String)> {
        VARIABLES.iter().find_map(|name| {
            let path = format!("/sys/firmware/efi/efivars/{name}-{VENDOR}");
            let bytes = root.read_bytes(&path).ok()?;
            Some((Self::read(bytes.get(ATTRIBUTES..)?)?, path))
        })
    }

    fn read(table: &[u8]) -> Option<Self> {
        let number = |at: usize| Some(u16::from_le_bytes([*table.get(at)?, *table.get(at + 1)?]));
        let bits = table.starts_with(SIGNATURE).then(|| number(LEVEL_NAMES)).flatten()?;
        let [major, minor, fix, build] = VERSION.map(number);
        let levels = LEVEL_BITS.iter().filter(|(bit, _)| bits >> bit & 1 == 1).map(|(_, level)| *level);
        Some(RaidPlatform { version: [major?, minor?, fix?, build?], levels: levels.collect() })
    }
}

impl fmt::Display for RaidPlatform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, fix, build] = self.version;
        write!(f, "the firmware (version {major}.{minor}.{fix}.{build}) ")?;
        match self.levels.is_empty() {
            true => f.write_str("offers no RAID level, so the licence key is missing"),
            false => write!(f, "offers RAID {}", self.levels.join(", ")),
        }
    }
}
