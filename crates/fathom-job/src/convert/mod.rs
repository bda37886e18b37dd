//! Job files in the forms of other systems and other programs, and those forms as job files.
//!
//! Each form is one file with its row in [`FORMS`]. A form for another system (`system`) changes the
//! text of a job file where that system differs and keeps the rest, comments included. A form for
//! another program is made of what the jobs do (`workload`). What the other form cannot say is never
//! dropped in silence: it is a finding, and a comment in the converted text.

mod elbencho;
mod job_text;
mod orion;
mod pasted;
mod source;
mod system;
mod vdbench;
mod workload;

pub use source::{ConvertSource, SourceText};

use crate::diagnostic::{Diagnostic, Severity, Span};

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
pub const FORMS: &[ForeignForm] =
    &[system::windows::FORM, system::solaris::FORM, orion::FORM, vdbench::FORM, elbencho::FORM, pasted::FORM];

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
    let found = Diagnostic::new(Severity::Warning, "lost", message);
    span.map_or(found.clone(), |span| found.at(span))
}

/// Something that is said there in another way, or that a person must still fill in.
fn changed(message: impl Into<String>, span: Option<&Span>) -> Diagnostic {
    let found = Diagnostic::new(Severity::Note, "changed", message);
    span.map_or(found.clone(), |span| found.at(span))
}
