//! The directory of a run.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::here::Here;
use crate::latest;
use crate::request::RunDir;
use fathom_text::calendar::Moment;
use std::fs::{File, OpenOptions};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// Makes the directory: exactly the one asked for, or
/// `<runs-dir>/<UTC>-<name>-<id>`. Returns the run's id and the directory.
pub fn create(name: &str, at: &RunDir, here: &Here) -> Result<(String, PathBuf), Failure> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos() as u64;
    let id = format!("{:06x}", (now ^ (now >> 24) ^ u64::from(std::process::id()) << 8) & 0xff_ffff);
    let dir = match at {
        RunDir::Exactly(dir) => exact(dir)?,
        RunDir::In(runs_dir) => {
            let stamp = Moment::of_unix_ns(now).compact();
            let dir = runs_dir.join(format!("{stamp}-{}-{id}", plain(name)));
            can_be_made(runs_dir)?;
            std::fs::create_dir_all(runs_dir).map_err(|e| cannot(runs_dir, e))?;
            std::fs::create_dir(&dir).map_err(|e| cannot(&dir, e))?;
            latest::point_at(runs_dir, &dir, here);
            dir
        }
    };
    Ok((id, dir))
}

/// The directory of a run, held open: if somebody puts another directory or a link
/// in its place, the run is still saved in this one.
pub struct HeldDirectory {
    handle: File,
}

impl HeldDirectory {
    /// Opens the directory.
    pub fn open(dir: &Path) -> std::io::Result<HeldDirectory> {
        let flags = libc::O_PATH | libc::O_DIRECTORY;
        Ok(HeldDirectory { handle: OpenOptions::new().read(true).custom_flags(flags).open(dir)? })
    }

    /// A path that leads to the directory, even if it was moved.
    pub fn path(&self) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", self.handle.as_raw_fd()))
    }
}

fn exact(dir: &Path) -> Result<PathBuf, Failure> {
    can_be_made(dir)?;
    std::fs::create_dir_all(dir).map_err(|e| cannot(dir, e))?;
    let mut entries = std::fs::read_dir(dir).map_err(|e| cannot(dir, e))?;
    if entries.next().is_some() {
        return Err(Failure::new(
            Exit::Usage,
            format!("{} is not empty; a run never overwrites another", dir.display()),
        )
        .hint("name a new directory"));
    }
    Ok(dir.to_owned())
}

/// Where device nodes are, a directory would be in memory.
fn can_be_made(dir: &Path) -> Result<(), Failure> {
    let there = dir.ancestors().find(|dir| dir.exists()).unwrap_or(Path::new("."));
    crate::outputs::can_be_new(&there.join("new")).map_err(|e| cannot(dir, e))
}

fn cannot(dir: &Path, e: std::io::Error) -> Failure {
    Failure::new(Exit::Failed, format!("cannot make the run's directory {}: {e}", dir.display()))
        .hint("choose another place with --runs-dir or --output-dir")
}

/// A name in a form that can be part of a file name.
fn plain(name: &str) -> String {
    let kept = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '-' };
    let text: String = name.chars().map(kept).take(40).collect();
    let text = text.trim_matches(['-', '.']).to_owned();
    if text.is_empty() { "run".to_owned() } else { text }
}
