//! The subjects of a comparison, read from saved runs and procedures.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::procedure::saved_procedure;
use fathom_results::procedure::{ProcedureResult, RoundDone, is_procedure};
use fathom_results::{ComparedSubject, RunResult};
use fathom_suites::compare::{Subject, SubjectOfRuns};
use fathom_text::carried;
use std::path::Path;

/// The subjects in `dir`: a run is one, and a procedure has one for each of its cells, in the order in
/// which they were measured first. Runs that an earlier version saved without a judgement are judged
/// now.
///
/// # Errors
/// `dir` holds no run, or a part of it cannot be read.
pub fn subjects(dir: &Path) -> Result<Vec<Subject>, Failure> {
    if is_procedure(dir) { of_procedure(dir) } else { of_run(dir).map(|subject| vec![subject]) }
}

fn of_run(dir: &Path) -> Result<Subject, Failure> {
    let mut run = crate::run::load(dir)?;
    let about = ComparedSubject {
        name: run.record.name.clone(),
        source: carried::of_os(dir),
        id: Some(run.record.id.clone()),
        started_unix_ns: Some(run.record.started_unix_ns),
        ..ComparedSubject::default()
    };
    let mut subject = SubjectOfRuns::new(about);
    subject.add(judged(&mut run));
    Ok(subject.done())
}

fn of_procedure(dir: &Path) -> Result<Vec<Subject>, Failure> {
    let (saved, damage) = saved_procedure(dir)?;
    if let Some(what) = damage.first() {
        let said = format!("{} cannot be compared: {what}", dir.display());
        return Err(Failure::new(Exit::Incomplete, said).hint("its rounds are runs: compare them one by one"));
    }
    let mut cells: Vec<&str> = Vec::new();
    for round in saved.rounds() {
        if !cells.contains(&round.cell.as_str()) {
            cells.push(&round.cell);
        }
    }
    if cells.is_empty() {
        return Err(Failure::new(Exit::Incomplete, format!("{} has no round that ended", dir.display())));
    }
    let is_one = cells.len() == 1;
    cells.iter().map(|cell| of_cell(&saved, cell, is_one)).collect()
}

/// The rounds of one cell. Those that failed are left out: their figures are of a part of the time.
fn of_cell(saved: &ProcedureResult, cell: &str, is_only: bool) -> Result<Subject, Failure> {
    let record = &saved.record;
    let about = ComparedSubject {
        name: if is_only { record.name.clone() } else { format!("{}, {cell}", record.name) },
        source: carried::of_os(&saved.dir),
        id: Some(record.id.clone()),
        started_unix_ns: Some(record.started_unix_ns),
        ..ComparedSubject::default()
    };
    let mut subject = SubjectOfRuns::new(about);
    for round in saved.rounds().filter(|round| round.cell == cell) {
        match round.failed() {
            Some(why) => subject.leave_out(&format!("round {}", round.directory), why),
            None => subject.add(judged(&mut loaded(saved, round)?)),
        }
    }
    let subject = subject.done();
    Ok(if is_only { subject } else { subject.in_turn(&record.id) })
}

fn loaded(saved: &ProcedureResult, round: &RoundDone) -> Result<RunResult, Failure> {
    saved.load_round(round).map_err(|e| Failure::new(Exit::Incomplete, e))
}

/// A run says how far it can be trusted only if it was judged.
fn judged(run: &mut RunResult) -> &RunResult {
    if run.record.answer.is_none() && run.record.finish.is_some() {
        fathom_suites::judge(run);
    }
    run
}
