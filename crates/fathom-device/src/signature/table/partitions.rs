//! Partition tables and disk labels.

use super::Entry;
use super::Place::{End, Start};

#[rustfmt::skip]
pub(super) const TABLE: &[Entry] = &[
    Entry("GPT", Start(512), b"EFI PART"),
    Entry("GPT", Start(4096), b"EFI PART"),
    Entry("GPT (backup)", End(512), b"EFI PART"),
    Entry("GPT (backup)", End(4096), b"EFI PART"),
    Entry("Apple partition map", Start(512), b"PM\0\0"),
    Entry("AIX disk label", Start(0), &[0xc9, 0xc2, 0xd4, 0xc1]),
    Entry("SGI disk label", Start(0), &[0x0b, 0xe5, 0xa9, 0x41]),
    // The sector and the offset in it depend on the architecture.
    Entry("BSD disk label", Start(64), &[0x57, 0x45, 0x56, 0x82]),
    Entry("BSD disk label", Start(128), &[0x57, 0x45, 0x56, 0x82]),
    Entry("BSD disk label", Start(512), &[0x57, 0x45, 0x56, 0x82]),
    Entry("Solaris x86 disk label", Start(512 + 12), &[0xee, 0xde, 0x0d, 0x60]),
    // Sector 29: the label's own magic, and that of the table in it.
    Entry("UnixWare disk label", Start(29 * 512 + 4), &[0x0d, 0x60, 0xe5, 0xca]),
    Entry("UnixWare disk label", Start(29 * 512 + 156), &[0xee, 0xde, 0x0d, 0x60]),
    Entry("Ultrix disk label", Start(16384 - 72), &[0x57, 0x29, 0x03, 0x00]),
    Entry("Windows dynamic disk", Start(6 * 512), b"PRIVHEAD"),
];
