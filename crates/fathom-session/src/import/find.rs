//! From what was named to files.

use super::pattern::{is_pattern, matches};
use crate::{Exit, Failure};
use fathom_figures::fio::{FioLogKind, LogName, RESULT_FORMATS, UnreadFile};
use fathom_text::carried;
use std::collections::HashSet;
use std::fs::{self, FileType};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

/// A file to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportSource {
    /// Its place.
    pub path: PathBuf,
    /// How it was found.
    pub found: FoundBy,
}

/// How a file was found. Those of other programs are passed over, unless they were named themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoundBy {
    /// It was named itself.
    Name,
    /// It fits a pattern that was named.
    Pattern,
    /// It is in a directory that was named, and its name is that of a log or a result.
    DirectoryAndName,
    /// It is in a directory that was named: only what it holds can say what it is.
    Directory,
}

/// The files of what was named, and what was named and is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoundFiles {
    /// All files, each once, in the order of names and of numbers in them.
    pub sources: Vec<ImportSource>,
    /// What does not exist, cannot be read as a file, or holds nothing of fio.
    pub unread: Vec<UnreadFile>,
}

/// All files of what was named.
///
/// # Errors
/// Where nothing of it is a file: what is wrong with the first.
pub fn find(named: &[PathBuf]) -> Result<FoundFiles, Failure> {
    let (mut all, mut known, mut first_failure) = (FoundFiles::default(), HashSet::new(), None);
    for path in named {
        match of_one(path) {
            Ok(files_there) => {
                let new = files_there.sources.into_iter().filter(|source| known.insert(source.path.clone()));
                all.sources.extend(new);
                all.unread.extend(files_there.unread);
            }
            Err(failure) => {
                all.unread.push(UnreadFile { file: carried::of_os(path), why: failure.message.clone() });
                first_failure.get_or_insert(failure);
            }
        }
    }
    match first_failure {
        Some(failure) if all.sources.is_empty() => Err(failure),
        _ => Ok(all),
    }
}

fn of_one(path: &Path) -> Result<FoundFiles, Failure> {
    match fs::metadata(path) {
        Ok(meta) if meta.is_dir() => in_directory(path),
        Ok(meta) => {
            refuse_unreadable(path, meta.file_type())?;
            let named = ImportSource { path: path.to_owned(), found: FoundBy::Name };
            Ok(FoundFiles { sources: vec![named], unread: Vec::new() })
        }
        Err(e) if e.kind() == io::ErrorKind::NotFound => {
            if path.to_str().is_some_and(is_pattern) {
                by_pattern(path)
            } else {
                Err(cannot(path, &e))
            }
        }
        Err(e) => Err(cannot(path, &e)),
    }
}

/// The files of a directory and of those below it, on its file system.
fn in_directory(directory: &Path) -> Result<FoundFiles, Failure> {
    let mut files_there = FoundFiles::default();
    let device = fs::metadata(directory).map_err(|e| cannot(directory, &e))?.dev();
    let mut below = vec![(directory.to_owned(), 0)];
    while let Some((next, depth)) = below.pop() {
        let found = match entries(&next) {
            Ok(found) => found,
            Err(failure) if depth == 0 => return Err(failure),
            Err(failure) => {
                files_there.unread.push(UnreadFile { file: carried::of_os(&next), why: failure.message });
                continue;
            }
        };
        for (path, kind) in found.into_iter().filter(|(path, _)| !is_hidden(path)) {
            let is_inside = || fs::metadata(&path).is_ok_and(|meta| meta.dev() == device);
            if kind.is_dir() {
                below.extend((depth < DEPTH_MAX && is_inside()).then_some((path, depth + 1)));
            } else {
                let is_known = name_of(&path).is_some_and(is_of_fio);
                let found = if is_known { FoundBy::DirectoryAndName } else { FoundBy::Directory };
                files_there.add(path, kind, found);
            }
        }
        if files_there.sources.len() > FILES_MAX {
            let message =
                format!("{}: more than {FILES_MAX} files are in this directory", directory.display());
            return Err(Failure::new(Exit::Usage, message).hint("name the directories of the results"));
        }
    }
    files_there.sort();
    if files_there.sources.is_empty() {
        let message = format!("{}: no logs or results of fio are in this directory", directory.display());
        return Err(Failure::new(Exit::Usage, message).hints(hints_of(&files_there)));
    }
    Ok(files_there)
}

/// Directories below a directory that are looked into.
const DEPTH_MAX: u32 = 32;

