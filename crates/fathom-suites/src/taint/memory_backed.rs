//! A target made of memory: tmpfs, ramfs, zram, brd. It measures the kernel's
//! path and memory copies, which is useful only when that is what is wanted.

use super::{Found, TaintRule, TaintWeight};
use crate::case::Case;
use crate::figure::Figure;

pub(super) const RULE: TaintRule = TaintRule {
    code: "memory-backed",
    weight: TaintWeight::Instead("Memory was measured, not a disk", "no disk was measured"),
    hint: "name a target on a disk, such as a directory of another filesystem",
    stands_on: &[Figure::Target],
    check,
};

fn check(case: &Case<'_>) -> Option<Found> {
    let place = case.places().find(|place| place.is_memory())?;
    let evidence = match (place.ram_disk(), place.fs_type) {
        (Some(disk), _) => format!("the disk is {disk}"),
        (None, fs) => format!("the filesystem is {}", fs.unwrap_or("memory")),
    };
    let trims = if case.only_trims() { "; a trim frees its memory and moves no data" } else { "" };
    let memory = format!("{evidence}{trims}; the machine has {} of memory", case.seen.memory);
    let found = Found::new("the target is made of memory; no storage was measured", memory)?;
    Some(found.about(case.part(|cell| case.is_memory_of(cell))))
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
        assert!(found("/mnt/f", Some("tmpfs"), None).unwrap().evidence.contains("tmpfs"));
        assert!(found("/dev/zram0", None, Some("zram0")).unwrap().evidence.contains("zram0"));
        assert!(found("/mnt/f", Some("ext4"), Some("ram1")).unwrap().evidence.contains("ram1"));
    }

    #[test]
    fn disks_are_not_memory() {
        assert_eq!(found("/mnt/f", Some("ext4"), Some("nvme0n1")), None);
        // The filesystem that holds the device node says nothing of the device.
        assert_eq!(found("/dev/sda", Some("devtmpfs"), Some("sda")), None);
    }
}
