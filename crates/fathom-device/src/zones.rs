//! What the kernel says of the zones of a device (`/sys/block/*/queue`, Documentation/ABI/stable/sysfs-block).

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::root::Root;

/// How much of the order of writes a zoned device leaves to its host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ZonedModel {
    /// It takes a write only at the write pointer of a zone.
    HostManaged,
    /// It prefers such writes, and takes all. Since Linux 6.9 the kernel shows it as a device without zones.
    HostAware,
}

/// The zones of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeviceZones {
    /// The model.
    pub model: ZonedModel,
    /// Bytes from the start of a zone to that of the next.
    pub size_bytes: u64,
    /// Number of zones; unknown before Linux 4.20.
    pub count: Option<u32>,
    /// Most zones that may be open; 0 is no limit. Unknown before Linux 5.9.
    pub open_max: Option<u32>,
    /// Most zones that may be partly written, open or closed; 0 is no limit. Unknown before Linux 5.9.
    pub active_max: Option<u32>,
    /// A write to a sequential zone is a multiple of this. Unknown before Linux 5.12.
    pub write_unit_bytes: Option<u32>,
}

impl DeviceZones {
    /// Those of the whole disk with this directory `queue`; `None` without zones.
    pub fn read(root: &Root, queue: &Path) -> Option<Self> {
        let model = match root.read_text(queue.join("zoned")).ok()?.as_str() {
            "host-managed" => ZonedModel::HostManaged,
            "host-aware" => ZonedModel::HostAware,
            _ => return None,
        };
        let number = |file: &str| root.read_value(queue.join(file)).ok();
        let sectors: u64 = root.read_value(queue.join("chunk_sectors")).ok()?;
        (sectors > 0).then(|| Self {
            model,
            size_bytes: sectors.saturating_mul(512),
            count: number("nr_zones"),
            open_max: number("max_open_zones"),
            active_max: number("max_active_zones"),
            write_unit_bytes: number("zone_write_granularity").filter(|unit| *unit > 0),
        })
    }

    /// It takes writes only at write pointers.
    pub fn is_host_managed(&self) -> bool {
        self.model == ZonedModel::HostManaged
    }

    /// In words: `host-managed, 1200 zones of 2 GiB, at most 128 open`.
    pub fn words(&self) -> String {
        let model = if self.is_host_managed() { "host-managed" } else { "host-aware" };
        let size = fathom_text::quantity::size(self.size_bytes);
        let zones = match self.count {
            Some(count) => format!("{} of {size}", fathom_text::words::counted(count as usize, "zone")),
            None => format!("zones of {size}"),
        };
        let limit = |most: Option<u32>, state: &str| {
            most.filter(|most| *most > 0).map(|most| format!("at most {most} {state}"))
        };
        let limits = [limit(self.open_max, "open"), limit(self.active_max, "active")];
        [model.to_owned(), zones]
            .into_iter()
            .chain(limits.into_iter().flatten())
            .collect::<Vec<_>>()
            .join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The files of `queue` as machines have them: null_blk of Linux 6.12 with `zone_size=4 zone_max_open=4 zone_max_active=6`, an SMR
    /// disk (HC620) on Linux 5.15, one on 4.19, and devices without zones.
    #[test]
    fn zones_are_read_from_the_queue() {
        let read = |files: &[(&str, &str)]| {
            let dir = tempfile::tempdir().unwrap();
            for (file, text) in files {
                std::fs::write(dir.path().join(file), format!("{text}\n")).unwrap();
            }
            DeviceZones::read(&Root::live(), dir.path())
        };
        let null = read(&[
            ("zoned", "host-managed"),
            ("chunk_sectors", "8192"),
            ("nr_zones", "16"),
            ("max_open_zones", "4"),
            ("max_active_zones", "6"),
            ("zone_write_granularity", "512"),
        ]);
        let null = null.expect("it has zones");
        assert_eq!((null.size_bytes, null.count, null.write_unit_bytes), (4 << 20, Some(16), Some(512)));
        assert_eq!((null.open_max, null.is_host_managed()), (Some(4), true));
        assert_eq!(null.words(), "host-managed, 16 zones of 4 MiB, at most 4 open, at most 6 active");
        let smr = read(&[
            ("zoned", "host-managed"),
            ("chunk_sectors", "524288"),
            ("nr_zones", "52156"),
            ("max_open_zones", "128"),
            ("max_active_zones", "0"),
            ("zone_write_granularity", "4096"),
        ]);
        assert_eq!(smr.map(|zones| (zones.open_max, zones.write_unit_bytes)), Some((Some(128), Some(4096))));
        let old = read(&[("zoned", "host-managed"), ("chunk_sectors", "524288")]);
        assert_eq!(old.map(|zones| (zones.open_max, zones.count)), Some((None, None)));
        let aware = read(&[("zoned", "host-aware"), ("chunk_sectors", "524288")]);
        assert_eq!(aware.map(|zones| zones.is_host_managed()), Some(false));
        assert_eq!(read(&[("zoned", "none"), ("chunk_sectors", "256")]), None, "a chunk is no zone");
        assert_eq!(read(&[("zoned", "host-managed"), ("chunk_sectors", "0")]), None, "no zones");
        assert_eq!(read(&[]), None, "before Linux 4.10");
    }
}
