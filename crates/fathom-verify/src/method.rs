//! The methods of `verify=`, with fio's names and numbers.

use minicbor::{Decode, Encode};
use serde::{Deserialize, Serialize};

/// How a block is checked: `verify=` of fio.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Encode, Decode, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cbor(index_only)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// The header only; the content behind it is not checked.
    #[n(0)]
    Meta,
    /// MD5 of the content.
    #[n(1)]
    Md5,
    /// CRC-64 with fio's polynomial (CRC-64/REDIS).
    #[n(2)]
    Crc64,
    /// CRC-32 with the polynomial 0x04c11db7, not reflected, from 0, as fio calculates it.
    #[n(3)]
    Crc32,
    /// CRC-32C (Castagnoli), with the instructions of the processor where it has them.
    #[n(4)]
    Crc32c,
    /// CRC-16/ARC.
    #[n(5)]
    Crc16,
    /// CRC-7/MMC.
    #[n(6)]
    Crc7,
    /// SHA-256.
    #[n(7)]
    Sha256,
    /// SHA-512.
    #[n(8)]
    Sha512,
    /// SHA3-224.
    #[serde(rename = "sha3-224")]
    #[n(9)]
    Sha3224,
    /// SHA3-256.
    #[serde(rename = "sha3-256")]
    #[n(10)]
    Sha3256,
    /// SHA3-384.
    #[serde(rename = "sha3-384")]
    #[n(11)]
    Sha3384,
    /// SHA3-512.
    #[serde(rename = "sha3-512")]
    #[n(12)]
    Sha3512,
    /// xxHash of 32 bits, with fio's seed 1.
    #[n(13)]
    Xxhash,
    /// SHA-1, its words in the order of bytes in which fio stores them.
    #[n(14)]
    Sha1,
    /// xxHash3 of 64 bits; fio has no such method.
    #[n(15)]
    Xxh3,
    /// A header, then the bytes of `verify_pattern`.
    #[n(16)]
    PatternHdr,
    /// The bytes of `verify_pattern` alone.
    #[n(17)]
    Pattern,
    /// Writes as for a verification, and checks nothing.
    #[n(18)]
    Null,
}

/// Name, number in fio's header, and bytes of the checksum.
type Row = (Method, &'static str, u16, usize);

/// Names and numbers: fio 3.33, `verify.h` and its table of options, each seen in a file that it wrote. `xxh3` has a
/// number that fio does not use, and `pattern_hdr` the one that fio keeps for it.
const ROWS: [Row; 19] = [
    (Method::Meta, "meta", 1, 0),
    (Method::Md5, "md5", 2, 16),
    (Method::Crc64, "crc64", 3, 8),
    (Method::Crc32, "crc32", 4, 4),
    (Method::Crc32c, "crc32c", 5, 4),
    (Method::Crc16, "crc16", 7, 2),
    (Method::Crc7, "crc7", 8, 1),
    (Method::Sha256, "sha256", 9, 64),
    (Method::Sha512, "sha512", 10, 128),
    (Method::Sha3224, "sha3-224", 11, 28),
    (Method::Sha3256, "sha3-256", 12, 32),
    (Method::Sha3384, "sha3-384", 13, 48),
    (Method::Sha3512, "sha3-512", 14, 64),
    (Method::Xxhash, "xxhash", 15, 4),
    (Method::Sha1, "sha1", 16, 20),
    (Method::PatternHdr, "pattern_hdr", 17, 0),
    (Method::Pattern, "pattern", 18, 0),
    (Method::Null, "null", 19, 0),
    (Method::Xxh3, "xxh3", 96, 8),
];

impl Method {
    /// Every method, in fio's order.
    pub fn all() -> impl Iterator<Item = Method> {
        ROWS.iter().map(|row| row.0)
    }

    fn row(self) -> &'static Row {
        ROWS.iter().find(|row| row.0 == self).unwrap_or(&ROWS[0])
    }

    /// Its name in a job file.
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// The method of a name; `crc32c-intel` is fio's second name of `crc32c`.
    pub fn named(name: &str) -> Option<Method> {
        let name = if name == "crc32c-intel" { "crc32c" } else { name };
        ROWS.iter().find(|row| row.1 == name).map(|row| row.0)
    }

    /// Its number in a header.
    pub fn number(self) -> u16 {
        self.row().2
    }

    /// Does a header with this number belong to a block of this method? fio writes 5 and 6 for CRC-32C.
    pub(crate) fn has_number(self, number: u16) -> bool {
        number == self.number() || (self == Method::Crc32c && number == 6)
    }

    /// Bytes that the checksum takes behind the header. SHA-256 and SHA-512 take the room that fio gives them; its first
    /// bytes are the checksum.
    pub fn checksum_bytes(self) -> usize {
        self.row().3
    }

    /// Do its blocks have a header?
    pub fn has_header(self) -> bool {
        !matches!(self, Method::Pattern | Method::Null)
    }

    /// Are its blocks made of `verify_pattern`?
    pub fn needs_pattern(self) -> bool {
        matches!(self, Method::Pattern | Method::PatternHdr)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_has_its_name_and_its_number() {
        assert_eq!(Method::all().count(), 19);
        for method in Method::all() {
            assert_eq!(Method::named(method.name()), Some(method));
            assert!(method.has_number(method.number()));
            assert_eq!(ROWS.iter().filter(|row| row.2 == method.number()).count(), 1);
        }
        assert_eq!(Method::named("crc32c-intel"), Some(Method::Crc32c));
        assert_eq!(Method::named("crc33"), None);
    }
}
