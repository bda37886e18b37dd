//! Job files measured in turn, for a comparison.

use super::CompareArgs;
use crate::commands::run::planned;
use crate::driven::Driving;
use crate::failure::{Exit, Failure, say};
use crate::messages;
use crate::steps;
use crate::terminal::here;
use fathom_job::parse::Adjust;
use fathom_procedures::InTurn;
use fathom_session::procedure::{DrivenRounds, forecast, read_apart};
use fathom_text::carried::{of_os, to_path};
use fathom_text::shell::quoted;
use std::path::PathBuf;

/// Measures the files, and returns the directory of the procedure.
pub(super) fn measured(args: &CompareArgs) -> Result<PathBuf, Failure> {
    let here = here();
    let files: Vec<String> = args.runs.iter().map(of_os).collect();
    if files.len() < 2 {
        return Err(Failure::new(Exit::Usage, "--run measures at least two job files in turn")
            .hint("fathom compare --run OLD.fio NEW.fio"));
    }
    let adjust = Adjust { target: args.target.clone(), ..Adjust::default() };
    let (jobs, source) = read_apart(&files, &adjust, &here).map_err(|failure| not_read(failure, &files))?;
    for jobs in &jobs {
        messages::findings(&planned(jobs, &here)?);
    }
    let procedure = InTurn { files, rounds: args.rounds };
    say(&format!("compare: {}", steps::forecast(&forecast(&procedure, &source, &here)?)));
    let procedure = (InTurn::DEFINITION.name, procedure.parameters());
    let driving = Driving::of((&args.labels, &args.consent, &args.place), &here);
    whole(driving.run("compare", procedure, source)?)
}

/// The failure with what may have been meant.
fn not_read(failure: Failure, files: &[String]) -> Failure {
    if files.iter().any(|file| to_path(file).is_file()) {
        return failure.hint("how a job file is written: fathom help jobs");
    }
    let runs: Vec<String> = files.iter().map(|file| quoted(to_path(file))).collect();
    failure.hint(format!(
        "to compare saved runs of these names, without --run: fathom compare {}",
        runs.join(" ")
    ))
}

/// The directory, if every round was measured.
pub(in crate::commands) fn whole(driven: DrivenRounds) -> Result<PathBuf, Failure> {
    let dir = quoted(&driven.dir);
    if let Some(broken_off) = driven.broken_off {
        return Err(broken_off.why);
    }
    match driven.exit {
        Exit::Ok if driven.verdict.is_some() => Ok(driven.dir),
        exit => {
            let exit = if exit == Exit::Ok { Exit::Incomplete } else { exit };
            Err(match driven.verdict {
                Some(verdict) => Failure::new(
                    exit,
                    format!("nothing is compared. {}", fathom_words::headline(&verdict.headline)),
                )
                .hint(format!("all rounds that ended are saved in {dir}")),
                None => Failure::new(exit, "not all rounds ended, so nothing is compared")
                    .hint(format!("all that ended is saved; to go on: fathom resume {dir}")),
            })
        }
    }
}
