//! What the index holds, and its text: JSON in lines.
//!
//! ```text
//! {"fathom_index":1,"crc32":"1c291ca3"}        the version, and the checksum of all bytes behind this line
//! {"directory":"/home/ann/fathom-runs"}
//! {"name":"20261121-033846Z-job-0a1b2c","stamp":{...},"head":{...}}       a run in the directory above it
//! ```
//! All names are carried ([`fathom_text::carried`]), so a line is text, whatever bytes a name has.

use super::head::RunHead;
use super::saved_run::{FileStamp, Listed};
use fathom_text::carried;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

/// What the index knows of the runs in a directory, by their names.
pub(super) type Known = HashMap<OsString, (FileStamp, RunHead)>;

/// Version of the lines. It changes when they do, or what is read from a record.
const VERSION: u32 = 1;

/// How every index begins, of whatever version.
const BEGINNING: &[u8] = b"{\"fathom_index\":";

/// The directories in which runs were saved, and what is known of the runs in each.
#[derive(Debug, Default)]
pub(super) struct Rows {
    directories: BTreeMap<PathBuf, Known>,
}

/// The first line.
#[derive(Serialize, Deserialize)]
struct Header {
    fathom_index: u32,
    crc32: String,
}

/// The line of a directory.
#[derive(Serialize, Deserialize)]
struct DirectoryLine {
    directory: String,
}

/// How the line of a directory begins.
const DIRECTORY: &[u8] = b"{\"directory\":";

/// The line of a run.
#[derive(Serialize, Deserialize)]
struct RunLine<'a> {
    name: String,
    stamp: FileStamp,
    head: Cow<'a, RunHead>,
}

impl Rows {
    /// Reads the text of an index. The names of directories in a text that is damaged or of an older version are given with
    /// the error. An empty file is what a crash can leave.
    pub fn read(text: &[u8]) -> Result<Rows, Unusable> {
        if text.is_empty() {
            return Err(Unusable::Missing);
        }
        if !text.starts_with(BEGINNING) {
            return Err(Unusable::not_ours());
        }
        let damaged =
            |why: &str| Unusable::Damaged(format!("it was damaged: {why}"), Rows::directories_in(text));
        let end = text.iter().position(|byte| *byte == b'\n').ok_or_else(|| damaged("it is cut"))?;
        let (first, rest) = (&text[..end], &text[end + 1..]);
        let header: Header =
            serde_json::from_slice(first).map_err(|_| damaged("its first line cannot be read"))?;
        if header.fathom_index > VERSION {
            return Err(Unusable::Cannot("a newer fathom made it".to_owned()));
        }
        if header.crc32 != checksum(rest) {
            return Err(damaged("its checksum is wrong"));
        }
        if header.fathom_index < VERSION {
            return Err(Unusable::Older(Rows::directories_in(text)));
        }
        Rows::of_lines(rest).ok_or_else(|| damaged("a line of it cannot be read"))
    }

    fn of_lines(text: &[u8]) -> Option<Rows> {
        let mut rows = Rows::default();
        let mut runs: Option<&mut Known> = None;
        for line in lines(text) {
            if line.starts_with(DIRECTORY) {
                runs = Some(rows.runs_in(&directory_in(line)?));
            } else {
                let RunLine { name, stamp, head } = serde_json::from_slice(line).ok()?;
                runs.as_mut()?.insert(carried::to_os(&name), (stamp, head.into_owned()));
            }
        }
        Some(rows)
    }

    /// The directories that a text names, also a damaged one.
    pub fn directories_in(text: &[u8]) -> Vec<PathBuf> {
        lines(text).filter(|line| line.starts_with(DIRECTORY)).filter_map(directory_in).collect()
    }

    /// An index that knows these directories, as far as they are there, and no run.
    pub fn of_directories(paths: &[PathBuf]) -> Rows {
        let there = paths.iter().filter(|path| path.is_dir());
        Rows { directories: there.map(|path| (path.clone(), Known::new())).collect() }
    }

    /// The text.
    pub fn text(&self) -> Vec<u8> {
        let mut lines = Vec::new();
        for (path, runs) in &self.directories {
            add(&mut lines, &DirectoryLine { directory: carried::of_os(path) });
            for (name, (stamp, head)) in runs {
                let name = carried::of_os(name);
                add(&mut lines, &RunLine { name, stamp: *stamp, head: Cow::Borrowed(head) });
            }
        }
        let mut text = Vec::new();
        add(&mut text, &Header { fathom_index: VERSION, crc32: checksum(&lines) });
        text.append(&mut lines);
        text
    }

