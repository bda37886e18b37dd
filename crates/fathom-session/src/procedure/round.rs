//! A round: an ordinary run in the directory of its procedure. A target is filled by such a run too.

use super::driver::{Driver, Outcome, resume_hint, worse};
use super::jobs;
use super::one_run::round_request;
use crate::exit::{Exit, Failure, exit_of};
use crate::grounds::PlanGrounds;
use crate::notice::Message;
use crate::request::{Request, RoundRequest, RunDir, SavedAt};
use crate::verify_states::StatePlaces;
use crate::{run_dir, run_id};
use fathom_device::target::{self, PathKind};
use fathom_figures::workload::described;
use fathom_figures::{WrittenInAll, rows};
use fathom_job::parse::Adjust;
use fathom_job::plan::Plan;
use fathom_procedures::{History, Round, RoundJobs, round_figures, whole_figures};
use fathom_results::procedure::{JobSource, ROUNDS, RoundDone, StepDone, WRONG_BLOCKS_KEPT};
use fathom_results::seal::NO_SEAL;
use fathom_results::{Finish, JobResult, RoundRecord, RunEnd, RunResult, VerifiedJob};
use fathom_stats::SplitMix64;
use fathom_text::carried::{of_os, to_path};
use fathom_text::quantity::bytes;
use std::path::{Path, PathBuf};

impl Driver<'_> {
    /// Runs a round. `exit` becomes the exit code of the first round that failed.
    pub(super) fn round(&mut self, round: &Round, exit: &mut Exit) -> Result<Outcome, Failure> {
        let number = History::new(&self.steps).rounds().count() as u32 + 1;
        let directory = format!("{number:04}-{}", run_dir::plain(&round.cell));
        let dir = self.dir.path().join(ROUNDS).join(&directory);
        let result = match self.kept(number, round, &dir)? {
            Some(kept) => kept,
            None => self.measure(number, round, &dir).map_err(|e| self.changed_since(number, round, e))?,
        };
        let unsaved = unsaved(&result).map(|why| {
            let message = format!("round {directory} could not be saved: {why}");
            Failure::new(Exit::Incomplete, message).hint(resume_hint(self.dir.path()))
        });
        if unsaved.is_none() && !is_whole(&result) {
            return Ok(Outcome::Stopped(exit_of(&result)));
        }
        *exit = worse(*exit, &result);
        let did = StepDone::Round(done(directory, round, &result));
        Ok(match unsaved {
            None => Outcome::done(did),
            Some(why) => Outcome::Unsaved(Box::new(did), why),
        })
    }

    fn measure(&self, number: u32, round: &Round, dir: &Path) -> Result<RunResult, Failure> {
        let (name, seed) = (self.record.name.clone(), self.record.seed);
        let here = self.base.here();
        let (_, plan) = jobs::plan(&self.record.jobs, round, &options(seed, number), here)?;
        let (record, id) = (self.round_record(number, round, &plan), id(seed, number));
        let rounds = self.dir.path().join(ROUNDS);
        run_dir::remove_partial(&rounds, &id).map_err(|e| {
            let message = format!("cannot remove the rest of a killed round in {}: {e}", rounds.display());
            Failure::new(Exit::Failed, message)
        })?;
        let saved = SavedAt { dir: RunDir::Exactly(dir.to_owned()), state_dir: self.terms.state_dir.clone() };
        let load = round.state_from.as_ref().map(|from| rounds.join(to_path(from)));
        let earlier = round.earlier_states.iter().map(|from| rounds.join(to_path(from))).collect();
        // Each round has a directory of its own there, because two may find the same block wrong.
        let of_round = |all: &String| to_path(all).join(dir.file_name().unwrap_or_default());
        let request = Request {
            states: StatePlaces { load, save: None, earlier, knows_target: true },
            wrong_blocks_to: round.wrong_blocks_to.as_ref().map(of_round),
            // What to do next is this command with an option changed.
            command: self.record.command.clone(),
            tuned: self.tuned.clone(),
            round: Some(RoundRequest { id, record }),
            ..round_request(name, plan, round, saved, &self.terms)
        };
        // A refusal names the options that allow it, and they are given with the same command.
        let hint = |e: Failure| match e.exit {
            Exit::Refused => e,
            _ => e.hint(resume_hint(self.dir.path())),
        };
        self.base.run(request).map_err(hint)
    }

    /// A round that cannot begin although earlier ones could: the command line is as right as before, and the machine has
    /// changed. A device may have disappeared.
    fn changed_since(&self, number: u32, round: &Round, e: Failure) -> Failure {
        if number == 1 || e.exit != Exit::Usage {
            return e;
        }
        let why = e.findings.into_iter().next().map_or(e.message, |finding| finding.message);
        let message =
            format!("round {number} ({}) cannot begin: {why}; the rounds before it are saved", round.cell);
        Failure::new(Exit::Incomplete, message)
            .hint("fathom devices lists the disks that are there, and dmesg says what became of the others")
            .hint(resume_hint(self.dir.path()))
    }

    fn round_record(&self, number: u32, round: &Round, plan: &Plan) -> RoundRecord {
        let shared = &self.record.shared;
        let targets: Vec<String> = PlanGrounds::of(plan).targets.iter().map(of_os).collect();
        let is_shared = targets == shared.targets;
        RoundRecord {
            procedure: self.record.id.clone(),
            number,
            cell: round.cell.clone(),
            shared_facts: if is_shared { shared.host.len() } else { 0 },
            shared_findings: if is_shared { shared.audit.len() } else { 0 },
        }
    }

    /// The round that was measured whole before fathom was killed, and is only missing in the
    /// history. One that was cut short is set aside.
    fn kept(&self, number: u32, round: &Round, dir: &Path) -> Result<Option<RunResult>, Failure> {
        if !dir.exists() {
            return Ok(None);
        }
        if let Ok(run) = fathom_results::load(dir)
            && is_whole(&run)
            && run.damage.is_none()
            && run.record.seal.is_some()
            && run.record.id == id(self.record.seed, number)
            && run.record.round.as_ref().is_some_and(|known| {
                (&known.procedure, known.number, &known.cell) == (&self.record.id, number, &round.cell)
            })
        {
            return Ok(Some(run));
        }
        let aside = set_aside(dir)
            .map_err(|e| Failure::new(Exit::Failed, format!("cannot rename {}: {e}", dir.display())))?;
        self.base
            .here()
            .tell(Message::note(format!("the round that was cut short is kept in {}", aside.display())));
        Ok(None)
    }
}

