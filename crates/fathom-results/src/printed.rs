//! Texts that are kept as a record of what was printed.
//!
//! What a run found is data, and its sentences are made when something is printed. The conversation before and during a run is different: the
//! planner explains jobs as a compiler explains a program, in hundreds of ways that depend on the text of a job file; and a script
//! whose standard error stays empty finds its messages in the result. Both are kept as they were printed, so that a
//! reader can print them again. No rule may depend on them, so [`PrintedText`] can be printed and nothing else.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A text that was printed. It can be printed again, and is no data: what code must know has a field of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PrintedText(String);

impl<T: Into<String>> From<T> for PrintedText {
    fn from(text: T) -> Self {
        PrintedText(text.into())
    }
}

impl fmt::Display for PrintedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
