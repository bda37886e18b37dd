//! A refusal by the guard, with its reasons and what can be done.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::finding::{Finding, FindingKind, Weight};

/// Why a target may not be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The path that was asked for.
    pub target: PathBuf,
    /// What the device is, for a device.
    pub device: Option<String>,
    /// All reasons, the most severe first; never empty.
    pub findings: Vec<Finding>,
    /// What the user can do, most useful first; with the exact option where
    /// one helps.
    pub hints: Vec<String>,
}

/// The hint for a device in use: no consent allows a write to it.
pub const RELEASE_FIRST: &str = "no option overrides this: unmount, stop or detach first";

impl Refusal {
    pub(super) fn absolute(target: &Path, kind: FindingKind, detail: impl Into<String>) -> Self {
        let node = target.display().to_string();
        Self {
            target: target.to_path_buf(),
            device: None,
            findings: vec![Finding::new(kind, Weight::Absolute, node, detail)],
            hints: vec!["no option overrides this".to_owned()],
        }
    }

    /// Whether some consent would have let the target through.
    pub fn can_be_overridden(&self) -> bool {
        self.findings.iter().all(Finding::can_be_overridden)
    }

    /// Whether this was among the reasons.
    pub fn found(&self, kind: FindingKind) -> bool {
        self.findings.iter().any(|finding| finding.kind == kind)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "refused to write {}", self.target.display())?;
        if let Some(device) = &self.device {
            write!(f, ", {device}")?;
        }
        let reasons: Vec<String> = self.findings.iter().map(ToString::to_string).collect();
        write!(f, ": {}", reasons.join("; "))
    }
}

impl std::error::Error for Refusal {}
