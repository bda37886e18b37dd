//! The subjects of a comparison, read from saved runs and procedures.

use crate::exit::{Exit, Failure};
use crate::procedure::saved_procedure;
use fathom_figures::metric::Columns;
use fathom_judge::compare::{Subject, SubjectOfRuns};
use fathom_procedures::{History, Pts, Suite};
use fathom_results::answer::MeasuredJobs;
use fathom_results::procedure::{ProcedureResult, RoundDone, is_procedure};
use fathom_results::{ComparedCells, ComparedSubject, Gap, RunResult};
use fathom_text::{carried, shown};
use std::path::Path;

/// The subjects in `dir`: a run is one, and a procedure has one for each of its cells, in the order in
/// which they were measured first. Runs that were saved without a judgement are judged now.
///
/// # Errors
/// `dir` holds no run, or a part of it cannot be read.
pub fn subjects(dir: &Path, columns: &Columns) -> Result<Vec<Subject>, Failure> {
    if is_procedure(dir) {
        of_cells(&undamaged(dir, dir)?, columns)
    } else {
        of_run(dir, columns).map(|subject| vec![subject])
    }
}

/// The subject in `dir`, where its suite is to be kept or checked as a whole: the cells of a suite are its figures.
///
/// # Errors
/// Those of [`subjects`].
pub fn whole_subjects(dir: &Path, columns: &Columns) -> Result<Vec<Subject>, Failure> {
    if !is_procedure(dir) {
        return subjects(dir, columns);
    }
    let saved = undamaged(dir, dir)?;
    match Suite::saved(&saved.record) {
        Ok(suite) => Ok(vec![of_suite(&saved, &suite, columns)?]),
        Err(_) => of_cells(&saved, columns),
    }
}

/// Does `dir` hold the run of a suite? Suites are compared with each other as wholes, and with anything else cell by cell.
pub fn is_suite(dir: &Path) -> bool {
    is_procedure(dir) && saved_procedure(dir).is_ok_and(|(saved, _)| Suite::saved(&saved.record).is_ok())
}

/// That a procedure did not come to its end.
pub fn unfinished(saved: &ProcedureResult) -> Option<Gap> {
    let (rounds, of) = (saved.rounds().count() as u64, u64::from(saved.record.forecast.rounds));
    saved.record.conclusion.is_none().then_some(Gap::NotFinished { rounds, of })
}

fn of_run(dir: &Path, columns: &Columns) -> Result<Subject, Failure> {
    let mut run = undamaged_run(dir)?;
    let about = ComparedSubject {
        name: run.record.name.clone(),
        source: carried::of_os(dir),
        id: Some(run.record.id.clone()),
        started_unix_ns: Some(run.record.started_unix_ns),
        ..ComparedSubject::default()
    };
    let mut subject = SubjectOfRuns::new(about, columns);
    subject.add(judged(&mut run));
    Ok(subject.done())
}

/// The run in `dir` as it was saved.
///
/// # Errors
/// `dir` holds no run, or a part of it is not as it was saved.
pub fn undamaged_run(dir: &Path) -> Result<RunResult, Failure> {
    let run = crate::run::load(dir)?;
    match &run.damage {
        None => Ok(run),
        Some(what) => Err(damaged(dir, what).hint("measure again, or name another run: fathom runs")),
    }
}

/// The procedure in `dir`, which a person knows as `place`, with all its rounds as they were saved.
///
/// # Errors
/// `dir` holds no procedure, or a part of it is damaged.
pub fn undamaged(dir: &Path, place: &Path) -> Result<ProcedureResult, Failure> {
    let (saved, damage) = saved_procedure(dir)?;
    match damage.first() {
        None => Ok(saved),
        Some(what) => Err(damaged(place, what).hint("its rounds are runs: compare them one by one")),
    }
}

fn damaged(place: &Path, what: &str) -> Failure {
    Failure::new(Exit::Incomplete, format!("{} cannot be compared: {what}", shown::path(place)))
}

