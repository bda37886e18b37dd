//! How far figures can be trusted, in words: the line of the answer, and the list of reasons.

use crate::Claim;
use crate::check::check;
use crate::claim::claim;
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
use fathom_text::quantity::{percent, rounded_time, seconds};
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
        true => joined(&first.whole(), named.iter().chain(&brief)),
        false => joined(&first.whole(), &named) + &and_more(brief.len(), place),
    }
}

/// The same in fewer and fewer words, the longest first. More reasons are named rather than what the first one means for
/// the figures; those that are not named are counted.
pub fn forms(trust: &Trust) -> Vec<String> {
    let whole = self::trust(trust);
    let Some(Reasons { first, named, brief }) = Reasons::of(trust) else { return vec![whole] };
    let behind: Vec<&String> = named.iter().chain(&brief).collect();
    let (whole_first, without_meaning) = (first.whole(), first.without_consequence());
    let count = |kept: usize| match behind.len() - kept {
        0 => String::new(),
        more => format!(" ({})", counted(more as u64, "more reason")),
    };
    let with = |first: &str, kept: usize| joined(first, behind[..kept].iter().copied()) + &count(kept);
    let fewer =
        (0..=behind.len()).rev().flat_map(|kept| [with(&whole_first, kept), with(&without_meaning, kept)]);
    // A reason without others is cut by the line itself.
    let ends =
        whole_first.rmatch_indices(' ').filter(|_| !behind.is_empty()).map(|(end, _)| &whole_first[..end]);
    let cut = ends.map(|words| format!("{} …{}", words.trim_end_matches([',', ';', ':']), count(0)));
    let shorter: Vec<String> = fewer.chain(cut).collect();
    std::iter::once(whole).chain(shorter).collect()
}

/// What is between a reason and one that is named behind it.
const ALSO: &str = "; also ";

fn joined<'t>(first: &str, behind: impl IntoIterator<Item = &'t String>) -> String {
    behind.into_iter().fold(first.to_owned(), |text, reason| text + ALSO + reason)
}

/// The reasons of a line: the first, those that are named behind it, and the others without their consequences.
struct Reasons {
    first: Claim,
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
        let meaning = meaning.filter(|_| is_cut).map(|meaning| format!(", and {}", meaning.whole()));
        let Claim { what, explained, so } = short(first);
        Some(Reasons {
            first: Claim {
                what: in_some(first.rounds) + &what,
                explained: explained + &meaning.unwrap_or_default(),
                so,
            },
            named: named.into_iter().map(beside).collect(),
            brief: brief.into_iter().map(briefly).collect(),
        })
    }
}

/// No rule found a reason.
fn high(shortest_s: Option<f64>) -> String {
    match shortest_s {
        Some(shortest) => {
            seconds(shortest, 0) + " or more of each job, and no rule found a reason against it"
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
            words.brief.unwrap_or_else(|| words.claim.whole())
        }
        Why::ShortWrites { seconds } => format!("writes of only {}", time(*seconds)),
        Why::RoundsVary { job, share, .. } => {
            format!("{job} varies by {} from round to round", percent(*share))
        }
        _ => short(reason).whole(),
    }
}

/// The same without what explains it and what follows. How much a job varies is said of each.
fn briefly(reason: &Reason) -> String {
    match reason.why {
        Why::RoundsVary { .. } => beside(reason),
        _ => short(reason).what,
    }
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
        Why::RoundsVary { trend, .. } => format!("{}. {}", short(reason).whole(), advice(*trend)),
        _ => format!("{}.", capital(&short(reason).whole())),
    };
    match reason.rounds {
        Some(rounds) => format!("In {}: {text}", of_rounds(rounds)),
        None => text,
    }
}

/// What that something else than the disk answered means for the figures.
fn meaning(finding: &Finding) -> Option<Claim> {
    let (_, meaning) = instead(finding)?;
    Some(Claim { what: of_jobs(finding.jobs.as_ref(), &meaning.what), ..meaning })
}

