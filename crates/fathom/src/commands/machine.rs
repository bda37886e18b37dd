//! The machine that a command looks at: this one, or a recorded one.

use std::path::{Path, PathBuf};
use std::time::Duration;

use fathom_device::Root;
use fathom_device::bounded;
use fathom_device::tree::Tree;
use fathom_host::audit::{Earlier, checks};

use crate::failure::{Exit, Failure};
use crate::reach::is_there;
use crate::terminal::slow_look;

/// The longest recorded machine: one of hundreds of drives takes some MiB.
const CAPTURE_MAX_BYTES: u64 = 256 << 20;

/// Where facts come from.
#[derive(Debug)]
pub struct FactSource {
    root: Root,
}

impl FactSource {
    /// This machine, or what was recorded at `path`: a file of `fathom doctor
    /// capture`, or a directory with a machine's `/sys` and `/proc` in it.
    pub fn open(path: Option<&Path>) -> Result<Self, Failure> {
        let Some(path) = path else {
            return Ok(Self { root: Root::live() });
        };
        slow_look().touch(path);
        if path.is_dir() {
            return Ok(Self { root: Root::recorded(path) });
        }
        let cannot = |why: String| {
            let failure = Failure::new(Exit::Usage, format!("cannot read {}: {why}", path.display()));
            failure.hint("a recorded machine is made by: fathom doctor capture -o FILE")
        };
        let bytes = bounded::stream(path, CAPTURE_MAX_BYTES).map_err(|e| cannot(e.to_string()))?;
        let text = String::from_utf8(bytes).map_err(|_| cannot("it is not UTF-8 text".to_owned()))?;
        let tree = Tree::parse(&text).map_err(|e| cannot(e.to_string()))?;
        Ok(Self { root: Root::held(&tree) })
    }

    /// The root under which facts are read.
    pub fn root(&self) -> &Root {
        &self.root
    }

    /// The first of the targets that this machine does not have.
    ///
    /// # Errors
    /// This cannot be found out.
    pub fn first_absent<'p>(&self, targets: &'p [PathBuf]) -> Result<Option<&'p PathBuf>, Failure> {
        for path in targets {
            let is_there = match self.root.is_live() {
                true => is_there(path)?,
                // A recorded machine need not have the nodes of its devices.
                false => self.root.exists(path) || self.root.block_number_of(path).is_some(),
            };
            if !is_there {
                return Ok(Some(path));
            }
        }
        Ok(None)
    }

    /// An error if this machine does not let fathom look at one of these paths; a name of a device is none.
    pub fn reaches(&self, names: &[String]) -> Result<(), Failure> {
        let paths = names.iter().filter(|name| self.root.is_live() && name.contains('/'));
        paths.map(Path::new).try_for_each(|path| is_there(path).map(drop))
    }

    /// Earlier counters: recorded ones, or on a live machine those that are read now, before a
    /// wait of `watch`.
    pub fn earlier(&self, watch: Duration) -> Option<Earlier> {
        if !self.root.is_live() {
            return Earlier::recorded(&self.root, checks::counters());
        }
        Some(Earlier::watch(&self.root, checks::counters(), watch))
    }
}
