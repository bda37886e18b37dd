//! Steps that make other mount namespaces.

use std::io;
use std::path::{Path, PathBuf};

use super::World;
use crate::kernel::namespace::Namespace;
use crate::model::{Mount, OURS, SpaceId};

impl World<'_> {
    /// Starts a process in a mount namespace of its own. It keeps a copy of all mounts.
    pub fn space(&mut self) -> io::Result<SpaceId> {
        self.spaces.push(Namespace::copy()?);
        let space = SpaceId(self.spaces.len());
        let ours: Vec<Mount> = self.model.mounts_in(OURS).cloned().collect();
        self.model.mounts.extend(ours.into_iter().map(|mount| Mount { space, ..mount }));
        self.tell(format!("start a process in namespace {}, with a copy of our mounts", space.0));
        Ok(space)
    }

    /// Ends the process of a namespace; an open descriptor keeps the namespace.
    pub fn empty_space(&mut self, space: SpaceId) -> io::Result<()> {
        if space == OURS || self.model.empty_spaces.contains(&space) {
            return Err(io::Error::other("no process to end"));
        }
        self.spaces[space.0 - 1].leave_without_process();
        self.model.empty_spaces.push(space);
        self.tell(format!("end the process of namespace {}; a descriptor keeps the namespace", space.0));
        Ok(())
    }

    /// All namespaces that a step can act in, ours first.
    pub fn space_ids(&self) -> Vec<SpaceId> {
        (0..=self.spaces.len()).map(SpaceId).collect()
    }

    /// Where a path of a namespace can be found from ours.
    pub fn path_from_ours(&self, space: SpaceId, path: &Path) -> Option<PathBuf> {
        if space == OURS {
            return Some(path.to_path_buf());
        }
        let pid = self.spaces[space.0 - 1].pid()?;
        let inner = path.strip_prefix("/").expect("an absolute path");
        Some(PathBuf::from(format!("/proc/{pid}/root")).join(inner))
    }
}