/// The rounds of a suite that its tables have.
fn of_suite(saved: &ProcedureResult, suite: &Suite, columns: &Columns) -> Result<Subject, Failure> {
    let planned = suite.measured_cells();
    let jobs = MeasuredJobs::SuiteCells { suite: suite.name.clone(), cells: planned as u64 };
    let cells = ComparedCells { planned: planned as u32, ..ComparedCells::default() };
    let mut subject =
        SubjectOfRuns::new(ComparedSubject { jobs: Some(jobs), cells: Some(cells), ..about(saved) }, columns);
    let lacking = suite.lacking(&History::new(&saved.steps));
    unfinished(saved).into_iter().chain(lacking).for_each(|what| subject.lacks(what));
    for round in saved.rounds().filter(|round| suite.is_measured(round)) {
        match round.failed() {
            Some(why) => subject.round_failed(&round.directory, why),
            None => subject.add_cell(&round.cell, judged(&mut loaded(saved, round)?)),
        }
    }
    Ok(subject.done())
}

fn about(saved: &ProcedureResult) -> ComparedSubject {
    ComparedSubject {
        name: saved.record.name.clone(),
        source: carried::of_os(&saved.dir),
        id: Some(saved.record.id.clone()),
        started_unix_ns: Some(saved.record.started_unix_ns),
        ..ComparedSubject::default()
    }
}

/// The rounds of the measurement windows of each test: the others are steps to a steady state, and no repetitions. A run of all tests has
/// up to 1,400 rounds, and only those of the windows are read.
fn of_tests(saved: &ProcedureResult, pts: &Pts, columns: &Columns) -> Result<Subject, Failure> {
    let titles: Vec<&str> = pts.tests.iter().map(|test| test.title).collect();
    let workload = format!("{}: {}", pts.terms.edition.standard(), titles.join(", "));
    let mut subject =
        SubjectOfRuns::new(ComparedSubject { workload: Some(workload), ..about(saved) }, columns);
    unfinished(saved).into_iter().for_each(|what| subject.lacks(what));
    for round in saved.rounds() {
        if let Some(why) = round.failed() {
            subject.lacks(Gap::RoundFailed { round: round.directory.clone(), why });
        }
    }
    pts.conditions().iter().for_each(|(name, value)| subject.add_parameter(name, value));
    for test in pts.compared(&History::new(&saved.steps)) {
        test.left_out.into_iter().for_each(|(what, reason)| subject.leave_out_test(&what, reason));
        for window in test.windows {
            for round in saved.rounds().filter(|round| window.directories.contains(&round.directory)) {
                subject.add_window_round(&window.rounds_of, judged(&mut loaded(saved, round)?));
            }
            window.figures.into_iter().for_each(|figure| subject.add_window_figure(figure));
        }
    }
    Ok(subject.done())
}

fn of_cells(saved: &ProcedureResult, columns: &Columns) -> Result<Vec<Subject>, Failure> {
    if let Some(pts) = Pts::saved(&saved.record).map_err(|e| Failure::new(Exit::Incomplete, e))? {
        return Ok(vec![of_tests(saved, &pts, columns)?]);
    }
    let mut cells: Vec<&str> = Vec::new();
    for round in saved.rounds() {
        if !cells.contains(&round.cell.as_str()) {
            cells.push(&round.cell);
        }
    }
    if cells.is_empty() {
        return Err(Failure::new(
            Exit::Incomplete,
            format!("{} has no round that ended", saved.dir.display()),
        ));
    }
    let is_one = cells.len() == 1;
    cells.iter().map(|cell| of_cell(saved, cell, is_one, columns)).collect()
}

/// The rounds of one cell. Those that failed are left out: their figures are of a part of the time.
fn of_cell(
    saved: &ProcedureResult,
    cell: &str,
    is_only: bool,
    columns: &Columns,
) -> Result<Subject, Failure> {
    let record = &saved.record;
    let name = if is_only { record.name.clone() } else { format!("{}, {cell}", record.name) };
    let mut subject = SubjectOfRuns::new(ComparedSubject { name, ..about(saved) }, columns);
    // Every cell says this, because a cell that is missing has no subject that could say it.
    unfinished(saved).into_iter().for_each(|what| subject.lacks(what));
    for round in saved.rounds().filter(|round| round.cell == cell) {
        match round.failed() {
            Some(why) => {
                subject.round_failed(&round.directory, why.clone());
                subject.lacks(Gap::RoundFailed { round: round.directory.clone(), why });
            }
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
        fathom_procedures::judge(run);
    }
    run
}
