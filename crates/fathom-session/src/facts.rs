//! The host snapshot as facts of the record, what judges need of it, and what the run learns about itself.

use crate::calibrate;
use crate::grounds::PlanGrounds;
use crate::here::Here;
use crate::request::Request;
use fathom_device::device::DevNumber;
use fathom_device::diskstat::disks_beneath;
use fathom_device::memory_beneath::memory_beneath;
use fathom_engine::probe::{Nowait, ProbeExtent, probe};
use fathom_engine::runner::LocalThreads;
use fathom_engine::target::{OpenHow, TargetSource};
use fathom_host::snapshot::{Snapshot, SnapshotFact as HostFact, SnapshotValue, TargetSnapshot};
use fathom_job::plan::{Plan, PlannedFile, PlannedJob};
use fathom_results::{Fact, MEMORY_BENEATH, RunRecord, RunResult, RunSurroundings};
use fathom_text::carried::{of_os, to_path};
use std::collections::{BTreeSet, HashMap};
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Everything known about the machine, and about the file systems and devices of the targets.
pub fn host_facts(here: &Here, grounds: &PlanGrounds) -> Vec<Fact> {
    let snapshot = Snapshot::take(here.root(), &grounds.targets);
    let mut facts: Vec<Fact> = snapshot.host.iter().map(|f| fact("", f)).collect();
    facts.extend(grounds.facts.iter().cloned());
    let (mut stacks, mut memories) = (HashMap::new(), HashMap::new());
    for target in &snapshot.targets {
        let prefix = format!("target.{}.", of_os(&target.path));
        facts.extend(target_facts(&prefix, target));
        facts.extend(disks(here, &prefix, target, &mut stacks));
        facts.extend(memory(here, &prefix, target, &mut memories));
        facts.extend(target.facts.iter().map(|f| fact(&prefix, f)));
    }
    facts
}

fn fact(prefix: &str, f: &HostFact) -> Fact {
    let text = |v: &SnapshotValue| match v {
        SnapshotValue::Flag(b) => b.to_string(),
        SnapshotValue::Number(n) => n.to_string(),
        SnapshotValue::Text(t) => t.clone(),
    };
    let path = f.path.display();
    Fact {
        name: format!("{prefix}{}", f.name),
        value: f.value.as_ref().map(text),
        source: f.unknown.as_ref().map_or_else(|| path.to_string(), |why| format!("{path}: {why}")),
    }
}

/// The disks that count the I/O of each device, the top one first; `None` where
/// that is not known. Many mounts may lie on one device.
type Stacks = HashMap<DevNumber, Option<String>>;

/// The disks that count the target's I/O.
fn disks(here: &Here, prefix: &str, target: &TargetSnapshot, stacks: &mut Stacks) -> Option<Fact> {
    let device = target.target.as_ref()?.device?;
    let names = || disks_beneath(here.root(), device).ok().map(|names| names.join(" "));
    let value = Some(stacks.entry(device).or_insert_with(names).clone()?);
    Some(Fact { name: format!("{prefix}disks"), value, source: "sysfs".to_owned() })
}

/// The memory below a loop device of which the target is made.
fn memory(here: &Here, prefix: &str, target: &TargetSnapshot, known: &mut Stacks) -> Option<Fact> {
    let device = target.target.as_ref()?.device?;
    let beneath = || memory_beneath(here.root(), device);
    let value = Some(known.entry(device).or_insert_with(beneath).clone()?);
    Some(Fact {
        name: format!("{prefix}{MEMORY_BENEATH}"),
        value,
        source: "sysfs loop/, mountinfo".to_owned(),
    })
}

fn target_facts(prefix: &str, t: &TargetSnapshot) -> Vec<Fact> {
    let mut facts = Vec::new();
    let mut add = |name: &str, value: Option<String>, source: &str| {
        facts.push(Fact { name: format!("{prefix}{name}"), value, source: source.to_owned() });
    };
    if let Some(target) = &t.target {
        add("fs_type", target.fs_type.clone(), "mountinfo");
        add("mount_options", target.mount_options.clone(), "mountinfo");
        add("disk", target.disk.clone(), "sysfs");
    }
    if let Some(device) = &t.device {
        add("serial", device.serial.clone(), "sysfs");
        add("model", device.model.clone(), "sysfs");
        add("size_bytes", Some(device.size_bytes.to_string()), "sysfs");
        add("backing_file", device.backing_file.as_ref().map(of_os), "sysfs loop/");
        add("kind", Some(format!("{:?}", device.kind).to_lowercase()), "driver");
    }
    add("is_virtual_disk", t.is_virtual_disk.map(|b| b.to_string()), "driver");
    facts
}

