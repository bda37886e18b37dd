//! The memory: its modules, its errors, and how much is free.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::audit::{Grade, Grades, Observation, Observed, Raw, Scene, each, leaf};
use crate::smbios::module::MemorySlot;
use crate::smbios::{TABLE, module};
use fathom_device::Goal::{Bandwidth, Latency, Repeatability};
use fathom_device::cpus::CpuSet;
use fathom_device::root::Unknown;

/// `numa.dimms`: are all memory channels filled, with equal modules?
pub(super) fn dimms(scene: &Scene<'_>) -> Observed {
    let bytes = scene.root.read_bytes(TABLE)?;
    let start = &bytes[..bytes.len().min(16)];
    let garbled = || Unknown::garbled(TABLE.as_ref(), &String::from_utf8_lossy(start));
    let slots = module::slots(&bytes).ok_or_else(garbled)?;
    Ok(judged_dimms(TABLE.as_ref(), &slots))
}

/// Judges the modules that `path` lists.
pub(crate) fn judged_dimms(path: &Path, slots: &[MemorySlot]) -> Observation {
    let filled: Vec<&MemorySlot> = slots.iter().filter(|slot| slot.size_mb.is_some()).collect();
    let lines: Vec<String> = filled.iter().map(|slot| line(slot)).collect();
    let seen = Observation::on("host").with(path, lines.join("\n"));
    if filled.is_empty() {
        return seen.not_applicable("the firmware lists no memory module");
    }
    let counted = format!("{} of {} slots are filled", filled.len(), slots.len());
    let faults = [empty_channels(slots), mixed(&filled)];
    let faults: Vec<String> = faults.into_iter().flatten().collect();
    if !faults.is_empty() {
        return seen.warn_for(&[Bandwidth], format!("{counted}: {}", faults.join("; ")));
    }
    let slow =
        filled.iter().find(|slot| slot.configured_mts < slot.speed_mts && slot.configured_mts.is_some());
    match slow {
        Some(slot) => seen.info(format!("{counted}, and modules run below their speed: {}", line(slot))),
        None => seen.ok(format!("{counted}, all equal")),
    }
}

fn line(slot: &MemorySlot) -> String {
    let mts = |speed: Option<u16>| speed.map_or("?".to_owned(), |speed| speed.to_string());
    let size_mb = slot.size_mb.unwrap_or(0);
    let (runs, can) = (mts(slot.configured_mts), mts(slot.speed_mts));
    format!("{} {}: {size_mb} MB, {runs} of {can} MT/s", slot.bank, slot.locator).trim().to_owned()
}

/// How many channels are empty, if the name of every slot contains its channel.
fn empty_channels(slots: &[MemorySlot]) -> Option<String> {
    let mut channels: BTreeMap<String, bool> = BTreeMap::new();
    for slot in slots {
        *channels.entry(slot.channel()?).or_default() |= slot.size_mb.is_some();
    }
    let empty = channels.iter().filter(|(_, is_filled)| !**is_filled).count();
    (empty > 0).then(|| format!("{empty} of {} channels are empty", channels.len()))
}

fn mixed(filled: &[&MemorySlot]) -> Option<String> {
    let sizes: BTreeSet<_> = filled.iter().map(|slot| slot.size_mb).collect();
    let speeds: BTreeSet<_> = filled.iter().map(|slot| slot.configured_mts.or(slot.speed_mts)).collect();
    match (sizes.len() > 1, speeds.len() > 1) {
        (false, false) => None,
        (true, false) => Some("modules differ in size".to_owned()),
        (false, true) => Some("modules differ in speed".to_owned()),
        (true, true) => Some("modules differ in size and speed".to_owned()),
    }
}

pub(super) const COUNTERS: [&str; 2] =
    ["/sys/devices/system/edac/mc/mc#/ce_count", "/sys/devices/system/edac/mc/mc#/ue_count"];

/// `mem.errors`: were there memory errors?
pub(super) fn errors(scene: &Scene<'_>) -> Vec<Observation> {
    let files: Vec<_> = COUNTERS.iter().flat_map(|pattern| scene.glob(pattern)).collect();
    let missing =
        || Observation::unknown("host", Unknown::missing("/sys/devices/system/edac/mc/mc0/ce_count"));
    each(files, missing, |file| subject(file), |file| errors_of(scene, file))
}

// The host catalogue has this in one row with numa.dimms. It is a separate
// check because it is made again at the end of a run, and modules of unequal
// size must not taint the run.

/// `mc0`.
fn subject(file: &Path) -> String {
    file.parent().map(leaf).unwrap_or_default()
}

