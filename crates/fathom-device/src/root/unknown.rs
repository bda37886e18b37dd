//! A fact that could not be read.
//!
//! It is a result like any other: "there is no such file" shows the kernel's age, "permission
//! denied" shows the user what root could read, and text that is not understood must never be taken
//! for a value.

use std::io;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The kind of reason for which a fact is unknown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// There is no such file: the kernel, driver or machine does not have it.
    Missing,
    /// Reading it needs more rights.
    Denied,
    /// It is there, and says something that is not understood.
    Garbled,
    /// Its owner did not answer in time.
    Silent,
    /// The read failed for another reason.
    #[default]
    Failed,
}

/// A fact that could not be read: where it would have been, and why not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, thiserror::Error)]
#[error("cannot read {path}: {reason}", path = path.display())]
pub struct Unknown {
    /// The path that was tried, as it is named on the machine described.
    #[serde(with = "crate::saved_path")]
    #[schemars(with = "String")]
    pub path: PathBuf,
    /// What the kernel or the parser said.
    pub reason: String,
    /// The kind of reason.
    #[serde(default)]
    pub why: Why,
}

impl Unknown {
    /// A fact that `path` did not give, because of `reason`.
    pub fn new(path: impl Into<PathBuf>, reason: impl std::fmt::Display) -> Self {
        Self { path: path.into(), reason: reason.to_string(), why: Why::Failed }
    }

    /// A fact that the system refused to give.
    pub fn from_io(path: impl Into<PathBuf>, error: &io::Error) -> Self {
        let why = match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Why::Missing,
            io::ErrorKind::PermissionDenied => Why::Denied,
            io::ErrorKind::TimedOut => Why::Silent,
            _ => Why::Failed,
        };
        Self { path: path.into(), reason: error.to_string(), why }
    }

    /// A file that is not there.
    pub fn missing(path: impl Into<PathBuf>) -> Self {
        Self::from_io(path, &io::Error::from_raw_os_error(libc::ENOENT))
    }

    /// A fact that the kernel, the driver or the machine does not have.
    pub fn absent(path: impl Into<PathBuf>, reason: impl std::fmt::Display) -> Self {
        Self { why: Why::Missing, ..Self::new(path, reason) }
    }

    /// A file whose `text` is not what such a file holds.
    pub fn garbled(path: &Path, text: &str) -> Self {
        Self { path: path.to_path_buf(), reason: format!("unexpected text {text:?}"), why: Why::Garbled }
    }

    /// Whether more rights would have given the fact.
    pub fn is_denied(&self) -> bool {
        self.why == Why::Denied
    }
}
