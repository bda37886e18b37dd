//! The finding of a check about one subject.

use std::path::{Path, PathBuf};

use fathom_device::Goal;
use fathom_device::root::{Unknown, Why};
use serde::{Deserialize, Serialize};

/// A fact with its path and its raw text, or the reason why it was not read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Evidence {
    /// The path on the machine that the audit describes.
    #[serde(with = "fathom_device::saved_path")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub path: PathBuf,
    /// The text of the file, shortened if it is long.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw: Option<String>,
    /// Why there is no text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unknown: Option<String>,
    /// Whether root could read it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub needs_root: bool,
}

/// Characters of raw text that are kept: enough for every attribute file, and
/// for the first lines of a table.
const RAW_MAX: usize = 400;

impl Evidence {
    /// A fact that was read.
    pub fn read(path: impl Into<PathBuf>, raw: impl AsRef<str>) -> Self {
        let raw = raw.as_ref();
        let cut: String = raw.chars().take(RAW_MAX).collect();
        let raw = if cut.len() < raw.len() { format!("{cut}…") } else { cut };
        Self { path: path.into(), raw: Some(raw), unknown: None, needs_root: false }
    }
}

impl From<Unknown> for Evidence {
    fn from(unknown: Unknown) -> Self {
        let needs_root = unknown.is_denied();
        Self { path: unknown.path, raw: None, unknown: Some(unknown.reason), needs_root }
    }
}

/// What was seen of a subject, or why its facts could not be read.
pub type Observed = Result<Observation, Unknown>;

/// The same of several subjects that need one fact.
pub type ObservedAll = Result<Vec<Observation>, Unknown>;

/// One finding of a check: its subject, its verdicts and its evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Observation {
    /// The subject: `nvme0n1`, `policy0`, `node1`, `host`.
    pub subject: String,
    /// One sentence, without its full stop, with the numbers in it.
    pub says: String,
    /// The facts behind it.
    pub evidence: Vec<Evidence>,
    /// The verdict for each goal.
    #[serde(flatten)]
    pub verdicts: Grades,
}

impl Observation {
    /// Begins an observation. Complete it with [`Observation::judge`] or one of
    /// its short forms.
    pub fn on(subject: impl Into<String>) -> Self {
        let verdicts = Grades::all(Grade::NotApplicable);
        Self { subject: subject.into(), says: String::new(), evidence: Vec::new(), verdicts }
    }

    /// Adds evidence.
    pub fn with(mut self, path: impl Into<PathBuf>, raw: impl AsRef<str>) -> Self {
        self.evidence.push(Evidence::read(path, raw));
        self
    }

    /// Adds a fact that could not be read but would have helped.
    pub fn without(mut self, unknown: Unknown) -> Self {
        self.evidence.push(unknown.into());
        self
    }

    /// Sets the verdicts and the sentence.
    pub fn judge(mut self, verdicts: Grades, says: impl Into<String>) -> Self {
        self.verdicts = verdicts;
        self.says = says.into();
        self
    }

    /// The verdict ok, for every goal.
    pub fn ok(self, says: impl Into<String>) -> Self {
        self.judge(Grades::all(Grade::Ok), says)
    }

    /// A remark, for every goal.
    pub fn info(self, says: impl Into<String>) -> Self {
        self.judge(Grades::all(Grade::Info), says)
    }

    /// A warning, for every goal.
    pub fn warn(self, says: impl Into<String>) -> Self {
        self.judge(Grades::all(Grade::Warn), says)
    }

    /// A warning for these goals, and a remark for the others.
    pub fn warn_for(self, goals: &[Goal], says: impl Into<String>) -> Self {
        self.judge(Grades::on(goals, Grade::Warn), says)
    }

    /// The grade bad, for every goal.
    pub fn bad(self, says: impl Into<String>) -> Self {
        self.judge(Grades::all(Grade::Bad), says)
    }

    /// Bad for these goals, and a remark for the others.
    pub fn bad_for(self, goals: &[Goal], says: impl Into<String>) -> Self {
        self.judge(Grades::on(goals, Grade::Bad), says)
    }

