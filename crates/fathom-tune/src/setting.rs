//! One value that may be changed: whose, where, and how it is read.

use super::codec::Codec;
use super::key::{Gone, OwnerKey};
use super::place::{RelativePlace, SettingPlace};
use fathom_device::root::{Root, Unknown};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::time::Duration;

/// A setting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Setting {
    /// Its owner.
    pub key: OwnerKey,
    /// Where it is, relative to the owner.
    pub at: RelativePlace,
    /// How it is read, compared and written.
    pub codec: Codec,
    /// Another file whose value changes with this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub twin: Option<Twin>,
    /// Files that the kernel resets when this one is written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disturbs: Vec<RelativePlace>,
}

/// A file that shares a value with the setting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Twin {
    pub at: RelativePlace,
    pub coupling: Coupling,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Coupling {
    /// Writing one makes the other 0, and 0 cannot be written: `dirty_bytes`
    /// and `dirty_ratio`. The member that was not 0 is what is restored.
    Excludes,
    /// Two forms of one value: `boost` and `no_turbo`. One is written, both are looked at.
    Mirrors,
}

impl Setting {
    /// A setting that changes no other file.
    pub fn at(key: OwnerKey, at: RelativePlace, codec: Codec) -> Self {
        Self { key, at, codec, twin: None, disturbs: Vec::new() }
    }

    /// A file below the owner's directory.
    pub fn file(key: OwnerKey, file: &str, codec: Codec) -> Self {
        Self::at(key, RelativePlace::File(file.into()), codec)
    }

    /// With another file whose value changes with this one.
    pub fn with_twin(mut self, file: &str, coupling: Coupling) -> Self {
        self.twin = Some(Twin { at: RelativePlace::File(file.into()), coupling });
        self
    }

    /// With files that the kernel resets when this one is written.
    pub fn disturbing(mut self, files: &[&str]) -> Self {
        self.disturbs = files.iter().map(|file| RelativePlace::File(file.into())).collect();
        self
    }

    /// Whether the kernel undoes it when the process ends.
    pub fn is_self_releasing(&self) -> bool {
        matches!(self.at, RelativePlace::Held(_))
    }

    /// Where it is now.
    pub fn place(&self, root: &Root) -> Result<SettingPlace, Gone> {
        self.place_of(root, &self.at)
    }

    /// Where another file of the same owner is now.
    pub fn place_of(&self, root: &Root, at: &RelativePlace) -> Result<SettingPlace, Gone> {
        let dir = self.key.dir(root)?;
        Ok(match (at, &self.key) {
            (RelativePlace::File(file), _) => SettingPlace::File(dir.join(file)),
            (RelativePlace::Held(path), _) => SettingPlace::Held(path.clone()),
            (RelativePlace::Feature(feature), _) => {
                let controller = dir.file_name().unwrap_or_default().to_string_lossy().into_owned();
                SettingPlace::Feature { controller, feature: *feature }
            }
            (RelativePlace::Unit, OwnerKey::Unit { unit }) => SettingPlace::Unit(unit.clone()),
            (RelativePlace::Unit, key) => SettingPlace::Unit(key.to_string()),
            (RelativePlace::Mount, _) => SettingPlace::Mount(dir),
        })
    }

    /// What it is now: its text, and its typed value.
    pub fn read(&self, root: &Root) -> Result<Read, NotRead> {
        let place = self.place(root)?;
        let raw = place.read(root)?;
        let path = || place.file().map_or_else(|| place.to_string().into(), Path::to_path_buf);
        let typed = self.codec.typed(&raw).ok_or_else(|| Unknown::garbled(&path(), &raw))?;
        Ok(Read { place, raw, typed })
    }

    /// The typed value of the twin, if there is one.
    pub fn read_twin(&self, root: &Root) -> Option<String> {
        self.read_beside(root, &self.twin.as_ref()?.at)
    }

    /// The typed value of another file of the owner, read as a number.
    pub fn read_beside(&self, root: &Root, at: &RelativePlace) -> Option<String> {
        let raw = self.place_of(root, at).ok()?.read(root).ok()?;
        Codec::Number.typed(&raw)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Read {
    pub place: SettingPlace,
    pub raw: String,
    pub typed: String,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotRead {
    #[error(transparent)]
    Gone(#[from] Gone),
    /// Its file cannot be read, or its text is not understood.
    #[error(transparent)]
    Unknown(#[from] Unknown),
}

impl NotRead {
    pub fn is_gone(&self) -> bool {
        match self {
            NotRead::Gone(_) => true,
            NotRead::Unknown(unknown) => unknown.why == fathom_device::root::Why::Missing,
        }
    }
}

// When a setting is put back, and how long its owner may take for it.
//
// A write to a setting of a device can wait for that device: `queue/scheduler`
// waits until all I/O in flight has ended, an NVMe feature is a command to the
// drive, a remount writes dirty pages first. If the device does not answer,
// such a write never returns, nothing can end it, and on many kernels even
// reading the same file hangs behind it (seen on 6.18: `blk_mq_freeze_queue`
// with the lock of the queue's limits held). So the settings that cannot hang
// come first, and those of devices are written by a process that can be left
// behind (see `child`).

/// The order in which groups of settings are put back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Turn {
    /// The kernel alone answers: processors, memory, interrupts.
    Host,
    /// A device may have to answer.
    Device,
    /// Services. They come last because some of them set what was put back
    /// before them.
    Service,
}

/// How long a device may take for one setting.
///
/// A healthy device has nothing of this run in flight by then, and ends what
/// others have in flight within half a second, even a spinning disk with 32
/// commands queued. 5 s is ten times that. Waiting for the block layer to give
/// up a request (30 s) would take minutes for the settings of one device.
pub(super) const DEVICE_LIMIT: Duration = Duration::from_secs(5);

/// How long a device that has been silent once may take for each further
/// setting. Those that need no answer from it are written within microseconds.
pub(super) const SILENT_LIMIT: Duration = Duration::from_millis(500);

/// How long a service may take to start: longer than systemd itself waits
/// (`DefaultTimeoutStartSec`, 90 s), so that its own reason is reported.
pub(super) const SERVICE_LIMIT: Duration = Duration::from_secs(100);

impl Turn {
    pub(super) fn of(setting: &Setting) -> Self {
        match &setting.key {
            OwnerKey::Host | OwnerKey::Cpu { .. } | OwnerKey::Policy { .. } | OwnerKey::Irq { .. } => {
                Turn::Host
            }
            OwnerKey::Unit { .. } => Turn::Service,
            OwnerKey::Disk(_)
            | OwnerKey::Controller { .. }
            | OwnerKey::Subsystem { .. }
            | OwnerKey::Pci { .. }
            | OwnerKey::ScsiHost { .. }
            | OwnerKey::Mount { .. } => Turn::Device,
        }
    }
}
