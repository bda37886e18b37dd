//! Formats that take more than one magic at one place: those whose magic is
//! too short to trust alone, and those with many places, or with places that
//! depend on the size.

mod arrays;
mod disk_labels;
pub(super) mod file_systems;

use super::{Class, Signature, View};

type Match = Option<(&'static str, u64)>;

type Probe = fn(&View) -> Match;

const PROBES: [(Class, Probe); 22] = [
    (Class::PartitionTable, disk_labels::mbr),
    (Class::PartitionTable, disk_labels::apple),
    (Class::PartitionTable, disk_labels::sun),
    (Class::PartitionTable, disk_labels::atari),
    (Class::PartitionTable, disk_labels::amiga),
    (Class::PartitionTable, disk_labels::dasd),
    (Class::FileSystem, file_systems::ext),
    (Class::FileSystem, disk_labels::fat),
    (Class::FileSystem, file_systems::minix),
    (Class::FileSystem, file_systems::hfs),
    (Class::FileSystem, file_systems::nilfs),
    (Class::FileSystem, file_systems::ufs),
    (Class::FileSystem, file_systems::sysv),
    (Class::FileSystem, file_systems::xfs_log),
    (Class::FileSystem, file_systems::anchor),
    (Class::Swap, file_systems::swap),
    (Class::Encrypted, file_systems::core_storage),
    (Class::Member, arrays::md_0_90),
    (Class::Member, arrays::md_1_0),
    (Class::Member, arrays::zfs),
    (Class::Member, arrays::silicon),
    (Class::Member, arrays::via),
];

pub fn matches(view: &View) -> Vec<Signature> {
    let signatures = PROBES.iter().filter_map(|(class, probe)| {
        let (name, offset_bytes) = probe(view)?;
        Some(Signature { name: name.to_owned(), class: *class, offset_bytes })
    });
    signatures.collect()
}
