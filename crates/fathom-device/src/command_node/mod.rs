//! Character devices that take the commands of a drive (`/dev/ng0n1`, `/dev/sg0`), and the block device of the same drive.
//!
//! What is written through the one is on the other, and only the block device shows who uses it. So a wrong pair would let
//! fathom write to a drive in use; where the pair is not certain, there is none.

mod nvme;
mod scsi;

use crate::device::DevNumber;
use crate::root::{Root, Unknown};
use crate::sys::nvme::namespace_id;
use crate::sys::scsi::{ScsiAddress, scsi_address};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// A character device that takes commands, with its block device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandNode {
    /// Kernel name (`ng0n1`, `sg0`).
    pub name: String,
    /// Kernel name of the block device (`nvme0n1`, `sda`).
    pub block_name: String,
    /// Number of the block device.
    pub block: DevNumber,
    /// What takes the commands, as the block device reports it.
    pub unit: CommandUnit,
}

/// What takes the commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandUnit {
    /// An NVMe namespace, by its NSID.
    Namespace(u32),
    /// A SCSI disk.
    Scsi(ScsiAddress),
}

impl CommandNode {
    /// The character device with this number; `None` if it takes no commands of a namespace or a SCSI device.
    ///
    /// # Errors
    /// It does, and its block device cannot be told for certain.
    pub fn read(root: &Root, number: DevNumber) -> Result<Option<Self>, Unknown> {
        let link = format!("/sys/dev/char/{number}");
        if !root.exists(&link) {
            return Ok(None);
        }
        let dir = root.resolve(&link)?;
        match root.link_name(dir.join("subsystem")) {
            Ok(class) if class == nvme::CLASS => nvme::with_partner(root, &dir).map(Some),
            Ok(class) if class == scsi::CLASS => scsi::with_partner(root, &dir).map(Some),
            _ => Ok(None),
        }
    }

    /// The node of the block device.
    pub fn block_path(&self) -> PathBuf {
        Path::new("/dev").join(&self.block_name)
    }
}

impl CommandUnit {
    /// Asks an open node which unit takes its commands: the same one, or another.
    ///
    /// # Errors
    /// It does not answer as one of this kind.
    pub fn asked_of(self, node: &File) -> io::Result<Self> {
        match self {
            CommandUnit::Namespace(_) => namespace_id(node).map(CommandUnit::Namespace),
            CommandUnit::Scsi(_) => scsi_address(node).map(CommandUnit::Scsi),
        }
    }
}

impl std::fmt::Display for CommandUnit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            CommandUnit::Namespace(nsid) => write!(f, "namespace {nsid}"),
            CommandUnit::Scsi(address) => write!(f, "SCSI device {address}"),
        }
    }
}

/// The block device with this name in this directory, if `/sys/class/block` leads there and nothing hides it.
fn certain_block(root: &Root, node: &Path, block_dir: &Path, block_name: &str) -> Result<DevNumber, Unknown> {
    let by_class = root.resolve(format!("/sys/class/block/{block_name}"))?;
    if by_class != block_dir {
        return Err(Unknown::absent(node, format!("{block_name} is not the block device beside it")));
    }
    if root.read_value::<u8>(block_dir.join("hidden")).is_ok_and(|hidden| hidden != 0) {
        return Err(Unknown::absent(node, format!("{block_name} is hidden, so nobody can hold it")));
    }
    root.read_value(block_dir.join("dev"))
}

/// The only one of these names of block devices.
fn only(node: &Path, names: Vec<String>, of: &str) -> Result<String, Unknown> {
    match <[String; 1]>::try_from(names) {
        Ok([name]) => Ok(name),
        Err(names) => {
            let found = if names.is_empty() { "none".to_owned() } else { names.join(" and ") };
            Err(Unknown::absent(
                node,
                format!("it needs one block device of the same {of}, and there is {found}"),
            ))
        }
    }
}

fn file_name(dir: &Path) -> String {
    dir.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}
