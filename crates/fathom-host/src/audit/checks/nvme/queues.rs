//! The queues of a drive, and its ways.

use super::{Drive, no_drive};
use crate::audit::checks::prelude::*;

const PARAMETER: &str = "/sys/module/nvme/parameters/poll_queues";

/// `nvme.poll_queues`: are there queues for polling, if the job polls?
pub(super) fn poll_queues(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let io_poll = scene.read(disk.queue("io_poll"))?;
    let seen = Observation::on(&disk.name).show(&io_poll);
    // The parameter may have been written after the queues were made, so it
    // is shown but does not decide.
    let seen = match scene.value::<u32>(PARAMETER) {
        Ok((_, raw)) => seen.show(&raw),
        Err(unknown) => seen.without(unknown),
    };
    Ok(match (io_poll.text.as_str(), scene.job.polled) {
        ("1", _) => seen.ok("there are queues for polling"),
        ("0", Some(true)) => seen.bad_for(&[Latency], "the job polls, and the drive has no queue for it"),
        ("0", _) => seen.info("no queues for polling, and no job that needs them"),
        (other, _) => return Err(Unknown::garbled(&io_poll.path, other)),
    })
}

/// `nvme.qdepth`: does the job's queue depth reach the drive?
pub(super) fn qdepth(scene: &Scene<'_>, disk: &Disk, drive: &Drive) -> Observed {
    let (tags, queues, raw) = queues(scene, disk, drive)?;
    let sqsize = scene.read(drive.dir.join("sqsize"));
    let seen = Observation::on(&disk.name).show(&raw);
    let seen = sqsize.into_iter().fold(seen, |seen, raw| seen.show(&raw));
    let have = format!("{queues} queues of {tags}");
    let Some(iodepth) = scene.job.iodepth else {
        return Ok(seen.ok(have));
    };
    let used = scene.job.workers.unwrap_or(1).clamp(1, queues);
    let each = iodepth.div_ceil(used);
    Ok(match each > tags {
        true => seen.info(format!(
            "{have}; the job needs {each} in each of {used}, so {} of them wait in the host",
            each - tags
        )),
        false => seen.ok(format!("{have}; the job needs {each} in each of {used}")),
    })
}

/// Tags of the smallest queue, how many queues there are, and the file read.
fn queues(scene: &Scene<'_>, disk: &Disk, drive: &Drive) -> Result<(u64, u64, Raw), Unknown> {
    let mut files = scene.glob(&format!("{}/mq/#/nr_tags", disk.sys_dir.display()));
    if files.is_empty() {
        // A disk with several paths has no queues of its own, but its paths have.
        let part = disk.name.rsplit_once('n').map_or("", |(_, number)| number);
        files = scene.glob(&format!("{}/nvme#c#n{part}/mq/#/nr_tags", drive.dir.display()));
    }
    let tags: Vec<(u64, Raw)> =
        files.iter().map(|file| scene.value::<u64>(file)).collect::<Result<_, _>>()?;
    let count = tags.len() as u64;
    let least = tags.into_iter().min_by_key(|(tags, _)| *tags);
    let (least, raw) = least.ok_or_else(|| Unknown::missing(disk.sys_dir.join("mq/0/nr_tags")))?;
    if least == 0 {
        return Err(raw.garbled());
    }
    Ok((least, count, raw))
}

/// States of a controller (drivers/nvme/host/core.c).
const STATES: [&str; 7] = ["new", "live", "resetting", "connecting", "deleting", "deleting (no IO)", "dead"];

/// `nvme.multipath`: how many paths lead to the disk, and which one does I/O use?
pub(super) fn multipath(scene: &Scene<'_>) -> Vec<Observation> {
    let disks = scene.disks.iter().filter(|disk| !disk.controllers.is_empty());
    each(disks, no_drive, |disk| disk.name.clone(), |disk| multipath_of(scene, disk))
}

struct PathOf {
    drive: Drive,
    state: Raw,
    node: Option<i32>,
}

fn multipath_of(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let read = |controller: &String| path_of(scene, controller);
    let paths: Vec<PathOf> = disk.controllers.iter().map(read).collect::<Result<_, _>>()?;
    let seen = paths.iter().fold(Observation::on(&disk.name), |seen, path| seen.show(&path.state));
    let down: Vec<String> = paths.iter().filter(|path| path.state.text != "live").map(say_state).collect();
    if !down.is_empty() {
        let says = format!("not all of {} paths are live: {}", paths.len(), down.join(", "));
        return Ok(seen.warn_for(&[Latency, Repeatability], says));
    }
    if let [path] = paths.as_slice() {
        return Ok(seen.ok(format!("one path, through {}", path.drive.controller)));
    }
    let policy = path_policy(scene, disk)?;
    let seen = seen.show(&policy);
    let says = format!("{} paths, chosen by {}", paths.len(), policy.text);
    Ok(match policy.text == "numa" && is_remote(scene, &paths) {
        true => seen.warn_for(&[Latency], format!("{says}, and none is on the node of the job's CPUs")),
        false => seen.info(says),
    })
}

