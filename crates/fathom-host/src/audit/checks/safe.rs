//! What forbids writing to a target, by the rules of the guard.
//!
//! These checks have no rules of their own: they report what
//! [`fathom_guard::inspect`] found on each target that is a block device. So
//! the audit shows in advance what the guard will refuse.

use crate::audit::Safety;
use crate::audit::checks::prelude::*;
use fathom_device::device::Node;
use fathom_device::signature::{Class, Signature};
use fathom_guard::FindingKind::{
    Held, LoopBacking, Mounted, NoMedium, OpenForReading, OpenForWriting, Partition, PoolMember, ReadOnly,
    Swap, UnknownContents,
};
use fathom_guard::{Facts, Finding, FindingKind, Weight, consent_words};

/// The checks of the family `safe`.
pub(super) const FAMILY: Family = (
    include_str!("safe.toml"),
    &[
        (
            "safe.mounted",
            Several(|scene| {
                let table = |_: &Finding| "/proc/self/mountinfo".into();
                of_kinds(scene, &[Mounted, PoolMember], table, "nothing on it is mounted")
            }),
        ),
        (
            "safe.holders",
            Several(|scene| {
                let path = |finding: &Finding| format!("/sys/class/block/{}", finding.node).into();
                of_kinds(scene, &[Held, LoopBacking], path, "no array, volume or loop device uses it")
            }),
        ),
        (
            "safe.swap",
            Several(|scene| of_kinds(scene, &[Swap], |_| "/proc/swaps".into(), "no swap is on it")),
        ),
        ("safe.signature", Several(signature)),
        ("safe.partition_table", Several(partition_table)),
        ("safe.raid_member", Several(|scene| of_signatures(scene, is_raid, "no metadata of an array"))),
        ("safe.lvm_pv", Several(|scene| of_signatures(scene, is_lvm, "no label of LVM"))),
        ("safe.zfs_member", Several(|scene| of_signatures(scene, is_zfs, "no label of ZFS"))),
        ("safe.root_disk", Several(root_disk)),
        ("safe.open_by_others", Several(open_by_others)),
        (
            "safe.identity",
            Several(|scene| each_target(scene, |safety, facts, _| vec![identity(scene, safety, facts)])),
        ),
        ("safe.readonly", Several(readonly)),
        ("safe.mount_guard", Of("kernel", mount_guard)),
    ],
);

// The guard's findings as observations.
//
// A finding forbids writing. For a job that writes it is bad where the guard
// refuses even with consent, and a warning where consent is enough. For a job
// that only reads, or where no job is known, it is a remark.

/// One or more observations for each target that is a block device.
fn each_target(
    scene: &Scene<'_>,
    observe: impl Fn(&Safety, &Facts, &[Finding]) -> Vec<Observation>,
) -> Vec<Observation> {
    let observations = scene.safety().iter().flat_map(|safety| match &safety.view {
        Ok((facts, findings)) => observe(safety, facts, findings),
        Err(unknown) => vec![Observation::unknown(&safety.name, unknown.clone())],
    });
    let observations: Vec<Observation> = observations.collect();
    match observations.is_empty() {
        true if scene.job.spares_content => {
            vec![Observation::on("host").not_applicable("the job only reads, so the content does not matter")]
        }
        true => vec![Observation::on("host").not_applicable("no target is a block device")],
        false => observations,
    }
}

/// The findings of these kinds; ok with `nothing` where there is none.
fn of_kinds(
    scene: &Scene<'_>,
    kinds: &[FindingKind],
    path: impl Fn(&Finding) -> PathBuf,
    nothing: &str,
) -> Vec<Observation> {
    each_target(scene, |safety, facts, findings| {
        or_clear(use_of_target(scene, safety, findings, kinds, &path), safety, facts, nothing)
    })
}

