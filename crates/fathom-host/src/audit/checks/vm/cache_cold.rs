//! `vm.cache_cold`: would the job read from the drive or from memory?

use super::meminfo;
use crate::audit::{Check, Needs, Observation, Observe, Observed, Scene, Target, each};
use fathom_device::Goal::{Bandwidth, Iops, Latency};
use fathom_device::ask::Question;

pub(super) const CHECK: Check = Check {
    id: "vm.cache_cold",
    title: "Page cache: cold or warm",
    reads: "cachestat(2) on each target file, /proc/meminfo (MemAvailable)",
    why: "A buffered read of a page that is in memory takes well under a microsecond and never reaches the drive. A \
          file that was just written or read is warm: the first run then differs from the second, and both differ from \
          what the drive can do. This explains results such as 850,000 reads a second from a SATA drive.",
    judged: "For buffered reads of a file: 1 % of it or more in memory warns for latency, IOPS and bandwidth (that \
             share of the reads comes from memory); otherwise it is ok, and the result is cold. It is also ok where each \
             pass of the job begins by dropping the pages of its files and reads each of them once. If it is not known \
             whether the job does buffered reads, it is a remark. Direct I/O and devices: n-a.",
    remedy: "The job's own invalidate=1 (fathom's default) drops the file's pages before each pass, unless random offsets \
             may repeat (norandommap=1), or call \
             posix_fadvise(POSIX_FADV_DONTNEED) yourself. Emptying the whole cache (echo 1 > /proc/sys/vm/drop_caches) \
             affects every process of the host and cannot be undone, so fathom never does it by itself. To measure the \
             cache on purpose: invalidate=0, and report it with the figure.",
    needs: Needs::Job,
    kernels: "6.5 and later (cachestat)",
    sources: &["V-11", "T-48", "T-49", "T-50", "T-51", "T-52"],
    observe: Observe::Once(observe),
};

fn observe(scene: &Scene<'_>) -> Vec<Observation> {
    let host = Observation::on("host");
    if scene.job.direct == Some(true) {
        return vec![host.not_applicable("the job does not use the page cache")];
    }
    if scene.job.reads == Some(false) {
        return vec![host.not_applicable("the job reads nothing")];
    }
    let files = scene.targets.iter().filter(|target| target.mount.is_some() && !is_directory(scene, target));
    let none = || host.not_applicable("no target is a file");
    each(files, none, |target| target.path.display().to_string(), |target| one(scene, target))
}

fn is_directory(scene: &Scene<'_>, target: &Target) -> bool {
    scene.root.list(&target.path).is_ok()
}

fn one(scene: &Scene<'_>, target: &Target) -> Observed {
    let path = &target.path;
    let raw = scene.ask(&Question::Cached { path: path.to_path_buf() })?;
    let (cached, size) = raw.text.split_once(' ').ok_or_else(|| raw.garbled())?;
    let cached: u64 = cached.parse().map_err(|_| raw.garbled())?;
    let size: u64 = size.parse().map_err(|_| raw.garbled())?;
    let seen = Observation::on(path.display().to_string()).show(&raw);
    if cached.saturating_mul(100) < size.max(1) {
        return Ok(
            seen.ok(format!("cold: {cached} of {size} bytes are in memory{}", fate(scene, target, size)))
        );
    }
    let percent = (cached.min(size)).saturating_mul(100) / size.max(1);
    if drops_pages(scene, target) {
        let says =
            format!("{percent} % of the file is in memory, and each pass of the job begins by dropping it");
        return Ok(seen.ok(says));
    }
    let says = format!("warm: {percent} % of the file is in memory{}", fate(scene, target, size));
    Ok(match scene.job.direct {
        Some(false) => seen.warn_for(&[Latency, Iops, Bandwidth], says),
        _ => seen.info(format!("{says}; it matters for buffered reads only")),
    })
}

/// Whether the job has the cache drop the pages before each pass. A file system in memory has no other place for them.
fn drops_pages(scene: &Scene<'_>, target: &Target) -> bool {
    let is_memory =
        target.mount.as_ref().is_some_and(|mount| ["tmpfs", "ramfs"].contains(&mount.fs_type.as_str()));
    scene.job.reads_cold == Some(true) && !is_memory
}

/// Whether a file that is cold now can become warm during the run.
fn fate(scene: &Scene<'_>, target: &Target, size_bytes: u64) -> &'static str {
    if drops_pages(scene, target) {
        return "; each pass of the job begins by dropping what it has read";
    }
    let available = meminfo::read(scene).and_then(|table| meminfo::bytes(&table, "MemAvailable"));
    match available {
        Ok(available) if size_bytes <= available => "; it fits into memory, so a second pass is warm",
        _ => "",
    }
}
