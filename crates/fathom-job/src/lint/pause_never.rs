//! A pause for which the job is too short: it ends before `thinktime_blocks` I/Os or `thinktime_iotime`.

use super::{LintInput, LintRule, note};
use crate::diagnostic::Diagnostic;
use crate::direction::Direction;
use crate::options;
use crate::plan::Think;

pub(super) const RULE: LintRule = LintRule { code: "pause-never", check };

fn check(input: &LintInput<'_>) -> Option<Diagnostic> {
    let first = input.first;
    let think = first.pace.think?;
    // A pause behind the last I/O holds nothing back.
    let most = [input.most_ios(), in_its_time(input)].into_iter().flatten().min();
    let by_count = think.every == u64::MAX || most.is_some_and(|most| most <= think.every);
    let by_time = think.io_time.is_none_or(|every| first.end.time.is_some_and(|time| time <= every));
    if !by_count || !by_time {
        return None;
    }
    let message =
        format!("job {}: no pause of thinktime comes, since {}", first.name, why(&think, most, input));
    let less = if think.every == u64::MAX { "thinktime_iotime" } else { "thinktime_blocks" };
    let longer = if first.end.time_based { "a longer runtime" } else { "a larger size" };
    Some(note(input, &RULE, &options::THINKTIME, message).hint(format!("a smaller {less}, or {longer}")))
}

/// The I/Os that its rate allows until its time is over; `None` without a rate for every direction or without a time.
fn in_its_time(input: &LintInput<'_>) -> Option<u64> {
    let used = Direction::ALL.into_iter().filter(|direction| input.first.uses(*direction));
    let a_second: Option<f64> = used.map(|direction| input.first.ios_asked(direction)).sum();
    Some((a_second? * input.first.end.time?.as_secs_f64()).ceil() as u64)
}

fn why(think: &Think, most: Option<u64>, input: &LintInput<'_>) -> String {
    let count = most.filter(|_| think.every != u64::MAX).map(|most| {
        let ios = fathom_text::words::counted(most, "I/O");
        format!("it makes at most {ios} and pauses after {} (thinktime_blocks)", think.every)
    });
    let time = think
        .io_time
        .zip(input.first.end.time)
        .map(|(every, time)| format!("it ends after {time} and pauses after {every} (thinktime_iotime)"));
    count.into_iter().chain(time).collect::<Vec<_>>().join(", and ")
}
