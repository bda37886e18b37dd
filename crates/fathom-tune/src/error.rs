//! What can go wrong before and around a change. What goes wrong *with* a change is not an error:
//! it is recorded in the journal, knob by knob.

use std::io;
use std::path::{Path, PathBuf};

use super::knob::Risk;
use super::revert_command::revert_command;

/// Why tuning could not be planned, applied or undone.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TuneError {
    /// A target leads to no disk.
    #[error("cannot tune for {path}: {reason}", path = path.display())]
    Target {
        /// The target.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// No knob has this name.
    #[error("no knob is called {0}")]
    UnknownKnob(String),
    /// The knob has no value of its own for the goal.
    #[error("{0} has no value that is right for this goal; name one: {0}=VALUE")]
    NeedsValue(String),
    /// The value is none that the knob can have.
    #[error("{value:?} is not a value that {knob} can have")]
    BadValue {
        /// The knob.
        knob: String,
        /// What was given.
        value: String,
    },
    /// A plan file cannot be used.
    #[error("cannot read a plan from {path}: {reason}", path = path.display())]
    PlanFile {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// The plan is not the one that was shown.
    #[error("this plan's hash is {is}, not {said}: it is not the plan that was shown")]
    Hash {
        /// The hash that was given with the plan.
        said: String,
        /// The hash of its content.
        is: String,
    },
    /// A line of the plan is none that the knob would make here.
    #[error("refused {place}: knob {knob} has no such setting on this machine and for these targets")]
    NotOffered {
        /// The knob.
        knob: String,
        /// Where it would have written.
        place: String,
    },
    /// The machine is not as it was when the plan was made.
    #[error("{place} is {now} now; the plan was made when it was {planned}")]
    Stale {
        /// Where the setting is.
        place: String,
        /// What the plan says.
        planned: String,
        /// What it is.
        now: String,
    },
    /// A knob that others would notice was not named.
    #[error("{knob} must be named, because its risk is {risk}")]
    NotNamed {
        /// The knob.
        knob: String,
        /// Its risk.
        risk: Risk,
    },
    /// Somebody else sets this knob.
    #[error("{knob} is set by {owner}, which is running")]
    Owned {
        /// The knob.
        knob: String,
        /// The program that sets it.
        owner: String,
    },
    /// An earlier session was not undone.
    #[error("an earlier session has not been undone: {}", .0.display())]
    Open(PathBuf),
    /// Another process tunes with this state directory.
    #[error("{} is tuning with this state directory ({})", process(.pid, "another process"), lock.display())]
    Locked {
        /// The lock of the directory.
        lock: PathBuf,
        /// The process that holds it, if its number is known.
        pid: Option<u32>,
    },
    /// Another session changes settings of the same owner.
    #[error(
        "{what} is tuned already, by {}; the journal is {}",
        process(.pid, "a session that was not put back"),
        journal.display()
    )]
    Claimed {
        /// The device, the processor, or the knob of the machine.
        what: String,
        /// The process, if it still runs.
        pid: Option<u32>,
        /// The journal of that session.
        journal: PathBuf,
        /// Where the session is written down.
        claim: PathBuf,
    },
    /// The directory of the journals, or a journal, failed.
    #[error("cannot {act} {path}: {source}", path = path.display())]
    State {
        /// What was attempted.
        act: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A line of a journal cannot be read.
    #[error("{path} is damaged at line {line}: {reason}", path = path.display())]
    Journal {
        /// The journal.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// What the parser said.
        reason: String,
    },
    /// What a session claims cannot be read.
    #[error("{path}, which records what a session tunes, is damaged: {reason}", path = path.display())]
    Claim {
        /// Where the session is written down.
        path: PathBuf,
        /// What the parser said.
        reason: String,
    },
    /// A device did not answer a setting.
    #[error("cannot set {knob} at {place}: {reason}")]
    Silent {
        /// The knob.
        knob: String,
        /// Where the setting is.
        place: String,
        /// What did not answer, and for how long.
        reason: String,
    },
    /// A journal does not hold the change that was asked for.
    #[error("{path} holds no change with number {seq}", path = path.display())]
    NoRecord {
        /// The journal.
        path: PathBuf,
        /// Its number.
        seq: u32,
    },
    /// The process that would undo everything after a kill did not start.
    #[error("the guardian did not start: {0}")]
    Guardian(String),
}

impl TuneError {
    /// Whether this was refused for safety rather than failed.
    pub fn is_refusal(&self) -> bool {
        use TuneError::{Claimed, Hash, Locked, NotNamed, NotOffered, Open, Owned, Stale};
        matches!(
            self,
            Hash { .. }
                | NotOffered { .. }
                | Stale { .. }
                | NotNamed { .. }
                | Owned { .. }
                | Open(_)
                | Locked { .. }
                | Claimed { .. }
        )
    }

    /// Whether the request itself was wrong.
    pub fn is_usage(&self) -> bool {
        use TuneError::{BadValue, NeedsValue, PlanFile, Target, UnknownKnob};
        matches!(self, UnknownKnob(_) | NeedsValue(_) | BadValue { .. } | PlanFile { .. } | Target { .. })
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            TuneError::UnknownKnob(_) => "to list all knobs: fathom tune knobs".to_owned(),
            TuneError::Hash { .. } | TuneError::Stale { .. } => {
                "make a new plan with fathom tune plan, and read it".to_owned()
            }
            TuneError::PlanFile { .. } => "to write one: fathom tune plan -o plan.json".to_owned(),
            TuneError::NotNamed { knob, .. } => format!("if you want to change it: --knob {knob}"),
            TuneError::Owned { .. } => {
                "pause it as part of the plan (--knob sys.daemons), or tune in spite of it: --despite-owners".to_owned()
            }
            TuneError::Open(_) => {
                "fathom tune status shows it, fathom tune revert undoes it; --acknowledge leaves everything as it is"
                    .to_owned()
            }
            TuneError::Claimed { journal, claim, .. } => match journal.exists() {
                true => format!("to put back what that session changed: {}", revert_command(journal)),
                false => format!(
                    "fathom cannot see its journal (fathom tune status shows what it found); \
                     if nothing of it is in force, remove {}",
                    claim.display()
                ),
            },
            TuneError::Claim { path, .. } => {
                format!("if nothing that was tuned is in force, remove {}", path.display())
            }
            TuneError::Silent { .. } => {
                "dmesg shows a device that fails or resets; fathom tune status lists \
                 what is still to be put back"
                    .to_owned()
            }
            TuneError::State { act: "trust", .. } => {
                "name a directory of your own with --state-dir, to which nobody else can write".to_owned()
            }
            TuneError::State { source, .. } if source.kind() == io::ErrorKind::PermissionDenied => {
                "only root may tune; planning does not need root".to_owned()
            }
            _ => return None,
        })
    }

    /// An error of the system: what was attempted, and on what.
    pub(super) fn state(act: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::State { act, path, source }
    }
}

/// The process with this number, or what is known in place of it.
fn process(pid: &Option<u32>, else_it_is: &str) -> String {
    pid.map_or_else(|| else_it_is.to_owned(), |pid| format!("process {pid}"))
}
