//! How far figures can be trusted, in words: the line of the answer, and the list of reasons.

use crate::check::check;
use crate::finding::{FindingWords, instead, of_finding};
use crate::jobs::{capital, of_jobs};
use crate::settled;
use crate::{deviation, ending};
use fathom_job::direction::Direction;
use fathom_job::units::Nanos;
use fathom_results::procedure::ContentFault;
use fathom_results::{
    Finding, Prescribed, RATE_IOS_MIN, RATE_NS_MIN, Reason, RoundsPart, Trend, Trust, Weight, Why,
};
use fathom_text::quantity::percent;
use fathom_text::words::{counted, counted_as};

/// Reasons behind the first are named within so many letters: with the first, they are two lines of 100 columns. A narrower
/// screen counts those that have no room.
const BRIEF_MAX: usize = 110;

/// Rules that are named also behind a worse reason, because a figure in the table is another one than it seems.
const NAMED: [&str; 4] = ["unknown-content", "blocks-cut", "data-limited", "woken-late"];

/// The rule about jobs that were cut short.
const INTERRUPTED: &str = "interrupted";

/// Why trust is as it is, in one sentence without its full stop. Of several reasons, the first and those that change a figure
/// are named; short ones too, and the others are counted.
pub fn trust(trust: &Trust) -> String {
    line(trust, ": --details")
}

/// The same on a page, where all reasons stand below.
pub fn on_page(trust: &Trust) -> String {
    line(trust, " below")
}

/// `place` says where the reasons are that are only counted.
fn line(trust: &Trust, place: &str) -> String {
    let Some(Reasons { first, named, brief }) = Reasons::of(trust) else { return high(trust.shortest_s) };
    let length = |of: &[String]| of.iter().map(|it| ALSO.len() + it.chars().count()).sum::<usize>();
    // A few short reasons need no more room than their number.
    match length(&brief) + length(&named) <= BRIEF_MAX {
        true => joined(&first, named.iter().chain(&brief)),
        false => joined(&first, &named) + &and_more(brief.len(), place),
    }
}

/// The same in fewer and fewer words, the longest first. More reasons are named rather than what the first one means for
/// the figures; those that are not named are counted.
pub fn forms(trust: &Trust) -> Vec<String> {
    let whole = self::trust(trust);
    let Some(Reasons { first, named, brief }) = Reasons::of(trust) else { return vec![whole] };
    let behind: Vec<&String> = named.iter().chain(&brief).collect();
    let count = |kept: usize| match behind.len() - kept {
        0 => String::new(),
        more => format!(" ({})", counted(more as u64, "more reason")),
    };
    let with = |first: &str, kept: usize| joined(first, behind[..kept].iter().copied()) + &count(kept);
    let fewer =
        (0..=behind.len()).rev().flat_map(|kept| [with(&first, kept), with(without_meaning(&first), kept)]);
    // A reason without others is cut by the line itself.
    let ends = first.rmatch_indices(' ').filter(|_| !behind.is_empty()).map(|(end, _)| &first[..end]);
    let cut = ends.map(|words| format!("{} …{}", words.trim_end_matches([',', ';', ':']), count(0)));
    let shorter: Vec<String> = fewer.chain(cut).collect();
    std::iter::once(whole).chain(shorter).collect()
}

/// What is between a reason and one that is named behind it.
const ALSO: &str = "; also ";

fn joined<'t>(first: &str, behind: impl IntoIterator<Item = &'t String>) -> String {
    behind.into_iter().fold(first.to_owned(), |text, reason| text + ALSO + reason)
}

/// `the rate was not steady` of `the rate was not steady, so another run can have another mean`.
fn without_meaning(reason: &str) -> &str {
    reason.split_once(", so ").map_or(reason, |(seen, _)| seen)
}

/// The reasons of a line: the first, those that are named behind it, and the others without their consequences.
struct Reasons {
    first: String,
    named: Vec<String>,
    brief: Vec<String>,
}