    /// The directories in which runs were saved.
    pub fn directories(&self) -> Vec<PathBuf> {
        self.directories.keys().cloned().collect()
    }

    /// Takes what is known of the runs in a directory.
    pub fn take_runs(&mut self, dir: &Path) -> Known {
        self.directories.get_mut(dir).map(std::mem::take).unwrap_or_default()
    }

    /// What is known of the runs in a directory, which is added.
    fn runs_in(&mut self, dir: &Path) -> &mut Known {
        self.directories.entry(dir.to_owned()).or_default()
    }

    /// Adds a directory.
    pub fn add(&mut self, dir: &Path) {
        self.runs_in(dir);
    }

    /// Forgets a directory and its runs.
    pub fn forget(&mut self, dir: &Path) {
        self.directories.remove(dir);
    }
}

/// What a list found in a directory that the index did not know as it is.
#[derive(Debug)]
pub(super) struct IndexChange {
    dir: PathBuf,
    runs: Known,
    gone: Vec<OsString>,
}

impl IndexChange {
    /// Of the runs that a list looked at, and the names of those that have gone; `None` where the index knew all of it. What
    /// is wrong with a damaged run may pass, so it is not kept.
    pub fn of(dir: &Path, listed: &[Listed], gone: &[OsString]) -> Option<IndexChange> {
        let kept = |listed: &Listed| match (&listed.run.head, listed.stamp) {
            (Ok(head), Some(stamp)) if !listed.is_from_index => {
                Some((listed.run.directory().to_owned(), (stamp, head.clone())))
            }
            _ => None,
        };
        let runs: Known = listed.iter().filter_map(kept).collect();
        let is_news = !runs.is_empty() || !gone.is_empty();
        is_news.then(|| IndexChange { dir: dir.to_owned(), runs, gone: gone.to_vec() })
    }

    /// Adds it to an index, which another list may have changed meanwhile.
    pub fn add_to(self, rows: &mut Rows) {
        let known = rows.runs_in(&self.dir);
        for name in &self.gone {
            known.remove(name);
        }
        known.extend(self.runs);
    }
}

/// Adds a line to a text.
fn add(text: &mut Vec<u8>, line: &impl Serialize) {
    serde_json::to_writer(&mut *text, line)
        .expect("the fields of a line have names, and memory can be written");
    text.push(b'\n');
}

fn directory_in(line: &[u8]) -> Option<PathBuf> {
    let DirectoryLine { directory } = serde_json::from_slice(line).ok()?;
    Some(carried::to_path(&directory))
}

fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty())
}

fn checksum(bytes: &[u8]) -> String {
    format!("{:08x}", crc32fast::hash(bytes))
}

/// Why an index cannot be used.
#[derive(Debug)]
pub(super) enum Unusable {
    /// There is none.
    Missing,
    /// An older fathom made it. It knew these directories.
    Older(Vec<PathBuf>),
    /// It is ours, and damaged in this way. It knew these directories.
    Damaged(String, Vec<PathBuf>),
    /// It stays as it is, for this reason.
    Cannot(String),
}

impl From<io::Error> for Unusable {
    fn from(e: io::Error) -> Self {
        Unusable::Cannot(e.to_string())
    }
}

impl Unusable {
    /// Fathom did not make what has its name.
    pub fn not_ours() -> Unusable {
        Unusable::Cannot("fathom did not make it, and leaves it as it is".to_owned())
    }

    /// What a person should know about it, without a full stop. A missing or old index needs no words.
    pub fn sentence(&self, index: Option<&Path>) -> Option<String> {
        self.why("cannot be used", index).map(|why| format!("{why}, so the runs were read again"))
    }

    /// The same where the index could be read and not be saved.
    pub fn told_unsaved(&self, index: Option<&Path>) -> Option<String> {
        self.why("could not be saved", index).map(|why| format!("{why}, so the next list reads runs again"))
    }

    fn why(&self, what: &str, index: Option<&Path>) -> Option<String> {
        match self {
            Unusable::Missing | Unusable::Older(_) => None,
            Unusable::Damaged(why, _) | Unusable::Cannot(why) => {
                Some(format!("the index of runs {} {what} ({why})", index?.display()))
            }
        }
    }
}
