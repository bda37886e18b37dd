//! What a person writes on a run.

use fathom_judge::Claims;

/// What a person writes on a run, to find it and to know it again. Texts are carried
/// ([`fathom_text::carried`]).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunLabels {
    /// Its name, in place of the usual one.
    pub name: Option<String>,
    /// A remark.
    pub note: Option<String>,
    /// Words by which it is found.
    pub tags: Vec<String>,
    /// What the data sheet of the device promises, to stand beside what a run measures. Rounds of a procedure have none.
    pub claims: Option<Claims>,
}
