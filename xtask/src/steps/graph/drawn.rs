//! The crate graph as it is drawn: what may depend on what, and what is absent. The entries are in `graph.toml`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

/// All of it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drawn {
    /// Crates that may depend on all others, and on which none may depend.
    pub on_top: Vec<String>,
    /// Libraries that may hold unsafe code.
    pub may_be_unsafe: Vec<String>,
    /// Every library, and the crates of ours on which it may depend.
    pub edges: BTreeMap<String, Vec<String>>,
    /// Crates on which only the tests of a library may depend.
    pub edges_of_tests: BTreeMap<String, Vec<String>>,
    /// Files, or directories with a slash at the end, that search texts for words, each with its reason.
    pub reads_words: Vec<(String, String)>,
    /// Things that some crates never do.
    pub absence: Vec<Absence>,
    /// The circles of modules that exist.
    pub circle: Vec<Circle>,
}

/// A thing that some crates never do.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Absence {
    /// The crates; every library where there is no list.
    pub crates: Option<Vec<String>>,
    /// A line of code with any of these does it.
    pub traces: Vec<String>,
    /// What the failure says of the line.
    pub deed: String,
    /// Files, or directories with a slash at the end, where it is allowed, each with its reason.
    #[serde(default)]
    pub allowed: Vec<(String, String)>,
}

/// A circle of modules that is known.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Circle {
    /// The crate.
    #[serde(rename = "crate")]
    pub of: String,
    /// One of the modules.
    pub module: String,
    /// How many there are.
    pub modules: usize,
    /// Why it is there, for who reads the file.
    #[serde(rename = "reason")]
    _reason: String,
}

/// The graph.
pub static DRAWN: LazyLock<Drawn> =
    LazyLock::new(|| toml::from_str(include_str!("graph.toml")).expect("a test reads the file"));
