//! `--verify-dump DIR`: where the contents of wrong blocks go.

use crate::failure::{Exit, Failure};
use clap::Args;
use fathom_text::shown;
use std::io;
use std::path::PathBuf;

/// Where the contents of wrong blocks go.
#[derive(Debug, Args)]
pub struct DumpArgs {
    /// Save what was expected and what was read of wrong blocks as files in DIR, which must be empty or not exist: of each job, or of
    /// each part that is read back, the first 16, at most 64 MiB of them
    #[arg(long, value_name = "DIR")]
    pub verify_dump: Option<PathBuf>,
}

impl DumpArgs {
    /// The directory as an absolute path.
    ///
    /// # Errors
    /// Something is in it, or it cannot be read.
    pub fn dir(&self) -> Result<Option<PathBuf>, Failure> {
        let Some(dir) = &self.verify_dump else { return Ok(None) };
        let cannot = |why: &str| {
            Failure::new(Exit::Usage, format!("--verify-dump {}: {why}", shown::path(dir)))
                .hint("name a directory that is empty or does not exist: no file is overwritten")
        };
        match std::fs::read_dir(dir).map(|mut entries| entries.next().is_some()) {
            Ok(true) => return Err(cannot("it is not empty")),
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(cannot(&e.to_string())),
            Ok(false) | Err(_) => {}
        }
        std::path::absolute(dir).map(Some).map_err(|e| cannot(&e.to_string()))
    }
}
