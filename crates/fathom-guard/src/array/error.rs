//! Why an array was not made or not taken apart.

use std::io;

use crate::GuardError;
use crate::purge::PurgeError;
use fathom_device::root::Unknown;

/// What went wrong.
#[derive(Debug, thiserror::Error)]
pub enum ArrayError {
    /// The request itself cannot be carried out.
    #[error("{message}")]
    Asked {
        /// What is wrong with it.
        message: String,
        /// What to ask for instead.
        hint: String,
    },
    /// mdadm is not installed.
    #[error("mdadm is not installed, and fathom makes md arrays with it")]
    NoMdadm,
    /// The guard refused a device, or it changed after the plan was made.
    #[error(transparent)]
    Member(#[from] PurgeError),
    /// A fact that is needed could not be read.
    #[error(transparent)]
    Unknown(#[from] Unknown),
    /// Safety forbids it, and no option overrides that.
    #[error("{message}")]
    Refused {
        /// Why.
        message: String,
        /// What a person can do.
        hint: String,
    },
    /// It began and did not end.
    #[error("{message}{}", not_undone(.left))]
    Failed {
        /// What failed, and what was said.
        message: String,
        /// What may be the cause.
        hint: Option<&'static str>,
        /// What could not be undone; empty where everything is as before, except for the contents of members.
        left: Vec<String>,
    },
    /// A system call failed.
    #[error("cannot {act}: {source}")]
    Io {
        /// What was attempted.
        act: String,
        /// What the kernel said.
        source: io::Error,
    },
}

fn not_undone(left: &[String]) -> String {
    match left {
        [] => String::new(),
        left => format!("; not undone: {}", left.join("; ")),
    }
}

impl From<GuardError> for ArrayError {
    fn from(error: GuardError) -> Self {
        Self::Member(PurgeError::Refused(vec![error]))
    }
}

impl ArrayError {
    pub(super) fn asked(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Asked { message: message.into(), hint: hint.into() }
    }

    pub(super) fn io(act: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let act = act.into();
        move |source| Self::Io { act, source }
    }

    /// Whether safety was the reason.
    pub fn is_refusal(&self) -> bool {
        match self {
            Self::Refused { .. } => true,
            Self::Member(error) => error.is_refusal(),
            _ => false,
        }
    }

    /// Whether the request itself was wrong.
    pub fn is_usage(&self) -> bool {
        match self {
            Self::Asked { .. } => true,
            Self::Member(error) => error.is_usage() || matches!(error, PurgeError::Refused(_)),
            _ => false,
        }
    }

    /// What the user can do.
    pub fn hints(&self) -> Vec<String> {
        match self {
            Self::Asked { hint, .. } | Self::Refused { hint, .. } => vec![hint.clone()],
            Self::NoMdadm => vec!["install it: apt install mdadm, or dnf install mdadm".to_owned()],
            Self::Member(error) => error.hints(),
            Self::Failed { hint, left, .. } => {
                let is_left = (!left.is_empty())
                    .then_some("cat /proc/mdstat and mdadm --examine MEMBER show what is left");
                hint.iter().copied().chain(is_left).map(str::to_owned).collect()
            }
            _ => Vec::new(),
        }
    }
}
