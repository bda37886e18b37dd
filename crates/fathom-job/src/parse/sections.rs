//! Lines to sections: which options belong to which section. Included files replace their
//! `include`.

use super::syntax::{self, BAD_SECTION, Body, Line, Part};
use super::{Findings, Surroundings};
use crate::diagnostic::{Diagnostic, Severity, Span};
use crate::options;
use std::path::Path;

/// Files may include each other this deep; more is surely a circle.
const DEPTH_MAX: usize = 16;
/// Includes of one job file, all levels together: files that each include the
/// next one twice would double at every level.
const INCLUDES_MAX: usize = 1_000;
/// The most bytes of a job file and the files that it includes. Where a line stands is kept with its text.
const TEXT_MAX_BYTES: usize = 16 << 20;
/// The most lines with options and sections of a job file and the files that it includes. One takes up to 800 bytes of memory while
/// it is read.
pub(crate) const LINES_MAX: usize = 200_000;

/// The code of a job file that is too large.
pub(super) const TOO_LARGE: &str = "job-file-too-large";

/// One `name=value` and its place.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// As written.
    pub name: String,
    /// Its place.
    pub name_span: Span,
    /// As written, if there is one.
    pub value: Option<String>,
    /// Its place; the name's, if there is none.
    pub value_span: Span,
    /// Variables and keywords are still to be replaced (in files, not on the
    /// command line).
    pub expands: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Section {
    /// Between the brackets.
    pub name: String,
    pub span: Span,
    pub entries: Vec<Entry>,
}

impl Section {
    /// Does it set defaults for the jobs below? fio takes any name that begins
    /// so.
    pub fn is_global(&self) -> bool {
        self.name.starts_with("global")
    }
}

pub(super) fn sections(
    file: &str,
    text: &str,
    around: &dyn Surroundings,
    findings: &mut Findings,
) -> Vec<Section> {
    let mut reader =
        Reader { around, findings, sections: Vec::new(), includes: 0, bytes: 0, lines: 0, is_hidden: false };
    reader.within(file, None, |reader| reader.job_file(file, text));
    let is_too_large = reader.includes == usize::MAX;
    if is_too_large { Vec::new() } else { reader.sections }
}

struct Reader<'a> {
    around: &'a dyn Surroundings,
    findings: &'a mut Findings,
    sections: Vec<Section>,
    includes: usize,
    /// Bytes of text so far, and lines that say something.
    bytes: usize,
    lines: usize,
    /// Lines of the file that is being read may not be shown.
    is_hidden: bool,
}

