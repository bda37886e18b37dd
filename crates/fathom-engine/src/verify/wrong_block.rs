//! The contents of wrong blocks, which `verify_dump` saves.
//!
//! The engine opens nothing by path, so it gives the contents to the sink of the run ([`crate::sink::Sink::wrong_block`]). They have
//! the names that fio gives them: `FILE.OFFSET.received` and `FILE.OFFSET.expected`, FILE without its directories.

use super::judge::Contents;
use crate::desc::Desc;
use fathom_job::plan::PlannedJob;
use fathom_results::SavedBlock;
use fathom_verify::Fault;
use std::path::Path;
use std::rc::Rc;

/// How many wrong blocks of a job are saved at most, and how many bytes of them. A drive that returns nothing right would
/// otherwise fill another one.
const BLOCKS_MAX: u32 = 16;
const BYTES_MAX: u64 = 64 << 20;

/// A wrong block that is to be saved.
#[derive(Clone, Debug)]
pub struct WrongBlock {
    /// The names of its files.
    pub names: SavedBlock,
    /// What was read.
    pub received: Vec<u8>,
    /// What was written, where that is known.
    pub expected: Option<Vec<u8>>,
}

/// Takes a wrong block that is to be saved; says whether it could be given away.
pub type WrongBlockReceiver = Rc<dyn Fn(WrongBlock) -> bool>;

/// Where the wrong blocks of a job go, and how many more may go there.
pub(super) struct Saves {
    receiver: WrongBlockReceiver,
    /// By file of the job, its name.
    files: Vec<String>,
    blocks_left: u32,
    bytes_left: u64,
}

impl Saves {
    pub fn new(plan: &PlannedJob, receiver: WrongBlockReceiver) -> Saves {
        let name =
            |path: &str| Path::new(path).file_name().unwrap_or_default().to_string_lossy().into_owned();
        let files = plan.files.iter().map(|file| name(&file.path)).collect();
        Saves { receiver, files, blocks_left: BLOCKS_MAX, bytes_left: BYTES_MAX }
    }

    /// Has a block saved; returns the names of its files, or `None` if enough are.
    pub fn save(&mut self, desc: &Desc, fault: &Fault, contents: Contents) -> Option<SavedBlock> {
        let bytes = contents.received.len() as u64 + contents.expected.as_ref().map_or(0, Vec::len) as u64;
        self.bytes_left = self.bytes_left.checked_sub(bytes)?;
        self.blocks_left = self.blocks_left.checked_sub(1)?;
        let of = |what: &str| format!("{}.{}.{what}", self.files[desc.file() as usize], fault.offset);
        let names = SavedBlock {
            received: of("received"),
            expected: contents.expected.as_ref().map(|_| of("expected")),
        };
        let Contents { received, expected } = contents;
        let block = WrongBlock { names: names.clone(), received, expected };
        (self.receiver)(block).then_some(names)
    }
}
