//! `irq.device_threads`: is a kernel thread of the target the bottleneck?

use std::path::{Path, PathBuf};

use crate::audit::{Check, Needs, Observation, Observe, Observed, Scene};
use fathom_device::Goal::{Bandwidth, Iops};
use fathom_device::root::Unknown;
use fathom_text::words::counted;

use super::table;

const STAT: &str = "/proc/#/stat";

pub(super) const CHECK: Check = Check {
    id: "irq.device_threads",
    title: "Kernel threads that work for the target",
    reads: "/proc/*/stat twice: threads named after the target's arrays (md0_raid5), crypt and loop devices, and \
            threads of its interrupts (irq/N-...)",
    why: "Some targets hand each I/O to a thread of the kernel: parity of md, encryption, loop devices, threaded \
          interrupts. One thread uses one CPU at most. When that CPU is fully busy, more workers, depth or drives \
          change nothing, although the machine looks mostly idle. Drivers of the first flash cards had such threads \
          too, and old guides pin them with taskset; NVMe has none.",
    judged: "A thread that used 80 % of a CPU and more between the two readings warns for IOPS and bandwidth. Less is \
             ok, as is a target without such threads.",
    remedy: "For md RAID 5 and 6 give it more threads (group_thread_cnt, see md.threads). For encryption see the \
             options no_read_workqueue and no_write_workqueue of dm-crypt. Do not measure a loop device: measure the \
             file or the disk below it.",
    needs: Needs::Job,
    kernels: "all",
    sources: &["M-22", "I-19", "proc_pid_stat(5)"],
    observe: Observe::Watch(&[STAT], |scene| vec![Observation::or_unknown("host", whole(scene))]),
};

/// Share of a CPU from which a thread is a bottleneck (as for irq.softirq_load).
const FULL_PCT: u64 = 80;

/// Length of a tick as `/proc` counts: `USER_HZ` is 100 wherever Linux runs
/// today, x86 and Arm included.
const TICK_MS: u64 = 10;

/// With fewer milliseconds between the readings, a tick is too coarse.
const SPAN_MS_MIN: u64 = 100;

fn whole(scene: &Scene<'_>) -> Observed {
    let files = scene.glob(STAT);
    let first = files.first().ok_or_else(|| Unknown::missing("/proc/1/stat"))?;
    // One file decides whether there were two readings, and whether such files
    // are understood: a thread that is new has no earlier one.
    scene.before(first)?;
    ticks(first, &scene.read(first)?.text)?;
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
    let interrupts = scene.disks.iter().filter_map(|disk| table::of_disk(scene, disk).ok()).flatten();
    let interrupts = interrupts.map(|one| format!("irq/{}-", one.irq));
    arrays.chain(workers).chain(crypts).chain(interrupts).collect()
}

fn thread(scene: &Scene<'_>, file: &Path, names: &[String], span_ms: u64) -> Option<Thread> {
    let text = scene.read(file).ok()?.text;
    let name = text.split_once('(')?.1.rsplit_once(')')?.0.to_owned();
    let is_ours = |part: &String| match part.starts_with('-') {
        true => name.ends_with(part.as_str()),
        false => name.starts_with(part.as_str()) || name.contains(&format!("-{part}")),
    };
    if !names.iter().any(is_ours) {
        return None;
    }
    let used = ticks(file, &text).ok()?.saturating_sub(ticks(file, scene.before(file).ok()?).ok()?);
    Some(Thread { name, pct: used * TICK_MS * 100 / span_ms, file: file.to_path_buf(), text })
}

/// User and system time: fields 14 and 15, of which the first two end with the
/// closing bracket of the name (proc_pid_stat(5)).
fn ticks(file: &Path, text: &str) -> Result<u64, Unknown> {
    let garbled = || Unknown::garbled(file, text);
    let (_, rest) = text.rsplit_once(')').ok_or_else(garbled)?;
    let mut fields = rest.split_whitespace().skip(11).map(|word| word.parse::<u64>());
    match (fields.next(), fields.next()) {
        (Some(Ok(user)), Some(Ok(system))) => Ok(user + system),
        _ => Err(garbled()),
    }
}