fn errors_of(scene: &Scene<'_>, file: &Path) -> Observed {
    let (count, raw) = scene.value::<u64>(file)?;
    let seen = Observation::on(subject(file)).show(&raw);
    let is_corrected = leaf(file) == "ce_count";
    let word = if is_corrected { "corrected" } else { "uncorrected" };
    Ok(match (scene.growth(file), count) {
        (_, 0) => seen.ok(format!("no {word} error since boot")),
        (Ok((grown, _)), _) if grown > 0 => {
            let verdicts = match is_corrected {
                true => Grades::on(&[Repeatability], Grade::Warn),
                false => Grades::all(Grade::Bad),
            };
            seen.judge(verdicts, format!("{grown} {word} errors while we looked"))
        }
        _ => seen.info(format!("{count} {word} errors since boot")),
    })
}

const MEMINFO: &str = "/proc/meminfo";

/// `mem.headroom`: is there enough memory for the job's buffers?
pub(super) fn headroom(scene: &Scene<'_>) -> Vec<Observation> {
    match scene.read(MEMINFO) {
        Err(unknown) => vec![Observation::unknown("memory", unknown)],
        Ok(raw) => {
            let said = |subject: &str, seen: Observed| Observation::or_unknown(subject, seen);
            vec![said("memory", buffers(scene, &raw)), said("swap", swap(&raw))]
        }
    }
}

/// Kilobytes of a line, `MemFree:   60000000 kB`; in a node's file the line
/// begins with `Node 0`.
fn kb(raw: &Raw, key: &str) -> Result<u64, Unknown> {
    let line = raw.text.lines().find(|line| line.split_once(':').is_some_and(|(name, _)| is_key(name, key)));
    let value = line.and_then(|line| line.split_once(':')?.1.split_whitespace().next()?.parse().ok());
    value.ok_or_else(|| {
        Unknown::garbled(&raw.path, line.unwrap_or(raw.text.lines().next().unwrap_or_default()))
    })
}

fn is_key(name: &str, key: &str) -> bool {
    name == key || (name.starts_with("Node ") && name.ends_with(&format!(" {key}")))
}

fn show(raw: &Raw, keys: &[&str]) -> String {
    let is_shown = |line: &&str| keys.iter().any(|key| line.contains(&format!("{key}:")));
    raw.text.lines().filter(is_shown).collect::<Vec<_>>().join("\n")
}

fn buffers(scene: &Scene<'_>, raw: &Raw) -> Observed {
    let available_kb = kb(raw, "MemAvailable")?;
    let seen = Observation::on("memory").with(&raw.path, show(raw, &["MemAvailable"]));
    let Some(needed) = scene.job.buffer_bytes else {
        return Ok(seen.ok(format!("{} are available", mib(available_kb))));
    };
    let needed_kb = needed.div_ceil(1024);
    let says = format!("the job's buffers take {} of {} available", mib(needed_kb), mib(available_kb));
    if needed_kb > available_kb / 2 {
        return Ok(seen.warn(says));
    }
    let Some((node, free_kb, raw)) = own_node(scene)? else {
        return Ok(seen.ok(says));
    };
    let seen = seen.with(&raw.path, show(&raw, &["MemFree"]));
    if needed_kb > free_kb {
        let says =
            format!("the job's buffers take {}, node {node} has {} free", mib(needed_kb), mib(free_kb));
        return Ok(seen.warn_for(&[Latency, Bandwidth], says));
    }
    Ok(seen.ok(format!("{says}, and {} are free on node {node}", mib(free_kb))))
}

/// The node that all CPUs of the job are on, with its free memory.
fn own_node(scene: &Scene<'_>) -> Result<Option<(u32, u64, Raw)>, Unknown> {
    let job: Option<&CpuSet> = scene.job.cpus.as_ref().filter(|cpus| !cpus.is_empty());
    let node = job.and_then(|cpus| scene.nodes().into_iter().find(|(_, node)| cpus.is_within(node)));
    let Some((node, _)) = node else {
        return Ok(None);
    };
    let raw = scene.read(Path::new(&format!("/sys/devices/system/node/node{node}/meminfo")))?;
    Ok(Some((node, kb(&raw, "MemFree")?, raw)))
}

fn swap(raw: &Raw) -> Observed {
    let used_kb = kb(raw, "SwapTotal")?.saturating_sub(kb(raw, "SwapFree")?);
    let total_kb = kb(raw, "MemTotal")?;
    let seen = Observation::on("swap").with(&raw.path, show(raw, &["SwapTotal", "SwapFree", "MemTotal"]));
    Ok(match used_kb {
        0 => seen.ok("no swap is in use"),
        used if used > total_kb / 100 => {
            seen.warn_for(&[Repeatability], format!("{} of swap are in use", mib(used)))
        }
        used => seen.info(format!("{} of swap are in use", mib(used))),
    })
}

fn mib(kb: u64) -> String {
    format!("{} MiB", kb / 1024)
}