impl Reasons {
    /// `None` where no reason allows less trust.
    fn of(trust: &Trust) -> Option<Reasons> {
        let first = trust.reasons.first().filter(|reason| reason.level.is_some())?;
        let is_cut = matches!(first.why, Why::JobFailed | Why::Incomplete { .. });
        // That the jobs were cut short, and what was measured instead, is in the first words.
        let is_new = |reason: &&Reason| {
            let finding = reason.finding().filter(|_| is_cut);
            finding.is_none_or(|it| it.code() != INTERRUPTED && it.weight != Weight::Instead)
        };
        let mut varies = false;
        let others = trust.reasons[1..].iter().filter(is_new);
        let (named, brief): (Vec<&Reason>, Vec<&Reason>) = others.partition(|reason| match reason.why {
            // The job that varies most is the first of them.
            Why::RoundsVary { .. } => !std::mem::replace(&mut varies, true),
            _ => is_named(reason),
        });
        let meaning = trust.reasons.iter().filter_map(Reason::finding).find_map(meaning);
        let meaning = meaning.filter(|_| is_cut).map(|meaning| format!(", and {meaning}"));
        Some(Reasons {
            first: format!("{}{}{}", in_some(first.rounds), short(first), meaning.unwrap_or_default()),
            named: named.into_iter().map(beside).collect(),
            brief: brief.into_iter().map(|reason| claim(&short(reason)).to_owned()).collect(),
        })
    }
}

/// No rule found a reason.
fn high(shortest_s: Option<f64>) -> String {
    match shortest_s {
        Some(shortest) => {
            format!("{shortest:.0} s or more of each job, and no rule found a reason against it")
        }
        None => "no rule found a reason for doubt in any round".to_owned(),
    }
}

/// How many reasons are not named, and where they are: ` (2 more reasons: --details)`; empty where all are named.
fn and_more(reasons: usize, place: &str) -> String {
    match reasons {
        0 => String::new(),
        _ => format!(" ({}{place})", counted(reasons as u64, "more reason")),
    }
}

/// Is it named behind another reason? A stall is if it is long, because the mean is then one of two very different times.
fn is_named(reason: &Reason) -> bool {
    match &reason.why {
        Why::Finding { finding } => {
            NAMED.contains(&finding.code()) || (finding.code() == "stalls" && finding.weight == Weight::Low)
        }
        Why::ShortWrites { .. } => true,
        _ => false,
    }
}

/// A reason that is named behind another one.
fn beside(reason: &Reason) -> String {
    match &reason.why {
        Why::Finding { finding } => {
            let words = of_finding(finding);
            words.brief.unwrap_or(words.claim)
        }
        Why::ShortWrites { seconds } => format!("writes of only {}", time(*seconds)),
        Why::RoundsVary { job, share, .. } => {
            format!("{job} varies by {} from round to round", percent(*share))
        }
        _ => short(reason),
    }
}

/// A reason without its consequence: up to the first comma, and without what was seen.
fn claim(short: &str) -> &str {
    let end = [", ", ": ", " ("].iter().filter_map(|mark| short.find(mark)).min();
    &short[..end.unwrap_or(short.len())]
}

/// `in 2 of 5 rounds: `; nothing of all rounds.
fn in_some(rounds: Option<RoundsPart>) -> String {
    match rounds.filter(|rounds| rounds.times < rounds.of) {
        Some(rounds) => format!("in {}: ", of_rounds(rounds)),
        None => String::new(),
    }
}

fn of_rounds(rounds: RoundsPart) -> String {
    format!("{} of {}", rounds.times, counted(rounds.of, "round"))
}

/// Every reason, a full sentence each: a rule's with its code in square brackets, what was seen, and what to do about it.
pub fn sentences(reasons: &[Reason]) -> Vec<String> {
    reasons.iter().map(sentence).collect()
}

/// A reason as a full sentence.
pub fn sentence(reason: &Reason) -> String {
    let text = match &reason.why {
        Why::Finding { finding } => of_finding(finding).sentence(finding),
        Why::Deviation { deviation } => deviation::sentence(deviation),
        // It begins with the name of a job.
        Why::RoundsVary { trend, .. } => format!("{}. {}", short(reason), advice(*trend)),
        _ => format!("{}.", capital(&short(reason))),
    };
    match reason.rounds {
        Some(rounds) => format!("In {}: {text}", of_rounds(rounds)),
        None => text,
    }
}

/// What that something else than the disk answered means for the figures.
fn meaning(finding: &Finding) -> Option<String> {
    instead(finding).map(|(_, meaning)| of_jobs(finding.jobs.as_ref(), meaning))
}

