//! The host snapshot as facts of the record, and as the judge asks for it.

use crate::surroundings::Here;
use fathom_host::device::DevNumber;
use fathom_host::diskstat::disks_beneath;
use fathom_host::snapshot::{Fact as HostFact, Snapshot, TargetSnapshot, Value};
use fathom_job::plan::Plan;
use fathom_results::{Fact, RunResult};
use fathom_suites::Surrounds;
use fathom_text::carried::{of_os, to_path};
use std::collections::{BTreeSet, HashMap};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Everything known of the machine and the plan's targets.
pub fn host_facts(here: &Here, plan: &Plan) -> Vec<Fact> {
    let snapshot = Snapshot::take(here.root(), &target_paths(plan));
    let mut facts: Vec<Fact> = snapshot.host.iter().map(|f| fact("", f)).collect();
    let mut stacks = HashMap::new();
    for target in &snapshot.targets {
        let prefix = format!("target.{}.", of_os(&target.path));
        facts.extend(target_facts(&prefix, target));
        facts.extend(disks(here, &prefix, target, &mut stacks));
        facts.extend(target.facts.iter().map(|f| fact(&prefix, f)));
    }
    facts
}

/// The targets of a plan, each once.
pub(super) fn target_paths(plan: &Plan) -> Vec<PathBuf> {
    let all = plan.jobs.iter().flat_map(|j| &j.files).filter(|f| !f.path.is_empty());
    all.map(|f| to_path(&f.path)).collect::<BTreeSet<_>>().into_iter().collect()
}

fn fact(prefix: &str, f: &HostFact) -> Fact {
    let text = |v: &Value| match v {
        Value::Flag(b) => b.to_string(),
        Value::Number(n) => n.to_string(),
        Value::Text(t) => t.clone(),
    };
    let path = f.path.display();
    Fact {
        name: format!("{prefix}{}", f.name),
        value: f.value.as_ref().map(text),
        source: f.unknown.as_ref().map_or_else(|| path.to_string(), |why| format!("{path}: {why}")),
    }
}

/// The disks that count the I/O of each device, the top one first; `None` where
/// that is not known. Thousands of files lie on one device.
type Stacks = HashMap<DevNumber, Option<String>>;

/// The disks that count the target's I/O.
fn disks(here: &Here, prefix: &str, target: &TargetSnapshot, stacks: &mut Stacks) -> Option<Fact> {
    let device = target.target.as_ref()?.device?;
    let names = || disks_beneath(here.root(), device).ok().map(|names| names.join(" "));
    let value = Some(stacks.entry(device).or_insert_with(names).clone()?);
    Some(Fact { name: format!("{prefix}disks"), value, source: "sysfs".to_owned() })
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

/// What the judge needs to know of where a run happened.
pub fn surrounds(here: &Here, run: &RunResult) -> Surrounds {
    let paths = target_paths(&run.record.plan);
    let snapshot = Snapshot::take(here.root(), &paths);
    let first = snapshot.targets.first();
    let target = first.and_then(|t| t.target.as_ref());
    let text = |name: &str| match snapshot.host_value(name) {
        Some(Value::Text(t)) => Some(t.clone()),
        _ => None,
    };
    let kind = run.record.plan.jobs.iter().flat_map(|j| &j.files).next().map(|f| f.kind);
    Surrounds {
        kind: kind.unwrap_or(fathom_job::plan::TargetKind::None),
        disk_name: target.and_then(|t| t.disk.clone()),
        is_virtual: first.and_then(|t| t.is_virtual_disk),
        is_loop: target.and_then(|t| t.disk.as_ref()).is_some_and(|d| d.starts_with("loop")),
        fs_type: target.and_then(|t| t.fs_type.clone()),
        hypervisor: text("hypervisor"),
        memory: here.machine().memory,
        cpus: here.cpus(),
        direct: run.record.plan.jobs.iter().all(|j| j.direct),
        results_on_same_fs: paths.iter().any(|p| same_filesystem(p, &run.dir)),
        steal_percent: super::steal::of(run),
    }
}

/// A file's device against the run directory's; a removed scratch file is
/// judged by where it lay.
fn same_filesystem(target: &Path, dir: &Path) -> bool {
    let device = |p: &Path| std::fs::metadata(p).ok().filter(|m| m.is_file() || m.is_dir()).map(|m| m.dev());
    let parent = target.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let is_device = std::fs::metadata(target).is_ok_and(|m| !m.is_file());
    !is_device && device(target).or_else(|| device(parent)) == device(dir)
}
