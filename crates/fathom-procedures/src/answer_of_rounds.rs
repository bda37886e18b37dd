//! The answer of rounds: each part as the rounds have it, and in how many of them.

use super::{History, reasons, spread};
use fathom_results::answer::limit::LimitRounds;
use fathom_results::answer::{MeasuredJobs, Remark};
use fathom_results::procedure::RoundDone;
use fathom_results::{
    Answer, DeviceClass, Instead, JobLimit, Limits, LostIos, NextStep, RoundsPart, Trust, TrustLevel, Verdict,
};

/// The answer of all rounds together, which measure the same. The figures are those of the verdict. `None` where a round has no answer.
pub(super) fn together(history: &History<'_>, verdict: &Verdict) -> Option<Answer> {
    let rounds: Vec<&RoundDone> = history.rounds().collect();
    let answers = reasons::answers(history)?;
    let first = *answers.first()?;
    let least = reasons::least(&answers)?;
    Some(Answer {
        measured: first.measured.clone(),
        so_far: None,
        jobs: first.jobs.as_ref().map(|jobs| each_round(jobs, &rounds)),
        instead: instead(&answers),
        result: verdict.headline.clone(),
        class: class(&answers),
        trust: reasons::trust(history, &answers)?,
        limit: limit(&answers),
        lost: failures(&rounds),
        remarks: spread::remark(history).into_iter().chain(remarks(&answers)).collect(),
        next: least.next.clone(),
    })
}

/// The answer of rounds that measure different things: what the procedure concluded, as far as its reasons allow, and what limited
/// the rounds. `None` where a round has no answer, and where there is none.
pub(super) fn concluded(history: &History<'_>, verdict: Verdict, next: NextStep) -> Option<Answer> {
    let rounds: Vec<&RoundDone> = history.rounds().collect();
    let answers = reasons::answers(history)?;
    let first = *answers.first()?;
    let Verdict { headline: result, distrust: mut reasons } = verdict;
    reasons.sort_by_key(|reason| reason.level.unwrap_or(TrustLevel::High));
    let level = reasons.iter().filter_map(|reason| reason.level).min().unwrap_or(TrustLevel::High);
    Some(Answer {
        measured: first.measured.clone(),
        result,
        trust: Trust { level, reasons, shortest_s: None },
        limit: limit(&answers),
        lost: failures(&rounds),
        next,
        ..Answer::default()
    })
}

/// The limit of each job that most rounds have, with the rounds in which it was found, and then the limits that other rounds
/// found. `None` where no round has one.
fn limit(answers: &[&Answer]) -> Option<Limits> {
    let is_part = answers.iter().any(|answer| answer.limit.as_ref().is_some_and(|limits| limits.is_part));
    let mut all: Vec<JobLimit> = Vec::new();
    for (at, answer) in answers.iter().enumerate() {
        for limit in answer.limit.iter().flat_map(|limits| &limits.jobs) {
            let is_same = |known: &&mut JobLimit| known.job == limit.job && known.limit.is_same(&limit.limit);
            match all.iter_mut().find(is_same).and_then(|known| known.rounds.as_mut()) {
                Some(rounds) => rounds.rounds.push(at as u64 + 1),
                None => {
                    let rounds = LimitRounds { rounds: vec![at as u64 + 1], of: answers.len() as u64 };
                    all.push(JobLimit { rounds: Some(rounds), ..limit.clone() });
                }
            }
        }
    }
    all.sort_by_key(|limit| std::cmp::Reverse(limit.rounds.as_ref().map(|it| it.rounds.len())));
    (!all.is_empty()).then_some(Limits { jobs: all, is_part })
}

/// The class of the device, where all rounds found the same and none something else than the disk. The evidence is that
/// of the first round.
fn class(answers: &[&Answer]) -> Option<DeviceClass> {
    let first = answers.first()?.class.as_ref()?;
    let is_same = |answer: &&Answer| answer.class.as_ref().is_some_and(|class| class.is_same(first));
    answers.iter().all(is_same).then_some(*first)
}

/// What was measured instead of the disk, in how many rounds. Where the rounds saw different amounts, those that are given
/// have the number of their round.
pub(super) fn instead(answers: &[&Answer]) -> Option<Instead> {
    let mut all = answers.iter().enumerate().filter_map(|(at, answer)| Some((at, answer.instead.as_ref()?)));
    let (at, first) = all.next()?;
    let is_same = |other: &Instead| {
        let codes = |of: &Instead| of.findings.iter().map(|it| it.code().to_owned()).collect::<Vec<_>>();
        codes(other) == codes(first) && other.failed.is_some() == first.failed.is_some()
    };
    let same: Vec<&Instead> = all.map(|(_, instead)| instead).filter(|it| is_same(it)).collect();
    let part = RoundsPart { times: 1 + same.len() as u64, of: answers.len() as u64 };
    let is_exact = same.iter().all(|other| *other == first);
    Some(Instead {
        rounds: Some(part).filter(|part| !is_exact || part.times < part.of),
        amounts_of_round: (!is_exact).then_some(at as u64 + 1),
        ..first.clone()
    })
}

