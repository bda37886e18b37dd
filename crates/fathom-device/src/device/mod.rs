//! Block devices: their names, their identity, and the devices above and below them.

mod graph;
mod identity;

pub use graph::{Graph, Node, Relation};
pub use identity::{ByIdNames, DiskKind, Identity, all_disks, disks_named, serial, wwid};

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// `major:minor`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DevNumber {
    /// Names the driver.
    pub major: u32,
    /// Names the device or partition.
    pub minor: u32,
}

impl DevNumber {
    /// Reads the packed form of `st_dev` and `st_rdev`.
    pub fn from_raw(raw: u64) -> Self {
        Self { major: libc::major(raw), minor: libc::minor(raw) }
    }

    /// The packed form.
    pub fn raw(self) -> u64 {
        libc::makedev(self.major, self.minor)
    }

    /// Whether this is one of the numbers (major 0) that file systems without
    /// a single device behind them get: btrfs, overlay, tmpfs, nfs.
    pub fn is_anonymous(self) -> bool {
        self.major == 0
    }
}

impl fmt::Display for DevNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.major, self.minor)
    }
}

/// The text is not `major:minor`.
#[derive(Debug, thiserror::Error)]
#[error("{0:?} is not a device number of the form MAJOR:MINOR")]
pub struct NotADevNumber(String);

impl FromStr for DevNumber {
    type Err = NotADevNumber;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parts = text.split_once(':');
        let parsed = parts
            .and_then(|(major, minor)| Some(Self { major: major.parse().ok()?, minor: minor.parse().ok()? }));
        parsed.ok_or_else(|| NotADevNumber(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_raw_form_agree() {
        let number: DevNumber = "259:12".parse().unwrap();
        assert_eq!(number, DevNumber::from_raw(libc::makedev(259, 12)));
        assert_eq!(number.to_string(), "259:12");
        assert!("259".parse::<DevNumber>().is_err());
        assert!("a:b".parse::<DevNumber>().is_err());
    }
}
