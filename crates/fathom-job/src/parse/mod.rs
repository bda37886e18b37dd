//! Job text to [`Job`]s.
//!
//! Text becomes lines (`syntax`), lines become sections with included files
//! in place (`sections`), sections become jobs (`inherit`), each value read
//! by the grammar of its option (`values`). Every stage goes on after an
//! error, so that one look shows all that is wrong.

mod inherit;
mod sections;
pub(crate) mod syntax;
mod values;

pub(crate) use inherit::Builder;
pub(crate) use sections::Entry;
pub(crate) use values::{figures, orders, patterns, print};

use crate::diagnostic::{Diagnostic, Severity, Span};
use crate::job::{Job, OptionSetting, Origin};
use crate::option::{Kind, OptionDef};
use crate::options;
use crate::units::Nanos;
use crate::value::{Size, Value};
use std::collections::{BTreeMap, HashSet};
use values::Context;

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
    /// The bytes of a regular file of data, such as a pattern, as [`carried`](fathom_text::carried) text. The error is as
    /// that of [`read`](Self::read).
    ///
    /// # Errors
    /// If the file cannot be read.
    fn read_data(&self, path: &str) -> Result<String, String> {
        self.read(path, None)
    }
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
    syntax::expand(text, around).text
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

impl Job {
    /// A job without options.
    pub fn empty(name: String, span: Span) -> Job {
        Job { section: name.clone(), name, span, settings: BTreeMap::new() }
    }

    /// The same job from a section of this name.
    pub fn of_section(self, section: String) -> Job {
        Job { section, ..self }
    }

    /// Sets an option to a value in canonical spelling ([`OptionSetting::canonical`]). An option that
    /// is not in the table is left out: a later version may have written it.
    ///
    /// # Errors
    /// The value is none of the option's.
    pub fn restore(
        &mut self,
        name: &str,
        canonical: &str,
        text: String,
        origin: Origin,
        span: Span,
    ) -> Result<(), String> {
        let Some(def) = options::find(name) else { return Ok(()) };
        let value = values::read(def, Some(canonical), &Context::default())
            .map_err(|bad| format!("{name}: {}", bad.message))?;
        self.settings.insert(def.name, OptionSetting { value, text, origin, span });
        Ok(())
    }
}

/// More errors than this help nobody.
const ERRORS_MAX: usize = 50;

/// In place of what was found in a file that may not be shown.
const HIDDEN: &str = "this line is not right; it is not shown, because the person who started fathom, \
                      or who owns the file that includes this one, may not read it";

#[derive(Debug, Default)]
struct Findings {
    errors: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
    dropped: usize,
    hidden: Vec<String>,
}

impl Findings {
    /// No further error will be shown.
    pub fn is_full(&self) -> bool {
        self.errors.len() >= ERRORS_MAX
    }

    /// Findings in this file show only their place, because the person who reads the message could
    /// not read the file.
    pub fn hide(&mut self, file: &str) {
        if !self.hidden.iter().any(|hidden| hidden == file) {
            self.hidden.push(file.to_owned());
        }
    }

    fn without_text(&self, mut finding: Diagnostic) -> Diagnostic {
        if finding.span.as_ref().is_some_and(|span| self.hidden.contains(&span.file)) {
            finding.message = HIDDEN.to_owned();
            finding.hints.clear();
        }
        finding
    }

    /// Adds a finding, unless it is there already.
    pub fn push(&mut self, found: Diagnostic) {
        let found = self.without_text(found);
        let list = if found.severity == Severity::Error { &mut self.errors } else { &mut self.warnings };
        if list.contains(&found) {
            return;
        }
        if list.len() < ERRORS_MAX {
            list.push(found);
        } else if found.severity == Severity::Error {
            self.dropped += 1;
        }
    }

    /// The warnings, or all findings if there is an error; in the order of the
    /// text, file by file.
    pub fn end(mut self) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
        in_order(&mut self.errors);
        in_order(&mut self.warnings);
        each_hint_once(&mut self.errors);
        if self.errors.is_empty() {
            return Ok(self.warnings);
        }
        if self.dropped > 0 {
            let more = format!("{} more errors are not shown", self.dropped);
            self.errors.push(Diagnostic::new(Severity::Error, "too-many-errors", more));
        }
        self.errors.extend(self.warnings);
        Err(self.errors)
    }
}

/// A job for an engine that fathom does not have has several options of that engine: what to write instead is a hint of the first of
/// them alone.
fn each_hint_once(list: &mut [Diagnostic]) {
    let mut given: HashSet<String> = HashSet::new();
    let unknown = list.iter_mut().filter(|finding| finding.code == "unknown-option");
    unknown.for_each(|finding| finding.hints.retain(|hint| given.insert(hint.clone())));
}

/// Sorts by place; files stay in the order in which they first appear.
fn in_order(list: &mut [Diagnostic]) {
    let file = |finding: &Diagnostic| finding.span.as_ref().map(|span| span.file.clone());
    let files: Vec<Option<String>> = list.iter().map(file).collect();
    list.sort_by_key(|finding| {
        let first = files.iter().position(|f| *f == file(finding));
        (first, finding.span.as_ref().map(|span| (span.line, span.column)))
    });
}
