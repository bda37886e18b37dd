//! The jobs that were given to a procedure, as text, so that it can be resumed when the job files
//! have changed or are gone.

use serde::{Deserialize, Serialize};

/// What the command line named, and every text that was read for it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct JobSource {
    /// The job files in the order of the command line; `-` is standard input.
    pub files: Vec<String>,
    /// What was read, included files among them.
    pub texts: Vec<JobText>,
    /// The environment variables that were asked for; `None` for one that was not set.
    pub variables: Vec<(String, Option<String>)>,
    /// `--set`: option and value.
    pub set: Vec<(String, String)>,
    /// `--target`.
    pub target: Option<String>,
    /// `--section`.
    pub sections: Vec<String>,
}

/// The text of one job file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct JobText {
    /// The path as it was named.
    pub path: String,
    /// The file that includes it.
    pub from: Option<String>,
    /// Its text.
    pub text: String,
}
