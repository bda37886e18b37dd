//! Virtual memory, which affects buffered I/O.

use crate::audit::Target;
use crate::audit::checks::prelude::*;

/// The checks of the family `vm`.
pub(super) const FAMILY: Family = (
    include_str!("vm.toml"),
    &[
        ("vm.dirty", Several(dirty)),
        ("vm.swappiness", Watch(&[VMSTAT], &Of("host", swappiness))),
        ("vm.thp", Of("host", thp)),
        ("vm.hugepages", Of("host", hugepages)),
        ("vm.cache_cold", Several(cache_cold)),
    ],
);

// `/proc/meminfo` (proc_meminfo(5)).

/// The table, read once for several lines of it.
fn read_meminfo(scene: &Scene<'_>) -> Result<Raw, Unknown> {
    scene.read("/proc/meminfo")
}

/// The number in the line with this name: in kibibytes in most lines, in pages
/// in those about huge pages.
fn number(table: &Raw, name: &str) -> Result<u64, Unknown> {
    let mut lines = table.text.lines().filter_map(|line| line.split_once(':'));
    let rest = lines.find(|(key, _)| *key == name).map(|(_, rest)| rest);
    let rest = rest.ok_or_else(|| Unknown::new(&table.path, format!("has no line {name}")))?;
    let first = rest.split_whitespace().next().unwrap_or_default();
    first.parse().map_err(|_| Unknown::garbled(&table.path, rest))
}

/// The number of a line in kibibytes, in bytes.
fn bytes(table: &Raw, name: &str) -> Result<u64, Unknown> {
    Ok(number(table, name)?.saturating_mul(1024))
}

// The settings of virtual memory.

/// At 1 GB/s this much is written back in about four seconds.
const LIMIT_MAX_BYTES: u64 = 4 << 30;

struct Limits {
    upper_bytes: u64,
    background_bytes: u64,
    upper: Raw,
    background: Raw,
}

/// `vm.dirty`: how much may be written into memory before the drive must write?
fn dirty(scene: &Scene<'_>) -> Vec<Observation> {
    let host = Observation::on("host");
    if scene.job.direct == Some(true) {
        return vec![host.not_applicable("the job does not use the page cache")];
    }
    if scene.job.writes == Some(false) {
        return vec![host.not_applicable("the job writes nothing")];
    }
    let observed = limits(scene).and_then(|limits| Ok(judge_dirty(scene, &limits, timers(scene)?)));
    vec![Observation::or_unknown("host", observed)]
}

fn limits(scene: &Scene<'_>) -> Result<Limits, Unknown> {
    let available = bytes(&read_meminfo(scene)?, "MemAvailable")?;
    let (upper_bytes, upper) = limit(scene, "dirty", available)?;
    let (background_bytes, background) = limit(scene, "dirty_background", available)?;
    Ok(Limits { upper_bytes, background_bytes, upper, background })
}

/// The form in bytes where it is in use; otherwise the share of the available
/// memory, which is close to the kernel's own "dirtyable" memory.
fn limit(scene: &Scene<'_>, name: &str, available: u64) -> Result<(u64, Raw), Unknown> {
    let (bytes, raw) = scene.value::<u64>(format!("/proc/sys/vm/{name}_bytes"))?;
    if bytes > 0 {
        return Ok((bytes, raw));
    }
    let (percent, raw) = scene.value::<u64>(format!("/proc/sys/vm/{name}_ratio"))?;
    Ok((available / 100 * percent.min(100), raw))
}

/// Expiry and wake-up of the flushers, in hundredths of a second.
fn timers(scene: &Scene<'_>) -> Result<(u64, u64), Unknown> {
    let expire = scene.value("/proc/sys/vm/dirty_expire_centisecs")?.0;
    Ok((expire, scene.value("/proc/sys/vm/dirty_writeback_centisecs")?.0))
}

fn judge_dirty(scene: &Scene<'_>, limits: &Limits, (expire, wake): (u64, u64)) -> Observation {
    let mib = limits.upper_bytes >> 20;
    let observation = Observation::on("host").show(&limits.upper).show(&limits.background);
    let is_buffered = scene.job.direct == Some(false);
    let fits = scene.job.written_bytes.filter(|written| is_buffered && *written <= limits.background_bytes);
    if let Some(written) = fits {
        let written = written >> 20;
        let says = format!("the job's {written} MiB fit below the background limit: it measures memory");
        return observation.warn(says);
    }
    let flushers = format!("flushers look every {} s for pages older than {} s", wake / 100, expire / 100);
    if limits.upper_bytes <= LIMIT_MAX_BYTES {
        return observation.ok(format!("writers wait from {mib} MiB of dirty memory on; {flushers}"));
    }
    let says = format!("{mib} MiB may be dirty before all writers must wait; {flushers}");
    match is_buffered {
        true => observation.warn_for(&[Repeatability, Latency], says),
        false => observation.info(format!("{says}; it matters for buffered writes only")),
    }
}

const VMSTAT: &str = "/proc/vmstat";

/// The highest value since 5.8 (Documentation/admin-guide/sysctl/vm.rst).
const SWAPPINESS_MAX: u64 = 200;

