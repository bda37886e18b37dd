//! `precondition`: brings a device into the state in which it can be measured.
//!
//! The whole range is written in order, its odd end too, as often as asked: SNIA's workload-independent
//! preconditioning is two passes of 128 KiB. Random writes can follow, for a time, an amount, and until their rate has
//! settled: the workload-dependent part. Then samples of the range are read, which must hold what was written.
//!
//! Each pass is cut into portions, and each portion is a round. So a crash costs one portion.

mod portion;
mod proof;
mod verdict;

pub use proof::content_fault;

use super::answer_of_rounds::concluded;
use super::definition::{Parameters, ProcedureDef};
use super::repeat::failure;
use super::{History, Procedure, Round, RoundJobs, Step, Wait};
use fathom_job::parse::Adjust;
use fathom_job::units::Bytes;
use fathom_judge::steady::{AHEAD_S, Confident, ConfidentTerms};
use fathom_results::Answer;
use fathom_results::answer::FastAsNew;
use fathom_results::procedure::{ContentRange, StepDone};
pub(super) use portion::{Portion, Portions};

/// Block of the passes in order (SNIA PTS: 128 KiB).
pub const BLOCK_USUAL: Bytes = Bytes::kib(128);
/// Passes over the range (SNIA PTS: twice the user capacity).
pub const PASSES_USUAL: u32 = 2;
/// Random writes go on until so many times the range was written: after once, a flash drive begins to collect garbage
/// (research on methodology, §5.2 a).
pub const RANDOM_COVERAGE: u64 = 2;
/// Length of a round of random writes: the round of SNIA PTS.
const RANDOM_ROUND_S: u64 = 60;
/// Rounds before the first look whether their rate has settled.
const FIRST_LOOK: usize = 20;
/// I/Os in flight.
const DEPTH: u32 = 32;
/// The longest wait for an array to be built: it may take days.
const ARRAY_WAIT_S: u64 = 7 * 86_400;

/// What is written, and until when.
#[derive(Clone, Debug, PartialEq)]
pub struct Precondition {
    /// The device, file or simulated drive.
    pub target: String,
    /// First byte of the range.
    pub offset: Bytes,
    /// Length of the range.
    pub size: Bytes,
    /// Engine of the jobs.
    pub engine: String,
    /// Direct I/O.
    pub direct: bool,
    /// Block of the passes in order.
    pub block: Bytes,
    /// Passes that are made.
    pub passes: u32,
    /// Passes that earlier runs of fathom made, and that are still there.
    pub passes_before: u32,
    /// Random writes afterwards.
    pub random: Option<RandomWrites>,
    /// Windows at random places that are read at the end, besides both ends of the range; `None` where nothing can be
    /// read back, as from a simulated drive.
    pub windows: Option<u32>,
    /// Why the medium needs none of this; `None` where it does.
    pub needless: Option<FastAsNew>,
}

/// Why the medium needs no preconditioning, as it was saved.
fn needless(parameters: &Parameters<'_>) -> Result<Option<FastAsNew>, String> {
    let word: String = parameters.get("needless")?;
    let of = [FastAsNew::Optane, FastAsNew::HardDisk].into_iter().find(|medium| medium.word() == word);
    match of {
        None if !word.is_empty() => Err(format!("the parameter needless is {word}")),
        of => Ok(of),
    }
}

/// The random writes after the passes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RandomWrites {
    /// Their block.
    pub block: Bytes,
    /// They take at least so long, in seconds.
    pub least_s: u64,
    /// They take at most so long, in seconds.
    pub most_s: u64,
    /// They go on until the mean of their rate is known to this share, and the rate no longer drifts.
    pub half_width: Option<f64>,
}

impl Precondition {
    /// Its line in the table.
    pub const DEFINITION: ProcedureDef = ProcedureDef { name: "precondition", open: Precondition::open };