/// A directory with more files is none of results.
const FILES_MAX: usize = 100_000;

fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}

fn name_of(path: &Path) -> Option<&str> {
    path.file_name().and_then(|name| name.to_str())
}

/// What is in a directory.
fn entries(directory: &Path) -> Result<Vec<(PathBuf, FileType)>, Failure> {
    let all = fs::read_dir(directory).map_err(|e| cannot(directory, &e))?;
    let known = |entry: io::Result<fs::DirEntry>| {
        let entry = entry.map_err(|e| cannot(directory, &e))?;
        let kind = entry.file_type().map_err(|e| cannot(directory, &e))?;
        Ok((entry.path(), kind))
    };
    all.map(known).collect()
}

impl FoundFiles {
    /// Adds what was found. What is neither a file nor a link, such as a named pipe, holds no result, and a link whose name says nothing
    /// is none of fio's.
    fn add(&mut self, path: PathBuf, kind: FileType, found: FoundBy) {
        if kind.is_symlink() && found != FoundBy::Directory {
            self.unread.push(UnreadFile { file: carried::of_os(&path), why: LINK.to_owned() });
        } else if kind.is_file() {
            self.sources.push(ImportSource { path, found });
        }
    }

    /// By directories, and so that job 10 comes after job 9.
    fn sort(&mut self) {
        self.sources.sort_by_cached_key(|source| sorted_by(&source.path));
        self.unread.sort_by(|one, other| one.file.cmp(&other.file));
    }
}

/// Why what was found is not read.
fn hints_of(files_there: &FoundFiles) -> Vec<String> {
    files_there.unread.iter().map(|file| format!("{}: {}", file.file, file.why)).collect()
}

/// What a shell would have made of a pattern. Only the name of the file may be one.
fn by_pattern(path: &Path) -> Result<FoundFiles, Failure> {
    let pattern = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let files_there = of_pattern(directory.unwrap_or(Path::new(".")), pattern)?;
    if files_there.sources.is_empty() {
        let message = format!("{}: no file has a name of this pattern", path.display());
        return Err(Failure::new(Exit::Usage, message).hints(hints_of(&files_there)));
    }
    // The directory in which fathom works is not part of a name.
    let short = |source: ImportSource| match directory {
        Some(_) => source,
        None => {
            ImportSource { path: source.path.strip_prefix(".").unwrap_or(&source.path).to_owned(), ..source }
        }
    };
    let sources = files_there.sources.into_iter().map(short).collect();
    Ok(FoundFiles { sources, unread: files_there.unread })
}

/// Why a link is not read that was found in a directory: the person who made the directory may not be allowed to read where it leads.
const LINK: &str = "it is a link, which is followed only where it is named itself";

/// The regular files with names of a pattern.
fn of_pattern(directory: &Path, pattern: &str) -> Result<FoundFiles, Failure> {
    let mut files_there = FoundFiles::default();
    let fits = |path: &Path| name_of(path).is_some_and(|name| matches(pattern, name));
    for (path, kind) in entries(directory)?.into_iter().filter(|(path, _)| fits(path)) {
        files_there.add(path, kind, FoundBy::Pattern);
    }
    files_there.sort();
    Ok(files_there)
}

fn is_of_fio(name: &str) -> bool {
    LogName::of(name).is_some()
        || LogName::of_histograms(name).is_some()
        || RESULT_FORMATS.iter().any(|format| format.has_name(name))
}

fn sorted_by(path: &Path) -> (PathBuf, String, FioLogKind, u32, PathBuf) {
    let directory = path.parent().unwrap_or(Path::new("")).to_owned();
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    match LogName::of(&name).or_else(|| LogName::of_histograms(&name)) {
        Some(log) => (directory, log.prefix, log.kind, log.job.unwrap_or(0), path.to_owned()),
        None => (directory, name, FioLogKind::Bandwidth, 0, path.to_owned()),
    }
}

/// A named pipe could keep fathom waiting without end; a pipe that a shell passes has a writer.
fn refuse_unreadable(path: &Path, kind: FileType) -> Result<(), Failure> {
    let is_passed = ["/dev/fd", "/dev/stdin", "/proc/self/fd"].iter().any(|of| path.starts_with(of));
    let what = match () {
        () if kind.is_file() || (kind.is_fifo() && is_passed) => return Ok(()),
        () if kind.is_fifo() => "a named pipe",
        () if kind.is_block_device() || kind.is_char_device() => "a device",
        () => "a socket",
    };
    let message = format!("{}: this is {what}, and no file", path.display());
    let hint = "name files or directories, or give a pipe as <(COMMAND) with --kind";
    Err(Failure::new(Exit::Usage, message).hint(hint))
}

