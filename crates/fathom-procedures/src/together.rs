//! The answer of rounds that measure the same: each part as the rounds have it, and in how many of them.

use super::{History, reasons, spread};
use fathom_judge::UNSEEN;
use fathom_results::procedure::RoundDone;
use fathom_results::{Answer, DeviceClass, Verdict};

/// The answer of all rounds together. The figures are those of the verdict. `None` where a round has no answer.
pub(super) fn together(history: &History<'_>, verdict: &Verdict) -> Option<Answer> {
    let rounds: Vec<&RoundDone> = history.rounds().collect();
    let answers = reasons::answers(history)?;
    let first = *answers.first()?;
    let least = reasons::least(&answers)?;
    let limits: Vec<Option<&str>> =
        answers.iter().map(|answer| Some(answer.limit.as_deref()?.trim_end_matches(UNSEEN))).collect();
    let unseen = answers.iter().any(|one| one.limit.as_deref().is_some_and(|limit| limit.ends_with(UNSEEN)));
    let unseen = if unseen { UNSEEN } else { "" };
    let frequent = counted(limits.iter().flatten().copied());
    // Of several that are as frequent, the first.
    let usual = frequent.iter().rev().max_by_key(|(_, times)| *times);
    let other = limits.iter().flatten().find(|other| usual.is_some_and(|(usual, _)| usual != *other));
    let rounds_with = |limit: &str| {
        let found = limits.iter().enumerate().filter(|(_, it)| **it == Some(limit));
        numbers(found.map(|(at, _)| at + 1))
    };
    let limit = usual.map(|(usual, times)| {
        let other = other.map(|other| otherwise(usual, (&rounds_with(other), other))).unwrap_or_default();
        format!("{usual}{}{other}{unseen}", in_rounds(*times, answers.len()))
    });
    Some(Answer {
        measured: first.measured.clone(),
        jobs: first
            .jobs
            .as_ref()
            .map(|jobs| format!("{jobs}, in each round{}{}", workload(rounds[0]), written(&rounds))),
        instead: instead(&answers),
        result: failures(&rounds) + &verdict.headline,
        class: class(&answers),
        trust: reasons::trust(history, &answers, &verdict.distrust)?,
        reasons: verdict.distrust.clone(),
        limit,
        limit_evidence: Vec::new(),
        remarks: spread::told(history).into_iter().chain(remarks(&answers)).collect(),
        next: least.next.clone(),
    })
}

/// What other rounds found: `; in round 3 the link`; of rounds where most jobs have the usual limit too, what is beside it:
/// `; in rounds 2 and 5 also r: a rate limit`.
fn otherwise(usual: &str, (rounds, other): (&str, &str)) -> String {
    let beside = other.split_once(&format!(" jobs: {usual}; ")).map(|(_, beside)| beside);
    match beside {
        Some(beside) => format!("; in {rounds} also {beside}"),
        None => format!("; in {rounds} {other}"),
    }
}

/// `round 3`; `rounds 2 and 5`; of more, how many.
fn numbers(rounds: impl Iterator<Item = usize>) -> String {
    match rounds.collect::<Vec<_>>().as_slice() {
        [one] => format!("round {one}"),
        [one, other] => format!("rounds {one} and {other}"),
        many => format!("{} rounds", many.len()),
    }
}

/// The class of the device, where all rounds found the same and none something else than the disk. The evidence is that
/// of the first round.
fn class(answers: &[&Answer]) -> Option<DeviceClass> {
    let first = answers.first()?.class.as_ref()?;
    let is_same = |answer: &&Answer| answer.class.as_ref().is_some_and(|class| class.says == first.says);
    answers.iter().all(is_same).then(|| first.clone())
}

/// What was measured instead of the disk, in how many rounds. Where the rounds saw different amounts, those that are told
/// have the number of their round.
fn instead(answers: &[&Answer]) -> Option<String> {
    // The amounts are behind the claim.
    let claim = |text: &str| text.split(": ").next().unwrap_or_default().to_owned();
    let told = answers.iter().enumerate();
    let (at, first) = told.into_iter().find_map(|(at, answer)| Some((at, answer.instead.as_deref()?)))?;
    let all = answers.iter().filter_map(|answer| answer.instead.as_deref());
    let same: Vec<&str> = all.filter(|text| claim(text) == claim(first)).collect();
    let (times, of) = (same.len(), answers.len());
    Some(match (same.iter().all(|text| *text == first), times == of) {
        (true, true) => first.to_owned(),
        (true, false) => first.to_owned() + &in_rounds(times, of),
        (false, _) => format!("In {times} of {of} rounds, with these amounts in round {}: {first}", at + 1),
    })
}

