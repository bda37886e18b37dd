//! What preconditioning came to.

use super::proof::{content_fault, proven};
use super::{Precondition, RandomDone, RandomWrites};
use crate::History;
use fathom_judge::steady::AHEAD_S;
use fathom_results::answer::{Gain, Headline, PassRate, PreconditionHeadline, RandomHeadline, SettledRate};
use fathom_results::procedure::ContentSamples;
use fathom_results::{NextStep, Reason, RoundsPart, TrustLevel, Verdict, Why};
use fathom_text::shell::quoted_carried;

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

/// So many passes have their rates one by one; of more, the first and the last.
const PASSES_LISTED: u32 = 4;

/// In how many rounds of a cell heat was at its limit; `None` where it was in none.
fn heat(history: &History<'_>, cell: &str) -> Option<RoundsPart> {
    let (of, times) = history.of_cell(cell).fold((0, 0), |(of, times), round| {
        let is_hot = round.findings().any(|finding| finding.code() == TOO_HOT);
        (of + 1, times + u64::from(is_hot))
    });
    (times > 0).then_some(RoundsPart { times, of })
}

fn pass(history: &History<'_>, number: u32) -> PassRate {
    let cell = format!("pass-{number}");
    let rounds = || history.of_cell(&cell).map(|round| &round.whole);
    PassRate {
        pass: u64::from(number),
        seconds: rounds().map(|whole| whole.seconds).sum(),
        bytes: rounds().map(|whole| whole.bytes_per_second * whole.seconds).sum(),
        too_hot: heat(history, &cell),
    }
}

/// How far a target can be trusted to be in the state that was asked for. That nothing could be read back of a simulated drive says
/// nothing against it.
fn level(why: &Why) -> Option<TrustLevel> {
    match why {
        Why::Content { .. } | Why::RandomTooLittle { .. } | Why::NotSettled { .. } => Some(TrustLevel::Low),
        Why::PassesUncertain { .. } => Some(TrustLevel::Medium),
        _ => None,
    }
}

impl Precondition {
    pub(super) fn verdict(&self, history: &History<'_>, samples: Option<&ContentSamples>) -> Verdict {
        let mut distrust = Vec::new();
        let random = self.random.as_ref().map(|random| (random, RandomDone::of(random, history)));
        if let Some((random, done)) = &random {
            distrust.extend(unsettled(random, done, self.size.0));
        }
        let fault = samples.and_then(content_fault);
        match (samples, fault) {
            (_, Some(fault)) => distrust.insert(0, Why::Content { fault }),
            (None, None) if self.needless.is_none() => distrust.push(Why::NothingReadBack),
            _ => {}
        }
        distrust.extend(samples.and_then(|samples| self.disturbed(samples)));
        let distrust = distrust.into_iter().map(|why| {
            let level = level(&why);
            Reason::new(why, level)
        });
        let doubts = history.doubts_among(|code| OF_WRITING.contains(&code));
        let headline = PreconditionHeadline {
            target: self.target.clone(),
            bytes: self.size.0,
            needless: self.needless,
            is_disproved: fault.is_some(),
            passes: u64::from(self.passes),
            passes_before: u64::from(self.passes_before),
            block_bytes: self.block.0,
            rates: self.rates(history),
            random: random.map(|(random, done)| of_random(random, &done, history)),
            proof: samples.filter(|_| fault.is_none()).map(proven),
        };
        Verdict { headline: Headline::Precondition(headline), distrust: distrust.chain(doubts).collect() }
    }

    /// What to do next: measure the target, or where it is not in the state that was asked for, look at the rounds.
    pub(super) fn next_command(&self, verdict: &Verdict) -> NextStep {
        let is_prepared = verdict.distrust.iter().all(|it| level(&it.why) != Some(TrustLevel::Low));
        let (command, gain) = match is_prepared {
            true => (format!("fathom quick {}", quoted_carried(&self.target)), Gain::PreparedTarget),
            false => ("fathom report --details latest".to_owned(), Gain::EveryValue),
        };
        NextStep { command, gain, needs_consent: false }
    }

    /// Whether something else may have written between the portions, as after a kill.
    fn disturbed(&self, samples: &ContentSamples) -> Option<Why> {
        let of = self.passes + self.passes_before;
        let known = samples.passes_known.filter(|known| *known < of)?;
        Some(Why::PassesUncertain { known: u64::from(known), of: u64::from(of) })
    }

    fn rates(&self, history: &History<'_>) -> Vec<PassRate> {
        match self.passes {
            0..=PASSES_LISTED => (1..=self.passes).map(|number| pass(history, number)).collect(),
            last => [1, last].map(|number| pass(history, number)).to_vec(),
        }
    }
}

/// How the rate of the random writes went.
fn of_random(random: &RandomWrites, done: &RandomDone, history: &History<'_>) -> RandomHeadline {
    let settled = done.settled.as_ref().filter(|settled| settled.is_settled());
    RandomHeadline {
        block_bytes: random.block.0,
        bytes: done.bytes,
        seconds: done.seconds,
        iops_first: done.rates.first().copied(),
        iops_last: done.rates.last().copied(),
        settled: settled
            .and_then(|settled| settled.mean.as_ref())
            .map(|mean| SettledRate { iops: mean.value, half_share: mean.relative_half_width() }),
        too_hot: heat(history, &super::random_cell(random)),
    }
}

/// Why the random writes did not bring the target into the state in which it is measured: too few of them, or a rate that has not
/// settled although it was to.
pub(super) fn unsettled(random: &RandomWrites, done: &RandomDone, size: u64) -> Vec<Why> {
    let share = done.bytes / size as f64;
    let too_little = (share < super::RANDOM_COVERAGE as f64)
        .then_some(Why::RandomTooLittle { seconds: random.most_s, share });
    let unsettled = done.settled.as_ref().filter(|settled| !settled.is_settled()).map(|settled| {
        let against = settled.against.iter().map(|why| why.of_seconds(super::RANDOM_ROUND_S, AHEAD_S));
        Why::NotSettled { against: against.collect() }
    });
    too_little.into_iter().chain(unsettled).collect()
}
