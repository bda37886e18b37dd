//! `procedure.json`: what a procedure does, what its rounds share, and its conclusion.
//!
//! Written before the first step and replaced in one step at the end, with the conclusion and the
//! seal. Until then the conclusion is absent, and the procedure can be resumed.

use super::done::StepRecord;
use super::jobs::JobSource;
use super::seal::ProcedureSeal;
use crate::answer::Answer;
use crate::record::{Fact, Verdict};
use crate::replace::{create_run_file, write_run_file};
use crate::run_end::RunEnd;
use crate::seal::sealed_text;
use crate::self_knowledge::HostFinding;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::Path;

/// Version of `procedure.json` and of the history. A reader refuses a newer one; added fields do
/// not change it.
pub const FORMAT: u32 = 1;

/// The record of one procedure.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProcedureRecord {
    /// [`FORMAT`] of the writer.
    pub format: u32,
    /// Unique name of the procedure: the last part of its directory's name.
    pub id: String,
    /// The name that the user sees.
    pub name: String,
    /// Version of fathom that began it.
    pub fathom: String,
    /// Wall clock at the start, nanoseconds since 1970 UTC.
    pub started_unix_ns: u64,
    /// The command as typed.
    pub command: Vec<String>,
    /// Which procedure it is: the name in the table of procedures.
    pub procedure: String,
    /// The parameters of the procedure, by name. They decide its steps, with the history.
    pub parameters: Vec<(String, String)>,
    /// The jobs that were given to it.
    pub jobs: JobSource,
    /// The random numbers of all rounds come from this number.
    pub seed: u64,
    /// What was expected at the start.
    pub forecast: ProcedureForecast,
    /// The directory in which it was begun: paths that are not absolute begin there.
    pub working_dir: String,
    /// The targets before the first round, at most the first 64.
    pub targets: Vec<TargetIdentity>,
    /// What the rounds have in common.
    pub shared: SharedRecord,
    /// How often it was resumed, also where fathom ended again before a step had.
    pub resumes: u32,
    /// Resumes under other conditions, which a person accepted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resumed: Vec<ResumedOtherwise>,
    /// A remark of the user.
    pub note: Option<String>,
    /// Words by which the user finds it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Its conclusion; absent while it runs and after a crash.
    pub conclusion: Option<Conclusion>,
    /// What the history held at the end.
    pub seal: Option<ProcedureSeal>,
    /// CRC-32 of this file as eight hexadecimal digits, computed with zeros in this place. The last
    /// field: it is found from the end.
    pub record_crc32: String,
}

/// A resume after which not everything was as it had been.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ResumedOtherwise {
    /// Which start of fathom it was: 1 is the first resume.
    pub sitting: u32,
    /// What was different, one clause each.
    pub differences: Vec<String>,
}

/// What a procedure was expected to take.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProcedureForecast {
    /// Rounds; of a procedure that stops by what it measures, the most.
    pub rounds: u32,
    /// Time of all rounds, ns; `None` where a job has no end by time.
    pub time_ns: Option<u64>,
    /// Bytes that all rounds write, also to lay out files; `None` where that depends on the speed of the target.
    pub written_bytes: Option<u64>,
    /// Of these, bytes that are written into files before jobs begin.
    pub laid_out_bytes: u64,
    /// The files that are laid out. Not saved: a record names its targets in one place only.
    #[serde(skip)]
    pub laid_out: Vec<String>,
}

/// What tells a target from another that has the same name. Of a file, serial number, model and size
/// are those of the disk below it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TargetIdentity {
    /// Path of the target.
    pub path: String,
    /// Number of the file's inode; `None` for a device and for a file that did not exist.
    pub inode: Option<u64>,
    /// Serial number of the device; `None` where it has none.
    pub serial: Option<String>,
    /// Model of the device.
    pub model: Option<String>,
    /// Size of the device, bytes; `None` where there is no device.
    pub size_bytes: Option<u64>,
    /// The file below a loop device.
    pub backing_file: Option<String>,
    /// Number of that file's inode.
    pub backing_inode: Option<u64>,
    /// Whether what fathom had noted as written to the device before the procedure began was still there.
    pub holds_written: bool,
}

/// What all rounds have in common.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SharedRecord {
    /// The targets that the facts are about, one of each file system and device.
    pub targets: Vec<String>,
    /// The machine and its targets before the first round.
    pub host: Vec<Fact>,
    /// What the audit of the host found before the first round.
    pub audit: Vec<HostFinding>,
}

/// How a procedure ended, and what it found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Conclusion {
    /// Wall clock, nanoseconds since 1970 UTC.
    pub at_unix_ns: u64,
    /// [`RunEnd::ByItself`] if every step was done and no round failed, else [`RunEnd::JobFailed`].
    pub ended: RunEnd,
    /// What it found.
    pub verdict: Verdict,
    /// What its rounds say together; absent where they do not measure the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Box<Answer>>,
}

/// Commands that measure jobs, and measure them several times with `--repeat`.
pub const MEASURING_COMMANDS: [&str; 2] = ["run", "quick"];

/// Options that give consent; each has a value. Nothing that was saved gives it again.
pub const CONSENT_OPTIONS: [&str; 3] = ["--write", "--destroy", "--overwrite"];

impl ProcedureRecord {
    /// The options with which its command gave consent: `resume` needs them again.
    pub fn consent_options(&self) -> Vec<&'static str> {
        let is_it = |word: &String, option: &str| word == option || word.starts_with(&format!("{option}="));
        let given = CONSENT_OPTIONS.into_iter();
        given.filter(|option| self.command.iter().any(|word| is_it(word, option))).collect()
    }

    /// Name of the file in the directory of the procedure.
    pub const FILE: &'static str = "procedure.json";

    /// Writes the record of a procedure that begins into `dir`, which holds no other.
    ///
    /// # Errors
    /// Those of the file system; `AlreadyExists` where another procedure has begun in `dir`.
    pub fn save_new(&self, dir: &Path) -> io::Result<()> {
        create_run_file(dir, Self::FILE, self.text()?.as_bytes())
    }

    /// Writes the record in place of the older one, in one step.
    ///
    /// # Errors
    /// Those of the file system; the older record is then still there.
    pub fn save(&self, dir: &Path) -> io::Result<()> {
        write_run_file(dir, Self::FILE, self.text()?.as_bytes())
    }

    /// A fact of the host or of a target, by its name, as it was before the first round.
    pub fn fact(&self, name: &str) -> Option<&str> {
        self.shared.host.iter().find(|fact| fact.name == name)?.value.as_deref()
    }

    /// How often it was resumed until these steps had ended.
    pub fn resumes_until(&self, steps: &[StepRecord]) -> u32 {
        steps.last().map_or(0, |step| step.sitting).max(self.resumes)
    }

    fn text(&self) -> io::Result<String> {
        let whole = ProcedureRecord { record_crc32: "00000000".to_owned(), ..self.clone() };
        Ok(sealed_text(&(serde_json::to_string_pretty(&whole)? + "\n")))
    }
}
