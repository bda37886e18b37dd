//! Formats that take more than one magic at one place: those whose magic is
//! too short to trust alone, and those with many places, or with places that
//! depend on the size.

mod arrays;
mod boot;
mod disk_labels;
pub(super) mod ext;
mod short;
mod swap;
mod udf;
mod unix;

use super::{Class, Signature, View};

type Found = Option<(&'static str, u64)>;

type Probe = fn(&View) -> Found;

const PROBES: [(Class, Probe); 22] = [
    (Class::PartitionTable, boot::mbr),
    (Class::PartitionTable, disk_labels::apple),
    (Class::PartitionTable, disk_labels::sun),
    (Class::PartitionTable, disk_labels::atari),
    (Class::PartitionTable, disk_labels::amiga),
    (Class::PartitionTable, disk_labels::dasd),
    (Class::FileSystem, ext::ext),
    (Class::FileSystem, boot::fat),
    (Class::FileSystem, short::minix),
    (Class::FileSystem, short::hfs),
    (Class::FileSystem, short::nilfs),
    (Class::FileSystem, unix::ufs),
    (Class::FileSystem, unix::sysv),
    (Class::FileSystem, unix::xfs_log),
    (Class::FileSystem, udf::anchor),
    (Class::Swap, swap::swap),
    (Class::Encrypted, short::core_storage),
    (Class::Member, arrays::md_0_90),
    (Class::Member, arrays::md_1_0),
    (Class::Member, arrays::zfs),
    (Class::Member, arrays::silicon),
    (Class::Member, arrays::via),
];

pub fn matches(view: &View) -> Vec<Signature> {
    let found = PROBES.iter().filter_map(|(class, probe)| {
        let (name, offset_bytes) = probe(view)?;
        Some(Signature { name: name.to_owned(), class: *class, offset_bytes })
    });
    found.collect()
}
