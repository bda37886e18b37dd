//! What a person writes on a run.

/// What a person writes on a run, to find it and to know it again. Texts are carried
/// ([`fathom_text::carried`]).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunLabels {
    /// Its name, in place of the usual one.
    pub name: Option<String>,
    /// A remark.
    pub note: Option<String>,
    /// Words by which it is found.
    pub tags: Vec<String>,
}
