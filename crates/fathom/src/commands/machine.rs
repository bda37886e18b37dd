//! The machine that a command looks at: this one, or a recorded one.

use crate::failure::{Exit, Failure};
use fathom_host::Root;
use fathom_host::tree::{Tree, Unpacked};
use std::path::Path;

/// A machine; a recorded one lies unpacked until this is dropped.
pub struct Machine {
    root: Root,
    _unpacked: Option<Unpacked>,
}

impl Machine {
    /// This machine, or what `--root` names: a directory that holds `sys` and
    /// `proc`, or a file of the recorded form.
    pub fn of(recorded: Option<&Path>) -> Result<Self, Failure> {
        let Some(path) = recorded else {
            return Ok(Self { root: Root::live(), _unpacked: None });
        };
        if path.is_dir() {
            return Ok(Self { root: Root::recorded(path), _unpacked: None });
        }
        let cannot = |e: &dyn std::fmt::Display| {
            let failure = Failure::new(Exit::Usage, format!("cannot read {}: {e}", path.display()));
            failure
                .hint("--root takes a recorded machine: its text form, or a directory with its sys and proc")
        };
        let text = std::fs::read_to_string(path).map_err(|e| cannot(&e))?;
        let unpacked = Tree::parse(&text).map_err(|e| cannot(&e))?.unpack().map_err(|e| cannot(&e))?;
        Ok(Self { root: unpacked.root(), _unpacked: Some(unpacked) })
    }

    /// Where its files are.
    pub fn root(&self) -> &Root {
        &self.root
    }
}
