//! A procedure that was saved: read with all its rounds, and judged again.

use super::conclude;
use super::directory::LockedDirectory;
use crate::exit::{Exit, Failure};
use fathom_figures::metric::Columns;
use fathom_procedures::{self as procedure, History, RoundRuns, Step, Suite, round_figures, whole_figures};
use fathom_results::procedure::{
    CUT, ProcedureResult, ROUNDS, RoundDone, RoundFigures, StepDone, is_procedure, load_procedure,
};
use fathom_results::{Answer, LoadError, RunResult, StandardReport, Verdict, has_too_few};
use fathom_text::shell::quoted;
use std::path::Path;

/// Reads a procedure, and checks each of its rounds. The second value says what is not as it was
/// saved, one sentence each.
///
/// # Errors
/// The directory holds no procedure, its record is damaged, or an obstacle keeps a part of it from being read.
pub fn saved_procedure(dir: &Path) -> Result<(ProcedureResult, Vec<String>), Failure> {
    let saved = load_procedure(dir).map_err(|e| unreadable(dir, &e))?;
    let mut damage: Vec<String> = saved.damage.iter().cloned().collect();
    for round in saved.rounds() {
        damage.extend(round_damage(&saved, round)?);
    }
    Ok((saved, damage))
}

/// Why a round is not the one of the history, or not whole.
///
/// # Errors
/// An obstacle keeps it from being read.
pub(super) fn round_damage(saved: &ProcedureResult, round: &RoundDone) -> Result<Option<String>, Failure> {
    let run = match saved.load_round(round) {
        Ok(run) => run,
        Err(e) => {
            let message = format!("round {} cannot be read: {e}", round.directory);
            return match e.obstacle() {
                Some(obstacle) => Err(Failure::new(Exit::Failed, message).hint(obstacle.hint())),
                None => Ok(Some(message)),
            };
        }
    };
    let of_this_version = run.record.fathom == env!("CARGO_PKG_VERSION");
    let differs = || {
        let is_same = same_figures(&round.figures, &round_figures(&run));
        (of_this_version && !is_same).then(|| {
            format!("the figures of round {} in the history are not those of its run", round.directory)
        })
    };
    Ok(saved.round_damage(round, &run).or_else(differs))
}

/// Are these the same figures, but for the last digit of a number in a text?
fn same_figures(kept: &[RoundFigures], now: &[RoundFigures]) -> bool {
    let is_near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * a.abs().max(b.abs());
    let latencies =
        |one: &RoundFigures| (one.is_response, one.latency_percentiles.get(99.0), one.latency_ns_max);
    let has_same_latency = |a: &RoundFigures, b: &RoundFigures| {
        latencies(a) == latencies(b)
            && is_near(a.latency_ns_mean.unwrap_or(0.0), b.latency_ns_mean.unwrap_or(0.0))
    };
    let is_same = |(a, b): (&RoundFigures, &RoundFigures)| {
        (&a.job, a.ios) == (&b.job, b.ios)
            && has_same_latency(a, b)
            && is_near(a.iops, b.iops)
            && is_near(a.bytes_per_second, b.bytes_per_second)
            && is_near(a.seconds, b.seconds)
    };
    kept.len() == now.len() && kept.iter().zip(now).all(is_same)
}

/// Does a process work on the procedure in this directory?
pub fn is_running(dir: &Path) -> bool {
    LockedDirectory::is_locked(dir)
}

/// What the rounds say that are there of a procedure that was interrupted; `None` where they do not measure the same, where
/// there is none, and where a round failed.
pub fn answer_so_far(saved: &ProcedureResult) -> Option<Answer> {
    let procedure = procedure::open(&saved.record.procedure, &saved.record.parameters).ok()?;
    procedure.answer_so_far(&History::new(&saved.steps))
}

/// Is the result of a procedure that came to its end not valid, so that its run ended with [`Exit::NotValid`]? A round that failed, or
/// that met I/O errors, ended it with another code.
pub fn is_not_valid(saved: &ProcedureResult) -> bool {
    let history = History::new(&saved.steps);
    let is_whole = saved.record.conclusion.is_some()
        && history.failed().is_none()
        && history.rounds().all(|round| round.errors == 0);
    let procedure = procedure::open(&saved.record.procedure, &saved.record.parameters).ok();
    is_whole && procedure.is_some_and(|procedure| conclude::is_not_valid(&*procedure, &history))
}

/// The report that a standard asks for, of what was saved in this directory; `None` of a procedure that follows no standard.
pub fn standard_report(saved: &ProcedureResult, dir: &Path, columns: &Columns) -> Option<StandardReport> {
    let mut parameters = saved.record.parameters.clone();
    if columns.are_chosen() && saved.record.procedure == Suite::DEFINITION.name {
        Suite::choose(&mut parameters, columns);
    }
    let procedure = procedure::open(&saved.record.procedure, &parameters).ok()?;
    procedure.standard_report(&saved.record, &History::new(&saved.steps), &SavedRounds { saved, dir })
}

/// The runs of the rounds of the procedure in this directory.
struct SavedRounds<'a> {
    saved: &'a ProcedureResult,
    dir: &'a Path,
}

