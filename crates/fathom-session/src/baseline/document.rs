//! Baselines as a JSON document.

use super::{figures, names};
use crate::exit::Failure;
use crate::runs::{self, RunHead};
use fathom_text::carried;
use serde::Serialize;
use std::path::Path;

/// Version of the document. Added fields do not change it.
const FORMAT: u32 = 1;

/// A list of baselines.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BaselineList {
    /// Version of the document: 1. Added fields do not change it.
    pub format: u32,
    /// The baselines, by name.
    pub baselines: Vec<Baseline>,
}

/// One baseline.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Baseline {
    /// Its name.
    pub name: String,
    /// The directory of its copy.
    pub directory: String,
    /// The run that it is a copy of; null where it is none, or cannot be read.
    pub of: Option<BaselineRun>,
    /// Figures that others measured, such as `read_iops=100293`; null where it is a run.
    pub figures: Option<String>,
}

/// The run that a baseline is a copy of.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BaselineRun {
    /// Id of the run.
    pub id: String,
    /// The name that the user gave.
    pub name: String,
    /// Wall clock at the start, nanoseconds since 1970 UTC.
    pub started_unix_ns: u64,
    /// First file of the first job; null if that job uses none.
    pub target: Option<String>,
    /// Paths of the targets and of the disks below them, their models and serial numbers; at most 64.
    pub devices: Vec<String>,
}

impl BaselineList {
    /// Reads all baselines in `dir`.
    ///
    /// # Errors
    /// The directory cannot be listed.
    pub fn read(dir: &Path) -> Result<Self, Failure> {
        Ok(Self::of(dir, &names(dir)?))
    }

    /// Reads these baselines in `dir`.
    pub fn of(dir: &Path, names: &[String]) -> Self {
        BaselineList {
            format: FORMAT,
            baselines: names.iter().map(|name| Baseline::read(dir, name)).collect(),
        }
    }
}

impl Baseline {
    fn read(dir: &Path, name: &str) -> Self {
        let path = dir.join(name);
        let head = runs::look(&path).and_then(|run| run.head.ok());
        let directory = carried::to_unicode(&carried::of_os(&path)).into_owned();
        let (of, figures) = (head.map(BaselineRun::from), figures(&path));
        Baseline { name: name.to_owned(), directory, of, figures }
    }
}

impl From<RunHead> for BaselineRun {
    fn from(head: RunHead) -> Self {
        let RunHead { id, name, started_unix_ns, target, devices, .. } = head;
        BaselineRun { id, name, started_unix_ns, target, devices }
    }
}