/// What the history keeps of a round.
fn done(directory: String, round: &Round, result: &RunResult) -> RoundDone {
    let written = WrittenInAll::of(result);
    RoundDone {
        cell: round.cell.clone(),
        directory,
        record_crc32: result.record.seal.as_ref().map(|seal| seal.record_crc32.clone()).unwrap_or_default(),
        ended: result.record.finish.as_ref().map(|finish| finish.ended).unwrap_or_default(),
        failure: failure(result),
        workload: described(&rows(result), true),
        errors: errors(result),
        written_bytes: written.as_ref().map_or(0, |written| written.bytes),
        laid_out_bytes: written.as_ref().map_or(0, |written| written.laid_out),
        figures: round_figures(result),
        whole: Box::new(whole_figures(result)),
        verified: result.jobs.iter().filter_map(verified).collect(),
        answer: result.record.answer.clone().map(Box::new),
    }
}

fn verified(job: &JobResult) -> Option<VerifiedJob> {
    VerifiedJob::with_first_faults(job, WRONG_BLOCKS_KEPT)
}

/// Why a run that nobody ended is not saved as it was measured.
fn unsaved(run: &RunResult) -> Option<String> {
    let finish = run.record.finish.as_ref()?;
    match finish.ended {
        RunEnd::Unsaved => Some(not_saved(finish)),
        RunEnd::ByItself | RunEnd::JobFailed | RunEnd::Triggered => {
            let why = || run.incomplete.as_ref().map_or_else(|| NO_SEAL.to_owned(), fathom_words::incomplete);
            run.damage.clone().or_else(|| run.record.seal.is_none().then(why))
        }
        _ => None,
    }
}

/// What of a run could not be saved.
fn not_saved(finish: &Finish) -> String {
    finish.message.clone().unwrap_or_else(|| fathom_words::run_end(finish.ended).to_owned())
}

/// Whether the run ended by itself, also because a job failed.
fn is_whole(run: &RunResult) -> bool {
    let ended = run.record.finish.as_ref().map(|finish| finish.ended);
    matches!(ended, Some(RunEnd::ByItself | RunEnd::JobFailed | RunEnd::Triggered)) && run.damage.is_none()
}