impl RoundRuns for SavedRounds<'_> {
    fn run(&self, directory: &str) -> Option<RunResult> {
        self.saved.load_round_in(self.dir, directory).ok()
    }

    fn cut(&self) -> u32 {
        let rounds = std::fs::read_dir(self.dir.join(ROUNDS)).into_iter().flatten().flatten();
        rounds.filter(|entry| entry.file_name().to_string_lossy().contains(CUT)).count() as u32
    }
}

/// Percentiles that figures of a round do not have.
#[derive(Clone, Debug, PartialEq)]
pub struct LackingPercentiles {
    /// The directory of the round.
    pub round: String,
    /// The job.
    pub job: String,
    /// Their per cents.
    pub percents: Vec<f64>,
    /// The per cents of the percentiles that its figures have.
    pub kept: Vec<f64>,
    /// Why its run cannot be used; `None` where that kept no distribution of latencies.
    pub damage: Option<String>,
}

/// Adds these percentiles to the figures of all rounds that do not have them, from their runs in `dir`. Returns those that are
/// not known; of too few I/Os there are none.
pub fn add_percentiles(saved: &mut ProcedureResult, dir: &Path, percents: &[f64]) -> Vec<LackingPercentiles> {
    let lacking = |figures: &RoundFigures| -> Vec<f64> {
        let has_latencies = figures.latency_ns_max.is_some() && !has_too_few(figures.ios);
        let is_lacking = |percent: &&f64| figures.latency_percentiles.get(**percent).is_none();
        percents.iter().filter(|_| has_latencies).filter(is_lacking).copied().collect()
    };
    let mut unknown = Vec::new();
    let mut steps = std::mem::take(&mut saved.steps);
    for step in &mut steps {
        let StepDone::Round(round) = &mut step.did else { continue };
        if round.figures.iter().all(|figures| lacking(figures).is_empty()) {
            continue;
        }
        let damage = match saved.load_round_in(dir, &round.directory) {
            Ok(run) => saved.round_damage(round, &run).or_else(|| {
                procedure::add_percentiles(&mut round.figures, &run, percents);
                None
            }),
            Err(e) => Some(e.to_string()),
        };
        unknown.extend(round.figures.iter().map(|figures| LackingPercentiles {
            round: round.directory.clone(),
            job: figures.job.clone(),
            percents: lacking(figures),
            kept: figures.latency_percentiles.percents(),
            damage: damage.clone(),
        }));
    }
    saved.steps = steps;
    unknown.retain(|it| !it.percents.is_empty());
    unknown
}

/// The verdict of today on what was saved. `damage` is what [`saved_procedure`] found.
///
/// # Errors
/// The procedure is not known, not finished, or damaged.
pub fn rejudged(saved: &ProcedureResult, damage: &[String]) -> Result<Verdict, Failure> {
    let cannot = |why: String| {
        let message = format!("{} cannot be judged again: {why}", saved.dir.display());
        Failure::new(Exit::Incomplete, message)
    };
    if let Some(damage) = damage.first() {
        return Err(cannot(damage.clone()));
    }
    let procedure = procedure::open(&saved.record.procedure, &saved.record.parameters).map_err(cannot)?;
    let mut steps = saved.steps.clone();
    for step in &mut steps {
        if let StepDone::Round(round) = &mut step.did {
            let run = saved.load_round(round).map_err(|e| cannot(e.to_string()))?;
            (round.figures, *round.whole) = (round_figures(&run), whole_figures(&run));
        }
    }
    match procedure.next(&History::new(&steps)) {
        Step::Done(verdict) => Ok(verdict),
        _ => Err(cannot("it is not finished".to_owned()).hint("fathom resume goes on with it")),
    }
}

/// Why a directory cannot be read as a procedure.
pub(super) fn unreadable(dir: &Path, e: &LoadError) -> Failure {
    if let Some(obstacle) = e.obstacle() {
        return Failure::new(Exit::Failed, e).hint(obstacle.hint());
    }
    match e {
        LoadError::Read { source, .. } if is_missing(source) && !is_procedure(dir) => not_one(dir, e),
        LoadError::Newer { .. } => Failure::new(Exit::Refused, e).hint("use the newer fathom"),
        _ => Failure::new(Exit::Incomplete, e)
            .hint("what its rounds measured can be read: fathom report ROUND"),
    }
}

fn is_missing(e: &std::io::Error) -> bool {
    matches!(e.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory)
}

/// A run has no steps.
fn not_one(dir: &Path, e: &LoadError) -> Failure {
    if is_single_run(dir) {
        return Failure::new(Exit::Usage, format!("{} is a single run, and no procedure", dir.display()))
            .hint(format!("to print what was saved: fathom report {}", quoted(dir)));
    }
    Failure::new(Exit::Usage, format!("{} holds no procedure: {e}", dir.display()))
        .hint("give the directory of a procedure: it holds procedure.json and history")
}

/// Is a run saved in this directory, and no procedure?
pub(super) fn is_single_run(dir: &Path) -> bool {
    dir.join(fathom_results::RunRecord::FILE).exists() && !is_procedure(dir)
}
