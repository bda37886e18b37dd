//! The subjects that a person named: runs, procedures, bundles, and results of fio.

use super::Private;
use crate::failure::{Exit, Failure};
use crate::misunderstood::is_job_file;
use crate::saved_result::{self, FoundRun};
use crate::terminal::slow_look;
use fathom_figures::fio::FioResult;
use fathom_figures::metric::Columns;
use fathom_judge::compare::Subject;
use fathom_session::bundle::is_bundle;
use fathom_session::compared;
use fathom_session::import::{FoundBy, ImportSource, ImportTerms, read};
use fathom_text::shell::quoted;
use fathom_text::{carried, shown};
use std::path::{Path, PathBuf};

/// What a person named.
enum Named {
    /// Results of fio.
    Fio(Vec<Subject>),
    /// A saved run or procedure.
    Saved(Box<FoundRun>),
}

/// The subjects that are meant by these words. Suites that are compared with each other are one subject each, and their cells
/// are its figures; the cells of a suite beside something else, and of one that is named alone, are subjects of their own.
pub(super) fn subjects(
    runs_dir: &Path,
    named: &[PathBuf],
    columns: &Columns,
    private: &mut Private,
) -> Result<Vec<Subject>, Failure> {
    let all =
        named.iter().map(|word| meant((runs_dir, word), columns, private)).collect::<Result<Vec<_>, _>>()?;
    let is_suite = |named: &Named| matches!(named, Named::Saved(found) if compared::is_suite(&found.dir));
    let are_whole = all.len() > 1 && all.iter().all(is_suite);
    let of_each = all.into_iter().map(|named| match named {
        Named::Fio(of_fio) => Ok(of_fio),
        Named::Saved(found) if are_whole => compared::whole_subjects(&found.dir, columns),
        Named::Saved(found) => compared::subjects(&found.dir, columns),
    });
    let of_each = of_each.collect::<Result<Vec<_>, _>>()?;
    differ(named, &of_each)?;
    Ok(of_each.into_iter().flatten().collect())
}

/// Are these different runs? A run does not differ from itself, whatever its figures are.
fn differ(named: &[PathBuf], of_each: &[Vec<Subject>]) -> Result<(), Failure> {
    let are_same = |one: &[Subject], other: &[Subject]| {
        one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one.is_same_as(other))
    };
    for (at, run) in of_each.iter().enumerate().filter(|(_, run)| !run.is_empty()) {
        if let Some(first) = of_each[..at].iter().position(|before| are_same(before, run)) {
            let (one, other) = (shown::path(&named[first]), shown::path(&named[at]));
            return Err(Failure::new(
                Exit::Usage,
                format!("{one} and {other} are the same run: nothing can differ"),
            )
            .hint("name two runs; to list the saved ones: fathom runs"));
        }
    }
    Ok(())
}

fn meant(
    (runs_dir, named): (&Path, &Path),
    columns: &Columns,
    private: &mut Private,
) -> Result<Named, Failure> {
    if slow_look().at(named, || named.is_file()) && !slow_look().at(named, || is_bundle(named))? {
        if is_job_file(named) {
            let message =
                format!("{} is a job file, and only runs and results are compared", shown::path(named));
            return Err(Failure::new(Exit::Usage, message).hint(
                "to measure job files in turn, and compare them: fathom compare --run OLD.fio NEW.fio",
            ));
        }
        private.learn_file(named);
        return of_fio(named, columns).map(Named::Fio);
    }
    let found = saved_result::readable(runs_dir, Some(named))?;
    private.learn(&found.dir)?;
    Ok(Named::Saved(Box::new(found)))
}

/// The results of fio in a file: its runs are those of one subject.
fn of_fio(file: &Path, columns: &Columns) -> Result<Vec<Subject>, Failure> {
    let source = ImportSource { path: file.to_owned(), found: FoundBy::Name };
    let imported = read(&[source], &ImportTerms::default()).map_err(|mut failure| {
        // The kind of a log is asked for by import.
        failure.hints.retain(|hint| !hint.contains("--kind"));
        failure.hint("compare takes saved runs, bundles of runs, and fio's JSON, terse output or text")
    })?;
    if imported.results.is_empty() {
        let message =
            format!("{} is a log of fio, and only runs and results are compared", shown::path(file));
        return Err(Failure::new(Exit::Usage, message)
            .hint(format!("to see what it says: fathom import {}", quoted(file))));
    }
    let name = file.file_stem().map(carried::of_os).unwrap_or_default();
    let runs: Vec<FioResult> = imported.results.into_iter().map(|found| found.result).collect();
    Ok(vec![Subject::of_fio(&name, &carried::of_os(file), &runs, columns)])
}
