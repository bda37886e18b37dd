//! What is known of other programs, of the kernel's threads and of devices, by their names: `known.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::audit::Grade;
use crate::texts;

/// All of it. The file says what each is.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Known {
    pub timers: Vec<(String, String)>,
    pub cron_jobs: Vec<String>,
    pub threads: Vec<(ThreadKind, String, String, String)>,
    pub services: Vec<(String, String, String)>,
    pub hypervisors: Vec<String>,
    pub fast_clocks: Vec<String>,
    pub slow_clocks: Vec<String>,
    pub mapper: Vec<NamedKind>,
    pub file_system: Vec<NamedKind>,
}

/// When a kernel thread exists, and for whom it works.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum ThreadKind {
    /// It exists only while there is work.
    Alone,
    /// It always exists, and works when there is work.
    Works,
    /// It works for all programs that write to the file system.
    Journal,
}

/// A kind of device or file system.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NamedKind {
    names: Vec<String>,
    grade: Grade,
    does: String,
}

/// The grade of the kind with this name, and what it does.
pub(super) fn kind(kinds: &'static [NamedKind], name: &str) -> Option<(Grade, &'static str)> {
    let kind_named = kinds.iter().find(|kind| kind.names.iter().any(|one| one == name));
    kind_named.map(|kind| (kind.grade, kind.does.as_str()))
}

pub(super) static KNOWN: LazyLock<Known> = LazyLock::new(|| texts::read(include_str!("known.toml")));