/// A reason in few words, for the line of the answer.
fn short(reason: &Reason) -> Claim {
    match &reason.why {
        Why::Finding { finding } => {
            let FindingWords { claim, .. } = of_finding(finding);
            // What was measured instead is in the place of the result; here, what that means.
            meaning(finding).unwrap_or(claim)
        }
        Why::NothingMeasured => claim("nothing was measured"),
        Why::LoadMissed { job, asked, used } => {
            let (asked, used) = (percent(*asked), percent(*used));
            claim(format!("{job} used {used} of a CPU, and was to use {asked}"))
        }
        Why::JobFailed => claim("the figures cover the time before the failure"),
        Why::Incomplete { how } => ending::of_run(how),
        // In the same words for each round, however long it took.
        Why::TooShort => claim(format!("less than {} is too short for a rate", Nanos(RATE_NS_MIN))),
        Why::TooFew => claim(format!("fewer than {RATE_IOS_MIN} I/Os are too few for a rate")),
        Why::ShortWrites { seconds } => {
            claim(format!("writes of only {}", time(*seconds))).explained(", which a cache may hold")
        }
        Why::Short { seconds } => {
            claim(format!("{} is short", time(*seconds))).explained(": the mean may differ at another moment")
        }
        Why::KernelCounts { direction, share, has_metadata } => {
            kernel_counts(*direction, *share, *has_metadata)
        }
        Why::CheckBroken { check } => {
            claim("two ways to count differ").explained(format!(": {}", self::check(check)))
        }
        Why::OneRound => claim("one round cannot tell how much the figures vary"),
        Why::RoundsVary { job, share, .. } => {
            let share = percent(*share);
            claim(format!("{job}: the standard deviation of the rounds is {share} of the mean"))
                .explained(", more than 5 %")
        }
        Why::SimulatedDrive { unwritten_rounds: 0, .. } => claim("the drive is simulated"),
        Why::SimulatedDrive { unwritten_rounds: n, of_rounds } => {
            let of = counted(*of_rounds, "round");
            claim(format!("the drive is simulated; {n} of {of} read blocks that nobody had written"))
        }
        Why::TimesCut { of: Prescribed::Suite } => {
            claim("times were cut").so(", so this is not the result of the full suite")
        }
        Why::TimesCut { of: Prescribed::Standard } => {
            claim("times were cut").so(", so this is not the standard's result")
        }
        Why::NotPurged => claim("the device was not purged").so(", so this is not the standard's result"),
        Why::Content { fault } => claim(content(*fault)),
        Why::NothingReadBack => {
            claim("a simulated drive holds no data").so(", so nothing could be read back")
        }
        Why::PassesUncertain { known, of } => {
            let of = counted_as(*of, "pass", "passes");
            claim(format!("only {known} of {of} can be certain")).explained(
                ": the counters of drive and kernel do not rule out that something else wrote to the range before",
            )
        }
        Why::RandomTooLittle { seconds, share } => claim(format!(
            "after {seconds} s the random writes had written only {} of the range",
            percent(*share)
        )),
        Why::NotSettled { against } => {
            claim("the rate has not settled").explained(format!(": {}", settled::all(against)))
        }
        Why::Deviation { deviation } => deviation::clause(deviation),
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
fn kernel_counts(direction: Direction, share: f64, has_metadata: bool) -> Claim {
    let difference = percent((share - 1.0).abs());
    let more = if share > 1.0 { "more" } else { "less" };
    let with = match direction {
        Direction::Write if has_metadata => ", the journal and metadata of the file system included",
        Direction::Read if has_metadata => ", the metadata of the file system included",
        _ => "",
    };
    let data = crate::finding::past(direction);
    claim(format!("the kernel counted {difference} {more} {data} data than fathom moved")).explained(with)
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

fn time(seconds: f64) -> String {
    rounded_time((seconds * 1e9) as u64)
}
