//! How a run ended.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What ended a run. The exit code of the command that ran it comes from here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RunEnd {
    /// Every job ended by its own rule.
    ByItself,
    /// A job failed.
    JobFailed,
    /// The terminal went away (SIGHUP).
    HungUp,
    /// Somebody pressed Ctrl-C (SIGINT).
    Interrupted,
    /// Somebody ended the process (SIGTERM).
    Terminated,
    /// The condition that the person set for the end of the run came true: fio's triggers.
    Triggered,
    /// Something else began to use a target.
    Unsafe,
    /// Frames or logs could not be saved any more.
    Unsaved,
    /// A target stopped answering.
    GivenUp,
    /// A reason that only another version of fathom knows.
    #[default]
    #[serde(other)]
    Unknown,
}

impl RunEnd {
    /// Every end with a fixed sentence.
    const WORDS: [(RunEnd, &str); 7] = [
        (RunEnd::ByItself, "every job ended by its own rule"),
        (RunEnd::JobFailed, "a job failed"),
        (RunEnd::HungUp, "interrupted (SIGHUP)"),
        (RunEnd::Interrupted, "interrupted (SIGINT)"),
        (RunEnd::Terminated, "terminated (SIGTERM)"),
        (RunEnd::Triggered, "ended by its trigger"),
        (RunEnd::GivenUp, "a target stopped answering"),
    ];

    /// The end in words; `None` where the words depend on the run.
    pub fn words(self) -> Option<&'static str> {
        Self::WORDS.iter().find(|(end, _)| *end == self).map(|(_, words)| *words)
    }
}
