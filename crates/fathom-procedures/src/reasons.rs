//! The reasons for less trust in rounds that measure the same, each with the number of rounds that it affects.

use super::{History, spread};
use fathom_judge::taint::{RATE_FELL, UNSTABLE};
use fathom_judge::{and_more, without_more};
use fathom_results::procedure::RoundDone;
use fathom_results::{Answer, Trust, TrustLevel};

/// The answer of a round as the history keeps it: its reasons and its limit without their evidence, which the record of the
/// round has.
pub fn round_answer(answer: &Answer) -> Answer {
    let reasons = answer.reasons.iter().map(|reason| without_evidence(reason)).collect();
    Answer { reasons, limit_evidence: Vec::new(), ..answer.clone() }
}

/// `Claim [code]: evidence. Next: what to do.` without the evidence.
fn without_evidence(reason: &str) -> String {
    let told = reason.split_once("]: ").filter(|(claim, _)| claim.contains(" ["));
    let next = |rest: &str| rest.rfind(". Next: ").map(|at| rest[at..].to_owned()).unwrap_or(".".to_owned());
    told.map_or_else(|| reason.to_owned(), |(claim, rest)| format!("{claim}]{}", next(rest)))
}

/// Every reason for less trust in the rounds: the one that the trust names first, then what the rounds say together, then
/// the others.
pub(super) fn reasons(history: &History<'_>) -> Vec<String> {
    let mut own = spread::doubts(history);
    if history.rounds().count() == 1 {
        own.insert(0, "One round cannot tell how much the figures vary.".to_owned());
    }
    let answers = answers(history);
    let named = answers.as_deref().and_then(least).is_some_and(|least| least.trust.level < TrustLevel::High);
    let mut all = answers.as_deref().map_or_else(|| history.doubts(), of_answers);
    let at = usize::from(named && !all.is_empty());
    all.splice(at..at, own);
    all
}

/// The answers of all rounds; `None` where one has none.
pub(super) fn answers<'h>(history: &History<'h>) -> Option<Vec<&'h Answer>> {
    history.rounds().map(|round: &RoundDone| round.answer.as_deref()).collect()
}

/// The first answer with the least trust; of such answers, one that says what was measured instead of the disk.
pub(super) fn least<'a>(answers: &[&'a Answer]) -> Option<&'a Answer> {
    answers.iter().copied().min_by_key(|answer| (answer.trust.level, answer.instead.is_none()))
}

/// The reasons of the answers, those of the least trusted first.
fn of_answers(answers: &[&Answer]) -> Vec<String> {
    let first = least(answers);
    let mut found: Vec<(String, &str, usize)> = Vec::new();
    for reason in first.iter().chain(answers).flat_map(|answer| &answer.reasons) {
        let key = key(reason);
        if found.iter().all(|(known, ..)| *known != key) {
            let has = |answer: &&&Answer| answer.reasons.iter().any(|other| self::key(other) == key);
            let times = answers.iter().filter(has).count();
            found.push((key, reason, times));
        }
    }
    let of = answers.len();
    let line = |(_, reason, times): &(String, &str, usize)| format!("In {times} of {of} rounds: {reason}");
    found.iter().map(line).collect()
}

/// What two rounds have in common that have the same reason: its code; without one, the words without their numbers.
fn key(reason: &str) -> String {
    let code = reason.split_once(" [").and_then(|(_, rest)| Some(rest.split_once(']')?.0));
    // Its words name the jobs, which may be others in each round.
    let code = code.filter(|code| ![UNSTABLE, RATE_FELL].contains(code));
    code.map_or_else(|| reason.chars().filter(|c| !c.is_ascii_digit()).collect(), str::to_owned)
}

/// What is between a reason and one that is named behind it.
const ALSO: &str = "; also ";

/// The first of the reasons that a trust names.
fn first_named(reason: &str) -> &str {
    reason.split(ALSO).next().unwrap_or(reason)
}

