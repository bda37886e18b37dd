//! The names of jobs whose I/Os are operations on names (docs/adr/0027): the guard admits and changes them.

use fathom_engine::target::JobNames;
use fathom_guard::{AdmittedName, StatCall};
use fathom_job::engine::NameWork;
use fathom_job::options;
use fathom_job::plan::PlannedJob;
use std::fs::File;
use std::io;
use std::sync::Arc;

/// The names of one job, for its worker.
pub struct WorkerNames {
    work: NameWork,
    stat: StatCall,
    names: Vec<Arc<AdmittedName>>,
    /// What the last operation opened.
    opened: Option<File>,
}

impl WorkerNames {
    /// Makes the directories that are looked at or removed, and the files that are renamed.
    pub fn prepare(job: &PlannedJob, work: NameWork, names: Vec<Arc<AdmittedName>>) -> io::Result<Self> {
        if matches!(work, NameWork::StatDirectory | NameWork::RemoveDirectory) {
            names.iter().try_for_each(|name| make(name, work))?;
        }
        if work == NameWork::RenameFile {
            names.iter().try_for_each(|name| make_file(name))?;
        }
        let stat = match job.job.get(&options::STAT_TYPE) {
            "lstat" => StatCall::Lstat,
            "statx" => StatCall::Statx,
            _ => StatCall::Stat,
        };
        Ok(Self { work, stat, names, opened: None })
    }
}

/// A directory that is there already is looked at, and never removed.
fn make(name: &AdmittedName, work: NameWork) -> io::Result<()> {
    match name.make_directory() {
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists && work == NameWork::StatDirectory => Ok(()),
        Err(e) => Err(about(name, &e)),
        Ok(()) => {
            name.note_made();
            Ok(())
        }
    }
}

fn make_file(name: &AdmittedName) -> io::Result<()> {
    let file = name.open_new().map_err(|e| about(name, &e))?;
    name.note_file(&file);
    Ok(())
}

fn about(name: &AdmittedName, e: &io::Error) -> io::Error {
    io::Error::new(e.kind(), format!("{}: {e}", name.path().display()))
}

impl JobNames for WorkerNames {
    fn judge(&mut self, name: usize) -> i32 {
        match self.work {
            NameWork::StatFile | NameWork::StatDirectory | NameWork::CreateDirectory => 0,
            // A new file has `O_EXCL`, and a look at it before would make the kernel find its name faster.
            NameWork::CreateFile if !self.names[name].is_ours() => 0,
            NameWork::CreateFile
            | NameWork::RemoveFile
            | NameWork::RenameFile
            | NameWork::RemoveDirectory => status(self.names[name].forget_other()),
        }
    }

    fn act(&mut self, name: usize) -> i32 {
        let name = &self.names[name];
        status(match self.work {
            NameWork::CreateFile => name.open_new().map(|file| self.opened = Some(file)),
            NameWork::StatFile | NameWork::StatDirectory => name.stat(self.stat),
            NameWork::RenameFile => name.rename(),
            NameWork::CreateDirectory => name.make_directory(),
            NameWork::RemoveFile | NameWork::RemoveDirectory => name.remove(),
        })
    }

    fn settle(&mut self, name: usize, is_done: bool) {
        let name = &self.names[name];
        match (self.work, self.opened.take()) {
            (NameWork::CreateFile, Some(file)) => name.note_file(&file),
            (NameWork::CreateDirectory, _) if is_done => name.note_made(),
            _ => {}
        }
    }
}

fn status(result: io::Result<()>) -> i32 {
    result.err().map_or(0, |e| -e.raw_os_error().unwrap_or(libc::EIO))
}
