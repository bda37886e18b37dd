//! The block queue.

mod device;

use crate::audit::checks::prelude::*;

/// The checks of the family `blk`.
pub(super) const FAMILY: Family = (
    include_str!("../blk.toml"),
    &[
        ("blk.scheduler", EachQueue(scheduler)),
        ("blk.nr_requests", EachDisk(nr_requests)),
        ("blk.max_sectors", EachQueue(max_sectors)),
        ("blk.rq_affinity", EachDisk(rq_affinity)),
        ("blk.nomerges", EachDisk(nomerges)),
        ("blk.add_random", EachDisk(add_random)),
        ("blk.iostats", EachQueue(iostats)),
        ("blk.wbt", EachDisk(wbt)),
        ("blk.rotational", EachQueue(rotational)),
        ("blk.read_ahead", EachQueue(read_ahead)),
        ("blk.align", Several(device::align)),
        ("blk.512e", EachQueue(device::e512)),
        ("blk.discard", EachQueue(device::discard)),
        ("blk.integrity", EachDisk(device::integrity)),
        ("blk.cgroup", All("host", device::cgroup)),
        ("blk.loop", EachQueue(device::loop_device)),
    ],
);

// The settings of a block queue.

/// A file of a queue that holds a small number, none above `highest`.
fn setting(scene: &Scene<'_>, disk: &Disk, file: &str, highest: u8) -> Result<(u8, Raw), Unknown> {
    let (value, raw) = scene.value::<u8>(disk.queue(file))?;
    if value > highest {
        return Err(raw.garbled());
    }
    Ok((value, raw))
}

/// The scheduler's name; `none` where there is none.
fn scheduler_name(scene: &Scene<'_>, disk: &Disk) -> Result<String, Unknown> {
    let raw = scene.read(disk.queue("scheduler"))?;
    if raw.text == "none" {
        return Ok(raw.text);
    }
    Ok(scene.selected(&raw.path)?.0)
}

/// How many hardware queues the disk has, by the directories under `mq`.
fn hardware_queues(scene: &Scene<'_>, disk: &Disk) -> usize {
    scene.glob(&format!("{}/mq/#", disk.sys_dir.display())).len()
}

/// Whether the kernel takes it for a spinning disk.
fn is_rotational(scene: &Scene<'_>, disk: &Disk) -> Result<bool, Unknown> {
    Ok(setting(scene, disk, "rotational", 1)?.0 == 1)
}

/// `blk.scheduler`: does something reorder and hold back I/O before the drive?
fn scheduler(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let raw = scene.read(disk.queue("scheduler"))?;
    let observation = Observation::on(&disk.name).show(&raw);
    // Stacked devices have no requests; their file contains "none" without brackets.
    if raw.text == "none" {
        return Ok(observation.ok("no scheduler"));
    }
    let (chosen, _) = scene.selected(disk.queue("scheduler"))?;
    let is_rotational = scene.value::<u8>(disk.queue("rotational")).is_ok_and(|(value, _)| value == 1);
    Ok(match (chosen.as_str(), is_rotational) {
        ("none", _) => observation.ok("no scheduler"),
        ("mq-deadline" | "bfq", true) if is_made_up(scene, disk) => observation.info(format!(
            "{chosen}, which suits a hard disk; a hypervisor made this one, and it is not known what is behind it"
        )),
        ("mq-deadline" | "bfq", true) => observation.ok(format!("{chosen}, which suits a hard disk")),
        ("mq-deadline" | "bfq" | "kyber", false) => observation.warn_for(&[Iops, Latency, Repeatability], format!("{chosen} sorts requests for a drive that has no arm")),
        _ => observation.info(format!("the scheduler is {chosen}")),
    })
}

/// The flag "rotational" says nothing about a disk that a hypervisor made (blk.rotational).
fn is_made_up(scene: &Scene<'_>, disk: &Disk) -> bool {
    disk.kind == DiskKind::Paravirtual || hypervisor(scene, disk).is_some()
}

/// A scheduler gets twice the tags for each queue, but at most twice 128
/// (`blk_mq_default_nr_requests`, block/blk-mq-sched.h).
const TAGS_COUNTED_MAX: u64 = 128;

/// `blk.nr_requests`: how many requests may wait in the kernel?
fn nr_requests(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let (requests, raw) = scene.value::<u64>(disk.queue("nr_requests"))?;
    let observation = Observation::on(&disk.name).show(&raw);
    let scheduler = scheduler_name(scene, disk)?;
    let queues = hardware_queues(scene, disk).max(1) as u64;
    let room = requests.saturating_mul(queues);
    if let Some(depth) = scene.job.iodepth.filter(|depth| *depth > room) {
        let says =
            format!("{depth} I/Os in flight do not fit into {room} ({requests} in {})", each_of(queues));
        return Ok(observation.warn_for(&[Iops], says));
    }
    if scheduler == "none" {
        return Ok(
            observation.ok(format!("{requests} in {}, the number of the driver's tags", each_of(queues)))
        );
    }
    let default = default_requests(scene, disk);
    Ok(match default {
        Some(default) if requests < default => observation
            .warn_for(&[Iops], format!("{requests} with {scheduler}, whose default is {default} here")),
        Some(_) => observation.ok(format!("{requests} with {scheduler}")),
        None => observation.info(format!("{requests} with {scheduler}; the driver's tags are not known")),
    })
}

