//! The tables of tests.

use super::terms::Edition;
use super::test::PtsTest;
use super::{hir, iops, latency, load_sweep, saturation, throughput, tkperf, xsr};

/// All tests, in the order of `pts all`.
pub const TESTS: &[&PtsTest] = &[
    &iops::TEST,
    &throughput::TEST,
    &latency::TEST,
    &saturation::TEST,
    &hir::TEST,
    &xsr::TEST,
    &load_sweep::CBW,
    &load_sweep::DIRTH,
];

/// The tests of TKperf's variant, in its order. Those for hard disks come last and are not among `all`.
pub const TKPERF_TESTS: &[&PtsTest] = &[
    &iops::TEST,
    &latency::TEST,
    &tkperf::throughput::TEST,
    &saturation::TEST,
    &tkperf::hard_disk::IOPS,
    &tkperf::hard_disk::THROUGHPUT,
];

/// The tests of an edition, in the order in which they run.
pub const fn tests_of(edition: Edition) -> &'static [&'static PtsTest] {
    match edition {
        Edition::Enterprise | Edition::Client => TESTS,
        Edition::Tkperf => TKPERF_TESTS,
    }
}
