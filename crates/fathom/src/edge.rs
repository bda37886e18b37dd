//! The one place through which the binary prints: results to standard output,
//! the conversation to standard error.
//!
//! Names that others chose (jobs, files, drives, recorded machines) reach both.
//! A control character in one of them would command the terminal, a line break
//! would forge a line. So what leaves is [`Ready`], and there is no way to make
//! one but those below: everything that is not printable is escaped, except
//! what the function that makes it knows to be ours.

use crate::failure::{Exit, Failure};
use crate::held;
use fathom_report::terminal::Painted;
use fathom_text::shown;
use std::io::{self, IsTerminal, Write};

/// Text that may be printed.
#[derive(Clone, Debug, Default)]
pub struct Ready(String);

impl Ready {
    /// Whole lines, without colour.
    pub fn text(text: &str) -> Self {
        Ready(shown::block(text).into_owned())
    }

    /// A document of JSON, which stays the same document.
    pub fn json(text: &str) -> Self {
        Ready(shown::json(text).into_owned())
    }

    /// A report with its colours.
    pub fn painted(text: &Painted) -> Self {
        Ready(text.as_str().to_owned())
    }

    /// As it is printed.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromIterator<Ready> for Ready {
    fn from_iter<I: IntoIterator<Item = Ready>>(all: I) -> Self {
        Ready(all.into_iter().map(|one| one.0).collect())
    }
}

/// One line of conversation, on stderr. Nobody listening is no error.
pub fn say(line: &str) {
    converse(&format!("{}\n", shown::line(line)), false);
}

/// A line that helps only while fathom waits for something: it is never held back.
pub fn say_at_once(line: &str) {
    converse(&format!("{}\n", shown::line(line)), true);
}

/// Lines of conversation that we made.
pub fn say_block(text: &str) {
    converse(&format!("{}\n", shown::block(text)), false);
}

fn converse(ready: &str, at_once: bool) {
    if held::may_tell(ready, at_once) {
        tell(ready);
    }
}

/// Prints what was held back, and from now on everything at once.
pub fn tell_held() {
    held::release().iter().for_each(|text| tell(text));
}

/// A result that goes to stderr because a person asked for it.
pub fn say_ready(ready: &Ready) {
    tell(&ready.0);
}

/// The line of progress, in the place of the one before; without one, the place
/// is cleared. Only for a terminal.
pub fn progress(line: Option<&str>) {
    tell(&format!("\r\x1b[K{}", shown::line(line.unwrap_or_default())));
}

/// Progress where there is no terminal: a line of its own, which is no message.
pub fn progress_line(line: &str) {
    tell(&format!("{}\n", shown::line(line)));
}

/// A remark while the line of progress may be shown, which comes back below it.
pub fn remark(line: &str) {
    if io::stderr().is_terminal() {
        progress(None);
    }
    say(line);
}

fn tell(ready: &str) {
    let _ = io::stderr().lock().write_all(ready.as_bytes());
}

/// The result as lines of text, on stdout.
pub fn print(text: &str) -> Result<(), Failure> {
    print_ready(&Ready::text(text))
}

/// The result as JSON, on stdout.
pub fn print_json(text: &str) -> Result<(), Failure> {
    print_ready(&Ready::json(text))
}

/// The result, on stdout. A reader that has closed the pipe has seen enough:
/// that ends the output, not the command.
pub fn print_ready(ready: &Ready) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(ready.0.as_bytes()).and_then(|()| out.flush()) {
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::new(Exit::Failed, format!("writing to standard output: {e}")))
        }
        _ => Ok(()),
    }
}
