//! One line of a job file: what it says, and the same line with something else in that place.

use crate::diagnostic::Span;
use crate::option::OptionDef;
use crate::options;
use crate::parse::Surroundings;
use crate::parse::syntax::{Line, Part};
use crate::parse::{expanded_text, read_value};
use crate::value::Value;

/// An option line whose option is known.
pub(super) struct OptionLine<'a> {
    pub def: &'static OptionDef,
    /// The value after variables and keywords were replaced; `None` where the option stands alone.
    pub value: Option<String>,
    line: &'a Line<'a>,
    /// Where the value is written; `None` where a variable holds the whole option.
    written: Option<&'a Part>,
}

impl<'a> OptionLine<'a> {
    /// The option of a line, or `None` for one that is not known.
    pub fn of(
        line: &'a Line<'a>,
        name: &Part,
        value: Option<&'a Part>,
        around: &dyn Surroundings,
    ) -> Option<Self> {
        let mut typed = expanded_text(&name.text, around);
        let mut text = value.map(|value| expanded_text(&value.text, around));
        // A variable can hold a whole `name=value`.
        if let (None, Some((name, value))) = (&text, typed.clone().split_once('=')) {
            text = Some(value.trim().to_owned());
            typed = name.trim().to_owned();
        }
        let def = options::find(typed.trim())?;
        Some(OptionLine { def, value: text, line, written: value })
    }

    /// `iodepth=32`, or `norandommap`.
    pub fn said(&self) -> String {
        match &self.value {
            Some(value) => format!("{}={value}", self.def.name),
            None => self.def.name.to_owned(),
        }
    }

    /// The value as text, or what an option alone means.
    pub fn text(&self) -> &str {
        self.value.as_deref().unwrap_or("1")
    }

    /// The value of a flag or a boolean.
    pub fn is_on(&self) -> Option<bool> {
        match read_value(self.def, self.text()) {
            Some(Value::Flag(on)) => Some(on),
            _ => None,
        }
    }

    /// The value of a list of names.
    pub fn names(&self) -> Vec<String> {
        match read_value(self.def, self.text()) {
            Some(Value::List(names)) => names,
            _ => Vec::new(),
        }
    }

    /// The line with another value, everything around it unchanged.
    pub fn with_value(&self, value: &str) -> String {
        match self.written {
            Some(part) => with_part(self.line, part, value),
            None => format!("{}={value}", self.def.name),
        }
    }

    /// Its place.
    pub fn span(&self, file: &str) -> Span {
        span(file, self.line)
    }
}

/// The line with another text in the place of a part of it.
pub(super) fn with_part(line: &Line, part: &Part, text: &str) -> String {
    let chars = || line.text.chars();
    let before: String = chars().take(part.column - 1).collect();
    let after: String = chars().skip(part.column - 1 + part.text.chars().count()).collect();
    format!("{before}{text}{after}")
}

/// The line of a section with another name. The place of a section is that of its bracket.
pub(super) fn with_section(line: &Line, name: &Part, text: &str) -> String {
    let before: String = line.text.chars().take(name.column).collect();
    let rest: String = line.text.chars().skip(name.column).collect();
    before + &rest.replacen(&name.text, text, 1)
}

/// The whole of a line as a place.
pub(super) fn span(file: &str, line: &Line) -> Span {
    let text = line.text.trim_end();
    let lead = text.chars().count() - text.trim_start().chars().count();
    let length = text.trim_start().chars().count().max(1);
    Span { file: file.to_owned(), line: line.number, column: lead + 1, length, text: line.text.to_owned() }
}
