//! What preconditioning came to, in sentences.

use super::proof::{content_fault, proven, told};
use super::{Precondition, RandomDone, RandomWrites};
use crate::History;
use fathom_judge::steady::why_not;
use fathom_results::procedure::ContentSamples;
use fathom_results::{Reason, Verdict};
use fathom_text::number::{bytes, grouped};
use fathom_text::quantity::{bandwidth, iops, percent};

/// The reasons for which what was written may not be on the medium, or not as in use. Others are about figures, of which
/// preconditioning needs none.
const OF_WRITING: [&str; 7] = [
    "counts-disagree",
    "errors-continued",
    "foreign-io",
    "memory-backed",
    "page-cache",
    "simulated",
    TOO_HOT,
];

/// The code of the taint of heat.
const TOO_HOT: &str = "too-hot";

/// So many passes are told one by one.
const PASSES_LISTED: u32 = 4;

/// The rounds of a cell together.
struct Sum {
    seconds: f64,
    bytes: f64,
    heat: String,
}

/// In how many rounds of a cell heat was at its limit; empty where it was not. A rate is told with it, because it is one
/// of a drive that slows itself down.
fn heat(history: &History<'_>, cell: &str) -> String {
    let (all, hot) = history.of_cell(cell).fold((0, 0), |(all, hot), round| {
        let is_hot = round.findings().any(|finding| finding.code() == TOO_HOT);
        (all + 1, hot + usize::from(is_hot))
    });
    if hot == 0 { String::new() } else { format!("; too hot in {hot} of {all} rounds") }
}

impl Sum {
    fn of(history: &History<'_>, cell: &str) -> Sum {
        let rounds = || history.of_cell(cell).map(|round| &round.whole);
        Sum {
            seconds: rounds().map(|whole| whole.seconds).sum(),
            bytes: rounds().map(|whole| whole.bytes_per_second * whole.seconds).sum(),
            heat: heat(history, cell),
        }
    }

    fn rate(&self) -> f64 {
        if self.seconds > 0.0 { self.bytes / self.seconds } else { 0.0 }
    }

    fn told(&self) -> String {
        let Sum { seconds: took, bytes: all, heat } = self;
        format!("{} in {} s, {}{heat}", bytes(*all), seconds(*took), bandwidth(self.rate()))
    }
}

impl Precondition {
    /// What will be written, one sentence for each part.
    pub fn plan(&self) -> String {
        let Precondition { target, offset, passes, block, random, .. } = self;
        let mut lines = vec![format!(
            "range: {} bytes of {target}, from byte {}",
            grouped(self.size.0),
            grouped(offset.0)
        )];
        lines.push(match passes {
            0 => "in order: nothing is left to write".to_owned(),
            passes => format!("in order: {}, in blocks of {block}", times(*passes, "time", "times")),
        });
        if let Some(random) = random {
            lines.push(format!(
                "at random: blocks of {}, until {} times the range is written, for {} s at most",
                random.block,
                super::RANDOM_COVERAGE,
                random.most_s
            ));
        }
        if !self.needless.is_empty() {
            lines = vec![format!("nothing is written to {target}: {}", self.needless)];
        }
        lines.join("\n")
    }

    pub(super) fn verdict(&self, history: &History<'_>, samples: Option<&ContentSamples>) -> Verdict {
        let mut limits = self.passes_told(history);
        let mut distrust = Vec::new();
        if let Some(random) = &self.random {
            let done = RandomDone::of(random, history);
            limits.push(rates(random, &done) + &heat(history, &super::random_cell(random)));
            distrust.extend(unsettled(random, &done, self.size.0).into_iter().map(Reason::stated));
        }
        let fault = samples.and_then(content_fault);
        match (samples, fault) {
            (_, Some(fault)) => distrust.insert(0, Reason::stated(told(fault))),
            (Some(samples), None) => limits.push(format!("proof: {}", proven(samples))),
            (None, None) if self.needless.is_empty() => {
                distrust
                    .push(Reason::stated("A simulated drive holds no data, so nothing could be read back."));
            }
            (None, None) => {}
        }
        distrust.extend(samples.and_then(|samples| self.disturbed(samples)).map(Reason::stated));
        distrust.extend(history.doubts_among(|code| OF_WRITING.contains(&code)));
        let headline = if fault.is_some() { self.not_proven() } else { self.headline() };
        Verdict { headline, limits, distrust }
    }

