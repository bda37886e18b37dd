//! `fathom report`: a saved run, printed again, whole or cut short.

use super::output;
use crate::args::{Format, OutputArgs};
use crate::failure::{Exit, Failure, say};
use crate::place::OutputKind;
use crate::terminal::slow_look;
use clap::Args;
use fathom_results::RunResult;
use fathom_session::outputs::InUse;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub struct ReportArgs {
    /// Directory of a run, or the id it printed; default: the newest in
    /// fathom-runs
    pub run: Option<PathBuf>,
    /// What to print
    #[arg(long, value_name = "FORMAT", default_value = "summary", value_delimiter = ',')]
    pub output_format: Vec<Format>,
    /// Judge the run again by the rules of this version, from what was saved; the saved run stays as
    /// it is
    #[arg(long)]
    pub rejudge: bool,
    /// Where the output goes.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Runs the command. A run that is incomplete is printed and exits with 7.
pub fn run(args: &ReportArgs) -> Result<Exit, Failure> {
    let mut result = fathom_session::load(&find(args.run.as_deref())?)?;
    if args.rejudge {
        rejudge(&mut result);
    }
    let in_use = InUse::default();
    let place = args.output.place(OutputKind::Result, &in_use)?;
    output::write(&result, &args.output_format, place)?;
    let exit = if result.incomplete.is_some() { Exit::Incomplete } else { Exit::Ok };
    output::tell_incomplete(&result, &args.output_format, exit);
    Ok(exit)
}

/// Judges a run again, and says what is judged differently now.
fn rejudge(run: &mut RunResult) {
    let before = run.record.clone();
    fathom_suites::judge(run);
    let now = &run.record;
    let is_same = (&before.taints, &before.verdict) == (&now.taints, &now.verdict)
        && before.self_knowledge == now.self_knowledge;
    say(&match (is_same, fathom_suites::new_rules(&before)) {
        (true, _) => "judged again: the words are the same as when it ran".to_owned(),
        (false, None) => format!(
            "judged again: the words differ; the run was judged by fathom {}, which did not record its rules",
            before.fathom
        ),
        (false, Some(new)) if new.is_empty() => {
            format!("judged again: the words of fathom {} were different; no rule is new", before.fathom)
        }
        (false, Some(new)) => format!("judged again: new rules since then: {}", new.join(", ")),
    });
}

/// The directory that was meant: a path, an id, or the newest.
fn find(named: Option<&Path>) -> Result<PathBuf, Failure> {
    let runs = Path::new("fathom-runs");
    let Some(named) = named else { return newest(runs) };
    let id = named.to_string_lossy();
    if slow_look().at(named, || named.exists()) || id.contains('/') {
        return Ok(named.to_owned());
    }
    let is_it = |entry: &std::fs::DirEntry| entry.file_name().to_string_lossy().ends_with(&format!("-{id}"));
    let entries = std::fs::read_dir(runs).into_iter().flatten().flatten();
    match entries.filter(is_it).collect::<Vec<_>>().as_slice() {
        [one] => Ok(one.path()),
        _ => Err(Failure::new(
            Exit::Usage,
            format!("no run {id}: neither a directory nor an id in fathom-runs"),
        )),
    }
}

/// Names begin with the time in UTC, so the last by name is the newest.
fn newest(runs: &Path) -> Result<PathBuf, Failure> {
    let entries = std::fs::read_dir(runs).into_iter().flatten().flatten().map(|e| e.path());
    let saved = entries.filter(|p| !p.is_symlink() && p.join("run.json").is_file());
    saved.max().ok_or_else(|| {
        Failure::new(Exit::Usage, "there is no run in fathom-runs").hint("name the directory of a run")
    })
}
