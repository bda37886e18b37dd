//! The reasons for less trust in rounds that measure the same, each with the number of rounds that it affects.

use super::{History, spread};
use fathom_judge::taint::{RATE_FELL, UNSTABLE};
use fathom_results::procedure::RoundDone;
use fathom_results::{Answer, Evidence, Finding, Reason, RoundsPart, Trust, TrustLevel, Why};
use std::mem::discriminant;

/// How far the rounds can be trusted together: as far as the least trusted one, and less where they differ much. The reason of
/// the least trusted round is first, then what the rounds say together, then the others. `None` without a round.
pub(super) fn trust(history: &History<'_>, answers: &[&Answer]) -> Option<Trust> {
    let least = &least(answers)?.trust;
    let mut own = spread::doubts(history);
    let level = if own.is_empty() { least.level } else { least.level.min(TrustLevel::Medium) };
    if history.rounds().count() == 1 {
        own.push(Reason::new(Why::OneRound, None));
    }
    let mut reasons = of_answers(answers);
    let at = usize::from(least.level < TrustLevel::High && !reasons.is_empty());
    reasons.splice(at..at, own);
    Some(Trust { level, reasons, shortest_s: least.shortest_s.filter(|_| level == TrustLevel::High) })
}

/// The answers of all rounds; `None` where one has none.
pub(super) fn answers<'h>(history: &History<'h>) -> Option<Vec<&'h Answer>> {
    history.rounds().map(|round: &RoundDone| round.answer.as_deref()).collect()
}

/// The reasons of rounds that measure different things: those of their answers, or where a round has none, what rules found.
pub(super) fn of_rounds(history: &History<'_>) -> Vec<Reason> {
    answers(history).map_or_else(|| history.doubts(), |answers| of_answers(&answers))
}

/// The first answer with the least trust; of such answers, one that says what was measured instead of the disk.
pub(super) fn least<'a>(answers: &[&'a Answer]) -> Option<&'a Answer> {
    answers.iter().copied().min_by_key(|answer| (answer.trust.level, answer.instead.is_none()))
}

/// The reasons of the answers, those of the least trusted first, each with the number of answers that have it.
pub(super) fn of_answers(answers: &[&Answer]) -> Vec<Reason> {
    let first = least(answers);
    let mut all: Vec<Reason> = Vec::new();
    for reason in first.iter().chain(answers).flat_map(|answer| &answer.trust.reasons) {
        if all.iter().all(|known| !is_same(known, reason)) {
            let has = |answer: &&&Answer| answer.trust.reasons.iter().any(|other| is_same(other, reason));
            let times = answers.iter().filter(has).count() as u64;
            all.push(Reason {
                rounds: Some(RoundsPart { times, of: answers.len() as u64 }),
                ..reason.clone()
            });
        }
    }
    all
}

/// Do two rounds have the same reason? It is that of the same rule, whatever it saw. Those about rates name jobs, which may be
/// others in each round.
fn is_same(a: &Reason, b: &Reason) -> bool {
    match (a.finding(), b.finding()) {
        (Some(a), Some(b)) => {
            let names_jobs = [UNSTABLE, RATE_FELL].contains(&a.code());
            a.code() == b.code() && (!names_jobs || jobs_of_rates(a) == jobs_of_rates(b))
        }
        _ => discriminant(&a.why) == discriminant(&b.why),
    }
}