/// What the rounds remark, each with the number of rounds that do where not all do.
fn remarks(answers: &[&Answer]) -> Vec<String> {
    let all = counted(answers.iter().flat_map(|answer| &answer.remarks).map(String::as_str));
    all.into_iter().map(|(remark, times)| remark.to_owned() + &in_rounds(times, answers.len())).collect()
}

/// ` (in 2 of 5 rounds)`; nothing of all rounds.
fn in_rounds(times: usize, all: usize) -> String {
    if times == all { String::new() } else { format!(" (in {times} of {all} rounds)") }
}

/// `; wrote 12.3 GB in all (1.07 GB of it to lay out files)`.
fn written(rounds: &[&RoundDone]) -> String {
    let sum = |of: fn(&RoundDone) -> u64| rounds.iter().map(|round| of(round)).sum::<u64>() as f64;
    let (all, laid_out) = (sum(|round| round.written_bytes), sum(|round| round.laid_out_bytes));
    let bytes = fathom_text::quantity::bytes;
    match (all > 0.0, laid_out > 0.0) {
        (false, _) => String::new(),
        (true, false) => format!("; wrote {} in all", bytes(all)),
        (true, true) => format!("; wrote {} in all ({} of it to lay out files)", bytes(all), bytes(laid_out)),
    }
}

/// What the jobs do, behind how many they are. It is the same in each round.
fn workload(round: &RoundDone) -> String {
    if round.workload.is_empty() { String::new() } else { format!(": {}", round.workload) }
}

/// The I/Os that failed come first.
fn failures(rounds: &[&RoundDone]) -> String {
    let failed: u64 = rounds.iter().map(|round| round.errors).sum();
    match failed {
        0 => String::new(),
        1 => "1 I/O failed. ".to_owned(),
        n => format!("{} I/Os failed. ", fathom_text::quantity::grouped(n)),
    }
}

/// Each text once, in their order, and how often it is there.
fn counted<'a>(all: impl Iterator<Item = &'a str>) -> Vec<(&'a str, usize)> {
    let mut counted: Vec<(&str, usize)> = Vec::new();
    for one in all {
        match counted.iter_mut().find(|(known, _)| *known == one) {
            Some((_, times)) => *times += 1,
            None => counted.push((one, 1)),
        }
    }
    counted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::answer;

    #[test]
    fn the_usual_limit_is_not_told_twice() {
        assert_eq!(otherwise("the drive", ("round 3", "the link")), "; in round 3 the link");
        let some = "5 of 6 jobs: the drive; r: a rate limit";
        assert_eq!(
            otherwise("the drive", (&numbers([2, 5].into_iter()), some)),
            "; in rounds 2 and 5 also r: a rate limit"
        );
    }

    #[test]
    fn what_not_every_round_remarks_is_counted() {
        let all = [vec!["alone", "scheduler none"], vec!["scheduler none"]]
            .map(|of| Answer { remarks: of.into_iter().map(str::to_owned).collect(), ..answer() });
        assert_eq!(remarks(&[&all[0], &all[1]]), ["alone (in 1 of 2 rounds)", "scheduler none"]);
        let rounds = [3_000, 4_000].map(|written_bytes| RoundDone { written_bytes, ..RoundDone::default() });
        assert_eq!(written(&[&rounds[0], &rounds[1]]), "; wrote 7.00 kB in all");
        assert_eq!(written(&[]), "");
    }

    #[test]
    fn amounts_have_the_number_of_their_round() {
        let told = |texts: [Option<&str>; 3]| {
            let all = texts.map(|text| Answer { instead: text.map(str::to_owned), ..answer() });
            instead(&all.iter().collect::<Vec<_>>())
        };
        let [one, other, memory] = ["Others read: 1 MB", "Others read: 2 MB", "Memory: no disk"].map(Some);
        for (texts, said) in [
            ([None, None, None], None),
            ([one, one, one], one),
            ([None, one, one], Some("Others read: 1 MB (in 2 of 3 rounds)")),
            ([None, one, other], Some("In 2 of 3 rounds, with these amounts in round 2: Others read: 1 MB")),
            ([memory, one, other], Some("Memory: no disk (in 1 of 3 rounds)")),
        ] {
            assert_eq!(told(texts).as_deref(), said);
        }
    }
}
