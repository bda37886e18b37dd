//! What standard output and standard error can show: the only place that asks for the size of the
//! terminal, its colours and its characters.
//!
//! * Columns: `COLUMNS`, or the terminal's own answer, or 100 where there is no terminal. Texts are
//!   laid out for [`COLUMNS_MIN`] columns at least.
//! * Lines: `LINES`, or the terminal's own answer, or 24 where the terminal gives none. A file or a pipe has no limit of its own.
//! * Colour: only on a terminal that is not `TERM=dumb`, and not with a non-empty `NO_COLOR`
//!   (<https://no-color.org>).
//! * UTF-8: by the locale. A locale that is not set, as in most containers, counts as UTF-8, because
//!   such terminals show it; `LC_ALL=C` asks for ASCII. systemd decides the same way
//!   (`is_locale_utf8`).

use fathom_text::style::Style;
use rustix::termios::tcgetwinsize;
use std::io::{self, IsTerminal};
use std::os::fd::AsFd;

/// The narrowest layout. On a narrower terminal lines wrap.
pub const COLUMNS_MIN: usize = 60;

/// The widest that is believed: more is a mistake in `COLUMNS`.
const COLUMNS_MAX: usize = 10_000;

/// What a stream of this process can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Screen {
    /// Columns (at least [`COLUMNS_MIN`]), colour and characters.
    pub style: Style,
    /// Columns that the terminal really has, for a line that is cut; `None` where nothing needs to
    /// be cut, because there is no terminal or it does not say.
    pub columns: Option<usize>,
    /// Lines of the terminal; `None` if there is no terminal or it does not say.
    pub rows: Option<usize>,
    /// Whether the stream is a terminal.
    pub is_terminal: bool,
}

impl Screen {
    /// Where results are printed.
    pub fn stdout() -> Self {
        Self::of(io::stdout())
    }

    /// Where progress and messages are printed.
    pub fn stderr() -> Self {
        Self::of(io::stderr())
    }

    fn of(stream: impl AsFd + IsTerminal) -> Self {
        let is_terminal = stream.is_terminal();
        let size = tcgetwinsize(stream).ok().filter(|_| is_terminal);
        let known = |count: u16| (count > 0).then_some(usize::from(count));
        let told = size.and_then(|size| known(size.ws_col));
        let variable = count("COLUMNS", &environment);
        let rows = size.and_then(|size| known(size.ws_row));
        let otherwise = if is_terminal { Style::PLAIN.height } else { usize::MAX };
        Self {
            style: Style {
                height: count("LINES", &environment).or(rows).unwrap_or(otherwise),
                ..style(&environment, is_terminal, variable.or(told))
            },
            // A line that is cut must fit, also if the window is narrower than `COLUMNS` says.
            columns: variable.into_iter().chain(told).min().filter(|_| is_terminal),
            rows,
            is_terminal,
        }
    }
}

/// A variable of the environment that is set and not empty. Its text may be carried.
fn environment(name: &str) -> Option<String> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(fathom_text::carried::of_os)
}

/// The columns that `COLUMNS` says, or the lines that `LINES` says.
fn count(name: &str, variable: &impl Fn(&str) -> Option<String>) -> Option<usize> {
    let count = variable(name).and_then(|text| text.parse().ok());
    count.filter(|count| *count > 0)
}

/// The style for this environment, on a terminal or not.
fn style(variable: &impl Fn(&str) -> Option<String>, is_terminal: bool, columns: Option<usize>) -> Style {
    let columns = columns.unwrap_or(Style::PLAIN.width);
    let is_dumb = variable("TERM").is_some_and(|term| term == "dumb");
    Style {
        colour: is_terminal && !is_dumb && variable("NO_COLOR").is_none(),
        width: columns.clamp(COLUMNS_MIN, COLUMNS_MAX),
        utf8: is_utf8(variable),
        ..Style::PLAIN
    }
}

/// Whether the locale has UTF-8: by the first of these variables that is set, as in POSIX.
fn is_utf8(variable: &impl Fn(&str) -> Option<String>) -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(variable);
    locale.is_none_or(|locale| {
        let locale = locale.to_ascii_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(variables: &[(&str, &str)], is_terminal: bool, told: Option<usize>) -> Style {
        let variable = |name: &str| {
            let found = variables.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        style(&variable, is_terminal, count("COLUMNS", &variable).or(told))
    }

    #[test]
    fn columns_come_from_the_variable_or_the_terminal_or_are_100() {
        for (variables, columns, width) in [
            (vec![], Some(80), 80),
            (vec![], None, 100),
            (vec![("COLUMNS", "132")], Some(80), 132),
            (vec![("COLUMNS", "0")], Some(80), 80),
            (vec![("COLUMNS", "wide")], None, 100),
            (vec![], Some(20), COLUMNS_MIN),
            (vec![("COLUMNS", "99999999")], None, COLUMNS_MAX),
        ] {
            assert_eq!(
                with(&variables, columns.is_some(), columns).width,
                width,
                "{variables:?} {columns:?}"
            );
        }
    }

    #[test]
    fn colour_needs_a_terminal_that_nobody_declared_colourless() {
        assert!(with(&[("TERM", "xterm")], true, None).colour);
        assert!(!with(&[("TERM", "xterm")], false, None).colour);
        assert!(!with(&[("TERM", "dumb")], true, None).colour);
        assert!(!with(&[("NO_COLOR", "1")], true, None).colour);
    }

    #[test]
    fn the_first_variable_that_is_set_decides_about_utf_8() {
        for (variables, utf8) in [
            (vec![], true),
            (vec![("LANG", "de_DE.UTF-8")], true),
            (vec![("LANG", "C.utf8")], true),
            (vec![("LANG", "de_DE.UTF-8"), ("LC_CTYPE", "de_DE@euro")], false),
            (vec![("LANG", "de_DE.UTF-8"), ("LC_ALL", "C")], false),
            (vec![("LC_CTYPE", "POSIX"), ("LC_ALL", "en_GB.UTF-8")], true),
        ] {
            assert_eq!(with(&variables, true, None).utf8, utf8, "{variables:?}");
        }
    }
}