/// The findings of these kinds on a target.
fn use_of_target(
    scene: &Scene<'_>,
    safety: &Safety,
    findings: &[Finding],
    kinds: &[FindingKind],
    path: impl Fn(&Finding) -> PathBuf,
) -> Vec<Observation> {
    let chosen = findings.iter().filter(|finding| kinds.contains(&finding.kind));
    chosen.map(|finding| tell(scene, safety, finding, path(finding))).collect()
}

/// `observations`, with the findings of this kind in place of what was ok on their
/// targets.
fn with_kind(
    scene: &Scene<'_>,
    mut observations: Vec<Observation>,
    kind: FindingKind,
    path: impl Fn(&Finding) -> PathBuf,
) -> Vec<Observation> {
    let mut found =
        each_target(scene, |safety, _, findings| use_of_target(scene, safety, findings, &[kind], &path));
    found.retain(|one| one.verdicts.worst() != Grade::NotApplicable);
    observations
        .retain(|one| one.verdicts.worst() != Grade::Ok || found.iter().all(|f| f.subject != one.subject));
    observations.extend(found);
    observations
}

/// What was found, or that nothing was on any of the devices that share bytes with the target. The evidence
/// then lists the devices that were checked.
fn or_clear(found: Vec<Observation>, safety: &Safety, facts: &Facts, nothing: &str) -> Vec<Observation> {
    if !found.is_empty() {
        return found;
    }
    let asked: Vec<&str> = facts.graph.nodes().iter().map(|node| node.name.as_str()).collect();
    let target = facts.graph.target();
    let clear = Observation::on(&safety.name).with(&target.sys_dir, format!("checked: {}", asked.join(", ")));
    vec![clear.ok(nothing)]
}

/// A finding, in the words of the guard.
fn tell(scene: &Scene<'_>, safety: &Safety, finding: &Finding, path: PathBuf) -> Observation {
    let observation = Observation::on(&safety.name).with(path, &finding.detail);
    weighed(scene, observation, finding.weight, &finding.to_string())
}

/// What weighs so much, with what follows from it.
fn weighed(scene: &Scene<'_>, observation: Observation, weight: Weight, what: &str) -> Observation {
    let grade = match (scene.job.writes, weight) {
        (Some(true), Weight::Absolute) => Grade::Bad,
        (Some(true), _) => Grade::Warn,
        _ => Grade::Info,
    };
    let consequence = match weight {
        Weight::Absolute => "fathom will not write to it, even with consent",
        _ => "to write to it, fathom needs --destroy with its serial number",
    };
    observation.judge(Grades::all(grade), format!("{what}: {consequence}"))
}

/// The signatures that `wanted` selects, on each node whose bytes are the
/// target's; n-a for a node that cannot be read.
fn of_signatures(scene: &Scene<'_>, wanted: impl Fn(&Signature) -> bool, nothing: &str) -> Vec<Observation> {
    each_target(scene, |safety, facts, findings| {
        let of = |node| on_node(scene, safety, findings, node, &wanted);
        let nodes: Vec<ObservedAll> = looked_into(facts).map(of).collect();
        let unknown = nodes.iter().find_map(|found| found.as_ref().err().cloned());
        let mut chosen: Vec<Observation> = nodes.into_iter().flatten().flatten().collect();
        chosen.extend(unknown.map(|unknown| Observation::unknown(&safety.name, unknown)));
        or_clear(chosen, safety, facts, nothing)
    })
}

/// The nodes whose content the guard reads, by the same rule as in its facts.
fn looked_into(facts: &Facts) -> impl Iterator<Item = &Node> {
    let is_read = |node: &&Node| facts.contents.iter().any(|content| content.node == node.name);
    facts.graph.nodes().iter().filter(is_read)
}

fn on_node(
    scene: &Scene<'_>,
    safety: &Safety,
    findings: &[Finding],
    node: &Node,
    wanted: impl Fn(&Signature) -> bool,
) -> ObservedAll {
    let contents = scene.contents_of(&node.name)?;
    let chosen = contents.signatures.iter().filter(|signature| wanted(signature)).filter_map(|signature| {
        let place = format!("{:?} at byte {}", signature.name, signature.offset_bytes);
        let message = |finding: &&Finding| finding.node == node.name && finding.detail.ends_with(&place);
        Some(tell(scene, safety, findings.iter().find(message)?, node.dev_path.clone()))
    });
    Ok(chosen.collect())
}

