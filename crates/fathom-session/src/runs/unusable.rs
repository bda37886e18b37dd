//! Why the index cannot be used, and what is said of it.

use std::io;
use std::path::{Path, PathBuf};

/// Why an index cannot be used.
#[derive(Debug)]
pub(super) enum Unusable {
    /// There is none.
    Missing,
    /// An older fathom made it. It knew these directories.
    Older(Vec<PathBuf>),
    /// Another process holds its lock.
    Locked,
    /// A newer fathom made it.
    Newer,
    /// Fathom did not make what has its name.
    NotOurs,
    /// It is ours, and damaged in this way. It knew these directories.
    Damaged(String, Vec<PathBuf>),
    /// It cannot be read or written.
    Cannot(String),
}

impl From<io::Error> for Unusable {
    fn from(e: io::Error) -> Self {
        Unusable::Cannot(e.to_string())
    }
}

impl Unusable {
    /// What a person should know about it, without a full stop. A missing or old index needs no words.
    pub fn told(&self, index: Option<&Path>) -> Option<String> {
        let path = index?.display();
        Some(match self {
            Unusable::Missing | Unusable::Older(_) => return None,
            Unusable::Locked => {
                format!("another program uses the index of runs {path}, so the runs were read again")
            }
            Unusable::Newer => {
                format!("a newer fathom made the index of runs {path}, so the runs were read again")
            }
            Unusable::NotOurs => format!(
                "fathom did not make {path}, which has the name of the index of runs, and leaves it as it is; \
                 the runs were read again"
            ),
            Unusable::Damaged(what, _) => {
                format!("the index of runs {path} was damaged ({what}), so the runs were read again")
            }
            Unusable::Cannot(what) => {
                format!("the index of runs {path} cannot be used ({what}), so the runs were read again")
            }
        })
    }

    /// The same where the index could be read and not be saved.
    pub fn told_unsaved(&self, index: Option<&Path>) -> Option<String> {
        let path = index?.display();
        let why = match self {
            Unusable::Missing | Unusable::Older(_) => return None,
            Unusable::Locked => "another program uses it",
            Unusable::Newer => "a newer fathom made it",
            Unusable::NotOurs => "fathom did not make it, and leaves it as it is",
            Unusable::Damaged(what, _) | Unusable::Cannot(what) => what,
        };
        Some(format!(
            "the index of runs {path} could not be saved ({why}), so the next list reads runs again"
        ))
    }
}
