//! How much work interrupts make.

use crate::audit::Ticks;
use crate::audit::checks::noise::process::Process;
use crate::audit::checks::prelude::*;

pub(super) const STAT: &str = "/proc/#/stat";

/// Share of a CPU from which a thread is a bottleneck (as for irq.softirq_load).
const FULL_PCT: u64 = 80;

/// Length of a tick as `/proc` counts: `USER_HZ` is 100 wherever Linux runs
/// today, x86 and Arm included.
const TICK_MS: u64 = 10;

/// With fewer milliseconds between the readings, a tick is too coarse.
const SPAN_MS_MIN: u64 = 100;

/// `irq.device_threads`: is a kernel thread of the target the bottleneck?
pub(super) fn device_threads(scene: &Scene<'_>) -> Observed {
    let files = scene.glob(STAT);
    let first = files.first().ok_or_else(|| Unknown::missing("/proc/1/stat"))?;
    // One file decides whether there were two readings, and whether such files
    // are understood: a thread that is new has no earlier one.
    scene.before(first)?;
    let text = scene.read(first)?.text;
    Process::parse(&text).ok_or_else(|| Unknown::garbled(first, &text))?;
    let span_ms = scene.earlier.as_ref().map_or(0, |earlier| earlier.elapsed.as_millis() as u64);
    let seen = Observation::on("host");
    if span_ms < SPAN_MS_MIN {
        return Ok(seen.not_applicable("too little time passed between the readings"));
    }
    let names = names(scene);
    let threads: Vec<Thread> = files.iter().filter_map(|file| thread(scene, file, &names, span_ms)).collect();
    let Some(busiest) = threads.iter().max_by_key(|thread| thread.pct) else {
        let asked = format!("{} programs and threads checked", files.len());
        return Ok(seen.with("/proc", asked).ok("no thread of the kernel works for the target"));
    };
    let (name, pct) = (&busiest.name, busiest.pct);
    let seen = seen.with(&busiest.file, &busiest.text);
    Ok(match pct >= FULL_PCT {
        true => seen.warn_for(&[Iops, Bandwidth], format!("{name} used {pct} % of a CPU, and is one thread")),
        false => seen
            .ok(format!("{}, the busiest ({name}) used {pct} % of a CPU", counted(threads.len(), "thread"))),
    })
}

struct Thread {
    name: String,
    pct: u64,
    file: PathBuf,
    text: String,
}

/// Parts of the names of such threads. Names of md threads and of threaded
/// interrupts begin with them; names of workers contain them after the dash
/// (`kworker/u8:1-loop0`).
fn names(scene: &Scene<'_>) -> Vec<String> {
    let arrays = scene.stacked.iter().map(|array| format!("{}_", array.name));
    let workers = scene.stacked.iter().map(|array| format!("-{}", array.name));
    let crypts = scene.stacked.iter().map(|array| format!("kcryptd/{}", array.number));
    let interrupts = scene.disks.iter().filter_map(|disk| super::of_disk(scene, disk).ok()).flatten();
    let interrupts = interrupts.map(|one| format!("irq/{}-", one.irq));
    arrays.chain(workers).chain(crypts).chain(interrupts).collect()
}

fn thread(scene: &Scene<'_>, file: &Path, names: &[String], span_ms: u64) -> Option<Thread> {
    let text = scene.read(file).ok()?.text;
    let Process { name, ticks, .. } = Process::parse(&text)?;
    let is_ours = |part: &String| match part.starts_with('-') {
        true => name.ends_with(part.as_str()),
        false => name.starts_with(part.as_str()) || name.contains(&format!("-{part}")),
    };
    if !names.iter().any(is_ours) {
        return None;
    }
    let used = ticks.saturating_sub(Process::parse(scene.before(file).ok()?)?.ticks);
    Some(Thread { name, pct: used * TICK_MS * 100 / span_ms, file: file.to_path_buf(), text })
}

/// The feature, and the unit of its time.
const FEATURE: u8 = 8;
const TIME_UNIT_US: u32 = 100;

/// `irq.coalescing`: does the drive delay its interrupts?
pub(super) fn coalescing(scene: &Scene<'_>) -> Vec<Observation> {
    let controllers: Vec<&String> = scene.disks.iter().flat_map(|disk: &Disk| &disk.controllers).collect();
    let none = || Observation::on("host").not_applicable("no target is an NVMe drive");
    each(
        controllers,
        none,
        |controller| controller.to_string(),
        |controller| coalescing_of(scene, controller),
    )
}

