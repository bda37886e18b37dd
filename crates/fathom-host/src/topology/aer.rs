//! Errors that a function has counted since it was found (Advanced Error
//! Reporting, Documentation/ABI/testing/sysfs-bus-pci-devices-aer_stats).
//!
//! Some bridges count errors that did not happen, mostly without load or
//! drivers (V-77), so it matters whether the counts grow during a run.

use schemars::JsonSchema;
use serde::Serialize;

use super::address::Address;
use super::fact::Reading;
use fathom_device::aer;
use fathom_device::root::Root;

/// Totals by severity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Aer {
    /// Errors that were repaired by a retransmission, which costs time.
    pub correctable: Reading<u64>,
    /// Errors that lost a request.
    pub nonfatal: Reading<u64>,
    /// Errors that lost the link.
    pub fatal: Reading<u64>,
}

impl Aer {
    /// Reads the counters of a function.
    pub fn read(root: &Root, address: Address) -> Self {
        let total =
            |kind: &str| Reading::read(root, format!("{}/aer_dev_{kind}", address.sys_dir()), aer::total);
        Self { correctable: total("correctable"), nonfatal: total("nonfatal"), fatal: total("fatal") }
    }
}
