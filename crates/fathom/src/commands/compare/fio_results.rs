//! Results of fio and of other programs that a person named: a file, or a group of files and directories, `OLD=a.json,b.json` and `NEW=DIR`.

use crate::failure::{Exit, Failure, say};
use fathom_figures::fio::{FioResult, UnreadFile};
use fathom_figures::metric::Columns;
use fathom_figures::programs::ProgramResult;
use fathom_judge::compare::Subject;
use fathom_report::import::options;
use fathom_session::import::{FoundBy, ImportSource, ImportTerms, find, read};
use fathom_text::shell::quoted;
use fathom_text::{carried, shown};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Results of fio and of other programs under one name.
pub(super) struct FioResults {
    name: String,
    source: String,
    runs: Vec<FioResult>,
    programs: Vec<ProgramResult>,
    /// Are they repeats of several jobs? The runs of one file are repeats of the same.
    is_group: bool,
}

/// `NAME=PATH,PATH…`, if a word is that, and no file has this name.
pub(super) fn group_of(word: &Path) -> Option<(String, Vec<PathBuf>)> {
    let text = word.to_str().filter(|_| !word.exists())?;
    let (name, paths) = text.split_once('=')?;
    let is_name = !name.is_empty() && !name.contains('/');
    is_name.then(|| {
        (name.to_owned(), paths.split(',').filter(|path| !path.is_empty()).map(PathBuf::from).collect())
    })
}

/// The results in a file. Its runs are those of one subject.
pub(super) fn of_file(file: &Path) -> Result<FioResults, Failure> {
    let source = ImportSource { path: file.to_owned(), found: FoundBy::Name };
    let name = file.file_stem().map(carried::of_os).unwrap_or_default();
    let Read { runs, programs, .. } = results(&[source], file)?;
    Ok(FioResults { name, source: carried::of_os(file), runs, programs, is_group: false })
}

/// What was read of files.
struct Read {
    runs: Vec<FioResult>,
    programs: Vec<ProgramResult>,
    unread: Vec<UnreadFile>,
}

/// The runs in these files, and the files that could not be read. `first` is what the person named, or the first of it.
fn results(sources: &[ImportSource], first: &Path) -> Result<Read, Failure> {
    let terms = ImportTerms { has_no_kind: true, ..ImportTerms::default() };
    let what = "compare takes saved runs, bundles of runs, fio's JSON, terse output or text, and results of other programs";
    let imported = read(sources, &terms).map_err(|failure| failure.hint(what))?;
    if imported.results.is_empty() && imported.programs.is_empty() {
        let message =
            format!("{}: this is a log of fio, and only runs and results are compared", shown::path(first));
        return Err(Failure::new(Exit::Usage, message)
            .hint(format!("to see what it says: fathom import {}", quoted(first))));
    }
    Ok(Read {
        runs: imported.results.into_iter().map(|found| found.result).collect(),
        programs: imported.programs.into_iter().map(|found| found.result).collect(),
        unread: imported.unread,
    })
}

/// The results in files and directories. What in them is none is named.
pub(super) fn of_group(name: String, paths: &[PathBuf]) -> Result<FioResults, Failure> {
    let Some(first) = paths.first() else {
        let message = format!("{name}= names no file");
        return Err(Failure::new(Exit::Usage, message)
            .hint(format!("name files or directories: {name}=a.json,b.json")));
    };
    let found = find(paths)?;
    let Read { runs, programs, unread } = results(&found.sources, first)?;
    let unread = || found.unread.iter().chain(&unread);
    // One that was named itself is missed; of a directory the others are compared.
    if let Some(missing) = unread().find(|file| paths.iter().any(|path| carried::of_os(path) == file.file)) {
        return Err(Failure::new(Exit::Usage, missing.why.clone()));
    }
    unread().for_each(|file| say(&format!("note: {name}: not read: {}", file.why)));
    let source = paths.iter().map(carried::of_os).collect::<Vec<_>>().join(", ");
    Ok(FioResults { name, source, runs, programs, is_group: true })
}

/// Where one name of a job has several options within a group, the options become a part of its name, in all that is compared:
/// only equal jobs are compared then.
pub(super) fn name_by_options(all: &mut [&mut FioResults]) {
    let mut ambiguous: BTreeSet<String> = BTreeSet::new();
    for group in all.iter().filter(|of| of.is_group) {
        let mut known: BTreeMap<&str, String> = BTreeMap::new();
        for job in group.runs.iter().flat_map(|run| &run.jobs) {
            let own = options(job);
            if *known.entry(&job.name).or_insert_with(|| own.clone()) != own {
                ambiguous.insert(job.name.clone());
            }
        }
    }
    let jobs = all.iter_mut().flat_map(|of| &mut of.runs).flat_map(|run| &mut run.jobs);
    for job in jobs.filter(|job| ambiguous.contains(&job.name)) {
        job.name = format!("{} ({})", job.name, options(job));
    }
}

impl FioResults {
    /// As one of the things that are compared.
    pub(super) fn subject(&self, columns: &Columns) -> Subject {
        if self.runs.is_empty() {
            return Subject::of_programs(&self.name, &self.source, &self.programs, columns);
        }
        let of = if self.is_group { Subject::of_fio_group } else { Subject::of_fio };
        of(&self.name, &self.source, &self.runs, columns).with_programs(&self.programs, columns)
    }
}
