//! The table of tests.

use super::test::PtsTest;
use super::{hir, iops, latency, load_sweep, saturation, throughput, xsr};

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
