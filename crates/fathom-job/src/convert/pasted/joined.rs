//! Lines of a page to whole command lines.
//!
//! A command begins with `fio`. A line goes on with it if it begins with an option, if the line above
//! ends where no command can end (in a quote, behind a dash, `=` or `,`, or with a backslash), or if the
//! two words at the break make the name of an option only together. Any other line is not part of it:
//! a heading, or the footer of a page.

use crate::diagnostic::Span;
use crate::fio_cli::is_name;
use crate::options;

/// The commands of a text, and the lines that are no part of any.
#[derive(Debug, Default)]
pub(super) struct Joined {
    pub commands: Vec<Command>,
    pub left_out: Vec<Span>,
}

/// A command without its program, in one line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Command {
    pub text: String,
    /// Its first line.
    pub place: Span,
    /// The quote that is open at its end.
    quote: Option<char>,
}

/// Joins the lines of a text.
pub(super) fn commands(file: &str, text: &str) -> Joined {
    let mut joined = Joined::default();
    for (at, raw) in text.lines().enumerate() {
        let line = plain(raw);
        let line = line.trim();
        let place = || Span {
            file: file.to_owned(),
            line: at + 1,
            column: 1,
            length: raw.trim_end().chars().count().max(1),
            text: raw.to_owned(),
        };
        let open = joined.commands.last_mut().filter(|command| command.goes_on(line));
        if let Some(command) = open {
            command.add(line);
        } else if let Some(rest) = begins(line) {
            let quote = super::quote_after(None, rest);
            joined.commands.push(Command { text: rest.to_owned(), place: place(), quote });
        } else if !line.is_empty() && !line.starts_with("```") {
            joined.left_out.push(place());
        }
    }
    joined
}

/// Typographic dashes and quotes as they were typed. A dash at the beginning of a word is two
/// if it is long, or if a word follows that is no option of one letter.
fn plain(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        let begins_word = out.is_empty() || out.ends_with(char::is_whitespace);
        match c {
            '“' | '”' | '„' => out.push('"'),
            '‘' | '’' => out.push('\''),
            '—' => out.push_str("--"),
            '–' | '‑' | '−' if begins_word && chars.peek().is_some_and(|next| next.is_alphabetic()) => {
                out.push_str("--")
            }
            '–' | '‑' | '−' => out.push('-'),
            '\u{a0}' => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// What follows the program, if a line begins a command: behind a prompt, `sudo`, or a path.
fn begins(line: &str) -> Option<&str> {
    let line = line.trim_start_matches(['$', '#', '>']).trim_start();
    let line = line.strip_prefix("sudo ").map_or(line, str::trim_start);
    let line = line.strip_prefix("fathom ").map_or(line, str::trim_start);
    let (program, rest) = line.split_once(char::is_whitespace)?;
    let is_fio = program.rsplit('/').next() == Some("fio");
    (is_fio && rest.trim_start().starts_with('-')).then(|| rest.trim_start())
}

/// Does a line begin with an option?
fn is_option(line: &str) -> bool {
    line.trim_start_matches('-').len() < line.len()
        && line.trim_start_matches('-').starts_with(|c: char| c.is_ascii_alphabetic())
}

/// The name of the option that the words at a break make together, if neither is one alone.
fn is_one_option(command: &str, line: &str) -> Option<String> {
    let last = command.rsplit(char::is_whitespace).next().filter(|last| last.starts_with("--"))?;
    let first = line.split(['=', ' ']).next()?;
    let (before, whole) = (last.trim_matches('-'), format!("{}{first}", last.trim_start_matches('-')));
    (options::find(before).is_none() && options::find(&whole).is_some()).then_some(whole)
}

impl Command {
    /// Whether a line is a further part of the command.
    fn goes_on(&self, line: &str) -> bool {
        if line.is_empty() || (self.quote.is_none() && begins(line).is_some()) {
            return false;
        }
        let last = self.text.rsplit(char::is_whitespace).next().unwrap_or(&self.text);
        let ends_open = match last.trim_matches('-').is_empty() {
            // Only the dashes of an option: its name follows, and not the number of a page.
            true => is_name(line.trim_start_matches('-').split(['=', ' ']).next().unwrap_or(line)),
            false => self.quote.is_some() || self.text.ends_with(['\\', '-', '=', ',']),
        };
        ends_open || is_option(line) || is_one_option(&self.text, line).is_some()
    }

    /// Adds the next line of the page.
    fn add(&mut self, line: &str) {
        if self.text.ends_with('\\') {
            self.text.pop();
            self.text.truncate(self.text.trim_end().len());
            self.text.push(' ');
        } else if self.quote.is_some() {
            self.text.push(' ');
        } else if let Some(stem) = self.text.strip_suffix('-').filter(|stem| self.is_hyphenated(stem, line)) {
            self.text.truncate(stem.len());
        } else if !self.text.ends_with(['-', '=', ',']) && is_one_option(&self.text, line).is_none() {
            self.text.push(' ');
        }
        self.text.push_str(line);
        self.quote = super::quote_after(self.quote, line);
    }

    /// Whether the dash at the end is a hyphen that the page put into the name of an option.
    fn is_hyphenated(&self, stem: &str, line: &str) -> bool {
        let last = stem.rsplit(char::is_whitespace).next().unwrap_or(stem);
        let first = line.split(['=', ' ']).next().unwrap_or(line);
        let name = last.trim_start_matches('-');
        last.starts_with("--")
            && !name.is_empty()
            && !name.contains('=')
            && options::find(&format!("{name}-{first}")).is_none()
            && options::find(&format!("{name}{first}")).is_some()
    }
}