fn each_of(queues: u64) -> String {
    if queues == 1 { "one queue".to_owned() } else { format!("each of {queues} queues") }
}

fn default_requests(scene: &Scene<'_>, disk: &Disk) -> Option<u64> {
    let (tags, _) = scene.value::<u64>(disk.sys_dir.join("mq/0/nr_tags")).ok()?;
    Some(2 * tags.min(TAGS_COUNTED_MAX))
}

/// `blk.max_sectors`: are large blocks split into several requests?
fn max_sectors(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let (limit_kib, raw) = scene.value::<u64>(disk.queue("max_sectors_kb"))?;
    let (hardware_kib, hardware) = scene.value::<u64>(disk.queue("max_hw_sectors_kb"))?;
    let observation = Observation::on(&disk.name).show(&raw).show(&hardware);
    let (limit, most) = (limit_kib.saturating_mul(1024), hardware_kib.saturating_mul(1024));
    Ok(match scene.job.block_bytes_max {
        Some(block) if block > most => {
            let pieces = block.div_ceil(limit.max(1));
            let says = format!(
                "blocks of {} go in {pieces} pieces; the hardware takes at most {}",
                size(block),
                size(most)
            );
            observation.warn_for(&[Bandwidth], says)
        }
        Some(block) if block > limit => {
            let pieces = block.div_ceil(limit.max(1));
            observation.warn_for(
                &[Bandwidth],
                format!(
                    "blocks of {} go in {pieces} pieces, although the hardware takes them whole",
                    size(block)
                ),
            )
        }
        Some(_) => observation.ok(format!("every block fits into one request of {}", size(limit))),
        None if limit < most => observation.info(format!(
            "requests of at most {}; the hardware takes {}",
            size(limit),
            size(most)
        )),
        None => observation.ok(format!("requests of {}, as much as the hardware takes", size(limit))),
    })
}

/// With this many CPUs for each queue, the interrupts of one CPU can become the
/// bottleneck (a choice of ours). With fewer, all of them share a cache.
const CPUS_A_QUEUE: usize = 4;

/// `blk.rq_affinity`: on which CPU does an I/O end?
fn rq_affinity(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let (value, raw) = setting(scene, disk, "rq_affinity", 2)?;
    let cpus = scene.cpus_online()?.len();
    let queues = hardware_queues(scene, disk);
    let shape = format!("{} for {}", counted(queues, "queue"), counted(cpus, "CPU"));
    let observation = Observation::on(&disk.name).show(&raw);
    if queues == 0 {
        return Ok(observation.info(format!("{value}; how many queues it has is not known")));
    }
    Ok(match value {
        _ if queues >= cpus => {
            observation.ok(format!("{shape}: I/O is completed on the CPU that submitted it"))
        }
        0 => observation
            .warn_for(&[Iops], format!("{shape}, and every I/O is completed where its interrupt arrives")),
        1 if cpus / queues >= CPUS_A_QUEUE => {
            observation.info(format!("{shape}: 2 may spread the work of completing better"))
        }
        1 => observation.ok("completed near the CPU that submitted the I/O"),
        _ => observation.ok("completed on the CPU that submitted the I/O"),
    })
}

/// Blocks larger than this fill a request well enough without merging.
const SMALL_BLOCK_BYTES_MAX: u64 = 64 << 10;

/// How much a job depends on merging.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Job {
    LivesOnIt,
    NeverMeetsIt,
    Large,
    Unknown,
}

/// `blk.nomerges`: may the kernel join neighbouring I/Os?
fn nomerges(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let (value, raw) = setting(scene, disk, "nomerges", 2)?;
    let observation = Observation::on(&disk.name).show(&raw);
    Ok(match (value, job(scene)) {
        (2, Job::LivesOnIt) => observation
            .bad_for(&[Bandwidth], "merging is off, and this job's small neighbouring blocks need it"),
        (2, Job::Unknown) => {
            observation.warn_for(&[Bandwidth], "merging is off: right for random direct I/O only")
        }
        (2, Job::NeverMeetsIt) => observation.ok("merging is off, and random I/O does not need it"),
        (2, Job::Large) => observation.ok("merging is off, and the blocks are large enough without it"),
        (_, Job::NeverMeetsIt) => {
            observation.info("the kernel searches for a neighbour of every random I/O and finds none")
        }
        _ => observation.ok("neighbouring requests are joined"),
    })
}

