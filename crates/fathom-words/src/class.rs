//! What kind of device has such figures, in words.

use fathom_results::{ClassKind, DeviceClass};
use fathom_text::number::grouped;
use fathom_text::quantity::{bandwidth, iops, latency, percent};

/// In flight at a time, where many are: the depth of `quick`.
const MANY: u32 = 32;

/// `like a SATA SSD`, `a network volume capped at 16,000 IOPS`.
pub fn says(class: &DeviceClass) -> String {
    let like = match class.kind {
        ClassKind::Capped { iops_max, is_network, .. } => {
            let noun = if is_network { "a network volume" } else { "a virtual volume" };
            return format!("{noun} capped at {} IOPS", grouped(iops_max));
        }
        ClassKind::HardDisk { .. } => "a hard disk",
        ClassKind::SataSsd { .. } => "a SATA SSD",
        ClassKind::NvmeSsd { .. } => "an NVMe SSD",
        ClassKind::MemoryCard { .. } => "a memory card or a USB stick",
    };
    match class.is_virtual {
        true => format!("a virtual disk in the range of {like}"),
        false => format!("like {like}"),
    }
}

/// The figures that say so.
pub fn evidence(class: &DeviceClass) -> String {
    match class.kind {
        ClassKind::Capped { jobs, iops: rate, apart, .. } => {
            format!("{jobs} random measurements gave {} IOPS within {}", iops(rate), percent(apart))
        }
        ClassKind::HardDisk { read_ns, reads } => {
            let many = reads.map(|rate| format!(", and {MANY} at a time give {} a second", iops(rate)));
            format!("one random read takes {}{}", latency(read_ns), many.unwrap_or_default())
        }
        ClassKind::SataSsd { read_ns, reads, bytes_per_second } => format!(
            "{} read is within the 600 MB/s of a SATA link, one read takes {}, and {} reads a second",
            bandwidth(bytes_per_second),
            latency(read_ns),
            iops(reads)
        ),
        ClassKind::NvmeSsd { read_ns, bytes_per_second } => format!(
            "{} read is more than a SATA link carries, one read takes {}",
            bandwidth(bytes_per_second),
            latency(read_ns)
        ),
        ClassKind::MemoryCard { read_ns, reads, bytes_per_second } => format!(
            "{} read, one read takes {}, and {} reads a second",
            bandwidth(bytes_per_second),
            latency(read_ns),
            iops(reads)
        ),
    }
}