/// I/Os that failed.
fn errors(run: &RunResult) -> u64 {
    run.jobs.iter().flat_map(|job| job.totals.directions.iter()).map(|(_, flow)| flow.errors).sum()
}

/// The first failure of a job, or why the run ended before the jobs did.
fn failure(run: &RunResult) -> Option<String> {
    if let Some(finish) = run.record.finish.as_ref().filter(|finish| finish.ended == RunEnd::Unsaved) {
        return Some(not_saved(finish));
    }
    let failures = run.jobs.iter().filter_map(|job| Some((job, job.outcome.as_ref()?.failure.as_ref()?)));
    failures.map(|(job, failure)| format!("{}: {}", job.planned.name, failure.message)).next()
}

/// Gives the directory the first free name of `NAME.cut-1`, `NAME.cut-2`, ….
fn set_aside(dir: &Path) -> std::io::Result<PathBuf> {
    let mut number = 1;
    loop {
        let aside = dir.with_extension(format!("cut-{number}"));
        if !aside.exists() {
            return std::fs::rename(dir, &aside).map(|()| aside);
        }
        number += 1;
    }
}

// The numbers of a round that follow from the seed of its procedure: its id and its random seed.
//
// A round that is measured again after a crash gets the same ones, so it does the same I/O.

/// The id of the run of round `number`.
pub(super) fn id(seed: u64, number: u32) -> String {
    run_id::of_number(stream(seed, number).next_bits())
}

/// The options that give every job of round `number` its random numbers.
pub(super) fn options(seed: u64, number: u32) -> [(String, String); 2] {
    let mut stream = stream(seed, number);
    stream.next_bits();
    // The range of `randseed`.
    let randseed = stream.next_bits() >> 1;
    [("randrepeat", "1".to_owned()), ("randseed", randseed.to_string())]
        .map(|(name, value)| (name.to_owned(), value))
}

fn stream(seed: u64, number: u32) -> SplitMix64 {
    let base = SplitMix64::new(seed).next_bits();
    SplitMix64::new(base ^ u64::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// Name of the directory that holds such runs.
const PREPARATIONS: &str = "preparations";

impl Driver<'_> {
    /// Fills the target. The inner error is the exit code of a run that was cut short.
    pub(super) fn fill(&mut self, target: &str) -> Result<Result<String, Exit>, Failure> {
        let here = self.base.here();
        let path = to_path(target);
        let facts = here.slow_look().at(&path, || target::inspect(here.root(), &path));
        // A file system may be unable to do direct I/O.
        let direct = u8::from(facts.is_ok_and(|facts| facts.kind == PathKind::Block));
        let text = format!(
            "[fill]\nioengine=psync\nrw=write\nbs=1m\nsize=100%\ndirect={direct}\nend_fsync=1\n\
             scramble_buffers=1\ndedupe_percentage=0\n"
        );
        let adjust = Adjust { target: Some(target.to_owned()), ..Adjust::default() };
        let jobs = RoundJobs::Text { text, adjust };
        let fill = Round::of("fill", jobs);
        let (_, plan) = jobs::plan(&JobSource::default(), &fill, &[], here)?;
        let dir = self.dir.path().join(PREPARATIONS).join(format!("{:04}-fill", self.steps.len() + 1));
        if dir.exists() {
            let cannot = |e| Failure::new(Exit::Failed, format!("cannot rename {}: {e}", dir.display()));
            set_aside(&dir).map_err(cannot)?;
        }
        let saved = SavedAt { dir: RunDir::Exactly(dir), state_dir: self.terms.state_dir.clone() };
        let run = self.base.run(round_request("fill".to_owned(), plan, &fill, saved, &self.terms))?;
        match exit_of(&run) {
            Exit::Ok => {
                let written: u64 = run.jobs.iter().map(|job| job.totals.directions.write.bytes).sum();
                Ok(Ok(format!("{} written", bytes(written as f64))))
            }
            exit => Ok(Err(exit)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn rounds_differ_and_repeat() {
        let ids: HashSet<String> = (0..10_000).map(|number| id(7, number)).collect();
        let seeds: HashSet<String> = (0..10_000).map(|number| options(7, number)[1].1.clone()).collect();
        assert_eq!((ids.len(), seeds.len()), (10_000, 10_000));
        assert_eq!((id(7, 3), options(7, 3)), (id(7, 3), options(7, 3)));
        assert_ne!((id(7, 3), options(7, 3)), (id(8, 3), options(8, 3)));
    }
}
