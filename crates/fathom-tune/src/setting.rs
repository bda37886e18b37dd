//! One value that may be changed: whose, where, and how it is read.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::codec::Codec;
use super::key::{Gone, OwnerKey};
use super::place::{RelativePlace, SettingPlace};
use fathom_device::root::{Root, Unknown};

/// A setting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Twin {
    pub at: RelativePlace,
    pub coupling: Coupling,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