fn jobs_of_rates(finding: &Finding) -> Vec<&str> {
    match &finding.evidence {
        Evidence::Unstable { jobs, .. } => jobs.iter().map(|it| it.job.as_str()).collect(),
        Evidence::RateFell { jobs, .. } => jobs.iter().map(|it| it.job.as_str()).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{answer, finding, history, round};
    use fathom_results::Weight;

    fn short() -> Reason {
        Reason::new(Why::Short { seconds: 2.0 }, TrustLevel::Medium)
    }

    fn rule(code: &str, weight: Weight) -> Reason {
        Reason::of(&Finding { weight, ..finding(code) })
    }

    /// The trust of rounds with these reasons and rates.
    fn of_rounds(rounds: &[&[Reason]], rates: [f64; 3]) -> Trust {
        let steps = rounds.iter().zip(rates).fold(Vec::new(), |steps, (reasons, rate)| {
            let level = reasons.iter().filter_map(|reason| reason.level).min().unwrap_or(TrustLevel::High);
            let trust = Trust { level, reasons: reasons.to_vec(), shortest_s: Some(30.0) };
            let answer = Some(Box::new(Answer { trust, ..answer() }));
            history(steps, RoundDone { answer, ..round("repeat", rate) })
        });
        let history = History::new(&steps);
        trust(&history, &answers(&history).unwrap()).unwrap()
    }

    fn line(trust: &Trust) -> String {
        fathom_words::trust::trust(trust)
    }

    const EVEN: [f64; 3] = [1_000.0, 1_001.0, 999.0];
    const FALLING: [f64; 3] = [1_000.0, 900.0, 800.0];

    #[test]
    fn each_reason_has_the_number_of_its_rounds_and_the_worst_round_is_first() {
        let medium = [short(), rule("stalls", Weight::Medium)];
        let low = [rule("stalls", Weight::Low), short()];
        let trust = of_rounds(&[&medium, &low, &medium], EVEN);
        assert_eq!((trust.level, trust.reasons.len()), (TrustLevel::Low, 2));
        let codes: Vec<_> = trust.reasons.iter().map(|reason| reason.finding().map(Finding::code)).collect();
        assert_eq!(codes, [Some("stalls"), None]);
        assert!(trust.reasons.iter().all(|it| it.rounds == Some(RoundsPart { times: 3, of: 3 })));
        let varied = of_rounds(&[&medium, &medium, &medium], FALLING);
        let head =
            "2 s is short: the mean may differ at another moment; also j varies by 11 % from round to round";
        assert!(line(&varied).starts_with(head), "{}", line(&varied));
    }

    #[test]
    fn what_some_rounds_have_is_not_that_of_all() {
        let two = [short()];
        let three = [short(), rule("too-hot", Weight::Medium)];
        let trust = of_rounds(&[&two, &three, &two], EVEN);
        assert_eq!(trust.reasons[1].rounds, Some(RoundsPart { times: 1, of: 3 }));
        let one = of_rounds(&[&[], &two, &[]], EVEN);
        assert!(line(&one).starts_with("in 1 of 3 rounds: 2 s is short"), "{}", line(&one));
    }

    /// Each round of a simulated drive has numbers of its own, and it is simulated in all of them.
    #[test]
    fn rounds_that_differ_in_the_numbers_of_a_reason_have_it_together() {
        let simulated = |unwritten_bytes| {
            let evidence = Evidence::Simulated { drive: "sim:disk".to_owned(), scale: None, unwritten_bytes };
            [Reason::of(&Finding { evidence, weight: Weight::Low, jobs: None })]
        };
        let trust = of_rounds(&[&simulated(1), &simulated(2), &simulated(3)], EVEN);
        assert_eq!(trust.reasons.len(), 1, "{trust:?}");
        assert_eq!(trust.reasons[0].rounds, Some(RoundsPart { times: 3, of: 3 }));
    }

    #[test]
    fn rounds_without_a_reason_that_differ_are_trusted_less() {
        let trust = of_rounds(&[&[], &[], &[]], FALLING);
        let reason = "j: the standard deviation of the rounds is 11 % of the mean, more than 5 %";
        assert_eq!(
            (trust.level, line(&trust).as_str(), trust.reasons.len()),
            (TrustLevel::Medium, reason, 1)
        );
        let even = of_rounds(&[&[], &[], &[]], EVEN);
        assert!(line(&even).starts_with("30 s or more of each job"), "{}", line(&even));
        assert!(even.level == TrustLevel::High && even.reasons.is_empty());
    }
}