/// The least trust of a round with its reason, and how many more reasons the list has. Rounds that differ much from each
/// other are a reason too, where no round has one.
pub(super) fn trust(history: &History<'_>, answers: &[&Answer], all: &[String]) -> Option<Trust> {
    let least = least(answers)?;
    let (level, main, is_of_rounds) = match (least.trust.level, spread::doubts(history).first()) {
        (TrustLevel::High, Some(doubt)) => {
            let claim = doubt.split(". ").next().unwrap_or_default();
            (TrustLevel::Medium, claim.to_owned(), false)
        }
        (level, _) => (level, without_more(&least.trust.reason).to_owned(), true),
    };
    let of = answers.len();
    // Rounds that have the first reason in common may differ in what they name behind it.
    let is_same = answers.iter().all(|answer| without_more(&answer.trust.reason) == main);
    let main = if is_same || !is_of_rounds { main } else { first_named(&main).to_owned() };
    let has = |answer: &&&Answer| first_named(without_more(&answer.trust.reason)) == first_named(&main);
    let times = answers.iter().filter(has).count();
    let named = if is_of_rounds && times < of { format!("in {times} of {of} rounds: {main}") } else { main };
    let varies = spread::widest(history).filter(|_| is_of_rounds);
    let named = varies.into_iter().fold(named, |named, varies| format!("{named}{ALSO}{varies}"));
    // What the first reason names behind itself are reasons of the list too.
    let told = 1 + named.matches(ALSO).count();
    let more = match level {
        TrustLevel::High => String::new(),
        _ => and_more(all.len().saturating_sub(told)),
    };
    Some(Trust { level, reason: named + &more })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{answer, history, round};

    const SHORT: &str = "2 s is short: the mean may differ at another moment.";
    const STALLS: &str = "I/O stalled [stalls]. Next: look at the log of the kernel.";

    fn told(rounds: &[(TrustLevel, &str, &[&str])], rates: [f64; 3]) -> (Trust, Vec<String>) {
        let steps = rounds.iter().zip(rates).fold(Vec::new(), |steps, ((level, reason, reasons), rate)| {
            let trust = Trust { level: *level, reason: (*reason).to_owned() };
            let reasons = reasons.iter().map(|reason| (*reason).to_owned()).collect();
            let answer = Some(Box::new(Answer { trust, reasons, ..answer() }));
            history(steps, RoundDone { answer, ..round("repeat", rate) })
        });
        let history = History::new(&steps);
        let all = reasons(&history);
        (trust(&history, &answers(&history).unwrap(), &all).unwrap(), all)
    }

    #[test]
    fn the_others_are_counted_and_listed() {
        let medium: (_, _, &[&str]) =
            (TrustLevel::Medium, "2 s is short (1 more reason: --details)", &[SHORT, STALLS]);
        let low: (_, _, &[&str]) =
            (TrustLevel::Low, "I/O stalled (1 more reason: --details)", &[STALLS, SHORT]);
        let (trust, all) = told(&[medium, low, medium], [1_000.0, 1_001.0, 999.0]);
        assert_eq!(trust.level, TrustLevel::Low);
        assert_eq!(trust.reason, "in 1 of 3 rounds: I/O stalled (1 more reason: --details)");
        assert_eq!(all, [format!("In 3 of 3 rounds: {STALLS}"), format!("In 3 of 3 rounds: {SHORT}")]);
        let (trust, all) = told(&[medium; 3], [1_000.0, 900.0, 800.0]);
        assert_eq!(
            trust.reason,
            "2 s is short; also j varies by 11 % from round to round (1 more reason: --details)"
        );
        assert!(all[0].ends_with(SHORT) && all[1].contains("falls from round to round"), "{all:?}");
    }

    #[test]
    fn what_holds_for_all_rounds_is_not_said_of_some() {
        const SIMULATED: &str = "The drive is simulated [simulated]. Next: run the same jobs on a device.";
        const SLOW: &str = "The rate is not typical [unstable]. Next: measure for longer.";
        let computed = "the times are computed, not measured";
        let [twice, once] = [
            format!("{computed}; also 2 s is short"),
            format!("{computed}; also 2 s is short; also it varied"),
        ];
        let two: (_, _, &[&str]) = (TrustLevel::Low, twice.as_str(), &[SIMULATED, SHORT]);
        let three: (_, _, &[&str]) = (TrustLevel::Low, once.as_str(), &[SIMULATED, SHORT, SLOW]);
        let (trust, all) = told(&[two, three, two], [1_000.0, 1_001.0, 999.0]);
        assert_eq!(trust.reason, format!("{computed} (2 more reasons: --details)"));
        assert_eq!(all[0], format!("In 3 of 3 rounds: {SIMULATED}"));
        assert!(all[2].starts_with("In 1 of 3 rounds: The rate"), "{all:?}");
    }

    #[test]
    fn rounds_without_a_reason_that_differ_are_trusted_less() {
        let high: (_, _, &[&str]) = (TrustLevel::High, "30 s or more of each job", &[]);
        let (trust, all) = told(&[high; 3], [1_000.0, 900.0, 800.0]);
        let reason = "j: the standard deviation of the rounds is 11 % of the mean, more than 5 %";
        assert_eq!((trust.level, trust.reason.as_str(), all.len()), (TrustLevel::Medium, reason, 1));
        let (trust, all) = told(&[high; 3], [1_000.0, 1_001.0, 999.0]);
        assert_eq!(trust.reason, "30 s or more of each job");
        assert!(trust.level == TrustLevel::High && all.is_empty());
    }

    #[test]
    fn the_evidence_stays_in_the_round() {
        for (whole, kept) in [
            ("Claim [code]: cc1 [12] ran. It did. Next: stop it.", "Claim [code]. Next: stop it."),
            ("Claim [code]: seen.", "Claim [code]."),
            (SHORT, SHORT),
            (STALLS, STALLS),
        ] {
            assert_eq!(without_evidence(whole), kept);
        }
    }
}
