//! Command lines of fio that were copied from a page (docs/guide-index.md: H-22): a PDF breaks them over several
//! lines, also between the dashes of an option, and a word processor turns dashes and quotes into
//! others. `joined` makes the lines whole; this file makes a job file of them.

mod joined;
#[cfg(test)]
mod tests;

use super::{ConvertSource, Converted, ForeignForm, Section, changed, heading, lost};
use crate::diagnostic::{Diagnostic, Span};
use crate::fio_cli::{CommandSections, sections_of};
use joined::Joined;

/// The form.
pub const FORM: ForeignForm = ForeignForm {
    name: "pasted",
    what: "command lines of fio, copied from a page that may have broken them",
    to: None,
    from: Some(from),
};

fn from(source: &ConvertSource<'_>) -> Result<Converted, Vec<Diagnostic>> {
    let (mut commands, mut lost_here, mut errors) = (Vec::new(), Vec::new(), Vec::new());
    for text in &source.texts {
        let joined = joined::commands(&text.name, &text.text);
        lost_here.extend(left_out(&joined));
        for command in joined.commands {
            match words(&command.text)
                .ok_or_else(|| unclosed(&command.place))
                .and_then(|words| read(&words, &command.place))
            {
                Ok(sections) => commands.push((sections, command.place)),
                Err(findings) => errors.extend(findings),
            }
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    if commands.is_empty() {
        let finding = Diagnostic::error(
            "no-command",
            "there is no command line of fio: none of the lines begins with fio",
        );
        return Err(vec![finding]);
    }
    let sections = job_sections(&commands, &mut lost_here);
    let comments = super::comments(&[], &lost_here);
    let text = heading("--from pasted", source) + &comments + &super::sections(&sections);
    source.check(&text)?;
    Ok(Converted { text, lost: lost_here })
}

fn unclosed(place: &Span) -> Vec<Diagnostic> {
    vec![
        Diagnostic::error("unclosed-quote", "the command that begins here has a quote without its end")
            .at(place),
    ]
}

fn read(words: &[String], place: &Span) -> Result<CommandSections, Vec<Diagnostic>> {
    sections_of(words).map_err(|findings| {
        // Found in the joined command, which is not a line of the file.
        findings
            .into_iter()
            .map(|finding| Diagnostic {
                span: finding.span.map(|span| Span { file: place.file.clone(), ..span }),
                ..finding
            })
            .collect()
    })
}

/// What was left out of a text: lines between the parts of a command, such as the footer of a page.
fn left_out(joined: &Joined) -> Vec<Diagnostic> {
    let findings = joined.left_out.iter().map(|place| {
        changed("this line is not part of a command of fio, so it is left out", Some(place))
            .hint("if it is part of one, join it to the line above by hand")
    });
    findings.collect()
}

/// The sections of the job file. One command keeps its defaults in `[global]`; of several commands each
/// job has everything, because defaults of one would be those of the next.
fn job_sections(commands: &[(CommandSections, Span)], lost_here: &mut Vec<Diagnostic>) -> Vec<Section> {
    let mut sections = Vec::new();
    for (at, (command, place)) in commands.iter().enumerate() {
        for flag in &command.flags {
            lost_here.push(lost(
                format!("{flag} concerns fio's output or its command line, and is left out"),
                Some(place),
            ));
        }
        for file in &command.files {
            lost_here.push(lost(format!("{file} is another job file, and left out"), Some(place)));
        }
        let alone = commands.len() == 1;
        if alone && !command.defaults.is_empty() {
            let mut global = Section::named("global");
            options(&mut global, &command.defaults, place, lost_here);
            sections.push(global);
        }
        for (number, (name, own)) in command.jobs.iter().enumerate() {
            let mut job = Section::named(name);
            if !alone {
                options(&mut job, &command.defaults, place, lost_here);
            }
            options(&mut job, own, place, lost_here);
            if at > 0 && number == 0 {
                job.flag("stonewall");
            }
            sections.push(job);
        }
    }
    sections
}

/// Adds options, except those whose value a job file cannot hold.
fn options(
    section: &mut Section,
    options: &[(String, Option<String>)],
    place: &Span,
    lost_here: &mut Vec<Diagnostic>,
) {
    for (name, value) in options {
        let value = value.as_deref().unwrap_or_default();
        if value.contains([';', '#']) {
            let message = format!("{name}={value} is left out: `;` and `#` begin a comment in a job file");
            lost_here.push(lost(message, Some(place)));
        } else {
            section.set(name, value);
        }
    }
}

/// The words; `None` if a quote does not end.
fn words(line: &str) -> Option<Vec<String>> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some('\''), c) => word.get_or_insert_default().push(c),
            (_, '\\') => word.get_or_insert_default().extend(chars.next()),
            (Some(_), c) => word.get_or_insert_default().push(c),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (None, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

/// The quote that is open behind a further piece of a text.
fn quote_after(mut quote: Option<char>, piece: &str) -> Option<char> {
    let mut chars = piece.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '\'' | '"') => quote = Some(c),
            (None | Some('"'), '\\') => {
                chars.next();
            }
            _ => {}
        }
    }
    quote
}
