//! The checksums themselves, from their crates, stored as fio stores them.

use crate::method::Method;
use crc::{CRC_7_MMC, Crc, Table};
use crc_fast::CrcAlgorithm::{Crc16Arc, Crc32Cksum, Crc32Iscsi, Crc64Redis};
use sha2::Digest;

/// Bytes of the longest checksum.
pub(crate) const LONGEST: usize = 128;

static CRC_7: Crc<u8, Table<1>> = Crc::<u8, Table<1>>::new(&CRC_7_MMC);

/// fio's seed of xxHash.
const XXHASH_SEED: u32 = 1;

/// CRC-32C as fio stores it: from all ones, and without the last inversion.
pub(crate) fn crc32c(data: &[u8]) -> u32 {
    !(crc_fast::checksum(Crc32Iscsi, data) as u32)
}

/// fio's `crc32`: not reflected, from 0, and without a last inversion, so CRC-32/CKSUM but for that. Seen by calculating it
/// over a block that fio 3.33 wrote.
fn crc32_of_fio(data: &[u8]) -> u32 {
    !(crc_fast::checksum(Crc32Cksum, data) as u32)
}

/// The checksum of `data`, as the bytes that a block has of it; the rest of the array is 0. A method without a checksum has only
/// zeros.
pub fn checksum(method: Method, data: &[u8]) -> [u8; LONGEST] {
    let mut sum = [0; LONGEST];
    let mut put = |bytes: &[u8]| sum[..bytes.len()].copy_from_slice(bytes);
    match method {
        Method::Meta | Method::PatternHdr | Method::Pattern | Method::Null => {}
        Method::Crc32c => put(&crc32c(data).to_le_bytes()),
        Method::Crc7 => put(&[CRC_7.checksum(data)]),
        Method::Crc16 => put(&(crc_fast::checksum(Crc16Arc, data) as u16).to_le_bytes()),
        Method::Crc32 => put(&crc32_of_fio(data).to_le_bytes()),
        Method::Crc64 => put(&crc_fast::checksum(Crc64Redis, data).to_le_bytes()),
        Method::Xxhash => put(&xxhash_rust::xxh32::xxh32(data, XXHASH_SEED).to_le_bytes()),
        Method::Xxh3 => put(&xxhash_rust::xxh3::xxh3_64(data).to_le_bytes()),
        Method::Md5 => put(&md5::Md5::digest(data)),
        Method::Sha1 => put(&words_swapped(sha1::Sha1::digest(data).into())),
        Method::Sha256 => put(&sha2::Sha256::digest(data)),
        Method::Sha512 => put(&sha2::Sha512::digest(data)),
        Method::Sha3224 => put(&sha3::Sha3_224::digest(data)),
        Method::Sha3256 => put(&sha3::Sha3_256::digest(data)),
        Method::Sha3384 => put(&sha3::Sha3_384::digest(data)),
        Method::Sha3512 => put(&sha3::Sha3_512::digest(data)),
    }
    sum
}

/// Words of 32 bits, each with its bytes in the opposite order.
fn words_swapped(mut digest: [u8; 20]) -> [u8; 20] {
    digest.chunks_mut(4).for_each(<[u8]>::reverse);
    digest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksums_are_those_of_the_standards() {
        let data = b"123456789";
        assert_eq!(checksum(Method::Crc32c, data)[..4], (!0xe306_9283u32).to_le_bytes());
        assert_eq!(crc32_of_fio(data), 0x89a1_897f);
        assert_eq!(checksum(Method::Crc64, data)[..8], 0xe9c6_d914_c4b8_d9ca_u64.to_le_bytes());
        assert_eq!(checksum(Method::Crc16, data)[..2], 0xbb3d_u16.to_le_bytes());
        assert_eq!(checksum(Method::Crc7, data)[0], 0x75);
        assert_eq!(checksum(Method::Sha1, b"abc")[..4], [0x36, 0x3e, 0x99, 0xa9]);
        assert_eq!(checksum(Method::Md5, b"abc")[..4], [0x90, 0x01, 0x50, 0x98]);
    }

    #[test]
    fn each_method_fills_the_bytes_that_it_has() {
        for method in Method::all() {
            let sum = checksum(method, b"some content");
            let length = sum.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
            assert!(length <= method.checksum_bytes(), "{method:?}");
        }
    }
}
