//! `nvme.qdepth`: does the job's queue depth reach the drive?

use super::drive::{Drive, each_namespace};
use crate::audit::{Check, Disk, Needs, Observation, Observe, Observed, Raw, Scene};
use fathom_device::root::Unknown;

pub(super) const CHECK: Check = Check {
    id: "nvme.qdepth",
    title: "Queues of the drive and their depth",
    reads: "/sys/class/nvme/N/{sqsize,queue_count}, /sys/block/D/mq/*/nr_tags",
    why: "Each CPU has a queue to the drive, or shares one, and a queue holds a fixed number of commands at once (its \
          tags). Further I/O waits in the host: the drive never sees the greater depth, but the measured latency \
          contains the wait. So a figure at depth 2,048 through queues of 1,023 is the figure at depth 1,023 with \
          additional waiting time.",
    judged: "A remark if the job's depth for each queue exceeds its tags; ok otherwise, with the numbers. The \
             job's depth is spread over as many queues as it has workers.",
    remedy: "Spread the depth over more workers on more CPUs, or lower it. Raising nr_requests, as older guides \
             advise, does nothing here: the tags are the limit, and the depth is the job's. The driver reads its \
             parameter io_queue_depth (1,024) only when it is loaded.",
    needs: Needs::Job,
    kernels: "3.19 and later (the first with NVMe on the multi-queue layer)",
    sources: &["M-1", "Documentation/ABI/stable/sysfs-block"],
    observe: Observe::Once(|scene| each_namespace(scene, |disk, drive| one(scene, disk, drive))),
};

fn one(scene: &Scene<'_>, disk: &Disk, drive: &Drive) -> Observed {
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
