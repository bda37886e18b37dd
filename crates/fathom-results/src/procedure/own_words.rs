//! What a person named in the parameters of a procedure. A report for somebody else does not hold it.

/// Names and values that a person chose for a suite, a sweep or a trial.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnWords {
    /// The name of a suite that the person wrote.
    pub suite: Option<String>,
    /// Job files that a suite or a sweep was made of.
    pub files: Vec<String>,
    /// Options with the values that are tried: they stand in the names of cells.
    pub settings: Vec<(String, String)>,
    /// Values of the variables of a suite.
    pub variables: Vec<String>,
}
