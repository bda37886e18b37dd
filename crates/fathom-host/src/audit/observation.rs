//! What a check saw about one subject.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::verdict::{Verdict, Verdicts};
use fathom_device::root::{Unknown, Why};

/// A fact as it was read: where, and the raw text; or why it was not read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// The path on the machine described.
    #[serde(with = "fathom_device::saved_path")]
    pub path: PathBuf,
    /// The text as it stands there, cut where it is long.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw: Option<String>,
    /// Why there is no text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unknown: Option<String>,
    /// Whether more rights would have given it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub needs_root: bool,
}

/// Characters of raw text that are kept: enough for every attribute file, and
/// for the telling start of a table.
const RAW_MAX: usize = 400;

impl Evidence {
    /// What the path said.
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

/// One thing seen: about whom, what it comes to, on what evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observation {
    /// About whom: `nvme0n1`, `policy0`, `node1`, `host`.
    pub subject: String,
    /// One sentence, without its full stop, with the numbers in it.
    pub says: String,
    /// What it was read from.
    pub evidence: Vec<Evidence>,
    /// For each goal.
    #[serde(flatten)]
    pub verdicts: Verdicts,
}

impl Observation {
    /// Begins one; judge it with [`Observation::judge`] or one of its short
    /// forms.
    pub fn on(subject: impl Into<String>) -> Self {
        let verdicts = Verdicts::all(Verdict::NotApplicable);
        Self { subject: subject.into(), says: String::new(), evidence: Vec::new(), verdicts }
    }

    /// Adds evidence.
    pub fn with(mut self, path: impl Into<PathBuf>, raw: impl AsRef<str>) -> Self {
        self.evidence.push(Evidence::read(path, raw));
        self
    }

    /// Adds something that could not be read and would have helped.
    pub fn without(mut self, unknown: Unknown) -> Self {
        self.evidence.push(unknown.into());
        self
    }

    /// Says what it comes to.
    pub fn judge(mut self, verdicts: Verdicts, says: impl Into<String>) -> Self {
        self.verdicts = verdicts;
        self.says = says.into();
        self
    }

    /// As it should be, for every goal.
    pub fn ok(self, says: impl Into<String>) -> Self {
        self.judge(Verdicts::all(Verdict::Ok), says)
    }

    /// A remark, for every goal.
    pub fn info(self, says: impl Into<String>) -> Self {
        self.judge(Verdicts::all(Verdict::Info), says)
    }

    /// There is nothing here to judge.
    pub fn not_applicable(self, says: impl Into<String>) -> Self {
        self.judge(Verdicts::all(Verdict::NotApplicable), says)
    }

    /// It could not be read: n-a with the reason, never a guess.
    pub fn unknown(subject: impl Into<String>, unknown: Unknown) -> Self {
        let says = match unknown.why {
            Why::Missing => format!("{} is not there", named(&unknown.path)),
            Why::Denied => format!("no right to read {} ({})", named(&unknown.path), unknown.reason),
            Why::Silent => format!("{} is not known: {}", named(&unknown.path), unknown.reason),
            // What a program said may have several lines; a sentence has one.
            Why::Garbled | Why::Failed => {
                let reason: Vec<&str> = unknown.reason.lines().collect();
                format!("cannot read {}: {}", named(&unknown.path), reason.join(" "))
            }
        };
        Self::on(subject).without(unknown).not_applicable(says)
    }
}

/// A path for people: an answer of the system, which has no path on any disk,
/// by what was asked.
pub(super) fn named(path: &Path) -> String {
    match path.strip_prefix(Path::new(fathom_device::root::BESIDE).join("asked")) {
        Ok(question) => format!("(asked) {}", question.display()),
        Err(_) => path.display().to_string(),
    }
}