fn coalescing_of(scene: &Scene<'_>, controller: &str) -> Observed {
    let question = Question::NvmeFeature { controller: controller.to_owned(), feature: FEATURE };
    let bytes = scene.root.ask(&question)?;
    let garbled = || Unknown::garbled(&question.path(), &String::from_utf8_lossy(&bytes));
    let word = u32::from_le_bytes(bytes.as_slice().try_into().map_err(|_| garbled())?);
    // Threshold in bits 7:0, one less than the number of entries; time in 15:8.
    let (threshold, time_us) = ((word & 0xff) + 1, (word >> 8 & 0xff) * TIME_UNIT_US);
    let seen = Observation::on(controller).with(question.path(), format!("0x{word:08x}"));
    if time_us == 0 {
        return Ok(seen.ok("no completion is held back"));
    }
    let says = format!("a completion may be held back for {time_us} µs, until there are {threshold}");
    Ok(seen.warn_for(&[Latency], says))
}

const MODULE: &str = "/sys/module/nvme/parameters/use_threaded_interrupts";
const REALTIME: &str = "/sys/kernel/realtime";

/// `irq.threaded`: does a completion wait for a thread to be scheduled?
pub(super) fn threaded(scene: &Scene<'_>) -> Vec<Observation> {
    let mut seen = vec![said("boot", boot(scene))];
    // Without the module, or without a real-time kernel, the files do not
    // exist, which is not an error. The kernel command line always exists.
    if scene.root.exists(MODULE) {
        seen.push(said("nvme", flag(scene, "nvme", MODULE, "the nvme module handles interrupts in threads")));
    }
    if scene.root.exists(REALTIME) {
        seen.push(said("kernel", flag(scene, "kernel", REALTIME, "this is a real-time kernel")));
    }
    seen
}

fn said(subject: &str, seen: Observed) -> Observation {
    Observation::or_unknown(subject, seen)
}

fn warn(seen: Observation, says: &str) -> Observation {
    seen.warn_for(&[Latency], says)
}

fn boot(scene: &Scene<'_>) -> Observed {
    let words = scene.boot_words()?;
    let seen = Observation::on("boot").show(&words.raw);
    Ok(match words.has("threadirqs") {
        true => warn(seen, "threadirqs was set at boot"),
        false => seen.ok("threadirqs was not set at boot"),
    })
}

fn flag(scene: &Scene<'_>, subject: &str, path: &str, says: &str) -> Observed {
    let raw = scene.read(path)?;
    let seen = Observation::on(subject).show(&raw);
    match raw.text.as_str() {
        "0" => Ok(seen.ok("interrupts are handled where they arrive")),
        "1" => Ok(warn(seen, says)),
        _ => Err(raw.garbled()),
    }
}

/// Shares of a CPU's time (host catalogue).
const FULL_LOAD_PCT: u64 = 80;
const HALF_LOAD_PCT: u64 = 50;

/// Ticks of 10 ms that must have passed: one tick more or less is then 10 %.
const TICKS_MIN: u64 = 10;

/// `irq.softirq_load`: is a CPU busy with interrupts only?
pub(super) fn softirq_load(scene: &Scene<'_>) -> Observed {
    let (spent, raw) = scene.ticks_spent()?;
    let share = |ticks: &Ticks| ticks.pct(ticks.interrupts + ticks.stolen);
    let long_enough = spent.iter().filter(|(_, ticks)| ticks.total >= TICKS_MIN);
    let Some((cpu, ticks)) = long_enough.max_by_key(|(_, ticks)| share(ticks)) else {
        return Ok(Observation::on("host").not_applicable("too little time passed between the readings"));
    };
    let line = raw.text.lines().find(|line| line.starts_with(&format!("cpu{cpu} ")));
    let seen = Observation::on(format!("cpu{cpu}")).with(&raw.path, line.unwrap_or_default());
    let says = format!(
        "{} % of its time went into interrupts and {} % was stolen, the most of all CPUs",
        ticks.pct(ticks.interrupts),
        ticks.pct(ticks.stolen)
    );
    Ok(match share(ticks) {
        share if share > FULL_LOAD_PCT => seen.bad(says),
        share if share > HALF_LOAD_PCT => seen.info(says),
        _ => seen.ok(says),
    })
}
