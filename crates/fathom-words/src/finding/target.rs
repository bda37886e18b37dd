//! What was measured: the target, and who or what answered beside it.

use super::{FindingWords, did, past};
use crate::claim::{Claim, claim};
use fathom_job::units::Bytes;
use fathom_results::Evidence;
use fathom_results::finding::{
    CachedBytes, DiskProvider, ForeignIo, KnownContent, LoopTarget, MemoryKind, MemoryTarget, Moved,
    PageCache, VirtualDisk,
};
use fathom_text::number::grouped;
use fathom_text::quantity::{bytes, latency, percent};

pub(super) fn words(evidence: &Evidence) -> Option<FindingWords> {
    Some(match evidence {
        Evidence::ForeignIo(evidence) => foreign_io(evidence),
        Evidence::PageCache(evidence) => FindingWords::new(
            claim("the page cache answered part of the I/O")
                .explained(": the figures measure memory as much as the disk"),
            page_cache(evidence),
            "direct=1, or a file of at least twice the memory",
        ),
        Evidence::MemoryBacked(evidence) => FindingWords::new(
            "the target is made of memory; no storage was measured",
            memory(evidence),
            "name a target on a disk, such as a directory of another filesystem",
        ),
        Evidence::NoTarget { engine } => FindingWords::new(
            claim("no target was used").explained(": the figures are those of fathom itself"),
            format!("the engine {engine} does no I/O"),
            "name a device or a file, and an engine that does I/O, such as io_uring",
        ),
        Evidence::Simulated { drive, scale, unwritten_bytes } => FindingWords::new(
            "the drive is simulated",
            simulated(drive, *scale, *unwritten_bytes),
            "run the same jobs on a device: fathom devices lists them",
        ),
        Evidence::UnwrittenRange { read_bytes, volume, disks, disk_bytes } => FindingWords::new(
            claim("reads were answered without the disk")
                .explained(": a sparse or unwritten range, or one that is compressed or cached above it"),
            unwritten(*read_bytes, volume.as_deref(), disks, *disk_bytes),
            "write the whole file once before reading it",
        ),
        Evidence::UnknownContent { job, path, region_bytes, content } => FindingWords::new(
            "the blocks that were read were perhaps never written",
            unknown_content(job, path, *region_bytes, content),
            "fill the target once before reading it, if its contents may be lost",
        ),
        Evidence::LoopDevice(evidence) => FindingWords::new(
            claim("the disk is a loop device").explained(": a file below one more layer of the kernel"),
            loop_device(evidence),
            "test the disk that holds the backing file",
        ),
        Evidence::VirtualDisk { disk, hypervisor } => FindingWords::new(
            claim("the disk is virtual").explained(
                ": its figures include the host that provides it, and may change from hour to hour",
            ),
            virtual_disk(disk, hypervisor.as_deref()),
            "repeat at other times of day, and compare with the rated limits of the volume",
        ),
        Evidence::SameFilesystem { writes } => FindingWords::new(
            "fathom saved its results on the same disk",
            if *writes == 1 {
                "1 small write".to_owned()
            } else {
                format!("{} small writes", grouped(*writes))
            },
            "--runs-dir on another filesystem, such as /dev/shm",
        ),
        Evidence::PartMeasured { path, part_bytes, whole_bytes } => FindingWords::new(
            "only a part of the target was filled and measured; the rest may be slower",
            format!("the first {} of the {} of {path}", Bytes(*part_bytes), Bytes(*whole_bytes)),
            "to measure all of it, a job file with size=100%, after a complete fill",
        ),
        _ => return None,
    })
}

/// What was measured instead of a disk, and what that means for the figures.
pub(super) fn instead(evidence: &Evidence) -> Option<(&'static str, Claim)> {
    let (what, meaning) = match evidence {
        Evidence::ForeignIo(_) => {
            ("Other programs used the same disk meanwhile", claim("other programs used the disk too"))
        }
        Evidence::PageCache(_) => {
            ("The page cache was measured, and not the disk alone", claim("memory is part of these figures"))
        }
        Evidence::MemoryBacked(_) => ("Memory was measured, not a disk", claim("no disk was measured")),
        Evidence::NoTarget { .. } => {
            ("Only fathom itself was measured, and no disk", claim("no disk was measured"))
        }
        Evidence::Simulated { .. } => {
            let meaning = claim("the times are computed").explained(", not measured");
            ("A simulated drive was measured, not a disk", meaning)
        }
        Evidence::UnwrittenRange { .. } => (
            "Reads were answered without the disk, because the blocks were never written",
            claim("the disk did not do all of these reads"),
        ),
        Evidence::LoopDevice(_) => {
            let meaning = claim("a file was measured").explained(", not a drive");
            ("A loop device was measured, not a disk", meaning)
        }
        _ => return None,
    };
    Some((what, meaning))
}

