//! `fs.fill`: is there data where the job reads, and room where it writes?

use super::mounted::{each_mounted, name, seen};
use crate::audit::{Check, Needs, Observation, Observe, Observed, Scene, Target};
use fathom_device::Goal::{Bandwidth, Iops, Latency, Repeatability};
use fathom_device::ask::Question;
use fathom_device::mounts::Mount;
use fathom_text::words::counted;

pub(super) const CHECK: Check = Check {
    id: "fs.fill",
    title: "How full the file system and the test file are",
    reads: "statvfs(3) of the mount point; the file's extents (ioctl FS_IOC_FIEMAP)",
    why: "A file made with truncate or fallocate has a size and no data. Reads of it are answered with zeros and never \
          reach the drive: millions of IOPS from a disk. Writes into it must allocate, so the first pass is slower \
          than the second. A file system that is nearly full has only small free pieces left, and so has its drive: a \
          new file then consists of more pieces than the same file before.",
    judged: "Above 1 % of holes or unwritten space is bad for latency, IOPS and bandwidth where the job reads (or is \
             not known), and warns for all goals where it only writes; less is a remark. Less than 20 % free warns \
             for repeatability. Directories, and files that are not there yet, have no extents to judge.",
    remedy: "Fill the file once with writes of random data before anything is measured (fathom does this by default \
             when it lays out files), sequentially and to its end. Free some space, or use a smaller file.",
    needs: Needs::Job,
    kernels: "FIEMAP: 2.6.28 and later",
    sources: &["V-49", "I-23", "I-24", "H-32", "V-23"],
    observe: Observe::Once(observe),
};

/// Below this share of free space, allocators begin to search for gaps. The
/// exact share depends on the file system; this value is a cautious choice of
/// ours.
const FREE_PERCENT_MIN: u64 = 20;
/// A hole that is smaller than this share of the file changes no figure by more than this share.
const HOLE_PERCENT_MAX: u64 = 1;

fn observe(scene: &Scene<'_>) -> Vec<Observation> {
    let mut all = each_mounted(scene, |target, mount| space(scene, target, mount));
    let is_file = |target: &&Target| target.mount.is_some();
    all.extend(
        scene
            .targets
            .iter()
            .filter(is_file)
            .map(|target| Observation::or_unknown(name(target), extents(scene, target))),
    );
    all
}

fn space(scene: &Scene<'_>, target: &Target, mount: &Mount) -> Observed {
    let raw = scene.ask(&Question::Space { path: mount.point.clone() })?;
    let words: Vec<u64> = raw.text.split(' ').filter_map(|word| word.parse().ok()).collect();
    let [size, _, available] = words[..] else {
        return Err(raw.garbled());
    };
    let percent = available.saturating_mul(100).checked_div(size).ok_or_else(|| raw.garbled())?;
    let seen = seen(target, mount).show(&raw);
    Ok(match percent {
        ..FREE_PERCENT_MIN => seen.warn_for(
            &[Repeatability],
            format!("{percent} % of the file system is free: new files are fragmented"),
        ),
        _ => seen.ok(format!("{percent} % of the file system is free")),
    })
}

fn extents(scene: &Scene<'_>, target: &Target) -> Observed {
    let raw = scene.ask(&Question::Extents { path: target.path.clone() })?;
    let words: Vec<u64> = raw.text.split(' ').filter_map(|word| word.parse().ok()).collect();
    let [size, written, unwritten, pieces] = words[..] else {
        return Err(raw.garbled());
    };
    let seen = Observation::on(name(target)).show(&raw);
    let empty = size.saturating_sub(written);
    let Some(percent) = empty.saturating_mul(100).checked_div(size) else {
        return Ok(seen.not_applicable("the file is empty"));
    };
    if empty == 0 {
        return Ok(seen.ok(format!("every byte has been written, in {}", counted(pieces, "piece"))));
    }
    let unwritten = unwritten.saturating_mul(100) / size;
    let says = format!("{percent} % of the file holds no data ({unwritten} % reserved, the rest holes)");
    Ok(match (percent, scene.job.reads) {
        (..=HOLE_PERCENT_MAX, _) => seen.info(says),
        (_, Some(false)) => seen.warn(format!("{says}: writes must allocate")),
        _ => seen.bad_for(&[Latency, Iops, Bandwidth], format!("{says}: reads there never reach the drive")),
    })
}