/// Where a run happens that is saved in `dir`, for its judges.
pub fn surroundings(here: &Here, record: &RunRecord, dir: &Path) -> RunSurroundings {
    let own = file_system(dir);
    let holds_results = |path: &str| own.is_some_and(|own| lies_on(&to_path(path), own));
    record.seen_surroundings(here.cpus() as u64, here.machine().memory.0, holds_results)
}

/// Whether a file is on this file system. A scratch file that was removed is
/// judged by the directory in which it was.
fn lies_on(target: &Path, dev: u64) -> bool {
    match std::fs::metadata(target) {
        Ok(meta) => meta.is_file() && meta.dev() == dev,
        Err(_) => {
            let parent = target.parent().filter(|path| !path.as_os_str().is_empty());
            file_system(parent.unwrap_or(Path::new("."))) == Some(dev)
        }
    }
}

fn file_system(dir: &Path) -> Option<u64> {
    let there = dir.ancestors().map(|dir| if dir.as_os_str().is_empty() { Path::new(".") } else { dir });
    there.filter_map(|dir| std::fs::metadata(dir).ok()).find(std::fs::Metadata::is_dir).map(|meta| meta.dev())
}

/// Probes how the targets take I/O, measures the generator without them if
/// the request asks for it, and checks the figures. For a run that was cut short, or whose
/// target has failed, only the figures are checked, so that its end is not
/// delayed. Then the run is judged.
pub fn learn(
    record: &mut RunRecord,
    result: &mut RunResult,
    local: &LocalThreads,
    here: &Here,
    request: &Request<'_>,
) {
    if result.incomplete.is_none() {
        record.host.extend(facts(&request.plan, &*local.targets));
        if request.calibrates {
            record.self_knowledge.calibrations = calibrate::calibrate(result, request, local);
        }
    }
    result.record = record.clone();
    result.record.surroundings = surroundings(here, record, &result.dir);
    fathom_procedures::judge(result);
    let claims = request.labels.claims.as_ref();
    result.record.datasheet = claims.map(|claims| fathom_judge::datasheet(result, claims));
    *record = result.record.clone();
}

// How the targets of a run take I/O, as facts of its record.
//
// They are probed after the run: then files have their data, caches are as the
// run left them, and the measurement is not disturbed.

/// Most targets probed. Each probe reads some blocks, and thousands of files behave alike.
const TARGETS_MAX: usize = 16;
/// Largest block probed, in bytes: the kernel treats larger blocks in the same way.
const BLOCK_MAX: usize = 1 << 20;

/// Facts of the first target of each job, for each way of opening it.
pub fn facts(plan: &Plan, targets: &dyn TargetSource) -> Vec<Fact> {
    let mut asked = BTreeSet::new();
    let first = plan.jobs.iter().filter_map(|job| Some((job, job.files.first()?)));
    let new = first.filter(|(job, file)| file.is_on_machine() && asked.insert((&file.path, job.direct)));
    new.take(TARGETS_MAX).flat_map(|(job, file)| of_target(job, file, targets)).collect()
}

fn of_target(job: &PlannedJob, file: &PlannedFile, targets: &dyn TargetSource) -> Vec<Fact> {
    let how = OpenHow { direct: job.direct, ..OpenHow::default() };
    // Of a target that cannot be opened any more nothing is known.
    let Ok(target) = targets.open(&file.path, how) else { return Vec::new() };
    let block = (job.block_max().0 as usize).clamp(1, BLOCK_MAX);
    let place = ProbeExtent { offset: file.offset.0, block, blocks: file.size.0 / block as u64 };
    let probed = probe(target.fd.as_fd(), place);
    let mode = if job.direct { "direct" } else { "buffered" };
    let fact = |name: &str, value: Option<&str>, source: &str| Fact {
        name: format!("target.{}.probe.{mode}.{name}", file.path),
        value: value.map(str::to_owned),
        source: source.to_owned(),
    };
    let nowait = match probed.nowait {
        Nowait::Supported => Some("supported"),
        Nowait::Punts => Some("punts"),
        Nowait::Unknown => None,
    };
    let inline = probed.completes_inline.map(|yes| if yes { "true" } else { "false" });
    vec![
        fact("nowait", nowait, "preadv2 with RWF_NOWAIT, after the run"),
        fact("completes_inline", inline, "reads through a ring of our own, after the run"),
    ]
}