/// A reason in few words, for the line of the answer.
fn short(reason: &Reason) -> String {
    match &reason.why {
        Why::Finding { finding } => {
            let FindingWords { claim, .. } = of_finding(finding);
            // What was measured instead is in the place of the result; here, what that means.
            meaning(finding).unwrap_or(claim)
        }
        Why::NothingMeasured => "nothing was measured".to_owned(),
        Why::JobFailed => "the figures cover the time before the failure".to_owned(),
        Why::Incomplete { how } => ending::of_run(how),
        // In the same words for each round, however long it took.
        Why::TooShort => format!("less than {} is too short for a rate", Nanos(RATE_NS_MIN)),
        Why::TooFew => format!("fewer than {RATE_IOS_MIN} I/Os are too few for a rate"),
        Why::ShortWrites { seconds } => {
            format!("writes of only {}, which a cache may hold", time(*seconds))
        }
        Why::Short { seconds } => {
            format!("{} is short: the mean may differ at another moment", time(*seconds))
        }
        Why::KernelCounts { direction, share, has_metadata } => {
            kernel_counts(*direction, *share, *has_metadata)
        }
        Why::CheckBroken { check } => format!("two ways to count differ: {}", self::check(check)),
        Why::OneRound => "one round cannot tell how much the figures vary".to_owned(),
        Why::RoundsVary { job, share, .. } => format!(
            "{job}: the standard deviation of the rounds is {} of the mean, more than 5 %",
            percent(*share)
        ),
        Why::SimulatedDrive { unwritten_rounds: 0, .. } => "the drive is simulated".to_owned(),
        Why::SimulatedDrive { unwritten_rounds: n, of_rounds } => {
            let of = counted(*of_rounds, "round");
            format!("the drive is simulated; {n} of {of} read blocks that nobody had written")
        }
        Why::TimesCut { of: Prescribed::Suite } => {
            "times were cut, so this is not the result of the full suite".to_owned()
        }
        Why::TimesCut { of: Prescribed::Standard } => {
            "times were cut, so this is not the standard's result".to_owned()
        }
        Why::NotPurged => "the device was not purged, so this is not the standard's result".to_owned(),
        Why::Content { fault } => content(*fault),
        Why::NothingReadBack => "a simulated drive holds no data, so nothing could be read back".to_owned(),
        Why::PassesUncertain { known, of } => format!(
            "only {known} of {} can be certain: the counters of drive and kernel do not rule out that something else \
             wrote to the range before",
            counted_as(*of, "pass", "passes")
        ),
        Why::RandomTooLittle { seconds, share } => {
            format!("after {seconds} s the random writes had written only {} of the range", percent(*share))
        }
        Why::NotSettled { against } => format!("the rate has not settled: {}", settled::all(against)),
        Why::Deviation { deviation } => deviation::sentence(deviation).trim_end_matches('.').to_owned(),
    }
}

/// Why samples prove that a range was not written as asked.
fn content(fault: ContentFault) -> String {
    match fault {
        ContentFault::Empty { sectors: 1 } => "one sector that was read is empty".to_owned(),
        ContentFault::Empty { sectors } => format!("{sectors} of the sectors that were read are empty"),
        ContentFault::Equal { blocks } => {
            format!("{} of 4 KiB that were read repeat another one", counted(blocks, "block"))
        }
        ContentFault::Compressible => "data that was read can be compressed".to_owned(),
        ContentFault::Unreadable { windows } => format!("{} could not be read", counted(windows, "sample")),
    }
}

/// `the kernel counted 36 % more read data than fathom moved`.
fn kernel_counts(direction: Direction, share: f64, has_metadata: bool) -> String {
    let difference = percent((share - 1.0).abs());
    let more = if share > 1.0 { "more" } else { "less" };
    let with = match direction {
        Direction::Write if has_metadata => ", the journal and metadata of the file system included",
        Direction::Read if has_metadata => ", the metadata of the file system included",
        _ => "",
    };
    let data = crate::finding::past(direction);
    format!("the kernel counted {difference} {more} {data} data than fathom moved{with}")
}

/// What rounds that differ mean, and what to do about it.
fn advice(trend: Option<Trend>) -> &'static str {
    match trend {
        Some(Trend::Falls) => {
            "It falls from round to round: the device is not in its steady state, or gets hot. Measure longer, \
             or precondition it."
        }
        Some(Trend::Rises) => {
            "It rises from round to round: the first rounds find the device, or a cache, in another state. \
             Measure longer, or precondition it."
        }
        Some(Trend::First(1)) => {
            "Only the first round differs: the device was not in its steady state. Precondition it for longer."
        }
        Some(Trend::First(_)) => {
            "Only the first rounds differ: the device was not in its steady state. Precondition it for longer."
        }
        None => {
            "It varies without a direction: look for other programs on the device, its temperature, its \
             firmware and its health."
        }
    }
}

/// Whole seconds, and less than one in milliseconds.
fn time(seconds: f64) -> String {
    if seconds < 1.0 { format!("{:.0} ms", seconds * 1e3) } else { format!("{seconds:.0} s") }
}
