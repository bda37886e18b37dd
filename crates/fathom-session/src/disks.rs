//! Kernel counters of the disks below the targets, over the measured windows.
//!
//! A span begins when the first worker starts to measure and ends when the last
//! one stops; the spans of later stages are added. I/O outside the measurement
//! windows (layout, ramp) is not counted. fathom learns that a worker measures
//! some I/Os too late. If no job can do I/O before its window, the counters from
//! before the start are therefore used.

use crate::grounds::PlanGrounds;
use crate::here::Here;
use fathom_device::Root;
use fathom_device::counters::ProcessBytes;
use fathom_device::device::{Graph, Node};
use fathom_device::diskstat::DiskCounters;
use fathom_device::target;
use fathom_job::engine::EngineDef;
use fathom_job::plan::{Plan, PlannedJob};
use fathom_results::{DiskDelta, ProcessIo};
use fathom_text::carried::to_path;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The disks and what they counted.
pub struct Disks {
    root: Root,
    disks: Vec<Disk>,
    process: Process,
    opened: Option<Instant>,
    /// No job touches its target before its measurement window.
    is_quiet_before: bool,
}

struct Disk {
    /// The counters when no job was running last.
    at_rest: Option<DiskCounters>,
    at_open: Option<DiskCounters>,
    sum: DiskDelta,
}

/// What the kernel counted for this process, read at the same times as the disks.
#[derive(Default)]
struct Process {
    at_rest: Option<ProcessBytes>,
    at_open: Option<ProcessBytes>,
    sum: Option<ProcessIo>,
}

impl Disks {
    /// The disks below every target of the plan.
    pub fn beneath(here: &Here, plan: &Plan, grounds: &PlanGrounds) -> Self {
        let root = here.root().clone();
        let disk = |name: String| {
            let at_rest = DiskCounters::read(&root, &name).ok();
            Disk { at_rest, at_open: None, sum: empty(name) }
        };
        let disks = disk_nodes(&root, plan, grounds).into_keys().map(disk).collect();
        let process = Process { at_rest: ProcessBytes::read(&root).ok(), ..Process::default() };
        Disks {
            root,
            disks,
            process,
            opened: None,
            is_quiet_before: plan.jobs.iter().all(PlannedJob::is_quiet_before),
        }
    }

    /// Begins a span: the first worker measures.
    pub fn open(&mut self) {
        self.opened = Some(Instant::now());
        for disk in &mut self.disks {
            let now = || DiskCounters::read(&self.root, &disk.sum.disk).ok();
            disk.at_open = disk.at_rest.take().filter(|_| self.is_quiet_before).or_else(now);
        }
        let now = || ProcessBytes::read(&self.root).ok();
        self.process.at_open = self.process.at_rest.take().filter(|_| self.is_quiet_before).or_else(now);
    }

    /// Ends the span: the last worker that measured has ended.
    pub fn close(&mut self) {
        let Some(opened) = self.opened.take() else { return };
        let interval_ms = interval_ms(opened.elapsed());
        for disk in &mut self.disks {
            let now = DiskCounters::read(&self.root, &disk.sum.disk).ok();
            if let (Some(then), Some(now)) = (disk.at_open.take(), now) {
                add(&mut disk.sum, &now.since(&then), interval_ms);
            }
            disk.at_rest = now;
        }
        self.process.close(ProcessBytes::read(&self.root).ok());
    }

    /// What the disks counted, and what the kernel counted for this process; disks that were never readable are left out.
    pub fn finish(self) -> (Vec<DiskDelta>, Option<ProcessIo>) {
        let disks = self.disks.into_iter().map(|d| d.sum).filter(|d| d.interval_ms > 0).collect();
        (disks, self.process.sum)
    }
}

impl Process {
    /// Ends a span.
    fn close(&mut self, now: Option<ProcessBytes>) {
        self.at_rest = now;
        let Some((then, now)) = self.at_open.take().zip(now) else { return };
        let more = now.since(&then);
        let sum = self.sum.get_or_insert_default();
        sum.read_bytes += more.read;
        sum.write_bytes += more.written;
    }
}

/// The length of a span, at least 1 ms: the shortest one was measured too.
fn interval_ms(span: Duration) -> u64 {
    (span.as_micros().div_ceil(1000) as u64).max(1)
}

/// The disks below the targets by name, members of arrays too. Those of jobs that send commands are none of them: the kernel
/// counts no commands.
pub(crate) fn disk_nodes(root: &Root, plan: &Plan, grounds: &PlanGrounds) -> BTreeMap<String, Node> {
    let sends = |job: &&PlannedJob| job.engine_def().is_some_and(EngineDef::sends_commands);
    let sending = plan.jobs.iter().filter(sends).flat_map(|job| &job.files);
    let uncounted: BTreeSet<PathBuf> = sending.map(|file| to_path(&file.path)).collect();
    let number = |path: &PathBuf| target::inspect(root, path).ok()?.device;
    let graph = |path: &PathBuf| Graph::read(root, number(path)?).ok();
    let counted = grounds.targets.iter().filter(|path| !uncounted.contains(*path));
    let graphs: Vec<Graph> = counted.filter_map(graph).collect();
    graphs.iter().flat_map(Graph::disks).map(|node| (node.name.clone(), node.clone())).collect()
}

fn empty(disk: String) -> DiskDelta {
    DiskDelta {
        disk,
        interval_ms: 0,
        ios: [0; 3],
        merges: [0; 3],
        sectors: [0; 3],
        ticks_ms: [0; 3],
        busy_ms: 0,
        queue_ms: 0,
        flushes: None,
    }
}

fn add(sum: &mut DiskDelta, c: &DiskCounters, interval_ms: u64) {
    let adds = [
        (&mut sum.ios, [c.reads, c.writes, c.discards]),
        (&mut sum.merges, [c.read_merges, c.write_merges, c.discard_merges]),
        (&mut sum.sectors, [c.read_sectors, c.write_sectors, c.discard_sectors]),
        (&mut sum.ticks_ms, [c.read_wait_ms, c.write_wait_ms, c.discard_wait_ms]),
    ];
    for (into, from) in adds {
        into.iter_mut().zip(from).for_each(|(a, b)| *a += b);
    }
    sum.interval_ms += interval_ms;
    sum.busy_ms += c.busy_ms;
    sum.queue_ms += c.wait_ms;
    sum.flushes = c.counts_flushes.then(|| sum.flushes.unwrap_or(0) + c.flushes);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_span_has_no_length() {
        let of = |us| interval_ms(Duration::from_micros(us));
        assert_eq!([0, 300, 1_000, 1_001].map(of), [1, 1, 1, 2]);
    }
}
