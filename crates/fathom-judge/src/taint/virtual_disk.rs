//! A disk that another host or process provides: its caches, limits and neighbours are part of
//! every figure.

use super::{Found, TaintRule};
use crate::case::Case;
use crate::place::TargetPlace;
use fathom_results::finding::{DiskProvider, VirtualDisk};
use fathom_results::{Evidence, Weight};

pub(super) const RULE: TaintRule = TaintRule { code: "virtual-disk", weight: Weight::Medium, check };

/// Kernel names and what provides the disk. Volumes of local disks (dm, md) are not here: they add
/// a layer, but no other host or process.
const BEHIND: &[(&str, DiskProvider)] = &[
    ("vd", DiskProvider::Virtio),
    ("xvd", DiskProvider::Xen),
    ("nbd", DiskProvider::Nbd),
    ("rbd", DiskProvider::Ceph),
    ("drbd", DiskProvider::Drbd),
    ("ublkb", DiskProvider::Ublk),
    ("nullb", DiskProvider::NullBlk),
];

/// Model strings by which hypervisors and clouds announce their disks.
const MODELS: &[&str] =
    &["qemu", "virtual", "vbox", "vmware", "elastic block store", "persistentdisk", "persistent disk"];

fn check(case: &Case<'_>) -> Option<Found> {
    if !case.reaches_disk() {
        return None;
    }
    let disk = case.disks().find_map(behind).or_else(|| model(case)).or_else(|| unnamed(case))?;
    let hypervisor = case.hypervisor().map(str::to_owned);
    Some(Found::new(Evidence::VirtualDisk { disk, hypervisor }))
}

fn behind(disk: &str) -> Option<VirtualDisk> {
    let (_, provider) = BEHIND.iter().find(|(prefix, _)| is_named(disk, prefix))?;
    Some(VirtualDisk::Name { disk: disk.to_owned(), provider: *provider })
}

/// `vda`, `vd12`, `nbd0`, but not `vdo`-like words: a prefix, then a letter of
/// a disk's row or a number.
fn is_named(disk: &str, prefix: &str) -> bool {
    disk.strip_prefix(prefix).is_some_and(|rest| {
        let letters = rest.bytes().take_while(u8::is_ascii_lowercase).count();
        !rest.is_empty()
            && letters <= 2
            && rest.bytes().skip(letters).all(|b| b.is_ascii_digit() || b == b'p')
    })
}

fn model(case: &Case<'_>) -> Option<VirtualDisk> {
    let model = case.target_fact("model")?;
    let lower = model.to_ascii_lowercase();
    MODELS.iter().any(|word| lower.contains(word)).then(|| VirtualDisk::Model(model.to_owned()))
}

/// Known to be made of something else, though not by its name; loop devices, memory and volumes of
/// local disks have separate rules or need none.
fn unnamed(case: &Case<'_>) -> Option<VirtualDisk> {
    let local = ["loop", "zram", "ram", "dm-", "md", "bcache"];
    let is_local = |name: &&str| local.iter().any(|prefix| name.starts_with(prefix));
    let is_it = |place: &&TargetPlace<'_>| {
        let is_explained = place.disks.iter().any(is_local) || place.is_loop || place.is_memory();
        place.is_virtual == Some(true) && !is_explained
    };
    let place = case.places().find(is_it)?;
    Some(VirtualDisk::MadeOf(place.disk.map(str::to_owned)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{DirectionLoad, RunBuilder, disk};
    use crate::surrounds::Surrounds;

    fn scene() -> RunBuilder {
        RunBuilder::of("rw=randread bs=4k ioengine=psync direct=1 filename=/data/f")
            .all(2, DirectionLoad::reads(1_000, 4096, 100_000))
    }

    fn found(scene: RunBuilder, disk: &str, is_virtual: Option<bool>) -> Option<String> {
        let run = scene.run();
        let surrounds =
            Surrounds { disk_name: Some(disk.to_owned()), is_virtual, ..crate::fixture::surrounds() };
        check(&Case::new(&run, &surrounds)).map(|found| found.evidence())
    }

    #[test]
    fn by_name_by_model_and_by_kind() {
        assert_eq!(
            found(scene(), "vda", Some(true)).as_deref(),
            Some("vda, provided by a hypervisor (virtio)")
        );
        let beneath = scene().disk(disk("dm-0", 0, 0)).disk(disk("xvdf1", 0, 0));
        assert!(found(beneath, "dm-0", Some(true)).unwrap().contains("Xen"));
        let ebs = scene()
            .fact("target./data/f.model", "Amazon Elastic Block Store")
            .fact("hypervisor_flag", "true");
        let told = found(ebs, "nvme1n1", Some(false)).unwrap();
        assert_eq!(told, "its model is \"Amazon Elastic Block Store\"; this machine runs on a hypervisor");
        assert_eq!(found(scene(), "xyz0", Some(true)).as_deref(), Some("xyz0 is made of something else"));
    }

    #[test]
    fn real_disks_and_local_volumes_are_not() {
        for (disk, is_virtual) in [
            ("nvme0n1", Some(false)),
            ("sda", None),
            ("md127", Some(true)),
            ("loop3", Some(true)),
            ("zram0", Some(true)),
        ] {
            assert_eq!(found(scene(), disk, is_virtual), None, "{disk}");
        }
        assert!(!is_named("vdisk9", "vd") && !is_named("vd", "vd") && is_named("vdaa", "vd"));
    }
}