/// The remarks of all rounds, each once, with the number of rounds that have it.
fn remarks(answers: &[&Answer]) -> Vec<Remark> {
    let mut all: Vec<(&Remark, u64)> = Vec::new();
    for one in answers.iter().flat_map(|answer| &answer.remarks) {
        match all.iter_mut().find(|(known, _)| *known == one) {
            Some((_, times)) => *times += 1,
            None => all.push((one, 1)),
        }
    }
    let of = answers.len() as u64;
    let part = |times| (times < of).then_some(RoundsPart { times, of });
    all.into_iter().map(|(it, times)| Remark { rounds: part(times), ..it.clone() }).collect()
}

/// The jobs of a round, and what all rounds wrote.
fn each_round(jobs: &MeasuredJobs, rounds: &[&RoundDone]) -> MeasuredJobs {
    let sum = |of: fn(&RoundDone) -> u64| rounds.iter().map(|round| of(round)).sum();
    MeasuredJobs::Rounds {
        each: Box::new(jobs.clone()),
        workload: rounds[0].workload.clone(),
        written_bytes: sum(|round| round.written_bytes),
        laid_out_bytes: sum(|round| round.laid_out_bytes),
    }
}

/// I/Os that failed in a round that went on.
fn failures(rounds: &[&RoundDone]) -> Option<LostIos> {
    let failed: u64 = rounds.iter().map(|round| round.errors).sum();
    (failed > 0).then_some(LostIos { failed, issued: None, jobs: Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{answer, finding};
    use fathom_results::answer::RemarkKind;
    use fathom_results::{Finding, Limit, Weight};

    #[test]
    fn the_limit_of_most_rounds_is_first_and_has_their_numbers() {
        let of = |limits: &[Limit]| {
            let job = |limit: &Limit| JobLimit {
                job: "j".to_owned(),
                limit: limit.clone(),
                against: Vec::new(),
                rounds: None,
            };
            let limits = Limits { jobs: limits.iter().map(job).collect(), is_part: false };
            Answer { limit: Some(limits), ..answer() }
        };
        let all = [Limit::AskedRate, Limit::ThinkTime, Limit::AskedRate].map(|limit| of(&[limit]));
        let found = limit(&all.iter().collect::<Vec<_>>()).unwrap();
        let rounds = |at: usize| found.jobs[at].rounds.as_ref().unwrap().rounds.clone();
        assert_eq!((rounds(0), rounds(1), found.jobs.len()), (vec![1, 3], vec![2], 2));
        let line = "j: the rate that the job asks for (in rounds 1 and 3); j: the think time that the job asks for, at \
                    least in part (in round 2)";
        assert_eq!(fathom_words::limit::line(&found), line);
    }

    #[test]
    fn what_not_every_round_remarks_is_counted() {
        let remark = |kind: RemarkKind| Remark { kind, rounds: None };
        let (alone, none) = (RemarkKind::Alone, RemarkKind::Scheduler { name: "none".to_owned() });
        let all = [vec![alone, none.clone()], vec![none]]
            .map(|of| Answer { remarks: of.into_iter().map(remark).collect(), ..answer() });
        let words: Vec<String> = remarks(&[&all[0], &all[1]]).iter().map(fathom_words::remark).collect();
        assert_eq!(words, ["no I/O of other programs on the disk (in 1 of 2 rounds)", "scheduler none"]);
        let rounds = [3_000, 4_000].map(|written_bytes| RoundDone { written_bytes, ..RoundDone::default() });
        let jobs = each_round(&answer().jobs.unwrap(), &[&rounds[0], &rounds[1]]);
        assert!(fathom_words::measured_jobs(&jobs).ends_with("; wrote 7.00 kB in all"), "{jobs:?}");
    }

    #[test]
    fn amounts_have_the_number_of_their_round() {
        let memory = |code: &str, weight| Finding { weight, ..finding(code) };
        let of = |finding: Option<Finding>| {
            let instead = finding.map(|it| Instead { findings: vec![it], ..Instead::default() });
            Answer { instead, ..answer() }
        };
        let one = Some(memory("foreign-io", Weight::Instead));
        let other = Some(memory("foreign-io", Weight::Low));
        let memory = Some(memory("memory-backed", Weight::Instead));
        let part = |times| Some(RoundsPart { times, of: 3 });
        for (rounds, expected) in [
            ([None, None, None], None),
            ([one.clone(), one.clone(), one.clone()], Some((None, None))),
            ([None, one.clone(), one.clone()], Some((part(2), None))),
            ([None, one.clone(), other.clone()], Some((part(2), Some(2)))),
            ([memory, one, other], Some((part(1), None))),
        ] {
            let all = rounds.map(of);
            let found = instead(&all.iter().collect::<Vec<_>>());
            assert_eq!(found.map(|it| (it.rounds, it.amounts_of_round)), expected);
        }
    }
}