fn foreign_io(evidence: &ForeignIo) -> FindingWords {
    match evidence {
        ForeignIo::Others { disk, others, own, has_file_system, busiest } => {
            let own = and(&own.iter().filter_map(|it| moved(it, true)).collect::<Vec<_>>());
            // Caches and holes may have answered all that the jobs read.
            let own = if own.is_empty() { "nothing".to_owned() } else { own };
            let most = busiest.as_ref();
            let most =
                most.map(|(job, most)| format!("; the most, {}, while {job} ran", bytes(*most as f64)));
            let each = |few: bool| and(&others.iter().filter_map(|it| moved(it, few)).collect::<Vec<_>>());
            let what = match has_file_system {
                true => "other programs, or the file system itself, used the disk during the run",
                false => "other programs used the disk during the run",
            };
            let evidence =
                format!("others {} on {disk}, and fathom {own}{}", each(false), most.unwrap_or_default());
            // Without the numbers of I/Os, and the job that had the most of them beside it.
            let brief = format!("others {} on {disk}; while it measured, fathom {own}", each(true));
            FindingWords::new(
                what,
                evidence,
                "stop the other users of the disk (iotop and fatrace show them), or test an idle disk",
            )
            .briefly(brief)
        }
        ForeignIo::MoreThanHeld { disk, read_bytes, more_bytes } => FindingWords::new(
            "other programs read from the disk, or memory did not hold the files of the jobs",
            format!(
                "{disk} saw {} read, {} more than the files of the jobs hold",
                bytes(*read_bytes as f64),
                bytes(*more_bytes as f64)
            ),
            "stop the other users of the disk (iotop and fatrace show them), or test an idle disk",
        ),
    }
}

/// `1 read`, `1 read and 2 writes`, `1 read, 2 writes and 3 trims`.
fn and(all: &[String]) -> String {
    match all {
        [first @ .., second, last] => [first, &[format!("{second} and {last}")]].concat().join(", "),
        few => few.concat(),
    }
}

/// What was done in one direction: `read 2.29 GB (113,736 I/Os)`, and in fewer words `read 2.29 GB`.
fn moved(of: &Moved, few: bool) -> Option<String> {
    let did = did(of.direction);
    let ios = of.ios.map(|ios| if ios == 1 { "1 I/O".to_owned() } else { format!("{} I/Os", grouped(ios)) });
    Some(match (of.bytes.map(|moved| bytes(moved as f64)), ios) {
        (Some(moved), Some(ios)) if !few => format!("{did} {moved} ({ios})"),
        (Some(moved), _) => format!("{did} {moved}"),
        (None, Some(ios)) => format!("{did} with {ios}"),
        (None, None) => return None,
    })
}

fn page_cache(evidence: &PageCache) -> String {
    match evidence {
        PageCache::FewerBytes { disk, directions } => {
            let each = |of: &CachedBytes| {
                let [own, reached, all] =
                    [of.own_bytes, of.reached_bytes, of.disk_bytes].map(|n| bytes(n as f64));
                match of.reached_bytes < of.disk_bytes {
                    true => format!(
                        "{own} {}, {reached} of it from {disk}; {disk} saw {all} in all",
                        past(of.direction)
                    ),
                    false => format!("{own} {}; {disk} saw {all} in all", past(of.direction)),
                }
            };
            directions.iter().map(each).collect::<Vec<_>>().join("; ")
        }
        PageCache::FewerRequests { disk, direction, ios, requests } => {
            let [ios, requests] = [*ios, *requests].map(grouped);
            format!("{ios} I/Os {}; {disk} saw {requests} requests", past(*direction))
        }
        PageCache::Sooner { disk, direction, io_ns_mean, request_ns_mean } => {
            let [io, request] = [*io_ns_mean, *request_ns_mean].map(latency);
            format!(
                "each I/O was {} in {io} on average; {disk} had each request for {request}",
                past(*direction)
            )
        }
        PageCache::Fits { job, region_bytes, memory_bytes } => format!(
            "{job} works on {} with direct=0; the machine has {} of memory",
            Bytes(*region_bytes),
            Bytes(*memory_bytes)
        ),
    }
}

