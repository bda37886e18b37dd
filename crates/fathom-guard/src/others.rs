//! All disks but one.

use std::iter::Chain;
use std::slice::Iter;
use std::sync::Arc;

use fathom_device::device::{DevNumber, Identity};

/// The disks of a machine without the one in question. All of these share one table: a copy for
/// each would grow with the square of the number of disks.
#[derive(Debug, Clone)]
pub struct Others {
    disks: Arc<[Identity]>,
    /// Place of the one that is left out, if it is in the table.
    own: Option<usize>,
}

impl Others {
    /// All of these disks but `disk`.
    pub(super) fn than(disk: DevNumber, disks: Arc<[Identity]>) -> Self {
        let own = disks.iter().position(|other| other.dev == disk);
        Self { disks, own }
    }
}

impl<'a> IntoIterator for &'a Others {
    type Item = &'a Identity;
    type IntoIter = Chain<Iter<'a, Identity>, Iter<'a, Identity>>;

    fn into_iter(self) -> Self::IntoIter {
        let end = self.own.unwrap_or(self.disks.len());
        let rest = self.own.map_or(end, |own| own + 1);
        self.disks[..end].iter().chain(&self.disks[rest..])
    }
}
