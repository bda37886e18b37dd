//! What writing to a device would risk: the guard's verdict, for a person who asks beforehand.

use fathom_device::root::Unknown;
use fathom_guard::{ConsentNeeded, Door, Facts, Finding, FindingKind, Weight, consent_needed};
use schemars::JsonSchema;
use serde::Serialize;

/// The verdict about writing to a device, the strictest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WritingVerdict {
    /// fathom refuses, whatever is typed.
    Refused,
    /// It is not known what the device holds.
    Unknown,
    /// What the device holds would be lost.
    Destroys,
    /// The device looks blank, but another program has it open for reading. The guard asks for the
    /// same consent as for data.
    ReadByOthers,
    /// The device looks blank.
    Blank,
}

/// What writing would risk, and what must be typed for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Writing {
    /// The verdict.
    pub verdict: WritingVerdict,
    /// The option that allows it (`--write SERIAL`, `--destroy SERIAL`), quoted for a shell; `None`
    /// where no option does.
    pub option: Option<String>,
    /// The guard's findings, the most severe first.
    pub findings: Vec<Finding>,
    /// Why the guard could not look, where it could not.
    pub unknown: Option<Unknown>,
}

impl Writing {
    /// The verdict of the guard's rules for fathom's own commands.
    pub(super) fn judge(facts: &Facts, findings: Vec<Finding>) -> Self {
        let (verdict, option) = match consent_needed(facts, &findings, Door::Native) {
            ConsentNeeded::Impossible => (WritingVerdict::Refused, None),
            ConsentNeeded::Destroy(option) if is_only_read(&findings) => {
                (WritingVerdict::ReadByOthers, option)
            }
            ConsentNeeded::Destroy(_) if !is_something_known(&findings) => (WritingVerdict::Unknown, None),
            ConsentNeeded::Destroy(option) => (WritingVerdict::Destroys, option),
            ConsentNeeded::Write(option) => (WritingVerdict::Blank, option),
            // Only at the fio door.
            ConsentNeeded::Nothing => (WritingVerdict::Blank, None),
        };
        Self { verdict, option, findings, unknown: None }
    }

    /// The guard could not gather its facts, and would refuse.
    pub(super) fn unknown(unknown: Unknown) -> Self {
        let verdict = WritingVerdict::Unknown;
        Self { verdict, option: None, findings: Vec::new(), unknown: Some(unknown) }
    }
}

/// Whether the readers are all that asks for more than the consent to write.
fn is_only_read(findings: &[Finding]) -> bool {
    let mut strong = findings.iter().filter(|f| f.weight > Weight::Permission);
    strong.all(|f| f.kind == FindingKind::OpenForReading)
}

/// Whether something was found in the device, and not only readers or that it cannot be read.
fn is_something_known(findings: &[Finding]) -> bool {
    use FindingKind::{OpenForReading, Unreadable};
    let says_nothing = |f: &&Finding| matches!(f.kind, OpenForReading | Unreadable);
    findings.iter().filter(|f| f.weight > Weight::Permission).any(|f| !says_nothing(&f))
}
