//! `filecreate`, `filestat`, `filedelete`, `filerename`, `dircreate`, `dirstat` and `dirdelete`: each I/O is one operation on a name.
//!
//! The engine knows no path and no directory. Its [`JobNames`] do the operations, below directories that
//! were judged (docs/adr/0027). What must be judged before an operation, and closed after it, is not in its time.

use super::{Context, EngineEntry, EngineError, Replacement, SyncEngine};
use crate::desc::Desc;
use crate::target::JobNames;

/// `filecreate` in the registry.
pub const FILE_CREATE: EngineEntry = EngineEntry::sync::<Names>("filecreate");
/// `filestat` in the registry.
pub const FILE_STAT: EngineEntry = EngineEntry::sync::<Names>("filestat");
/// `filedelete` in the registry.
pub const FILE_DELETE: EngineEntry = EngineEntry::sync::<Names>("filedelete");
/// `filerename` in the registry.
pub const FILE_RENAME: EngineEntry = EngineEntry::sync::<Names>("filerename");
/// `dircreate` in the registry.
pub const DIR_CREATE: EngineEntry = EngineEntry::sync::<Names>("dircreate");
/// `dirstat` in the registry.
pub const DIR_STAT: EngineEntry = EngineEntry::sync::<Names>("dirstat");
/// `dirdelete` in the registry.
pub const DIR_DELETE: EngineEntry = EngineEntry::sync::<Names>("dirdelete");

/// The names of a job.
pub struct Names {
    names: Box<dyn JobNames>,
    /// Why the next operation is not done: a negative errno, or 0.
    refused: i32,
}

impl SyncEngine for Names {
    fn open(context: &Context<'_>) -> Result<Self, EngineError> {
        let unusable =
            |source| EngineError { engine: "of names", act: "make its names ready".to_owned(), source };
        let names = context.targets.names(context.plan).map_err(unusable)?;
        Ok(Names { names, refused: 0 })
    }

    fn replace(&mut self, _: &Replacement<'_>) -> Result<(), EngineError> {
        Ok(())
    }

    fn execute(&mut self, desc: &Desc, _buffer: *mut u8) -> i32 {
        match self.refused {
            0 => match self.names.act(desc.file() as usize) {
                0 => desc.len() as i32,
                errno => errno,
            },
            errno => errno,
        }
    }

    /// The plan has neither syncs nor trims.
    fn control(&mut self, _: &Desc) -> i32 {
        -libc::EOPNOTSUPP
    }

    fn before(&mut self, desc: &Desc, _buffer: *mut u8) {
        self.refused = self.names.judge(desc.file() as usize);
    }

    fn after(&mut self, desc: &Desc, result: i32, _buffer: *mut u8) {
        self.names.settle(desc.file() as usize, result > 0);
    }
}
