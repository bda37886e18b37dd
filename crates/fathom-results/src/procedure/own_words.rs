//! What a person named in the parameters of a procedure. A report for somebody else does not hold it.

/// Names and values that a person chose for a suite, a sweep or a trial.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnWords {
    /// The name of a suite that the person wrote.
    pub suite: Option<String>,
    /// Sentences of such a suite: its title, its source, what it tells about itself, and what its groups measure.
    pub texts: Vec<String>,
    /// Names of the groups of such a suite: its cells are called by them.
    pub groups: Vec<String>,
    /// Job files that a suite or a sweep was made of.
    pub files: Vec<String>,
    /// Options with the values that are tried: they stand in the names of cells.
    pub settings: Vec<(String, String)>,
    /// Values of the variables of a suite.
    pub variables: Vec<String>,
}