// The findings of the guard, one check for each kind.

/// `safe.signature`: does it hold a file system or other data?
fn signature(scene: &Scene<'_>) -> Vec<Observation> {
    let observations = of_signatures(scene, is_ours, "no file system, no encryption, no swap area");
    // A device with bytes of no known format is not ok.
    with_kind(scene, observations, UnknownContents, |finding| format!("/dev/{}", finding.node).into())
}

/// Whether no other check of the family reports the signature.
fn is_ours(signature: &Signature) -> bool {
    let others = is_raid(signature) || is_lvm(signature) || is_zfs(signature);
    signature.class != Class::PartitionTable && !others
}

/// `safe.partition_table`: is there a partition table?
fn partition_table(scene: &Scene<'_>) -> Vec<Observation> {
    let table = |signature: &Signature| signature.class == Class::PartitionTable;
    let observations = of_signatures(scene, table, "no partition table");
    with_kind(scene, observations, Partition, |finding| {
        format!("/sys/class/block/{}/partition", finding.node).into()
    })
}

/// The names of the formats (signature/table/mod.rs and
/// signature/probes/arrays.rs): `md member (1.2)`, `DDF RAID member`.
const FORMATS: [&str; 2] = ["md member", "RAID member"];

fn is_raid(signature: &Signature) -> bool {
    FORMATS.iter().any(|format| signature.name.contains(format))
}

fn is_lvm(signature: &Signature) -> bool {
    signature.name.starts_with("LVM")
}

fn is_zfs(signature: &Signature) -> bool {
    signature.name.starts_with("ZFS")
}

/// The same directories as the guard's (`openers.rs`), for a capture, whose
/// files do not show their device.
const SYSTEM_DIRS: [&str; 5] = ["/", "/boot", "/boot/efi", "/usr", "/var"];

/// `safe.root_disk`: is the system on this disk?
fn root_disk(scene: &Scene<'_>) -> Vec<Observation> {
    each_target(scene, |safety, facts, findings| {
        let tell = |what: &String| {
            weighed(
                scene,
                Observation::on(&safety.name).with("/proc/self/mountinfo", what),
                Weight::Absolute,
                what,
            )
        };
        or_clear(
            purposes(facts, findings).iter().map(tell).collect(),
            safety,
            facts,
            "the system is not on it",
        )
    })
}

fn purposes(facts: &Facts, findings: &[Finding]) -> Vec<String> {
    let reserved = findings.iter().filter(|finding| finding.kind == FindingKind::SystemDevice);
    let is_system = |point: &Path| SYSTEM_DIRS.iter().any(|dir| point == Path::new(dir));
    let mounts = facts.shared.mounts.iter().filter_map(|(number, mount)| {
        let node = facts.graph.node(*number).filter(|_| is_system(&mount.point))?;
        Some(format!("{} holds the system directory {}", node.name, mount.point.display()))
    });
    let mut messages: Vec<String> = reserved.map(ToString::to_string).chain(mounts).collect();
    messages.sort();
    messages.dedup();
    messages
}

/// `safe.open_by_others`: does another program use the device directly?
fn open_by_others(scene: &Scene<'_>) -> Vec<Observation> {
    each_target(scene, |safety, facts, findings| {
        let found =
            use_of_target(scene, safety, findings, &[OpenForWriting, OpenForReading], |_| "/proc".into());
        // The first process belongs to root: only then are the open files of all processes seen.
        match scene.root.list("/proc/1/fd") {
            Err(unknown) if found.is_empty() => vec![Observation::unknown(&safety.name, unknown)],
            _ => or_clear(found, safety, facts, "no other program has it open"),
        }
    })
}

