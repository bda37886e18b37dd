//! The page of a saved run: where it is, and where one is kept that is made later.
//!
//! Making a page is reading: nothing changes that the seal of the run names, and nothing is sealed again. So a page that
//! is made later is not one of the sealed files, and it is made again each time.

use crate::exit::{Exit, Failure};
use crate::run_dir::plain;
use crate::state::{make_own, state_dir};
use fathom_results::{RunRecord, RunResult, write_run_file};
use fathom_text::shown;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The page that was saved with the run, if it is as it was sealed, and this user's: a page can hold a program, which the
/// browser would run.
pub fn saved_page(run: &RunResult) -> Option<PathBuf> {
    let is_sealed = run.record.seal.as_ref().is_some_and(|seal| seal.holds(RunRecord::PAGE));
    (is_sealed && run.damage.is_none() && is_own(&run.dir)).then(|| run.dir.join(RunRecord::PAGE))
}

/// Keeps a page that was made of a saved run, and says where: in the run's directory if that is this user's and whole;
/// otherwise among this user's pages. A run that is not sealed may still run, and its end would seal what is in its directory.
///
/// # Errors
/// There is no place for it.
pub fn keep_page(run: &RunResult, page: &[u8]) -> Result<PathBuf, Failure> {
    keep_page_in(run, page, state_dir("pages"))
}

fn keep_page_in(run: &RunResult, page: &[u8], pages: Option<PathBuf>) -> Result<PathBuf, Failure> {
    let is_whole = run.record.seal.is_some() && run.damage.is_none();
    let names_page = || run.record.seal.as_ref().is_some_and(|seal| seal.holds(RunRecord::PAGE));
    // An earlier page is replaced; a link or a directory stays.
    let has_room = || {
        let there = std::fs::symlink_metadata(run.dir.join(RunRecord::PAGE));
        there.map_or_else(|e| e.kind() == io::ErrorKind::NotFound, |meta| meta.is_file())
    };
    if is_whole
        && !names_page()
        && has_room()
        && is_own(&run.dir)
        && write_run_file(&run.dir, RunRecord::PAGE, page).is_ok()
    {
        return Ok(run.dir.join(RunRecord::PAGE));
    }
    let no_place = "there is no directory of this user for the page";
    let pages = pages.ok_or_else(|| Failure::new(Exit::Failed, no_place))?;
    let name = format!("{}.html", plain(&run.record.id));
    let kept = make_own(&pages).and_then(|()| write_run_file(&pages, &name, page));
    let path = pages.join(name);
    kept.map_err(|e| Failure::new(Exit::Failed, format!("cannot write {}: {e}", shown::path(&path))))?;
    Ok(path)
}

/// Does the directory belong to this user?
fn is_own(dir: &Path) -> bool {
    std::fs::metadata(dir).is_ok_and(|meta| meta.uid() == rustix::process::geteuid().as_raw())
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_figures::fixture::{DirectionLoad, RunBuilder};
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    /// A saved run, in a directory that may be written.
    fn saved(dir: &Path) -> RunResult {
        let reads = DirectionLoad::reads(700, 4096, 1_000_000);
        RunBuilder::of("rw=read bs=4k filename=/dev/vda runtime=2 time_based").all(2, reads).save(dir);
        fathom_results::load(dir).unwrap()
    }

    #[test]
    fn a_page_that_is_made_later_changes_nothing_that_is_sealed() {
        let (dir, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let pages = state.path().join("fathom/pages");
        let run = saved(dir.path());
        let record = fs::read(dir.path().join("run.json")).unwrap();
        let kept = keep_page_in(&run, b"page", Some(pages.clone())).unwrap();
        assert_eq!(
            (kept, fs::read(dir.path().join("run.json")).unwrap()),
            (dir.path().join("report.html"), record)
        );
        let run = fathom_results::load(dir.path()).unwrap();
        assert_eq!((&run.damage, saved_page(&run)), (&None, None), "what is not sealed is made again");

        // Of a damaged run, and of one that may still run, nothing is written into its directory.
        fs::remove_file(dir.path().join("report.html")).unwrap();
        let mut other = run.clone();
        other.damage = Some("run.json was changed after it was saved".to_owned());
        let mut running = run;
        running.record.seal = None;
        for run in [other, running] {
            let kept = keep_page_in(&run, b"page", Some(pages.clone())).unwrap();
            assert_eq!(kept, pages.join(format!("{}.html", run.record.id)));
            assert!(!dir.path().join("report.html").exists());
            assert_eq!(fs::metadata(&pages).unwrap().permissions().mode() & 0o777, 0o700);
        }
    }

    /// The id of a record may come from anybody.
    #[test]
    fn an_id_is_never_a_path() {
        let (dir, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let mut run = saved(dir.path());
        run.record.seal = None;
        run.record.id = "../../../etc/cron.d/x".to_owned();
        let kept = keep_page_in(&run, b"page", Some(state.path().join("pages"))).unwrap();
        assert_eq!(kept.parent(), Some(state.path().join("pages").as_path()));
    }
}
