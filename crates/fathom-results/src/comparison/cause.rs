//! Why a comparison needs care, what can explain a difference instead, and what to do: as data.

use crate::answer::{Instead, LostIos, Trust};
use crate::finding::Finding;
use serde::{Deserialize, Serialize};

/// Nobody measures more often than this for one figure: more runs are not advised.
pub const RUNS_MAX: u32 = 100;

/// Another cause than what was changed: it was found on one side only, or more of it on one side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OtherCause {
    /// What was found.
    #[serde(flatten)]
    pub found: CauseFound,
    /// What it does to the verdict on the figures.
    pub effect: CauseEffect,
    /// Letters of the subjects whose figures it makes better beside those of the others.
    pub favours: Vec<String>,
    /// The cells of the suites in whose runs it was found; absent where it is of all runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cells: Vec<String>,
}

/// What another cause is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum CauseFound {
    /// A rule found something in the runs of one side, and less often in those of another.
    OneSided {
        /// What the rule found, as the first run has it.
        finding: Finding,
        /// In other runs it found that of other jobs.
        of_various_jobs: bool,
        /// In how many runs of each subject.
        runs: Vec<RunsWithFinding>,
    },
    /// All sides read blocks that were perhaps never written. One was measured first and wrote some of them, so it read more of them.
    MeasuredFirst {
        /// Its letter.
        subject: String,
        /// The code of the rule that found the reads.
        rule: String,
    },
}

impl CauseFound {
    /// The code of the rule that found it.
    pub fn rule(&self) -> &str {
        match self {
            CauseFound::OneSided { finding, .. } => finding.code(),
            CauseFound::MeasuredFirst { rule, .. } => rule,
        }
    }
}

/// In how many runs of a subject a rule found something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunsWithFinding {
    /// Letter of the subject.
    pub subject: String,
    /// Runs in which it found something.
    pub runs: u32,
    /// All runs.
    pub of: u32,
}

/// What a cause does to the verdict on the figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum CauseEffect {
    /// The side that it favours is better.
    Explains,
    /// No figure differs, or it is unclear: without the cause, one may differ.
    Hides,
    /// The other side is better all the same.
    Strengthens,
    /// It is not known which side it favours, or it changes a detail only.
    Unknown,
}

/// Why the figures do not show what was changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum NotShown {
    /// Another cause explains or hides a difference.
    OtherCause {
        /// Its place in the causes of the comparison; the first is 0.
        cause: usize,
    },
}

/// Why the figures of a subject need care: what the answer of a run of it says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SubjectDoubt {
    /// How far the run can be trusted, and why not further.
    pub trust: Trust,
    /// What takes the place of its result; absent where the result is the disk's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instead: Option<Instead>,
    /// Its I/Os that failed; absent where none did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost: Option<LostIos>,
}

/// Why a comparison needs care.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum ComparisonDoubt {
    /// Several properties differ, and each can be the cause.
    SeveralDiffer {
        /// How many, without those that only follow another one.
        properties: u64,
    },
    /// The runs of a subject depend on their order, as with a drift or in blocks.
    OrderMatters {
        /// Its letter.
        subject: String,
        /// The places of the figures in which they do; the first is 0.
        figures: Vec<usize>,
        /// How likely such an order is by chance: the least of the figures.
        p_value: f64,
    },
    /// Some runs cannot be trusted fully.
    LessTrust {
        /// Letters of the subjects.
        subjects: Vec<String>,
        /// The cells of a suite whose runs these are; absent where it is so of all.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        cells: Vec<String>,
        /// All cells of each subject.
        of_cells: u64,
        /// It is so of all subjects alike, because of what the target is.
        is_even: bool,
        /// How far they can be trusted, and why not further: of the run that has the lowest trust.
        doubt: Box<SubjectDoubt>,
    },
    /// The rate of jobs fell during runs of a subject: the rate that lasted is compared.
    RateFell {
        /// Its letter.
        subject: String,
        /// The jobs.
        jobs: Vec<String>,
        /// Runs in which a rate fell.
        runs: u64,
        /// All runs.
        of: u64,
    },
    /// The jobs of the subjects ask for different rates and reached them. At a lower rate the CPU and the disk rest longer between two
    /// I/Os, and each of these takes longer by the time to wake.
    OtherRates {
        /// The jobs.
        jobs: Vec<String>,
    },
    /// There is one run only of some subjects, so it is not known how figures vary from run to run.
    OneRun,
    /// The rounds are those of one test of the specification of each, so it is not known how figures vary from test to test.
    OneTest,
    /// So many figures are compared that each needs more evidence than its own interval.
    ManyFigures {
        /// How many.
        figures: u64,
    },
    /// Figures have no interval.
    NoInterval {
        /// Their places; the first is 0.
        figures: Vec<usize>,
    },
    /// The subjects were measured on one machine, one after the other.
    NotInTurn {
        /// Their letters, the first that was measured first.
        subjects: Vec<String>,
        /// Some of them have several runs.
        has_several_runs: bool,
    },
}

/// What to do next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ComparisonStep {
    /// The command, as it can be typed in the directory of the run.
    pub command: String,
    /// What it is good for.
    #[serde(flatten)]
    pub purpose: StepPurpose,
    /// The command was typed with a consent to write. The advised one has none, and asks for it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub asks_for_consent: bool,
}

/// What a command that is advised does.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum StepPurpose {
    /// Writes every block of a target once.
    FillTarget {
        /// More targets need the same, and are not named.
        has_more: bool,
    },
    /// Gives the machine a setting that a subject had.
    SetAsBefore {
        /// Letter of the subject.
        subject: String,
        /// The setting: `scheduler`.
        setting: String,
        /// Other settings differ, too: it can be left as it is if it is not tested.
        is_one_of_several: bool,
    },
    /// Measures a subject again.
    MeasureAgain {
        /// Its letter.
        subject: String,
        /// The subjects were measured on different machines.
        is_elsewhere: bool,
    },
    /// Measures all subjects again, in turn.
    MeasureInTurn {
        /// Rounds of each.
        rounds: u32,
        /// What they should decide; absent where they only say more.
        decides: Option<UnclearDecided>,
    },
    /// Compares the new runs.
    CompareNewRuns {
        /// What that should decide; absent where it only says more.
        decides: Option<UnclearDecided>,
    },
    /// Compares the IOPS in turn, so that a drift favours no side.
    CompareInTurn,
    /// Makes a page with each figure and its interval.
    MakePage,
}

/// How many of the unclear figures more runs decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UnclearDecided {
    /// So many.
    pub figures: u64,
    /// Of so many.
    pub of: u64,
}
