//! `nvme.lbaf`: is the drive formatted with its fastest block size?

use super::drive::{Drive, each_namespace, namespace_path, nsid};
use crate::audit::{Check, Disk, Needs, Observation, Observe, Observed, Scene};
use fathom_device::Goal::Iops;
use fathom_device::nvme::{LbaFormat, Namespace};

pub(super) const CHECK: Check = Check {
    id: "nvme.lbaf",
    title: "Block size that the drive is formatted with",
    reads: "Identify Namespace: the list of formats, the one in use, relative performance",
    why: "A namespace is formatted with blocks of 512 or of 4,096 bytes. Flash is managed in units of 4 KiB or more, \
          so blocks of 512 bytes cost a larger map and extra work. A drive reports the relative performance of each \
          format: best, better, good, degraded. On the other hand a drive with blocks of 4,096 bytes refuses every \
          smaller direct I/O. So: 512 for jobs below 4 KiB, 4,096 for all others.",
    judged: "bad for every goal if the job's smallest direct block is smaller than the drive's. Warns for IOPS if the \
             drive reports a better performance for another format (with the same metadata) and the job's blocks fit \
             it; without a job, blocks of 4 KiB are assumed.",
    remedy: "Reformatting erases the whole namespace. Use fathom purge for it, which asks for consent; tuning never \
             does it. By hand: nvme format /dev/nvmeXnY --lbaf=INDEX. Or choose blocks that fit the format in use.",
    needs: Needs::Purge,
    kernels: "all; reading the formats needs root",
    sources: &["V-24", "V-44", "H-21", "T-44"],
    observe: Observe::Once(|scene| each_namespace(scene, |disk, drive| one(scene, disk, drive))),
};

/// The block size that we assume where no job is known.
const BLOCK_ASSUMED_BYTES: u64 = 4096;

fn one(scene: &Scene<'_>, disk: &Disk, drive: &Drive) -> Observed {
    let nsid = nsid(scene, disk)?;
    let namespace = Namespace::read(scene.root, &drive.controller, nsid)?;
    let now = namespace.format();
    let list: Vec<String> = namespace.formats.iter().map(describe).collect();
    let raw = format!("in use {}; {}", now.index, list.join("; "));
    let seen = Observation::on(&disk.name).with(namespace_path(drive, nsid), raw);
    let block = scene.job.block_bytes_min.unwrap_or(BLOCK_ASSUMED_BYTES);
    // The page cache reads and writes whole blocks, whatever the job asks for.
    let is_direct = scene.job.direct != Some(false);
    if is_direct && block < u64::from(now.data_bytes) {
        let says = format!("blocks of {block} bytes are refused: the drive's are {} bytes", now.data_bytes);
        return Ok(seen.bad(says));
    }
    Ok(match better(&namespace, now, block) {
        Some(better) => seen.warn_for(
            &[Iops],
            format!(
                "blocks of {} bytes, which the drive calls {}; it calls {} bytes {}",
                now.data_bytes,
                word(now),
                better.data_bytes,
                word(better)
            ),
        ),
        None => {
            seen.ok(format!("blocks of {} bytes; the drive calls no other format better", now.data_bytes))
        }
    })
}

/// The format with the same metadata that is better by the drive's own report
/// and that the job can use.
fn better(namespace: &Namespace, now: LbaFormat, block: u64) -> Option<LbaFormat> {
    let same = namespace.formats.iter().filter(|format| format.metadata_bytes == now.metadata_bytes);
    let fits = same.filter(|format| u64::from(format.data_bytes) <= block);
    let best = fits.min_by_key(|format| format.relative_performance)?;
    (best.relative_performance < now.relative_performance).then_some(*best)
}

fn describe(format: &LbaFormat) -> String {
    format!("{}: {}+{} bytes, {}", format.index, format.data_bytes, format.metadata_bytes, word(*format))
}

fn word(format: LbaFormat) -> &'static str {
    ["best", "better", "good", "degraded"][usize::from(format.relative_performance & 3)]
}
