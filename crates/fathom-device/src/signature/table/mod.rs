//! Formats that a magic at a fixed place identifies. There is one line for each format and place;
//! the places are those of each format's own documentation, and libblkid, file(1) and the kernel
//! agree on them. A magic is enough: checksums are not looked at, so a damaged superblock is found
//! as well.

mod encrypted;
mod file_systems;
mod members;
mod partitions;

use super::{Class, Signature, View};

/// Where a magic lies.
enum Place {
    /// From the start of the device.
    Start(u64),
    /// Back from the end of the last whole sector of the device.
    End(u64),
}

struct Entry(&'static str, Place, &'static [u8]);

const TABLES: [(Class, &[Entry]); 4] = [
    (Class::PartitionTable, partitions::TABLE),
    (Class::Encrypted, encrypted::TABLE),
    (Class::Member, members::TABLE),
    (Class::FileSystem, file_systems::TABLE),
];

/// The entries whose magic is there.
pub fn matches(view: &View) -> Vec<Signature> {
    let entries = TABLES.iter().flat_map(|(class, table)| table.iter().map(move |entry| (*class, entry)));
    let found = entries.filter_map(|(class, Entry(name, place, magic))| {
        let offset_bytes = match place {
            Place::Start(offset) => *offset,
            Place::End(back) => view.from_end(*back)?,
        };
        view.holds(offset_bytes, magic).then(|| Signature { name: (*name).to_owned(), class, offset_bytes })
    });
    found.collect()
}
