//! A target made of memory: tmpfs, ramfs, zram, brd, or a loop device over a file on one of them. It measures the kernel's
//! path and memory copies, which is useful only when that is what is wanted.

use super::{Found, TaintRule};
use crate::case::Case;
use crate::place::TargetPlace;
use fathom_results::finding::{MemoryKind, MemoryTarget};
use fathom_results::{Evidence, Weight};

pub(super) const RULE: TaintRule = TaintRule { code: "memory-backed", weight: Weight::Instead, check };

fn check(case: &Case<'_>) -> Option<Found> {
    let place = case.places().find(|place| is_memory(place))?;
    let is = match (place.ram_disk(), place.memory_beneath) {
        (Some(disk), _) => MemoryKind::Disk(disk.to_owned()),
        (None, Some(memory)) if !place.is_memory() => {
            let device = place.disks.iter().find(|disk| disk.starts_with("loop"));
            MemoryKind::Beneath { device: device.map(|&name| name.to_owned()), memory: memory.to_owned() }
        }
        _ => MemoryKind::FileSystem(place.fs_type.unwrap_or("memory").to_owned()),
    };
    let (only_trims, memory_bytes) = (case.only_trims(), case.surrounds.memory.0);
    let found = Found::new(Evidence::MemoryBacked(MemoryTarget { is, only_trims, memory_bytes }));
    Some(found.about(case.part(|cell| case.places.of_cell(cell).iter().any(is_memory))))
}

fn is_memory(place: &TargetPlace<'_>) -> bool {
    place.is_memory() || place.memory_beneath.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{DirectionLoad, RunBuilder};
    use crate::surrounds::Surrounds;

    fn found(target: &str, fs: Option<&str>, disk: Option<&str>) -> Option<Found> {
        let options = format!("rw=randread bs=4k ioengine=psync filename={target}");
        let run = RunBuilder::of(&options).all(2, DirectionLoad::reads(1_000, 4096, 2_000)).run();
        let [fs_type, disk_name] = [fs, disk].map(|name| name.map(str::to_owned));
        check(&Case::new(&run, &Surrounds { fs_type, disk_name, ..crate::fixture::surrounds() }))
    }

    #[test]
    fn tmpfs_and_ram_disks() {
        assert!(found("/mnt/f", Some("tmpfs"), None).unwrap().evidence().contains("tmpfs"));
        assert!(found("/dev/zram0", None, Some("zram0")).unwrap().evidence().contains("zram0"));
        assert!(found("/mnt/f", Some("ext4"), Some("ram1")).unwrap().evidence().contains("ram1"));
    }

    #[test]
    fn a_loop_device_over_memory_is_named() {
        let beneath = |memory: Option<&str>| {
            let job = "rw=randread bs=4k ioengine=psync direct=1 filename=/dev/loop7";
            let scene = RunBuilder::of(job).all(2, DirectionLoad::reads(1_000, 4096, 20_000));
            let scene =
                scene.fact("target./dev/loop7.disk", "loop7").fact("target./dev/loop7.disks", "loop7");
            let run = match memory {
                Some(memory) => scene.fact("target./dev/loop7.memory_beneath", memory).run(),
                None => scene.run(),
            };
            check(&Case::new(&run, &crate::fixture::surrounds())).map(|found| found.evidence())
        };
        let told = "/dev/loop7 is a file on tmpfs, which is memory; the machine has 16 GiB of memory";
        assert_eq!(beneath(Some("tmpfs")).as_deref(), Some(told));
        assert!(
            beneath(Some("zram3")).unwrap().starts_with("/dev/loop7 is a file on zram3, which is memory")
        );
        assert_eq!(beneath(None), None);
    }

    #[test]
    fn disks_are_not_memory() {
        assert_eq!(found("/mnt/f", Some("ext4"), Some("nvme0n1")), None);
        // The filesystem that holds the device node says nothing of the device.
        assert_eq!(found("/dev/sda", Some("devtmpfs"), Some("sda")), None);
    }
}
