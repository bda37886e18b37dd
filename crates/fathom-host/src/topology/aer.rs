//! Errors that a function has counted since it was found (Advanced Error
//! Reporting, Documentation/ABI/testing/sysfs-bus-pci-devices-aer_stats).
//!
//! Some bridges count errors that did not happen, mostly without load or
//! drivers (V-77), so it matters whether the counts grow during a run.

use serde::Serialize;

use super::address::Address;
use super::fact::Reading;
use fathom_device::root::Root;

/// Totals by severity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
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
        let total = |kind: &str| Reading::read(root, format!("{}/aer_dev_{kind}", address.sys_dir()), sum);
        Self { correctable: total("correctable"), nonfatal: total("nonfatal"), fatal: total("fatal") }
    }
}

/// The line `TOTAL_ERR_… N`.
fn sum(text: &str) -> Option<u64> {
    let line = text.lines().find(|line| line.starts_with("TOTAL_ERR"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::sum;

    #[test]
    fn the_total_is_the_last_line() {
        assert_eq!(sum("RxErr 3\nBadTLP 1\nTOTAL_ERR_COR 4"), Some(4));
        assert_eq!(sum("RxErr 3"), None);
        assert_eq!(sum("TOTAL_ERR_COR many"), None);
    }
}
