//! How a run ended.

use serde::{Deserialize, Serialize};

/// What ended a run. The exit code of the command that ran it comes from here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

/// Why a run is incomplete.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "is", rename_all = "kebab-case")]
pub enum Incomplete {
    /// What was saved is missing, cut or not as it was saved.
    Damaged {
        /// What of it, as the reader says it.
        what: String,
    },
    /// Something ended it before its jobs had ended.
    Ended {
        /// What.
        by: RunEnd,
        /// What was going on there, where the end alone does not say it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<String>,
    },
    /// Its end was not saved, and neither was anything that it measured.
    NothingSaved,
    /// Its end was not saved: it was killed, or it still runs.
    NotEnded {
        /// Why no more of it can be read, where it cannot.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        damage: Option<String>,
    },
    /// It is being measured at the moment. The program that measures it sets this, and never saves it.
    Running,
    /// The end of a job was not saved.
    NoEndOfJob {
        /// The job.
        job: String,
    },
    /// Its record could not be saved.
    RecordNotSaved {
        /// The error of the system.
        error: String,
    },
}

/// Why a round cannot count as a measurement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "is", rename_all = "kebab-case")]
pub enum RoundFailure {
    /// A job failed, or what it measured could not be saved.
    Failed {
        /// The error.
        message: String,
    },
    /// It ended before its jobs had ended.
    Ended {
        /// What ended it.
        by: RunEnd,
    },
}
