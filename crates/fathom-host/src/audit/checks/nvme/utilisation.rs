//! `nvme.utilisation`: does the drive contain data that reads can fetch?

use super::drive::{Drive, each_namespace, namespace_path, nsid};
use crate::audit::{Check, Disk, Needs, Observation, Observe, Observed, Raw, Scene};
use fathom_device::nvme::Namespace;
use fathom_device::root::{Unknown, Why};

pub(super) const CHECK: Check = Check {
    id: "nvme.utilisation",
    title: "How much of the drive is written",
    reads: "/sys/block/D/{nuse,size}, queue/logical_block_size; else Identify Namespace (NUSE, NCAP)",
    why: "For an address without data a drive answers from its map, without a read of the flash: reads of an empty or \
          freshly trimmed drive are several times too fast and prove nothing. Writes to an empty drive are too fast as \
          well, because there is no garbage to collect. The drive says how many of its blocks are allocated.",
    judged: "bad for every goal below 1 % allocated, warn below 90 %, where some reads still hit holes. A job that \
             only writes: a remark. All allocated is a remark too, because some drives always report that.",
    remedy: "Fill the drive before a read test: write all of it twice in sequence, then with the job's own pattern \
             until the rate no longer changes. That destroys all data on it (fathom run asks for consent).",
    needs: Needs::Job,
    kernels: "nuse in sysfs: 6.8 and later; before, the question needs root",
    sources: &["V-23", "V-49", "H-32"],
    observe: Observe::Once(|scene| each_namespace(scene, |disk, drive| one(scene, disk, drive))),
};

/// Below the first share the drive is practically empty; from the second on,
/// holes hardly change a mean.
const EMPTY: f64 = 0.01;
const FULL: f64 = 0.90;

/// Bytes of a sector in sysfs's `size`, whatever the drive's blocks are.
const SECTOR_BYTES: u64 = 512;

fn one(scene: &Scene<'_>, disk: &Disk, drive: &Drive) -> Observed {
    let (used, whole, raws) = match from_sysfs(scene, disk) {
        Err(unknown) if unknown.why == Why::Missing => from_drive(scene, disk, drive)?,
        answer => answer?,
    };
    let seen = raws.iter().fold(Observation::on(&disk.name), Observation::show);
    let share = used as f64 / whole.max(1) as f64;
    let percent = format!("{:.1} % of the drive are allocated", share * 100.0);
    let only_writes = scene.job.reads == Some(false);
    Ok(match share {
        _ if used > whole => return Err(raws[0].garbled()),
        share if share >= 1.0 => seen.info("all of the drive is allocated; some drives always report this"),
        share if share >= FULL => seen.ok(percent),
        _ if only_writes => seen.info(format!("{percent}; the job only writes")),
        share if share < EMPTY => seen.bad(format!("{percent}: reads would be answered from the map")),
        _ => seen.warn(format!("{percent}: other reads do not reach the flash")),
    })
}

type Used = (u64, u64, Vec<Raw>);

fn from_sysfs(scene: &Scene<'_>, disk: &Disk) -> Result<Used, Unknown> {
    let (used, raw) = scene.value::<u64>(disk.sys_dir.join("nuse"))?;
    let (block_bytes, block) = scene.value::<u64>(disk.queue("logical_block_size"))?;
    let (sectors, size) = scene.value::<u64>(disk.sys_dir.join("size"))?;
    let whole = sectors.saturating_mul(SECTOR_BYTES) / block_bytes.max(1);
    Ok((used, whole, vec![raw, block, size]))
}

fn from_drive(scene: &Scene<'_>, disk: &Disk, drive: &Drive) -> Result<Used, Unknown> {
    let nsid = nsid(scene, disk)?;
    let namespace = Namespace::read(scene.root, &drive.controller, nsid)?;
    let text = format!("NUSE {} of NCAP {}", namespace.used_blocks, namespace.capacity_blocks);
    let raw = Raw { path: namespace_path(drive, nsid), text };
    Ok((namespace.used_blocks, namespace.capacity_blocks, vec![raw]))
}
