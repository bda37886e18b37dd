//! The files of a clone: there may be a hundred thousand.
//!
//! Copies of a plan share them.

use super::PlannedFile;
use std::ops::Deref;
use std::sync::Arc;

/// Files in the order in which the clone knows them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileList(Arc<Vec<PlannedFile>>);

impl FileList {
    pub(super) fn for_each_mut(&mut self, change: impl FnMut(&mut PlannedFile)) {
        Arc::make_mut(&mut self.0).iter_mut().for_each(change);
    }
}

impl Deref for FileList {
    type Target = [PlannedFile];

    fn deref(&self) -> &[PlannedFile] {
        &self.0
    }
}

impl From<Vec<PlannedFile>> for FileList {
    fn from(files: Vec<PlannedFile>) -> Self {
        Self(Arc::new(files))
    }
}

impl FromIterator<PlannedFile> for FileList {
    fn from_iter<I: IntoIterator<Item = PlannedFile>>(files: I) -> Self {
        Vec::from_iter(files).into()
    }
}

impl<'a> IntoIterator for &'a FileList {
    type Item = &'a PlannedFile;
    type IntoIter = std::slice::Iter<'a, PlannedFile>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}
