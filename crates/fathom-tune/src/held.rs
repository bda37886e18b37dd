//! Settings that are an open handle: the kernel takes them back when the
//! process that holds them ends, so they need no journal and no guardian.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use fathom_device::root::Root;

/// A limit on the exit latency of sleep states, held until dropped.
#[derive(Debug)]
pub struct ExitLatencyLimit {
    /// The knob.
    pub id: String,
    /// The file.
    pub path: PathBuf,
    /// What was asked for, in the file's unit.
    pub value: i32,
    _handle: File,
}

impl ExitLatencyLimit {
    /// Opens the file and asks for the value: four bytes, native order
    /// (Documentation/power/pm_qos_interface.rst).
    pub fn open(root: &Root, id: &str, path: &Path, value: &str) -> io::Result<Self> {
        let value: i32 = value.parse().map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
        let mut handle = OpenOptions::new().write(true).open(root.at(path))?;
        handle.write_all(&value.to_ne_bytes())?;
        Ok(Self { id: id.to_owned(), path: path.to_owned(), value, _handle: handle })
    }
}
