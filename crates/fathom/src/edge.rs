//! The one place through which the binary prints: results to standard output,
//! the conversation to standard error.
//!
//! Names that others chose (of jobs, files, drives, recorded machines) are printed on both.
//! A control character in such a name would control the terminal, and a line break
//! could imitate a line of fathom. So only a [`Ready`] is printed, and only the functions
//! below make one: they escape everything that is not printable, except what they
//! know to come from fathom.

pub mod stderr;

use crate::folded;
use crate::held;
use crate::screen::Screen;
use fathom_report::terminal::Painted;
use fathom_session::{Exit, Failure};
use fathom_text::painted::in_ascii;
use fathom_text::shown;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;

/// Text that may be printed.
#[derive(Clone, Debug, Default)]
pub struct Ready(String);

impl Ready {
    /// Whole lines, without colour.
    pub fn text(text: &str) -> Self {
        Ready(shown::block(text).into_owned())
    }

    /// A JSON document; escaping does not change its meaning.
    pub fn json(text: &str) -> Self {
        Ready(shown::json(text).into_owned())
    }

    /// One JSON document, over several lines.
    pub fn document(document: &impl serde::Serialize) -> Result<Self, Failure> {
        let text = serde_json::to_string_pretty(document);
        let text = text.map_err(|e| Failure::new(Exit::Failed, format!("writing JSON: {e}")))?;
        Ok(Ready::json(&(text + "\n")))
    }

    /// A report with its colours.
    pub fn painted(text: &Painted) -> Self {
        Ready(text.as_str().to_owned())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromIterator<Ready> for Ready {
    fn from_iter<I: IntoIterator<Item = Ready>>(all: I) -> Self {
        Ready(all.into_iter().map(|one| one.0).collect())
    }
}

/// Prints one line of conversation on stderr. If nobody can read it, that is not an error.
pub fn say(line: &str) {
    converse(&format!("{}\n", shown::line(line)), false);
}

/// Prints a line that helps only while fathom waits for something. It is never held back.
pub fn say_at_once(line: &str) {
    converse(&format!("{}\n", shown::line(line)), true);
}

/// Prints several lines of conversation.
pub fn say_block(text: &str) {
    converse(&format!("{}\n", shown::block(text)), false);
}

fn converse(ready: &str, at_once: bool) {
    if held::may_print(ready, at_once) {
        tell_folded(ready);
    }
}

/// Prints conversation, whose lines fit the terminal.
fn tell_folded(ready: &str) {
    match Screen::stderr().columns {
        Some(columns) => tell(&folded::message(ready, columns)),
        None => tell(ready),
    }
}

/// Prints what was held back; from now on everything is printed immediately.
pub fn tell_held() {
    held::release().iter().for_each(|text| tell_folded(text));
}

/// Prints a result on stderr because a person asked for that.
pub fn say_ready(ready: &Ready) {
    tell(&ready.0);
}

fn tell(ready: &str) {
    stderr::print(ready);
}

/// Prints the result as lines of text, on stdout.
pub fn print(text: &str) -> Result<(), Failure> {
    print_ready(&Ready::text(text))
}

/// Prints lines for a person, on stdout: in ASCII where the terminal has nothing else.
pub fn print_page(text: &str) -> Result<(), Failure> {
    let text = shown::block(text);
    match Screen::stdout().style.utf8 {
        true => print_ready(&Ready(text.into_owned())),
        false => print_ready(&Ready(in_ascii(&text))),
    }
}

/// Prints the result as JSON, on stdout.
pub fn print_json(text: &str) -> Result<(), Failure> {
    print_ready(&Ready::json(text))
}

/// Prints the result as one JSON document.
pub fn print_document(document: &impl serde::Serialize) -> Result<(), Failure> {
    print_ready(&Ready::document(document)?)
}

/// Standard output as a file, for a stream of bytes that another program reads. `None` if it is a terminal.
///
/// # Errors
/// There is no standard output.
pub fn stdout_for_bytes() -> io::Result<Option<File>> {
    if Screen::stdout().is_terminal {
        return Ok(None);
    }
    io::stdout().as_fd().try_clone_to_owned().map(|fd| Some(File::from(fd)))
}

/// Prints a line of progress on stdout, unless stdout takes nothing at the moment.
pub fn print_line_or_drop(line: &str) {
    if stderr::takes_text(io::stdout()) {
        let mut out = io::stdout().lock();
        // A line that cannot be written is left out: the next one has newer figures.
        let _ = writeln!(out, "{}", shown::line(line)).and_then(|()| out.flush());
    }
}

/// Prints the result on stdout. If its reader has closed the pipe, the output ends
/// without an error, and the command goes on.
pub fn print_ready(ready: &Ready) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let mut write = || out.write_all(ready.0.as_bytes()).and_then(|()| out.flush());
    match if Screen::stdout().is_terminal { stderr::without_view(write) } else { write() } {
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::new(Exit::Failed, format!("cannot write to standard output: {e}")))
        }
        _ => Ok(()),
    }
}