fn job(scene: &Scene<'_>) -> Job {
    let job = &scene.job;
    match (job.direct, job.random, job.block_bytes_max) {
        (Some(false), _, _) => Job::LivesOnIt,
        (Some(true), Some(true), _) => Job::NeverMeetsIt,
        (Some(true), Some(false), Some(block)) if block > SMALL_BLOCK_BYTES_MAX => Job::Large,
        (Some(true), Some(false), Some(_)) => Job::LivesOnIt,
        _ => Job::Unknown,
    }
}

/// `blk.add_random`: does every I/O feed the random number generator?
fn add_random(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let (value, raw) = setting(scene, disk, "add_random", 1)?;
    let observation = Observation::on(&disk.name).show(&raw);
    if value == 0 {
        return Ok(observation.ok("I/O does not feed the random number pool"));
    }
    Ok(match is_rotational(scene, disk)? {
        true => observation.ok("I/O feeds the random number pool, which costs little on a hard disk"),
        false => observation.warn_for(
            &[Iops, Latency],
            "every I/O of a solid-state drive is mixed into the random number pool",
        ),
    })
}

/// `blk.iostats`: does the kernel count the I/O?
fn iostats(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let (value, raw) = setting(scene, disk, "iostats", 1)?;
    let observation = Observation::on(&disk.name).show(&raw);
    Ok(match value {
        1 => observation.ok("I/O is counted"),
        _ => observation.warn_for(
            &[Repeatability],
            "I/O is not counted, so nobody can see whether the job had the disk to itself",
        ),
    })
}

/// `blk.wbt`: does the kernel hold back buffered writes?
fn wbt(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let (limit_us, raw) = scene.value::<u64>(disk.queue("wbt_lat_usec"))?;
    let observation = Observation::on(&disk.name).show(&raw);
    let job = &scene.job;
    Ok(match (limit_us, job.direct, job.writes) {
        (0, _, _) => observation.ok("writeback is not throttled"),
        (_, Some(true), _) => observation.ok("writeback throttling does not apply to direct I/O"),
        (_, _, Some(false)) => observation.ok("the job does not write"),
        (_, Some(false), _) => observation.warn_for(
            &[Bandwidth, Repeatability],
            format!("buffered writes are held back once reads take more than {limit_us} µs"),
        ),
        (_, None, _) => observation
            .info(format!("buffered writes would be held back once reads take more than {limit_us} µs")),
    })
}

/// Vendors and models by which hypervisors name their SCSI disks.
const HYPERVISORS: [&str; 7] = ["QEMU", "VMware", "Msft", "VBOX", "Virtual", "Google", "Nutanix"];

/// `blk.rotational`: does the kernel treat the drive as a hard disk?
fn rotational(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let (value, raw) = setting(scene, disk, "rotational", 1)?;
    let observation = Observation::on(&disk.name).show(&raw);
    if value == 0 {
        return Ok(observation.ok("the kernel treats it as solid-state"));
    }
    Ok(match (disk.kind, hypervisor(scene, disk)) {
        (_, Some(name)) => observation
            .warn(format!("the kernel treats it as a hard disk, but it is a virtual disk of {name}")),
        (DiskKind::Paravirtual, None) => {
            observation.warn("the kernel treats it as a hard disk, but it is a virtual disk")
        }
        (DiskKind::Nvme | DiskKind::Pmem | DiskKind::Ram | DiskKind::Null, None) => {
            observation.warn("the kernel treats it as a hard disk, which it is most probably not")
        }
        _ => observation.info("the kernel treats it as a hard disk"),
    })
}

/// The hypervisor whose name the vendor or model of a SCSI disk contains.
fn hypervisor(scene: &Scene<'_>, disk: &Disk) -> Option<&'static str> {
    let vendor = scene.read(disk.sys_dir.join("device/vendor")).map(|raw| raw.text);
    let name = format!("{} {}", vendor.unwrap_or_default(), disk.model(scene.root).unwrap_or_default());
    HYPERVISORS.into_iter().find(|hypervisor| name.contains(hypervisor))
}

/// `blk.read_ahead`: how far does the page cache read ahead?
fn read_ahead(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let (window_kib, raw) = scene.value::<u64>(disk.queue("read_ahead_kb"))?;
    let observation = Observation::on(&disk.name).show(&raw);
    let job = &scene.job;
    Ok(match (job.direct, window_kib) {
        (Some(true), _) => observation.not_applicable("direct I/O does not read ahead"),
        (_, 0) if job.reads != Some(false) && job.random != Some(true) => observation.warn_for(
            &[Bandwidth],
            "the page cache does not read ahead: buffered sequential reads wait for the drive one by one",
        ),
        (Some(false), _) => observation.info(format!("buffered reads go up to {window_kib} KiB ahead")),
        (None, _) => observation.info(format!("buffered reads would go up to {window_kib} KiB ahead")),
    })
}
