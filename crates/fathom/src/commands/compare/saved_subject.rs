//! The subjects that a person named: runs, procedures, bundles, and results of fio.

use super::Private;
use super::fio_results::{FioResults, group_of, name_by_options, of_file, of_group};
use crate::failure::{Exit, Failure};
use crate::misunderstood::is_job_file;
use crate::saved_result::{self, FoundRun};
use crate::terminal::slow_look;
use fathom_figures::metric::Columns;
use fathom_judge::compare::Subject;
use fathom_session::bundle::is_bundle;
use fathom_session::compared;
use fathom_text::shown;
use std::path::{Path, PathBuf};

/// What a person named.
enum Named {
    /// Results of fio.
    Fio(FioResults),
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
    let mut all = named.iter().map(|word| meant((runs_dir, word), private)).collect::<Result<Vec<_>, _>>()?;
    name_by_options(&mut all.iter_mut().filter_map(Named::of_fio).collect::<Vec<_>>());
    let is_suite = |named: &Named| matches!(named, Named::Saved(found) if compared::is_suite(&found.dir));
    let are_whole = all.len() > 1 && all.iter().all(is_suite);
    let of_each = all.into_iter().map(|named| match named {
        Named::Fio(results) => Ok(vec![results.subject(columns)]),
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

impl Named {
    fn of_fio(&mut self) -> Option<&mut FioResults> {
        match self {
            Named::Fio(results) => Some(results),
            Named::Saved(_) => None,
        }
    }
}

fn meant((runs_dir, named): (&Path, &Path), private: &mut Private) -> Result<Named, Failure> {
    if let Some((name, paths)) = group_of(named) {
        paths.iter().for_each(|path| private.learn_file(path));
        return of_group(name, &paths).map(Named::Fio);
    }
    if slow_look().at(named, || named.is_file()) && !slow_look().at(named, || is_bundle(named))? {
        if is_job_file(named) {
            let message =
                format!("{} is a job file, and only runs and results are compared", shown::path(named));
            return Err(Failure::new(Exit::Usage, message).hint(
                "to measure job files in turn, and compare them: fathom compare --run OLD.fio NEW.fio",
            ));
        }
        private.learn_file(named);
        return of_file(named).map(Named::Fio);
    }
    let found = saved_result::readable(runs_dir, Some(named))?;
    private.learn(&found.dir)?;
    Ok(Named::Saved(Box::new(found)))
}
