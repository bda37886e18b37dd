//! What to type instead of a word that `fathom run` cannot read as a job file.

use fathom_device::bounded;
use fathom_job::options::{is_assignment, nearest_of};
use fathom_text::carried::to_path;
use fathom_text::shell::quoted;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

/// Job files are not longer.
const JOB_FILE_MAX_BYTES: u64 = 1 << 20;

/// The job files that are named where a directory was given.
const FILES_SHOWN: usize = 3;

/// Hints for those of the files that cannot be job files; `plans` if `--plan` was given.
pub fn hints(files: &[String], plans: bool) -> Vec<String> {
    files.iter().filter(|file| *file != "-").filter_map(|file| hint(file, files, plans)).collect()
}

fn hint(file: &str, files: &[String], plans: bool) -> Option<String> {
    let path = to_path(file);
    match std::fs::metadata(&path).map(|found| found.file_type()) {
        Ok(kind) if kind.is_dir() => return Some(in_directory(&path)),
        Ok(kind) if kind.is_block_device() => return Some(format!("fathom quick {}", quoted(&path))),
        Ok(_) => {
            let text = bounded::file(&path, JOB_FILE_MAX_BYTES).ok()?;
            let is_json = path.extension().is_some_and(|extension| extension == "json");
            return (is_json || !text.contains(&b'[')).then(explained);
        }
        Err(_) => {}
    }
    if is_assignment(file) {
        // The job file that was typed beside it, if there is one.
        let other = files
            .iter()
            .find(|other| to_path(other).is_file())
            .map_or("JOBFILE".to_owned(), |other| quoted(to_path(other)));
        return Some(format!("fathom run {other} --set {}", quoted(&path)));
    }
    if plans && ["text", "json"].contains(&file) {
        return Some(format!("fathom run --plan={file} job.fio"));
    }
    Some(match neighbour(&path) {
        Some(near) => format!("fathom run {}", quoted(near)),
        None => explained(),
    })
}

fn explained() -> String {
    "how a job file is written: fathom help jobs".to_owned()
}

/// The job files of a directory.
fn in_directory(dir: &Path) -> String {
    let files = job_files(dir);
    match files.is_empty() {
        true => format!("to measure the disk under a directory: fathom quick {}", quoted(dir)),
        false => {
            let files: Vec<String> = files.iter().take(FILES_SHOWN).map(quoted).collect();
            format!("fathom run {}", files.join(" "))
        }
    }
}

/// The job file beside `path` whose name is almost the same.
fn neighbour(path: &Path) -> Option<PathBuf> {
    let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let files = job_files(dir);
    let names: Vec<&str> = files.iter().filter_map(|file| file.file_name()?.to_str()).collect();
    let near = nearest_of(path.file_name()?.to_str()?, names)?;
    Some(path.with_file_name(near))
}

fn job_files(dir: &Path) -> Vec<PathBuf> {
    let entries = dir.read_dir().into_iter().flatten().flatten().map(|entry| entry.path());
    let is_job =
        |path: &PathBuf| path.extension().is_some_and(|extension| extension == "fio" || extension == "job");
    let mut files: Vec<PathBuf> = entries.filter(is_job).collect();
    files.sort();
    files
}
