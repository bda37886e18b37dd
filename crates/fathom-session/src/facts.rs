//! The host snapshot as facts of the record, and what judges need of it.

use crate::grounds::PlanGrounds;
use crate::here::Here;
use fathom_device::device::DevNumber;
use fathom_device::diskstat::disks_beneath;
use fathom_device::memory_beneath::memory_beneath;
use fathom_host::snapshot::{Snapshot, SnapshotFact as HostFact, SnapshotValue, TargetSnapshot};
use fathom_results::{Fact, MEMORY_BENEATH, RunRecord, RunSurroundings};
use fathom_text::carried::{of_os, to_path};
use std::collections::HashMap;
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