pub(super) fn cannot(path: &Path, e: &io::Error) -> Failure {
    if e.kind() == io::ErrorKind::NotFound {
        return Failure::new(Exit::Usage, format!("{} does not exist", path.display()))
            .hint("to print a run that fathom saved: fathom report RUN");
    }
    Failure::new(Exit::Usage, format!("{}: cannot read it: {e}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(files_there: &[ImportSource]) -> Vec<String> {
        files_there
            .iter()
            .map(|source| source.path.file_name().unwrap().to_string_lossy().into_owned())
            .collect()
    }

    /// T-7: with numjobs there is a file for each job. T-12: `*.log` is a pattern like any other.
    #[test]
    fn directories_and_patterns_find_the_logs_of_all_jobs() {
        let place = tempfile::tempdir().unwrap();
        for name in
            ["x_bw.10.log", "x_bw.9.log", "x_bw.log", "x_iops.1.log", "x_clat_hist.1.log", "r.json", "notes"]
        {
            fs::write(place.path().join(name), "").unwrap();
        }
        fs::create_dir(place.path().join("old_bw.1.log")).unwrap();
        let all = find(&[place.path().to_owned()]).unwrap().sources;
        let in_order =
            ["notes", "r.json", "x_bw.log", "x_bw.9.log", "x_bw.10.log", "x_iops.1.log", "x_clat_hist.1.log"];
        assert_eq!(names(&all), in_order);
        assert_eq!((all[0].found, all[1].found), (FoundBy::Directory, FoundBy::DirectoryAndName));
        let by = |pattern: &str| names(&find(&[place.path().join(pattern)]).unwrap().sources);
        assert_eq!(by("*_bw.*.log"), ["x_bw.9.log", "x_bw.10.log"]);
        assert_eq!(by("*_bw.log"), ["x_bw.log"]);
        assert_eq!(by("*.log").len(), 5);
        // A link is followed only where it is named.
        std::os::unix::fs::symlink(place.path().join("x_bw.log"), place.path().join("y_bw.log")).unwrap();
        let with_link = find(&[place.path().to_owned()]).unwrap();
        assert_eq!((with_link.sources.len(), with_link.unread.len()), (7, 1), "{with_link:?}");
        assert_eq!(find(&[place.path().join("y_bw.log")]).unwrap().sources.len(), 1);
        let twice = find(&[place.path().join("x_bw.9.log"), place.path().join("*.9.log")]).unwrap();
        assert_eq!(twice.sources.len(), 1, "a file that is named twice is read once");
    }

    #[test]
    fn directories_below_a_directory_are_looked_into() {
        let place = tempfile::tempdir().unwrap();
        for name in ["b/c/x.txt", "b/a.json", ".git/r.json", "r.json"] {
            let path = place.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        std::os::unix::fs::symlink(place.path(), place.path().join("b/again")).unwrap();
        make_pipe(&place.path().join("b/x_bw.1.log"));
        let all = find(&[place.path().to_owned()]).unwrap();
        assert_eq!(
            (names(&all.sources), all.unread),
            (["r.json", "a.json", "x.txt"].map(str::to_owned).to_vec(), vec![])
        );
    }

    #[test]
    fn what_holds_nothing_is_an_error_that_names_it() {
        let place = tempfile::tempdir().unwrap();
        let cases =
            [("", "no logs or results"), ("*.log", "no file has a name"), ("gone.log", "does not exist")];
        for (name, sentence) in cases {
            let failure = find(&[place.path().join(name)]).unwrap_err();
            assert!(failure.message.contains(sentence), "{}", failure.message);
        }
        fs::write(place.path().join("y_bw.log"), "").unwrap();
        let both = find(&[place.path().join("gone.log"), place.path().join("y_bw.log")]).unwrap();
        assert_eq!(
            (both.sources.len(), both.unread.len()),
            (1, 1),
            "one that is missing does not stop the others"
        );
        let pipe = place.path().join("x_bw.log");
        make_pipe(&pipe);
        assert!(find(&[pipe]).unwrap_err().message.contains("a named pipe"));
        assert!(find(&["/dev/null".into()]).unwrap_err().message.contains("a device"));
    }

    fn make_pipe(path: &Path) {
        let made = std::process::Command::new("mkfifo").arg(path).status().unwrap();
        assert!(made.success());
    }
}