    /// Whether something else may have written between the portions, as after a kill.
    fn disturbed(&self, samples: &ContentSamples) -> Option<String> {
        let asked = self.passes + self.passes_before;
        let known = samples.passes_known.filter(|known| *known < asked)?;
        Some(format!(
            "Only {known} of {} can be certain: the counters of drive and kernel do not rule out that something else \
             wrote to the range before.",
            times(asked, "pass", "passes")
        ))
    }

    fn passes_told(&self, history: &History<'_>) -> Vec<String> {
        let pass = |number: u32| Sum::of(history, &format!("pass-{number}"));
        match self.passes {
            0..=PASSES_LISTED => (1..=self.passes).map(|n| format!("pass {n}: {}", pass(n).told())).collect(),
            last => {
                let [first, last] = [1, last].map(pass).map(|sum| bandwidth(sum.rate()) + &sum.heat);
                vec![format!("passes: {first} in the first, {last} in the last")]
            }
        }
    }

    fn not_proven(&self) -> String {
        format!("{} is NOT preconditioned: what was read back is not what was written.", self.target)
    }

    fn headline(&self) -> String {
        let Precondition { target, passes, passes_before, block, needless, .. } = self;
        let range = format!("{} bytes of {target}", grouped(self.size.0));
        if !needless.is_empty() {
            return format!("Nothing was written to {target}: {needless}.");
        }
        let earlier = match passes_before {
            0 => String::new(),
            before => format!(" after {} of earlier runs", times(*before, "pass", "passes")),
        };
        let mut did = match (passes, passes_before) {
            (0, 0) => format!("{range} were not written in order"),
            (0, before) => format!(
                "{range} have been written in order {} by earlier runs, and nothing but fathom has written there since",
                times(*before, "time", "times")
            ),
            (passes, _) => format!(
                "{range} were written in order {}, in blocks of {block}{earlier}",
                times(*passes, "time", "times")
            ),
        };
        if let Some(random) = &self.random {
            did += &format!(", and then at random in blocks of {}", random.block);
        }
        did + "."
    }
}

fn times(count: u32, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Seconds with two digits, and whole from ten on.
fn seconds(value: f64) -> String {
    if value < 9.95 { format!("{value:.2}") } else { format!("{value:.0}") }
}

/// How the rate of the random writes went.
fn rates(random: &RandomWrites, done: &RandomDone) -> String {
    let (seconds, written) = (done.seconds, bytes(done.bytes));
    let went = match (done.rates.first(), done.rates.last()) {
        (Some(first), Some(last)) => {
            format!("; {} IOPS in the first round, {} in the last", iops(*first), iops(*last))
        }
        _ => String::new(),
    };
    let settled = done.settled.as_ref().filter(|settled| settled.is_settled());
    let mean = settled.and_then(|settled| settled.mean.as_ref()).map_or_else(String::new, |mean| {
        format!("; settled at {} IOPS ± {}", iops(mean.value), percent(mean.relative_half_width()))
    });
    format!("random {}: {written} in {seconds:.0} s{went}{mean}", random.block)
}

/// Why the random writes have not settled, if they were to.
fn unsettled(random: &RandomWrites, done: &RandomDone, size: u64) -> Vec<String> {
    let mut all = Vec::new();
    let share = done.bytes / size as f64;
    if share < super::RANDOM_COVERAGE as f64 {
        all.push(format!(
            "After {} s the random writes had written only {} of the range.",
            random.most_s,
            percent(share)
        ));
    }
    if let Some(settled) = done.settled.as_ref().filter(|settled| !settled.is_settled()) {
        let why: Vec<String> =
            settled.against.iter().map(|why| why_not(why, super::RANDOM_ROUND_S)).collect();
        all.push(format!("The rate has not settled: {}.", why.join("; ")));
    }
    all
}
