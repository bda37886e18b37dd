//! The host at the start of a run: every fact that may change a figure, with
//! the path that it came from, or with the reason why it could not be read.
//!
//! The facts come from the tables in `facts.toml`, and from the parts of which there are several.

mod parts;

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::{cgroup, texts};
use fathom_device::device::{Graph, Identity};
use fathom_device::inventory::{Disk, Standing};
use fathom_device::root::Root;
use fathom_device::target::{self, PathFacts};
use parts::Parse;

/// The value of a fact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum SnapshotValue {
    /// Yes or no.
    Flag(bool),
    /// A count, or a quantity in the unit that the fact's name ends in.
    Number(u64),
    /// Anything else, as the kernel wrote it.
    Text(String),
}

/// One fact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SnapshotFact {
    /// Name, with the unit last.
    pub name: String,
    /// The value; `None` is unknown.
    pub value: Option<SnapshotValue>,
    /// The path that it was read from, or would have been.
    #[serde(with = "fathom_device::saved_path")]
    pub path: PathBuf,
    /// Why it is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown: Option<String>,
}

/// One target and the disk under it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetSnapshot {
    /// The path that the user gave.
    #[serde(with = "fathom_device::saved_path")]
    pub path: PathBuf,
    /// The properties of the target; `None` if it could not be inspected.
    pub target: Option<PathFacts>,
    /// The identity of the device, for a device and for a file on one.
    pub device: Option<Identity>,
    /// Whether memory, a file or a network is behind the "disk".
    pub is_virtual_disk: Option<bool>,
    /// Settings of the whole disk.
    pub facts: Vec<SnapshotFact>,
}

/// The host and the targets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// Facts about the host.
    pub host: Vec<SnapshotFact>,
    /// The targets, in the order of the user.
    pub targets: Vec<TargetSnapshot>,
}

impl Snapshot {
    /// Reads the host and `targets`.
    pub fn take(root: &Root, targets: &[PathBuf]) -> Self {
        Self {
            host: host_facts(root),
            targets: targets.iter().map(|path| target_snapshot(root, path)).collect(),
        }
    }
}

fn host_facts(root: &Root) -> Vec<SnapshotFact> {
    let rows = TABLES.host.iter().map(|row| row.read(root, Path::new("/")));
    rows.chain(parts::facts(root)).collect()
}

fn target_snapshot(root: &Root, path: &Path) -> TargetSnapshot {
    // The path of a recorded machine would lead to a file of our own.
    let target = root.is_live().then(|| target::inspect(root, path).ok()).flatten();
    let number = match (&target, root.is_live()) {
        (Some(target), _) => target.device,
        (None, true) => root.block_number_of(path),
        (None, false) => Standing::of(root, path).and_then(|standing| standing.devices.first().copied()),
    };
    let graph = number.and_then(|number| Graph::read(root, number).ok());
    let device = graph.as_ref().and_then(|g| Identity::read(root, g).ok());
    let facts = graph.as_ref().map(|graph| {
        let own = parts::disk_facts(root, &Disk::of(root, graph.whole_disk()));
        own.into_iter().chain(caps(root, graph)).collect()
    });
    TargetSnapshot {
        path: path.to_path_buf(),
        target,
        is_virtual_disk: device.as_ref().map(|device| device.kind.is_virtual()),
        device,
        facts: facts.unwrap_or_default(),
    }
}

/// What our control group may do to the disk and those below it at most, where it is limited.
fn caps(root: &Root, graph: &Graph) -> Vec<SnapshotFact> {
    let fact = |(name, value, path): (&str, u64, PathBuf)| SnapshotFact {
        name: name.to_owned(),
        value: Some(SnapshotValue::Number(value)),
        path,
        unknown: None,
    };
    let disks: Vec<_> = graph.disks().map(|disk| disk.number).collect();
    cgroup::caps(root, &disks).into_iter().map(fact).collect()
}

/// The tables of facts.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tables {
    host: Vec<Row>,
    disk: Vec<Row>,
    link: Vec<Row>,
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| texts::read(include_str!("facts.toml")));

/// One row of a table: the paths where a fact may be, of which the first
/// readable one counts, and how to parse it.
#[derive(Deserialize)]
#[serde(try_from = "Vec<String>")]
struct Row {
    name: String,
    paths: Vec<String>,
    parse: Parse,
}

impl TryFrom<Vec<String>> for Row {
    type Error = String;

    fn try_from(row: Vec<String>) -> Result<Self, String> {
        let [name, parse, paths @ ..] = row.as_slice() else { return Err(format!("{row:?} is no row")) };
        let parse = parts::parser(parse).ok_or_else(|| format!("{name}: nothing parses {parse}"))?;
        Ok(Self { name: name.clone(), paths: paths.to_vec(), parse })
    }
}

impl Row {
    fn text(name: &str, paths: &[&str]) -> Self {
        let paths = paths.iter().map(|path| (*path).to_owned()).collect();
        Self { name: name.to_owned(), paths, parse: parts::text }
    }

    fn read(&self, root: &Root, base: &Path) -> SnapshotFact {
        let mut unknown = None;
        for path in &self.paths {
            let path = base.join(path);
            let reason = match root.read_text(&path) {
                Ok(text) => match (self.parse)(&text) {
                    Some(value) => return self.fact(path, Some(value), None),
                    None => "not in the file, or not understood".to_owned(),
                },
                Err(unknown) => unknown.reason,
            };
            unknown.get_or_insert((path, reason));
        }
        let (path, reason) = unknown.expect("every row has a path");
        self.fact(path, None, Some(reason))
    }

    fn fact(&self, path: PathBuf, value: Option<SnapshotValue>, unknown: Option<String>) -> SnapshotFact {
        SnapshotFact { name: self.name.clone(), value, path, unknown }
    }
}

#[cfg(test)]
mod tests;
