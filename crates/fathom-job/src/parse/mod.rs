//! Job text to [`Job`]s.
//!
//! Text becomes lines (`syntax`), lines become sections with included files
//! in place (`sections`), sections become jobs (`inherit`), each value read
//! by the grammar of its option (`values`). Every stage goes on after an
//! error, so that one look shows all that is wrong.

mod expand;
mod findings;
mod inherit;
mod restore;
mod sections;
pub(crate) mod syntax;
mod values;

pub(crate) use inherit::Builder;
pub(crate) use sections::Entry;
pub(crate) use values::{figures, orders, patterns, print};

use crate::diagnostic::Diagnostic;
use crate::job::{Job, OptionSetting};
use crate::option::{Kind, OptionDef};
use crate::units::Nanos;
use crate::value::{Size, Value};

/// What reading a job file needs from outside. Names and texts pass as carried text
/// ([`fathom_text::carried`]), because a path need not be UTF-8.
pub trait Surroundings {
    /// The text of a file. `path` is relative to the current directory, and `-` is standard input;
    /// `from` names the file that includes it, if any (fathom also looks in the directory of that
    /// file, with a second call). The error is one sentence without the path.
    ///
    /// # Errors
    /// If the file cannot be read as text.
    fn read(&self, path: &str, from: Option<&str>) -> Result<String, String>;
    /// May lines of this file be shown in a message? Not where the person who
    /// reads the message could not read the file.
    fn may_show(&self, path: &str, from: Option<&str>) -> bool {
        let _ = (path, from);
        true
    }
    /// An environment variable.
    fn variable(&self, name: &str) -> Option<String>;
    /// The numbers behind `$pagesize` and its like.
    fn keywords(&self) -> Keywords;
}

/// Facts of the machine that a job file can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keywords {
    /// `$pagesize`, bytes.
    pub page_size: u64,
    /// `$mb_memory`, MiB.
    pub memory_mb: u64,
    /// `$ncpus`.
    pub cpus: u64,
}

/// What the command line changes in every job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Adjust {
    /// `--set NAME=VALUE`: applied to every job, after its own options.
    pub set: Vec<(String, String)>,
    /// `--target PATH`: the one file or device of every job.
    pub target: Option<String>,
    /// `--section NAME`: only these jobs; empty for all.
    pub sections: Vec<String>,
    /// A value that fio reads otherwise than written (`1.5g`, `10sec`) is read as
    /// fio does, with a warning; else it is an error.
    pub reads_as_fio: bool,
}

/// The jobs of one run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JobSet {
    /// In the order of the files.
    pub jobs: Vec<Job>,
    /// What `[global]` sections set, by canonical name.
    pub globals: Vec<(&'static str, OptionSetting)>,
    /// Warnings and notes; none of them stops the run.
    pub warnings: Vec<Diagnostic>,
}

/// Reads job files in order, as one fio command line would.
///
/// # Errors
/// All that is wrong, in the order of the text, up to 50 findings.
pub fn load(files: &[String], adjust: &Adjust, around: &dyn Surroundings) -> Result<JobSet, Vec<Diagnostic>> {
    let mut builder = Builder::new(adjust, around);
    for file in files {
        builder.file(file);
    }
    builder.finish()
}

/// Reads one job file whose text is given; `name` is its name in diagnostics.
///
/// # Errors
/// As [`load`].
pub fn load_text(
    name: &str,
    text: &str,
    adjust: &Adjust,
    around: &dyn Surroundings,
) -> Result<JobSet, Vec<Diagnostic>> {
    let mut builder = Builder::new(adjust, around);
    builder.text(name, text);
    builder.finish()
}

/// The default of an option, read as its value; `None` if it has none.
///
/// # Panics
/// If the table's default does not parse; a test walks the table.
pub fn default_of(def: &OptionDef) -> Option<Value> {
    let text = Some(def.default).filter(|d| !d.is_empty())?;
    match values::read(def, Some(text), &values::Context::default()) {
        Ok(value) => Some(value),
        Err(bad) => unreachable!("default of {}: {}", def.name, bad.message),
    }
}

/// The default in the spelling of [`OptionSetting::canonical`](crate::job::OptionSetting::canonical); `None` if the option has
/// none.
pub fn default_text(def: &OptionDef) -> Option<String> {
    default_of(def).map(|value| print(&value))
}

/// Reads a value of an option by itself.
pub(crate) fn read_value(def: &OptionDef, text: &str) -> Option<Value> {
    values::read(def, Some(text), &values::Context::default()).ok()
}

/// An option's name or value after its variables and keywords were replaced.
pub(crate) fn expanded_text(text: &str, around: &dyn Surroundings) -> String {
    expand::expand(text, around).text
}

/// Names as `filename` takes them: separated by `:`, with `\:` for a colon in a name.
pub(crate) fn joined_names(names: &[String]) -> String {
    print(&Value::List(names.to_vec()))
}

/// Reads an amount of data with fio's units, in bytes; the error is one sentence.
pub fn read_size(text: &str) -> Result<u64, String> {
    let kind = Kind::Size { min: 0, percent: false, zones: false };
    match values::read(
        &OptionDef { name: "size", kind, ..OptionDef::BASE },
        Some(text),
        &values::Context::default(),
    ) {
        Ok(Value::Size(Size::Bytes(bytes))) => Ok(bytes.0),
        Ok(_) => unreachable!("without per cent and zones, a size is bytes"),
        Err(bad) => Err(bad.message),
    }
}

/// Reads a time; the error is one sentence.
pub fn read_time(text: &str, bare_seconds: bool) -> Result<Nanos, String> {
    let def = OptionDef { name: "time", kind: Kind::Time { bare_seconds }, ..OptionDef::BASE };
    match values::read(&def, Some(text), &values::Context::default()) {
        Ok(Value::Time(time)) => Ok(time),
        Ok(_) => unreachable!("a time reads as a time"),
        Err(bad) => Err(bad.message),
    }
}
