//! The finding of a check about one subject.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::verdict::{Grade, Grades};
use fathom_device::Goal;
use fathom_device::root::{Unknown, Why};

/// A fact with its path and its raw text, or the reason why it was not read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// The path on the machine that the audit describes.
    #[serde(with = "fathom_device::saved_path")]
    #[schemars(with = "String")]
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

/// One finding of a check: its subject, its verdicts and its evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
    pub fn or_unknown(subject: impl Into<String>, seen: Result<Self, Unknown>) -> Self {
        seen.unwrap_or_else(|unknown| Self::unknown(subject, unknown))
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
