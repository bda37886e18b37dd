//! Where a setting is: most are files, some are not.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::key::mounted;
use fathom_device::ask::Question;
use fathom_device::root::{Root, Unknown};

/// A setting's place relative to its owner, as a journal keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum RelativePlace {
    /// A file below the owner's directory.
    File(PathBuf),
    /// A feature of the NVMe controller.
    Feature(u8),
    /// The unit's active state.
    Unit,
    /// The mount's options.
    Mount,
    /// A handle on this file, held open: it ends with the process that holds
    /// it, so it is never in a journal.
    Held(PathBuf),
}

/// A setting's place now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingPlace {
    /// A file.
    File(PathBuf),
    /// A feature of an NVMe controller, its current and never its saved value.
    Feature {
        /// Kernel name, `nvme0`.
        controller: String,
        /// Feature.
        feature: u8,
    },
    /// A systemd unit.
    Unit(String),
    /// A mount.
    Mount(PathBuf),
    /// A file to hold open.
    Held(PathBuf),
}

/// Parts of paths that are never written, whatever asks for it: the kernel
/// would stop flushing, remap every queue, or lose the device.
const FORBIDDEN: [&str; 8] =
    ["queue/write_cache", "smt/control", "/unbind", "/bind", "/reset", "/remove", "/rescan", "/online"];

const SETTINGS: [&str; 3] = ["/sys", "/proc/sys", "/proc/irq"];

impl SettingPlace {
    /// What is there now.
    pub fn read(&self, root: &Root) -> Result<String, Unknown> {
        match self {
            SettingPlace::File(path) | SettingPlace::Held(path) => root.read_text(path),
            SettingPlace::Feature { controller, feature } => {
                let question = Question::NvmeFeature { controller: controller.clone(), feature: *feature };
                let bytes = root.ask(&question)?;
                let word = bytes.first_chunk().map(|bytes| u32::from_le_bytes(*bytes));
                let word = word.ok_or_else(|| Unknown::garbled(&question.path(), "too short"));
                word.map(|word| word.to_string())
            }
            SettingPlace::Unit(unit) => root.ask_text(&Question::Unit { unit: unit.clone() }),
            SettingPlace::Mount(point) => {
                let mount = mounted(root, point).ok_or_else(|| Unknown::new(point, "nothing is mounted"));
                mount.map(|mount| mount.options)
            }
        }
    }

    /// Whether it may never be written.
    pub fn is_forbidden(&self) -> bool {
        let SettingPlace::File(path) = self else { return false };
        let text = path.to_string_lossy();
        let is_named = FORBIDDEN.iter().any(|part| text.ends_with(part));
        let climbs = path.components().any(|part| part == std::path::Component::ParentDir);
        climbs || !SETTINGS.iter().any(|tree| path.starts_with(tree)) || is_named
    }

    /// Whether the kernel offers it for reading only.
    pub fn is_read_only(&self, root: &Root) -> bool {
        matches!(self, SettingPlace::File(path) if root.mode(path).is_ok_and(|mode| mode & 0o222 == 0))
    }

    /// The file, for a place that is one.
    pub fn file(&self) -> Option<&Path> {
        match self {
            SettingPlace::File(path) => Some(path),
            _ => None,
        }
    }
}

impl fmt::Display for SettingPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SettingPlace::File(path) => write!(f, "{}", path.display()),
            SettingPlace::Held(path) => write!(f, "{} (held open)", path.display()),
            SettingPlace::Feature { controller, feature } => {
                write!(f, "/dev/{controller} feature 0x{feature:02x}")
            }
            SettingPlace::Unit(unit) => write!(f, "unit {unit}"),
            SettingPlace::Mount(point) => write!(f, "mount {}", point.display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Trap 17 of the design: outside the allowed set.
    #[test]
    fn what_must_never_be_written() {
        let at = |path: &str| SettingPlace::File(path.into()).is_forbidden();
        assert!(at("/sys/block/sda/queue/write_cache"));
        assert!(at("/sys/devices/system/cpu/smt/control"));
        assert!(at("/sys/bus/pci/drivers/nvme/unbind"));
        assert!(at("/sys/bus/pci/devices/0000:01:00.0/reset"));
        assert!(at("/sys/devices/system/cpu/cpu3/online"));
        assert!(at("/etc/passwd"));
        assert!(at("/sys/block/../../etc/passwd"));
        assert!(at("/proc/sysrq-trigger"));
        assert!(!at("/sys/block/sda/queue/scheduler"));
        assert!(!at("/proc/irq/24/smp_affinity_list"));
    }
}
