//! TKperf's variant of the tests (TKperf 2.2): its cells, options and order, without its known defects. The IOPS,
//! latency and write saturation tests are those of the standard with other limits; the throughput test and the tests of hard
//! disks are here.

mod corrections;
pub mod hard_disk;
#[cfg(test)]
mod tests;
pub mod throughput;

pub use corrections::corrections;

use fathom_job::units::Bytes;

/// `1024k`, `512`: a block as TKperf names it.
fn block_name(block: Bytes) -> String {
    match block.0 {
        small if small < 1024 => small.to_string(),
        large => format!("{}k", large / 1024),
    }
}
