//! Names that mean something else than their author wants: a colon that separates names where one name was meant, another
//! character that does not separate them, and names of Windows.

use super::notes;
use super::target::{PlannedTarget, TargetKind, TargetLookup};
use crate::diagnostic::{Diagnostic, Severity, Span};
use crate::job::Job;
use crate::options;
use fathom_text::shell::quoted_carried;

/// The error, if the value of `filename` is not what it says.
pub(super) fn meant_otherwise(job: &Job, lookup: &dyn TargetLookup) -> Option<Diagnostic> {
    if let Some(error) = of_windows(job).or_else(|| unseparated(job, lookup)) {
        return Some(error);
    }
    let names = job.get(&options::FILENAME)?;
    let typed = job.setting(&options::FILENAME)?.text.trim();
    // All parts are there, so the list is meant; a backslash shows that its author knows how colons are written.
    let is_list = names.len() < 2 || typed.contains('\\') || names.iter().all(|name| exists(name, lookup));
    if is_list || !exists(typed, lookup) {
        return None;
    }
    let message = format!(
        "job {}: `:` separates names, so filename={typed} is {} names; but there is one file or device of the whole name",
        job.name,
        names.len()
    );
    let error = notes::error(job, &options::FILENAME, "colon-in-name", message);
    Some(error.hint(format!(
        "filename={} is the one file; fathom run --target takes names as they are",
        typed.replace(':', "\\:")
    )))
}

/// The error for a target, a directory or a section with a name of Windows.
fn of_windows(job: &Job) -> Option<Diagnostic> {
    let settings = [job.setting(&options::FILENAME), job.setting(&options::DIRECTORY)];
    let mut typed = settings.into_iter().flatten().map(|setting| (setting.text.trim(), &setting.span));
    let by_section = || Some((job.section.as_str(), &job.span)).filter(|_| !job.is_given(&options::FILENAME));
    let is_it = |(text, _): &(&str, &Span)| is_of_windows(text);
    let (name, span) = typed.find(is_it).or_else(|| by_section().filter(is_it))?;
    let message = format!("job {}: {name} is a name of Windows", job.name);
    let error = Diagnostic::error("windows-name", message).at(span);
    Some(match span.line {
        0 => error.hint("fathom devices lists the disks of this machine by their names"),
        _ => error.hint(format!(
            "fathom convert {} --from windows --target DEVICE makes a job file for Linux of it",
            quoted_carried(&span.file)
        )),
    })
}

/// `\\.\PhysicalDrive1`, `D:\f` and `D\:\f`.
fn is_of_windows(typed: &str) -> bool {
    let is_drive = |text: &str| {
        let mut chars = text.chars();
        let (letter, rest) = (chars.next(), chars.as_str());
        letter.is_some_and(|c| c.is_ascii_alphabetic())
            && (rest.starts_with(":\\") || rest.starts_with("\\:\\"))
    };
    is_drive(typed) || typed.starts_with(r"\\.\") || typed.contains(r":\\.\")
}

/// Characters that some write between two names.
const NO_SEPARATORS: [char; 3] = [';', ',', ' '];

/// The error for names with another character between them than `:`, where that is no name of a file: all parts are there, or all
/// are whole paths.
fn unseparated(job: &Job, lookup: &dyn TargetLookup) -> Option<Diagnostic> {
    let names = job.get(&options::FILENAME)?;
    let (name, parts, separator) = names.iter().find_map(|name| parts_of(name))?;
    let are_paths = parts.iter().all(|part| part.starts_with('/'));
    let are_there = || parts.iter().all(|part| exists(part, lookup));
    if exists(name, lookup) || !are_paths && !are_there() {
        return None;
    }
    let message = format!(
        "job {}: `:` separates names in filename, and `{separator}` does not: {name} is one name",
        job.name
    );
    let error = notes::error(job, &options::FILENAME, "separator-in-name", message);
    Some(error.hint(meant(&parts, separator)))
}

/// A name with its parts and the character between them, if one of these characters is in it.
fn parts_of(name: &str) -> Option<(&str, Vec<&str>, char)> {
    NO_SEPARATORS.into_iter().find_map(|separator| {
        let parts: Vec<&str> = name.split(separator).map(str::trim).filter(|part| !part.is_empty()).collect();
        (parts.len() > 1).then_some((name, parts, separator))
    })
}

fn meant(parts: &[&str], separator: char) -> String {
    let shell = if separator == ';' { "; a shell ends the command at a `;` without quotes" } else { "" };
    format!("filename={} names each of them{shell}", parts.join(":"))
}

/// Says that a new file will have a `;` in its name: it may have been meant to separate two.
pub(super) fn note_of_semicolon(job: &Job, targets: &[PlannedTarget], notes: &mut notes::Notes) {
    let mut new = targets.iter().filter(|target| target.facts.kind == TargetKind::Missing);
    let Some((name, parts, separator)) =
        new.find_map(|target| parts_of(&target.path).filter(|(.., separator)| *separator == ';'))
    else {
        return;
    };
    let message = format!("job {}: one file with `;` in its name will be created: {name}", job.name);
    let note = Diagnostic::new(Severity::Note, "separator-in-name", message);
    notes.push(notes::at(note, job, &options::FILENAME).hint(meant(&parts, separator)));
}

fn exists(name: &str, lookup: &dyn TargetLookup) -> bool {
    lookup.look_up(name).kind != TargetKind::Missing
}

/// Says which files of a list will be made, since the colon may have been meant as a part of a name.
pub(super) fn note_of_new_files(job: &Job, targets: &[PlannedTarget], notes: &mut notes::Notes) {
    let is_typed = job.get(&options::FILENAME).is_some_and(|names| names.len() > 1);
    let new: Vec<&str> = targets
        .iter()
        .filter(|target| target.facts.kind == TargetKind::Missing)
        .map(|target| target.path.as_str())
        .collect();
    if !is_typed || new.is_empty() {
        return;
    }
    let message = format!(
        "job {}: `:` separates names in filename; these files will be created: {}",
        job.name,
        new.join(", ")
    );
    let found = notes::at(Diagnostic::new(Severity::Note, "colon-in-name", message), job, &options::FILENAME);
    notes.push(found.hint("`\\:` is a colon that belongs to a name"));
}