    fn open(parameters: &Parameters<'_>) -> Result<Box<dyn Procedure>, String> {
        let random = match parameters.get("random_block")? {
            0 => None,
            block => Some(RandomWrites {
                block: Bytes(block),
                least_s: parameters.get("least_s")?,
                most_s: parameters.get("most_s")?,
                half_width: Some(parameters.get("half_width")?).filter(|share| *share > 0.0),
            }),
        };
        let windows: i64 = parameters.get("windows")?;
        let found = Precondition {
            target: parameters.get("target")?,
            offset: Bytes(parameters.get("offset")?),
            size: Bytes(parameters.get("size")?),
            engine: parameters.get("engine")?,
            direct: parameters.get("direct")?,
            block: Bytes(parameters.get("block")?),
            passes: parameters.get("passes")?,
            passes_before: parameters.get("passes_before")?,
            random,
            windows: u32::try_from(windows).ok(),
            needless: needless(parameters)?,
        };
        if found.block.0 == 0 || found.size.0 == 0 {
            return Err("the parameters block and size must not be 0".to_owned());
        }
        Ok(Box::new(found))
    }

    /// Its parameters, as they are saved.
    pub fn parameters(&self) -> Vec<(String, String)> {
        let random = self.random.as_ref();
        let of_random = |of: fn(&RandomWrites) -> u64| random.map_or(0, of).to_string();
        let parameters = [
            ("target", self.target.clone()),
            ("offset", self.offset.0.to_string()),
            ("size", self.size.0.to_string()),
            ("engine", self.engine.clone()),
            ("direct", self.direct.to_string()),
            ("block", self.block.0.to_string()),
            ("passes", self.passes.to_string()),
            ("passes_before", self.passes_before.to_string()),
            ("random_block", of_random(|random| random.block.0)),
            ("least_s", of_random(|random| random.least_s)),
            ("most_s", of_random(|random| random.most_s)),
            ("half_width", random.and_then(|random| random.half_width).unwrap_or(0.0).to_string()),
            ("windows", self.windows.map_or(-1, i64::from).to_string()),
            ("needless", self.needless.map_or("", FastAsNew::word).to_owned()),
        ];
        parameters.map(|(name, value)| (name.to_owned(), value)).to_vec()
    }

    fn portions(&self) -> Portions {
        Portions::of(self.offset.0, self.size.0, self.block.0)
    }

    /// The rounds of one pass that differ in length, with how many there are of each.
    fn lengths(&self) -> Vec<(Round, u32)> {
        let mut lengths: Vec<(Portion, u32)> = Vec::new();
        for portion in self.portions().iter() {
            match lengths
                .iter_mut()
                .find(|(known, _)| (known.size, known.block) == (portion.size, portion.block))
            {
                Some((_, times)) => *times += self.passes,
                None => lengths.push((portion, self.passes)),
            }
        }
        lengths.into_iter().map(|(portion, times)| (self.portion_round("pass", portion), times)).collect()
    }

    /// The rounds of one pass, in order.
    fn pass(&self, number: u32) -> impl Iterator<Item = Round> + use<'_> {
        let cell = format!("pass-{number}");
        self.portions().iter().map(move |portion| self.portion_round(&cell, portion))
    }

    fn portion_round(&self, cell: &str, portion: Portion) -> Round {
        let Portion { offset, size, block } = portion;
        self.round(cell, &format!("rw=write\nbs={block}\noffset={offset}\nsize={size}\nend_fsync=1\n"))
    }

    fn random_round(&self, random: &RandomWrites) -> Round {
        let (block, offset, size) =
            (random.block.0, self.offset.0, self.size.0 - self.size.0 % random.block.0);
        let seconds = RANDOM_ROUND_S.min(random.most_s);
        let options = format!(
            "rw=randwrite\nbs={block}\noffset={offset}\nsize={size}\nnorandommap=1\ntime_based=1\nruntime={seconds}s\n"
        );
        self.round(&random_cell(random), &options)
    }

    /// New random data in every block, so that nothing can compress it or store it once.
    fn round(&self, cell: &str, options: &str) -> Round {
        let (engine, direct) = (&self.engine, u8::from(self.direct));
        let text = format!(
            "[{cell}]\nioengine={engine}\niodepth={DEPTH}\ndirect={direct}\nrefill_buffers=1\n{options}"
        );
        let adjust = Adjust { target: Some(self.target.clone()), ..Adjust::default() };
        let jobs = RoundJobs::Text { text, adjust };
        Round::of(cell, jobs)
    }

    /// Is nothing to be written?
    fn is_idle(&self) -> bool {
        self.passes == 0 && self.random.is_none()
    }

    /// The next of the passes in order.
    fn next_in_order(&self, history: &History<'_>) -> Option<Round> {
        let of_pass = |pass| history.of_cell(&format!("pass-{pass}")).count();
        (1..=self.passes).find_map(|pass| self.pass(pass).nth(of_pass(pass)))
    }

    /// The next round of random writes, if they have not gone on for long enough.
    fn next_at_random(&self, history: &History<'_>) -> Option<Round> {
        let random = self.random.as_ref()?;
        let done = RandomDone::of(random, history);
        let is_short = done.seconds < random.least_s as f64
            || done.bytes < (RANDOM_COVERAGE * self.size.0) as f64
            || done.settled.as_ref().is_some_and(|settled| !settled.is_settled());
        (is_short && done.seconds < random.most_s as f64).then(|| self.random_round(random))
    }

    fn range(&self) -> ContentRange {
        ContentRange { target: self.target.clone(), offset_bytes: self.offset.0, size_bytes: self.size.0 }
    }
}