fn path_of(scene: &Scene<'_>, controller: &str) -> Result<PathOf, Unknown> {
    let drive = Drive::of(controller);
    let state = scene.read(drive.dir.join("state"))?;
    if !STATES.contains(&state.text.as_str()) {
        return Err(state.garbled());
    }
    let node = scene.value::<i32>(drive.dir.join("numa_node")).ok().map(|(node, _)| node);
    Ok(PathOf { drive, state, node })
}

fn say_state(path: &PathOf) -> String {
    format!("{} is {}", path.drive.controller, path.state.text)
}

/// The `device` of a multipath disk is its subsystem.
fn path_policy(scene: &Scene<'_>, disk: &Disk) -> Result<Raw, Unknown> {
    let policy = scene.read(Path::new(&disk.sys_dir).join("device/iopolicy"))?;
    match policy.text.as_str() {
        "numa" | "round-robin" | "queue-depth" => Ok(policy),
        other => Err(Unknown::garbled(&policy.path, other)),
    }
}

/// Whether the job's CPUs are known and no path is on one of their nodes.
fn is_remote(scene: &Scene<'_>, paths: &[PathOf]) -> bool {
    let Some(cpus) = &scene.job.cpus else {
        return false;
    };
    let nodes = scene.nodes();
    let near = |path: &PathOf| match path.node {
        Some(node) if node >= 0 => {
            nodes.iter().any(|(number, of)| *number as i32 == node && !of.intersection(cpus).is_empty())
        }
        _ => true,
    };
    !paths.iter().any(near)
}

/// Words of `link_power_management_policy` (drivers/ata/libata-sata.c).
const POLICIES: [&str; 6] = [
    "max_performance",
    "medium_power",
    "med_power_with_dipm",
    "min_power_with_partial",
    "min_power",
    "keep_firmware_settings",
];

/// `scsi.qdepth`: does a SATA or SAS drive take several commands at once, and
/// is its link awake and fast?
pub(super) fn scsi_qdepth(scene: &Scene<'_>) -> Vec<Observation> {
    let none = || Observation::on("host").not_applicable("there is no SATA or SAS drive below the target");
    let disks: Vec<&Disk> = scene.disks.iter().filter(|disk| is_scsi(disk)).collect();
    if disks.is_empty() {
        return vec![none()];
    }
    let name = |disk: &&&Disk| disk.name.clone();
    let mut seen = each(&disks, none, name, |disk| queue(scene, disk));
    for optional in [queue_policy, speed] {
        let found = each(&disks, none, name, |disk| optional(scene, disk));
        seen.extend(
            found.into_iter().filter(|seen| seen.verdicts.worst() != Grade::NotApplicable || is_told(seen)),
        );
    }
    seen
}

/// SAS drives have no link policy and no SATA speed, so we do not report that
/// they are missing, only that they are garbled or denied.
fn is_told(seen: &Observation) -> bool {
    !seen.says.ends_with("is not there")
}

fn is_scsi(disk: &Disk) -> bool {
    disk.part("host").is_some() && disk.part("target").is_some()
}

fn queue(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let (depth, raw) = scene.value::<u32>(disk.sys_dir.join("device/queue_depth"))?;
    let seen = Observation::on(&disk.name).show(&raw);
    let kind = scene.read(disk.sys_dir.join("device/queue_type"));
    let has_no_queue = kind.as_ref().is_ok_and(|kind| kind.text == "none");
    let seen = kind.into_iter().fold(seen, |seen, raw| seen.show(&raw));
    Ok(match depth {
        0 => return Err(raw.garbled()),
        1 => seen.bad_for(&[Iops], "one command at a time"),
        _ if has_no_queue => seen.bad_for(&[Iops], format!("depth {depth}, but command queueing is off")),
        _ => seen.ok(format!("up to {depth} commands at once")),
    })
}

fn missing(path: PathBuf) -> Unknown {
    Unknown { why: Why::Missing, ..Unknown::missing(path) }
}

fn queue_policy(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let host = disk.part("host").ok_or_else(|| missing(disk.sys_dir.clone()))?;
    let raw = scene.read(format!("/sys/class/scsi_host/host{host}/link_power_management_policy"))?;
    let seen = Observation::on(&disk.name).show(&raw);
    Ok(match raw.text.as_str() {
        "max_performance" => seen.ok("the link stays awake"),
        word if POLICIES.contains(&word) => {
            seen.warn_for(&[Latency], format!("the link may sleep between I/Os ({word})"))
        }
        other => return Err(Unknown::garbled(&raw.path, other)),
    })
}

fn speed(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let ata = disk.part("ata").ok_or_else(|| missing(disk.sys_dir.clone()))?;
    let raw = scene.read(format!("/sys/class/ata_link/link{ata}/sata_spd"))?;
    let seen = Observation::on(&disk.name).show(&raw);
    let is_rotational = scene.value::<u8>(disk.queue("rotational")).is_ok_and(|(value, _)| value == 1);
    Ok(match raw.text.as_str() {
        "6.0 Gbps" => seen.ok("the link runs at 6 Gb/s"),
        slow @ ("3.0 Gbps" | "1.5 Gbps") if is_rotational => seen.info(format!("the link runs at {slow}")),
        slow @ ("3.0 Gbps" | "1.5 Gbps") => {
            seen.warn_for(&[Bandwidth], format!("the link runs at {slow}; current drives run at 6.0 Gbps"))
        }
        other => return Err(Unknown::garbled(&raw.path, other)),
    })
}