    /// There is nothing here to judge.
    pub fn not_applicable(self, says: impl Into<String>) -> Self {
        self.judge(Grades::all(Grade::NotApplicable), says)
    }

    /// It could not be read: n-a with the reason, never a guess.
    pub fn unknown(subject: impl Into<String>, unknown: Unknown) -> Self {
        let says = match unknown.why {
            Why::Missing => format!("{} is not there", named(&unknown.path)),
            Why::Denied => format!("no right to read {} ({})", named(&unknown.path), unknown.reason),
            Why::Silent => format!("{} is not known: {}", named(&unknown.path), unknown.reason),
            // The message of a program may have several lines; a sentence has one.
            Why::Garbled | Why::Failed => {
                let reason: Vec<&str> = unknown.reason.lines().collect();
                format!("cannot read {}: {}", named(&unknown.path), reason.join(" "))
            }
        };
        Self::on(subject).without(unknown).not_applicable(says)
    }

    /// What was seen of it, or that it could not be read.
    pub fn or_unknown(subject: impl Into<String>, observation: Result<Self, Unknown>) -> Self {
        observation.unwrap_or_else(|unknown| Self::unknown(subject, unknown))
    }
}

/// A path in a readable form. For an answer of the system, which is not a file,
/// it is the question.
pub(super) fn named(path: &Path) -> String {
    match path.strip_prefix(Path::new(fathom_device::root::BESIDE).join("asked")) {
        Ok(question) => format!("(asked) {}", question.display()),
        Err(_) => path.display().to_string(),
    }
}

// The verdict of a check about an observation, for each goal.

/// A judgement, from the mildest to the worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Grade {
    /// There is nothing to judge, or it could not be read; the observation
    /// says which.
    #[serde(rename = "n-a")]
    NotApplicable,
    /// The value is as it should be.
    Ok,
    /// A remark that helps to read a figure; nothing needs to be changed.
    Info,
    /// The goal is reached only in part, or it is uncertain.
    Warn,
    /// The figure will be wrong, or far below what is possible.
    Bad,
}

impl Grade {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Grade::NotApplicable => "n-a",
            Grade::Ok => "ok",
            Grade::Info => "info",
            Grade::Warn => "warn",
            Grade::Bad => "bad",
        }
    }
}

/// One verdict for each goal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Grades {
    /// For latency.
    pub latency: Grade,
    /// For IOPS.
    pub iops: Grade,
    /// For bandwidth.
    pub bandwidth: Grade,
    /// For repeatability.
    pub repeatability: Grade,
}

impl Grades {
    /// The same for every goal.
    pub const fn all(verdict: Grade) -> Self {
        Self { latency: verdict, iops: verdict, bandwidth: verdict, repeatability: verdict }
    }

    /// `verdict` for these goals, and for the others a remark
    /// ([`Grade::Info`]).
    pub fn on(goals: &[Goal], verdict: Grade) -> Self {
        Self::all(Grade::Info).and(goals, verdict)
    }

    /// The same verdicts, but `verdict` for these goals.
    pub fn and(mut self, goals: &[Goal], verdict: Grade) -> Self {
        for goal in goals {
            match goal {
                Goal::Latency => self.latency = verdict,
                Goal::Iops => self.iops = verdict,
                Goal::Bandwidth => self.bandwidth = verdict,
                Goal::Repeatability => self.repeatability = verdict,
            }
        }
        self
    }

    /// For one goal.
    pub fn of(&self, goal: Goal) -> Grade {
        match goal {
            Goal::Latency => self.latency,
            Goal::Iops => self.iops,
            Goal::Bandwidth => self.bandwidth,
            Goal::Repeatability => self.repeatability,
        }
    }

    /// The worst of all goals.
    pub fn worst(&self) -> Grade {
        Goal::ALL.into_iter().map(|goal| self.of(goal)).max().unwrap_or(Grade::NotApplicable)
    }
}