fn memory(evidence: &MemoryTarget) -> String {
    let what = match &evidence.is {
        MemoryKind::Disk(disk) => format!("the disk is {disk}"),
        MemoryKind::Beneath { device, memory } => {
            format!(
                "{} is a file on {memory}, which is memory",
                device_path(device.as_deref(), "the loop device")
            )
        }
        MemoryKind::FileSystem(name) => format!("the filesystem is {name}"),
    };
    let trims = if evidence.only_trims { "; a trim frees its memory and moves no data" } else { "" };
    format!("{what}{trims}; the machine has {} of memory", Bytes(evidence.memory_bytes))
}

fn device_path(name: Option<&str>, unknown: &str) -> String {
    name.map_or_else(|| unknown.to_owned(), |name| format!("/dev/{name}"))
}

fn simulated(drive: &str, scale: Option<u32>, unwritten_bytes: u64) -> String {
    let scaled = scale.map(|scale| {
        format!("; it is 1/{scale} of a whole drive, so latency can be up to {scale} times that of the whole")
    });
    let unwritten = (unwritten_bytes > 0)
        .then(|| format!("; {} were read that nobody had written", bytes(unwritten_bytes as f64)));
    [Some(drive.to_owned()), scaled, unwritten].into_iter().flatten().collect()
}

fn unwritten(read: u64, volume: Option<&str>, disks: &[String], disk_bytes: u64) -> String {
    let from = volume.map(|volume| format!(" from {volume}")).unwrap_or_default();
    let share = percent(disk_bytes as f64 / read as f64);
    let [read, disk_bytes] = [read, disk_bytes].map(|n| bytes(n as f64));
    format!("{read} read{from}, of which {} saw {disk_bytes} ({share})", disks.join(", "))
}

fn unknown_content(job: &str, path: &str, region_bytes: u64, content: &KnownContent) -> String {
    let size = bytes(region_bytes as f64);
    let known = match content {
        KnownContent::PartlyWritten { by, bytes: written } => {
            format!("{by} wrote {} of the {size} read", bytes(*written as f64))
        }
        KnownContent::NeverWritten(unwritten) => {
            format!("{} of the {size} read were never written since the purge", bytes(*unwritten as f64))
        }
        KnownContent::Nothing { block_bytes, latency_ns_mean } => {
            let mean = latency_ns_mean.map(|ns| format!(" in {} on average", latency(ns)));
            format!("{path} answered reads of {}{}", Bytes(*block_bytes), mean.unwrap_or_default())
        }
    };
    format!(
        "{job}: {known}; a drive answers reads of blocks that were never written, or trimmed since, without its medium"
    )
}

fn loop_device(evidence: &LoopTarget) -> String {
    let device = device_path(evidence.device.as_deref(), "the disk");
    let what =
        evidence.file.as_ref().map_or_else(|| "a loop device".to_owned(), |file| format!("the file {file}"));
    // With dio off, the backing file goes through the page cache even for direct I/O.
    let how = match evidence.is_direct {
        _ if evidence.only_trims => "; a trim makes holes in the file and moves no data",
        Some(false) => "; reads and writes go through memory (the page cache)",
        Some(true) => "; the file is read and written without the page cache",
        None => "",
    };
    format!("{device} is {what}{how}")
}

fn virtual_disk(disk: &VirtualDisk, hypervisor: Option<&str>) -> String {
    let how = match disk {
        VirtualDisk::Name { disk, provider } => format!("{disk}, provided by {}", provider_name(*provider)),
        VirtualDisk::Model(model) => format!("its model is {model:?}"),
        VirtualDisk::MadeOf(name) => {
            format!("{} is made of something else", name.as_deref().unwrap_or("the disk"))
        }
    };
    match hypervisor {
        Some(hypervisor) => format!("{how}; this machine runs on {hypervisor}"),
        None => how,
    }
}

const fn provider_name(provider: DiskProvider) -> &'static str {
    match provider {
        DiskProvider::Virtio => "a hypervisor (virtio)",
        DiskProvider::Xen => "a hypervisor (Xen)",
        DiskProvider::Nbd => "another process or host (nbd)",
        DiskProvider::Ceph => "a Ceph cluster (rbd)",
        DiskProvider::Drbd => "this host and its mirror (drbd)",
        DiskProvider::Ublk => "a process of this host (ublk)",
        DiskProvider::NullBlk => "a driver without storage (null_blk)",
    }
}
