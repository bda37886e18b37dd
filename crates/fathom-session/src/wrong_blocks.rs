//! The files of wrong blocks (`verify_dump`): what was read, and what should have been.
//!
//! `fathom run` keeps them in the directory `wrong-blocks` of the run. `fathom fio` writes them into the current directory, as fio does,
//! but never through a link, only to regular files, and to none that the run uses. `--verify-dump` names another directory. At most 16 blocks of a job come here, so
//! the thread that keeps the frames can write them.

use crate::exit::{Exit, Failure};
use crate::logs::Where;
use crate::outputs::{self, InUse, KernelFiles, NoFile};
use fathom_engine::sink::WrongBlock;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The directory within that of a run.
const DIRECTORY: &str = "wrong-blocks";

/// Where the wrong blocks of a run go.
pub struct WrongBlocks {
    place: Place,
}

enum Place {
    /// A directory of the run.
    Run(PathBuf),
    /// The current directory, without the files that the run uses.
    Here(Box<InUse>),
    /// A directory that a person named, in which nothing is overwritten.
    Named(PathBuf),
}

impl WrongBlocks {
    /// In the directory of the run, or where the logs go.
    pub fn of(place: Where<'_>) -> WrongBlocks {
        WrongBlocks {
            place: match place {
                Where::Run(dir) => Place::Run(dir.join(DIRECTORY)),
                Where::Here(in_use) => Place::Here(Box::new(in_use.clone())),
            },
        }
    }

    /// In this directory, which is made with the first of them.
    pub fn to(dir: PathBuf) -> WrongBlocks {
        WrongBlocks { place: Place::Named(dir) }
    }

    /// Saves a block. Returns the names of the files that could not be written, and why: without what was received, what was
    /// expected is not saved either.
    pub fn save(&self, block: &WrongBlock) -> Option<(String, Failure)> {
        let expected = block.names.expected.as_ref().zip(block.expected.as_deref());
        let files = [(&block.names.received, block.received.as_slice())].into_iter().chain(expected);
        let unsaved = |(name, content): (&String, &[u8])| {
            self.write(name, content).err().map(|failure| (name.clone(), failure))
        };
        files.into_iter().find_map(unsaved)
    }

    fn write(&self, name: &str, content: &[u8]) -> Result<(), Failure> {
        let (path, file) = match &self.place {
            Place::Run(dir) => {
                let path = dir.join(name);
                let file = std::fs::create_dir_all(dir)
                    .and_then(|()| outputs::no_links().create(true).truncate(true).open(&path));
                (path.clone(), file.map_err(|e| cannot(&path, e))?)
            }
            Place::Named(dir) => {
                let path = dir.join(name);
                let file = std::fs::create_dir_all(dir)
                    .and_then(|()| outputs::no_links().create_new(true).open(&path));
                (path.clone(), file.map_err(|e| cannot(&path, e))?)
            }
            Place::Here(in_use) => (PathBuf::from(name), open_here(Path::new(name), in_use)?),
        };
        let mut file = file;
        file.write_all(content).map_err(|e| {
            // A part of a block would look like all of it.
            let _ = std::fs::remove_file(&path);
            cannot(&path, e)
        })
    }
}

/// Opens a file of the current directory, which is emptied if it is there, as in fio.
fn open_here(path: &Path, in_use: &InUse) -> Result<File, Failure> {
    let file = outputs::open_here(path, in_use, &KernelFiles::of_this_machine());
    let file = file.map_err(|why| match why {
        NoFile::InUse(user) => refused(path, &format!("it is {user}")),
        NoFile::NotRegular => refused(path, "it is not a regular file"),
        NoFile::OfKernel(failure) => *failure,
        NoFile::OfSavedRun => refused(path, "it belongs to a saved run"),
        NoFile::Failed(e) => cannot(path, e),
    })?;
    file.set_len(0).map_err(|e| cannot(path, e))?;
    Ok(file)
}

fn refused(path: &Path, why: &str) -> Failure {
    Failure::new(Exit::Refused, format!("refused to save a wrong block in {}: {why}", path.display()))
}

fn cannot(path: &Path, e: io::Error) -> Failure {
    Failure::new(Exit::Failed, format!("cannot save a wrong block in {}: {e}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_results::SavedBlock;

    fn block() -> WrongBlock {
        let names =
            SavedBlock { received: "f.4096.received".into(), expected: Some("f.4096.expected".into()) };
        WrongBlock { names, received: vec![1; 512], expected: Some(vec![2; 512]) }
    }

    #[test]
    fn a_wrong_block_is_kept_in_the_directory_of_its_run() {
        let dir = tempfile::tempdir().unwrap();
        let blocks = WrongBlocks::of(Where::Run(dir.path()));
        assert!(blocks.save(&block()).is_none());
        let read = |name: &str| std::fs::read(dir.path().join(DIRECTORY).join(name)).unwrap();
        assert_eq!((read("f.4096.received"), read("f.4096.expected")), (vec![1; 512], vec![2; 512]));
    }

    #[test]
    fn in_a_named_directory_nothing_is_overwritten() {
        let dir = tempfile::tempdir().unwrap();
        let named = dir.path().join("a/b");
        let blocks = WrongBlocks::to(named.clone());
        assert!(blocks.save(&block()).is_none());
        let other = WrongBlock { received: vec![3; 512], ..block() };
        assert_eq!(blocks.save(&other).unwrap().0, "f.4096.received");
        assert_eq!(std::fs::read(named.join("f.4096.received")).unwrap(), vec![1; 512]);
    }

    #[test]
    fn a_wrong_block_is_written_through_no_link() {
        let dir = tempfile::tempdir().unwrap();
        let (target, link) = (dir.path().join("target"), dir.path().join("f.4096.received"));
        std::fs::write(&target, "kept").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        assert!(open_here(&link, &InUse::default()).is_err());
        assert_eq!(std::fs::read(&target).unwrap(), b"kept");
    }
}