/// `safe.identity`: which name identifies this drive and no other?
fn identity(scene: &Scene<'_>, safety: &Safety, facts: &Facts) -> Observation {
    let identity = &facts.identity;
    let words = consent_words(identity, &facts.others);
    let dir = &facts.graph.whole_disk().sys_dir;
    let observation = Observation::on(&safety.name).with(dir, identity.describe());
    let is_born = identity.serial.is_some() || identity.wwid.is_some();
    let Some(word) = words.first() else {
        let verdict = if scene.job.writes == Some(true) { Grade::Bad } else { Grade::Info };
        return observation.judge(Grades::all(verdict), "no name identifies this drive alone");
    };
    match is_born && !word.contains(':') {
        true => observation.ok(format!("its name is {word}")),
        false => observation.info(format!("it has no lasting name; {word} identifies it until it changes")),
    }
}

/// `safe.readonly`: can the device be written?
fn readonly(scene: &Scene<'_>) -> Vec<Observation> {
    each_target(scene, |safety, facts, findings| {
        vec![Observation::or_unknown(&safety.name, readonly_of(scene, safety, facts, findings))]
    })
}

/// We read the flag again, because for the guard any text other than 1 means
/// that the kernel will decide.
fn readonly_of(scene: &Scene<'_>, safety: &Safety, facts: &Facts, findings: &[Finding]) -> Observed {
    let path = facts.graph.target().sys_dir.join("ro");
    let (_, raw) = scene.value::<u8>(&path)?;
    let found = findings.iter().find(|finding| matches!(finding.kind, ReadOnly | NoMedium));
    Ok(match found {
        Some(finding) => tell(scene, safety, finding, path),
        None => Observation::on(&safety.name).with(path, &raw.text).ok("it can be written"),
    })
}

const PARAMETER: &str = "bdev_allow_write_mounted";
const OPTION: &str = "CONFIG_BLK_DEV_WRITE_MOUNTED";

/// `safe.mount_guard`: does the kernel itself protect mounted devices?
fn mount_guard(scene: &Scene<'_>) -> Observed {
    let (allows, observation) = match by_parameter(scene)? {
        Some(said) => said,
        None => by_option(scene)?,
    };
    Ok(match allows {
        true => {
            observation.info("the kernel allows writes to mounted devices; only fathom's guard protects them")
        }
        false => observation.ok("the kernel refuses writes to mounted devices"),
    })
}

/// The last of several parameters counts, as in the kernel.
fn by_parameter(scene: &Scene<'_>) -> Result<Option<(bool, Observation)>, Unknown> {
    let raw = scene.read("/proc/cmdline")?;
    let values = raw.text.split_whitespace().filter_map(|word| word.strip_prefix(PARAMETER));
    let Some(value) = values.filter_map(|rest| rest.strip_prefix('=')).next_back() else {
        return Ok(None);
    };
    let allows = match value {
        "1" | "y" | "Y" | "on" | "true" => true,
        "0" | "n" | "N" | "off" | "false" => false,
        _ => return Err(Unknown::garbled(&raw.path, value)),
    };
    Ok(Some((allows, Observation::on("kernel").with(&raw.path, format!("{PARAMETER}={value}")))))
}

fn by_option(scene: &Scene<'_>) -> Result<(bool, Observation), Unknown> {
    let release = scene.read("/proc/sys/kernel/osrelease")?.text;
    let raw = scene.read(format!("/boot/config-{release}"))?;
    let line = raw.text.lines().find(|line| line.contains(OPTION));
    let line = line.ok_or_else(|| Unknown::new(&raw.path, format!("does not know {OPTION} (6.8)")))?;
    let allows = match line {
        _ if line == format!("{OPTION}=y") => true,
        _ if line == format!("# {OPTION} is not set") => false,
        _ => return Err(Unknown::garbled(&raw.path, line)),
    };
    Ok((allows, Observation::on("kernel").with(&raw.path, line)))
}
