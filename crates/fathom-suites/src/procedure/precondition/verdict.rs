//! What preconditioning came to, in sentences.

use super::proof::{content_fault, proven, told};
use super::{Precondition, RandomDone, RandomWrites};
use crate::procedure::History;
use crate::quantity::{bandwidth, iops, percent};
use crate::steady::why_not;
use fathom_results::Verdict;
use fathom_results::procedure::ContentSamples;
use fathom_text::number::bytes;
use fathom_text::words::counted;

/// The reasons for which what was written may not be on the medium, or not as in use. Others are about figures, of which
/// preconditioning needs none.
const OF_WRITING: [&str; 7] = [
    "counts-disagree",
    "errors-continued",
    "foreign-io",
    "memory-backed",
    "page-cache",
    "simulated",
    "too-hot",
];

/// The rounds of a cell together.
struct Sum {
    seconds: f64,
    bytes: f64,
}

impl Sum {
    fn of(history: &History<'_>, cell: &str) -> Sum {
        let rounds = || history.of_cell(cell).map(|round| &round.whole);
        Sum {
            seconds: rounds().map(|whole| whole.seconds).sum(),
            bytes: rounds().map(|whole| whole.bytes_per_second * whole.seconds).sum(),
        }
    }

    fn told(&self) -> String {
        let rate = if self.seconds > 0.0 { self.bytes / self.seconds } else { 0.0 };
        format!("{} in {:.0} s, {}", bytes(self.bytes), self.seconds, bandwidth(rate))
    }
}

impl Precondition {
    pub(super) fn verdict(&self, history: &History<'_>, samples: Option<&ContentSamples>) -> Verdict {
        let mut limits: Vec<String> = (1..=self.passes)
            .map(|pass| format!("pass {pass}: {}", Sum::of(history, &format!("pass-{pass}")).told()))
            .collect();
        let mut distrust = Vec::new();
        if let Some(random) = &self.random {
            let done = RandomDone::of(random, history);
            limits.push(rates(random, &done));
            distrust.extend(unsettled(random, &done, self.size.0));
        }
        let fault = samples.and_then(content_fault);
        match (samples, fault) {
            (_, Some(fault)) => distrust.insert(0, told(fault)),
            (Some(samples), None) => limits.push(format!("proof: {}", proven(samples))),
            (None, None) if self.needless.is_empty() => {
                distrust.push("A simulated drive holds no data, so nothing could be read back.".to_owned());
            }
            (None, None) => {}
        }
        distrust.extend(history.doubts_among(|code| OF_WRITING.contains(&code)));
        let headline = if fault.is_some() { self.not_proven() } else { self.headline() };
        Verdict { headline, limits, distrust }
    }

    fn not_proven(&self) -> String {
        format!("{} is NOT preconditioned: what was read back is not what was written.", self.target)
    }

    fn headline(&self) -> String {
        let Precondition { target, passes, passes_before, block, needless, .. } = self;
        let size = bytes(self.size.0 as f64);
        if !needless.is_empty() {
            return format!("Nothing was written to {target}: {needless}.");
        }
        let passes_of = |passes: &u32| counted(*passes, "pass").replace("passs", "passes");
        let mut did = match (passes, passes_before) {
            (0, before) => {
                format!("{size} of {target} had {} over them, which are still there", passes_of(before))
            }
            (_, 0) => format!("{size} of {target} were written in order, {} of {block}", passes_of(passes)),
            (_, before) => format!(
                "{size} of {target} were written in order, {} of {block} after {} of earlier runs",
                passes_of(passes),
                passes_of(before)
            ),
        };
        if let Some(random) = &self.random {
            did += &format!(", and then at random in blocks of {}", random.block);
        }
        did + "."
    }
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
