//! Job files in the forms of other systems and other programs, and those forms as job files.
//!
//! Each form is one file with its row in [`FORMS`]. A form for another system (`system`) changes the
//! text of a job file where that system differs and keeps the rest, comments included. The form of another
//! program (`orion`) is made of what the jobs do. What the other form cannot say is never
//! dropped in silence: it is a finding, and a comment in the converted text.

mod orion;
mod pasted;
mod system;

use crate::diagnostic::{Diagnostic, Severity, Span};
use crate::parse::{Adjust, Builder, JobSet, Surroundings, load_text};
use std::fmt::Write;
use std::path::Path;

/// A form that job files can be converted to, or from, or both.
#[derive(Debug)]
pub struct ForeignForm {
    /// The word for it on the command line.
    pub name: &'static str,
    /// What it is, in a few words.
    pub what: &'static str,
    /// Makes this form of job files.
    pub to: Option<Conversion>,
    /// Makes a job file of this form.
    pub from: Option<Conversion>,
}

/// A conversion: the text, or all that is wrong with what was given.
pub type Conversion = fn(&ConvertSource<'_>) -> Result<Converted, Vec<Diagnostic>>;

/// Every form, in the order of the help.
pub const FORMS: &[ForeignForm] = &[system::WINDOWS_FORM, system::SOLARIS_FORM, orion::FORM, pasted::FORM];

/// The form of this name.
pub fn form(name: &str) -> Option<&'static ForeignForm> {
    FORMS.iter().find(|form| form.name == name)
}

/// A converted text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Converted {
    /// The text, with a heading that names its source, and with what was lost as comments.
    pub text: String,
    /// What has no counterpart there (warnings), and what means something else there (notes).
    pub lost: Vec<Diagnostic>,
}

/// How each converted text begins.
pub const HEADING: &str = "# Converted by fathom convert";

/// The first line of a converted text: `--to windows`, and the files that it was made of.
fn heading(how: &str, source: &ConvertSource<'_>) -> String {
    let names: Vec<&str> = source.texts.iter().map(|text| text.name.as_str()).collect();
    format!("{HEADING} {how} from {}.\n", names.join(", "))
}

/// Something that the other form cannot say.
fn lost(message: impl Into<String>, span: Option<&Span>) -> Diagnostic {
    let finding = Diagnostic::new(Severity::Warning, "lost", message);
    span.map_or(finding.clone(), |span| finding.at(span))
}

/// Something that is said there in another way, or that a person must still fill in.
fn changed(message: impl Into<String>, span: Option<&Span>) -> Diagnostic {
    let finding = Diagnostic::new(Severity::Note, "changed", message);
    span.map_or(finding.clone(), |span| finding.at(span))
}

/// A section: its name and its options in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Section {
    /// Between the brackets.
    pub name: String,
    /// Name and value; an empty value is a flag alone.
    pub options: Vec<(String, String)>,
}

impl Section {
    pub fn named(name: impl Into<String>) -> Self {
        Section { name: name.into(), options: Vec::new() }
    }

    /// Adds an option.
    pub fn set(&mut self, name: &str, value: impl ToString) {
        self.options.push((name.to_owned(), value.to_string()));
    }

    /// Adds a flag.
    pub fn flag(&mut self, name: &str) {
        self.set(name, "");
    }
}

/// What is lost as comment lines, below other lines, with an empty line behind them.
fn comments(above: &[String], lost: &[Diagnostic]) -> String {
    let mut out = String::new();
    let warned = lost.iter().filter(|finding| finding.severity == Severity::Warning);
    let lines = above.iter().chain(warned.map(|finding| &finding.message));
    for line in lines.flat_map(|line| line.lines()) {
        let _ = writeln!(out, "{}", format!("# {line}").trim_end());
    }
    out.push('\n');
    out
}

/// Sections, separated by empty lines.
fn sections(sections: &[Section]) -> String {
    let texts = sections.iter().map(|section| {
        let mut out = format!("[{}]\n", section.name);
        for (name, value) in &section.options {
            let _ = match value.is_empty() {
                true => writeln!(out, "{name}"),
                false => writeln!(out, "{name}={value}"),
            };
        }
        out
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// A text and its name in messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceText {
    /// The path of the file, or another name.
    pub name: String,
    /// All of it.
    pub text: String,
}

/// What a conversion is made from.
pub struct ConvertSource<'a> {
    /// The texts in the order in which they were named.
    pub texts: Vec<SourceText>,
    /// The name of the target in the other form, in place of a placeholder.
    pub target: Option<String>,
    /// What else may be read.
    pub around: &'a dyn Surroundings,
}

impl ConvertSource<'_> {
    /// The jobs of the texts, which are job files.
    ///
    /// # Errors
    /// All that is wrong with them.
    pub fn jobs(&self) -> Result<JobSet, Vec<Diagnostic>> {
        let adjust = Adjust::default();
        let mut builder = Builder::new(&adjust, self.around);
        self.texts.iter().for_each(|text| builder.text(&text.name, &text.text));
        builder.finish()
    }

    /// Checks that what was made of the texts is a job file.
    ///
    /// # Errors
    /// All that is wrong with it.
    fn check(&self, made: &str) -> Result<(), Vec<Diagnostic>> {
        load_text("the converted job file", made, &Adjust::default(), self.around).map(|_| ())
    }

    /// The text that a line `include path` of `from` means, with its own path; `None` where the person
    /// who reads the result may not read that file.
    fn included(&self, path: &str, from: &str) -> Option<(String, String)> {
        let beside = || {
            let directory = Path::new(from).parent().filter(|_| Path::new(path).is_relative())?;
            Some(directory.join(path).to_string_lossy().into_owned())
        };
        let paths = [Some(path.to_owned()), beside()];
        let read = |path: String| self.around.read(&path, Some(from)).ok().map(|text| (path, text));
        let job_text = paths.into_iter().flatten().find_map(read);
        job_text.filter(|(path, _)| self.around.may_show(path, Some(from)))
    }
}