impl Reader<'_> {
    /// Reads a file, hidden or not, and then restores the former state.
    fn within(&mut self, file: &str, from: Option<&str>, read: impl FnOnce(&mut Self)) {
        let is_hidden = !self.around.may_show(file, from);
        let before = std::mem::replace(&mut self.is_hidden, is_hidden);
        if is_hidden {
            self.findings.hide(file);
        }
        read(self);
        self.is_hidden = before;
    }

    fn text(&mut self, file: &str, text: &str, depth: usize) {
        let before = self.lines;
        self.bytes = self.bytes.saturating_add(text.len());
        if self.bytes > TEXT_MAX_BYTES {
            return self.too_large(
                file,
                &format!("{} bytes", self.bytes),
                &format!("{TEXT_MAX_BYTES} bytes"),
            );
        }
        for line in syntax::lines(text) {
            self.lines += 1;
            if self.lines > LINES_MAX {
                // Other files count too, so all that says something is counted.
                let all = before + syntax::lines(text).count();
                let (all, most) = (format!("{all} lines"), format!("{LINES_MAX} lines"));
                return self.too_large(file, &all, &format!("{most} with options and sections"));
            }
            if let Some(column) = line.cut.filter(|_| !matches!(line.body, Body::Bad(..))) {
                let span = self.span(file, &line, &Part { text: String::new(), column });
                let message = "the comment begins right behind a word: a value cannot contain `;` or `#`";
                let finding = Diagnostic::new(Severity::Warning, "comment-in-value", message).at(&span);
                let is_list =
                    matches!(&line.body, Body::Option(name, _) if name.text == options::FILENAME.def.name);
                let hint = is_list.then_some("`:` separates the names of filename");
                self.findings.push(hint.into_iter().fold(finding, Diagnostic::hint));
            }
            self.line(file, &line, depth);
        }
    }

    /// Nothing more is read, and nothing of what was read is judged. It is told once: each further file would be too much, too.
    fn too_large(&mut self, file: &str, all: &str, most: &str) {
        if std::mem::replace(&mut self.includes, usize::MAX) == usize::MAX {
            return;
        }
        let message = format!("{file} has {all}, with the files that it includes; at most {most} are read");
        let finding = Diagnostic::error(TOO_LARGE, message);
        self.findings.push(finding.hint("put the jobs into several files: a run reads one after the other"));
    }

    /// The text of a job file. A text without any section may be another kind of file: one message
    /// says so and shows none of the text.
    fn job_file(&mut self, file: &str, text: &str) {
        let first = syntax::lines(text).next();
        let is_other = |line: &Line| matches!(line.body, Body::Option(..)) && !has_section(text);
        let Some(line) = first.filter(is_other) else {
            return self.text(file, text, 0);
        };
        let place = self.span(file, &line, &Part { text: String::new(), column: 1 });
        let message = "this file has no section, so it is not a job file";
        let finding = Diagnostic::error("no-section", message).at(&Span { text: String::new(), ..place });
        let is_command =
            line.text.contains(" --") && line.text.split_whitespace().any(|word| word.ends_with("fio"));
        self.findings.push(match is_command {
            true => finding.hint(format!(
                "a command line of fio: fathom convert --from pasted {file} makes a job file of it"
            )),
            false => finding.hint("begin with [global] or the name of a job in brackets"),
        });
    }

    fn line(&mut self, file: &str, line: &Line, depth: usize) {
        match &line.body {
            Body::Bad(code, message, part) => {
                let span = self.span(file, line, part);
                let mut finding = Diagnostic::error(code, message).at(&span);
                if *code == BAD_SECTION {
                    if line.cut.is_some() {
                        finding = finding.hint("`;` and `#` begin a comment, also in a name");
                    }
                    // The options below it are not wrong.
                    let name = part.text.trim_matches(['[', ']']).to_owned();
                    self.sections.push(Section { name, span, entries: Vec::new() });
                }
                self.findings.push(finding);
            }
            Body::Section(name) if depth > 0 => {
                let message = "an included file cannot have sections";
                self.findings
                    .push(Diagnostic::error("section-in-include", message).at(&self.span(file, line, name)));
            }
            Body::Section(name) => {
                let mut span = self.span(file, line, name);
                span.length += 2;
                self.sections.push(Section { name: name.text.clone(), span, entries: Vec::new() });
            }
            Body::Option(name, value) => self.option(file, line, name, value.as_ref()),
            Body::Include(path) => self.include(file, &path.text, &self.span(file, line, path), depth),
        }
    }

    fn option(&mut self, file: &str, line: &Line, name: &Part, value: Option<&Part>) {
        let name_span = self.span(file, line, name);
        if let Some(value) = value.filter(|value| unit_lost(line, value)) {
            let message = "fio accepts no blank before a value: it would read the digits and ignore the unit";
            let finding = Diagnostic::new(Severity::Warning, "blank-before-value", message)
                .at(&self.span(file, line, value));
            self.findings.push(finding);
        }
        let value_span = value.map_or_else(|| name_span.clone(), |value| self.span(file, line, value));
        let Some(section) = self.sections.last_mut() else {
            let message = format!("{} comes before any section", name.text);
            let finding = Diagnostic::error("no-section", message).at(&name_span);
            self.findings.push(finding.hint("begin with [global] or the name of a job in brackets"));
            return;
        };
        section.entries.push(Entry {
            name: name.text.clone(),
            value_span,
            name_span,
            value: value.map(|value| value.text.clone()),
            expands: true,
        });
    }

    fn include(&mut self, from: &str, path: &str, span: &Span, depth: usize) {
        if depth >= DEPTH_MAX {
            let message = "includes nest too deep; does a file include itself?";
            self.findings.push(Diagnostic::error("include-depth", message).at(span));
            return;
        }
        if self.includes == usize::MAX {
            return;
        }
        self.includes += 1;
        if self.includes > INCLUDES_MAX {
            let message = format!("the job file includes more than {INCLUDES_MAX} files");
            self.findings.push(Diagnostic::error("include-count", message).at(span));
            return;
        }
        match self.find(from, path) {
            Ok((path, text)) => {
                self.within(&path, Some(from), |reader| reader.text(&path, &text, depth + 1));
            }
            Err(why) => {
                let message = format!("cannot include {path}: {why}");
                self.findings.push(Diagnostic::error("bad-include", message).at(span));
            }
        }
    }

    fn span(&self, file: &str, line: &Line, part: &Part) -> Span {
        Span {
            file: file.to_owned(),
            line: line.number,
            column: part.column,
            length: part.text.chars().count().max(1),
            text: if self.is_hidden { String::new() } else { line.text.to_owned() },
        }
    }

    /// The file as named, or else in the directory of the file that includes it.
    fn find(&self, from: &str, path: &str) -> Result<(String, String), String> {
        let first = self.around.read(path, Some(from)).map(|text| (path.to_owned(), text));
        first.or_else(|why| {
            let beside = Path::new(from).parent().filter(|_| Path::new(path).is_relative());
            let beside =
                beside.map(|dir| dir.join(path).to_string_lossy().into_owned()).filter(|p| p != path);
            let beside = beside.ok_or(why)?;
            self.around.read(&beside, Some(from)).map(|text| (beside, text))
        })
    }
}

fn has_section(text: &str) -> bool {
    syntax::lines(text).any(|line| matches!(line.body, Body::Section(_)))
}

/// Is there a blank between `=` and a number with a unit?
fn unit_lost(line: &Line, value: &Part) -> bool {
    let blank = line.text.chars().nth(value.column.saturating_sub(2)).is_some_and(char::is_whitespace);
    blank
        && value.text.starts_with(|c: char| c.is_ascii_digit())
        && value.text.contains(|c: char| c.is_ascii_alphabetic() || c == '%')
}