/// `vm.swappiness`: does the kernel swap while we measure?
fn swappiness(scene: &Scene<'_>) -> Observed {
    let (value, raw) = scene.value::<u64>("/proc/sys/vm/swappiness")?;
    if value > SWAPPINESS_MAX {
        return Err(raw.garbled());
    }
    let observation = Observation::on("host").show(&raw);
    Ok(match pages_moved(scene) {
        Ok(0) => observation.info(format!("swappiness is {value}; nothing was swapped while we looked")),
        Ok(pages) => observation.judge(
            Grades::on(&[Repeatability], Grade::Bad).and(&[Latency], Grade::Warn),
            format!("{pages} pages were swapped while we looked (swappiness is {value})"),
        ),
        Err(unknown) => observation.without(unknown).info(format!("swappiness is {value}")),
    })
}

/// Pages in and out of swap between the two readings.
fn pages_moved(scene: &Scene<'_>) -> Result<u64, Unknown> {
    let now = scene.read(VMSTAT)?;
    let before = scene.before(Path::new(VMSTAT))?;
    let sum = |text: &str| Some(counter(text, "pswpin")? + counter(text, "pswpout")?);
    let grown = sum(&now.text).zip(sum(before)).and_then(|(now, then): (u64, u64)| now.checked_sub(then));
    grown.ok_or_else(|| Unknown::new(&now.path, "does not count swapped pages"))
}

fn counter(table: &str, name: &str) -> Option<u64> {
    let mut pairs = table.lines().filter_map(|line| line.split_once(' '));
    pairs.find(|(key, _)| *key == name)?.1.trim().parse().ok()
}

/// `vm.thp`: does the kernel stop programs to make huge pages?
fn thp(scene: &Scene<'_>) -> Observed {
    let dir = "/sys/kernel/mm/transparent_hugepage";
    let (enabled, raw) = scene.selected(format!("{dir}/enabled"))?;
    let (defrag, defrag_raw) = scene.selected(format!("{dir}/defrag"))?;
    let observation = Observation::on("host").show(&raw).show(&defrag_raw);
    Ok(match (enabled.as_str(), defrag.as_str()) {
        ("never", _) => observation.ok("there are no transparent huge pages"),
        ("madvise", _) => observation.ok("only programs that request huge pages get them"),
        ("always", "always") => observation.warn_for(
            &[Repeatability],
            "any page fault may have to wait until memory is compacted for a huge page",
        ),
        ("always", "defer" | "defer+madvise" | "madvise" | "never") => observation.info(format!(
            "huge pages for all programs, but no page fault compacts memory unasked (defrag is {defrag})"
        )),
        ("always", _) => return Err(defrag_raw.garbled()),
        _ => return Err(raw.garbled()),
    })
}

/// `vm.hugepages`: is memory reserved as huge pages?
fn hugepages(scene: &Scene<'_>) -> Observed {
    let table = read_meminfo(scene)?;
    let total = number(&table, "HugePages_Total")?;
    let free = number(&table, "HugePages_Free")?;
    let page_mib = bytes(&table, "Hugepagesize")? >> 20;
    let observation = Observation::on("host")
        .with(&table.path, format!("HugePages_Total: {total}, HugePages_Free: {free}"));
    Ok(match (total, free) {
        (0, _) => observation.ok("no huge pages are reserved"),
        (_, 0) => observation.info(format!("all {total} huge pages of {page_mib} MiB are in use")),
        _ => observation.info(format!(
            "{total} huge pages of {page_mib} MiB are reserved, {free} of them free: the page cache cannot use these \
             {} MiB",
            free * page_mib
        )),
    })
}

/// `vm.cache_cold`: would the job read from the drive or from memory?
fn cache_cold(scene: &Scene<'_>) -> Vec<Observation> {
    let host = Observation::on("host");
    if scene.job.direct == Some(true) {
        return vec![host.not_applicable("the job does not use the page cache")];
    }
    if scene.job.reads == Some(false) {
        return vec![host.not_applicable("the job reads nothing")];
    }
    let files = scene.targets.iter().filter(|target| target.mount.is_some() && !is_directory(scene, target));
    let none = || host.not_applicable("no target is a file");
    each(files, none, |target| target.path.display().to_string(), |target| cache_cold_of(scene, target))
}

fn is_directory(scene: &Scene<'_>, target: &Target) -> bool {
    scene.root.list(&target.path).is_ok()
}

fn cache_cold_of(scene: &Scene<'_>, target: &Target) -> Observed {
    let path = &target.path;
    let raw = scene.ask(&Question::Cached { path: path.to_path_buf() })?;
    let (cached, size) = raw.text.split_once(' ').ok_or_else(|| raw.garbled())?;
    let cached: u64 = cached.parse().map_err(|_| raw.garbled())?;
    let size: u64 = size.parse().map_err(|_| raw.garbled())?;
    let observation = Observation::on(path.display().to_string()).show(&raw);
    if cached.saturating_mul(100) < size.max(1) {
        return Ok(observation
            .ok(format!("cold: {cached} of {size} bytes are in memory{}", fate(scene, target, size))));
    }
    let percent = (cached.min(size)).saturating_mul(100) / size.max(1);
    if drops_pages(scene, target) {
        let says =
            format!("{percent} % of the file is in memory, and each pass of the job begins by dropping it");
        return Ok(observation.ok(says));
    }
    let says = format!("warm: {percent} % of the file is in memory{}", fate(scene, target, size));
    Ok(match scene.job.direct {
        Some(false) => observation.warn_for(&[Latency, Iops, Bandwidth], says),
        _ => observation.info(format!("{says}; it matters for buffered reads only")),
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
    let available = read_meminfo(scene).and_then(|table| bytes(&table, "MemAvailable"));
    match available {
        Ok(available) if size_bytes <= available => "; it fits into memory, so a second pass is warm",
        _ => "",
    }
}