fn random_cell(random: &RandomWrites) -> String {
    format!("random-{}", random.block.0)
}

/// What the random writes came to.
struct RandomDone {
    seconds: f64,
    bytes: f64,
    rates: Vec<f64>,
    /// Whether the rate has settled; `None` where that is not asked for.
    settled: Option<Confident>,
}

/// The last look at the rates of so many rounds: its number, and how many rounds there were. Each look takes a part of
/// the 5 % by which all together may be wrong, so the next one comes when a fifth more is there.
fn last_look(rounds: usize) -> (u32, usize) {
    let looks = std::iter::successors(Some(FIRST_LOOK), |rounds| Some(rounds + rounds / 5));
    (1..).zip(looks).take_while(|(_, at)| *at <= rounds).last().unwrap_or((1, rounds))
}

impl RandomDone {
    fn of(random: &RandomWrites, history: &History<'_>) -> RandomDone {
        let cell = random_cell(random);
        let rounds = || history.of_cell(&cell).map(|round| &round.whole);
        let rates: Vec<f64> = rounds().map(|whole| whole.iops).collect();
        let (look, count) = last_look(rates.len());
        let settled = random.half_width.map(|half_width| {
            let ahead = AHEAD_S as f64 / RANDOM_ROUND_S as f64;
            Confident::of(&rates[..count], &ConfidentTerms { half_width }, ahead, look)
        });
        let seconds = rounds().map(|whole| whole.seconds).sum();
        let bytes = rounds().map(|whole| whole.bytes_per_second * whole.seconds).sum();
        RandomDone { seconds, bytes, rates, settled }
    }
}

impl Procedure for Precondition {
    fn answer(&self, history: &History<'_>) -> Option<Answer> {
        match self.next(history) {
            Step::Done(verdict) if history.failed().is_none() => {
                let next = self.next_command(&verdict);
                concluded(history, verdict, next)
            }
            _ => None,
        }
    }

    fn expected(&self) -> Vec<(Round, u32)> {
        let in_order = if self.passes == 0 { Vec::new() } else { self.lengths() };
        let random = self.random.iter().map(|random| {
            let rounds = random.most_s.div_ceil(RANDOM_ROUND_S).max(1);
            (self.random_round(random), u32::try_from(rounds).unwrap_or(u32::MAX))
        });
        in_order.into_iter().chain(random).collect()
    }

    fn next(&self, history: &History<'_>) -> Step {
        if let Some(failed) = history.failed() {
            return Step::Done(failure(history, failed));
        }
        let has_waited = history.steps().iter().any(|step| matches!(step.did, StepDone::Waited { .. }));
        if !has_waited && !self.is_idle() {
            return Step::Wait(Wait::Built { at_most_seconds: ARRAY_WAIT_S });
        }
        if let Some(round) = self.next_in_order(history).or_else(|| self.next_at_random(history)) {
            return Step::Run(round);
        }
        match (self.windows.filter(|_| self.needless.is_none()), history.samples()) {
            (Some(windows), None) => Step::Prove { range: self.range(), windows },
            (_, samples) => Step::Done(self.verdict(history, samples)),
        }
    }

    fn is_not_valid(&self, history: &History<'_>) -> bool {
        let random = self.random.as_ref().map(|random| (random, RandomDone::of(random, history)));
        random.is_some_and(|(random, done)| !verdict::unsettled(random, &done, self.size.0).is_empty())
    }
}

#[cfg(test)]
mod tests;
